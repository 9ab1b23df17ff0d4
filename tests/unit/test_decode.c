/* The decoder on messages put together field by field. */
#include <string.h>

#include "msg.h"
#include "profile/wire/pb.h"
#include "said.h"
#include "unit.h"

/* Fields of profile.proto, by the numbers of the published schema. */
enum {
    SAMPLE_TYPE = 1,
    SAMPLE,
    MAPPING,
    LOCATION,
    FUNCTION,
    STRING_TABLE,
    DROP_FRAMES,
    TIME_NANOS = 9,
    PERIOD_TYPE = 11,
    PERIOD,
    COMMENT,
    DEFAULT_SAMPLE_TYPE,
    DOC_URL,
};

static void put_type(struct buf *b, unsigned field, uint64_t type,
                     uint64_t unit)
{
    struct buf m = {0};
    msg_num(&m, 1, type);
    msg_num(&m, 2, unit);
    msg_sub(b, field, &m);
}

static void put_function(struct buf *b, uint64_t id, uint64_t name)
{
    struct buf m = {0};
    msg_num(&m, 1, id);
    msg_num(&m, 2, name);
    msg_sub(b, FUNCTION, &m);
}

/* A location with one line of the function. */
static void put_location(struct buf *b, uint64_t id, uint64_t function)
{
    struct buf m = {0}, line = {0};
    msg_num(&m, 1, id);
    msg_num(&line, 1, function);
    msg_num(&line, 2, 7);
    msg_sub(&m, 4, &line);
    msg_sub(b, LOCATION, &m);
}

static void put_sample(struct buf *b, uint64_t location, uint64_t value)
{
    struct buf m = {0};
    msg_packed(&m, 1, &location, 1);
    msg_packed(&m, 2, &value, 1);
    msg_sub(b, SAMPLE, &m);
}

static void put_strings(struct buf *b, const char *const *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        msg_str(b, STRING_TABLE, s[i]);
}

static const char *const words[] = {"", "cpu", "nanoseconds", "leaf", "root"};
enum { CPU = 1, NANOSECONDS, LEAF, ROOT, N_WORDS };

/* Decodes b, which is freed, expecting it to be good. */
static struct profile good(struct buf *b)
{
    struct profile p;
    struct prof_err err = {0};
    if (!pb_decode(b->v, b->n, &p, NULL, &err))
        fail_msg("%s", err.text);
    buf_free(b);
    return p;
}

/* Decodes b, which is freed, expecting a PROF_ERR_INPUT that says `text`. */
static void bad(struct buf *b, const char *text)
{
    struct profile p;
    struct prof_err err = {0};
    assert_false(pb_decode(b->v, b->n, &p, NULL, &err));
    assert_int_equal(err.kind, PROF_ERR_INPUT);
    assert_said(err.text, text);
    prof_free(&p);
    buf_free(b);
}

static void test_empty_message(void **state)
{
    struct buf b = {0};
    bad(&b, "no string table");
    put_strings(&b, words, 1);
    struct profile p = good(&b);
    assert_int_equal(p.n_samples, 0);
    assert_int_equal(p.n_types, 0);
    prof_free(&p);
}

/* Strings last, locations before functions, samples first of all. */
static void test_any_order(void **state)
{
    struct buf b = {0};
    put_sample(&b, 2, 50);
    put_location(&b, 1, 9);
    put_sample(&b, 1, 60);
    put_location(&b, 2, 8);
    put_type(&b, SAMPLE_TYPE, CPU, NANOSECONDS);
    put_function(&b, 8, ROOT);
    put_function(&b, 9, LEAF);
    put_strings(&b, words, N_WORDS);
    struct profile p = good(&b);
    assert_int_equal(p.n_samples, 2);
    assert_int_equal(p.values[0], 50);
    assert_int_equal(p.values[1], 60);
    const struct prof_location *l = &p.locations[prof_stack(&p, 0)[0]];
    assert_int_equal(l->id, 2);
    const struct prof_line *line = &p.lines[l->line_off];
    assert_int_equal(line->line, 7);
    assert_string_equal(prof_cstr(&p, p.functions[line->function].name),
                        "root");
    prof_free(&p);
}

