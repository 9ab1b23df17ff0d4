/*
 * import_formats.h - the formats of inputs, and which one an input has
 *
 * What an input is shows in its bytes, never in its name.  The table has a
 * row (import.h) for each format that a tool reads, and others that no tool
 * reads, for messages: people give tools each other's files.
 */
#ifndef PROFUTILS_IMPORT_IMPORT_FORMATS_H
#define PROFUTILS_IMPORT_IMPORT_FORMATS_H

#include "import/import.h"

/* The i-th format that a tool reads; null behind the last. */
const struct import_format *import_at(size_t i);

/* The one that prof2pb --type calls so; null if there is none. */
const struct import_format *import_named(const char *name);

/* The one of this tool's that the n bytes begin like; null if none is. */
const struct import_format *import_find(const char *tool, const uint8_t *data,
                                        size_t n);

/*
 * Sets what follows from the name and bytes of an input of this tool: its
 * format, or else the foreign one, of another tool or of data that none reads,
 * which has no name.
 */
void import_look(struct import_input *in, const char *tool);

/*
 * Words for bytes that are not profile.proto: those of their format, "text" for
 * lines of an unknown one; null where they are neither, or may be a profile.
 */
const char *import_words(const uint8_t *data, size_t n);

#endif
