/*
 * unxz.h - xz data in memory
 */
#ifndef PROFUTILS_IO_UNXZ_H
#define PROFUTILS_IO_UNXZ_H

#include <stddef.h>

#include "base/buf.h"

/*
 * Appends what the n bytes hold to *out.  Data that is damaged, or followed by
 * something else, or holds more than max bytes is ERR_INPUT; ERR_SYSTEM if
 * memory is out or there is no libarchive.
 */
bool unxz(const void *data, size_t n, size_t max, struct buf *out,
          struct err *err);

#endif
