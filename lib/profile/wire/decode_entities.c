/* decode_entities.c - strings, mappings, functions, locations to columns */
#include <inttypes.h>

#include "profile/wire/private.h"

bool decode_table_string(struct decoder *d, const struct wire *s)
{
    uint32_t id;
    if (!d->str.n && wire_left(s))
        return err_input(d->err, "offset %zu: string 0 is not empty",
                         wire_offset(s));
    if (d->str.n && wire_done(s))
        d->second_table = true;
    return (strtab_add(&d->p->strings, (const char *)s->at, wire_left(s),
                       &id) &&
            vec_push(&d->str, id)) ||
           err_nomem(d->err);
}

/*
 * --- locations and functions with short fields only
 *
 * Small profiles consist of them: millions of messages of a dozen bytes, where
 * checking each field took three times as long as reading it.  These loops
 * check only once that they end where the message ends.  They return false,
 * with nothing changed and no error set, for anything uncommon (other fields
 * or types, long numbers, missing ids) and anything damaged: the general
 * functions then read or refuse it.  The caller has reserved the memory.
 */

enum {
    AHEAD = 5, /* bytes after the first of a field that may be read */
    TOO_LONG = 1 << 28,
};

/* Reads a number of up to 28 bits.  Returns TOO_LONG for longer ones. */
static inline uint32_t short_number(const uint8_t **at)
{
    const uint8_t *p = *at;
    uint32_t v = p[0];
    *at = p + 1;
    if (v < 0x80)
        return v;
    v = (v & 0x7f) | (uint32_t)(p[1] & 0x7f) << 7;
    *at = p + 2;
    if (p[1] < 0x80)
        return v;
    v |= (uint32_t)(p[2] & 0x7f) << 14;
    *at = p + 3;
    if (p[2] < 0x80)
        return v;
    *at = p + 4;
    return p[3] < 0x80 ? v | (uint32_t)p[3] << 21 : TOO_LONG;
}

/* Appends the line from `at` to `end`. */
static inline bool add_short_line(struct decoder *d, const uint8_t *at,
                                  const uint8_t *end)
{
    struct profile *p = d->p;
    uint32_t function = 0, where[2] = {0, 0};
    while (at < end) {
        uint32_t tag = *at++, v = short_number(&at);
        if (tag == SCAN_NUMBER(LINE_FUNCTION_ID))
            function = v;
        else if (tag == SCAN_NUMBER(LINE_LINE))
            where[0] = v;
        else if (tag == SCAN_NUMBER(LINE_COLUMN))
            where[1] = v;
        else
            return false;
        if (v == TOO_LONG)
            return false;
    }
    uint32_t index = idmap_get(&d->function_of, function);
    if (at != end || index == IDMAP_NONE || p->n_lines == p->cap_lines ||
        p->n_lines >= PROF_NONE - 1)
        return false;
    p->lines[p->n_lines++] = (struct prof_line){where[0], where[1], index};
    return true;
}

static inline bool read_short_location(struct decoder *d, const uint8_t *at,
                                       const uint8_t *end,
                                       struct prof_location *l)
{
    uint32_t mapping = 0;
    while (at < end) {
        uint32_t tag = *at, v;
        if (tag == SCAN_NUMBER(LOCATION_ADDRESS)) {
            const struct wire w = {at + 1, end, at};
            if (!(at = scan_number(at + 1, &w, d->limit, &l->address, NULL)))
                return false;
            continue;
        }
        at++;
        if ((v = short_number(&at)) == TOO_LONG)
            return false;
        if (tag == SCAN_NUMBER(LOCATION_ID)) {
            l->id = v;
        } else if (tag == SCAN_NUMBER(LOCATION_MAPPING_ID)) {
            mapping = v;
        } else if (tag == SCAN_BYTES(LOCATION_LINE)) {
            if (at > end || v > (size_t)(end - at) ||
                !add_short_line(d, at, at + v))
                return false;
            at += v;
        } else {
            return false;
        }
    }
    l->mapping = mapping ? idmap_get(&d->mapping_of, mapping) : PROF_NONE;
    return at == end && (!mapping || l->mapping != IDMAP_NONE);
}

static bool add_short_location(struct decoder *d, const struct wire *w)
{
    struct profile *p = d->p;
    size_t first = p->n_lines;
    struct prof_location l = {.line_off = (uint32_t)first};
    if (d->limit - w->end < AHEAD ||
        !read_short_location(d, w->at, w->end, &l)) {
        p->n_lines = first;
        return false;
    }
    l.n_lines = (uint32_t)(p->n_lines - first);
    p->locations[p->n_locations++] = l;
    return true;
}

