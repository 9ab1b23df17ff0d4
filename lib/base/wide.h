/*
 * wide.h - exact arithmetic whose intermediate results exceed 64 bits
 *
 * | struct wide    | a sum of 64-bit values, which may exceed 64 bits        |
 * | wide_mul_div() | a * b / div, unsigned, truncated                        |
 * | wide_scale()   | v * num / den, signed, rounded                          |
 * | apportion()    | divides an integer in proportion to weights             |
 *
 * The results are the same on machines without a type of 128 bits.
 */
#ifndef PROFUTILS_BASE_WIDE_H
#define PROFUTILS_BASE_WIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct radix_item; /* base/sort.h */

/* The sum hi * 2^64 + lo, of up to 2^63 values.  Zero-initialise. */
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

/* Whether the sum fits an int64_t.  Always sets *v to its lower 64 bits. */
static inline bool wide_fits(struct wide sum, int64_t *v)
{
    *v = (int64_t)sum.lo;
    return sum.hi == (*v < 0 ? -1 : 0);
}

#ifdef __SIZEOF_INT128__

__extension__ typedef unsigned __int128 wide_product;

/* Returns the lower 64 bits of a * b, and sets *hi to the upper 64. */
static inline uint64_t wide_mul(uint64_t a, uint64_t b, uint64_t *hi)
{
    wide_product product = (wide_product)a * b;
    *hi = (uint64_t)(product >> 64);
    return (uint64_t)product;
}

/* Returns (hi * 2^64 + lo) / div, and sets *rest to the remainder; div must be
 * greater than hi, so that the result fits. */
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

/* Long division, one bit at a time. */
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
 * Sets *quotient to a * b / div, truncated, and *rest to the remainder; div is
 * not 0.  False, with neither set, if the quotient exceeds 64 bits.
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
 * Sets *to to v * num / den, rounded to the nearest integer, halves away from
 * zero; den is not 0.  False, with *to not set, if it does not fit.
 */
bool wide_scale(int64_t v, int64_t num, int64_t den, int64_t *to);

/*
 * Divides total into share[0 .. n) in proportion to weight[0 .. n), by largest
 * remainder: each share is first total * weight / sum of the weights,
 * truncated; the rest of total goes, one each, to the shares with the largest
 * fractions (of equal ones, to the first).  So the shares add up to total, and
 * each differs from the exact one by less than 1.
 *
 * The sum of the weights must fit 64 bits and not be 0.  The caller provides
 * spare[] with room for 2 * n items.
 */
void apportion(uint64_t total, const uint64_t *weight, size_t n,
               uint64_t *share, struct radix_item *spare);

/* Returns total * weight / sum, truncated; weight <= sum, and sum is not 0. */
uint64_t apportion_cut(uint64_t total, uint64_t weight, uint64_t sum);

#endif
