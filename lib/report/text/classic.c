/*
 * --text=classic: the table of the older pprof, written in Perl
 *
 * The columns and units of google-pprof --text (gperftools,
 * docs/cpuprofile.html): flat, its share, the running sum of shares, cum, its
 * share, name; samples as a number, sizes in MB, times in seconds.
 */
#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "profile/measure.h"
#include "profile/text.h"
#include "report/out.h"

/* A value as this table has it. */
struct classic_unit {
    const char *name;
    double divisor; /* 0: whole numbers */
    int decimals;
};

static struct classic_unit unit_of(const struct report *r)
{
    const char *unit;
    struct slice type = prof_text(r->p, r->p->types[r->type].type);
    double bytes = measure_scale(1, r->units.from, "bytes", &unit);
    if (!strcmp(unit, "B"))
        return (struct classic_unit){"MB", 0x1p20 / bytes, 1};
    double nanos = measure_scale(1, r->units.from, "nanoseconds", &unit);
    if (!strcmp(unit, "ns"))
        return (struct classic_unit){"seconds", 1e9 / nanos, 3};
    return (struct classic_unit){
        memmem(type.s, type.n, "objects", 7) ? "objects" : "samples", 0, 0};
}

static bool put_value(struct report *r, const struct classic_unit *u,
                      int64_t value, size_t width)
{
    char text[MEASURE_TEXT];
    double x = (double)value * r->ratio;
    if (u->divisor > 0)
        (void)snprintf(text, sizeof text, "%.*f", u->decimals, x / u->divisor);
    else
        (void)snprintf(text, sizeof text, "%" PRId64,
                       r->ratio == 1 ? value : graph_truncate(x));
    return report_put_right(r->out, text, strlen(text), width);
}

static bool put_share(struct report *r, int64_t value)
{
    char text[MEASURE_TEXT] = "nan";
    if (r->total)
        (void)snprintf(text, sizeof text, "%.1f%%",
                       (double)value * 100 / (double)r->total);
    return buf_putc(r->out, ' ') &&
           report_put_right(r->out, text, strlen(text), 6);
}

static bool put_row(struct report *r, const struct classic_unit *u,
                    const struct graph *g, const struct graph_cut *cut,
                    const struct graph_row *row, int64_t *sum)
{
    const struct graph_value *w = &g->value[row->node];
    int64_t flat = graph_mean(w->flat, w->flat_div);
    int64_t cum = graph_mean(w->cum, w->cum_div);
    /* Means, unlike what they are made of, may add up to anything. */
    *sum = (int64_t)((uint64_t)*sum + (uint64_t)flat);
    return put_value(r, u, flat, 8) && put_share(r, flat) &&
           put_share(r, *sum) && buf_putc(r->out, ' ') &&
           put_value(r, u, cum, 8) && put_share(r, cum) &&
           buf_putc(r->out, ' ') &&
           utf8_put_line(r->out, cut->text.v + row->name, row->name_n) &&
           buf_putc(r->out, '\n');
}

/* Negative values, which a difference has, come last. */
static int row_order(const void *a, const void *b)
{
    const struct graph_row *x = a, *y = b;
    if (x->key != y->key)
        return x->key > y->key ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static void sort_rows(const struct graph *g, struct graph_cut *cut, bool cum)
{
    for (size_t i = 0; i < cut->n; i++) {
        const struct graph_value *w = &g->value[cut->row[i].node];
        uint64_t v = (uint64_t)(cum ? graph_mean(w->cum, w->cum_div)
                                    : graph_mean(w->flat, w->flat_div));
        cut->row[i].key = v ^ UINT64_C(1) << 63;
    }
    if (cut->n)
        qsort(cut->row, cut->n, sizeof *cut->row, row_order);
}

static bool put_table(struct report *r, const struct graph *g,
                      const struct graph_cut *cut)
{
    struct classic_unit u = unit_of(r);
    bool ok = !r->total ||
              (buf_puts(r->out, "Total: ") && put_value(r, &u, r->total, 0) &&
               buf_printf(r->out, " %s\n", u.name));
    int64_t sum = 0;
    for (size_t i = 0; ok && i < cut->n; i++)
        ok = put_row(r, &u, g, cut, &cut->row[i], &sum);
    return ok;
}

static bool print(struct report *r, struct err *err)
{
    struct graph g;
    struct graph_cut cut = {0};
    bool ok = report_make_graph(r, &g, &cut, err);
    if (ok) {
        sort_rows(&g, &cut, r->opts->limits.cum_sort);
        ok = put_table(r, &g, &cut) || err_nomem(err);
    }
    graph_cut_free(&cut);
    graph_free(&g);
    return ok;
}

const struct report_format report_classic = {
    .name = "text",
    .variant = "classic",
    .suffixes = "txt",
    .needs = REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM | REPORT_VALUES |
             REPORT_CLASSIC,
    .ignores = REPORT_NO_UNIT,
    .node_fraction = DBL_MIN, /* none */
    .name_offset = 39,
    .print = print,
};
