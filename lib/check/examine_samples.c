/* Samples: their stacks and values. */
#include <inttypes.h>
#include <stdlib.h>
#include <xxhash.h>

#include "base/sort.h"
#include "check/examiner.h"
#include "check/widesum.h"
#include "check/wire_faults.h"

struct sampling {
    struct examiner *x;
    struct label_units *units;
    struct widesum *sums; /* by sample type */
    bool is_difference;
    /* Of each sample: a hash of stack and labels, and its index. */
    VEC(struct radix_item) hashes;
};

static void look_at_stack(struct examiner *x, const struct loose_sample *s,
                          const struct doctor_place *at)
{
    if (!s->ids.n)
        examiner_found(x, RULE_SAMPLE_WITHOUT_LOCATION, at, "has no stack");
    for (size_t i = 0; i < s->ids.n; i++) {
        uint32_t index = idmap_get(&x->location_of, s->ids.v[i]);
        if (index != IDMAP_NONE) {
            x->location_used[index] = 1;
            continue;
        }
        const struct doctor_place p =
            place_part(*at, PART_FRAME, i, at->offset);
        examiner_found(x, RULE_DANGLING_LOCATION, &p,
                       "is %" PRIu64 ", which no location has", s->ids.v[i]);
    }
}

static void look_at_values(struct sampling *g, const struct loose_sample *s,
                           const struct doctor_place *at)
{
    struct examiner *x = g->x;
    size_t n = x->m.types.n;
    bool zero = true;
    if (n && s->values.n != n)
        examiner_found(x, RULE_VALUE_COUNT, at, "has %zu value%s, not %zu",
                       s->values.n, s->values.n == 1 ? "" : "s", n);
    for (size_t i = 0; i < s->values.n; i++) {
        int64_t v = s->values.v[i];
        const struct doctor_place p =
            place_part(*at, PART_VALUE, i, at->offset);
        zero = zero && !v;
        if (v < 0 && !g->is_difference)
            examiner_found(x, RULE_NEGATIVE_VALUE, &p, "is %" PRId64, v);
        if (v == INT64_MIN || v == INT64_MAX)
            examiner_found(x, RULE_EXTREME_VALUE, &p, "is %" PRId64, v);
        if (s->values.n == n)
            widesum_add(&g->sums[i], v);
    }
    if (zero && n && s->values.n == n)
        examiner_found(x, RULE_ZERO_SAMPLE, at, "has only values of 0");
}

/* The same for labels in any order. */
static uint64_t hash_of(const struct loose_sample *s)
{
    uint64_t labels = 0;
    for (size_t i = 0; i < s->labels.n; i++) {
        const struct loose_label *l = &s->labels.v[i];
        const int64_t all[] = {l->key, l->str, l->num, l->unit};
        labels += XXH3_64bits(all, sizeof all);
    }
    return XXH3_64bits_withSeed(s->ids.v, s->ids.n * sizeof *s->ids.v, labels);
}

static void look_at(struct sampling *g, const struct loose_sample *s)
{
    struct examiner *x = g->x;
    const struct doctor_place p =
        place_of(ENTITY_SAMPLE, s->index, 0, s->offset);
    look_at_stack(x, s, &p);
    look_at_values(g, s, &p);
    examine_labels(x, g->units, s);
    struct radix_item item = {.key = hash_of(s), .id = (uint32_t)s->index};
    if (!vec_push(&g->hashes, item))
        (void)examiner_nomem(x);
}

/* Samples after the first of equal ones, which sorting has side by side. */
static bool find_duplicates(struct sampling *g)
{
    struct examiner *x = g->x;
    struct radix_item *v = g->hashes.v;
    size_t n = g->hashes.n, first = 0;
    struct radix_item *spare = mem_array(n + 1, sizeof *spare);
    if (!spare)
        return examiner_nomem(x);
    if (n)
        radix_sort(v, spare, n);
    free(spare);
    for (size_t i = 1; i < n; i++) {
        if (v[i].key != v[first].key) {
            first = i;
            continue;
        }
        const struct doctor_place p =
            place_of(ENTITY_SAMPLE, v[i].id, 0, PLACE_NONE);
        examiner_found(x, RULE_DUPLICATE_SAMPLE, &p,
                       "has the stack and the labels of sample %" PRIu32,
                       v[first].id);
    }
    return !x->failed;
}

static void look_at_sums(struct sampling *g)
{
    struct examiner *x = g->x;
    for (size_t i = 0; i < x->m.types.n; i++) {
        const struct doctor_place p =
            place_of(ENTITY_SAMPLE_TYPE, i, 0, x->m.types.v[i].offset);
        if (!widesum_fits(&g->sums[i]))
            examiner_found(x, RULE_SUM_OVERFLOW, &p,
                           "the sum of its values does not fit 64 bits");
    }
}

static bool look_at_all(struct sampling *g)
{
    struct examiner *x = g->x;
    struct loose_sample s = {0};
    struct wire_faults w;
    int got = 0;
    wire_faults_init(&w, x);
    while (!x->failed &&
           (got = loose_next_sample(&x->m, &s, &w.faults, x->err)) > 0)
        look_at(g, &s);
    if (got < 0)
        x->failed = true;
    loose_sample_free(&s);
    wire_faults_end(&w);
    return !x->failed;
}

bool examine_samples(struct examiner *x)
{
    struct sampling g = {.x = x};
    static const char base[] = "pprof::base";
    uint32_t id;
    if (x->m.n_samples >= IDMAP_NONE) {
        x->failed = true;
        return err_set(x->err, ERR_INPUT, "more than 4294967294 samples");
    }
    g.units = examine_labels_new(x);
    g.sums = mem_zarray(x->m.types.n + 1, sizeof *g.sums);
    g.is_difference = strtab_find(&x->strings, base, sizeof base - 1, &id);
    if (!g.units || !g.sums)
        (void)examiner_nomem(x);
    else if (look_at_all(&g) && find_duplicates(&g))
        look_at_sums(&g);
    examine_labels_free(g.units);
    free(g.sums);
    vec_free(&g.hashes);
    return !x->failed;
}
