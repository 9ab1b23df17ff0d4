/*
 * go_comments.h - reads names of frames from comments in text profiles of Go
 *
 * Go's runtime can write profiles as text.  Below each stack it then writes a
 * comment for each frame, except runtime.goexit and the frames of the runtime
 * at the leaf:
 *
 *      #	0x4b4c10	main.grow+0x50		/home/me/main.go:13
 *
 * The fields, separated by tabs, are the address (of the call, not the return
 * address), the function with the offset in it, and file and line.  Functions
 * inlined into each other have the same address.
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
    bool is_heap;              /* leaf frames without a name allocate */
};

/* Calls textprof_begin() for the bytes of the input. */
bool go_text_begin(struct go_text *g, const struct import_input *in,
                   struct prof_err *err);

/* Stores the name, file and line of the current line, a comment, if it names a
 * frame. */
bool go_text_comment(struct go_text *g, struct prof_err *err);

/*
 * If ok, reads the mappings (textprof_finish()) and, unless
 * options->no_symbols, sets the lines of locations to those that comments have
 * for their addresses, and the has_ flags of mappings.  Then returns
 * textprof_end().
 */
struct profile *go_text_end(struct go_text *g, bool ok,
                            const struct import_options *options,
                            bool expect_maps, struct prof_err *err);

#endif
