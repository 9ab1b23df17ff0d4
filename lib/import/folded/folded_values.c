#include "import/folded/folded_values.h"

#include <string.h>

#include "base/utf8.h"
#include "import/textprof.h"

static struct slice trim_right(struct slice s)
{
    while (s.n && folded_is_gap(s.s[s.n - 1]))
        s.n--;
    return s;
}

/* The number that s ends in, and the blank before it, off s. */
static bool take_value(struct slice *s, int64_t *value)
{
    size_t k = s->n;
    while (k && ascii_is_digit(s->s[k - 1]))
        k--;
    if (k && s->s[k - 1] == '-')
        k--;
    if (!k || !folded_is_gap(s->s[k - 1]))
        return false;
    struct slice number = slice_from(*s, k);
    if (!slice_take_int(&number, value))
        return false;
    *s = slice_to(*s, k - 1);
    return true;
}

/* "12.5" or "12." */
static bool is_fraction(struct slice s)
{
    const char *dot = s.n ? memchr(s.s, '.', s.n) : NULL;
    if (!dot)
        return false;
    struct slice after = slice_from(s, (size_t)(dot - s.s) + 1);
    return slice_is_decimal(slice_to(s, (size_t)(dot - s.s))) &&
           (!after.n || slice_is_decimal(after));
}

/* ERR_INPUT: what is the matter with the end of `rest`, part of the line. */
static bool wrong_value(struct slice line, size_t number, struct slice rest,
                        size_t n, struct err *err)
{
    size_t k = rest.n;
    while (k && !folded_is_gap(rest.s[k - 1]))
        k--;
    struct slice word = slice_from(rest, k), s = word;
    if (slice_begins_with(s, "-"))
        s = slice_from(s, 1);
    if (k && slice_is_decimal(s))
        return err_set(err, ERR_INPUT, "line %zu: %.*s does not fit 64 bits",
                       number, textprof_quoted(word), word.s);
    if (k && is_fraction(s))
        return err_set(err, ERR_INPUT,
                       "line %zu: %.*s is no whole number, which values of a "
                       "profile are",
                       number, textprof_quoted(word), word.s);
    int quoted = textprof_quoted(line);
    const char *dots = (size_t)quoted < line.n ? "..." : "";
    if (n > 1)
        return err_set(err, ERR_INPUT,
                       "line %zu: '%.*s%s' does not end in %zu numbers with "
                       "blanks before them",
                       number, quoted, line.s, dots, n);
    return err_set(err, ERR_INPUT,
                   "line %zu: '%.*s%s' does not end in a blank and a number "
                   "(see --no-counts if no line does)",
                   number, quoted, line.s, dots);
}

bool folded_take_values(struct slice *line, size_t number, int64_t *values,
                        size_t n, struct err *err)
{
    struct slice rest = *line;
    for (size_t i = n; i--;) {
        rest = trim_right(rest);
        if (!take_value(&rest, &values[i]))
            return wrong_value(*line, number, rest, n, err);
    }
    *line = rest;
    return true;
}

bool folded_has_value(struct slice line)
{
    int64_t value;
    line = trim_right(line);
    return take_value(&line, &value);
}
