/*
 * What gprof's model is built of: division by largest remainder, priority
 * queue, call graphs with cycles, owners of addresses.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/vec.h"
#include "base/wide.h"
#include "profile/estimate/private.h"
#include "symbolize/owners.h"
#include "unit.h"

static void test_apportion(void **state)
{
    static const struct {
        uint64_t total, weight[4], share[4];
    } cases[] = {
        {7, {1, 1, 1, 0}, {3, 2, 2, 0}},
        {1, {1, 2, 0, 1}, {0, 1, 0, 0}},
        {10, {0, 3, 3, 3}, {0, 4, 3, 3}},
        {0, {1, 1, 1, 1}, {0, 0, 0, 0}},
        /* 5 * .1, .2, .3, .4: halves are cut most, the first one wins */
        {5, {1, 2, 3, 4}, {1, 1, 1, 2}},
        {UINT64_MAX, {UINT64_MAX, 0, 0, 0}, {UINT64_MAX, 0, 0, 0}},
        {UINT64_MAX, {1, 1, 0, 0}, {UINT64_MAX / 2 + 1, UINT64_MAX / 2, 0, 0}},
    };
    struct radix_item spare[8];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t share[4];
        apportion(cases[i].total, cases[i].weight, 4, share, spare);
        assert_memory_equal(share, cases[i].share, sizeof share);
    }
    assert_int_equal(apportion_cut(10, 2, 3), 6);
    assert_int_equal(apportion_cut(UINT64_MAX, 1, 2), UINT64_MAX / 2);
}

static void test_heap(void **state)
{
    static const double keys[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5};
    /* by key, of equal ones the first */
    static const uint32_t order[] = {5, 7, 4, 8, 10, 2, 0, 9, 6, 1, 3};
    struct heap h = {0};
    for (uint32_t i = 0; i < 11; i++)
        assert_true(heap_push(&h, keys[i], i));
    for (uint32_t i = 0; i < 11; i++) {
        struct heap_item x = heap_pop(&h);
        assert_int_equal(x.id, order[i]);
        assert_true(x.key >= keys[order[i]] && x.key <= keys[order[i]]);
    }
    assert_int_equal(h.n, 0);
    vec_free(&h);
}

/* The graph of n calls among n_funcs functions. */
static void make_graph(struct est_graph *g, uint32_t n_funcs,
                       struct est_call *calls, size_t n)
{
    struct prof_err err;
    assert_true(est_graph_make(g, n_funcs, calls, n, &err));
}

/* 0 > 1 > 2 > 0, 2 > 3 > 4 > 3, 5 > 5, 6 alone; an arrow is from a callee. */
static void test_cycles(void **state)
{
    struct est_call calls[] = {{1, 0, 1}, {2, 1, 1}, {0, 2, 1}, {3, 2, 1},
                               {4, 3, 1}, {3, 4, 1}, {5, 5, 1}};
    static const uint32_t cycle[] = {1, 1, 1, 2, 2, 0, 0};
    size_t at[9];
    struct est_graph g;
    make_graph(&g, 7, calls, 7);
    assert_int_equal(g.n_cycles, 2);
    assert_memory_equal(g.cycle, cycle, sizeof cycle);
    for (size_t i = 0; i < 9; i++)
        at[g.order[i]] = i;
    for (uint32_t i = 0; i < 9; i++)
        for (size_t k = g.up_off[i]; k < g.up_off[i + 1]; k++)
            assert_true(at[i] < at[g.up[k].node]);
    est_graph_free(&g);
}

/* A ring, and a chain, far deeper than a stack of calls could be. */
static void test_deep_graph(void **state)
{
    enum { N = 1000000 };
    struct est_call *calls = malloc(N * sizeof *calls);
    struct est_graph g;
    assert_non_null(calls);
    for (uint32_t i = 0; i < N; i++)
        calls[i] = (struct est_call){(i + 1) % N, i, 1};
    make_graph(&g, N, calls, N);
    assert_int_equal(g.n_cycles, 1);
    est_graph_free(&g);
    make_graph(&g, N, calls, N - 1); /* the last is called by none */
    assert_int_equal(g.n_cycles, 0);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(g.order[i], i);
    est_graph_free(&g);
    free(calls);
}

static void test_owners(void **state)
{
    struct code_owners o = {0};
    struct prof_err err;
    assert_int_equal(code_owners_find(&o, 0), CODE_NO_OWNER);
    assert_true(code_owners_add(&o, 0x10, 0x20, "label", false, &err));
    assert_true(code_owners_add(&o, 0x20, 0x30, "f@@V1", true, &err));
    assert_true(code_owners_add(&o, 0x30, 0x35, "code", false, &err));
    assert_string_equal(code_owner_name(&o, 1), "f");
    assert_int_equal(code_owners_find(&o, 0xf), CODE_NO_OWNER);
    assert_int_equal(code_owners_find(&o, 0x10), 0);
    assert_int_equal(code_owners_find(&o, 0x2f), 1);
    assert_int_equal(code_owners_find(&o, 0x34), 2);
    assert_int_equal(code_owners_find(&o, 0x35), CODE_NO_OWNER);
    /* calls go to functions: code is f's, the label is nobody's */
    assert_int_equal(code_owners_callee(&o, 0x18), CODE_NO_OWNER);
    assert_int_equal(code_owners_callee(&o, 0x28), 1);
    assert_int_equal(code_owners_callee(&o, 0x34), 1);
    assert_int_equal(code_owners_callee(&o, 0x35), CODE_NO_OWNER);
    code_owners_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_apportion), cmocka_unit_test(test_heap),
        cmocka_unit_test(test_cycles),    cmocka_unit_test(test_deep_graph),
        cmocka_unit_test(test_owners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
