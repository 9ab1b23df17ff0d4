/*
 * count.h - count profiles of Go's runtime, as text
 *
 * What pprof.Lookup(name).WriteTo(w, 1) writes for goroutine, threadcreate
 * and profiles of a program's own:
 *
 *      goroutine profile: total 3
 *      2 @ 0x43e156 0x406d65 0x46e2c1
 *
 * The one sample type is that name, counted; names that a program gives may
 * have blanks.  That the samples do not add up to the total is a warning.  The
 * period is 1.  All addresses are return addresses.  Comments below a sample
 * have its labels (golabels.h) and the names of its frames (gonames.h). Samples
 * end at a line that begins with "---", behind which a list of mappings may
 * follow (maps.h); Go writes none.
 *
 * As written by Go (runtime/pprof) and read by google/pprof
 * (profile/legacy_profile.go); there is no other description.
 */
#ifndef PROFUTILS_IMPORT_COUNT_H
#define PROFUTILS_IMPORT_COUNT_H

#include "import/gperftools/gperf.h"

/* Both as struct legacy_kind has them (legacy.h). */
bool count_begins(const uint8_t *data, size_t n);
bool count_read(const uint8_t *data, size_t n, const struct gperf_opts *opts,
                struct profile *out, const struct notes *notes,
                struct err *err);

#endif
