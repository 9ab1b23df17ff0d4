/* The message itself, and all but samples. */
#include "pb/loose.h"

#include <string.h>

#include "pb/loosely.h"

static struct loose_type value_type(struct loosely *l, size_t offset)
{
    uint64_t v[VALUE_TYPE_UNIT + 1];
    loosely_numbers(l, v, VALUE_TYPE_UNIT);
    return (struct loose_type){(int64_t)v[VALUE_TYPE_TYPE],
                               (int64_t)v[VALUE_TYPE_UNIT], offset};
}

static bool add_type(struct loose *m, const struct loosely *l,
                     const struct loosely_field *f)
{
    struct loosely in = loosely_inner(l, f, LOOSE_SAMPLE_TYPE, m->types.n, 0);
    struct loose_type t = value_type(&in, f->offset);
    return vec_push(&m->types, t);
}

static bool add_mapping(struct loose *m, const struct loosely *l,
                        const struct loosely_field *f)
{
    uint64_t v[MAPPING_HAS_INLINE_FRAMES + 1];
    struct loosely in = loosely_inner(l, f, LOOSE_MAPPING, m->mappings.n, 0);
    loosely_numbers(&in, v, MAPPING_HAS_INLINE_FRAMES);
    struct loose_mapping mapping = {
        .id = v[MAPPING_ID],
        .start = v[MAPPING_START],
        .limit = v[MAPPING_LIMIT],
        .file_offset = v[MAPPING_OFFSET],
        .filename = (int64_t)v[MAPPING_FILENAME],
        .build_id = (int64_t)v[MAPPING_BUILD_ID],
        .offset = f->offset,
        .broken = in.broken,
    };
    for (unsigned i = 0; i < LOOSE_FLAGS; i++)
        mapping.has[i] = v[MAPPING_HAS_FUNCTIONS + i] != 0;
    return vec_push(&m->mappings, mapping);
}

static bool add_function(struct loose *m, const struct loosely *l,
                         const struct loosely_field *f)
{
    uint64_t v[FUNCTION_START_LINE + 1];
    struct loosely in = loosely_inner(l, f, LOOSE_FUNCTION, m->functions.n, 0);
    loosely_numbers(&in, v, FUNCTION_START_LINE);
    struct loose_function function = {
        .id = v[FUNCTION_ID],
        .name = (int64_t)v[FUNCTION_NAME],
        .system_name = (int64_t)v[FUNCTION_SYSTEM_NAME],
        .filename = (int64_t)v[FUNCTION_FILENAME],
        .start_line = (int64_t)v[FUNCTION_START_LINE],
        .offset = f->offset,
        .broken = in.broken,
    };
    return vec_push(&m->functions, function);
}

static bool add_line(struct loose *m, struct loosely *l,
                     const struct loosely_field *f,
                     const struct loose_location *of)
{
    uint64_t v[LINE_COLUMN + 1];
    struct loosely in = loosely_inner(l, f, LOOSE_LINE, m->locations.n,
                                      m->lines.n - of->line_off);
    loosely_numbers(&in, v, LINE_COLUMN);
    l->broken = l->broken || in.broken;
    struct loose_line line = {v[LINE_FUNCTION_ID], (int64_t)v[LINE_LINE],
                              (int64_t)v[LINE_COLUMN], f->offset};
    return vec_push(&m->lines, line);
}

static bool location_field(struct loose *m, struct loosely *l,
                           const struct loosely_field *f,
                           struct loose_location *to)
{
    if (f->number > LOCATION_IS_FOLDED) {
        loosely_tell(l, LOOSE_UNKNOWN, f, 0);
        return true;
    }
    if (f->number == LOCATION_LINE)
        return !loosely_is(l, f, WIRE_BYTES) || add_line(m, l, f, to);
    if (!loosely_is(l, f, WIRE_VARINT))
        return true;
    loosely_once(l, f);
    switch (f->number) {
    case LOCATION_ID:
        to->id = f->value;
        return true;
    case LOCATION_MAPPING_ID:
        to->mapping_id = f->value;
        return true;
    case LOCATION_ADDRESS:
        to->address = f->value;
        return true;
    default:
        to->is_folded = f->value != 0;
        return true;
    }
}

