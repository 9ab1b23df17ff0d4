/* sort.c - radix sort, sorting by long keys, and a priority queue */
#include "base/sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/vec.h"

enum {
    FEW = 48,       /* items that are sorted by insertion */
    BUCKETS = 256,  /* values of a byte */
    SHARED = 4,     /* items per key from which buckets are faster */
    MAX_KEYS = 2048 /* most keys that have buckets */
};

static void sort_few(struct radix_item *v, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct radix_item x = v[i];
        size_t j = i;
        for (; j && x.key < v[j - 1].key; j--)
            v[j] = v[j - 1];
        v[j] = x;
    }
}

static void sort_bytes(struct radix_item *v, struct radix_item *spare, size_t n)
{
    uint64_t differ = 0;
    for (size_t i = 1; i < n; i++)
        differ |= v[i].key ^ v[0].key;
    struct radix_item *from = v, *to = spare;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if (!(differ >> shift & 0xff))
            continue;
        size_t start[BUCKETS] = {0}, sum = 0;
        for (size_t i = 0; i < n; i++)
            start[from[i].key >> shift & 0xff]++;
        for (size_t b = 0; b < BUCKETS; b++) {
            size_t count = start[b];
            start[b] = sum;
            sum += count;
        }
        for (size_t i = 0; i < n; i++)
            to[start[from[i].key >> shift & 0xff]++] = from[i];
        struct radix_item *t = from;
        from = to;
        to = t;
    }
    if (from != v)
        memcpy(v, from, n * sizeof *v);
}

/*
 * Lists the distinct keys of v[] in keys[] with the number of their items in
 * `bucket`, and sets the `bucket` of each item to the index of its key.
 * Returns the number of keys, or 0 if there are more than `most` or the hash
 * has too many collisions.
 */
static size_t list_keys(struct radix_item *v, size_t n, struct radix_item *keys,
                        size_t most)
{
    uint16_t slot[2 * MAX_KEYS]; /* index of a key + 1, 0 is free */
    unsigned bits = 3;
    while ((size_t)1 << bits < 2 * most)
        bits++;
    memset(slot, 0, sizeof *slot << bits);
    size_t mask = ((size_t)1 << bits) - 1, n_keys = 0, patience = 4 * n;
    for (size_t i = 0; i < n; i++) {
        uint64_t key = v[i].key;
        size_t at = key * 0x9e3779b97f4a7c15U >> (64 - bits);
        while (slot[at] && keys[slot[at] - 1].key != key && patience--)
            at = (at + 1) & mask;
        if (!slot[at]) {
            if (n_keys == most)
                return 0;
            keys[n_keys] = (struct radix_item){.key = key};
            slot[at] = (uint16_t)++n_keys;
        } else if (keys[slot[at] - 1].key != key) {
            return 0;
        }
        v[i].bucket = slot[at] - 1U;
        keys[slot[at] - 1].bucket++;
    }
    return n_keys;
}

/* Sorts by counting the items of each key.  Returns false, with nothing moved,
 * if there are too many keys. */
static bool sort_buckets(struct radix_item *v, struct radix_item *spare,
                         size_t n)
{
    uint32_t start[MAX_KEYS], sum = 0;
    size_t most = n / SHARED < MAX_KEYS ? n / SHARED : MAX_KEYS;
    size_t n_keys = list_keys(v, n, spare, most);
    if (!n_keys)
        return false;
    for (size_t k = 0; k < n_keys; k++)
        spare[k].id = (uint32_t)k;
    if (n_keys <= FEW)
        sort_few(spare, n_keys);
    else
        sort_bytes(spare, spare + n_keys, n_keys);
    for (size_t k = 0; k < n_keys; k++) {
        start[spare[k].id] = sum;
        sum += spare[k].bucket;
    }
    for (size_t i = 0; i < n; i++)
        spare[start[v[i].bucket]++] = v[i];
    memcpy(v, spare, n * sizeof *v);
    return true;
}

void radix_sort(struct radix_item *v, struct radix_item *spare, size_t n)
{
    if (n <= FEW) {
        sort_few(v, n);
        return;
    }
    size_t sorted = 1;
    while (sorted < n && v[sorted].key >= v[sorted - 1].key)
        sorted++;
    if (sorted < n && !sort_buckets(v, spare, n))
        sort_bytes(v, spare, n);
}

static uint64_t key_of(const char *row)
{
    uint64_t key;
    memcpy(&key, row, sizeof key);
    return key;
}

bool sort_rows(void *rows, size_t n, size_t size)
{
    char *v = rows;
    size_t sorted = 1;
    while (sorted < n &&
           key_of(v + (sorted - 1) * size) <= key_of(v + sorted * size))
        sorted++;
    if (sorted >= n)
        return true;
    struct radix_item *items = mem_array(n, 2 * sizeof *items);
    char *copy = mem_array(n, size);
    const bool ok = items && copy;
    for (size_t i = 0; ok && i < n; i++)
        items[i] = (struct radix_item){key_of(v + i * size), (uint32_t)i, 0};
    if (ok) {
        memcpy(copy, v, n * size);
        radix_sort(items, items + n, n);
    }
    for (size_t i = 0; ok && i < n; i++)
        memcpy(v + i * size, copy + items[i].id * size, size);
    free(items);
    free(copy);
    return ok;
}

