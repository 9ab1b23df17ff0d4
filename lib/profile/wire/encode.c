/*
 * encode.c - columns to profile.proto, in the order of the schema
 *
 * A message is a sequence of items: sample types, samples, mappings, locations,
 * functions, strings, and the header, in this order.  The string table is made
 * first.  The bytes of an item then depend only on the profile and the table,
 * so any range of items can be written without the others.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/wire/private.h"

/* --- string table */

/* Adds the string to the table unless the table has it. */
static bool use_string(struct encoding *e, uint32_t id)
{
    if (!id || e->index[id])
        return true;
    if (!vec_push(&e->strings, id))
        return false;
    e->index[id] = (uint32_t)e->strings.n;
    return true;
}

static bool use_type(struct encoding *e, const struct prof_value_type *vt)
{
    return use_string(e, vt->type) && use_string(e, vt->unit);
}

/*
 * Adds the strings of labels.  Visits each label set once, however many samples
 * have it.
 */
static bool use_labels(struct encoding *e)
{
    const struct profile *p = e->p;
    if (p->n_labelsets < 2)
        return true;
    uint8_t *seen = mem_zarray(p->n_labelsets, sizeof *seen);
    bool ok = seen;
    for (size_t i = 0; ok && i < e->layout.n_order; i++) {
        uint32_t set = p->labelset[nth_sample(e, i)];
        if (seen[set])
            continue;
        seen[set] = 1;
        for (uint64_t k = p->labelset_off[set];
             ok && k < p->labelset_off[set + 1]; k++) {
            const struct prof_label *l = &p->labels[k];
            ok = use_string(e, l->key) && use_string(e, l->str) &&
                 use_string(e, l->unit);
        }
    }
    free(seen);
    return ok;
}

static bool make_string_table(struct encoding *e)
{
    const struct profile *p = e->p;
    e->index = mem_zarray(p->strings.n, sizeof *e->index);
    bool ok = e->index;
    for (size_t i = 0; ok && i < p->n_types; i++)
        ok = use_type(e, &p->types[i]);
    ok = ok && use_labels(e);
    for (size_t i = 0; ok && i < p->n_mappings; i++)
        ok = use_string(e, p->mappings[i].filename) &&
             use_string(e, p->mappings[i].build_id);
    for (size_t i = 0; ok && i < p->n_functions; i++) {
        const struct prof_function *f = &p->functions[i];
        ok = use_string(e, f->name) && use_string(e, f->system_name) &&
             use_string(e, f->filename);
    }
    ok = ok && use_string(e, p->drop_frames) && use_string(e, p->keep_frames) &&
         use_type(e, &p->period_type);
    for (size_t i = 0; ok && i < p->n_comments; i++)
        ok = use_string(e, p->comments[i]);
    return ok && use_string(e, p->default_sample_type) &&
           use_string(e, p->doc_url);
}

/* --- all but samples */

enum {
    SCALARS_MAX = 12 * (PUT_VARINT_MAX + 1),   /* a message of numbers */
    A_LINE_MAX = 2 + 3 * (PUT_VARINT_MAX + 1), /* of a line, with its tag */
    HEADER_MAX = 2 * SCALARS_MAX,
};

/* Makes room for k more bytes; returns it, or null if memory is exhausted. */
static uint8_t *reserve(struct buf *out, size_t k)
{
    return buf_reserve(out, k) ? out->v + out->n : NULL;
}

static void set_end(struct buf *out, const uint8_t *end)
{
    out->n = (size_t)(end - out->v);
}

static uint8_t *put_value_type(const struct encoding *e, uint8_t *at,
                               unsigned number,
                               const struct prof_value_type *vt)
{
    uint8_t *body = put_begin(at, number, 1), *end = body;
    end = put_number(end, VALUE_TYPE_TYPE, e->index[vt->type]);
    end = put_number(end, VALUE_TYPE_UNIT, e->index[vt->unit]);
    return put_end_short(body, end);
}

static bool encode_types(const struct encoding *e, size_t from, size_t to,
                         struct buf *out)
{
    for (size_t i = from; i < to; i++) {
        uint8_t *at = reserve(out, SCALARS_MAX);
        if (!at)
            return false;
        set_end(out,
                put_value_type(e, at, PROFILE_SAMPLE_TYPE, &e->p->types[i]));
    }
    return true;
}

static bool encode_mappings(const struct encoding *e, size_t from, size_t to,
                            struct buf *out)
{
    for (size_t i = from; i < to; i++) {
        const struct prof_mapping *m = &e->p->mappings[i];
        uint8_t *at = reserve(out, SCALARS_MAX);
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
        set_end(out, put_end_short(body, at));
    }
    return true;
}

