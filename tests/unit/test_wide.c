/*
 * test_wide.c - sums and products of more than 64 bits
 *
 * The way of machines without a type of 128 bits, on every machine; where
 * there is one, it is what that way is held to.
 */
#include "unit.h"

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 u128;
#define HAS_128 1
#undef __SIZEOF_INT128__
#else
#define HAS_128 0
#endif

#include "base/wide.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const uint64_t edge[] = {
    0,
    1,
    2,
    3,
    10,
    0x7fffffff,
    0xffffffff,
    0x100000000,
    0x100000001,
    0x123456789abcdef,
    INT64_MAX,
    (uint64_t)INT64_MAX + 1,
    0xffffffff00000000,
    UINT64_MAX - 1,
    UINT64_MAX,
};

static void test_sums(void **state)
{
    int64_t v;
    struct wide sum = {0};
    assert_true(wide_fits(sum, &v) && v == 0);
    wide_add(&sum, INT64_MAX);
    assert_true(wide_fits(sum, &v) && v == INT64_MAX);
    wide_add(&sum, 1);
    assert_false(wide_fits(sum, &v));
    wide_add(&sum, INT64_MIN);
    assert_true(wide_fits(sum, &v) && v == 0);
    wide_add(&sum, INT64_MIN);
    assert_true(wide_fits(sum, &v) && v == INT64_MIN);
    wide_add(&sum, -1);
    assert_false(wide_fits(sum, &v));
    wide_add(&sum, INT64_MIN);
    assert_false(wide_fits(sum, &v)); /* -2^64 - 1 */
    wide_add(&sum, INT64_MAX);
    wide_add(&sum, INT64_MAX);
    assert_true(wide_fits(sum, &v) && v == -3);
}

/* Twice what is beyond 2^63 and beyond -2^63, and back. */
static void test_sums_of_sums(void **state)
{
    int64_t v;
    struct wide up = {0}, down = {0}, sum = {0};
    for (int i = 0; i < 5; i++) {
        wide_add(&up, INT64_MAX);
        wide_add(&down, INT64_MIN);
    }
    wide_add_sum(&sum, up);
    wide_add_sum(&sum, up);
    assert_false(wide_fits(sum, &v));
    wide_add_sum(&sum, down);
    assert_false(wide_fits(sum, &v));
    wide_add_sum(&sum, down);
    assert_true(wide_fits(sum, &v) && v == -10);
}

/* The definition: a * b = quotient * div + rest modulo 2^64, rest < div. */
static void check_division(uint64_t a, uint64_t b, uint64_t div)
{
    uint64_t hi, q, rest, lo = wide_mul(a, b, &hi);
    assert_int_equal(lo, a * b);
    bool fits = wide_mul_div(a, b, div, &q, &rest);
    assert_int_equal(fits, hi < div);
    if (fits) {
        assert_true(rest < div);
        assert_int_equal(q * div + rest, lo);
    }
#if HAS_128
    u128 product = (u128)a * b;
    assert_int_equal(hi, (uint64_t)(product >> 64));
    assert_int_equal(fits, product / div <= UINT64_MAX);
    if (fits) {
        assert_int_equal(q, (uint64_t)(product / div));
        assert_int_equal(rest, (uint64_t)(product % div));
    }
#endif
}

static void test_products(void **state)
{
    uint64_t hi, q, rest, x = 1;
    assert_int_equal(wide_mul(UINT64_MAX, UINT64_MAX, &hi), 1);
    assert_int_equal(hi, UINT64_MAX - 1);
    assert_int_equal(wide_mul(1ULL << 32, 1ULL << 32, &hi), 0);
    assert_int_equal(hi, 1);
    assert_true(wide_mul_div(UINT64_MAX, UINT64_MAX, UINT64_MAX, &q, &rest));
    assert_int_equal(q, UINT64_MAX);
    assert_int_equal(rest, 0);
    /* 10^19 * 10^19 / (10^19 + 1) = 10^19 - 1, and 1 is left. */
    const uint64_t e19 = 10000000000000000000U;
    assert_true(wide_mul_div(e19, e19, e19 + 1, &q, &rest));
    assert_int_equal(q, e19 - 1);
    assert_int_equal(rest, 1);
    assert_false(wide_mul_div(UINT64_MAX, 2, 1, &q, &rest));
    for (size_t a = 0; a < COUNT(edge); a++)
        for (size_t b = 0; b < COUNT(edge); b++)
            for (size_t d = 1; d < COUNT(edge); d++)
                check_division(edge[a], edge[b], edge[d]);
    for (int i = 0; i < 10000; i++) {
        uint64_t n[3];
        for (int k = 0; k < 3; k++) {
            x = x * 6364136223846793005U + 1442695040888963407U;
            n[k] = (x ^ x >> 29) >> (x >> 58);
        }
        check_division(n[0], n[1], n[2] | 1);
    }
}

static void test_scaling(void **state)
{
    static const struct {
        int64_t v, num, den, to;
    } tries[] = {
        {1, 1, 2, 1},
        {-1, 1, 2, -1},
        {1, -1, 2, -1},
        {1, 1, -2, -1},
        {-1, -1, -2, -1},
        {1, 1, 3, 0},
        {2, 1, 3, 1},
        {7, 0, 5, 0},
        {INT64_MAX, 3, 3, INT64_MAX},
        {INT64_MIN, 3, 3, INT64_MIN},
        {INT64_MAX, -1, 1, -INT64_MAX},
        {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN},
        {INT64_MIN, 1, INT64_MIN, 1},
        {INT64_MAX, INT64_MAX, INT64_MIN, -(INT64_MAX - 1)},
    };
    int64_t to;
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        assert_true(wide_scale(tries[i].v, tries[i].num, tries[i].den, &to));
        assert_int_equal(to, tries[i].to);
    }
    assert_false(wide_scale(INT64_MIN, -1, 1, &to));
    assert_false(wide_scale(INT64_MAX, 3, 2, &to));
    assert_false(wide_scale(INT64_MAX, INT64_MAX, 1, &to));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_sums_of_sums),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_scaling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
