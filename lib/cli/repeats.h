/*
 * repeats.h - notes that come again for each of many profiles (lib/cli)
 *
 * A program without symbols is one warning, not ten thousand.  Texts that
 * differ in numbers only are the same.
 */
#ifndef PROFUTILS_CLI_REPEATS_H
#define PROFUTILS_CLI_REPEATS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct repeats;

/* Null when memory is out; repeats_free() takes null. */
struct repeats *repeats_new(void);
void repeats_free(struct repeats *r);

/* Counts the text; true when it is the first of its kind. */
bool repeats_is_first(struct repeats *r, enum note_level level,
                      const char *text);

/* A text that came, null after the last. */
struct repeat {
    char *text; /* as it came first */
    enum note_level level;
    size_t again;
};
const struct repeat *repeats_at(const struct repeats *r, size_t i);

#endif
