/* String table, hash index, id map, alternatives, ratios. */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/slice.h"
#include "base/sort.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "profile/columns.h"
#include "profile/merge/alternatives.h"
#include "profile/wire/idmap.h"
#include "said.h"
#include "unit.h"

static void test_strtab(void **state)
{
    struct strtab t;
    assert_true(strtab_init(&t));
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 5000; i++) {
            char s[16];
            uint32_t id;
            int n = snprintf(s, sizeof s, "%u", i);
            assert_true(strtab_add(&t, s, (size_t)n, &id));
            assert_int_equal(id, i + 1);
        }
    }
    assert_int_equal(t.n, 5001);
    assert_string_equal(strtab_str(&t, 4712), "4711");
    strtab_free(&t);
}

/* Long strings have chunks of their own; zero bytes are text. */
static void test_strtab_odd_strings(void **state)
{
    static char big[200000];
    struct strtab t;
    uint32_t id[4];
    memset(big, 'x', sizeof big);
    assert_true(strtab_init(&t));
    assert_true(strtab_add(&t, big, sizeof big, &id[0]));
    assert_true(strtab_add(&t, "a\0b", 3, &id[1]));
    assert_true(strtab_add(&t, "a", 1, &id[2]));
    assert_true(strtab_add(&t, big, sizeof big - 1, &id[3]));
    assert_int_equal(strtab_len(&t, id[0]), sizeof big);
    assert_int_equal(strtab_len(&t, id[1]), 3);
    assert_memory_equal(strtab_str(&t, id[1]), "a\0b", 4);
    assert_true(strtab_cmp(&t, id[2], id[1]) < 0);
    assert_true(strtab_cmp(&t, id[0], id[3]) > 0);
    strtab_free(&t);
}

static void test_strtab_select(void **state)
{
    struct strtab t;
    uint32_t a = 0, b = 0, c = 0, id;
    assert_true(strtab_init(&t));
    assert_true(strtab_add(&t, "a", 1, &a) && strtab_add(&t, "b", 1, &b) &&
                strtab_add(&t, "c", 1, &c));
    uint32_t keep[] = {0, c, a};
    assert_true(strtab_select(&t, keep, 3));
    assert_int_equal(t.n, 3);
    assert_string_equal(strtab_str(&t, 1), "c");
    assert_true(strtab_find(&t, "a", 1, &id));
    assert_int_equal(id, 2);
    assert_false(strtab_find(&t, "b", 1, &id));
    assert_true(strtab_add(&t, "b", 1, &id));
    assert_int_equal(id, 3);
    strtab_free(&t);
}

/* Sort keys have seven bytes; a string that ends is before one that has a NUL
 * there. */
static void test_strtab_sort(void **state)
{
    static const struct prof_slice sorted[] = {
        {"", 0},
        {"\0", 1},
        {"\0\0", 2},
        {"a", 1},
        {"a\0", 2},
        {"a\0b", 3},
        {"abcdef", 6},
        {"abcdef\0", 7},
        {"abcdefg", 7},
        {"abcdefg\0", 8},
        {"abcdefgh", 8},
        {"abcdefghijklmn", 14},
        {"abcdefghijklmn\0", 15},
        {"abcdefghijklmno", 15},
        {"b", 1},
        {"\x7f", 1},
        {"\xff", 1},
    };
    enum { N = sizeof sorted / sizeof *sorted };
    struct strtab t;
    uint32_t ids[N], unsorted[N];
    assert_true(strtab_init(&t));
    for (size_t i = N; i--;)
        assert_true(strtab_add(&t, sorted[i].s, sorted[i].n, &unsorted[i]));
    for (size_t n = 0; n <= N; n++) { /* the n least, in some order */
        for (size_t i = 0; i < n; i++)
            ids[i * 2 < n ? n - 1 - i * 2 : i * 2 - n] = unsorted[i];
        assert_true(strtab_sort(&t, ids, n, 1 + n % 2));
        assert_memory_equal(ids, unsorted, n * sizeof *ids);
    }
    strtab_free(&t);
}

