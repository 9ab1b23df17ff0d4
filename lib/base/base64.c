#include "base/base64.h"

static const char digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

bool base64_put(struct buf *to, const uint8_t *v, size_t n)
{
    if (n / 3 >= SIZE_MAX / 4 || !buf_reserve(to, (n / 3 + 1) * 4))
        return false;
    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
        uint32_t x = (uint32_t)v[i] << 16;
        x |= left > 1 ? (uint32_t)v[i + 1] << 8 : 0;
        x |= left > 2 ? v[i + 2] : 0;
        uint8_t *out = to->v + to->n;
        out[0] = (uint8_t)digits[x >> 18];
        out[1] = (uint8_t)digits[x >> 12 & 63];
        out[2] = (uint8_t)(left > 1 ? digits[x >> 6 & 63] : '=');
        out[3] = (uint8_t)(left > 2 ? digits[x & 63] : '=');
        to->n += 4;
    }
    return true;
}
