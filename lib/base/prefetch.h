/*
 * prefetch.h - for functions that prefetch into the processor's cache
 *
 * gcc finds that a function that only prefetches has no effect, and removes
 * calls of it, also between files with -flto.  So such a function is
 *
 *      ALWAYS_INLINE static inline void prefetch_it(...)
 *
 * in the file, or the header, that needs it.
 */
#ifndef PROFUTILS_BASE_PREFETCH_H
#define PROFUTILS_BASE_PREFETCH_H

#define ALWAYS_INLINE __attribute__((always_inline))

enum { CACHE_LINE = 64 }; /* bytes that one prefetch reads */

#endif
