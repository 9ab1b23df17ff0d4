#include "text_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check_profile.h"
#include "formats/import_formats.h"
#include "random_profile.h"
#include "said.h"
#include "unit.h"

static void keep_warning(void *ctx, enum prof_note_level level,
                         const char *text)
{
    if (level != PROF_NOTE_INFO)
        assert_true(buf_printf(ctx, "%s\n", text));
}

void read_as(const char *name, const void *data, size_t n,
             const struct import_options *opts, struct read_result *r)
{
    static const struct import_options none;
    uint8_t *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    if (n)
        memcpy(copy, data, n);
    const struct import_format *format =
        name ? import_named(name) : import_find("prof2pb", copy, n);
    assert_non_null(format);
    memset(r, 0, sizeof *r);
    struct prof_notes notes = {.say = keep_warning, .ctx = &r->warnings};
    const struct import_input in = {
        .data = copy, .n = n, .notes = &notes, .lookup = &import_lookup};
    r->ok = take_profile(
        &r->p, import_reader(format)(&in, opts ? opts : &none, &r->err));
    assert_true(buf_putc(&r->warnings, '\0'));
    free(copy);
    if (r->ok) {
        struct prof_err err = {0};
        assert_string_equal(check_profile(&r->p, &err) ? "" : err.text, "");
    } else {
        assert_int_equal(r->err.kind, PROF_ERR_INPUT);
        assert_true(strlen(r->err.text) > 10);
    }
}

void read_text(const char *format, const char *text,
               const struct import_options *opts, struct read_result *r)
{
    read_as(format, text, strlen(text), opts, r);
}

static const char *in_static(struct buf *b, char *text, size_t n)
{
    assert_true(b->n < n);
    if (b->n)
        memcpy(text, b->v, b->n);
    text[b->n] = '\0';
    buf_free(b);
    return text;
}

static void put_label(struct buf *b, const struct profile *p,
                      const struct prof_label *label)
{
    assert_true(buf_printf(b, " [%s=", prof_cstr(p, label->key)));
    assert_true(label->str ? buf_puts(b, prof_cstr(p, label->str))
                           : buf_put_i64(b, label->num));
    assert_true(buf_puts(b, prof_cstr(p, label->unit)));
    assert_true(buf_putc(b, ']'));
}

const char *values_text(const struct profile *p)
{
    static char text[8192];
    struct buf b = {0};
    for (size_t s = 0; s < p->n_samples; s++) {
        for (size_t i = 0; i < p->n_types; i++)
            assert_true(
                buf_printf(&b, "%" PRId64 " ", p->values[s * p->n_types + i]));
        assert_true(buf_putc(&b, '@'));
        for (size_t i = 0; i < prof_depth(p, s); i++)
            assert_true(buf_printf(&b, " %" PRIx64,
                                   p->locations[prof_stack(p, s)[i]].address));
        uint32_t set = p->labelset[s];
        for (uint64_t i = p->labelset_off[set]; i < p->labelset_off[set + 1];
             i++)
            put_label(&b, p, &p->labels[i]);
        assert_true(buf_putc(&b, '\n'));
    }
    return in_static(&b, text, sizeof text);
}

const char *types_text(const struct profile *p)
{
    static char text[512];
    struct buf b = {0};
    for (size_t i = 0; i < p->n_types; i++)
        assert_true(buf_printf(&b, "%s/%s ", prof_cstr(p, p->types[i].type),
                               prof_cstr(p, p->types[i].unit)));
    assert_true(buf_printf(&b, "every %" PRId64 " %s/%s", p->period,
                           prof_cstr(p, p->period_type.type),
                           prof_cstr(p, p->period_type.unit)));
    return in_static(&b, text, sizeof text);
}

void assert_samples(const char *text, const char *samples)
{
    struct read_result r;
    read_text(NULL, text, NULL, &r);
    assert_said(r.err.text, "");
    assert_string_equal(values_text(&r.p), samples);
    free_result(&r);
}

void assert_warned(const char *text, const struct import_options *opts,
                   const char *samples, const char *warnings)
{
    struct read_result r;
    read_text(NULL, text, opts, &r);
    assert_said(r.err.text, "");
    assert_string_equal(values_text(&r.p), samples);
    assert_said((char *)r.warnings.v, warnings);
    free_result(&r);
}

void assert_wrong(const char *format, const char *text, const char *message)
{
    struct read_result r;
    read_text(format, text, NULL, &r);
    assert_false(r.ok);
    assert_said(r.err.text, message);
    free_result(&r);
}
