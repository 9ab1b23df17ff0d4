#include "cli/exefrom.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

enum part { DIR, PARENT, NAME, STEM, N_PARTS };

static const char *const words[N_PARTS] = {"{dir}", "{parent}", "{name}",
                                           "{stem}"};

/* The word that s begins with; N_PARTS: none. */
static enum part word_at(const char *s)
{
    enum part p = 0;
    while (p < N_PARTS && strncmp(s, words[p], strlen(words[p])) != 0)
        p++;
    return p;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool exefrom_check(const char *pattern, struct err *err)
{
    for (const char *s = strchr(pattern, '{'); s; s = strchr(s + 1, '{'))
        if (word_at(s) == N_PARTS)
            return err_set(err, ERR_USAGE,
                           "'%s' is not one of {dir}, {parent}, {name} and "
                           "{stem}",
                           s);
    const char *last = last_part(pattern);
    if (!*last || strcmp(last, ".") == 0 || strcmp(last, "..") == 0 ||
        strcmp(last, words[DIR]) == 0)
        return err_set(err, ERR_USAGE, "'%s' names a directory, not a file",
                       pattern);
    return true;
}

struct span {
    const char *s;
    size_t n; /* 0: the profile's name has no such part */
};

static bool cut(struct span *name, const char *suffix)
{
    size_t n = strlen(suffix);
    bool has = name->n > n && memcmp(name->s + name->n - n, suffix, n) == 0;
    name->n -= has ? n : 0;
    return has;
}

static struct span stem_of(struct span name)
{
    static const char *const packed[] = {".gz", ".bz2", ".xz", ".zst", ".lz4"};
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        if (cut(&name, packed[i]))
            break;
    for (size_t n = name.n; n > 1; n--)
        if (name.s[n - 1] == '.')
            return (struct span){name.s, n - 1};
    return name;
}

static bool is_dots(struct span s)
{
    return (s.n == 1 && s.s[0] == '.') ||
           (s.n == 2 && s.s[0] == '.' && s.s[1] == '.');
}

/* The parts of a profile's name. */
static void take_apart(const char *path, struct span part[N_PARTS])
{
    memset(part, 0, N_PARTS * sizeof *part);
    part[DIR] = (struct span){".", 1};
    if (!path)
        return;
    const char *name = last_part(path);
    part[NAME] = (struct span){name, strlen(name)};
    part[STEM] = stem_of(part[NAME]);
    if (name == path)
        return;
    part[DIR] = (struct span){path, (size_t)(name - path)};
    while (part[DIR].n > 1 && part[DIR].s[part[DIR].n - 1] == '/')
        part[DIR].n--;
    struct span dir = part[DIR], *parent = &part[PARENT];
    parent->s = path_base(dir.s, dir.n, &parent->n);
    if (*parent->s == '/' || is_dots(*parent))
        parent->n = 0;
}

/* The pattern with the parts in their places; 0 if one is missing. */
static int fill_in(const char *pattern, const struct span part[N_PARTS],
                   struct buf *to)
{
    struct span dir = part[DIR];
    if (*pattern != '/' && word_at(pattern) != DIR &&
        !(buf_put(to, dir.s, dir.n) && buf_putc(to, '/')))
        return -1;
    while (*pattern) {
        enum part p = *pattern == '{' ? word_at(pattern) : N_PARTS;
        if (p < N_PARTS && !part[p].n)
            return 0;
        if (!(p < N_PARTS ? buf_put(to, part[p].s, part[p].n)
                          : buf_putc(to, *pattern)))
            return -1;
        pattern += p < N_PARTS ? strlen(words[p]) : 1;
    }
    return buf_putc(to, 0) ? 1 : -1;
}

/* "./prog" is called "prog" where it is a file, too. */
static void drop_here(struct buf *to)
{
    size_t n = 0;
    while (to->n > n + 2 && to->v[n] == '.' && to->v[n + 1] == '/')
        for (n += 2; to->v[n] == '/';)
            n++;
    memmove(to->v, to->v + n, to->n - n);
    to->n -= n;
}

bool exefrom_entry(const char *entry, struct buf *to)
{
    while (*entry == '/')
        entry++;
    to->n = 0;
    return path_clean(to, entry, strlen(entry)) && buf_putc(to, 0);
}

int exefrom_expand(const char *pattern, const char *path, bool is_entry,
                   struct buf *to, const char **why)
{
    struct span part[N_PARTS];
    struct buf filled = {0};
    take_apart(path, part);
    to->n = 0;
    *why = path ? "its name has no such part" : "standard input has no name";
    if (!is_entry) {
        int got = fill_in(pattern, part, to);
        if (got == 1)
            drop_here(to);
        return got;
    }
    int got = fill_in(pattern, part, &filled);
    if (got == 1 && !exefrom_entry((const char *)filled.v, to))
        got = -1;
    if (got == 1 && strncmp((const char *)to->v, "../", 3) == 0) {
        *why = "leads out of the archive";
        got = 0;
    }
    buf_free(&filled);
    return got;
}

bool exefrom_may_be(const char *pattern, const char *entry)
{
    struct buf glob = {0};
    bool ok = true;
    for (const char *s = last_part(pattern); ok && *s;) {
        enum part p = *s == '{' ? word_at(s) : N_PARTS;
        ok = p < N_PARTS ? buf_putc(&glob, '*')
                         : (!strchr("*?[\\", *s) || buf_putc(&glob, '\\')) &&
                               buf_putc(&glob, *s);
        s += p < N_PARTS ? strlen(words[p]) : 1;
    }
    /* When in doubt (memory, bytes that are no text) it may. */
    ok = ok && buf_putc(&glob, 0) &&
         fnmatch((const char *)glob.v, last_part(entry), 0) == FNM_NOMATCH;
    buf_free(&glob);
    return !ok;
}
