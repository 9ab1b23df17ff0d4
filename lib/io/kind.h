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

/* What kind_of() gives for a message that may be a profile. */
extern const char kind_profile[];

/* ... and for folded stacks (import/folded.h). */
extern const char kind_folded[];

/*
 * Words for what the n bytes begin like, such as "a heap profile (text)", to
 * stand behind "this is"; null when that is nothing known.  Static.
 */
const char *kind_of(const uint8_t *data, size_t n);

/*
 * How many bytes of such words come before ", which TOOL reads"; 0 where they
 * do not say that the tool reads it.
 */
size_t kind_read_by(const char *kind, const char *tool);

/* Whether they are lines of text, as far as the first ones show. */
bool kind_is_text(const uint8_t *data, size_t n);

#endif
