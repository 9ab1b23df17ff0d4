/*
 * DCPI inputs joined: images apart and together, labels, events, sums, and
 * the same profile in whatever order they come.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "dcpi_try.h"
#include "profile/wire/pb.h"
#include "said.h"

/* Items 16 and 19: mappings apart, though their addresses are the same. */
static void two_images(void **state)
{
    (void)state;
    struct dcpi_try t = {0};
    try_text(&t, PROG "event 1 cycles:10:10000\n0x120000000 1\n" IMAGE(
                     "other", "19990102030406000001"));
    try_text(&t, "event 5 cycles:10:10000\n0x120000000 5\n");
    /* No counts at all: the next begins with its name. */
    try_text(&t, IMAGE("idle", "19990102030406000002"));
    try_text(&t, "event 0 cycles:10:10000\n");
    try_text(&t, IMAGE("last", "19990102030406000003"));
    try_text(&t, "event 0 cycles:10:10000\n");
    assert_true(try_run(&t));
    assert_false(try_said(&t, "warn"));
    assert_true(try_said(&t, "info: no samples in '/usr/users/me/idle'"));
    assert_true(try_said(&t, "info: no samples in '/usr/users/me/last'"));
    assert_int_equal(t.p.n_mappings, 2);
    assert_int_equal(t.p.n_samples, 2);
    assert_int_equal(t.p.n_locations, 2);
    assert_int_equal(try_value(&t, 0, 0x120000000, "samples"), 1);
    assert_int_equal(try_value(&t, 1, 0x120000000, "samples"), 5);
    assert_string_equal(prof_cstr(&t.p, t.p.mappings[0].filename),
                        "/usr/users/me/prog");
    assert_string_equal(prof_cstr(&t.p, t.p.mappings[1].filename),
                        "/usr/users/me/other");
    try_free(&t);
}

/* Item 17: one count for each event, of no known image. */
static void unknown_image(void **state)
{
    (void)state;
    struct dcpi_try t = {0};
    try_text(&t, "name unknown@hostA\n"
                 "image 00000000000000000000\n"
                 "epoch 199901031200\n"
                 "platform hostA\n"
                 "text_start 0x0\n"
                 "text_size 0x0\n"
                 "event 17 cycles:10:10000\n"
                 "0x000000000000 17\n");
    assert_true(try_run(&t));
    assert_int_equal(t.said.n, 0);
    assert_int_equal(t.p.n_samples, 1);
    assert_string_equal(prof_cstr(&t.p, t.p.mappings[0].filename), "unknown");
    assert_string_equal(prof_cstr(&t.p, t.p.mappings[0].build_id), "");
    assert_true(try_comment(&t, "# dcpi:name unknown@hostA"));
    assert_true(try_comment(&t, "# dcpi:image 00000000000000000000"));
    assert_int_equal(try_value(&t, 0, 0, "samples"), 17);
    try_free(&t);
}

/* Item 17: the same in a binary; it has no text for chunks to be beyond. */
static void unknown_binary(void **state)
{
    (void)state;
    struct dcpi_try t = {0};
    static const char *const hosts[] = {"hostA", "hostB"};
    char text[256];
    for (int i = 0; i < 2; i++) {
        (void)snprintf(text, sizeof text,
                       "version pdb-0.07\nimage 00\nepoch 9901031200\n"
                       "platform %s\nevent cycles\nperiod 10\ntstart 0\n"
                       "tsize 0\npath /db/9901031200/unknown@%s\nsamples\n",
                       hosts[i], hosts[i]);
        try_text(&t, text);
        TRY_WORDS(&t, 0, 1, 17, 1, 17);
        assert_true(try_add(&t));
    }
    assert_true(try_finish(&t));
    assert_int_equal(t.said.n, 0);
    assert_int_equal(t.p.n_mappings, 1);
    assert_int_equal(t.p.n_samples, 2); /* of two hosts */
    assert_string_equal(prof_cstr(&t.p, t.p.mappings[0].filename), "unknown");
    assert_true(try_comment(&t, "# dcpi:path /db/9901031200/unknown@hostB"));
    assert_int_equal(try_value(&t, 0, 0, "samples"), 34);
    try_free(&t);
}

static void add_image(struct dcpi_try *t, const char *id, const char *path,
                      const char *host, const char *event, uint32_t n)
{
    char text[512];
    (void)snprintf(text, sizeof text,
                   "version pdb-0.07\n%s%s\nepoch 9901031200\nplatform %s\n"
                   "event %s\nperiod 100\ntstart 120000000\ntsize 4096\n"
                   "path %s\nsamples\n",
                   *id ? "image " : "", id, host, event, path);
    try_text(t, text);
    TRY_WORDS(t, 0x10, 1, n, 1, n);
    assert_true(try_add(t));
}

