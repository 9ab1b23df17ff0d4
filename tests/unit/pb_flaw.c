/* What protobuf-c takes and the decoder refuses, and the other way round. */
#include "pb_oracle.h"

/* The index of the entity with this id; all ids come first. */
#define FIND(name, type)                                                       \
    size_t pb_find_##name(const Message *m, uint64_t id, size_t from)          \
    {                                                                          \
        for (size_t i = from; i < m->n_##name; i++)                            \
            if (m->name[i]->id == id)                                          \
                return i;                                                      \
        return PB_NOWHERE;                                                     \
    }                                                                          \
    static bool twice_##name(const Message *m)                                 \
    {                                                                          \
        for (size_t i = 0; i < m->n_##name; i++)                               \
            if (pb_find_##name(m, m->name[i]->id, i + 1) != PB_NOWHERE)        \
                return true;                                                   \
        return false;                                                          \
    }
FIND(mapping, Mapping)
FIND(function, Function)
FIND(location, Location)

/*
 * Functions that all lack an id count from 1; false if a line without a
 * function id could then mean any of them.
 */
static bool number_functions(Message *m)
{
    for (size_t i = 0; i < m->n_function; i++)
        if (m->function[i]->id)
            return true;
    for (size_t i = 0; i < m->n_function; i++)
        m->function[i]->id = i + 1;
    for (size_t i = 0; m->n_function && i < m->n_location; i++)
        for (size_t k = 0; k < m->location[i]->n_line; k++) {
            uint64_t *id = &m->location[i]->line[k]->function_id;
            if (!*id && m->n_function > 1)
                return false;
            *id += !*id;
        }
    return true;
}

static bool bad_string(const Message *m, int64_t index)
{
    return (uint64_t)index >= m->n_string_table;
}

static bool bad_type(const Message *m, const ValueType *t)
{
    return t && (bad_string(m, t->type) || bad_string(m, t->unit));
}

static bool bad_strings(const Message *m)
{
    bool bad = bad_string(m, m->drop_frames) || bad_string(m, m->keep_frames) ||
               bad_string(m, m->default_sample_type) ||
               bad_string(m, m->doc_url) || bad_type(m, m->period_type);
    for (size_t i = 0; i < m->n_sample_type; i++)
        bad |= bad_type(m, m->sample_type[i]);
    for (size_t i = 0; i < m->n_comment; i++)
        bad |= bad_string(m, m->comment[i]);
    for (size_t i = 0; i < m->n_mapping; i++)
        bad |= bad_string(m, m->mapping[i]->filename) ||
               bad_string(m, m->mapping[i]->build_id);
    for (size_t i = 0; i < m->n_function; i++)
        bad |= bad_string(m, m->function[i]->name) ||
               bad_string(m, m->function[i]->system_name) ||
               bad_string(m, m->function[i]->filename);
    for (size_t i = 0; i < m->n_sample; i++)
        for (size_t k = 0; k < m->sample[i]->n_label; k++) {
            const Label *l = m->sample[i]->label[k];
            bad |= bad_string(m, l->key) || bad_string(m, l->str) ||
                   bad_string(m, l->num_unit);
        }
    return bad;
}

static bool bad_location(const Message *m, const Location *l)
{
    bool bad =
        l->mapping_id && pb_find_mapping(m, l->mapping_id, 0) == PB_NOWHERE;
    for (size_t i = 0; i < l->n_line; i++)
        bad |= l->line[i]->function_id &&
               pb_find_function(m, l->line[i]->function_id, 0) == PB_NOWHERE;
    return bad;
}

static bool bad_sample(const Message *m, const Sample *s)
{
    bool bad = !m->n_sample_type || s->n_value != m->n_sample_type;
    for (size_t i = 0; i < s->n_location_id; i++)
        bad |= pb_find_location(m, s->location_id[i], 0) == PB_NOWHERE;
    return bad;
}

/* Field number 0 is not allowed; protobuf-c keeps it among the unknown. */
static bool has_field_0(const ProtobufCMessage *m)
{
    for (unsigned i = 0; i < m->n_unknown_fields; i++)
        if (!m->unknown_fields[i].tag)
            return true;
    for (unsigned i = 0; i < m->descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *f = &m->descriptor->fields[i];
        const void *at = (const char *)m + f->offset;
        if (f->type != PROTOBUF_C_TYPE_MESSAGE)
            continue;
        if (f->label != PROTOBUF_C_LABEL_REPEATED) {
            const ProtobufCMessage *const *one = at;
            if (*one && has_field_0(*one))
                return true;
            continue;
        }
        const size_t *n =
            (const void *)((const char *)m + f->quantifier_offset);
        const ProtobufCMessage *const *const *all = at;
        for (size_t k = 0; k < *n; k++)
            if (has_field_0((*all)[k]))
                return true;
    }
    return false;
}

bool pb_given_twice(struct wire w, const ProtobufCMessageDescriptor *d)
{
    bool twice = false, seen[32] = {false};
    struct wire_field f;
    while (!wire_done(&w) && wire_field(&w, &f, NULL)) {
        const ProtobufCFieldDescriptor *field =
            protobuf_c_message_descriptor_get_field(d, f.number);
        if (!field)
            continue;
        if (field->label != PROTOBUF_C_LABEL_REPEATED) {
            twice |= seen[f.number];
            seen[f.number] = true;
        }
        if (field->type == PROTOBUF_C_TYPE_MESSAGE)
            twice |= pb_given_twice(f.bytes, field->descriptor);
    }
    return twice;
}

bool pb_has_long_number(struct wire w, const ProtobufCMessageDescriptor *d)
{
    bool is_long = false;
    while (!wire_done(&w)) {
        struct wire at = w;
        struct wire_field f;
        uint64_t number;
        if (!wire_field(&w, &f, NULL) || !wire_varint(&at, &number, NULL))
            return false;
        is_long |= wire_offset(&at) - f.offset > 5;
        if (f.type != WIRE_BYTES)
            continue;
        is_long |= f.bytes.at - at.at > 5;
        const ProtobufCFieldDescriptor *field =
            protobuf_c_message_descriptor_get_field(d, f.number);
        if (field && field->type == PROTOBUF_C_TYPE_MESSAGE)
            is_long |= pb_has_long_number(f.bytes, field->descriptor);
    }
    return is_long;
}

bool pb_is_no_message(struct wire w, const ProtobufCMessageDescriptor *d)
{
    struct wire_field f;
    while (!wire_done(&w)) {
        struct wire at = w;
        uint64_t tag;
        if (!wire_varint(&at, &tag, NULL) || tag > UINT32_MAX ||
            !wire_field(&w, &f, NULL))
            return true;
        const ProtobufCFieldDescriptor *field =
            protobuf_c_message_descriptor_get_field(d, f.number);
        if (field && field->type == PROTOBUF_C_TYPE_BOOL &&
            f.type != WIRE_VARINT)
            return true;
        if (field && field->type == PROTOBUF_C_TYPE_MESSAGE &&
            f.type == WIRE_BYTES &&
            pb_is_no_message(f.bytes, field->descriptor))
            return true;
    }
    return false;
}

bool pb_nul_first(struct wire w)
{
    enum { STRING_TABLE = 6 };
    struct wire_field f;
    while (!wire_done(&w) && wire_field(&w, &f, NULL))
        if (f.number == STRING_TABLE && f.type == WIRE_BYTES)
            return wire_left(&f.bytes) && !*f.bytes.at;
    return false;
}

const char *pb_flaw(Message *m)
{
    if (has_field_0(&m->base))
        return "field number 0";
    if (!m->n_string_table)
        return "no string table";
    if (*m->string_table[0])
        return "string 0 is not empty";
    if (bad_strings(m))
        return "string index";
    if (!number_functions(m))
        return "line without function id";
    if (twice_mapping(m) || twice_function(m) || twice_location(m))
        return "id given twice";
    for (size_t i = 0; i < m->n_location; i++)
        if (bad_location(m, m->location[i]))
            return "reference of a location";
    for (size_t i = 0; i < m->n_sample; i++)
        if (bad_sample(m, m->sample[i]))
            return "sample";
    return NULL;
}
