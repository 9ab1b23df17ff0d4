/*
 * raw.h - symbolized profiles, as `pprof --raw` of gperftools writes them
 *
 * A list of names for the addresses of a profile, and then the profile:
 *
 *      --- symbol
 *      binary=/usr/bin/app
 *      0x0000000000401156 main<0000000000401136>--outer--inner
 *      0x00000000004011a0 leaf(int)
 *      ---
 *      --- profile
 *      (the bytes of a CPU profile, or the text of another kind)
 *
 * After the last "---" is the kind: `profile`, which old writers put before
 * any kind, or for jeprof `heap`, `growth` and `contention`.  Lines that begin
 * with "%" may stand before either header.  See rawnames.h for the names.
 *
 * There are two kinds of such files.  What was fetched from a program follows
 * as that program sent it.  A local CPU profile was written again: its period
 * is lost, its callers' addresses are one less than the return address
 * already, and it has no mappings (gperf_is_rewritten()).
 *
 * Locations have the functions that the list gives them, unless
 * opts.no_symbols; none where it has no name, and no files or lines.  The main
 * binary is called as in `binary=` where no list of mappings says otherwise.
 *
 * The only description is google-pprof itself, and jemalloc's jeprof.
 */
#ifndef PROFUTILS_IMPORT_RAW_H
#define PROFUTILS_IMPORT_RAW_H

#include "import/gperftools/gperf.h"

/* Both as struct legacy_kind has them (legacy.h). */
bool raw_begins(const uint8_t *data, size_t n);
bool raw_read(const uint8_t *data, size_t n, const struct gperf_opts *opts,
              struct profile *out, const struct notes *notes, struct err *err);

#endif
