/* Fields of a message that need not be one. */
#include "pb/loosely.h"

#include "pb/profile.pb-c.h"

enum { NUMBER_MAX = 10 }; /* bytes of a number */

static const ProtobufCMessageDescriptor *const descriptors[LOOSE_KINDS] = {
    [LOOSE_PROFILE] = &perftools__profiles__profile__descriptor,
    [LOOSE_SAMPLE_TYPE] = &perftools__profiles__value_type__descriptor,
    [LOOSE_PERIOD_TYPE] = &perftools__profiles__value_type__descriptor,
    [LOOSE_SAMPLE] = &perftools__profiles__sample__descriptor,
    [LOOSE_LABEL] = &perftools__profiles__label__descriptor,
    [LOOSE_MAPPING] = &perftools__profiles__mapping__descriptor,
    [LOOSE_LOCATION] = &perftools__profiles__location__descriptor,
    [LOOSE_LINE] = &perftools__profiles__line__descriptor,
    [LOOSE_FUNCTION] = &perftools__profiles__function__descriptor,
};

const char *loose_field_name(enum loose_kind kind, uint32_t number)
{
    const ProtobufCFieldDescriptor *f =
        protobuf_c_message_descriptor_get_field(descriptors[kind], number);
    return f ? f->name : NULL;
}

void loosely_tell(const struct loosely *l, enum loose_fault_kind kind,
                  const struct loosely_field *f, size_t lost)
{
    if (!l->faults)
        return;
    const struct loose_fault fault = {.kind = kind,
                                      .in = l->in,
                                      .index = l->index,
                                      .inner = l->inner,
                                      .offset = f->offset,
                                      .field = f->number,
                                      .wire_type = f->key & 7,
                                      .lost = lost};
    l->faults->take(l->faults->ctx, &fault);
}

/* The end of a number that begins at p, or null: the message ends before. */
static const uint8_t *behind_number(const uint8_t *p, const uint8_t *end)
{
    for (; p != end; p++)
        if (*p < 0x80)
            return p + 1;
    return NULL;
}

/*
 * Why the field at `at` cannot be read.  What is cut off is told from what
 * could not be one, however much came behind.
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
        return !behind_number(p, end) && end - p < NUMBER_MAX;
    case WIRE_BYTES:
        q = behind_number(p, end);
        return q ? q - p <= NUMBER_MAX : end - p < NUMBER_MAX;
    default:
        return false;
    }
}

/* What is left cannot be read. */
static bool give_up(struct loosely *l, const uint8_t *from)
{
    size_t lost = (size_t)(l->w.end - from);
    struct loosely_field f = {.offset = (size_t)(from - l->w.base)};
    l->broken = true;
    loosely_tell(l, is_cut(from, l->w.end) ? LOOSE_CUT : LOOSE_NO_FIELD, &f,
                 lost);
    l->w.at = l->w.end;
    return false;
}

/* A last byte of 0 says nothing, as one of fewer bytes would not say less. */
static bool is_overlong(const uint8_t *from, const uint8_t *end)
{
    return end - from > 1 && !end[-1];
}

bool loosely_field(struct loosely *l, struct loosely_field *f)
{
    if (l->w.at == l->w.end)
        return false;
    const uint8_t *from = l->w.at;
    const uint8_t *at =
        scan_field(from, &l->w, l->w.end, &f->key, &f->value, NULL);
    if (!at)
        return give_up(l, from);
    f->number = f->key >> 3;
    f->offset = (size_t)(from - l->w.base);
    f->bytes = (f->key & 7) == WIRE_BYTES ? at : NULL;
    l->w.at = at + scan_rest(f->key, f->value);
    const uint8_t *tag_end = behind_number(from, at);
    bool fixed = (f->key & 7) == WIRE_FIXED32 || (f->key & 7) == WIRE_FIXED64;
    if (is_overlong(from, tag_end) || (!fixed && is_overlong(tag_end, at)))
        loosely_tell(l, LOOSE_OVERLONG, f, 0);
    return true;
}

bool loosely_number(struct loosely *l, struct wire *w, uint64_t *value)
{
    const uint8_t *from = w->at;
    const uint8_t *at = scan_number(from, w, l->w.end, value, NULL);
    struct loosely_field f = {.offset = (size_t)(from - w->base)};
    if (!at) {
        bool cut = w->end - from < NUMBER_MAX;
        l->broken = true;
        loosely_tell(l, cut ? LOOSE_CUT : LOOSE_NO_FIELD, &f,
                     (size_t)(w->end - from));
        w->at = w->end;
        return false;
    }
    if (is_overlong(from, at))
        loosely_tell(l, LOOSE_OVERLONG, &f, 0);
    w->at = at;
    return true;
}

bool loosely_is(struct loosely *l, const struct loosely_field *f,
                enum wire_type type)
{
    if ((f->key & 7) == (uint32_t)type)
        return true;
    l->broken = true;
    loosely_tell(l, LOOSE_WIRE_TYPE, f, 0);
    return false;
}

void loosely_once(struct loosely *l, const struct loosely_field *f)
{
    uint32_t bit = (uint32_t)1 << f->number;
    if (l->seen & bit)
        loosely_tell(l, LOOSE_TWICE, f, 0);
    l->seen |= bit;
}

struct loosely loosely_inner(const struct loosely *l,
                             const struct loosely_field *f, enum loose_kind in,
                             size_t index, size_t inner)
{
    return (struct loosely){
        .w = {f->bytes, f->bytes + f->value, l->w.base},
        .faults = l->faults,
        .in = in,
        .index = index,
        .inner = inner,
    };
}

void loosely_numbers(struct loosely *l, uint64_t *numbers, uint32_t n)
{
    struct loosely_field f;
    memset(numbers, 0, (n + 1) * sizeof *numbers);
    while (loosely_field(l, &f)) {
        if (f.number > n) {
            loosely_tell(l, LOOSE_UNKNOWN, &f, 0);
        } else if (loosely_is(l, &f, WIRE_VARINT)) {
            loosely_once(l, &f);
            numbers[f.number] = f.value;
        }
    }
}
