/*
 * The canonical form: bytes that depend on what the inputs say and on
 * nothing else.  All profiles are random, from seeds that a failure names.
 */
#include <stdlib.h>
#include <string.h>

#include "check_profile.h"
#include "merge_try.h"
#include "profile/merge/merge.h"
#include "profile/wire/pb.h"
#include "random_profile.h"
#include "said.h"
#include "unit.h"

enum { MOST = 8 };

static const struct random_opts plain = {0};

static void must(bool ok, const struct prof_err *err)
{
    if (!ok)
        fail_msg("%s", err->text);
}

/* Frees both. */
static void assert_same(struct buf *a, struct buf *b, const char *what,
                        uint64_t seed)
{
    if (a->n != b->n || memcmp(a->v, b->v, a->n) != 0)
        fail_msg("seed %llu: %s", (unsigned long long)seed, what);
    buf_free(a);
    buf_free(b);
}

static struct buf canonical_bytes(const struct profile *p)
{
    struct profile out;
    struct prof_err err;
    must(canonical_copy(p, &out, &err), &err);
    must(check_profile(&out, &err), &err);
    struct buf b = profile_bytes(&out);
    prof_free(&out);
    return b;
}

static struct buf random_canonical(uint64_t content, uint64_t arrangement)
{
    struct profile p;
    struct prof_err err;
    random_profile(&p, content, arrangement, &plain);
    must(check_profile(&p, &err), &err);
    struct buf b = canonical_bytes(&p);
    prof_free(&p);
    return b;
}

/* Ids, order, repetition, splitting: nothing of it shows. */
static void arrangement(void **state)
{
    for (uint64_t seed = 0; seed < rng_rounds(400); seed++) {
        struct buf a = random_canonical(seed, 0);
        for (uint64_t k = 1; k < 5; k++) {
            struct buf b = random_canonical(seed, k);
            struct buf copy = {0};
            assert_true(buf_put(&copy, a.v, a.n));
            assert_same(&copy, &b, "arrangement shows", seed);
        }
        buf_free(&a);
    }
}

/* Canonical again, through bytes or not, is the same. */
static void identity(void **state)
{
    for (uint64_t seed = 0; seed < rng_rounds(400); seed++) {
        struct profile p, once, read;
        struct prof_err err;
        random_profile(&p, seed, seed + 1, &plain);
        must(canonical_copy(&p, &once, &err), &err);
        struct buf a = profile_bytes(&once);
        must(pb_decode(a.v, a.n, &read, NULL, &err), &err);
        struct buf b = canonical_bytes(&once), c = canonical_bytes(&read);
        struct buf copies[2] = {{0}, {0}};
        for (int i = 0; i < 2; i++)
            assert_true(buf_put(&copies[i], a.v, a.n));
        assert_same(&copies[0], &b, "canonical twice differs", seed);
        assert_same(&copies[1], &c, "canonical of bytes differs", seed);
        buf_free(&a);
        prof_free(&p);
        prof_free(&once);
        prof_free(&read);
    }
}

/* What is merged means what the inputs mean, and no sample comes twice. */
static void meaning(void **state)
{
    for (uint64_t seed = 0; seed < rng_rounds(300); seed++) {
        struct profile p[MOST], sum;
        const struct profile *all[MOST], *one = &sum;
        struct rng r = {seed};
        struct prof_err err;
        size_t n = 1 + rng_below(&r, MOST);
        struct prof_merger *m = prof_merge_new(NULL, &err);
        assert_non_null(m);
        for (size_t i = 0; i < n; i++) {
            uint64_t content = rng_next(&r);
            random_profile(&p[i], content, rng_next(&r), &plain);
            must(prof_merge_add(m, &p[i], &err), &err);
            all[i] = &p[i];
        }
        must(prof_merge_finish(m, 1, &sum, NULL, &err), &err);
        struct buf a = profile_meaning(all, n), b = profile_meaning(&one, 1);
        size_t lines = 0;
        for (size_t i = 0; i < b.n; i++)
            lines += b.v[i] == '\n';
        assert_int_equal(lines, sum.n_samples);
        assert_same(&a, &b, "the sum means something else", seed);
        prof_merge_free(m);
        prof_free(&sum);
        for (size_t i = 0; i < n; i++)
            prof_free(&p[i]);
    }
}

/* --- groups ----------------------------------------------------------------
 */

/* How n inputs are merged. */
struct plan {
    enum prof_merge_types mode;
    const struct random_opts *opts;
    uint64_t content[MOST];
    size_t n;
    bool labelled; /* each input has a label of its own */
};

