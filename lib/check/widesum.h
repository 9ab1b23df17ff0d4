/*
 * widesum.h - sums of 64-bit values that may be larger than 64 bits
 */
#ifndef PROFUTILS_DOCTOR_WIDESUM_H
#define PROFUTILS_DOCTOR_WIDESUM_H

#include <stdbool.h>
#include <stdint.h>

/* The sum is low + 2^64 * carries.  Zero-initialise. */
struct widesum {
    int64_t low, carries;
};

static inline void widesum_add(struct widesum *s, int64_t v)
{
    if (__builtin_add_overflow(s->low, v, &s->low))
        s->carries += v > 0 ? 1 : -1;
}

/* Whether it is s->low. */
static inline bool widesum_fits(const struct widesum *s)
{
    return !s->carries;
}

#endif
