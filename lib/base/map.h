/*
 * map.h - numbers distinct keys
 *
 * A key is one or more bytes: those of a number, of an array, or of a struct
 * without padding.  An empty key is refused, as if memory were out: where a
 * text can be empty, the caller has to check that first.  The first key gets
 * row 0, the next new one row 1, and so on, so that a row can be an index of a
 * vector with an element for each key:
 *
 *      struct map map = {0};
 *      uint32_t row;
 *      if (!map_push(&map, &elements, &key, sizeof key, &row, element))
 *          return err_nomem(err);
 *
 * A map has a copy of each key.  For millions of rows that contain their keys,
 * an index (hash.h) takes less memory and time.
 */
#ifndef PROFUTILS_BASE_MAP_H
#define PROFUTILS_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strtab.h"

/* Zero-initialise; map_free() frees it. */
struct map {
    struct strtab keys;
};

/*
 * Sets *row to the row of the key of n bytes, which is added if it is new
 * (*is_new; null is allowed).  False when memory is out, or the key is empty.
 */
bool map_add(struct map *map, const void *key, size_t n, uint32_t *row,
             bool *is_new);

/* The same; for a new key also appends x to a vector with an element for each
 * key.  Evaluates `row` and `vec` several times. */
#define map_push(map, vec, key, n_key, row, x)                                 \
    (map_add((map), (key), (n_key), (row), NULL) &&                            \
     (*(row) < (vec)->n || vec_push((vec), x)))

/* Sets *row to the row of a key; false if the map does not have the key. */
bool map_find(const struct map *map, const void *key, size_t n, uint32_t *row);

void map_free(struct map *map);

#endif
