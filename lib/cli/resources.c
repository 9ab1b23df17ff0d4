/* resources.c - reads the limits of control groups */
#include "cli/resources.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/utf8.h"
#include "cli/private.h"

enum { MAX_TEXT = 2 * PATH_MAX };

/* Reads the start of the file root/path as a string. */
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

/* Returns QUOTA / PERIOD, rounded up; 0: no limit ("max PERIOD") or invalid. */
static uint64_t parse_limit(const char *text)
{
    uint64_t quota, period;
    if (!cli_digits(text, &quota, &text) || *text++ != ' ' ||
        !cli_digits(text, &period, &text) || (*text && *text != '\n') ||
        !period)
        return 0;
    uint64_t n = quota / period + (quota % period != 0);
    return n ? n : 1;
}

/* Parses "BYTES" and returns at least 1; 0: no limit ("max") or invalid. */
static uint64_t parse_bytes(const char *text)
{
    uint64_t n;
    if (!cli_digits(text, &n, &text) || (*text && *text != '\n'))
        return 0;
    return n ? n : 1;
}

/* Returns whether the list "cpu,memory:/..." has the controller. */
static bool has_controller(const char *list, const char *name)
{
    for (size_t n; (n = strcspn(list, ",:\n")); list += n + (list[n] == ',')) {
        if (n == strlen(name) && memcmp(list, name, n) == 0)
            return true;
    }
    return false;
}

/*
 * Returns the group in the lines "ID:CONTROLLERS:/GROUP" of /proc/self/cgroup:
 * that of this v1 controller or, if it is null, of v2.  Empty if there is none.
 */
static struct prof_slice find_group(const char *line, const char *controller)
{
    for (; *line; line += *line == '\n') {
        size_t n = strcspn(line, "\n"), id = strcspn(line, ":");
        const char *list = line + id + 1;
        const char *path = id < n ? memchr(list, ':', n - id - 1) : NULL;
        if (path && path[1] == '/' &&
            (controller ? has_controller(list, controller)
                        : path == list && id == 1 && *line == '0'))
            return (struct prof_slice){path + 1, n - (size_t)(path + 1 - line)};
        line += n;
    }
    return (struct prof_slice){0};
}

/* A file with a limit, the directory that groups are in, and its parser. */
struct limit_file {
    const char *top, *name;
    uint64_t (*parse)(const char *text);
};

/* Returns the least limit of the group and its parents, or 0. */
static uint64_t least_limit(const char *root, struct prof_slice group,
                            const struct limit_file *file)
{
    char text[MAX_TEXT], path[2 * MAX_TEXT];
    size_t top = strlen(file->top), name = strlen(file->name) + 1;
    uint64_t least = 0;
    if (!group.n || bytes_find(group.s, group.n, "/..", 3))
        return 0;
    memcpy(path, file->top, top);
    memcpy(path + top, group.s, group.n);
    char *end = path + top + group.n;
    if (end[-1] == '/') /* the root group */
        end--;
    *end = 0;
    do {
        memcpy(end, file->name, name);
        uint64_t limit = read_text(root, path, text) ? file->parse(text) : 0;
        if (limit && (!least || limit < least))
            least = limit;
        *end = 0;
    } while ((end = strrchr(path + top, '/')));
    return least;
}

struct resources resources_in_cgroup(const char *root)
{
    static const struct limit_file cpu = {"/sys/fs/cgroup", "/cpu.max",
                                          parse_limit},
                                   memory = {"/sys/fs/cgroup", "/memory.max",
                                             parse_bytes},
                                   memory_v1 = {"/sys/fs/cgroup/memory",
                                                "/memory.limit_in_bytes",
                                                parse_bytes};
    char groups[MAX_TEXT];
    struct resources r = {0};
    if (!read_text(root, "/proc/self/cgroup", groups))
        return r;
    struct prof_slice v2 = find_group(groups, NULL);
    struct prof_slice v1 = find_group(groups, "memory");
    r.processors = least_limit(root, v2, &cpu);
    r.memory = v1.n ? least_limit(root, v1, &memory_v1)
                    : least_limit(root, v2, &memory);
    return r;
}
