/* decode.c - decodes a profile.proto message: index, strings, header */
#include <inttypes.h>
#include <stdlib.h>

#include "profile/wire/private.h"
#include "profile/wire/schema.h"

/* --- index: what the message has, and where */

enum {
    PIECE = 2 * 1024 * 1024,
    AHEAD = 2048, /* bytes to prefetch ahead */
};

/* Returns the run of fields with this number. */
static struct run *run_of(struct decoder *d, uint32_t number)
{
    switch (number) {
    case PROFILE_SAMPLE:
        return &d->samples;
    case PROFILE_MAPPING:
        return &d->mappings;
    case PROFILE_LOCATION:
        return &d->locations;
    case PROFILE_FUNCTION:
        return &d->functions;
    case PROFILE_STRING_TABLE:
        return &d->strings;
    default:
        return &d->others;
    }
}

/*
 * Skips the next fields that have this tag of one byte and a length of one or
 * two, up to about PIECE bytes.  Returns how many.
 */
static size_t skip_alike(struct wire *w, uint8_t tag)
{
    const uint8_t *p = w->at, *end = w->end;
    if (end - p > PIECE)
        end = p + PIECE;
    size_t n = 0;
    while (end - p >= 3 && *p == tag) {
        size_t length = p[1], head = 2;
        if (length >= 0x80) {
            if (p[2] >= 0x80)
                break;
            length = (length & 0x7f) | (size_t)p[2] << 7;
            head = 3;
        }
        if (length > (size_t)(w->end - p) - head)
            break;
        p += head + length;
        n++;
        __builtin_prefetch((const void *)((uintptr_t)p + AHEAD));
    }
    w->at = p;
    return n;
}

static bool expect(const struct wire_field *f, enum wire_type type,
                   struct prof_err *err)
{
    return f->type == (uint32_t)type ||
           wire_unexpected(f->offset, f->number << 3 | f->type, type, err);
}

/*
 * Finds the runs of fields, and cuts the samples into pieces of about PIECE
 * bytes.
 */
static bool index_fields(struct decoder *d, struct wire w)
{
    while (!wire_done(&w)) {
        struct span new = {.at = w.at};
        struct run *to = run_of(d, *new.at >> 3);
        size_t n = 0;
        if (*new.at >= 8 && *new.at < 0x80 && (*new.at & 7) == WIRE_BYTES)
            n = skip_alike(&w, *new.at);
        if (!n) {
            struct wire_field f;
            if (!wire_field(&w, &f, d->err))
                return false;
            to = run_of(d, f.number);
            if (to != &d->others && !expect(&f, WIRE_BYTES, d->err))
                return false;
            n = 1;
        }
        new.end = w.at;
        size_t had = to->spans.n;
        if (had && to->spans.v[had - 1].end == new.at)
            to->spans.v[had - 1].end = new.end;
        else if (!vec_push(&to->spans, new))
            return err_nomem(d->err);
        to->n += n;
        to->bytes += (size_t)(new.end - new.at);
        if (to != &d->samples)
            continue;
        const uint8_t *from =
            d->cuts.n ? d->cuts.v[d->cuts.n - 1].at : to->spans.v->at;
        struct cut here = {w.at, to->spans.n - 1, to->n};
        if (w.at - from >= PIECE && !vec_push(&d->cuts, here))
            return err_nomem(d->err);
    }
    return true;
}

/* --- the beginning of a message */

bool pb_may_begin(const uint8_t *data, size_t n, struct prof_err *err)
{
    struct wire w = wire_of(data, n);
    const struct schema_type *message = &schema_profile;
    while (wire_left(&w) >= HEAD_MAX) {
        struct wire_field f = {.type = WIRE_VARINT};
        if (*w.at >= 8 && *w.at < 0x80 && (*w.at & 7) == WIRE_BYTES &&
            skip_alike(&w, *w.at))
            continue;
        struct wire tag = w;
        uint64_t length;
        if (wire_field(&w, &f, err))
            continue;
        /* The field goes beyond these bytes: look at how it begins. */
        w = tag;
        if (f.type != WIRE_BYTES || !wire_varint(&w, &length, err) ||
            !wire_varint(&w, &length, err) || length <= wire_left(&w))
            return false;
        const struct schema_field *inner = schema_find(message, f.number);
        if (!inner || inner->type->kind != SCHEMA_MESSAGE)
            return true;
        message = inner->type;
    }
    return true;
}

/* --- strings and header */

/* Strings that later work adds: none of them should double a large table. */
enum { SPARE = 32 };

