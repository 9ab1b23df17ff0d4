#include "symbol/keymap.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum { FIRST_SLOTS = 256 };

static struct sym_keymap_slot *probe(struct sym_keymap_slot *slots, size_t n,
                                     uint64_t key)
{
    uint64_t h = key * 0x9e3779b97f4a7c15U;
    size_t mask = n - 1, i = (size_t)(h ^ h >> 32) & mask;
    while (slots[i].value && slots[i].key != key)
        i = (i + 1) & mask;
    return &slots[i];
}

static bool grow(struct sym_keymap *map)
{
    size_t n = map->n_slots ? map->n_slots * 2 : FIRST_SLOTS;
    struct sym_keymap_slot *slots = mem_zarray(n, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < map->n_slots; i++)
        if (map->slots[i].value)
            *probe(slots, n, map->slots[i].key) = map->slots[i];
    free(map->slots);
    map->slots = slots;
    map->n_slots = n;
    return true;
}

uint32_t *sym_keymap_at(struct sym_keymap *map, uint64_t key)
{
    if (map->n >= map->n_slots / 2 && !grow(map))
        return NULL;
    struct sym_keymap_slot *s = probe(map->slots, map->n_slots, key);
    if (!s->value) {
        s->key = key;
        map->n++;
    }
    return &s->value;
}

void sym_keymap_free(struct sym_keymap *map)
{
    free(map->slots);
    memset(map, 0, sizeof *map);
}
