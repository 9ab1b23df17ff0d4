/* decode.c - profile.proto to columns: all but the samples */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pb/private.h"

/* --- index: what the message has, and where --------------------------------
 */

enum {
    PIECE = 2 * 1024 * 1024,
    AHEAD = 2048, /* bytes that are prefetched */
};

/* The run of fields with this number. */
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

/* Adds n fields, those from `at` to where w is. */
static bool add_fields(struct decoder *d, struct run *to, const uint8_t *at,
                       const struct wire *w, size_t n)
{
    struct span new = {at, w->at};
    size_t had = to->spans.n;
    if (had && to->spans.v[had - 1].end == at)
        to->spans.v[had - 1].end = w->at;
    else if (!vec_push(&to->spans, new))
        return err_nomem(d->err);
    to->n += n;
    to->bytes += (size_t)(w->at - at);
    return true;
}

/* Ends a piece of the samples after PIECE bytes of them. */
static bool end_piece(struct decoder *d, const struct wire *w)
{
    const uint8_t *from =
        d->cuts.n ? d->cuts.v[d->cuts.n - 1].at : d->samples.spans.v->at;
    struct cut here = {w->at, d->samples.spans.n - 1, d->samples.n};
    return w->at - from < PIECE || vec_push(&d->cuts, here) ||
           err_nomem(d->err);
}

static bool index_fields(struct decoder *d, struct wire w)
{
    struct wire_field f;
    while (!wire_done(&w)) {
        const uint8_t *start = w.at;
        struct run *to = run_of(d, *start >> 3);
        size_t n = 0;
        if (*start >= 8 && *start < 0x80 && (*start & 7) == WIRE_BYTES)
            n = skip_alike(&w, *start);
        if (!n) {
            if (!wire_field(&w, &f, d->err))
                return false;
            to = run_of(d, f.number);
            if (to != &d->others && !wire_expect(&f, WIRE_BYTES, d->err))
                return false;
            n = 1;
        }
        if (!add_fields(d, to, start, &w, n) ||
            (to == &d->samples && !end_piece(d, &w)))
            return false;
    }
    return true;
}

/* --- strings and header ----------------------------------------------------
 */

