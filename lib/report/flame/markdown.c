/*
 * markdown.c - --markdown: prints a short report for a pull request or a chat
 *
 *      heading     what the profile is, and what is odd about it
 *      Flat, Cum   the heaviest functions, as tables
 *      Paths       the heaviest nodes of the tree of calls
 *      Calls       callers and callees of the functions with most flat value
 *
 * Each part has a share of the bytes that the report may have, and of what the
 * parts before it did not need.  It shows as many rows as fit, heaviest first,
 * and then says how many there are more and which command prints them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/slice.h"
#include "base/sort.h"
#include "base/system.h"
#include "base/utf8.h"
#include "report/escape.h"
#include "report/flame/private.h"

enum {
    LONGEST_NAME = 120, /* bytes of a name */
    LONGEST_MORE = 240, /* bytes of the command that prints more */
    MAX_CALLED = 5,     /* functions whose calls are listed */
    MAX_CALLS = 5,      /* callers, or callees, of each */
    LEAST_LINE = 12,    /* bytes of a line of the tree */
    MAX_COMMENTS = 3,
};

struct markdown {
    struct report *r;
    struct hot_lines hot;
    struct graph g;
    struct graph_cut cut; /* all nodes, by flat value */
    struct edges edges;
    uint32_t *by_cum; /* rows of cut, by cum */
    size_t n_flat;    /* rows with a flat value; the others follow */
    struct flame flame;
    struct flame_sums sums;
    VEC(uint32_t) paths; /* heavy nodes of the tree, the heaviest first */
    size_t n_nodes;      /* of the tree, before nodes were merged */
    size_t end;          /* limit of r->out for the current part */
};

/* --- places --- */

/* Cuts a long name between two characters. */
static struct prof_slice cut_name(struct prof_slice name)
{
    if (name.n <= LONGEST_NAME)
        return name;
    size_t n = LONGEST_NAME;
    while (n > LONGEST_NAME - 3 && ((uint8_t)name.s[n] & 0xc0) == 0x80)
        n--;
    return slice_to(name, n);
}

/* Returns the last directory and the name of a file: "runtime/proc.go". */
static struct prof_slice short_path(struct prof_slice path)
{
    size_t at = path.n, slashes = 0;
    while (at && slashes < 2)
        slashes += path.s[--at] == '/';
    return slice_from(path, slashes < 2 ? 0 : at + 1);
}

/*
 * Writes `before` and the hottest line of a function, "runtime/proc.go:123".
 * Writes nothing if it is unknown or part of the name.
 */
static bool put_line(struct markdown *m, struct prof_slice name,
                     const char *before, struct buf *out)
{
    const struct hot_line *hot =
        m->r->opts->detail.granularity == PROF_FUNCTIONS
            ? hot_lines_get(&m->hot, name)
            : NULL;
    if (!hot || !hot->file)
        return true;
    const struct prof_slice file = short_path(prof_text(m->r->p, hot->file));
    return buf_puts(out, before) && utf8_put_line(out, file.s, file.n) &&
           (!hot->line || buf_printf(out, ":%" PRId64, hot->line));
}

/* Writes text as code. */
static bool put_text(struct buf *out, struct prof_slice text, bool in_table)
{
    const struct prof_slice cut = cut_name(text);
    return markdown_put_code(out, cut.s, cut.n, in_table) &&
           (cut.n == text.n || buf_puts(out, "\xe2\x80\xa6"));
}

/* Writes a name and, after `between`, its line, both as code. */
static bool put_place(struct markdown *m, struct prof_slice name,
                      const char *between, bool in_table)
{
    struct buf *out = m->r->out, line = {0};
    bool ok = put_line(m, name, "", &line) && put_text(out, name, in_table) &&
              (!(line.n || in_table) || buf_puts(out, between)) &&
              (!line.n || markdown_put_code(out, line.v, line.n, in_table));
    buf_free(&line);
    return ok;
}

/* --- the bytes of a part --- */

/* Returns whether the report still fits; if not, removes what follows byte
 * `at`. */
static bool fits(struct markdown *m, size_t at)
{
    if (m->r->out->n <= m->end)
        return true;
    m->r->out->n = at;
    return false;
}

/* Writes the command that prints the n rows that are not shown. */
static bool put_more(struct markdown *m, size_t n, const char *rows,
                     const char *options)
{
    const char *command = m->r->opts->command;
    struct buf more = {0};
    bool ok = buf_printf(&more, "pbcat %s%s", options, command ? command : "");
    if (ok && more.n > LONGEST_MORE) {
        more.n = 0;
        ok = buf_printf(&more, "pbcat %s", options);
    }
    ok = ok &&
         buf_printf(m->r->out, "\n%zu more %s%s: ", n, rows,
                    n == 1 ? "" : "s") &&
         markdown_put_code(m->r->out, more.v, more.n, false) &&
         buf_putc(m->r->out, '\n');
    buf_free(&more);
    return ok;
}

