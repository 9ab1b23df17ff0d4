/*
 * digest.h - a checksum of what a profile says, however it says it
 *
 * The digest is XXH3 of 128 bits (https://github.com/Cyan4973/xxHash, seed 0)
 * of the message that a merge of the profile alone is written as, before it
 * is compressed: of the bytes of `pbmerge -0`.  So it goes by what that form
 * has, which profile/merge.h defines, and is the same on every machine and
 * for any number of threads.  It finds accidents; it is no protection against
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
