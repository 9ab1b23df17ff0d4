/*
 * Inputs decoded by prof_merge_decode(): the sum is, to the
 * byte, that of decoding each into a profile of its own, and inputs that are
 * refused leave no trace in it.
 */
#include <stdlib.h>
#include <string.h>

#include "msg.h"
#include "profile/merge/merge.h"
#include "profile/wire/pb.h"
#include "random_message.h"
#include "random_profile.h"
#include "said.h"
#include "unit.h"

static void must(bool ok, const struct prof_err *err)
{
    if (!ok)
        fail_msg("%s", err->text);
}

/* Adds a message by prof_merge_add(), or by prof_merge_decode(); false as err
 * says. */
static bool add(struct prof_merger *m, bool lent, const struct buf *b,
                struct prof_err *err)
{
    if (lent)
        return prof_merge_decode(m, b->v, b->n, NULL, err);
    struct profile p;
    bool ok =
        pb_decode(b->v, b->n, &p, NULL, err) && prof_merge_add(m, &p, err);
    prof_free(&p);
    return ok;
}

/* The result as bytes; or, in words, why there is none. */
static struct buf finish(struct prof_merger *m)
{
    struct profile out;
    struct prof_err err;
    struct buf b = {0};
    if (prof_merge_finish(m, 1, &out, NULL, &err))
        b = profile_bytes(&out);
    else
        assert_true(buf_puts(&b, err.text));
    prof_free(&out);
    prof_merge_free(m);
    return b;
}

static void assert_same(struct buf *a, struct buf *b)
{
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->v, b->v, a->n);
    buf_free(a);
    buf_free(b);
}

/* The sum of n messages that are good; either way says the same of others. */
static struct buf sum(struct buf *messages, size_t n,
                      enum prof_merge_types types)
{
    struct prof_err err, other;
    struct prof_merger *plain =
        prof_merge_new(&(struct prof_merge_opts){.types = types}, &err);
    struct prof_merger *lent =
        prof_merge_new(&(struct prof_merge_opts){.types = types}, &err);
    assert_true(plain && lent);
    for (size_t i = 0; i < n; i++) {
        bool ok = add(plain, false, &messages[i], &err);
        assert_int_equal(add(lent, true, &messages[i], &other), ok);
        if (!ok)
            assert_said(err.text, other.text);
    }
    struct buf a = finish(plain), b = finish(lent), copy = {0};
    assert_true(buf_put(&copy, a.v, a.n));
    assert_same(&a, &b);
    return copy;
}

/* Profiles that share much, and some that are cut off at any place. */
static void random_profiles(void **state)
{
    enum { N = 5 };
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct random_opts opts = {.negative = seed & 1,
                                   .types = seed & 2 ? RANDOM_TYPES_SUBSETS
                                                     : RANDOM_TYPES_ONE_SET};
        struct rng r = {seed};
        struct buf messages[N];
        for (size_t i = 0; i < N; i++) {
            struct profile p;
            random_profile(&p, seed + i, seed ^ i, &opts);
            messages[i] = profile_bytes(&p);
            prof_free(&p);
            if (rng_one_in(&r, 3))
                messages[i].n = rng_below(&r, (uint32_t)messages[i].n);
        }
        struct buf b = sum(messages, N, (enum prof_merge_types)(seed % 3));
        buf_free(&b);
        for (size_t i = 0; i < N; i++)
            buf_free(&messages[i]);
    }
}

/* Messages written in every way, changed at random. */
static void random_messages(void **state)
{
    enum { N = 6 };
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct rng r = {seed};
        struct buf messages[N];
        for (size_t i = 0; i < N; i++) {
            messages[i] = random_message(seed + i);
            if (rng_one_in(&r, 2))
                mutate(&messages[i], &r);
        }
        struct buf b = sum(messages, N, PROF_TYPES_UNION);
        buf_free(&b);
        for (size_t i = 0; i < N; i++)
            buf_free(&messages[i]);
    }
}

/* Samples that wait for the next input are added, not subtracted with it. */
static void subtracted_between(void **state)
{
    enum { N = 5 };
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct random_opts opts = {.types = RANDOM_TYPES_ONE_SET};
        struct prof_err err;
        struct prof_merger *m[2] = {prof_merge_new(NULL, &err),
                                    prof_merge_new(NULL, &err)};
        assert_true(m[0] && m[1]);
        for (size_t i = 0; i < N; i++) {
            struct profile p;
            random_profile(&p, seed, seed ^ i, &opts);
            struct buf b = profile_bytes(&p);
            for (size_t k = 0; k < 2; k++)
                must(i % 2 ? prof_merge_subtract(m[k], &p, &err)
                           : add(m[k], k, &b, &err),
                     &err);
            prof_free(&p);
            buf_free(&b);
        }
        struct buf a = finish(m[0]), b = finish(m[1]);
        assert_same(&a, &b);
    }
}

enum flaw {
    NO_FLAW,
    FIRST_STRING,
    NO_STRING_OF_COMMENT,
    NO_STRING_OF_MAPPING,
    NO_STRING_OF_FUNCTION,
    FUNCTION_TWICE,
    NO_MAPPING,
    NO_FUNCTION,
    LOCATION_TWICE,
    NO_STRING_OF_LABEL,
    TOO_MANY_VALUES,
    NO_LOCATION,
    CUT,
    N_FLAWS,
};

static const char *const words[] = {"", "cpu", "ns", "f", "/bin/x", "a word"};
enum { CPU = 1, NS, FUNCTION, FILENAME, WORD, NO_WORD = 99 };

