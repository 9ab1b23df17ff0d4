/* hash.c - an index of rows by hash */
#include "base/hash.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum { FIRST_SLOTS = 64, MANY_SLOTS = 1 << 16 };

void hashidx_free(struct hashidx *h)
{
    free(h->slot);
    memset(h, 0, sizeof *h);
}

static bool resize(struct hashidx *h, size_t n_slots)
{
    uint64_t *slot = mem_zarray(n_slots, sizeof *slot);
    if (!slot)
        return false;
    /* A slot is read before it is written to, so without this the system would
     * provide each page twice: first one of zeros that is shared. */
    if (n_slots >= MANY_SLOTS)
        (void)pages_populate(slot, n_slots * sizeof *slot);
    for (size_t i = 0; i < h->n_slots; i++) {
        if (!h->slot[i])
            continue;
        size_t at = (size_t)(h->slot[i] >> 32) & (n_slots - 1);
        while (slot[at])
            at = (at + 1) & (n_slots - 1);
        slot[at] = h->slot[i];
    }
    free(h->slot);
    h->slot = slot;
    h->n_slots = n_slots;
    return true;
}

bool hashidx_grow(struct hashidx *h)
{
    return resize(h, h->n_slots ? h->n_slots * 2 : FIRST_SLOTS);
}

bool hashidx_reserve(struct hashidx *h, size_t n)
{
    size_t n_slots = FIRST_SLOTS;
    while (n_slots / 2 < n && n_slots <= SIZE_MAX / 4)
        n_slots *= 2;
    return n_slots <= h->n_slots || resize(h, n_slots);
}
