#include "wire.h"

#include <stdlib.h>
#include <string.h>

void put(struct bytes *to, const void *p, size_t n)
{
    if (n > to->cap - to->n) {
        to->cap = 2 * to->cap + n + 64;
        to->v = realloc(to->v, to->cap);
        if (!to->v)
            exit(4);
    }
    if (n)
        memcpy(to->v + to->n, p, n);
    to->n += n;
}

void put_varint(struct bytes *to, uint64_t v)
{
    uint8_t b[10];
    size_t n = 0;

    for (; v > 0x7f; v >>= 7)
        b[n++] = (uint8_t)(v | 0x80);
    b[n++] = (uint8_t)v;
    put(to, b, n);
}

void put_number(struct bytes *to, unsigned field, uint64_t v)
{
    put_varint(to, (uint64_t)field << 3);
    put_varint(to, v);
}

void put_bytes(struct bytes *to, unsigned field, const void *p, size_t n)
{
    put_varint(to, (uint64_t)field << 3 | 2);
    put_varint(to, n);
    put(to, p, n);
}

void put_message(struct bytes *to, unsigned field, struct bytes *from)
{
    put_bytes(to, field, from->v, from->n);
    from->n = 0;
}
