#include "cli/processors.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <unistd.h>

#include "cli/cgroup.h"

#ifdef __linux__
enum { MAX_SET = 1 << 18 }; /* processors; more than any kernel is built for */

/*
 * Those in the affinity mask, 0: not known.  The kernel refuses sets that
 * are too small for all processors it could have.
 */
static unsigned affine(void)
{
    for (int room = 1024; room <= MAX_SET; room *= 2) {
        cpu_set_t *set = CPU_ALLOC(room);
        size_t size = CPU_ALLOC_SIZE(room);
        if (!set)
            return 0;
        int failed = sched_getaffinity(0, size, set) ? errno : 0;
        int n = failed ? 0 : CPU_COUNT_S(size, set);
        CPU_FREE(set);
        if (failed != EINVAL)
            return n > 0 ? (unsigned)n : 0;
    }
    return 0;
}
#else
static unsigned affine(void)
{
    return 0;
}
#endif

unsigned processors_available(void)
{
    unsigned n = affine();
    if (!n) {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        n = online < 1 || online > INT_MAX ? 1 : (unsigned)online;
    }
    if (n == 1)
        return 1;
    uint64_t limit = cgroup_processors("");
    return limit && limit < n ? (unsigned)limit : n;
}