/* Labels the input i of the labels. */
static bool label_input(void *ctx, struct profile *p, struct prof_err *err)
{
    static const char *const names[MOST] = {"a", "b", "c", "d",
                                            "e", "f", "g", "h"};
    const size_t *i = ctx;
    return prof_set_label(p, "input", names[*i], err);
}

/* Makes the input i. */
static void random_input(struct profile *p, const struct plan *plan, size_t i,
                         struct rng *r)
{
    struct prof_err err;
    random_profile(p, plan->content[i], rng_next(r), plan->opts);
    if (plan->labelled)
        must(label_input(&i, p, &err), &err);
}

/* Adds the input i; a label only as it is decoded. */
static void add_random(struct prof_merger *m, const struct plan *plan, size_t i,
                       struct rng *r)
{
    struct profile p;
    struct prof_err err;
    random_profile(&p, plan->content[i], rng_next(r), plan->opts);
    if (plan->labelled) {
        const struct prof_decode_opts opts = {.edit = label_input, .ctx = &i};
        struct buf b = profile_bytes(&p);
        must(prof_merge_decode(m, b.v, b.n, &opts, &err), &err);
        buf_free(&b);
    } else {
        must(prof_merge_add(m, &p, &err), &err);
    }
    prof_free(&p);
}

static struct prof_merger *new_merger(const struct plan *plan)
{
    struct prof_err err;
    struct prof_merger *m =
        prof_merge_new(&(struct prof_merge_opts){.types = plan->mode}, &err);
    assert_non_null(m);
    return m;
}

static struct buf finish(struct prof_merger *m)
{
    struct profile out;
    struct prof_err err;
    must(prof_merge_finish(m, 1, &out, NULL, &err), &err);
    must(check_profile(&out, &err), &err);
    struct buf b = profile_bytes(&out);
    prof_free(&out);
    prof_merge_free(m);
    return b;
}

static void shuffle(size_t *v, size_t n, struct rng *r)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = rng_below(r, (uint32_t)i), t = v[j];
        v[j] = v[i - 1];
        v[i - 1] = t;
    }
}

/* All inputs one after another, in this order. */
static struct buf flat(const struct plan *plan, const size_t *order,
                       struct rng *r)
{
    struct prof_merger *m = new_merger(plan);
    for (size_t i = 0; i < plan->n; i++)
        add_random(m, plan, order[i], r);
    return finish(m);
}

/* By several threads, but for the first. */
static struct buf by_threads(const struct plan *plan, struct rng *r)
{
    struct profile p[MOST];
    struct prof_err err;
    struct prof_merger *m = new_merger(plan);
    add_random(m, plan, 0, r);
    for (size_t i = 1; i < plan->n; i++)
        random_input(&p[i], plan, i, r);
    must(add_parallel(m, 3, p + 1, plan->n - 1, rng_below(r, 2), &err), &err);
    for (size_t i = 1; i < plan->n; i++)
        prof_free(&p[i]);
    return finish(m);
}

/* Random groups are merged and written, and these files merged again. */
static struct buf regrouped(const struct plan *plan, struct rng *r)
{
    struct profile p[MOST];
    struct prof_err err;
    size_t n = plan->n;
    for (size_t i = 0; i < n; i++)
        random_input(&p[i], plan, i, r);
    while (n > 1) {
        size_t order[MOST], k = 2 + rng_below(r, (uint32_t)n - 1);
        for (size_t i = 0; i < n; i++)
            order[i] = i;
        shuffle(order, n, r);
        struct profile rest[MOST];
        struct prof_merger *m = new_merger(plan);
        for (size_t i = 0; i < n; i++) {
            if (i < k) {
                must(prof_merge_add(m, &p[order[i]], &err), &err);
                prof_free(&p[order[i]]);
            } else {
                rest[i - k] = p[order[i]];
            }
        }
        n -= k;
        memcpy(p, rest, n * sizeof *p);
        struct buf b = finish(m);
        must(pb_decode(b.v, b.n, &p[n++], NULL, &err), &err);
        buf_free(&b);
    }
    struct buf b = canonical_bytes(&p[0]);
    prof_free(&p[0]);
    return b;
}

/* Ways to merge that must not show. */
enum { FLAT, THREADS, REGROUPED, N_WAYS };

