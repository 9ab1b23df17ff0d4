/*
 * escape.h - writes any bytes as text of JSON, HTML, SVG, CSV and Markdown
 *
 * In JSON, HTML and SVG, each byte that is not well-formed UTF-8 (table 3-7 of
 * the Unicode Standard) becomes U+FFFD.  Functions return false when memory is
 * out.
 */
#ifndef PROFUTILS_REPORT_ESCAPE_H
#define PROFUTILS_REPORT_ESCAPE_H

#include "base/buf.h"
#include "base/strtab.h"

/*
 * Appends s[0 .. n) as a string of JSON (RFC 8259) with its quotes, and adds
 * the number of bytes replaced to *n_replaced, if it is not null.
 */
bool json_put_text(struct buf *out, const void *s, size_t n,
                   size_t *n_replaced);

/* The same for the string of a table with this id. */
static inline bool json_put_string(struct buf *out, const struct strtab *t,
                                   uint32_t id, size_t *n_replaced)
{
    return json_put_text(out, strtab_str(t, id), strtab_len(t, id), n_replaced);
}

/*
 * Appends s[0 .. n) for an element or a quoted attribute of HTML or SVG:
 * characters that HTML interprets become character references; those that
 * utf8_is_shown() refuses, such as control characters, become U+FFFD.
 */
bool html_put(struct buf *out, const void *s, size_t n);

/*
 * Append text[0 .. n) as a field:
 *
 *   csv_put()         CSV (RFC 4180), in quotes if it needs them
 *   csv_put_quoted()  CSV, always in quotes
 *   tsv_put()         TSV; backslashes, tabs and line ends become \\, \t, \n
 *                     and \r
 */
bool csv_put(struct buf *out, const void *text, size_t n);
bool csv_put_quoted(struct buf *out, const void *text, size_t n);
bool tsv_put(struct buf *out, const void *text, size_t n);

/*
 * Appends s[0 .. n) as code of Markdown on one line (utf8_put_line()), between
 * more backticks than s has in a row (CommonMark, "Code spans").  With
 * in_table, for tables of GitHub's Markdown, "|" becomes "\|".
 */
bool markdown_put_code(struct buf *out, const void *s, size_t n, bool in_table);

#endif
