/*
 * outname.h - names of outputs, made of names of inputs
 *
 * A name that an archive gives is somebody else's: one that would lead out of
 * where it is to go is refused.  A name on the command line is the user's
 * own, and loses what leads out of there, as with tar(1).
 *
 * What comes out is relative, its elements separated by single slashes, none
 * of them "", "." or "..".
 */
#ifndef PROFUTILS_IO_OUTNAME_H
#define PROFUTILS_IO_OUTNAME_H

#include "base/buf.h"

/* Appends the name for an entry; ERR_INPUT says what is wrong with it. */
bool outname_of_entry(struct buf *to, const char *entry, struct err *err);

/*
 * Appends the name for an operand.  *stripped are the bytes at its beginning
 * that were taken off: "/" or "../" and what is before the last of those.
 */
bool outname_of_path(struct buf *to, const char *path, size_t *stripped,
                     struct err *err);

#endif