static void groups(enum prof_merge_types mode, const struct random_opts *opts,
                   int ways, uint64_t seeds)
{
    static const char *const shows[N_WAYS] = {
        "order of inputs shows", "threads show", "grouping into files shows"};
    for (uint64_t seed = 0; seed < rng_rounds(seeds); seed++) {
        struct rng r = {seed};
        struct plan plan = {.mode = mode, .opts = opts, .labelled = seed % 2};
        size_t order[MOST];
        plan.n = 2 + rng_below(&r, MOST - 1);
        for (size_t i = 0; i < plan.n; i++) {
            /* Now and then the same samples again, or their negatives. */
            plan.content[i] = i && rng_one_in(&r, 3)
                                  ? plan.content[0] ^ rng_below(&r, 2)
                                  : rng_next(&r);
            order[i] = i;
        }
        struct buf a = flat(&plan, order, &r), first = {0}, b;
        for (int way = 0; way < ways; way++) {
            shuffle(order, plan.n, &r);
            b = way == FLAT      ? flat(&plan, order, &r)
                : way == THREADS ? by_threads(&plan, &r)
                                 : regrouped(&plan, &r);
            assert_true(buf_put(&first, a.v, a.n));
            assert_same(&first, &b, shows[way], seed);
        }
        buf_free(&a);
    }
}

static void groups_same_types(void **state)
{
    groups(PROF_TYPES_SAME, &plain, N_WAYS, 300);
}

static void groups_union(void **state)
{
    const struct random_opts opts = {.types = RANDOM_TYPES_SUBSETS};
    groups(PROF_TYPES_UNION, &opts, N_WAYS, 300);
}

static void groups_regexps(void **state)
{
    const struct random_opts opts = {.odd_regexps = true, .max_samples = 2};
    groups(PROF_TYPES_SAME, &opts, N_WAYS, 300);
}

/*
 * A sample that is lost to an intersection, or cancelled, says where its
 * mapping was; a file that was written without it does not.  So these are
 * equal in all ways only where mappings are always at the same place.
 */
static void groups_intersect(void **state)
{
    struct random_opts opts = {
        .types = RANDOM_TYPES_SUBSETS, .odd_defaults = true, .max_samples = 4};
    groups(PROF_TYPES_INTERSECT, &opts, REGROUPED, 500);
    opts.fixed = true;
    groups(PROF_TYPES_INTERSECT, &opts, N_WAYS, 500);
}

static void groups_cancelling(void **state)
{
    struct random_opts opts = {.negative = true, .max_samples = 4};
    groups(PROF_TYPES_SAME, &opts, REGROUPED, 500);
    opts.fixed = true;
    groups(PROF_TYPES_SAME, &opts, N_WAYS, 500);
}

/* --- overflow --------------------------------------------------------------
 */

static void one_sample(struct profile *p, int64_t value)
{
    struct prof_err err;
    uint32_t location;
    struct prof_location l = {.address = 0x1234, .mapping = PROF_NONE};
    must(prof_init(p, &err), &err);
    must(prof_add_type(p, "samples", "count", &err), &err);
    must(prof_add_location(p, &l, NULL, 0, &location, &err), &err);
    must(prof_add_sample(p, &location, 1, &value, 0, &err), &err);
}

/* Sums that fit in the end, though not on the way; and sums that do not. */
static void overflow(void **state)
{
    static const int64_t fits[] = {INT64_MAX, 5, -5, INT64_MAX, -INT64_MAX, -1};
    static const int64_t not [] = {INT64_MAX, 5, -4, INT64_MIN, INT64_MAX, 1};
    struct rng r = {1};
    for (int round = 0; round < 200; round++) {
        const int64_t *values = round % 2 ? fits : not ;
        struct profile p;
        struct prof_err err;
        size_t order[6] = {0, 1, 2, 3, 4, 5};
        shuffle(order, 6, &r);
        struct prof_merger *m = prof_merge_new(NULL, &err);
        assert_non_null(m);
        for (size_t i = 0; i < 6; i++) {
            one_sample(&p, values[order[i]]);
            must(prof_merge_add(m, &p, &err), &err);
            prof_free(&p);
        }
        bool ok = prof_merge_finish(m, 1, &p, NULL, &err);
        assert_int_equal(ok, round % 2);
        if (ok) {
            assert_int_equal(p.n_samples, 1);
            assert_int_equal(p.values[0], INT64_MAX - 1);
        } else {
            assert_int_equal(err.kind, PROF_ERR_INPUT);
            assert_said(err.text, "the sum of samples/count of the sample at "
                                  "0x1234 exceeds 64 bits");
        }
        prof_free(&p);
        prof_merge_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrangement),      cmocka_unit_test(identity),
        cmocka_unit_test(meaning),          cmocka_unit_test(groups_same_types),
        cmocka_unit_test(groups_union),     cmocka_unit_test(groups_regexps),
        cmocka_unit_test(groups_intersect), cmocka_unit_test(groups_cancelling),
        cmocka_unit_test(overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
