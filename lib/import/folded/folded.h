/*
 * folded.h - folded stacks, the text that flame graphs are made from
 *
 * A line for each stack: its frames from the root on, with semicolons
 * between, then a blank, and how often the stack was seen:
 *
 *      java;start_thread;Foo.bar (Foo.java:12);operator new(unsigned long) 42
 *
 * So the stackcollapse programs of https://github.com/brendangregg/FlameGraph
 * write it, inferno, async-profiler ("collapsed"), py-spy, rbspy, and
 * google-pprof --collapsed.  There is no other description of the format than
 * these programs; where they do not say, this is what is read:
 *
 *   line      ends in LF, CR LF or the file.  Blank lines are passed over.
 *             "# text" without semicolons is a comment, and becomes one of the
 *             profile.
 *   values    as many whole numbers as there are sample types, negative ones
 *             too (differences), with blanks (space, tab) between and behind.
 *   stack     what is before the blank in front of the values.  Further blanks
 *             are part of the last frame, as they are for flamegraph.pl.
 *             Nothing, or "<no stack>" (pbcat), is a stack without frames.
 *   frame     any bytes but semicolon and newline, which are its function's
 *             name as they are; nothing (";a;;b 1") is a frame that nothing is
 *             known of.
 *
 * A file begins like folded stacks if lines that are text end in a number and
 * have semicolons in one of them.  (Stacks of one frame each are not told from
 * other lists.)
 *
 * The profile has a function and a location for each distinct name, no
 * addresses, and a sample for each line; equal stacks are for a merge to add
 * up.
 */
#ifndef PROFUTILS_IMPORT_FOLDED_H
#define PROFUTILS_IMPORT_FOLDED_H

#include "base/slice.h"
#include "import/import.h"

/* A sample type: a column of numbers. */
struct folded_type {
    struct slice name, unit;
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
 * Reads a file as import_read_fn (import.h).  An error is ERR_INPUT where a
 * line has not the values it should have, and where there is no stack at all.
 * A last line without newline may be cut: it is left out with a warning if it
 * has no values, else only warned of.
 */
bool folded_read(const struct import_input *in, const struct folded_opts *opts,
                 struct profile *out, struct err *err);

/*
 * With struct folded_opts.  With no_counts, text of no known format whose first
 * line has semicolons begins like folded stacks.
 */
extern const struct converter folded_converter;

#endif
