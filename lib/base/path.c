#include "base/path.h"

#include <string.h>

/* One element put behind what is in *to from `start` on. */
static bool put_element(struct buf *to, size_t start, const char *s, size_t n)
{
    bool bare = to->n == start || to->v[to->n - 1] == '/';
    return (bare || buf_putc(to, '/')) && buf_put(to, s, n);
}

/* Takes the last element away again, and the slash before it. */
static void drop_element(struct buf *to, size_t floor)
{
    while (to->n > floor && to->v[to->n - 1] != '/')
        to->n--;
    if (to->n > floor)
        to->n--;
}

bool path_clean(struct buf *to, const char *path, size_t n)
{
    size_t start = to->n;
    bool rooted = n && path[0] == '/';
    if (rooted && !buf_putc(to, '/'))
        return false;
    /* What ".." cannot take back: the root, or leading ".." elements. */
    size_t floor = to->n;
    for (size_t i = 0; i < n;) {
        const char *s = path + i, *slash = memchr(s, '/', n - i);
        size_t k = slash ? (size_t)(slash - s) : n - i;
        i += k + (slash != NULL);
        if (!k || (k == 1 && s[0] == '.'))
            continue;
        bool up = k == 2 && s[0] == '.' && s[1] == '.';
        if (up && to->n > floor) {
            drop_element(to, floor);
        } else if (!up || !rooted) {
            if (!put_element(to, start, s, k))
                return false;
            if (up)
                floor = to->n;
        }
    }
    return to->n > start || buf_putc(to, '.');
}

const char *path_base(const char *path, size_t n, size_t *len)
{
    *len = 1;
    if (!n)
        return ".";
    while (n && path[n - 1] == '/')
        n--;
    if (!n)
        return "/";
    size_t from = n;
    while (from && path[from - 1] != '/')
        from--;
    *len = n - from;
    return path + from;
}
