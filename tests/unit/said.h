/*
 * said.h - assertions on the words of a message, which `make goldens` rewrites
 *
 * assert_said() fails unless the text is the expected one, assert_says() unless
 * the part is somewhere in it.  Where GOLDENS names a directory they never
 * fail, but leave there what tests/goldens writes into the source in place of
 * what was expected.
 */
#ifndef PROFUTILS_TESTS_SAID_H
#define PROFUTILS_TESTS_SAID_H

#define assert_said(text, expected) said_is(text, expected, __FILE__, __LINE__)
#define assert_says(text, part) said_has(text, part, __FILE__, __LINE__)

void said_is(const char *text, const char *expected, const char *file,
             int line);
void said_has(const char *text, const char *part, const char *file, int line);

#endif
