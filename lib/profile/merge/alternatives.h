/*
 * alternatives.h - the union of regular expressions, as a set of alternatives
 *
 * drop_frames and keep_frames are regular expressions that match whole names. A
 * merge makes the union of those of all inputs.  The union must not depend on
 * their order, so it is kept as a set of alternatives: "a|b(c|d)" is the set
 * {a, b(c|d)}.
 */
#ifndef PROFUTILS_PROFILE_MERGE_ALTERNATIVES_H
#define PROFUTILS_PROFILE_MERGE_ALTERNATIVES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "base/strtab.h"
#include "base/vec.h"

/* A set of strings of a strtab. */
struct str_set {
    VEC(uint32_t) ids; /* in the order in which they were added */
    struct map index;
};

void str_set_free(struct str_set *set);

/* Adds a string id unless it is there; false when memory is out. */
bool str_set_add(struct str_set *set, uint32_t id);

/* Sorts the ids bytewise by their strings.  None can be added afterwards. */
void str_set_sort(struct str_set *set, const struct strtab *strings);

/*
 * Adds the alternatives of a regular expression to the set:
 *
 * | expression                  | what is added                              |
 * | a|b                         | a and b                                    |
 * | (?i)a|b: flags at top level | (?:(?i)a|b): alternatives need the flags   |
 * | \Q without \E, "[[:" with-  | the expression, closed: otherwise what     |
 * | out ":]"                    | follows in the union would belong to it    |
 * | brackets that do not        | the expression, quoted: it is not valid,   |
 * | balance                     | and would make the union invalid           |
 */
bool alternatives_add(struct str_set *set, struct strtab *strings,
                      const char *regex, size_t n, struct prof_err *err);

/* Sets *id to the sorted union, "a|b|c". */
bool alternatives_join(struct str_set *set, struct strtab *strings,
                       uint32_t *id, struct prof_err *err);

#endif
