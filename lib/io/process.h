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
 * Lines that several runs of one program wrote to standard error.  Each
 * distinct line becomes a note once, at most RUN_REMARKS lines altogether.
 * Zero-initialise.
 */
enum { RUN_REMARKS = 5 };
struct run_remarks {
    const char *name; /* of the program */
    const struct prof_notes *notes;
    VEC(char *) lines; /* noted so far; owned */
    size_t more;       /* number of lines beyond the limit */
};

/* Notes how many lines exceeded the limit, and frees *remarks. */
void run_remarks_end(struct run_remarks *remarks);

struct run {
    const char *const *argv; /* ends with null; [0] is the program */
    const void *in;          /* n_in bytes that it reads from standard input */
    size_t n_in;             /* 0: its standard input is /dev/null */
    size_t max_out;          /* limit: bytes of output; more is an error */
    unsigned silence;        /* seconds; 0: no limit */
    /* Receives the standard error of a program that succeeds; or null. */
    const struct prof_notes *notes;
    /* Lines of earlier runs, which are not repeated; null: there are none. */
    struct run_remarks *remarks;
};

/*
 * Runs the program, and appends its standard output to *out; if `out` is null,
 * the output is discarded and not limited.  An exit status other than 0 and
 * death by a signal are errors; the message includes what the program wrote to
 * standard error.  All failures are PROF_ERR_SYSTEM, name the program, and
 * leave *out unchanged.
 */
bool run(const struct run *job, struct buf *out, struct prof_err *err);

/*
 * Called in a new process: from now on, the system kills it when its parent
 * ends.  False if the parent has ended already.
 */
bool spawn_die_with(pid_t parent);

#endif
