/* Columns to profile.proto, in the order of the schema. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "pb/decoder.h"
#include "pb/pb.h"

enum {
    FLUSH_AT = 32 * 1024, /* bytes kept back before the sink gets them */
    VARINT_MAX = 10,
    SCALARS_MAX = 12 * (VARINT_MAX + 1), /* a message of numbers only */
};

struct encoder {
    const struct profile *p;
    const uint32_t *order; /* of the samples; or null */
    struct sink *to;
    struct err *err;
    struct buf out;        /* finished fields, not yet given to the sink */
    struct buf message;    /* the message being made */
    uint32_t *index;       /* in the string table, by string id; 0: none yet */
    VEC(uint32_t) strings; /* string ids in order of first use */
};

static uint8_t *put_varint(uint8_t *at, uint64_t v)
{
    while (v >= 0x80) {
        *at++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *at++ = (uint8_t)v;
    return at;
}

static uint8_t *put_tag(uint8_t *at, unsigned number, enum wire_type type)
{
    return put_varint(at, number << 3 | (unsigned)type);
}

/* A number, left out when it is 0 as proto3 does. */
static uint8_t *put_number(uint8_t *at, unsigned number, uint64_t v)
{
    if (!v)
        return at;
    return put_varint(put_tag(at, number, WIRE_VARINT), v);
}

/* The string's place in the table, made at its first use. */
static bool string_index(struct encoder *e, uint32_t id, uint64_t *index)
{
    *index = 0;
    if (!id)
        return true;
    if (!e->index[id]) {
        if (!vec_push(&e->strings, id))
            return err_nomem(e->err);
        e->index[id] = (uint32_t)e->strings.n;
    }
    *index = e->index[id];
    return true;
}

static bool put_string_ref(struct encoder *e, uint8_t **at, unsigned number,
                           uint32_t id)
{
    uint64_t index;
    if (!string_index(e, id, &index))
        return false;
    *at = put_number(*at, number, index);
    return true;
}

static bool flush(struct encoder *e, size_t keep)
{
    if (e->out.n <= keep)
        return true;
    if (!sink_write(e->to, e->out.v, e->out.n, e->err))
        return false;
    e->out.n = 0;
    return true;
}

/* Appends a length-delimited field to the output. */
static bool put_field(struct encoder *e, unsigned number, const void *bytes,
                      size_t n)
{
    uint8_t head[2 * VARINT_MAX];
    uint8_t *end = put_varint(put_tag(head, number, WIRE_BYTES), n);
    if (!buf_put(&e->out, head, (size_t)(end - head)) ||
        !buf_put(&e->out, bytes, n))
        return err_nomem(e->err);
    return flush(e, FLUSH_AT);
}

/* Appends e->message up to `end` as a field of the profile. */
static bool put_message(struct encoder *e, unsigned number, uint8_t *end)
{
    return put_field(e, number, e->message.v, (size_t)(end - e->message.v));
}

/* An empty e->message with room for n bytes; null when memory is out. */
static uint8_t *begin(struct encoder *e, size_t n)
{
    e->message.n = 0;
    if (!buf_reserve(&e->message, n)) {
        err_nomem(e->err);
        return NULL;
    }
    return e->message.v;
}

static bool value_type(struct encoder *e, unsigned number,
                       const struct prof_value_type *vt)
{
    uint8_t *at = begin(e, SCALARS_MAX);
    return at && put_string_ref(e, &at, VALUE_TYPE_TYPE, vt->type) &&
           put_string_ref(e, &at, VALUE_TYPE_UNIT, vt->unit) &&
           put_message(e, number, at);
}

/*
 * A packed field of numbers written straight at `at`; the length goes in
 * front of bytes that are moved up when it takes more than one.
 */
static uint8_t *put_packed_ids(uint8_t *at, unsigned number, const uint32_t *v,
                               size_t n)
{
    if (!n)
        return at;
    at = put_tag(at, number, WIRE_BYTES);
    uint8_t *body = at + 1, *end = body;
    for (size_t i = 0; i < n; i++)
        end = put_varint(end, (uint64_t)v[i] + 1);
    size_t len = (size_t)(end - body);
    if (len >= 0x80) {
        uint8_t head[VARINT_MAX];
        size_t k = (size_t)(put_varint(head, len) - head);
        memmove(at + k, body, len);
        memcpy(at, head, k);
        return at + k + len;
    }
    *at = (uint8_t)len;
    return end;
}

static uint8_t *put_packed_values(uint8_t *at, unsigned number,
                                  const int64_t *v, size_t n)
{
    if (!n)
        return at;
    at = put_tag(at, number, WIRE_BYTES);
    size_t len = 0;
    uint8_t scratch[VARINT_MAX];
    for (size_t i = 0; i < n; i++)
        len += (size_t)(put_varint(scratch, (uint64_t)v[i]) - scratch);
    at = put_varint(at, len);
    for (size_t i = 0; i < n; i++)
        at = put_varint(at, (uint64_t)v[i]);
    return at;
}

static bool put_label(struct encoder *e, uint8_t **at,
                      const struct prof_label *l)
{
    uint8_t body[SCALARS_MAX], *end = body;
    if (!put_string_ref(e, &end, LABEL_KEY, l->key) ||
        !put_string_ref(e, &end, LABEL_STR, l->str))
        return false;
    end = put_number(end, LABEL_NUM, (uint64_t)l->num);
    if (!put_string_ref(e, &end, LABEL_NUM_UNIT, l->unit))
        return false;
    size_t n = (size_t)(end - body);
    *at = put_varint(put_tag(*at, SAMPLE_LABEL, WIRE_BYTES), n);
    memcpy(*at, body, n);
    *at += n;
    return true;
}

static bool sample(struct encoder *e, size_t s)
{
    const struct profile *p = e->p;
    size_t depth = prof_depth(p, s), nt = p->n_types;
    size_t first = (size_t)p->labelset_off[p->labelset[s]];
    size_t past = (size_t)p->labelset_off[p->labelset[s] + 1];
    /* Ids are below 2^32 + 1: five bytes each. */
    uint8_t *at = begin(e, 5 * depth + VARINT_MAX * (nt + 4) +
                               (past - first) * (SCALARS_MAX + 2 * VARINT_MAX));
    if (!at)
        return false;
    at = put_packed_ids(at, SAMPLE_LOCATION_ID, prof_stack(p, s), depth);
    at = put_packed_values(at, SAMPLE_VALUE, p->values + s * nt, nt);
    for (size_t i = first; i < past; i++)
        if (!put_label(e, &at, &p->labels[i]))
            return false;
    return put_message(e, PROFILE_SAMPLE, at);
}

static bool mapping(struct encoder *e, size_t i)
{
    const struct prof_mapping *m = &e->p->mappings[i];
    uint8_t *at = begin(e, SCALARS_MAX);
    if (!at)
        return false;
    at = put_number(at, MAPPING_ID, i + 1);
    at = put_number(at, MAPPING_START, m->start);
    at = put_number(at, MAPPING_LIMIT, m->limit);
    at = put_number(at, MAPPING_OFFSET, m->offset);
    if (!put_string_ref(e, &at, MAPPING_FILENAME, m->filename) ||
        !put_string_ref(e, &at, MAPPING_BUILD_ID, m->build_id))
        return false;
    at = put_number(at, MAPPING_HAS_FUNCTIONS, m->has_functions);
    at = put_number(at, MAPPING_HAS_FILENAMES, m->has_filenames);
    at = put_number(at, MAPPING_HAS_LINE_NUMBERS, m->has_line_numbers);
    at = put_number(at, MAPPING_HAS_INLINE_FRAMES, m->has_inline_frames);
    return put_message(e, PROFILE_MAPPING, at);
}

static uint8_t *put_line(uint8_t *at, const struct prof_line *l)
{
    uint8_t body[SCALARS_MAX], *end = body;
    if (l->function != PROF_NONE)
        end = put_number(end, LINE_FUNCTION_ID, (uint64_t)l->function + 1);
    end = put_number(end, LINE_LINE, (uint64_t)l->line);
    end = put_number(end, LINE_COLUMN, (uint64_t)l->column);
    size_t n = (size_t)(end - body);
    at = put_varint(put_tag(at, LOCATION_LINE, WIRE_BYTES), n);
    memcpy(at, body, n);
    return at + n;
}

static bool location(struct encoder *e, size_t i)
{
    const struct prof_location *l = &e->p->locations[i];
    uint8_t *at = begin(e, SCALARS_MAX + (size_t)l->n_lines * SCALARS_MAX);
    if (!at)
        return false;
    at = put_number(at, LOCATION_ID, i + 1);
    if (l->mapping != PROF_NONE)
        at = put_number(at, LOCATION_MAPPING_ID, (uint64_t)l->mapping + 1);
    at = put_number(at, LOCATION_ADDRESS, l->address);
    for (size_t k = 0; k < l->n_lines; k++)
        at = put_line(at, &e->p->lines[l->line_off + k]);
    at = put_number(at, LOCATION_IS_FOLDED, l->is_folded);
    return put_message(e, PROFILE_LOCATION, at);
}

static bool function(struct encoder *e, size_t i)
{
    const struct prof_function *f = &e->p->functions[i];
    uint8_t *at = begin(e, SCALARS_MAX);
    if (!at)
        return false;
    at = put_number(at, FUNCTION_ID, i + 1);
    if (!put_string_ref(e, &at, FUNCTION_NAME, f->name) ||
        !put_string_ref(e, &at, FUNCTION_SYSTEM_NAME, f->system_name) ||
        !put_string_ref(e, &at, FUNCTION_FILENAME, f->filename))
        return false;
    at = put_number(at, FUNCTION_START_LINE, (uint64_t)f->start_line);
    return put_message(e, PROFILE_FUNCTION, at);
}

/* Fields of the profile that come after the string table. */
struct tail {
    uint64_t drop_frames, keep_frames, default_sample_type, doc_url;
    struct buf comments; /* a packed list of indices */
};

/* Their strings enter the table before it is written. */
static bool tail_strings(struct encoder *e, struct tail *t)
{
    const struct profile *p = e->p;
    uint64_t unused, index;
    if (!string_index(e, p->drop_frames, &t->drop_frames) ||
        !string_index(e, p->keep_frames, &t->keep_frames) ||
        !string_index(e, p->period_type.type, &unused) ||
        !string_index(e, p->period_type.unit, &unused))
        return false;
    for (size_t i = 0; i < p->n_comments; i++) {
        uint8_t number[VARINT_MAX];
        if (!string_index(e, p->comments[i], &index))
            return false;
        size_t n = (size_t)(put_varint(number, index) - number);
        if (!buf_put(&t->comments, number, n))
            return err_nomem(e->err);
    }
    return string_index(e, p->default_sample_type, &t->default_sample_type) &&
           string_index(e, p->doc_url, &t->doc_url);
}

static bool string_table(struct encoder *e)
{
    if (!put_field(e, PROFILE_STRING_TABLE, "", 0))
        return false;
    for (size_t i = 0; i < e->strings.n; i++) {
        uint32_t id = e->strings.v[i];
        if (!put_field(e, PROFILE_STRING_TABLE, strtab_str(&e->p->strings, id),
                       strtab_len(&e->p->strings, id)))
            return false;
    }
    return true;
}

/* Numbers of the profile itself go out one by one. */
static bool put_scalar(struct encoder *e, unsigned number, uint64_t v)
{
    uint8_t field[2 * VARINT_MAX];
    size_t n = (size_t)(put_number(field, number, v) - field);
    return buf_put(&e->out, field, n) || err_nomem(e->err);
}

static bool tail(struct encoder *e, const struct tail *t)
{
    const struct profile *p = e->p;
    if (!put_scalar(e, PROFILE_DROP_FRAMES, t->drop_frames) ||
        !put_scalar(e, PROFILE_KEEP_FRAMES, t->keep_frames) ||
        !put_scalar(e, PROFILE_TIME_NANOS, (uint64_t)p->time_nanos) ||
        !put_scalar(e, PROFILE_DURATION_NANOS, (uint64_t)p->duration_nanos))
        return false;
    if ((p->period_type.type || p->period_type.unit) &&
        !value_type(e, PROFILE_PERIOD_TYPE, &p->period_type))
        return false;
    if (!put_scalar(e, PROFILE_PERIOD, (uint64_t)p->period))
        return false;
    if (t->comments.n &&
        !put_field(e, PROFILE_COMMENT, t->comments.v, t->comments.n))
        return false;
    return put_scalar(e, PROFILE_DEFAULT_SAMPLE_TYPE, t->default_sample_type) &&
           put_scalar(e, PROFILE_DOC_URL, t->doc_url);
}

static bool encode(struct encoder *e, struct tail *t)
{
    const struct profile *p = e->p;
    for (size_t i = 0; i < p->n_types; i++)
        if (!value_type(e, PROFILE_SAMPLE_TYPE, &p->types[i]))
            return false;
    for (size_t i = 0; i < p->n_samples; i++)
        if (!sample(e, e->order ? e->order[i] : i))
            return false;
    for (size_t i = 0; i < p->n_mappings; i++)
        if (!mapping(e, i))
            return false;
    for (size_t i = 0; i < p->n_locations; i++)
        if (!location(e, i))
            return false;
    for (size_t i = 0; i < p->n_functions; i++)
        if (!function(e, i))
            return false;
    return tail_strings(e, t) && string_table(e) && tail(e, t) && flush(e, 0);
}

bool pb_encode(const struct profile *p, struct sink *to, struct err *err)
{
    return pb_encode_order(p, NULL, to, err);
}

bool pb_encode_order(const struct profile *p, const uint32_t *order,
                     struct sink *to, struct err *err)
{
    struct encoder e = {.p = p, .order = order, .to = to, .err = err};
    struct tail t = {0};
    e.index = mem_zarray(p->strings.n, sizeof *e.index);
    bool ok = e.index ? encode(&e, &t) : err_nomem(err);
    buf_free(&t.comments);
    buf_free(&e.out);
    buf_free(&e.message);
    free(e.index);
    vec_free(&e.strings);
    return ok;
}
