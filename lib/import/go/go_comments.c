/* go_comments.c - names of frames and labels of samples in comments of Go */
#include "import/go/go_comments.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"

/* --- names */

struct go_name {
    uint64_t address;
    size_t nth; /* as written */
    struct textprof_name name;
};

/* What is before the next tab; tabs after it are taken too. */
static struct slice cut_field(struct slice *s)
{
    const char *tab = s->n ? memchr(s->s, '\t', s->n) : NULL;
    size_t n = tab ? (size_t)(tab - s->s) : s->n;
    struct slice field = slice_to(*s, n);
    *s = slice_trim_left(slice_from(*s, n));
    return field;
}

/* What is before the last `c` of *s, and in *after what is behind it. */
static bool split_last(struct slice *s, char c, struct slice *after)
{
    const char *at = s->n ? memrchr(s->s, c, s->n) : NULL;
    if (!at)
        return false;
    size_t n = (size_t)(at - s->s);
    *after = slice_from(*s, n + 1);
    *s = slice_to(*s, n);
    return true;
}

static bool parse_name(struct slice s, struct go_name *to)
{
    struct slice offset, line;
    if (s.n < 2 || s.s[0] != '#' || s.s[1] != '\t')
        return false;
    s = slice_trim_left(slice_from(s, 1));
    struct slice address = cut_field(&s);
    if (!slice_take_0xhex(&address, &to->address) || address.n)
        return false;
    to->name.function = cut_field(&s);
    to->name.file = slice_trim(s);
    return split_last(&to->name.function, '+', &offset) &&
           to->name.function.n && split_last(&to->name.file, ':', &line) &&
           slice_is_decimal(line) && slice_take_int(&line, &to->name.line);
}

bool go_names_line(struct go_names *names, struct slice comment,
                   struct err *err)
{
    struct go_name name = {.nth = names->v.n};
    if (!parse_name(comment, &name))
        return true;
    return vec_push(&names->v, name) || err_nomem(err);
}

static int by_address(const void *a, const void *b)
{
    const struct go_name *x = a, *y = b;
    if (x->address != y->address)
        return x->address > y->address ? 1 : -1;
    return (x->nth > y->nth) - (x->nth < y->nth);
}

/*
 * How many of the n names, which have one address, are the frames of one
 * call: those that follow each other in the text until the first is there
 * again, as it is where a function calls itself.
 */
static size_t count_chain(const struct go_name *first, size_t n)
{
    size_t k = 1;
    while (k < n && first[k].nth == first->nth + k &&
           !(first[k].name.line == first->name.line &&
             slice_same(first[k].name.function, first->name.function)))
        k++;
    return k;
}

static bool name_location(struct profile *p, struct prof_location *loc,
                          const struct go_name *first, size_t n,
                          struct err *err)
{
    struct textprof_name *names = mem_array(n, sizeof *names);
    if (!names)
        return err_nomem(err);
    for (size_t i = 0; i < n; i++)
        names[i] = first[i].name;
    bool ok = textprof_name(p, loc, names, n, err);
    free(names);
    return ok;
}

/* The first of the sorted names with this address; n if there is none. */
static size_t find_names(const struct go_name *v, size_t n, uint64_t address)
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (v[mid].address < address)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n && v[lo].address == address ? lo : n;
}

/* Whether a frame of the stack but the last has a name. */
static bool has_named(const struct profile *p, const uint32_t *stack, size_t n)
{
    for (size_t i = 0; i + 1 < n; i++)
        if (p->locations[stack[i]].n_lines)
            return true;
    return false;
}

/*
 * Behind the first frame that Go names only runtime.goexit, where goroutines
 * begin, lacks a line.  It has to have its name: drop_frames has the runtime,
 * and takes what a frame of no name called for the runtime's callees.
 */
static bool name_roots(struct profile *p, struct err *err)
{
    static const char goexit[] = "runtime.goexit";
    const struct textprof_name name = {.function = {goexit, sizeof goexit - 1},
                                       .file = {goexit, 0}};
    for (size_t s = 0; s < p->n_samples; s++) {
        const uint32_t *stack = prof_stack(p, s);
        size_t n = prof_depth(p, s);
        struct prof_location *root = n ? &p->locations[stack[n - 1]] : NULL;
        if (root && !root->n_lines && has_named(p, stack, n) &&
            !textprof_name(p, root, &name, 1, err))
            return false;
    }
    return true;
}

