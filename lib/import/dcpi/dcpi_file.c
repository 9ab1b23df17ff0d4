/* DCPI inputs: lines, words, numbers, the list of files. */
#include "import/dcpi/dcpi_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "base/wide.h"

enum { SNIFF_BYTES = 64 * 1024, NANOS_PER_SECOND = 1000000000 };

bool dcpi_next_line(struct dcpi_lines *l, struct dcpi_span *line)
{
    if (l->at >= l->n)
        return false;
    const char *s = l->s + l->at;
    size_t left = l->n - l->at;
    const char *lf = memchr(s, '\n', left);
    size_t n = lf ? (size_t)(lf - s) : left;
    l->at += n + (lf != NULL);
    l->number++;
    l->ended = lf != NULL;
    l->cr = lf && n && s[n - 1] == '\r';
    *line = (struct dcpi_span){s, n - l->cr};
    return true;
}

struct dcpi_span dcpi_word(struct dcpi_span *rest)
{
    const char *s = rest->s, *end = s + rest->n;
    while (s < end && dcpi_is_blank(*s))
        s++;
    struct dcpi_span word = {s, 0};
    while (s < end && !dcpi_is_blank(*s))
        s++;
    word.n = (size_t)(s - word.s);
    while (s < end && dcpi_is_blank(*s))
        s++;
    while (end > s && dcpi_is_blank(end[-1]))
        end--;
    *rest = (struct dcpi_span){s, (size_t)(end - s)};
    return word;
}

bool dcpi_is(struct dcpi_span span, const char *text)
{
    return strlen(text) == span.n && memcmp(text, span.s, span.n) == 0;
}

static bool number(struct dcpi_span span, unsigned base, uint64_t *x)
{
    *x = 0;
    for (size_t i = 0; i < span.n; i++) {
        unsigned d = (unsigned)ascii_hex_value(span.s[i]);
        if (d >= base || __builtin_mul_overflow(*x, base, x) ||
            __builtin_add_overflow(*x, d, x))
            return false;
    }
    return span.n > 0;
}

bool dcpi_decimal(struct dcpi_span span, uint64_t *x)
{
    return number(span, 10, x);
}

static bool has_0x(struct dcpi_span span)
{
    return span.n > 2 && span.s[0] == '0' && (span.s[1] | 32) == 'x';
}

bool dcpi_hex(struct dcpi_span span, uint64_t *x)
{
    if (has_0x(span))
        span = (struct dcpi_span){span.s + 2, span.n - 2};
    return number(span, 16, x);
}

bool dcpi_is_pc(struct dcpi_span word, uint64_t *pc)
{
    return has_0x(word) && dcpi_hex(word, pc);
}

bool dcpi_odd(const struct dcpi_ctx *c, struct err *err, const char *fmt, ...)
{
    char text[ERR_TEXT_MAX];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    note_loss(c->notes, "%s", text);
    return notes_lossless(c->notes, err);
}

enum dcpi_form dcpi_sniff(const uint8_t *data, size_t n)
{
    struct dcpi_lines l = {.s = (const char *)data,
                           .n = n < SNIFF_BYTES ? n : SNIFF_BYTES};
    struct dcpi_span line;
    while (dcpi_next_line(&l, &line)) {
        struct dcpi_span word = dcpi_word(&line);
        uint64_t pc;
        if (dcpi_is(word, "samples"))
            return DCPI_BINARY;
        if (dcpi_is_pc(word, &pc))
            return DCPI_TEXT;
        bool binary = dcpi_field_of(word, DCPI_BINARY) != DCPI_UNKNOWN;
        bool text = dcpi_field_of(word, DCPI_TEXT) != DCPI_UNKNOWN;
        if (binary != text)
            return binary ? DCPI_BINARY : DCPI_TEXT;
    }
    return DCPI_NEITHER;
}

bool dcpi_has_version(const uint8_t *data, size_t n)
{
    struct dcpi_lines l = {.s = (const char *)data, .n = n};
    struct dcpi_span line, word = {0};
    while (!word.n && dcpi_next_line(&l, &line))
        word = dcpi_word(&line);
    return dcpi_is(word, "version") && line.n >= 4 &&
           memcmp(line.s, "pdb-", 4) == 0;
}

