/*
 * prof_merge_take(): what a merger does to profiles that it may use up is, to
 * the byte, what it does to those that it may not.
 */
#include <stdlib.h>
#include <string.h>

#include "merge_try.h"
#include "profile/merge/merge.h"
#include "random_profile.h"
#include "said.h"
#include "unit.h"

static void must(bool ok, const struct prof_err *err)
{
    if (!ok)
        fail_msg("%s", err->text);
}

static void assert_same(struct buf *a, struct buf *b, uint64_t seed)
{
    if (a->n != b->n || memcmp(a->v, b->v, a->n) != 0)
        fail_msg("seed %llu", (unsigned long long)seed);
    buf_free(a);
    buf_free(b);
}

/* The canonical form of *p, taken or not, as bytes. */
static struct buf canonical(struct profile *p, bool take)
{
    struct profile out;
    struct prof_err err;
    must(take ? prof_canonical(p, 1, &out, NULL, &err)
              : canonical_copy(p, &out, &err),
         &err);
    struct buf b = profile_bytes(&out);
    prof_free(&out);
    return b;
}

/* Random profiles have equal samples, samples of 0, and some that cancel. */
static void alone(void **state)
{
    for (uint64_t seed = 0; seed < 800; seed++) {
        struct random_opts opts = {.negative = seed & 1, .fixed = seed & 2};
        struct profile p;
        random_profile(&p, seed, seed ^ 5, &opts);
        struct buf a = canonical(&p, false), b = canonical(&p, true);
        assert_same(&a, &b, seed);
        prof_free(&p);
    }
}

/* The sum of n random profiles; each is taken where `taken` has its bit. */
static struct buf sum(uint64_t seed, size_t n, unsigned taken)
{
    struct random_opts opts = {.negative = true, .types = RANDOM_TYPES_SUBSETS};
    struct profile p, out;
    struct prof_err err;
    struct prof_merger *m = prof_merge_new(
        &(struct prof_merge_opts){.types = PROF_TYPES_UNION}, &err);
    assert_non_null(m);
    for (size_t i = 0; i < n; i++) {
        random_profile(&p, seed ^ (i & 1), seed + i, &opts);
        must(taken >> i & 1 ? prof_merge_take(m, &p, &err)
                            : prof_merge_add(m, &p, &err),
             &err);
        prof_free(&p);
    }
    must(prof_merge_finish(m, 1, &out, NULL, &err), &err);
    prof_merge_free(m);
    struct buf b = profile_bytes(&out);
    prof_free(&out);
    return b;
}

static void together(void **state)
{
    for (uint64_t seed = 0; seed < 200; seed += 2)
        for (unsigned taken = 1; taken < 16; taken += 3) {
            struct buf a = sum(seed, 4, 0), b = sum(seed, 4, taken);
            assert_same(&a, &b, seed);
        }
}

/* n samples of these values with one stack, in a mapping of its own. */
static void same_stack(struct profile *p, const int64_t *values, size_t n)
{
    struct prof_err err;
    struct prof_mapping m = {.start = 0x1000, .limit = 0x2000};
    struct prof_location l = {.address = 0x1100};
    bool ok = prof_init(p, &err) && prof_add_type(p, "cpu", "ns", &err);
    for (uint32_t i = 0; ok && i < 2; i++) {
        m.start += 0x10000;
        m.limit += 0x10000;
        l.address = m.start + 16;
        ok = prof_str(p, i ? "b" : "a", &m.filename, &err) &&
             prof_add_mapping(p, &m, &l.mapping, &err) &&
             prof_add_location(p, &l, NULL, 0, NULL, &err);
    }
    uint32_t frame = 1;
    for (size_t i = 0; ok && i < n; i++)
        ok = prof_add_sample(p, &frame, 1, &values[i], 0, &err);
    must(ok, &err);
}

/* Of two samples that cancel nothing is left, their mapping neither. */
static void cancelled(void **state)
{
    struct profile p, out;
    struct prof_err err;
    same_stack(&p, (int64_t[]){7, 5, -12}, 3);
    must(prof_canonical(&p, 1, &out, NULL, &err), &err);
    assert_int_equal(out.n_samples, 0);
    assert_int_equal(out.n_mappings, 1); /* the first one stays */
    assert_string_equal(prof_cstr(&out, out.mappings[0].filename), "a");
    prof_free(&out);
    prof_free(&p);
}

/* A sum may pass 2^63 on the way, but not stay there. */
static void overflow(void **state)
{
    struct profile p, out;
    struct prof_err err;
    same_stack(&p, (int64_t[]){INT64_MAX, 5, -5}, 3);
    must(prof_canonical(&p, 1, &out, NULL, &err), &err);
    assert_int_equal(out.n_samples, 1);
    assert_true(out.values[0] == INT64_MAX);
    prof_free(&out);
    prof_free(&p);
    same_stack(&p, (int64_t[]){INT64_MAX, 5, -4}, 3);
    assert_false(prof_canonical(&p, 1, &out, NULL, &err));
    assert_said(err.text,
                "the sum of cpu/ns of the sample at 0x10 exceeds 64 bits");
    prof_free(&out);
    prof_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone),
        cmocka_unit_test(together),
        cmocka_unit_test(cancelled),
        cmocka_unit_test(overflow),
    };
    return cmocka_run_group_tests_name("take", tests, NULL, NULL);
}
