/*
 * diag.h - lines on standard error (lib/cli only)
 */
#ifndef PROFUTILS_CLI_DIAG_H
#define PROFUTILS_CLI_DIAG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/*
 * Appends s with control characters and bytes that are not UTF-8 as \xNN.
 * False when memory is out.
 */
bool diag_escape(struct buf *to, const char *s);

/*
 * Writes "tool: subject: label: text" and a newline in one piece, so that
 * lines of several threads do not mix.  subject and label may be null.
 */
void diag_line(const char *tool, const char *subject, const char *label,
               const char *text);

#endif
