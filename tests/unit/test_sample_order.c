/*
 * The order of samples by their stacks: held to a comparing sort that looks
 * at one frame after another, for any number of threads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/columns.h"
#include "random_profile.h"

enum { MOST_THREADS = 5, N_SETS = 3 };

static void must(bool ok, const struct prof_err *err)
{
    if (!ok)
        fail_msg("%s", err->text);
}

/* A profile of one type with so many locations and N_SETS label sets. */
static void begin(struct profile *p, size_t n_locations)
{
    struct prof_err err;
    must(prof_init(p, &err) && prof_add_type(p, "n", "count", &err), &err);
    for (size_t i = 0; i < n_locations; i++) {
        struct prof_location l = {.mapping = PROF_NONE, .address = i};
        must(prof_add_location(p, &l, NULL, 0, NULL, &err), &err);
    }
    for (int64_t i = 1; i < N_SETS; i++) {
        struct prof_label label = {.num = i};
        uint32_t set = 0;
        must(prof_str(p, "key", &label.key, &err) &&
                 prof_labelset(p, &label, 1, &set, &err),
             &err);
        assert_int_equal(set, i);
    }
}

/* Its value is its number, by which it is known again. */
static void add(struct profile *p, const uint32_t *frames, size_t n,
                uint32_t set)
{
    struct prof_err err;
    int64_t value = (int64_t)p->n_samples;
    must(prof_add_sample(p, frames, n, &value, set, &err), &err);
}

struct oracle {
    const struct profile *p;
    const uint32_t *rank, *set_rank; /* or null */
    bool labels;
};

static uint32_t ranked(const uint32_t *rank, uint32_t i)
{
    return rank ? rank[i] : i;
}

static int compare(const struct oracle *o, uint32_t a, uint32_t b)
{
    size_t m = prof_depth(o->p, a), n = prof_depth(o->p, b);
    for (size_t k = 1; k <= m && k <= n; k++) {
        uint32_t x = ranked(o->rank, prof_stack(o->p, a)[m - k]);
        uint32_t y = ranked(o->rank, prof_stack(o->p, b)[n - k]);
        if (x != y)
            return x < y ? -1 : 1;
    }
    if (m != n)
        return m < n ? -1 : 1;
    if (!o->labels)
        return 0;
    uint32_t x = ranked(o->set_rank, o->p->labelset[a]);
    uint32_t y = ranked(o->set_rank, o->p->labelset[b]);
    return (x > y) - (x < y);
}

static int stable(const void *a, const void *b, void *ctx)
{
    uint32_t i, j;
    memcpy(&i, a, sizeof i);
    memcpy(&j, b, sizeof j);
    int d = compare(ctx, i, j);
    return d ? d : (i > j) - (i < j);
}

/* Every other sample only, so that places are not indices. */
static size_t choose(uint32_t *samples, size_t n, size_t step)
{
    size_t k = 0;
    for (size_t i = 0; i < n; i += step)
        samples[k++] = (uint32_t)i;
    return k;
}

static void check_order(const struct profile *p, struct oracle oracle,
                        size_t step)
{
    struct sample_order o = {
        .frame_off = p->frame_off,
        .frames = p->frames,
        .rank = oracle.rank,
        .labelset = oracle.labels ? p->labelset : NULL,
        .set_rank = oracle.set_rank,
        .n_ranks =
            (uint32_t)(p->n_locations < N_SETS ? N_SETS : p->n_locations),
    };
    uint32_t *want = calloc(p->n_samples + 1, sizeof *want);
    uint32_t *got = calloc(p->n_samples + 1, sizeof *got);
    assert_true(want && got);
    size_t n = choose(want, p->n_samples, step);
    qsort_r(want, n, sizeof *want, stable, &oracle);
    struct sample_list list = {.v = got, .n = n};
    bool equal = false;
    for (size_t i = 1; i < n; i++) {
        int d = compare(&oracle, want[i - 1], want[i]);
        equal = equal || !d;
    }
    for (unsigned threads = 0; threads <= MOST_THREADS; threads++) {
        struct prof_err err;
        choose(got, p->n_samples, step);
        list.any_equal = !equal;
        o.threads = threads;
        must(sample_order_sort(&o, &list, &err), &err);
        assert_int_equal(list.any_equal, equal);
        if (n)
            assert_memory_equal(got, want, n * sizeof *got);
    }
    /* What is in order stays. */
    struct prof_err err;
    list.any_equal = !equal;
    o.threads = 1;
    must(sample_order_sort(&o, &list, &err), &err);
    assert_int_equal(list.any_equal, equal);
    if (n)
        assert_memory_equal(got, want, n * sizeof *got);
    free(want);
    free(got);
}

/* With and without ranks and labels; frees the profile. */
static void check(struct profile *p)
{
    static const uint32_t set_rank[N_SETS] = {2, 0, 1};
    size_t n = p->n_locations;
    uint32_t *rank = calloc(n + 1, sizeof *rank);
    struct rng rng = {n};
    assert_non_null(rank);
    for (size_t i = 0; i < n; i++) { /* a random permutation */
        size_t k = rng_next(&rng) % (i + 1);
        rank[i] = rank[k];
        rank[k] = (uint32_t)i;
    }
    check_order(p, (struct oracle){p, NULL, NULL, false}, 1);
    check_order(p, (struct oracle){p, rank, NULL, true}, 1);
    check_order(p, (struct oracle){p, rank, set_rank, true}, 2);
    free(rank);
    prof_free(p);
}

