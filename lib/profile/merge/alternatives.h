/*
 * alternatives.h - the top-level alternatives of a regexp
 *
 * drop_frames and keep_frames are regexps that match whole names.  Merging
 * profiles unites them, and so that the union does not depend on order, it
 * is kept as a set of alternatives: "a|b(c|d)" is the set {a, b(c|d)}.
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
    VEC(uint32_t) ids; /* in order of arrival */
    struct map index;
};

void str_set_free(struct str_set *set);

/* Adds a string id unless it is there; false when memory is out. */
bool str_set_add(struct str_set *set, uint32_t id);

/* Puts ids in byte-wise order of their strings; then none can be added. */
void str_set_sort(struct str_set *set, const struct strtab *strings);

/*
 * Adds the alternatives of the regexp to the set:
 *
 * | regexp                      | what is added                              |
 * | a|b                         | a and b                                    |
 * | (?i)a|b: flags at top level | (?:(?i)a|b): alternatives need the flags   |
 * | \Q without \E, "[[:" with-  | the same, closed: otherwise what it is     |
 * | out ":]"                    | joined with would become part of it        |
 * | brackets that do not        | quoted: it is not valid, and would spoil   |
 * | balance                     | those that it is joined with               |
 */
bool alternatives_add(struct str_set *set, struct strtab *strings,
                      const char *regex, size_t n, struct prof_err *err);

/* The sorted union, "a|b|c", as a string id. */
bool alternatives_join(struct str_set *set, struct strtab *strings,
                       uint32_t *id, struct prof_err *err);

#endif
