/* Mappings, functions and locations of profile.proto to columns. */
#include <inttypes.h>
#include <string.h>

#include "pb/decoder.h"

static bool mapping(struct decoder *d, struct wire w)
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

static bool function(struct decoder *d, struct wire w)
{
    struct decode_number f[FUNCTION_START_LINE + 1];
    if (decode_quick_function(d, &w))
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

static bool line(struct decoder *d, struct wire w)
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

/* A field of a location that it should not have, or not so. */
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

static bool location(struct decoder *d, struct wire w)
{
    struct profile *p = d->p;
    struct prof_location l = {.line_off = (uint32_t)p->n_lines};
    uint32_t key;
    uint64_t mapping_id = 0, value;
    if (decode_quick_location(d, &w))
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
            if (!line(d, inner))
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

/* The ids of n entities of `size` bytes, each beginning with its id. */
static bool number(struct decoder *d, struct idmap *map, const char *what,
                   const void *entities, size_t n, size_t size)
{
    uint32_t twice;
    if (!idmap_make(map, entities, n, size, &twice))
        return err_nomem(d->err);
    if (twice == IDMAP_NONE)
        return true;
    uint64_t id;
    memcpy(&id, (const char *)entities + twice * size, sizeof id);
    return err_set(d->err, ERR_INPUT, "two %ss have id %" PRIu64 "%s", what, id,
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

static inline bool each(struct decoder *d, const struct run *run,
                        bool (*one)(struct decoder *d, struct wire w))
{
    struct cursor c = decode_begin(run);
    struct wire message;
    for (size_t i = 0; i < run->n; i++)
        if (!decode_message(d, &c, &message) || !one(d, message))
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
        .lines = d->locations.n, /* one each, if none is inlined */
    };
    if (counts.mappings > limit || counts.functions > limit ||
        counts.locations > limit)
        return err_set(d->err, ERR_INPUT, "more than 4294967294 entities");
    if (!prof_reserve(p, &counts, d->err))
        return false;
    if (!each(d, &d->mappings, mapping) || !each(d, &d->functions, function))
        return false;
    number_functions(d);
    if (!number(d, &d->mapping_of, "mapping", p->mappings, p->n_mappings,
                sizeof *p->mappings) ||
        !number(d, &d->function_of, "function", p->functions, p->n_functions,
                sizeof *p->functions))
        return false;
    return each(d, &d->locations, location) &&
           number(d, &d->location_of, "location", p->locations, p->n_locations,
                  sizeof *p->locations);
}
