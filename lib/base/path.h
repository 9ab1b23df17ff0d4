/*
 * path.h - file names as text
 *
 * Profiles carry file names of other machines; nothing here looks at a file
 * system.  Both functions follow Go's path/filepath on Unix, whose results
 * pprof prints (https://pkg.go.dev/path/filepath#Clean and #Base).
 */
#ifndef PROFUTILS_BASE_PATH_H
#define PROFUTILS_BASE_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/*
 * Appends the shortest name equivalent to path[0 .. n): no doubled slashes,
 * no "." elements, ".." taken with the element before it.  An empty path
 * gives ".".  False when memory is out.
 */
bool path_clean(struct buf *to, const char *path, size_t n);

/*
 * The last element of path[0 .. n) without slashes behind it: a pointer into
 * path, its length in *len.  "/" for a path of slashes only, "." for an
 * empty one (static strings).
 */
const char *path_base(const char *path, size_t n, size_t *len);

#endif
