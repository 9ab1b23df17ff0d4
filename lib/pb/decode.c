/* profile.proto to columns: the message itself, strings and headers. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pb/decoder.h"

/* A message so large, in bytes, that what it needed is not kept. */
enum { LARGE = 8 << 20 };

bool decode_no_string(struct decoder *d, const struct decode_number *index,
                      const char *what, uint32_t *id)
{
    *id = 0;
    return err_set(d->err, ERR_INPUT,
                   "offset %zu: %s is string %" PRId64
                   ", but the string table has %zu",
                   index->offset, what, (int64_t)index->value, d->n_str);
}

static bool intern_strings(struct decoder *d)
{
    struct cursor c = decode_begin(&d->strings);
    struct wire s;
    d->n_str = d->strings.n;
    if (!d->n_str)
        return err_set(d->err, ERR_INPUT, "there is no string table");
    /* No more than there can be of ordinary length. */
    size_t likely =
        d->strings.bytes / 16 < d->n_str ? d->strings.bytes / 16 : d->n_str;
    if (!vec_grow((void **)&d->str, &d->cap_str, d->n_str, sizeof *d->str) ||
        !strtab_reserve(&d->p->strings, likely))
        return err_nomem(d->err);
    for (size_t i = 0; i < d->n_str; i++) {
        if (!decode_message(d, &c, &s))
            return false;
        if (!i && wire_left(&s))
            return err_set(d->err, ERR_INPUT,
                           "offset %zu: string 0 is not empty",
                           wire_offset(&s));
        if (i && wire_done(&s))
            d->second_table = true;
        if (!prof_strn(d->p, (const char *)s.at, wire_left(&s), &d->str[i],
                       d->err))
            return false;
    }
    return true;
}

static bool value_type(struct decoder *d, const struct decode_number *f,
                       struct prof_value_type *vt)
{
    return decode_string(d, &f[VALUE_TYPE_TYPE], "name of a value type",
                         &vt->type) &&
           decode_string(d, &f[VALUE_TYPE_UNIT], "unit of a value type",
                         &vt->unit);
}

static bool add_type(struct decoder *d, const struct wire_field *f)
{
    struct decode_number numbers[VALUE_TYPE_UNIT + 1];
    struct prof_value_type vt = {0, 0};
    return wire_expect(f, WIRE_BYTES, d->err) &&
           decode_numbers(d, f->bytes, numbers, VALUE_TYPE_UNIT) &&
           value_type(d, numbers, &vt) && prof_add_type_id(d->p, vt, d->err);
}

static bool one_comment(struct decoder *d, uint64_t value, size_t offset)
{
    struct decode_number index = {value, offset};
    uint32_t id;
    return decode_string(d, &index, "comment", &id) &&
           prof_add_comment_id(d->p, id, d->err);
}

static bool add_comments(struct decoder *d, const struct wire_field *f)
{
    if (f->type == WIRE_VARINT)
        return one_comment(d, f->value, f->offset);
    if (!wire_expect(f, WIRE_BYTES, d->err))
        return false;
    struct wire w = f->bytes;
    while (!wire_done(&w)) {
        uint64_t index;
        size_t offset = wire_offset(&w);
        if (!wire_varint(&w, &index, d->err) || !one_comment(d, index, offset))
            return false;
    }
    return true;
}

/*
 * Fields that a profile has once.  Of those that are given again the last
 * counts, and what the others were does not matter: their strings are looked
 * up in the end.
 */
struct single {
    struct decode_number of[PROFILE_DOC_URL + 1];
    struct decode_number period_type[VALUE_TYPE_UNIT + 1];
};

static bool read_single(struct decoder *d, const struct wire_field *f,
                        struct single *single)
{
    const struct decode_number n = {f->value, f->offset};
    if (f->number == PROFILE_PERIOD_TYPE)
        return wire_expect(f, WIRE_BYTES, d->err) &&
               decode_numbers(d, f->bytes, single->period_type,
                              VALUE_TYPE_UNIT);
    single->of[f->number] = n;
    return wire_expect(f, WIRE_VARINT, d->err);
}

static bool set_single(struct decoder *d, const struct single *single)
{
    const struct decode_number *of = single->of;
    struct profile *p = d->p;
    p->time_nanos = (int64_t)of[PROFILE_TIME_NANOS].value;
    p->duration_nanos = (int64_t)of[PROFILE_DURATION_NANOS].value;
    p->period = (int64_t)of[PROFILE_PERIOD].value;
    return value_type(d, single->period_type, &p->period_type) &&
           decode_string(d, &of[PROFILE_DROP_FRAMES], "drop_frames",
                         &p->drop_frames) &&
           decode_string(d, &of[PROFILE_KEEP_FRAMES], "keep_frames",
                         &p->keep_frames) &&
           decode_string(d, &of[PROFILE_DEFAULT_SAMPLE_TYPE],
                         "default_sample_type", &p->default_sample_type) &&
           decode_string(d, &of[PROFILE_DOC_URL], "doc_url", &p->doc_url);
}

