/* Mappings, functions and locations of profile.proto to columns. */
#include <inttypes.h>
#include <string.h>

#include "pb/decoder.h"

static bool mapping_flag(struct prof_mapping *m, const struct wire_field *f)
{
    bool on = f->value != 0;
    switch (f->number) {
    case MAPPING_HAS_FUNCTIONS:
        m->has_functions = on;
        return true;
    case MAPPING_HAS_FILENAMES:
        m->has_filenames = on;
        return true;
    case MAPPING_HAS_LINE_NUMBERS:
        m->has_line_numbers = on;
        return true;
    default:
        m->has_inline_frames = on;
        return true;
    }
}

static bool mapping(struct decoder *d, struct wire w)
{
    struct prof_mapping m = {0};
    struct wire_field f;
    while (!wire_done(&w)) {
        if (!wire_field(&w, &f, d->err))
            return false;
        if (f.number > MAPPING_HAS_INLINE_FRAMES) {
            d->n_unknown++;
            continue;
        }
        if (!wire_expect(&f, WIRE_VARINT, d->err))
            return false;
        bool ok = true;
        switch (f.number) {
        case MAPPING_ID:
            m.id = f.value;
            break;
        case MAPPING_START:
            m.start = f.value;
            break;
        case MAPPING_LIMIT:
            m.limit = f.value;
            break;
        case MAPPING_OFFSET:
            m.offset = f.value;
            break;
        case MAPPING_FILENAME:
            ok = decode_string(d, f.value, "file name of a mapping", f.offset,
                               &m.filename);
            break;
        case MAPPING_BUILD_ID:
            ok = decode_string(d, f.value, "build id of a mapping", f.offset,
                               &m.build_id);
            break;
        default:
            ok = mapping_flag(&m, &f);
        }
        if (!ok)
            return false;
    }
    return prof_add_mapping(d->p, &m, NULL, d->err);
}

static bool function(struct decoder *d, struct wire w)
{
    struct prof_function fn = {0};
    struct wire_field f;
    while (!wire_done(&w)) {
        if (!wire_field(&w, &f, d->err))
            return false;
        if (f.number > FUNCTION_START_LINE) {
            d->n_unknown++;
            continue;
        }
        if (!wire_expect(&f, WIRE_VARINT, d->err))
            return false;
        bool ok = true;
        switch (f.number) {
        case FUNCTION_ID:
            fn.id = f.value;
            break;
        case FUNCTION_NAME:
            ok = decode_string(d, f.value, "name of a function", f.offset,
                               &fn.name);
            break;
        case FUNCTION_SYSTEM_NAME:
            ok = decode_string(d, f.value, "system name of a function",
                               f.offset, &fn.system_name);
            break;
        case FUNCTION_FILENAME:
            ok = decode_string(d, f.value, "file name of a function", f.offset,
                               &fn.filename);
            break;
        default:
            fn.start_line = (int64_t)f.value;
        }
        if (!ok)
            return false;
    }
    return prof_add_function(d->p, &fn, NULL, d->err);
}

/*
 * A line's function.  Id 0 says that there is none, unless the profile has a
 * function with that id, as .NET's producers write.
 */
static bool line_function(struct decoder *d, uint64_t id, size_t offset,
                          uint32_t *index)
{
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
    struct wire_field f;
    uint64_t function_id = 0;
    size_t offset = wire_offset(&w);
    while (!wire_done(&w)) {
        if (!wire_field(&w, &f, d->err))
            return false;
        if (f.number > LINE_COLUMN) {
            d->n_unknown++;
            continue;
        }
        if (!wire_expect(&f, WIRE_VARINT, d->err))
            return false;
        switch (f.number) {
        case LINE_FUNCTION_ID:
            function_id = f.value;
            break;
        case LINE_LINE:
            l.line = (int64_t)f.value;
            break;
        default:
            l.column = (int64_t)f.value;
        }
    }
    if (!line_function(d, function_id, offset, &l.function))
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
    return err_set(d->err, ERR_INPUT, "two %ss have id %" PRIu64, what, id);
}

bool decode_entities(struct decoder *d)
{
    struct profile *p = d->p;
    for (size_t i = 0; i < d->mappings.n; i++)
        if (!mapping(d, d->mappings.v[i]))
            return false;
    for (size_t i = 0; i < d->functions.n; i++)
        if (!function(d, d->functions.v[i]))
            return false;
    if (!number(d, &d->mapping_of, "mapping", p->mappings, p->n_mappings,
                sizeof *p->mappings) ||
        !number(d, &d->function_of, "function", p->functions, p->n_functions,
                sizeof *p->functions))
        return false;
    for (size_t i = 0; i < d->locations.n; i++)
        if (!location(d, d->locations.v[i]))
            return false;
    return number(d, &d->location_of, "location", p->locations, p->n_locations,
                  sizeof *p->locations);
}