/* --- the tables --- */

static bool put_row(struct markdown *m, const struct graph_row *row)
{
    struct report *r = m->r;
    const struct graph_value *w = &m->g.value[row->node];
    const struct prof_slice name =
        graph_place_name(&m->cut, graph_place(&m->g, row->node));
    const int64_t flat = graph_flat(w), cum = graph_cum(w);
    return buf_printf(r->out, "| %s | ", report_value(r, flat)) &&
           report_put_share(r->out, flat, r->total) &&
           buf_printf(r->out, " | %s | ", report_value(r, cum)) &&
           report_put_share(r->out, cum, r->total) && buf_puts(r->out, " | ") &&
           put_place(m, name, " | ", true) && buf_puts(r->out, " |\n");
}

/*
 * Writes the rows order[0 .. n) of the cut, or the first n if `order` is null.
 * Sets *shown to how many fit.
 */
static bool put_table(struct markdown *m, const uint32_t *order, size_t n,
                      const char *options, size_t *shown)
{
    bool ok =
        buf_puts(m->r->out, "| flat | flat% | cum | cum% | function | place |\n"
                            "| ---: | ---: | ---: | ---: | --- | --- |\n");
    for (*shown = 0; ok && *shown < n; ++*shown) {
        const size_t at = m->r->out->n;
        ok = put_row(m, &m->cut.row[order ? order[*shown] : *shown]);
        if (!fits(m, at))
            break;
    }
    return ok && (*shown == n || put_more(m, n - *shown, "function", options));
}

static bool put_flat(struct markdown *m, size_t *shown)
{
    return put_table(m, NULL, m->n_flat, "--text --no-trim", shown);
}

static bool put_cum(struct markdown *m, size_t *shown)
{
    return put_table(m, m->by_cum, m->cut.n, "--text --cum --no-trim", shown);
}

/* --- the tree of calls --- */

/* A node of the tree that is shown; links are indices of such nodes. */
struct path_node {
    uint32_t child, sibling; /* the heaviest first; PROF_NONE: none */
    uint32_t level;
    bool alone; /* the only child that is shown */
};

/* Links the heaviest n nodes.  Sets *root to the first one without a parent. */
static bool link_paths(const struct markdown *m, struct path_node *shown,
                       size_t n, uint32_t *root)
{
    const size_t n_nodes = m->flame.tree.nodes.n;
    uint32_t *row = mem_none(n_nodes);
    if (!row)
        return false;
    for (size_t i = 0; i < n; i++) {
        row[m->paths.v[i]] = (uint32_t)i;
        shown[i] = (struct path_node){.child = PROF_NONE};
    }
    *root = PROF_NONE;
    for (size_t i = n; i--;) {
        uint32_t parent = m->sums.parent[m->paths.v[i]];
        while (parent != PROF_NONE && row[parent] == PROF_NONE)
            parent = m->sums.parent[parent];
        uint32_t *first =
            parent == PROF_NONE ? root : &shown[row[parent]].child;
        shown[i].sibling = *first;
        shown[i].alone = *first == PROF_NONE;
        if (!shown[i].alone)
            shown[*first].alone = false;
        *first = (uint32_t)i;
    }
    free(row);
    return true;
}

/*
 * Writes a node of the tree; `times` is how many nodes of this name share the
 * line.
 */
static bool put_path(struct markdown *m, uint32_t node, uint32_t level,
                     size_t times)
{
    struct report *r = m->r;
    char cum[MEASURE_TEXT], self[MEASURE_TEXT] = "";
    const int64_t own = flame_own(&m->flame.tree, node);
    const struct prof_slice name =
        flame_name_text(&m->flame.names, m->flame.tree.nodes.v[node].name);
    const struct prof_slice cut = cut_name(name);
    measure_percent(cum, sizeof cum, m->sums.cum[node], r->total);
    if (own)
        measure_percent(self, sizeof self, own, r->total);
    return buf_printf(r->out, "%7s %7s  ", cum, self) &&
           report_put_right(r->out, "", 0, level) &&
           utf8_put_line(r->out, cut.s, cut.n) &&
           buf_puts(r->out, cut.n == name.n ? "" : "\xe2\x80\xa6") &&
           put_line(m, name, " ", r->out) &&
           (times == 1 || buf_printf(r->out, " \xc3\x97%zu", times)) &&
           buf_putc(r->out, '\n');
}

