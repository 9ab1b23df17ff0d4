/* lines.c - counts the samples at each line of each function; see private.h */
#include <stdlib.h>
#include <string.h>

#include "base/slice.h"
#include "base/utf8.h"
#include "pgo/private.h"

enum { MAX_INLINED = 1000 };

struct reader {
    const struct profile *p;
    struct pgo_lines *lines;
    size_t type;
    int64_t all, used; /* values of samples */
    uint32_t unusable; /* a function that has no start line, or PROF_NONE */
};

/* The number of samples, or else what reports show by default: compilers
 * compare counts with each other only. */
static bool pick_type(const struct profile *p, size_t *type,
                      struct prof_err *err)
{
    const size_t n = prof_count(p).types;
    for (*type = 0; *type < n; ++*type) {
        const struct prof_value_type vt = prof_get_type(p, *type);
        const struct prof_slice name = prof_get_string(p, vt.type);
        if (slice_is(prof_get_string(p, vt.unit), "count") &&
            (slice_is(name, "samples") || slice_ends_with(name, "_sample")))
            return true;
    }
    return prof_pick_type(p, NULL, type, err);
}

/* The name that the compiler gave the symbol, without what it appended to parts
 * and copies of a function, which it finds by the name of the source. */
static struct prof_slice linkage_name(const struct profile *p,
                                      const struct prof_function *f)
{
    const struct prof_slice system = prof_get_string(p, f->system_name);
    const struct prof_slice name =
        system.n ? system : prof_get_string(p, f->name);
    return slice_to(name, prof_base_length(name));
}

/* What a name may not be in a line of text whose parts are told apart by their
 * first characters and by colons. */
static bool is_usable(struct prof_slice name)
{
    static const char not_first[] = " \t!#[0123456789";
    return name.n && !memchr(not_first, name.s[0], sizeof not_first - 1) &&
           slice_is_text(name) && !memchr(name.s, '\n', name.n);
}

/* Whether there are lines, and all are known with function and start line. */
static bool has_places(struct reader *r, const struct prof_line *line, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        if (line[k].function == PROF_NONE || !line[k].line)
            return false;
        const struct prof_function f =
            prof_get_function(r->p, line[k].function);
        if (!is_usable(linkage_name(r->p, &f)))
            return false;
        if (!f.start_line) {
            r->unusable = f.name;
            return false;
        }
    }
    return n > 0;
}

/* The instance of the function in *instance, at that offset of it. */
static bool descend(struct pgo_lines *lines, struct prof_slice name,
                    uint32_t offset, uint32_t *instance, struct prof_err *err)
{
    struct pgo_instance in = {.parent = *instance, .offset = offset};
    bool is_new;
    if (!map_add(&lines->name_rows, name.s, name.n, &in.name, &is_new) ||
        (is_new && !vec_push(&lines->names, name)))
        return err_nomem(err);
    const uint32_t key[] = {in.parent, in.offset, in.name};
    if (!map_add(&lines->instance_rows, key, sizeof key, instance, &is_new) ||
        (is_new && !vec_push(&lines->instances, in)))
        return err_nomem(err);
    return true;
}

static bool count_place(struct pgo_lines *lines, uint32_t instance,
                        uint32_t offset, int64_t value, struct prof_err *err)
{
    const uint32_t key[] = {instance, offset};
    uint32_t row;
    bool is_new;
    const struct pgo_place place = {instance, offset, 0};
    if (!map_add(&lines->place_rows, key, sizeof key, &row, &is_new) ||
        (is_new && !vec_push(&lines->places, place)))
        return err_nomem(err);
    lines->places.v[row].count += (uint64_t)value;
    return true;
}

static bool add_sample(struct reader *r, size_t i, struct prof_err *err)
{
    const struct prof_sample s = prof_get_sample(r->p, i);
    const int64_t value = s.values[r->type];
    if (!pgo_check_value(i, value, err))
        return false;
    if (!value || !s.n_frames)
        return true;
    if (__builtin_add_overflow(r->all, value, &r->all))
        return err_set(err, PROF_ERR_INPUT,
                       "the values of all samples exceed 64 bits");
    size_t n;
    const struct prof_line *line = prof_get_lines(r->p, s.frames[0], &n);
    if (n > MAX_INLINED)
        return err_set(err, PROF_ERR_INPUT,
                       "sample %zu: %zu calls are inlined in each other; at "
                       "most %d are supported",
                       i, n, MAX_INLINED);
    if (!has_places(r, line, n))
        return true; /* a part would be counted for the wrong function */
    r->used += value;
    uint32_t instance = PROF_NONE, offset = 0;
    for (size_t k = n; k-- > 0;) {
        const struct prof_function f =
            prof_get_function(r->p, line[k].function);
        if (!descend(r->lines, linkage_name(r->p, &f), offset, &instance, err))
            return false;
        offset = ((uint64_t)line[k].line - (uint64_t)f.start_line) & 0xffff;
    }
    return count_place(r->lines, instance, offset, value, err);
}

