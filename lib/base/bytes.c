/* bytes.c - searches for bytes and writes them as hexadecimal digits */
#include "base/bytes.h"

#include <string.h>

const void *bytes_find(const void *v, size_t n, const void *what, size_t k)
{
    const char *at = v, *end = at + n, *first = what;
    while ((size_t)(end - at) >= k &&
           (at = memchr(at, first[0], (size_t)(end - at) - k + 1))) {
        if (memcmp(at, what, k) == 0)
            return at;
        at++;
    }
    return NULL;
}

const void *bytes_find_last(const void *v, size_t n, char c)
{
    const char *bytes = v;
    while (n--)
        if (bytes[n] == c)
            return &bytes[n];
    return NULL;
}

void bytes_to_hex(char *to, const uint8_t *v, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < n; i++) {
        *to++ = digits[v[i] >> 4];
        *to++ = digits[v[i] & 15];
    }
    *to = 0;
}
