/*
 * re2syntax.h - a pattern in RE2's syntax, checked and put into PCRE2's
 *
 * Private to regex.c.  The result matches the same texts when compiled with
 * PCRE2_UTF, PCRE2_DOLLAR_ENDONLY and PCRE2_ALT_CIRCUMFLEX, with \n as the
 * only newline.  It captures nothing and is greedy throughout: the two make
 * no difference to whether a text matches.
 */
#ifndef PROFUTILS_PROFILE_RE2SYNTAX_H
#define PROFUTILS_PROFILE_RE2SYNTAX_H

#include "base/buf.h"

/*
 * Appends the translation to *out, not terminated.  On failure *at is the
 * offset in the pattern and *what the fault, a static string; a null *what
 * means that memory is out.
 */
bool re2_to_pcre2(const char *pattern, struct buf *out, size_t *at,
                  const char **what);

#endif
