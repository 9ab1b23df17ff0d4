/* private.h - declarations that the files of lib/privacy share */
#ifndef PROFUTILS_PRIVACY_PRIVATE_H
#define PROFUTILS_PRIVACY_PRIVATE_H

#include <pthread.h>

#include "base/map.h"
#include "base/vec.h"
#include "privacy/privacy.h"
#include "profile/columns.h"

/* --- HMAC-SHA-256 (hmac.c) */

enum { KEYED_HASH_BYTES = 32 };

struct keyed_hash;
struct keyed_hash *keyed_hash_new(const void *key, size_t n,
                                  struct prof_err *err);
void keyed_hash_free(struct keyed_hash *h); /* null is allowed */

/* Sets digest to the code of n slices, concatenated. */
void keyed_hash_make(struct keyed_hash *h, const struct prof_slice *parts,
                     size_t n, uint8_t digest[KEYED_HASH_BYTES]);

/* --- kinds of names */

enum name_kind {
    NAME_FUNCTION,
    NAME_FILE,
    NAME_BINARY,
    NAME_BUILD_ID,
    NAME_LABEL_KEY,
    NAME_LABEL_VALUE,
    NAME_KINDS,
    NAME_NONE = NAME_KINDS,
};

/* Returns the kind of name for a kind of string; NAME_NONE: no pseudonym. */
enum name_kind name_kind_of(enum prof_string_kind kind);

/* --- what all threads share (pseudonyms.c) */

/* The name of a pseudonym. */
struct name_pair {
    enum name_kind kind;
    uint32_t name; /* string id in `names` */
};

/* Which data other than names profiles have: a warning says that it stays. */
struct unchanged {
    bool times, lines, addresses, numbers;
};

struct pseudonyms {
    struct pseudonyms_opts opts;
    struct buf key;
    pthread_mutex_t lock;
    /* About all profiles so far, protected by the lock: */
    size_t replaced[NAME_KINDS], kept[NAME_KINDS];
    struct unchanged unchanged;
    struct map known;            /* pseudonyms */
    struct strtab names;         /* the strings of `pairs` */
    struct strtab types;         /* sample types: "cpu/nanoseconds" */
    VEC(struct name_pair) pairs; /* by row in `known`: kind and name */
};

/* Returns the word for a kind in a map: "function". */
const char *name_kind_word(enum name_kind kind);

#endif
