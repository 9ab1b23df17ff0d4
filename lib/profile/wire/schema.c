/* schema.c - the messages and fields of profile.proto, in its order */
#include "profile/wire/schema.h"

enum { SINGLE, REPEATED };

static const struct schema_type bool_type = {.kind = SCHEMA_BOOL};
static const struct schema_type int64 = {.kind = SCHEMA_INT64};
static const struct schema_type uint64 = {.kind = SCHEMA_UINT64};
static const struct schema_type string = {.kind = SCHEMA_STRING};

#define MESSAGE(fields)                                                        \
    {                                                                          \
        SCHEMA_MESSAGE, fields, sizeof(fields) / sizeof *(fields)-1            \
    }

static const struct schema_field profile[] = {
    [PROFILE_SAMPLE_TYPE] = {REPEATED, &schema_value_type, "sample_type"},
    [PROFILE_SAMPLE] = {REPEATED, &schema_sample, "sample"},
    [PROFILE_MAPPING] = {REPEATED, &schema_mapping, "mapping"},
    [PROFILE_LOCATION] = {REPEATED, &schema_location, "location"},
    [PROFILE_FUNCTION] = {REPEATED, &schema_function, "function"},
    [PROFILE_STRING_TABLE] = {REPEATED, &string, "string_table"},
    [PROFILE_DROP_FRAMES] = {SINGLE, &int64, "drop_frames"},
    [PROFILE_KEEP_FRAMES] = {SINGLE, &int64, "keep_frames"},
    [PROFILE_TIME_NANOS] = {SINGLE, &int64, "time_nanos"},
    [PROFILE_DURATION_NANOS] = {SINGLE, &int64, "duration_nanos"},
    [PROFILE_PERIOD_TYPE] = {SINGLE, &schema_value_type, "period_type"},
    [PROFILE_PERIOD] = {SINGLE, &int64, "period"},
    [PROFILE_COMMENT] = {REPEATED, &int64, "comment"},
    [PROFILE_DEFAULT_SAMPLE_TYPE] = {SINGLE, &int64, "default_sample_type"},
    [PROFILE_DOC_URL] = {SINGLE, &int64, "doc_url"},
};
const struct schema_type schema_profile = MESSAGE(profile);

static const struct schema_field value_type[] = {
    [VALUE_TYPE_TYPE] = {SINGLE, &int64, "type"},
    [VALUE_TYPE_UNIT] = {SINGLE, &int64, "unit"},
};
const struct schema_type schema_value_type = MESSAGE(value_type);

static const struct schema_field sample[] = {
    [SAMPLE_LOCATION_ID] = {REPEATED, &uint64, "location_id"},
    [SAMPLE_VALUE] = {REPEATED, &int64, "value"},
    [SAMPLE_LABEL] = {REPEATED, &schema_label, "label"},
};
const struct schema_type schema_sample = MESSAGE(sample);

static const struct schema_field label[] = {
    [LABEL_KEY] = {SINGLE, &int64, "key"},
    [LABEL_STR] = {SINGLE, &int64, "str"},
    [LABEL_NUM] = {SINGLE, &int64, "num"},
    [LABEL_NUM_UNIT] = {SINGLE, &int64, "num_unit"},
};
const struct schema_type schema_label = MESSAGE(label);

static const struct schema_field mapping[] = {
    [MAPPING_ID] = {SINGLE, &uint64, "id"},
    [MAPPING_START] = {SINGLE, &uint64, "memory_start"},
    [MAPPING_LIMIT] = {SINGLE, &uint64, "memory_limit"},
    [MAPPING_OFFSET] = {SINGLE, &uint64, "file_offset"},
    [MAPPING_FILENAME] = {SINGLE, &int64, "filename"},
    [MAPPING_BUILD_ID] = {SINGLE, &int64, "build_id"},
    [MAPPING_HAS_FUNCTIONS] = {SINGLE, &bool_type, "has_functions"},
    [MAPPING_HAS_FILENAMES] = {SINGLE, &bool_type, "has_filenames"},
    [MAPPING_HAS_LINE_NUMBERS] = {SINGLE, &bool_type, "has_line_numbers"},
    [MAPPING_HAS_INLINE_FRAMES] = {SINGLE, &bool_type, "has_inline_frames"},
};
const struct schema_type schema_mapping = MESSAGE(mapping);

static const struct schema_field location[] = {
    [LOCATION_ID] = {SINGLE, &uint64, "id"},
    [LOCATION_MAPPING_ID] = {SINGLE, &uint64, "mapping_id"},
    [LOCATION_ADDRESS] = {SINGLE, &uint64, "address"},
    [LOCATION_LINE] = {REPEATED, &schema_line, "line"},
    [LOCATION_IS_FOLDED] = {SINGLE, &bool_type, "is_folded"},
};
const struct schema_type schema_location = MESSAGE(location);

static const struct schema_field line[] = {
    [LINE_FUNCTION_ID] = {SINGLE, &uint64, "function_id"},
    [LINE_LINE] = {SINGLE, &int64, "line"},
    [LINE_COLUMN] = {SINGLE, &int64, "column"},
};
const struct schema_type schema_line = MESSAGE(line);

static const struct schema_field function[] = {
    [FUNCTION_ID] = {SINGLE, &uint64, "id"},
    [FUNCTION_NAME] = {SINGLE, &int64, "name"},
    [FUNCTION_SYSTEM_NAME] = {SINGLE, &int64, "system_name"},
    [FUNCTION_FILENAME] = {SINGLE, &int64, "filename"},
    [FUNCTION_START_LINE] = {SINGLE, &int64, "start_line"},
};
const struct schema_type schema_function = MESSAGE(function);
