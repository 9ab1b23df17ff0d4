/* parallel.c - divides pieces of work among threads */
#include "base/parallel.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/vec.h"

/* libdw keeps the lines of a file on the stack; musl's default is 128 KiB. */
enum { STACK = 8 * 1024 * 1024 };

struct run {
    parallel_fn *fn;
    void *ctx;
    size_t n;
    atomic_size_t next; /* the next piece to process */
};

struct worker {
    struct run *run;
    unsigned number;
    pthread_t thread;
};

struct parallel {
    struct run run;
    unsigned started;
    struct worker workers[]; /* [0] is the caller */
};

static void *run_thread(void *arg)
{
    struct worker *w = arg;
    for (size_t i; (i = atomic_fetch_add(&w->run->next, 1)) < w->run->n;)
        w->run->fn(w->run->ctx, w->number, i);
    return NULL;
}

/* Starts w[1 .. n) and returns the number of workers; w[0] is the caller. */
static unsigned start_threads(struct worker *w, unsigned n, struct run *run)
{
    sigset_t all, was;
    pthread_attr_t attr;
    unsigned i = 1;
    if (pthread_attr_init(&attr) != 0)
        return i;
    (void)pthread_attr_setstacksize(&attr, STACK);
    /* Threads block all signals, except those that their own writes raise. */
    (void)sigfillset(&all);
    (void)sigdelset(&all, SIGPIPE);
    (void)sigdelset(&all, SIGXFSZ);
    (void)pthread_sigmask(SIG_SETMASK, &all, &was);
    for (; i < n; i++) {
        w[i] = (struct worker){.run = run, .number = i};
        if (pthread_create(&w[i].thread, &attr, run_thread, &w[i]) != 0)
            break;
    }
    (void)pthread_sigmask(SIG_SETMASK, &was, NULL);
    (void)pthread_attr_destroy(&attr);
    return i;
}

struct parallel *parallel_begin(unsigned beside, size_t n, parallel_fn *fn,
                                void *ctx)
{
    if (beside > n)
        beside = (unsigned)n;
    struct parallel *p =
        calloc(1, sizeof *p + (beside + 1) * sizeof *p->workers);
    if (!p)
        return NULL;
    p->run = (struct run){.fn = fn, .ctx = ctx, .n = n};
    p->workers[0].run = &p->run;
    p->started = start_threads(p->workers, beside + 1, &p->run);
    return p;
}

void parallel_end(struct parallel *p)
{
    (void)run_thread(&p->workers[0]);
    for (unsigned i = 1; i < p->started; i++)
        (void)pthread_join(p->workers[i].thread, NULL);
    free(p);
}

void parallel_run(unsigned threads, size_t n, parallel_fn *fn, void *ctx)
{
    unsigned workers = threads < n ? threads : (unsigned)n;
    struct parallel *p =
        workers > 1 ? parallel_begin(workers - 1, n, fn, ctx) : NULL;
    if (p)
        parallel_end(p);
    else
        for (size_t i = 0; i < n; i++)
            fn(ctx, 0, i);
}

/* A piece that is being made or waits to be taken. */
struct slot {
    struct buf bytes;
    bool done;
};

struct inorder {
    unsigned threads;
    struct slot *slots; /* piece i uses slots[i % n_slots] */
    size_t n_slots;

    const struct inorder_job *job;
    pthread_mutex_t lock; /* protects all below and slots[].done */
    pthread_cond_t moved; /* next or failed has changed */
    size_t next;          /* piece to take */
    bool taking;          /* a thread is taking pieces */
    size_t failed;        /* the first piece that failed; none: job->n */
    struct prof_err err;  /* its error */
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

/* Records the failure of the lowest piece.  The caller holds the lock. */
static void fail(struct inorder *o, size_t piece, const struct prof_err *err)
{
    if (piece >= o->failed)
        return;
    o->failed = piece;
    o->err = *err;
    (void)pthread_cond_broadcast(&o->moved);
}

static void make_piece(void *ctx, unsigned thread, size_t piece)
{
    struct inorder *o = ctx;
    struct slot *slot = &o->slots[piece % o->n_slots];
    struct prof_err err;

    /* Wait until the previous piece in this slot has been taken. */
    (void)pthread_mutex_lock(&o->lock);
    while (piece - o->next >= o->n_slots && o->failed > piece)
        (void)pthread_cond_wait(&o->moved, &o->lock);
    bool go_on = o->failed > piece;
    (void)pthread_mutex_unlock(&o->lock);
    if (!go_on)
        return;

    slot->bytes.n = 0;
    bool ok = o->job->make(o->job->ctx, thread, piece, &slot->bytes, &err);
    (void)pthread_mutex_lock(&o->lock);
    if (ok)
        slot->done = true;
    else
        fail(o, piece, &err);

    /* One thread takes the pieces that are done; take() runs unlocked. */
    bool takes = !o->taking;
    o->taking = true;
    while (takes && o->next < o->failed &&
           o->slots[o->next % o->n_slots].done) {
        size_t next = o->next;
        slot = &o->slots[next % o->n_slots];
        (void)pthread_mutex_unlock(&o->lock);
        ok = o->job->take(o->job->ctx, next, &slot->bytes, &err);
        (void)pthread_mutex_lock(&o->lock);
        slot->done = false;
        o->next++;
        if (!ok)
            fail(o, next, &err);
        (void)pthread_cond_broadcast(&o->moved);
    }
    if (takes)
        o->taking = false;
    (void)pthread_mutex_unlock(&o->lock);
}

bool inorder_run(struct inorder *o, const struct inorder_job *job,
                 struct prof_err *err)
{
    o->job = job;
    o->next = 0;
    o->failed = job->n;
    for (size_t i = 0; i < o->n_slots; i++)
        o->slots[i].done = false;
    parallel_run(o->threads, job->n, make_piece, o);
    if (o->failed == job->n)
        return true;
    *err = o->err;
    return false;
}
