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
    if (!decode_numbers(d, w, f, FUNCTION_START_LINE))
        return false;
    struct prof_function fn = {
        .id = f[FUNCTION_ID].value,
        .start_line = (int64_t)f[FUNCTION_START_LINE].value,
    };
    return decode_string(d, &f[FUNCTION_NAME], "name of a function",
                         &fn.name) &&
           decode_string(d, &f[FUNCTION_SYSTEM_NAME],
                         "system name of a function", &fn.system_name) &&
           decode_string(d, &f[FUNCTION_FILENAME], "file name of a function",
                         &fn.filename) &&
           prof_add_function(d->p, &fn, NULL, d->err);
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
    struct decode_number f[LINE_COLUMN + 1];
    size_t offset = wire_offset(&w);
    if (!decode_numbers(d, w, f, LINE_COLUMN))
        return false;
    struct prof_line l = {
        .line = (int64_t)f[LINE_LINE].value,
        .column = (int64_t)f[LINE_COLUMN].value,
    };
    if (!line_function(d, f[LINE_FUNCTION_ID].value, offset, &l.function))
        return false;
    return vec_push(&d->lines, l) || err_nomem(d->err);
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

static bool location(struct decoder *d, struct wire w)
{
    struct prof_location l = {0};
    struct wire_field f;
    uint64_t mapping_id = 0;
    size_t offset = wire_offset(&w);
    d->lines.n = 0;
    while (!wire_done(&w)) {
        if (!wire_field(&w, &f, d->err))
            return false;
        if (f.number > LOCATION_IS_FOLDED) {
            d->n_unknown++;
            continue;
        }
        if (!wire_expect(&f,
                         f.number == LOCATION_LINE ? WIRE_BYTES : WIRE_VARINT,
                         d->err))
            return false;
        switch (f.number) {
        case LOCATION_ID:
            l.id = f.value;
            break;
        case LOCATION_MAPPING_ID:
            mapping_id = f.value;
            break;
        case LOCATION_ADDRESS:
            l.address = f.value;
            break;
        case LOCATION_LINE:
            if (!line(d, f.bytes))
                return false;
            break;
        default:
            l.is_folded = f.value != 0;
        }
    }
    return location_mapping(d, mapping_id, offset, &l.mapping) &&
           prof_add_location(d->p, &l, d->lines.v, d->lines.n, NULL, d->err);
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

static bool each(struct decoder *d, const struct run *run, uint32_t field,
                 bool (*one)(struct decoder *d, struct wire w))
{
    struct wire w = run->all, message;
    for (size_t i = 0; i < run->n; i++)
        if (!decode_next(d, &w, field, &message) || !one(d, message))
            return false;
    return true;
}

bool decode_entities(struct decoder *d)
{
    struct profile *p = d->p;
    struct prof_counts counts = {
        .mappings = d->mappings.n,
        .functions = d->functions.n,
        .locations = d->locations.n,
        .lines = d->locations.n, /* one each, if none is inlined */
    };
    if (!prof_reserve(p, &counts, d->err))
        return false;
    if (!each(d, &d->mappings, PROFILE_MAPPING, mapping) ||
        !each(d, &d->functions, PROFILE_FUNCTION, function))
        return false;
    number_functions(d);
    if (!number(d, &d->mapping_of, "mapping", p->mappings, p->n_mappings,
                sizeof *p->mappings) ||
        !number(d, &d->function_of, "function", p->functions, p->n_functions,
                sizeof *p->functions))
        return false;
    return each(d, &d->locations, PROFILE_LOCATION, location) &&
           number(d, &d->location_of, "location", p->locations, p->n_locations,
                  sizeof *p->locations);
}