/* n stacks of up to so many frames, each one of `fan` that its caller calls. */
static void random_stacks(struct profile *p, size_t n, size_t depth,
                          size_t n_locations, unsigned fan, uint64_t seed)
{
    struct rng rng = {seed};
    uint32_t *stack = calloc(depth + 1, sizeof *stack);
    assert_non_null(stack);
    begin(p, n_locations);
    for (size_t i = 0; i < n; i++) {
        size_t k = rng_next(&rng) % (depth + 1);
        uint64_t at = 0;
        for (size_t f = k; f--;) {
            uint64_t call = at * fan + rng_next(&rng) % fan;
            at = rng_next(&(struct rng){call});
            stack[f] = (uint32_t)(at % n_locations);
        }
        add(p, stack, k, (uint32_t)(rng_next(&rng) % N_SETS));
    }
    free(stack);
}

static void random_order(void **state)
{
    (void)state;
    struct profile p;
    for (uint64_t seed = 0; seed < 60; seed++) {
        random_stacks(&p, seed % 50, seed % 7, 1 + seed * 11, 2, seed);
        check(&p);
    }
    random_stacks(&p, 20000, 25, 1, 1, 1);
    check(&p);
    random_stacks(&p, 20000, 25, 2, 2, 2);
    check(&p);
    random_stacks(&p, 20000, 30, 5000, 3, 3);
    check(&p);
    random_stacks(&p, 20000, 4, 70000, 300, 4);
    check(&p);
}

static void few_samples(void **state)
{
    (void)state;
    struct profile p;
    const uint32_t frame = 0;
    begin(&p, 1);
    check(&p); /* none */
    begin(&p, 1);
    add(&p, NULL, 0, 0);
    check(&p);
    begin(&p, 1);
    add(&p, &frame, 1, 0);
    add(&p, NULL, 0, 1);
    add(&p, NULL, 0, 0);
    add(&p, &frame, 1, 0);
    check(&p);
}

/* Stacks without frames, and stacks that are all the same. */
static void equal_stacks(void **state)
{
    (void)state;
    struct profile p;
    const uint32_t stack[] = {1, 2, 0, 1, 1, 1, 0, 2, 2, 1};
    for (size_t depth = 0; depth <= 10; depth += 5) {
        begin(&p, 3);
        for (uint32_t i = 0; i < 9000; i++)
            add(&p, stack, depth, i * 7 % N_SETS);
        check(&p);
    }
}

/* Thousands of frames in common, and the one that decides behind them. */
static void deep_prefixes(void **state)
{
    (void)state;
    enum { DEEP = 3000, N = 400 };
    static uint32_t stack[DEEP + 1];
    struct profile p;
    for (size_t i = 1; i <= DEEP; i++)
        stack[i] = (uint32_t)(i * i % 50);
    begin(&p, N);
    for (uint32_t i = 0; i < N; i++) {
        stack[0] = i * 31 % 97;
        add(&p, stack, DEEP + 1, i % N_SETS);
    }
    check(&p);
    /* Each goes on from another, a frame further. */
    begin(&p, N);
    for (size_t i = 0; i < N; i++) {
        size_t depth = i * 113 % N * (DEEP / N);
        add(&p, stack + DEEP - depth, depth, 0);
    }
    check(&p);
    /* Two go on together for long after all others have left, one by one. */
    begin(&p, N + 51);
    for (uint32_t i = 0; i < N; i++) {
        add(&p, stack + 1, DEEP, 0);
        uint32_t *turn = &stack[DEEP - i * (DEEP / N)], was = *turn;
        *turn = 51 + i;
        add(&p, turn, i * (DEEP / N) + 1, 0);
        *turn = was;
    }
    check(&p);
}

/* prof_apply_layout() puts them there, all their columns. */
static void reordered(void **state)
{
    (void)state;
    struct profile p, was;
    struct prof_err err;
    for (uint64_t seed = 0; seed < 20; seed++) {
        size_t n = seed * 10;
        random_stacks(&p, n, 6, 40, 3, seed);
        random_stacks(&was, n, 6, 40, 3, seed);
        uint32_t *order = calloc(n + 1, sizeof *order);
        assert_non_null(order);
        for (size_t i = 0; i < n; i++)
            order[i] =
                (uint32_t)((i * 191 + seed) % n); /* a prime above all n */
        const struct prof_layout layout = {.order = order, .n_order = n};
        must(prof_apply_layout(&p, &layout, &err), &err);
        assert_int_equal(p.n_samples, n);
        for (size_t i = 0; i < n; i++) {
            size_t depth = prof_depth(&was, order[i]);
            assert_int_equal(p.values[i], order[i]);
            assert_int_equal(p.labelset[i], was.labelset[order[i]]);
            assert_int_equal(prof_depth(&p, i), depth);
            if (depth)
                assert_memory_equal(prof_stack(&p, i),
                                    prof_stack(&was, order[i]),
                                    depth * sizeof *p.frames);
        }
        free(order);
        prof_free(&p);
        prof_free(&was);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_order), cmocka_unit_test(few_samples),
        cmocka_unit_test(equal_stacks), cmocka_unit_test(deep_prefixes),
        cmocka_unit_test(reordered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
