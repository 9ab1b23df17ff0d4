/*
 * progress.h - how far work in bulk has come (lib/cli only)
 *
 * A line on a terminal, written over again at most ten times a second from
 * the second second on, and one line of summary in the end:
 *
 *      prof2pb: 4321 profiles, 120 of 480 MB, 61.2 MB/s, 0:06 left
 *      prof2pb: 17210 profiles converted, 3 entries skipped (1 empty), 0
 *      failed: 480 MB in 7.8 s
 *
 * Bytes are those of the input files, compressed as they are.
 */
#ifndef PROFUTILS_CLI_PROGRESS_H
#define PROFUTILS_CLI_PROGRESS_H

#include "cli/cli.h"

struct progress {
    struct cli *cli;
    bool enabled;         /* there is a terminal to show it */
    bool shown;           /* the cursor stands behind a line of ours */
    int64_t began, wrote; /* milliseconds */
    uint64_t done, total; /* bytes of inputs that are behind us, of all; total
                             0: not known */
    size_t converted, skipped, empty;
};

/* *p must stay where it is until progress_end(). */
void progress_begin(struct progress *p, struct cli *cli);

/* After each part; `in` is the input that is being read. */
void progress_step(struct progress *p, const struct input *in);

/* An input is behind us. */
void progress_next_input(struct progress *p, const struct input *in);

/* Takes the line away, for another to be written; null is allowed. */
void progress_hide(struct progress *p);

/*
 * Takes it away for good.  The summary, of `failed` parts, is printed if
 * `bulk` and there is something to say: on a terminal, with -v, or if not all
 * went in; never with -q.
 */
void progress_end(struct progress *p, bool bulk, size_t failed);

#endif
