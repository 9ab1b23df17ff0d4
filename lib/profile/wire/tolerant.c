/* tolerant.c - reads a damaged profile.proto message as far as possible */
#include "profile/wire/tolerant.h"

#include <string.h>

#include "profile/wire/schema.h"

enum {
    NUMBER_MAX = 10, /* longest number, in bytes */
    LOOKED_AT = 8,   /* fields that show whether a message is a profile */
};

/* --- fields */

/* A message that is being read, and where to report its faults. */
struct reader {
    struct wire w; /* the rest of it */
    const struct tolerant_faults *faults;
    enum tolerant_kind in;
    size_t index, inner;
    bool broken; /* a part of it could not be read */
    size_t lost; /* bytes at its end that cannot be read */
};

static const struct schema_type *const messages[TOLERANT_KINDS] = {
    [TOLERANT_PROFILE] = &schema_profile,
    [TOLERANT_SAMPLE_TYPE] = &schema_value_type,
    [TOLERANT_PERIOD_TYPE] = &schema_value_type,
    [TOLERANT_SAMPLE] = &schema_sample,
    [TOLERANT_LABEL] = &schema_label,
    [TOLERANT_MAPPING] = &schema_mapping,
    [TOLERANT_LOCATION] = &schema_location,
    [TOLERANT_LINE] = &schema_line,
    [TOLERANT_FUNCTION] = &schema_function,
};

struct field {
    uint32_t key, number;
    uint64_t value;       /* or the number of bytes */
    const uint8_t *bytes; /* null: a number */
    size_t offset;
};

static void report(const struct reader *r, enum tolerant_fault_kind kind,
                   const struct field *f, size_t lost)
{
    if (!r->faults)
        return;
    const struct tolerant_fault fault = {.kind = kind,
                                         .in = r->in,
                                         .index = r->index,
                                         .inner = r->inner,
                                         .offset = f->offset,
                                         .field = f->number,
                                         .wire_type = f->key & 7,
                                         .lost = lost};
    r->faults->report(r->faults->ctx, &fault);
}

/* Returns the end of the number at p, or null if the message ends before it. */
static const uint8_t *end_of_number(const uint8_t *p, const uint8_t *end)
{
    for (; p != end; p++)
        if (*p < 0x80)
            return p + 1;
    return NULL;
}

/*
 * Returns whether the field at `at`, which cannot be read, is cut off.  If not,
 * no further bytes could complete it.
 */
static bool is_cut(const uint8_t *at, const uint8_t *end)
{
    struct wire w = {at, end, at};
    uint64_t tag;
    if (!wire_varint(&w, &tag, NULL))
        return end - at < NUMBER_MAX;
    if (tag > UINT32_MAX || !(tag >> 3))
        return false;
    const uint8_t *p = w.at, *q;
    switch (tag & 7) {
    case WIRE_FIXED64:
    case WIRE_FIXED32:
        return true;
    case WIRE_VARINT:
        return !end_of_number(p, end) && end - p < NUMBER_MAX;
    case WIRE_BYTES:
        q = end_of_number(p, end);
        return q ? q - p <= NUMBER_MAX : end - p < NUMBER_MAX;
    default:
        return false;
    }
}

/* Reads a field.  Returns false at the end, or if the rest cannot be read. */
static bool next_field(struct reader *r, struct field *f)
{
    const uint8_t *from = r->w.at, *end = r->w.end;
    if (from == end)
        return false;
    const uint8_t *at = scan_field(from, &r->w, end, &f->key, &f->value, NULL);
    if (!at) {
        struct field lost = {.offset = wire_offset(&r->w)};
        r->broken = true;
        r->lost = (size_t)(end - from);
        r->w.at = end;
        report(r, is_cut(from, end) ? TOLERANT_CUT : TOLERANT_NO_FIELD, &lost,
               r->lost);
        return false;
    }
    f->number = f->key >> 3;
    f->offset = wire_offset(&r->w);
    f->bytes = (f->key & 7) == WIRE_BYTES ? at : NULL;
    r->w.at = at + scan_rest(f->key, f->value);
    return true;
}