static bool intern_strings(struct decoder *d)
{
    struct cursor c = run_start(&d->strings);
    struct wire s;
    d->n_str = d->strings.n;
    if (!d->n_str)
        return err_set(d->err, ERR_INPUT, "there is no string table");
    /* No more than there can be of common length. */
    size_t likely =
        d->strings.bytes / 16 < d->n_str ? d->strings.bytes / 16 : d->n_str;
    if (!vec_grow((void **)&d->str, &d->cap_str, d->n_str, sizeof *d->str) ||
        !strtab_reserve(&d->p->strings, likely))
        return err_nomem(d->err);
    for (size_t i = 0; i < d->n_str; i++) {
        if (!next_message(d, &c, &s))
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

static bool set_value_type(struct decoder *d, const struct decode_number *f,
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
           set_value_type(d, numbers, &vt) &&
           prof_add_type_id(d->p, vt, d->err);
}

static bool add_comment(struct decoder *d, uint64_t value, size_t offset)
{
    struct decode_number index = {value, offset};
    uint32_t id;
    return decode_string(d, &index, "comment", &id) &&
           prof_add_comment_id(d->p, id, d->err);
}

static bool add_comments(struct decoder *d, const struct wire_field *f)
{
    if (f->type == WIRE_VARINT)
        return add_comment(d, f->value, f->offset);
    if (!wire_expect(f, WIRE_BYTES, d->err))
        return false;
    struct wire w = f->bytes;
    while (!wire_done(&w)) {
        uint64_t index;
        size_t offset = wire_offset(&w);
        if (!wire_varint(&w, &index, d->err) || !add_comment(d, index, offset))
            return false;
    }
    return true;
}

/*
 * Fields that a profile has once.  The last of repeated ones counts; strings
 * are looked up in the end, so that the others may be anything.
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
    return set_value_type(d, single->period_type, &p->period_type) &&
           decode_string(d, &of[PROFILE_DROP_FRAMES], "drop_frames",
                         &p->drop_frames) &&
           decode_string(d, &of[PROFILE_KEEP_FRAMES], "keep_frames",
                         &p->keep_frames) &&
           decode_string(d, &of[PROFILE_DEFAULT_SAMPLE_TYPE],
                         "default_sample_type", &p->default_sample_type) &&
           decode_string(d, &of[PROFILE_DOC_URL], "doc_url", &p->doc_url);
}

/* Header fields that stand side by side. */
static bool read_header(struct decoder *d, struct wire w, struct single *single)
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

static bool read_headers(struct decoder *d)
{
    struct single single = {{{0, 0}}, {{0, 0}}};
    for (size_t i = 0; i < d->others.spans.n; i++) {
        const struct span *s = &d->others.spans.v[i];
        if (!read_header(d, (struct wire){s->at, s->end, d->base}, &single))
            return false;
    }
    return set_single(d, &single);
}

/* --- mappings, functions, locations ----------------------------------------
 */

static bool add_mapping(struct decoder *d, struct wire w)
{
    struct decode_number f[MAPPING_HAS_INLINE_FRAMES + 1];
    if (!decode_numbers(d, w, f, MAPPING_HAS_INLINE_FRAMES))
        return false;
    struct prof_mapping m = {
        .id = f[MAPPING_ID].value,
        .start = f[MAPPING_START].value,
        .limit = f[MAPPING_LIMIT].value,
        .offset = f[MAPPING_OFFSET].value,
        .has_functions = f[MAPPING_HAS_FUNCTIONS].value != 0,
        .has_filenames = f[MAPPING_HAS_FILENAMES].value != 0,
        .has_line_numbers = f[MAPPING_HAS_LINE_NUMBERS].value != 0,
        .has_inline_frames = f[MAPPING_HAS_INLINE_FRAMES].value != 0,
    };
    return decode_string(d, &f[MAPPING_FILENAME], "file name of a mapping",
                         &m.filename) &&
           decode_string(d, &f[MAPPING_BUILD_ID], "build id of a mapping",
                         &m.build_id) &&
           prof_add_mapping(d->p, &m, NULL, d->err);
}

static bool add_function(struct decoder *d, struct wire w)
{
    struct decode_number f[FUNCTION_START_LINE + 1];
    if (decode_fast_function(d, &w))
        return true;
    if (!decode_numbers(d, w, f, FUNCTION_START_LINE))
        return false;
    struct prof_function fn = {
        .id = f[FUNCTION_ID].value,
        .start_line = (int64_t)f[FUNCTION_START_LINE].value,
    };
    if (!decode_string(d, &f[FUNCTION_NAME], "name of a function", &fn.name) ||
        !decode_string(d, &f[FUNCTION_SYSTEM_NAME], "system name of a function",
                       &fn.system_name) ||
        !decode_string(d, &f[FUNCTION_FILENAME], "file name of a function",
                       &fn.filename))
        return false;
    d->p->functions[d->p->n_functions++] = fn; /* room was made for all */
    return true;
}

/*
 * A line's function.  Id 0 says that there is none, unless the profile has a
 * function with that id.
 */
static bool line_function(struct decoder *d, uint64_t id, size_t offset,
                          uint32_t *index)
{
    if (!id && d->unnumbered) {
        *index = 0;
        return d->p->n_functions == 1 ||
               err_set(d->err, ERR_INPUT,
                       "offset %zu: line without a function id, and the %zu "
                       "functions have none either",
                       offset, d->p->n_functions);
    }
    *index = idmap_get(&d->function_of, id);
    if (*index != IDMAP_NONE || !id)
        return true;
    return err_set(d->err, ERR_INPUT,
                   "offset %zu: line of function %" PRIu64
                   ", which the profile does not have",
                   offset, id);
}

static bool add_line(struct decoder *d, struct wire w)
{
    struct prof_line l = {0};
    uint32_t key;
    uint64_t function = 0, value;
    for (const uint8_t *at = w.at, *from; at != w.end;) {
        from = at;
        if (!(at = scan_field(at, &w, d->limit, &key, &value, d->err)))
            return false;
        switch (key) {
        case SCAN_NUMBER(LINE_FUNCTION_ID):
            function = value;
            break;
        case SCAN_NUMBER(LINE_LINE):
            l.line = (int64_t)value;
            break;
        case SCAN_NUMBER(LINE_COLUMN):
            l.column = (int64_t)value;
            break;
        default:
            if (key >> 3 <= LINE_COLUMN)
                return scan_unexpected(from, &w, key, WIRE_VARINT, d->err);
            d->n_unknown++;
            at += scan_rest(key, value);
        }
    }
    if (!line_function(d, function, wire_offset(&w), &l.function))
        return false;
    d->n_nowhere += l.function == PROF_NONE;
    return prof_push_line(d->p, &l, d->err);
}

static bool location_mapping(struct decoder *d, uint64_t id, size_t offset,
                             uint32_t *index)
{
    *index = PROF_NONE;
    if (!id)
        return true;
    *index = idmap_get(&d->mapping_of, id);
    if (*index != IDMAP_NONE)
        return true;
    return err_set(d->err, ERR_INPUT,
                   "offset %zu: location in mapping %" PRIu64
                   ", which the profile does not have",
                   offset, id);
}

/* An unknown field of a location, or one of another type. */
static bool odd_field(struct decoder *d, const struct wire *w,
                      const uint8_t *from, uint32_t key)
{
    if (key >> 3 <= LOCATION_IS_FOLDED)
        return scan_unexpected(
            from, w, key, key >> 3 == LOCATION_LINE ? WIRE_BYTES : WIRE_VARINT,
            d->err);
    d->n_unknown++;
    return true;
}

static bool add_location(struct decoder *d, struct wire w)
{
    struct profile *p = d->p;
    struct prof_location l = {.line_off = (uint32_t)p->n_lines};
    uint32_t key;
    uint64_t mapping_id = 0, value;
    if (decode_fast_location(d, &w))
        return true;
    for (const uint8_t *at = w.at, *from; at != w.end;) {
        from = at;
        if (!(at = scan_field(at, &w, d->limit, &key, &value, d->err)))
            return false;
        switch (key) {
        case SCAN_NUMBER(LOCATION_ID):
            l.id = value;
            break;
        case SCAN_NUMBER(LOCATION_MAPPING_ID):
            mapping_id = value;
            break;
        case SCAN_NUMBER(LOCATION_ADDRESS):
            l.address = value;
            break;
        case SCAN_BYTES(LOCATION_LINE): {
            struct wire inner = w;
            inner.at = at;
            inner.end = at += value;
            if (!add_line(d, inner))
                return false;
            break;
        }
        case SCAN_NUMBER(LOCATION_IS_FOLDED):
            l.is_folded = value != 0;
            break;
        default:
            if (!odd_field(d, &w, from, key))
                return false;
            at += scan_rest(key, value);
        }
    }
    l.n_lines = (uint32_t)p->n_lines - l.line_off;
    if (!location_mapping(d, mapping_id, wire_offset(&w), &l.mapping))
        return false;
    p->locations[p->n_locations++] = l; /* room was made for all */
    return true;
}

static bool map_ids(struct decoder *d, struct idmap *map, const char *what,
                    const struct idmap_entities *e)
{
    uint32_t twice;
    if (!idmap_make(map, e, &twice))
        return err_nomem(d->err);
    if (twice == IDMAP_NONE)
        return true;
    return err_set(d->err, ERR_INPUT, "two %ss have id %" PRIu64 "%s", what,
                   idmap_id(e, twice),
                   d->second_table ? ": several profiles one behind the "
                                     "other, which only gzip keeps apart?"
                                   : "");
}

/*
 * Some producers for .NET write functions without ids, and lines that count
 * them from 1.  A single function with id 0 is numbered from 0 by others.
 */
static void number_functions(struct decoder *d)
{
    struct profile *p = d->p;
    size_t n_zero = 0;
    for (size_t i = 0; i < p->n_functions; i++)
        n_zero += !p->functions[i].id;
    d->has_zero = n_zero;
    d->unnumbered = n_zero && n_zero == p->n_functions;
    for (size_t i = 0; d->unnumbered && i < p->n_functions; i++)
        p->functions[i].id = i + 1;
}

static inline bool decode_each(struct decoder *d, const struct run *run,
                               bool (*one)(struct decoder *d, struct wire w))
{
    struct cursor c = run_start(run);
    struct wire message;
    for (size_t i = 0; i < run->n; i++)
        if (!next_message(d, &c, &message) || !one(d, message))
            return false;
    return true;
}

static bool decode_entities(struct decoder *d)
{
    struct profile *p = d->p;
    size_t limit = PROF_NONE - 1;
    struct prof_counts counts = {
        .mappings = d->mappings.n,
        .functions = d->functions.n,
        .locations = d->locations.n,
        .lines = d->locations.n, /* one each, if none is inlined */
    };
    if (counts.mappings > limit || counts.functions > limit ||
        counts.locations > limit)
        return err_set(d->err, ERR_INPUT, "more than 4294967294 entities");
    if (!prof_reserve(p, &counts, d->err))
        return false;
    if (!decode_each(d, &d->mappings, add_mapping) ||
        !decode_each(d, &d->functions, add_function))
        return false;
    number_functions(d);
    const struct idmap_entities mappings = {p->mappings, p->n_mappings,
                                            sizeof *p->mappings};
    const struct idmap_entities functions = {p->functions, p->n_functions,
                                             sizeof *p->functions};
    if (!map_ids(d, &d->mapping_of, "mapping", &mappings) ||
        !map_ids(d, &d->function_of, "function", &functions) ||
        !decode_each(d, &d->locations, add_location))
        return false;
    const struct idmap_entities locations = {p->locations, p->n_locations,
                                             sizeof *p->locations};
    return map_ids(d, &d->location_of, "location", &locations);
}

/* --- all of a message ------------------------------------------------------
 */

/* Memory is kept after messages of up to this many bytes. */
enum { LARGE = 8 << 20 };

/* Empties the run and keeps its memory. */
static void clear_run(struct run *run)
{
    run->n = run->bytes = run->spans.n = 0;
}

static void decoder_free(struct decoder *d)
{
    free(d->str);
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
}

/* Prepares for a message; keeps the memory of the one before. */
static void reset(struct decoder *d, struct profile *p,
                  const struct notes *notes, struct err *err)
{
    d->p = p;
    d->notes = notes;
    d->err = err;
    d->n_str = d->cuts.n = 0;
    d->second_table = d->has_zero = d->unnumbered = false;
    clear_run(&d->strings);
    clear_run(&d->mappings);
    clear_run(&d->functions);
    clear_run(&d->locations);
    clear_run(&d->samples);
    clear_run(&d->others);
    d->n_unknown = d->n_two_fold = d->n_textless = d->n_nowhere = 0;
}

/* Notes on a message that was decoded. */
static void note_oddities(const struct decoder *d)
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
                  "and pbfilter --repair repairs them",
                  d->n_nowhere);
}

