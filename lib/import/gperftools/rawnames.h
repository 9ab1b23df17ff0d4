/*
 * rawnames.h - the list of names of a symbolized profile
 *
 * Private to raw*.c (raw.h has an example).  A line names an address with the
 * functions that are there, the one that was called first and what is inlined
 * in it behind "--".  google-pprof puts the address at which a function begins
 * behind its name, "<0000000000401136>", which is no part of it.
 *
 * C++ has names that hold "--" themselves: those of operator--, and those
 * with expressions in brackets.  Neither is taken for a mark between names.
 */
#ifndef PROFUTILS_IMPORT_RAWNAMES_H
#define PROFUTILS_IMPORT_RAWNAMES_H

#include "base/slice.h"
#include "base/vec.h"
#include "import/textprof.h"
#include "profile/profile.h"

struct rawname {
    uint64_t address;
    struct slice text; /* in the file, not copied */
};

/* Zero-initialise. */
struct rawnames {
    VEC(struct rawname) list; /* by address; each address once */
    struct slice binary;      /* what binary= says, or empty */
};

void rawnames_free(struct rawnames *names);

/*
 * Reads the lines from *t, which is at the header of the list, to the one
 * that ends it.  An address that is named again has its last name.  A note
 * tells of lines that are no names; that the end is missing is an error.
 */
bool rawnames_read(struct rawnames *names, struct textprof *t,
                   const struct notes *notes, struct err *err);

/* Which addresses of a profile the names are for. */
enum rawnames_match {
    RAWNAMES_EXACT,   /* those of its locations */
    RAWNAMES_CALLERS, /* callers' may be return addresses, one more */
    RAWNAMES_ALL,     /* all addresses may be such */
};

/*
 * Gives the locations of *p that have no lines those that the list says, and
 * marks their mappings.  A name that is an address or "??" is none.  Notes
 * say how many are left without.
 */
bool rawnames_apply(const struct rawnames *names, enum rawnames_match match,
                    struct profile *p, const struct notes *notes,
                    struct err *err);

/*
 * The name in front of *text, without its address; *text moves behind the
 * mark that follows it, or becomes empty.  *n_open, 0 at first, counts names
 * with brackets that stay open to the end of the text; behind 16 of them
 * brackets are not looked at any more.
 */
struct slice rawnames_take(struct slice *text, unsigned *n_open);

#endif