/* Reads the next packed number in *w, which must have one; else likewise. */
static bool next_number(struct reader *r, struct wire *w, uint64_t *value)
{
    const uint8_t *at = scan_number(w->at, w, r->w.end, value, NULL);
    if (!at) {
        struct field lost = {.offset = wire_offset(w)};
        size_t n = wire_left(w);
        r->broken = true;
        w->at = w->end;
        report(r, n < NUMBER_MAX ? TOLERANT_CUT : TOLERANT_NO_FIELD, &lost, n);
        return false;
    }
    w->at = at;
    return true;
}

/*
 * Reads the next field that the schema has, with a wire type that it may have.
 * Others are reported and skipped.
 */
static bool next_known(struct reader *r, struct field *f)
{
    while (next_field(r, f)) {
        const struct schema_field *known =
            schema_find(messages[r->in], f->number);
        if (known && schema_takes(known, f->key & 7))
            return true;
        r->broken = r->broken || known;
        report(r, known ? TOLERANT_WIRE_TYPE : TOLERANT_UNKNOWN, f, 0);
    }
    return false;
}

/* Returns a reader of the message in a field. */
static struct reader inner_message(const struct reader *r,
                                   const struct field *f, enum tolerant_kind in,
                                   size_t index, size_t inner)
{
    return (struct reader){
        .w = {f->bytes, f->bytes + f->value, r->w.base},
        .faults = r->faults,
        .in = in,
        .index = index,
        .inner = inner,
    };
}

/* Reads a message of numbers into numbers[], by field; 0: missing. */
static void read_numbers(struct reader *r, uint64_t numbers[SCHEMA_NUMBERS])
{
    struct field f;
    memset(numbers, 0, SCHEMA_NUMBERS * sizeof *numbers);
    while (next_known(r, &f))
        numbers[f.number] = f.value;
}

/* --- all but samples */

static struct tolerant_type value_type(const struct reader *r,
                                       const struct field *f,
                                       enum tolerant_kind in, size_t index)
{
    uint64_t v[SCHEMA_NUMBERS];
    struct reader type = inner_message(r, f, in, index, 0);
    read_numbers(&type, v);
    return (struct tolerant_type){(int64_t)v[VALUE_TYPE_TYPE],
                                  (int64_t)v[VALUE_TYPE_UNIT], f->offset};
}

static bool add_mapping(struct tolerant *m, const struct reader *r,
                        const struct field *f)
{
    uint64_t v[SCHEMA_NUMBERS];
    struct reader in = inner_message(r, f, TOLERANT_MAPPING, m->mappings.n, 0);
    read_numbers(&in, v);
    struct tolerant_mapping mapping = {
        .id = v[MAPPING_ID],
        .start = v[MAPPING_START],
        .limit = v[MAPPING_LIMIT],
        .file_offset = v[MAPPING_OFFSET],
        .filename = (int64_t)v[MAPPING_FILENAME],
        .build_id = (int64_t)v[MAPPING_BUILD_ID],
        .offset = f->offset,
    };
    for (unsigned i = 0; i < TOLERANT_FLAGS; i++)
        mapping.has[i] = v[MAPPING_HAS_FUNCTIONS + i] != 0;
    return vec_push(&m->mappings, mapping);
}

static bool add_function(struct tolerant *m, const struct reader *r,
                         const struct field *f)
{
    uint64_t v[SCHEMA_NUMBERS];
    struct reader in =
        inner_message(r, f, TOLERANT_FUNCTION, m->functions.n, 0);
    read_numbers(&in, v);
    struct tolerant_function function = {
        .id = v[FUNCTION_ID],
        .name = (int64_t)v[FUNCTION_NAME],
        .system_name = (int64_t)v[FUNCTION_SYSTEM_NAME],
        .filename = (int64_t)v[FUNCTION_FILENAME],
        .start_line = (int64_t)v[FUNCTION_START_LINE],
        .offset = f->offset,
    };
    return vec_push(&m->functions, function);
}