/* As Go's runtime writes one or two: not packed, mixed with other fields. */
static void test_unpacked(void **state)
{
    struct buf b = {0}, m = {0};
    put_type(&b, SAMPLE_TYPE, CPU, NANOSECONDS);
    put_type(&b, SAMPLE_TYPE, LEAF, ROOT);
    put_function(&b, 1, LEAF);
    put_location(&b, 5, 1);
    put_location(&b, 6, 1);
    msg_num(&m, 2, 11);
    msg_num(&m, 1, 6);
    msg_num(&m, 2, (uint64_t)-3);
    msg_num(&m, 1, 5);
    msg_sub(&b, SAMPLE, &m);
    put_strings(&b, words, N_WORDS);
    struct profile p = good(&b);
    assert_int_equal(prof_depth(&p, 0), 2);
    assert_int_equal(p.locations[prof_stack(&p, 0)[0]].id, 6);
    assert_int_equal(p.locations[prof_stack(&p, 0)[1]].id, 5);
    assert_int_equal(p.values[0], 11);
    assert_int_equal(p.values[1], -3);
    prof_free(&p);
}

static void test_sparse_and_huge_ids(void **state)
{
    struct buf b = {0};
    put_type(&b, SAMPLE_TYPE, CPU, NANOSECONDS);
    put_function(&b, UINT64_MAX, LEAF);
    put_function(&b, 1000000007, ROOT);
    put_location(&b, UINT64_MAX - 1, 1000000007);
    put_location(&b, 3, UINT64_MAX);
    put_sample(&b, UINT64_MAX - 1, 1);
    put_strings(&b, words, N_WORDS);
    struct profile p = good(&b);
    const struct prof_location *l = &p.locations[prof_stack(&p, 0)[0]];
    assert_true(l->id == UINT64_MAX - 1);
    assert_string_equal(
        prof_cstr(&p, p.functions[p.lines[l->line_off].function].name), "root");
    prof_free(&p);
}

/* Some producers number functions from 0. */
static void test_function_id_0(void **state)
{
    struct buf b = {0}, m = {0}, line = {0};
    put_type(&b, SAMPLE_TYPE, CPU, NANOSECONDS);
    put_function(&b, 0, LEAF);
    put_function(&b, 1, ROOT);
    msg_num(&m, 1, 1);
    msg_num(&line, 2, 12); /* function_id 0 is not even written */
    msg_sub(&m, 4, &line);
    msg_sub(&b, LOCATION, &m);
    put_strings(&b, words, N_WORDS);
    struct profile p = good(&b);
    assert_string_equal(prof_cstr(&p, p.functions[p.lines[0].function].name),
                        "leaf");
    prof_free(&p);
}

/* Two functions without ids, and lines of these functions in a location. */
static void put_unnumbered(struct buf *b, uint64_t first, uint64_t second)
{
    struct buf m = {0}, line = {0}, caller = {0};
    put_type(b, SAMPLE_TYPE, CPU, NANOSECONDS);
    put_function(b, 0, LEAF);
    put_function(b, 0, ROOT);
    msg_num(&m, 1, 1);
    msg_num(&line, 1, first);
    msg_sub(&m, 4, &line);
    msg_num(&caller, 1, second);
    msg_sub(&m, 4, &caller);
    msg_sub(b, LOCATION, &m);
    put_strings(b, words, N_WORDS);
}

/* .NET's producers leave the ids out. */
static void test_functions_without_ids(void **state)
{
    struct buf b = {0};
    put_unnumbered(&b, 2, 1);
    struct profile p = good(&b);
    assert_string_equal(prof_cstr(&p, p.functions[p.lines[0].function].name),
                        "root");
    assert_string_equal(prof_cstr(&p, p.functions[p.lines[1].function].name),
                        "leaf");
    prof_free(&p);
    put_unnumbered(&b, 2, 3);
    bad(&b, "offset 28: line refers to function 3, which does not exist");
    put_unnumbered(&b, 0, 1);
    bad(&b, "offset 24: line without a function id, and none of the 2 "
            "functions has an id");
}

static void test_no_function(void **state)
{
    struct buf b = {0}, m = {0}, line = {0};
    put_function(&b, 1, LEAF);
    msg_num(&m, 1, 1);
    msg_num(&line, 2, 12);
    msg_sub(&m, 4, &line);
    msg_sub(&b, LOCATION, &m);
    put_strings(&b, words, N_WORDS);
    struct profile p = good(&b);
    assert_true(p.lines[0].function == PROF_NONE);
    prof_free(&p);
}

