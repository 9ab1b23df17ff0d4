/*
 * Every reader on every broken file: what is in testdata/, cut after each
 * byte and mutated from fixed seeds, goes to all importers, the inflater and
 * the decoder.  Each must say what is wrong, or give a sound profile that
 * merges and survives writing and reading with its totals.
 *
 * TESTDATA names another directory; default: testdata.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>

#include <cmocka.h>

#include "base/vec.h"
#include "check_profile.h"
#include "formats/dcpi/dcpi.h"
#include "formats/gmon/gmon.h"
#include "formats/import.h"
#include "io/gzip.h"
#include "merge_try.h"
#include "profile/merge/merge.h"
#include "profile/wire/pb.h"
#include "random_message.h"

enum {
    MUTATIONS = 3000, /* of each file */
    ALL_CUTS = 16384, /* longer files are not cut after every byte */
    THOROUGH = 4,     /* one in so many profiles is merged and written */
    INFLATED_MAX = 1 << 20,
};

/* --- readers ---------------------------------------------------------------
 */

typedef bool reader(const uint8_t *data, size_t n, struct profile *p,
                    struct prof_err *err);

static bool read_pb(const uint8_t *data, size_t n, struct profile *p,
                    struct prof_err *err)
{
    return pb_decode(data, n, p, NULL, err);
}

static bool read_gz(const uint8_t *data, size_t n, struct profile *p,
                    struct prof_err *err)
{
    struct gz *gz = gz_new();
    struct buf out = {0};
    size_t used = 0;
    assert_non_null(gz);
    bool ok = gz_inflate(gz, data, n, INFLATED_MAX, &out, &used, err);
    assert_true(out.n <= INFLATED_MAX);
    assert_true(!ok || used <= n);
    ok = ok && pb_decode(out.v, out.n, p, NULL, err);
    buf_free(&out);
    gz_free(gz);
    return ok;
}

static bool read_gperf(const uint8_t *data, size_t n, struct profile *p,
                       struct prof_err *err)
{
    const struct import_options opts = {0};
    const struct import_input in = {.data = data, .n = n};
    return cpu_read(&in, &opts, p, err);
}

static bool read_gmon(const uint8_t *data, size_t n, struct profile *p,
                      struct prof_err *err)
{
    const struct gmon_opts opts = {0};
    struct gmon g;
    bool ok = gmon_read(&g, &(struct import_input){.data = data, .n = n}, &opts,
                        err) &&
              gmon_convert(&(struct gmon_job){.g = &g, .opts = &opts}, p, err);
    gmon_free(&g);
    return ok;
}

static bool read_dcpi(const uint8_t *data, size_t n, struct profile *p,
                      struct prof_err *err)
{
    struct dcpi_opts opts = {0};
    const struct import_input in = {.data = data, .n = n};
    struct dcpi *d = dcpi_sum_new(&opts, NULL, err);
    assert_non_null(d);
    bool ok =
        dcpi_sum_add(d, &in, err) && take_profile(p, dcpi_sum_finish(d, err));
    dcpi_sum_free(d);
    return ok;
}

static const struct {
    const char *name;
    reader *read;
} readers[] = {
    {"profile.proto", read_pb}, {"gzip", read_gz},   {"gperftools", read_gperf},
    {"gmon", read_gmon},        {"dcpi", read_dcpi},
};

enum { N_READERS = sizeof readers / sizeof *readers };

/* --- files -----------------------------------------------------------------
 */

struct file {
    char name[256];
    struct buf bytes;
};

static VEC(struct file) files;

