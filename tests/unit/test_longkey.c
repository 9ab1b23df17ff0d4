/*
 * Sorting by keys of any length, and by 64 bits: held to a comparing sort of
 * a few lines, for any number of threads.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "random_profile.h"
#include "unit.h"

enum { MOST_THREADS = 5 };

/* --- 64 bits ---------------------------------------------------------------
 */

/* Ids are places before the sort, so that they tell whether it is stable. */
static void check_sorted(uint64_t (*key)(uint64_t), size_t n)
{
    struct radix_item *v = calloc(n + 1, sizeof *v);
    struct radix_item *spare = calloc(n + 1, sizeof *v);
    uint8_t *seen = calloc(n + 1, 1);
    assert_true(v && spare && seen);
    for (size_t i = 0; i < n; i++)
        v[i] = (struct radix_item){.key = key(i), .id = (uint32_t)i};
    radix_sort(v, spare, n);
    for (size_t i = 0; i < n; i++) {
        assert_true(v[i].id < n && !seen[v[i].id]++);
        assert_true(v[i].key == key(v[i].id));
        if (i)
            assert_true(v[i - 1].key < v[i].key ||
                        (v[i - 1].key == v[i].key && v[i - 1].id < v[i].id));
    }
    free(v);
    free(spare);
    free(seen);
}

static uint64_t any_key(uint64_t i)
{
    return rng_next(&(struct rng){i});
}

static uint64_t same_key(uint64_t i)
{
    (void)i;
    return 77;
}

static uint64_t key_of_13(uint64_t i)
{
    uint64_t k = any_key(i) % 13;
    return any_key(k);
}

static uint64_t key_of_1000(uint64_t i)
{
    uint64_t k = any_key(i) % 1000;
    return any_key(k);
}

static uint64_t key_of_5000(uint64_t i)
{
    uint64_t k = any_key(i) % 5000;
    return any_key(k);
}

/* Few at first, then ever more. */
static uint64_t late_keys(uint64_t i)
{
    return any_key(i < 50000 ? i % 7 : i);
}

/* Keys whose products with the multiplier of a common hash are small. */
static uint64_t colliding(uint64_t i)
{
    uint64_t inverse = 1;
    for (int k = 0; k < 6; k++) /* Newton's: bits that are right double */
        inverse *= 2 - 0x9e3779b97f4a7c15U * inverse;
    return inverse * (i % 2000);
}

static void words(void **state)
{
    static const size_t sizes[] = {0,   1,    2,    3,     47,    48,
                                   49,  50,   100,  255,   256,   257,
                                   999, 4096, 9999, 70000, 100000};
    uint64_t (*const keys[])(uint64_t) = {
        any_key,     same_key,  key_of_13, key_of_1000,
        key_of_5000, late_keys, colliding,
    };
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            check_sorted(keys[k], sizes[i]);
}

/* --- rows of words ---------------------------------------------------------
 */

/* Rows, each a length and so many words; a row that ends comes first. */
struct rows {
    size_t n, longest;
    uint64_t *v;
    size_t *length;
};

static uint64_t *row(const struct rows *r, size_t i)
{
    return r->v + i * r->longest;
}

static int compare(const struct rows *r, size_t a, size_t b)
{
    size_t k = 0, m = r->length[a], n = r->length[b];
    while (k < m && k < n && row(r, a)[k] == row(r, b)[k])
        k++;
    if (k < m && k < n)
        return row(r, a)[k] < row(r, b)[k] ? -1 : 1;
    return (m > n) - (m < n);
}

static int stable(const void *a, const void *b, void *ctx)
{
    uint32_t i, j;
    memcpy(&i, a, sizeof i);
    memcpy(&j, b, sizeof j);
    int d = compare(ctx, i, j);
    return d ? d : (i > j) - (i < j);
}

/* Words are below 2^64 - 1, so that one more than each is left for them. */
static bool part(const void *ctx, struct radix_item *v, size_t n, size_t *depth)
{
    const struct rows *r = ctx;
    uint64_t differ = 0;
    bool more = false;
    for (size_t i = 0; i < n; i++) {
        bool has = *depth < r->length[v[i].id];
        v[i].key = has ? row(r, v[i].id)[*depth] + 1 : 0;
        differ |= v[i].key ^ v[0].key;
        more = more || has;
    }
    ++*depth;
    return differ || more;
}

