/*
 * digest.h - a checksum of what a profile says, however it is stored
 *
 * The digest is the 128-bit XXH3 (https://github.com/Cyan4973/xxHash, seed 0)
 * of the uncompressed message that a merge of this profile alone writes, as
 * `pbmerge -0` does.  It depends on what that canonical form has
 * (profile/merge/merge.h), and is the same on every machine and for any
 * number of threads.  It detects accidents; it does not protect against
 * somebody who wants two profiles to have one digest.
 */
#ifndef PROFUTILS_PB_DIGEST_H
#define PROFUTILS_PB_DIGEST_H

#include "profile/profile.h"

/* 32 hexadecimal digits, the most significant first, and a NUL. */
enum { PB_DIGEST_TEXT = 33 };

/* The digest of a canonical profile.  Holds one encoded piece at a time. */
bool pb_digest(const struct profile *p, char text[PB_DIGEST_TEXT],
               struct err *err);

#endif
