/*
 * Every allocation of the library's own fails once, in what the tools are made
 * of: the work fails for want of memory and nothing else, or gives what it
 * gives otherwise.  That nothing leaks then is what a build with the address
 * sanitizer adds.  Linked with --wrap for the allocator's functions.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/dcpi/dcpi.h"
#include "formats/folded/folded.h"
#include "formats/import_formats.h"
#include "profile/columns.h"
#include "profile/merge/merge.h"
#include "profile/wire/pb.h"
#include "random_profile.h"
#include "report/report.h"
#include "unit.h"

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *s);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *s);

static size_t n_calls, failing; /* from 1; 0: none */

static bool fails(void)
{
    return ++n_calls == failing;
}

void *__wrap_malloc(size_t n)
{
    return fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
    return fails() ? NULL : __real_realloc(p, n);
}

char *__wrap_strdup(const char *s)
{
    return fails() ? NULL : __real_strdup(s);
}

/* Work on `in` whose result is appended to *out. */
typedef bool work_fn(const struct buf *in, const char *how, struct buf *out,
                     struct prof_err *err);

static void try_all(work_fn *work, const struct buf *in, const char *how)
{
    struct buf wanted = {0};
    struct prof_err err;
    failing = 0;
    assert_true(work(in, how, &wanted, &err));
    for (size_t n = 1;; n++) {
        struct buf got = {0};
        n_calls = 0;
        failing = n;
        bool ok = work(in, how, &got, &err);
        bool reached = n_calls >= n;
        failing = 0;
        if (!ok) {
            assert_int_equal(err.kind, PROF_ERR_SYSTEM);
            assert_true(err_is_nomem(&err));
        } else {
            assert_int_equal(got.n, wanted.n);
            assert_memory_equal(got.v, wanted.v, wanted.n);
        }
        buf_free(&got);
        if (!reached)
            break;
    }
    buf_free(&wanted);
}

static bool encode(const struct profile *p, struct buf *out,
                   struct prof_err *err)
{
    struct buf_sink sink = buf_sink_of(out);
    return pb_encode(p, &sink.sink, err);
}

/* The bytes in blocks that are small, so that fields are cut. */
struct feed {
    struct prof_blocks blocks;
    const uint8_t *at, *end;
};

static ptrdiff_t next_block(struct prof_blocks *self, const uint8_t **block,
                            struct prof_err *err)
{
    enum { SMALL = 50 };
    struct feed *f = (struct feed *)self;
    ptrdiff_t n = f->end - f->at < SMALL ? f->end - f->at : SMALL;
    (void)err;
    *block = f->at;
    f->at += n;
    return n;
}

static bool decode_blocks(const struct buf *in, const char *how,
                          struct buf *out, struct prof_err *err)
{
    struct feed f = {{.next = next_block}, in->v, in->v + in->n};
    struct pb_decoder decoder = {0};
    struct profile p;
    (void)how;
    bool ok = prof_init(&p, err) &&
              pb_decode_blocks(&decoder, &f.blocks, &p, err) &&
              encode(&p, out, err);
    prof_free(&p);
    return ok;
}

static bool merge(const struct buf *in, const char *how, struct buf *out,
                  struct prof_err *err)
{
    struct profile sum = {0};
    struct prof_merger *m = prof_merge_new(NULL, err);
    bool ok = m != NULL;
    (void)how;
    for (size_t i = 0; ok && i < 2; i++) {
        struct profile p;
        ok = pb_decode(in[i].v, in[i].n, &p, NULL, err) &&
             prof_merge_add(m, &p, err);
        prof_free(&p);
    }
    ok = ok && prof_merge_finish(m, 1, &sum, NULL, err) &&
         encode(&sum, out, err);
    prof_free(&sum);
    if (m)
        prof_merge_free(m);
    return ok;
}

/* Those of the inputs in *which (bit i is input i) that can be added. */
static bool merge_some(const struct buf *in, unsigned *which, struct buf *out,
                       struct prof_err *err)
{
    struct profile sum = {0};
    struct prof_merger *m = prof_merge_new(NULL, err);
    bool ok = m != NULL;
    for (unsigned i = 0; ok && i < 3; i++) {
        struct profile p;
        if (!(*which >> i & 1))
            continue;
        if (!pb_decode(in[i % 2].v, in[i % 2].n, &p, NULL, err) ||
            !(i ? prof_merge_add(m, &p, err) : prof_merge_take(m, &p, err)))
            *which &= ~(1U << i);
        prof_free(&p);
    }
    ok = ok && prof_merge_finish(m, 1, &sum, NULL, err) &&
         encode(&sum, out, err);
    prof_free(&sum);
    prof_merge_free(m);
    return ok;
}

/* The same of two DCPI files. */
static bool join_some(const struct buf *in, unsigned *which, struct buf *out,
                      struct prof_err *err)
{
    struct dcpi_opts opts = {0};
    struct profile *p = NULL;
    struct dcpi *d = dcpi_sum_new(&opts, NULL, err);
    bool ok = d != NULL;
    for (unsigned i = 0; ok && i < 2; i++) {
        const struct import_input input = {.data = in[i].v, .n = in[i].n};
        if (*which >> i & 1 && !dcpi_sum_add(d, &input, err))
            *which &= ~(1U << i);
    }
    ok = ok && (p = dcpi_sum_finish(d, err)) && encode(p, out, err);
    prof_delete(p);
    dcpi_sum_free(d);
    return ok;
}