static bool encode_locations(const struct encoding *e, size_t from, size_t to,
                             struct buf *out)
{
    for (size_t i = from; i < to; i++) {
        const struct prof_location *l = &e->p->locations[i];
        size_t n = l->n_lines, most = (SIZE_MAX - SCALARS_MAX) / A_LINE_MAX;
        uint8_t *at =
            n <= most ? reserve(out, SCALARS_MAX + n * A_LINE_MAX) : NULL;
        if (!at)
            return false;
        uint8_t *body = put_begin(at, PROFILE_LOCATION, 1);
        at = put_number(body, LOCATION_ID, i + 1);
        if (l->mapping != PROF_NONE)
            at = put_number(at, LOCATION_MAPPING_ID, (uint64_t)l->mapping + 1);
        at = put_number(at, LOCATION_ADDRESS, l->address);
        for (size_t k = 0; k < n; k++) {
            const struct prof_line *line = &e->p->lines[l->line_off + k];
            uint8_t *inner = put_begin(at, LOCATION_LINE, 1);
            at = inner;
            if (line->function != PROF_NONE)
                at = put_number(at, LINE_FUNCTION_ID,
                                (uint64_t)line->function + 1);
            at = put_number(at, LINE_LINE, (uint64_t)line->line);
            at = put_number(at, LINE_COLUMN, (uint64_t)line->column);
            at = put_end_short(inner, at);
        }
        at = put_number(at, LOCATION_IS_FOLDED, l->is_folded);
        set_end(out, put_end_short(body, at));
    }
    return true;
}

static bool encode_functions(const struct encoding *e, size_t from, size_t to,
                             struct buf *out)
{
    for (size_t i = from; i < to; i++) {
        const struct prof_function *f = &e->p->functions[i];
        uint8_t *at = reserve(out, SCALARS_MAX);
        if (!at)
            return false;
        uint8_t *body = put_begin(at, PROFILE_FUNCTION, 1);
        at = put_number(body, FUNCTION_ID, i + 1);
        at = put_number(at, FUNCTION_NAME, e->index[f->name]);
        at = put_number(at, FUNCTION_SYSTEM_NAME, e->index[f->system_name]);
        at = put_number(at, FUNCTION_FILENAME, e->index[f->filename]);
        at = put_number(at, FUNCTION_START_LINE, (uint64_t)f->start_line);
        set_end(out, put_end_short(body, at));
    }
    return true;
}

/* Item 0 is the empty string, which is not in e->strings. */
static bool encode_strings(const struct encoding *e, size_t from, size_t to,
                           struct buf *out)
{
    for (size_t i = from; i < to; i++) {
        uint32_t id = i ? e->strings.v[i - 1] : 0;
        size_t n = strtab_len(&e->p->strings, id);
        uint8_t *at = reserve(out, n + 1 + PUT_VARINT_MAX);
        if (!at)
            return false;
        at = put_varint(put_tag(at, PROFILE_STRING_TABLE, WIRE_BYTES), n);
        memcpy(at, strtab_str(&e->p->strings, id), n);
        set_end(out, at + n);
    }
    return true;
}

static bool encode_header(const struct encoding *e, size_t from, size_t to,
                          struct buf *out)
{
    const struct profile *p = e->p;
    const struct prof_value_type *period = &p->period_type;
    if (from == to)
        return true;
    uint8_t *at = reserve(out, HEADER_MAX + PUT_VARINT_MAX * p->n_comments);
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
    set_end(out, at);
    return true;
}

/* --- pieces */

/* Returns about how many bytes sample s takes.  Updates e->deepest.  `id` is
 * the length of an ordinary location's id. */
static size_t sample_size(struct encoding *e, size_t s, unsigned id)
{
    const struct profile *p = e->p;
    size_t depth = prof_depth(p, s);
    e->deepest = depth > e->deepest ? depth : e->deepest;
    return 6 + depth * id + p->n_types * 2 + (p->labelset[s] ? 12 : 0);
}

/* Returns the sizes of all samples, which are read in the order of memory;
 * null: memory is out. */
static uint32_t *sample_sizes(struct encoding *e, unsigned id)
{
    size_t n = e->p->n_samples;
    uint32_t *sizes = mem_array(n, sizeof *sizes);
    for (size_t s = 0; sizes && s < n; s++) {
        size_t size = sample_size(e, s, id);
        sizes[s] = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
    }
    return sizes;
}

/* Returns about how many bytes an item other than a sample takes. */
static size_t item_size(const struct encoding *e, enum encode_part part,
                        size_t i)
{
    const struct profile *p = e->p;
    switch (part) {
    case ENCODE_LOCATIONS:
        return 12 + (size_t)p->locations[i].n_lines * 8;
    case ENCODE_STRINGS:
        return i ? 2 + strtab_len(&p->strings, e->strings.v[i - 1]) : 2;
    case ENCODE_MAPPINGS:
        return 32;
    case ENCODE_HEADER:
        return 32 + 4 * p->n_comments;
    default:
        return 12;
    }
}

