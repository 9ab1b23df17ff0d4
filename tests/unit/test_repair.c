/*
 * prof_check() and repair_message() on messages of every kind, sound and
 * mutated: the decoder reads what has no errors, what it refuses has errors,
 * and what is repaired has none and has lost nothing unaccounted for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "msg.h"
#include "profile/check/repair.h"
#include "profile/wire/wire.h"
#include "random_message.h"
#include "repair_oracle.h"
#include "unit.h"

enum { MESSAGES = 1200, MUTATIONS = 6 /* of each */ };

struct tally {
    size_t sound, repaired, refused, compared;
};

static void check(const struct buf *b, struct tally *tally)
{
    bool compared;
    switch (decide_message(b->v, b->n, &compared)) {
    case VERDICT_SOUND:
        tally->sound++;
        break;
    case VERDICT_REPAIRED:
        tally->repaired++;
        break;
    default:
        tally->refused++;
    }
    tally->compared += compared;
}

/* --- tests -----------------------------------------------------------------
 */

static void random_messages(void **state)
{
    struct tally tally = {0};
    for (uint64_t seed = 0; seed < MESSAGES; seed++) {
        struct buf b = random_message(seed);
        check(&b, &tally);
        buf_free(&b);
    }
    assert_int_equal(tally.refused, 0);
    assert_true(tally.sound > 0);
}

static void mutated_messages(void **state)
{
    struct tally tally = {0};
    for (uint64_t seed = 0; seed < MESSAGES; seed++)
        for (uint64_t i = 0; i < MUTATIONS; i++) {
            struct rng r = {seed << 8 | i};
            struct buf b = random_message(seed);
            mutate(&b, &r);
            check(&b, &tally);
            buf_free(&b);
        }
    print_message("%zu sound, %zu repaired, %zu refused; sums of %zu\n",
                  tally.sound, tally.repaired, tally.refused, tally.compared);
    assert_true(tally.sound > 50 && tally.repaired > 1000 &&
                tally.refused > 100 && tally.compared > 500);
}

/* A random profile without errors, as our tools write it. */
static struct buf sound_profile(uint64_t seed)
{
    const struct random_opts opts = {.types = RANDOM_TYPES_ONE_SET};
    struct profile p, repaired;
    struct prof_err err;
    random_profile(&p, seed, seed, &opts);
    struct buf b = profile_bytes(&p);
    assert_true(repair_message(b.v, b.n, &repaired, NULL, &err));
    struct buf bytes = profile_bytes(&repaired);
    struct prof_check_counts counts = count_rules(bytes.v, bytes.n);
    assert_int_equal(counts.errors, 0);
    buf_free(&b);
    prof_free(&p);
    prof_free(&repaired);
    return bytes;
}

/* Profiles as they are written by all tools, and then broken. */
static void mutated_profiles(void **state)
{
    struct tally tally = {0};
    for (uint64_t seed = 0; seed < MESSAGES; seed++) {
        struct rng r = {seed};
        struct buf b = sound_profile(seed);
        mutate(&b, &r);
        check(&b, &tally);
        buf_free(&b);
    }
    print_message("%zu sound, %zu repaired, %zu refused; sums of %zu\n",
                  tally.sound, tally.repaired, tally.refused, tally.compared);
    assert_true(tally.sound > 30 && tally.repaired > 300 &&
                tally.refused > 10 && tally.compared > 10);
}

/* Two, one after the other, are suspected if anything repeats. */
static void concatenated(void **state)
{
    size_t n_suspected = 0;
    for (uint64_t seed = 0; seed < MESSAGES / 10; seed++) {
        struct buf a = sound_profile(seed), b = sound_profile(seed + 1);
        struct prof_check_counts counts = count_rules(a.v, a.n);
        assert_int_equal(counts.of[RULE_CONCATENATED], 0);
        assert_true(buf_put(&a, b.v, b.n));
        counts = count_rules(a.v, a.n);
        if (counts.of[RULE_CONCATENATED]) {
            assert_int_equal(counts.of[RULE_CONCATENATED], 1);
            n_suspected++;
        }
        buf_free(&a);
        buf_free(&b);
    }
    assert_true(n_suspected > MESSAGES / 20);
}

static bool count_finding(void *ctx, const struct prof_finding *f,
                          struct prof_err *err)
{
    size_t *n = ctx;
    (void)err;
    assert_non_null(f->text);
    (*n)++;
    return true;
}

/* All findings are reported, or the first of each rule; all are counted. */
static void most(void **state)
{
    struct buf b = {0}, sample = {0};
    for (int i = 0; i < 1000; i++) {
        msg_num(&sample, SAMPLE_LOCATION_ID, 77);
        msg_sub(&b, PROFILE_SAMPLE, &sample);
    }
    msg_str(&b, PROFILE_STRING_TABLE, "");
    for (uint64_t limit = 0; limit <= 10; limit += 10) {
        size_t n = 0;
        const struct prof_check_opts opts = {limit, count_finding, &n};
        struct prof_check_counts counts = {0};
        struct prof_err err;
        assert_true(prof_check(b.v, b.n, &opts, &counts, &err));
        assert_int_equal(counts.of[RULE_DANGLING_LOCATION], 1000);
        assert_int_equal(counts.of[RULE_NO_SAMPLE_TYPE], 1);
        assert_int_equal(n, limit ? 10 + 1 : 1000 + 1);
    }
    buf_free(&b);
}

static void rules_are_whole(void **state)
{
    for (size_t i = 0; i < CHECK_RULES; i++) {
        const struct prof_rule *r = &check_rules[i];
        assert_non_null(r->name);
        assert_int_equal(
            strspn(r->name, "abcdefghijklmnopqrstuvwxyz0123456789-"),
            strlen(r->name));
        assert_true(r->meaning[strlen(r->meaning) - 1] == '.');
        assert_true(!r->pprof_refuses || r->severity == PROF_ERROR);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(r->name, check_rules[k].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_messages),
        cmocka_unit_test(mutated_messages),
        cmocka_unit_test(mutated_profiles),
        cmocka_unit_test(concatenated),
        cmocka_unit_test(most),
        cmocka_unit_test(rules_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
