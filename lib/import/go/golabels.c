#include "import/go/golabels.h"

#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "base/vec.h"

static const char begin[] = "# labels: {";

struct reading {
    struct slice rest;
    struct buf text; /* the string that was read last */
    VEC(struct prof_label) labels;
    size_t n_empty; /* labels without text */
};

bool golabels_begin(struct slice comment)
{
    return slice_begins_with(comment, begin);
}

static bool take(struct slice *s, char c)
{
    if (!s->n || s->s[0] != c)
        return false;
    *s = slice_from(*s, 1);
    return true;
}

/* The escape behind a backslash; *ok is whether it is one. */
static bool put_escape(struct reading *r, bool *ok)
{
    static const char names[] = "abfnrtv\\\"'";
    static const char means[] = "\a\b\f\n\r\t\v\\\"'";
    struct slice *s = &r->rest;
    *ok = false;
    if (!s->n)
        return true;
    char c = s->s[0];
    *s = slice_from(*s, 1);
    const char *name = c ? strchr(names, c) : NULL;
    if (name) {
        *ok = true;
        return buf_putc(&r->text, means[name - names]);
    }
    size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    uint64_t v;
    if (!digits || s->n < digits)
        return true;
    struct slice number = slice_to(*s, digits);
    if (!slice_is_hex(number) || !slice_take_hex(&number, &v) || v > 0x10ffff)
        return true;
    *s = slice_from(*s, digits);
    *ok = true;
    return c == 'x' ? buf_putc(&r->text, (char)v)
                    : utf8_put(&r->text, (uint32_t)v);
}

/* A string in quotes, interned. */
static bool read_string(struct reading *r, struct profile *p, uint32_t *id,
                        bool *ok, struct err *err)
{
    struct slice *s = &r->rest;
    r->text.n = 0;
    *ok = take(s, '"');
    while (*ok && s->n && s->s[0] != '"') {
        char c = s->s[0];
        *s = slice_from(*s, 1);
        if (!(c == '\\' ? put_escape(r, ok) : buf_putc(&r->text, c)))
            return err_nomem(err);
    }
    *ok = *ok && take(s, '"');
    return !*ok ||
           prof_strn(p, r->text.n ? (char *)r->text.v : "", r->text.n, id, err);
}

/* "key":"value" */
static bool read_label(struct reading *r, struct profile *p, bool *ok,
                       struct err *err)
{
    struct prof_label label = {0};
    if (!read_string(r, p, &label.key, ok, err))
        return false;
    *ok = *ok && take(&r->rest, ':');
    if (!*ok)
        return true;
    if (!read_string(r, p, &label.str, ok, err))
        return false;
    if (!*ok || !label.str) {
        r->n_empty += *ok;
        return true;
    }
    return vec_push(&r->labels, label) || err_nomem(err);
}

static bool read_all(struct reading *r, struct profile *p, bool *ok,
                     struct err *err)
{
    *ok = true;
    while (!take(&r->rest, '}')) {
        if (!read_label(r, p, ok, err))
            return false;
        if (!*ok)
            return true;
        if (take(&r->rest, ','))
            r->rest = slice_trim_left(r->rest);
        else if (!r->rest.n || r->rest.s[0] != '}')
            *ok = false;
        if (!*ok)
            return true;
    }
    *ok = !r->rest.n;
    return true;
}

bool golabels_read(struct slice comment, struct profile *p, uint32_t *set,
                   size_t *n_empty, bool *ok, struct err *err)
{
    struct reading r = {.rest = slice_from(comment, sizeof begin - 1)};
    bool done = read_all(&r, p, ok, err);
    if (done && *ok) {
        *n_empty += r.n_empty;
        done = prof_labelset(p, r.labels.v, r.labels.n, set, err);
    }
    buf_free(&r.text);
    vec_free(&r.labels);
    return done;
}
