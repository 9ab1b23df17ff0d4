/*
 * digests.h - the list of checksums that pbcat --digest prints
 *
 * As text it is what sha256sum(1) prints, a line "DIGEST  NAME" for each
 * profile, with names on one line as messages have them; as JSON one object,
 * of which man/pbcat.digest.schema.json is the grammar.
 */
#ifndef PROFUTILS_REPORT_DIGESTS_H
#define PROFUTILS_REPORT_DIGESTS_H

#include "base/buf.h"
#include "profile/profile.h"

/* Zero-initialise, but for what is asked for. */
struct digests {
    bool json;
    size_t n;       /* profiles so far */
    struct buf out; /* to be freed by whoever has made it */
};

/*
 * Adds a canonical profile, its samples as order[] has them (null: as they
 * stand).  A note says how many there are, and what they sum up to.
 */
bool digests_add(struct digests *d, const char *name, const struct profile *p,
                 const uint32_t *order, const struct notes *notes,
                 struct err *err);

/* After the last one; d->out is all of it then. */
bool digests_end(struct digests *d, struct err *err);

#endif
