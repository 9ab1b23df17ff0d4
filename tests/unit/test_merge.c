/* Merging: what is the same, how headers unite, what cannot be added. */
#include <string.h>

#include "merge_try.h"
#include "profile/merge/merge.h"
#include "profile/wire/pb.h"
#include "said.h"
#include "unit.h"

static struct prof_err err;

static void ok(bool done)
{
    if (!done)
        fail_msg("%s", err.text);
}

/* A profile with one sample type. */
static struct profile profile_of(const char *type, const char *unit)
{
    struct profile p;
    ok(prof_init(&p, &err));
    ok(prof_add_type(&p, type, unit, &err));
    return p;
}

static struct profile cpu(void)
{
    return profile_of("cpu", "nanoseconds");
}

static uint32_t add_mapping(struct profile *p, const char *file,
                            const char *build_id, uint64_t start, uint64_t size)
{
    uint32_t index;
    struct prof_mapping m = {.start = start, .limit = start + size};
    ok(prof_str(p, file, &m.filename, &err));
    ok(prof_str(p, build_id, &m.build_id, &err));
    ok(prof_add_mapping(p, &m, &index, &err));
    return index;
}

/* A location with a line of a function of this name; "" for none. */
static uint32_t add_location(struct profile *p, uint32_t mapping,
                             uint64_t address, const char *function)
{
    struct prof_location l = {.address = address, .mapping = mapping};
    struct prof_function f = {0};
    struct prof_line line = {.line = 1};
    uint32_t index;
    if (*function) {
        ok(prof_str(p, function, &f.name, &err));
        ok(prof_add_function(p, &f, &line.function, &err));
    }
    ok(prof_add_location(p, &l, &line, *function != 0, &index, &err));
    return index;
}

static void add_sample(struct profile *p, uint32_t location, int64_t value)
{
    ok(prof_add_sample(p, &location, 1, &value, 0, &err));
}

/* A profile whose only sample is in function f. */
static struct profile one(const char *f, int64_t value)
{
    struct profile p = cpu();
    add_sample(&p, add_location(&p, PROF_NONE, 0, f), value);
    return p;
}

/* The merge of n profiles, which are freed. */
static struct profile merged(enum prof_merge_types types, struct profile *v,
                             size_t n)
{
    struct profile out;
    struct prof_merger *m =
        prof_merge_new(&(struct prof_merge_opts){.types = types}, &err);
    for (size_t i = 0; i < n; i++) {
        ok(prof_merge_add(m, &v[i], &err));
        prof_free(&v[i]);
    }
    ok(prof_merge_finish(m, 1, &out, NULL, &err));
    prof_merge_free(m);
    return out;
}

static struct buf bytes_of(const struct profile *p)
{
    struct buf b = {0};
    struct buf_sink s = buf_sink_of(&b);
    ok(pb_encode(p, &s.sink, &err));
    return b;
}

static void same_bytes(const struct profile *p, const struct profile *q)
{
    struct buf a = bytes_of(p), b = bytes_of(q);
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.v, b.v, a.n);
    buf_free(&a);
    buf_free(&b);
}

static const char *leaf(const struct profile *p, size_t s)
{
    const struct prof_location *l = &p->locations[prof_stack(p, s)[0]];
    return prof_cstr(p, p->functions[p->lines[l->line_off].function].name);
}

static void test_equal_stacks_add_up(void **state)
{
    struct profile v[] = {one("f", 3), one("g", 5), one("f", 4)};
    struct profile p = merged(PROF_TYPES_SAME, v, 3);
    assert_int_equal(p.n_samples, 2);
    assert_string_equal(leaf(&p, 0), "f");
    assert_int_equal(p.values[0], 7);
    assert_string_equal(leaf(&p, 1), "g");
    assert_int_equal(p.values[1], 5);
    prof_free(&p);
}

/* One library at two bases: addresses move to the lower one. */
static void test_relocated_mapping(void **state)
{
    struct profile v[] = {cpu(), cpu()};
    uint32_t m = add_mapping(&v[0], "/lib/x.so", "b1", 0x7000000, 0x2000);
    add_sample(&v[0], add_location(&v[0], m, 0x7000123, ""), 1);
    /* The size differs, but not when rounded up to 4 KiB. */
    m = add_mapping(&v[1], "/mnt/x.so", "b1", 0x5000000, 0x1f00);
    add_sample(&v[1], add_location(&v[1], m, 0x5000123, ""), 2);
    struct profile p = merged(PROF_TYPES_SAME, v, 2);
    assert_int_equal(p.n_samples, 1);
    assert_int_equal(p.values[0], 3);
    assert_int_equal(p.n_mappings, 1);
    assert_int_equal(p.mappings[0].start, 0x5000000);
    assert_int_equal(p.mappings[0].limit, 0x5002000);
    assert_int_equal(p.locations[0].address, 0x5000123);
    assert_string_equal(prof_cstr(&p, p.mappings[0].filename), "/lib/x.so");
    prof_free(&p);
}