static void test_inlined_lines(void **state)
{
    struct buf b = {0}, m = {0};
    put_function(&b, 1, LEAF);
    put_function(&b, 2, ROOT);
    msg_num(&m, 1, 1);
    for (uint64_t f = 1; f <= 2; f++) {
        struct buf line = {0};
        msg_num(&line, 1, f);
        msg_num(&line, 2, 100 + f);
        msg_num(&line, 3, 200 + f);
        msg_sub(&m, 4, &line);
    }
    msg_num(&m, 5, 1);
    msg_sub(&b, LOCATION, &m);
    put_strings(&b, words, N_WORDS);
    struct profile p = good(&b);
    assert_int_equal(p.locations[0].n_lines, 2);
    assert_true(p.locations[0].is_folded);
    assert_int_equal(p.lines[0].line, 101);
    assert_int_equal(p.lines[1].column, 202);
    prof_free(&p);
}

static void put_label(struct buf *sample, uint64_t key, uint64_t str,
                      uint64_t num, uint64_t unit)
{
    struct buf m = {0};
    msg_num(&m, 1, key);
    msg_num(&m, 2, str);
    msg_num(&m, 3, num);
    msg_num(&m, 4, unit);
    msg_sub(sample, 3, &m);
}

static void test_labels(void **state)
{
    struct buf b = {0}, m = {0};
    uint64_t value = 1;
    put_type(&b, SAMPLE_TYPE, CPU, NANOSECONDS);
    msg_packed(&m, 2, &value, 1);
    put_label(&m, ROOT, 0, 42, NANOSECONDS);
    put_label(&m, CPU, LEAF, 0, 0);
    put_label(&m, CPU, ROOT, 0, 0); /* a second value of the same key */
    msg_sub(&b, SAMPLE, &m);
    put_strings(&b, words, N_WORDS);
    struct profile p = good(&b);
    assert_int_equal(p.n_labels, 3);
    const struct prof_label *l = p.labels + p.labelset_off[p.labelset[0]];
    assert_string_equal(prof_cstr(&p, l[0].key), "cpu");
    assert_string_equal(prof_cstr(&p, l[0].str), "leaf");
    assert_string_equal(prof_cstr(&p, l[1].str), "root");
    assert_int_equal(l[2].num, 42);
    assert_string_equal(prof_cstr(&p, l[2].unit), "nanoseconds");
    prof_free(&p);
}

static void textless_note(void *ctx, enum prof_note_level level,
                          const char *text)
{
    assert_int_equal(level, PROF_NOTE_LOSS);
    assert_string_equal(text, "2 labels with an empty string read as numbers");
    ++*(int *)ctx;
}

/* An empty string at another index than 0; the same label again. */
static void test_label_with_empty_text(void **state)
{
    const char *const table[] = {"", "cpu", "nanoseconds", ""};
    struct buf b = {0}, m = {0};
    struct profile p;
    uint64_t value = 1;
    int told = 0;
    struct prof_notes notes = {.say = textless_note, .ctx = &told};
    put_type(&b, SAMPLE_TYPE, CPU, NANOSECONDS);
    for (int i = 0; i < 2; i++) {
        msg_packed(&m, 2, &value, 1);
        put_label(&m, CPU, 3, 0, 0);
        msg_sub(&b, SAMPLE, &m);
    }
    put_strings(&b, table, 4);
    assert_true(pb_decode(b.v, b.n, &p, &notes, NULL));
    assert_int_equal(told, 1);
    assert_int_equal(p.labelset[0], p.labelset[1]);
    assert_int_equal(p.labels[0].str, 0);
    prof_free(&p);
    buf_free(&b);
}

static void two_fold_note(void *ctx, enum prof_note_level level,
                          const char *text)
{
    assert_int_equal(level, PROF_NOTE_LOSS);
    assert_string_equal(
        text,
        "number or unit of 1 label dropped: a label with a string has neither");
    ++*(int *)ctx;
}

