/* test_public.c - what profile.h offers to converters and to writers */
#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "unit.h"

enum { ROW = 600, SAMPLES = 40 };

static struct prof_err err;

/*
 * Samples of one location each, whose functions have these names of one letter
 * in turn; each value is 1.  Without names, no samples.
 */
static struct profile *of_types(const char *names, bool wall)
{
    const size_t n = strlen(names);
    struct profile *p = prof_new(&err);
    struct prof_namemap map = {0};
    assert_non_null(p);
    assert_true(prof_add_type(p, "cpu", "count", &err));
    assert_true(!wall || prof_add_type(p, "wall", "count", &err));
    for (size_t i = 0; n && i < SAMPLES; i++) {
        const struct prof_slice name = {names + i % n, 1};
        uint32_t location;
        assert_true(
            prof_namemap_get(&map, p, PROF_NONE, name, &location, &err));
        const int64_t values[] = {1, 1};
        assert_true(prof_add_sample(p, &location, 1, values, 0, &err));
    }
    prof_namemap_free(&map);
    return p;
}

static struct profile *functions(const char *names)
{
    return of_types(names, false);
}

static void equal_functions_are_one(void **state)
{
    struct prof_functionmap map = {0};
    struct profile *p = prof_new(&err);
    for (uint32_t i = 0; i < 2000; i++) {
        /* Every field counts but the id. */
        struct prof_function f = {.id = i, .start_line = i / 2 % 10};
        uint32_t index;
        char name[2] = {(char)('a' + i / 20 % 10), 0};
        assert_true(prof_str(p, name, i < 1000 ? &f.name : &f.filename, &err));
        f.system_name = i % 1000 < 500 ? f.name + f.filename : 0;
        assert_true(prof_function_get(&map, p, &f, &index, &err));
        struct prof_function found = prof_get_function(p, index);
        found.id = f.id;
        assert_memory_equal(&found, &f, sizeof f);
    }
    /* 2 places of a name, with or without a linkage name, 10 names, 10 lines */
    assert_int_equal(prof_count(p).functions, 400);
    prof_functionmap_free(&map);
    prof_delete(p);
}

/* Long rows that are not written take no memory, and are 0 all the same. */
static void values_not_given_are_0(void **state)
{
    struct profile *p = prof_new(&err);
    for (size_t i = 0; i < ROW; i++)
        assert_true(prof_add_type(p, "n", "count", &err));
    const struct prof_counts counts = {.samples = SAMPLES};
    assert_true(prof_reserve(p, &counts, &err));
    for (size_t i = 0; i < (size_t)2 * SAMPLES; i++) {
        assert_true(prof_add_sample(p, NULL, 0, NULL, 0, &err));
        const int64_t *values = prof_get_sample(p, i).values;
        for (size_t k = 0; k < ROW; k++)
            assert_int_equal(values[k], 0);
        memset(prof_edit_values(p, i), 0xff, ROW * sizeof *values);
    }
    prof_delete(p);
}

static void stacks_are_moved(void **state)
{
    const uint64_t off[] = {0, 2, 2, 3};
    const uint32_t stacks[] = {0, 1, 1};
    struct profile *p = prof_new(&err);
    uint64_t *frame_off = malloc(sizeof off);
    uint32_t *frames = malloc(sizeof stacks);
    assert_true(prof_add_type(p, "n", "count", &err));
    for (uint64_t i = 0; i < 2; i++)
        assert_true(prof_add_location(
            p, &(struct prof_location){.address = i, .mapping = PROF_NONE},
            NULL, 0, NULL, &err));
    assert_true(prof_add_sample(p, stacks, 1, NULL, 0, &err));
    memcpy(frame_off, off, sizeof off);
    memcpy(frames, stacks, sizeof stacks);
    assert_true(prof_move_stacks(p, 3, frame_off, frames, &err));
    for (size_t i = 0; i < 3; i++) {
        const struct prof_sample s = prof_get_sample(p, i);
        assert_int_equal(s.n_frames, off[i + 1] - off[i]);
        assert_int_equal(s.values[0], 0);
        assert_int_equal(s.labelset, 0);
    }
    assert_int_equal(prof_get_sample(p, 2).frames[0], 1);
    assert_true(prof_add_sample(p, stacks, 2, NULL, 0, &err));
    assert_int_equal(prof_count(p).frames, 5);
    prof_delete(p);
}

static void strings_end_with_nul(void **state)
{
    struct profile *p = prof_new(&err);
    uint32_t plain, other;
    assert_true(prof_strn(p, "abc", 2, &plain, &err));
    assert_true(prof_strn(p, "a\0b", 3, &other, &err));
    assert_int_equal(prof_get_string(p, plain).s[2], 0);
    assert_int_equal(prof_get_string(p, other).s[3], 0);
    assert_string_equal(prof_plain(p, plain), "ab");
    assert_string_equal(prof_plain(p, other), "");
    prof_delete(p);
}

