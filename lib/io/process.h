/*
 * process.h - runs another program with input and output in memory
 *
 * The arguments are an array, so no shell interprets them.  The program is
 * searched in PATH unless its name contains a slash:
 *
 *      const char *argv[] = {"dot", "-Tps", NULL};
 *      struct run job = {.argv = argv, .in = text, .n_in = n, .max_out = max};
 *      ok = run(&job, &out, &err);
 *
 * A file name can look like an option: put it after "--" if the program
 * supports that, or pass it as "./-name".
 *
 * When run() returns, the program has ended.  It inherits
 *
 *   - standard input, output and error, and the file descriptors that this
 *     process was started with (an argument can be /dev/fd/3), but no other
 *   - the signal mask of the caller
 *   - the environment without DEBUGINFOD_URLS, so that it does not use the
 *     network
 *
 * A program need not read all its input: only its exit status decides whether
 * it failed.  If it neither reads nor prints anything for `silence` seconds, it
 * is killed.  RUN_TIMEOUT in the environment overrides this limit; 0: no limit.
 */
#ifndef PROFUTILS_IO_PROCESS_H
#define PROFUTILS_IO_PROCESS_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/vec.h"

#define RUN_TIMEOUT "PROFUTILS_PROGRAM_TIMEOUT"

/*
 * What several runs of one program said on standard error: each line is passed
 * on once, and RUN_REMARKS lines at most.  Zero-initialise.
 */
enum { RUN_REMARKS = 5 };
struct run_remarks {
    const char *name; /* of the program */
    const struct prof_notes *notes;
    VEC(char *) lines;
    size_t more; /* lines that were not passed on */
};

/* Says how many lines there were besides, and frees. */
void run_remarks_end(struct run_remarks *remarks);

struct run {
    const char *const *argv; /* ends with null; [0] is the program */
    const void *in;          /* for its standard input: n_in bytes; .. */
    size_t n_in;             /* .. 0: that is /dev/null */
    size_t max_out;          /* bytes of output at most; more is an error */
    unsigned silence;        /* seconds; 0: no limit */
    /* Gets what a program that succeeds writes to standard error, line by line;
     * or null. */
    const struct prof_notes *notes;
    /* What was said before; null: this run is the only one. */
    struct run_remarks *remarks;
};

/*
 * Appends what the program prints to *out, which may be null: then it is
 * thrown away, whatever there is.  Any exit status but 0 is an error, and so
 * is death by a signal; the message has what the program itself said.  All
 * failures are PROF_ERR_SYSTEM, name the program, and leave *out as it was.
 */
bool run(const struct run *job, struct buf *out, struct prof_err *err);

/*
 * In a new process: from now on it is killed when its parent ends.  False when
 * that has ended already.
 */
bool spawn_die_with(pid_t parent);

#endif
