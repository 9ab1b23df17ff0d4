#include "dcpi_try.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/import_formats.h"

static void say(void *ctx, enum prof_note_level level, const char *text)
{
    struct buf *said = ctx;
    assert_true(buf_printf(said, "%s: %s\n",
                           level == PROF_NOTE_INFO ? "info" : "warn", text));
}

static void say_strictly(void *ctx, enum prof_note_level level,
                         const char *text)
{
    struct dcpi_try *t = ctx;
    if (level == PROF_NOTE_LOSS && !t->lost.kind)
        err_text(&t->lost, PROF_ERR_INPUT, "%s", text);
    say(&t->said, level, text);
}

static bool check_strictly(void *ctx, struct prof_err *err)
{
    struct dcpi_try *t = ctx;
    if (t->lost.kind)
        *err = t->lost;
    return !t->lost.kind;
}

void try_text(struct dcpi_try *t, const char *text)
{
    assert_true(buf_puts(&t->in, text));
}

void try_words(struct dcpi_try *t, const uint32_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (int shift = 0; shift < 32; shift += 8)
            assert_true(buf_putc(&t->in, (char)(words[i] >> shift)));
}

bool try_add(struct dcpi_try *t)
{
    if (!t->sum) {
        t->notes = (struct prof_notes){.say = say, .ctx = &t->said};
        if (t->strict)
            t->notes = (struct prof_notes){say_strictly, t, check_strictly};
        t->sum = dcpi_converter.start(&t->opts, &t->notes, &t->err);
        assert_non_null(t->sum);
    }
    /* A copy of just the size, for the sanitizer's sake. */
    uint8_t *exact = malloc(t->in.n ? t->in.n : 1);
    assert_non_null(exact);
    if (t->in.n)
        memcpy(exact, t->in.v, t->in.n);
    struct import_input in = {.data = exact, .n = t->in.n};
    import_look(&in, "dcpi2pb");
    bool ok = dcpi_converter.add(t->sum, &in, &t->err);
    free(exact);
    t->in.n = 0;
    assert_true(ok || t->err.kind == PROF_ERR_INPUT);
    return ok;
}

bool try_finish(struct dcpi_try *t)
{
    return t->err.kind == PROF_ERR_NONE &&
           dcpi_converter.finish(t->sum, &t->p, &t->err);
}

bool try_run(struct dcpi_try *t)
{
    return try_add(t) && try_finish(t);
}

void try_free(struct dcpi_try *t)
{
    if (t->sum)
        dcpi_converter.free_sum(t->sum);
    buf_free(&t->in);
    buf_free(&t->said);
    prof_free(&t->p);
    memset(t, 0, sizeof *t);
}

bool try_said(const struct dcpi_try *t, const char *text)
{
    return t->said.n && memmem(t->said.v, t->said.n, text, strlen(text));
}

bool try_failed(const struct dcpi_try *t, const char *text)
{
    if (t->err.kind == PROF_ERR_INPUT && strstr(t->err.text, text))
        return true;
    print_message("wanted: %s\n   got: %d %s\n", text, t->err.kind,
                  t->err.text);
    return false;
}

bool try_comment(const struct dcpi_try *t, const char *text)
{
    for (size_t i = 0; i < t->p.n_comments; i++)
        if (strcmp(prof_cstr(&t->p, t->p.comments[i]), text) == 0)
            return true;
    return false;
}

int64_t try_value(const struct dcpi_try *t, uint32_t mapping, uint64_t pc,
                  const char *type)
{
    int column = prof_find_type(&t->p, type);
    assert_true(column >= 0);
    int64_t sum = 0;
    for (size_t s = 0; s < t->p.n_samples; s++) {
        assert_int_equal(prof_depth(&t->p, s), 1);
        const struct prof_location *l =
            &t->p.locations[prof_stack(&t->p, s)[0]];
        if (l->mapping == mapping && l->address == pc)
            sum += t->p.values[s * t->p.n_types + (size_t)column];
    }
    return sum;
}

const char *try_types(const struct dcpi_try *t, char text[256])
{
    size_t n = 0;
    text[0] = 0;
    for (size_t i = 0; i < t->p.n_types && n < 256; i++)
        n += (size_t)snprintf(text + n, 256 - n, "%s%s/%s", i ? " " : "",
                              prof_cstr(&t->p, t->p.types[i].type),
                              prof_cstr(&t->p, t->p.types[i].unit));
    return text;
}
