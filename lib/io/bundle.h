/*
 * bundle.h - many files written one after another: an archive or a directory
 *
 * What it is shows in its name: a directory if one is there or the name ends
 * in '/', else an archive by its suffix (tar, compressed or not, zip).
 *
 * An archive is made like any output (output.h): whole or not at all.  Its
 * bytes depend on the files only: entries in the order they come, mode 0644,
 * owner 0, no names of owners.  Each file in a directory is made whole and
 * takes the place of an older one; those that were added stay if a later one
 * fails.  They are synced together, in the end.  Below the directory no
 * symbolic link is followed.
 *
 * Names are relative, without "." and ".." (bundle_name_of_entry()); no two of
 * a bundle are the same.
 */
#ifndef PROFUTILS_IO_BUNDLE_H
#define PROFUTILS_IO_BUNDLE_H

#include "io/output.h"

struct bundle_opts {
    struct output_opts output; /* path: not null.  if_changed: per file in a
                                  directory, else for the whole archive */
    bool compressed; /* the files are compressed already: zip stores them */
};

struct bundle;

/* ERR_USAGE for a suffix that is none. */
bool bundle_open(struct bundle **bundle, const struct bundle_opts *opts,
                 struct err *err);

struct bundle_file {
    const char *name;
    int64_t mtime; /* seconds, 0: none; not in directories and zip */
    const void *data;
    size_t n;
};

/*
 * ERR_INPUT: there can be no file of this name, and others may be added.
 * After ERR_SYSTEM the bundle can only be given up.
 */
bool bundle_add(struct bundle *b, const struct bundle_file *file,
                struct err *err);

/* Completes it, or gives it up; either frees. */
bool bundle_commit(struct bundle *b, struct err *err);
void bundle_abort(struct bundle *b);

/* --- names ---------------------------------------------------------------- */

/*
 * Names of outputs, made of names of inputs: relative, with single slashes
 * between elements, none of which is "", "." or "..".
 *
 *      of an entry   ERR_INPUT if it would lead out of the output: archives
 *                    come from others
 *      of an operand loses what leads out, as in tar(1)
 */

/* Appends the name for an entry; ERR_INPUT says what is wrong with it. */
bool bundle_name_of_entry(struct buf *to, const char *entry, struct err *err);

/*
 * Appends the name for an operand.  *stripped are the bytes at its beginning
 * that were taken off: "/" or "../" and what is before the last of those.
 */
bool bundle_name_of_path(struct buf *to, const char *path, size_t *stripped,
                         struct err *err);

#endif
