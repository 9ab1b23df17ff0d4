/*
 * The decoder, the encoder and the schema held to protobuf-c: what one takes
 * the other takes, and both find the same in it.
 */
#include <stdlib.h>
#include <string.h>

#include "check_profile.h"
#include "merge_try.h"
#include "pb_oracle.h"
#include "profile/wire/pb.h"
#include "profile/wire/schema.h"
#include "random_message.h"
#include "unit.h"

/* The same fields, and each the same, in this message and those within it. */
static void same_message(const struct schema_type *message,
                         const ProtobufCMessageDescriptor *desc)
{
    static const enum schema_kind kinds[] = {
        [PROTOBUF_C_TYPE_BOOL] = SCHEMA_BOOL,
        [PROTOBUF_C_TYPE_INT64] = SCHEMA_INT64,
        [PROTOBUF_C_TYPE_UINT64] = SCHEMA_UINT64,
        [PROTOBUF_C_TYPE_STRING] = SCHEMA_STRING,
        [PROTOBUF_C_TYPE_MESSAGE] = SCHEMA_MESSAGE,
    };
    unsigned n = 0;
    assert_int_equal(message->kind, SCHEMA_MESSAGE);
    assert_true(message->last < SCHEMA_NUMBERS);
    for (uint32_t number = 0; number <= SCHEMA_NUMBERS; number++) {
        const struct schema_field *f = schema_find(message, number);
        const ProtobufCFieldDescriptor *d =
            protobuf_c_message_descriptor_get_field(desc, number);
        if (!f || !d) {
            if (f || d)
                fail_msg("%s: field %u is in one only", desc->name, number);
            continue;
        }
        n++;
        assert_string_equal(f->name, d->name);
        assert_int_equal(f->is_repeated, d->label == PROTOBUF_C_LABEL_REPEATED);
        assert_int_equal(f->type->kind, kinds[d->type]);
        if (d->type == PROTOBUF_C_TYPE_MESSAGE)
            same_message(f->type, d->descriptor);
    }
    assert_int_equal(n, desc->n_fields);
}

static void schema(void **state)
{
    same_message(&schema_profile, &perftools__profiles__profile__descriptor);
}

static Message *unpack(const struct buf *b)
{
    return perftools__profiles__profile__unpack(NULL, b->n, b->v);
}

static void free_message(Message *m)
{
    perftools__profiles__profile__free_unpacked(m, NULL);
}

/* Equal strings once, entities numbered from 1. */
static void encodes(const struct profile *p)
{
    struct buf b = profile_bytes(p);
    Message *m = unpack(&b);
    assert_non_null(m);
    if (!m)
        return;
    assert_null(pb_flaw(m));
    assert_int_equal(m->base.n_unknown_fields, 0);
    pb_same(p, m, false);
    for (size_t i = 0; i < m->n_string_table; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(m->string_table[i], m->string_table[k]);
    for (size_t i = 0; i < m->n_mapping; i++)
        assert_true(m->mapping[i]->id == i + 1);
    for (size_t i = 0; i < m->n_function; i++)
        assert_true(m->function[i]->id == i + 1);
    for (size_t i = 0; i < m->n_location; i++)
        assert_true(m->location[i]->id == i + 1);
    free_message(m);
    buf_free(&b);
}

static void valid_messages(void **state)
{
    for (uint64_t seed = 0; seed < rng_rounds(4000); seed++) {
        struct buf b = random_message(seed);
        struct profile p;
        struct prof_err err = {0};
        Message *m = unpack(&b);
        assert_non_null(m);
        if (!m)
            return;
        if (pb_flaw(m))
            fail_msg("seed %llu: %s", (unsigned long long)seed, pb_flaw(m));
        if (!pb_decode(b.v, b.n, &p, NULL, &err) || !check_profile(&p, &err))
            fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
        pb_same(&p, m, false);
        pb_same_ids(&p, m);
        encodes(&p);
        free_message(m);
        prof_free(&p);
        buf_free(&b);
    }
}

/* How often each outcome came up: a test of refusals needs some of each. */
struct tally {
    size_t n[PB_EXCUSED + 1];
};

static void decide(const struct buf *b, uint64_t seed, struct tally *tally)
{
    /* A copy of just the size, for the sanitizer's sake. */
    uint8_t *exact = malloc(b->n ? b->n : 1);
    assert_non_null(exact);
    if (b->n)
        memcpy(exact, b->v, b->n);
    tally->n[pb_decide(exact, b->n, seed)]++;
    free(exact);
}

static void mutated_messages(void **state)
{
    struct tally tally = {0};
    for (uint64_t seed = 0; seed < rng_rounds(30000); seed++) {
        struct rng r = {~seed};
        struct buf b = random_message(seed % 1000);
        mutate(&b, &r);
        decide(&b, seed, &tally);
        buf_free(&b);
    }
    print_message("%zu taken, %zu bad on the wire, %zu with flaws\n",
                  tally.n[PB_TAKEN], tally.n[PB_WIRE], tally.n[PB_FLAWED]);
    const uint64_t least = rng_rounds(1000);
    assert_true(tally.n[PB_TAKEN] > least);
    assert_true(tally.n[PB_WIRE] > least);
    assert_true(tally.n[PB_FLAWED] > least);
}

static void prefixes(void **state)
{
    struct tally tally = {0};
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct buf b = random_message(seed);
        for (size_t whole = b.n; b.n > 0; b.n--)
            if (b.n < whole)
                decide(&b, seed, &tally);
        buf_free(&b);
    }
    assert_true(tally.n[PB_TAKEN] && tally.n[PB_WIRE] && tally.n[PB_FLAWED]);
}

