/*
 * strtab.h - strings interned to 32-bit ids
 *
 * Equal strings get equal ids; ids count up from 0, which is always "".
 * A string may hold any bytes, NUL included; what strtab_str() returns is
 * followed by a NUL that its length does not count.  Pointers stay good
 * until the table is freed, however much is added (strings live in chunks
 * that never move).
 */
#ifndef PROFUTILS_BASE_STRTAB_H
#define PROFUTILS_BASE_STRTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    uint64_t seed; /* of the hashes, mix.h */
};

/* False when memory is out; *t is then safe to free. */
bool strtab_init(struct strtab *t);
void strtab_free(struct strtab *t);

/* Makes room for about n strings in all; false when memory is out. */
bool strtab_reserve(struct strtab *t, size_t n);

/* The id of the n bytes at s, added if new.  False when memory is out. */
bool strtab_add(struct strtab *t, const char *s, size_t n, uint32_t *id);

/* The same when their hash is known: strtab_hash() of any other table. */
bool strtab_add_hashed(struct strtab *t, const char *s, size_t n, uint64_t hash,
                       uint32_t *id);

static inline uint64_t strtab_hash(const struct strtab *t, uint32_t id)
{
    return t->hash[id];
}

/* The id of the n bytes at s if they are there. */
bool strtab_find(const struct strtab *t, const char *s, size_t n, uint32_t *id);

static inline const char *strtab_str(const struct strtab *t, uint32_t id)
{
    return t->str[id];
}

static inline size_t strtab_len(const struct strtab *t, uint32_t id)
{
    return t->len[id];
}

/* The string if no NUL is in it: else "", rather than a part of it. */
const char *strtab_plain(const struct strtab *t, uint32_t id);

/*
 * Keeps only the strings ids[0 .. n), in that order: ids[i] becomes i.
 * ids[0] must be 0 and no id may be there twice.  False when memory is out,
 * with the table as it was.
 */
bool strtab_select(struct strtab *t, const uint32_t *ids, uint32_t n);

/* How many bytes of memory the table has. */
size_t strtab_size(const struct strtab *t);

/* Byte-wise order of two strings, as memcmp, shorter first. */
int strtab_cmp(const struct strtab *t, uint32_t a, uint32_t b);

#endif
