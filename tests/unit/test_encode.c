/* pb_encode() of what is large, held to protobuf-c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/profile.pb-c.h"
#include "profile/wire/pb.h"
#include "random_profile.h"
#include "stacks.h"
#include "unit.h"

static struct prof_err err;

#define MUST(x) assert_true(x)

/* Entities of which most are not used, and some are long. */
static void add_entities(struct profile *p, size_t n_locations)
{
    struct prof_mapping m = {.start = 0x400000, .limit = UINT64_MAX};
    MUST(prof_str(p, "/bin/program", &m.filename, &err));
    MUST(prof_add_mapping(p, &m, NULL, &err));
    for (size_t i = 0; i < 30000; i++) {
        char name[40];
        struct prof_function f = {.start_line = (int64_t)i};
        (void)snprintf(name, sizeof name, "a_function_called_%zu", i);
        MUST(prof_str(p, name, &f.name, &err));
        MUST(prof_add_function(p, &f, NULL, &err));
    }
    for (size_t i = 0; i < n_locations; i++) {
        struct prof_line lines[60];
        size_t n = i % 1000 ? i % 3 : 60; /* 60: more than 128 bytes */
        struct prof_location l = {.address = i << i % 40,
                                  .mapping = i % 2 ? 0 : PROF_NONE};
        for (size_t k = 0; k < n; k++)
            lines[k] = (struct prof_line){.line = (int64_t)k,
                                          .function = (uint32_t)(i + k) % 300};
        MUST(prof_add_location(p, &l, lines, n, NULL, &err));
    }
}

/*
 * Samples of all depths, up to some whose lengths take three bytes, with
 * all numbers of labels and all lengths of numbers.  Most stacks have some of
 * their last frames from the one before.
 */
static void add_samples(struct profile *p, size_t n, struct rng *r)
{
    enum { DEEPEST = 20000 };
    uint32_t *frames = malloc(DEEPEST * sizeof *frames);
    assert_non_null(frames);
    for (size_t i = 0, before = 0, same; i < n; i++) {
        size_t depth = i % 1000 == 999 ? DEEPEST : rng_below(r, 60);
        int64_t values[2] = {(int64_t)rng_any(r), (int64_t)rng_below(r, 9)};
        struct prof_label labels[3];
        uint32_t set, n_labels = rng_below(r, 4);
        same = depth < before ? depth : before;
        same = same ? rng_below(r, (uint32_t)same + 1) : 0;
        memmove(frames + depth - same, frames + before - same,
                same * sizeof *frames);
        for (size_t k = 0; k < depth - same; k++)
            frames[k] = rng_below(r, (uint32_t)p->n_locations);
        before = depth;
        for (uint32_t k = 0; k < n_labels; k++) {
            char text[40];
            labels[k] = (struct prof_label){0};
            (void)snprintf(text, sizeof text, "key %u", k);
            MUST(prof_str(p, text, &labels[k].key, &err));
            (void)snprintf(text, sizeof text, "text %u", rng_below(r, 5000));
            if (rng_one_in(r, 2))
                labels[k].num = (int64_t)rng_any(r);
            else
                MUST(prof_str(p, text, &labels[k].str, &err));
        }
        MUST(prof_labelset(p, labels, n_labels, &set, &err));
        MUST(prof_add_sample(p, frames, depth, values, set, &err));
    }
    free(frames);
}

static void make_profile(struct profile *p, size_t n_locations,
                         size_t n_samples)
{
    struct rng r = {n_samples};
    MUST(prof_init(p, &err));
    MUST(prof_add_type(p, "samples", "count", &err));
    MUST(prof_add_type(p, "cpu", "nanoseconds", &err));
    add_entities(p, n_locations);
    add_samples(p, n_samples, &r);
    p->time_nanos = 1700000000000000000;
    p->period = -1;
    p->period_type = p->types[1];
    MUST(prof_add_comment(p, "a comment", &err));
    MUST(prof_str(p, "https://example.org/", &p->doc_url, &err));
}

/* protobuf-c reads the message and writes the very same. */
static void assert_minimal(const struct buf *b)
{
    Perftools__Profiles__Profile *m =
        perftools__profiles__profile__unpack(NULL, b->n, b->v);
    assert_non_null(m);
    size_t n = perftools__profiles__profile__get_packed_size(m);
    assert_int_equal(n, b->n);
    uint8_t *again = malloc(n);
    assert_non_null(again);
    assert_int_equal(perftools__profiles__profile__pack(m, again), n);
    assert_memory_equal(again, b->v, n);
    free(again);
    perftools__profiles__profile__free_unpacked(m, NULL);
}