enum {
    COMPARED = 8, /* largest range that is sorted by comparing */
    ALONE = 4096, /* most items that one thread sorts alone */
    PIECES = 32,  /* approximate number of pieces to divide among threads */
};

/* Items whose keys are equal in all parts before `depth`. */
struct range {
    size_t at, n, depth;
};

typedef VEC(struct range) ranges;

/* A range that is too large for one thread, and the runs it is split into. */
struct split {
    struct range range;
    ranges runs;
    bool equal, nomem;
};

/* Adjacent ranges that one thread sorts completely. */
struct piece {
    size_t first, n, n_items;
    bool equal, nomem;
};

struct sorter {
    const struct longkey *k;
    struct radix_item *v, *spare;
    VEC(struct split) splits; /* to split in this round */
    ranges apart;             /* ranges that are small enough for one thread */
    VEC(struct piece) pieces; /* of `apart` */
    bool equal;
};

/*
 * Sorts a range by one part of the keys and adds the runs in which that part is
 * equal to `runs`.  Sets *equal if two keys are equal.  Returns false if there
 * is no memory.
 */
static bool sort_range(const struct sorter *s, struct range r, ranges *runs,
                       bool *equal)
{
    struct radix_item *v = s->v + r.at;
    const struct longkey *key = s->k;
    if (key->cmp && r.n <= COMPARED) {
        for (size_t i = 1; i < r.n; i++) {
            struct radix_item x = v[i];
            size_t j = i;
            int d = 1;
            while (j &&
                   (d = key->cmp(key->ctx, x.id, v[j - 1].id, r.depth)) < 0) {
                v[j] = v[j - 1];
                j--;
            }
            v[j] = x;
            *equal = *equal || !d;
        }
        return true;
    }
    if (!key->part(key->ctx, v, r.n, &r.depth)) {
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

static void split_range(void *ctx, unsigned thread, size_t i)
{
    struct sorter *s = ctx;
    struct split *p = &s->splits.v[i];
    (void)thread;
    p->nomem = !sort_range(s, p->range, &p->runs, &p->equal);
}

/* Adds a range to s->splits or, if it is small enough, to s->apart. */
static bool add_range(struct sorter *s, struct range r, size_t share)
{
    struct split p = {.range = r};
    return r.n > share ? vec_push(&s->splits, p) : vec_push(&s->apart, r);
}

/* Splits all ranges in s->splits; only runs that are too large stay there. */
static bool split_round(struct sorter *s, unsigned threads, size_t share)
{
    size_t n = s->splits.n;
    bool ok = true;
    parallel_run(threads, n, split_range, s);
    for (size_t i = 0; i < n; i++) {
        ranges runs = s->splits.v[i].runs; /* add_range() may move splits */
        s->equal = s->equal || s->splits.v[i].equal;
        ok = ok && !s->splits.v[i].nomem;
        for (size_t k = 0; ok && k < runs.n; k++)
            ok = add_range(s, runs.v[k], share);
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

/* Puts large pieces first, so that threads end at about the same time. */
static int by_size(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    return ORDER(y->n_items, x->n_items);
}

/* Divides s->apart into pieces of at least `enough` items. */
static bool make_pieces(struct sorter *s, size_t enough)
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
    vec_sort(&s->pieces, by_size);
    return true;
}

bool longkey_sort(const struct longkey *k, struct radix_item *v,
                  struct radix_item *spare, size_t n, bool *equal)
{
    unsigned threads = k->threads;
    struct sorter s = {.k = k, .v = v, .spare = spare};
    struct range all = {0, n, 0};
    size_t share = threads > 1 && n > ALONE ? n / PIECES : n;
    bool ok = n < 2 || add_range(&s, all, share);
    while (ok && s.splits.n)
        ok = split_round(&s, threads, share);
    ok = ok && make_pieces(&s, share);
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

static bool is_before(const struct heap_item *a, const struct heap_item *b)
{
    return a->key > b->key || (a->key >= b->key && a->id < b->id);
}

bool heap_push(struct heap *h, double key, uint32_t id)
{
    struct heap_item x = {key, id};
    if (!vec_push(h, x))
        return false;
    size_t at = h->n - 1;
    while (at) {
        size_t up = (at - 1) / 2;
        if (!is_before(&x, &h->v[up]))
            break;
        h->v[at] = h->v[up];
        at = up;
    }
    h->v[at] = x;
    return true;
}

struct heap_item heap_pop(struct heap *h)
{
    struct heap_item first = h->v[0], x = h->v[--h->n];
    size_t at = 0, down;
    while ((down = 2 * at + 1) < h->n) {
        if (down + 1 < h->n && is_before(&h->v[down + 1], &h->v[down]))
            down++;
        if (!is_before(&h->v[down], &x))
            break;
        h->v[at] = h->v[down];
        at = down;
    }
    h->v[at] = x;
    return first;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return ORDER(x, y);
}

void sort_doubles(double *v, size_t n)
{
    if (n)
        qsort(v, n, sizeof *v, by_value);
}