/* A library at this base, and a location in it that is called f. */
static struct profile at(uint64_t base, uint64_t address)
{
    struct profile p = cpu();
    uint32_t m = add_mapping(&p, "/lib/x.so", "b1", base, 0x2000);
    add_sample(&p, add_location(&p, m, address, "f"), 1);
    return p;
}

/* Addresses that are left out, or are those of the file, do not move. */
static void test_addresses_below_their_mapping(void **state)
{
    const uint64_t address[] = {0, 0x1500};
    for (size_t i = 0; i < 2; i++) {
        struct profile v[] = {at(0x7000000, address[i]),
                              at(0x5000000, address[i])};
        struct profile p = merged(PROF_TYPES_SAME, v, 2);
        assert_int_equal(p.n_samples, 1);
        assert_int_equal(p.values[0], 2);
        assert_int_equal(p.n_mappings, 1);
        assert_int_equal(p.locations[0].address, address[i]);
        prof_free(&p);
    }
}

/*
 * Of three inputs one has such an address, which lies between the others'
 * bases: it stays below the start of its mapping, however they are merged.
 */
static void test_addresses_on_both_sides(void **state)
{
    struct profile v[] = {at(0x7000000, 0x5000123), at(0x6000000, 0x6000123),
                          at(0x4000000, 0x4000123)};
    struct profile w[] = {at(0x4000000, 0x4000123), at(0x7000000, 0x5000123)};
    struct profile p = merged(PROF_TYPES_SAME, v, 3);
    assert_int_equal(p.n_samples, 2);
    assert_int_equal(p.n_mappings, 2);
    assert_int_equal(p.mappings[0].start, 0x4000000);
    assert_int_equal(p.mappings[1].start, 0x7000000);
    assert_int_equal(p.mappings[1].limit, 0x7002000);
    for (size_t s = 0; s < 2; s++) {
        const struct prof_location *l = &p.locations[prof_stack(&p, s)[0]];
        assert_int_equal(l->address, l->mapping ? 0x5000123 : 0x4000123);
        assert_int_equal(p.values[s], l->mapping ? 1 : 2);
    }
    struct profile x[] = {merged(PROF_TYPES_SAME, w, 2),
                          at(0x6000000, 0x6000123)};
    struct profile q = merged(PROF_TYPES_SAME, x, 2);
    same_bytes(&p, &q);
    prof_free(&p);
    prof_free(&q);
}

/* Regions without a name have nothing but their place. */
static void test_anonymous_mappings_stay_apart(void **state)
{
    struct profile v[] = {cpu()};
    uint32_t a = add_mapping(&v[0], "", "", 0x10000, 0x1000);
    uint32_t b = add_mapping(&v[0], "", "", 0x20000, 0x1000);
    add_sample(&v[0], add_location(&v[0], a, 0x10010, ""), 1);
    add_sample(&v[0], add_location(&v[0], b, 0x20010, ""), 2);
    struct profile p = merged(PROF_TYPES_SAME, v, 1);
    assert_int_equal(p.n_samples, 2);
    assert_int_equal(p.n_mappings, 2);
    prof_free(&p);
}

/* Lines that differ in column only, the last as well as the first. */
static void test_columns_count(void **state)
{
    struct profile p = cpu(), out;
    struct prof_location l = {.mapping = PROF_NONE};
    struct prof_line lines[2] = {{1, 5, PROF_NONE}, {2, 6, PROF_NONE}};
    uint32_t a, b;
    ok(prof_add_location(&p, &l, lines, 2, &a, &err));
    lines[1].column = 7;
    ok(prof_add_location(&p, &l, lines, 2, &b, &err));
    add_sample(&p, a, 1);
    add_sample(&p, b, 1);
    ok(canonical_copy(&p, &out, &err));
    assert_int_equal(out.n_samples, 2);
    prof_free(&p);
    prof_free(&out);
}

