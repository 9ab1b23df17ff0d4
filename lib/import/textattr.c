#include "import/textattr.h"

#include <string.h>

#include "base/utf8.h"

bool textattr_take(const struct textprof *t, struct textattr *a)
{
    const struct slice line = t->line;
    const char *equals = line.n ? memchr(line.s, '=', line.n) : NULL;
    if (!equals || ascii_is_digit(line.s[0]))
        return false;
    size_t k = (size_t)(equals - line.s);
    a->name = slice_trim(slice_to(line, k));
    a->value = slice_trim(slice_from(line, k + 1));
    return true;
}

bool textattr_is(const struct textattr *a, const char *name)
{
    return slice_is(a->name, name);
}

bool textattr_number(const struct textprof *t, const struct textattr *a,
                     int64_t *to, struct err *err)
{
    struct slice digits = a->value;
    if (!slice_is_decimal(digits) || !slice_take_int(&digits, to))
        return textprof_wrong(t, err, "has a value that is no number");
    return true;
}

bool textattr_common(const struct textprof *t, const struct textattr *a,
                     bool *is, struct err *err)
{
    *is = true;
    if (textattr_is(a, "sampling period"))
        return textattr_number(t, a, &t->p->period, err);
    *is = textattr_is(a, "ms since reset");
    if (!*is)
        return true;
    int64_t ms = 0;
    if (!textattr_number(t, a, &ms, err))
        return false;
    return !__builtin_mul_overflow(ms, 1000000, &t->p->duration_nanos) ||
           textprof_wrong(t, err, "is more nanoseconds than 64 bits hold");
}

void textattr_note_unknown(const struct textprof *t)
{
    textprof_note_line(t, "is not known, and left out");
}
