/*
 * regex.h - regular expressions as pprof's users write them
 *
 * The syntax is RE2's (https://github.com/google/re2/wiki/Syntax), as Go's
 * regexp package reads it; PCRE2 matches.  What RE2 does not have is an error:
 * backreferences, look-around, possessive and atomic groups, \C, \Z, \h.  What
 * the two read differently has RE2's meaning: \s, \v, octal, [:x:] outside a
 * class, {,n}.  A match may begin anywhere unless the pattern says otherwise;
 * $ is the very end of the text.
 *
 * The result is only whether a text matches, so greediness has no effect.
 * Text is UTF-8; each byte that is not counts as one U+FFFD, as in Go.
 *
 * The time of all matches is bounded by the length of all texts: a match by
 * backtracking has a number of steps that grows with its text, and one that
 * needs more is tried by PCRE2's breadth-first matcher, whose work is limited
 * for all texts of a pattern together.
 * What exceeds both limits is an error, never "no match".
 */
#ifndef PROFUTILS_PROFILE_REGEX_H
#define PROFUTILS_PROFILE_REGEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* One compiled pattern, for one thread at a time. */
struct regex;

/*
 * Compiles a pattern.  *re is null on failure.  Errors of the pattern, here
 * and in regex_match(), are of this kind and begin with `what`, as "--focus",
 * unless it is null: `--focus: regexp "a(b": missing ) at offset 1`, offsets
 * in bytes from 0.  `what` is not copied.
 */
bool regex_new(struct regex **re, const char *pattern, const char *what,
               enum prof_err_kind kind, struct prof_err *err);
void regex_free(struct regex *re); /* null is allowed */

/*
 * Whether it is an expression of RE2's at all: also one that regex_new()
 * refuses because PCRE2 cannot compile so much.
 */
bool regex_check(const char *pattern, struct prof_err *err);

/* 1: the n bytes of text match; 0: they do not; -1: *err says why. */
int regex_match(struct regex *re, const char *text, size_t n,
                struct prof_err *err);

#endif
