/*
 * bundle_dir.h - a bundle that is a directory (lib/io only)
 *
 * As bundle.h has it, but for memory: *d is the caller's.
 */
#ifndef PROFUTILS_IO_BUNDLE_DIR_H
#define PROFUTILS_IO_BUNDLE_DIR_H

#include "io/bundle.h"

struct bundle_dir {
    struct output_opts opts;
    int root;       /* the directory, made with the first file */
    int fd;         /* the one that the last file went to, or -1 */
    struct buf sub; /* its path below root, with '/' at the end if not "" */
};

bool bundle_dir_open(struct bundle_dir *d, const struct bundle_opts *opts,
                     struct err *err);
bool bundle_dir_add(struct bundle_dir *d, const char *name, const void *data,
                    size_t n, struct err *err);
bool bundle_dir_commit(struct bundle_dir *d, struct err *err);
void bundle_dir_close(struct bundle_dir *d);

#endif
