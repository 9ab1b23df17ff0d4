/*
 * gproftext.c - --text=gprof and --tree=gprof: the tables of gprof
 *
 * Columns and order are those of gprof -b -p and gprof -b -q
 * (https://sourceware.org/binutils/docs/gprof/Output.html).
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/slice.h"
#include "base/sort.h"
#include "base/system.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "profile/columns.h"
#include "report/graph/arcs.h"
#include "report/out.h"

/* A numbered entry of the call graph: a function, or a whole cycle. */
struct entry {
    double self, child;
    uint64_t calls, own_calls;
    uint32_t node; /* PROF_NONE: a cycle */
    uint32_t cycle;
};

/* The start of a function with call counts. */
struct start {
    uint32_t name;
    uint64_t address;
};

struct gprof {
    struct report *r;
    struct arcs arcs;
    double seconds; /* the length of a value of 1, if it is a time */
    bool is_time;
    struct entry *entry; /* sorted; functions with time or calls, and cycles */
    size_t n;
    size_t *index_of; /* by node: index of its entry plus 1; 0: none */
    /* The functions of cycles, as indices of entries plus 1; 0: none. */
    size_t *first_in; /* by cycle: its first function */
    size_t *next_in;  /* by entry: the next function of its cycle */
    struct buf names; /* node i: names[name_at[i] .. name_at[i + 1]) */
    size_t *name_at;
    VEC(struct start) starts;
};

/* --- functions and cycles ------------------------------------------------- */

static bool make_names(struct gprof *g)
{
    const struct nodes *nodes = &g->arcs.nodes;
    g->name_at = mem_array(nodes->n + 1, sizeof *g->name_at);
    if (!g->name_at)
        return false;
    for (size_t i = 0; i < nodes->n; i++) {
        g->name_at[i] = g->names.n;
        if (nodes->v[i].name
                ? !prof_put_text(&g->names, nodes->p, nodes->v[i].name)
                : !node_name(nodes, (uint32_t)i, &g->names))
            return false;
    }
    g->name_at[nodes->n] = g->names.n;
    return true;
}

static struct prof_slice name_of(const struct gprof *g, uint32_t node)
{
    const size_t at = g->name_at[node];
    return (struct prof_slice){(const char *)g->names.v + at,
                               g->name_at[node + 1] - at};
}

/*
 * Orders entries by self time, then calls, both greatest first, then by name.
 */
static int by_self(const void *x, const void *y, void *ctx)
{
    const struct entry *a = x, *b = y;
    int c = ORDER(b->self, a->self);
    c = c ? c : ORDER(b->calls, a->calls);
    if (c)
        return c;
    if (a->node == PROF_NONE || b->node == PROF_NONE)
        return ORDER(b->node, a->node);
    return slice_compare(name_of(ctx, a->node), name_of(ctx, b->node));
}

/*
 * Orders entries by total time, greatest first.  Rounds it, because sums of the
 * same shares in another order differ in their last bits.
 */
static int by_total(const void *x, const void *y, void *ctx)
{
    const struct entry *a = x, *b = y;
    const double v = rint((a->self + a->child) * 1e3);
    const double w = rint((b->self + b->child) * 1e3);
    const int c = ORDER(w, v);
    return c ? c : by_self(x, y, ctx);
}

/* Makes the entries: the functions that have time or were called. */
static bool make_entries(struct gprof *g, bool cycles)
{
    const struct arcs *a = &g->arcs;
    g->entry = mem_array(a->nodes.n + a->n_cycles, sizeof *g->entry);
    if (!g->entry)
        return false;
    for (size_t i = 0; i < a->nodes.n; i++) {
        const struct arc_node *n = &a->node[i];
        const struct entry e = {n->self,      n->child,    n->calls,
                                n->own_calls, (uint32_t)i, n->cycle};
        /*
         * A function that has only child time appears only in the call graph.
         */
        if (e.self != 0 || e.calls || e.own_calls || (cycles && e.child != 0))
            g->entry[g->n++] = e;
    }
    for (size_t i = 0; cycles && i < a->n_cycles; i++) {
        const struct arc_cycle *c = &a->cycle[i];
        if (c->calls) /* as in gprof */
            g->entry[g->n++] =
                (struct entry){c->self,      c->child,  c->calls,
                               c->own_calls, PROF_NONE, (uint32_t)i + 1};
    }
    system_sort(g->entry, g->n, sizeof *g->entry, cycles ? by_total : by_self,
                g);
    return true;
}

