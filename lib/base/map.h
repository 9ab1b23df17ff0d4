/*
 * map.h - rows by key: a row is found, or added if its key is new
 *
 * A key is any bytes, at least one: those of a number, of an array, or of a
 * struct without padding.  Rows count up from 0 in the order in which their
 * keys came, so that they are the indexes of a vector with an element for each:
 *
 *      struct map map = {0};
 *      uint32_t row;
 *      bool is_new;
 *      if (!map_add(&map, &key, sizeof key, &row, &is_new) ||
 *          (is_new && !vec_push(&elements, element)))
 *          return err_nomem(err);
 *
 * A map has a copy of each key.  For rows in millions, which have their key
 * already, hash.h takes less memory and time.
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

/* The row of the n bytes at key.  False when memory is out. */
bool map_add(struct map *map, const void *key, size_t n, uint32_t *row,
             bool *is_new);

/* The same of a key that the map has; false: it does not. */
bool map_find(const struct map *map, const void *key, size_t n, uint32_t *row);

void map_free(struct map *map);

#endif
