/*
 * fd.h - writing to file descriptors (lib/io only)
 */
#ifndef PROFUTILS_IO_FD_H
#define PROFUTILS_IO_FD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* All n bytes, also where the descriptor does not block. */
bool fd_write(int fd, const void *bytes, size_t n, struct err *err);

/*
 * Has the system begin to put n bytes of a file on its disk, where that can
 * be asked for, so that there is less to wait for when it is synced.
 */
void fd_start_sync(int fd, uint64_t from, uint64_t n);

/* What a failed write or close means; false. */
bool fd_write_failed(int errnum, struct err *err);

/* Whether *err is from EPIPE. */
bool fd_is_epipe(const struct err *err);

#endif
