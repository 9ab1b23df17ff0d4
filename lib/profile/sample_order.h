/*
 * sample_order.h - samples in the order of their stacks
 */
#ifndef PROFUTILS_PROFILE_SAMPLE_ORDER_H
#define PROFUTILS_PROFILE_SAMPLE_ORDER_H

#include "profile/profile.h"

/*
 * Sorts samples[0 .. n), indices, by their stacks from the root, a stack
 * before those that go on from it, and equal stacks by label_rank[set], which
 * may be null: then they are in no particular order.  Frames are taken as the
 * numbers they are.
 */
bool sample_order(const struct profile *p, const uint32_t *label_rank,
                  uint32_t *samples, size_t n, struct err *err);

#endif
