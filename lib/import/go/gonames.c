#include "import/go/gonames.h"

#include <stdlib.h>
#include <string.h>

struct goname {
    uint64_t address;
    size_t nth; /* as written */
    struct slice function, file;
    int64_t line;
};

/* What is before the next tab; tabs after it are taken too. */
static struct slice take_field(struct slice *s)
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

static bool parse(struct slice s, struct goname *to)
{
    struct slice offset, line;
    if (s.n < 2 || s.s[0] != '#' || s.s[1] != '\t')
        return false;
    s = slice_trim_left(slice_from(s, 1));
    struct slice address = take_field(&s);
    if (!slice_take_0xhex(&address, &to->address) || address.n)
        return false;
    to->function = take_field(&s);
    to->file = slice_trim(s);
    return split_last(&to->function, '+', &offset) && to->function.n &&
           split_last(&to->file, ':', &line) && slice_is_decimal(line) &&
           slice_take_int(&line, &to->line);
}

bool gonames_line(struct gonames *names, struct slice comment, struct err *err)
{
    struct goname name = {.nth = names->v.n};
    if (!parse(comment, &name))
        return true;
    return vec_push(&names->v, name) || err_nomem(err);
}

static int by_address(const void *a, const void *b)
{
    const struct goname *x = a, *y = b;
    if (x->address != y->address)
        return x->address > y->address ? 1 : -1;
    return (x->nth > y->nth) - (x->nth < y->nth);
}

static bool equal(struct slice a, struct slice b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.s, b.s, a.n) == 0);
}

/*
 * How many of the n names, which have one address, are the frames of one
 * call: those that follow each other in the text until the first is there
 * again, as it is where a function calls itself.
 */
static size_t chain(const struct goname *first, size_t n)
{
    size_t k = 1;
    while (k < n && first[k].nth == first->nth + k &&
           !(first[k].line == first->line &&
             equal(first[k].function, first->function)))
        k++;
    return k;
}

static bool add_line(struct profile *p, const struct goname *name,
                     struct err *err)
{
    struct prof_function f = {0};
    struct prof_line line = {.line = name->line};
    if (!prof_strn(p, name->function.s, name->function.n, &f.name, err) ||
        !prof_strn(p, name->file.s, name->file.n, &f.filename, err))
        return false;
    f.system_name = f.name;
    return prof_add_function(p, &f, &line.function, err) &&
           prof_push_line(p, &line, err);
}

static bool name_location(struct profile *p, struct prof_location *loc,
                          const struct goname *first, size_t n, struct err *err)
{
    loc->line_off = (uint32_t)p->n_lines;
    loc->n_lines = (uint32_t)n;
    for (size_t i = 0; i < n; i++)
        if (!add_line(p, &first[i], err))
            return false;
    if (loc->mapping != PROF_NONE) {
        struct prof_mapping *m = &p->mappings[loc->mapping];
        m->has_functions = m->has_filenames = m->has_line_numbers = true;
        m->has_inline_frames |= n > 1;
    }
    return true;
}

/* The first of the sorted names with this address; n if there is none. */
static size_t find(const struct goname *v, size_t n, uint64_t address)
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
    const struct goname name = {.function = {goexit, sizeof goexit - 1},
                                .file = {goexit, 0}};
    for (size_t s = 0; s < p->n_samples; s++) {
        const uint32_t *stack = prof_stack(p, s);
        size_t n = prof_depth(p, s);
        struct prof_location *root = n ? &p->locations[stack[n - 1]] : NULL;
        if (root && !root->n_lines && has_named(p, stack, n) &&
            !name_location(p, root, &name, 1, err))
            return false;
    }
    return true;
}

bool gonames_apply(struct gonames *names, struct profile *p, struct err *err)
{
    const struct goname *v = names->v.v;
    size_t n = names->v.n;
    if (!n)
        return true;
    qsort(names->v.v, n, sizeof *v, by_address);
    for (size_t l = 0; l < p->n_locations; l++) {
        struct prof_location *loc = &p->locations[l];
        size_t first = find(v, n, loc->address), end = first;
        while (end < n && v[end].address == loc->address)
            end++;
        if (first < n && !name_location(p, loc, &v[first],
                                        chain(&v[first], end - first), err))
            return false;
    }
    return name_roots(p, err);
}

void gonames_free(struct gonames *names)
{
    vec_free(&names->v);
}
