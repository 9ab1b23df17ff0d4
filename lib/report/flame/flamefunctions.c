/*
 * flamefunctions.c - sums the values of functions, by several threads
 *
 * Recursion counts once in cumulative values.  Most frames are those of one
 * sample only, whose values are added to the function.  Others are also those
 * of samples that follow: what all samples have added up to is subtracted from
 * such a function when it enters the stack, and added when it leaves.
 */
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "profile/columns.h"
#include "report/flame/private.h"

/* Samples; a multiple of PROF_RESTART, so that the first shares no frames. */
enum { PIECE = 1 << 14 };

struct function {
    uint32_t times; /* how often it is in the stack */
    uint32_t last;  /* the last sample, plus 1, that was added to it */
    int64_t cum[];  /* n_sums */
};

/* What one thread has summed. */
struct sums {
    char *functions;     /* by rank; the last is for samples without frames */
    int64_t *flat;       /* by rank: n_sums */
    int64_t *total;      /* n_sums: of the samples so far */
    int64_t *value;      /* n_sums: of the sample */
    VEC(uint32_t) stack; /* from the root: frames that the next sample has */
    bool failed;         /* out of memory */
};

struct flame_functions {
    const struct flame_tree *t;
    const struct profile *p;
    size_t n, size; /* functions; bytes of each */
    struct parallel *running;
    unsigned threads;
    struct sums sums[];
};

static struct function *function_of(const struct flame_functions *f,
                                    const struct sums *s, size_t rank)
{
    return (void *)(s->functions + rank * f->size);
}

static void add_row(int64_t *to, const int64_t *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] += v[i];
}

/* Adds a sample, of which `keep` frames from the root remain in the stack. */
static bool add_sample(const struct flame_functions *f, struct sums *s,
                       size_t sample, size_t keep)
{
    const uint32_t no_stack = (uint32_t)f->n - 1, number = (uint32_t)sample + 1;
    const size_t depth = prof_depth(f->p, sample), n_sums = f->t->n_sums;
    const uint32_t *own = depth ? prof_own(f->p, sample) : &no_stack;
    size_t n = depth ? depth - s->stack.n : 1; /* of its own frames */
    const uint32_t leaf = n ? own[0] : s->stack.v[depth - 1];
    memset(s->value, 0, n_sums * sizeof *s->value);
    flame_add_sample(f->t, f->p, sample, s->value);
    add_row(s->flat + leaf * n_sums, s->value, n_sums);
    /* Frames that the next sample has, too, enter the stack. */
    for (; s->stack.n < keep; n--) {
        struct function *to = function_of(f, s, own[n - 1]);
        if (!vec_push(&s->stack, own[n - 1]))
            return false;
        for (size_t i = 0; !to->times && i < n_sums; i++)
            to->cum[i] -= s->total[i];
        to->times++;
    }
    /* The others are those of this sample only. */
    while (n) {
        struct function *to = function_of(f, s, own[--n]);
        if (to->times || to->last == number)
            continue;
        to->last = number;
        add_row(to->cum, s->value, n_sums);
    }
    add_row(s->total, s->value, n_sums);
    /* Frames that the next sample lacks leave the stack. */
    while (s->stack.n > keep) {
        struct function *to = function_of(f, s, s->stack.v[--s->stack.n]);
        if (!--to->times)
            add_row(to->cum, s->total, n_sums);
    }
    return true;
}

/* Returns how many frames two samples have in common, at least. */
static size_t shared_with_next(const struct profile *p, size_t s)
{
    return p->shared ? p->shared[s + 1] : prof_common_stack(p, s, s + 1);
}

static void sum_piece(void *ctx, unsigned thread, size_t piece)
{
    struct flame_functions *f = ctx;
    /* A copy on the stack avoids false sharing between threads. */
    struct sums s = f->sums[thread];
    size_t i = piece * PIECE, end = i + PIECE;
    end = end < f->p->n_samples ? end : f->p->n_samples;
    for (; !s.failed && i < end; i++)
        s.failed =
            !add_sample(f, &s, i, i + 1 < end ? shared_with_next(f->p, i) : 0);
    f->sums[thread] = s;
}

struct flame_functions *flame_functions_begin(const struct flame_tree *t,
                                              const struct stackrank *ranks)
{
    const struct profile *p = ranks->nodes.p;
    const size_t n = ranks->names.n + (size_t)1;
    const size_t pieces = p->n_samples / PIECE + 1;
    /* The sums of all threads take about as much memory as the frames. */
    const size_t most = p->n_frames / n / 8 / t->n_sums + 1;
    unsigned threads = ranks->order.threads ? ranks->order.threads : 1;
    threads = threads < pieces ? threads : (unsigned)pieces;
    threads = threads < most ? threads : (unsigned)most;
    struct flame_functions *f =
        calloc(1, sizeof *f + threads * sizeof *f->sums);
    if (!f)
        return NULL;
    f->t = t;
    f->p = p;
    f->n = n;
    f->size = sizeof(struct function) + t->n_sums * sizeof *f->sums->flat;
    f->threads = threads;
    for (unsigned i = 0; i < threads; i++) {
        struct sums *s = &f->sums[i];
        s->functions = mem_zarray(n, f->size);
        s->flat = mem_zarray(n, t->n_sums * sizeof *s->flat);
        s->total = mem_zarray(t->n_sums, 2 * sizeof *s->total);
        s->value = s->total ? s->total + t->n_sums : NULL;
        s->failed = !s->functions || !s->flat || !s->total;
    }
    f->running = parallel_begin(threads - 1, pieces, sum_piece, f);
    return f;
}

bool flame_functions_end(struct flame_functions *f, struct flame_tree *t)
{
    const size_t n = t->n_sums;
    t->functions = mem_zarray(f->n, 2 * n * sizeof *t->functions);
    bool ok = t->functions && f->running;
    if (f->running)
        parallel_end(f->running);
    for (unsigned i = 0; i < f->threads; i++) {
        struct sums *s = &f->sums[i];
        ok = ok && !s->failed;
        for (size_t k = 0; ok && k < f->n; k++) {
            add_row(t->functions + 2 * k * n, s->flat + k * n, n);
            add_row(t->functions + (2 * k + 1) * n, function_of(f, s, k)->cum,
                    n);
        }
        free(s->functions);
        free(s->flat);
        free(s->total);
        vec_free(&s->stack);
    }
    free(f);
    return ok;
}
