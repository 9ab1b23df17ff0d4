#include "profile/alternatives.h"

#include <stdlib.h>
#include <string.h>

void str_set_free(struct str_set *set)
{
    vec_free(&set->ids);
    hashidx_free(&set->index);
}

bool str_set_add(struct str_set *set, uint32_t id)
{
    if (!hashidx_room(&set->index))
        return false;
    uint32_t hash = id * 0x9e3779b9U, row;
    size_t at = hashidx_start(&set->index, hash);
    while ((row = hashidx_next(&set->index, hash, &at)) != HASHIDX_NONE)
        if (set->ids.v[row] == id)
            return true;
    if (!vec_push(&set->ids, id))
        return false;
    hashidx_put(&set->index, at, hash, (uint32_t)set->ids.n - 1);
    return true;
}

struct item {
    const char *s;
    size_t n;
    uint32_t id;
};

static int by_bytes(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    int c = memcmp(x->s, y->s, x->n < y->n ? x->n : y->n);
    return c ? c : (x->n > y->n) - (x->n < y->n);
}

/* Rows of the index are stale afterwards: a sorted set is finished. */
bool str_set_sort(struct str_set *set, const struct strtab *strings)
{
    struct item *v = mem_array(set->ids.n, sizeof *v);
    if (!v)
        return false;
    for (size_t i = 0; i < set->ids.n; i++) {
        uint32_t id = set->ids.v[i];
        v[i] =
            (struct item){strtab_str(strings, id), strtab_len(strings, id), id};
    }
    qsort(v, set->ids.n, sizeof *v, by_bytes);
    for (size_t i = 0; i < set->ids.n; i++)
        set->ids.v[i] = v[i].id;
    free(v);
    return true;
}

/* The index past a character class that begins at i. */
static size_t skip_class(const char *s, size_t n, size_t i)
{
    i++;
    if (i < n && s[i] == '^')
        i++;
    if (i < n && s[i] == ']') /* first, it stands for itself */
        i++;
    while (i < n && s[i] != ']') {
        if (s[i] == '\\')
            i++;
        else if (s[i] == '[' && i + 1 < n && s[i + 1] == ':') {
            const char *end = memchr(s + i, ']', n - i);
            if (end)
                i = (size_t)(end - s);
        }
        i++;
    }
    return i + 1;
}

/* The index past \Q...\E or a one-character escape that begins at i. */
static size_t skip_escape(const char *s, size_t n, size_t i)
{
    if (i + 1 >= n || s[i + 1] != 'Q')
        return i + 2;
    for (i += 2; i + 1 < n; i++)
        if (s[i] == '\\' && s[i + 1] == 'E')
            return i + 2;
    return n;
}

/* True for "(?flags)", which holds to the end of the group around it. */
static bool is_flags(const char *s, size_t n, size_t i)
{
    if (i + 2 >= n || s[i + 1] != '?')
        return false;
    for (i += 2; i < n; i++) {
        if (s[i] == ')')
            return true;
        if (s[i] != '-' && (s[i] < 'A' || s[i] > 'z'))
            return false;
    }
    return false;
}

/* Whether a regexp can be taken apart, and why not. */
enum apart { APART, NOT_FLAGS, NOT_SOUND };

/*
 * Where the next top-level '|' is at or after i, or n.  *apart is told
 * of what stands in the way of taking the regexp apart.
 */
static size_t next_bar(const char *s, size_t n, size_t i, enum apart *apart)
{
    size_t depth = 0;
    while (i < n) {
        switch (s[i]) {
        case '\\':
            i = skip_escape(s, n, i);
            continue;
        case '[':
            i = skip_class(s, n, i);
            continue;
        case '(':
            if (!depth && *apart == APART && is_flags(s, n, i))
                *apart = NOT_FLAGS;
            depth++;
            break;
        case ')':
            if (!depth)
                *apart = NOT_SOUND;
            else
                depth--;
            break;
        case '|':
            if (!depth)
                return i;
            break;
        default:
            break;
        }
        i++;
    }
    if (depth || i > n)
        *apart = NOT_SOUND;
    return n;
}

static bool add_one(struct str_set *set, struct strtab *strings, const char *s,
                    size_t n, struct err *err)
{
    uint32_t id;
    if (!n)
        return true;
    return (strtab_add(strings, s, n, &id) && str_set_add(set, id)) ||
           err_nomem(err);
}

static bool add_whole(struct str_set *set, struct strtab *strings,
                      const char *s, size_t n, struct err *err)
{
    struct buf b = {0};
    bool ok = (buf_puts(&b, "(?:") && buf_put(&b, s, n) && buf_putc(&b, ')'))
                  ? add_one(set, strings, (char *)b.v, b.n, err)
                  : err_nomem(err);
    buf_free(&b);
    return ok;
}

/* Every character stands for itself. */
static bool add_quoted(struct str_set *set, struct strtab *strings,
                       const char *s, size_t n, struct err *err)
{
    struct buf b = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        ok =
            (!s[i] || !strchr("\\.+*?()|[]{}^$", s[i]) || buf_putc(&b, '\\')) &&
            buf_putc(&b, s[i]);
    ok = ok ? add_one(set, strings, (char *)b.v, b.n, err) : err_nomem(err);
    buf_free(&b);
    return ok;
}

bool alternatives_add(struct str_set *set, struct strtab *strings,
                      const char *regex, size_t n, struct err *err)
{
    enum apart apart = APART;
    for (size_t i = 0; i <= n; i++)
        i = next_bar(regex, n, i, &apart);
    if (apart == NOT_SOUND)
        return add_quoted(set, strings, regex, n, err);
    if (apart == NOT_FLAGS)
        return add_whole(set, strings, regex, n, err);
    for (size_t i = 0; i <= n;) {
        size_t bar = next_bar(regex, n, i, &apart);
        if (!add_one(set, strings, regex + i, bar - i, err))
            return false;
        i = bar + 1;
    }
    return true;
}

bool alternatives_join(struct str_set *set, struct strtab *strings,
                       uint32_t *id, struct err *err)
{
    struct buf b = {0};
    bool ok = str_set_sort(set, strings);
    for (size_t i = 0; ok && i < set->ids.n; i++)
        ok = (!i || buf_putc(&b, '|')) &&
             buf_put(&b, strtab_str(strings, set->ids.v[i]),
                     strtab_len(strings, set->ids.v[i]));
    ok = ok && strtab_add(strings, (char *)b.v, b.n, id);
    buf_free(&b);
    return ok || err_nomem(err);
}
