/*
 * heap.h - heap profiles of gperftools, tcmalloc and Go, as text
 *
 * The header has the totals of the profile, its kind, and perhaps a rate:
 *
 *      heap profile:     3:   280 [     7:   664] @ heap_v2/524288
 *           2:      256 [     5:      640] @ 0x401136 0x401150 0x7f0012
 *           1:       24 [     2:       24] @ 0x401188 0x401150 0x7f0012
 *
 * Samples have objects and bytes in use, the same of all that was allocated,
 * and the stack of the allocation; then comes the list of mappings (maps.h).
 * What the numbers stand for depends on the kind:
 *
 *      heapprofile               what they say (the heap profiler)
 *      growth, growthz           the same, of memory from the system
 *      fragmentation(z)          the same, of memory that cannot be used
 *      heap_v2/R, heapz_v2/R     1 byte in R was sampled; all if there is no R
 *      heap/2R                   the same (Go's runtime)
 *      others with "heap", "_v2" the same, but without R 128 KiB
 *      others with "heap"        unsample_v1() by R/2, or 128 KiB without R
 *      none                      unsample_v1() by 128 KiB where totals in use
 *                                are those allocated, else what they say
 *
 * The last three are google-pprof's rules, for headers that pprof does not
 * know.
 *
 * The sample types are those of heap_row.h.  Whether they have allocated values
 * is a property of the kind, so that profiles of one kind can be added up:
 *
 *      heapprofile, heap         always: their producers count allocations
 *      growth, fragmentation     never
 *      others, and none          if the header declares them, with totals that
 *                                are neither those in use nor 0
 *
 * Each sample has a numeric label "bytes", the mean size of its objects in use,
 * or else of those allocated.  Addresses are return addresses, the first one
 * too.  Comments of Go name the frames (gonames.h).
 *
 * There is no published format.  As written by gperftools
 * (heap-profile-table.cc, malloc_extension.cc) and Go (runtime/pprof), and
 * read by google/pprof (profile/legacy_profile.go) and google-pprof.
 */
#ifndef PROFUTILS_IMPORT_HEAP_H
#define PROFUTILS_IMPORT_HEAP_H

#include "import/gperftools/gperf.h"

/* Both as struct legacy_kind has them (legacy.h). */
bool heap_begins(const uint8_t *data, size_t n);
bool heap_read(const uint8_t *data, size_t n, const struct gperf_opts *opts,
               struct profile *out, const struct notes *notes, struct err *err);

#endif
