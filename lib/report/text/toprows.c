/* toprows.c - the rows of --text */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/vec.h"
#include "profile/columns.h"
#include "report/text/private.h"

/* How a node was called, in the edges that are shown. */
enum { CALLED_INLINE = 1, CALLED_PLAIN = 2 };

/* Returns the CALLED_ bits by node, or null on failure. */
static uint8_t *find_inlined(struct graph *g, const struct graph_cut *cut,
                             struct prof_err *err)
{
    const struct nodes *t = &g->nodes;
    uint8_t *called = mem_zarray(g->n, sizeof *called);
    bool *inlinable = mem_zarray(t->n, sizeof *inlinable);
    bool ok = (called && inlinable) || err_nomem(err);
    /* Only nodes that are inlined somewhere need edges. */
    for (size_t l = 0; ok && l < t->p->n_locations; l++)
        for (uint64_t k = t->off[l]; k + 1 < t->off[l + 1]; k++)
            inlinable[t->of[k]] = true;
    ok = ok && graph_link(g, cut, inlinable, err);
    for (size_t i = 0; ok && i < g->n_edges; i++) {
        const struct graph_edge *e = &g->edges[i];
        if (graph_abs(e->weight) >= (uint64_t)cut->edge_cutoff)
            called[e->to] |= e->inlined ? CALLED_INLINE : CALLED_PLAIN;
    }
    free(inlinable);
    if (ok)
        return called;
    free(called);
    return NULL;
}

/*
 * Returns the value that rows are sorted by.  Columns of other types show the
 * same.
 */
static int64_t sorted_value(const struct report *r, const struct graph *g,
                            uint32_t node)
{
    const struct graph_value *w = &g->value[node];
    return r->opts->limits.cum_sort ? graph_cum(w) : graph_flat(w);
}

static bool make_others(struct report *r, struct toptable *t,
                        struct prof_err *err)
{
    const size_t n = r->opts->n_others;
    struct graph_opts opts = report_graph_opts(r);
    t->others = mem_zarray(n, sizeof *t->others);
    bool ok = t->others || err_nomem(err);
    for (size_t i = 0; ok && i < n; i++) {
        opts.type = r->others[i].type;
        ok = graph_make(&t->others[i], r->p, &opts, err);
    }
    return ok;
}

/*
 * Appends rows of the other type for nodes where the first type has no value.
 */
static bool add_other_rows(const struct report *r, struct toptable *t,
                           const struct graph_cut *other, bool *has_row)
{
    struct graph_cut *cut = &t->cut;
    const size_t most = r->opts->limits.node_count;
    struct graph_row *row = mem_array(cut->n + other->n, sizeof *row);
    if (!row)
        return false;
    if (cut->n)
        memcpy(row, cut->row, cut->n * sizeof *row);
    free(cut->row);
    cut->row = row;
    for (size_t i = 0; i < other->n; i++) {
        const uint32_t node = other->row[i].node;
        const struct graph_value *w = &t->g.value[node];
        if (w->flat || w->cum || has_row[node])
            continue;
        has_row[node] = true;
        cut->n_before++;
        if (most && cut->n >= most)
            continue;
        const size_t at = cut->text.n;
        if (!node_name(&t->g.nodes, node, &cut->text))
            return false;
        row[cut->n++] = (struct graph_row){
            .node = node, .name = at, .name_n = cut->text.n - at};
    }
    return true;
}

/* Appends the rows that have a value only in another type. */
static bool add_rows(const struct report *r, struct toptable *t,
                     struct prof_err *err)
{
    bool *has_row = mem_zarray(t->g.n, sizeof *has_row);
    bool ok = has_row || err_nomem(err);
    for (size_t i = 0; ok && i < r->opts->n_others; i++) {
        struct graph_cut other = {0};
        ok = graph_rank(&t->others[i], &r->opts->limits, &other, err) &&
             (add_other_rows(r, t, &other, has_row) || err_nomem(err));
        graph_cut_free(&other);
    }
    free(has_row);
    return ok;
}

static bool put_other_names(struct report *r)
{
    bool ok = true;
    for (size_t i = 0; ok && i < r->opts->n_others; i++) {
        struct prof_slice name =
            prof_text(r->p, r->p->types[r->others[i].type].type);
        /* perf2pb's types end in this; without it they fit the column. */
        if (slice_ends_with(name, "_event"))
            name.n -= strlen("_event");
        ok = buf_putc(r->out, ' ') &&
             report_put_right(r->out, name.s, name.n, 17) &&
             buf_puts(r->out, "  share      ratio");
    }
    return ok;
}