/*
 * Returns whether a node and its only child can share a line: a function that
 * only calls itself.
 */
static bool is_same_line(const struct markdown *m,
                         const struct path_node *shown, uint32_t i)
{
    const struct flame_tree *t = &m->flame.tree;
    const uint32_t child = shown[i].child, node = m->paths.v[i];
    if (child == PROF_NONE || !shown[child].alone || flame_own(t, node))
        return false;
    const uint32_t next = m->paths.v[child];
    return m->sums.cum[node] == m->sums.cum[next] &&
           t->nodes.v[node].name == t->nodes.v[next].name;
}

/* Writes the tree of the heaviest n nodes, indented at branches. */
static bool put_tree(struct markdown *m, size_t n)
{
    struct path_node *shown = mem_array(n, sizeof *shown);
    VEC(uint32_t) waiting = {0};
    uint32_t root = PROF_NONE;
    bool ok = shown && link_paths(m, shown, n, &root);
    if (ok && root != PROF_NONE)
        ok = vec_push(&waiting, root);
    while (ok && waiting.n) {
        uint32_t i = waiting.v[--waiting.n];
        const uint32_t level = shown[i].level, sibling = shown[i].sibling;
        size_t times = 1;
        for (; is_same_line(m, shown, i); i = shown[i].child)
            times++;
        ok = put_path(m, m->paths.v[i], level, times);
        if (ok && sibling != PROF_NONE) {
            shown[sibling].level = level;
            ok = vec_push(&waiting, sibling);
        }
        if (ok && shown[i].child != PROF_NONE) {
            struct path_node *child = &shown[shown[i].child];
            child->level = level + (child->alone ? 0 : 1);
            ok = vec_push(&waiting, shown[i].child);
        }
        if (m->r->out->n > m->end)
            break;
    }
    vec_free(&waiting);
    free(shown);
    return ok;
}

static bool put_paths(struct markdown *m, size_t *shown)
{
    struct buf *out = m->r->out;
    static const char fence[] = "```\n";
    bool ok = buf_puts(out, fence) && buf_puts(out, "   cum%   self%\n");
    const size_t at = out->n;
    size_t n = m->end > at ? (m->end - at) / LEAST_LINE : 0;
    n = n < m->paths.n ? n : m->paths.n;
    while (ok && n) {
        ok = put_tree(m, n);
        if (fits(m, at))
            break;
        n -= n / 8 + 1;
    }
    *shown = n;
    return ok && buf_puts(out, fence) &&
           (n == m->n_nodes || put_more(m, m->n_nodes - n, "frame",
                                        "--flame=text --nodefraction=0"));
}

/* --- callers and callees --- */

/* Writes callers or callees: "- callers: 60.00% `run` main.c:12; 2 more". */
static bool put_calls(struct markdown *m, uint32_t node, bool callers)
{
    struct buf *out = m->r->out;
    const struct edges *e = &m->edges;
    const uint32_t *off = callers ? e->in_off : e->out_off;
    const uint32_t *edge = callers ? e->in : e->out;
    const uint32_t n = off[node + 1] - off[node];
    const int64_t cum = graph_cum(&m->g.value[node]);
    bool ok = !n || buf_puts(out, callers ? "- callers: " : "- callees: ");
    for (uint32_t i = 0; ok && i < n && i < MAX_CALLS; i++) {
        const struct graph_edge *call = &m->g.edges[edge[off[node] + i]];
        ok = buf_puts(out, i ? "; " : "") &&
             report_put_share(out, call->weight, cum) && buf_putc(out, ' ') &&
             put_place(m,
                       graph_place_name(
                           &m->cut,
                           graph_place(&m->g, callers ? call->from : call->to)),
                       " ", false);
    }
    return ok &&
           (n <= MAX_CALLS ||
            buf_printf(out, "; %" PRIu32 " more", n - (uint32_t)MAX_CALLS)) &&
           (!n || buf_putc(out, '\n'));
}

static bool put_called(struct markdown *m, size_t *shown)
{
    struct report *r = m->r;
    const size_t n = m->n_flat < MAX_CALLED ? m->n_flat : MAX_CALLED;
    bool ok = true;
    for (*shown = 0; ok && *shown < n; ++*shown) {
        const uint32_t node = m->cut.row[*shown].node;
        const int64_t cum = graph_cum(&m->g.value[node]);
        const size_t at = r->out->n;
        ok = buf_puts(r->out, *shown ? "\n" : "") &&
             put_place(m, graph_place_name(&m->cut, graph_place(&m->g, node)),
                       " ", false) &&
             buf_printf(r->out, ", cum %s:\n\n", report_value(r, cum)) &&
             put_calls(m, node, true) && put_calls(m, node, false);
        if (!fits(m, at))
            break;
    }
    return ok &&
           (*shown == m->n_flat ||
            put_more(m, m->n_flat - *shown, "function", "--tree --no-trim"));
}