static bool is_keyword(struct dcpi_span word)
{
    return dcpi_field_of(word, DCPI_BINARY) != DCPI_UNKNOWN ||
           dcpi_field_of(word, DCPI_TEXT) != DCPI_UNKNOWN;
}

bool dcpi_begins(const uint8_t *data, size_t n)
{
    struct dcpi_lines l = {.s = (const char *)data,
                           .n = n < SNIFF_BYTES ? n : SNIFF_BYTES};
    struct dcpi_span line, word = {0};
    while (!word.n && dcpi_next_line(&l, &line))
        word = dcpi_word(&line);
    bool is_version = dcpi_is(word, "version");
    if (is_version && line.n > 4 && memcmp(line.s, "pdb-", 4) == 0)
        return true;
    if (is_version && (line.n < 2 || memcmp(line.s, "0.", 2) != 0))
        return false;
    if (!is_keyword(word))
        return false;
    /* Words of any text: see whether the header goes on to its counts. */
    do {
        if (dcpi_is(word, "event") || dcpi_is(word, "samples"))
            return true;
        if (!dcpi_next_line(&l, &line) || memchr(line.s, 0, line.n))
            return false;
        word = dcpi_word(&line);
    } while (true);
}

bool dcpi_read_header(const uint8_t *data, size_t n, enum dcpi_form form,
                      struct dcpi_files *files, struct err *err)
{
    struct dcpi_file *f = dcpi_add_file(files);
    if (!f)
        return err_nomem(err);
    struct dcpi_lines l = {.s = (const char *)data, .n = n};
    struct dcpi_span line;
    while (dcpi_next_line(&l, &line)) {
        struct dcpi_span rest = line, word = dcpi_word(&rest);
        uint64_t pc;
        if (form == DCPI_TEXT && dcpi_is_pc(word, &pc))
            continue;
        /* Where version 1 ends its header is not known: where text ends. */
        if (form == DCPI_BINARY &&
            (dcpi_is(word, "samples") || memchr(line.s, 0, line.n)))
            break;
        if (word.n && !vec_push(&f->kept, line))
            return err_nomem(err);
    }
    return true;
}

bool dcpi_add_count(struct dcpi_file *f, uint64_t pc, uint64_t n,
                    uint32_t column, struct err *err)
{
    struct dcpi_column *col = &f->columns.v[column];
    struct dcpi_count count = {.pc = pc, .column = column};
    if (!dcpi_estimate(col, n, &count.values) ||
        __builtin_add_overflow(col->sum, n, &col->sum))
        return err_set(err, ERR_INPUT,
                       "%llu samples of %.*s at 0x%llx stand for more than "
                       "64 bits can count",
                       (unsigned long long)n, DCPI_SHOW(col->name),
                       (unsigned long long)pc);
    return !n || vec_push(&f->counts, count) || err_nomem(err);
}

struct dcpi_file *dcpi_add_file(struct dcpi_files *files)
{
    struct dcpi_file none = {0};
    if (!vec_push(files, none))
        return NULL;
    return &files->v[files->n - 1];
}

void dcpi_free_files(struct dcpi_files *files)
{
    for (size_t i = 0; i < files->n; i++) {
        vec_free(&files->v[i].kept);
        vec_free(&files->v[i].columns);
        vec_free(&files->v[i].counts);
    }
    vec_free(files);
}

bool dcpi_scale(uint64_t n, uint64_t mul, uint64_t div, int64_t *out)
{
    uint64_t q, r, up;
    if (!wide_mul_div(n, mul, div, &q, &r))
        return false;
    up = r >= div - r;
    if (q > INT64_MAX - up)
        return false;
    *out = (int64_t)(q + up);
    return true;
}

bool dcpi_estimate(const struct dcpi_column *column, uint64_t n,
                   struct dcpi_values *out)
{
    *out = (struct dcpi_values){.samples = (int64_t)n};
    if (n > INT64_MAX)
        return false;
    if (!dcpi_has_estimate(column))
        return true;
    return dcpi_scale(n, column->period * DCPI_FULL_TIME, column->fraction,
                      &out->events) &&
           (!column->hz || dcpi_scale((uint64_t)out->events, NANOS_PER_SECOND,
                                      column->hz, &out->nanos));
}
