/* text.c - compares, copies and shows the strings of a profile */
#include "profile/model/build.h"

#include "base/utf8.h"

bool prof_same_text(const struct profile *p, uint32_t a,
                    const struct profile *q, uint32_t b)
{
    return slice_same(prof_text(p, a), prof_text(q, b));
}

bool prof_copy_text(struct profile *to, const struct profile *from, uint32_t id,
                    uint32_t *copy, struct prof_err *err)
{
    struct prof_slice text = prof_text(from, id);
    return prof_strn(to, text.s, text.n, copy, err);
}

bool prof_shown_id(struct profile *p, uint32_t id, uint32_t *shown,
                   struct prof_err *err)
{
    struct prof_slice text = prof_text(p, id);
    struct buf line = {0};
    bool ok = utf8_put_line(&line, text.s, text.n) || err_nomem(err);
    *shown = id;
    if (ok && line.n != text.n)
        ok = prof_strn(p, (const char *)line.v, line.n, shown, err);
    buf_free(&line);
    return ok;
}

/*
 * Appends to text[at .. most) as much of s as fits, and a NUL.  Returns the
 * offset of the NUL.
 */
static size_t show(char *text, size_t at, size_t most, struct prof_slice s)
{
    static const char nul[] = "\\x00", more[] = "...";
    size_t last = most - sizeof more;
    for (size_t i = 0, k; i < s.n; i += k) {
        k = utf8_char((const uint8_t *)s.s + i, s.n - i, NULL);
        k = k ? k : 1;
        struct prof_slice c = {s.s + i, k};
        if (!s.s[i])
            c = (struct prof_slice){nul, sizeof nul - 1};
        if (c.n > last - at) {
            c = (struct prof_slice){more, sizeof more - 1};
            i = s.n;
        }
        memcpy(text + at, c.s, c.n);
        at += c.n;
    }
    text[at] = 0;
    return at;
}

struct prof_shown prof_show(const struct profile *p, uint32_t id)
{
    struct prof_shown shown;
    (void)show(shown.text, 0, sizeof shown.text, prof_text(p, id));
    return shown;
}

struct prof_shown prof_show_type(const struct profile *p,
                                 struct prof_value_type vt)
{
    struct prof_shown shown;
    size_t half = sizeof shown.text / 2;
    size_t at = show(shown.text, 0, half, prof_text(p, vt.type));
    shown.text[at++] = '/';
    (void)show(shown.text, at, at + half - 1, prof_text(p, vt.unit));
    return shown;
}

/*
 * Returns whether the word may stand between the dots of the suffix of a clone.
 */
static bool is_clone_word(struct prof_slice word)
{
    static const char *const words[] = {"clone",    "cold", "constprop",
                                        "isra",     "llvm", "localalias",
                                        "lto_priv", "part", "__uniq"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (slice_is(word, words[i]))
            return true;
    size_t digits = 0;
    while (digits < word.n && ascii_is_digit(word.s[digits]))
        digits++;
    return digits && digits == word.n;
}

size_t prof_base_length(struct prof_slice symbol)
{
    const char *dot = symbol.n ? memchr(symbol.s, '.', symbol.n) : NULL;
    size_t base = dot ? (size_t)(dot - symbol.s) : 0;
    if (!base)
        return symbol.n;
    for (size_t i = base + 1, end; i <= symbol.n; i = end + 1) {
        for (end = i; end < symbol.n && symbol.s[end] != '.';)
            end++;
        if (!is_clone_word((struct prof_slice){symbol.s + i, end - i}))
            return symbol.n;
    }
    return base;
}

bool prof_is_estimated(const struct profile *p)
{
    for (size_t i = 0; i < p->n_comments; i++)
        if (slice_is(prof_text(p, p->comments[i]), PROF_ESTIMATED))
            return true;
    return false;
}