/* Adds a line to the location that is added next. */
static bool add_line(struct tolerant *m, const struct reader *r,
                     const struct field *f, struct tolerant_location *of)
{
    uint64_t v[SCHEMA_NUMBERS];
    struct reader in =
        inner_message(r, f, TOLERANT_LINE, m->locations.n, of->n_lines++);
    read_numbers(&in, v);
    struct tolerant_line line = {v[LINE_FUNCTION_ID], (int64_t)v[LINE_LINE],
                                 (int64_t)v[LINE_COLUMN], f->offset};
    return vec_push(&m->lines, line);
}

static bool add_location(struct tolerant *m, const struct reader *r,
                         const struct field *f)
{
    struct reader in =
        inner_message(r, f, TOLERANT_LOCATION, m->locations.n, 0);
    struct tolerant_location location = {.line_off = m->lines.n,
                                         .offset = f->offset};
    struct field part;
    while (next_known(&in, &part)) {
        if (part.number == LOCATION_ID)
            location.id = part.value;
        else if (part.number == LOCATION_MAPPING_ID)
            location.mapping_id = part.value;
        else if (part.number == LOCATION_ADDRESS)
            location.address = part.value;
        else if (part.number == LOCATION_IS_FOLDED)
            location.is_folded = part.value != 0;
        else if (!add_line(m, &in, &part, &location))
            return false;
    }
    return vec_push(&m->locations, location);
}

static bool add_comments(struct tolerant *m, struct reader *r,
                         const struct field *f)
{
    struct tolerant_comment c = {(int64_t)f->value, f->offset};
    if (!f->bytes)
        return vec_push(&m->comments, c);
    struct wire w = {f->bytes, f->bytes + f->value, m->data};
    uint64_t index;
    while (!wire_done(&w)) {
        c.offset = wire_offset(&w);
        if (!next_number(r, &w, &index))
            break;
        c.index = (int64_t)index;
        if (!vec_push(&m->comments, c))
            return false;
    }
    return true;
}

/* Adds a field.  *seen has a bit for each field number that came before. */
static bool profile_field(struct tolerant *m, struct reader *r,
                          const struct field *f, uint32_t *seen)
{
    switch (f->number) {
    case PROFILE_SAMPLE_TYPE: {
        struct tolerant_type type =
            value_type(r, f, TOLERANT_SAMPLE_TYPE, m->types.n);
        return vec_push(&m->types, type);
    }
    case PROFILE_SAMPLE:
        if (!m->n_samples++)
            m->next_sample = f->offset;
        return true;
    case PROFILE_MAPPING:
        return add_mapping(m, r, f);
    case PROFILE_LOCATION:
        return add_location(m, r, f);
    case PROFILE_FUNCTION:
        return add_function(m, r, f);
    case PROFILE_STRING_TABLE: {
        struct tolerant_string string = {(size_t)(f->bytes - m->data),
                                         (size_t)f->value};
        return vec_push(&m->strings, string);
    }
    case PROFILE_PERIOD_TYPE:
        m->period_type = value_type(r, f, TOLERANT_PERIOD_TYPE, 0);
        return m->has_period_type = true;
    case PROFILE_COMMENT:
        return add_comments(m, r, f);
    default:
        if (*seen >> f->number & 1)
            report(r, TOLERANT_TWICE, f, 0);
        *seen |= (uint32_t)1 << f->number;
        m->header[f->number] = (struct tolerant_number){f->value, f->offset};
        return true;
    }
}

bool tolerant_read(struct tolerant *m, const uint8_t *data, size_t n,
                   const struct tolerant_faults *faults, struct prof_err *err)
{
    struct reader r = {.w = wire_of(data, n), .faults = faults};
    struct field f;
    uint32_t seen = 0;
    memset(m, 0, sizeof *m);
    m->data = data;
    m->n = n;
    while (next_known(&r, &f))
        if (!profile_field(m, &r, &f, &seen))
            return err_nomem(err);
    m->lost = r.lost;
    return true;
}

