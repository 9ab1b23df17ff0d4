/*
 * Damaged gmon.out files: an error, or a profile that our own decoder, which
 * asks for a sound one, takes back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check_profile.h"
#include "formats/gmon/gmon.h"
#include "gmon_make.h"
#include "merge_try.h"
#include "profile/merge/merge.h"
#include "profile/wire/pb.h"

enum { MUTATIONS = 3000 };

static const uint16_t four[] = {3, 2, 65535, 1};

/* Formats and forms of make_file(). */
enum { FILES = 4 * 7 };

static void make_records(struct gmon_file *f, uint32_t version)
{
    unsigned addr_size = f->form.addr_size;
    make_hist(f, 0x8000, 0x8010, 100, "seconds", four, 4);
    make_arc(f, 0x8000, 0x8008, 7);
    make_hist(f, 0x9000, 0x9009, 1000, "seconds", four, 3);
    if (version) {
        make_uint(f, 2, 1);
        make_uint(f, 1, 4);
        make_uint(f, 0x8004, addr_size);
        make_uint(f, 12, addr_size);
    }
    make_arc(f, 0x8008, 0x8000, 0xffffffff);
}

static void make_chunks(struct gmon_file *f)
{
    unsigned addr_size = f->form.addr_size;
    make_hist_chunk(f, 0x8000, 0x8010, 100, four, 4);
    make_chunk(f, 2, 3 * addr_size);
    make_bsd44_arc(f, 0x8000, 0x8008, 7);
    make_chunk(f, 3, 2 * addr_size + 8);
    make_uint(f, 0x8000, addr_size);
    make_uint(f, 0x8004, addr_size);
    make_uint(f, 9, 4);
    make_uint(f, 1, 4);
    make_chunk(f, 4, 4 + addr_size + 3);
    make_uint(f, 1, 4);
    make_image(f, 0x2000, "/a");
    make_chunk(f, 5, 4 + addr_size + 3);
    make_uint(f, 1, 4);
    make_image(f, 0x8000, "/b");
    make_chunk(f, 7, 1);
    make_uint(f, 1, 1);
}

/* Several records of every kind; what gmon_read() is to be told. */
static struct gmon_opts make_file(struct gmon_file *f, int i)
{
    struct gmon_opts opts = {0};
    unsigned addr_size = i & 1 ? 4 : 8;
    bool big = i & 2;
    switch (i / 4) {
    case 0:
    case 1:
        make_gnu(f, addr_size, big, i / 4 == 0);
        make_records(f, i / 4 == 0);
        break;
    case 2:
        make_bsd44(f, addr_size, big, 0x8000, 0x8010, 100, four, 4);
        break;
    case 3:
    case 4:
        make_old_bsd(f, addr_size, big, addr_size == 8 && i / 4 == 4, 0x8000,
                     0x8010, four, 4);
        opts.family = addr_size == 8 && i / 4 == 4 ? GMON_OSF1 : GMON_OLD_BSD;
        break;
    case 5:
        make_ld_profile(f, addr_size, big, 0x8000, 0x8010, 100, four, 4);
        make_ld_table(f, 2);
        make_ld_arc(f, 0, 8, 7);
        make_ld_arc(f, 8, 0, 0xffffffff);
        break;
    default:
        make_darwin(f, addr_size, big);
        make_chunks(f);
    }
    if (i / 4 >= 2 && i / 4 <= 4) {
        make_bsd44_arc(f, 0x8000, 0x8008, 7);
        make_bsd44_arc(f, 0x8008, 0x8000, 0xffffffff);
    }
    return opts;
}

