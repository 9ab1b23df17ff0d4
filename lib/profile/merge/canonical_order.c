/* canonical_order.c - samples in order, and equal ones as one */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/merge/private.h"
#include "profile/merge/sample_order.h"
#include "profile/text.h"

bool canon_sort(const struct canon *c, uint32_t *samples, size_t n, bool *equal,
                struct err *err)
{
    const struct profile *p = c->p;
    struct sample_order o = {
        .frame_off = p->frame_off,
        .frames = p->frames,
        .rank = c->location_rank,
        .labelset = p->labelset,
        .set_rank = c->labelset_rank,
        .n_ranks = (uint32_t)(p->n_locations > p->n_labelsets ? p->n_locations
                                                              : p->n_labelsets),
        .threads = c->threads,
    };
    return sample_order_sort(&o, samples, n, equal, err);
}

/* --- overflow ------------------------------------------------------------- */

uint32_t canon_leaf(const struct canon *c, uint32_t sample)
{
    return prof_depth(c->p, sample) ? prof_stack(c->p, sample)[0] : PROF_NONE;
}

/* How to call a sample in a message: its leaf, PROF_NONE if it has none. */
static void leaf_name(const struct profile *p, uint32_t leaf, struct buf *to)
{
    if (leaf == PROF_NONE) {
        (void)buf_puts(to, "without a stack");
        return;
    }
    const struct prof_location *l = &p->locations[leaf];
    if (l->n_lines && p->lines[l->line_off].function != PROF_NONE) {
        uint32_t f = p->lines[l->line_off].function;
        (void)buf_printf(to, "of %s", prof_show(p, p->functions[f].name).text);
    } else {
        (void)buf_printf(to, "at 0x%" PRIx64, l->address);
    }
}

bool canon_overflow(const struct canon *c, uint32_t leaf, uint32_t type,
                    struct err *err)
{
    struct buf b = {0};
    leaf_name(c->p, leaf, &b);
    const struct prof_value_type *vt = &c->p->types[type];
    err_set(err, ERR_INPUT, "the sum of %s of the sample %.*s overflows",
            prof_show_type(c->p, *vt).text, (int)b.n, b.v ? (char *)b.v : "");
    buf_free(&b);
    return false;
}

/* --- equal samples, next to each other ------------------------------------ */

/* Whether two samples have the same stack and labels. */
static bool is_same(const struct profile *p, uint32_t a, uint32_t b)
{
    size_t n = prof_depth(p, a);
    return n == prof_depth(p, b) && p->labelset[a] == p->labelset[b] &&
           (!n ||
            !memcmp(prof_stack(p, a), prof_stack(p, b), n * sizeof *p->frames));
}

/* Sums samples[0 .. n) in the first; the values of others become 0. */
static bool sum_neighbours(struct canon *c, const uint32_t *samples, size_t n,
                           struct err *err)
{
    size_t nt = c->p->n_types;
    int64_t *to = c->p->values + samples[0] * nt;
    for (size_t k = 0; k < nt; k++) {
        struct wide sum = {0};
        for (size_t i = 0; i < n; i++) {
            int64_t *v = &c->p->values[samples[i] * nt + k];
            wide_add(&sum, *v);
            *v = 0;
        }
        if (!wide_fits(sum, &to[k]))
            return canon_overflow(c, canon_leaf(c, samples[0]), (uint32_t)k,
                                  err);
    }
    return true;
}

bool canon_combine(struct canon *c, struct err *err)
{
    size_t n = 0;
    for (size_t i = 0, j; i < c->n_samples; i = j) {
        uint32_t s = c->samples[i];
        for (j = i + 1; j < c->n_samples && is_same(c->p, s, c->samples[j]);)
            j++;
        if (j - i > 1 && !sum_neighbours(c, c->samples + i, j - i, err))
            return false;
        if (canon_is_live(c, s))
            c->samples[n++] = s;
    }
    c->n_samples = n;
    return true;
}
