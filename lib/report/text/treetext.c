/* treetext.c - --tree and --peek: each node between its callers and what it
 * calls. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "profile/columns.h"
#include "report/out.h"
#include "report/rows.h"

#define SEPARATOR                                                              \
    "----------------------------------------------------------+-------------" \
    "\n"

/* The trailing blanks are pprof's. */
#define LEGEND                                                                 \
    "      flat  flat%   sum%        cum   cum%   calls calls% + context "     \
    "\t \t \n"

/* Call counts, if the profile has them, by place in the graph. */
struct calls {
    bool counted;
    struct map pairs;    /* caller and callee; rows of count */
    VEC(uint64_t) count; /* of other functions */
    uint64_t *called;    /* calls of it by other functions */
    uint64_t *own;       /* calls of it by itself */
};

struct treetext {
    struct report *r;
    struct calls calls;
    struct graph g;
    struct graph_cut cut;
    struct edges edges;
    int64_t sum; /* of the flat values so far */
};

/* Sets which rows the expression matches.  Fails if it matches none. */
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
    return yes >= 0 && (n || err_set(err, PROF_ERR_ANSWER_NO,
                                     "no matches for '%s'", pattern));
}

/* --- calls ---------------------------------------------------------------- */

/*
 * Returns the count of calls from one place to another, or null without memory.
 */
static uint64_t *count_of(struct calls *c, uint32_t from, uint32_t to)
{
    const uint32_t pair[] = {from, to};
    uint32_t row;
    if (!map_push(&c->pairs, &c->count, pair, sizeof pair, &row, 0))
        return NULL;
    return &c->count.v[row];
}

static bool add_calls(struct treetext *t, const uint32_t *stack, size_t n,
                      uint64_t calls, struct prof_err *err)
{
    struct calls *c = &t->calls;
    const struct nodes *nodes = &t->g.nodes;
    const uint32_t to = nodes->of[nodes->off[stack[0]]];
    const uint32_t from = n > 1 ? nodes->of[nodes->off[stack[1]]] : PROF_NONE;
    uint64_t *sum = from == to ? &c->own[to] : &c->called[to];
    uint64_t *of_pair = count_of(c, from, to);
    if (!of_pair)
        return err_nomem(err);
    *of_pair += calls; /* at most the calls of the callee */
    return !__builtin_add_overflow(*sum, calls, sum) ||
           err_input(err, "the calls of a function exceed 64 bits");
}

/*
 * Counts calls.  Samples with calls come from gmon2pb and have two frames: the
 * callee, then the caller.  If frames were removed, callers are unknown.
 */
static bool count_calls(struct treetext *t, struct prof_err *err)
{
    const struct profile *p = t->r->p;
    struct calls *c = &t->calls;
    const int type = report_calls_type(t->r);
    if (type < 0 || (size_t)type == t->r->type ||
        t->r->opts->detail.granularity != PROF_FUNCTIONS)
        return true;
    c->counted = true;
    c->called = mem_zarray(t->g.nodes.n, sizeof *c->called);
    c->own = mem_zarray(t->g.nodes.n, sizeof *c->own);
    if (!c->called || !c->own)
        return err_nomem(err);
    struct prof_stacks r;
    bool ok = prof_stacks_init(&r, p, err);
    for (size_t s = 0; ok && s < p->n_samples; s++) {
        const int64_t calls = p->values[s * p->n_types + (size_t)type];
        prof_stacks_read(&r, s);
        ok = calls <= 0 || !r.depth ||
             add_calls(t, r.stack, r.depth, (uint64_t)calls, err);
    }
    prof_stacks_free(&r);
    return ok;
}

/* Writes "  called 8", with "+5" if the node calls itself 5 times. */
static bool put_called(const struct treetext *t, uint32_t node)
{
    const struct calls *c = &t->calls;
    if (!c->counted)
        return true;
    const uint32_t place = graph_place(&t->g, node);
    const uint64_t called = c->called[place], own = c->own[place];
    struct buf *out = t->r->out;
    return !(called || own) || (buf_printf(out, "  called %" PRIu64, called) &&
                                (!own || buf_printf(out, "+%" PRIu64, own)));
}

/*
 * Writes the count of an edge: "  called 6/8" for 6 of the 8 calls by other
 * functions, or "  called 5" for calls by itself.
 */
