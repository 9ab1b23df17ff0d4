#include "base/radix.h"

#include <string.h>

enum { FEW = 48, BUCKETS = 256 };

static void sort_few(struct radix_item *v, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct radix_item x = v[i];
        size_t j = i;
        for (; j && x.key < v[j - 1].key; j--)
            v[j] = v[j - 1];
        v[j] = x;
    }
}

static void sort_byte(const struct radix_item *from, struct radix_item *to,
                      size_t n, unsigned shift)
{
    size_t start[BUCKETS] = {0}, sum = 0;
    for (size_t i = 0; i < n; i++)
        start[from[i].key >> shift & 0xff]++;
    for (size_t b = 0; b < BUCKETS; b++) {
        size_t count = start[b];
        start[b] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        to[start[from[i].key >> shift & 0xff]++] = from[i];
}

void radix_sort(struct radix_item *v, struct radix_item *spare, size_t n)
{
    if (n <= FEW) {
        sort_few(v, n);
        return;
    }
    uint64_t differ = 0;
    for (size_t i = 1; i < n; i++)
        differ |= v[i].key ^ v[0].key;
    struct radix_item *from = v, *to = spare;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if (!(differ >> shift & 0xff))
            continue;
        sort_byte(from, to, n, shift);
        struct radix_item *t = from;
        from = to;
        to = t;
    }
    if (from != v)
        memcpy(v, from, n * sizeof *v);
}
