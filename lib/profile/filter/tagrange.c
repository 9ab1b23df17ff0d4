#include "profile/filter/tagrange.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "profile/measure.h"

/* A number and the letters behind it. */
struct quantity {
    const char *text;
    size_t n;       /* bytes in all; 0: there is none */
    size_t n_digit; /* of them the sign and the digits */
};

static struct quantity find_quantity(const char *s)
{
    struct quantity q = {.text = s};
    size_t n = *s == '+' || *s == '-';
    if (!ascii_is_digit(s[n]))
        return q;
    while (ascii_is_digit(s[n]))
        n++;
    q.n_digit = n;
    while (ascii_is_letter(s[n]))
        n++;
    q.n = n;
    return q;
}

/*
 * The quantity in unit `to`, or in its own where that is null.  *unit is
 * malloc'ed.
 */
static bool evaluate(const struct quantity *q, const char *to, double *value,
                     char **unit, struct err *err)
{
    *unit = NULL;
    char *from = strndup(q->text + q->n_digit, q->n - q->n_digit);
    if (!from)
        return err_nomem(err);
    errno = 0;
    int64_t number = strtoll(q->text, NULL, 10);
    if (errno) {
        free(from);
        return err_set(err, ERR_USAGE, "%.*s is too large", (int)q->n_digit,
                       q->text);
    }
    const char *name;
    *value = measure_scale(number, from, to ? to : from, &name);
    *unit = strdup(name);
    free(from);
    return *unit || err_nomem(err);
}

/* The range from a to b, one of which may be missing (n 0). */
static int set_range(struct tag_range *r, const struct quantity *a,
                     const struct quantity *b, struct err *err)
{
    char *unit = NULL;
    if (a->n && !evaluate(a, NULL, &r->least, &r->unit, err))
        return -1;
    if (b->n && !evaluate(b, r->unit, &r->most, &unit, err))
        return -1;
    if (!r->unit) {
        r->unit = unit;
        return 1;
    }
    int same = !unit || !strcmp(unit, r->unit);
    free(unit);
    return same;
}

int tag_range_parse(struct tag_range *r, const char *text, struct err *err)
{
    *r = (struct tag_range){.least = -INFINITY, .most = INFINITY};
    struct quantity a = find_quantity(text);
    const char *colon = text + a.n;
    struct quantity b = find_quantity(colon + (*colon == ':'));
    bool whole = *colon == ':' ? !b.text[b.n] && (a.n || b.n) : a.n && !*colon;
    if (!whole)
        return 0;
    int rc = set_range(r, &a, &b, err);
    if (!*colon)
        r->most = r->least;
    if (rc < 1)
        tag_range_free(r);
    return rc;
}

void tag_range_free(struct tag_range *r)
{
    free(r->unit);
    r->unit = NULL;
}

bool tag_range_has(const struct tag_range *r, int64_t value, const char *unit)
{
    const char *got;
    double v = measure_scale(value, unit, r->unit, &got);
    return !strcmp(got, r->unit) && v >= r->least && v <= r->most;
}
