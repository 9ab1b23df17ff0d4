/*
 * dropframes.h - functions of profilers and allocators, for reports to drop
 *
 * The leaves of a heap profile are the allocator's own functions, those of a
 * contention profile the lock's, and old CPU profiles begin with a signal
 * handler.  pprof names them in drop_frames (and what is to stay in spite of
 * that in keep_frames) of every profile that it converts.
 *
 * The names are those that google/pprof knows (profile/legacy_profile.go), and
 * those of newer allocators and C++ libraries.
 */
#ifndef PROFUTILS_IMPORT_DROPFRAMES_H
#define PROFUTILS_IMPORT_DROPFRAMES_H

#include "profile/profile.h"

/*
 * Sets drop_frames and keep_frames of *p by its sample types: the allocator's
 * for objects and space (inuse_, alloc_ or both), the lock's for contentions
 * and delay, and the signal handler's for all others.
 */
bool dropframes_set(struct profile *p, struct err *err);

#endif
