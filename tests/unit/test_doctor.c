/*
 * doctor_examine() and doctor_mend() on messages of every kind, sound and
 * mutated: what has no errors the decoder takes, what the decoder refuses has
 * errors, and what is mended has none and has lost nothing unaccounted for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check/mend.h"
#include "doctor_oracle.h"
#include "msg.h"
#include "pb/fields.h"
#include "random_message.h"

enum { MESSAGES = 1200, MUTATIONS = 6 /* of each */ };

struct tally {
    size_t sound, mended, refused, compared;
};

static void check(const struct buf *b, struct tally *tally)
{
    bool compared;
    switch (doctor_decide(b->v, b->n, &compared)) {
    case DOCTOR_SOUND:
        tally->sound++;
        break;
    case DOCTOR_MENDED:
        tally->mended++;
        break;
    default:
        tally->refused++;
    }
    tally->compared += compared;
}

struct result {
    struct buf bytes;
    size_t n;
};

static bool take(void *ctx, struct profile *p, struct err *err)
{
    struct result *r = ctx;
    (void)err;
    buf_free(&r->bytes);
    r->bytes = profile_bytes(p);
    r->n++;
    return true;
}

/* --- tests -----------------------------------------------------------------
 */

static void random_messages(void **state)
{
    (void)state;
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
    (void)state;
    struct tally tally = {0};
    for (uint64_t seed = 0; seed < MESSAGES; seed++)
        for (uint64_t i = 0; i < MUTATIONS; i++) {
            struct rng r = {seed << 8 | i};
            struct buf b = random_message(seed);
            mutate(&b, &r);
            check(&b, &tally);
            buf_free(&b);
        }
    print_message("%zu sound, %zu mended, %zu refused; sums of %zu\n",
                  tally.sound, tally.mended, tally.refused, tally.compared);
    assert_true(tally.sound > 50 && tally.mended > 1000 &&
                tally.refused > 100 && tally.compared > 500);
}

/* A random profile without errors, as our tools write it. */
static struct buf sound_profile(uint64_t seed)
{
    const struct random_opts opts = {.types = RANDOM_TYPES_ONE_SET};
    struct result r = {.n = 0};
    struct profile p;
    struct err err;
    random_profile(&p, seed, seed, &opts);
    struct buf b = profile_bytes(&p);
    assert_true(doctor_mend(b.v, b.n, NULL, take, &r, &err));
    struct doctor_counts counts = doctor_counted(r.bytes.v, r.bytes.n);
    assert_int_equal(doctor_count(&counts, DOCTOR_ERROR), 0);
    buf_free(&b);
    prof_free(&p);
    return r.bytes;
}

/* Profiles as they are written by all tools, and then broken. */
static void mutated_profiles(void **state)
{
    (void)state;
    struct tally tally = {0};
    for (uint64_t seed = 0; seed < MESSAGES; seed++) {
        struct rng r = {seed};
        struct buf b = sound_profile(seed);
        mutate(&b, &r);
        check(&b, &tally);
        buf_free(&b);
    }
    print_message("%zu sound, %zu mended, %zu refused; sums of %zu\n",
                  tally.sound, tally.mended, tally.refused, tally.compared);
    assert_true(tally.sound > 30 && tally.mended > 300 && tally.refused > 10 &&
                tally.compared > 10);
}

/* Two, one behind the other: told apart, unless they are one by themselves. */
static void glued(void **state)
{
    (void)state;
    size_t n_apart = 0;
    for (uint64_t seed = 0; seed < MESSAGES / 10; seed++) {
        struct buf a = sound_profile(seed), b = sound_profile(seed + 1);
        struct result r = {.n = 0};
        struct err err;
        assert_true(buf_put(&a, b.v, b.n));
        struct doctor_counts counts = doctor_counted(a.v, a.n);
        if (counts.of[RULE_CONCATENATED]) {
            assert_int_equal(counts.of[RULE_CONCATENATED], 1);
            assert_true(doctor_mend(a.v, a.n, NULL, take, &r, &err));
            assert_int_equal(r.n, 2);
            assert_int_equal(r.bytes.n, b.n);
            assert_memory_equal(r.bytes.v, b.v, b.n);
            n_apart++;
        }
        buf_free(&r.bytes);
        buf_free(&a);
        buf_free(&b);
    }
    assert_true(n_apart > MESSAGES / 20);
}

struct counter {
    size_t n;
    uint64_t amount;
};

static bool count_finding(void *ctx, const struct doctor_finding *f,
                          struct err *err)
{
    struct counter *c = ctx;
    (void)err;
    assert_non_null(f->text);
    c->n++;
    c->amount += f->amount;
    return true;
}

/* All findings are told, or the first of each rule; all are counted. */
static void most(void **state)
{
    (void)state;
    struct buf b = {0}, sample = {0};
    for (int i = 0; i < 1000; i++) {
        msg_num(&sample, SAMPLE_LOCATION_ID, 77);
        msg_num(&sample, 99, 1);
        msg_sub(&b, PROFILE_SAMPLE, &sample);
    }
    msg_str(&b, PROFILE_STRING_TABLE, "");
    for (uint64_t limit = 0; limit <= 10; limit += 10) {
        struct counter c = {0, 0};
        const struct doctor_opts opts = {limit, count_finding, &c};
        struct doctor_counts counts = {{0}};
        struct err err;
        assert_true(doctor_examine(b.v, b.n, &opts, &counts, &err));
        assert_int_equal(counts.of[RULE_DANGLING_LOCATION], 1000);
        assert_int_equal(counts.of[RULE_UNKNOWN_FIELD], 1000);
        assert_int_equal(counts.of[RULE_DUPLICATE_SAMPLE], 999);
        assert_int_equal(counts.of[RULE_NO_SAMPLE_TYPE], 1);
        assert_int_equal(counts.of[RULE_TIME_MISSING], 1);
        /* The thousand unknown fields are one finding. */
        assert_int_equal(c.n, limit ? 10 + 1 + 10 + 2 : 1000 + 1 + 999 + 2);
        assert_int_equal(c.amount - c.n, 999);
    }
    buf_free(&b);
}

static void rules_are_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < DOCTOR_RULES; i++) {
        const struct doctor_rule_info *r = &doctor_rules[i];
        assert_non_null(r->name);
        assert_int_equal(
            strspn(r->name, "abcdefghijklmnopqrstuvwxyz0123456789-"),
            strlen(r->name));
        assert_true(r->sentence[strlen(r->sentence) - 1] == '.');
        assert_true(!r->pprof_refuses || r->severity == DOCTOR_ERROR);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(r->name, doctor_rules[k].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_messages),
        cmocka_unit_test(mutated_messages),
        cmocka_unit_test(mutated_profiles),
        cmocka_unit_test(glued),
        cmocka_unit_test(most),
        cmocka_unit_test(rules_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
