/* pagedata.c - numbers of the data in the page of --flame */
#include "report/flame/private.h"

bool flame_put_number(struct buf *out, uint64_t v)
{
    uint8_t bytes[10];
    size_t n = 0;
    while (v >= 0x80) {
        bytes[n++] = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    bytes[n++] = (uint8_t)v;
    return buf_put(out, bytes, n);
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
