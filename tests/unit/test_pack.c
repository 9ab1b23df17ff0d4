/* gzip.h: one output whatever the number of threads */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "io/gzip.h"
#include "said.h"
#include "unit.h"

struct job {
    size_t n;          /* pieces */
    size_t bad, worse; /* pieces that cannot be made; SIZE_MAX: none */
    size_t no_take;    /* bytes after which no more are taken */
    bool keep;         /* the buffers */
    struct buf out;
};

static struct prof_err err;

/* Pieces of all sizes, from none to 100 kB, of text that repeats itself. */
static bool make(void *ctx, size_t piece, struct buf *raw, struct prof_err *e)
{
    const struct job *job = ctx;
    if (piece == job->bad || piece == job->worse)
        return err_set(e, PROF_ERR_INPUT, "piece %zu", piece);
    for (size_t i = 0; i < piece * 7919 % 20011; i++)
        if (!buf_printf(raw, "%zu,", piece + i * i % 97))
            return err_nomem(e);
    return true;
}

static bool take(void *ctx, struct buf *bytes, struct prof_err *e)
{
    struct job *job = ctx;
    if (job->out.n + bytes->n > job->no_take)
        return err_set(e, PROF_ERR_SYSTEM, "full");
    if (!buf_put(&job->out, bytes->v, bytes->n))
        return err_nomem(e);
    if (job->keep)
        buf_free(bytes);
    return true;
}

static struct job job_of(size_t n)
{
    return (struct job){
        .n = n, .bad = SIZE_MAX, .worse = SIZE_MAX, .no_take = SIZE_MAX};
}

static bool run(struct pack *pack, struct job *job, int level)
{
    struct pack_job pj = {.n = job->n,
                          .level = level,
                          .make = make,
                          .take = take,
                          .make_ctx = job,
                          .take_ctx = job};
    return pack_run(pack, &pj, &err);
}

static struct buf pieces(size_t n)
{
    struct job job = job_of(n);
    struct buf all = {0};
    for (size_t i = 0; i < n; i++)
        assert_true(make(&job, i, &all, &err));
    return all;
}

static void assert_is(const struct buf *a, const struct buf *b)
{
    assert_int_equal(a->n, b->n);
    if (a->n)
        assert_memory_equal(a->v, b->v, a->n);
}

/* One member, which zlib takes to its last byte, and what is in it. */
static void assert_member_of(const struct buf *packed, const struct buf *raw)
{
    struct buf back = {0};
    z_stream z = {0};
    assert_true(buf_reserve(&back, raw->n + 1));
    assert_int_equal(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
    z.next_in = packed->v;
    z.avail_in = (uInt)packed->n;
    z.next_out = back.v;
    z.avail_out = (uInt)raw->n + 1;
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    back.n = z.total_out;
    assert_int_equal(z.avail_in, 0);
    assert_int_equal(inflateEnd(&z), Z_OK);
    assert_is(&back, raw);
    buf_free(&back);
}

static void test_any_number_of_threads(void **state)
{
    static const size_t ns[] = {1, 2, 3, 17, 60};
    static const int levels[] = {0, 1, 4};
    for (size_t i = 0; i < sizeof ns / sizeof *ns; i++) {
        struct buf raw = pieces(ns[i]);
        for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
            struct buf first = {0};
            for (unsigned threads = 0; threads < 6; threads++) {
                struct pack *pack = pack_new(threads);
                assert_non_null(pack);
                struct job job = job_of(ns[i]);
                job.keep = threads % 2;
                assert_true(run(pack, &job, levels[l]));
                pack_free(pack);
                if (!threads) {
                    first = job.out;
                    continue;
                }
                assert_is(&job.out, &first);
                buf_free(&job.out);
            }
            if (levels[l])
                assert_member_of(&first, &raw);
            else
                assert_is(&first, &raw);
            buf_free(&first);
        }
        buf_free(&raw);
    }
}

/* The first piece that fails is the one that is told of. */
static void test_pieces_that_fail(void **state)
{
    struct pack *pack = pack_new(3);
    struct buf raw = pieces(40);
    assert_non_null(pack);
    for (size_t bad = 0; bad < 40; bad++) {
        char text[32];
        struct job job = job_of(40);
        job.bad = bad;
        job.worse = bad + 1 + bad % 3;
        (void)snprintf(text, sizeof text, "piece %zu", bad);
        assert_false(run(pack, &job, 1));
        assert_said(err.text, text);
        buf_free(&job.out);
        /* It may be used again. */
        job = job_of(40);
        assert_true(run(pack, &job, 1));
        assert_member_of(&job.out, &raw);
        buf_free(&job.out);
    }
    buf_free(&raw);
    pack_free(pack);
}

static void test_output_that_fails(void **state)
{
    for (unsigned threads = 1; threads < 4; threads++) {
        struct pack *pack = pack_new(threads);
        assert_non_null(pack);
        struct job job = job_of(40);
        assert_true(run(pack, &job, 1));
        size_t all = job.out.n;
        buf_free(&job.out);
        for (size_t room = 0; room < all; room += all / 7) {
            job = job_of(40);
            job.no_take = room;
            assert_false(run(pack, &job, 1));
            assert_int_equal(err.kind, PROF_ERR_SYSTEM);
            assert_said(err.text, "full");
            assert_true(job.out.n <= room);
            buf_free(&job.out);
        }
        pack_free(pack);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_number_of_threads),
        cmocka_unit_test(test_pieces_that_fail),
        cmocka_unit_test(test_output_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
