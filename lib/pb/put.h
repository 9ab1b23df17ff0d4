/*
 * put.h - writing protobuf's wire format into memory (lib/pb only)
 *
 * Each function writes at `at` and returns the end of what it wrote; the
 * caller has made room.
 *
 * A message is written once: first its body, with room in front for a length
 * of as many bytes as is likely, then its length.  Only where the length
 * takes another number of bytes does the body move.
 */
#ifndef PROFUTILS_PB_PUT_H
#define PROFUTILS_PB_PUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "pb/wire.h"

enum { PUT_VARINT_MAX = 10 };

static inline uint8_t *put_varint(uint8_t *at, uint64_t v)
{
    while (v >= 0x80) {
        *at++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *at++ = (uint8_t)v;
    return at;
}

/* The numbers of a profile's fields are below 16: one byte. */
static inline uint8_t *put_tag(uint8_t *at, unsigned number,
                               enum wire_type type)
{
    *at = (uint8_t)(number << 3 | (unsigned)type);
    return at + 1;
}

/* A number, left out when it is 0 as proto3 does. */
static inline uint8_t *put_number(uint8_t *at, unsigned number, uint64_t v)
{
    return v ? put_varint(put_tag(at, number, WIRE_VARINT), v) : at;
}

/*
 * Begins a message (or bytes, or packed numbers) whose length is likely to
 * take `room` bytes, from 1 up; returns where its body goes.
 */
static inline uint8_t *put_begin(uint8_t *at, unsigned number, unsigned room)
{
    return put_tag(at, number, WIRE_BYTES) + room;
}

/*
 * Ends it: body is what put_begin() gave for *room, which becomes what the
 * length did take.
 */
static inline uint8_t *put_end(uint8_t *body, uint8_t *end, unsigned *room)
{
    size_t n = (size_t)(end - body);
    uint8_t length[PUT_VARINT_MAX];
    unsigned size = (unsigned)(put_varint(length, n) - length);
    if (size != *room) {
        memmove(body - *room + size, body, n);
        body = body - *room + size;
        *room = size;
    }
    put_varint(body - size, n);
    return body + n;
}

/* The same for what is most often shorter than 128 bytes. */
static inline uint8_t *put_end_short(uint8_t *body, uint8_t *end)
{
    unsigned room = 1;
    return put_end(body, end, &room);
}

#endif
