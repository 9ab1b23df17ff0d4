/*
 * prof_merge_spill(): whenever and however often samples go to disk, the result
 * is the same bytes; and what happens when there is no room for them.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check_profile.h"
#include "merge_try.h"
#include "profile/merge/private.h"
#include "random_profile.h"
#include "said.h"
#include "scratch_dir.h"
#include "unit.h"

enum { MOST = 12 };

static struct prof_err err;

static void must(bool ok)
{
    if (!ok)
        fail_msg("%s", err.text);
}

/* --- files without a name ------------------------------------------------ */

static size_t entries_of(const char *dir)
{
    size_t n = 0;
    DIR *d = opendir(dir);
    assert_non_null(d);
    while (readdir(d))
        n++;
    (void)closedir(d);
    return n - 2;
}

static int in_directory(void **state)
{
    return scratch_dir_make(state) == 0 ? setenv("TMPDIR", scratch_dir, 1) : -1;
}

static void temporary_file(void **state)
{
    struct tempfile s;
    uint8_t block[1000], got[1000];
    must(tempfile_open(&s, &err));
    assert_int_equal(entries_of(scratch_dir), 0);
    assert_null(tempfile_map(&s, &err));
    /* Pieces that fit in the buffer, and one that does not. */
    for (int i = 0; i < 300; i++) {
        memset(block, i, sizeof block);
        must(tempfile_put(&s, block, sizeof block, &err));
    }
    size_t n = (size_t)3 * TEMPFILE_BUFFER;
    uint8_t *large = malloc(n);
    assert_non_null(large);
    memset(large, 0x55, n);
    must(tempfile_put(&s, large, n, &err));
    must(tempfile_put(&s, "end", 3, &err));
    must(tempfile_flush(&s, &err));
    assert_int_equal(s.size, 300000 + n + 3);
    assert_int_equal(lseek(s.fd, 0, SEEK_END), s.size);
    for (int i = 0; i < 300; i++) {
        memset(block, i, sizeof block);
        must(tempfile_read(&s, (uint64_t)i * 1000, got, sizeof got, &err));
        assert_memory_equal(got, block, sizeof got);
    }
    const uint8_t *map = tempfile_map(&s, &err);
    assert_non_null(map);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(map[299999], 299 & 0xff);
        assert_memory_equal(map + 300000, large, n);
        assert_memory_equal(map + s.size - 3, "end", 3);
        tempfile_forget(&s, map);
    }
    /* Behind the end there is nothing. */
    assert_false(tempfile_read(&s, s.size - 1, got, 2, &err));
    assert_int_equal(err.kind, PROF_ERR_SYSTEM);
    tempfile_unmap(&s, map);
    tempfile_close(&s);
    free(large);
}

static void no_directory(void **state)
{
    struct tempfile s;
    assert_int_equal(setenv("TMPDIR", "/nowhere/at/all", 1), 0);
    assert_false(tempfile_open(&s, &err));
    assert_int_equal(err.kind, PROF_ERR_SYSTEM);
    assert_said(err.text, "cannot create a temporary file in "
                          "/nowhere/at/all: No such file or directory");
    tempfile_close(&s);
    assert_int_equal(setenv("TMPDIR", scratch_dir, 1), 0);
}

/* --- sums ---------------------------------------------------------------- */

/* How a sum is made: which of its inputs are followed by a spill. */
struct plan {
    enum prof_merge_types mode;
    struct random_opts opts;
    size_t n;
    uint64_t content[MOST];
    unsigned spills;  /* by input, as bits */
    uint64_t at_once; /* bytes for buffers of the merge; 0: as it is */
    bool in_parts;    /* every third input goes by threads */
    unsigned threads;
};

static void add(struct prof_merger *m, const struct plan *plan, size_t i)
{
    struct profile p;
    random_profile(&p, plan->content[i], i, &plan->opts);
    if (!plan->in_parts || i % 3 != 1) {
        must(prof_merge_take(m, &p, &err));
    } else {
        must(add_parallel(m, 2, &p, 1, true, &err));
    }
    prof_free(&p);
}