/* Writes REPORT_OTHER_WIDTH characters for each other type. */
static bool put_others(struct report *r, const struct toptable *t,
                       uint32_t node)
{
    const struct measure units = r->units;
    const double first = (double)sorted_value(r, &t->g, node);
    bool ok = true;
    for (size_t i = 0; ok && i < r->opts->n_others; i++) {
        char text[MEASURE_TEXT] = "-";
        int64_t value = sorted_value(r, &t->others[i], node);
        if (first != 0)
            (void)snprintf(text, sizeof text, "%.4g", (double)value / first);
        r->units = r->others[i].units;
        ok = report_put_value(r, value, 18) &&
             report_put_percent(r, value, r->others[i].total) &&
             report_put_right(r->out, text, strlen(text), 11);
    }
    r->units = units;
    return ok;
}

/* Chooses a unit for each other type, as report_choose_unit() does. */
static void choose_other_units(const struct report *r, const struct toptable *t)
{
    struct report as = *r;
    for (size_t i = 0; i < r->opts->n_others; i++) {
        struct report_other *other = &r->others[i];
        as.units = other->units;
        as.total = other->total;
        report_choose_unit(&as, &t->others[i], &t->cut, false);
        other->units = as.units;
    }
}

bool toptable_make(struct report *r, struct toptable *t, struct prof_err *err)
{
    *t = (struct toptable){0};
    if (!report_make_graph(r, &t->g, &t->cut, err) ||
        !(t->called = find_inlined(&t->g, &t->cut, err)) ||
        !make_others(r, t, err) || !add_rows(r, t, err))
        return false;
    if (r->opts->rows == REPORT_ROWS_TEXT) {
        report_choose_unit(r, &t->g, &t->cut, false);
        choose_other_units(r, t);
    }
    return true;
}

void toptable_free(const struct report *r, struct toptable *t)
{
    for (size_t i = 0; t->others && i < r->opts->n_others; i++)
        graph_free(&t->others[i]);
    free(t->others);
    free(t->called);
    graph_cut_free(&t->cut);
    graph_free(&t->g);
}

bool toptable_put(struct report *r, const struct toptable *t)
{
    static const char *const mark[] = {"", " (inline)", "",
                                       " (partial-inline)"};
    int64_t sum = 0;
    bool ok = buf_puts(r->out, "      flat  flat%   sum%        cum   cum%") &&
              put_other_names(r) && buf_putc(r->out, '\n');
    for (size_t i = 0; ok && i < t->cut.n; i++) {
        const struct graph_row *row = &t->cut.row[i];
        const struct graph_value *w = &t->g.value[row->node];
        int64_t flat = graph_flat(w), cum = graph_cum(w);
        /* Sums of means may overflow; they wrap. */
        sum = (int64_t)((uint64_t)sum + (uint64_t)flat);
        ok = report_put_value(r, flat, 10) &&
             report_put_percent(r, flat, r->total) &&
             report_put_percent(r, sum, r->total) && buf_putc(r->out, ' ') &&
             report_put_value(r, cum, 10) &&
             report_put_percent(r, cum, r->total) &&
             put_others(r, t, row->node) && buf_puts(r->out, "  ") &&
             utf8_put_line(r->out, t->cut.text.v + row->name, row->name_n) &&
             buf_puts(r->out, mark[t->called[row->node]]) &&
             buf_putc(r->out, '\n');
    }
    return ok;
}

bool toptable_put_data(struct rows *rows, const struct toptable *t,
                       struct prof_slice of)
{
    static const char *const mark[] = {NULL, "inline", NULL, "partial-inline"};
    const struct report *r = rows->r;
    const size_t n_others = r->opts->n_others;
    int64_t *others = mem_array(n_others, sizeof *others);
    bool ok = others;
    for (size_t i = 0; ok && i < t->cut.n; i++) {
        const struct graph_row *at = &t->cut.row[i];
        const struct graph_value *w = &t->g.value[at->node];
        for (size_t k = 0; k < n_others; k++)
            others[k] = sorted_value(r, &t->others[k], at->node);
        const struct row row = {.kind = "node",
                                .of = of,
                                .name = graph_row_name(&t->cut, at),
                                .has_flat = true,
                                .flat = graph_flat(w),
                                .cum = graph_cum(w),
                                .inlined = mark[t->called[at->node]],
                                .others = others,
                                .first = sorted_value(r, &t->g, at->node)};
        ok = rows_put(rows, &row);
    }
    free(others);
    return ok;
}
