/* Samples of profile.proto to columns: the hot loop of every tool. */
#include <inttypes.h>
#include <string.h>

#include "pb/decoder.h"

/* Columns of all samples, all but the frames at full length. */
static bool make_room(struct decoder *d)
{
    struct prof_counts counts = {.samples = d->samples.n};
    if (d->samples.n && !d->p->n_types)
        return err_set(d->err, ERR_INPUT,
                       "%zu samples, but no sample type to say what their"
                       " values are",
                       d->samples.n);
    return prof_reserve(d->p, &counts, d->err);
}

static bool no_location(const struct decoder *d, uint64_t id, size_t offset)
{
    return err_set(d->err, ERR_INPUT,
                   "offset %zu: sample %zu refers to location %" PRIu64
                   ", which the profile does not have",
                   offset, d->p->n_samples, id);
}

static bool frames_room(struct decoder *d, size_t k)
{
    struct profile *p = d->p;
    return vec_grow((void **)&p->frames, &p->cap_frames, p->n_frames + k,
                    sizeof *p->frames) ||
           err_nomem(d->err);
}

static bool location_ids(struct decoder *d, const struct wire_field *f)
{
    struct profile *p = d->p;
    if (f->type == WIRE_VARINT) {
        uint32_t index = idmap_get(&d->location_of, f->value);
        if (index == IDMAP_NONE)
            return no_location(d, f->value, f->offset);
        if (!frames_room(d, 1))
            return false;
        p->frames[p->n_frames++] = index;
        return true;
    }
    if (!wire_expect(f, WIRE_BYTES, d->err))
        return false;
    struct wire w = f->bytes;
    /* Every id takes a byte at least. */
    if (!frames_room(d, wire_left(&w)))
        return false;
    const struct idmap map = d->location_of;
    uint32_t *to = p->frames + p->n_frames;
    while (!wire_done(&w)) {
        uint64_t id;
        size_t offset = wire_offset(&w);
        if (!wire_varint(&w, &id, d->err))
            return false;
        *to = idmap_get(&map, id);
        if (*to++ == IDMAP_NONE)
            return no_location(d, id, offset);
    }
    p->n_frames = (size_t)(to - p->frames);
    return true;
}

/* Values past the last sample type are counted in *n but not kept. */
static void value(struct profile *p, size_t *n, uint64_t v)
{
    if (*n < p->n_types)
        p->values[p->n_samples * p->n_types + *n] = (int64_t)v;
    ++*n;
}

static bool values(struct decoder *d, const struct wire_field *f, size_t *n)
{
    if (f->type == WIRE_VARINT) {
        value(d->p, n, f->value);
        return true;
    }
    if (!wire_expect(f, WIRE_BYTES, d->err))
        return false;
    struct wire w = f->bytes;
    while (!wire_done(&w)) {
        uint64_t v;
        if (!wire_varint(&w, &v, d->err))
            return false;
        value(d->p, n, v);
    }
    return true;
}

static bool label(struct decoder *d, struct wire w)
{
    struct decode_number f[LABEL_NUM_UNIT + 1];
    struct prof_label l = {0};
    if (!decode_numbers(d, w, f, LABEL_NUM_UNIT) ||
        !decode_string(d, &f[LABEL_KEY], "key of a label", &l.key) ||
        !decode_string(d, &f[LABEL_STR], "text of a label", &l.str) ||
        !decode_string(d, &f[LABEL_NUM_UNIT], "unit of a label", &l.unit))
        return false;
    l.num = (int64_t)f[LABEL_NUM].value;
    if (l.str && (l.num || l.unit)) { /* it is one or the other */
        d->n_two_fold++;
        l.num = l.unit = 0;
    }
    return vec_push(&d->labels, l) || err_nomem(d->err);
}

static bool sample(struct decoder *d, struct wire w)
{
    struct profile *p = d->p;
    struct wire_field f;
    size_t n_values = 0, offset = wire_offset(&w);
    d->labels.n = 0;
    while (!wire_done(&w)) {
        if (!wire_field(&w, &f, d->err))
            return false;
        bool ok = true;
        switch (f.number) {
        case SAMPLE_LOCATION_ID:
            ok = location_ids(d, &f);
            break;
        case SAMPLE_VALUE:
            ok = values(d, &f, &n_values);
            break;
        case SAMPLE_LABEL:
            ok = wire_expect(&f, WIRE_BYTES, d->err) && label(d, f.bytes);
            break;
        default:
            d->n_unknown++;
        }
        if (!ok)
            return false;
    }
    if (n_values != p->n_types)
        return err_set(d->err, ERR_INPUT,
                       "offset %zu: sample %zu has %zu values for %zu sample"
                       " types",
                       offset, p->n_samples, n_values, p->n_types);
    if (!prof_labelset(p, d->labels.v, d->labels.n, &p->labelset[p->n_samples],
                       d->err))
        return false;
    p->frame_off[++p->n_samples] = p->n_frames;
    return true;
}

bool decode_samples(struct decoder *d)
{
    struct wire w = d->samples.all, message;
    if (!make_room(d))
        return false;
    while (d->p->n_samples < d->samples.n)
        if (!decode_next(d, &w, PROFILE_SAMPLE, &message) ||
            !sample(d, message))
            return false;
    return true;
}
