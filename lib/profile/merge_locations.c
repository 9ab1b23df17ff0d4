/*
 * Locations of an input in those of the sum.
 *
 * They go in groups, of those that one stack needs: all of a group are
 * translated and hashed, then what their lookups will read is asked for step
 * by step, and by the time it is compared it is there.
 */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "profile/merger.h"

enum { GROUP = 32 };

static bool same_lines(const struct prof_line *a, const struct prof_line *b,
                       size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i].function != b[i].function || a[i].line != b[i].line ||
            a[i].column != b[i].column)
            return false;
    return true;
}

/* A location on its way into the sum. */
struct wanted {
    uint32_t from;      /* index in the input */
    uint32_t candidate; /* location of the sum that may be it */
    uint32_t hash;
    size_t lines;             /* its first one in in->lines */
    struct prof_location key; /* of the sum; its lines are not there yet */
};

static uint32_t location_hash(const struct prof_location *l,
                              const struct prof_line *lines)
{
    uint64_t h = (uint64_t)l->mapping << 1 | l->is_folded;
    for (size_t i = 0; i < l->n_lines || !i; i++) {
        struct prof_line none = {.function = PROF_NONE};
        const struct prof_line *line = l->n_lines ? &lines[i] : &none;
        uint64_t words[4] = {l->address, line->function, (uint64_t)line->line,
                             (uint64_t)line->column};
        h = XXH3_64bits_withSeed(words, sizeof words, h);
    }
    return (uint32_t)(h ^ h >> 32);
}

/* The location of the sum that is wanted, added if new. */
static bool find_location(struct merger *m, const struct wanted *w,
                          const struct prof_line *lines, uint32_t *index,
                          struct err *err)
{
    const struct prof_location *l = &w->key;
    if (!hashidx_room(&m->location_index))
        return err_nomem(err);
    size_t at = hashidx_start(&m->location_index, w->hash);
    while ((*index = hashidx_next(&m->location_index, w->hash, &at)) !=
           HASHIDX_NONE) {
        const struct prof_location *k = &m->sum.locations[*index];
        if (k->address == l->address && k->mapping == l->mapping &&
            k->is_folded == l->is_folded && k->n_lines == l->n_lines &&
            same_lines(m->sum.lines + k->line_off, lines, l->n_lines))
            return true;
    }
    struct prof_location plain = *l;
    plain.mapping = PROF_NONE; /* the sum's mappings are not its own */
    if (!prof_add_location(&m->sum, &plain, lines, l->n_lines, index, err))
        return false;
    m->sum.locations[*index].mapping = l->mapping;
    hashidx_put(&m->location_index, at, w->hash, *index);
    return true;
}

static const struct prof_line *lines_of(const struct merge_input *in,
                                        const struct wanted *w)
{
    return w->key.n_lines ? in->lines.v + w->lines : NULL;
}

/* Location i of the input as the sum would have it. */
static bool want(struct merger *m, struct merge_input *in, uint32_t i,
                 struct wanted *w, struct err *err)
{
    const struct profile *p = in->p;
    const struct prof_location *from = &p->locations[i];
    w->from = i;
    w->lines = in->lines.n;
    w->key = (struct prof_location){.address = from->address,
                                    .is_folded = from->is_folded,
                                    .n_lines = from->n_lines};
    if (!merge_use_mapping(m, in, from->mapping, &w->key.mapping, err))
        return false;
    if (!in->from && from->mapping != PROF_NONE)
        w->key.address -= p->mappings[from->mapping].start;
    for (size_t k = 0; k < from->n_lines; k++) {
        struct prof_line line = p->lines[from->line_off + k];
        if (!merge_function(m, in, line.function, &line.function, err))
            return false;
        if (!vec_push(&in->lines, line))
            return err_nomem(err);
    }
    w->hash = location_hash(&w->key, lines_of(in, w));
    hashidx_prefetch(&m->location_index, w->hash);
    return true;
}

/* Finds what is wanted of a group. */
static bool find_group(struct merger *m, struct merge_input *in,
                       struct wanted *group, size_t n, struct err *err)
{
    const struct profile *sum = &m->sum;
    for (size_t i = 0; i < n; i++) {
        uint32_t c = hashidx_peek(&m->location_index, group[i].hash);
        group[i].candidate = c;
        if (c != HASHIDX_NONE)
            __builtin_prefetch(&sum->locations[c]);
    }
    for (size_t i = 0; i < n; i++)
        if (group[i].candidate != HASHIDX_NONE && group[i].key.n_lines)
            __builtin_prefetch(
                &sum->lines[sum->locations[group[i].candidate].line_off]);
    for (size_t i = 0; i < n; i++)
        if (!find_location(m, &group[i], lines_of(in, &group[i]),
                           &in->locations[group[i].from], err))
            return false;
    return true;
}

bool merge_locations(struct merger *m, struct merge_input *in,
                     const uint32_t *stack, size_t depth, struct err *err)
{
    struct wanted group[GROUP];
    for (size_t i = 0; i < depth;) {
        size_t n = 0;
        in->lines.n = 0;
        for (; i < depth && n < GROUP; i++)
            if (in->locations[stack[i]] == PROF_NONE &&
                !want(m, in, stack[i], &group[n++], err))
                return false;
        if (!find_group(m, in, group, n, err))
            return false;
    }
    return true;
}
