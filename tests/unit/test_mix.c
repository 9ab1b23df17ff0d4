/* Hashes that whoever makes the input cannot foresee. */
#include <string.h>

#include "unit.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/hash.h"
#include "base/strtab.h"

static void test_seed(void **state)
{
    assert_int_not_equal(hash_seed(), 0);
    assert_int_equal(hash_seed(), hash_seed());
}

/*
 * XXH3 multiplies eight bytes of a text with the next eight.  Those here are
 * what makes the first factor 0 where no seed is, so that the others do not
 * count.
 */
static void make(char *text, uint32_t i)
{
    static const uint8_t secret[] = {0xb8, 0xfe, 0x6c, 0x39,
                                     0x23, 0xa4, 0x4b, 0xbe};
    memset(text, 'x', 32);
    memcpy(text, secret, sizeof secret);
    memcpy(text + 8, &i, sizeof i);
}

static void test_texts_that_would_collide(void **state)
{
    char a[32], b[32];
    struct strtab t;
    uint32_t id_a, id_b;
    make(a, 1);
    make(b, 2);
    assert_int_equal(XXH3_64bits(a, sizeof a), XXH3_64bits(b, sizeof b));
    assert_true(strtab_init(&t));
    assert_true(strtab_add(&t, a, sizeof a, &id_a));
    assert_true(strtab_add(&t, b, sizeof b, &id_b));
    assert_int_not_equal(id_a, id_b);
    assert_true(strtab_hash(&t, id_a) != strtab_hash(&t, id_b));
    strtab_free(&t);
}

/* The numbers that make a factor 0 differ with the seed. */
static void test_no_factor_is_zero(void **state)
{
    uint64_t seed = hash_seed();
    uint64_t first = 0x9e3779b97f4a7c15, second = 0xd6e8feb86659fd93;
    assert_int_equal(hash_pair(0, first, 1), hash_pair(0, first, 2));
    assert_true(hash_pair(seed, first, 1) != hash_pair(seed, first, 2));
    assert_true(hash_pair(seed, 1, second) != hash_pair(seed, 2, second));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seed),
        cmocka_unit_test(test_texts_that_would_collide),
        cmocka_unit_test(test_no_factor_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
