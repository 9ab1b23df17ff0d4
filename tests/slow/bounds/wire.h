/*
 * wire.h - protobuf messages byte by byte
 *
 * Written without the library's encoder, so that what no encoder would write
 * can be made.  Running out of memory ends the program.
 */
#ifndef PROFUTILS_TESTS_BOUNDS_WIRE_H
#define PROFUTILS_TESTS_BOUNDS_WIRE_H

#include <stddef.h>
#include <stdint.h>

struct bytes {
    uint8_t *v;
    size_t n, cap;
};

void put(struct bytes *to, const void *p, size_t n);
void put_varint(struct bytes *to, uint64_t v);

/* Fields: a number, bytes, and a message, which is emptied. */
void put_number(struct bytes *to, unsigned field, uint64_t v);
void put_bytes(struct bytes *to, unsigned field, const void *p, size_t n);
void put_message(struct bytes *to, unsigned field, struct bytes *from);

#endif
