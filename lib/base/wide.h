/*
 * wide.h - exact arithmetic beyond 64 bits: sums, products, shares
 *
 * | struct wide    | a sum of 64-bit values that may pass 2^63 and come back |
 * | wide_mul_div() | a product that is divided again                         |
 * | wide_scale()   | the same, signed and rounded                            |
 * | apportion()    | an integer divided in proportion to weights             |
 *
 * The results are the same on machines without a type of 128 bits.
 */
#ifndef PROFUTILS_BASE_WIDE_H
#define PROFUTILS_BASE_WIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct radix_item; /* base/sort.h */

/* hi * 2^64 + lo; room for 2^63 terms.  Zero-initialise. */
struct wide {
    uint64_t lo;
    int64_t hi;
};

/* *sum += v */
static inline void wide_add(struct wide *sum, int64_t v)
{
    uint64_t lo = sum->lo + (uint64_t)v;
    sum->hi += (lo < sum->lo) - (v < 0);
    sum->lo = lo;
}

/* *sum += more */
static inline void wide_add_sum(struct wide *sum, struct wide more)
{
    uint64_t lo = sum->lo + more.lo;
    sum->hi += more.hi + (lo < sum->lo);
    sum->lo = lo;
}

/* Whether the sum is an int64_t; *v is its lower 64 bits in any case. */
static inline bool wide_fits(struct wide sum, int64_t *v)
{
    *v = (int64_t)sum.lo;
    return sum.hi == (*v < 0 ? -1 : 0);
}

#ifdef __SIZEOF_INT128__

__extension__ typedef unsigned __int128 wide_product;

/* a * b: the lower half, and the upper one in *hi. */
static inline uint64_t wide_mul(uint64_t a, uint64_t b, uint64_t *hi)
{
    wide_product product = (wide_product)a * b;
    *hi = (uint64_t)(product >> 64);
    return (uint64_t)product;
}

/* hi * 2^64 + lo divided by div, which is above hi. */
static inline uint64_t wide_div(uint64_t hi, uint64_t lo, uint64_t div,
                                uint64_t *rest)
{
    wide_product n = (wide_product)hi << 64 | lo;
    *rest = (uint64_t)(n % div);
    return (uint64_t)(n / div);
}

#else

static inline uint64_t wide_mul(uint64_t a, uint64_t b, uint64_t *hi)
{
    uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    uint64_t low = al * bl, mid = ah * bl + (low >> 32);
    uint64_t carry = al * bh + (uint32_t)mid;
    *hi = ah * bh + (mid >> 32) + (carry >> 32);
    return carry << 32 | (uint32_t)low;
}

/* By hand, a bit at a time. */
static inline uint64_t wide_div(uint64_t hi, uint64_t lo, uint64_t div,
                                uint64_t *rest)
{
    uint64_t quotient = 0;
    if (!hi) {
        *rest = lo % div;
        return lo / div;
    }
    for (int bit = 63; bit >= 0; bit--) {
        bool over = hi >> 63;
        hi = hi << 1 | (lo >> bit & 1);
        if (over || hi >= div) {
            hi -= div;
            quotient |= (uint64_t)1 << bit;
        }
    }
    *rest = hi;
    return quotient;
}

#endif

/*
 * *quotient = a * b / div, truncated, and *rest the remainder; div is not 0.
 * False, and neither is set, when the quotient does not fit.
 */
static inline bool wide_mul_div(uint64_t a, uint64_t b, uint64_t div,
                                uint64_t *quotient, uint64_t *rest)
{
    uint64_t hi, lo = wide_mul(a, b, &hi);
    if (hi >= div)
        return false;
    *quotient = wide_div(hi, lo, div, rest);
    return true;
}

/*
 * *to = v * num / den, rounded to the nearest integer, halves away from zero;
 * den is not 0.  False, and *to is not set, when that does not fit.
 */
bool wide_scale(int64_t v, int64_t num, int64_t den, int64_t *to);

/*
 * Divides total into share[0 .. n) by largest remainder: each share is the
 * integer part of total * weight / sum of weights; what is left goes, one
 * each, to the largest fractions, the first of equals.  The shares add up to
 * total, and each is less than one off.
 *
 * The sum of the weights must fit 64 bits and not be 0.  spare has room for
 * 2 * n items.
 */
void apportion(uint64_t total, const uint64_t *weight, size_t n,
               uint64_t *share, struct radix_item *spare);

/* total * weight / sum, truncated; weight is at most sum, and sum not 0. */
uint64_t apportion_cut(uint64_t total, uint64_t weight, uint64_t sum);

#endif
