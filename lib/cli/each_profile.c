/* each_profile.c - runs --each for tools that change profiles */
#include <stdlib.h>

#include "base/vec.h"
#include "cli/private.h"
#include "formats/import_formats.h"

struct changing {
    const struct changer *changer;
    void *ctx;
};

struct worker {
    const struct changer *changer;
    void *own;         /* the changer's worker */
    struct profile *p; /* the profile to change */
};

static bool member_begins(const uint8_t *data, size_t n)
{
    return proto_format.begins(data, n);
}

/* Whether a part is a profile or, by its name, may be a damaged one. */
static bool is_profile(void *ctx, const struct import_input *in,
                       const struct input_part *part)
{
    (void)ctx;
    if (in->format || in->foreign)
        return in->foreign == &proto_format;
    return part->entry && each_suffix(slice_of(part->entry));
}

static bool begin(void *worker, void *ctx, struct prof_err *err)
{
    const struct changing *changing = ctx;
    struct worker *w = worker;
    w->changer = changing->changer;
    w->own = mem_zarray(1, w->changer->size);
    return w->own ? w->changer->begin(w->own, changing->ctx, err)
                  : err_nomem(err);
}

static void end(void *worker)
{
    struct worker *w = worker;
    if (w->own)
        w->changer->end(w->own);
    free(w->own);
}

static bool change(void *worker, const struct conversion_job *job,
                   struct prof_err *err)
{
    struct worker *w = worker;
    const struct prof_decode_opts decode = {
        .threads = job->threads, .plain = true, .notes = job->notes};
    w->p = prof_decode(job->in->data, job->in->n, &decode, err);
    return w->p && w->changer->change(w->own, w->p, job, err);
}

static struct profile *finish(void *worker, bool ok, struct prof_err *err)
{
    struct worker *w = worker;
    struct profile *p = w->p;
    (void)err;
    w->p = NULL;
    if (ok)
        return p;
    prof_delete(p);
    return NULL;
}

void cli_change_each(struct cli *cli, const struct changer *changer, void *ctx)
{
    static const struct converter converter = {
        sizeof(struct worker), is_profile, begin, end, change, finish};
    const struct conversion_opts how = {.reads = "a profile.proto message",
                                        .member_begins = member_begins,
                                        .sparse = true,
                                        .are_profiles = true};
    struct changing changing = {changer, ctx};
    conversion_run(cli, &how, &converter, &changing);
}
