/*
 * re2parser.h - the state of re2_to_pcre2(), shared by its two files
 *
 * re2chars.c reads what stands for a character or a class of them,
 * re2syntax.c all else.  Each function reads at p->at, goes on behind what
 * it took and appends its translation to p->out; on failure p->what and
 * p->fault say what is wrong where, or memory is out and p->what is null.
 */
#ifndef PROFUTILS_PROFILE_RE2PARSER_H
#define PROFUTILS_PROFILE_RE2PARSER_H

#include "base/buf.h"
#include "base/vec.h"

/* What came last, which decides whether it can be repeated. */
enum re2_last { RE2_NOTHING, RE2_ITEM, RE2_REPETITION };

struct re2_parser {
    const char *s; /* the pattern, NUL-terminated */
    size_t n, at;
    enum re2_last last;
    VEC(size_t) open; /* where the groups around begin */
    struct buf *out;
    const char *what; /* the fault, when there is one */
    size_t fault;
};

/* Notes the fault and returns false. */
bool re2_fail(struct re2_parser *p, size_t at, const char *what);

/* The byte k ahead; 0 at the end, which no byte of a pattern is. */
static inline char re2_peek(const struct re2_parser *p, size_t k)
{
    return k < p->n - p->at ? p->s[p->at + k] : 0;
}

/* A character that stands for itself. */
bool re2_literal(struct re2_parser *p);

/* A backslash and what belongs to it, but for assertions and \Q. */
bool re2_escape(struct re2_parser *p);

/* A bracket expression, at its [. */
bool re2_class(struct re2_parser *p);

#endif
