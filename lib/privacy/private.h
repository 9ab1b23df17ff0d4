/* private.h - what the files of this folder share */
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

/* The code of the bytes of n slices, one after the other. */
void keyed_hash_make(struct keyed_hash *h, const struct prof_slice *parts,
                     size_t n, uint8_t digest[KEYED_HASH_BYTES]);

/* --- names by what they name */

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

/* The kind of strings of the profile that get pseudonyms, or NAME_NONE. */
enum name_kind name_kind_of(enum prof_string_kind kind);

/* --- what all threads share (pseudonyms.c) */

/* A row of the map, by the row of its pseudonym in `known`. */
struct name_pair {
    enum name_kind kind;
    uint32_t name; /* string id in `names` */
};

/* What profiles have besides names. */
struct unchanged {
    bool times, lines, addresses, numbers;
};

struct pseudonyms {
    struct pseudonyms_opts opts;
    struct buf key;
    pthread_mutex_t lock;
    /* Of all profiles so far; under the lock: */
    size_t replaced[NAME_KINDS], kept[NAME_KINDS];
    struct unchanged unchanged;
    struct map known;    /* by pseudonym */
    struct strtab names; /* of them */
    struct strtab types; /* of samples, "cpu/nanoseconds" */
    VEC(struct name_pair) pairs;
};

/* The words of a map. */
const char *name_kind_word(enum name_kind kind);

#endif
