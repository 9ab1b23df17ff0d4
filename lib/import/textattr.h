/*
 * textattr.h - the attributes that some profiles made of text begin with
 *
 *      --- contentionz 1 ---
 *      cycles/second = 3201000000
 *      sampling period = 100
 *
 * Between the header and the samples, a line each: a name, "=", a value.
 */
#ifndef PROFUTILS_IMPORT_TEXTATTR_H
#define PROFUTILS_IMPORT_TEXTATTR_H

#include "import/textprof.h"

struct textattr {
    struct slice name, value; /* without blanks around them */
};

/* Takes the current line apart; false when it is no attribute. */
bool textattr_take(const struct textprof *t, struct textattr *a);

bool textattr_is(const struct textattr *a, const char *name);

/* The value as a number from 0 up; ERR_INPUT, naming the line, if it is none */
bool textattr_number(const struct textprof *t, const struct textattr *a,
                     int64_t *to, struct err *err);

/*
 * "sampling period" and "ms since reset", of which *is tells that it was one
 * of them: the period and duration of the profile.
 */
bool textattr_common(const struct textprof *t, const struct textattr *a,
                     bool *is, struct err *err);

/* The warning about an attribute that has no meaning here. */
void textattr_note_unknown(const struct textprof *t);

#endif
