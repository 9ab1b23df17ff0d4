/*
 * vec.h - arrays that grow, and the memory of large ones
 *
 * `VEC(T)` declares a vector of T: v points to n elements, and there is room
 * for cap.  Zero-initialise it, and free it with vec_free().  Functions that
 * grow it check sizes for overflow, and return false when memory is out; the
 * elements then stay.
 *
 *      VEC(uint64_t) pcs = {0};
 *      if (!vec_push(&pcs, pc))
 *          return err_nomem(err);
 */
#ifndef PROFUTILS_BASE_VEC_H
#define PROFUTILS_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/system.h"

#define VEC(T)                                                                 \
    struct {                                                                   \
        T *v;                                                                  \
        size_t n, cap;                                                         \
    }

/*
 * Makes room for `need` elements of `size` bytes in all: *v may move, *cap
 * grows by at least half.  False when memory is out or the size overflows;
 * *v and *cap are then unchanged.
 */
bool vec_grow(void **v, size_t *cap, size_t need, size_t size);

/* Makes room for k more elements; false when memory is out. */
#define vec_reserve(vec, k)                                                    \
    ((k) <= (vec)->cap - (vec)->n ||                                           \
     ((vec)->n <= (size_t)-1 - (k) &&                                          \
      vec_grow((void **)&(vec)->v, &(vec)->cap, (vec)->n + (k),                \
               sizeof *(vec)->v)))

/* Appends one element; false when memory is out. */
#define vec_push(vec, x)                                                       \
    (vec_reserve((vec), 1) ? ((vec)->v[(vec)->n++] = (x), true) : false)

#define vec_free(vec)                                                          \
    (free((vec)->v), (vec)->v = NULL, (vec)->n = (vec)->cap = 0)

/* The same for a vector of pointers; frees what they point to, too. */
#define vec_free_all(vec)                                                      \
    do {                                                                       \
        while ((vec)->n)                                                       \
            free((vec)->v[--(vec)->n]);                                        \
        vec_free(vec);                                                         \
    } while (0)

/* Sorts the elements as qsort() does; the vector may be empty. */
#define vec_sort(vec, cmp)                                                     \
    ((vec)->n ? qsort((vec)->v, (vec)->n, sizeof *(vec)->v, (cmp)) : (void)0)

/* The same for a comparison that also gets ctx (system_sort()). */
#define vec_sort_by(vec, cmp, ctx)                                             \
    system_sort((vec)->v, (vec)->n, sizeof *(vec)->v, (cmp), (ctx))

/*
 * Allocates n elements of `size` bytes, which free() frees; n may be 0.  Null
 * when memory is out or n * size overflows.
 *
 * Arrays of 1 MiB or more, also of vectors, get large pages (2 MiB) if the
 * system has them: it then provides the memory in a quarter of the time.
 */
void *mem_array(size_t n, size_t size);

/* The same, filled with 0. */
void *mem_zarray(size_t n, size_t size);

/* The same for n ids, which are all PROF_NONE (profile.h): 2^32 - 1. */
uint32_t *mem_none(size_t n);

/* Returns a struct of `size` bytes, filled with 0, which free() frees; null,
 * with *err set, when memory is out. */
struct prof_err;
void *mem_new(size_t size, struct prof_err *err);

/* Changes the size of such an array, as realloc(); n and size are not 0. */
void *mem_resize(void *v, size_t n, size_t size);

/*
 * Makes the system provide now, in one call, the memory of all pages that lie
 * entirely in at[0 .. n): for memory that will be written to completely.  The
 * content stays.  False if the system cannot do it; it then provides each page
 * when it is first written to.
 */
bool pages_populate(void *at, size_t n);

/*
 * For new memory of mem_zarray() of which few parts will be written to: makes
 * the system provide single small pages of at[0 .. n), so that pages that are
 * not written to take no memory.
 */
void pages_scatter(void *at, size_t n);

/*
 * Returns the memory of all pages that lie entirely in at[0 .. n) to the
 * system.  Their content is then undefined; the array still has to be freed.
 */
void pages_drop(const void *at, size_t n);

/* The same of large pages only: a part of one would leave small pages to the
 * next array there. */
void large_pages_drop(const void *at, size_t n);

#endif