static struct buf sum_bytes(const struct plan *plan)
{
    struct profile out;
    struct prof_layout layout = {0};
    struct prof_merger *m =
        prof_merge_new(&(struct prof_merge_opts){.types = plan->mode}, &err);
    assert_non_null(m);
    for (size_t i = 0; i < plan->n; i++) {
        add(m, plan, i);
        if (plan->spills >> i & 1)
            must(prof_merge_spill(m, 0, &err));
    }
    if (plan->at_once)
        m->sum->spill.merging = plan->at_once;
    must(prof_merge_finish(m, plan->threads, &out, &layout, &err));
    if (plan->spills) {
        assert_null(layout.order);
        assert_int_equal(m->sum->spill.raw.fd | m->sum->spill.sorted.fd, 0);
        if (out.store)
            out.store->forget(out.store);
    }
    struct buf b = layout_bytes(&out, &layout);
    must(prof_apply_layout(&out, &layout, &err));
    struct buf settled = profile_bytes(&out);
    assert_int_equal(settled.n, b.n);
    assert_memory_equal(settled.v, b.v, b.n);
    buf_free(&settled);
    must(check_profile(&out, &err));
    prof_merge_free(m);
    prof_layout_free(&layout);
    prof_free(&out);
    return b;
}

static void assert_spills_same(struct plan *plan, uint64_t seed)
{
    struct rng r = {seed};
    plan->n = 1 + rng_below(&r, MOST);
    for (size_t i = 0; i < plan->n; i++)
        plan->content[i] = rng_below(&r, 64);
    plan->spills = 0;
    struct buf whole = sum_bytes(plan);
    plan->spills = 1U + rng_below(&r, (1U << plan->n) - 1);
    struct buf spilled = sum_bytes(plan);
    if (whole.n != spilled.n || memcmp(whole.v, spilled.v, whole.n) != 0)
        fail_msg("seed %llu: spilling shows", (unsigned long long)seed);
    buf_free(&whole);
    buf_free(&spilled);
}

static void spilling(void **state)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct plan plan = {.threads = 1 + seed % 2, .in_parts = seed % 3 == 0};
        assert_spills_same(&plan, seed);
    }
    assert_int_equal(entries_of(scratch_dir), 0);
}

/* Inputs that take each other back leave no sample, or few. */
static void cancelling(void **state)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct plan plan = {.opts = {.negative = true}, .threads = 1};
        assert_spills_same(&plan, seed);
    }
}

/* Runs that were written when there were fewer types. */
static void types(void **state)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct plan plan = {.mode = seed % 2 ? PROF_TYPES_UNION
                                             : PROF_TYPES_INTERSECT,
                            .opts = {.types = RANDOM_TYPES_SUBSETS},
                            .threads = 1,
                            .in_parts = seed % 5 == 0};
        assert_spills_same(&plan, seed);
    }
}

/* Many runs share the room for buffers. */
static void many_runs(void **state)
{
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct plan plan = {.threads = 1, .at_once = 1};
        assert_spills_same(&plan, seed);
    }
}

/* --- values -------------------------------------------------------------- */

/* A profile of one sample without a stack. */
static struct profile value(int64_t v)
{
    struct profile p;
    must(prof_init(&p, &err));
    must(prof_add_type(&p, "samples", "count", &err));
    must(prof_add_sample(&p, NULL, 0, &v, 0, &err));
    return p;
}

/* Adds values, 0 for a spill, and finishes. */
static bool sum_values(const int64_t *v, size_t n, struct profile *out)
{
    struct prof_merger *m = prof_merge_new(NULL, &err);
    assert_non_null(m);
    for (size_t i = 0; i < n; i++) {
        struct profile p = value(v[i]);
        must(v[i] ? prof_merge_add(m, &p, &err) : prof_merge_spill(m, 0, &err));
        prof_free(&p);
    }
    bool ok = prof_merge_finish(m, 1, out, NULL, &err);
    prof_merge_free(m);
    return ok;
}

