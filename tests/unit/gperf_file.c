#include "gperf_file.h"

#include <inttypes.h>
#include <string.h>

#include "check_profile.h"
#include "unit.h"

static void put_word(struct gperf_file *f, uint64_t v)
{
    uint8_t b[8];
    for (size_t i = 0; i < f->size; i++)
        b[f->big_endian ? f->size - 1 - i : i] = (uint8_t)(v >> (8 * i));
    assert_true(buf_put(&f->bytes, b, f->size));
}

void put_words(struct gperf_file *f, const uint64_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put_word(f, words[i]);
}

void put_text(struct gperf_file *f, const char *text)
{
    assert_true(buf_puts(&f->bytes, text));
}

void put_header(struct gperf_file *f, uint64_t period)
{
    PUT(f, 0, 3, 0, period, 0);
}

void put_end(struct gperf_file *f)
{
    PUT(f, 0, 1, 0);
}

static void keep_warning(void *ctx, enum prof_note_level level,
                         const char *text)
{
    if (level != PROF_NOTE_INFO)
        assert_true(buf_printf(ctx, "%s\n", text));
}

static void read_as(const struct import_format *format, const uint8_t *data,
                    size_t n, const struct import_options *opts,
                    struct read_result *r)
{
    static const struct import_options none;
    memset(r, 0, sizeof *r);
    struct prof_notes notes = {.say = keep_warning, .ctx = &r->warnings};
    const struct import_input in = {
        .data = data, .n = n, .notes = &notes, .lookup = &import_lookup};
    r->ok = take_profile(
        &r->p, import_reader(format)(&in, opts ? opts : &none, &r->err));
    assert_true(buf_putc(&r->warnings, '\0'));
}

void read_bytes(const uint8_t *data, size_t n,
                const struct import_options *opts, struct read_result *r)
{
    read_as(&cpu_format, data, n, opts, r);
}

void read_file_as(const struct import_format *format, struct gperf_file *f,
                  const struct import_options *opts, struct read_result *r)
{
    read_as(format, f->bytes.v, f->bytes.n, opts, r);
    buf_free(&f->bytes);
}

void read_file(struct gperf_file *f, const struct import_options *opts,
               struct read_result *r)
{
    read_bytes(f->bytes.v, f->bytes.n, opts, r);
    buf_free(&f->bytes);
}

void free_result(struct read_result *r)
{
    prof_free(&r->p);
    buf_free(&r->warnings);
}

static const char *in_static(struct buf *b)
{
    static char text[8192];
    assert_true(b->n < sizeof text);
    if (b->n)
        memcpy(text, b->v, b->n);
    text[b->n] = '\0';
    buf_free(b);
    return text;
}

const char *samples_text(const struct profile *p)
{
    struct buf b = {0};
    for (size_t s = 0; s < p->n_samples; s++) {
        assert_true(buf_printf(&b, "%" PRId64 " %" PRId64, p->values[2 * s],
                               p->values[2 * s + 1]));
        for (size_t i = 0; i < prof_depth(p, s); i++) {
            const struct prof_location *l = &p->locations[prof_stack(p, s)[i]];
            assert_true(buf_printf(&b, " %" PRIx64 "@%" PRIu32, l->address,
                                   l->mapping + 1));
        }
        assert_true(buf_putc(&b, '\n'));
    }
    return in_static(&b);
}

const char *mappings_text(const struct profile *p)
{
    struct buf b = {0};
    for (size_t i = 0; i < p->n_mappings; i++) {
        const struct prof_mapping *m = &p->mappings[i];
        const char *build_id = prof_cstr(p, m->build_id);
        assert_true(buf_printf(&b, "%" PRIx64 "-%" PRIx64 " %" PRIx64 " %s",
                               m->start, m->limit, m->offset,
                               prof_cstr(p, m->filename)));
        assert_true(buf_printf(&b, build_id[0] ? " %s\n" : "%s\n", build_id));
    }
    return in_static(&b);
}