/* Only what samples with a value need is kept, and the main binary. */
static void test_unused_goes(void **state)
{
    struct profile p = cpu(), out;
    uint32_t main_binary = add_mapping(&p, "/bin/main", "", 0x1000, 0x1000);
    uint32_t lib = add_mapping(&p, "/lib/a.so", "", 0x8000, 0x1000);
    uint32_t unused = add_mapping(&p, "/lib/b.so", "", 0x9000, 0x1000);
    add_location(&p, main_binary, 0x1010, "never");
    add_sample(&p, add_location(&p, unused, 0x9010, "zero"), 0);
    add_sample(&p, add_location(&p, lib, 0x8010, "used"), 1);
    ok(canonical_copy(&p, &out, &err));
    assert_int_equal(out.n_samples, 1);
    assert_int_equal(out.n_locations, 1);
    assert_int_equal(out.n_functions, 1);
    assert_int_equal(out.n_mappings, 2);
    assert_string_equal(prof_cstr(&out, out.mappings[0].filename), "/bin/main");
    assert_string_equal(prof_cstr(&out, out.mappings[1].filename), "/lib/a.so");
    prof_free(&p);
    prof_free(&out);
}

static void set_header(struct profile *p, int64_t time, int64_t duration,
                       int64_t period, const char *text)
{
    p->time_nanos = time;
    p->duration_nanos = duration;
    p->period = period;
    ok(prof_add_comment(p, text, &err));
    ok(prof_str(p, text, &p->doc_url, &err));
    ok(prof_str(p, text, &p->drop_frames, &err));
    ok(prof_str(p, "cpu", &p->period_type.type, &err));
    ok(prof_str(p, "nanoseconds", &p->period_type.unit, &err));
}

static void test_headers(void **state)
{
    struct profile v[] = {one("f", 1), one("f", 1), one("f", 1)};
    set_header(&v[0], 0, 10, 100, "z|b");
    set_header(&v[1], 2000, 20, 300, "a(x|y)|b");
    set_header(&v[2], 1000, 30, 200, "z|b");
    struct profile p = merged(PROF_TYPES_SAME, v, 3);
    assert_int_equal(p.time_nanos, 1000);
    assert_int_equal(p.duration_nanos, 60);
    assert_int_equal(p.period, 300);
    assert_int_equal(p.n_comments, 2);
    assert_string_equal(prof_cstr(&p, p.comments[0]), "a(x|y)|b");
    assert_string_equal(prof_cstr(&p, p.comments[1]), "z|b");
    assert_string_equal(prof_cstr(&p, p.doc_url), "a(x|y)|b");
    assert_string_equal(prof_cstr(&p, p.drop_frames), "a(x|y)|b|z");
    prof_free(&p);
}

/* Two types in two orders: by name, whichever comes first. */
static struct profile two_types(bool swapped, int64_t count, int64_t space)
{
    struct profile p;
    ok(prof_init(&p, &err));
    if (!swapped)
        ok(prof_add_type(&p, "objects", "count", &err));
    ok(prof_add_type(&p, "space", "bytes", &err));
    if (swapped)
        ok(prof_add_type(&p, "objects", "count", &err));
    int64_t values[] = {swapped ? space : count, swapped ? count : space};
    uint32_t l = add_location(&p, PROF_NONE, 0, "f");
    ok(prof_add_sample(&p, &l, 1, values, 0, &err));
    return p;
}

static void test_types_in_any_order(void **state)
{
    struct profile v[] = {two_types(true, 1, 100), two_types(false, 2, 200)};
    struct profile p = merged(PROF_TYPES_SAME, v, 2);
    assert_int_equal(p.n_types, 2);
    assert_string_equal(prof_cstr(&p, p.types[0].type), "objects");
    assert_int_equal(p.values[0], 3);
    assert_int_equal(p.values[1], 300);
    prof_free(&p);
}

static void test_types_that_differ(void **state)
{
    struct profile a = two_types(false, 1, 100), b = one("f", 7);
    struct prof_merger *m = prof_merge_new(NULL, &err);
    ok(prof_merge_add(m, &a, &err));
    assert_false(prof_merge_add(m, &b, &err));
    assert_int_equal(err.kind, PROF_ERR_INPUT);
    assert_said(err.text,
                "sample types do not match: this input has (cpu/nanoseconds), "
                "earlier inputs have (objects/count, space/bytes); use pbmerge "
                "--types=union to merge them anyway");
    /* The merger goes on as if b had not been there. */
    struct profile out;
    ok(prof_merge_finish(m, 1, &out, NULL, &err));
    assert_int_equal(out.n_types, 2);
    assert_int_equal(out.values[1], 100);
    prof_free(&out);
    prof_merge_free(m);
    prof_free(&a);
    prof_free(&b);
}

