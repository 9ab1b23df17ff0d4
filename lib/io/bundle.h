/*
 * bundle.h - writes many files into an archive or a directory
 *
 * bundle_opts.output.path selects the kind of bundle:
 *
 *      none                                       tar, to standard output
 *      an existing directory, or it ends in '/'   directory
 *      any other                                  archive; the suffix selects
 *                                                 zip, or tar with or without
 *                                                 compression
 *
 * Archive    written atomically, like any output (output.h).  Its bytes depend
 *            on the files only: entries have the order in which they are added,
 *            mode 0644, owner 0 and no owner names.
 * Directory  each file is written atomically and replaces an existing one.  If
 *            a file fails, those before it remain.  All are synced at the end.
 *            Symbolic links below the directory are not followed.
 * Names      relative, without "." and ".." (bundle_name_of_entry()), unique
 *            in a bundle.
 */
#ifndef PROFUTILS_IO_BUNDLE_H
#define PROFUTILS_IO_BUNDLE_H

#include "io/output.h"

struct bundle_opts {
    struct output_opts output; /* if_changed compares each file of a directory,
                                  or the whole archive */
    bool compressed; /* the files are compressed already: zip stores them */
};

struct bundle;

/* Opens a bundle.  PROF_ERR_USAGE if the suffix of an archive is unknown. */
bool bundle_open(struct bundle **bundle, const struct bundle_opts *opts,
                 struct prof_err *err);

struct bundle_file {
    const char *name;
    int64_t mtime; /* seconds since 1970, 0: none; only tar stores it */
    const void *data;
    size_t n;
};

/*
 * Writes a file into the bundle.  PROF_ERR_INPUT: the bundle cannot have a file
 * of this name; others can still be added.  After PROF_ERR_SYSTEM only
 * bundle_abort() is allowed.
 */
bool bundle_add(struct bundle *b, const struct bundle_file *file,
                struct prof_err *err);

/* bundle_commit() completes the bundle, bundle_abort() discards an archive or
 * keeps the files that a directory has so far.  Both free it. */
bool bundle_commit(struct bundle *b, struct prof_err *err);
void bundle_abort(struct bundle *b);

/* --- names ---------------------------------------------------------------- */

/*
 * Names of output files are made from names of inputs.  They are relative, with
 * single slashes between elements, none of which is "", "." or "..".
 *
 *      input           its name begins with "/" or leads outside by ".."
 *      archive entry   PROF_ERR_INPUT, because archives are not trusted
 *      operand         that prefix is removed, as tar(1) does
 */

/* Appends the name for an archive entry; PROF_ERR_INPUT if it is not valid. */
bool bundle_name_of_entry(struct buf *to, const char *entry,
                          struct prof_err *err);

/*
 * Appends the name for an operand.  Sets *stripped to the number of bytes that
 * were removed from its beginning: up to the last "../", or a leading "/".
 */
bool bundle_name_of_path(struct buf *to, const char *path, size_t *stripped,
                         struct prof_err *err);

#endif
