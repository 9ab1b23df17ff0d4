/*
 * kind.h - what an input is when it is not what is wanted
 *
 * For error messages: people give tools each other's files.
 */
#ifndef PROFUTILS_IO_KIND_H
#define PROFUTILS_IO_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct kind {
    const char *what;   /* "a heap profile (text)", to stand behind "this is" */
    const char *reader; /* the tool that reads it, or null */
    const char *words;  /* both: "a heap profile (text), which prof2pb reads" */
};

/* A message that may be a profile. */
extern const struct kind kind_profile;

/* Folded stacks (import/folded.h). */
extern const struct kind kind_folded;

/* What the n bytes begin like; null when that is nothing known. */
const struct kind *kind_of(const uint8_t *data, size_t n);

/*
 * Words for bytes that are no profile: those of their kind, "text" for lines
 * of an unknown one; null where they are neither, or may be a profile.
 */
const char *kind_words(const uint8_t *data, size_t n);

/* Whether it is a kind, and one that the tool reads. */
bool kind_is_read_by(const struct kind *kind, const char *tool);

/* Says of bytes that could not be read though they begin like that; false. */
bool kind_refuse_broken(const struct kind *kind, struct err *err);

/* Whether they are lines of text, as far as the first ones show. */
bool kind_is_text(const uint8_t *data, size_t n);

#endif
