#include "check/begins.h"

#include "pb/fields.h"
#include "pb/scan.h"

enum { LOOKED_AT = 8 }; /* fields */

/* Whether a profile has the field with this wire type. */
static bool is_own(uint32_t key)
{
    uint32_t number = key >> 3, type = key & 7;
    if (number == PROFILE_COMMENT)
        return type == WIRE_BYTES || type == WIRE_VARINT;
    bool bytes = number < PROFILE_DROP_FRAMES || number == PROFILE_PERIOD_TYPE;
    return type == (bytes ? WIRE_BYTES : WIRE_VARINT);
}

bool doctor_is_whole(const uint8_t *data, size_t n)
{
    struct wire w = wire_of(data, n);
    while (!wire_done(&w)) {
        uint32_t key;
        uint64_t value;
        const uint8_t *at = scan_field(w.at, &w, w.end, &key, &value, NULL);
        if (!at)
            return false;
        w.at = at + scan_rest(key, value);
    }
    return true;
}

bool doctor_begins(const uint8_t *data, size_t n)
{
    struct wire w = wire_of(data, n);
    bool any = false;
    for (int i = 0; i < LOOKED_AT && !wire_done(&w); i++) {
        uint32_t key;
        uint64_t value;
        const uint8_t *at = scan_field(w.at, &w, w.end, &key, &value, NULL);
        /* One that cannot be read may still be told by its tag. */
        bool cut = !at;
        if (cut)
            key = *w.at;
        bool own = key >= 8 && key >> 3 <= PROFILE_DOC_URL;
        if (own ? !is_own(key) : cut)
            return false;
        any = any || own;
        if (cut)
            break;
        w.at = at + scan_rest(key, value);
    }
    return any;
}