/* As with -k: what comes of the others, or nothing. */
static bool go_on(bool (*some)(const struct buf *, unsigned *, struct buf *,
                               struct prof_err *),
                  const struct buf *in, unsigned all, struct buf *out,
                  struct prof_err *err)
{
    unsigned which = all;
    bool ok = some(in, &which, out, err);
    if (!ok || which == all)
        return ok;
    struct buf others = {0};
    failing = 0;
    assert_true(some(in, &which, &others, err));
    assert_int_equal(out->n, others.n);
    assert_memory_equal(out->v, others.v, others.n);
    buf_free(&others);
    return err_nomem(err);
}

static bool merge_on(const struct buf *in, const char *how, struct buf *out,
                     struct prof_err *err)
{
    (void)how;
    return go_on(merge_some, in, 7, out, err);
}

static bool join_on(const struct buf *in, const char *how, struct buf *out,
                    struct prof_err *err)
{
    (void)how;
    return go_on(join_some, in, 3, out, err);
}

static bool filter(const struct buf *in, const char *how, struct buf *out,
                   struct prof_err *err)
{
    const struct prof_filter_opts opts = {
        .focus = how, .hide = "none", .prune = true};
    struct prof_filter *f = prof_filter_new(&opts, err);
    struct profile p = {0};
    bool ok = f && pb_decode(in->v, in->n, &p, NULL, err) &&
              prof_filter_prepare(f, &p, NULL, err) &&
              prof_filter_apply(f, &p, NULL, err) && encode(&p, out, err);
    prof_free(&p);
    prof_filter_free(f);
    return ok;
}

static bool print(const struct buf *in, const char *how, struct buf *out,
                  struct prof_err *err)
{
    struct report_opts opts = REPORT_DEFAULTS;
    struct buf_sink sink = buf_sink_of(out);
    struct profile p;
    opts.pattern = ".";
    bool ok =
        pb_decode(in->v, in->n, &p, NULL, err) &&
        report_print(report_find_format(how, NULL), &p, &opts, &sink.sink, err);
    prof_free(&p);
    return ok;
}

static bool read_folded(const struct buf *in, const char *how, struct buf *out,
                        struct prof_err *err)
{
    const struct folded_opts opts = {0};
    (void)how;
    const struct import_input input = {.data = in->v, .n = in->n};
    struct profile *p = folded_read(&input, &opts, err);
    bool ok = p && encode(p, out, err);
    prof_delete(p);
    return ok;
}

static bool read_format(const struct buf *in, const char *how, struct buf *out,
                        struct prof_err *err)
{
    const struct import_options opts = {0};
    const struct import_input input = {
        .data = in->v, .n = in->n, .lookup = &import_lookup};
    struct profile *p = import_read(import_named(how), &input, &opts, err);
    bool ok = p && encode(p, out, err);
    prof_delete(p);
    return ok;
}

static void make(struct buf in[2])
{
    const struct random_opts opts = {.fixed = true};
    for (uint64_t i = 0; i < 2; i++) {
        struct profile p;
        random_profile(&p, i + 1, i + 7, &opts);
        in[i] = profile_bytes(&p);
        prof_free(&p);
    }
}

static void profiles_are_merged_and_filtered(void **state)
{
    struct buf in[2];
    make(in);
    try_all(decode_blocks, in, NULL);
    try_all(merge, in, NULL);
    try_all(merge_on, in, NULL);
    try_all(filter, in, "[a-m]");
    buf_free(&in[0]);
    buf_free(&in[1]);
}

static void reports_are_printed(void **state)
{
    const struct report_format *f;
    struct buf in[2];
    make(in);
    for (size_t i = 0; (f = report_format_at(i)); i++)
        if (f->print && !f->variant && !f->runs_programs && !f->reads_files)
            try_all(print, in, f->name);
    buf_free(&in[0]);
    buf_free(&in[1]);
}

static void files_are_converted(void **state)
{
    static const char folded[] = "main;work;sum 3\nmain;work 4\nmain;rest 1\n";
    static const char heap[] =
        "heap profile: 3: 4096 [ 5: 8192] @ heap_v2/524288\n"
        " 1: 1024 [ 2: 2048] @ 0x401150 0x401200\n"
        " 2: 3072 [ 3: 6144] @ 0x401170 0x401200\n"
        "MAPPED_LIBRARIES:\n"
        "00400000-00402000 r-xp 00000000 08:01 42 /opt/none\n";
    static const char *const dcpi[] = {
        "name one\npath /opt/one\nepoch 199805191724\nplatform a\n"
        "text_start 0x000120000000\nevent 500 cycles:63488:10000\n"
        "0x000120001000 29\n0x000120001004 10\n",
        "name two\npath /opt/two\nepoch 199805191724\nplatform b\n"
        "text_start 0x000120000000\nevent 16 imiss:4096:10000\n"
        "0x000120001000 3\n0x000120001008 7\n"};
    struct buf two[2] = {{0}, {0}};
    struct buf in = {0};
    assert_true(buf_puts(&in, folded));
    try_all(read_folded, &in, NULL);
    in.n = 0;
    assert_true(buf_puts(&in, heap));
    try_all(read_format, &in, "heap");
    buf_free(&in);
    for (size_t i = 0; i < 2; i++)
        assert_true(buf_puts(&two[i], dcpi[i]));
    try_all(join_on, two, NULL);
    buf_free(&two[0]);
    buf_free(&two[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profiles_are_merged_and_filtered),
        cmocka_unit_test(reports_are_printed),
        cmocka_unit_test(files_are_converted),
    };
    return cmocka_run_group_tests_name("nomem", tests, NULL, NULL);
}
