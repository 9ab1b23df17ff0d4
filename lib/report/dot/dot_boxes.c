/* dot_boxes.c - chooses and writes the boxes of --dot for tags of nodes */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/system.h"
#include "report/dot/private.h"

/* --- which boxes there are --- */

/*
 * Whether a row has edges to callees.  Its boxes then show flat values;
 * otherwise cumulative values, because its callees are not shown.
 */
static bool is_inner(const struct dot *d, uint32_t row)
{
    uint32_t node = d->cut.row[row].node;
    return d->edges.out_off[node] < d->edges.out_off[node + 1];
}

/* Labels are sorted as Graphviz sees them, with `\n` for a newline. */
static int byte_rank(char c)
{
    return c == '\n' ? '\\' : (uint8_t)c;
}

static int name_order(const struct nodetags *t, uint32_t a, uint32_t b)
{
    const char *v = strtab_str(&t->text, a), *w = strtab_str(&t->text, b);
    size_t n = strtab_len(&t->text, a), m = strtab_len(&t->text, b);
    for (size_t i = 0; i < n && i < m; i++)
        if (byte_rank(v[i]) != byte_rank(w[i]))
            return ORDER(byte_rank(v[i]), byte_rank(w[i]));
    return ORDER(n, m);
}

/*
 * Orders boxes by row, then by the labels that numbers occur with, then by
 * value, heaviest first.
 */
