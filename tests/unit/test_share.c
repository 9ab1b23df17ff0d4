/*
 * Mergers that share a sum: whatever each of them is given, in turn or at
 * once, the result is that of adding all of it to one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/parallel.h"
#include "profile/merge/merge.h"
#include "random_profile.h"

enum { MERGERS = 3 };

static void must(bool ok, const struct err *err)
{
    if (!ok)
        fail_msg("%s", err->text);
}

static struct buf finish(struct merger *m)
{
    struct profile out;
    struct err err;
    must(merge_finish(m, &out, &err), &err);
    struct buf b = profile_bytes(&out);
    prof_free(&out);
    merge_free(m);
    return b;
}

/* The sum of n profiles, one by one. */
static struct buf plain(struct profile *p, size_t n, enum merge_types types)
{
    struct err err;
    struct merger *m = merge_new(types, &err);
    assert_non_null(m);
    for (size_t i = 0; i < n; i++)
        must(merge_add(m, &p[i], &err), &err);
    return finish(m);
}

struct share {
    struct merger *sum, *m[MERGERS];
    struct profile *p; /* p[0] is in the sum */
    size_t n;
    struct err err[MERGERS];
};

/* What one of the mergers is given: every third profile. */
static void add(void *ctx, unsigned thread, size_t piece)
{
    struct share *s = ctx;
    (void)thread;
    s->err[piece].kind = ERR_NONE;
    for (size_t i = 1 + piece; i < s->n; i += MERGERS)
        if (!merge_add(s->m[piece], &s->p[i], &s->err[piece]))
            return;
}

/* The sum of n profiles by several mergers, in so many threads. */
static struct buf shared(struct profile *p, size_t n, enum merge_types types,
                         unsigned threads)
{
    struct err err;
    struct share s = {.sum = merge_new(types, &err), .p = p, .n = n};
    assert_non_null(s.sum);
    must(merge_add(s.sum, &p[0], &err), &err);
    for (size_t i = 0; i < MERGERS; i++) {
        s.m[i] = merge_new_like(s.sum, &err);
        assert_non_null(s.m[i]);
        must(merge_share(s.m[i], s.sum, &err), &err);
    }
    parallel_run(threads, MERGERS, add, &s);
    for (size_t i = 0; i < MERGERS; i++) {
        must(s.err[i].kind == ERR_NONE, &s.err[i]);
        must(merge_join(s.sum, s.m[i], &err), &err);
        merge_free(s.m[i]);
    }
    return finish(s.sum);
}

static void compare(uint64_t seed, const struct random_opts *opts,
                    enum merge_types types, unsigned threads)
{
    enum { N = 9 };
    struct profile p[N];
    for (size_t i = 0; i < N; i++)
        random_profile(&p[i], seed ^ (i & 1), seed + i, opts);
    struct buf a = plain(p, N, types), b = shared(p, N, types, threads);
    if (a.n != b.n || memcmp(a.v, b.v, a.n) != 0)
        fail_msg("seed %llu", (unsigned long long)seed);
    buf_free(&a);
    buf_free(&b);
    for (size_t i = 0; i < N; i++)
        prof_free(&p[i]);
}

static void in_turn(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed += 2) {
        struct random_opts opts = {.negative = true, .fixed = seed & 4};
        compare(seed, &opts, MERGE_TYPES_SAME, 1);
    }
}

static void at_once(void **state)
{
    (void)state;
    for (uint64_t seed = 1000; seed < 1060; seed += 2) {
        struct random_opts opts = {.max_samples = 3000};
        compare(seed, &opts, MERGE_TYPES_SAME, MERGERS);
    }
}

/* These have sums of their own all the same. */
static void types_that_differ(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed += 2) {
        struct random_opts opts = {.types = RANDOM_TYPES_SUBSETS};
        compare(seed, &opts, MERGE_TYPES_UNION, MERGERS);
        compare(seed, &opts, MERGE_TYPES_INTERSECT, MERGERS);
    }
}

/* An input of other types is refused by one; the others go on. */
static void refused(void **state)
{
    (void)state;
    struct profile p[2], other;
    struct err err;
    struct random_opts opts = {0};
    random_profile(&p[0], 1, 2, &opts);
    random_profile(&p[1], 3, 4, &opts);
    must(prof_init(&other, &err) && prof_add_type(&other, "x", "y", &err),
         &err);
    struct merger *sum = merge_new(MERGE_TYPES_SAME, &err);
    assert_true(sum && merge_add(sum, &p[0], &err));
    struct merger *m = merge_new_like(sum, &err);
    assert_true(m && merge_share(m, sum, &err));
    assert_false(merge_add(m, &other, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    must(merge_add(m, &p[1], &err) && merge_join(sum, m, &err), &err);
    merge_free(m);
    struct buf a = finish(sum), b = plain(p, 2, MERGE_TYPES_SAME);
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.v, b.v, a.n);
    buf_free(&a);
    buf_free(&b);
    prof_free(&other);
    prof_free(&p[0]);
    prof_free(&p[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_turn),
        cmocka_unit_test(at_once),
        cmocka_unit_test(types_that_differ),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
