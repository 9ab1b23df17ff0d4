/*
 * replace.h - a file that takes the place of another when whole (lib/io only)
 *
 * replace_begin() makes a temporary file beside the target, of which the
 * caller fills r->fd; replace_finish() renames it over the target.  Until
 * then the target is as it was.
 */
#ifndef PROFUTILS_IO_REPLACE_H
#define PROFUTILS_IO_REPLACE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/err.h"

struct replace {
    int fd;          /* of the temporary file, for reading and writing */
    int dir;         /* where the two names begin */
    char *target;    /* no symbolic link */
    char *temp;      /* null before begin and after the end */
    struct stat old; /* of the target */
    bool had_old;    /* there is a target to replace */
    bool many;       /* one of many: the caller syncs them all */
    void (*on_temp)(void *ctx, int dir, const char *temp); /* as in output.h */
    void *ctx;
};

/*
 * Where a path that stat() calls a regular file or missing leads: its last name
 * is no link; null and *err on failure.  The caller frees it.
 */
char *replace_target(const char *path, struct err *err);

/*
 * Takes over `target`, frees it in the end.  on_temp and ctx are set by the
 * caller before, the rest of *r is zero.
 */
bool replace_begin(struct replace *r, char *target, struct err *err);

/*
 * The same for the name of a file in the directory `dir`, which stays open
 * until the end.  A symbolic link of that name is itself replaced, anything
 * else that is no regular file is ERR_INPUT.
 */
bool replace_begin_at(struct replace *r, int dir, const char *name,
                      struct err *err);

/* Whether the target holds the very bytes of the temporary file. */
bool replace_same(const struct replace *r);

/* Syncs, unless r->many, and renames.  Frees what *r holds, whether it worked
 * or not. */
bool replace_finish(struct replace *r, struct err *err);

/* The target stays as it is: an error if the temporary file cannot go. */
bool replace_leave(struct replace *r, struct err *err);

/* Removes the temporary file; an *r that is all zero is allowed. */
void replace_abort(struct replace *r);

#endif