/* Header fields that stand side by side. */
static bool header(struct decoder *d, struct wire w, struct single *single)
{
    struct wire_field f;
    while (!wire_done(&w)) {
        if (!wire_field(&w, &f, d->err))
            return false;
        bool ok = true;
        switch (f.number) {
        case PROFILE_SAMPLE_TYPE:
            ok = add_type(d, &f);
            break;
        case PROFILE_COMMENT:
            ok = add_comments(d, &f);
            break;
        default:
            if (f.number > PROFILE_DOC_URL)
                d->n_unknown++;
            else
                ok = read_single(d, &f, single);
        }
        if (!ok)
            return false;
    }
    return true;
}

static bool headers(struct decoder *d)
{
    struct single single = {{{0, 0}}, {{0, 0}}};
    for (size_t i = 0; i < d->others.stretches.n; i++) {
        const struct stretch *s = &d->others.stretches.v[i];
        if (!header(d, (struct wire){s->at, s->end, d->base}, &single))
            return false;
    }
    return set_single(d, &single);
}

/* Nothing is in the run; its memory stays. */
static void empty(struct run *run)
{
    run->n = run->bytes = run->stretches.n = 0;
}

static void decoder_free(struct decoder *d)
{
    free(d->str);
    idmap_free(&d->mapping_of);
    idmap_free(&d->function_of);
    idmap_free(&d->location_of);
    vec_free(&d->strings.stretches);
    vec_free(&d->mappings.stretches);
    vec_free(&d->functions.stretches);
    vec_free(&d->locations.stretches);
    vec_free(&d->samples.stretches);
    vec_free(&d->others.stretches);
    vec_free(&d->cuts);
    vec_free(&d->labels);
    vec_free(&d->lines);
}

/* Ready for a message; memory of the one before stays. */
static void begin(struct decoder *d, struct profile *p,
                  const struct notes *notes, struct err *err)
{
    d->p = p;
    d->notes = notes;
    d->err = err;
    d->n_str = d->cuts.n = 0;
    d->second_table = d->has_zero = d->unnumbered = false;
    empty(&d->strings);
    empty(&d->mappings);
    empty(&d->functions);
    empty(&d->locations);
    empty(&d->samples);
    empty(&d->others);
    d->n_unknown = d->n_two_fold = d->n_textless = d->n_nowhere = 0;
}

/* What there is to say of a message that is good. */
static void tell(const struct decoder *d)
{
    if (d->unnumbered)
        note_loss(d->notes, "no function has an id: numbered from 1, in their "
                            "order");
    else if (d->has_zero)
        note_info(d->notes, "a function has id 0, which should mean none");
    if (d->n_unknown)
        note_loss(d->notes,
                  "%zu fields that profile.proto does not have were"
                  " skipped",
                  d->n_unknown);
    if (d->n_two_fold)
        note_loss(d->notes,
                  "%zu labels have a text and a number or unit: only the"
                  " text is kept",
                  d->n_two_fold);
    if (d->n_textless)
        note_loss(d->notes,
                  "%zu labels have an empty text: they are taken for numbers",
                  d->n_textless);
    if (d->n_nowhere)
        note_warn(d->notes,
                  "%zu lines have no function: pprof refuses such profiles, "
                  "and pbfilter --repair mends them",
                  d->n_nowhere);
}

static bool decode(struct decoder *d, struct wire w)
{
    d->base = w.base;
    d->limit = w.end;
    if (!decode_survey(d, w) || !intern_strings(d) || !headers(d) ||
        !decode_entities(d) || !decode_samples(d))
        return false;
    tell(d);
    return true;
}

bool pb_decode(const uint8_t *data, size_t n, struct profile *p,
               const struct notes *notes, struct err *err)
{
    struct decoder d = {0};
    begin(&d, p, notes, err);
    bool ok = prof_init(p, err) && decode(&d, wire_of(data, n));
    decoder_free(&d);
    return ok;
}

struct pb_decoder {
    struct decoder d;
};

struct pb_decoder *pb_decoder_new(void)
{
    return calloc(1, sizeof(struct pb_decoder));
}

void pb_decoder_free(struct pb_decoder *decoder)
{
    if (decoder)
        decoder_free(&decoder->d);
    free(decoder);
}

void pb_decoder_threads(struct pb_decoder *decoder, unsigned n)
{
    decoder->d.threads = n;
}

void pb_decoder_spend(struct pb_decoder *decoder, bool spend)
{
    decoder->d.spend = spend;
}

bool pb_decode_next(struct pb_decoder *decoder, const uint8_t *data, size_t n,
                    struct profile *p, const struct notes *notes,
                    struct err *err)
{
    struct decoder *d = &decoder->d;
    begin(d, p, notes, err);
    bool ok = decode(d, wire_of(data, n));
    if (n > LARGE) {
        decoder_free(d);
        *d = (struct decoder){.threads = d->threads, .spend = d->spend};
    }
    return ok;
}
