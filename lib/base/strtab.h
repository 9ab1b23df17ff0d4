/*
 * strtab.h - strings interned to 32-bit ids
 *
 * Equal strings get equal ids.  Id 0 is always ""; new strings get 1, 2 and so
 * on.  A string may contain any bytes, NUL included; another NUL, which its
 * length does not count, follows it.  Pointers to strings stay valid until the
 * table is freed.
 */
#ifndef PROFUTILS_BASE_STRTAB_H
#define PROFUTILS_BASE_STRTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

struct strtab_chunk;

struct strtab {
    const char **str; /* by id: the bytes of the string */
    uint32_t *len;    /* by id: their number */
    uint64_t *hash;   /* by id: their hash */
    uint32_t n, cap;
    uint32_t *slot; /* hash table with open addressing: id + 1, or 0 (free) */
    uint32_t n_slots;
    struct strtab_chunk *chunks; /* the bytes of the strings; owned */
    size_t room;                 /* bytes left in the first chunk */
    size_t chunk_bytes;          /* size of all chunks */
    uint64_t seed;               /* hash_seed() */
};

/* False when memory is out; *t is then safe to free. */
bool strtab_init(struct strtab *t);
void strtab_free(struct strtab *t);

/* Makes room for about n strings in all; false when memory is out. */
bool strtab_reserve(struct strtab *t, size_t n);

/* Sets *id to that of the n bytes at s, which are added if new.  False when
 * memory is out or n exceeds 32 bits. */
bool strtab_add(struct strtab *t, const char *s, size_t n, uint32_t *id);

/* The same, for a caller that knows the hash: strtab_hash() of the same string
 * in any other table. */
bool strtab_add_hashed(struct strtab *t, const char *s, size_t n, uint64_t hash,
                       uint32_t *id);

static inline uint64_t strtab_hash(const struct strtab *t, uint32_t id)
{
    return t->hash[id];
}

/* Sets *id to that of the n bytes at s; false if the table lacks them. */
bool strtab_find(const struct strtab *t, const char *s, size_t n, uint32_t *id);

static inline const char *strtab_str(const struct strtab *t, uint32_t id)
{
    return t->str[id];
}

static inline size_t strtab_len(const struct strtab *t, uint32_t id)
{
    return t->len[id];
}

static inline struct prof_slice strtab_slice(const struct strtab *t,
                                             uint32_t id)
{
    return (struct prof_slice){t->str[id], t->len[id]};
}

/* Returns the string as a C string.  "" if it contains a NUL: a part of it
 * would be another string. */
const char *strtab_plain(const struct strtab *t, uint32_t id);

/*
 * Keeps only the strings ids[0 .. n), in that order: ids[i] becomes i.
 * ids[0] must be 0, and ids must differ.  False when memory is out; the table
 * is then unchanged.
 */
bool strtab_select(struct strtab *t, const uint32_t *ids, uint32_t n);

/* Returns how many bytes of memory the table has allocated. */
size_t strtab_size(const struct strtab *t);

/* Compares as memcmp(); if one begins with the other, the shorter is less. */
int strtab_cmp(const struct strtab *t, uint32_t a, uint32_t b);

/* Sorts ids[0 .. n), which differ, in that order; false when memory is out. */
bool strtab_sort(const struct strtab *t, uint32_t *ids, size_t n,
                 unsigned threads);

#endif
