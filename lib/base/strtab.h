/*
 * strtab.h - strings interned to 32-bit ids
 *
 * Equal strings get equal ids; ids count up from 0, which is always "".
 * A string may hold any bytes, NUL included; a NUL that its length does not
 * count follows it.  Pointers to strings stay valid until the table is freed.
 */
#ifndef PROFUTILS_BASE_STRTAB_H
#define PROFUTILS_BASE_STRTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

struct strtab_chunk;

struct strtab {
    const char **str; /* by id */
    uint32_t *len;    /* by id */
    uint64_t *hash;   /* by id */
    uint32_t n, cap;
    uint32_t *slot; /* open addressing; id + 1, 0 is free */
    uint32_t n_slots;
    struct strtab_chunk *chunks;
    size_t room; /* bytes left in the first chunk */
    size_t chunk_bytes;
    uint64_t seed; /* of the hashes, hash.h */
};

/* False when memory is out; *t is then safe to free. */
bool strtab_init(struct strtab *t);
void strtab_free(struct strtab *t);

/* Makes room for about n strings in all; false when memory is out. */
bool strtab_reserve(struct strtab *t, size_t n);

/* The id of the n bytes at s, added if new.  False when memory is out. */
bool strtab_add(struct strtab *t, const char *s, size_t n, uint32_t *id);

/* The same with their hash, which is strtab_hash() of any other table. */
bool strtab_add_hashed(struct strtab *t, const char *s, size_t n, uint64_t hash,
                       uint32_t *id);

static inline uint64_t strtab_hash(const struct strtab *t, uint32_t id)
{
    return t->hash[id];
}

/* The id of the n bytes at s; false if the table does not have them. */
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

/* The string if it contains no NUL, else "" rather than a part of it. */
const char *strtab_plain(const struct strtab *t, uint32_t id);

/*
 * Keeps only the strings ids[0 .. n), in that order: ids[i] becomes i.
 * ids[0] must be 0, and ids must differ.  False when memory is out; the table
 * is then unchanged.
 */
bool strtab_select(struct strtab *t, const uint32_t *ids, uint32_t n);

/* The bytes of memory that the table has. */
size_t strtab_size(const struct strtab *t);

/* Byte-wise order of two strings, as memcmp, shorter first. */
int strtab_cmp(const struct strtab *t, uint32_t a, uint32_t b);

#endif
