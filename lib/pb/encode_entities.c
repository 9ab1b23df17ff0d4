/* What samples refer to, and the header, to the wire. */
#include "pb/encoder.h"
#include "pb/put.h"

enum {
    SCALARS_MAX = 12 * (PUT_VARINT_MAX + 1),   /* a message of numbers */
    A_LINE_MAX = 2 + 3 * (PUT_VARINT_MAX + 1), /* of a location, whole */
    HEADER_MAX = 2 * SCALARS_MAX,
};

/* Room for k more bytes; null when memory is out. */
static uint8_t *room(struct buf *out, size_t k)
{
    return buf_reserve(out, k) ? out->v + out->n : NULL;
}

static void take(struct buf *out, const uint8_t *end)
{
    out->n = (size_t)(end - out->v);
}

static uint8_t *put_value_type(const struct pb_encoder *e, uint8_t *at,
                               unsigned number,
                               const struct prof_value_type *vt)
{
    uint8_t *body = put_begin(at, number, 1), *end = body;
    end = put_number(end, VALUE_TYPE_TYPE, e->index[vt->type]);
    end = put_number(end, VALUE_TYPE_UNIT, e->index[vt->unit]);
    return put_end_short(body, end);
}

bool encode_types(const struct pb_encoder *e, size_t from, size_t to,
                  struct buf *out)
{
    for (size_t i = from; i < to; i++) {
        uint8_t *at = room(out, SCALARS_MAX);
        if (!at)
            return false;
        take(out, put_value_type(e, at, PROFILE_SAMPLE_TYPE, &e->p->types[i]));
    }
    return true;
}

bool encode_mappings(const struct pb_encoder *e, size_t from, size_t to,
                     struct buf *out)
{
    for (size_t i = from; i < to; i++) {
        const struct prof_mapping *m = &e->p->mappings[i];
        uint8_t *at = room(out, SCALARS_MAX);
        if (!at)
            return false;
        uint8_t *body = put_begin(at, PROFILE_MAPPING, 1);
        at = put_number(body, MAPPING_ID, i + 1);
        at = put_number(at, MAPPING_START, m->start);
        at = put_number(at, MAPPING_LIMIT, m->limit);
        at = put_number(at, MAPPING_OFFSET, m->offset);
        at = put_number(at, MAPPING_FILENAME, e->index[m->filename]);
        at = put_number(at, MAPPING_BUILD_ID, e->index[m->build_id]);
        at = put_number(at, MAPPING_HAS_FUNCTIONS, m->has_functions);
        at = put_number(at, MAPPING_HAS_FILENAMES, m->has_filenames);
        at = put_number(at, MAPPING_HAS_LINE_NUMBERS, m->has_line_numbers);
        at = put_number(at, MAPPING_HAS_INLINE_FRAMES, m->has_inline_frames);
        take(out, put_end_short(body, at));
    }
    return true;
}

static uint8_t *put_line(uint8_t *at, const struct prof_line *l)
{
    uint8_t *body = put_begin(at, LOCATION_LINE, 1), *end = body;
    if (l->function != PROF_NONE)
        end = put_number(end, LINE_FUNCTION_ID, (uint64_t)l->function + 1);
    end = put_number(end, LINE_LINE, (uint64_t)l->line);
    end = put_number(end, LINE_COLUMN, (uint64_t)l->column);
    return put_end_short(body, end);
}

bool encode_locations(const struct pb_encoder *e, size_t from, size_t to,
                      struct buf *out)
{
    for (size_t i = from; i < to; i++) {
        const struct prof_location *l = &e->p->locations[i];
        size_t n = l->n_lines, most = (SIZE_MAX - SCALARS_MAX) / A_LINE_MAX;
        uint8_t *at =
            n <= most ? room(out, SCALARS_MAX + n * A_LINE_MAX) : NULL;
        if (!at)
            return false;
        uint8_t *body = put_begin(at, PROFILE_LOCATION, 1);
        at = put_number(body, LOCATION_ID, i + 1);
        if (l->mapping != PROF_NONE)
            at = put_number(at, LOCATION_MAPPING_ID, (uint64_t)l->mapping + 1);
        at = put_number(at, LOCATION_ADDRESS, l->address);
        for (size_t k = 0; k < n; k++)
            at = put_line(at, &e->p->lines[l->line_off + k]);
        at = put_number(at, LOCATION_IS_FOLDED, l->is_folded);
        take(out, put_end_short(body, at));
    }
    return true;
}

bool encode_functions(const struct pb_encoder *e, size_t from, size_t to,
                      struct buf *out)
{
    for (size_t i = from; i < to; i++) {
        const struct prof_function *f = &e->p->functions[i];
        uint8_t *at = room(out, SCALARS_MAX);
        if (!at)
            return false;
        uint8_t *body = put_begin(at, PROFILE_FUNCTION, 1);
        at = put_number(body, FUNCTION_ID, i + 1);
        at = put_number(at, FUNCTION_NAME, e->index[f->name]);
        at = put_number(at, FUNCTION_SYSTEM_NAME, e->index[f->system_name]);
        at = put_number(at, FUNCTION_FILENAME, e->index[f->filename]);
        at = put_number(at, FUNCTION_START_LINE, (uint64_t)f->start_line);
        take(out, put_end_short(body, at));
    }
    return true;
}

/* Item 0 is the empty string, which is no entry of e->strings. */
bool encode_strings(const struct pb_encoder *e, size_t from, size_t to,
                    struct buf *out)
{
    for (size_t i = from; i < to; i++) {
        uint32_t id = i ? e->strings.v[i - 1] : 0;
        size_t n = strtab_len(&e->p->strings, id);
        uint8_t *at = room(out, n + 1 + PUT_VARINT_MAX);
        if (!at)
            return false;
        at = put_varint(put_tag(at, PROFILE_STRING_TABLE, WIRE_BYTES), n);
        memcpy(at, strtab_str(&e->p->strings, id), n);
        take(out, at + n);
    }
    return true;
}

bool encode_header(const struct pb_encoder *e, size_t from, size_t to,
                   struct buf *out)
{
    const struct profile *p = e->p;
    const struct prof_value_type *period = &p->period_type;
    if (from == to)
        return true;
    uint8_t *at = room(out, HEADER_MAX + PUT_VARINT_MAX * p->n_comments);
    if (!at)
        return false;
    at = put_number(at, PROFILE_DROP_FRAMES, e->index[p->drop_frames]);
    at = put_number(at, PROFILE_KEEP_FRAMES, e->index[p->keep_frames]);
    at = put_number(at, PROFILE_TIME_NANOS, (uint64_t)p->time_nanos);
    at = put_number(at, PROFILE_DURATION_NANOS, (uint64_t)p->duration_nanos);
    if (period->type || period->unit)
        at = put_value_type(e, at, PROFILE_PERIOD_TYPE, period);
    at = put_number(at, PROFILE_PERIOD, (uint64_t)p->period);
    if (p->n_comments) {
        uint8_t *body = put_begin(at, PROFILE_COMMENT, 1);
        at = body;
        for (size_t i = 0; i < p->n_comments; i++)
            at = put_varint(at, e->index[p->comments[i]]);
        at = put_end_short(body, at);
    }
    at = put_number(at, PROFILE_DEFAULT_SAMPLE_TYPE,
                    e->index[p->default_sample_type]);
    at = put_number(at, PROFILE_DOC_URL, e->index[p->doc_url]);
    take(out, at);
    return true;
}
