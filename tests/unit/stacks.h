/*
 * stacks.h - small profiles from text, and stacks as text
 *
 * A stack is written from leaf to root, a location for each word, and in a
 * location its lines with "<" between, innermost first:
 *
 *      "alloc<grow push main"
 *
 * Equal words are one location; "~" is a space in a name.  "name@file" gives a
 * function its file;
 * "[map]" is a location without lines in a mapping of that file name.
 */
#ifndef PROFUTILS_TESTS_STACKS_H
#define PROFUTILS_TESTS_STACKS_H

#include "profile/model/build.h"

/* Adds a sample with one value; its type is made when there is none. */
void stacks_add(struct profile *p, const char *stack, int64_t value);

/* The same with one label, string (str not null) or numeric. */
void stacks_add_label(struct profile *p, const char *stack, const char *key,
                      const char *str, int64_t num, const char *unit);

/*
 * All stacks of *p as text, in order, each followed by ";": functions only,
 * "?" for a location without lines.  A static buffer.
 */
const char *stacks_text(const struct profile *p);

/*
 * Makes the stacks of *p, which share nothing, share all that they can
 * (profile/columns.h); with `all` false, every third shares one frame less.
 */
void stacks_share(struct profile *p, bool all);

enum stacks_order { STACKS_ASCEND, STACKS_ANY_ORDER, STACKS_UNKNOWN };

/*
 * Makes a layout that keeps some samples of *p, whose stacks share nothing, in
 * an ascending or any order, and gives locations other numbers.  It knows what
 * stacks share, with some frames less for some of them, unless the order is
 * STACKS_UNKNOWN, which is any order.
 */
struct prof_layout stacks_layout(const struct profile *p,
                                 enum stacks_order order, uint64_t seed);

/* Fails unless both have the same whole stacks. */
void stacks_assert_same(const struct profile *p, const struct profile *q);

#endif
