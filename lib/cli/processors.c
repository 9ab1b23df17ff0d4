/* processors.c - how many processors this process may use */
#include "cli/processors.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/system.h"
#include "base/utf8.h"

enum { MAX_TEXT = 2 * PATH_MAX };

/* The start of the file root/path as a string; false: it cannot be read. */
static bool read_text(const char *root, const char *path, char text[MAX_TEXT])
{
    char *full = str_printf("%s%s", root, path);
    if (!full)
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
    if (!own || bytes_find(own, n, "/..", 3))
        return 0;
    memcpy(path, top, sizeof top - 1);
    memcpy(path + sizeof top - 1, own, n);
    char *end = path + sizeof top - 1 + n;
    if (end[-1] == '/') /* the root of the groups */
        end--;
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
    unsigned n = system_processors();
    if (n == 1)
        return 1;
    uint64_t limit = processors_in_cgroup("");
    return limit && limit < n ? (unsigned)limit : n;
}
