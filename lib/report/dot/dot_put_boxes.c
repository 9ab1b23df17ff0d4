/* Boxes as they are drawn: many numbers become a few ranges. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/text.h"
#include "report/dot/dot.h"

/* Numbers that are near each other, or one. */
struct range {
    const struct dot_box *first, *least, *most;
    struct graph_weight sum;
};

/* What there is a box for. */
struct shown {
    int64_t flat, cum;
    size_t name, name_n; /* names[name .. name + name_n) */
};

struct drawing {
    struct dot *d;
    bool inner; /* only what is the node's own counts */
    struct buf names;
    struct shown shown[DOT_BOXES];
    size_t n;
};

/* name="value" */
static bool put_value(struct dot *d, const char *before, int64_t value)
{
    return buf_puts(d->r->out, before) && dot_put_value(d, value) &&
           buf_putc(d->r->out, '"');
}

/* Lines of a box are centred. */
static bool put_name(struct dot *d, const char *name, size_t n)
{
    const char *end = name + n, *line;
    for (; (line = memchr(name, '\n', (size_t)(end - name))); name = line + 1)
        if (!dot_put_text(d, name, (size_t)(line - name)) ||
            !buf_puts(d->r->out, "\\n"))
            return false;
    return dot_put_text(d, name, (size_t)(end - name));
}

/* A box and the edge that leads there. */
static bool put_box(struct dot *d, const char *from, const char *id,
                    const char *name, size_t n, int64_t value,
                    const char *style)
{
    struct buf *out = d->r->out;
    return buf_printf(out, "%s [label = \"", id) && put_name(d, name, n) &&
           buf_printf(out, "\" id=\"%s\" fontsize=8 shape=box3d", id) &&
           put_value(d, " tooltip=\"", value) &&
           buf_printf(out, "]\n%s -> %s [", from, id) &&
           put_value(d, "label=\" ", value) && buf_puts(out, " weight=100") &&
           put_value(d, " tooltip=\"", value) &&
           put_value(d, " labeltooltip=\"", value) &&
           buf_printf(out, "%s]\n", style);
}

static double distance(int64_t a, int64_t b)
{
    double x = (double)a - (double)b;
    return x < 0 ? -x : x;
}

static void add_to_range(struct range *r, const struct dot_box *box)
{
    const struct graph_weight *w = &box->at.w;
    r->least = box->at.value < r->least->at.value ? box : r->least;
    r->most = box->at.value > r->most->at.value ? box : r->most;
    r->sum.flat += w->flat;
    r->sum.flat_div += w->flat_div;
    r->sum.cum += w->cum;
    r->sum.cum_div += w->cum_div;
}

/* Each of the first ones draws those to itself that are nearest to it. */
static void make_ranges(const struct dot_box *v, size_t n,
                        struct range range[DOT_BOXES])
{
    for (size_t i = 0; i < DOT_BOXES; i++)
        range[i] = (struct range){&v[i], &v[i], &v[i], v[i].at.w};
    for (size_t i = DOT_BOXES; i < n; i++) {
        int64_t value = v[i].at.value;
        size_t best = 0;
        for (size_t k = 1; k < DOT_BOXES; k++)
            if (distance(value, v[k].at.value) <
                distance(value, v[best].at.value))
                best = k;
        add_to_range(&range[best], &v[i]);
    }
}

static bool put_number(struct drawing *w, int64_t value)
{
    const struct nodetags *t = &w->d->tags;
    const char *unit = prof_plain(t->p, t->unit);
    size_t size = MEASURE_TEXT + strlen(unit);
    if (!buf_reserve(&w->names, size))
        return false;
    char *text = (char *)w->names.v + w->names.n;
    w->names.n += strlen(measure_label(text, size, value, unit, "auto"));
    return true;
}

