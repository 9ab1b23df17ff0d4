/*
 * profiler_frames.h - removes frames of the profiler itself
 *
 * In a heap profile, the leaves of stacks are functions of the allocator, in a
 * contention profile those of the lock, and in old CPU profiles those of the
 * signal handler that takes the samples.
 */
#ifndef PROFUTILS_FORMATS_PROFILER_FRAMES_H
#define PROFUTILS_FORMATS_PROFILER_FRAMES_H

#include "base/err.h"

/*
 * Sets drop_frames, which reports remove from stacks, and keep_frames, which
 * are exceptions from them.  Their functions depend on the sample types of *p:
 *
 *      objects and space (inuse_, alloc_ or both)   the allocator's
 *      contentions and delay                        the lock's
 *      others                                       the signal handler's
 *
 * The names are those of google/pprof (profile/legacy_profile.go), and those of
 * newer allocators and C++ libraries.
 */
bool profiler_frames_name(struct profile *p, struct prof_err *err);

/*
 * The next two functions expect a profile as it was read: each sample is a
 * record of the file, each location a distinct address, and the address of a
 * caller is its return address minus 1.
 */

/*
 * Removes the second frame of each sample in which it is the leaf once more:
 * the unwinder has reported the leaf as a return address, too.  Returns the
 * number of samples that were changed.
 */
size_t profiler_frames_drop_repeated(struct profile *p);

/*
 * Removes the second frame of all samples if it is the same in all but at most
 * one sample in 32; does so up to twice.  This is how pprof guesses the frames
 * of a signal handler.  If all samples of a program are in one function, it
 * removes real callers.  Sets *n to the number of frames that were removed.
 */
bool profiler_frames_strip(struct profile *p, size_t *n, struct prof_err *err);

#endif
