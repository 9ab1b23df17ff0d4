/* What of a sum is left to write: samples that do not add up to 0. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/merge/canon.h"
#include "profile/text.h"

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

bool canon_overflow_of(const struct canon *c, uint32_t leaf, uint32_t type,
                       struct err *err)
{
    struct buf b = {0};
    leaf_name(c->sum, leaf, &b);
    const struct prof_value_type *vt = &c->sum->types[type];
    err_set(err, ERR_INPUT, "the sum of %s of the sample %.*s overflows",
            prof_show_type(c->sum, *vt).text, (int)b.n, b.v ? (char *)b.v : "");
    buf_free(&b);
    return false;
}

bool canon_overflow(const struct canon *c, uint32_t sample, uint32_t type,
                    struct err *err)
{
    uint32_t leaf = PROF_NONE;
    if (prof_depth(c->sum, sample))
        leaf = prof_stack(c->sum, sample)[0];
    return canon_overflow_of(c, leaf, type, err);
}

/* Every carry must be taken back by another for the sum to be right. */
static bool check_carries(struct canon *c, struct err *err)
{
    const struct merge_carry *v = c->m->carries.v;
    merge_net_carries(c->m);
    for (size_t i = 0; i < c->m->carries.n; i++)
        if (!c->m->type_dropped[v[i].type])
            return canon_overflow(c, v[i].sample, v[i].type, err);
    return true;
}

bool canon_live(struct canon *c, struct err *err)
{
    struct profile *sum = c->sum;
    if (!check_carries(c, err))
        return false;
    c->samples = mem_array(sum->n_samples, sizeof *c->samples);
    if (!c->samples)
        return err_nomem(err);
    for (size_t s = 0; s < sum->n_samples; s++)
        if (canon_is_live(c, s))
            c->samples[c->n_samples++] = (uint32_t)s;
    return true;
}
