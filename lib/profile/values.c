#include "profile/values.h"

#include <stdlib.h>

#include "base/buf.h"
#include "profile/text.h"

void prof_keep_type(struct profile *p, size_t index)
{
    for (size_t s = 0; s < p->n_samples; s++)
        p->values[s] = p->values[s * p->n_types + index];
    p->types[0] = p->types[index];
    p->n_types = 1;
    if (p->default_sample_type != p->types[0].type)
        p->default_sample_type = 0;
}

/* Puts "mean_" before the name of the only type. */
static bool rename_mean(struct profile *p, struct err *err)
{
    struct buf name = {0};
    uint32_t type = p->types[0].type, id;
    bool ok = buf_puts(&name, "mean_") && prof_put_text(&name, p, type);
    ok = ok ? prof_strn(p, (const char *)name.v, name.n, &id, err)
            : err_nomem(err);
    buf_free(&name);
    if (!ok)
        return false;
    if (p->default_sample_type)
        p->default_sample_type = id;
    p->types[0].type = id;
    return true;
}

bool prof_mean(struct profile *p, size_t index, struct err *err)
{
    for (size_t s = 0; s < p->n_samples; s++) {
        int64_t count = p->values[s * p->n_types];
        int64_t *value = &p->values[s * p->n_types + index];
        if (count == -1 && *value == INT64_MIN)
            return err_set(err, ERR_INPUT, "the mean of sample %zu overflows",
                           s);
        if (count)
            *value /= count;
    }
    prof_keep_type(p, index);
    return rename_mean(p, err);
}

bool prof_divide(struct profile *p, double divisor, struct err *err)
{
    double ratio = 1 / divisor;
    if (ratio == 1)
        return true;
    for (size_t i = 0; i < p->n_samples * p->n_types; i++) {
        double v = (double)p->values[i] * ratio;
        if (!(v >= -0x1p63 && v < 0x1p63))
            return err_set(err, ERR_INPUT,
                           "a value of sample %zu, divided by %g, overflows",
                           i / p->n_types, divisor);
        p->values[i] = (int64_t)v;
    }
    return true;
}
