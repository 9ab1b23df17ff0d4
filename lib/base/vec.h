/*
 * vec.h - arrays that grow, and the memory of large ones
 *
 * `VEC(T)` declares a vector of T: v points at n elements, of which cap fit
 * without growing.  Zero-initialise it; vec_free() frees it.  Growing checks
 * the multiplication and returns false when memory is out; what was there
 * stays.
 *
 *      VEC(uint64_t) pcs = {0};
 *      if (!vec_push(&pcs, pc))
 *          return err_nomem(err);
 */
#ifndef PROFUTILS_BASE_VEC_H
#define PROFUTILS_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

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

/* Room for k more elements. */
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

/*
 * malloc(n * size) with the product checked; null when it does not fit.
 *
 * Large arrays, vectors too, are in large pages where the system has them: it
 * provides 2 MiB at once, in a quarter of the time that small pages take.
 */
void *mem_array(size_t n, size_t size);

/* The same, zeroed. */
void *mem_zarray(size_t n, size_t size);

/* The same by realloc(); n and size are not 0. */
void *mem_resize(void *v, size_t n, size_t size);

/*
 * Provides the pages that lie wholly in at[0 .. n), all of which is going to be
 * written to; content stays.  False where the system cannot do that: pages
 * then come when they are written to.
 */
bool pages_populate(void *at, size_t n);

/*
 * Few of the pages that lie wholly in at[0 .. n), new from mem_zarray(), are
 * going to be written to: the others shall take no memory.
 */
void pages_scatter(void *at, size_t n);

/*
 * Gives the pages that lie wholly in at[0 .. n) back to the system: their
 * content is undefined then, but the array still has to be freed.
 */
void pages_drop(const void *at, size_t n);

#endif
