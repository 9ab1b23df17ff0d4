/* treetext.c - --tree and --peek: each node between its callers and what it
 * calls. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/vec.h"
#include "profile/columns.h"
#include "report/out.h"
#include "report/rows.h"

#define SEPARATOR                                                              \
    "----------------------------------------------------------+-------------" \
    "\n"

/* The blanks at its end are pprof's. */
#define LEGEND                                                                 \
    "      flat  flat%   sum%        cum   cum%   calls calls% + context "     \
    "\t \t \n"

struct treetext {
    struct report *r;
    struct graph g;
    struct graph_cut cut;
    struct edges edges;
    int64_t sum; /* of the flat values so far */
};

/* Of which rows the expression matches the name; one of them at least. */
static bool choose_rows(struct treetext *t, bool *chosen, struct prof_err *err)
{
    const char *pattern = t->r->opts->pattern;
    struct regex *re;
    if (!regex_new(&re, pattern, "--peek", PROF_ERR_USAGE, err))
        return false;
    size_t n = 0;
    int yes = 0;
    for (size_t i = 0; i < t->cut.n && yes >= 0; i++) {
        const struct graph_row *row = &t->cut.row[i];
        yes = regex_match(re, (const char *)t->cut.text.v + row->name,
                          row->name_n, err);
        chosen[i] = yes > 0;
        n += chosen[i];
    }
    regex_free(re);
    return yes >= 0 &&
           (n || err_set(err, PROF_ERR_ANSWER_NO,
                         "no matches found for regexp: %s", pattern));
}

static struct prof_slice name_of(const struct treetext *t, uint32_t node)
{
    const size_t at = t->cut.name_at[node];
    return (struct prof_slice){(const char *)t->cut.text.v + at,
                               t->cut.name_at[node + 1] - at};
}

static bool put_tree_name(const struct treetext *t, uint32_t node)
{
    const struct prof_slice name = name_of(t, node);
    return utf8_put_line(t->r->out, name.s, name.n);
}

/* Not divided where means are shown, as pprof has it. */
static bool put_edge(const struct treetext *t, const struct graph_edge *e,
                     uint32_t other, int64_t cum)
{
    return report_put_value(t->r, e->weight, 50) &&
           report_put_percent(t->r, e->weight, cum) &&
           buf_puts(t->r->out, " |   ") && put_tree_name(t, other) &&
           buf_puts(t->r->out, e->inlined ? " (inline)\n" : "\n");
}

/* The calls to the node, the node itself, and the calls that leave it. */
static bool put_node(struct treetext *t, uint32_t node)
{
    struct report *r = t->r;
    const struct graph_value *w = &t->g.value[node];
    const struct edges *e = &t->edges;
    int64_t flat = graph_mean(w->flat, w->flat_div);
    int64_t cum = graph_mean(w->cum, w->cum_div);
    /* Means, unlike what they are made of, may add up to anything. */
    t->sum = (int64_t)((uint64_t)t->sum + (uint64_t)flat);
    bool ok = buf_puts(r->out, SEPARATOR);
    for (uint32_t i = e->in_off[node]; ok && i < e->in_off[node + 1]; i++) {
        const struct graph_edge *edge = &t->g.edges[e->in[i]];
        ok = put_edge(t, edge, edge->from, cum);
    }
    ok = ok && report_put_value(r, flat, 10) &&
         report_put_percent(r, flat, r->total) &&
         report_put_percent(r, t->sum, r->total) && buf_putc(r->out, ' ') &&
         report_put_value(r, cum, 10) && report_put_percent(r, cum, r->total) &&
         buf_puts(r->out, "                | ") && put_tree_name(t, node) &&
         buf_putc(r->out, '\n');
    for (uint32_t i = e->out_off[node]; ok && i < e->out_off[node + 1]; i++) {
        const struct graph_edge *edge = &t->g.edges[e->out[i]];
        ok = put_edge(t, edge, edge->to, cum);
    }
    return ok;
}

