#include "report/samples.h"

#include <stdlib.h>

#include "base/vec.h"
#include "report/pieces.h"
#include "report/samplesize.h"

struct job {
    struct sample_printer *printer; /* by thread; and one for long samples */
    sample_fn *fn;
    struct samplesize size;
};

static size_t size_of(const void *ctx, size_t sample)
{
    return samplesize(&((const struct job *)ctx)->size, sample);
}

static bool put_some(void *ctx, unsigned thread, size_t from, size_t to,
                     struct buf *out)
{
    const struct job *job = ctx;
    struct sample_printer *mine = &job->printer[thread];
    /* Two in one cache line would make their threads wait for each other. */
    struct sample_printer p = *mine;
    bool ok = true;
    p.report.out = out;
    stacktext_forget(&p.stacks);
    for (size_t s = from; ok && s < to; s++)
        ok = job->fn(&p, s);
    *mine = p;
    return ok;
}

static bool printer_init(struct sample_printer *p, const struct report *r,
                         const struct stacktext *stacks, void *ctx)
{
    p->ctx = ctx;
    p->report = *r;
    p->report.value_text = NULL;
    p->stacks = stacktext_twin(stacks);
    return !r->value_text_size ||
           (p->report.value_text = mem_array(r->value_text_size, 1)) != NULL;
}

static void printer_free(struct sample_printer *p)
{
    stacktext_free(&p->stacks);
    labels_scratch_free(&p->scratch);
    free(p->report.value_text);
}

bool report_samples(struct report *r, const struct stacktext *stacks,
                    sample_fn *fn, void *ctx)
{
    unsigned n = r->opts->threads + 1;
    struct job job = {mem_zarray(n, sizeof *job.printer), fn,
                      samplesize_of(r->p, stacks)};
    const struct pieces_job pieces = {
        .n = r->p->n_samples, .fn = put_some, .size = size_of, .ctx = &job};
    bool ok = job.printer;
    for (unsigned i = 0; ok && i < n; i++)
        ok = printer_init(&job.printer[i], r, stacks, ctx);
    if (ok)
        job.printer[n - 1].stacks.flow = job.printer[n - 1].scratch.flow = r;
    ok = ok && report_pieces(r, &pieces);
    for (unsigned i = 0; job.printer && i < n; i++)
        printer_free(&job.printer[i]);
    free(job.printer);
    return ok;
}