void tolerant_free(struct tolerant *m)
{
    vec_free(&m->strings);
    vec_free(&m->types);
    vec_free(&m->mappings);
    vec_free(&m->functions);
    vec_free(&m->locations);
    vec_free(&m->lines);
    vec_free(&m->comments);
    vec_free(&m->sample.ids);
    vec_free(&m->sample.values);
    vec_free(&m->sample.labels);
}

/* --- samples */

static bool push_number(struct tolerant_sample *s, uint32_t number,
                        uint64_t value)
{
    return number == SAMPLE_LOCATION_ID ? vec_push(&s->ids, value)
                                        : vec_push(&s->values, (int64_t)value);
}

static bool add_label(struct tolerant_sample *s, struct reader *r,
                      const struct field *f)
{
    uint64_t v[SCHEMA_NUMBERS];
    struct reader in =
        inner_message(r, f, TOLERANT_LABEL, s->index, s->labels.n);
    read_numbers(&in, v);
    r->broken = r->broken || in.broken;
    struct tolerant_label label = {
        .key = (int64_t)v[LABEL_KEY],
        .str = (int64_t)v[LABEL_STR],
        .num = (int64_t)v[LABEL_NUM],
        .unit = (int64_t)v[LABEL_NUM_UNIT],
        .offset = f->offset,
    };
    return vec_push(&s->labels, label);
}

/* Adds a label, or numbers, which may be packed. */
static bool sample_field(struct tolerant_sample *s, struct reader *r,
                         const struct field *f)
{
    if (f->number == SAMPLE_LABEL)
        return add_label(s, r, f);
    if (!f->bytes)
        return push_number(s, f->number, f->value);
    struct wire w = {f->bytes, f->bytes + f->value, r->w.base};
    uint64_t value;
    while (!wire_done(&w) && next_number(r, &w, &value))
        if (!push_number(s, f->number, value))
            return false;
    return true;
}

int tolerant_next_sample(struct tolerant *m,
                         const struct tolerant_faults *faults,
                         struct prof_err *err)
{
    struct tolerant_sample *s = &m->sample;
    struct reader all = {.w = wire_of(m->data, m->n)};
    struct field f = {0};
    if (m->n_read == m->n_samples)
        return 0;
    /* tolerant_read() has counted it, and reported what precedes it. */
    all.w.at += m->next_sample;
    while (next_field(&all, &f) && (f.number != PROFILE_SAMPLE || !f.bytes))
        ;
    m->next_sample = wire_offset(&all.w);
    s->index = m->n_read++;
    s->offset = f.offset;
    s->ids.n = s->values.n = s->labels.n = 0;
    all.faults = faults;
    struct reader r = inner_message(&all, &f, TOLERANT_SAMPLE, s->index, 0);
    while (next_known(&r, &f)) {
        if (!sample_field(s, &r, &f)) {
            err_nomem(err);
            return -1;
        }
    }
    s->broken = r.broken;
    return 1;
}

/* --- names, and what a message is */

const char *tolerant_field_name(enum tolerant_kind kind, uint32_t number)
{
    const struct schema_field *f = schema_find(messages[kind], number);
    return f ? f->name : NULL;
}

bool prof_begins(const uint8_t *data, size_t n)
{
    struct reader r = {.w = wire_of(data, n)};
    bool any = false;
    for (int i = 0; i < LOOKED_AT && !wire_done(&r.w); i++) {
        struct field f = {.key = *r.w.at}; /* if the field is cut off */
        bool cut = !next_field(&r, &f);
        const struct schema_field *known =
            schema_find(&schema_profile, f.key >> 3);
        if (known ? !schema_takes(known, f.key & 7) : cut)
            return false;
        any = any || known;
    }
    return any;
}

bool prof_is_message(const uint8_t *data, size_t n)
{
    struct reader r = {.w = wire_of(data, n)};
    struct field f;
    while (next_field(&r, &f))
        ;
    return !r.broken;
}
