/* vec.c - arrays that grow, and the pages of large ones */
#include "base/vec.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/system.h"

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

enum { AHEAD = 128 * 1024 }; /* bytes that pages_ahead() asks for */

/* Does something to the pages that lie wholly in at[0 .. n). */
static bool whole_pages(void *at, size_t n, bool (*fn)(void *at, size_t n))
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t skip = (0 - (uintptr_t)at) & (page - 1);
    if (n < skip + page)
        return true;
    n = (n - skip) & ~(page - 1);
    return fn((char *)at + skip, n);
}

bool pages_ask(void *at, size_t n)
{
    return whole_pages(at, n, system_provide);
}

void pages_ahead(void *at, size_t used, size_t cap, size_t *asked)
{
    size_t from = *asked < used ? used : *asked;
    if (cap < AHEAD || from >= cap || from - used > AHEAD / 4)
        return;
    size_t n = cap - from < AHEAD ? cap - from : AHEAD;
    (void)pages_ask((char *)at + from, n);
    *asked = from + n;
}

void pages_scatter(void *at, size_t n)
{
    (void)whole_pages(at, n, system_scatter);
}

void pages_drop(const void *at, size_t n)
{
    (void)whole_pages((void *)at, n, system_release);
}
