/*
 * Locations of an input in those of the sum.
 *
 * They go in groups: all of a group are translated and hashed, which asks for
 * the place where each will be looked for, and by the time it is looked at it
 * is there.
 */
#include "base/hash.h"
#include "profile/merge/merger.h"

enum { GROUP = 16 };

/* A location on its way into the sum. */
struct wanted {
    uint32_t hash;
    size_t lines;             /* its first one in in->lines */
    struct prof_location key; /* of the sum; its lines are not there yet */
};

static bool same_lines(const struct prof_line *a, const struct prof_line *b,
                       size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i].function != b[i].function || a[i].line != b[i].line ||
            a[i].column != b[i].column)
            return false;
    return true;
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
            (!l->n_lines ||
             same_lines(m->sum.lines + k->line_off, lines, l->n_lines)))
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

/* The lines as the sum has them, behind those in in->lines; room is there. */
static uint64_t want_lines(struct merge_input *in, uint64_t seed,
                           const struct prof_location *from, uint64_t hash)
{
    for (size_t k = 0; k < from->n_lines; k++) {
        struct prof_line line = in->p->lines[from->line_off + k];
        if (line.function != PROF_NONE)
            line.function = in->functions.v[line.function];
        in->lines.v[in->lines.n++] = line;
        hash = mix_pair(seed, hash, (uint64_t)line.line);
        hash = mix_pair(seed, hash ^ line.function, (uint64_t)line.column);
    }
    return hash;
}

/* A location of the input as the sum would have it. */
static void want(struct merge_input *in, uint64_t seed,
                 const struct prof_location *from, struct wanted *w)
{
    w->lines = in->lines.n;
    w->key = (struct prof_location){.address = from->address,
                                    .mapping = PROF_NONE,
                                    .is_folded = from->is_folded,
                                    .n_lines = from->n_lines};
    if (from->mapping != PROF_NONE) {
        size_t ref = in->from ? from->mapping : merge_ref_of(in->p, from);
        enum merge_side side = merge_ref_side(ref);
        uint32_t mapping = in->mappings.v[merge_ref_mapping(ref)];
        w->key.mapping = (uint32_t)merge_ref(mapping, side);
        if (!in->from && side == MERGE_ABOVE)
            w->key.address -= in->p->mappings[from->mapping].start;
    }
    uint64_t hash = mix_pair(seed, w->key.address,
                             (uint64_t)w->key.mapping << 1 | w->key.is_folded);
    w->hash = mix_fold(want_lines(in, seed, from, hash));
}

static bool lines_room(struct merge_input *in, size_t first, size_t n,
                       struct err *err)
{
    size_t lines = 0;
    in->lines.n = 0;
    for (size_t k = 0; k < n; k++)
        lines += in->p->locations[first + k].n_lines;
    return vec_reserve(&in->lines, lines + 1) || err_nomem(err);
}

/* The mapping has this location, which no sample has been seen to have. */
static void note_location(struct merge_input *in, const struct prof_location *l)
{
    if (in->from || l->mapping == PROF_NONE)
        return;
    uint8_t *use = &in->use.v[merge_ref_of(in->p, l)];
    if (*use != MERGE_NO_LOCATION)
        return;
    *use = MERGE_NOT_USED;
    in->n_not_used++;
}

bool merge_locations(struct merger *m, struct merge_input *in, struct err *err)
{
    const struct profile *p = in->p;
    struct wanted w[GROUP];
    for (size_t i = in->locations.n, n; i < p->n_locations; i += n) {
        n = p->n_locations - i < GROUP ? p->n_locations - i : GROUP;
        if (!lines_room(in, i, n, err))
            return false;
        for (size_t k = 0; k < n; k++) {
            want(in, prof_seed(&m->sum), &p->locations[i + k], &w[k]);
            note_location(in, &p->locations[i + k]);
            hashidx_prefetch(&m->location_index, w[k].hash);
        }
        for (size_t k = 0; k < n; k++) {
            uint32_t c = hashidx_peek(&m->location_index, w[k].hash);
            if (c != HASHIDX_NONE)
                __builtin_prefetch(&m->sum.locations[c]);
        }
        for (size_t k = 0; k < n; k++)
            if (!find_location(m, &w[k], in->lines.v + w[k].lines,
                               &in->locations.v[i + k], err))
                return false;
    }
    in->locations.n = p->n_locations;
    return true;
}
