/*
 * unsample.h - what sampled allocations stand for
 *
 * An allocator that samples one byte in `rate` on average has an allocation
 * of s bytes in its profile with probability 1 - exp(-s/rate).  So n objects
 * of b bytes in all stand for n and b divided by that, with s = b/n; what
 * comes of it is cut to whole numbers.
 *
 * Results are those of pprof to the last digit, which for large ones takes
 * exp() to the last bit.  (pprof's own differs between processors; what is
 * computed here, everywhere alike, is its result on x86-64 with FMA.)
 */
#ifndef PROFUTILS_IMPORT_UNSAMPLE_H
#define PROFUTILS_IMPORT_UNSAMPLE_H

#include <stdbool.h>
#include <stdint.h>

/* Objects, and the bytes that they have together. */
struct allocated {
    int64_t objects, bytes;
};

/*
 * By the rule above; nothing changes where rate is 1 or less, which means
 * that all allocations are there.  No objects, or no bytes, stand for
 * nothing.  False when a result has more than 64 bits; *a is then as it was.
 */
bool unsample(struct allocated *a, int64_t rate);

/*
 * By the rule of the first such profiles: allocations of less than `interval`
 * bytes, the mean distance of two samples, stand for that much each.
 */
bool unsample_v1(struct allocated *a, double interval);

#endif
