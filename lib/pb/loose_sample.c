/* Samples of a message that need not be sound, one by one. */
#include <string.h>

#include "pb/loose.h"
#include "pb/loosely.h"

static bool push(struct loose_sample *s, uint32_t number, uint64_t value)
{
    return number == SAMPLE_LOCATION_ID ? vec_push(&s->ids, value)
                                        : vec_push(&s->values, (int64_t)value);
}

/* Numbers, packed or not. */
static bool add_numbers(struct loose_sample *s, struct loosely *l,
                        const struct loosely_field *f)
{
    if (!f->bytes)
        return !loosely_is(l, f, WIRE_VARINT) || push(s, f->number, f->value);
    struct wire w = {f->bytes, f->bytes + f->value, l->w.base};
    uint64_t value;
    while (!wire_done(&w) && loosely_number(l, &w, &value))
        if (!push(s, f->number, value))
            return false;
    return true;
}

static bool add_label(struct loose_sample *s, struct loosely *l,
                      const struct loosely_field *f)
{
    uint64_t v[LABEL_NUM_UNIT + 1];
    struct loosely in = loosely_inner(l, f, LOOSE_LABEL, s->index, s->labels.n);
    loosely_numbers(&in, v, LABEL_NUM_UNIT);
    l->broken = l->broken || in.broken;
    struct loose_label label = {
        .key = (int64_t)v[LABEL_KEY],
        .str = (int64_t)v[LABEL_STR],
        .num = (int64_t)v[LABEL_NUM],
        .unit = (int64_t)v[LABEL_NUM_UNIT],
        .has_num = in.seen >> LABEL_NUM & 1,
        .offset = f->offset,
    };
    return vec_push(&s->labels, label);
}

static bool field(struct loose_sample *s, struct loosely *l,
                  const struct loosely_field *f)
{
    switch (f->number) {
    case SAMPLE_LOCATION_ID:
    case SAMPLE_VALUE:
        return add_numbers(s, l, f);
    case SAMPLE_LABEL:
        return !loosely_is(l, f, WIRE_BYTES) || add_label(s, l, f);
    default:
        loosely_tell(l, LOOSE_UNKNOWN, f, 0);
        return true;
    }
}

static bool read_sample(struct loose_sample *s, struct loosely *l)
{
    struct loosely_field f;
    s->ids.n = s->values.n = s->labels.n = 0;
    while (loosely_field(l, &f))
        if (!field(s, l, &f))
            return false;
    s->broken = l->broken;
    return true;
}

/* Finds the next one; that there is one, loose_read() has seen. */
static void find(const struct loose *m, struct loose_sample *s,
                 struct loosely_field *f)
{
    struct loosely all = {.w = wire_of(m->data, m->n)};
    all.w.at += s->n_read ? s->next : m->first_sample;
    while (loosely_field(&all, f) && (f->number != PROFILE_SAMPLE || !f->bytes))
        ;
    s->next = wire_offset(&all.w);
}

int loose_next_sample(const struct loose *m, struct loose_sample *s,
                      const struct loose_faults *faults, struct err *err)
{
    struct loosely_field f;
    if (s->n_read == m->n_samples)
        return 0;
    find(m, s, &f);
    s->index = s->n_read++;
    s->offset = f.offset;
    struct loosely all = {.w = wire_of(m->data, m->n), .faults = faults};
    struct loosely l = loosely_inner(&all, &f, LOOSE_SAMPLE, s->index, 0);
    if (read_sample(s, &l))
        return 1;
    err_nomem(err);
    return -1;
}

void loose_sample_free(struct loose_sample *s)
{
    vec_free(&s->ids);
    vec_free(&s->values);
    vec_free(&s->labels);
}
