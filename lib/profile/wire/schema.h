/*
 * schema.h - the messages and fields of profile.proto
 *
 * Code that names fields or handles all of them alike uses these tables: it
 * reads damaged messages, checks messages and prints them.  The decoder and the
 * encoder have code for each field, by the numbers of wire.h.
 */
#ifndef PROFUTILS_PROFILE_WIRE_SCHEMA_H
#define PROFUTILS_PROFILE_WIRE_SCHEMA_H

#include "profile/wire/wire.h"

enum schema_kind {
    SCHEMA_BOOL,
    SCHEMA_INT64,
    SCHEMA_UINT64,
    SCHEMA_STRING,
    SCHEMA_MESSAGE,
};

/* More than the number of any field. */
enum { SCHEMA_NUMBERS = 16 };

struct schema_type {
    enum schema_kind kind;
    /* Of a message: fields[1 .. last], by number.  fields[0] is unused. */
    const struct schema_field *fields;
    uint32_t last;
};

struct schema_field {
    bool is_repeated;
    const struct schema_type *type;
    const char *name;
};

extern const struct schema_type schema_profile, schema_value_type,
    schema_sample, schema_label, schema_mapping, schema_location, schema_line,
    schema_function;

/* The field of a message with this number, or null. */
static inline const struct schema_field *
schema_find(const struct schema_type *message, uint32_t number)
{
    return number && number <= message->last ? &message->fields[number] : NULL;
}

/*
 * Whether the field may have this wire type.  Repeated numbers may be packed or
 * not.
 */
static inline bool schema_takes(const struct schema_field *f,
                                uint32_t wire_type)
{
    bool is_number = f->type->kind < SCHEMA_STRING;
    return (wire_type == WIRE_VARINT && is_number) ||
           (wire_type == WIRE_BYTES && (!is_number || f->is_repeated));
}

#endif
