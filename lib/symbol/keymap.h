/*
 * keymap.h - a hash from 64-bit keys to indices
 */
#ifndef PROFUTILS_SYMBOL_KEYMAP_H
#define PROFUTILS_SYMBOL_KEYMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sym_keymap_slot {
    uint64_t key;
    uint32_t value; /* + 1; 0: the slot is free */
};

/* Zero-initialise; sym_keymap_free() gives it back. */
struct sym_keymap {
    struct sym_keymap_slot *slots;
    size_t n, n_slots; /* n_slots is a power of two, or 0 */
};

/*
 * The place for the value of `key`, which holds 0 if it is new and else the
 * value + 1; good until the next call.  Null when memory is out.
 */
uint32_t *sym_keymap_at(struct sym_keymap *map, uint64_t key);
void sym_keymap_free(struct sym_keymap *map);

#endif