static bool add_location(struct loose *m, const struct loosely *l,
                         const struct loosely_field *f)
{
    struct loosely in = loosely_inner(l, f, LOOSE_LOCATION, m->locations.n, 0);
    struct loose_location location = {.line_off = m->lines.n,
                                      .offset = f->offset};
    struct loosely_field field;
    while (loosely_field(&in, &field))
        if (!location_field(m, &in, &field, &location))
            return false;
    location.n_lines = m->lines.n - location.line_off;
    location.broken = in.broken;
    return vec_push(&m->locations, location);
}

static bool add_string(struct loose *m, const struct loosely_field *f)
{
    struct loose_string s = {(size_t)(f->bytes - m->data), (size_t)f->value};
    return vec_push(&m->strings, s);
}

static bool add_comments(struct loose *m, struct loosely *l,
                         const struct loosely_field *f)
{
    struct loose_comment c = {(int64_t)f->value, f->offset};
    if (!f->bytes)
        return !loosely_is(l, f, WIRE_VARINT) || vec_push(&m->comments, c);
    struct wire w = {f->bytes, f->bytes + f->value, m->data};
    uint64_t index;
    while (!wire_done(&w)) {
        c.offset = wire_offset(&w);
        if (!loosely_number(l, &w, &index))
            break;
        c.index = (int64_t)index;
        if (!vec_push(&m->comments, c))
            return false;
    }
    return true;
}

/* A field that has a message or a string. */
static bool add_bytes(struct loose *m, struct loosely *l,
                      const struct loosely_field *f)
{
    if (!loosely_is(l, f, WIRE_BYTES))
        return true;
    switch (f->number) {
    case PROFILE_SAMPLE_TYPE:
        return add_type(m, l, f);
    case PROFILE_SAMPLE:
        if (!m->n_samples++)
            m->first_sample = f->offset;
        return true;
    case PROFILE_MAPPING:
        return add_mapping(m, l, f);
    case PROFILE_LOCATION:
        return add_location(m, l, f);
    case PROFILE_FUNCTION:
        return add_function(m, l, f);
    case PROFILE_STRING_TABLE:
        return add_string(m, f);
    default: {
        struct loosely in = loosely_inner(l, f, LOOSE_PERIOD_TYPE, 0, 0);
        loosely_once(l, f);
        m->period_type = value_type(&in, f->offset);
        return m->has_period_type = true;
    }
    }
}

static bool field(struct loose *m, struct loosely *l,
                  const struct loosely_field *f)
{
    if (f->number > PROFILE_DOC_URL) {
        loosely_tell(l, LOOSE_UNKNOWN, f, 0);
        return true;
    }
    if (f->number == PROFILE_COMMENT)
        return add_comments(m, l, f);
    if (f->number < PROFILE_DROP_FRAMES || f->number == PROFILE_PERIOD_TYPE)
        return add_bytes(m, l, f);
    if (loosely_is(l, f, WIRE_VARINT)) {
        loosely_once(l, f);
        m->header[f->number] = (struct loose_number){f->value, f->offset};
    }
    return true;
}

bool loose_read(struct loose *m, const uint8_t *data, size_t n,
                const struct loose_faults *faults, struct err *err)
{
    struct loosely l = {.w = wire_of(data, n), .faults = faults};
    struct loosely_field f;
    memset(m, 0, sizeof *m);
    m->data = data;
    m->n = n;
    for (;;) {
        size_t at = wire_offset(&l.w);
        if (!loosely_field(&l, &f)) {
            m->lost = n - at;
            return true;
        }
        if (!field(m, &l, &f))
            return err_nomem(err);
    }
}

void loose_free(struct loose *m)
{
    vec_free(&m->strings);
    vec_free(&m->types);
    vec_free(&m->mappings);
    vec_free(&m->functions);
    vec_free(&m->locations);
    vec_free(&m->lines);
    vec_free(&m->comments);
}
