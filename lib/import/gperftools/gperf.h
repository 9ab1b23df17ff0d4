/*
 * gperf.h - CPU profiles of gperftools, as libprofiler writes them
 *
 * A file is words of the writer's pointer size and byte order (a header,
 * records, an end marker), then the list of mappings as text (maps.h):
 *
 *      0, words after this one (3 or more), version, period in
 *      microseconds, 0, ...
 *      count, depth, PC of the leaf, return addresses of its callers ...
 *      0, 1, 0
 *
 * Version 0 is native code; version 1, Java, has lines that name its frames
 * in the place of the mappings (javaloc.h).  Size and order show in the
 * first two words.
 *
 * A process that forks without exec leaves several such profiles in one file,
 * one after the other; they are added up, with a warning: the child has a
 * copy of all samples that were in memory at the fork.  A file that stops
 * early gives what it holds: a record that is cut is left out, and said to be.
 *
 * Samples are samples/count and cpu/nanoseconds (count times period).
 * Callers' addresses are one less than the return address, which puts them
 * inside the call.  A second frame that is the leaf again is taken out.
 *
 * Published: https://gperftools.github.io/gperftools/cpuprofile-fileformat.html
 */
#ifndef PROFUTILS_IMPORT_GPERF_H
#define PROFUTILS_IMPORT_GPERF_H

#include "profile/profile.h"

struct gperf_opts {
    const char *binary; /* what to call the main binary; null: as listed */
    int64_t period;     /* nanoseconds that a sample stands for; 0: as listed */
    /* Take out second frames that (nearly) all records share, twice. */
    bool strip_signal_frames;
    bool zero_ends; /* any record whose leaf is 0 is the end marker */
    bool rewritten; /* what gperf_is_rewritten() says */
    /* Of several profiles in a file: */
    bool first_only;   /* read the first */
    bool no_inherited; /* leave out what the largest has as well */
    /*
     * Tell the samples of threads apart, where the file does, by the labels
     * `thread` (the name, if there is one) and `thread_id` (the number).
     */
    bool threads;
    bool no_symbols; /* no names, though the file has them */
};

/* True when the n bytes begin like a CPU profile, sound or not. */
bool gperf_sniff(const uint8_t *data, size_t n);

/* Whether they begin with a header of which nothing is wrong. */
bool gperf_begins(const uint8_t *data, size_t n);

/*
 * Whether google-pprof's --raw wrote these bytes from its own tables (raw.h).
 * It gives 1 for the period, no end marker and no mappings.  Callers are one
 * less than the return address already; and without opts.period the only
 * sample type is samples/count.
 */
bool gperf_is_rewritten(const uint8_t *data, size_t n);

/*
 * Reads a file into *out, which is initialised here and is safe to
 * prof_free() whatever is returned.  Errors and warnings name the offset
 * in the file; data is not kept.
 */
bool gperf_read(const uint8_t *data, size_t n, const struct gperf_opts *opts,
                struct profile *out, const struct notes *notes,
                struct err *err);

#endif