/* One file for each event: one sample, a value for each. */
static void one_image(void **state)
{
    (void)state;
    struct dcpi_try t = {0};
    char types[256];
    add_image(&t, "aa", "/p", "h", "cycles", 7);
    add_image(&t, "aa", "/p", "h", "imiss", 2);
    add_image(&t, "aa", "/p", "h", "cycles", 1);
    assert_true(try_finish(&t));
    assert_string_equal(
        try_types(&t, types),
        "cycles_samples/count cycles/count imiss_samples/count imiss/count");
    assert_int_equal(t.p.n_mappings, 1);
    assert_int_equal(t.p.n_samples, 1);
    assert_memory_equal(t.p.values, ((int64_t[]){8, 800, 2, 200}),
                        4 * sizeof(int64_t));
    assert_int_equal(t.p.n_comments, 5);
    try_free(&t);
}

/* Hosts are told apart by a label, at the same location. */
static void two_hosts(void **state)
{
    (void)state;
    struct dcpi_try t = {0};
    add_image(&t, "aa", "/p", "h2", "cycles", 7);
    add_image(&t, "aa", "/p", "h1", "cycles", 2);
    add_image(&t, "aa", "/p", "h2", "cycles", 4);
    assert_true(try_finish(&t));
    assert_int_equal(t.p.n_mappings, 1);
    assert_int_equal(t.p.n_locations, 1);
    assert_int_equal(t.p.n_samples, 2);
    assert_memory_equal(t.p.values, ((int64_t[]){2, 200, 11, 1100}),
                        4 * sizeof(int64_t));
    assert_int_equal(try_value(&t, 0, 0x120000010, "samples"), 13);
    try_free(&t);
}

/* Item 19: without an identifier, path and text start say what is same. */
static void no_identifier(void **state)
{
    (void)state;
    struct dcpi_try t = {0};
    add_image(&t, "", "/p", "h", "cycles", 1);
    add_image(&t, "", "/q", "h", "cycles", 2);
    add_image(&t, "", "/p", "h", "cycles", 4);
    add_image(&t, "aa", "/p", "h", "cycles", 8);
    assert_true(try_finish(&t));
    assert_int_equal(t.p.n_mappings, 3);
    assert_int_equal(try_value(&t, 0, 0x120000010, "samples"), 5);
    assert_int_equal(try_value(&t, 1, 0x120000010, "samples"), 2);
    assert_int_equal(try_value(&t, 2, 0x120000010, "samples"), 8);
    try_free(&t);
}

/* The same names and values, whether one dump has them or two files. */
static void grouping(void **state)
{
    (void)state;
    struct dcpi_try one = {0}, two = {0};
    char a[256], b[256];
    try_text(&one, PROG "event 7 x:100:10000\nevent 2 y:3:7\n"
                        "0x120000010 7 2\n");
    assert_true(try_run(&one));
    try_text(&two, PROG "event 7 x:100:10000\n0x120000010 7\n");
    assert_true(try_add(&two));
    try_text(&two, PROG "event 2 y:3:7\n0x120000010 2\n");
    assert_true(try_run(&two));
    assert_string_equal(try_types(&one, a), try_types(&two, b));
    assert_int_equal(one.p.n_samples, 1);
    assert_int_equal(two.p.n_samples, 1);
    /* 2 * 3 * 10000 / 7 = 8571.43 */
    assert_memory_equal(one.p.values, ((int64_t[]){7, 700, 2, 8571}),
                        4 * sizeof(int64_t));
    assert_memory_equal(two.p.values, one.p.values, 4 * sizeof(int64_t));
    try_free(&one);
    try_free(&two);
}

static void selection(void **state)
{
    (void)state;
    static const char *const imiss[] = {"imiss"}, *const none[] = {"dmiss"};
    struct dcpi_try t = {.opts = {.events = imiss, .n_events = 1}};
    char types[256];
    add_image(&t, "aa", "/p", "h", "cycles", 7);
    add_image(&t, "aa", "/p", "h", "imiss", 2);
    assert_true(try_finish(&t));
    assert_string_equal(try_types(&t, types), "samples/count imiss/count");
    assert_int_equal(t.p.n_samples, 1);
    assert_int_equal(try_value(&t, 0, 0x120000010, "imiss"), 200);
    assert_true(try_said(&t, "info: event 'cycles' skipped (7 samples)"));
    try_free(&t);

    t.opts = (struct dcpi_opts){.events = none, .n_events = 1};
    add_image(&t, "aa", "/p", "h", "cycles", 7);
    add_image(&t, "aa", "/p", "h", "imiss", 2);
    assert_false(try_finish(&t));
    assert_int_equal(t.err.kind, PROF_ERR_USAGE);
    assert_said(t.err.text,
                "no input has event 'dmiss'; available: cycles imiss");
    try_free(&t);
}

