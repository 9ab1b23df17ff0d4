/* rules.c - the table of rules, and the names of places */
#include "profile/check/check.h"

#include <stddef.h>

#define ERROR PROF_ERROR, true
#define ERROR_HERE PROF_ERROR, false /* pprof accepts and misreads it */
#define WARNING PROF_WARNING, false

const struct prof_rule check_rules[CHECK_RULES] = {
    [RULE_EMPTY] = {"empty", ERROR, TEXT("A profile has at least one byte."),
                    NULL},
    [RULE_NOT_A_PROFILE] = {"not-a-profile", ERROR,
                            TEXT("The bytes are a profile.proto message."),
                            NULL},
    [RULE_DAMAGED] =
        {"damaged", ERROR,
         TEXT("Compressed data is complete and matches its checksum."),
         TEXT("the data that can be decompressed is kept")},
    [RULE_TRAILING_DATA] = {"trailing-data", ERROR,
                            TEXT("Nothing follows the compressed data."),
                            TEXT("it is dropped")},
    [RULE_CONCATENATED] = {"concatenated", WARNING,
                           TEXT("A file, or gzip member, holds one message."),
                           NULL},

    [RULE_TRUNCATED] = {"truncated", ERROR,
                        TEXT("A message ends at the end of its last field."),
                        TEXT("everything before the end is kept")},
    [RULE_NOT_A_FIELD] =
        {"not-a-field", ERROR_HERE,
         TEXT("Each field begins with its number, from 1, and one "
              "of the wire types of protobuf."),
         TEXT("everything before it is kept")},
    [RULE_WIRE_TYPE] = {"wire-type", ERROR,
                        TEXT("A field has the wire type that its type in "
                             "profile.proto has."),
                        TEXT("the field is dropped, with its sample")},
    [RULE_REPEATED_TIME] = {"repeated-time", ERROR,
                            TEXT("time_nanos occurs once; pprof reads a second "
                                 "one as another profile."),
                            TEXT("the last one is used")},

    [RULE_STRING_ZERO] = {"string-zero", ERROR,
                          TEXT("String 0 exists and is empty."),
                          TEXT("references to it have no name")},
    [RULE_STRING_INDEX] =
        {"string-index", ERROR,
         TEXT("A string index refers to a string in the table."),
         TEXT("references to it have no name; labels are dropped")},
    [RULE_STRING_UTF8] = {"string-utf8", WARNING, "Strings are UTF-8.", NULL},

    [RULE_NO_SAMPLE_TYPE] = {"no-sample-type", ERROR,
                             TEXT("A profile with samples has sample types."),
                             NULL},
    [RULE_UNNAMED_SAMPLE_TYPE] = {"unnamed-sample-type", WARNING,
                                  TEXT("A sample type has a name."), NULL},
    [RULE_DUPLICATE_SAMPLE_TYPE] =
        {"duplicate-sample-type", WARNING,
         TEXT("No two sample types have the same name."), NULL},
    [RULE_DEFAULT_SAMPLE_TYPE] =
        {"default-sample-type", WARNING,
         TEXT("default_sample_type is the name of a sample type."),
         TEXT("it is dropped")},
    [RULE_UNIT_MISSING] = {"unit-missing", WARNING, TEXT("A type has a unit."),
                           NULL},
    [RULE_UNIT_CONTRADICTION] = {"unit-contradiction", WARNING,
                                 TEXT("The unit fits the type of the values."),
                                 NULL},
    [RULE_PERIOD_TYPE_MISSING] = {"period-type-missing", WARNING,
                                  TEXT("A period has a period type."), NULL},
    [RULE_NEGATIVE_HEADER] =
        {"negative-header", WARNING,
         TEXT("time_nanos, duration_nanos and period are not negative."), NULL},
    [RULE_FRAMES_REGEXP] = {"frames-regexp", WARNING,
                            "drop_frames and keep_frames are regular "
                            "expressions of RE2.",
                            TEXT("it is dropped")},
    [RULE_DOC_URL] = {"doc-url", WARNING,
                      TEXT("doc_url is an absolute URL, http or https."), NULL},
    [RULE_INCOMPLETE] =
        {"incomplete", WARNING,
         TEXT("No comment says that a conversion was incomplete."), NULL},

    [RULE_ID_ZERO] =
        {"id-zero", ERROR,
         TEXT("Ids of mappings, functions and locations are not 0."),
         TEXT("it gets a new ID")},
    [RULE_DUPLICATE_ID] =
        {"duplicate-id", ERROR,
         TEXT("No two mappings, functions or locations have the same id."),
         TEXT("equal entries are merged; references to the "
              "others are dropped")},
    [RULE_MAPPING_RANGE] =
        {"mapping-range", WARNING,
         TEXT("memory_start is less than memory_limit, or both are 0."), NULL},
    [RULE_FLAG_UNFOUNDED] = {"flag-unfounded", WARNING,
                             TEXT("has_functions, has_filenames and "
                                  "has_line_numbers are set only if a "
                                  "location of the mapping has functions, file "
                                  "names or line numbers."),
                             TEXT("the flag is cleared")},
    [RULE_DANGLING_MAPPING] = {"dangling-mapping", ERROR_HERE,
                               TEXT("mapping_id is 0 or the id of a mapping."),
                               TEXT("the location is in no mapping")},
    [RULE_DANGLING_FUNCTION] = {"dangling-function", ERROR,
                                TEXT("function_id is the id of a function."),
                                TEXT("the line is dropped")},
    [RULE_LINE_WITHOUT_FUNCTION] = {"line-without-function", ERROR,
                                    TEXT("A line has a function."),
                                    TEXT("the line is dropped")},
    [RULE_LOCATION_EMPTY] = {"location-empty", WARNING,
                             TEXT("A location has an address or lines."), NULL},
    [RULE_ADDRESS_OUTSIDE_MAPPING] =
        {"address-outside-mapping", WARNING,
         TEXT("The address of a location lies in its mapping."), NULL},
    [RULE_NEGATIVE_LINE] = {"negative-line", WARNING,
                            TEXT("Lines and columns are not negative."), NULL},

    [RULE_VALUE_COUNT] = {"value-count", ERROR,
                          TEXT("A sample has one value for each sample type."),
                          TEXT("the sample is dropped")},
    [RULE_DANGLING_LOCATION] = {"dangling-location", ERROR,
                                TEXT("location_id is the id of a location."),
                                TEXT("the sample is dropped")},
    [RULE_SAMPLE_OVERFLOW] = {"sample-overflow", ERROR_HERE,
                              TEXT(
                                  "The sum of the values of equal samples fits "
                                  "64 bits."),
                              NULL},
    [RULE_EXTREME_VALUE] =
        {"extreme-value", WARNING,
         TEXT("No value is the smallest or largest 64-bit integer."), NULL},
    [RULE_SUM_OVERFLOW] = {"sum-overflow", WARNING,
                           TEXT(
                               "The sum of all values of a type fits 64 bits."),
                           NULL},

    [RULE_LABEL_KEY_EMPTY] = {"label-key-empty", WARNING,
                              TEXT("A label has a key."), NULL},
    [RULE_LABEL_BOTH] = {"label-both", WARNING,
                         TEXT("A label has a string or a number, not both."),
                         TEXT("the string is kept")},
    [RULE_LABEL_UNITS_DIFFER] = {"label-units-differ", WARNING,
                                 TEXT("Numbers of one key have one unit."),
                                 NULL},
};

_Static_assert((int)CHECK_RULES == PROF_RULES, "profile.h has their number");

const struct prof_rule *prof_get_rule(size_t rule)
{
    return &check_rules[rule];
}

const char *const check_entity_names[] = {
    "file",    "profile",  "sample_type", "period_type", "sample",
    "mapping", "location", "function",    "string",      "comment"};

const char *const check_part_names[] = {NULL, "label", "line", "value",
                                        "location_id"};
