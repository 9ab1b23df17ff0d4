/*
 * bundle_archive.h - a bundle that is an archive (lib/io only)
 *
 * libarchive writes to an output.  As bundle.h has it, but for memory: *a is
 * the caller's, and empty when opening fails and after the end.
 */
#ifndef PROFUTILS_IO_BUNDLE_ARCHIVE_H
#define PROFUTILS_IO_BUNDLE_ARCHIVE_H

#include "io/bundle.h"
#include "io/la.h"

struct bundle_archive {
    struct la la;
    struct archive *a;
    struct archive_entry *entry;
    struct output *out;
    struct err err; /* what the output said, if it failed */
    bool is_zip;
    bool given_up; /* nothing more is written */
};

bool bundle_archive_open(struct bundle_archive *a,
                         const struct bundle_opts *opts, struct err *err);
bool bundle_archive_add(struct bundle_archive *a, const char *name,
                        int64_t mtime, const void *data, size_t n,
                        struct err *err);
bool bundle_archive_commit(struct bundle_archive *a, struct err *err);
void bundle_archive_abort(struct bundle_archive *a);

#endif