/* A refused input leaves no trace. */
static void refused(void **state)
{
    (void)state;
    struct dcpi_try t = {0};
    add_image(&t, "aa", "/p", "h", "cycles", 7);
    try_text(&t, IMAGE("other", "00"));
    try_text(&t, "event 1 dmiss:1:10000\n0x120000000 1\nstray\n");
    assert_false(try_add(&t));
    t.err = (struct prof_err){0};
    assert_true(try_finish(&t));
    assert_int_equal(t.p.n_mappings, 1);
    assert_int_equal(t.p.n_types, 2);
    assert_int_equal(t.p.n_samples, 1);
    try_free(&t);
}

/* Item 18: what 64 bits cannot hold, sums of several inputs or one count. */
static void overflow(void **state)
{
    (void)state;
    struct dcpi_try t = {0};
    for (int i = 0; i < 2; i++) {
        try_text(&t, PROG "event 4611686018427387904 a:1:10000\n"
                          "0x120000000 4611686018427387904\n");
        assert_true(try_add(&t));
    }
    assert_false(try_finish(&t));
    assert_true(try_failed(&t, "event 'a' at 0x120000000 in "
                               "'/usr/users/me/prog' overflows 64 bits"));
    try_free(&t);
    /* 2^62 cycles at 1 MHz are 2^62 * 1000 ns. */
    try_text(&t, PROG "cpuspeed 1\nevent 4611686018427387904 cycles:1:10000\n"
                      "0x120000000 4611686018427387904\n");
    assert_false(try_run(&t));
    assert_true(try_failed(&t, "line 10: 4611686018427387904 samples of "
                               "cycles at 0x120000000 scale to more"));
    try_free(&t);
}

/* Cycles with a known speed joined with cycles without. */
static void part_timed(void **state)
{
    (void)state;
    struct dcpi_try t = {0};
    add_image(&t, "aa", "/p", "h", "cycles", 7);
    try_text(&t, "version pdb-0.07\nimage aa\nepoch 9901031200\nplatform h\n"
                 "event cycles\nperiod 100\ntstart 120000000\ntsize 4096\n"
                 "cpuspeed 50\nsamples\n");
    TRY_WORDS(&t, 0x10, 1, 1, 1, 1);
    assert_true(try_run(&t));
    assert_true(try_said(&t, "1 of 2 cycles profiles have no cpuspeed"));
    assert_int_equal(try_value(&t, 0, 0x120000010, "cycles"), 800);
    assert_int_equal(try_value(&t, 0, 0x120000010, "cpu"), 2000);
    try_free(&t);
}

/* An identifier of zeros says nothing: images with it stay apart. */
static void zero_identifier(void **state)
{
    (void)state;
    struct dcpi_try t = {0};
    add_image(&t, "0000", "/p", "h", "cycles", 1);
    add_image(&t, "0000", "/q", "h", "cycles", 2);
    add_image(&t, "0000", "/p", "h", "cycles", 4);
    assert_true(try_finish(&t));
    assert_int_equal(t.p.n_mappings, 2);
    assert_int_equal(try_value(&t, 0, 0x120000010, "samples"), 5);
    assert_int_equal(try_value(&t, 1, 0x120000010, "samples"), 2);
    try_free(&t);
}

static const char nameless[] =
    "version pdb-0.07\nepoch 9901031200\nplatform h\nevent cycles\n"
    "period 10\ntstart 1000\ntsize 4096\nsamples\n";

/* Of two images that nothing tells apart the second is refused. */
static void without_names(void **state)
{
    (void)state;
    struct dcpi_try t = {0};
    for (int i = 0; i < 2; i++) {
        try_text(&t, nameless);
        TRY_WORDS(&t, 0, 1, 3, 1, 3);
        assert_int_equal(try_add(&t), !i);
    }
    assert_true(try_failed(&t, "no image, path or name line; a profile can"));
    t.err = (struct prof_err){0};
    add_image(&t, "aa", "/p", "h", "cycles", 7);
    assert_true(try_finish(&t));
    assert_int_equal(t.p.n_mappings, 2);
    assert_int_equal(try_value(&t, 0, 0x1000, "samples") +
                         try_value(&t, 1, 0x1000, "samples"),
                     3);
    try_free(&t);
}

