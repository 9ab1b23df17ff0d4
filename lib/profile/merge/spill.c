/* Runs of samples: columns as they are, or samples one behind the other. */
#include "profile/merge/spill.h"

void spill_free(struct spill *s)
{
    scratch_close(&s->raw);
    scratch_close(&s->sorted);
    vec_free(&s->runs);
}

void spill_note_size(struct spill *s, uint64_t beside)
{
    uint64_t size = s->raw.size + s->sorted.size + beside;
    if (size > s->most)
        s->most = size;
}

static bool is_open(const struct scratch *f)
{
    return f->fd > 0;
}

bool spill_write(struct spill *s, const struct profile *p, struct err *err)
{
    struct spill_run run = {.n_samples = p->n_samples,
                            .n_frames = p->n_frames,
                            .n_types = p->n_types};
    size_t n = p->n_samples;
    if (!is_open(&s->raw) && !scratch_open(&s->raw, err))
        return false;
    run.at = s->raw.size;
    if (!vec_push(&s->runs, run))
        return err_nomem(err);
    bool ok =
        scratch_put(&s->raw, p->frame_off, (n + 1) * sizeof *p->frame_off,
                    err) &&
        scratch_put(&s->raw, p->labelset, n * sizeof *p->labelset, err) &&
        scratch_put(&s->raw, p->values, n * p->n_types * sizeof *p->values,
                    err) &&
        scratch_put(&s->raw, p->frames, p->n_frames * sizeof *p->frames, err) &&
        scratch_flush(&s->raw, err);
    uint64_t size = s->raw.size - run.at;
    if (size > s->merging)
        s->merging = size;
    spill_note_size(s, 0);
    return ok;
}

static bool read_run(const struct scratch *f, const struct spill_run *run,
                     struct profile *p, struct err *err)
{
    struct prof_counts counts = {.samples = run->n_samples,
                                 .frames = run->n_frames};
    size_t n = run->n_samples, n_values = n * run->n_types;
    uint64_t at = run->at;
    if (!prof_reserve(p, &counts, err) ||
        !scratch_read(f, at, p->frame_off, (n + 1) * sizeof *p->frame_off, err))
        return false;
    at += (n + 1) * sizeof *p->frame_off;
    if (!scratch_read(f, at, p->labelset, n * sizeof *p->labelset, err))
        return false;
    at += n * sizeof *p->labelset;
    if (!scratch_read(f, at, p->values, n_values * sizeof *p->values, err))
        return false;
    at += n_values * sizeof *p->values;
    if (!scratch_read(f, at, p->frames, run->n_frames * sizeof *p->frames, err))
        return false;
    prof_widen(p->values, n, run->n_types, p->n_types);
    p->n_samples = n;
    p->n_frames = run->n_frames;
    return true;
}

bool spill_read(struct spill *s, struct profile *p, struct err *err)
{
    struct spill_run *run = &s->runs.v[s->n_read];
    if (!is_open(&s->sorted) && !scratch_open(&s->sorted, err))
        return false;
    if (!read_run(&s->raw, run, p, err))
        return false;
    if (++s->n_read == s->runs.n)
        scratch_close(&s->raw);
    run->at = s->sorted.size;
    run->n_types = p->n_types;
    return true;
}

bool spill_put(struct scratch *f, const struct spill_sample *sample,
               size_t n_types, struct err *err)
{
    const uint32_t head[] = {sample->depth, sample->labelset}, none = 0;
    size_t odd = sample->depth % 2; /* every sample begins at 8 bytes */
    return scratch_put(f, head, sizeof head, err) &&
           scratch_put(f, sample->values, n_types * sizeof *sample->values,
                       err) &&
           scratch_put(f, sample->stack, sample->depth * sizeof *sample->stack,
                       err) &&
           scratch_put(f, &none, odd * sizeof none, err);
}

bool spill_end_run(struct spill *s, struct err *err)
{
    struct spill_run *run = &s->runs.v[s->n_read - 1];
    spill_note_size(s, 0);
    run->n_bytes = s->sorted.size - run->at;
    return scratch_flush(&s->sorted, err);
}
