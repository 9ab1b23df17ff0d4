#include "base/pages.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STRETCH = 128 * 1024 };

/* Advice on the pages that lie wholly in at[0 .. n). */
static bool advise(const void *at, size_t n, int advice)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t skip = (0 - (uintptr_t)at) & (page - 1);
    if (n < skip + page)
        return true;
    n = (n - skip) & ~(page - 1);
    return madvise((char *)at + skip, n, advice) == 0;
}

bool pages_ask(void *at, size_t n)
{
#ifdef MADV_POPULATE_WRITE
    return advise(at, n, MADV_POPULATE_WRITE);
#else
    (void)at;
    (void)n;
    return false;
#endif
}

void pages_ahead(void *at, size_t used, size_t cap, size_t *asked)
{
    size_t from = *asked < used ? used : *asked;
    if (cap < STRETCH || from >= cap || from - used > STRETCH / 4)
        return;
    size_t n = cap - from < STRETCH ? cap - from : STRETCH;
    (void)pages_ask((char *)at + from, n);
    *asked = from + n;
}

void pages_drop(const void *at, size_t n)
{
    (void)advise(at, n, MADV_DONTNEED);
}
