/*
 * check.h - the rules of the format that prof_check() checks
 *
 * The rules are those of the schema's comments
 * (https://github.com/google/pprof/blob/main/proto/profile.proto), of proto3,
 * and of what readers do with a profile.
 *
 * | severity | meaning                                                     |
 * | error    | readers refuse the profile, or misread it                   |
 * | warning  | readers accept it, but data is lost or misleading           |
 *
 * The message may be damaged (profile/wire/tolerant.h).  Each violation is
 * counted; the first violations of each rule are reported as findings, in the
 * order in which they are found.  Time and memory are proportional to the size
 * of the message.
 */
#ifndef PROFUTILS_PROFILE_CHECK_CHECK_H
#define PROFUTILS_PROFILE_CHECK_CHECK_H

#include "base/buf.h"

enum check_rule {
    /* The file around the message. */
    RULE_EMPTY = PROF_RULE_EMPTY,
    RULE_NOT_A_PROFILE = PROF_RULE_NOT_A_PROFILE,
    RULE_DAMAGED = PROF_RULE_DAMAGED,
    RULE_TRAILING_DATA = PROF_RULE_TRAILING_DATA,
    RULE_CONCATENATED,
    /* The wire. */
    RULE_TRUNCATED,
    RULE_NOT_A_FIELD,
    RULE_WIRE_TYPE,
    RULE_REPEATED_TIME,
    /* Strings. */
    RULE_STRING_ZERO,
    RULE_STRING_INDEX,
    RULE_STRING_UTF8,
    /* Sample types and the other fields of the profile itself. */
    RULE_NO_SAMPLE_TYPE,
    RULE_UNNAMED_SAMPLE_TYPE,
    RULE_DUPLICATE_SAMPLE_TYPE,
    RULE_DEFAULT_SAMPLE_TYPE,
    RULE_UNIT_MISSING,
    RULE_UNIT_CONTRADICTION,
    RULE_PERIOD_TYPE_MISSING,
    RULE_NEGATIVE_HEADER,
    RULE_FRAMES_REGEXP,
    RULE_DOC_URL,
    RULE_INCOMPLETE,
    /* Mappings, functions, locations. */
    RULE_ID_ZERO,
    RULE_DUPLICATE_ID,
    RULE_MAPPING_RANGE,
    RULE_FLAG_UNFOUNDED,
    RULE_DANGLING_MAPPING,
    RULE_DANGLING_FUNCTION,
    RULE_LINE_WITHOUT_FUNCTION,
    RULE_LOCATION_EMPTY,
    RULE_ADDRESS_OUTSIDE_MAPPING,
    RULE_NEGATIVE_LINE,
    /* Samples. */
    RULE_VALUE_COUNT,
    RULE_DANGLING_LOCATION,
    RULE_SAMPLE_OVERFLOW,
    RULE_EXTREME_VALUE,
    RULE_SUM_OVERFLOW,
    /* Labels. */
    RULE_LABEL_KEY_EMPTY,
    RULE_LABEL_BOTH,
    RULE_LABEL_UNITS_DIFFER,
    CHECK_RULES,
};

extern const struct prof_rule check_rules[CHECK_RULES];

enum check_entity {
    ENTITY_FILE, /* what is around the message */
    ENTITY_PROFILE,
    ENTITY_SAMPLE_TYPE,
    ENTITY_PERIOD_TYPE,
    ENTITY_SAMPLE,
    ENTITY_MAPPING,
    ENTITY_LOCATION,
    ENTITY_FUNCTION,
    ENTITY_STRING,
    ENTITY_COMMENT,
};

enum check_part { PART_NONE, PART_LABEL, PART_LINE, PART_VALUE, PART_FRAME };

/* "No index", "no offset". */
#define PLACE_NONE SIZE_MAX

/* The place of a violation. */
struct check_place {
    enum check_entity entity;
    size_t index; /* among entities of its kind, from 0; or PLACE_NONE */
    uint64_t id;  /* 0: none, or not to be shown */
    enum check_part part;
    size_t part_index; /* among parts of its kind, from 0 */
    const char *field; /* name in profile.proto, static; or null */
    size_t offset;     /* in the decompressed message, or PLACE_NONE */
};

extern const char *const check_entity_names[]; /* by entity: "sample" */
extern const char *const check_part_names[]; /* by part: "line"; [0] is null */

#endif
