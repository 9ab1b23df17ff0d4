/*
 * escape.h - text of any bytes as strings of JSON, HTML, SVG and Markdown
 *
 * Those of JSON, HTML and SVG are UTF-8: each byte that is not (table 3-7 of
 * the Unicode Standard) becomes U+FFFD.  Functions return false when memory is
 * out.
 */
#ifndef PROFUTILS_REPORT_ESCAPE_H
#define PROFUTILS_REPORT_ESCAPE_H

#include "base/buf.h"
#include "base/strtab.h"

/*
 * Appends s[0 .. n) as a string of JSON (RFC 8259) with its quotes, and adds
 * the number of bytes replaced to *n_replaced.
 */
bool json_put_text(struct buf *out, const void *s, size_t n,
                   size_t *n_replaced);

/* The same of a string of a table. */
static inline bool json_put_string(struct buf *out, const struct strtab *t,
                                   uint32_t id, size_t *n_replaced)
{
    return json_put_text(out, strtab_str(t, id), strtab_len(t, id), n_replaced);
}

/*
 * Appends s[0 .. n) for an element or a quoted attribute: characters that HTML
 * interprets become character references; control characters except tabs and
 * newlines become U+FFFD.
 */
bool html_put(struct buf *out, const void *s, size_t n);

/*
 * Appends s[0 .. n) as a field of CSV (RFC 4180): in quotes where it must be,
 * which csv_put_quoted() puts it between without asking; or as a field of TSV,
 * where backslashes, tabs and line ends are \\, \t, \n and \r.
 */
bool csv_put(struct buf *out, const void *text, size_t n);
bool csv_put_quoted(struct buf *out, const void *text, size_t n);
bool tsv_put(struct buf *out, const void *text, size_t n);

/*
 * Appends s[0 .. n) as code of Markdown, on one line (utf8_put_line()): between
 * more backticks than it has itself (CommonMark, "Code spans").  In a table of
 * GitHub's Markdown, "|" is "\|".
 */
bool markdown_put_code(struct buf *out, const void *s, size_t n, bool in_table);

#endif
