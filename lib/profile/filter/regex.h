/*
 * regex.h - regular expressions as pprof's users write them
 *
 * The syntax is RE2's (https://github.com/google/re2/wiki/Syntax), as Go's
 * regexp package takes it; PCRE2 does the matching.  What RE2 does not have
 * (backreferences, look-around, possessive and atomic groups, \C, \Z, \h and
 * so on) is refused, and what the two read differently (\s, \v, octal, [:x:]
 * outside a class, {,n}) is read as RE2 does.  A match may begin anywhere
 * unless the pattern says otherwise; $ is the very end of the text.
 *
 * Only whether a text matches is told, so greediness has no effect.  Text is
 * UTF-8; each byte that is not counts as one U+FFFD, as in Go.
 *
 * Each match has a number of backtracking steps that grows with its text.  One
 * that needs more is tried again with PCRE2's breadth-first matcher, whose
 * work is limited for all texts of a pattern together; what still exceeds
 * the limits is an error, never "no match".  So the time of all matches is
 * bounded by the length of all texts, whoever made up pattern or texts.
 */
#ifndef PROFUTILS_PROFILE_REGEX_H
#define PROFUTILS_PROFILE_REGEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* One compiled pattern, for one thread at a time. */
struct regex;

/*
 * Compiles a pattern.  ERR_USAGE: `regexp "a(b": missing ) at offset 1`,
 * offsets in bytes from 0.  *re is null on failure.
 */
bool regex_new(struct regex **re, const char *pattern, struct err *err);
void regex_free(struct regex *re); /* null is allowed */

/*
 * Whether it is an expression of RE2's at all: also one that regex_new()
 * refuses because PCRE2 cannot compile so much.
 */
bool regex_check(const char *pattern, struct err *err);

/*
 * What errors of regex_match() call it by, as "--focus", which is not copied,
 * and what they are; ERR_USAGE where nothing was said.
 */
void regex_call(struct regex *re, const char *what, enum err_kind kind);

/* 1: the n bytes of text match; 0: they do not; -1: *err says why. */
int regex_match(struct regex *re, const char *text, size_t n, struct err *err);

#endif
