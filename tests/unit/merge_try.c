/* merge_try.c - results of merges, for tests */
#include "merge_try.h"

#include <stdlib.h>

#include "base/parallel.h"
#include "profile/wire/pb.h"

bool canonical_copy(const struct profile *p, struct profile *out,
                    struct prof_err *err)
{
    *out = (struct profile){0};
    struct prof_merger *m = prof_merge_new(NULL, err);
    bool ok = m && prof_merge_add(m, p, err) &&
              prof_merge_finish(m, 1, out, NULL, err);
    prof_merge_free(m);
    return ok;
}

bool merge_in_order(struct profile *p, unsigned threads, struct profile *out,
                    struct prof_layout *layout, struct prof_err *err)
{
    const struct prof_result_opts opts = {
        .threads = threads, .keep_order = true, .to_write = layout};
    *out = *p;
    *p = (struct profile){0};
    bool ok = prof_merge_one(out, &opts, err);
    if (layout) {
        *layout = out->layout;
        out->layout = (struct prof_layout){0};
    }
    return ok;
}

struct buf layout_bytes(const struct profile *p,
                        const struct prof_layout *layout)
{
    struct buf b = {0};
    struct prof_err err;
    struct pb_encoder e;
    if (!pb_encoder_init(&e, p, layout, &err))
        abort();
    for (size_t i = 0; i < e.n_pieces; i++)
        if (!pb_encode_piece(&e, i, &b, &err))
            abort();
    pb_encoder_free(&e);
    return b;
}

enum { MOST_THREADS = 64 };

struct adding {
    struct prof_merger *m;
    struct profile *p;
    bool take;
    struct prof_err err[MOST_THREADS]; /* by thread */
};

static void add_one(void *ctx, unsigned thread, size_t i)
{
    struct adding *a = ctx;
    struct prof_err *err = &a->err[thread];
    if (!err->kind)
        (void)(a->take ? prof_merge_take(a->m, &a->p[i], err)
                       : prof_merge_add(a->m, &a->p[i], err));
}

bool add_parallel(struct prof_merger *m, unsigned threads, struct profile *p,
                  size_t n, bool take, struct prof_err *err)
{
    struct adding a = {.m = m, .p = p, .take = take};
    bool ok = true;
    parallel_run(threads, n, add_one, &a);
    for (unsigned i = 0; i < threads; i++)
        if (a.err[i].kind) {
            *err = a.err[i];
            ok = false;
        }
    return ok;
}
