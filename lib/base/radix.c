#include "base/radix.h"

#include <stdbool.h>
#include <string.h>

enum {
    FEW = 48,        /* items that are sorted by insertion */
    BUCKETS = 256,   /* values of a byte */
    SHARED = 4,      /* items to a key that make dealing worth it */
    MOST_KEYS = 2048 /* that items are dealt to */
};

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

static void sort_bytes(struct radix_item *v, struct radix_item *spare, size_t n)
{
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

/*
 * Lists the different keys of v[] in keys[], which count their items in
 * `deal`, and notes in those which key is theirs.  Returns how many keys there
 * are; 0 when there are more than `most`, or the hash serves them badly.
 */
static size_t list_keys(struct radix_item *v, size_t n, struct radix_item *keys,
                        size_t most)
{
    uint16_t slot[2 * MOST_KEYS]; /* index of a key + 1, 0 is free */
    unsigned bits = 3;
    while ((size_t)1 << bits < 2 * most)
        bits++;
    memset(slot, 0, sizeof *slot << bits);
    size_t mask = ((size_t)1 << bits) - 1, n_keys = 0, patience = 4 * n;
    for (size_t i = 0; i < n; i++) {
        uint64_t key = v[i].key;
        size_t at = key * 0x9e3779b97f4a7c15U >> (64 - bits);
        while (slot[at] && keys[slot[at] - 1].key != key && patience--)
            at = (at + 1) & mask;
        if (!slot[at]) {
            if (n_keys == most)
                return 0;
            keys[n_keys] = (struct radix_item){.key = key};
            slot[at] = (uint16_t)++n_keys;
        } else if (keys[slot[at] - 1].key != key) {
            return 0;
        }
        v[i].deal = slot[at] - 1U;
        keys[slot[at] - 1].deal++;
    }
    return n_keys;
}

/* False, with nothing moved, when the items have too many keys for that. */
static bool deal(struct radix_item *v, struct radix_item *spare, size_t n)
{
    uint32_t start[MOST_KEYS], sum = 0;
    size_t most = n / SHARED < MOST_KEYS ? n / SHARED : MOST_KEYS;
    size_t n_keys = list_keys(v, n, spare, most);
    if (!n_keys)
        return false;
    for (size_t k = 0; k < n_keys; k++)
        spare[k].id = (uint32_t)k;
    if (n_keys <= FEW)
        sort_few(spare, n_keys);
    else
        sort_bytes(spare, spare + n_keys, n_keys);
    for (size_t k = 0; k < n_keys; k++) {
        start[spare[k].id] = sum;
        sum += spare[k].deal;
    }
    for (size_t i = 0; i < n; i++)
        spare[start[v[i].deal]++] = v[i];
    memcpy(v, spare, n * sizeof *v);
    return true;
}

/* As what was written in order, or sorted before, often is. */
static bool is_sorted(const struct radix_item *v, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (v[i].key < v[i - 1].key)
            return false;
    return true;
}

void radix_sort(struct radix_item *v, struct radix_item *spare, size_t n)
{
    if (n <= FEW)
        sort_few(v, n);
    else if (!is_sorted(v, n) && !deal(v, spare, n))
        sort_bytes(v, spare, n);
}
