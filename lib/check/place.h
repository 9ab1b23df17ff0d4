/*
 * place.h - where in a message something is
 */
#ifndef PROFUTILS_DOCTOR_PLACE_H
#define PROFUTILS_DOCTOR_PLACE_H

#include "base/buf.h"

enum doctor_entity {
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

enum doctor_part { PART_NONE, PART_LABEL, PART_LINE, PART_VALUE, PART_FRAME };

/* "No index", "no offset". */
#define PLACE_NONE SIZE_MAX

struct doctor_place {
    enum doctor_entity entity;
    size_t index; /* among its kind from 0, or PLACE_NONE */
    uint64_t id;  /* 0: it has none, or it is not of interest */
    enum doctor_part part;
    size_t part_index;
    const char *field; /* profile.proto's name, or null; static */
    size_t offset;     /* in the decompressed message, or PLACE_NONE */
};

/* The whole, at no place in particular. */
#define PLACE_WHOLE                                                            \
    (struct doctor_place)                                                      \
    {                                                                          \
        .entity = ENTITY_PROFILE, .index = PLACE_NONE, .offset = PLACE_NONE    \
    }

/* "sample", "line"; null for PART_NONE. */
const char *doctor_entity_name(enum doctor_entity e);
const char *doctor_part_name(enum doctor_part p);

/*
 * Appends "offset 120: location 2 (id 5), line 0, function_id"; false when
 * memory is out.
 */
bool doctor_put_place(struct buf *to, const struct doctor_place *p);

#endif
