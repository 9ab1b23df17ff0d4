#include "io/outname.h"

#include <string.h>

static bool is(const char *s, size_t n, const char *what)
{
    return n == strlen(what) && memcmp(s, what, n) == 0;
}

/* The length of the element that *s begins with, slashes before it passed. */
static size_t element(const char **s)
{
    *s += strspn(*s, "/");
    return strcspn(*s, "/");
}

/* Appends all elements; *up is set if one is "..". */
static bool clean(struct buf *to, const char *s, bool *up, struct err *err)
{
    size_t start = to->n, n;
    *up = false;
    for (; (n = element(&s)) != 0; s += n) {
        if (is(s, n, "."))
            continue;
        *up |= is(s, n, "..");
        if ((to->n > start && !buf_putc(to, '/')) || !buf_put(to, s, n))
            return err_nomem(err);
    }
    return to->n > start ||
           err_set(err, ERR_INPUT, "its name is none of a file");
}

bool outname_of_entry(struct buf *to, const char *entry, struct err *err)
{
    bool up;
    if (*entry == '/')
        return err_set(
            err, ERR_INPUT,
            "its name is absolute, and would lead out of the output");
    if (!clean(to, entry, &up, err))
        return false;
    return !up || err_set(err, ERR_INPUT,
                          "its name has '..' in it, and could lead out of the "
                          "output");
}

bool outname_of_path(struct buf *to, const char *path, size_t *stripped,
                     struct err *err)
{
    const char *from = path + strspn(path, "/"), *s = from;
    bool up;
    for (size_t n; (n = element(&s)) != 0; s += n)
        if (is(s, n, ".."))
            from = s + n;
    from += strspn(from, "/");
    *stripped = (size_t)(from - path);
    return clean(to, from, &up, err);
}
