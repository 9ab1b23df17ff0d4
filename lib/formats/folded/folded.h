/*
 * folded.h - folded stacks, the text that flame graphs are made from
 *
 * Each line is a stack: its frames from the root on, separated by semicolons,
 * then a blank, and how often the stack was seen:
 *
 *      java;start_thread;Foo.bar (Foo.java:12);operator new(unsigned long) 42
 *
 * Written by the stackcollapse programs of
 * https://github.com/brendangregg/FlameGraph, inferno, async-profiler
 * ("collapsed"), py-spy, rbspy and google-pprof --collapsed.  These programs
 * are the only specification of the format.  This is what is read:
 *
 *   line      ends with LF, CR LF or the end of the file.  Blank lines are
 *             skipped.  "# text" without semicolons becomes a comment of the
 *             profile.
 *   values    one integer per sample type, which may be negative (differences),
 *             separated and followed by blanks (spaces or tabs).
 *   stack     the text before the blank that precedes the values.  Other blanks
 *             are part of the last frame, as for flamegraph.pl.  An empty text,
 *             or "<no stack>" (pbcat), is a stack without frames.
 *   frame     any bytes except semicolon and newline: the name of a function.
 *             An empty name (";a;;b 1") is an unknown function.
 *
 * A file is detected as folded stacks if its first lines are text, each ends in
 * a number, and one has a semicolon.  Stacks of one frame each look like other
 * lists and are not detected.
 *
 * The profile has one function and one location for each distinct name, no
 * addresses, and one sample per line.  A merge adds equal stacks later.
 */
#ifndef PROFUTILS_FORMATS_FOLDED_H
#define PROFUTILS_FORMATS_FOLDED_H

#include "base/slice.h"
#include "formats/import.h"

/* A sample type: a column of numbers. */
struct folded_type {
    struct prof_slice name, unit;
};

struct folded_opts {
    const struct folded_type *types; /* n_types 0: samples/count */
    size_t n_types;
    bool no_counts; /* a line is only a stack, seen once; n_types <= 1 */

    /*
     * Read annotations, which are suffixes of names that async-profiler and
     * stackcollapse-perf.pl --all write.  They are removed from the names.
     *   _[i]        inlined: becomes a line of the location of the caller, the
     *               frame before it (if there is none, an ordinary frame)
     *   _[k]        of the kernel: in the mapping [kernel]
     *   _[j] _[1]   compiled at run time: in the mapping [jit]
     *   _[0]        interpreted: in the mapping [interpreter]
     * Frames without one are in the first mapping, which has no name, because
     * the name of the program is unknown.
     */
    bool annotations;

    /* If not null, the first name of a line is not a frame but the value of a
     * label with this key. */
    const char *root_label;
};

/*
 * Sets opts->types from a list such as "NAME/UNIT,NAME"; a missing unit is
 * "count".  The names point into text.  The caller frees the types with
 * folded_opts_free().
 */
bool folded_set_types(struct folded_opts *opts, const char *text,
                      struct prof_err *err);
void folded_opts_free(struct folded_opts *opts);

/*
 * Reads a file, as import_read_fn (import.h) does.  PROF_ERR_INPUT if a line
 * lacks values, or if the file has no stacks.  A last line without newline may
 * be truncated, which is noted: without values it is skipped, else it is kept.
 */
struct profile *folded_read(const struct import_input *in,
                            const struct folded_opts *opts,
                            struct prof_err *err);

/*
 * Whether an input begins like folded stacks.  With no_counts, also true for
 * text of an unknown format whose first line has semicolons.
 */
bool folded_may_begin(const struct import_input *in,
                      const struct folded_opts *opts);

#endif
