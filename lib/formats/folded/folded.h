/*
 * folded.h - folded stacks, the text that flame graphs are made from
 *
 * A line for each stack: its frames from the root on, with semicolons
 * between, then a blank, and how often the stack was seen:
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
 * addresses, and one sample per line.  Equal stacks are not added here but by a
 * merge.
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
    bool no_counts; /* the whole line is a stack, seen once; n_types <= 1 */

    /*
     * What names end in tells what their frames are (async-profiler, and
     * stackcollapse-perf.pl --all):
     *   _[i]        a line of the location of the frame before, into which
     *               it was inlined (none before it: an ordinary frame)
     *   _[k]        in the mapping [kernel]
     *   _[j] _[1]   in the mapping [jit], compiled at run time
     *   _[0]        in the mapping [interpreter]
     * The ending is then not part of the function's name.  Others are in a
     * mapping without a name, which is the first: what the program is called
     * is not known.
     */
    bool annotations;

    /* The first frame is not one, but a string label with this key. */
    const char *root_label; /* or null */
};

/*
 * Sets the types from "NAME/UNIT,NAME", without a unit count.  To be freed with
 * folded_opts_free().
 */
bool folded_set_types(struct folded_opts *opts, const char *text,
                      struct prof_err *err);
void folded_opts_free(struct folded_opts *opts);

/*
 * Reads a file, as import_read_fn (import.h) does.  An error is PROF_ERR_INPUT
 * where a line has not the values it should have, and where there is no stack
 * at all. A last line without newline may be cut: it is skipped with a warning
 * if it has no values; else the warning only says so.
 */
struct profile *folded_read(const struct import_input *in,
                            const struct folded_opts *opts,
                            struct prof_err *err);

/*
 * Whether an input begins like folded stacks; with no_counts that is also text
 * of no known format whose first line has semicolons.
 */
bool folded_may_begin(const struct import_input *in,
                      const struct folded_opts *opts);

/* Reads a file and adds it to the sum. */
bool folded_sum_add(struct import_sum *sum, const struct import_input *in,
                    const struct folded_opts *opts, struct prof_err *err);

#endif
