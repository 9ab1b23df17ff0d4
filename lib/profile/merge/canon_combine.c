/* Equal samples of a sum that has no index, made one. */
#include <string.h>

#include "profile/merge/canon.h"

bool canon_is_same(const struct profile *p, uint32_t a, uint32_t b)
{
    size_t n = prof_depth(p, a);
    return n == prof_depth(p, b) && p->labelset[a] == p->labelset[b] &&
           (!n ||
            !memcmp(prof_stack(p, a), prof_stack(p, b), n * sizeof *p->frames));
}

/* Sums samples[0 .. n) up in the first; *left unless nothing is. */
static bool sum_up(struct canon *c, const uint32_t *samples, size_t n,
                   bool *left, struct err *err)
{
    size_t nt = c->sum->n_types;
    int64_t *to = c->sum->values + samples[0] * nt;
    *left = false;
    for (size_t k = 0; k < nt; k++) {
        struct wide sum = {0};
        for (size_t i = 0; i < n; i++)
            wide_add(&sum, c->sum->values[samples[i] * nt + k]);
        if (!wide_fits(sum, &to[k]))
            return canon_overflow(c, samples[0], (uint32_t)k, err);
        *left = *left || to[k];
    }
    return true;
}

bool canon_combine(struct canon *c, struct err *err)
{
    size_t n = 0;
    for (size_t i = 0, j; i < c->n_samples; i = j) {
        uint32_t s = c->samples[i];
        bool left = true;
        for (j = i + 1;
             j < c->n_samples && canon_is_same(c->sum, s, c->samples[j]);)
            j++;
        if (j - i > 1 && !sum_up(c, c->samples + i, j - i, &left, err))
            return false;
        if (left)
            c->samples[n++] = s;
    }
    c->n_samples = n;
    return true;
}
