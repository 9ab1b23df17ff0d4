/*
 * Broken CPU profiles: every prefix of a file that has everything, and
 * thousands of mutations of it, must give an error that says something or a
 * sound profile.  What bytes are changed comes from a fixed seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check_profile.h"
#include "gperf_file.h"

enum { MUTATIONS = 4000, CHANGES_MAX = 4 };

static void put_part(struct gperf_file *f)
{
    put_header(f, 10000);
    PUT(f, 3, 2, 0x401000, 0x402000, 7, 1, 0, 2, 3, 0x403000, 0x403000, 0x9000);
    PUT(f, 1, 4, 0x701000, 0x702000, 0, 0x900000);
    put_end(f);
    put_text(f, "build=/home/me\n"
                "00600000-00800000 r-xp 00010000 08:01 1 /lib/a.so.1\n"
                "00401000-00500000 r-xp 00001000 08:01 2 $build/my app\n"
                "x/file.cc:12] 500000-600000: /b (@100) 0123ab\n");
}

static void put_java(struct gperf_file *f)
{
    PUT(f, 0, 4, 1, 10000, 0, 9, 2, 3, 16, 32, 48);
    put_end(f);
    put_text(f, "0x10 a.B.c (B.java:42)\n0x20 f (/lib/x.so)\n0x30 GC\n");
}

static void check_sound(const struct profile *p)
{
    struct prof_err err = {0};
    assert_string_equal(check_profile(p, &err) ? "" : err.text, "");
    for (size_t i = 0; i < 2 * p->n_samples; i++)
        assert_true(p->values[i] >= 0);
    for (size_t m = 0; m < p->n_mappings; m++)
        assert_true(p->mappings[m].start < p->mappings[m].limit);
}

/* True when it was read. */
static bool check(const uint8_t *data, size_t n)
{
    static const struct import_options opts[2] = {
        {.strip_signal_frames = true, .binary = "b"}, {.first_only = true}};
    struct read_result r;
    /* A copy of its own size: what is read behind it is found. */
    uint8_t *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    if (n)
        memcpy(copy, data, n);
    read_bytes(copy, n, &opts[n % 2], &r);
    free(copy);
    if (r.ok) {
        check_sound(&r.p);
    } else {
        assert_int_equal(r.err.kind, PROF_ERR_INPUT);
        assert_true(strlen(r.err.text) > 10);
    }
    bool ok = r.ok;
    free_result(&r);
    return ok;
}

static void test_prefixes(void **state)
{
    (void)state;
    for (size_t size = 4; size <= 8; size += 4) {
        struct gperf_file f = {.size = size, .big_endian = size == 4};
        put_part(&f);
        put_part(&f);
        size_t java = f.bytes.n;
        put_java(&f);
        for (size_t n = 0; n < f.bytes.n; n++)
            (void)check(f.bytes.v, n);
        /* Cut behind the first header, it gives what it holds. */
        assert_false(check(f.bytes.v, 5 * size - 1));
        for (size_t n = 5 * size; n < java; n++)
            assert_true(check(f.bytes.v, n));
        assert_true(check(f.bytes.v, f.bytes.n));
        buf_free(&f.bytes);
    }
}

static uint64_t next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* One change: a byte, a whole word, a piece moved, or an end cut off. */
static void mutate(struct gperf_file *f, uint64_t *seed)
{
    static const uint64_t words[] = {
        0, 1, 2, 3, 0x7fffffff, 0x80000000, 0xffffffff, 1 << 16, UINT64_MAX};
    uint8_t *v = f->bytes.v;
    size_t n = f->bytes.n, at = next(seed) % n, left = n - at;
    struct gperf_file word = {.size = f->size, .big_endian = f->big_endian};
    switch (next(seed) % 5) {
    case 0:
        v[at] = (uint8_t)next(seed);
        break;
    case 1:
        PUT(&word, words[next(seed) % (sizeof words / sizeof *words)]);
        at -= at % f->size;
        if (n - at >= f->size)
            memcpy(v + at, word.bytes.v, f->size);
        buf_free(&word.bytes);
        break;
    case 2:
        memmove(v + at, v + next(seed) % (at + 1), left > 40 ? 40 : left);
        break;
    case 3:
        if (next(seed) % 8 == 0 && at > 0)
            f->bytes.n = at;
        break;
    default:
        v[at] ^= (uint8_t)(1U << next(seed) % 8);
        break;
    }
}

static void test_mutations(void **state)
{
    (void)state;
    uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);
    size_t n_read = 0;
    for (int i = 0; i < MUTATIONS; i++) {
        struct gperf_file f = {.size = i % 2 ? 4 : 8, .big_endian = i % 4 < 2};
        put_part(&f);
        if (i % 3 == 0)
            put_part(&f);
        if (i % 5 == 0)
            put_java(&f);
        for (uint64_t k = next(&seed) % CHANGES_MAX + 1; k > 0; k--)
            mutate(&f, &seed);
        n_read += check(f.bytes.v, f.bytes.n);
        buf_free(&f.bytes);
    }
    /* Changes are small: neither outcome may be rare. */
    assert_true(n_read > MUTATIONS / 10 && n_read < MUTATIONS * 9 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_mutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
