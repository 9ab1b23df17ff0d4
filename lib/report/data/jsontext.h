/*
 * jsontext.h - strings in JSON, whatever bytes they have
 *
 * JSON (RFC 8259) is UTF-8.  What is not, as table 3-7 of the Unicode
 * Standard tells it, becomes U+FFFD, one for each byte; quotes, backslashes
 * and control characters are escaped.
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_JSONTEXT_H
#define PROFUTILS_REPORT_JSONTEXT_H

#include "report/out.h"

/*
 * Appends s[0 .. n) as a JSON string, quotes and all, and adds the number of
 * bytes replaced to *n_replaced.  False when memory is out.
 */
bool json_put_text(struct buf *out, const void *s, size_t n,
                   size_t *n_replaced);

/* Warns of bytes that were replaced, if any. */
void json_warn_replaced(const struct report *r, size_t n_replaced);

#endif
