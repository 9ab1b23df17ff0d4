/*
 * findings.h - the findings that pbcat --check prints, as text or JSON
 *
 *   text  a line "FILE: SEVERITY: PLACE: what is wrong [rule]" for each
 *         finding, and one with the counts for each profile
 *   JSON  one object; its schema is man/pbcat.check.schema.json
 *
 *      struct findings f = {.json = true};
 *      for each profile:
 *          ok = findings_begin(&f, name);
 *          for each finding: ok = findings_add(&f, finding);
 *          ok = findings_count(&f, counts);
 *      ok = findings_end(&f);
 *
 * The functions append to f.out, which the caller may write and empty between
 * calls.  They return false when memory is out.
 */
#ifndef PROFUTILS_REPORT_FINDINGS_H
#define PROFUTILS_REPORT_FINDINGS_H

#include "base/buf.h"
#include "profile.h"

/* Zero-initialise all but the first two. */
struct findings {
    bool json;
    bool brief;        /* skip the counts of profiles without findings */
    struct buf out;    /* the output; the caller frees it */
    size_t n_profiles; /* number of profiles that were counted */
    size_t n_replaced; /* JSON: bytes of names that are not UTF-8 */
    /* Private. */
    const char *name;              /* of the profile */
    uint64_t n_listed[PROF_RULES]; /* its findings so far, by rule */
    size_t n_findings;
    uint64_t total[PROF_ERROR + 1]; /* of all profiles, by severity */
};

/* Begins a profile.  The name must stay valid until findings_count(). */
bool findings_begin(struct findings *f, const char *name);
bool findings_add(struct findings *f, const struct prof_finding *finding);

/* Ends a profile: prints all counts, also of findings that were not added. */
bool findings_count(struct findings *f, const struct prof_check_counts *counts);

/* Prints the counts of all profiles together. */
bool findings_end(struct findings *f);

#endif
