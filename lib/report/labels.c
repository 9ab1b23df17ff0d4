#include "report/labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void labels_scratch_free(struct labels_scratch *s)
{
    buf_free(&s->text);
    free(s->span);
    s->span = NULL;
    s->cap_span = 0;
}

static int text_order(const void *a, const void *b, void *text)
{
    const struct labels_span *x = a, *y = b;
    size_t n = x->n < y->n ? x->n : y->n;
    int c = memcmp((char *)text + x->at, (char *)text + y->at, n);
    return c ? c : (x->n > y->n) - (x->n < y->n);
}

/* One span of scratch->text per key; *n of them. */
static bool make_entries(const struct profile *p, uint32_t set, bool strings,
                         labels_entry_fn *entry, void *ctx,
                         struct labels_scratch *scratch, size_t *n)
{
    const struct prof_label *v = p->labels + p->labelset_off[set];
    const struct prof_label *end = p->labels + p->labelset_off[set + 1];
    *n = 0;
    scratch->text.n = 0;
    while (v < end) {
        const struct prof_label *from = v++;
        while (v < end && v->key == from->key && !v->str == !from->str)
            v++;
        if (strings != (from->str != 0))
            continue;
        if (!vec_grow((void **)&scratch->span, &scratch->cap_span, *n + 1,
                      sizeof *scratch->span))
            return false;
        struct labels_span *span = &scratch->span[(*n)++];
        span->at = scratch->text.n;
        if (!entry(ctx, from, (size_t)(v - from), &scratch->text))
            return false;
        span->n = scratch->text.n - span->at;
    }
    return true;
}

bool labels_put(const struct profile *p, uint32_t set, bool strings,
                labels_entry_fn *entry, void *ctx, const char *between,
                struct labels_scratch *scratch, struct buf *to)
{
    size_t n;
    if (!make_entries(p, set, strings, entry, ctx, scratch, &n))
        return false;
    if (n > 1)
        qsort_r(scratch->span, n, sizeof *scratch->span, text_order,
                scratch->text.v);
    for (size_t i = 0; i < n; i++)
        if ((i && !buf_puts(to, between)) ||
            !buf_put(to, scratch->text.v + scratch->span[i].at,
                     scratch->span[i].n) ||
            (scratch->flow && !report_flush(scratch->flow)))
            return false;
    return true;
}