static bool put_calls(struct treetext *t, const struct graph_edge *e)
{
    struct calls *c = &t->calls;
    if (!c->counted)
        return true;
    const uint32_t from = graph_place(&t->g, e->from);
    const uint32_t to = graph_place(&t->g, e->to);
    const uint64_t *calls = count_of(c, from, to);
    struct buf *out = t->r->out;
    if (!calls || !*calls)
        return calls;
    return buf_printf(out, "  called %" PRIu64, *calls) &&
           (from == to || buf_printf(out, "/%" PRIu64, c->called[to]));
}

/* --- rows ----------------------------------------------------------------- */

static bool put_tree_name(const struct treetext *t, uint32_t node)
{
    const struct prof_slice name = graph_place_name(&t->cut, node);
    return utf8_put_line(t->r->out, name.s, name.n);
}

/*
 * Writes the row number of a node, " [3]", as gprof does. --peek does not print
 * all rows, and pprof's tables have no such numbers.
 */
static bool put_index(const struct treetext *t, uint32_t node)
{
    const uint32_t row = t->edges.row[node];
    return !t->calls.counted || t->r->opts->pattern || row == PROF_NONE ||
           buf_printf(t->r->out, " [%" PRIu32 "]", row + 1);
}

/*
 * Writes an edge.  Its weight is not divided even if means are shown, as in
 * pprof.
 */
static bool put_edge(struct treetext *t, const struct graph_edge *e,
                     uint32_t other, int64_t cum)
{
    return report_put_value(t->r, e->weight, 50) &&
           report_put_percent(t->r, e->weight, cum) &&
           buf_puts(t->r->out, " |   ") && put_tree_name(t, other) &&
           (!e->inlined || buf_puts(t->r->out, " (inline)")) &&
           put_index(t, other) && put_calls(t, e) && buf_putc(t->r->out, '\n');
}

/* Writes the calls to the node, the node itself, and the calls from it. */
static bool put_node(struct treetext *t, uint32_t node)
{
    struct report *r = t->r;
    const struct graph_value *w = &t->g.value[node];
    const struct edges *e = &t->edges;
    int64_t flat = graph_flat(w), cum = graph_cum(w);
    /* Sums of means may overflow; they wrap. */
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
         put_index(t, node) && put_called(t, node) && buf_putc(r->out, '\n');
    for (uint32_t i = e->out_off[node]; ok && i < e->out_off[node + 1]; i++) {
        const struct graph_edge *edge = &t->g.edges[e->out[i]];
        ok = put_edge(t, edge, edge->to, cum);
    }
    return ok;
}

/* Writes a call from or to a node as a row of data. */
static bool put_row_of_call(const struct treetext *t, struct rows *rows,
                            bool caller, const struct graph_edge *e)
{
    const struct row row = {
        .kind = caller ? "caller" : "callee",
        .of = graph_place_name(&t->cut, caller ? e->to : e->from),
        .name = graph_place_name(&t->cut, caller ? e->from : e->to),
        .cum = e->weight,
        .inlined = e->inlined ? "inline" : NULL};
    return rows_put(rows, &row);
}

/*
 * Writes the calls to the node, the node and the calls from it as rows of data.
 */
static bool put_rows_of(const struct treetext *t, struct rows *rows,
                        uint32_t node)
{
    const struct graph_value *w = &t->g.value[node];
    const struct edges *e = &t->edges;
    const struct row self = {.kind = "node",
                             .name = graph_place_name(&t->cut, node),
                             .has_flat = true,
                             .flat = graph_flat(w),
                             .cum = graph_cum(w)};
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

/* Prints all rows, or with --peek those that match the pattern. */
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
    if (made && !r->opts->rows)
        made = count_calls(&t, err);
    bool ok = made && (r->opts->rows ? put_data_rows(&t, chosen)
                                     : put_text_rows(&t, chosen));
    free(chosen);
    map_free(&t.calls.pairs);
    vec_free(&t.calls.count);
    free(t.calls.called);
    free(t.calls.own);
    edges_free(&t.edges);
    graph_cut_free(&t.cut);
    graph_free(&t.g);
    return ok || (made && err_nomem(err));
}

const struct report_format report_tree = {
    .name = "tree",
    .arg = "[gprof]",
    .help = "print functions with their callers and callees",
    .common = true,
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
    .common = true,
    .suffixes = "txt",
    .needs = REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM | REPORT_WHOLE,
    .ignores = REPORT_NO_PATHS,
    .print = print_tree,
    .has_rows = true,
    .name_offset = 60,
};