static int by_start(const void *x, const void *y)
{
    const struct start *a = x, *b = y;
    const int c = ORDER(a->name, b->name);
    return c ? c : ORDER(a->address, b->address);
}

/*
 * Sets *at to the name and address of a location.  Returns false if it has no
 * name.
 */
static bool name_location(const struct profile *p, uint32_t location,
                          struct start *at)
{
    const struct prof_location *l = &p->locations[location];
    if (!l->n_lines)
        return false;
    const uint32_t f = p->lines[l->line_off + l->n_lines - 1].function;
    *at = (struct start){f == PROF_NONE ? 0 : p->functions[f].name, l->address};
    return at->name;
}

/* Returns the start of the function that contains the address, or 0. */
static uint64_t start_of(const struct gprof *g, struct start at)
{
    size_t low = 0, high = g->starts.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_start(&g->starts.v[middle], &at) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct start *found = low ? &g->starts.v[low - 1] : NULL;
    return found && found->name == at.name ? found->address : 0;
}

/*
 * Aggregates by function.  Functions of one name are distinguished by their
 * start addresses: start lines may be equal, and the file of a line may be a
 * header.
 */
static bool keep_functions(struct gprof *g, int calls, struct prof_err *err)
{
    const struct prof_detail detail = {.granularity = PROF_FUNCTIONS,
                                       .no_inlines = true};
    struct profile *p = g->r->p;
    uint64_t *address = mem_zarray(p->n_locations, sizeof *address);
    struct prof_stacks r = {0};
    bool ok = address ? prof_stacks_init(&r, p, err) : err_nomem(err);
    /* Frames of call counts have the start addresses of functions. */
    for (size_t s = 0; ok && calls >= 0 && s < p->n_samples; s++) {
        if (p->values[s * p->n_types + (size_t)calls] <= 0)
            continue;
        prof_stacks_read(&r, s);
        for (size_t i = 0; ok && i < r.depth; i++) {
            struct start at;
            ok = !name_location(p, r.stack[i], &at) ||
                 vec_push(&g->starts, at) || err_nomem(err);
        }
    }
    prof_stacks_free(&r);
    vec_sort(&g->starts, by_start);
    for (uint32_t i = 0; ok && i < p->n_locations; i++) {
        struct start at;
        if (name_location(p, i, &at))
            address[i] = start_of(g, at);
    }
    ok = ok && prof_aggregate(p, &detail, err);
    for (size_t i = 0; ok && i < p->n_locations; i++)
        p->locations[i].address = address[i];
    free(address);
    return ok;
}

/* --- the flat profile ----------------------------------------------------- */

/*
 * Returns the unit of times per call: the longest in which the greatest time is
 * at least 1.  Sets *scale to its number in a second.
 */
static const char *choose_call_unit(const struct gprof *g, double *scale)
{
    static const char *const names[] = {"s", "ms", "us", "ns", "ps"};
    const size_t last = sizeof names / sizeof *names - 1;
    double most = 0;
    size_t unit = 0;
    for (size_t i = 0; i < g->n; i++) {
        const struct entry *e = &g->entry[i];
        const double total = (e->self + e->child) * g->seconds;
        if (e->calls && total / (double)e->calls > most)
            most = total / (double)e->calls;
    }
    for (*scale = 1; g->is_time && most > 0 && most * *scale < 1 && unit < last;
         unit++)
        *scale *= 1000;
    return g->is_time ? names[unit] : "";
}

static bool put_flat(const struct gprof *g)
{
    struct report *r = g->r;
    struct buf *out = r->out;
    const char *unit, *seconds = g->is_time ? "seconds" : "";
    double scale, sum = 0;
    const char *per_call = choose_call_unit(g, &scale);
    const double period =
        measure_scale(r->p->period, prof_plain(r->p, r->p->period_type.unit),
                      "nanoseconds", &unit);
    bool ok = report_put_intro(r) && buf_puts(out, "Flat profile:\n\n");
    if (period > 0 && !strcmp(unit, "ns"))
        ok = ok && buf_printf(out, "Each sample counts as %g seconds.\n",
                              period / 1e9);
    ok = ok &&
         buf_printf(out,
                    "  %%   cumulative   self              self     total\n"
                    " time %9s %9s    calls %3s/call %3s/call  name\n",
                    seconds, seconds, per_call, per_call);
    for (size_t i = 0; ok && i < g->n; i++) {
        const struct entry *e = &g->entry[i];
        const double self = e->self * g->seconds;
        const double all = self + e->child * g->seconds;
        const double calls = (double)e->calls, total = g->arcs.total;
        const struct prof_slice name = name_of(g, e->node);
        sum += e->self;
        ok =
            buf_printf(out, "%6.2f %9.2f %8.2f",
                       total != 0 ? e->self * 100 / total : 0, sum * g->seconds,
                       self) &&
            (e->calls ? buf_printf(out, " %8" PRIu64 " %8.2f %8.2f  ", e->calls,
                                   self * scale / calls, all * scale / calls)
                      : buf_printf(out, "%*s", 29, "")) &&
            utf8_put_line(out, name.s, name.n) && buf_putc(out, '\n') &&
            report_flush(r);
    }
    return ok;
}

