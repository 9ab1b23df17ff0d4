/*
 * apportion.h - whole things divided in proportion, by largest remainder
 *
 * Each of n shares gets the whole part of total * weight / sum of weights;
 * what is left goes, one each, to those that were cut most, the first of
 * equals.  The shares add up to the total, and each is less than one off.
 */
#ifndef PROFUTILS_BASE_APPORTION_H
#define PROFUTILS_BASE_APPORTION_H

#include <stddef.h>
#include <stdint.h>

#include "base/radix.h"

/*
 * Divides total into share[0 .. n).  The sum of the weights must fit 64 bits
 * and not be 0.  spare has room for 2 * n items.
 */
void apportion(uint64_t total, const uint64_t *weight, size_t n,
               uint64_t *share, struct radix_item *spare);

/* total * weight / sum, cut; weight is at most sum, and sum not 0. */
uint64_t apportion_cut(uint64_t total, uint64_t weight, uint64_t sum);

#endif