static void test_union(void **state)
{
    struct profile v[] = {two_types(false, 1, 100), one("f", 7)};
    struct profile p = merged(PROF_TYPES_UNION, v, 2);
    assert_int_equal(p.n_types, 3);
    assert_string_equal(prof_cstr(&p, p.types[0].type), "cpu");
    assert_int_equal(p.n_samples, 1);
    int64_t expected[] = {7, 1, 100};
    assert_memory_equal(p.values, expected, sizeof expected);
    prof_free(&p);
}

static void test_intersect(void **state)
{
    struct profile v[] = {two_types(false, 1, 100),
                          profile_of("space", "bytes")};
    add_sample(&v[1], add_location(&v[1], PROF_NONE, 0, "f"), 11);
    struct profile p = merged(PROF_TYPES_INTERSECT, v, 2);
    assert_int_equal(p.n_types, 1);
    assert_string_equal(prof_cstr(&p, p.types[0].type), "space");
    assert_int_equal(p.values[0], 111);
    prof_free(&p);
}

/* What has no type in common with the others changes nothing, order included.
 */
static void test_intersect_refuses(void **state)
{
    struct profile a = two_types(false, 1, 100), b = one("f", 7), out;
    struct profile space = profile_of("space", "bytes");
    struct profile objects = profile_of("objects", "count");
    struct prof_merger *m = prof_merge_new(
        &(struct prof_merge_opts){.types = PROF_TYPES_INTERSECT}, &err);
    ok(prof_merge_add(m, &a, &err));
    assert_false(prof_merge_add(m, &b, &err));
    assert_int_equal(err.kind, PROF_ERR_INPUT);
    assert_said(
        err.text,
        "no sample type in common: this input has (cpu/nanoseconds), earlier "
        "inputs have (objects/count, space/bytes); use pbmerge --types=union "
        "to merge them anyway");
    ok(prof_merge_finish(m, 1, &out, NULL, &err));
    assert_int_equal(out.n_types, 2);
    assert_string_equal(prof_cstr(&out, out.types[0].type), "objects");
    prof_free(&out);
    prof_merge_free(m);
    /* A type that is not common any more is none that was there before. */
    m = prof_merge_new(&(struct prof_merge_opts){.types = PROF_TYPES_INTERSECT},
                       &err);
    ok(prof_merge_add(m, &a, &err));
    ok(prof_merge_add(m, &space, &err));
    assert_false(prof_merge_add(m, &objects, &err));
    assert_said(err.text,
                "no sample type in common: this input has (objects/count), "
                "earlier inputs have (space/bytes); use pbmerge "
                "--types=union to merge them anyway");
    prof_merge_free(m);
    prof_free(&a);
    prof_free(&b);
    prof_free(&space);
    prof_free(&objects);
}

/* Whether what is refused depends on what comes in between. */
static void test_settled(void **state)
{
    struct profile p = one("f", 7);
    for (enum prof_merge_types how = PROF_TYPES_SAME;
         how <= PROF_TYPES_INTERSECT; how++) {
        struct prof_merger *m =
            prof_merge_new(&(struct prof_merge_opts){.types = how}, &err);
        assert_false(prof_merge_state(m).settled);
        p.period_type = (struct prof_value_type){0, 0};
        ok(prof_merge_add(m, &p, &err));
        assert_int_equal(prof_merge_state(m).settled, how == PROF_TYPES_UNION);
        p.period_type = p.types[0];
        ok(prof_merge_add(m, &p, &err));
        assert_int_equal(prof_merge_state(m).settled,
                         how != PROF_TYPES_INTERSECT);
        prof_merge_free(m);
    }
    prof_free(&p);
}

/* A sum that leaves 64 bits on the way is right if it comes back. */
static void test_overflow(void **state)
{
    struct profile v[] = {one("f", INT64_MAX), one("f", 1), one("f", -1)};
    struct profile p = merged(PROF_TYPES_SAME, v, 3);
    assert_true(p.values[0] == INT64_MAX);
    prof_free(&p);

    struct profile a = one("f", INT64_MAX), b = one("f", 1);
    struct prof_merger *m = prof_merge_new(NULL, &err);
    ok(prof_merge_add(m, &a, &err) && prof_merge_add(m, &b, &err));
    assert_false(prof_merge_finish(m, 1, &p, NULL, &err));
    assert_int_equal(err.kind, PROF_ERR_INPUT);
    assert_said(
        err.text,
        "the sum of cpu/nanoseconds of the sample of f exceeds 64 bits");
    prof_free(&p);
    prof_merge_free(m);
    prof_free(&a);
    prof_free(&b);
}

