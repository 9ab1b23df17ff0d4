#include "base/vec.h"

#include <stdint.h>
#include <string.h>

bool vec_grow(void **v, size_t *cap, size_t need, size_t size)
{
    if (need <= *cap)
        return true;
    size_t want = *cap + *cap / 2;
    if (want < need)
        want = need;
    if (want < 8)
        want = 8;
    if (want > SIZE_MAX / size)
        return false;
    void *p = realloc(*v, want * size);
    if (!p)
        return false;
    *v = p;
    *cap = want;
    return true;
}

bool vec_renew(void **v, size_t *cap, size_t need, size_t size)
{
    if (need <= *cap)
        return true;
    free(*v);
    *v = NULL;
    *cap = 0;
    return vec_grow(v, cap, need, size);
}

void vec_fit(void **v, size_t *cap, size_t n, size_t size)
{
    enum { WORTH_IT = 256 * 1024 };
    if (n >= *cap || !n || (*cap - n) < WORTH_IT / size)
        return;
    void *p = realloc(*v, n * size);
    if (!p)
        return;
    *v = p;
    *cap = n;
}

void *mem_array(size_t n, size_t size)
{
    if (size && n > SIZE_MAX / size)
        return NULL;
    size_t bytes = n * size;
    return malloc(bytes ? bytes : 1);
}

void *mem_zarray(size_t n, size_t size)
{
    return calloc(n ? n : 1, size ? size : 1);
}
