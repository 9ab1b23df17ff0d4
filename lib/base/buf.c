/* buf.c - a byte buffer that grows */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void buf_free(struct buf *b)
{
    vec_free(b);
}

bool buf_put(struct buf *b, const void *bytes, size_t n)
{
    if (!buf_reserve(b, n))
        return false;
    if (n)
        memcpy(b->v + b->n, bytes, n);
    b->n += n;
    return true;
}

bool buf_printf(struct buf *b, const char *fmt, ...)
{
    for (size_t room = 128;; room *= 2) {
        if (!buf_reserve(b, room))
            return false;
        va_list ap;
        va_start(ap, fmt);
        int n = vsnprintf((char *)b->v + b->n, room, fmt, ap);
        va_end(ap);
        if (n < 0)
            return false;
        if ((size_t)n < room) {
            b->n += (size_t)n;
            return true;
        }
        if ((size_t)n >= room)
            room = (size_t)n;
    }
}

char *str_printf(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *s = n < 0 ? NULL : malloc((size_t)n + 1);
    if (!s)
        return NULL;
    va_start(ap, fmt);
    (void)vsnprintf(s, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return s;
}

char *put_digits(char *end, uint64_t v)
{
    static const char pairs[] =
        "0001020304050607080910111213141516171819202122232425262728293031323334"
        "3536373839404142434445464748495051525354555657585960616263646566676869"
        "707172737475767778798081828384858687888990919293949596979899";
    for (; v >= 100; v /= 100) {
        end -= 2;
        memcpy(end, pairs + v % 100 * 2, 2);
    }
    if (v >= 10)
        *--end = pairs[v * 2 + 1];
    *--end = v >= 10 ? pairs[v * 2] : (char)('0' + v);
    return end;
}

bool buf_put_u64(struct buf *b, uint64_t v)
{
    char digits[20], *end = digits + sizeof digits, *at = put_digits(end, v);
    return buf_put(b, at, (size_t)(end - at));
}

bool buf_put_i64(struct buf *b, int64_t v)
{
    if (v >= 0)
        return buf_put_u64(b, (uint64_t)v);
    return buf_putc(b, '-') && buf_put_u64(b, 0 - (uint64_t)v);
}

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

bool buf_put_base64(struct buf *to, const uint8_t *v, size_t n)
{
    if (n / 3 >= SIZE_MAX / 4 || !buf_reserve(to, (n / 3 + 1) * 4))
        return false;
    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
        uint32_t x = (uint32_t)v[i] << 16;
        x |= left > 1 ? (uint32_t)v[i + 1] << 8 : 0;
        x |= left > 2 ? v[i + 2] : 0;
        uint8_t *out = to->v + to->n;
        out[0] = (uint8_t)base64_digits[x >> 18];
        out[1] = (uint8_t)base64_digits[x >> 12 & 63];
        out[2] = (uint8_t)(left > 1 ? base64_digits[x >> 6 & 63] : '=');
        out[3] = (uint8_t)(left > 2 ? base64_digits[x & 63] : '=');
        to->n += 4;
    }
    return true;
}

static bool put_in_buf(struct sink *self, const void *bytes, size_t n,
                       struct prof_err *err)
{
    struct buf_sink *bs = (struct buf_sink *)self;
    return buf_put(bs->buf, bytes, n) || err_nomem(err);
}

struct buf_sink buf_sink_of(struct buf *buf)
{
    return (struct buf_sink){{put_in_buf}, buf};
}
