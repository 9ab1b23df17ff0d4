/*
 * Stacks that share frames: reading, reordering and expanding them gives the
 * stacks of the same profile in which they share nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "check_profile.h"
#include "random_profile.h"
#include "stacks.h"
#include "unit.h"

static struct prof_err err;

#define MUST(x) assert_true(x)

enum { N_LOCATIONS = 50, DEEPEST = 70, SOME = 3 * PROF_RESTART + 100 };

/*
 * A profile of n stacks, each with some of the last frames of the one before;
 * many stacks are equal, and some are empty.
 */
static void make(struct profile *p, size_t n, uint64_t seed)
{
    struct rng r = {seed};
    uint32_t frames[DEEPEST] = {0};
    size_t before = 0;
    MUST(prof_init(p, &err) && prof_add_type(p, "n", "count", &err));
    for (size_t i = 0; i < N_LOCATIONS; i++) {
        struct prof_location l = {.mapping = PROF_NONE, .address = i};
        MUST(prof_add_location(p, &l, NULL, 0, NULL, &err));
    }
    for (size_t i = 0; i < n; i++) {
        size_t depth = rng_below(&r, rng_one_in(&r, 20) ? DEEPEST : 10);
        size_t same = depth < before ? depth : before;
        int64_t value = (int64_t)i;
        if (rng_one_in(&r, 4))
            same -= rng_below(&r, (uint32_t)same + 1);
        memmove(frames + depth - same, frames + before - same,
                same * sizeof *frames);
        for (size_t k = 0; k < depth - same; k++)
            frames[k] = rng_below(&r, N_LOCATIONS);
        MUST(prof_add_sample(p, frames, depth, &value, 0, &err));
        before = depth;
    }
}

/* Reads samples of *q, which shares, and compares them with those of *p. */
static void assert_reads(const struct profile *p, const struct profile *q,
                         struct rng *r, uint32_t most)
{
    struct prof_stacks stacks;
    MUST(prof_stacks_init(&stacks, q, &err));
    for (size_t i = 0, s = 0, before = 0, n = p->n_samples; i < n; i++) {
        s = rng_one_in(r, 100) ? rng_below(r, (uint32_t)n)
                               : (s + rng_below(r, most)) % n;
        size_t depth = prof_depth(p, s);
        const uint32_t *stack = prof_stack(p, s);
        if (rng_one_in(r, 3)) {
            size_t some = rng_below(r, (uint32_t)depth + 1);
            const uint32_t *own = prof_stacks_first(&stacks, s, some);
            assert_memory_equal(own, stack, some * sizeof *own);
        }
        prof_stacks_read(&stacks, s);
        assert_int_equal(stacks.depth, depth);
        assert_memory_equal(stacks.stack, stack, depth * sizeof *stack);
        assert_true(stacks.shared <= depth);
        assert_true(stacks.shared <= prof_depth(p, before));
        assert_memory_equal(stack + depth - stacks.shared,
                            prof_stack(p, before) + prof_depth(p, before) -
                                stacks.shared,
                            stacks.shared * sizeof *stack);
        before = s;
    }
    prof_stacks_free(&stacks);
}

static void test_read(void **state)
{
    struct rng r = {1};
    for (int all = 0; all < 2; all++) {
        struct profile p, q;
        make(&p, SOME, 7);
        make(&q, SOME, 7);
        stacks_assert_same(&p, &q);
        stacks_share(&q, all);
        MUST(check_profile(&q, &err));
        assert_true(q.n_frames < p.n_frames * 2 / 3);
        stacks_assert_same(&p, &q);
        for (uint32_t most = 2; most < 100; most *= 2)
            assert_reads(&p, &q, &r, most);
        prof_free(&p);
        prof_free(&q);
    }
}

static void test_unshare(void **state)
{
    static const size_t sizes[] = {0, 1, 2, PROF_RESTART, SOME};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct profile p, q;
        make(&p, sizes[i], i);
        make(&q, sizes[i], i);
        stacks_share(&q, i % 2);
        MUST(prof_unshare(&q, &err));
        assert_null(q.shared);
        assert_int_equal(q.n_frames, p.n_frames);
        MUST(check_profile(&q, &err));
        stacks_assert_same(&p, &q);
        prof_free(&p);
        prof_free(&q);
    }
}

/* A sample that is added shares nothing, and those before neither. */
static void test_add(void **state)
{
    struct profile p, q;
    make(&p, SOME, 3);
    make(&q, SOME, 3);
    stacks_share(&q, true);
    const uint32_t stack[] = {1, 2, 3};
    MUST(prof_add_sample(&p, stack, 3, NULL, 0, &err));
    MUST(prof_add_sample(&q, stack, 3, NULL, 0, &err));
    MUST(check_profile(&q, &err));
    stacks_assert_same(&p, &q);
    prof_free(&p);
    prof_free(&q);
}

/* Both have the same samples after a layout is applied to them. */
static void assert_layout(struct profile *p, struct profile *q,
                          struct prof_layout *layout)
{
    MUST(prof_apply_layout(p, layout, &err));
    MUST(prof_apply_layout(q, layout, &err));
    MUST(check_profile(q, &err));
    stacks_assert_same(p, q);
    assert_memory_equal(p->values, q->values, p->n_samples * sizeof *p->values);
    prof_layout_free(layout);
}

static void test_layouts(void **state)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        struct profile p, q;
        enum stacks_order order = (enum stacks_order)(seed % 3);
        make(&p, SOME, seed);
        make(&q, SOME, seed);
        stacks_share(&q, seed % 2);
        struct prof_layout layout = stacks_layout(&p, order, seed);
        assert_layout(&p, &q, &layout);
        assert_non_null(q.shared);
        if (order == STACKS_ASCEND)
            assert_true(q.n_frames < p.n_frames * 3 / 4);
        /* An ascending order need not say what stacks share. */
        layout = stacks_layout(&p, STACKS_ASCEND, seed);
        free((uint32_t *)layout.shared);
        layout.shared = NULL;
        assert_layout(&p, &q, &layout);
        if (order == STACKS_ASCEND)
            assert_true(q.n_frames < p.n_frames * 3 / 4);
        prof_free(&p);
        prof_free(&q);
    }
}

/* A layout without an order, and one that keeps nothing. */
static void test_odd_layouts(void **state)
{
    struct profile p, q;
    make(&p, SOME, 3);
    make(&q, SOME, 3);
    stacks_share(&q, true);
    struct prof_layout layout = stacks_layout(&p, STACKS_UNKNOWN, 1);
    free((uint32_t *)layout.order);
    layout.order = NULL;
    layout.n_order = 0;
    assert_layout(&p, &q, &layout);
    assert_int_equal(q.n_samples, SOME);
    layout = stacks_layout(&p, STACKS_ASCEND, 1);
    layout.n_order = 0;
    assert_layout(&p, &q, &layout);
    assert_int_equal(q.n_samples, 0);
    prof_free(&p);
    prof_free(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),        cmocka_unit_test(test_unshare),
        cmocka_unit_test(test_add),         cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_odd_layouts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
