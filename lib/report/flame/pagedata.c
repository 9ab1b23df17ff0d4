/* pagedata.c - writes the numbers in the data of the page of --flame */
#include "report/flame/private.h"

bool flame_put_number(struct buf *out, uint64_t v)
{
    if (!vec_reserve(out, 10))
        return false;
    uint8_t *to = out->v + out->n;
    for (; v >= 0x80; v >>= 7)
        *to++ = (uint8_t)(v | 0x80);
    *to++ = (uint8_t)v;
    out->n = (size_t)(to - out->v);
    return true;
}

bool flame_put_signed(struct buf *out, int64_t v)
{
    return flame_put_number(out, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

bool flame_put_length(struct buf *out, size_t at, struct prof_err *err)
{
    const size_t n = out->n - at - 4;
    if (n > UINT32_MAX)
        return err_set(err, PROF_ERR_INPUT,
                       "function names take %zu bytes, too many for a page; "
                       "use --flame=svg or a filter",
                       n);
    for (unsigned i = 0; i < 4; i++)
        out->v[at + i] = (uint8_t)(n >> 8 * i);
    return true;
}
