/*
 * names.h - which functions and mappings a regular expression matches
 *
 * A pattern is tried on each distinct string once, whatever number of
 * functions, locations and samples it is part of.
 */
#ifndef PROFUTILS_PROFILE_NAMES_H
#define PROFUTILS_PROFILE_NAMES_H

#include "profile/filter/regex.h"
#include "profile/profile.h"

struct name_verdicts {
    uint8_t *function; /* 1 where the name or the file name matches */
    uint8_t *mapping;  /* 1 where the file name matches */
};

/* Free *v in any case. */
bool names_match(const struct profile *p, struct regex *re,
                 struct name_verdicts *v, struct err *err);
void names_free(struct name_verdicts *v);

/* A verdict on one line or location; the profile is that of *v. */
static inline bool names_line(const struct name_verdicts *v,
                              const struct prof_line *line)
{
    return line->function != PROF_NONE && v->function[line->function];
}

static inline bool names_mapping(const struct name_verdicts *v,
                                 const struct prof_location *l)
{
    return l->mapping != PROF_NONE && v->mapping[l->mapping];
}

/* Any line, or the mapping. */
bool names_location(const struct name_verdicts *v, const struct profile *p,
                    const struct prof_location *l);

#endif
