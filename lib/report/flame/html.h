/*
 * html.h - names in HTML and SVG
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_HTML_H
#define PROFUTILS_REPORT_HTML_H

#include "base/buf.h"

/*
 * Appends text[0 .. n) so that a page shows just that, in an element or in an
 * attribute with quotes around: what HTML reads in its own way is written as
 * a character reference; control characters but tabs and newlines, and bytes
 * that are not UTF-8, become U+FFFD, one for each.  False: out of memory.
 */
bool html_put(struct buf *to, const void *text, size_t n);

#endif
