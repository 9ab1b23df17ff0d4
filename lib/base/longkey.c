#include "base/longkey.h"

#include <stdlib.h>

#include "base/parallel.h"
#include "base/vec.h"

enum {
    FEW = 8,      /* items that are compared */
    ALONE = 4096, /* items that are not worth a thread */
    PIECES = 32,  /* about how many there are to share */
};

/* Items that agree in all parts before depth. */
struct range {
    size_t at, n, depth;
};

typedef VEC(struct range) ranges;

/* Ranges next to each other that are one thread's at a time. */
struct piece {
    size_t first, n, n_items;
    bool equal, nomem;
};

struct sorter {
    const struct longkey *k;
    struct radix_item *v, *spare;
    ranges apart; /* too small to be split among threads */
    VEC(struct piece) pieces;
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
static bool sort_range(const struct sorter *s, struct range r, ranges *todo,
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
        struct range deeper = {r.at + i, j - i, r.depth};
        if (j - i > 1 && !vec_push(todo, deeper))
            return false;
    }
    return true;
}

/* Sorts todo[] to the end, but what has at most `few` items goes to s->apart.
 */
static bool sort_ranges(struct sorter *s, ranges *todo, size_t few, bool *equal)
{
    bool ok = true;
    while (ok && todo->n) {
        struct range r = todo->v[--todo->n];
        ok =
            r.n <= few ? vec_push(&s->apart, r) : sort_range(s, r, todo, equal);
    }
    return ok;
}

static void sort_piece(void *ctx, unsigned thread, size_t piece)
{
    struct sorter *s = ctx;
    struct piece *p = &s->pieces.v[piece];
    ranges todo = {0};
    (void)thread;
    for (size_t i = 0; i < p->n && !p->nomem; i++)
        p->nomem = !vec_push(&todo, s->apart.v[p->first + i]) ||
                   !sort_ranges(s, &todo, 0, &p->equal);
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
    ranges todo = {0};
    size_t share = threads > 1 && n > ALONE ? n / PIECES : 0;
    *equal = false;
    bool ok = n < 2 || (vec_push(&todo, all) &&
                        sort_ranges(&s, &todo, share, equal) && cut(&s, share));
    if (ok)
        parallel_run(threads, s.pieces.n, sort_piece, &s);
    for (size_t i = 0; ok && i < s.pieces.n; i++) {
        *equal = *equal || s.pieces.v[i].equal;
        ok = !s.pieces.v[i].nomem;
    }
    vec_free(&todo);
    vec_free(&s.apart);
    vec_free(&s.pieces);
    return ok;
}