static bool intern_strings(struct decoder *d)
{
    struct cursor c = run_start(&d->strings);
    struct wire s;
    const size_t n = d->strings.n;
    if (!n)
        return err_input(d->err, "no string table");
    /* One for each 16 bytes at most: many tiny strings, which few profiles
     * have, would otherwise take a huge table. */
    size_t likely = d->strings.bytes / 16 < n ? d->strings.bytes / 16 : n;
    if (!vec_reserve(&d->str, n) ||
        !strtab_reserve(&d->p->strings, likely + SPARE))
        return err_nomem(d->err);
    for (size_t i = 0; i < n; i++)
        if (!next_message(d, &c, &s) || !decode_table_string(d, &s))
            return false;
    for (size_t i = 0; d->discard && i < d->strings.spans.n; i++) {
        const struct span *in = &d->strings.spans.v[i];
        large_pages_drop(in->at, (size_t)(in->end - in->at));
    }
    return true;
}

static bool set_value_type(struct decoder *d, const struct decode_number *f,
                           struct prof_value_type *vt)
{
    return decode_string(d, &f[VALUE_TYPE_TYPE], "name of a value type",
                         &vt->type) &&
           decode_string(d, &f[VALUE_TYPE_UNIT], "unit of a value type",
                         &vt->unit);
}

static bool decode_comment(struct decoder *d, uint64_t value, size_t offset)
{
    struct decode_number index = {value, offset};
    uint32_t id;
    return decode_string(d, &index, "comment", &id) &&
           prof_add_comment_id(d->p, id, d->err);
}

static bool add_comments(struct decoder *d, const struct wire_field *f)
{
    if (f->type == WIRE_VARINT)
        return decode_comment(d, f->value, f->offset);
    if (!expect(f, WIRE_BYTES, d->err))
        return false;
    struct wire w = f->bytes;
    while (!wire_done(&w)) {
        uint64_t index;
        size_t offset = wire_offset(&w);
        if (!wire_varint(&w, &index, d->err) ||
            !decode_comment(d, index, offset))
            return false;
    }
    return true;
}

/*
 * Fields that a profile has once.  If one is repeated, the last counts.
 * Strings are looked up in the end, so the earlier ones need not be valid.
 */
struct single {
    struct decode_number of[PROFILE_DOC_URL + 1];
    struct decode_number period_type[VALUE_TYPE_UNIT + 1];
};

static bool header_field(struct decoder *d, const struct wire_field *f,
                         struct single *single)
{
    struct decode_number type[VALUE_TYPE_UNIT + 1];
    struct prof_value_type vt = {0, 0};
    switch (f->number) {
    case PROFILE_SAMPLE_TYPE:
        return expect(f, WIRE_BYTES, d->err) &&
               decode_numbers(d, f->bytes, type, VALUE_TYPE_UNIT) &&
               set_value_type(d, type, &vt) &&
               prof_add_type_id(d->p, vt, d->err);
    case PROFILE_PERIOD_TYPE:
        return expect(f, WIRE_BYTES, d->err) &&
               decode_numbers(d, f->bytes, single->period_type,
                              VALUE_TYPE_UNIT);
    case PROFILE_COMMENT:
        return add_comments(d, f);
    default:
        if (f->number > PROFILE_DOC_URL) {
            d->n_unknown++;
            return true;
        }
        single->of[f->number] = (struct decode_number){f->value, f->offset};
        return expect(f, WIRE_VARINT, d->err);
    }
}

static bool decode_header(struct decoder *d)
{
    struct single single = {{{0, 0}}, {{0, 0}}};
    for (size_t i = 0; i < d->others.spans.n; i++) {
        const struct span *s = &d->others.spans.v[i];
        struct wire w = {s->at, s->end, d->base};
        struct wire_field f;
        while (!wire_done(&w))
            if (!wire_field(&w, &f, d->err) || !header_field(d, &f, &single))
                return false;
    }
    const struct decode_number *of = single.of;
    struct profile *p = d->p;
    p->time_nanos = (int64_t)of[PROFILE_TIME_NANOS].value;
    p->duration_nanos = (int64_t)of[PROFILE_DURATION_NANOS].value;
    p->period = (int64_t)of[PROFILE_PERIOD].value;
    return set_value_type(d, single.period_type, &p->period_type) &&
           decode_string(d, &of[PROFILE_DROP_FRAMES], "drop_frames",
                         &p->drop_frames) &&
           decode_string(d, &of[PROFILE_KEEP_FRAMES], "keep_frames",
                         &p->keep_frames) &&
           decode_string(d, &of[PROFILE_DEFAULT_SAMPLE_TYPE],
                         "default_sample_type", &p->default_sample_type) &&
           decode_string(d, &of[PROFILE_DOC_URL], "doc_url", &p->doc_url);
}

/* --- all of a message */

enum { LARGE = 8 << 20 }; /* bytes of a message: its memory is freed */

/* Empties the run, but keeps its memory. */
static void clear_run(struct run *run)
{
    run->n = run->bytes = run->spans.n = 0;
}

