#include "pb/scan.h"

const uint8_t *scan_field_slow(const uint8_t *at, const struct wire *w,
                               uint32_t *key, uint64_t *value, struct err *err)
{
    struct wire rest = *w;
    struct wire_field f;
    rest.at = at;
    if (!wire_field(&rest, &f, err))
        return NULL;
    *key = f.number << 3 | f.type;
    if (f.type != WIRE_BYTES) {
        *value = f.value;
        return rest.at;
    }
    *value = wire_left(&f.bytes);
    return f.bytes.at;
}

bool scan_unexpected(const uint8_t *at, const struct wire *w, uint32_t key,
                     enum wire_type expected, struct err *err)
{
    struct wire_field f = {
        .number = key >> 3, .type = key & 7, .offset = (size_t)(at - w->base)};
    return wire_expect(&f, expected, err);
}
