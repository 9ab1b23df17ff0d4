/*
 * grammar.h - whether text is what it says it is
 */
#ifndef PROFUTILS_TESTS_GRAMMAR_H
#define PROFUTILS_TESTS_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>

/* One value of JSON (RFC 8259) with nothing but white space around it. */
bool is_json(const char *s, size_t n);

/* UTF-8 without control characters but newlines and tabs, as XML asks. */
bool is_plain_text(const char *s, size_t n);

/*
 * How many records of CSV (RFC 4180, ended by newlines) there are, if all have
 * as many fields, or else 0.
 */
size_t csv_records(const char *s, size_t n);

/* The same of TSV: tabs and newlines have no other meaning. */
size_t tsv_records(const char *s, size_t n);

#endif