/* --- the heading --- */

/* Writes a list of what is unusual about the profile. */
static bool put_warnings(struct markdown *m)
{
    struct report *r = m->r;
    int64_t unnamed = 0;
    bool negative = false;
    for (size_t i = 0; i < m->cut.n; i++) {
        const uint32_t node = m->cut.row[i].node;
        const int64_t flat = m->g.value[node].flat;
        negative |= flat < 0;
        if (!m->g.nodes.v[node].name)
            unnamed += (int64_t)graph_abs(flat);
    }
    bool ok = !negative ||
              buf_puts(r->out, "- values below 0: this is a difference\n");
    if (ok && unnamed && (double)unnamed >= 0.01 * (double)r->total)
        ok = buf_puts(r->out, "- without function names: ") &&
             report_put_share(r->out, unnamed, r->total) &&
             buf_puts(r->out, " of the total (see pbsym)\n");
    if (ok && r->opts->filter)
        ok = buf_printf(r->out, "- filtered: %zu of %zu samples\n",
                        r->p->n_samples, r->n_read);
    return ok;
}

/*
 * Writes comments, except those for programs, which begin with # as in pprof.
 */
static bool put_comments(struct markdown *m)
{
    const struct profile *p = m->r->p;
    bool ok = true;
    for (size_t i = 0, n = 0; ok && i < p->n_comments && n < MAX_COMMENTS;
         i++) {
        const struct prof_slice text = prof_text(p, p->comments[i]);
        if (slice_begins_with(text, "#"))
            continue;
        ok = buf_puts(m->r->out, "- comment: ") &&
             put_text(m->r->out, text, false) && buf_putc(m->r->out, '\n');
        n++;
    }
    return ok;
}

static bool put_heading(struct markdown *m)
{
    struct report *r = m->r;
    const struct profile *p = r->p;
    struct buf *out = r->out;
    const struct prof_value_type *type = &p->types[r->type];
    const struct prof_slice binary = report_binary(r);
    bool ok = buf_puts(out, "# ");
    ok = ok &&
         (!binary.n || (put_text(out, binary, false) && buf_puts(out, ": "))) &&
         buf_puts(out, r->opts->mean ? "mean " : "") &&
         put_text(out, prof_text(p, type->type), false) &&
         buf_printf(out, ", %s\n\n", report_value(r, r->total)) &&
         buf_printf(out, "- samples: %zu, functions: %zu\n", p->n_samples,
                    m->cut.n);
    if (ok && p->time_nanos)
        ok = buf_puts(out, "- recorded: ") &&
             report_put_time(out, p->time_nanos, false) && buf_putc(out, '\n');
    if (ok && p->duration_nanos)
        ok =
            buf_puts(out, "- duration: ") &&
            report_put_measure(out, p->duration_nanos, "nanoseconds", "auto") &&
            buf_putc(out, '\n');
    return ok && put_comments(m) && put_warnings(m);
}

/* --- the parts --- */

static const struct part {
    const char *heading;
    size_t share; /* of the sum of all shares */
    bool (*put)(struct markdown *m, size_t *shown);
} parts[] = {
    {"Flat: where it was measured", 28, put_flat},
    {"Cum: with what is called from there", 22, put_cum},
    {"Paths: the heaviest, root first", 30, put_paths},
    {"Callers and callees: shares of the function's cum", 20, put_called},
};

static bool put_part(struct markdown *m, const struct part *part, size_t left,
                     size_t all)
{
    struct buf *out = m->r->out;
    const size_t at = out->n, footer = LONGEST_MORE + 80;
    const size_t may = left * part->share / all;
    size_t shown = 0;
    m->end = at + (may > footer ? may - footer : 0);
    bool ok =
        buf_printf(out, "\n## %s\n\n", part->heading) && part->put(m, &shown);
    /* Drop a part if none of its rows fits. */
    if (!shown)
        out->n = at;
    return ok;
}