static bool nothing_usable(const struct reader *r, struct prof_err *err)
{
    struct buf name = {0};
    if (r->unusable == PROF_NONE)
        return err_set(err, PROF_ERR_INPUT,
                       "no sample has a function with a line: add them by "
                       "pbsym");
    const struct prof_slice s = prof_get_string(r->p, r->unusable);
    if (!utf8_put_line(&name, s.s, s.n) || !buf_putc(&name, '\0'))
        err_nomem(err);
    else
        err_set(err, PROF_ERR_INPUT,
                "no function has a start line, from which compilers count "
                "lines ('%s' has none): add them by 'pbsym --force -e BINARY'",
                (const char *)name.v);
    buf_free(&name);
    return false;
}

/* --- sorting --- */

static int compare_places(const void *a, const void *b)
{
    const struct pgo_place *x = a, *y = b;
    if (x->instance != y->instance)
        return x->instance < y->instance ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

struct sorted {
    struct pgo_instance in;
    struct prof_slice name;
    uint32_t row;
};

static int compare_instances(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;
    /* PROF_NONE + 1 is 0, before all others. */
    const uint32_t px = x->in.parent + 1, py = y->in.parent + 1;
    if (px != py)
        return px < py ? -1 : 1;
    if (!px && x->in.total != y->in.total)
        return x->in.total > y->in.total ? -1 : 1;
    if (x->in.offset != y->in.offset)
        return x->in.offset < y->in.offset ? -1 : 1;
    return pgo_compare_names(x->name, y->name);
}

static bool sort_instances(struct pgo_lines *lines, struct prof_err *err)
{
    const size_t n = lines->instances.n;
    struct pgo_instance *instances = lines->instances.v;
    struct sorted *v = mem_array(n ? n : 1, sizeof *v);
    lines->children = mem_array(n ? n : 1, sizeof *lines->children);
    if (!v || !lines->children) {
        free(v);
        return err_nomem(err);
    }
    for (uint32_t i = 0; i < n; i++)
        v[i] =
            (struct sorted){instances[i], lines->names.v[instances[i].name], i};
    qsort(v, n, sizeof *v, compare_instances);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t parent = v[i].in.parent;
        lines->children[i] = v[i].row;
        if (parent == PROF_NONE)
            lines->n_roots++;
        else if (!instances[parent].n_children++)
            instances[parent].first_child = i;
    }
    free(v);
    return true;
}

/* Totals, and what each instance has in sorted arrays. */
static bool finish(struct pgo_lines *lines, struct prof_err *err)
{
    struct pgo_instance *instances = lines->instances.v;
    if (lines->places.n)
        qsort(lines->places.v, lines->places.n, sizeof *lines->places.v,
              compare_places);
    for (uint32_t i = 0; i < lines->places.n; i++) {
        const struct pgo_place *place = &lines->places.v[i];
        struct pgo_instance *in = &instances[place->instance];
        in->total += place->count;
        if (!in->n_places++)
            in->first_place = i;
    }
    for (size_t i = lines->instances.n; i-- > 0;)
        if (instances[i].parent != PROF_NONE)
            instances[instances[i].parent].total += instances[i].total;
    return sort_instances(lines, err);
}

bool pgo_lines_read(const struct profile *p, const struct prof_notes *notes,
                    struct pgo_lines *lines, struct prof_err *err)
{
    struct reader r = {.p = p, .lines = lines, .unusable = PROF_NONE};
    if (!pick_type(p, &r.type, err))
        return false;
    const size_t n = prof_count(p).samples;
    for (size_t i = 0; i < n; i++)
        if (!add_sample(&r, i, err))
            return false;
    if (!r.used)
        return nothing_usable(&r, err);
    if (r.used < r.all)
        note_info(notes,
                  "%.2f%% of the samples skipped: their functions have "
                  "no name, line or start line",
                  100 - 100.0 * (double)r.used / (double)r.all);
    return finish(lines, err);
}

void pgo_lines_free(struct pgo_lines *lines)
{
    vec_free(&lines->names);
    vec_free(&lines->instances);
    vec_free(&lines->places);
    free(lines->children);
    map_free(&lines->name_rows);
    map_free(&lines->instance_rows);
    map_free(&lines->place_rows);
}

/* --- walking --- */

static bool push_children(struct pgo_walk *walk, uint32_t first, uint32_t n,
                          unsigned depth)
{
    while (n-- > 0) {
        const struct pgo_waiting next = {walk->lines->children[first + n],
                                         depth};
        if (!vec_push(&walk->stack, next))
            return false;
    }
    return true;
}

bool pgo_walk_begin(struct pgo_walk *walk, const struct pgo_lines *lines)
{
    walk->lines = lines;
    return push_children(walk, 0, lines->n_roots, 1);
}

bool pgo_walk_next(struct pgo_walk *walk, const struct pgo_instance **in)
{
    *in = NULL;
    if (!walk->stack.n)
        return true;
    const struct pgo_waiting next = walk->stack.v[--walk->stack.n];
    *in = &walk->lines->instances.v[next.instance];
    walk->depth = next.depth;
    return push_children(walk, (*in)->first_child, (*in)->n_children,
                         next.depth + 1);
}

void pgo_walk_end(struct pgo_walk *walk)
{
    vec_free(&walk->stack);
}

uint64_t pgo_head_count(const struct pgo_lines *lines,
                        const struct pgo_instance *in)
{
    return in->n_places ? lines->places.v[in->first_place].count : 0;
}
