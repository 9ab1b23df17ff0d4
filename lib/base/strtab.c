/* strtab.c - a table of distinct strings with ids */
#include "base/strtab.h"

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/sort.h"
#include "base/vec.h"

enum { CHUNK = 64 * 1024, FIRST_SLOTS = 256 };

struct strtab_chunk {
    struct strtab_chunk *next;
    char bytes[];
};

bool strtab_init(struct strtab *t)
{
    memset(t, 0, sizeof *t);
    t->seed = hash_seed();
    t->n_slots = FIRST_SLOTS;
    t->slot = calloc(t->n_slots, sizeof *t->slot);
    uint32_t zero;
    return t->slot && strtab_add(t, "", 0, &zero);
}

void strtab_free(struct strtab *t)
{
    while (t->chunks) {
        struct strtab_chunk *next = t->chunks->next;
        free(t->chunks);
        t->chunks = next;
    }
    free((void *)t->str);
    free(t->len);
    free(t->hash);
    free(t->slot);
    memset(t, 0, sizeof *t);
}

/* Sets the number of slots to n_slots, a power of 2; at most half are used. */
static bool rehash(struct strtab *t, uint32_t n_slots)
{
    uint32_t mask = n_slots - 1;
    uint32_t *slot = mem_zarray(n_slots, sizeof *slot);
    if (!slot)
        return false;
    for (uint32_t id = 0; id < t->n; id++) {
        uint32_t i = (uint32_t)t->hash[id] & mask;
        while (slot[i])
            i = (i + 1) & mask;
        slot[i] = id + 1;
    }
    free(t->slot);
    t->slot = slot;
    t->n_slots = n_slots;
    return true;
}

/* Grows the three columns to `cap` elements. */
static bool grow(struct strtab *t, uint32_t cap)
{
    void *str = mem_resize((void *)t->str, cap, sizeof *t->str);
    if (!str)
        return false;
    t->str = str;
    void *len = mem_resize(t->len, cap, sizeof *t->len);
    if (!len)
        return false;
    t->len = len;
    void *hash = mem_resize(t->hash, cap, sizeof *t->hash);
    if (!hash)
        return false;
    t->hash = hash;
    t->cap = cap;
    return true;
}

bool strtab_reserve(struct strtab *t, size_t n)
{
    if (n > UINT32_MAX / 4)
        n = UINT32_MAX / 4;
    uint32_t n_slots = t->n_slots;
    while (n_slots / 2 <= n)
        n_slots *= 2;
    return (n <= t->cap || grow(t, (uint32_t)n)) &&
           (n_slots == t->n_slots || rehash(t, n_slots));
}

/* Copies s and a NUL into the newest chunk, or a new one. */
static const char *keep(struct strtab *t, const char *s, size_t n)
{
    char *at;
    if (n + 1 <= t->room) {
        at = t->chunks->bytes + CHUNK - t->room;
        t->room -= n + 1;
    } else {
        /* A long string gets a chunk of its own after the open one. */
        bool is_long = n + 1 > CHUNK / 4;
        size_t size = is_long ? n + 1 : CHUNK;
        struct strtab_chunk *c = malloc(sizeof *c + size);
        if (!c)
            return NULL;
        struct strtab_chunk **to =
            is_long && t->chunks ? &t->chunks->next : &t->chunks;
        c->next = *to;
        *to = c;
        t->chunk_bytes += sizeof *c + size;
        if (!is_long)
            t->room = CHUNK - (n + 1);
        at = c->bytes;
    }
    if (n)
        memcpy(at, s, n);
    at[n] = 0;
    return at;
}

size_t strtab_size(const struct strtab *t)
{
    return t->chunk_bytes + t->n_slots * sizeof *t->slot +
           t->cap * (sizeof *t->str + sizeof *t->len + sizeof *t->hash);
}

/* Returns the slot that holds s, or the free slot for it. */
static uint32_t probe(const struct strtab *t, const char *s, size_t n,
                      uint64_t hash)
{
    uint32_t mask = t->n_slots - 1, i = (uint32_t)hash & mask;
    for (;; i = (i + 1) & mask) {
        if (!t->slot[i])
            return i;
        uint32_t id = t->slot[i] - 1;
        if (t->hash[id] == hash && t->len[id] == n &&
            memcmp(t->str[id], s, n) == 0)
            return i;
    }
}

bool strtab_add(struct strtab *t, const char *s, size_t n, uint32_t *id)
{
    if (!n)
        s = "";
    return strtab_add_hashed(t, s, n, XXH3_64bits_withSeed(s, n, t->seed), id);
}

