/*
 * frames.h - taking out what a profiler's signal handler left on stacks
 *
 * For profiles just read: samples are records and locations are addresses,
 * each address once, callers one less than their return address.
 */
#ifndef PROFUTILS_IMPORT_FRAMES_H
#define PROFUTILS_IMPORT_FRAMES_H

#include "profile/profile.h"

/*
 * Where the second frame is the leaf again, which the unwinder found as if
 * it were a return address, takes the second out.  Gives how often.
 */
size_t frames_drop_repeated_leaf(struct profile *p);

/*
 * Where all samples (but one in 32) have the same second frame, takes it out
 * of them; does so twice at most.  This is pprof's guess at the frames of a
 * signal handler, and costs a program its callers where all its samples come
 * by one path.  *n is how many frames it took.
 */
bool frames_strip_signal(struct profile *p, size_t *n, struct err *err);

#endif