/* The same by several threads. */
static void test_overflow_in_threads(void **state)
{
    struct profile v[] = {one("f", INT64_MAX), one("f", INT64_MIN),
                          one("f", INT64_MAX), one("f", INT64_MIN)};
    struct profile p;
    struct prof_merger *m = prof_merge_new(NULL, &err);
    ok(add_parallel(m, 2, v, 4, false, &err));
    ok(prof_merge_finish(m, 1, &p, NULL, &err));
    assert_int_equal(p.values[0], -2);
    prof_merge_free(m);
    prof_free(&p);
    for (size_t i = 0; i < 4; i++)
        prof_free(&v[i]);
}

static void test_values_that_cancel_go(void **state)
{
    struct profile v[] = {one("f", 5), one("f", -5), one("g", 1)};
    struct profile p = merged(PROF_TYPES_SAME, v, 3);
    assert_int_equal(p.n_samples, 1);
    assert_string_equal(leaf(&p, 0), "g");
    prof_free(&p);
}

/* Stacks come in order from the root: callers before what they call. */
static void test_root_first_order(void **state)
{
    struct profile p = cpu(), out;
    uint32_t m = add_location(&p, PROF_NONE, 0x10, "");
    uint32_t a = add_location(&p, PROF_NONE, 0x20, "");
    uint32_t b = add_location(&p, PROF_NONE, 0x30, "");
    uint32_t stacks[4][3] = {{b, m}, {a, b, m}, {m}, {b, a, m}};
    size_t depth[] = {2, 3, 1, 3};
    for (int64_t i = 0; i < 4; i++) {
        int64_t value = i + 1;
        ok(prof_add_sample(&p, stacks[i], depth[i], &value, 0, &err));
    }
    ok(canonical_copy(&p, &out, &err));
    /* m; m a b; m b; m b a */
    int64_t expected[] = {3, 4, 1, 2};
    assert_memory_equal(out.values, expected, sizeof expected);
    prof_free(&p);
    prof_free(&out);
}

static void test_canonical_again(void **state)
{
    struct profile v[] = {two_types(true, 1, 100), two_types(false, 2, 200)};
    set_header(&v[0], 5, 6, 7, "comment");
    struct profile once = merged(PROF_TYPES_SAME, v, 2), twice;
    ok(canonical_copy(&once, &twice, &err));
    same_bytes(&once, &twice);
    prof_free(&once);
    prof_free(&twice);
}

static void test_label_sets(void **state)
{
    struct profile p = cpu(), out;
    uint32_t l = add_location(&p, PROF_NONE, 0, "f"), sets[3];
    struct prof_label v[2] = {0};
    int64_t value = 1;
    /* "z" gets the lower id, but "a" comes first in the result. */
    ok(prof_str(&p, "z", &v[0].key, &err) &&
       prof_str(&p, "a", &v[1].key, &err));
    v[0].num = 1;
    v[1].num = 2;
    struct prof_label swapped[2] = {v[1], v[0]}, other[1] = {v[0]};
    ok(prof_labelset(&p, v, 2, &sets[0], &err) &&
       prof_labelset(&p, swapped, 2, &sets[1], &err) &&
       prof_labelset(&p, other, 1, &sets[2], &err));
    assert_int_equal(sets[0], sets[1]);
    assert_int_not_equal(sets[0], sets[2]);
    for (int i = 0; i < 3; i++)
        ok(prof_add_sample(&p, &l, 1, &value, sets[i], &err));
    ok(canonical_copy(&p, &out, &err));
    assert_int_equal(out.n_samples, 2);
    assert_int_equal(out.values[0], 2);
    const struct prof_label *first =
        out.labels + out.labelset_off[out.labelset[0]];
    assert_string_equal(prof_cstr(&out, first[0].key), "a");
    assert_string_equal(prof_cstr(&out, first[1].key), "z");
    prof_free(&p);
    prof_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_stacks_add_up),
        cmocka_unit_test(test_relocated_mapping),
        cmocka_unit_test(test_addresses_below_their_mapping),
        cmocka_unit_test(test_addresses_on_both_sides),
        cmocka_unit_test(test_anonymous_mappings_stay_apart),
        cmocka_unit_test(test_columns_count),
        cmocka_unit_test(test_unused_goes),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_types_in_any_order),
        cmocka_unit_test(test_types_that_differ),
        cmocka_unit_test(test_union),
        cmocka_unit_test(test_intersect),
        cmocka_unit_test(test_intersect_refuses),
        cmocka_unit_test(test_settled),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_overflow_in_threads),
        cmocka_unit_test(test_values_that_cancel_go),
        cmocka_unit_test(test_root_first_order),
        cmocka_unit_test(test_canonical_again),
        cmocka_unit_test(test_label_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
