/* What of a sum is left to write: live samples and all that they use. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/canon.h"

static int by_sample(const void *a, const void *b)
{
    const struct merge_carry *x = a, *y = b;
    if (x->sample != y->sample)
        return x->sample < y->sample ? -1 : 1;
    return (x->type > y->type) - (x->type < y->type);
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
        (void)buf_printf(to, "of %s", prof_cstr(p, p->functions[f].name));
    } else {
        (void)buf_printf(to, "at 0x%" PRIx64, l->address);
    }
}

bool canon_overflow(const struct canon *c, uint32_t sample, uint32_t type,
                    bool ranked, struct err *err)
{
    struct buf b = {0};
    uint32_t leaf = PROF_NONE;
    if (prof_depth(c->sum, sample))
        leaf = prof_stack(c->sum, sample)[0];
    leaf_name(c->sum, ranked && leaf != PROF_NONE ? c->by_location[leaf] : leaf,
              &b);
    const struct prof_value_type *vt = &c->sum->types[type];
    err_set(err, ERR_INPUT, "the sum of %s/%s of the sample %.*s overflows",
            prof_cstr(c->sum, vt->type), prof_cstr(c->sum, vt->unit), (int)b.n,
            b.v ? (char *)b.v : "");
    buf_free(&b);
    return false;
}

/* Every carry must be taken back by another for the sum to be right. */
static bool check_carries(struct canon *c, struct err *err)
{
    struct merge_carry *v = c->m->carries.v;
    size_t n = c->m->carries.n;
    if (!n)
        return true;
    qsort(v, n, sizeof *v, by_sample);
    for (size_t i = 0, j; i < n; i = j) {
        int64_t times = 0;
        for (j = i; j < n && !by_sample(&v[i], &v[j]); j++)
            times += v[j].times;
        if (times && !c->m->type_dropped[v[i].type])
            return canon_overflow(c, v[i].sample, v[i].type, false, err);
    }
    return true;
}

static bool is_live(const struct canon *c, size_t s)
{
    const int64_t *values = c->sum->values + s * c->sum->n_types;
    for (size_t i = 0; i < c->n_columns; i++)
        if (values[c->column[i]])
            return true;
    return false;
}

static void mark_location(struct canon *c, uint32_t l)
{
    const struct prof_location *loc = &c->sum->locations[l];
    if (c->location[l])
        return;
    c->location[l] = 1;
    if (loc->mapping != PROF_NONE)
        c->mapping[loc->mapping] = 1;
    for (size_t i = 0; i < loc->n_lines; i++) {
        uint32_t f = c->sum->lines[loc->line_off + i].function;
        if (f != PROF_NONE)
            c->function[f] = 1;
    }
}

static void mark(struct canon *c)
{
    for (size_t i = 0; i < c->n_samples; i++) {
        uint32_t s = c->samples[i];
        const uint32_t *stack = prof_stack(c->sum, s);
        for (size_t k = prof_depth(c->sum, s); k--;)
            mark_location(c, stack[k]);
        c->labelset[c->sum->labelset[s]] = 1;
    }
    if (c->m->first != PROF_NONE)
        c->mapping[c->m->first] = 1;
}

bool canon_live(struct canon *c, struct err *err)
{
    struct profile *sum = c->sum;
    if (!check_carries(c, err))
        return false;
    c->samples = mem_array(sum->n_samples, sizeof *c->samples);
    c->location = mem_zarray(sum->n_locations, sizeof *c->location);
    c->function = mem_zarray(sum->n_functions, sizeof *c->function);
    c->mapping = mem_zarray(c->m->mappings.n, sizeof *c->mapping);
    c->labelset = mem_zarray(sum->n_labelsets, sizeof *c->labelset);
    if (!c->samples || !c->location || !c->function || !c->mapping ||
        !c->labelset)
        return err_nomem(err);
    for (size_t s = 0; s < sum->n_samples; s++)
        if (is_live(c, s))
            c->samples[c->n_samples++] = (uint32_t)s;
    mark(c);
    return true;
}