static void load(const char *name)
{
    struct file f = {{0}, {0}};
    char part[4096];
    FILE *in = fopen(name, "rb");
    assert_non_null(in);
    (void)snprintf(f.name, sizeof f.name, "%s", name);
    for (size_t n; (n = fread(part, 1, sizeof part, in)) > 0;)
        assert_true(buf_put(&f.bytes, part, n));
    assert_int_equal(ferror(in), 0);
    assert_int_equal(fclose(in), 0);
    assert_true(vec_push(&files, f));
    if (!gz_is(f.bytes.v, f.bytes.n))
        return;
    struct gz *gz = gz_new();
    struct file inflated = {{0}, {0}};
    struct prof_err err;
    size_t used;
    assert_non_null(gz);
    (void)snprintf(inflated.name, sizeof inflated.name, "%s, inflated", name);
    assert_true(gz_inflate(gz, f.bytes.v, f.bytes.n, INFLATED_MAX,
                           &inflated.bytes, &used, &err));
    assert_true(vec_push(&files, inflated));
    gz_free(gz);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* The files of a directory and those below it, two levels deep. */
static void load_all(const char *dir, int depth)
{
    struct dirent **entries;
    int n = scandir(dir, &entries, NULL, by_name);
    assert_true(n >= 0);
    for (int i = 0; i < n; i++) {
        char path[512];
        int len = snprintf(path, sizeof path, "%s/%s", dir, entries[i]->d_name);
        assert_in_range(len, 1, sizeof path - 1);
        DIR *below = opendir(path);
        if (entries[i]->d_name[0] != '.' && !below)
            load(path);
        else if (entries[i]->d_name[0] != '.' && depth)
            load_all(path, depth - 1);
        if (below)
            (void)closedir(below);
        free(entries[i]);
    }
    free((void *)entries);
}

static int setup(void **state)
{
    (void)state;
    const char *dir = getenv("TESTDATA");
    load_all(dir ? dir : "testdata", 2);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (size_t i = 0; i < files.n; i++)
        buf_free(&files.v[i].bytes);
    vec_free(&files);
    return 0;
}

/* --- what is held against them ---------------------------------------------
 */

/* Modulo 2^64, as sums of hostile values wrap. */
static uint64_t total(const struct profile *p, size_t type)
{
    uint64_t sum = 0;
    for (size_t s = 0; s < p->n_samples; s++)
        sum += (uint64_t)p->values[s * p->n_types + type];
    return sum;
}

/* Merged alone, written and read: the same totals. */
static void check_merge(const struct profile *p, const char *what)
{
    struct profile merged, read = {0};
    struct prof_err err = {0};
    if (!canonical_copy(p, &merged, &err)) {
        /* Only a sum can be too much for a sound profile. */
        if (!strstr(err.text, "overflow"))
            fail_msg("%s: %s", what, err.text);
        prof_free(&merged);
        return;
    }
    struct buf bytes = profile_bytes(&merged);
    if (!check_profile(&merged, &err) ||
        !pb_decode(bytes.v, bytes.n, &read, NULL, &err))
        fail_msg("%s: %s", what, err.text);
    assert_int_equal(read.n_types, p->n_types);
    assert_int_equal(read.n_samples, merged.n_samples);
    for (size_t i = 0; i < p->n_types; i++) {
        assert_true(total(p, i) == total(&merged, i));
        assert_true(total(p, i) == total(&read, i));
    }
    prof_free(&merged);
    prof_free(&read);
    buf_free(&bytes);
}

struct tally {
    size_t taken, refused;
};

static void feed(const char *name, const uint8_t *data, size_t n,
                 struct tally *tally)
{
    /* A copy of just the size, for the sanitizer's sake. */
    uint8_t *exact = malloc(n ? n : 1);
    assert_non_null(exact);
    if (n)
        memcpy(exact, data, n);
    for (int i = 0; i < N_READERS; i++) {
        struct profile p = {0};
        struct prof_err err = {0};
        char what[512];
        (void)snprintf(what, sizeof what, "%s as %s, %zu bytes", name,
                       readers[i].name, n);
        if (!readers[i].read(exact, n, &p, &err)) {
            if (err.kind != PROF_ERR_INPUT || !*err.text)
                fail_msg("%s: error %d `%s'", what, err.kind, err.text);
            tally[i].refused++;
        } else {
            if (!check_profile(&p, &err))
                fail_msg("%s: %s", what, err.text);
            if (tally[i].taken++ % THOROUGH == 0)
                check_merge(&p, what);
        }
        prof_free(&p);
    }
    free(exact);
}

enum damage { NONE, CUT, CHANGED };

/*
 * Whether a reader takes some files in spite of the damage.  A gzip member has
 * a checksum, and the string table of a message is its last field here, so
 * that a cut message lacks strings.
 */
static bool takes_some(int i, enum damage damage)
{
    if (readers[i].read == read_gz)
        return damage == NONE;
    return readers[i].read != read_pb || damage != CUT;
}

/* Each reader has taken some and refused some, or nothing was tested. */
static void assert_both(const struct tally *tally, enum damage damage)
{
    for (int i = 0; i < N_READERS; i++) {
        print_message("%s: %zu taken, %zu refused\n", readers[i].name,
                      tally[i].taken, tally[i].refused);
        assert_true(tally[i].refused > 0);
        if (takes_some(i, damage))
            assert_true(tally[i].taken > 0);
        else if (damage == CUT)
            assert_int_equal(tally[i].taken, 0);
    }
}

/* --- tests -----------------------------------------------------------------
 */

static void whole(void **state)
{
    (void)state;
    struct tally tally[N_READERS] = {{0, 0}};
    for (size_t i = 0; i < files.n; i++)
        feed(files.v[i].name, files.v[i].bytes.v, files.v[i].bytes.n, tally);
    assert_both(tally, NONE);
}

static void prefixes(void **state)
{
    (void)state;
    struct tally tally[N_READERS] = {{0, 0}};
    for (size_t i = 0; i < files.n; i++) {
        const struct file *f = &files.v[i];
        size_t step = 1 + f->bytes.n / rng_rounds(ALL_CUTS);
        for (size_t n = 0; n < f->bytes.n; n += step)
            feed(f->name, f->bytes.v, n, tally);
    }
    assert_both(tally, CUT);
}

static void mutations(void **state)
{
    (void)state;
    struct tally tally[N_READERS] = {{0, 0}};
    for (size_t i = 0; i < files.n; i++)
        for (uint64_t seed = 0; seed < rng_rounds(MUTATIONS); seed++) {
            struct rng r = {seed << 16 | i};
            struct buf b = {0};
            assert_true(buf_put(&b, files.v[i].bytes.v, files.v[i].bytes.n));
            mutate(&b, &r);
            feed(files.v[i].name, b.v, b.n, tally);
            buf_free(&b);
        }
    assert_both(tally, CHANGED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole),
        cmocka_unit_test(prefixes),
        cmocka_unit_test(mutations),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
