#include "base/parallel.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

/* What libraries need: libdw has lines of a file on it.  musl gives 128 KiB. */
enum { STACK = 8 * 1024 * 1024 };

struct run {
    parallel_fn *fn;
    void *ctx;
    size_t n;
    atomic_size_t next; /* piece that nobody has taken */
};

struct worker {
    struct run *run;
    unsigned number;
    pthread_t thread;
};

static void *work(void *arg)
{
    struct worker *w = arg;
    for (size_t i; (i = atomic_fetch_add(&w->run->next, 1)) < w->run->n;)
        w->run->fn(w->run->ctx, w->number, i);
    return NULL;
}

/* Starts w[1 .. n); returns how many there are then, w[0] counted. */
static unsigned start(struct worker *w, unsigned n, struct run *run)
{
    sigset_t all, was;
    pthread_attr_t attr;
    unsigned i = 1;
    if (pthread_attr_init(&attr) != 0)
        return i;
    (void)pthread_attr_setstacksize(&attr, STACK);
    /* Signals are for the caller's thread, but for those of one's own write. */
    (void)sigfillset(&all);
    (void)sigdelset(&all, SIGPIPE);
    (void)sigdelset(&all, SIGXFSZ);
    (void)pthread_sigmask(SIG_SETMASK, &all, &was);
    for (; i < n; i++) {
        w[i] = (struct worker){.run = run, .number = i};
        if (pthread_create(&w[i].thread, &attr, work, &w[i]) != 0)
            break;
    }
    (void)pthread_sigmask(SIG_SETMASK, &was, NULL);
    (void)pthread_attr_destroy(&attr);
    return i;
}

void parallel_run(unsigned threads, size_t n, parallel_fn *fn, void *ctx)
{
    struct run run = {.fn = fn, .ctx = ctx, .n = n};
    struct worker self = {.run = &run};
    if (threads > n)
        threads = (unsigned)n;
    struct worker *w = threads > 1 ? calloc(threads, sizeof *w) : NULL;
    unsigned started = w ? start(w, threads, &run) : 1;
    (void)work(&self);
    for (unsigned i = 1; i < started; i++)
        (void)pthread_join(w[i].thread, NULL);
    free(w);
}
