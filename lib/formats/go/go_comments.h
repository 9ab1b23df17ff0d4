/*
 * go_comments.h - profiles as text in which comments of Go name frames
 *
 * Below each stack of a profile as text, Go's runtime writes a comment for each
 * of its frames, except those of the runtime at the leaf and runtime.goexit:
 *
 *      #	0x4b4c10	main.grow+0x50		/home/me/main.go:13
 *
 * that is the address (of a call, not its return), function with offset,
 * file and line, with tabs between; inlined functions have one address.
 *
 * As written by Go (printStackRecord() and others of runtime/pprof).
 *
 *      struct go_text g;
 *      bool ok = go_text_begin(&g, in, err) && ...;
 *      return go_text_end(&g, ok, options, expect_maps, err);
 */
#ifndef PROFUTILS_FORMATS_GO_COMMENTS_H
#define PROFUTILS_FORMATS_GO_COMMENTS_H

#include "base/vec.h"
#include "formats/import.h"
#include "formats/textprof.h"

struct go_text {
    struct textprof text;
    VEC(struct go_name) names; /* slices of the input */
};

/* textprof_begin(). */
bool go_text_begin(struct go_text *g, const struct import_input *in,
                   struct prof_err *err);

/* Remembers what the current line, a comment, says if it names a frame. */
bool go_text_comment(struct go_text *g, struct prof_err *err);

/*
 * If everything was read (ok): reads the mappings (textprof_finish()) and,
 * unless options->no_symbols, gives locations the lines that comments name for
 * their addresses, and mappings the has_ flags.  Then textprof_end().
 */
struct profile *go_text_end(struct go_text *g, bool ok,
                            const struct import_options *options,
                            bool expect_maps, struct prof_err *err);

#endif