bool go_names_apply(struct go_names *names, struct profile *p, struct err *err)
{
    const struct go_name *v = names->v.v;
    size_t n = names->v.n;
    if (!n)
        return true;
    qsort(names->v.v, n, sizeof *v, by_address);
    for (size_t l = 0; l < p->n_locations; l++) {
        struct prof_location *loc = &p->locations[l];
        size_t first = find_names(v, n, loc->address), end = first;
        while (end < n && v[end].address == loc->address)
            end++;
        if (first < n &&
            !name_location(p, loc, &v[first],
                           count_chain(&v[first], end - first), err))
            return false;
    }
    return name_roots(p, err);
}

void go_names_free(struct go_names *names)
{
    vec_free(&names->v);
}

/* --- labels */

static const char labels_begin[] = "# labels: {";

/* What is read of a comment; the functions that read fail if it is malformed.
 */
struct labels {
    struct slice rest;
    struct profile *p;
    struct buf text; /* the string that was read last */
    VEC(struct prof_label) v;
    size_t n_empty; /* labels without text */
    bool malformed;
};

bool go_labels_begin(struct slice comment)
{
    return slice_begins_with(comment, labels_begin);
}

static bool is_malformed(struct labels *l)
{
    l->malformed = true;
    return false;
}

/* Cuts c off, if it comes next. */
static bool cut_char(struct labels *l, char c)
{
    if (!l->rest.n || l->rest.s[0] != c)
        return false;
    l->rest = slice_from(l->rest, 1);
    return true;
}

/* The escape behind a backslash. */
static bool read_escape(struct labels *l, struct err *err)
{
    static const char names[] = "abfnrtv\\\"'";
    static const char means[] = "\a\b\f\n\r\t\v\\\"'";
    char c = l->rest.n ? l->rest.s[0] : 0;
    if (!c)
        return is_malformed(l);
    l->rest = slice_from(l->rest, 1);
    const char *name = strchr(names, c);
    if (name)
        return buf_putc(&l->text, means[name - names]) || err_nomem(err);
    size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    uint64_t v;
    if (!digits || l->rest.n < digits)
        return is_malformed(l);
    struct slice number = slice_to(l->rest, digits);
    if (!slice_is_hex(number) || !slice_take_hex(&number, &v) || v > 0x10ffff)
        return is_malformed(l);
    l->rest = slice_from(l->rest, digits);
    return (c == 'x' ? buf_putc(&l->text, (char)v)
                     : utf8_put(&l->text, (uint32_t)v)) ||
           err_nomem(err);
}

/* A string in quotes, interned. */
static bool read_string(struct labels *l, uint32_t *id, struct err *err)
{
    l->text.n = 0;
    if (!cut_char(l, '"'))
        return is_malformed(l);
    while (l->rest.n && l->rest.s[0] != '"') {
        char c = l->rest.s[0];
        l->rest = slice_from(l->rest, 1);
        if (c == '\\' ? !read_escape(l, err)
                      : !buf_putc(&l->text, c) && !err_nomem(err))
            return false;
    }
    if (!cut_char(l, '"'))
        return is_malformed(l);
    return prof_strn(l->p, l->text.n ? (char *)l->text.v : "", l->text.n, id,
                     err);
}

/* "key":"value" */
static bool read_label(struct labels *l, struct err *err)
{
    struct prof_label label = {0};
    if (!read_string(l, &label.key, err))
        return false;
    if (!cut_char(l, ':'))
        return is_malformed(l);
    if (!read_string(l, &label.str, err))
        return false;
    l->n_empty += !label.str;
    return !label.str || vec_push(&l->v, label) || err_nomem(err);
}

static bool read_labels(struct labels *l, struct err *err)
{
    while (!cut_char(l, '}')) {
        if (!read_label(l, err))
            return false;
        if (cut_char(l, ','))
            l->rest = slice_trim_left(l->rest);
        else if (!l->rest.n || l->rest.s[0] != '}')
            return is_malformed(l);
    }
    return !l->rest.n || is_malformed(l);
}

bool go_labels_read(struct slice comment, struct profile *p,
                    struct go_labels *to, struct err *err)
{
    struct labels l = {.rest = slice_from(comment, sizeof labels_begin - 1),
                       .p = p};
    bool ok =
        read_labels(&l, err) && prof_labelset(p, l.v.v, l.v.n, &to->set, err);
    to->malformed = l.malformed;
    to->n_empty = l.n_empty;
    buf_free(&l.text);
    vec_free(&l.v);
    return ok;
}
