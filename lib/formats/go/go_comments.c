/* go_comments.c - names of frames in comments of Go */
#include "formats/go/go_comments.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/vec.h"

struct go_name {
    uint64_t address;
    size_t nth; /* as written */
    struct textprof_name name;
};

/* What is before the next tab; tabs after it are taken too. */
static struct prof_slice cut_field(struct prof_slice *s)
{
    const char *tab = s->n ? memchr(s->s, '\t', s->n) : NULL;
    size_t n = tab ? (size_t)(tab - s->s) : s->n;
    struct prof_slice field = slice_to(*s, n);
    *s = slice_trim_left(slice_from(*s, n));
    return field;
}

/* What is before the last `c` of *s, and in *after what is behind it. */
static bool split_last(struct prof_slice *s, char c, struct prof_slice *after)
{
    const char *at = bytes_find_last(s->s, s->n, c);
    if (!at)
        return false;
    size_t n = (size_t)(at - s->s);
    *after = slice_from(*s, n + 1);
    *s = slice_to(*s, n);
    return true;
}

static bool parse_name(struct prof_slice s, struct go_name *to)
{
    struct prof_slice offset, line;
    if (s.n < 2 || s.s[0] != '#' || s.s[1] != '\t')
        return false;
    s = slice_trim_left(slice_from(s, 1));
    struct prof_slice address = cut_field(&s);
    if (!slice_take_0xhex(&address, &to->address) || address.n)
        return false;
    to->name.function = cut_field(&s);
    to->name.file = slice_trim(s);
    return split_last(&to->name.function, '+', &offset) &&
           to->name.function.n && split_last(&to->name.file, ':', &line) &&
           slice_is_decimal(line) && slice_take_int(&line, &to->name.line);
}

bool go_text_comment(struct go_text *g, struct prof_err *err)
{
    struct go_name name = {.nth = g->names.n};
    if (!parse_name(g->text.line, &name))
        return true;
    return vec_push(&g->names, name) || err_nomem(err);
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
                          struct prof_err *err)
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
static bool name_roots(struct profile *p, struct prof_err *err)
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

/* Gives locations the lines that comments name for their addresses. */
static bool apply_names(struct go_text *g, struct profile *p,
                        struct prof_err *err)
{
    const struct go_name *v = g->names.v;
    size_t n = g->names.n;
    if (!n)
        return true;
    qsort(g->names.v, n, sizeof *v, by_address);
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

bool go_text_begin(struct go_text *g, const struct import_input *in,
                   struct profile *out, struct prof_err *err)
{
    memset(g, 0, sizeof *g);
    if (!prof_init(out, err))
        return false;
    textprof_begin(&g->text, in->data, in->n, out, in->notes);
    return true;
}

bool go_text_end(struct go_text *g, bool ok,
                 const struct import_options *options, bool expect_maps,
                 struct prof_err *err)
{
    ok = ok && textprof_finish(&g->text, options->binary, expect_maps, err) &&
         (options->no_symbols || apply_names(g, g->text.p, err));
    vec_free(&g->names);
    textprof_end(&g->text);
    return ok;
}
