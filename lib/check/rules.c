#include "check/rules.h"

#include <stddef.h>

#define ERROR DOCTOR_ERROR, true
#define ERROR_HERE DOCTOR_ERROR, false /* pprof reads it, and misreads it */
#define WARNING DOCTOR_WARNING, false
#define NOTE DOCTOR_NOTE, false

const struct doctor_rule_info doctor_rules[DOCTOR_RULES] = {
    [RULE_EMPTY] = {"empty", ERROR, "A profile has at least one byte.", NULL},
    [RULE_NOT_A_PROFILE] = {"not-a-profile", ERROR,
                            "The bytes are a message of profile.proto.", NULL},
    [RULE_DAMAGED] = {"damaged", ERROR,
                      "Compressed data is whole, and has its checksum.",
                      "what can be decompressed is kept"},
    [RULE_TRAILING_DATA] = {"trailing-data", ERROR,
                            "Nothing follows the compressed data.",
                            "it is left out"},
    [RULE_CONCATENATED] = {"concatenated", ERROR,
                           "A file, or gzip member, holds one message.",
                           "each message becomes a profile of its own"},

    [RULE_TRUNCATED] = {"truncated", ERROR,
                        "A message ends where its last field does.",
                        "what stands before the cut is kept"},
    [RULE_NOT_A_FIELD] = {"not-a-field", ERROR_HERE,
                          "Each field begins with its number, from 1, and one "
                          "of the wire types of protobuf.",
                          "what stands before it is kept"},
    [RULE_WIRE_TYPE] = {"wire-type", ERROR,
                        "A field has the wire type that its type in "
                        "profile.proto has.",
                        "the field is left out, and a sample with it"},
    [RULE_UNKNOWN_FIELD] = {"unknown-field", NOTE,
                            "All fields are those of profile.proto.", NULL},
    [RULE_OVERLONG_NUMBER] = {"overlong-number", NOTE,
                              "A number takes no more bytes than it needs.",
                              NULL},
    [RULE_REPEATED_FIELD] = {"repeated-field", NOTE,
                             "A field that is not repeated is there once; "
                             "else the last one counts.",
                             NULL},
    [RULE_REPEATED_TIME] = {"repeated-time", ERROR,
                            "time_nanos is there once; another one is where "
                            "pprof sees several profiles in one.",
                            "the last one counts"},

    [RULE_STRING_ZERO] = {"string-zero", ERROR, "String 0 is there, and empty.",
                          "what refers to it has no name"},
    [RULE_STRING_INDEX] = {"string-index", ERROR,
                           "An index of a string is that of one in the table.",
                           "what refers to it has no name, and a label goes"},
    [RULE_STRING_UTF8] = {"string-utf8", WARNING, "Strings are UTF-8.", NULL},
    [RULE_DUPLICATE_STRING] = {"duplicate-string", NOTE,
                               "Each string is in the table once.", NULL},
    [RULE_UNUSED_STRING] = {"unused-string", NOTE,
                            "Each string is used by something.", NULL},

    [RULE_NO_SAMPLE_TYPE] = {"no-sample-type", ERROR,
                             "Where there are samples there are sample types.",
                             NULL},
    [RULE_NO_SAMPLES] = {"no-samples", NOTE, "There are samples.", NULL},
    [RULE_UNNAMED_SAMPLE_TYPE] = {"unnamed-sample-type", WARNING,
                                  "A sample type has a name.", NULL},
    [RULE_DUPLICATE_SAMPLE_TYPE] = {"duplicate-sample-type", WARNING,
                                    "No two sample types have the same name.",
                                    NULL},
    [RULE_DEFAULT_SAMPLE_TYPE] = {"default-sample-type", WARNING,
                                  "default_sample_type is the name of a sample "
                                  "type.",
                                  "there is none"},
    [RULE_UNIT_MISSING] = {"unit-missing", WARNING, "A type has a unit.", NULL},
    [RULE_UNIT_CONTRADICTION] = {"unit-contradiction", WARNING,
                                 "The unit is one that values of this type can "
                                 "have.",
                                 NULL},
    [RULE_UNIT_UNKNOWN] = {"unit-unknown", NOTE,
                           "Units are those that readers know.", NULL},
    [RULE_PERIOD_TYPE_MISSING] = {"period-type-missing", WARNING,
                                  "A period has a period type.", NULL},
    [RULE_PERIOD_MISSING] = {"period-missing", NOTE,
                             "A period type has a period.", NULL},
    [RULE_NEGATIVE_HEADER] = {"negative-header", WARNING,
                              "time_nanos, duration_nanos and period are not "
                              "negative.",
                              NULL},
    [RULE_TIME_MISSING] = {"time-missing", NOTE,
                           "time_nanos says when the profile was taken.", NULL},
    [RULE_TIME_UNLIKELY] = {"time-unlikely", NOTE,
                            "time_nanos lies between the years 2000 and 2100.",
                            NULL},
    [RULE_FRAMES_REGEXP] = {"frames-regexp", WARNING,
                            "drop_frames and keep_frames are regular "
                            "expressions of RE2.",
                            "it is left out"},
    [RULE_DOC_URL] = {"doc-url", WARNING,
                      "doc_url is an absolute URL, http or https.", NULL},
    [RULE_INCOMPLETE] = {"incomplete", WARNING,
                         "No comment says that a conversion lost something.",
                         NULL},

    [RULE_ID_ZERO] = {"id-zero", ERROR,
                      "Ids of mappings, functions and locations are not 0.",
                      "it gets another"},
    [RULE_DUPLICATE_ID] = {"duplicate-id", ERROR,
                           "No two mappings, functions or locations have the "
                           "same id.",
                           "those that say the same are one; others nothing "
                           "can refer to"},
    [RULE_MAPPING_RANGE] = {"mapping-range", WARNING,
                            "memory_start is less than memory_limit, or both "
                            "are 0.",
                            NULL},
    [RULE_OVERLAPPING_MAPPINGS] = {"overlapping-mappings", NOTE,
                                   "An address is in one mapping, unless the "
                                   "profile is of several processes; an "
                                   "anonymous one of all addresses, as "
                                   "pprof has, does not count.",
                                   NULL},
    [RULE_MAPPING_ANONYMOUS] = {"mapping-anonymous", NOTE,
                                "A mapping has a file name or a build id.",
                                NULL},
    [RULE_FLAG_UNFOUNDED] = {"flag-unfounded", WARNING,
                             "has_functions, has_filenames and "
                             "has_line_numbers are set where a location of "
                             "the mapping has such a thing.",
                             "the flag is cleared"},
    [RULE_FLAG_MISSING] = {"flag-missing", NOTE,
                           "Flags of a mapping are set for what its locations "
                           "have.",
                           NULL},
    [RULE_FUNCTION_UNNAMED] = {"function-unnamed", NOTE,
                               "A function has a name or a system name.", NULL},
    [RULE_DANGLING_MAPPING] = {"dangling-mapping", ERROR_HERE,
                               "mapping_id is 0 or the id of a mapping.",
                               "the location is in no mapping"},
    [RULE_DANGLING_FUNCTION] = {"dangling-function", ERROR,
                                "function_id is the id of a function.",
                                "the line is left out"},
    [RULE_LINE_WITHOUT_FUNCTION] = {"line-without-function", ERROR,
                                    "A line has a function.",
                                    "the line is left out"},
    [RULE_LOCATION_EMPTY] = {"location-empty", WARNING,
                             "A location has an address or lines.", NULL},
    [RULE_LOCATION_UNMAPPED] = {"location-unmapped", NOTE,
                                "Where there are mappings, an address is in "
                                "one.",
                                NULL},
    [RULE_ADDRESS_OUTSIDE_MAPPING] = {"address-outside-mapping", WARNING,
                                      "The address of a location lies in its "
                                      "mapping.",
                                      NULL},
    [RULE_NEGATIVE_LINE] = {"negative-line", WARNING,
                            "Lines and columns are not negative.", NULL},
    [RULE_LINE_BEFORE_FUNCTION] = {"line-before-function", NOTE,
                                   "A line is not before the one that its "
                                   "function starts at.",
                                   NULL},
    [RULE_UNUSED_MAPPING] = {"unused-mapping", NOTE,
                             "Each mapping but the first has locations.", NULL},
    [RULE_UNUSED_FUNCTION] = {"unused-function", NOTE,
                              "Each function has lines.", NULL},
    [RULE_UNUSED_LOCATION] = {"unused-location", NOTE,
                              "Each location is in a sample.", NULL},

    [RULE_VALUE_COUNT] = {"value-count", ERROR,
                          "A sample has one value for each sample type.",
                          "the sample is left out"},
    [RULE_DANGLING_LOCATION] = {"dangling-location", ERROR,
                                "location_id is the id of a location.",
                                "the sample is left out"},
    [RULE_SAMPLE_WITHOUT_LOCATION] = {"sample-without-location", NOTE,
                                      "A sample has a stack.", NULL},
    [RULE_ZERO_SAMPLE] = {"zero-sample", NOTE,
                          "Not all values of a sample are 0.", NULL},
    [RULE_DUPLICATE_SAMPLE] = {"duplicate-sample", NOTE,
                               "No two samples have the same stack and "
                               "labels.",
                               NULL},
    [RULE_NEGATIVE_VALUE] = {"negative-value", NOTE,
                             "Values are negative in a difference only.", NULL},
    [RULE_EXTREME_VALUE] = {"extreme-value", WARNING,
                            "No value is the least or the greatest of 64 "
                            "bits.",
                            NULL},
    [RULE_SUM_OVERFLOW] = {"sum-overflow", WARNING,
                           "The sum of all values of a type fits 64 bits.",
                           NULL},

    [RULE_LABEL_KEY_EMPTY] = {"label-key-empty", WARNING, "A label has a key.",
                              NULL},
    [RULE_LABEL_BOTH] = {"label-both", WARNING,
                         "A label has a text or a number.", "the text is kept"},
    [RULE_LABEL_UNIT_UNUSED] = {"label-unit-unused", NOTE,
                                "num_unit goes with a number.", NULL},
    [RULE_LABEL_EMPTY] = {"label-empty", NOTE,
                          "A label has a text, a number other than 0, or a "
                          "unit.",
                          NULL},
    [RULE_LABEL_UNITS_DIFFER] = {"label-units-differ", WARNING,
                                 "Numbers of one key have one unit.", NULL},
    [RULE_LABEL_DUPLICATE_KEY] = {"label-duplicate-key", NOTE,
                                  "A sample has one label for a key.", NULL},
};

const char *doctor_severity_name(enum doctor_severity s)
{
    static const char *const names[] = {"note", "warning", "error"};
    return names[s];
}