/* Two messages in a row are one message, which rarely makes sense. */
static void concatenated(void **state)
{
    struct tally tally = {0};
    for (uint64_t seed = 0; seed < rng_rounds(2000); seed++) {
        struct buf a = random_message(seed), b = random_message(seed / 2);
        assert_true(buf_put(&a, b.v, b.n));
        decide(&a, seed, &tally);
        buf_free(&a);
        buf_free(&b);
    }
    assert_true(tally.n[PB_TAKEN] && tally.n[PB_FLAWED]);
    assert_int_equal(tally.n[PB_WIRE], 0);
}

/* The encoder on profiles that were not read but made. */
static void made_profiles(void **state)
{
    const struct random_opts opts = {.types = RANDOM_TYPES_SUBSETS,
                                     .negative = true};
    for (uint64_t seed = 0; seed < rng_rounds(500); seed++) {
        struct profile p;
        random_profile(&p, seed, seed, &opts);
        encodes(&p);
        prof_free(&p);
    }
}

/* The samples of a random profile backwards, from somewhere on. */
static void another_order(void **state)
{
    const struct random_opts opts = {.negative = true};
    for (uint64_t seed = 0; seed < rng_rounds(500); seed++) {
        struct profile p;
        random_profile(&p, seed, seed, &opts);
        size_t n = p.n_samples;
        uint32_t *order = malloc((n + 1) * sizeof *order);
        Sample **restored = malloc((n + 1) * sizeof(void *));
        assert_true(order && restored);
        for (size_t i = 0; i < n; i++)
            order[i] = (uint32_t)((n - 1 - i + seed) % n);
        const struct prof_layout layout = {.order = order, .n_order = n};
        struct buf b = layout_bytes(&p, &layout);
        Message *m = unpack(&b);
        assert_non_null(m);
        assert_int_equal(m->n_sample, n);
        for (size_t i = 0; i < n; i++)
            restored[order[i]] = m->sample[i];
        for (size_t i = 0; i < n; i++)
            m->sample[i] = restored[i];
        pb_same(&p, m, false);
        free_message(m);
        free(order);
        free((void *)restored);
        buf_free(&b);
        prof_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schema),           cmocka_unit_test(valid_messages),
        cmocka_unit_test(mutated_messages), cmocka_unit_test(prefixes),
        cmocka_unit_test(concatenated),     cmocka_unit_test(made_profiles),
        cmocka_unit_test(another_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
