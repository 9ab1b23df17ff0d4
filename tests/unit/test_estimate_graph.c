/*
 * What gprof's model is built of: division by largest remainder, priority
 * queue, cycles, tables of bins and paths, owners of addresses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/sort.h"
#include "base/vec.h"
#include "base/wide.h"
#include "profile/estimate/estimate_deal.h"
#include "profile/estimate/estimate_scc.h"
#include "symbol/owners.h"

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
    (void)state;
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
    (void)state;
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

/* 0 > 1 > 2 > 0, 2 > 3 > 4 > 3, 5 > 5, and 6 alone. */
static void test_components(void **state)
{
    static const size_t off[] = {0, 1, 2, 4, 5, 6, 7, 7};
    static const uint32_t to[] = {1, 2, 0, 3, 4, 3, 5};
    uint32_t c[7];
    (void)state;
    assert_true(est_components(7, off, to, c));
    assert_int_equal(c[0], c[1]);
    assert_int_equal(c[1], c[2]);
    assert_int_equal(c[3], c[4]);
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < 7; k++)
            assert_int_equal(c[i] == c[k],
                             i == k || (i < 3 && k < 3) ||
                                 (i > 2 && i < 5 && k > 2 && k < 5));
}

/* A ring, and a chain, far deeper than a stack of calls could be. */
static void test_deep_components(void **state)
{
    enum { N = 1000000 };
    size_t *off = malloc((N + 1) * sizeof *off);
    uint32_t *to = malloc(N * sizeof *to), *c = malloc(N * sizeof *c);
    (void)state;
    assert_true(off && to && c);
    for (uint32_t i = 0; i <= N; i++)
        off[i] = i;
    for (uint32_t i = 0; i < N; i++)
        to[i] = (i + 1) % N;
    assert_true(est_components(N, off, to, c));
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(c[i], 0);
    off[N]--; /* the last leads nowhere */
    assert_true(est_components(N, off, to, c));
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(c[i], N - 1 - i);
    free(off);
    free(to);
    free(c);
}

/* Rows and columns add up, cells are near the product, for many tables. */
static void test_deal(void **state)
{
    (void)state;
    srand(1);
    for (int round = 0; round < 300; round++) {
        uint64_t total[20], share[15], sum = 0, left = EST_WHOLE;
        uint64_t column[15] = {0}, exact[15], cell[15];
        struct radix_item spare[30];
        struct est_deal d;
        struct err err;
        size_t n = 1 + (size_t)rand() % 20, k = 1 + (size_t)rand() % 15;
        for (size_t i = 0; i < n; i++)
            sum += total[i] = (uint64_t)rand() % (round % 2 ? 3 : 1000000007);
        for (size_t i = 0; i < k; i++) {
            share[i] = i + 1 < k ? left / (2 + (uint64_t)rand() % 9) : left;
            left -= share[i];
        }
        assert_true(est_deal_begin(&d, total, n, share, k, &err));
        for (size_t i = 0; i < n; i++) {
            uint64_t row = 0;
            est_deal_row(&d, cell);
            for (size_t j = 0; j < k; j++) {
                assert_true(cell[j] >=
                            apportion_cut(total[i], share[j], EST_WHOLE));
                row += cell[j];
                column[j] += cell[j];
            }
            assert_int_equal(row, total[i]);
        }
        est_deal_end(&d);
        apportion(sum, share, k, exact, spare);
        assert_memory_equal(column, exact, k * sizeof *exact);
    }
}

/* 12 bins of one tick, 2 : 1: every third goes to the second path. */
static void test_deal_is_even(void **state)
{
    static const uint64_t total[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const uint64_t share[2] = {EST_WHOLE - EST_WHOLE / 3, EST_WHOLE / 3};
    struct est_deal d;
    struct err err;
    (void)state;
    assert_true(est_deal_begin(&d, total, 12, share, 2, &err));
    for (int third = 0; third < 4; third++) {
        uint64_t sum = 0;
        for (int i = 0; i < 3; i++) {
            uint64_t cell[2];
            est_deal_row(&d, cell);
            sum += cell[1];
        }
        assert_int_equal(sum, 1);
    }
    est_deal_end(&d);
}

static void test_owners(void **state)
{
    struct sym_owners o = {0};
    struct err err;
    (void)state;
    assert_int_equal(sym_owners_find(&o, 0), SYM_NO_OWNER);
    assert_true(sym_owners_add(&o, 0x10, 0x20, "label", false, &err));
    assert_true(sym_owners_add(&o, 0x20, 0x30, "f@@V1", true, &err));
    assert_true(sym_owners_add(&o, 0x30, 0x35, "code", false, &err));
    assert_string_equal(sym_owner_name(&o, 1), "f");
    assert_int_equal(sym_owners_find(&o, 0xf), SYM_NO_OWNER);
    assert_int_equal(sym_owners_find(&o, 0x10), 0);
    assert_int_equal(sym_owners_find(&o, 0x2f), 1);
    assert_int_equal(sym_owners_find(&o, 0x34), 2);
    assert_int_equal(sym_owners_find(&o, 0x35), SYM_NO_OWNER);
    /* calls go to functions: code is f's, the label is nobody's */
    assert_int_equal(sym_owners_callee(&o, 0x18), SYM_NO_OWNER);
    assert_int_equal(sym_owners_callee(&o, 0x28), 1);
    assert_int_equal(sym_owners_callee(&o, 0x34), 1);
    assert_int_equal(sym_owners_callee(&o, 0x35), SYM_NO_OWNER);
    sym_owners_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_apportion),
        cmocka_unit_test(test_heap),
        cmocka_unit_test(test_components),
        cmocka_unit_test(test_deep_components),
        cmocka_unit_test(test_deal),
        cmocka_unit_test(test_deal_is_even),
        cmocka_unit_test(test_owners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