static void test_sorted(void **state)
{
    static const uint64_t v[] = {0, 0, 3, UINT64_MAX};
    static const struct {
        uint64_t key;
        size_t upto, below;
    } cases[] = {{0, 2, 0}, {1, 2, 2}, {3, 3, 2}, {UINT64_MAX, 4, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint64_t key = cases[i].key;
        assert_int_equal(sorted_upto(v, 4, sizeof *v, key), cases[i].upto);
        assert_int_equal(sorted_below(v, 4, sizeof *v, key), cases[i].below);
        assert_int_equal(sorted_below(v, 0, sizeof *v, key), 0);
    }
}

static void test_bytes_number(void **state)
{
    static const uint8_t v[] = {0xf1, 2, 3, 4, 5, 6, 7, 0xf8};
    static const struct {
        size_t size;
        uint64_t little, big;
    } cases[] = {
        {0, 0, 0},
        {1, 0xf1, 0xf1},
        {2, 0x02f1, 0xf102},
        {3, 0x0302f1, 0xf10203},
        {4, 0x040302f1, 0xf1020304},
        {7, 0x070605040302f1, 0xf1020304050607},
        {8, 0xf8070605040302f1, 0xf1020304050607f8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t size = cases[i].size;
        assert_int_equal(bytes_number(v, size, false), cases[i].little);
        assert_int_equal(bytes_number(v, size, true), cases[i].big);
    }
}

/* Stable, and the same for a few as for many. */
static void sorts(size_t n, uint64_t mask)
{
    static struct radix_item v[5000], spare[5000];
    uint64_t x = 88172645463325252U;
    for (uint32_t i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        v[i] = (struct radix_item){.key = x & mask, .id = i};
    }
    radix_sort(v, spare, n);
    for (size_t i = 1; i < n; i++)
        assert_true(v[i - 1].key < v[i].key ||
                    (v[i - 1].key == v[i].key && v[i - 1].id < v[i].id));
}

/* In order but for the last one, which is the least, or for none. */
static void sorts_sorted(size_t n, uint64_t last)
{
    static struct radix_item v[5000], spare[5000];
    for (uint32_t i = 0; i < n; i++)
        v[i] = (struct radix_item){.key = 1 + i / 3, .id = i};
    v[n - 1].key = last;
    radix_sort(v, spare, n);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(v[i].id, last ? i : (i + n - 1) % n);
}

static void test_radix(void **state)
{
    sorts_sorted(5000, 5000);
    sorts_sorted(5000, 0);
    sorts_sorted(100, 0);
    sorts(0, UINT64_MAX);
    sorts(40, 7);
    sorts(5000, UINT64_MAX);
    sorts(5000, 0xff00000000ff00U);
    sorts(4999, 3);
}

/* Rows with one hash are all found. */
static void test_hashidx(void **state)
{
    struct hashidx h = {0};
    for (uint32_t row = 0; row < 1000; row++) {
        assert_true(hashidx_room(&h));
        size_t at = hashidx_start(&h, row % 10);
        while (hashidx_next(&h, row % 10, &at) != HASHIDX_NONE)
            ;
        hashidx_put(&h, at, row % 10, row);
    }
    size_t at = hashidx_start(&h, 3), found = 0;
    uint32_t row;
    while ((row = hashidx_next(&h, 3, &at)) != HASHIDX_NONE) {
        assert_int_equal(row % 10, 3);
        found++;
    }
    assert_int_equal(found, 100);
    hashidx_free(&h);
    assert_true(hashidx_reserve(&h, 1000));
    size_t slots = h.n_slots;
    for (row = 0; row < 1000; row++) {
        assert_true(hashidx_room(&h));
        at = hashidx_start(&h, row);
        assert_int_equal(hashidx_next(&h, row, &at), HASHIDX_NONE);
        hashidx_put(&h, at, row, row);
    }
    assert_int_equal(h.n_slots, slots);
    assert_true(hashidx_reserve(&h, 2000)); /* with rows that are there */
    assert_true(h.n_slots > slots);
    for (row = 0; row < 1000; row++) {
        at = hashidx_start(&h, row);
        assert_int_equal(hashidx_next(&h, row, &at), row);
    }
    hashidx_free(&h);
}

/* Large arrays keep their content while they grow, and end where they end. */
static void test_large(void **state)
{
    enum { FIRST = 5 << 20, MOST = 40 << 20, STEP = 4001 };
    VEC(uint8_t) v = {0};
    uint8_t *zero = mem_zarray(FIRST, 1);
    assert_non_null(zero);
    assert_true(vec_reserve(&v, FIRST));
    while (v.n + STEP <= MOST) {
        assert_true(vec_reserve(&v, STEP));
        memset(v.v + v.n, (int)(v.n % 251), STEP);
        v.n += STEP;
    }
    for (size_t i = 0; i < v.n; i += STEP)
        if (v.v[i] != i % 251 || v.v[i + STEP - 1] != i % 251)
            fail_msg("byte %zu is lost", i);
    for (size_t i = 0; i < FIRST; i++)
        if (zero[i])
            fail_msg("byte %zu is not 0", i);
    assert_null(mem_resize(v.v, SIZE_MAX / 2, 3));
    free(zero);
    vec_free(&v);
}

static bool make_map(struct idmap *map, const uint64_t ids[3], uint32_t *twice)
{
    const struct idmap_entities e = {ids, 3, sizeof *ids};
    return idmap_make(map, &e, twice);
}

static void test_idmap(void **state)
{
    const uint64_t dense[] = {3, 1, 2}, sparse[] = {UINT64_MAX, 0, 1ULL << 40};
    struct idmap map = {0};
    uint32_t twice;
    assert_true(make_map(&map, dense, &twice));
    assert_int_equal(idmap_get(&map, 3), 0);
    assert_int_equal(idmap_get(&map, 2), 2);
    assert_true(idmap_get(&map, 0) == IDMAP_NONE);
    assert_true(idmap_get(&map, UINT64_MAX) == IDMAP_NONE);
    idmap_free(&map);
    assert_true(make_map(&map, sparse, &twice));
    assert_true(twice == IDMAP_NONE);
    assert_int_equal(idmap_get(&map, UINT64_MAX), 0);
    assert_int_equal(idmap_get(&map, 0), 1);
    assert_int_equal(idmap_get(&map, 1ULL << 40), 2);
    assert_true(idmap_get(&map, 5) == IDMAP_NONE);
    idmap_free(&map);
    const uint64_t same[] = {4, 5, 4};
    assert_true(make_map(&map, same, &twice));
    assert_int_equal(twice, 2);
    idmap_free(&map);
}

/* The union of the alternatives of two regexps. */
static void unites_to(const char *a, const char *b, const char *expected)
{
    struct strtab t;
    struct str_set set = {0};
    uint32_t id;
    assert_true(strtab_init(&t));
    assert_true(alternatives_add(&set, &t, a, strlen(a), NULL));
    assert_true(alternatives_add(&set, &t, b, strlen(b), NULL));
    assert_true(alternatives_join(&set, &t, &id, NULL));
    assert_string_equal(strtab_str(&t, id), expected);
    str_set_free(&set);
    strtab_free(&t);
}

static void test_alternatives(void **state)
{
    unites_to("b|a", "c|a", "a|b|c");
    unites_to("x(1|2)", "y[|]z|x(1|2)", "x(1|2)|y[|]z");
    unites_to("a\\|b", "c", "a\\|b|c");
    unites_to("\\Qa|b\\E|c", "", "\\Qa|b\\E|c");
    unites_to("[]|]|a", "[^]|]", "[]|]|[^]|]|a");
    unites_to("[[:alpha:]|]|b", "a", "[[:alpha:]|]|a|b");
    unites_to("[[:a|]|b", "c:]", "[\\[:a|]|b|c:]");
    unites_to("[x\\[:[:]", "[a:]", "[a:]|[x\\[:\\[:]");
    /* Open quotes would, too; a backslash at the end is quoted with them. */
    unites_to("x|\\Qa|", "y", "\\Qa|\\E|x|y");
    unites_to("\\Qa\\", "b", "\\Qa\\\\E|b");
    unites_to("(?i)a|\\Qb", "c", "(?:(?i)a|\\Qb\\E)|c");
    /* Flags would reach into what follows. */
    unites_to("(?i)a|b", "c", "(?:(?i)a|b)|c");
    unites_to("(?:(?i)a|b)", "c", "(?:(?i)a|b)|c");
    unites_to("(?i:a)|b", "", "(?i:a)|b");
    /* Not a regexp: itself only. */
    unites_to("a|(b", "a|(b", "a\\|\\(b");
}

static void test_ratio(void **state)
{
    struct prof_ratio r;
    assert_true(prof_ratio_parse("3", &r) && r.num == 3 && r.den == 1);
    assert_true(prof_ratio_parse("-0.25", &r) && r.num == -25 && r.den == 100);
    assert_true(prof_ratio_parse("+.5", &r) && r.num == 5 && r.den == 10);
    assert_false(prof_ratio_parse("", &r));
    assert_false(prof_ratio_parse("-", &r));
    assert_false(prof_ratio_parse("1.2.3", &r));
    assert_false(prof_ratio_parse("1e3", &r));
    assert_false(prof_ratio_parse("1234567890123456789", &r));
}

static void scales_to(int64_t value, struct prof_ratio r, int64_t expected)
{
    struct profile p;
    assert_true(prof_init(&p, NULL) && prof_add_type(&p, "t", "u", NULL) &&
                prof_add_sample(&p, NULL, 0, &value, 0, NULL));
    assert_true(prof_scale(&p, r, NULL));
    assert_true(p.values[0] == expected);
    prof_free(&p);
}

/* Halves go away from zero; large values lose no bit. */
static void test_scale(void **state)
{
    scales_to(5, (struct prof_ratio){1, 2}, 3);
    scales_to(-5, (struct prof_ratio){1, 2}, -3);
    scales_to(7, (struct prof_ratio){1, 3}, 2);
    scales_to(8, (struct prof_ratio){1, 3}, 3);
    scales_to(INT64_MAX, (struct prof_ratio){10, 10}, INT64_MAX);
    scales_to(INT64_MAX, (struct prof_ratio){-1, 1}, -INT64_MAX);
    scales_to(INT64_MIN, (struct prof_ratio){2, 2}, INT64_MIN);
    scales_to((1LL << 60) + 1, (struct prof_ratio){3, 1},
              3 * ((1LL << 60) + 1));

    struct profile p;
    struct prof_err err;
    int64_t value = INT64_MIN;
    assert_true(prof_init(&p, NULL) && prof_add_type(&p, "t", "u", NULL) &&
                prof_add_sample(&p, NULL, 0, &value, 0, NULL));
    assert_false(prof_scale(&p, (struct prof_ratio){-1, 1}, &err));
    assert_said(err.text,
                "a value of -9223372036854775808 t/u exceeds 64 bits when "
                "scaled");
    prof_free(&p);
}

static struct profile values_of(const int64_t *values, size_t n)
{
    struct profile p;
    assert_true(prof_init(&p, NULL) && prof_add_type(&p, "t", "u", NULL));
    for (size_t i = 0; i < n; i++)
        assert_true(prof_add_sample(&p, NULL, 0, &values[i], 0, NULL));
    return p;
}

static void test_normalize(void **state)
{
    const int64_t own[] = {10, 30}, theirs[] = {100}, zero[] = {0};
    struct profile p = values_of(own, 2), base = values_of(theirs, 1);
    assert_true(prof_normalize(&p, &base, NULL)); /* 100 / 40 = 2.5 */
    assert_int_equal(p.values[0], 25);
    assert_int_equal(p.values[1], 75);
    struct profile none = values_of(zero, 1);
    assert_true(prof_normalize(&none, &base, NULL));
    assert_int_equal(none.values[0], 0);
    prof_free(&p);
    prof_free(&base);
    prof_free(&none);
}

/* In whatever order values come, a total that fits is one. */
static void test_totals(void **state)
{
    const int64_t there[] = {INT64_MAX, 1, -3}, beyond[] = {INT64_MIN, -1};
    struct profile p = values_of(there, 3), q = values_of(beyond, 2);
    struct prof_err err;
    int64_t total;
    assert_true(prof_totals(&p, &total, &err));
    assert_true(total == INT64_MAX - 2);
    assert_false(prof_totals(&q, &total, &err));
    assert_said(err.text, "the total of t/u exceeds 64 bits");
    prof_free(&p);
    prof_free(&q);
}

/* What cannot be taken off, or is no number, leaves the text as it is. */
/* sort_rows() keeps the order of equal keys; sorted_find() finds the first. */
static void test_rows(void **state)
{
    struct row {
        uint64_t key;
        size_t was;
    };
    VEC(struct row) rows = {0};
    enum { ROWS = 300, KEYS = 7, LARGE = 1 << 30 };
    for (size_t i = 0; i < ROWS; i++)
        assert_true(vec_push(
            &rows, ((struct row){(uint64_t)LARGE * (ROWS - i) % KEYS, i})));
    assert_true(vec_sort_rows(&rows));
    for (size_t i = 1; i < ROWS; i++) {
        const struct row *a = &rows.v[i - 1], *b = &rows.v[i];
        assert_true(a->key < b->key || (a->key == b->key && a->was < b->was));
    }
    for (uint64_t key = 0; key <= KEYS; key++) {
        const size_t at = sorted_find(rows.v, ROWS, sizeof *rows.v, key);
        assert_true(key == KEYS ? at == ROWS : rows.v[at].key == key);
        assert_true(key == KEYS || !at || rows.v[at - 1].key < key);
    }
    assert_true(sort_rows(NULL, 0, sizeof *rows.v));
    assert_int_equal(sorted_find(NULL, 0, sizeof *rows.v, 1), 0);
    vec_free(&rows);
}

/* Text is cut at its first or last character of a kind. */
static void test_slice_cuts(void **state)
{
    struct prof_slice s = slice_of("a=b=c"), after;
    assert_true(slice_is(slice_take_until(&s, '='), "a"));
    assert_true(slice_is(s, "b=c"));
    assert_true(slice_split_last(&s, '=', &after));
    assert_true(slice_is(s, "b") && slice_is(after, "c"));
    assert_false(slice_split_last(&s, '=', &after));
    assert_true(slice_is(slice_take_until(&s, '='), "b") && !s.n);
    assert_int_equal(slice_take_until(&s, '=').n, 0);
    s = slice_of("=");
    assert_true(slice_split_last(&s, '=', &after) && !s.n && !after.n);
}

/* map_push() appends an element for each new key. */
static void test_map_push(void **state)
{
    static const char *const keys[] = {"a", "b", "a", "c", "b"};
    static const uint32_t want[] = {0, 1, 0, 2, 1};
    struct map map = {0};
    VEC(size_t) first = {0};
    for (size_t i = 0; i < 5; i++) {
        uint32_t row;
        assert_true(map_push(&map, &first, keys[i], 1, &row, i));
        assert_int_equal(row, want[i]);
    }
    uint32_t row;
    assert_false(map_push(&map, &first, "", 0, &row, 5));
    assert_true(first.n == 3 && first.v[1] == 1 && first.v[2] == 3);
    vec_free(&first);
    map_free(&map);
}

static void test_slice_numbers(void **state)
{
    struct prof_slice s = slice_of("@heap/12");
    int64_t v = -1;
    uint64_t x = 1;
    assert_false(slice_take_char(&s, 'h'));
    assert_true(slice_take_char(&s, '@'));
    assert_false(slice_take_prefix(&s, "heap_"));
    assert_true(slice_take_prefix(&s, "heap/"));
    assert_true(slice_to_int(s, &v) && v == 12);
    assert_int_equal(s.n, 2);
    assert_true(slice_take_prefix(&s, "12"));
    assert_false(slice_take_char(&s, 0));
    assert_true(slice_to_int(slice_of("9223372036854775807"), &v));
    assert_true(v == INT64_MAX);
    assert_true(slice_to_hex(slice_of("fFffffffffffffff"), &x));
    assert_true(x == UINT64_MAX);
    static const char *const none[] = {"", " 1", "1 ", "-1", "+1", "0x1", "1."};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_false(slice_to_int(slice_of(none[i]), &v));
        assert_false(slice_to_hex(slice_of(none[i]), &x));
    }
    assert_false(slice_to_int(slice_of("9223372036854775808"), &v));
    assert_false(slice_to_hex(slice_of("10000000000000000"), &x));
}

static void keep_text(void *ctx, enum prof_note_level level, const char *text)
{
    (void)level;
    (void)snprintf(ctx, PROF_ERR_TEXT_MAX, "%s", text);
}

static void counts_in_notes(void **state)
{
    char text[PROF_ERR_TEXT_MAX];
    const struct prof_notes notes = {.say = keep_text, .ctx = text};
    static const struct {
        int n;
        const char *text;
    } cases[] = {
        {1, "1 entry, read as an 'x'; {} and | of x stay: {a|b}"},
        {2, "2 entries, read as 'x'; {} and | of x stay: {a|b}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int n = cases[i].n;
        note_count(&notes, PROF_NOTE_INFO, (uint64_t)n,
                   "%d entr{y|ies}, read as {an |}'x'; %s", n,
                   "{} and | of x stay: {a|b}");
        assert_string_equal(text, cases[i].text);
    }
    note_count(&notes, PROF_NOTE_INFO, 1, "line{s} | {one}");
    assert_string_equal(text, "line | ");
    note_count(&notes, PROF_NOTE_INFO, 2, "line{s} | {one}");
    assert_string_equal(text, "lines | one");
    note_count(&notes, PROF_NOTE_INFO, 0, "nothing");
    assert_string_equal(text, "lines | one");
    note_count(NULL, PROF_NOTE_INFO, 2, "line{s}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_in_notes),
        cmocka_unit_test(test_strtab),
        cmocka_unit_test(test_strtab_odd_strings),
        cmocka_unit_test(test_strtab_select),
        cmocka_unit_test(test_strtab_sort),
        cmocka_unit_test(test_sorted),
        cmocka_unit_test(test_bytes_number),
        cmocka_unit_test(test_radix),
        cmocka_unit_test(test_hashidx),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_idmap),
        cmocka_unit_test(test_alternatives),
        cmocka_unit_test(test_ratio),
        cmocka_unit_test(test_scale),
        cmocka_unit_test(test_normalize),
        cmocka_unit_test(test_totals),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_slice_cuts),
        cmocka_unit_test(test_map_push),
        cmocka_unit_test(test_slice_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
