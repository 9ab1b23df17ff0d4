/*
 * spool.h - contents put aside until they are needed
 *
 * What a stream brings before it is known whether it is wanted goes to files
 * in a directory of its own, under TMPDIR or else /tmp, that only this user
 * can read.  It is made when the first content comes and removed, with all
 * that is in it, by spool_free().  Files are called by numbers, never by
 * names that come from an input.
 *
 * Contents are known by number, from 0; equal ones have one number and are
 * stored once.  A file that exists anyway can be taken as a content too; it
 * is only read.
 */
#ifndef PROFUTILS_IO_SPOOL_H
#define PROFUTILS_IO_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/strtab.h"
#include "base/vec.h"

struct spool_content {
    uint64_t hash[2], size;
    char *path; /* where it can be read; owned */
};

/* Zero-initialise. */
struct spool {
    /*
     * Told, before that is so, of the directory and that it may hold the
     * files 0 .. n - 1, so that a signal handler can remove them; null and 0
     * when it is gone.  May be null.
     */
    void (*on_files)(const char *dir, size_t n);
    char *dir; /* null: not made yet; with room for a file's name behind */
    size_t n_files;
    VEC(struct spool_content) contents;
    struct hashidx index;
    struct strtab seen;    /* files taken as contents, by device, inode .. */
    VEC(uint32_t) seen_as; /* .. and what they are: row id - 1 */
};

/* The number of these n bytes, stored if they are new.  ERR_SYSTEM. */
bool spool_add(struct spool *s, const void *data, size_t n, uint32_t *number,
               struct err *err);

/* The number of a file's content.  ERR_SYSTEM if it cannot be read. */
bool spool_take(struct spool *s, const char *path, uint32_t *number,
                struct err *err);

/* Where a content can be read. */
static inline const char *spool_path(const struct spool *s, uint32_t number)
{
    return s->contents.v[number].path;
}

void spool_free(struct spool *s);

#endif