bool strtab_add_hashed(struct strtab *t, const char *s, size_t n, uint64_t hash,
                       uint32_t *id)
{
    if (n >= UINT32_MAX)
        return false;
    uint32_t i = probe(t, s, n, hash);
    if (t->slot[i]) {
        *id = t->slot[i] - 1;
        return true;
    }
    if (t->n == t->cap || t->n >= t->n_slots / 2) {
        if (t->n == t->cap &&
            (t->cap > UINT32_MAX / 4 || !grow(t, t->cap ? t->cap * 2 : 64)))
            return false;
        if (t->n >= t->n_slots / 2 &&
            (t->n_slots > UINT32_MAX / 2 || !rehash(t, t->n_slots * 2)))
            return false;
        i = probe(t, s, n, hash);
    }
    const char *copy = keep(t, s, n);
    if (!copy)
        return false;
    t->str[t->n] = copy;
    t->len[t->n] = (uint32_t)n;
    t->hash[t->n] = hash;
    t->slot[i] = t->n + 1;
    *id = t->n++;
    return true;
}

bool strtab_find(const struct strtab *t, const char *s, size_t n, uint32_t *id)
{
    if (!n)
        s = "";
    uint32_t i = probe(t, s, n, XXH3_64bits_withSeed(s, n, t->seed));
    if (!t->slot[i])
        return false;
    *id = t->slot[i] - 1;
    return true;
}

int strtab_cmp(const struct strtab *t, uint32_t a, uint32_t b)
{
    if (a == b)
        return 0;
    uint32_t la = t->len[a], lb = t->len[b];
    int c = memcmp(t->str[a], t->str[b], la < lb ? la : lb);
    if (c)
        return c;
    return (la > lb) - (la < lb);
}

const char *strtab_plain(const struct strtab *t, uint32_t id)
{
    const char *s = strtab_str(t, id);
    return memchr(s, 0, strtab_len(t, id)) ? "" : s;
}

bool strtab_select(struct strtab *t, const uint32_t *ids, uint32_t n)
{
    struct strtab new = {.seed = t->seed};
    uint32_t n_slots = FIRST_SLOTS;
    while (n_slots / 2 <= n)
        n_slots *= 2;
    bool ok = grow(&new, n);
    for (; ok && new.n < n; new.n++) {
        new.str[new.n] = t->str[ids[new.n]];
        new.len[new.n] = t->len[ids[new.n]];
        new.hash[new.n] = t->hash[ids[new.n]];
    }
    if (!ok || !rehash(&new, n_slots)) {
        strtab_free(&new);
        return false;
    }
    new.chunks = t->chunks;
    new.chunk_bytes = t->chunk_bytes;
    new.room = t->room;
    t->chunks = NULL;
    strtab_free(t);
    *t = new;
    return true;
}

/* --- sorting --- */

enum { PART = 7 };

/*
 * Returns a sort key: seven bytes, then their number, or 8 if more follow.  So
 * a string that ends precedes one that continues with a NUL.
 */
static uint64_t part_of(const char *s, size_t n)
{
    uint64_t key = 0;
    if (n > PART) /* so there are the 8 bytes that be64() reads */
        return (be64((const uint8_t *)s) & ~(uint64_t)UINT8_MAX) | (PART + 1);
    for (size_t i = 0; i < PART; i++)
        key = key << 8 | (i < n ? (uint8_t)s[i] : 0);
    return key << 8 | n;
}

/*
 * Sets the keys of v[0 .. n) to the next bytes in which the strings differ, and
 * advances *depth, in bytes.  Returns false if the strings are equal.
 */
static bool next_bytes(const void *ctx, struct radix_item *v, size_t n,
                       size_t *depth)
{
    const struct strtab *t = ctx;
    uint64_t differ = 0;
    while (!differ && strtab_len(t, v[0].id) >= *depth) {
        for (size_t i = 0; i < n; i++) {
            v[i].key = part_of(strtab_str(t, v[i].id) + *depth,
                               strtab_len(t, v[i].id) - *depth);
            differ |= v[i].key ^ v[0].key;
        }
        *depth += PART;
    }
    return differ != 0;
}

bool strtab_sort(const struct strtab *t, uint32_t *ids, size_t n,
                 unsigned threads)
{
    const struct longkey k = {next_bytes, NULL, t, threads};
    struct radix_item *v = mem_array(n, sizeof *v);
    struct radix_item *spare = mem_array(n, sizeof *spare);
    bool equal, ok = v && spare;
    for (size_t i = 0; ok && i < n; i++)
        v[i].id = ids[i];
    ok = ok && longkey_sort(&k, v, spare, n, &equal);
    for (size_t i = 0; ok && i < n; i++)
        ids[i] = v[i].id;
    free(v);
    free(spare);
    return ok;
}
