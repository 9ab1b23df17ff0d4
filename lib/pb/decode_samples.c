/* All samples: room, pieces, and what they made put together. */
#include <stdlib.h>

#include "base/parallel.h"
#include "base/vec.h"
#include "pb/samples.h"

enum { SMALL = 4 * 1024 * 1024 };

struct job {
    struct decoder *d;
    struct samples_piece *piece;
    size_t n;
    unsigned threads; /* at work */
};

/* Columns of all samples, all but the frames at full length. */
static bool make_room(struct decoder *d)
{
    struct prof_counts counts = {.samples = d->samples.n};
    if (d->samples.n && !d->p->n_types)
        return err_set(d->err, ERR_INPUT,
                       "%zu samples, but no sample type to say what their"
                       " values are",
                       d->samples.n);
    return prof_reserve(d->p, &counts, d->err);
}

/* As survey() cut them. */
static bool make_pieces(struct job *job)
{
    struct decoder *d = job->d;
    const struct stretch *v = d->samples.stretches.v;
    struct cursor next = decode_begin(&d->samples);
    size_t sample = 0;
    job->piece = mem_zarray(d->cuts.n + 1, sizeof *job->piece);
    if (!job->piece)
        return err_nomem(d->err);
    for (size_t i = 0; sample < d->samples.n; i++) {
        struct samples_piece *piece = &job->piece[job->n++];
        struct cut end = {v[d->samples.stretches.n - 1].end,
                          d->samples.stretches.n - 1, d->samples.n};
        if (i < d->cuts.n)
            end = d->cuts.v[i];
        piece->at = next;
        piece->from = next.at ? next.at : v->at;
        piece->end = end.at;
        piece->sample = sample;
        piece->n = end.n - sample;
        next = (struct cursor){v + end.stretch + 1, end.at, v[end.stretch].end};
        sample = end.n;
    }
    job->threads = job->n > 1 ? d->threads : 1;
    return true;
}

static void count(void *ctx, unsigned thread, size_t i)
{
    struct job *job = ctx;
    (void)thread;
    job->piece[i].n_frames = samples_count_frames(job->d, &job->piece[i]);
}

/*
 * Room for the frames, for each and no more, and what of it is whose.  The
 * frames of a small message are not worth counting: no more than its bytes.
 */
static bool make_frames(struct job *job)
{
    struct profile *p = job->d->p;
    size_t n = 0;
    if (job->n == 1 && job->d->samples.bytes <= SMALL)
        job->piece->n_frames = job->d->samples.bytes;
    else
        parallel_run(job->threads, job->n, count, job);
    for (size_t i = 0; i < job->n; i++) {
        job->piece[i].frame = n;
        n += job->piece[i].n_frames;
    }
    return vec_renew((void **)&p->frames, &p->cap_frames, n,
                     sizeof *p->frames) ||
           err_nomem(job->d->err);
}

static void read_piece(void *ctx, unsigned thread, size_t i)
{
    struct job *job = ctx;
    struct samples_piece *piece = &job->piece[i];
    (void)thread;
    if (job->n > 1)
        (void)pages_ask(job->d->p->frames + piece->frame,
                        piece->n_frames * sizeof *job->d->p->frames);
    piece->ok = samples_read(job->d, piece,
                             job->threads > 1 ? &piece->sets : job->d->p);
    if (job->d->spend && job->n > 1)
        pages_drop(piece->from, (size_t)(piece->end - piece->from));
}

/* The label sets that a piece has for itself become those of the profile. */
static bool join_sets(struct job *job, struct samples_piece *piece)
{
    struct profile *p = job->d->p, *sets = &piece->sets;
    if (!sets->n_labelsets)
        return true;
    uint32_t *set = mem_zarray(sets->n_labelsets, sizeof *set);
    bool ok = set || err_nomem(job->d->err);
    for (size_t i = 1; ok && i < sets->n_labelsets; i++)
        ok = prof_labelset(p, sets->labels + sets->labelset_off[i],
                           sets->labelset_off[i + 1] - sets->labelset_off[i],
                           &set[i], job->d->err);
    for (size_t i = 0; ok && i < piece->n; i++)
        p->labelset[piece->sample + i] = set[p->labelset[piece->sample + i]];
    free(set);
    return ok;
}

static bool join(struct job *job)
{
    struct decoder *d = job->d;
    for (size_t i = 0; i < job->n; i++) {
        struct samples_piece *piece = &job->piece[i];
        if (!piece->ok) {
            if (d->err)
                *d->err = piece->err;
            return false;
        }
        if (!join_sets(job, piece))
            return false;
        d->n_unknown += piece->n_unknown;
        d->n_two_fold += piece->n_two_fold;
        d->n_textless += piece->n_textless;
        d->p->n_samples += piece->n;
        d->p->n_frames += piece->n_frames;
    }
    return true;
}

bool decode_samples(struct decoder *d)
{
    struct job job = {.d = d};
    bool ok = make_room(d) && make_pieces(&job) && make_frames(&job);
    if (ok) {
        parallel_run(job.threads, job.n, read_piece, &job);
        ok = join(&job);
    }
    for (size_t i = 0; i < job.n; i++)
        prof_free(&job.piece[i].sets);
    free(job.piece);
    return ok;
}