static void test_label_with_text_and_number(void **state)
{
    struct buf b = {0}, m = {0};
    struct profile p;
    uint64_t value = 1;
    int told = 0;
    struct prof_notes notes = {.say = two_fold_note, .ctx = &told};
    put_type(&b, SAMPLE_TYPE, CPU, NANOSECONDS);
    msg_packed(&m, 2, &value, 1);
    put_label(&m, CPU, LEAF, 42, 0);
    msg_sub(&b, SAMPLE, &m);
    put_strings(&b, words, N_WORDS);
    assert_true(pb_decode(b.v, b.n, &p, &notes, NULL));
    assert_int_equal(told, 1);
    assert_string_equal(prof_cstr(&p, p.labels[0].str), "leaf");
    assert_int_equal(p.labels[0].num, 0);
    prof_free(&p);
    buf_free(&b);
}

static void test_headers(void **state)
{
    struct buf b = {0};
    uint64_t comments[] = {LEAF, ROOT};
    msg_num(&b, TIME_NANOS, 123);
    put_type(&b, PERIOD_TYPE, CPU, NANOSECONDS);
    msg_num(&b, PERIOD, 10000000);
    msg_packed(&b, COMMENT, comments, 2);
    msg_num(&b, COMMENT, CPU);
    msg_num(&b, DEFAULT_SAMPLE_TYPE, CPU);
    msg_num(&b, DOC_URL, ROOT);
    msg_num(&b, DROP_FRAMES, LEAF);
    put_strings(&b, words, N_WORDS);
    struct profile p = good(&b);
    assert_int_equal(p.time_nanos, 123);
    assert_int_equal(p.period, 10000000);
    assert_string_equal(prof_cstr(&p, p.period_type.unit), "nanoseconds");
    assert_int_equal(p.n_comments, 3);
    assert_string_equal(prof_cstr(&p, p.comments[1]), "root");
    assert_string_equal(prof_cstr(&p, p.comments[2]), "cpu");
    assert_string_equal(prof_cstr(&p, p.default_sample_type), "cpu");
    assert_string_equal(prof_cstr(&p, p.doc_url), "root");
    assert_string_equal(prof_cstr(&p, p.drop_frames), "leaf");
    prof_free(&p);
}

/*
 * As Go's runtime writes large ones: header fields before and behind the
 * samples, and a location and a function where a sample first needs them;
 * 5 MB of them, for two threads to share.
 */
static void test_in_turn(void **state)
{
    enum { N = 150000 };
    struct buf b = {0};
    put_type(&b, PERIOD_TYPE, CPU, NANOSECONDS);
    msg_num(&b, PERIOD, 77);
    put_type(&b, SAMPLE_TYPE, CPU, NANOSECONDS);
    for (uint64_t i = 1; i <= N; i++) {
        put_location(&b, i, i);
        put_function(&b, i, i % 2 ? LEAF : ROOT);
        put_sample(&b, i, 3 * i);
        if (i % 3)
            put_sample(&b, i - i / 2, 5 * i);
        if (i == N / 2)
            msg_num(&b, TIME_NANOS, 123);
    }
    put_strings(&b, words, N_WORDS);
    msg_num(&b, DEFAULT_SAMPLE_TYPE, CPU);
    struct profile p;
    struct prof_err err = {0};
    struct pb_decoder decoder = {.threads = 2};
    assert_true(prof_init(&p, &err));
    assert_true(pb_decode_next(&decoder, b.v, b.n, &p, &err));
    assert_int_equal(p.period, 77);
    assert_int_equal(p.time_nanos, 123);
    assert_string_equal(prof_cstr(&p, p.period_type.type), "cpu");
    assert_string_equal(prof_cstr(&p, p.default_sample_type), "cpu");
    assert_int_equal(p.n_samples, N + N - N / 3);
    assert_int_equal(p.n_frames, p.n_samples);
    for (size_t i = 1, s = 0; i <= N; i++) {
        assert_int_equal(p.values[s], 3 * i);
        assert_int_equal(prof_stack(&p, s++)[0], i - 1);
        assert_int_equal(p.lines[p.locations[i - 1].line_off].function, i - 1);
        if (i % 3) {
            assert_int_equal(p.values[s], 5 * i);
            assert_int_equal(prof_stack(&p, s++)[0], i - i / 2 - 1);
        }
    }
    pb_decoder_free(&decoder);
    prof_free(&p);
    buf_free(&b);
}

static void count_note(void *ctx, enum prof_note_level level, const char *text)
{
    assert_int_equal(level, PROF_NOTE_LOSS);
    assert_string_equal(text, "4 fields skipped: not defined in profile.proto");
    ++*(int *)ctx;
}

