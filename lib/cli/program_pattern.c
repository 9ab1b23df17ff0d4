/* program_pattern.c - makes file names from the name of a profile */
#include "cli/program_pattern.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/slice.h"

enum placeholder { DIR, PARENT, NAME, STEM, N_PARTS };

static const char *const words[N_PARTS] = {"{dir}", "{parent}", "{name}",
                                           "{stem}"};

#define WORDS "{dir}|{parent}|{name}|{stem}"

/* The placeholder that s begins with, or N_PARTS. */
static enum placeholder word_at(const char *s)
{
    enum placeholder p = 0;
    while (p < N_PARTS && strncmp(s, words[p], strlen(words[p])) != 0)
        p++;
    return p;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool program_pattern_check(const char *pattern, struct err *err)
{
    size_t i;
    for (const char *s = strchr(pattern, '{'); s; s = strchr(s + 1, '{')) {
        const char *end = strchr(s, '}');
        size_t n = end ? (size_t)(end + 1 - s) : strlen(s);
        if (!slice_find_word((struct slice){s, n}, WORDS, &i, err))
            return false;
    }
    const char *last = last_part(pattern);
    if (!*last || strcmp(last, ".") == 0 || strcmp(last, "..") == 0 ||
        strcmp(last, words[DIR]) == 0)
        return err_set(err, ERR_USAGE, "'%s' names a directory, not a file",
                       pattern);
    return true;
}

static bool cut(struct slice *name, const char *suffix)
{
    size_t n = strlen(suffix);
    bool has = name->n > n && memcmp(name->s + name->n - n, suffix, n) == 0;
    name->n -= has ? n : 0;
    return has;
}

static struct slice stem_of(struct slice name)
{
    static const char *const packed[] = {".gz", ".bz2", ".xz", ".zst", ".lz4"};
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        if (cut(&name, packed[i]))
            break;
    for (size_t n = name.n; n > 1; n--)
        if (name.s[n - 1] == '.')
            return (struct slice){name.s, n - 1};
    return name;
}

static bool is_dots(struct slice s)
{
    return (s.n == 1 && s.s[0] == '.') ||
           (s.n == 2 && s.s[0] == '.' && s.s[1] == '.');
}

/* The parts of a profile's name. */
static void split_path(const char *path, struct slice part[N_PARTS])
{
    memset(part, 0, N_PARTS * sizeof *part);
    part[DIR] = (struct slice){".", 1};
    if (!path)
        return;
    const char *name = last_part(path);
    part[NAME] = (struct slice){name, strlen(name)};
    part[STEM] = stem_of(part[NAME]);
    if (name == path)
        return;
    part[DIR] = (struct slice){path, (size_t)(name - path)};
    while (part[DIR].n > 1 && part[DIR].s[part[DIR].n - 1] == '/')
        part[DIR].n--;
    struct slice dir = part[DIR], *parent = &part[PARENT];
    parent->s = path_base(dir.s, dir.n, &parent->n);
    if (*parent->s == '/' || is_dots(*parent))
        parent->n = 0;
}

/* The pattern with the parts in their places; 0 if one is missing. */
static int fill_in(const char *pattern, const struct slice part[N_PARTS],
                   struct buf *to)
{
    struct slice dir = part[DIR];
    if (*pattern != '/' && word_at(pattern) != DIR &&
        !(buf_put(to, dir.s, dir.n) && buf_putc(to, '/')))
        return -1;
    while (*pattern) {
        enum placeholder p = *pattern == '{' ? word_at(pattern) : N_PARTS;
        if (p < N_PARTS && !part[p].n)
            return 0;
        if (!(p < N_PARTS ? buf_put(to, part[p].s, part[p].n)
                          : buf_putc(to, *pattern)))
            return -1;
        pattern += p < N_PARTS ? strlen(words[p]) : 1;
    }
    return buf_putc(to, 0) ? 1 : -1;
}

/* Removes "./" from the start. */
static void remove_dot(struct buf *to)
{
    size_t n = 0;
    while (to->n > n + 2 && to->v[n] == '.' && to->v[n + 1] == '/')
        for (n += 2; to->v[n] == '/';)
            n++;
    memmove(to->v, to->v + n, to->n - n);
    to->n -= n;
}

bool program_entry_name(const char *entry, struct buf *to)
{
    while (*entry == '/')
        entry++;
    to->n = 0;
    return path_clean(to, entry, strlen(entry)) && buf_putc(to, 0);
}

int program_pattern_expand(const char *pattern, const char *path, bool is_entry,
                           struct buf *to, const char **why)
{
    struct slice part[N_PARTS];
    struct buf filled = {0};
    split_path(path, part);
    to->n = 0;
    *why =
        path ? "its name has no such part" : "standard input has no file name";
    if (!is_entry) {
        int got = fill_in(pattern, part, to);
        if (got == 1)
            remove_dot(to);
        return got;
    }
    int got = fill_in(pattern, part, &filled);
    if (got == 1 && !program_entry_name((const char *)filled.v, to))
        got = -1;
    if (got == 1 && strncmp((const char *)to->v, "../", 3) == 0) {
        *why = "leads outside the archive";
        got = 0;
    }
    buf_free(&filled);
    return got;
}

bool program_pattern_matches(const char *pattern, const char *entry)
{
    struct buf glob = {0};
    bool ok = true;
    for (const char *s = last_part(pattern); ok && *s;) {
        enum placeholder p = *s == '{' ? word_at(s) : N_PARTS;
        ok = p < N_PARTS ? buf_putc(&glob, '*')
                         : (!strchr("*?[\\", *s) || buf_putc(&glob, '\\')) &&
                               buf_putc(&glob, *s);
        s += p < N_PARTS ? strlen(words[p]) : 1;
    }
    /* True without memory, or if the bytes are not text. */
    ok = ok && buf_putc(&glob, 0) &&
         fnmatch((const char *)glob.v, last_part(entry), 0) == FNM_NOMATCH;
    buf_free(&glob);
    return !ok;
}