/* Reports the oddities of a message that was decoded. */
static void note_oddities(const struct decoder *d)
{
    if (d->unnumbered)
        note_loss(d->notes, "functions have no IDs; numbered from 1 in their "
                            "order");
    else if (d->has_zero)
        note_info(d->notes, "a function has id 0, which is reserved");
    note_count(d->notes, PROF_NOTE_LOSS, d->n_unknown,
               "%zu field{s} skipped: not defined in profile.proto",
               d->n_unknown);
    note_count(d->notes, PROF_NOTE_LOSS, d->n_two_fold,
               "number or unit of %zu label{s} dropped: a label with a "
               "string has neither",
               d->n_two_fold);
    note_count(d->notes, PROF_NOTE_LOSS, d->n_textless,
               "%zu label{s} with an empty string read as {a "
               "number|numbers}",
               d->n_textless);
    note_count(d->notes, PROF_NOTE_WARN, d->n_nowhere,
               "%zu line{s} without a function: pprof refuses such "
               "profiles; repair with pbfilter --repair",
               d->n_nowhere);
}

/* Returns the decoder's state for a new message; null: memory is out. */
static struct decoder *begin(struct pb_decoder *decoder, struct profile *p,
                             struct prof_err *err)
{
    if (!decoder->state)
        decoder->state = mem_new(sizeof *decoder->state, err);
    struct decoder *d = decoder->state;
    if (!d)
        return NULL;
    d->p = p;
    d->notes = decoder->notes;
    d->err = err;
    d->threads = decoder->threads;
    d->discard = decoder->discard;
    /* Use the memory of the previous message again. */
    d->str.n = d->cuts.n = 0;
    d->second_table = d->has_zero = d->unnumbered = false;
    clear_run(&d->strings);
    clear_run(&d->mappings);
    clear_run(&d->functions);
    clear_run(&d->locations);
    clear_run(&d->samples);
    clear_run(&d->others);
    d->n_unknown = d->n_two_fold = d->n_textless = d->n_nowhere = 0;
    return d;
}

/* Finds the fields of a message, or those that early_read() has kept. */
static bool index_message(struct decoder *d, const uint8_t *data, size_t n)
{
    struct wire w = wire_of(data, n);
    d->base = w.base;
    d->limit = w.end;
    return index_fields(d, w);
}

bool pb_decode_next(struct pb_decoder *decoder, const uint8_t *data, size_t n,
                    struct profile *p, struct prof_err *err)
{
    struct decoder *d = begin(decoder, p, err);
    bool ok = d && index_message(d, data, n) && intern_strings(d) &&
              decode_header(d) && decode_entities(d) && decode_samples(d);
    if (ok)
        note_oddities(d);
    if (n > LARGE)
        pb_decoder_free(decoder);
    return ok;
}

bool pb_decode_blocks(struct pb_decoder *decoder, struct prof_blocks *blocks,
                      struct profile *p, struct prof_err *err)
{
    struct early early = {.shares = blocks->shares};
    struct decoder *d = begin(decoder, p, err);
    bool ok = d && early_read(&early, d, blocks) &&
              ((index_message(d, early.kept.v, early.kept.n) &&
                decode_header(d) && decode_entities(d)) ||
               early_refuse(d, TEXT("an unusual or invalid field"))) &&
              early_finish(&early);
    /* Reading again helps if the input is unusual, not if memory is out. */
    blocks->refused = !ok && err->kind == PROF_ERR_INPUT;
    if (ok)
        note_oddities(d);
    early_free(&early);
    pb_decoder_free(decoder);
    return ok;
}

bool pb_decode_opts(struct pb_decoder *decoder, struct prof_slice message,
                    const struct prof_decode_opts *opts, struct profile *p,
                    struct prof_err *err)
{
    decoder->notes = opts->notes;
    decoder->threads = opts->threads;
    decoder->discard = opts->discard;
    if (opts->blocks) /* opts->edit() sees whole stacks */
        opts->blocks->shares &= !opts->edit;
    bool ok = opts->blocks ? pb_decode_blocks(decoder, opts->blocks, p, err)
                           : pb_decode_next(decoder, (const uint8_t *)message.s,
                                            message.n, p, err);
    return ok && notes_lossless(opts->notes, err);
}

void pb_decoder_free(struct pb_decoder *decoder)
{
    struct decoder *d = decoder->state;
    if (!d)
        return;
    vec_free(&d->str);
    idmap_free(&d->mapping_of);
    idmap_free(&d->function_of);
    idmap_free(&d->location_of);
    vec_free(&d->strings.spans);
    vec_free(&d->mappings.spans);
    vec_free(&d->functions.spans);
    vec_free(&d->locations.spans);
    vec_free(&d->samples.spans);
    vec_free(&d->others.spans);
    vec_free(&d->cuts);
    vec_free(&d->labels);
    vec_free(&d->lines);
    free(d);
    decoder->state = NULL;
}

bool pb_decode(const uint8_t *data, size_t n, struct profile *p,
               const struct prof_notes *notes, struct prof_err *err)
{
    struct pb_decoder once = {.notes = notes};
    bool ok = prof_init(p, err) && pb_decode_next(&once, data, n, p, err);
    pb_decoder_free(&once);
    return ok;
}
