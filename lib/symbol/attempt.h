/*
 * attempt.h - files that are tried by name, one after another (lib/symbol only)
 *
 * That one is not there, or not the right one, is no failure; that the system
 * cannot tell is, and ends the search.
 */
#ifndef PROFUTILS_SYMBOL_ATTEMPT_H
#define PROFUTILS_SYMBOL_ATTEMPT_H

#include "base/buf.h"

struct attempt {
    struct buf name; /* of the file being tried; the caller frees it */
    struct err *err;
    bool failed; /* *err says how the system did */
};

/* Each says so in *a and is true: the search is over. */
bool attempt_failed(struct attempt *a, const char *name, const char *why);
bool attempt_no_memory(struct attempt *a);

#endif
