/*
 * rules.h - what a profile.proto message has to be, rule by rule
 *
 * The rules are those of the schema's own comments
 * (https://github.com/google/pprof/blob/main/proto/profile.proto), of
 * proto3, and of what readers do with a profile.
 *
 *   error    readers refuse the profile, or read something else than what
 *            was written
 *   warning  it is read, but something is lost or misleads
 *   note     it is unusual, or takes more room than it needs
 *
 * Names of rules are for programs, and stay what they are.
 */
#ifndef PROFUTILS_DOCTOR_RULES_H
#define PROFUTILS_DOCTOR_RULES_H

#include <stdbool.h>

enum doctor_severity { DOCTOR_NOTE, DOCTOR_WARNING, DOCTOR_ERROR };

enum doctor_rule {
    /* The file around it. */
    RULE_EMPTY,
    RULE_NOT_A_PROFILE,
    RULE_DAMAGED,
    RULE_TRAILING_DATA,
    RULE_CONCATENATED,
    /* The wire. */
    RULE_TRUNCATED,
    RULE_NOT_A_FIELD,
    RULE_WIRE_TYPE,
    RULE_UNKNOWN_FIELD,
    RULE_OVERLONG_NUMBER,
    RULE_REPEATED_FIELD,
    RULE_REPEATED_TIME,
    /* Strings. */
    RULE_STRING_ZERO,
    RULE_STRING_INDEX,
    RULE_STRING_UTF8,
    RULE_DUPLICATE_STRING,
    RULE_UNUSED_STRING,
    /* Sample types and what else is said of the whole. */
    RULE_NO_SAMPLE_TYPE,
    RULE_NO_SAMPLES,
    RULE_UNNAMED_SAMPLE_TYPE,
    RULE_DUPLICATE_SAMPLE_TYPE,
    RULE_DEFAULT_SAMPLE_TYPE,
    RULE_UNIT_MISSING,
    RULE_UNIT_CONTRADICTION,
    RULE_UNIT_UNKNOWN,
    RULE_PERIOD_TYPE_MISSING,
    RULE_PERIOD_MISSING,
    RULE_NEGATIVE_HEADER,
    RULE_TIME_MISSING,
    RULE_TIME_UNLIKELY,
    RULE_FRAMES_REGEXP,
    RULE_DOC_URL,
    RULE_INCOMPLETE,
    /* Mappings, functions, locations. */
    RULE_ID_ZERO,
    RULE_DUPLICATE_ID,
    RULE_MAPPING_RANGE,
    RULE_OVERLAPPING_MAPPINGS,
    RULE_MAPPING_ANONYMOUS,
    RULE_FLAG_UNFOUNDED,
    RULE_FLAG_MISSING,
    RULE_FUNCTION_UNNAMED,
    RULE_DANGLING_MAPPING,
    RULE_DANGLING_FUNCTION,
    RULE_LINE_WITHOUT_FUNCTION,
    RULE_LOCATION_EMPTY,
    RULE_LOCATION_UNMAPPED,
    RULE_ADDRESS_OUTSIDE_MAPPING,
    RULE_NEGATIVE_LINE,
    RULE_LINE_BEFORE_FUNCTION,
    RULE_UNUSED_MAPPING,
    RULE_UNUSED_FUNCTION,
    RULE_UNUSED_LOCATION,
    /* Samples. */
    RULE_VALUE_COUNT,
    RULE_DANGLING_LOCATION,
    RULE_SAMPLE_WITHOUT_LOCATION,
    RULE_ZERO_SAMPLE,
    RULE_DUPLICATE_SAMPLE,
    RULE_NEGATIVE_VALUE,
    RULE_EXTREME_VALUE,
    RULE_SUM_OVERFLOW,
    /* Labels. */
    RULE_LABEL_KEY_EMPTY,
    RULE_LABEL_BOTH,
    RULE_LABEL_UNIT_UNUSED,
    RULE_LABEL_EMPTY,
    RULE_LABEL_UNITS_DIFFER,
    RULE_LABEL_DUPLICATE_KEY,
    DOCTOR_RULES,
};

/* What a comment begins with that says what a conversion lost. */
#define DOCTOR_INCOMPLETE "incomplete: "

struct doctor_rule_info {
    const char *name; /* "dangling-location" */
    enum doctor_severity severity;
    bool pprof_refuses;   /* `go tool pprof` does not read it */
    const char *sentence; /* what holds in a sound profile */
    const char *remedy;   /* what mend.h does about it; null: nothing */
};

extern const struct doctor_rule_info doctor_rules[DOCTOR_RULES];

/* "error" */
const char *doctor_severity_name(enum doctor_severity s);

#endif