/* A call from or to a node, as a row of data. */
static bool put_row_of_call(const struct treetext *t, struct rows *rows,
                            bool caller, const struct graph_edge *e)
{
    const struct row row = {.kind = caller ? "caller" : "callee",
                            .of = name_of(t, caller ? e->to : e->from),
                            .name = name_of(t, caller ? e->from : e->to),
                            .cum = e->weight,
                            .inlined = e->inlined ? "inline" : NULL};
    return rows_put(rows, &row);
}

/* The same three as rows of data. */
static bool put_rows_of(const struct treetext *t, struct rows *rows,
                        uint32_t node)
{
    const struct graph_value *w = &t->g.value[node];
    const struct edges *e = &t->edges;
    const struct row self = {.kind = "node",
                             .name = name_of(t, node),
                             .has_flat = true,
                             .flat = graph_mean(w->flat, w->flat_div),
                             .cum = graph_mean(w->cum, w->cum_div)};
    bool ok = true;
    for (uint32_t i = e->in_off[node]; ok && i < e->in_off[node + 1]; i++)
        ok = put_row_of_call(t, rows, true, &t->g.edges[e->in[i]]);
    ok = ok && rows_put(rows, &self);
    for (uint32_t i = e->out_off[node]; ok && i < e->out_off[node + 1]; i++)
        ok = put_row_of_call(t, rows, false, &t->g.edges[e->out[i]]);
    return ok;
}

static bool put_data_rows(const struct treetext *t, const bool *chosen)
{
    struct rows rows;
    bool ok = rows_begin(&rows, t->r);
    for (size_t i = 0; ok && i < t->cut.n; i++)
        if (!chosen || chosen[i])
            ok = put_rows_of(t, &rows, t->cut.row[i].node);
    return rows_end(&rows, ok);
}

static bool put_text_rows(struct treetext *t, const bool *chosen)
{
    struct report *r = t->r;
    bool ok = report_put_legend(r, &t->g, &t->cut) &&
              buf_puts(r->out, SEPARATOR LEGEND);
    for (size_t i = 0; ok && i < t->cut.n; i++)
        if (!chosen || chosen[i])
            ok = put_node(t, t->cut.row[i].node) && report_flush(r);
    return ok && (!t->cut.n || buf_puts(r->out, SEPARATOR));
}

/* --peek prints the rows that its pattern matches. */
static bool print_tree(struct report *r, struct prof_err *err)
{
    const struct report_opts *o = r->opts;
    struct treetext t = {.r = r};
    bool *chosen = NULL; /* null: all */
    bool made = report_make_graph(r, &t.g, &t.cut, err) &&
                graph_link(&t.g, &t.cut, NULL, err) &&
                edges_init(&t.edges, &t.g, &o->limits, &t.cut, err);
    if (made && r->opts->rows == REPORT_ROWS_TEXT)
        report_choose_unit(r, &t.g, &t.cut, false);
    if (made && !strcmp(r->format->name, "peek")) {
        chosen = mem_array(t.cut.n, sizeof *chosen);
        made = chosen ? choose_rows(&t, chosen, err) : err_nomem(err);
    }
    bool ok = made && (r->opts->rows ? put_data_rows(&t, chosen)
                                     : put_text_rows(&t, chosen));
    free(chosen);
    edges_free(&t.edges);
    graph_cut_free(&t.cut);
    graph_free(&t.g);
    return ok || (made && err_nomem(err));
}

const struct report_format report_tree = {
    .name = "tree",
    .arg = "[gprof]",
    .help = "print functions with their callers and callees",
    .suffixes = "txt",
    .needs = REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM,
    .node_count = 80,
    .ignores = REPORT_NO_PATHS,
    .print = print_tree,
    .has_rows = true,
    .name_offset = 60,
};

const struct report_format report_peek = {
    .name = "peek",
    .arg = "REGEX",
    .help = "print callers and callees of matching functions",
    .suffixes = "txt",
    .needs = REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM | REPORT_WHOLE,
    .ignores = REPORT_NO_PATHS,
    .print = print_tree,
    .has_rows = true,
    .name_offset = 60,
};