/* A number as it is where there is room for all, else a range of them. */
static bool show(struct drawing *w, const struct range *r, bool whole)
{
    const struct nodetags *t = &w->d->tags;
    uint32_t name = t->v[r->first->tag].name;
    struct shown *s = &w->shown[w->n++];
    s->flat = graph_mean(r->sum.flat, r->sum.flat_div);
    s->cum = graph_mean(r->sum.cum, r->sum.cum_div);
    s->name = w->names.n;
    bool ok = whole ? buf_put(&w->names, strtab_str(&t->text, name),
                              strtab_len(&t->text, name))
                    : put_number(w, r->least->at.value);
    if (!whole && r->least != r->most)
        ok =
            ok && buf_puts(&w->names, "..") && put_number(w, r->most->at.value);
    s->name_n = w->names.n - s->name;
    return ok;
}

static int shown_order(const void *a, const void *b, void *ctx)
{
    const struct shown *x = a, *y = b;
    const struct drawing *w = ctx;
    if (!w->inner && graph_abs(x->cum) != graph_abs(y->cum))
        return graph_abs(x->cum) > graph_abs(y->cum) ? -1 : 1;
    if (graph_abs(x->flat) != graph_abs(y->flat))
        return graph_abs(x->flat) > graph_abs(y->flat) ? -1 : 1;
    size_t n = x->name_n < y->name_n ? x->name_n : y->name_n;
    int c = memcmp(w->names.v + x->name, w->names.v + y->name, n);
    return c ? c : (x->name_n > y->name_n) - (x->name_n < y->name_n);
}

static bool show_all(struct drawing *w, const struct dot_box *v, size_t n)
{
    struct range range[DOT_BOXES];
    bool ok = true;
    w->n = w->names.n = 0;
    if (n > DOT_BOXES)
        make_ranges(v, n, range);
    for (size_t i = 0; ok && i < n && i < DOT_BOXES; i++) {
        struct range one = {&v[i], &v[i], &v[i], v[i].at.w};
        ok = show(w, n > DOT_BOXES ? &range[i] : &one, n <= DOT_BOXES);
    }
    if (ok && n > DOT_BOXES)
        qsort_r(w->shown, w->n, sizeof *w->shown, shown_order, w);
    return ok;
}

/* Numbers v[0 .. n), at a node or at the box of their labels. */
static bool put_numbers(struct drawing *w, const char *from,
                        const struct dot_box *v, size_t n)
{
    if (!show_all(w, v, n))
        return false;
    for (size_t i = 0; i < w->n; i++) {
        const struct shown *s = &w->shown[i];
        bool own = w->inner || s->flat == s->cum;
        int64_t value = own ? s->flat : s->cum;
        char id[64];
        (void)snprintf(id, sizeof id, "N%s_%zu", from, i);
        if (value && !put_box(w->d, from, id, (char *)w->names.v + s->name,
                              s->name_n, value, own ? "" : " style=\"dotted\""))
            return false;
    }
    return true;
}

/* The numbers at a row that go with these labels. */
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

static bool put_row(struct drawing *w, uint32_t row)
{
    const struct dot_boxes *b = &w->d->boxes;
    const struct strtab *text = &w->d->tags.text;
    size_t first = b->label_off[row];
    char from[32], id[64];
    (void)snprintf(from, sizeof from, "N%zu", (size_t)row + 1);
    for (size_t i = first; i < b->label_off[row + 1]; i++) {
        const struct graph_weight *at = &b->labels.v[i].at.w;
        int64_t value = w->inner ? graph_mean(at->flat, at->flat_div)
                                 : graph_mean(at->cum, at->cum_div);
        uint32_t name = w->d->tags.v[b->labels.v[i].tag].name;
        (void)snprintf(id, sizeof id, "%s_%zu", from, i - first);
        if (value && (!put_box(w->d, from, id, strtab_str(text, name),
                               strtab_len(text, name), value, "") ||
                      !put_numbers_of(w, id, row, name)))
            return false;
    }
    return put_numbers_of(w, from, row, 0);
}

bool dot_put_boxes(struct dot *d, uint32_t row, bool *any)
{
    struct drawing w = {.d = d, .inner = dot_is_inner(d, row)};
    size_t before = d->r->out->n;
    bool ok = !d->boxes.label_off || put_row(&w, row);
    *any = d->r->out->n != before;
    buf_free(&w.names);
    return ok;
}
