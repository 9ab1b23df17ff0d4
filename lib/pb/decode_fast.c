/*
 * decode_fast.c - locations and functions of the common kind
 *
 * Small profiles consist of them: millions of messages of a dozen bytes, where
 * checking each field took three times as long as reading it.  These loops
 * check only once that they end where the message ends.  They return false
 * for anything uncommon (other fields or types, long numbers, missing ids),
 * which decode.c then reads or refuses.
 */
#include "pb/private.h"

enum {
    AHEAD = 5, /* bytes after the first of a field that may be read */
    TOO_LONG = 1 << 28,
};

/* A number of up to 28 bits; or TOO_LONG. */
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

/* A line that ends at `end`, appended. */
static inline bool add_line(struct decoder *d, const uint8_t *at,
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

static inline bool read_location(struct decoder *d, const uint8_t *at,
                                 const uint8_t *end, struct prof_location *l)
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
            if (at > end || v > (size_t)(end - at) || !add_line(d, at, at + v))
                return false;
            at += v;
        } else {
            return false;
        }
    }
    l->mapping = mapping ? idmap_get(&d->mapping_of, mapping) : PROF_NONE;
    return at == end && (!mapping || l->mapping != IDMAP_NONE);
}

bool decode_fast_location(struct decoder *d, const struct wire *w)
{
    struct profile *p = d->p;
    size_t first = p->n_lines;
    struct prof_location l = {.line_off = (uint32_t)first};
    if (d->limit - w->end < AHEAD || !read_location(d, w->at, w->end, &l)) {
        p->n_lines = first;
        return false;
    }
    l.n_lines = (uint32_t)(p->n_lines - first);
    p->locations[p->n_locations++] = l;
    return true;
}

bool decode_fast_function(struct decoder *d, const struct wire *w)
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
    if (at != end || f[FUNCTION_NAME] >= d->n_str ||
        f[FUNCTION_SYSTEM_NAME] >= d->n_str || f[FUNCTION_FILENAME] >= d->n_str)
        return false;
    d->p->functions[d->p->n_functions++] = (struct prof_function){
        .id = f[FUNCTION_ID],
        .start_line = f[FUNCTION_START_LINE],
        .name = d->str[f[FUNCTION_NAME]],
        .system_name = d->str[f[FUNCTION_SYSTEM_NAME]],
        .filename = d->str[f[FUNCTION_FILENAME]],
    };
    return true;
}
