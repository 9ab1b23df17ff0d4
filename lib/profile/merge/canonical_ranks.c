/* canonical_ranks.c - the order of strings, entities and samples, by content */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/system.h"
#include "profile/columns.h"
#include "profile/merge/private.h"

/* --- strings: once they are in order ids are ranks ------------------------ */

/* Calls fn on every string reference of the sum. */
static void each_string(struct canon *c, prof_string_fn *fn, uint32_t *map)
{
    (void)prof_visit_strings(c->p, fn, map);
    for (size_t i = 0; i < c->s->mappings.n; i++) {
        struct merge_mapping *k = &c->s->mappings.v[i];
        (void)fn(map, PROF_MAPPING_FILE, i, &k->name);
        (void)fn(map, PROF_MAPPING_FILE, i, &k->used.filename);
        (void)fn(map, PROF_BUILD_ID, i, &k->used.build_id);
        (void)fn(map, PROF_MAPPING_FILE, i, &k->first.filename);
        (void)fn(map, PROF_BUILD_ID, i, &k->first.build_id);
    }
}

static bool mark_used(void *map, enum prof_string_kind kind, size_t index,
                      uint32_t *id)
{
    (void)kind;
    (void)index;
    ((uint32_t *)map)[*id] = 1;
    return true;
}

static bool renumber(void *map, enum prof_string_kind kind, size_t index,
                     uint32_t *id)
{
    (void)kind;
    (void)index;
    *id = ((const uint32_t *)map)[*id];
    return true;
}

bool canon_strings(struct canon *c, struct prof_err *err)
{
    struct strtab *t = &c->p->strings;
    uint32_t *map = mem_zarray(t->n, sizeof *map);
    uint32_t *ids = mem_array(t->n, sizeof *ids);
    uint32_t n = 0;
    bool ok = map && ids;
    if (ok) {
        each_string(c, mark_used, map);
        map[0] = 1; /* "" is always present, and first */
    }
    for (uint32_t id = 0; ok && id < t->n; id++)
        if (map[id])
            ids[n++] = id;
    ok = ok && strtab_sort(t, ids, n, c->threads);
    for (uint32_t i = 0; ok && i < n; i++)
        map[ids[i]] = i;
    ok = ok && strtab_select(t, ids, n);
    if (ok)
        each_string(c, renumber, map);
    free(map);
    free(ids);
    return ok || err_nomem(err);
}

/* --- ranks ---------------------------------------------------------------- */

/* Maps signed numbers to unsigned ones that have the same order. */
static uint64_t biased(int64_t v)
{
    return (uint64_t)v ^ (uint64_t)1 << 63;
}

/*
 * Sets *part to the part at `depth` of the sort key of entity i.  Returns
 * whether more parts may follow.
 */
typedef bool part_fn(const struct canon *c, uint32_t i, size_t depth,
                     uint64_t *part);

struct keys {
    const struct canon *c;
    part_fn *part;
};

static bool next_part(const void *ctx, struct radix_item *v, size_t n,
                      size_t *depth)
{
    const struct keys *k = ctx;
    uint64_t differ = 0;
    bool more = true;
    while (more && !differ) {
        more = false;
        for (size_t i = 0; i < n; i++) {
            more |= k->part(k->c, v[i].id, *depth, &v[i].key);
            differ |= v[i].key ^ v[0].key;
        }
        ++*depth;
    }
    return differ != 0;
}

/* Sorts entities 0 .. n - 1 and sets (*rank_of)[i] to the rank of i. */
static bool rank(const struct canon *c, part_fn *part, size_t n,
                 uint32_t **rank_of, struct prof_err *err)
{
    struct keys keys = {c, part};
    struct longkey k = {next_part, NULL, &keys, c->threads};
    struct radix_item *v = mem_array(n, sizeof *v);
    struct radix_item *spare = mem_array(n, sizeof *spare);
    bool equal, ok = v && spare && (*rank_of = mem_array(n, sizeof **rank_of));
    for (size_t i = 0; ok && i < n; i++)
        v[i].id = (uint32_t)i;
    ok = ok && longkey_sort(&k, v, spare, n, &equal);
    for (size_t i = 0; ok && i < n; i++)
        (*rank_of)[v[i].id] = (uint32_t)i;
    free(v);
    free(spare);
    return ok || err_nomem(err);
}

/* --- mappings, functions, locations ------------------------------------- */

