/* vec.c - growing arrays, and memory pages of large ones */
#include "base/vec.h"

#include "base/err.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/system.h"

/* Smallest size in bytes of an array that gets large pages, and their size. */
enum { LARGE = 1024 * 1024, LARGE_PAGE = 2 * 1024 * 1024 };

/* Asks for large pages if n is large.  Returns `at`, which may be null. */
static void *in_large_pages(void *at, size_t n)
{
    if (at && n >= LARGE) {
        uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
        uintptr_t from = (uintptr_t)at & ~page;
        uintptr_t end = ((uintptr_t)at + n + page) & ~page;
        (void)system_large_pages((void *)from, end - from);
    }
    return at;
}

bool vec_grow(void **v, size_t *cap, size_t need, size_t size)
{
    if (need <= *cap)
        return true;
    size_t want = *cap + *cap / 2;
    if (want < need)
        want = need;
    if (want < 8)
        want = 8;
    void *p = mem_resize(*v, want, size);
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
    return in_large_pages(malloc(bytes ? bytes : 1), bytes);
}

void *mem_resize(void *v, size_t n, size_t size)
{
    if (n > SIZE_MAX / size)
        return NULL;
    return in_large_pages(realloc(v, n * size), n * size);
}

void *mem_zarray(size_t n, size_t size)
{
    return in_large_pages(calloc(n ? n : 1, size ? size : 1), n * size);
}

uint32_t *mem_none(size_t n)
{
    uint32_t *ids = mem_array(n, sizeof *ids);
    return ids ? memset(ids, 0xff, n * sizeof *ids) : NULL;
}

void *mem_new(size_t size, struct prof_err *err)
{
    void *v = mem_zarray(1, size);
    if (!v)
        (void)err_nomem(err);
    return v;
}

/* Calls fn for the pages of this size that lie entirely in at[0 .. n). */
static bool whole_pages(void *at, size_t n, size_t page,
                        bool (*fn)(void *at, size_t n))
{
    size_t skip = (0 - (uintptr_t)at) & (page - 1);
    if (n < skip + page)
        return true;
    n = (n - skip) & ~(page - 1);
    return fn((char *)at + skip, n);
}

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

bool pages_populate(void *at, size_t n)
{
    return whole_pages(at, n, page_size(), system_populate);
}

void pages_scatter(void *at, size_t n)
{
    (void)whole_pages(at, n, page_size(), system_scatter);
}

void pages_drop(const void *at, size_t n)
{
    (void)whole_pages((void *)at, n, page_size(), system_discard);
}

void large_pages_drop(const void *at, size_t n)
{
    (void)whole_pages((void *)at, n, LARGE_PAGE, system_discard);
}
