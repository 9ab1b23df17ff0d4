#include "base/pages.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

bool pages_ask(void *at, size_t n)
{
#ifdef MADV_POPULATE_WRITE
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t skip = (0 - (uintptr_t)at) & (page - 1);
    if (n < skip + page)
        return true;
    n = (n - skip) & ~(page - 1);
    return madvise((char *)at + skip, n, MADV_POPULATE_WRITE) == 0;
#else
    (void)at;
    (void)n;
    return false;
#endif
}
