/*
 * perf.h - converts recordings of Linux perf (perf.data)
 *
 * These are read:
 *   - files of perf record since Linux 2.6.37, of both byte orders, of 32 and
 *     64 bits; also truncated files, and those of a perf record that was killed
 *   - the same from a pipe (perf record -o -), and compressed (-z)
 *   - directories (perf record --threads)
 *   - the output of perf script
 *
 * Format: tools/perf/Documentation/perf.data-file-format.txt and
 * include/uapi/linux/perf_event.h of Linux.
 *
 * The profile, as perf_to_profile makes it:
 *
 *   sample types  for each event EVENT_sample/count, the number of samples, and
 *                 EVENT_event/UNIT, the sum of their periods, in nanoseconds
 *                 or count; that of the first event is shown by default
 *                 With `latency`, EVENT_latency/UNIT is the sum of periods
 *                 that are each divided by the number of threads that ran at
 *                 that time, and is shown by default.
 *   frames        the addresses of the call chain, leaf first.  Callers are
 *                 return addresses minus 1, which is inside the call.  A
 *                 sample without a call chain has one frame.
 *   mappings      those that samples refer to, with build IDs
 *   comments      perf-version:V, perf-command:C, and what was lost
 *   time          wall clock of the first sample, if it was recorded (perf
 *                 record -k); duration from the first sample to the last
 *
 * perf reads the buffers of all processors in rounds.  To sort records by time,
 * those of two rounds are kept in memory; then each is processed and dropped.
 * So memory grows with the size of two rounds, and with the number of different
 * stacks, locations and mappings.
 */
#ifndef PROFUTILS_FORMATS_PERF_PERF_H
#define PROFUTILS_FORMATS_PERF_PERF_H

#include "base/library.h"
#include "base/vec.h"
#include "formats/import.h"
#include "symbolize/symbol.h"

/* The words of --labels; word i is bit i of perf_opts.labels. */
#define PERF_LABEL_NAMES                                                       \
    "pid|tid|comm|process_comm|cpu|cgroup|event|execution_mode|timestamp_ns|"  \
    "host|parallelism"

/*
 * A part of a recording, both ends included; zeroed: all of it.
 *
 *   kind                from and to
 *   PERF_TIME_CLOCK     nanoseconds of the recording's clock
 *   PERF_TIME_SINCE     nanoseconds since the first sample
 *   PERF_TIME_PERCENT   shares of the time from the first sample to the last,
 *                       in units of 1e-9 percent; perf.data files only
 */
struct perf_time {
    enum {
        PERF_TIME_ALL,
        PERF_TIME_CLOCK,
        PERF_TIME_SINCE,
        PERF_TIME_PERCENT
    } kind;
    uint64_t from, to;
};

/*
 * Parses the value of --time.  PROF_ERR_USAGE if it is not one of
 *
 *   FROM,TO     PERF_TIME_CLOCK    in seconds, with up to nine digits after the
 *   +FROM,+TO   PERF_TIME_SINCE    point; FROM or TO may be missing
 *   FROM%-TO%   PERF_TIME_PERCENT
 */
bool perf_parse_time(struct perf_time *time, const char *text,
                     struct prof_err *err);

/* The numbers first to last. */
struct perf_range {
    int64_t first, last;
};

/* A set of numbers; an empty list means all. */
struct perf_ranges {
    VEC(struct perf_range) list;
};

/* Parses and appends ranges such as "0-3,5", of numbers of at most 31 bits. */
bool perf_add_ranges(struct perf_ranges *ranges, const char *text,
                     struct prof_err *err);

/* Names, not owned; an empty list means all. */
struct perf_names {
    VEC(const char *) list;
};

/* Parses a list of PERF_LABEL_NAMES, such as "pid,tid"; sets their bits. */
bool perf_add_labels(unsigned *labels, const char *text, struct prof_err *err);

struct perf_opts {
    unsigned labels;          /* a bit for each of PERF_LABEL_NAMES */
    struct perf_names events; /* convert only these events */
    struct perf_names comms;  /* only samples of threads with these names */
    struct perf_ranges pids, tids, cpus; /* only samples with these numbers */
    struct perf_time time;               /* only samples of this time */
    uint64_t max_stack; /* frames that stacks keep, from the leaf on; 0: all */
    bool latency;       /* add the sample types EVENT_latency */
    bool flat;          /* keep only the address of each sample, no callers */
    bool each_process;  /* make a profile for each process: perf_sum_next() */
    bool no_symbols;    /* do not look up names of addresses */
    struct sym_opts symbols;        /* how to look them up */
    struct prof_result_opts result; /* for perf_sum_finish() */
};

/* Frees the lists of *opts. */
void perf_opts_free(struct perf_opts *opts);

extern const struct library_about perf_library; /* for --version */
extern const struct input_streams perf_streams; /* all inputs are streams */

/*
 * A sum of recordings.  *opts and *notes must outlive it.
 *
 *   add     PROF_ERR_INPUT leaves the sum unchanged
 *   finish  returns the profile, which the caller owns
 *   next    with each_process, instead of finish, after one input was added:
 *           sets *p to the profile of the next process, which the caller owns,
 *           or to null if there are no more; appends to *name the ending for
 *           the name of its file
 */
struct perf_sum;
struct perf_sum *perf_sum_new(const struct perf_opts *opts,
                              const struct prof_notes *notes,
                              struct prof_err *err);
bool perf_sum_add(struct perf_sum *sum, const struct import_input *in,
                  struct prof_err *err);
struct profile *perf_sum_finish(struct perf_sum *sum, struct prof_err *err);
bool perf_sum_next(struct perf_sum *sum, struct profile **p, struct buf *name,
                   struct prof_err *err);
void perf_sum_free(struct perf_sum *sum); /* null is allowed */

#endif
