/*
 * diag.h - lines on standard error (lib/cli only)
 */
#ifndef PROFUTILS_CLI_DIAG_H
#define PROFUTILS_CLI_DIAG_H

#include <stddef.h>

/*
 * Writes "tool: subject: label: text" and a newline in one piece, so that
 * lines of several threads do not mix.  Control characters and bytes that
 * are not UTF-8 become \xNN, all that is not ASCII where memory is out, and
 * the line is in pieces if it is long.  subject and label may be null.
 */
void diag_line(const char *tool, const char *subject, const char *label,
               const char *text);

/* Bytes as they are; what cannot be written is lost. */
void diag_write(const void *bytes, size_t n);

#endif
