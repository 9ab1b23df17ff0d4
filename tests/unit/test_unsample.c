/*
 * Unsampling: values that google/pprof gives for the same numbers (its
 * scaleHeapSample()), the rule itself in long double, and the limits.
 */
#include <math.h>
#include <string.h>

#include "formats/heap_values.h"
#include "random_profile.h"
#include "unit.h"

#define CHECK(n, b, rate, to_n, to_b)                                          \
    do {                                                                       \
        struct allocated a_ = {(n), (b)};                                      \
        assert_true(heap_unsample(&a_, HEAP_UNSAMPLE, (double)(rate)));        \
        assert_int_equal(a_.objects, (to_n));                                  \
        assert_int_equal(a_.bytes, (to_b));                                    \
    } while (0)

static void test_known(void **state)
{
    CHECK(1, 1000, 524288, 524, 524788);
    CHECK(2, 2000, 524288, 1049, 1049576);
    CHECK(1, 7048, 524288, 74, 527819);
    CHECK(0, 0, 524288, 0, 0);
    CHECK(3, 0, 524288, 0, 0);
    /* All is there. */
    CHECK(7, 91, 1, 7, 91);
    CHECK(7, 91, 0, 7, 91);
    CHECK(7, 91, -5, 7, 91);
    CHECK(7, 0, 1, 0, 0);
    /* What is removed stands for as much as what is added. */
    CHECK(-1, -1000, 524288, -524, -524788);
    /* An allocation of very many bytes stands for itself. */
    CHECK(1, INT64_C(1) << 40, 524288, 1, INT64_C(1) << 40);
}

/* With exp() of glibc the bytes are others. */
static void test_last_bit(void **state)
{
    CHECK(314848829, 372660030645961, 31126040, 8438133918, 9987508146705034);
    CHECK(62344037, 57762306001698, 23129379, 1587737370, 1471052826598973);
    CHECK(14652339, 7173259344351, 26254607, 793132437, 388289178204381);
    CHECK(109812790, 211139551029, 798895, 45682353518, 87834500988843);
}

/* Against the rule itself in numbers of more digits: sixteen of them. */
static void test_rule(void **state)
{
    struct rng r = {1};
    for (int i = 0; i < 20000; i++) {
        int64_t rate = 2 + rng_below(&r, 1 << 24);
        int64_t n = 1 + rng_below(&r, 100000);
        int64_t b = n * (1 + rng_below(&r, 1 << rng_below(&r, 24)));
        struct allocated a = {n, b};
        assert_true(heap_unsample(&a, HEAP_UNSAMPLE, (double)rate));
        long double x = (long double)b / (long double)n / (long double)rate;
        long double p = -expm1l(-x);
        /* 1 - exp(-x) is only as exact as exp(-x), near to 1. */
        long double slack = 1 + (long double)b / p * 0x1p-51L / p;
        assert_true(fabsl((long double)a.objects - (long double)n / p) < slack);
        assert_true(fabsl((long double)a.bytes - (long double)b / p) < slack);
    }
}

static void test_overflow(void **state)
{
    /* So small that they have no probability, and a product over 2^63. */
    static const struct allocated over[] = {
        {INT64_MAX, 1}, {1000, INT64_MAX}, {INT64_MIN, -1}};
    for (size_t i = 0; i < sizeof over / sizeof *over; i++) {
        struct allocated a = over[i];
        assert_false(heap_unsample(&a, HEAP_UNSAMPLE, (double)INT64_MAX));
        assert_memory_equal(&a, &over[i], sizeof a);
    }
    struct allocated a = {INT64_MAX, 1};
    assert_false(heap_unsample(&a, HEAP_UNSAMPLE_V1, 65536));
    assert_int_equal(a.objects, INT64_MAX);
}

static void test_v1(void **state)
{
    struct allocated a = {2, 2000};
    assert_true(heap_unsample(&a, HEAP_UNSAMPLE_V1, 65536));
    /* Each of the two is an interval's worth: 65.536 times itself. */
    assert_int_equal(a.objects, 131);
    assert_int_equal(a.bytes, 131072);
    a = (struct allocated){2, 131072};
    assert_true(heap_unsample(&a, HEAP_UNSAMPLE_V1, 65536));
    assert_int_equal(a.objects, 2);
    assert_int_equal(a.bytes, 131072);
    a = (struct allocated){5, 0};
    assert_true(heap_unsample(&a, HEAP_UNSAMPLE_V1, 65536));
    assert_int_equal(a.objects, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known), cmocka_unit_test(test_last_bit),
        cmocka_unit_test(test_rule),  cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_v1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
