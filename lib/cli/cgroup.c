#include "cli/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/utf8.h"

enum {
    MAX_TABLE = 1 << 20, /* bytes of a file in /proc that are looked at */
    MAX_LIMIT = 64,      /* of one with a number or two */
};

/* The process's own group, by kind of hierarchy: a path, or null. */
struct groups {
    const char *v1, *v2;
};

/* The first `most` bytes of a file as a string; null: it cannot be read. */
static char *read_text(const char *path, size_t most)
{
    struct buf b = {0};
    int fd = file_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    bool ok = fd >= 0 && buf_reserve(&b, most + 1);
    for (ssize_t k = 1; ok && k && b.n < most;) {
        k = read(fd, b.v + b.n, most - b.n);
        ok = k >= 0 || errno == EINTR;
        b.n += k > 0 ? (size_t)k : 0;
    }
    if (fd >= 0)
        (void)close(fd);
    if (!ok) {
        buf_free(&b);
        return NULL;
    }
    b.v[b.n] = 0;
    return (char *)b.v;
}

/* read_text() of root, path and name put together. */
static char *read_under(const char *root, const char *path, const char *name,
                        size_t most)
{
    char *full;
    if (asprintf(&full, "%s%s%s", root, path, name) < 0)
        return NULL;
    char *text = read_text(full, most);
    free(full);
    return text;
}

/* Whether `word` is in a list with commas. */
static bool is_listed(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list; at; at = strchr(at, ','), at += at != NULL)
        if (!strncmp(at, word, n) && (!at[n] || at[n] == ','))
            return true;
    return false;
}

/*
 * Takes the lines of /proc/self/cgroup, "ID:CONTROLLERS:PATH", apart; that
 * of v2 has the id 0 and no controllers.  *g points into the text.
 */
static void parse_groups(char *text, struct groups *g)
{
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));) {
        char *path = line, *id = strsep(&path, ":");
        char *controllers = strsep(&path, ":");
        if (!controllers || !path)
            continue;
        if (!strcmp(id, "0") && !*controllers)
            g->v2 = path;
        else if (is_listed(controllers, "cpu"))
            g->v1 = path;
    }
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
    if (!text || !parse_number(&text, &quota) || *text++ != ' ' ||
        !parse_number(&text, &period) || (*text && *text != '\n') || !period)
        return 0;
    uint64_t n = quota / period + (quota % period != 0);
    return n ? n : 1;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return !a || (b && b < a) ? b : a;
}

/* The limit of the group in this directory; 0: none. */
static uint64_t limit_v2(const char *root, const char *dir)
{
    char *text = read_under(root, dir, "/cpu.max", MAX_LIMIT);
    uint64_t n = parse_limit(text);
    free(text);
    return n;
}

static uint64_t limit_v1(const char *root, const char *dir)
{
    char *quota = read_under(root, dir, "/cpu.cfs_quota_us", MAX_LIMIT);
    char *period = read_under(root, dir, "/cpu.cfs_period_us", MAX_LIMIT);
    char *both = NULL;
    uint64_t n = 0;
    if (quota && period) {
        quota[strcspn(quota, "\n")] = 0;
        if (asprintf(&both, "%s %s", quota, period) >= 0)
            n = parse_limit(both);
        free(both);
    }
    free(quota);
    free(period);
    return n;
}

/* Undoes the \ooo that mountinfo has for blanks and backslashes. */
static void unescape(char *s)
{
    char *to = s;
    while (*s) {
        bool is_octal = s[0] == '\\' && s[1] >= '0' && s[1] <= '3' &&
                        s[2] >= '0' && s[2] <= '7' && s[3] >= '0' &&
                        s[3] <= '7';
        *to++ =
            is_octal
                ? (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'))
                : *s;
        s += is_octal ? 4 : 1;
    }
    *to = 0;
}

/* What of path is below `top`; null: it is not, or leads out again. */
static const char *below(const char *path, const char *top)
{
    size_t n = strcmp(top, "/") != 0 ? strlen(top) : 0;
    if (strncmp(path, top, n) != 0 || (path[n] && path[n] != '/'))
        return NULL;
    for (const char *up = path; (up = strstr(up, "/..")); up += 3)
        if (!up[3] || up[3] == '/')
            return NULL;
    return path + n;
}

/* The least limit of a group and those above it, up to the mount point. */
static uint64_t limit_of(const char *root, const char *mount_point,
                         const char *group,
                         uint64_t (*limit)(const char *, const char *))
{
    char *dir;
    size_t top = strlen(mount_point);
    uint64_t n = 0;
    if (top + strlen(group) > PATH_MAX ||
        asprintf(&dir, "%s%s", mount_point, group) < 0)
        return 0;
    for (;;) {
        n = least(n, limit(root, dir));
        char *slash = strrchr(dir + top, '/');
        if (!slash)
            break;
        *slash = 0;
    }
    free(dir);
    return n;
}

/*
 * A line of mountinfo: "ID PARENT DEVICE TOP POINT OPTIONS [TAG ...] - TYPE
 * SOURCE OPTIONS", where TOP is the group that is seen at POINT.  The limit
 * of the process's group if this is where it is.
 */
static uint64_t limit_in(const char *root, char *line, const struct groups *g)
{
    char *field[5], *type = strstr(line, " - ");
    if (!type)
        return 0;
    *type = 0;
    type += 3;
    for (size_t i = 0; i < 5; i++)
        if (!(field[i] = strsep(&line, " ")))
            return 0;
    char *options = type;
    (void)strsep(&options, " ");
    (void)strsep(&options, " ");
    bool is_v2 = !strcmp(type, "cgroup2");
    bool is_v1 =
        !strcmp(type, "cgroup") && options && is_listed(options, "cpu");
    const char *own = is_v2 ? g->v2 : is_v1 ? g->v1 : NULL;
    if (!own)
        return 0;
    unescape(field[3]);
    unescape(field[4]);
    const char *group = below(own, field[3]);
    return group ? limit_of(root, field[4], group, is_v2 ? limit_v2 : limit_v1)
                 : 0;
}

uint64_t cgroup_processors(const char *root)
{
    char *text = read_under(root, "/proc/self/cgroup", "", MAX_TABLE);
    char *mounts = NULL;
    struct groups g = {0};
    uint64_t n = 0;
    if (text)
        parse_groups(text, &g);
    if (g.v1 || g.v2)
        mounts = read_under(root, "/proc/self/mountinfo", "", MAX_TABLE);
    char *rest = mounts;
    for (char *line; (line = strsep(&rest, "\n"));)
        n = least(n, limit_in(root, line, &g));
    free(mounts);
    free(text);
    return n;
}
