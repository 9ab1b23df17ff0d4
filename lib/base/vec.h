/*
 * vec.h - arrays that grow
 *
 * `VEC(T)` declares a vector of T: v points at n elements, of which cap fit
 * without growing.  Zero-initialise it; vec_free() gives it back.  Growing
 * checks the multiplication and returns false when memory is out; it never
 * loses what was there.
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

/*
 * The same for an array of which nothing is needed any more: it is not moved
 * but made anew.  Where that fails it is gone, and *cap is 0.
 */
bool vec_renew(void **v, size_t *cap, size_t need, size_t size);

/* Gives back what is not needed for n elements of *cap, if it is much. */
void vec_fit(void **v, size_t *cap, size_t n, size_t size);

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

/* malloc(n * size) with the product checked; null when it does not fit. */
void *mem_array(size_t n, size_t size);

/* The same, zeroed. */
void *mem_zarray(size_t n, size_t size);

#endif