static bool decode_all(struct decoder *d, struct wire w)
{
    d->base = w.base;
    d->limit = w.end;
    if (!index_fields(d, w) || !intern_strings(d) || !read_headers(d) ||
        !decode_entities(d) || !decode_samples(d))
        return false;
    note_oddities(d);
    return true;
}

bool pb_decode(const uint8_t *data, size_t n, struct profile *p,
               const struct notes *notes, struct err *err)
{
    struct decoder d = {0};
    reset(&d, p, notes, err);
    bool ok = prof_init(p, err) && decode_all(&d, wire_of(data, n));
    decoder_free(&d);
    return ok;
}

struct pb_decoder {
    struct decoder d;
    struct pb_decoder_opts opts;
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

void pb_decoder_set(struct pb_decoder *decoder,
                    const struct pb_decoder_opts *opts)
{
    decoder->opts = *opts;
}

bool pb_decode_next(struct pb_decoder *decoder, const uint8_t *data, size_t n,
                    struct profile *p, struct err *err)
{
    struct decoder *d = &decoder->d;
    reset(d, p, decoder->opts.notes, err);
    d->threads = decoder->opts.threads;
    d->discard = decoder->opts.discard;
    bool ok = decode_all(d, wire_of(data, n));
    if (n > LARGE) {
        decoder_free(d);
        *d = (struct decoder){0};
    }
    return ok;
}