static int by_mapping(const void *a, const void *b, void *ctx)
{
    const struct canon *c = ctx;
    uint32_t i, j;
    memcpy(&i, a, sizeof i);
    memcpy(&j, b, sizeof j);
    if (i == c->s->first_mapping || j == c->s->first_mapping)
        return (i != c->s->first_mapping) - (j != c->s->first_mapping);
    return merge_mapping_cmp(c->s, i, j);
}

/* Sort key: names, file name, start line. */
static bool function_part(const struct canon *c, uint32_t i, size_t depth,
                          uint64_t *part)
{
    const struct prof_function *f = &c->p->functions[i];
    *part = depth == 0   ? (uint64_t)f->name << 32 | f->system_name
            : depth == 1 ? f->filename
                         : biased(f->start_line);
    return depth < 2;
}

/*
 * Returns a part of the sort key of a line: function, line, column.  A line
 * without a function precedes those that have one.
 */
static uint64_t line_part(const struct canon *c, const struct prof_line *l,
                          size_t depth)
{
    if (depth == 0)
        return l->function == PROF_NONE
                   ? 1
                   : (uint64_t)c->function_rank[l->function] + 2;
    return biased(depth == 1 ? l->line : l->column);
}

/* Sort key: mapping and side (none comes first), address, lines, is_folded. */
static bool location_part(const struct canon *c, uint32_t i, size_t depth,
                          uint64_t *part)
{
    const struct prof_location *l = &c->p->locations[i];
    size_t end = 2 + 3 * (size_t)l->n_lines;
    if (depth == 0) {
        *part = l->mapping == PROF_NONE
                    ? 0
                    : merge_ref(c->mapping_rank[merge_ref_mapping(l->mapping)],
                                merge_ref_side(l->mapping)) +
                          (uint64_t)1;
    } else if (depth == 1) {
        *part = l->address;
    } else if (depth < end) {
        const struct prof_line *first = &c->p->lines[l->line_off];
        *part = line_part(c, first + (depth - 2) / 3, (depth - 2) % 3);
    } else {
        *part = depth > end && l->is_folded;
    }
    return depth <= end;
}

/* --- label sets ---------------------------------------------------------- */

/*
 * Sort key: key, string, number and unit of each label.  A set that ends
 * precedes one that continues.
 */
static bool set_part(const struct canon *c, uint32_t i, size_t depth,
                     uint64_t *part)
{
    const struct profile *p = c->p;
    uint64_t at = p->labelset_off[i] + depth / 4;
    *part = 0;
    if (at >= p->labelset_off[i + 1])
        return false;
    const struct prof_label *l = &p->labels[at];
    switch (depth % 4) {
    case 0:
        *part = (uint64_t)l->key + 1;
        break;
    case 1:
        *part = l->str;
        break;
    case 2:
        *part = biased(l->num);
        break;
    default:
        *part = l->unit;
    }
    return true;
}

bool canon_ranks(struct canon *c, struct prof_err *err)
{
    const struct profile *p = c->p;
    /* Rank mappings; the main binary comes first. */
    size_t n = c->s->mappings.n;
    c->by_mapping = mem_array(n, sizeof *c->by_mapping);
    c->mapping_rank = mem_array(n, sizeof *c->mapping_rank);
    if (!c->by_mapping || !c->mapping_rank)
        return err_nomem(err);
    for (size_t i = 0; i < n; i++)
        c->by_mapping[i] = (uint32_t)i;
    system_sort(c->by_mapping, n, sizeof *c->by_mapping, by_mapping, c);
    for (size_t i = 0; i < n; i++)
        c->mapping_rank[c->by_mapping[i]] = (uint32_t)i;

    /* Rank entities after those that they refer to. */
    return rank(c, function_part, p->n_functions, &c->function_rank, err) &&
           rank(c, location_part, p->n_locations, &c->location_rank, err) &&
           prof_sort_labels(c->p, err) &&
           rank(c, set_part, p->n_labelsets, &c->labelset_rank, err);
}

bool canon_sort(const struct canon *c, struct sample_list *list,
                struct prof_err *err)
{
    const struct profile *p = c->p;
    struct sample_order o = {
        .frame_off = p->frame_off,
        .frames = p->frames,
        .shared = p->shared,
        .rank = c->location_rank,
        .labelset = p->labelset,
        .set_rank = c->labelset_rank,
        .n_ranks = (uint32_t)(p->n_locations > p->n_labelsets ? p->n_locations
                                                              : p->n_labelsets),
        .threads = c->threads,
    };
    return sample_order_sort(&o, list, err);
}
