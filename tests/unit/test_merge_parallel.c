/*
 * Mergers that several threads use: whatever thread adds what input when, the
 * result is that of adding one after another.
 */
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "merge_try.h"
#include "profile/merge/merge.h"
#include "random_profile.h"
#include "unit.h"

enum { THREADS = 3 };

static void must(bool ok, const struct prof_err *err)
{
    if (!ok)
        fail_msg("%s", err->text);
}

static struct buf finish(struct prof_merger *m)
{
    struct profile out;
    struct prof_err err;
    must(prof_merge_finish(m, 1, &out, NULL, &err), &err);
    struct buf b = profile_bytes(&out);
    prof_free(&out);
    prof_merge_free(m);
    return b;
}

/* The sum of n profiles, one by one. */
static struct buf plain(struct profile *p, size_t n,
                        enum prof_merge_types types)
{
    struct prof_err err;
    struct prof_merger *m =
        prof_merge_new(&(struct prof_merge_opts){.types = types}, &err);
    assert_non_null(m);
    for (size_t i = 0; i < n; i++)
        must(prof_merge_add(m, &p[i], &err), &err);
    return finish(m);
}

/* The sum of n profiles, all but the first by several threads. */
static struct buf shared(struct profile *p, size_t n,
                         enum prof_merge_types types, bool take)
{
    struct prof_err err;
    struct prof_merger *m = prof_merge_new(
        &(struct prof_merge_opts){.types = types, .threads = THREADS}, &err);
    assert_non_null(m);
    must(prof_merge_add(m, &p[0], &err), &err);
    must(add_parallel(m, THREADS, p + 1, n - 1, take, &err), &err);
    assert_int_equal(prof_merge_state(m).inputs, n);
    return finish(m);
}

static void compare(uint64_t seed, const struct random_opts *opts,
                    enum prof_merge_types types, bool take)
{
    enum { N = 9 };
    struct profile p[N];
    for (size_t i = 0; i < N; i++)
        random_profile(&p[i], seed ^ (i & 1), seed + i, opts);
    struct buf a = plain(p, N, types), b = shared(p, N, types, take);
    if (a.n != b.n || memcmp(a.v, b.v, a.n) != 0)
        fail_msg("seed %llu", (unsigned long long)seed);
    buf_free(&a);
    buf_free(&b);
    for (size_t i = 0; i < N; i++)
        prof_free(&p[i]);
}

static void small(void **state)
{
    for (uint64_t seed = 0; seed < 300; seed += 2) {
        struct random_opts opts = {.negative = true, .fixed = seed & 4};
        compare(seed, &opts, PROF_TYPES_SAME, seed & 8);
    }
}

static void large(void **state)
{
    for (uint64_t seed = 1000; seed < 1060; seed += 2) {
        struct random_opts opts = {.max_samples = 3000};
        compare(seed, &opts, PROF_TYPES_SAME, seed & 2);
    }
}

static void types_that_differ(void **state)
{
    for (uint64_t seed = 0; seed < 100; seed += 2) {
        struct random_opts opts = {.types = RANDOM_TYPES_SUBSETS};
        compare(seed, &opts, PROF_TYPES_UNION, seed & 2);
        compare(seed, &opts, PROF_TYPES_INTERSECT, seed & 2);
    }
}

struct messages {
    struct prof_merger *m;
    struct buf *v;
    bool failed[THREADS];
};

static void decode_one(void *ctx, unsigned thread, size_t i)
{
    struct messages *all = ctx;
    struct prof_err err;
    if (!prof_merge_decode(all->m, all->v[i].v, all->v[i].n, NULL, &err))
        all->failed[thread] = true;
}

/* Messages that several threads decode, from the first on. */
static void decoded(void **state)
{
    enum { N = 7 };
    for (uint64_t seed = 0; seed < 200; seed += 2) {
        const struct random_opts opts = {.max_samples = 60};
        struct profile p[N];
        struct buf v[N];
        struct prof_err err;
        for (size_t i = 0; i < N; i++) {
            random_profile(&p[i], seed ^ (i & 1), seed + i, &opts);
            v[i] = profile_bytes(&p[i]);
        }
        struct messages all = {.v = v};
        all.m =
            prof_merge_new(&(struct prof_merge_opts){.threads = THREADS}, &err);
        assert_non_null(all.m);
        parallel_run(THREADS, N, decode_one, &all);
        for (size_t i = 0; i < THREADS; i++)
            assert_false(all.failed[i]);
        struct buf a = plain(p, N, PROF_TYPES_SAME), b = finish(all.m);
        assert_int_equal(a.n, b.n);
        assert_memory_equal(a.v, b.v, a.n);
        buf_free(&a);
        buf_free(&b);
        for (size_t i = 0; i < N; i++) {
            buf_free(&v[i]);
            prof_free(&p[i]);
        }
    }
}

struct some {
    struct prof_merger *m;
    struct profile *p;
    size_t refused[THREADS];
};

/* Adds what can be added. */
static void add_some(void *ctx, unsigned thread, size_t i)
{
    struct some *s = ctx;
    struct prof_err err;
    s->refused[thread] += !prof_merge_add(s->m, &s->p[i], &err);
}

/* An input of other types is refused; the others are added. */
static void refused(void **state)
{
    struct profile p[4];
    struct prof_err err;
    struct random_opts opts = {0};
    struct some some = {.p = p + 1};
    for (uint64_t i = 0; i < 3; i++)
        random_profile(&p[i], i, i + 2, &opts);
    must(prof_init(&p[3], &err) && prof_add_type(&p[3], "x", "y", &err), &err);
    struct buf b = plain(p, 3, PROF_TYPES_SAME);
    struct profile last = p[2];
    p[2] = p[3];
    p[3] = last;
    struct prof_merger *m = some.m =
        prof_merge_new(&(struct prof_merge_opts){.threads = THREADS}, &err);
    assert_true(m && prof_merge_add(m, &p[0], &err));
    parallel_run(THREADS, 3, add_some, &some);
    assert_int_equal(some.refused[0] + some.refused[1] + some.refused[2], 1);
    struct buf a = finish(m);
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.v, b.v, a.n);
    buf_free(&a);
    buf_free(&b);
    for (size_t i = 0; i < 4; i++)
        prof_free(&p[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small),
        cmocka_unit_test(large),
        cmocka_unit_test(types_that_differ),
        cmocka_unit_test(decoded),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