static bool add_short_function(struct decoder *d, const struct wire *w)
{
    uint32_t f[FUNCTION_START_LINE + 1] = {0};
    const uint8_t *at = w->at, *end = w->end;
    if (d->limit - end < AHEAD)
        return false;
    while (at < end) {
        uint32_t tag = *at++, v = short_number(&at);
        if (tag & 7 || tag > SCAN_NUMBER(FUNCTION_START_LINE) || !tag ||
            v == TOO_LONG)
            return false;
        f[tag >> 3] = v;
    }
    if (at != end || f[FUNCTION_NAME] >= d->str.n ||
        f[FUNCTION_SYSTEM_NAME] >= d->str.n || f[FUNCTION_FILENAME] >= d->str.n)
        return false;
    d->p->functions[d->p->n_functions++] = (struct prof_function){
        .id = f[FUNCTION_ID],
        .start_line = f[FUNCTION_START_LINE],
        .name = d->str.v[f[FUNCTION_NAME]],
        .system_name = d->str.v[f[FUNCTION_SYSTEM_NAME]],
        .filename = d->str.v[f[FUNCTION_FILENAME]],
    };
    return true;
}

/* --- mappings, functions, locations of any kind */

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
    if (add_short_function(d, &w))
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
    d->p->functions[d->p->n_functions++] = fn; /* decode_entities() made room */
    return true;
}

/*
 * Sets *index to the function of a line.  Id 0 means none, unless the profile
 * has a function with that id.
 */
static bool line_function(struct decoder *d, uint64_t id, size_t offset,
                          uint32_t *index)
{
    if (!id && d->unnumbered) {
        *index = 0;
        return d->p->n_functions == 1 ||
               err_input(d->err,
                         "offset %zu: line without a function id, and none of "
                         "the %zu functions has an id",
                         offset, d->p->n_functions);
    }
    *index = idmap_get(&d->function_of, id);
    if (*index != IDMAP_NONE || !id)
        return true;
    return err_input(d->err,
                     "offset %zu: line refers to function %" PRIu64
                     ", which does not exist",
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
                return wire_unexpected((size_t)(from - w.base), key,
                                       WIRE_VARINT, d->err);
            d->n_unknown++;
            at += scan_rest(key, value);
        }
    }
    if (!line_function(d, function, wire_offset(&w), &l.function))
        return false;
    d->n_nowhere += l.function == PROF_NONE;
    return prof_push_line(d->p, &l, d->err);
}

static bool add_location(struct decoder *d, struct wire w)
{
    struct profile *p = d->p;
    struct prof_location l = {.line_off = (uint32_t)p->n_lines};
    uint32_t key;
    uint64_t mapping_id = 0, value;
    if (add_short_location(d, &w))
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
            if (key >> 3 <= LOCATION_IS_FOLDED)
                return wire_unexpected((size_t)(from - w.base), key,
                                       key >> 3 == LOCATION_LINE ? WIRE_BYTES
                                                                 : WIRE_VARINT,
                                       d->err);
            d->n_unknown++;
            at += scan_rest(key, value);
        }
    }
    l.n_lines = (uint32_t)p->n_lines - l.line_off;
    l.mapping = mapping_id ? idmap_get(&d->mapping_of, mapping_id) : PROF_NONE;
    if (mapping_id && l.mapping == IDMAP_NONE)
        return err_input(d->err,
                         "offset %zu: location refers to mapping %" PRIu64
                         ", which does not exist",
                         wire_offset(&w), mapping_id);
    p->locations[p->n_locations++] = l; /* decode_entities() made room */
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
    return err_input(
        d->err, "duplicate %s id %" PRIu64 "%s", what, idmap_id(e, twice),
        d->second_table ? " (several uncompressed profiles concatenated?)"
                        : "");
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

bool decode_entities(struct decoder *d)
{
    struct profile *p = d->p;
    size_t limit = PROF_NONE - 1;
    struct prof_counts counts = {
        .mappings = d->mappings.n,
        .functions = d->functions.n,
        .locations = d->locations.n,
        .lines = d->locations.n, /* one each, if nothing is inlined */
    };
    if (counts.mappings > limit || counts.functions > limit ||
        counts.locations > limit)
        return err_input(
            d->err, "more than 4294967294 mappings, functions or locations");
    if (!prof_reserve(p, &counts, d->err))
        return false;
    if (!decode_each(d, &d->mappings, add_mapping) ||
        !decode_each(d, &d->functions, add_function))
        return false;
    /*
     * Some producers for .NET write functions without ids, and lines that count
     * them from 1.  Others write a single function with id 0, and refer to it
     * by 0.
     */
    size_t n_zero = 0;
    for (size_t i = 0; i < p->n_functions; i++)
        n_zero += !p->functions[i].id;
    d->has_zero = n_zero;
    d->unnumbered = n_zero && n_zero == p->n_functions;
    for (size_t i = 0; d->unnumbered && i < p->n_functions; i++)
        p->functions[i].id = i + 1;
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