static int box_order(const void *a, const void *b, void *ctx)
{
    const struct dot_box *x = a, *y = b;
    const struct dot *d = ctx;
    const struct tag *s = &d->tags.v[x->tag], *t = &d->tags.v[y->tag];
    const struct graph_value *v = &x->at.sum, *w = &y->at.sum;
    int c = ORDER(x->row, y->row);
    if (!c && s->is_number)
        c = ORDER(s->labels, t->labels);
    if (!c && !is_inner(d, x->row))
        c = ORDER(graph_abs(w->cum), graph_abs(v->cum));
    c = c ? c : ORDER(graph_abs(w->flat), graph_abs(v->flat));
    return c ? c : name_order(&d->tags, s->name, t->name);
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

/*
 * Keeps the heaviest labels of each row.  Call it before numbers are added:
 * only numbers that occur with a kept label are drawn.
 */
static bool settle_labels(struct dot *d)
{
    struct dot_boxes *b = &d->boxes;
    struct dot_box *v = b->labels.v;
    size_t n = 0;
    if (b->label_off)
        return true;
    system_sort(v, b->labels.n, sizeof *v, box_order, d);
    for (size_t i = 0; i < b->labels.n; i++)
        if (n < DOT_BOXES || v[n - DOT_BOXES].row != v[i].row)
            v[n++] = v[i];
    b->labels.n = n;
    b->label_off = find_rows(v, n, d->cut.n);
    return b->label_off;
}

static bool add_box(void *ctx, uint32_t tag, size_t row,
                    const struct tag_sum *at)
{
    struct dot *d = ctx;
    const struct tag *t = &d->tags.v[tag];
    struct dot_box box = {.row = (uint32_t)row, .tag = tag, .at = *at};
    struct dot_boxes *b = &d->boxes;
    if (!t->is_number)
        return (!at->sum.flat && is_inner(d, box.row)) ||
               vec_push(&b->labels, box);
    if (!settle_labels(d))
        return false;
    /* Numbers that occur with labels are drawn at the box of those labels. */
    size_t i = b->label_off[row];
    while (i < b->label_off[row + 1] &&
           d->tags.v[b->labels.v[i].tag].name != t->labels)
        i++;
    return (t->labels && i == b->label_off[row + 1]) ||
           vec_push(&b->numbers, box);
}

bool dot_find_boxes(struct dot *d, struct prof_err *err)
{
    struct dot_boxes *b = &d->boxes;
    if (!d->tags.n)
        return true;
    if (!nodetags_sum(&d->tags, &d->g, &d->cut,
                      &(struct tag_visitor){add_box, d}, err))
        return false;
    vec_sort_by(&b->numbers, box_order, d);
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

/* Counts the tags of each row that have a flat value, up to DOT_BOXES. */
static bool count_tag(void *ctx, uint32_t tag, size_t row,
                      const struct tag_sum *at)
{
    (void)tag;
    uint8_t *count = ctx;
    if (at->sum.flat && count[row] < DOT_BOXES)
        count[row]++;
    return true;
}

bool dot_count_rows(struct dot *d, size_t max, size_t *n, struct prof_err *err)
{
    *n = 0;
    if (!max)
        return true;
    uint8_t *count = mem_zarray(d->cut.n, 1);
    if (!count)
        return err_nomem(err);
    bool ok = !d->tags.n ||
              nodetags_sum(&d->tags, &d->g, &d->cut,
                           &(struct tag_visitor){count_tag, count}, err);
    size_t sum = 0;
    while (*n < d->cut.n && sum < max)
        sum += count[(*n)++] + (size_t)1;
    free(count);
    return ok;
}

/* --- how they are drawn: many numbers become a few ranges --- */

/* A range of numbers that share a box. */
struct range {
    const struct dot_box *first, *least, *most;
    struct graph_value sum;
};

/* The content of a box. */
struct shown {
    int64_t flat, cum;
    size_t name, name_n; /* names[name .. name + name_n) */
};

struct drawing {
    struct dot *d;
    bool inner; /* is_inner(): boxes show flat values */
    struct buf names;
    struct shown shown[DOT_BOXES];
    size_t n;
};

/* Writes `before`, the value and a closing quote. */
static bool put_attribute(struct dot *d, const char *before, int64_t value)
{
    return buf_puts(d->r->out, before) && dot_put_value(d, value) &&
           buf_putc(d->r->out, '"');
}

/* Writes the name of a box, whose lines are centred. */
static bool put_box_name(struct dot *d, const char *name, size_t n)
{
    const char *end = name + n, *line;
    for (; (line = memchr(name, '\n', (size_t)(end - name))); name = line + 1)
        if (!dot_put_text(d, name, (size_t)(line - name)) ||
            !buf_puts(d->r->out, "\\n"))
            return false;
    return dot_put_text(d, name, (size_t)(end - name));
}

/* A box, and the edge that leads to it. */
struct box {
    const char *from, *id, *name;
    size_t name_n;
    int64_t value;
    const char *style; /* of the edge */
};

static bool put_box(struct dot *d, const struct box *b)
{
    struct buf *out = d->r->out;
    return buf_printf(out, "%s [label = \"", b->id) &&
           put_box_name(d, b->name, b->name_n) &&
           buf_printf(out, "\" id=\"%s\" fontsize=8 shape=box3d", b->id) &&
           put_attribute(d, " tooltip=\"", b->value) &&
           buf_printf(out, "]\n%s -> %s [", b->from, b->id) &&
           put_attribute(d, "label=\" ", b->value) &&
           buf_puts(out, " weight=100") &&
           put_attribute(d, " tooltip=\"", b->value) &&
           put_attribute(d, " labeltooltip=\"", b->value) &&
           buf_printf(out, "%s]\n", b->style);
}

static double distance(int64_t a, int64_t b)
{
    double x = (double)a - (double)b;
    return x < 0 ? -x : x;
}

/*
 * Makes a range of each of the first DOT_BOXES numbers and adds each other
 * number to the range whose first number is nearest.
 */
static void make_ranges(const struct dot_box *v, size_t n,
                        struct range range[DOT_BOXES])
{
    for (size_t i = 0; i < DOT_BOXES; i++)
        range[i] = (struct range){&v[i], &v[i], &v[i], v[i].at.sum};
    for (size_t i = DOT_BOXES; i < n; i++) {
        int64_t value = v[i].at.number;
        size_t best = 0;
        for (size_t k = 1; k < DOT_BOXES; k++)
            if (distance(value, v[k].at.number) <
                distance(value, v[best].at.number))
                best = k;
        struct range *r = &range[best];
        const struct graph_value *w = &v[i].at.sum;
        if (value < r->least->at.number)
            r->least = &v[i];
        if (value > r->most->at.number)
            r->most = &v[i];
        r->sum.flat += w->flat;
        r->sum.flat_div += w->flat_div;
        r->sum.cum += w->cum;
        r->sum.cum_div += w->cum_div;
    }
}

static bool name_number(struct drawing *w, int64_t value)
{
    const struct nodetags *t = &w->d->tags;
    return report_put_measure(&w->names, value, prof_plain(t->p, t->unit),
                              "auto");
}

/*
 * Adds a box for a range.  With `whole` the range is a single number, which is
 * shown unrounded.
 */
static bool add_shown(struct drawing *w, const struct range *r, bool whole)
{
    const struct nodetags *t = &w->d->tags;
    uint32_t name = t->v[r->first->tag].name;
    struct shown *s = &w->shown[w->n++];
    s->flat = graph_mean(r->sum.flat, r->sum.flat_div);
    s->cum = graph_mean(r->sum.cum, r->sum.cum_div);
    s->name = w->names.n;
    bool ok = whole ? buf_put(&w->names, strtab_str(&t->text, name),
                              strtab_len(&t->text, name))
                    : name_number(w, r->least->at.number);
    if (!whole && r->least != r->most)
        ok = ok && buf_puts(&w->names, "..") &&
             name_number(w, r->most->at.number);
    s->name_n = w->names.n - s->name;
    return ok;
}

static int shown_order(const void *a, const void *b, void *ctx)
{
    const struct shown *x = a, *y = b;
    const struct drawing *w = ctx;
    int c = w->inner ? 0 : ORDER(graph_abs(y->cum), graph_abs(x->cum));
    c = c ? c : ORDER(graph_abs(y->flat), graph_abs(x->flat));
    if (c)
        return c;
    const char *names = (const char *)w->names.v;
    return slice_compare((struct prof_slice){names + x->name, x->name_n},
                         (struct prof_slice){names + y->name, y->name_n});
}

static bool choose_shown(struct drawing *w, const struct dot_box *v, size_t n)
{
    struct range range[DOT_BOXES];
    bool ok = true;
    w->n = w->names.n = 0;
    if (n > DOT_BOXES)
        make_ranges(v, n, range);
    for (size_t i = 0; ok && i < n && i < DOT_BOXES; i++) {
        struct range one = {&v[i], &v[i], &v[i], v[i].at.sum};
        ok = add_shown(w, n > DOT_BOXES ? &range[i] : &one, n <= DOT_BOXES);
    }
    if (ok && n > DOT_BOXES)
        system_sort(w->shown, w->n, sizeof *w->shown, shown_order, w);
    return ok;
}

/*
 * Writes boxes for the numbers v[0 .. n), linked to a node or to the box of
 * their labels.
 */
static bool put_numbers(struct drawing *w, const char *from,
                        const struct dot_box *v, size_t n)
{
    if (!choose_shown(w, v, n))
        return false;
    for (size_t i = 0; i < w->n; i++) {
        const struct shown *s = &w->shown[i];
        bool own = w->inner || s->flat == s->cum;
        int64_t value = own ? s->flat : s->cum;
        char id[64];
        (void)snprintf(id, sizeof id, "N%s_%zu", from, i);
        const struct box box = {
            .from = from,
            .id = id,
            .name = (char *)w->names.v + s->name,
            .name_n = s->name_n,
            .value = value,
            .style = own ? "" : " style=\"dotted\"",
        };
        if (value && !put_box(w->d, &box))
            return false;
    }
    return true;
}

/* Writes boxes for the numbers of a row that occur with `labels`. */
static bool put_numbers_of(struct drawing *w, const char *from, uint32_t row,
                           uint32_t labels)
{
    const struct dot_boxes *b = &w->d->boxes;
    const struct tag *tag = w->d->tags.v;
    const struct dot_box *v = b->numbers.v;
    size_t i = b->number_off[row], end = b->number_off[row + 1];
    while (i < end && tag[v[i].tag].labels < labels)
        i++;
    size_t n = 0;
    while (i + n < end && tag[v[i + n].tag].labels == labels)
        n++;
    return !n || put_numbers(w, from, v + i, n);
}

static bool put_boxes_of_row(struct drawing *w, uint32_t row)
{
    const struct dot_boxes *b = &w->d->boxes;
    const struct strtab *text = &w->d->tags.text;
    size_t first = b->label_off[row];
    char from[32], id[64];
    (void)snprintf(from, sizeof from, "N%zu", (size_t)row + 1);
    for (size_t i = first; i < b->label_off[row + 1]; i++) {
        const struct graph_value *at = &b->labels.v[i].at.sum;
        int64_t value = w->inner ? graph_flat(at) : graph_cum(at);
        uint32_t name = w->d->tags.v[b->labels.v[i].tag].name;
        (void)snprintf(id, sizeof id, "%s_%zu", from, i - first);
        const struct box box = {
            .from = from,
            .id = id,
            .name = strtab_str(text, name),
            .name_n = strtab_len(text, name),
            .value = value,
            .style = "",
        };
        if (value &&
            (!put_box(w->d, &box) || !put_numbers_of(w, id, row, name)))
            return false;
    }
    return put_numbers_of(w, from, row, 0);
}

bool dot_put_boxes(struct dot *d, uint32_t row, bool *any)
{
    struct drawing w = {.d = d, .inner = is_inner(d, row)};
    size_t before = d->r->out->n;
    bool ok = !d->boxes.label_off || put_boxes_of_row(&w, row);
    *any = d->r->out->n != before;
    buf_free(&w.names);
    return ok;
}
