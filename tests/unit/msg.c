#include "msg.h"

#include <stdlib.h>
#include <string.h>

void msg_varint(struct buf *b, uint64_t v)
{
    do {
        uint8_t byte = v & 0x7f;
        v >>= 7;
        if (!buf_putc(b, (char)(v ? byte | 0x80 : byte)))
            abort();
    } while (v);
}

void msg_tag(struct buf *b, unsigned field, unsigned wire_type)
{
    msg_varint(b, (uint64_t)field << 3 | wire_type);
}

void msg_num(struct buf *b, unsigned field, uint64_t v)
{
    msg_tag(b, field, 0);
    msg_varint(b, v);
}

void msg_bytes(struct buf *b, unsigned field, const void *s, size_t n)
{
    msg_tag(b, field, 2);
    msg_varint(b, n);
    if (!buf_put(b, s, n))
        abort();
}

void msg_str(struct buf *b, unsigned field, const char *s)
{
    msg_bytes(b, field, s, strlen(s));
}

void msg_sub(struct buf *b, unsigned field, struct buf *inner)
{
    msg_bytes(b, field, inner->v, inner->n);
    buf_free(inner);
}

void msg_packed(struct buf *b, unsigned field, const uint64_t *v, size_t n)
{
    struct buf inner = {0};
    for (size_t i = 0; i < n; i++)
        msg_varint(&inner, v[i]);
    msg_sub(b, field, &inner);
}
