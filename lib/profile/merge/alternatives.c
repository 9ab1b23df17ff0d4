/* alternatives.c - the top-level alternatives of regular expressions */
#include "profile/merge/alternatives.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

void str_set_free(struct str_set *set)
{
    vec_free(&set->ids);
    map_free(&set->index);
}

bool str_set_add(struct str_set *set, uint32_t id)
{
    uint32_t row;
    return map_push(&set->index, &set->ids, &id, sizeof id, &row, id);
}

static int by_bytes(const void *a, const void *b, void *ctx)
{
    const uint32_t *x = a, *y = b;
    return strtab_cmp(ctx, *x, *y);
}

/*
 * Sorts the ids by their strings.  The rows of the index are wrong afterwards,
 * so nothing can be added to a sorted set.
 */
void str_set_sort(struct str_set *set, const struct strtab *strings)
{
    vec_sort_by(&set->ids, by_bytes, (void *)strings);
}

/*
 * Returns the length of the "[:name:]" at i inside a class, or 0 if it has no
 * ":]".
 */
static size_t named_class(const char *s, size_t n, size_t i)
{
    const char *end = bytes_find(s + i + 2, n - i - 2, ":]", 2);
    return end ? (size_t)(end + 2 - (s + i)) : 0;
}

/* Returns whether "[:" is at i. */
static bool is_named(const char *s, size_t n, size_t i)
{
    return i + 1 < n && s[i] == '[' && s[i + 1] == ':';
}

/* Returns the index after the character class that begins at i. */
static size_t skip_class(const char *s, size_t n, size_t i)
{
    i++;
    if (i < n && s[i] == '^')
        i++;
    if (i < n && s[i] == ']') /* a ']' that comes first is literal */
        i++;
    while (i < n && s[i] != ']') {
        size_t k = is_named(s, n, i) ? named_class(s, n, i) : 0;
        i += k ? k : s[i] == '\\' ? 2 : 1;
    }
    return i + 1;
}

/*
 * Returns the index after the \Q...\E or the one-character escape that begins
 * at i.  Sets *closed to false for a \Q that lacks the \E.
 */
static size_t skip_escape(const char *s, size_t n, size_t i, bool *closed)
{
    *closed = i + 1 >= n || s[i + 1] != 'Q';
    if (*closed)
        return i + 2;
    for (i += 2; i + 1 < n; i++)
        if (s[i] == '\\' && s[i + 1] == 'E') {
            *closed = true;
            return i + 2;
        }
    return n;
}

/*
 * Returns whether "(?flags)" begins at i.  Such flags apply up to the end of
 * the enclosing group.
 */
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

/*
 * Whether a regular expression can be split at each top-level '|'; if not, why.
 */
enum apart { APART, NOT_FLAGS, NOT_SOUND };

/*
 * Returns the index of the next top-level '|' at or after i, or n.  Sets *apart
 * if the expression cannot be split.
 */
static size_t next_bar(const char *s, size_t n, size_t i, enum apart *apart)
{
    size_t depth = 0;
    bool closed;
    while (i < n) {
        switch (s[i]) {
        case '\\':
            i = skip_escape(s, n, i, &closed);
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
                    size_t n, struct prof_err *err)
{
    uint32_t id;
    if (!n)
        return true;
    return (strtab_add(strings, s, n, &id) && str_set_add(set, id)) ||
           err_nomem(err);
}

/*
 * Appends an equivalent expression that another one may follow.  Adds the "\E"
 * that a \Q lacks, and writes "\[:" for a "[:" in a class that does not begin a
 * name, because a later ":]" would change its meaning.
 */
static bool put_closed(struct buf *b, const char *s, size_t n)
{
    bool ok = true;
    for (size_t i = 0, end; ok && i < n; i = end) {
        bool closed = true;
        end = i + 1;
        if (s[i] == '[') {
            end = skip_class(s, n, i);
            ok = buf_putc(b, '[');
            for (size_t at = i + 1, k; ok && at < end; at += k) {
                k = s[at] == '\\' ? 2 : 1;
                if (is_named(s, end, at) && !named_class(s, end, at))
                    ok = buf_putc(b, '\\');
                ok = ok && buf_put(b, s + at, k);
            }
            continue;
        }
        if (s[i] == '\\')
            end = skip_escape(s, n, i, &closed);
        ok = buf_put(b, s + i, end - i) && (closed || buf_puts(b, "\\E"));
    }
    return ok;
}

bool alternatives_add(struct str_set *set, struct strtab *strings,
                      const char *regex, size_t n, struct prof_err *err)
{
    enum apart apart = APART;
    struct buf b = {0};
    for (size_t i = 0; i <= n; i++)
        i = next_bar(regex, n, i, &apart);
    bool ok = buf_reserve(&b, n + 1);
    if (apart == NOT_SOUND) { /* match every character literally */
        for (size_t i = 0; ok && i < n; i++)
            ok = (!regex[i] || !strchr("\\.+*?()|[]{}^$", regex[i]) ||
                  buf_putc(&b, '\\')) &&
                 buf_putc(&b, regex[i]);
    } else if (apart == NOT_FLAGS) { /* do not split it */
        ok = ok && buf_puts(&b, "(?:") && put_closed(&b, regex, n) &&
             buf_putc(&b, ')');
    } else {
        ok = ok && put_closed(&b, regex, n);
    }
    const char *s = (const char *)b.v;
    if (!ok)
        (void)err_nomem(err);
    else if (apart != APART)
        ok = add_one(set, strings, s, b.n, err);
    else
        for (size_t i = 0, bar; ok && i <= b.n; i = bar + 1) {
            bar = next_bar(s, b.n, i, &apart);
            ok = add_one(set, strings, s + i, bar - i, err);
        }
    buf_free(&b);
    return ok;
}

bool alternatives_join(struct str_set *set, struct strtab *strings,
                       uint32_t *id, struct prof_err *err)
{
    struct buf b = {0};
    bool ok = true;
    str_set_sort(set, strings);
    for (size_t i = 0; ok && i < set->ids.n; i++)
        ok = (!i || buf_putc(&b, '|')) &&
             buf_put(&b, strtab_str(strings, set->ids.v[i]),
                     strtab_len(strings, set->ids.v[i]));
    ok = ok && strtab_add(strings, (char *)b.v, b.n, id);
    buf_free(&b);
    return ok || err_nomem(err);
}
