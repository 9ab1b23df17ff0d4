/* Mappings: their ranges and names. */
#include <inttypes.h>
#include <stdlib.h>

#include "check/examiner.h"

static struct doctor_place place_of_mapping(const struct examiner *x, size_t i)
{
    const struct loose_mapping *m = &x->m.mappings.v[i];
    return place_of(ENTITY_MAPPING, i, m->id, m->offset);
}

static void look_at(struct examiner *x, size_t i)
{
    const struct loose_mapping *m = &x->m.mappings.v[i];
    const struct doctor_place p = place_of_mapping(x, i);
    uint32_t filename = examiner_string(x, m->filename, &p, "filename");
    uint32_t build_id = examiner_string(x, m->build_id, &p, "build_id");
    if (m->start >= m->limit && (m->start || m->limit))
        examiner_found(x, RULE_MAPPING_RANGE, &p,
                       "memory_start is 0x%" PRIx64
                       ", and memory_limit 0x%" PRIx64,
                       m->start, m->limit);
    if (!filename && !build_id && !examiner_is_lost(x, m->filename) &&
        !examiner_is_lost(x, m->build_id))
        examiner_found(x, RULE_MAPPING_ANONYMOUS, &p,
                       "has neither a file name nor a build id");
}

/* pprof has such a one for addresses that are in no mapping. */
static bool is_everywhere(const struct loose_mapping *m)
{
    return !m->start && m->limit == UINT64_MAX && !m->filename && !m->build_id;
}

struct range {
    uint64_t start, limit;
    size_t index;
};

static int by_start(const void *a, const void *b)
{
    const struct range *r = a, *s = b;
    if (r->start != s->start)
        return r->start < s->start ? -1 : 1;
    return r->index < s->index ? -1 : r->index > s->index;
}

/* Each against what reaches farthest of those that start before it. */
static void compare(struct examiner *x, const struct range *r, size_t n)
{
    size_t far = 0;
    for (size_t i = 1; i < n; i++) {
        if (r[i].start < r[far].limit) {
            const struct doctor_place p = place_of_mapping(x, r[i].index);
            examiner_found(
                x, RULE_OVERLAPPING_MAPPINGS, &p,
                "0x%" PRIx64 "-0x%" PRIx64 " overlaps mapping %zu (id %" PRIu64
                "), 0x%" PRIx64 "-0x%" PRIx64,
                r[i].start, r[i].limit, r[far].index,
                x->m.mappings.v[r[far].index].id, r[far].start, r[far].limit);
        }
        if (r[i].limit > r[far].limit)
            far = i;
    }
}

bool examine_mappings(struct examiner *x)
{
    size_t n = x->m.mappings.n, k = 0;
    const struct entities all =
        ENTITIES(ENTITY_MAPPING, struct loose_mapping, x->m.mappings);
    if (!examine_ids(x, &all, &x->mapping_of, &x->mapping_used))
        return false;
    struct range *r = mem_array(n + 1, sizeof *r);
    if (!r)
        return examiner_nomem(x);
    for (size_t i = 0; i < n; i++) {
        const struct loose_mapping *m = &x->m.mappings.v[i];
        look_at(x, i);
        if (m->start < m->limit && !is_everywhere(m))
            r[k++] = (struct range){m->start, m->limit, i};
    }
    qsort(r, k, sizeof *r, by_start);
    compare(x, r, k);
    free(r);
    return !x->failed;
}
