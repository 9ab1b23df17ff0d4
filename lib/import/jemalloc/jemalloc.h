/*
 * jemalloc.h - heap profiles of jemalloc, as text
 *
 * What jemalloc writes since version 4, sampled like tcmalloc's (heap.h):
 * a rate, the totals of all threads together and one by one, and the same
 * below each stack:
 *
 *      heap_v2/524288
 *        t*: 28106: 56637512 [0: 0]
 *        t3: 352: 16777344 [0: 0] worker 1
 *      @ 0x5f86da8 0x5f5a1dc 0x29e4d4e
 *        t*: 13: 6688 [0: 0]
 *        t3: 12: 6496 [0: 0]
 *
 * and at the end the list of mappings (maps.h).  The sample types are those
 * of heap_row.h, with allocated values if the profile has them (prof_accum),
 * the period is the rate.  Samples are the totals of a stack, or, asked for
 * by thread, those of each thread where the stack has them.  All addresses are
 * return addresses.
 *
 * As written by jemalloc (prof_data.c) and read by jeprof.
 */
#ifndef PROFUTILS_IMPORT_JEMALLOC_H
#define PROFUTILS_IMPORT_JEMALLOC_H

#include "import/gperftools/gperf.h"

/* Both as struct legacy_kind has them (legacy.h). */
bool jemalloc_begins(const uint8_t *data, size_t n);
bool jemalloc_read(const uint8_t *data, size_t n, const struct gperf_opts *opts,
                   struct profile *out, const struct notes *notes,
                   struct err *err);

#endif