static bool put_all(struct markdown *m)
{
    struct buf *out = m->r->out;
    const size_t budget = m->r->opts->budget;
    size_t all = 0;
    bool ok = put_heading(m);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        all += parts[i].share;
    for (size_t i = 0; ok && i < sizeof parts / sizeof *parts; i++) {
        ok = put_part(m, &parts[i], out->n < budget ? budget - out->n : 0, all);
        all -= parts[i].share;
    }
    return ok;
}

/* --- what is shown --- */

/* Orders values by magnitude, greatest first. */
static int by_amount(int64_t v, int64_t w)
{
    const uint64_t a = graph_abs(v), b = graph_abs(w);
    return ORDER(b, a);
}

static int cum_order(const void *a, const void *b, void *ctx)
{
    const struct markdown *m = ctx;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const int order = by_amount(m->g.value[m->cut.row[x].node].cum,
                                m->g.value[m->cut.row[y].node].cum);
    return order ? order : ORDER(x, y);
}

static int path_order(const void *a, const void *b, void *ctx)
{
    const struct markdown *m = ctx;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const double v = m->sums.mass[x], w = m->sums.mass[y];
    /* Parents come before their children. */
    const int c = ORDER(w, v);
    return c ? c : ORDER(x, y);
}

static bool sort_by_cum(struct markdown *m)
{
    m->by_cum = mem_array(m->cut.n, sizeof *m->by_cum);
    if (!m->by_cum)
        return false;
    for (size_t i = 0; i < m->cut.n; i++) {
        m->by_cum[i] = (uint32_t)i;
        m->n_flat += m->g.value[m->cut.row[i].node].flat != 0;
    }
    system_sort(m->by_cum, m->cut.n, sizeof *m->by_cum, cum_order, m);
    return true;
}

/*
 * Sorts the nodes of the tree at or above the limit.  The others, most of a
 * large tree, would not be shown.
 */
static bool sort_paths(struct markdown *m, double limit)
{
    const struct flame_tree *t = &m->flame.tree;
    bool ok = flame_sum_up(t, &m->sums);
    m->n_nodes = t->nodes.n + (size_t)t->n_merged;
    for (uint32_t i = 0; ok && i < t->nodes.n; i++) {
        if (t->nodes.v[i].name == m->flame.names.merged)
            m->n_nodes--;
        else if (m->sums.mass[i] > 0 && m->sums.mass[i] >= limit * m->sums.all)
            ok = vec_push(&m->paths, i);
    }
    if (ok)
        vec_sort_by(&m->paths, path_order, m);
    return ok;
}

/* Makes the graph, the tree and their orders.  The tree comes last, because
 * making it changes the stacks. */
static bool make(struct markdown *m, struct prof_err *err)
{
    struct report *r = m->r;
    const struct report_opts *o = r->opts;
    /* A lower limit would keep more nodes than fit. */
    const double limit = (double)LEAST_LINE / (double)o->budget;
    const struct flame_tree_opts tree = {.first_type = r->type,
                                         .n_types = 1,
                                         .limit = limit,
                                         .subtracted = o->base.name};
    if (!hot_lines_find(&m->hot, r->p, r->type))
        return err_nomem(err);
    return prof_aggregate(r->p, &o->detail, err) &&
           report_make_graph(r, &m->g, &m->cut, err) &&
           graph_link(&m->g, &m->cut, NULL, err) &&
           edges_init(&m->edges, &m->g, &o->limits, &m->cut, err) &&
           (sort_by_cum(m) || err_nomem(err)) &&
           flame_make(&m->flame, r, &tree, err) &&
           (sort_paths(m, limit) || err_nomem(err));
}

static bool print_markdown(struct report *r, struct prof_err *err)
{
    struct markdown m = {.r = r};
    bool made = make(&m, err);
    if (made) {
        /* One unit for all values, chosen for the first rows. */
        struct graph_cut first = m.cut;
        first.n = first.n < MAX_CALLED ? first.n : MAX_CALLED;
        report_choose_unit(r, &m.g, &first, false);
    }
    bool ok = made && (put_all(&m) || err_nomem(err));
    hot_lines_free(&m.hot);
    edges_free(&m.edges);
    graph_cut_free(&m.cut);
    graph_free(&m.g);
    flame_free(&m.flame);
    flame_sums_free(&m.sums);
    free(m.by_cum);
    vec_free(&m.paths);
    return ok;
}

const struct report_format report_markdown = {
    .name = "markdown",
    .arg = "[BYTES]",
    .help = "print a short report for a pull request or a chat",
    .suffixes = "md",
    .needs = REPORT_FRAMES | REPORT_TRIM | REPORT_WHOLE,
    .ignores = REPORT_NO_ORDER | REPORT_NO_PATHS,
    .print = print_markdown,
};
