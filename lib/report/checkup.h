/*
 * checkup.h - what is wrong with profiles, as text or JSON
 *
 * Text is one line for each finding,
 *
 *      FILE: SEVERITY: PLACE: what is wrong [rule]
 *
 * and one with the counts for each profile.  JSON is one document;
 * man/pbcat.check.schema.json is its grammar, pbcat(1) the manual.
 *
 *      struct checkup c = {.json = true};
 *      ok = checkup_begin(&c);
 *      for each profile: checkup_profile(), checkup_finding()...,
 *                        checkup_counts()
 *      ok = ok && checkup_end(&c);
 *
 * Each appends to c.out, which may be emptied in between, and returns false
 * when memory is out.
 */
#ifndef PROFUTILS_REPORT_CHECKUP_H
#define PROFUTILS_REPORT_CHECKUP_H

#include "check/check.h"

struct checkup {
    bool json;
    bool brief;        /* nothing on profiles without findings */
    struct buf out;    /* to be freed by the caller */
    size_t n_replaced; /* bytes of names that JSON does not have */
    /* Private. */
    const char *name;
    uint64_t told[CHECK_RULES]; /* findings printed of the profile, by rule */
    size_t n_profiles, n_findings;
    uint64_t total[CHECK_ERROR + 1]; /* by severity */
};

bool checkup_begin(struct checkup *c);
/* The name must stay until checkup_counts(). */
bool checkup_profile(struct checkup *c, const char *name);
bool checkup_finding(struct checkup *c, const struct check_finding *f);
bool checkup_counts(struct checkup *c, const struct check_counts *counts);
bool checkup_end(struct checkup *c);

#endif
