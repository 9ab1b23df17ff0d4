/*
 * perf.h - recordings of Linux perf (perf.data)
 *
 * Read: files of perf record since Linux 2.6.37, in both byte orders and of 32
 * and 64 bits; the same from a pipe (perf record -o -); compressed (-z);
 * directories (perf record --threads); truncated ones, and those of a perf
 * record that was killed; the output of perf script.  Format:
 * tools/perf/Documentation/perf.data-file-format.txt and
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
 * Records are handled as they are read, after those of two rounds are sorted by
 * time (in a round, perf reads all buffers).  Memory grows with the number of
 * different stacks, locations and mappings, and with the size of two rounds.
 */
#ifndef PROFUTILS_FORMATS_PERF_PERF_H
#define PROFUTILS_FORMATS_PERF_PERF_H

#include "base/library.h"
#include "base/vec.h"
#include "formats/import.h"
#include "symbolize/symbol.h"

/* Bits of perf_opts.labels. */
#define PERF_LABEL_NAMES                                                       \
    "pid|tid|comm|process_comm|cpu|cgroup|event|execution_mode|timestamp_ns|"  \
    "host|parallelism"

/*
 * A part of a recording; zeroed: all of it.  Both ends belong to it.
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
 * Parses "FROM,TO" with either missing, "+FROM,+TO" likewise, all in seconds
 * with up to nine digits after the point, or "FROM%-TO%".
 */
bool perf_parse_time(struct perf_time *time, const char *text,
                     struct prof_err *err);

/* Numbers from first to last; an empty list means all. */
struct perf_range {
    int64_t first, last;
};
struct perf_ranges {
    VEC(struct perf_range) list;
};

/* Appends "0-3,5", numbers of at most 31 bits. */
bool perf_add_ranges(struct perf_ranges *ranges, const char *text,
                     struct prof_err *err);

/* Names, not owned; an empty list means all. */
struct perf_names {
    VEC(const char *) list;
};

/* Adds the bits of "pid,tid", names of PERF_LABEL_NAMES. */
bool perf_add_labels(unsigned *labels, const char *text, struct prof_err *err);

struct perf_opts {
    unsigned labels;          /* a bit for each of PERF_LABEL_NAMES */
    struct perf_names events; /* only these */
    struct perf_names comms;  /* only threads with these names */
    struct perf_ranges pids, tids, cpus; /* only these */
    struct perf_time time;               /* only samples of this time */
    uint64_t max_stack; /* frames that stacks keep, from the leaf on; 0: all */
    bool latency;       /* has a type EVENT_latency */
    bool flat;          /* no callers: the address of each sample only */
    bool each_process;  /* a profile for each process, with --each */
    bool no_symbols;
    struct sym_opts symbols;
    struct prof_result_opts result; /* how perf_sum_finish() makes it */
};

/* Frees the lists. */
void perf_opts_free(struct perf_opts *opts);

extern const struct library_about perf_library; /* for --version */
extern const struct input_streams perf_streams; /* all inputs are streams */

/*
 * A sum of recordings.  *opts and *notes outlive it.
 *
 *   add     PROF_ERR_INPUT leaves the sum unchanged
 *   finish  returns the profile, which the caller owns
 *   next    in place of finish with each_process, for one input: *p is the
 *           profile of the next process, which the caller owns, null if there
 *           are no more; appends to *name what the name of its file ends in
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