/* Cuts pieces of similar size. */
static bool make_pieces(struct encoding *e)
{
    const struct profile *p = e->p;
    const uint32_t *order = e->layout.order;
    const size_t n[ENCODE_PARTS] = {
        p->n_types,
        e->layout.n_order,
        p->n_mappings,
        p->n_locations,
        p->n_functions,
        e->strings.n + 1,
        1,
    };
    size_t piece = 0;
    unsigned id = varint_size(p->n_locations / 2);
    uint32_t *sizes = order ? sample_sizes(e, id) : NULL;
    bool ok = (!order || sizes) && vec_push(&e->cuts, 0);
    for (int part = 0; part < ENCODE_PARTS; part++) {
        e->first[part + 1] = e->first[part] + n[part];
        for (size_t i = 0; ok && i < n[part]; i++) {
            if (piece >= PB_PIECE) {
                ok = vec_push(&e->cuts, e->first[part] + i);
                e->about += piece;
                piece = 0;
            }
            piece += part != ENCODE_SAMPLES
                         ? item_size(e, (enum encode_part)part, i)
                     : sizes ? sizes[order[i]]
                             : sample_size(e, i, id);
        }
    }
    e->about += piece;
    free(sizes);
    return ok;
}

bool pb_encoder_init(struct pb_encoder *encoder, const struct profile *p,
                     const struct prof_layout *layout, struct prof_err *err)
{
    struct encoding *e = encoder->state = mem_new(sizeof *e, err);
    if (!e)
        return false;
    e->p = p;
    e->layout = layout ? *layout : p->layout;
    if (!e->layout.order)
        e->layout.n_order = p->n_samples;
    if (!make_string_table(e) || !make_pieces(e) || !encode_ids(e)) {
        pb_encoder_free(encoder);
        return err_nomem(err);
    }
    encoder->n_pieces = e->cuts.n;
    encoder->about = e->about;
    return true;
}

void pb_encoder_free(struct pb_encoder *encoder)
{
    struct encoding *e = encoder->state;
    if (!e)
        return;
    free(e->index);
    free(e->ids);
    vec_free(&e->strings);
    vec_free(&e->cuts);
    free(e);
    encoder->state = NULL;
}

bool pb_encode_piece(const struct pb_encoder *encoder, size_t piece,
                     struct buf *out, struct prof_err *err)
{
    static bool (*const encode[ENCODE_PARTS])(const struct encoding *, size_t,
                                              size_t, struct buf *) = {
        encode_types,     encode_samples, encode_mappings, encode_locations,
        encode_functions, encode_strings, encode_header,
    };
    const struct encoding *e = encoder->state;
    size_t from = e->cuts.v[piece], to = e->first[ENCODE_PARTS];
    if (piece + 1 < e->cuts.n)
        to = e->cuts.v[piece + 1];
    /* Reserve at once: growing step by step would touch twice the memory. */
    uint64_t about = e->about < PB_PIECE ? e->about : PB_PIECE;
    if (!buf_reserve(out, (size_t)(about + about / 4)))
        return err_nomem(err);
    for (int part = 0; part < ENCODE_PARTS; part++) {
        size_t first = e->first[part], past = e->first[part + 1];
        if (from >= past || to <= first)
            continue;
        if (!encode[part](e, from < first ? 0 : from - first,
                          (to < past ? to : past) - first, out))
            return err_nomem(err);
    }
    return true;
}

bool pb_encode(const struct profile *p, struct sink *to, struct prof_err *err)
{
    struct buf out = {0};
    struct pb_encoder e;
    bool ok = pb_encoder_init(&e, p, NULL, err);
    for (size_t i = 0; ok && i < e.n_pieces; i++) {
        out.n = 0;
        ok = pb_encode_piece(&e, i, &out, err) &&
             sink_write(to, out.v, out.n, err);
    }
    buf_free(&out);
    pb_encoder_free(&e);
    return ok;
}

/* --- pieces, as profile.h has them --- */

struct prof_encoder {
    struct pb_encoder pb;
    struct prof_store *store; /* of the profile's samples; or null */
};

struct prof_encoder *prof_encoder_new(const struct profile *p,
                                      struct prof_err *err)
{
    struct prof_encoder *e = mem_new(sizeof *e, err);
    if (!e)
        return NULL;
    e->store = p->store;
    if (pb_encoder_init(&e->pb, p, NULL, err))
        return e;
    free(e);
    return NULL;
}

void prof_encoder_free(struct prof_encoder *e)
{
    if (e)
        pb_encoder_free(&e->pb);
    free(e);
}

size_t prof_encoder_pieces(const struct prof_encoder *e)
{
    return e->pb.n_pieces;
}

uint64_t prof_encoder_size(const struct prof_encoder *e)
{
    return e->pb.about;
}

bool prof_encoder_piece(const struct prof_encoder *e, size_t piece,
                        struct prof_bytes *to, struct prof_err *err)
{
    struct buf out = {to->v, to->n, to->room};
    bool ok = pb_encode_piece(&e->pb, piece, &out, err);
    *to = (struct prof_bytes){out.v, out.n, out.cap};
    if (e->store)
        e->store->forget(e->store);
    return ok;
}
