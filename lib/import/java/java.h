/*
 * java.h - heap and contention profiles of Java agents, as text
 *
 *      --- heapz 1 ---
 *      format = java
 *      resolution = bytes
 *              7048     1 @ 0x00000003 0x00000004
 *              4752     9 @ 0x0000002b 0x00000004
 *
 *       0x00000003 com.example.Cache.put (Cache.java:103)
 *
 * Samples have bytes and objects, or, under "--- contentionz 1 ---", delay
 * and contentions; then the numbers of the frames, leaf first, to which lines
 * after the samples give names (javaloc.h).  One byte in 524288 is sampled of
 * a heap, see unsample.h; contentions and delay are multiplied by the
 * "sampling period", if the file has one.
 *
 * Sample types are inuse_objects/count and inuse_space, or contentions/count
 * and delay, with the resolution as unit of the latter.  Samples of a heap
 * have a numeric label "bytes", the mean size of their objects.
 *
 * CPU profiles of Java are binary, see gperf.h.  As google/pprof reads it
 * (profile/legacy_java_profile.go), which is the only description there is.
 */
#ifndef PROFUTILS_IMPORT_JAVA_H
#define PROFUTILS_IMPORT_JAVA_H

#include "import/gperftools/gperf.h"

/*
 * Both as struct legacy_kind has them (legacy.h).  A contention profile is
 * Java's if it has an attribute `format` or `resolution`.
 */
bool java_begins(const uint8_t *data, size_t n);
bool java_read(const uint8_t *data, size_t n, const struct gperf_opts *opts,
               struct profile *out, const struct notes *notes, struct err *err);

#endif