#define SUM(out, ...)                                                          \
    sum_values((const int64_t[]){__VA_ARGS__},                                 \
               sizeof(const int64_t[]){__VA_ARGS__} / sizeof(int64_t), out)

/* Sums may leave 64 bits for a while, on disk too. */
static void carries(void **state)
{
    struct profile out;
    assert_true(
        SUM(&out, INT64_MAX, INT64_MAX, INT64_MAX, 0, -INT64_MAX, -INT64_MAX));
    assert_int_equal(out.n_samples, 1);
    assert_int_equal(out.values[0], INT64_MAX);
    prof_free(&out);
    assert_true(SUM(&out, INT64_MIN, INT64_MIN, INT64_MIN, 0, INT64_MAX,
                    INT64_MAX, 0, INT64_MAX, 2));
    assert_int_equal(out.n_samples, 1);
    assert_int_equal(out.values[0], -1);
    prof_free(&out);
    assert_true(SUM(&out, INT64_MAX, 1, 0, INT64_MIN));
    assert_int_equal(out.n_samples, 0);
    prof_free(&out);
    assert_false(SUM(&out, INT64_MAX, 0, 1));
    assert_int_equal(err.kind, PROF_ERR_INPUT);
    assert_said(err.text, "the sum of samples/count of the sample without a "
                          "stack exceeds 64 bits");
    prof_free(&out);
    assert_false(SUM(&out, INT64_MIN, -1, 0));
    prof_free(&out);
}

/* --- sizes --------------------------------------------------------------- */

static void sizes(void **state)
{
    struct prof_merger *m = prof_merge_new(NULL, &err);
    struct random_opts opts = {.max_samples = 2000};
    assert_non_null(m);
    uint64_t none = prof_merge_state(m).memory;
    for (uint64_t i = 0; i < 20; i++) {
        struct profile p;
        random_profile(&p, i, i, &opts);
        must(prof_merge_add(m, &p, &err));
        prof_free(&p);
    }
    uint64_t full = prof_merge_state(m).memory;
    uint64_t least = m->sum->p.n_samples * (8 + 4 + 8 * m->sum->p.n_types) +
                     m->sum->p.n_frames * 4;
    must(prof_merge_spill(m, full, &err));
    assert_int_equal(prof_merge_state(m).memory, full);
    must(prof_merge_spill(m, 0, &err));
    uint64_t after = prof_merge_state(m).memory;
    assert_true(after > none);
    assert_in_range(full - after, least, 4 * least);
    assert_in_range(prof_merge_state(m).disk, least, full - after + 4096);
    prof_merge_free(m);
}

/* A file that may not grow is a full disk. */
static void full_disk(void **state)
{
    struct rlimit was, small;
    struct prof_merger *m = prof_merge_new(NULL, &err);
    struct random_opts opts = {.max_samples = 2000};
    struct profile p;
    assert_non_null(m);
    random_profile(&p, 1, 1, &opts);
    must(prof_merge_add(m, &p, &err));
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    small = was;
    small.rlim_cur = 1000;
    void (*caught)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    bool ok = prof_merge_spill(m, 0, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
    (void)signal(SIGXFSZ, caught);
    assert_false(ok);
    assert_int_equal(err.kind, PROF_ERR_SYSTEM);
    char text[200];
    (void)snprintf(text, sizeof text,
                   "cannot write a temporary file in %s: File too large",
                   scratch_dir);
    assert_said(err.text, text);
    prof_free(&p);
    prof_merge_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(temporary_file), cmocka_unit_test(no_directory),
        cmocka_unit_test(spilling),       cmocka_unit_test(cancelling),
        cmocka_unit_test(types),          cmocka_unit_test(many_runs),
        cmocka_unit_test(carries),        cmocka_unit_test(sizes),
        cmocka_unit_test(full_disk),
    };
    return cmocka_run_group_tests(tests, in_directory, scratch_dir_drop);
}
