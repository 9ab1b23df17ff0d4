/* processors.c - how many processors this process may use */
#include "cli/processors.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utf8.h"

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

enum { MAX_TEXT = 2 * PATH_MAX };

/* The start of the file root/path as a string; false: it cannot be read. */
static bool read_text(const char *root, const char *path, char text[MAX_TEXT])
{
    char *full;
    if (asprintf(&full, "%s%s", root, path) < 0)
        return false;
    int fd = file_open(full, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    free(full);
    if (fd < 0)
        return false;
    ssize_t n = file_read(fd, text, MAX_TEXT - 1);
    (void)close(fd);
    text[n > 0 ? n : 0] = 0;
    return n > 0;
}

/* A number of microseconds, with *text moved behind it; false: it is none. */
static bool parse_number(const char **text, uint64_t *n)
{
    if (!ascii_is_digit(**text))
        return false;
    char *end;
    errno = 0;
    *n = strtoull(*text, &end, 10);
    *text = end;
    return errno == 0;
}

/* "QUOTA PERIOD", rounded up; 0: anything else, "max PERIOD" too. */
static uint64_t parse_limit(const char *text)
{
    uint64_t quota, period;
    if (!parse_number(&text, &quota) || *text++ != ' ' ||
        !parse_number(&text, &period) || (*text && *text != '\n') || !period)
        return 0;
    uint64_t n = quota / period + (quota % period != 0);
    return n ? n : 1;
}

uint64_t processors_in_cgroup(const char *root)
{
    static const char top[] = "/sys/fs/cgroup", file[] = "/cpu.max";
    char groups[MAX_TEXT], text[MAX_TEXT];
    char path[sizeof top + MAX_TEXT + sizeof file];
    uint64_t least = 0;
    if (!read_text(root, "/proc/self/cgroup", groups))
        return 0;
    const char *own = strncmp(groups, "0::/", 4) == 0 ? groups + 3 : NULL;
    if (!own && (own = strstr(groups, "\n0::/")))
        own += 4;
    size_t n = own ? strcspn(own, "\n") : 0;
    if (!own || memmem(own, n, "/..", 3))
        return 0;
    memcpy(path, top, sizeof top - 1);
    memcpy(path + sizeof top - 1, own, n);
    char *end = path + sizeof top - 1 + n;
    do {
        memcpy(end, file, sizeof file);
        uint64_t limit = read_text(root, path, text) ? parse_limit(text) : 0;
        if (limit && (!least || limit < least))
            least = limit;
        *end = 0;
    } while ((end = strrchr(path + sizeof top - 1, '/')));
    return least;
}

unsigned processors_available(void)
{
    unsigned n = affine();
    if (!n) {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        n = online < 1 || online > INT_MAX ? 1 : (unsigned)online;
    }
    if (n == 1)
        return 1;
    uint64_t limit = processors_in_cgroup("");
    return limit && limit < n ? (unsigned)limit : n;
}