static void check_sound(const struct profile *p)
{
    struct profile canonical, back;
    struct buf out = {0};
    struct buf_sink sink = buf_sink_of(&out);
    struct prof_err err = {0};
    if (!check_profile(p, &err))
        fail_msg("%s", err.text);
    /* A sum may overflow; nothing else may fail. */
    if (!canonical_copy(p, &canonical, &err)) {
        assert_int_equal(err.kind, PROF_ERR_INPUT);
    } else {
        assert_true(pb_encode(&canonical, &sink.sink, &err));
        if (!pb_decode(out.v, out.n, &back, NULL, &err))
            fail_msg("%s", err.text);
        assert_int_equal(back.n_samples, canonical.n_samples);
        prof_free(&back);
    }
    prof_free(&canonical);
    buf_free(&out);
}

/* True when the bytes are taken. */
static bool try_bytes(const uint8_t *data, size_t n,
                      const struct gmon_opts *opts)
{
    struct gmon g, again = {0}, sum = {0};
    struct profile p = {0};
    struct said said;
    struct prof_err err = {0};
    struct prof_notes *notes = said_init(&said);
    bool ok = gmon_read(
        &g, &(struct import_input){.data = data, .n = n, .notes = notes}, opts,
        &err);
    if (ok && gmon_add(&sum, &g, "one", &err) &&
        gmon_read(&again, &(struct import_input){.data = data, .n = n}, opts,
                  &err) &&
        gmon_add(&sum, &again, "two", &err) &&
        gmon_convert(
            &(struct gmon_job){.g = &sum, .opts = opts, .notes = notes}, &p,
            &err))
        check_sound(&p);
    else
        assert_true(err.kind == PROF_ERR_INPUT && err.text[0]);
    prof_free(&p);
    gmon_free(&sum);
    gmon_free(&again);
    gmon_free(&g);
    return ok;
}

/* The bytes in memory of their own, so that a sanitizer sees their end. */
static bool try_copy(const uint8_t *data, size_t n,
                     const struct gmon_opts *opts)
{
    uint8_t *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    if (n)
        memcpy(copy, data, n);
    bool ok = try_bytes(copy, n, opts);
    free(copy);
    return ok;
}

static void test_prefixes(void **state)
{
    (void)state;
    for (int i = 0; i < FILES; i++) {
        struct gmon_file f;
        struct gmon_opts strict = make_file(&f, i), lenient = strict;
        lenient.lenient = true;
        assert_true(try_bytes(f.bytes.v, f.bytes.n, &strict));
        for (size_t n = 0; n < f.bytes.n; n++) {
            bool ok = try_copy(f.bytes.v, n, &strict);
            bool kept = try_copy(f.bytes.v, n, &lenient);
            assert_true(kept || !ok);
            /* Whatever has its header is kept as far as it goes. */
            assert_true(kept || n < 40);
        }
        make_free(&f);
    }
}

static uint32_t next_random(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

static void mutate(uint8_t *data, size_t n, uint32_t *seed)
{
    static const uint8_t odd[] = {0, 1, 2, 0x7f, 0x80, 0xff};
    for (uint32_t k = next_random(seed) % 4 + 1; k > 0; k--) {
        uint8_t *at = &data[next_random(seed) % n];
        if (next_random(seed) % 2)
            *at = odd[next_random(seed) % sizeof odd];
        else
            *at = (uint8_t)next_random(seed);
    }
}

static void test_mutations(void **state)
{
    uint32_t seed = 20261120, taken = 0;
    (void)state;
    for (int i = 0; i < MUTATIONS; i++) {
        struct gmon_file f;
        struct gmon_opts opts = make_file(&f, i % FILES);
        opts.lenient = next_random(&seed) % 2;
        mutate(f.bytes.v, f.bytes.n, &seed);
        size_t n = f.bytes.n;
        if (next_random(&seed) % 4 == 0)
            n = next_random(&seed) % n;
        taken += try_copy(f.bytes.v, n, &opts);
        make_free(&f);
    }
    /* The mutations are neither all harmless nor all fatal. */
    assert_in_range(taken, MUTATIONS / 20, MUTATIONS - MUTATIONS / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_mutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