/* Passes over all that a range shares. */
static bool skipping(const void *ctx, struct radix_item *v, size_t n,
                     size_t *depth)
{
    bool more;
    uint64_t differ = 0;
    do {
        more = part(ctx, v, n, depth);
        for (size_t i = 0; i < n; i++)
            differ |= v[i].key ^ v[0].key;
    } while (more && !differ);
    return differ != 0;
}

static int cmp(const void *ctx, uint32_t a, uint32_t b, size_t depth)
{
    const struct rows *r = ctx;
    for (size_t k = 0; k < depth && k < r->length[a]; k++)
        assert_true(k < r->length[b] && row(r, a)[k] == row(r, b)[k]);
    return compare(r, a, b);
}

static struct rows rows_of(size_t n, size_t longest)
{
    struct rows r = {n, longest, calloc(n * longest + 1, sizeof *r.v),
                     calloc(n + 1, sizeof *r.length)};
    assert_true(r.v && r.length);
    return r;
}

/* However it is done, it gives what qsort does; frees the rows. */
static void check_rows(struct rows r)
{
    struct longkey ways[] = {
        {part, NULL, &r, 0}, {skipping, NULL, &r, 0}, {skipping, cmp, &r, 0}};
    uint32_t *want = calloc(r.n + 1, sizeof *want);
    struct radix_item *v = calloc(r.n + 1, sizeof *v);
    struct radix_item *spare = calloc(r.n + 1, sizeof *v);
    assert_true(want && v && spare);
    bool equal = false, found;
    for (size_t i = 0; i < r.n; i++)
        want[i] = (uint32_t)i;
    qsort_r(want, r.n, sizeof *want, stable, &r);
    for (size_t i = 1; i < r.n; i++)
        equal = equal || !compare(&r, want[i - 1], want[i]);
    for (unsigned threads = 0; threads <= MOST_THREADS; threads++) {
        for (size_t way = 0; way < 3; way++) {
            for (size_t i = 0; i < r.n; i++)
                v[i] = (struct radix_item){.id = (uint32_t)i};
            found = !equal;
            ways[way].threads = threads;
            assert_true(longkey_sort(&ways[way], v, spare, r.n, &found));
            assert_int_equal(found, equal);
            for (size_t i = 0; i < r.n; i++)
                if (v[i].id != want[i])
                    fail_msg("%zu rows, way %zu, %u threads: place %zu", r.n,
                             way, threads, i);
        }
    }
    free(want);
    free(v);
    free(spare);
    free(r.v);
    free(r.length);
}

/* Rows of up to so many words, each one of so many. */
static struct rows random_rows(size_t n, size_t longest, uint64_t words_in_use,
                               uint64_t seed)
{
    struct rng rng = {seed};
    struct rows r = rows_of(n, longest);
    for (size_t i = 0; i < n; i++) {
        r.length[i] = rng_next(&rng) % (longest + 1);
        for (size_t k = 0; k < r.length[i]; k++)
            row(&r, i)[k] = any_key(rng_next(&rng) % words_in_use) >> 1;
    }
    return r;
}

static void random_keys(void **state)
{
    for (uint64_t seed = 0; seed < 100; seed++)
        check_rows(random_rows(seed % 60, 1 + seed % 6, 1 + seed % 3, seed));
    check_rows(random_rows(20000, 12, 2, 1));
    check_rows(random_rows(20000, 8, 5, 2));
    check_rows(random_rows(20000, 3, 100000, 3));
}

/* All rows the same, and none with any words. */
static void equal_keys(void **state)
{
    check_rows(random_rows(9000, 0, 1, 1));
    struct rows r = rows_of(9000, 20);
    for (size_t i = 0; i < r.n; i++)
        r.length[i] = 20;
    check_rows(r);
}

/* Row i goes on from row i - 1: each step leaves one behind. */
static void nested_keys(void **state)
{
    struct rows r = rows_of(1000, 1000);
    for (size_t i = 0; i < r.n; i++)
        r.length[(i * 7919) % r.n] = i;
    check_rows(r);
}

/* Most items in one bucket, again and again, and the others one by one. */
static void skewed_keys(void **state)
{
    struct rows r = rows_of(30000, 30);
    for (size_t i = 0; i < r.n; i++) {
        r.length[i] = r.longest;
        for (size_t k = 0; k < r.longest; k++)
            row(&r, i)[k] = i % 100 == k ? i : 0;
    }
    check_rows(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),       cmocka_unit_test(random_keys),
        cmocka_unit_test(equal_keys),  cmocka_unit_test(nested_keys),
        cmocka_unit_test(skewed_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
