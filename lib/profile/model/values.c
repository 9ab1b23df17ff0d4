/* values.c - picks, divides, scales and adds up the values of samples */
#include "profile/model/build.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/vec.h"
#include "base/wide.h"

void prof_keep_type(struct profile *p, size_t index)
{
    for (size_t s = 0; s < p->n_samples; s++)
        p->values[s] = p->values[s * p->n_types + index];
    p->types[0] = p->types[index];
    p->n_types = 1;
    p->default_sample_type = 0;
}

void prof_keep_types(struct profile *p, const bool *keep)
{
    const size_t before = p->n_types;
    size_t n_values = 0, n = 0;
    bool has_default = false;
    for (size_t i = 0; i < p->n_samples * before; i++)
        if (keep[i % before])
            p->values[n_values++] = p->values[i];
    for (size_t i = 0; i < before; i++) {
        if (!keep[i])
            continue;
        has_default |= p->types[i].type == p->default_sample_type;
        p->types[n++] = p->types[i];
    }
    p->n_types = n;
    if (!has_default)
        p->default_sample_type = 0;
}

bool prof_mean(struct profile *p, size_t index, struct prof_err *err)
{
    for (size_t s = 0; s < p->n_samples; s++) {
        int64_t count = p->values[s * p->n_types];
        int64_t *value = &p->values[s * p->n_types + index];
        if (count == -1 && *value == INT64_MIN)
            return err_input(err, "the mean of sample %zu exceeds 64 bits", s);
        if (count)
            *value /= count;
    }
    prof_keep_type(p, index);
    struct buf name = {0};
    uint32_t *type = &p->types[0].type;
    bool ok = buf_puts(&name, "mean_") && prof_put_text(&name, p, *type);
    ok = ok ? prof_strn(p, (const char *)name.v, name.n, type, err)
            : err_nomem(err);
    buf_free(&name);
    return ok;
}

bool prof_divide(struct profile *p, double divisor, struct prof_err *err)
{
    double ratio = 1 / divisor;
    if (ratio == 1)
        return true;
    for (size_t i = 0; i < p->n_samples * p->n_types; i++) {
        double v = (double)p->values[i] * ratio;
        if (!(v >= -0x1p63 && v < 0x1p63))
            return err_input(
                err, "a value of sample %zu exceeds 64 bits when divided by %g",
                i / p->n_types, divisor);
        p->values[i] = (int64_t)v;
    }
    return true;
}

bool prof_ratio_parse(const char *text, struct prof_ratio *ratio)
{
    bool minus = *text == '-', point = false;
    int digits = 0;
    ratio->num = 0;
    ratio->den = 1;
    for (text += minus || *text == '+'; *text; text++) {
        if (*text == '.' && !point) {
            point = true;
            continue;
        }
        if (!isdigit((unsigned char)*text) || ++digits > 18)
            return false;
        ratio->num = ratio->num * 10 + (*text - '0');
        if (point)
            ratio->den *= 10;
    }
    if (minus)
        ratio->num = -ratio->num;
    return digits > 0;
}

static bool overflow(const struct profile *p, size_t type, int64_t v,
                     struct prof_err *err)
{
    return err_input(err, "a value of %lld %s exceeds 64 bits when scaled",
                     (long long)v, prof_show_type(p, p->types[type]).text);
}

bool prof_scale(struct profile *p, struct prof_ratio ratio,
                struct prof_err *err)
{
    for (size_t i = 0; i < p->n_samples * p->n_types; i++)
        if (!wide_scale(p->values[i], ratio.num, ratio.den, &p->values[i]))
            return overflow(p, i % p->n_types, p->values[i], err);
    return true;
}

bool prof_total(const struct profile *p, size_t type, int64_t *total)
{
    struct wide sum = {0};
    for (size_t s = 0; s < p->n_samples; s++)
        wide_add(&sum, p->values[s * p->n_types + type]);
    return wide_fits(sum, total);
}

bool prof_totals(const struct profile *p, int64_t *totals, struct prof_err *err)
{
    for (size_t i = 0; i < p->n_types; i++)
        if (!prof_total(p, i, &totals[i]))
            return err_input(err, "the total of %s exceeds 64 bits",
                             prof_show_type(p, p->types[i]).text);
    return true;
}

/* Multiplies the values of type i by factor[i]. */
static bool apply(struct profile *p, const double *factor, struct prof_err *err)
{
    const double limit = 9223372036854775808.0; /* 2^63 */
    for (size_t i = 0; i < p->n_samples * p->n_types; i++) {
        double by = factor[i % p->n_types];
        if (by == 1)
            continue;
        double v = round((double)p->values[i] * by);
        if (!(v >= -limit && v < limit))
            return overflow(p, i % p->n_types, p->values[i], err);
        p->values[i] = (int64_t)v;
    }
    return true;
}

bool prof_normalize(struct profile *p, const struct profile *base,
                    struct prof_err *err)
{
    int64_t *own = mem_zarray(p->n_types, sizeof *own);
    int64_t *theirs = mem_zarray(base->n_types, sizeof *theirs);
    double *factor = mem_zarray(p->n_types, sizeof *factor);
    bool ok = (own && theirs && factor) || err_nomem(err);
    ok = ok && prof_totals(p, own, err) && prof_totals(base, theirs, err);
    for (size_t i = 0; ok && i < p->n_types; i++) {
        struct prof_value_type t = p->types[i];
        size_t k = 0;
        while (k < base->n_types &&
               !(prof_same_text(p, t.type, base, base->types[k].type) &&
                 prof_same_text(p, t.unit, base, base->types[k].unit)))
            k++;
        if (k == base->n_types)
            ok = err_input(err, "the base has no sample type %s",
                           prof_show_type(p, t).text);
        else
            factor[i] = own[i] ? (double)theirs[k] / (double)own[i] : 0;
    }
    ok = ok && apply(p, factor, err);
    free(own);
    free(theirs);
    free(factor);
    return ok;
}

/* --- picking a type ------------------------------------------------------- */

bool prof_pick_type(const struct profile *p, const char *asked, size_t *index,
                    struct prof_err *err)
{
    if (!p->n_types)
        return err_input(err, "the profile has no sample types");
    if (!asked || !*asked) {
        *index = (size_t)prof_default_type(p);
        return true;
    }
    char *end = NULL;
    errno = 0;
    long number = strtol(asked, &end, 10);
    bool blank = isspace((unsigned char)*asked);
    if (!blank && end != asked && !*end && !errno) {
        if (number < 0 || (size_t)number >= p->n_types)
            return err_set(err, PROF_ERR_USAGE,
                           "no sample type '%s': expected 0 to %zu", asked,
                           p->n_types - 1);
        *index = (size_t)number;
        return true;
    }
    int found = prof_find_type(p, asked);
    if (found < 0 && !strncmp(asked, "inuse_", 6))
        found = prof_find_type(p, asked + 6);
    if (found >= 0) {
        *index = (size_t)found;
        return true;
    }
    struct buf names = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < p->n_types; i++)
        ok = buf_printf(&names, " %s", prof_show(p, p->types[i].type).text);
    if (ok && buf_putc(&names, 0))
        err_set(err, PROF_ERR_USAGE, "no sample type '%s': expected one of:%s",
                asked, (const char *)names.v);
    else
        err_nomem(err);
    buf_free(&names);
    return false;
}