/* A result to write has the bytes, and the counts, of one to read. */
static void result_to_write_is_the_same(void **state)
{
    struct prof_result_opts how = {0};
    void *bytes[2];
    size_t n[2];
    for (int i = 0; i < 4; i++) {
        how.to_write = i % 2;
        how.keep_order = i / 2;
        struct profile *p = functions("ba");
        assert_true(prof_merge_one(p, &how, &err));
        assert_int_equal(prof_count(p).samples, 2);
        assert_true(prof_encode(p, 0, &bytes[i % 2], &n[i % 2], &err));
        prof_delete(p);
        if (i % 2) {
            assert_int_equal(n[0], n[1]);
            assert_memory_equal(bytes[0], bytes[1], n[0]);
            free(bytes[0]);
            free(bytes[1]);
        }
    }
}

/* Returns the name of the first sample's function. */
static const char *name_of_first(const struct profile *p)
{
    size_t lines;
    const struct prof_line *line =
        prof_get_lines(p, prof_get_sample(p, 0).frames[0], &lines);
    return prof_plain(p, prof_get_function(p, line->function).name);
}

/* The canonical order is that of names; the other one that of the samples. */
static void order_is_kept(void **state)
{
    const struct prof_result_opts how = {.keep_order = true};
    for (int i = 0; i < 2; i++) {
        struct profile *p = functions("ba");
        assert_true(prof_merge_one(p, i ? &how : NULL, &err));
        assert_int_equal(prof_get_sample(p, 0).values[0], SAMPLES / 2);
        assert_string_equal(name_of_first(p), i ? "b" : "a");
        prof_delete(p);
    }
}

/* Equal samples stay apart in an input that is taken over. */
static void order_of_a_sum_is_kept(void **state)
{
    const struct prof_result_opts how = {.keep_order = true};
    for (int take = 0; take < 2; take++) {
        struct prof_merger *m = prof_merge_new(NULL, &err);
        struct profile *p = functions("ba");
        assert_non_null(m);
        assert_true(take ? prof_merge_take(m, p, &err)
                         : prof_merge_add(m, p, &err) &&
                               prof_merge_add(m, p, &err));
        struct profile *sum = prof_merge_result(m, &how, &err);
        assert_non_null(sum);
        assert_int_equal(prof_count(sum).samples, take ? SAMPLES : 2);
        assert_int_equal(prof_get_sample(sum, 0).values[0], take ? 1 : SAMPLES);
        assert_string_equal(name_of_first(sum), "b");
        prof_delete(sum);
        prof_delete(p);
        prof_merge_free(m);
    }
}

/*
 * Samples of an input that is taken over follow those decoded before, which
 * cannot be taken over themselves, as the sum has more types.
 */
static void order_of_inputs_is_kept(void **state)
{
    const struct prof_result_opts how = {.keep_order = true};
    const struct prof_merge_opts opts = {.types = PROF_TYPES_UNION};
    struct prof_merger *m = prof_merge_new(&opts, &err);
    struct profile *first = of_types("", true), *decoded = functions("b"),
                   *taken = of_types("a", true);
    void *bytes;
    size_t n;
    assert_non_null(m);
    assert_true(prof_merge_add(m, first, &err));
    /* Its one sample, which is less than a batch, waits in the lane. */
    assert_true(prof_merge_one(decoded, NULL, &err));
    assert_true(prof_encode(decoded, 0, &bytes, &n, &err));
    assert_true(prof_merge_decode(m, bytes, n, NULL, &err));
    assert_true(prof_merge_take(m, taken, &err));
    struct profile *sum = prof_merge_result(m, &how, &err);
    assert_non_null(sum);
    assert_int_equal(prof_count(sum).samples, 2);
    assert_string_equal(name_of_first(sum), "b");
    prof_delete(sum);
    prof_delete(first);
    prof_delete(decoded);
    prof_delete(taken);
    prof_merge_free(m);
    free(bytes);
}

static void pieces_are_the_message(void **state)
{
    struct profile *p = functions("ba");
    struct prof_bytes all = {0};
    const uint32_t frame = 0;
    const int64_t value = 1;
    void *message;
    size_t n;
    for (int i = 0; i < 200000; i++)
        assert_true(prof_add_sample(p, &frame, 1, &value, 0, &err));
    struct prof_encoder *e = prof_encoder_new(p, &err);
    assert_non_null(e);
    assert_in_range(prof_encoder_pieces(e), 2, 4);
    for (size_t i = 0; i < prof_encoder_pieces(e); i++)
        assert_true(prof_encoder_piece(e, i, &all, &err));
    prof_encoder_free(e);
    assert_true(prof_encode(p, 0, &message, &n, &err));
    assert_int_equal(all.n, n);
    assert_memory_equal(all.v, message, n);
    free(all.v);
    free(message);
    prof_delete(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_functions_are_one),
        cmocka_unit_test(values_not_given_are_0),
        cmocka_unit_test(stacks_are_moved),
        cmocka_unit_test(strings_end_with_nul),
        cmocka_unit_test(result_to_write_is_the_same),
        cmocka_unit_test(order_is_kept),
        cmocka_unit_test(order_of_a_sum_is_kept),
        cmocka_unit_test(order_of_inputs_is_kept),
        cmocka_unit_test(pieces_are_the_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
