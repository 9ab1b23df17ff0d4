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
    int64_t all, used, odd; /* values of samples */
    uint32_t unstarted;     /* a name without start line, or PROF_NONE */
    struct prof_slice oddly_named;
};

/* What the lines of a sample are good for. */
enum fitness { USABLE, UNPLACED, ODDLY_NAMED };

bool pgo_pick_samples(const struct profile *p, size_t *type,
                      struct prof_err *err)
{
    const size_t n = prof_count(p).types;
    for (*type = 0; *type < n; ++*type) {
        const struct prof_value_type vt = prof_get_type(p, *type);
        const struct prof_slice name = prof_get_string(p, vt.type);
        if (slice_is(prof_get_string(p, vt.unit), "count") &&
            (slice_is(name, "samples") ||
             slice_ends_with(name, PGO_SAMPLE_SUFFIX)))
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

struct prof_slice pgo_base_name(struct prof_slice path)
{
    for (size_t i = path.n; i-- > 0;)
        if (path.s[i] == '/')
            return slice_from(path, i + 1);
    return path;
}

/* What a name may not be in a line of text whose parts are told apart by their
 * first characters and by colons. */
static bool is_odd(struct prof_slice name)
{
    static const char not_first[] = " \t!#[0123456789";
    return memchr(not_first, name.s[0], sizeof not_first - 1) ||
           !slice_is_text(name) || memchr(name.s, '\n', name.n);
}

/* Whether there are lines, and all are known with function and start line. */
static enum fitness judge(struct reader *r, const struct prof_line *line,
                          size_t n)
{
    enum fitness fitness = n ? USABLE : UNPLACED;
    for (size_t k = 0; k < n && fitness == USABLE; k++) {
        if (line[k].function == PROF_NONE)
            return UNPLACED;
        const struct prof_function f =
            prof_get_function(r->p, line[k].function);
        const struct prof_slice name = linkage_name(r->p, &f);
        if (!line[k].line || !name.n) {
            fitness = UNPLACED;
        } else if (is_odd(name)) {
            fitness = ODDLY_NAMED;
            r->oddly_named = name;
        } else if (!f.start_line) {
            fitness = UNPLACED;
            r->unstarted = f.name;
        }
    }
    return fitness;
}

/* The index of a function's name, with its file if all of that name agree. */
static bool get_name(struct pgo_lines *lines, const struct profile *p,
                     const struct prof_function *f, uint32_t *row,
                     struct prof_err *err)
{
    const struct pgo_name name = {
        linkage_name(p, f), pgo_base_name(prof_get_string(p, f->filename))};
    bool is_new;
    if (!map_add(&lines->name_rows, name.name.s, name.name.n, row, &is_new) ||
        (is_new && !vec_push(&lines->names, name)))
        return err_nomem(err);
    if (!slice_same(lines->names.v[*row].file, name.file))
        lines->names.v[*row].file.n = 0;
    return true;
}

/* The instance of the function in *instance, at that offset of it. */
static bool descend(struct pgo_lines *lines, uint32_t name, uint32_t offset,
                    uint32_t *instance, struct prof_err *err)
{
    struct pgo_instance in = {
        .parent = *instance, .offset = offset, .name = name, .depth = 1};
    bool is_new;
    if (in.parent != PROF_NONE)
        in.depth = lines->instances.v[in.parent].depth + 1;
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
    if (!pgo_add_value(&r->all, i, value, err))
        return false;
    if (!value || !s.n_frames)
        return true;
    size_t n;
    const struct prof_line *line = prof_get_lines(r->p, s.frames[0], &n);
    if (n > MAX_INLINED)
        return err_set(err, PROF_ERR_INPUT,
                       "sample %zu: %zu calls are inlined in each other; at "
                       "most %d are supported",
                       i, n, MAX_INLINED);
    /* A part of the lines would be counted for the wrong function. */
    const enum fitness fitness = judge(r, line, n);
    if (fitness == ODDLY_NAMED)
        r->odd += value;
    if (fitness != USABLE)
        return true;
    r->used += value;
    uint32_t instance = PROF_NONE, offset = 0, name;
    for (size_t k = n; k-- > 0;) {
        const struct prof_function f =
            prof_get_function(r->p, line[k].function);
        if (!get_name(r->lines, r->p, &f, &name, err) ||
            !descend(r->lines, name, offset, &instance, err))
            return false;
        offset = ((uint64_t)line[k].line - (uint64_t)f.start_line) & 0xffff;
    }
    return count_place(r->lines, instance, offset, value, err);
}

/* Says what no compiler gets, and why; an error if that is all. */
static bool tell_skipped(const struct reader *r, const struct prof_notes *notes,
                         struct prof_err *err)
{
    struct buf name = {0};
    struct prof_slice s = r->oddly_named;
    const double percent = 100 / (double)(r->all ? r->all : 1);
    const int64_t unplaced = r->all - r->used - r->odd;
    if (!r->used && !r->odd && r->unstarted != PROF_NONE)
        s = prof_get_string(r->p, r->unstarted);
    if (!utf8_put_line(&name, s.s, s.n) || !buf_putc(&name, '\0')) {
        buf_free(&name);
        return err_nomem(err);
    }
    const char *shown = (const char *)name.v;
    if (r->used && unplaced)
        note_info(notes,
                  "%.2f%% of the samples skipped: their functions have "
                  "no name, line or start line",
                  percent * (double)unplaced);
    if (r->used && r->odd)
        note_info(notes,
                  "%.2f%% of the samples skipped: names such as '%s' cannot "
                  "be in a sample profile",
                  percent * (double)r->odd, shown);
    if (!r->used && r->odd)
        err_set(err, PROF_ERR_INPUT,
                "no sample can be used: names such as '%s' cannot be in a "
                "sample profile",
                shown);
    else if (!r->used && r->unstarted != PROF_NONE)
        err_set(err, PROF_ERR_INPUT,
                "no function has a start line, from which compilers count "
                "lines ('%s' has none): add them by 'pbsym --force -e BINARY'",
                shown);
    else if (!r->used)
        err_set(err, PROF_ERR_INPUT,
                "no sample has a function with a line: add them by "
                "pbsym");
    buf_free(&name);
    return r->used > 0;
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

/*
 * Puts each instance right before those that are inlined in it.  As a parent
 * precedes its children among the instances, it is also sorted before them: so
 * its place is known when they get theirs, which begin right after it.
 */
static bool sort_instances(struct pgo_lines *lines, struct prof_err *err)
{
    const size_t n = lines->instances.n;
    struct pgo_instance *instances = lines->instances.v;
    struct sorted *v = mem_array(n ? n : 1, sizeof *v);
    uint32_t *free_place = mem_array(n ? n : 1, sizeof *free_place);
    uint32_t free_root = 0;
    lines->order = mem_array(n ? n : 1, sizeof *lines->order);
    const bool ok = v && free_place && lines->order;
    for (uint32_t i = 0; ok && i < n; i++)
        v[i] = (struct sorted){instances[i],
                               lines->names.v[instances[i].name].name, i};
    if (ok)
        qsort(v, n, sizeof *v, compare_instances);
    for (size_t i = 0; ok && i < n; i++) {
        const uint32_t parent = v[i].in.parent;
        uint32_t *place =
            parent == PROF_NONE ? &free_root : &free_place[parent];
        lines->order[*place] = v[i].row;
        free_place[v[i].row] = *place + 1;
        *place += v[i].in.n_within;
    }
    free(v);
    free(free_place);
    return ok || err_nomem(err);
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
        if (!in->n_places++) {
            in->first_place = i;
            in->head = place->count;
        }
    }
    for (size_t i = lines->instances.n; i-- > 0;) {
        const uint32_t parent = instances[i].parent;
        instances[i].n_within++;
        if (parent == PROF_NONE) {
            lines->n_roots++;
        } else {
            instances[parent].total += instances[i].total;
            instances[parent].n_within += instances[i].n_within;
            instances[parent].n_children++;
        }
    }
    return sort_instances(lines, err);
}

bool pgo_lines_read(const struct profile *p, const struct prof_notes *notes,
                    struct pgo_lines *lines, struct prof_err *err)
{
    struct reader r = {.p = p, .lines = lines, .unstarted = PROF_NONE};
    if (!pgo_pick_samples(p, &r.type, err))
        return false;
    const size_t n = prof_count(p).samples;
    for (size_t i = 0; i < n; i++)
        if (!add_sample(&r, i, err))
            return false;
    return tell_skipped(&r, notes, err) && finish(lines, err);
}

void pgo_lines_free(struct pgo_lines *lines)
{
    vec_free(&lines->names);
    vec_free(&lines->instances);
    vec_free(&lines->places);
    free(lines->order);
    map_free(&lines->name_rows);
    map_free(&lines->instance_rows);
    map_free(&lines->place_rows);
}
