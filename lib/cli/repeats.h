/*
 * repeats.h - warnings that come again for each of many profiles (lib/cli)
 *
 * A program without symbols is one warning, not ten thousand.  Texts that
 * differ in numbers only are the same.
 */
#ifndef PROFUTILS_CLI_REPEATS_H
#define PROFUTILS_CLI_REPEATS_H

#include <stdbool.h>
#include <stddef.h>

struct repeats;

/* Null when memory is out; repeats_free() takes null. */
struct repeats *repeats_new(void);
void repeats_free(struct repeats *r);

/* Counts the text; true when it is the first of its kind. */
bool repeats_is_first(struct repeats *r, const char *text);

/* The i-th text and how often it came again; null behind the last. */
const char *repeats_text(const struct repeats *r, size_t i, size_t *again);

#endif