static void put_entities(struct buf *b, enum flaw flaw, uint64_t start)
{
    struct buf m = {0}, line = {0};
    msg_num(&m, 1, 1);
    msg_num(&m, 2, start);
    msg_num(&m, 3, start + 0x1000);
    msg_num(&m, 5, flaw == NO_STRING_OF_MAPPING ? NO_WORD : FILENAME);
    msg_sub(b, 3, &m);
    for (int i = 0; i < 1 + (flaw == FUNCTION_TWICE); i++) {
        msg_num(&m, 1, 7);
        msg_num(&m, 2, flaw == NO_STRING_OF_FUNCTION ? NO_WORD : FUNCTION);
        msg_sub(b, 5, &m);
    }
    for (int i = 0; i < 1 + (flaw == LOCATION_TWICE); i++) {
        msg_num(&m, 1, 3);
        msg_num(&m, 2, flaw == NO_MAPPING ? 2 : 1);
        msg_num(&m, 3, start + 16);
        msg_num(&line, 1, flaw == NO_FUNCTION ? 8 : 7);
        msg_sub(&m, 4, &line);
        msg_sub(b, 4, &m);
    }
}

static void put_sample(struct buf *b, uint64_t location, uint64_t value,
                       enum flaw flaw)
{
    struct buf m = {0}, label = {0};
    msg_num(&m, 1, location);
    msg_num(&m, 2, value);
    if (flaw == TOO_MANY_VALUES)
        msg_num(&m, 2, 1);
    if (flaw == NO_STRING_OF_LABEL) {
        msg_num(&label, 1, NO_WORD);
        msg_num(&label, 3, 5);
        msg_sub(&m, 3, &label);
    }
    msg_sub(b, 2, &m);
}

/*
 * A small profile, with what would show if any of it were kept: a start, a
 * time, a comment, values.  A flaw shows as late as it can.
 */
static struct buf message(enum flaw flaw, uint64_t start, uint64_t time)
{
    struct buf b = {0}, m = {0};
    msg_num(&m, 1, CPU);
    msg_num(&m, 2, NS);
    msg_sub(&b, 1, &m);
    put_entities(&b, flaw, start);
    put_sample(&b, 3, 100, NO_FLAW);
    put_sample(&b, 3, 20, NO_FLAW);
    put_sample(&b, flaw == NO_LOCATION ? 4 : 3, 3, flaw);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        msg_str(&b, 6, i || flaw != FIRST_STRING ? words[i] : "not empty");
    msg_num(&b, 9, time);
    msg_num(&b, 13, flaw == NO_STRING_OF_COMMENT ? NO_WORD : WORD);
    b.n -= flaw == CUT;
    return b;
}

/* Whatever is wrong, and wherever it shows, nothing is left of the input. */
static void flaws(void **state)
{
    for (enum flaw flaw = NO_FLAW + 1; flaw < N_FLAWS; flaw++) {
        struct buf v[3] = {message(NO_FLAW, 0x9000, 50),
                           message(flaw, 0x1000, 3),
                           message(NO_FLAW, 0x8000, 60)};
        struct buf good[2] = {v[0], v[2]};
        struct prof_err err;
        struct profile p;
        assert_false(pb_decode(v[1].v, v[1].n, &p, NULL, &err));
        assert_int_equal(err.kind, PROF_ERR_INPUT);
        prof_free(&p);
        struct buf with = sum(v, 3, PROF_TYPES_SAME);
        struct buf without = sum(good, 2, PROF_TYPES_SAME);
        assert_same(&with, &without);
        for (size_t i = 0; i < 3; i++)
            buf_free(&v[i]);
    }
}

/* What the sum of the good ones is, in numbers. */
static void known_sum(void **state)
{
    struct buf v[3] = {message(NO_FLAW, 0x9000, 50), message(CUT, 0x1000, 3),
                       message(NO_FLAW, 0x8000, 60)};
    struct buf b = sum(v, 3, PROF_TYPES_SAME);
    struct profile p;
    struct prof_err err;
    must(pb_decode(b.v, b.n, &p, NULL, &err), &err);
    assert_int_equal(p.n_samples, 1);
    assert_int_equal(p.values[0], 246);
    assert_int_equal(p.time_nanos, 50);
    assert_int_equal(p.n_mappings, 1);
    assert_true(p.mappings[0].start == 0x8000);
    assert_true(p.locations[0].address == 0x8010);
    prof_free(&p);
    buf_free(&b);
    for (size_t i = 0; i < 3; i++)
        buf_free(&v[i]);
}

/* A first input has no strings but "", and types that no other one has. */
static void first_without_strings(void **state)
{
    const struct prof_merge_opts opts = {.apart = true};
    struct prof_err err;
    struct profile p;
    struct prof_merger *m = prof_merge_new(&opts, &err);
    assert_non_null(m);
    struct buf none = {0}, v = message(NO_FLAW, 0x9000, 50);
    msg_str(&none, 6, "");
    must(add(m, true, &none, &err), &err);
    must(add(m, true, &v, &err), &err);
    must(add(m, true, &v, &err), &err);
    struct buf b = finish(m);
    must(pb_decode(b.v, b.n, &p, NULL, &err), &err);
    assert_int_equal(p.n_types, 1);
    assert_int_equal(p.n_samples, 1);
    prof_free(&p);
    buf_free(&b);
    buf_free(&none);
    buf_free(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_profiles),
        cmocka_unit_test(random_messages),
        cmocka_unit_test(subtracted_between),
        cmocka_unit_test(flaws),
        cmocka_unit_test(known_sum),
        cmocka_unit_test(first_without_strings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
