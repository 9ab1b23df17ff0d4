#include "io/pack.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "base/vec.h"
#include "io/gz.h"

/* A thread's own. */
struct lane {
    struct gz *gz;
    struct buf raw;
};

/* What became of a piece, until it is handed over. */
struct slot {
    struct buf bytes;
    struct gz_sum sum;
    bool done;
};

struct pack {
    unsigned threads;
    struct lane *lanes; /* by thread */
    struct slot *slots; /* by piece modulo their number, which is: */
    size_t n_slots;

    const struct pack_job *job;
    struct gz_sum sum;    /* of what was handed over */
    pthread_mutex_t lock; /* of all below and slots[].done */
    pthread_cond_t moved; /* next or failed has changed */
    size_t next;          /* piece to hand over */
    bool handing_over;    /* a thread is at it */
    size_t failed;        /* the first piece that failed; none: job->n */
    struct err err;       /* its error */
};

struct pack *pack_new(unsigned threads)
{
    struct pack *pack = calloc(1, sizeof *pack);
    if (!pack)
        return NULL;
    pack->threads = threads ? threads : 1;
    pack->n_slots = (size_t)2 * pack->threads;
    pack->lanes = mem_zarray(pack->threads, sizeof *pack->lanes);
    pack->slots = mem_zarray(pack->n_slots, sizeof *pack->slots);
    (void)pthread_mutex_init(&pack->lock, NULL);
    (void)pthread_cond_init(&pack->moved, NULL);
    if (pack->lanes && pack->slots)
        return pack;
    pack_free(pack);
    return NULL;
}

void pack_free(struct pack *pack)
{
    if (!pack)
        return;
    for (unsigned i = 0; pack->lanes && i < pack->threads; i++) {
        gz_free(pack->lanes[i].gz);
        buf_free(&pack->lanes[i].raw);
    }
    for (size_t i = 0; pack->slots && i < pack->n_slots; i++)
        buf_free(&pack->slots[i].bytes);
    (void)pthread_mutex_destroy(&pack->lock);
    (void)pthread_cond_destroy(&pack->moved);
    free(pack->lanes);
    free(pack->slots);
    free(pack);
}

/* Waits for the slot of a piece to be free; false when it is too late. */
static bool wait_for_slot(struct pack *pack, size_t piece)
{
    (void)pthread_mutex_lock(&pack->lock);
    while (piece - pack->next >= pack->n_slots && pack->failed > piece)
        (void)pthread_cond_wait(&pack->moved, &pack->lock);
    bool go_on = pack->failed > piece;
    (void)pthread_mutex_unlock(&pack->lock);
    return go_on;
}

static bool make(struct lane *lane, const struct pack_job *job, size_t piece,
                 struct slot *slot, struct err *err)
{
    bool last = piece + 1 == job->n;
    slot->bytes.n = 0;
    if (!job->level)
        return job->make(job->ctx, piece, &slot->bytes, err);
    if (!lane->gz && !(lane->gz = gz_new()))
        return err_nomem(err);
    lane->raw.n = 0;
    if (!job->make(job->ctx, piece, &lane->raw, err) ||
        (!piece && !gz_begin(&slot->bytes, err)))
        return false;
    slot->sum = gz_sum_of(lane->raw.v, lane->raw.n);
    return gz_deflate_piece(lane->gz, lane->raw.v, lane->raw.n, job->level,
                            last, &slot->bytes, err);
}

/* With the lock held. */
static void fail(struct pack *pack, size_t piece, const struct err *err)
{
    if (piece >= pack->failed)
        return;
    pack->failed = piece;
    pack->err = *err;
    (void)pthread_cond_broadcast(&pack->moved);
}

/*
 * Gives take() the next piece; called and left with the lock held, which
 * others may have in between.
 */
static void hand_over(struct pack *pack)
{
    const struct pack_job *job = pack->job;
    size_t piece = pack->next;
    struct slot *slot = &pack->slots[piece % pack->n_slots];
    struct err err;
    (void)pthread_mutex_unlock(&pack->lock);
    bool ok = true;
    if (job->level) {
        pack->sum = gz_sum_join(pack->sum, slot->sum);
        if (piece + 1 == job->n)
            ok = gz_end(pack->sum, &slot->bytes, &err);
    }
    ok = ok && job->take(job->ctx, &slot->bytes, &err);
    (void)pthread_mutex_lock(&pack->lock);
    slot->done = false;
    pack->next++;
    if (!ok)
        fail(pack, piece, &err);
    (void)pthread_cond_broadcast(&pack->moved);
}

static void work(void *ctx, unsigned thread, size_t piece)
{
    struct pack *pack = ctx;
    struct slot *slot = &pack->slots[piece % pack->n_slots];
    struct err err;
    if (!wait_for_slot(pack, piece))
        return;
    bool ok = make(&pack->lanes[thread], pack->job, piece, slot, &err);
    (void)pthread_mutex_lock(&pack->lock);
    if (ok)
        slot->done = true;
    else
        fail(pack, piece, &err);
    if (!pack->handing_over) {
        pack->handing_over = true;
        while (pack->next < pack->failed &&
               pack->slots[pack->next % pack->n_slots].done)
            hand_over(pack);
        pack->handing_over = false;
    }
    (void)pthread_mutex_unlock(&pack->lock);
}

bool pack_run(struct pack *pack, const struct pack_job *job, struct err *err)
{
    pack->job = job;
    pack->sum = (struct gz_sum){0};
    pack->next = 0;
    pack->failed = job->n;
    for (size_t i = 0; i < pack->n_slots; i++)
        pack->slots[i].done = false;
    parallel_run(pack->threads, job->n, work, pack);
    if (pack->failed == job->n)
        return true;
    *err = pack->err;
    return false;
}
