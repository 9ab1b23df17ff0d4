/*
 * digests.h - the list of checksums that pbcat --digest prints
 *
 *   text  a line "DIGEST  NAME" for each profile, as sha256sum(1) prints;
 *         control characters in names are escaped
 *   JSON  one object; its schema is man/pbcat.digest.schema.json
 *
 * A digest is the 128-bit XXH3 (https://github.com/Cyan4973/xxHash, seed 0) of
 * the uncompressed message that a merge of this profile alone writes, as
 * `pbmerge -0` does, in 32 hexadecimal digits.  It depends on what that
 * canonical form has (profile.h, "merging"), and is the same on every machine
 * and for any number of threads.  It detects accidents; it does not protect
 * against somebody who wants two profiles to have one digest.
 */
#ifndef PROFUTILS_REPORT_DIGESTS_H
#define PROFUTILS_REPORT_DIGESTS_H

#include "base/buf.h"
#include "profile.h"

/* Zero-initialise all but the first two. */
struct digests {
    bool json;
    unsigned threads;
    size_t n;       /* profiles so far */
    struct buf out; /* the output; the caller frees it */
};

/*
 * Adds the digest of *p, which it makes canonical.  Notes how many samples *p
 * has, and the sums of their values.
 */
bool digests_add(struct digests *d, const char *name, struct profile *p,
                 const struct prof_notes *notes, struct prof_err *err);

/* Completes d->out after the last profile. */
bool digests_end(struct digests *d, struct prof_err *err);

#endif
