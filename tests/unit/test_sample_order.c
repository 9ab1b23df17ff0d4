/*
 * The order of samples by their stacks: held to a comparing sort that looks
 * at one frame after another, for any number of threads, with stacks that
 * share frames and without.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/columns.h"
#include "random_profile.h"
#include "stacks.h"
#include "unit.h"

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

/* Stacks that share nothing, and how to compare them. */
struct oracle {
    const uint64_t *off;
    const uint32_t *frames, *labelset;
    const uint32_t *rank, *set_rank; /* or null */
    bool labels;
};

static uint32_t ranked(const uint32_t *rank, uint32_t i)
{
    return rank ? rank[i] : i;
}

static size_t depth(const struct oracle *o, uint32_t s)
{
    return (size_t)(o->off[s + 1] - o->off[s]);
}

/* Frames from the root, by rank. */
static size_t in_common(const struct oracle *o, uint32_t a, uint32_t b)
{
    size_t m = depth(o, a), n = depth(o, b), k = 0;
    while (k < m && k < n &&
           ranked(o->rank, o->frames[o->off[a] + m - 1 - k]) ==
               ranked(o->rank, o->frames[o->off[b] + n - 1 - k]))
        k++;
    return k;
}

static int compare(const struct oracle *o, uint32_t a, uint32_t b)
{
    size_t m = depth(o, a), n = depth(o, b), k = in_common(o, a, b);
    if (k < m && k < n) {
        uint32_t x = ranked(o->rank, o->frames[o->off[a] + m - 1 - k]);
        uint32_t y = ranked(o->rank, o->frames[o->off[b] + n - 1 - k]);
        return x < y ? -1 : 1;
    }
    if (m != n)
        return m < n ? -1 : 1;
    if (!o->labels)
        return 0;
    uint32_t x = ranked(o->set_rank, o->labelset[a]);
    uint32_t y = ranked(o->set_rank, o->labelset[b]);
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

/* What the samples of a profile have to be sorted to. */
struct expected {
    struct oracle oracle;
    uint32_t *samples;
    size_t n;
    bool equal;
};

/* Sorts list->v, and checks the result. */
static void check_sorted(const struct sample_order *o, struct sample_list *list,
                         const struct expected *want)
{
    struct prof_err err;
    list->any_equal = !want->equal;
    must(sample_order_sort(o, list, &err), &err);
    assert_int_equal(list->any_equal, want->equal);
    if (list->n)
        assert_memory_equal(list->v, want->samples, list->n * sizeof *list->v);
    for (size_t i = 0; o->shared && i < list->n; i++) {
        size_t k = i ? in_common(&want->oracle, list->v[i - 1], list->v[i]) : 0;
        assert_int_equal(list->shared[i], k);
    }
}

static void check_form(const struct profile *p, const struct expected *want,
                       size_t step)
{
    const struct oracle *oracle = &want->oracle;
    struct sample_order o = {
        .frame_off = p->frame_off,
        .frames = p->frames,
        .shared = p->shared,
        .rank = oracle->rank,
        .labelset = oracle->labels ? p->labelset : NULL,
        .set_rank = oracle->set_rank,
        .n_ranks =
            (uint32_t)(p->n_locations < N_SETS ? N_SETS : p->n_locations),
    };
    uint32_t *got = calloc(p->n_samples + 1, sizeof *got);
    uint32_t *shared = calloc(p->n_samples + 1, sizeof *shared);
    assert_true(got && shared);
    struct sample_list list = {.v = got, .n = want->n};
    list.shared = p->shared ? shared : NULL;
    for (unsigned threads = 0; threads <= MOST_THREADS; threads++) {
        choose(got, p->n_samples, step);
        o.threads = threads;
        check_sorted(&o, &list, want);
    }
    if (!p->shared) /* what is in order stays */
        check_sorted(&o, &list, want);
    free(got);
    free(shared);
}

/* Shared frames: none, as many as possible, and fewer. */
static void check_forms(struct profile *p, const struct expected *want,
                        size_t step)
{
    struct prof_err err;
    check_form(p, want, step);
    for (int all = 0; all <= 1 && step == 1; all++) {
        stacks_share(p, all);
        check_form(p, want, step);
        must(prof_unshare(p, &err), &err);
    }
}

static void *copy(const void *from, size_t bytes)
{
    void *v = malloc(bytes + 1);
    assert_non_null(v);
    if (bytes)
        memcpy(v, from, bytes);
    return v;
}

static void check_order(struct profile *p, struct oracle oracle, size_t step)
{
    uint64_t *off = copy(p->frame_off, (p->n_samples + 1) * sizeof *off);
    uint32_t *frames = copy(p->frames, p->n_frames * sizeof *frames);
    uint32_t *set = copy(p->labelset, p->n_samples * sizeof *set);
    uint32_t *samples = calloc(p->n_samples + 1, sizeof *samples);
    assert_non_null(samples);
    oracle.off = off;
    oracle.frames = frames;
    oracle.labelset = set;
    struct expected want = {.oracle = oracle, .samples = samples};
    want.n = choose(samples, p->n_samples, step);
    qsort_r(samples, want.n, sizeof *samples, stable, &oracle);
    for (size_t i = 1; i < want.n; i++)
        want.equal =
            want.equal || !compare(&oracle, samples[i - 1], samples[i]);
    check_forms(p, &want, step);
    free(off);
    free(frames);
    free(set);
    free(samples);
}

/* The samples of *p in the order of these ranks are in that order. */
static void check_ordered(struct profile *p, struct oracle oracle)
{
    struct prof_err err;
    uint32_t *v = calloc(p->n_samples + 1, sizeof *v);
    assert_non_null(v);
    oracle.off = p->frame_off;
    oracle.frames = p->frames;
    oracle.labelset = p->labelset;
    (void)choose(v, p->n_samples, 1);
    qsort_r(v, p->n_samples, sizeof *v, stable, &oracle);
    const struct prof_layout layout = {.order = v, .n_order = p->n_samples};
    must(prof_apply_layout(p, &layout, &err), &err);
    free(v);
    check_order(p, oracle, 1);
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
    const struct oracle plain = {0};
    const struct oracle labels = {.rank = rank, .labels = true};
    const struct oracle sets = {
        .rank = rank, .set_rank = set_rank, .labels = true};
    check_order(p, plain, 1);
    check_order(p, labels, 1);
    check_order(p, sets, 2);
    /* In the order of one, sorted by it and by another. */
    check_ordered(p, sets);
    check_order(p, plain, 1);
    for (size_t i = 0; i < n; i++) /* frames of equal rank */
        rank[i] /= 3;
    check_order(p, labels, 1);
    check_ordered(p, labels);
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

/* Each stack is deeper than the one before by the frames that it owns. */
static void nested(void **state)
{
    enum { DEEP = 3000 };
    static uint32_t stack[DEEP];
    struct profile p;
    for (uint32_t step = 1; step <= 7; step += 3) {
        begin(&p, 50);
        for (uint32_t i = 0; i < DEEP; i++)
            stack[DEEP - 1 - i] = i * i % 50;
        for (size_t depth = 0; depth < DEEP; depth += step)
            add(&p, stack + DEEP - depth, depth, (uint32_t)depth % N_SETS);
        /* And back, so that all have an equal one far away. */
        for (size_t depth = DEEP; depth >= step; depth -= step)
            add(&p, stack + DEEP - depth, depth, 0);
        check(&p);
    }
}

/* prof_apply_layout() puts them there, all their columns. */
static void reordered(void **state)
{
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
        cmocka_unit_test(nested),       cmocka_unit_test(reordered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
