/*
 * examine.h - what is wrong with a message of profile.proto
 *
 * The message is read whatever it is (pb/loose.h), and each violation of a
 * rule is told as it is found.  To keep this short where something is wrong a
 * million times, only the first of each rule are told; all are counted.
 *
 * Time is in proportion to the message, but for the sorting of mappings, and
 * so is memory.
 */
#ifndef PROFUTILS_DOCTOR_EXAMINE_H
#define PROFUTILS_DOCTOR_EXAMINE_H

#include "base/err.h"
#include "check/place.h"
#include "check/rules.h"

/* `text` is good until take() returns. */
struct doctor_finding {
    enum doctor_rule rule;
    struct doctor_place place;
    uint64_t amount;  /* of violations that it stands for */
    const char *text; /* what is wrong; any bytes of names are escaped */
};

struct doctor_opts {
    uint64_t most; /* findings told of each rule; 0: all */
    /* False with *err ends the examination.  Null: they are only counted. */
    bool (*take)(void *ctx, const struct doctor_finding *f, struct err *err);
    void *ctx;
};

struct doctor_counts {
    uint64_t of[DOCTOR_RULES];
};

/*
 * Adds what is wrong with the n bytes to *counts, which is zero to begin
 * with.  False when memory is out or opts->take() failed.
 */
bool doctor_examine(const uint8_t *data, size_t n,
                    const struct doctor_opts *opts,
                    struct doctor_counts *counts, struct err *err);

/* One finding from outside: counted, and told as the others. */
bool doctor_tell(const struct doctor_opts *opts, struct doctor_counts *counts,
                 enum doctor_rule rule, const struct doctor_place *place,
                 const char *text, struct err *err);

/* How many are of this severity. */
uint64_t doctor_count(const struct doctor_counts *counts,
                      enum doctor_severity severity);

#endif