/* The decoder, held to protobuf-c elsewhere, finds what was encoded. */
static void assert_decodes(const struct buf *b, const struct profile *p)
{
    struct profile q;
    MUST(pb_decode(b->v, b->n, &q, NULL, &err));
    assert_int_equal(q.n_samples, p->n_samples);
    assert_int_equal(q.n_frames, p->n_frames);
    assert_memory_equal(q.frame_off, p->frame_off,
                        (p->n_samples + 1) * sizeof *p->frame_off);
    assert_memory_equal(q.frames, p->frames, p->n_frames * sizeof *p->frames);
    assert_memory_equal(q.values, p->values,
                        p->n_samples * p->n_types * sizeof *p->values);
    assert_int_equal(q.n_locations, p->n_locations);
    assert_int_equal(q.n_lines, p->n_lines);
    assert_int_equal(q.n_functions, p->n_functions);
    for (size_t i = 0; i < p->n_functions; i++)
        assert_string_equal(prof_cstr(&q, q.functions[i].name),
                            prof_cstr(p, p->functions[i].name));
    prof_free(&q);
}

/* Pieces, made from the last to the first, are together the whole. */
static void assert_pieces(const struct profile *p, const struct buf *whole,
                          size_t least)
{
    struct pb_encoder e;
    MUST(pb_encoder_init(&e, p, NULL, &err));
    size_t n = e.n_pieces, end = whole->n;
    assert_true(n >= least);
    assert_true(e.about > whole->n / 2);
    assert_true(e.about < whole->n * 2);
    while (n--) {
        struct buf piece = {0};
        MUST(pb_encode_piece(&e, n, &piece, &err));
        assert_true(piece.n && piece.n <= end);
        assert_true(piece.n / 2 < PB_PIECE);
        end -= piece.n;
        assert_memory_equal(piece.v, whole->v + end, piece.n);
        buf_free(&piece);
    }
    assert_int_equal(end, 0);
    pb_encoder_free(&e);
}

/* The same samples with shared stacks have the same bytes. */
static void assert_shared(struct profile *p, const struct buf *whole, bool all)
{
    stacks_share(p, all);
    assert_pieces(p, whole, 1);
    MUST(prof_unshare(p, &err));
}

/* Samples in the order of a layout are those of the profile it is applied to.
 */
static void check_layout(size_t n_locations, size_t n_samples,
                         enum stacks_order order)
{
    struct profile p, shares;
    make_profile(&p, n_locations, n_samples);
    make_profile(&shares, n_locations, n_samples);
    shares.layout = stacks_layout(&p, order, n_samples);
    struct buf a = profile_bytes(&shares);
    stacks_share(&shares, true);
    struct buf b = profile_bytes(&shares);
    assert_pieces(&shares, &b, 1);
    MUST(prof_apply_layout(&p, &shares.layout, &err));
    struct buf c = profile_bytes(&p);
    assert_int_equal(a.n, c.n);
    assert_memory_equal(a.v, c.v, a.n);
    assert_int_equal(b.n, c.n);
    assert_memory_equal(b.v, c.v, b.n);
    buf_free(&a);
    buf_free(&b);
    buf_free(&c);
    prof_free(&p);
    prof_free(&shares);
}

static void check(size_t n_locations, size_t n_samples, size_t pieces)
{
    struct profile p;
    make_profile(&p, n_locations, n_samples);
    struct buf b = profile_bytes(&p);
    assert_minimal(&b);
    assert_decodes(&b, &p);
    assert_pieces(&p, &b, pieces);
    assert_shared(&p, &b, true);
    assert_shared(&p, &b, false);
    buf_free(&b);
    prof_free(&p);
}

static void test_many_samples(void **state)
{
    check(100, 30000, 2);
    check(20000, 30000, 3);
}

/* Locations that hardly a sample uses, so that ids are made one by one. */
static void test_many_locations(void **state)
{
    check(200000, 1000, 3);
}

static void test_layouts(void **state)
{
    check_layout(100, 20000, STACKS_ASCEND);
    check_layout(100, 20000, STACKS_ANY_ORDER);
    check_layout(100, 5000, STACKS_UNKNOWN);
    check_layout(200000, 1000, STACKS_ANY_ORDER);
}

/*
 * A location of so many lines: the longest there are, and such as say nothing,
 * of which 33 million would pass 32 bits if each were given much more room
 * than the longest takes.
 */
static void check_lines(size_t n, struct prof_line line)
{
    struct profile p;
    struct prof_line *lines = malloc(n * sizeof *lines);
    assert_non_null(lines);
    for (size_t i = 0; i < n; i++)
        lines[i] = line;
    make_profile(&p, 1, 10);
    MUST(prof_add_location(&p, &(struct prof_location){.mapping = PROF_NONE},
                           lines, n, NULL, &err));
    struct buf b = profile_bytes(&p), piece = {0};
    assert_minimal(&b);
    assert_decodes(&b, &p);
    struct pb_encoder e;
    MUST(pb_encoder_init(&e, &p, NULL, &err));
    for (size_t i = 0; i < e.n_pieces; i++)
        MUST(pb_encode_piece(&e, i, &piece, &err));
    assert_true(piece.cap < 40 * n + (size_t)2 * PB_PIECE);
    pb_encoder_free(&e);
    buf_free(&piece);
    buf_free(&b);
    free(lines);
    prof_free(&p);
}

static void test_many_lines(void **state)
{
    check_lines(100000, (struct prof_line){-1, -1, 29999});
    check_lines(100000, (struct prof_line){0, 0, PROF_NONE});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_samples),
        cmocka_unit_test(test_many_locations),
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_many_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
