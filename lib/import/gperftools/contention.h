/*
 * contention.h - where programs waited for locks, as text
 *
 *      --- contentionz 1 ---
 *      cycles/second = 3201000000
 *      sampling period = 100
 *      ms since reset = 16502830
 *      discarded samples = 0
 *        19490304       27 @ 0xbccc97 0xc61202 0x42ed5f
 *      --- Memory map: ---
 *        00400000-00fcb000: /usr/bin/server
 *
 * A sample has the processor's cycles that were spent waiting, how often, and
 * the stack.  The header is "--- contentionz" or "--- contention" as servers
 * in C++ write it, "--- mutex:" or "--- contention:" of Go's runtime, or
 * "--- Stacks:" of the oldest, whose samples are one contention each and have
 * no number for it.
 *
 * Sample types are contentions/count, times the sampling period, and
 * delay/nanoseconds, which is cycles times the period over cycles per
 * nanosecond, cut to whole numbers as pprof does.  Where the file does not
 * tell cycles/second delays stay what they are, with a warning.  A period of
 * 0, which Go's runtime writes when sampling has ended, counts as 1.
 *
 * Attributes that are not known are left out, with a warning.  Addresses are
 * return addresses, the first one too.  Comments of Go name the frames
 * (gonames.h).
 *
 * There is no published format.  As written by Go (runtime/pprof) and read by
 * google/pprof (profile/legacy_profile.go) and google-pprof.
 */
#ifndef PROFUTILS_IMPORT_CONTENTION_H
#define PROFUTILS_IMPORT_CONTENTION_H

#include "import/gperftools/gperf.h"

/* Both as struct legacy_kind has them (legacy.h). */
bool contention_begins(const uint8_t *data, size_t n);
bool contention_read(const uint8_t *data, size_t n,
                     const struct gperf_opts *opts, struct profile *out,
                     const struct notes *notes, struct err *err);

#endif