/* --- the call graph ------------------------------------------------------- */

/* Writes a name with its cycle and index: "spin [1]", "a <cycle 1> [8]". */
static bool put_name(const struct gprof *g, uint32_t node)
{
    struct buf *out = g->r->out;
    const struct prof_slice name = name_of(g, node);
    const uint32_t cycle = g->arcs.node[node].cycle;
    return utf8_put_line(out, name.s, name.n) &&
           (!cycle || buf_printf(out, " <cycle %" PRIu32 ">", cycle)) &&
           /* A node without time and calls has no entry. */
           (!g->index_of[node] ||
            buf_printf(out, " [%zu]", g->index_of[node])) &&
           buf_putc(out, '\n');
}

static int arc_order(const void *x, const void *y)
{
    const struct arc *a = x, *b = y;
    const double v = a->self + a->child, w = b->self + b->child;
    const int c = ORDER(v, w);
    return c ? c : ORDER(a->calls, b->calls);
}

static bool put_arc(const struct gprof *g, const struct arc *arc,
                    uint32_t other)
{
    struct buf *out = g->r->out;
    const struct arc_node *to = &g->arcs.node[arc->to];
    const bool inside = to->cycle && arc->from != PROF_NONE &&
                        g->arcs.node[arc->from].cycle == to->cycle;
    if (inside || arc->from == arc->to)
        return buf_printf(out, "%29s%7" PRIu64 "%13s", "", arc->calls, "") &&
               put_name(g, other);
    const uint64_t all =
        to->cycle ? g->arcs.cycle[to->cycle - 1].calls : to->calls;
    return buf_printf(out, "%13s%7.2f %7.2f %7" PRIu64 "/%-7" PRIu64 "     ",
                      "", arc->self * g->seconds, arc->child * g->seconds,
                      arc->calls, all) &&
           put_name(g, other);
}

/*
 * Writes the arcs to a function, least time first, or those from it, greatest
 * time first.
 */
static bool put_arcs(const struct gprof *g, uint32_t node, bool callers)
{
    const struct arcs *a = &g->arcs;
    const size_t *off = callers ? a->in : a->out;
    const size_t n = off[node + 1] - off[node];
    const struct arc own = {
        .from = node, .to = node, .calls = a->node[node].own_calls};
    struct arc *arc = mem_array(n + 1, sizeof *arc);
    size_t k = 0;
    if (!arc)
        return false;
    if (own.calls)
        arc[k++] = own;
    for (size_t i = off[node]; i < off[node + 1]; i++) {
        arc[k] = a->list.v[callers ? i : a->by_caller[i]];
        k += arc[k].from != PROF_NONE;
    }
    if (k)
        qsort(arc, k, sizeof *arc, arc_order);
    bool ok = k || !callers || buf_printf(g->r->out, "%49s<spontaneous>\n", "");
    for (size_t i = 0; ok && i < k; i++) {
        const struct arc *at = &arc[callers ? i : k - 1 - i];
        ok = put_arc(g, at, callers ? at->from : at->to);
    }
    free(arc);
    return ok;
}

static bool put_times(const struct gprof *g, const struct entry *e)
{
    return buf_printf(g->r->out, "%7.2f %7.2f ", e->self * g->seconds,
                      e->child * g->seconds);
}

static bool put_calls(const struct gprof *g, const struct entry *e)
{
    struct buf *out = g->r->out;
    if (!e->calls && !e->own_calls)
        return buf_printf(out, "%7s %7s ", "", "");
    return buf_printf(out, "%7" PRIu64, e->calls) &&
           (e->own_calls ? buf_printf(out, "+%-7" PRIu64 " ", e->own_calls)
                         : buf_printf(out, " %7s ", ""));
}