/* One image under several paths and names: the least path, the rest kept. */
static void several_names(void **state)
{
    (void)state;
    static const char *const text[] = {"name prog\n", "name b\npath /z/prog\n",
                                       "path /a/prog\n", "name other\n"};
    for (int i = 0; i < 4; i++) {
        struct dcpi_try t = {0};
        for (int k = 0; k < 4; k++) {
            try_text(&t, text[(i + k) % 4]);
            try_text(&t, "image aa\nepoch 199901031200\nplatform h\n"
                         "text_start 0x1000\ntext_size 0x1000\n"
                         "event 1 a:1:10000\n0x1000 1\n");
            assert_true(try_add(&t));
        }
        assert_true(try_finish(&t));
        assert_int_equal(t.p.n_mappings, 1);
        assert_int_equal(try_value(&t, 0, 0x1000, "samples"), 4);
        assert_string_equal(prof_cstr(&t.p, t.p.mappings[0].filename),
                            "/a/prog");
        assert_true(try_comment(&t, "# dcpi:path /z/prog"));
        assert_true(try_comment(&t, "# dcpi:name b"));
        assert_true(try_comment(&t, "# dcpi:name other"));
        assert_false(try_comment(&t, "# dcpi:name prog"));
        try_free(&t);
    }
}

/* The profile's bytes, for comparing. */
static void encoded(const struct profile *p, struct buf *to)
{
    struct prof_err err;
    struct buf_sink sink = buf_sink_of(to);
    assert_true(pb_encode(p, &sink.sink, &err));
}

/* All orders of four inputs give the same bytes. */
static void any_order(void **state)
{
    (void)state;
    struct buf first = {0};
    for (unsigned order = 0; order < 256; order++) {
        unsigned used = 0;
        for (unsigned k = 0; k < 4; k++)
            used |= 1U << (order >> 2 * k & 3);
        if (used != 15)
            continue;
        struct dcpi_try t = {0};
        for (unsigned k = 0; k < 4; k++)
            switch (order >> 2 * k & 3) {
            case 0:
                add_image(&t, "aa", "/p", "h2", "imiss", 7);
                break;
            case 1:
                add_image(&t, "aa", "/q", "h1", "cycles", 5);
                break;
            case 2:
                add_image(&t, "0b", "/b", "h1", "dmiss", 3);
                break;
            default:
                try_text(&t, PROG "cpucount 4\nevent 0 cycles:5:10000\n"
                                  "event 3 zmiss:7:5000\n"
                                  "0x120000010 0 3\n" IMAGE("idle", "01"));
                try_text(&t, "event 0 cycles:5:10000\n");
                assert_true(try_add(&t));
            }
        assert_true(try_finish(&t));
        struct buf bytes = {0};
        encoded(&t.p, first.n ? &bytes : &first);
        if (bytes.n) {
            assert_int_equal(bytes.n, first.n);
            assert_memory_equal(bytes.v, first.v, first.n);
        }
        buf_free(&bytes);
        try_free(&t);
    }
    buf_free(&first);
}

/* More counts than are kept apart: summed on the way, to the same. */
static void many_inputs(void **state)
{
    (void)state;
    enum { ROWS = 1000, INPUTS = 700 };
    struct dcpi_try t = {0};
    for (uint64_t i = 0; i < INPUTS; i++) {
        char line[64];
        try_text(&t, PROG);
        (void)snprintf(line, sizeof line, "event %d a:3:10000\n", ROWS);
        try_text(&t, line);
        for (int k = 0; k < ROWS; k++) {
            (void)snprintf(line, sizeof line, "0x12000%04x 1\n", 4 * k);
            try_text(&t, line);
        }
        assert_true(try_add(&t));
    }
    assert_true(try_finish(&t));
    assert_int_equal(t.p.n_samples, ROWS);
    for (size_t s = 0; s < t.p.n_samples; s++) {
        assert_int_equal(t.p.values[2 * s], INPUTS);
        assert_int_equal(t.p.values[2 * s + 1], 3 * INPUTS);
    }
    try_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_images),     cmocka_unit_test(unknown_image),
        cmocka_unit_test(unknown_binary), cmocka_unit_test(one_image),
        cmocka_unit_test(two_hosts),      cmocka_unit_test(no_identifier),
        cmocka_unit_test(grouping),       cmocka_unit_test(selection),
        cmocka_unit_test(refused),        cmocka_unit_test(overflow),
        cmocka_unit_test(part_timed),     cmocka_unit_test(zero_identifier),
        cmocka_unit_test(without_names),  cmocka_unit_test(several_names),
        cmocka_unit_test(any_order),      cmocka_unit_test(many_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
