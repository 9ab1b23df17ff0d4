/*
 * bytes.h - reads integers from bytes, finds bytes, prints them in hexadecimal
 *
 * le16() to be64() return the integer of 16, 32 or 64 bits at p, which need not
 * be aligned.  le: little-endian, the first byte is the least significant one.
 * be: big-endian.  Compilers turn each function into one or two instructions.
 */
#ifndef PROFUTILS_BASE_BYTES_H
#define PROFUTILS_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline uint16_t le16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t le32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

static inline uint64_t le64(const uint8_t *p)
{
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 |
           (uint64_t)p[3] << 24 | (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 |
           (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

static inline uint16_t be16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 |
           p[3];
}

static inline uint64_t be64(const uint8_t *p)
{
    return (uint64_t)p[0] << 56 | (uint64_t)p[1] << 48 | (uint64_t)p[2] << 40 |
           (uint64_t)p[3] << 32 | (uint64_t)p[4] << 24 | (uint64_t)p[5] << 16 |
           (uint64_t)p[6] << 8 | (uint64_t)p[7];
}

/* Returns the integer of `size` bytes, at most 8, at p. */
static inline uint64_t bytes_number(const uint8_t *p, size_t size, bool big)
{
    uint64_t v = 0;
    if (size == 8)
        return big ? be64(p) : le64(p);
    if (size == 4)
        return big ? be32(p) : le32(p);
    if (size == 2)
        return big ? be16(p) : le16(p);
    for (size_t i = 0; i < size; i++)
        v = v << 8 | p[big ? i : size - 1 - i];
    return v;
}

/*
 * Returns the first occurrence of what[0 .. k), k > 0, in v[0 .. n), or null.
 * Takes time in proportion to n * k in the worst case.
 */
const void *bytes_find(const void *v, size_t n, const void *what, size_t k);

/* Returns a pointer to the last byte c in v[0 .. n), or null. */
const void *bytes_find_last(const void *v, size_t n, char c);

/* Writes v[0 .. n) as 2 * n lower-case hexadecimal digits and a NUL. */
void bytes_to_hex(char *to, const uint8_t *v, size_t n);

#endif
