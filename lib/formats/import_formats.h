/*
 * import_formats.h - the table of input formats, and detection of a format
 *
 * The format of an input is detected from its content, never from its name.
 * The table has a row (import.h) for each format that a tool reads, and rows
 * without a tool for other files that users pass by mistake, for messages.
 */
#ifndef PROFUTILS_FORMATS_IMPORT_FORMATS_H
#define PROFUTILS_FORMATS_IMPORT_FORMATS_H

#include "formats/import.h"

/* Returns the i-th format that some tool reads; null if there are fewer. */
const struct import_format *import_format_at(size_t i);

/* Sets list to the names for prof2pb --type, "cpu|heap|java".  Returns list. */
enum { IMPORT_NAMES_MAX = 200 }; /* a unit test checks that all fit */
const char *import_names(char list[IMPORT_NAMES_MAX]);

/* Sets list to all writers, "gperftools, Go or Java", with the conjunction
 * before the last.  Returns list. */
const char *import_writers(const char *conjunction,
                           char list[IMPORT_NAMES_MAX]);

/* Returns prof2pb's format with this name (--type); null if there is none. */
const struct import_format *import_named(const char *name);

/* Returns the format that the n bytes begin like, among those of the tool or,
 * if it is null, of all tools; or null. */
const struct import_format *import_find(const char *tool, const uint8_t *data,
                                        size_t n);

/*
 * Sets in->format if the input has a format of this tool, else in->foreign if
 * it has one of another tool or, with a null name, one that no tool reads.
 */
void import_detect(struct import_input *in, const char *tool);

/*
 * Returns, for a message about bytes that are not a profile.proto message, the
 * `words` of their format, or "text".  Null for unknown binary data, and for
 * bytes that may be such a message.
 */
const char *import_describe(const uint8_t *data, size_t n);

#endif
