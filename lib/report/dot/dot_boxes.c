/* Boxes for the tags at nodes. */
#include <stdlib.h>
#include <string.h>

#include "report/dot/dot.h"

bool dot_is_inner(const struct dot *d, uint32_t row)
{
    uint32_t node = d->cut.row[row].node;
    return d->edges.out_off[node] < d->edges.out_off[node + 1];
}

/* By row, then by the labels numbers go with, then heaviest first. */
static int box_order(const void *a, const void *b, void *ctx)
{
    const struct dot_box *x = a, *y = b;
    const struct dot *d = ctx;
    const struct tag *s = &d->tags.v[x->tag], *t = &d->tags.v[y->tag];
    const struct graph_weight *v = &x->at.w, *w = &y->at.w;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    if (s->is_number && s->labels != t->labels)
        return s->labels < t->labels ? -1 : 1;
    if (!dot_is_inner(d, x->row) && graph_abs(v->cum) != graph_abs(w->cum))
        return graph_abs(v->cum) > graph_abs(w->cum) ? -1 : 1;
    if (graph_abs(v->flat) != graph_abs(w->flat))
        return graph_abs(v->flat) > graph_abs(w->flat) ? -1 : 1;
    return nodetags_cmp(&d->tags, s->name, t->name);
}

static size_t *find_rows(const struct dot_box *v, size_t n, size_t n_rows)
{
    size_t *off = mem_zarray(n_rows + 1, sizeof *off);
    if (!off)
        return NULL;
    for (size_t i = 0; i < n; i++)
        off[v[i].row + 1]++;
    for (size_t i = 0; i < n_rows; i++)
        off[i + 1] += off[i];
    return off;
}

static void sort_boxes(struct dot *d, struct dot_box *v, size_t n)
{
    if (n)
        qsort_r(v, n, sizeof *v, box_order, d);
}

/* Only the heaviest labels of each row, which decide on the numbers. */
static bool settle_labels(struct dot *d)
{
    struct dot_boxes *b = &d->boxes;
    struct dot_box *v = b->labels.v;
    size_t n = 0;
    if (b->label_off)
        return true;
    sort_boxes(d, v, b->labels.n);
    for (size_t i = 0; i < b->labels.n; i++)
        if (n < DOT_BOXES || v[n - DOT_BOXES].row != v[i].row)
            v[n++] = v[i];
    b->labels.n = n;
    b->label_off = find_rows(v, n, d->cut.n);
    return b->label_off;
}

/* Whether numbers that go with those labels are drawn at the row. */
static bool has_labels(const struct dot *d, uint32_t row, uint32_t labels)
{
    const struct dot_boxes *b = &d->boxes;
    size_t i = b->label_off[row];
    while (i < b->label_off[row + 1] &&
           d->tags.v[b->labels.v[i].tag].name != labels)
        i++;
    return !labels || i < b->label_off[row + 1];
}

static bool take_tag(void *ctx, uint32_t tag, size_t row,
                     const struct tag_weight *at)
{
    struct dot *d = ctx;
    const struct tag *t = &d->tags.v[tag];
    struct dot_box box = {.row = (uint32_t)row, .tag = tag, .at = *at};
    if (t->is_number)
        return settle_labels(d) && (!has_labels(d, box.row, t->labels) ||
                                    vec_push(&d->boxes.numbers, box));
    return (!at->w.flat && dot_is_inner(d, box.row)) ||
           vec_push(&d->boxes.labels, box);
}

bool dot_find_boxes(struct dot *d, struct err *err)
{
    struct dot_boxes *b = &d->boxes;
    if (!d->tags.n)
        return true;
    if (!nodetags_weigh(&d->tags, &d->g, &d->cut, take_tag, d, err))
        return false;
    sort_boxes(d, b->numbers.v, b->numbers.n);
    b->number_off = find_rows(b->numbers.v, b->numbers.n, d->cut.n);
    return (b->number_off && settle_labels(d)) || err_nomem(err);
}

void dot_free_boxes(struct dot_boxes *b)
{
    vec_free(&b->labels);
    vec_free(&b->numbers);
    free(b->label_off);
    free(b->number_off);
    memset(b, 0, sizeof *b);
}

/* Tags by row, as far as they matter. */
static bool count_tag(void *ctx, uint32_t tag, size_t row,
                      const struct tag_weight *at)
{
    (void)tag;
    uint8_t *count = ctx;
    if (at->w.flat && count[row] < DOT_BOXES)
        count[row]++;
    return true;
}

bool dot_count_rows(struct dot *d, size_t max, size_t *n, struct err *err)
{
    *n = 0;
    if (!max)
        return true;
    uint8_t *count = mem_zarray(d->cut.n, 1);
    if (!count)
        return err_nomem(err);
    bool ok = !d->tags.n ||
              nodetags_weigh(&d->tags, &d->g, &d->cut, count_tag, count, err);
    size_t sum = 0;
    while (*n < d->cut.n && sum < max)
        sum += count[(*n)++] + (size_t)1;
    free(count);
    return ok;
}
