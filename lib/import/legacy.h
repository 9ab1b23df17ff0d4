/*
 * legacy.h - the kinds of profile that prof2pb reads, and their readers
 *
 * gperftools and those that took after it (Go's runtime, jemalloc, Java
 * agents) have a file format for each kind of profile.  Which one a file has
 * shows in its first bytes; the order of the table settles what could be two.
 * A further kind is a file with a reader and a line in legacy.c.
 */
#ifndef PROFUTILS_IMPORT_LEGACY_H
#define PROFUTILS_IMPORT_LEGACY_H

#include "import/gperftools/gperf.h"

/* Where in a file of text another profile may begin: at a header ... */
enum legacy_next {
    LEGACY_NOWHERE,    /* (the reader itself finds all that are there) */
    LEGACY_BELOW_MAPS, /* ... below the line before the list of mappings */
    LEGACY_ANYWHERE,   /* ... which can be no other line of the profile */
};

struct legacy_kind {
    const char *name; /* as --type has it: "cpu" */
    const char *what; /* in messages, after "a": "CPU profile" */

    /*
     * Whether the n bytes are of this kind by their first line or header,
     * sound or not.  No more than the header is looked at.
     */
    bool (*begins)(const uint8_t *data, size_t n);

    /* Whether, having begun so, nothing is wrong with the header; or null. */
    bool (*sound)(const uint8_t *data, size_t n);

    /*
     * Reads a file into *out, which is initialised here and is safe to
     * prof_free() whatever is returned.  Errors and warnings name the line
     * (text) or offset (binary) in the file; data is not kept.
     */
    bool (*read)(const uint8_t *data, size_t n, const struct gperf_opts *opts,
                 struct profile *out, const struct notes *notes,
                 struct err *err);

    enum legacy_next next;
};

/* The kind that the bytes begin like; null if none does. */
const struct legacy_kind *legacy_find(const uint8_t *data, size_t n);

/* Whether they begin like a sound file of some kind. */
bool legacy_begins(const uint8_t *data, size_t n);

/* The kind with this name; null if there is none. */
const struct legacy_kind *legacy_named(const char *name);

/*
 * Reads a file of this kind as its reader does, and adds up all profiles that
 * follow each other in it (with opts->first_only: reads the first).
 */
bool legacy_read(const struct legacy_kind *kind, const uint8_t *data, size_t n,
                 const struct gperf_opts *opts, struct profile *out,
                 const struct notes *notes, struct err *err);

/* The i-th kind of the table; null behind the last. */
const struct legacy_kind *legacy_kind(size_t i);

#endif
