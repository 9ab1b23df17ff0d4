#include "base/inorder.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "base/vec.h"

/* What became of a piece, until it is taken. */
struct slot {
    struct buf bytes;
    bool done;
};

struct inorder {
    unsigned threads;
    struct slot *slots; /* by piece modulo their number, which is: */
    size_t n_slots;

    const struct inorder_job *job;
    pthread_mutex_t lock; /* of all below and slots[].done */
    pthread_cond_t moved; /* next or failed has changed */
    size_t next;          /* piece to take */
    bool taking;          /* a thread is at it */
    size_t failed;        /* the first piece that failed; none: job->n */
    struct err err;       /* its error */
};

struct inorder *inorder_new(unsigned threads)
{
    struct inorder *o = calloc(1, sizeof *o);
    if (!o)
        return NULL;
    o->threads = threads ? threads : 1;
    o->n_slots = (size_t)2 * o->threads;
    o->slots = mem_zarray(o->n_slots, sizeof *o->slots);
    (void)pthread_mutex_init(&o->lock, NULL);
    (void)pthread_cond_init(&o->moved, NULL);
    if (o->slots)
        return o;
    inorder_free(o);
    return NULL;
}

void inorder_free(struct inorder *o)
{
    if (!o)
        return;
    for (size_t i = 0; o->slots && i < o->n_slots; i++)
        buf_free(&o->slots[i].bytes);
    (void)pthread_mutex_destroy(&o->lock);
    (void)pthread_cond_destroy(&o->moved);
    free(o->slots);
    free(o);
}

/* Waits for the slot of a piece to be free; false when it is too late. */
static bool wait_for_slot(struct inorder *o, size_t piece)
{
    (void)pthread_mutex_lock(&o->lock);
    while (piece - o->next >= o->n_slots && o->failed > piece)
        (void)pthread_cond_wait(&o->moved, &o->lock);
    bool go_on = o->failed > piece;
    (void)pthread_mutex_unlock(&o->lock);
    return go_on;
}

/* With the lock held. */
static void fail(struct inorder *o, size_t piece, const struct err *err)
{
    if (piece >= o->failed)
        return;
    o->failed = piece;
    o->err = *err;
    (void)pthread_cond_broadcast(&o->moved);
}

/*
 * Takes the next piece; called and left with the lock held, which others may
 * have in between.
 */
static void take(struct inorder *o)
{
    size_t piece = o->next;
    struct slot *slot = &o->slots[piece % o->n_slots];
    struct err err;
    (void)pthread_mutex_unlock(&o->lock);
    bool ok = o->job->take(o->job->ctx, piece, &slot->bytes, &err);
    (void)pthread_mutex_lock(&o->lock);
    slot->done = false;
    o->next++;
    if (!ok)
        fail(o, piece, &err);
    (void)pthread_cond_broadcast(&o->moved);
}

static void work(void *ctx, unsigned thread, size_t piece)
{
    struct inorder *o = ctx;
    struct slot *slot = &o->slots[piece % o->n_slots];
    struct err err;
    if (!wait_for_slot(o, piece))
        return;
    slot->bytes.n = 0;
    bool ok = o->job->make(o->job->ctx, thread, piece, &slot->bytes, &err);
    (void)pthread_mutex_lock(&o->lock);
    if (ok)
        slot->done = true;
    else
        fail(o, piece, &err);
    if (!o->taking) {
        o->taking = true;
        while (o->next < o->failed && o->slots[o->next % o->n_slots].done)
            take(o);
        o->taking = false;
    }
    (void)pthread_mutex_unlock(&o->lock);
}

bool inorder_run(struct inorder *o, const struct inorder_job *job,
                 struct err *err)
{
    o->job = job;
    o->next = 0;
    o->failed = job->n;
    for (size_t i = 0; i < o->n_slots; i++)
        o->slots[i].done = false;
    parallel_run(o->threads, job->n, work, o);
    if (o->failed == job->n)
        return true;
    *err = o->err;
    return false;
}
