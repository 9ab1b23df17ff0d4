/*
 * unnamed.h - what a profile lacks for want of symbols (lib/symbol only)
 *
 * Collects the addresses that got no name, by file and reason, and reports
 * each file by its share of the samples: a file with 1 % or more is a
 * warning, any other is a note.  The share is taken of the absolute values of
 * the default sample type, or of the number of samples if these are all 0.
 *
 * A sample counts for a file that was read if the file lacks the name of its
 * leaf, or of at least half of its frames: the startup code of a C library,
 * which is at the end of every stack, is not worth a warning.  It counts for
 * a file that was not read if it has any frame there.
 */
#ifndef PROFUTILS_SYMBOL_UNNAMED_H
#define PROFUTILS_SYMBOL_UNNAMED_H

#include "base/vec.h"
#include "profile/profile.h"

struct unnamed_file {
    const char *name; /* "": the addresses are in no file */
    const char *why;  /* no names, in words */
    const char *hint; /* what to do about it; static, "": nothing */
    bool was_read;    /* its other addresses may have names */
    bool is_quiet;    /* nobody can name these: never a warning */

    uint32_t number; /* that it was added as; 0: it was not */
    size_t n_addresses;
    double share;  /* of the samples, 0 to 1 */
    size_t frames; /* of the sample being counted */
};

struct sym_unnamed {
    VEC(struct unnamed_file) files;
    uint32_t *file_of; /* of each location: number or 0 */
    size_t n_locations;
};

void sym_unnamed_free(struct sym_unnamed *u);

/*
 * The location has no name for the reason that *file has, which is added the
 * first time; name and why are copied.  After 1000 files all others are
 * counted as one.
 */
bool sym_unnamed_add(struct sym_unnamed *u, const struct profile *p,
                     struct unnamed_file *file, size_t location,
                     struct err *err);

void sym_unnamed_report(struct sym_unnamed *u, const struct profile *p,
                        const struct notes *notes);

#endif
