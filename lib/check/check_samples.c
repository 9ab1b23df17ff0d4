/* check_samples.c - checking samples: stacks, values and labels */
#include <inttypes.h>
#include <stdlib.h>

#include "base/wide.h"
#include "check/private.h"

struct samples {
    struct checker *x;
    struct wide *sums; /* by sample type */
    uint32_t *unit;    /* by string id of a key: 1 + that of its first unit */
};

static void check_stack(struct checker *x, const struct tolerant_sample *s,
                        const struct check_place *at)
{
    for (size_t i = 0; i < s->ids.n; i++) {
        if (idmap_get(&x->location_of, s->ids.v[i]) != IDMAP_NONE)
            continue;
        const struct check_place p = place_part(*at, PART_FRAME, i, at->offset);
        found(x, RULE_DANGLING_LOCATION, &p,
              "is %" PRIu64 ", which no location has", s->ids.v[i]);
    }
}

static void check_values(struct samples *g, const struct tolerant_sample *s,
                         const struct check_place *at)
{
    struct checker *x = g->x;
    size_t n = x->m.types.n;
    if (n && s->values.n != n)
        found(x, RULE_VALUE_COUNT, at, "has %zu value%s, not %zu", s->values.n,
              s->values.n == 1 ? "" : "s", n);
    for (size_t i = 0; i < s->values.n; i++) {
        int64_t v = s->values.v[i];
        const struct check_place p = place_part(*at, PART_VALUE, i, at->offset);
        if (v == INT64_MIN || v == INT64_MAX)
            found(x, RULE_EXTREME_VALUE, &p, "is %" PRId64, v);
        if (s->values.n == n)
            wide_add(&g->sums[i], v);
    }
}

static void check_label_unit(struct samples *g, const struct tolerant_label *l,
                             uint32_t key, uint32_t unit,
                             const struct check_place *at)
{
    char name[FINDING_QUOTE];
    if (l->str || (!l->num && !l->unit))
        return;
    if (!g->unit[key])
        g->unit[key] = unit + 1;
    else if (g->unit[key] != unit + 1)
        found(g->x, RULE_LABEL_UNITS_DIFFER, at,
              "the unit is not that of the first %s",
              key ? finding_quote(g->x, l->key, name) : "\"\"");
}

static void check_label(struct samples *g, const struct tolerant_label *l,
                        const struct check_place *at)
{
    struct checker *x = g->x;
    uint32_t key = checker_string(x, l->key, at, "key");
    uint32_t unit = checker_string(x, l->unit, at, "num_unit");
    (void)checker_string(x, l->str, at, "str");
    if (!key && !checker_is_lost(x, l->key))
        found(x, RULE_LABEL_KEY_EMPTY, at, "has no key");
    if (l->str && l->num)
        found(x, RULE_LABEL_BOTH, at, "has a text and a number");
    check_label_unit(g, l, key, unit, at);
}

static void check_sample(struct samples *g, const struct tolerant_sample *s)
{
    const struct check_place at =
        place_of(ENTITY_SAMPLE, s->index, 0, s->offset);
    check_stack(g->x, s, &at);
    check_values(g, s, &at);
    for (size_t i = 0; i < s->labels.n; i++) {
        const struct tolerant_label *l = &s->labels.v[i];
        const struct check_place p = place_part(at, PART_LABEL, i, l->offset);
        check_label(g, l, &p);
    }
}

static void check_sums(struct samples *g)
{
    struct checker *x = g->x;
    int64_t sum;
    for (size_t i = 0; i < x->m.types.n; i++) {
        const struct check_place p =
            place_of(ENTITY_SAMPLE_TYPE, i, 0, x->m.types.v[i].offset);
        if (!wide_fits(g->sums[i], &sum))
            found(x, RULE_SUM_OVERFLOW, &p,
                  "the sum of its values does not fit 64 bits");
    }
}

static bool check_each(struct samples *g)
{
    struct checker *x = g->x;
    const struct tolerant_faults faults = finding_faults(x);
    struct tolerant_sample s = {0};
    int got = 0;
    while (!x->failed &&
           (got = tolerant_next_sample(&x->m, &s, &faults, x->err)) > 0)
        check_sample(g, &s);
    if (got < 0)
        x->failed = true;
    tolerant_sample_free(&s);
    return !x->failed;
}

bool check_samples(struct checker *x)
{
    struct samples g = {.x = x};
    g.sums = mem_zarray(x->m.types.n + 1, sizeof *g.sums);
    g.unit = mem_zarray(x->strings.n, sizeof *g.unit);
    if (!g.sums || !g.unit)
        (void)checker_nomem(x);
    else if (check_each(&g))
        check_sums(&g);
    free(g.sums);
    free(g.unit);
    return !x->failed;
}
