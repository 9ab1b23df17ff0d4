/*
 * gonames.h - the names of frames that Go writes as comments
 *
 * Below each stack of a profile as text, Go's runtime has a line for each of
 * its frames, but for those of the runtime at the leaf and runtime.goexit:
 *
 *      #	0x4b4c10	main.grow+0x50		/home/me/main.go:13
 *
 * that is the address (of a call, not its return), function with offset,
 * file and line, with tabs between; inlined functions have one address.
 *
 * As written by Go (printStackRecord() of runtime/pprof).
 */
#ifndef PROFUTILS_IMPORT_GONAMES_H
#define PROFUTILS_IMPORT_GONAMES_H

#include "base/slice.h"
#include "base/vec.h"
#include "profile/profile.h"

/* Zero-initialise.  Lines are slices of the text, which has to stay. */
struct gonames {
    VEC(struct goname) v;
};

/* Remembers what the comment says, if it names a frame. */
bool gonames_line(struct gonames *names, struct slice comment, struct err *err);

/*
 * Gives the locations of *p, which have no lines, those that comments say for
 * their addresses, and their mappings the has_ flags.
 */
bool gonames_apply(struct gonames *names, struct profile *p, struct err *err);

void gonames_free(struct gonames *names);

#endif