static void test_unknown_fields(void **state)
{
    struct buf b = {0};
    struct profile p;
    int told = 0;
    struct prof_notes notes = {.say = count_note, .ctx = &told};
    msg_num(&b, 100, 5);
    msg_tag(&b, 101, 1);
    assert_true(buf_put(&b, "12345678", 8));
    msg_str(&b, 102, "text");
    msg_tag(&b, 103, 5);
    assert_true(buf_put(&b, "1234", 4));
    put_strings(&b, words, 1);
    assert_true(pb_decode(b.v, b.n, &p, &notes, NULL));
    assert_int_equal(told, 1);
    prof_free(&p);
    buf_free(&b);
}

static void test_dangling(void **state)
{
    struct buf b = {0};
    put_type(&b, SAMPLE_TYPE, CPU, NANOSECONDS);
    put_sample(&b, 77, 1);
    put_strings(&b, words, N_WORDS);
    /* 6 bytes of type; tag and length of the sample, and of its ids. */
    bad(&b, "offset 10: sample 0 refers to location 77, which does not exist");

    put_location(&b, 1, 5);
    put_strings(&b, words, 1);
    /* Tags and lengths of location and line, id: the line is at 6. */
    bad(&b, "offset 6: line refers to function 5, which does not exist");

    put_function(&b, 1, 9);
    put_strings(&b, words, N_WORDS);
    bad(&b, "offset 4: name of a function is string 9, but the string table "
            "has 5 strings");

    struct buf m = {0};
    msg_num(&m, 2, 3);
    msg_sub(&b, LOCATION, &m);
    put_strings(&b, words, 1);
    bad(&b, "offset 2: location refers to mapping 3, which does not exist");
}

static void test_unsound(void **state)
{
    struct buf b = {0}, m = {0};
    uint64_t two[] = {1, 2};
    put_type(&b, SAMPLE_TYPE, CPU, NANOSECONDS);
    msg_packed(&m, 2, two, 2);
    msg_sub(&b, SAMPLE, &m);
    put_strings(&b, words, N_WORDS);
    bad(&b, "offset 8: sample 0 has 2 values for 1 sample types");

    put_sample(&b, 1, 1);
    put_strings(&b, words, 1);
    bad(&b, "1 samples, but no sample types");

    put_function(&b, 3, LEAF);
    put_function(&b, 3, ROOT);
    put_strings(&b, words, N_WORDS);
    bad(&b, "duplicate function id 3");

    msg_str(&b, STRING_TABLE, "not empty");
    bad(&b, "offset 2: string 0 is not empty");
}

static void test_broken_wire(void **state)
{
    struct buf b = {0};
    msg_tag(&b, SAMPLE, 2);
    msg_varint(&b, 1000);
    bad(&b,
        "offset 1: unexpected end of file: field of 1000 bytes, only 0 left");

    msg_tag(&b, TIME_NANOS, 0);
    assert_true(buf_put(&b, "\xff\xff", 2));
    bad(&b, "offset 1: unexpected end of file in a number");

    msg_tag(&b, TIME_NANOS, 0);
    assert_true(buf_put(&b, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 11));
    bad(&b, "offset 1: integer longer than 10 bytes");

    msg_tag(&b, SAMPLE, 0);
    msg_varint(&b, 1);
    bad(&b, "offset 0: field 2 has wire type 0, expected 2");

    msg_tag(&b, 3, 3);
    bad(&b, "offset 0: field 3 has invalid wire type 3");

    assert_true(buf_put(&b, "\0\0", 2));
    bad(&b, "offset 0: not a protobuf field");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty_message),
        cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_unpacked),
        cmocka_unit_test(test_sparse_and_huge_ids),
        cmocka_unit_test(test_function_id_0),
        cmocka_unit_test(test_functions_without_ids),
        cmocka_unit_test(test_no_function),
        cmocka_unit_test(test_inlined_lines),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_label_with_text_and_number),
        cmocka_unit_test(test_label_with_empty_text),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_in_turn),
        cmocka_unit_test(test_unknown_fields),
        cmocka_unit_test(test_dangling),
        cmocka_unit_test(test_unsound),
        cmocka_unit_test(test_broken_wire),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
