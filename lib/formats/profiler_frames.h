/*
 * profiler_frames.h - frames that profilers and allocators leave on stacks
 *
 * The leaves of a heap profile are the allocator's own functions, those of a
 * contention profile the lock's, and old CPU profiles begin with a signal
 * handler.
 */
#ifndef PROFUTILS_FORMATS_PROFILER_FRAMES_H
#define PROFUTILS_FORMATS_PROFILER_FRAMES_H

#include "base/err.h"

/*
 * Sets drop_frames, for reports to drop, and keep_frames, which stay in spite
 * of that, by the sample types of *p:
 *
 *      objects and space (inuse_, alloc_ or both)   the allocator's
 *      contentions and delay                        the lock's
 *      others                                       the signal handler's
 *
 * The names are those that google/pprof has (profile/legacy_profile.go), and
 * those of newer allocators and C++ libraries.
 */
bool profiler_frames_name(struct profile *p, struct prof_err *err);

/*
 * The next two are for profiles just read: samples are records and locations
 * are addresses, each address once, callers one less than their return address.
 */

/*
 * Where the second frame is the leaf again, which the unwinder found as if
 * it were a return address, takes the second out.  Returns how often.
 */
size_t profiler_frames_drop_repeated(struct profile *p);

/*
 * Where all samples (but one in 32) have the same second frame, takes it out
 * of them; does so twice at most.  This is pprof's guess at the frames of a
 * signal handler, and costs a program its callers where all its samples come
 * by one path.  *n is how many frames it took.
 */
bool profiler_frames_strip(struct profile *p, size_t *n, struct prof_err *err);

#endif