static bool put_entry(const struct gprof *g, size_t i)
{
    struct buf *out = g->r->out;
    const struct entry *e = &g->entry[i];
    const double total = g->arcs.total;
    char index[32];
    (void)snprintf(index, sizeof index, "[%zu]", i + 1);
    bool ok = (e->node == PROF_NONE || put_arcs(g, e->node, true)) &&
              buf_printf(out, "%-6s %5.1f ", index,
                         total != 0 ? (e->self + e->child) * 100 / total : 0) &&
              put_times(g, e) && put_calls(g, e);
    if (e->node != PROF_NONE)
        ok = ok && put_name(g, e->node) && put_arcs(g, e->node, false);
    else
        ok = ok && buf_printf(out, "<cycle %" PRIu32 " as a whole> [%zu]\n",
                              e->cycle, i + 1);
    size_t next = e->node == PROF_NONE ? g->first_in[e->cycle - 1] : 0;
    for (; ok && next; next = g->next_in[next - 1]) {
        const struct entry *member = &g->entry[next - 1];
        ok = buf_printf(out, "%13s", "") && put_times(g, member) &&
             put_calls(g, member) && buf_puts(out, "    ") &&
             put_name(g, member->node);
    }
    return ok &&
           buf_puts(out, "-----------------------------------------------\n");
}

/* Maps nodes to their entries, and lists the entries of each cycle in order. */
static bool index_entries(struct gprof *g)
{
    g->index_of = mem_zarray(g->arcs.nodes.n, sizeof *g->index_of);
    g->first_in = mem_zarray(g->arcs.n_cycles, sizeof *g->first_in);
    g->next_in = mem_zarray(g->n, sizeof *g->next_in);
    if (!g->index_of || !g->first_in || !g->next_in)
        return false;
    for (size_t i = g->n; i--;) {
        const struct entry *e = &g->entry[i];
        if (e->node == PROF_NONE)
            continue;
        g->index_of[e->node] = i + 1;
        if (e->cycle) {
            g->next_in[i] = g->first_in[e->cycle - 1];
            g->first_in[e->cycle - 1] = i + 1;
        }
    }
    return true;
}

static bool put_graph(struct gprof *g)
{
    struct report *r = g->r;
    bool ok = report_put_intro(r) &&
              buf_puts(r->out, "Call graph\n\nindex % time    self  children"
                               "    called     name\n") &&
              index_entries(g);
    for (size_t i = 0; ok && i < g->n; i++)
        ok = put_entry(g, i) && report_flush(r);
    return ok;
}

/* --- the formats ---------------------------------------------------------- */

static bool print_gprof(struct report *r, struct prof_err *err)
{
    const bool tree = !strcmp(r->format->name, "tree");
    const int calls = prof_find_type(r->p, "calls");
    if (calls < 0)
        note_warn(r->notes,
                  "the profile has no sample type 'calls'; no calls are shown");
    else if (r->opts->filter)
        note_warn(
            r->notes,
            "filters change the call graph: callers and counts of calls may be "
            "incomplete");
    struct gprof g = {.r = r};
    /* Convert times to seconds; other values stay unchanged. */
    const char *unit;
    const double nanos = measure_scale(1, r->units.from, "nanoseconds", &unit);
    g.is_time = !strcmp(unit, "ns");
    g.seconds = g.is_time ? nanos * r->ratio / 1e9 : r->ratio;
    bool made = keep_functions(&g, calls, err) &&
                arcs_init(&g.arcs, r->p, r->type, calls, err);
    bool ok = made && make_names(&g) && make_entries(&g, tree) &&
              (tree ? put_graph(&g) : put_flat(&g));
    arcs_free(&g.arcs);
    free(g.entry);
    free(g.index_of);
    free(g.first_in);
    free(g.next_in);
    free(g.name_at);
    buf_free(&g.names);
    vec_free(&g.starts);
    return ok || (made && err_nomem(err));
}

#define GPROF_IGNORES                                                          \
    (REPORT_NO_MEAN | REPORT_NO_UNIT | REPORT_NO_ROWS | REPORT_NO_DETAIL |     \
     REPORT_NO_INLINING | REPORT_NO_FILES)

const struct report_format report_gprof = {
    .name = "text",
    .variant = "gprof",
    .suffixes = "txt",
    .needs = REPORT_FRAMES,
    .ignores = GPROF_IGNORES,
    .name_offset = 54,
    .print = print_gprof,
};

const struct report_format report_gprof_tree = {
    .name = "tree",
    .variant = "gprof",
    .suffixes = "txt",
    .needs = REPORT_FRAMES,
    .ignores = GPROF_IGNORES,
    .print = print_gprof,
};
