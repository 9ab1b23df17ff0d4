#include "base/longkey.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/vec.h"

enum {
    FEW = 8,      /* items that are compared */
    ALONE = 4096, /* items that are not worth another thread */
    PIECES = 32,  /* about how many there are to share */
};

/* Items that agree in all parts before depth. */
struct range {
    size_t at, n, depth;
};

typedef VEC(struct range) ranges;

/* A range that is split for several threads, and its parts. */
struct split {
    struct range range;
    ranges runs;
    bool equal, nomem;
};

/* Ranges next to each other that are sorted to the end by one thread. */
struct piece {
    size_t first, n, n_items;
    bool equal, nomem;
};

struct sorter {
    const struct longkey *k;
    struct radix_item *v, *spare;
    VEC(struct split) splits; /* of one round */
    ranges apart;             /* too small to be split */
    VEC(struct piece) pieces; /* of those */
    bool equal;
};

/* Sorts a range that is not worth more. */
static void sort_few(const struct longkey *k, struct radix_item *v, size_t n,
                     size_t depth, bool *equal)
{
    for (size_t i = 1; i < n; i++) {
        struct radix_item x = v[i];
        size_t j = i;
        int d = 1;
        while (j && (d = k->cmp(k->ctx, x.id, v[j - 1].id, depth)) < 0) {
            v[j] = v[j - 1];
            j--;
        }
        v[j] = x;
        *equal = *equal || !d;
    }
}

/* Sorts a range by one part and lists the runs that agree in it. */
static bool sort_range(const struct sorter *s, struct range r, ranges *runs,
                       bool *equal)
{
    struct radix_item *v = s->v + r.at;
    if (s->k->cmp && r.n <= FEW) {
        sort_few(s->k, v, r.n, r.depth, equal);
        return true;
    }
    if (!s->k->part(s->k->ctx, v, r.n, &r.depth)) {
        *equal = true;
        return true;
    }
    radix_sort(v, s->spare + r.at, r.n);
    for (size_t i = 0, j; i < r.n; i = j) {
        for (j = i + 1; j < r.n && v[j].key == v[i].key;)
            j++;
        struct range run = {r.at + i, j - i, r.depth};
        if (j - i > 1 && !vec_push(runs, run))
            return false;
    }
    return true;
}

static void split(void *ctx, unsigned thread, size_t i)
{
    struct sorter *s = ctx;
    struct split *p = &s->splits.v[i];
    (void)thread;
    p->nomem = !sort_range(s, p->range, &p->runs, &p->equal);
}

/* Puts a range where it belongs: to be split, or not. */
static bool place(struct sorter *s, struct range r, size_t share)
{
    struct split p = {.range = r};
    return r.n > share ? vec_push(&s->splits, p) : vec_push(&s->apart, r);
}

/* One round of splits, and what it leaves to be split. */
static bool split_round(struct sorter *s, unsigned threads, size_t share)
{
    size_t n = s->splits.n;
    bool ok = true;
    parallel_run(threads, n, split, s);
    for (size_t i = 0; i < n; i++) {
        ranges runs = s->splits.v[i].runs; /* place() may move splits */
        s->equal = s->equal || s->splits.v[i].equal;
        ok = ok && !s->splits.v[i].nomem;
        for (size_t k = 0; ok && k < runs.n; k++)
            ok = place(s, runs.v[k], share);
        vec_free(&runs);
    }
    s->splits.n -= n;
    if (s->splits.n)
        memmove(s->splits.v, s->splits.v + n,
                s->splits.n * sizeof *s->splits.v);
    return ok;
}

static void sort_piece(void *ctx, unsigned thread, size_t piece)
{
    struct sorter *s = ctx;
    struct piece *p = &s->pieces.v[piece];
    ranges todo = {0};
    (void)thread;
    for (size_t i = 0; i < p->n && !p->nomem; i++) {
        p->nomem = !vec_push(&todo, s->apart.v[p->first + i]);
        while (!p->nomem && todo.n) {
            struct range r = todo.v[--todo.n];
            p->nomem = !sort_range(s, r, &todo, &p->equal);
        }
    }
    vec_free(&todo);
}

/* Largest first, so that none is left over when the others are done. */
static int by_size(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    return (x->n_items < y->n_items) - (x->n_items > y->n_items);
}

/* Cuts s->apart into pieces of at least this many items. */
static bool cut(struct sorter *s, size_t enough)
{
    struct piece p = {0};
    for (size_t i = 0; i < s->apart.n; i++) {
        p.n++;
        p.n_items += s->apart.v[i].n;
        if (p.n_items < enough && i + 1 < s->apart.n)
            continue;
        if (!vec_push(&s->pieces, p))
            return false;
        p = (struct piece){.first = i + 1};
    }
    if (s->pieces.n)
        qsort(s->pieces.v, s->pieces.n, sizeof *s->pieces.v, by_size);
    return true;
}

bool longkey_sort(const struct longkey *k, struct radix_item *v,
                  struct radix_item *spare, size_t n, unsigned threads,
                  bool *equal)
{
    struct sorter s = {.k = k, .v = v, .spare = spare};
    struct range all = {0, n, 0};
    size_t share = threads > 1 && n > ALONE ? n / PIECES : n;
    bool ok = n < 2 || place(&s, all, share);
    while (ok && s.splits.n)
        ok = split_round(&s, threads, share);
    ok = ok && cut(&s, share);
    if (ok)
        parallel_run(threads, s.pieces.n, sort_piece, &s);
    for (size_t i = 0; ok && i < s.pieces.n; i++) {
        s.equal = s.equal || s.pieces.v[i].equal;
        ok = !s.pieces.v[i].nomem;
    }
    *equal = s.equal;
    vec_free(&s.splits);
    vec_free(&s.apart);
    vec_free(&s.pieces);
    return ok;
}
