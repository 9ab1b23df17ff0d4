/*
 * flametext.c - --flame=text: prints the heaviest paths as a tree of bars
 *
 *       62.0% ###########        main
 *       31.0% #####              ├ parse › next ×3  self 12.0%
 *       19.0% ###                │ └ read
 *
 * A line is a box of the flame graph, its share of the total, and a bar of that
 * length; where some values are below 0, the bar is the sum of the amounts.  A
 * box whose only heavy child has no siblings shares a line with it; of several
 * boxes of one name in such a chain, there is one, and how many they are.
 * Boxes below the limit are omitted.
 */
#include <math.h>

#include "base/sort.h"
#include "base/system.h"
#include "base/utf8.h"
#include "report/flame/private.h"
#include "report/graph/graph.h"

enum {
    BAR = 18,      /* columns that stand for 100 % */
    EIGHTHS = 8,   /* in a column */
    LETTERS = 36,  /* longer names are shortened */
    MAX_LEVEL = 60 /* deeper levels are not indented more */
};

struct tree_line {
    uint32_t node;
    uint32_t level; /* 0: a root */
    bool is_last;   /* the last of its siblings */
};

struct bars {
    struct report *r;
    struct flame f;
    struct flame_sums sums;
    double limit;                  /* the least mass that is shown */
    double hidden;                 /* the mass that is not shown */
    VEC(struct tree_line) waiting; /* a stack: the last is printed next */
    bool is_last[MAX_LEVEL];       /* that of the line above, by level */
    struct buf name;
};

static double amount(int64_t v)
{
    return (double)graph_abs(v);
}

static bool is_shown(const struct bars *b, uint32_t node)
{
    return b->f.tree.nodes.v[node].name != b->f.names.merged &&
           b->sums.mass[node] >= b->limit && b->sums.mass[node] > 0;
}

static int by_amount(const void *x, const void *y, void *ctx)
{
    const struct bars *b = ctx;
    const uint32_t i = ((const struct tree_line *)x)->node;
    const uint32_t k = ((const struct tree_line *)y)->node;
    const double v = b->sums.mass[i], w = b->sums.mass[k];
    /* The heaviest is taken from the end; equal ones are ordered by name. */
    const int c = ORDER(v, w);
    return c ? c : ORDER(k, i);
}

/* Adds the siblings from node `first` to `end` that are shown to b->waiting. */
static bool add_siblings(struct bars *b, uint32_t first, uint32_t end,
                         uint32_t level)
{
    const size_t at = b->waiting.n;
    for (uint32_t k = first; k < end; k = b->sums.end[k]) {
        const struct tree_line line = {.node = k, .level = level};
        if (!is_shown(b, k))
            b->hidden += b->sums.mass[k];
        else if (!vec_push(&b->waiting, line))
            return false;
    }
    if (b->waiting.n == at)
        return true;
    system_sort(b->waiting.v + at, b->waiting.n - at, sizeof *b->waiting.v,
                by_amount, b);
    return b->waiting.v[at].is_last = true;
}

/*
 * Returns the only shown child of a node, if the rest of the node together is
 * below the limit; otherwise the node itself.
 */
static uint32_t only_child(const struct bars *b, uint32_t node)
{
    uint32_t only = node;
    for (uint32_t k = node + 1; k < b->sums.end[node]; k = b->sums.end[k]) {
        if (!is_shown(b, k))
            continue;
        if (only != node)
            return node;
        only = k;
    }
    const double rest = b->sums.mass[node] - b->sums.mass[only];
    return rest < b->limit || rest <= 0 ? only : node;
}

/*
 * Returns a value in percent of the total, or of the magnitudes if the total is
 * 0.
 */
static double share_of(const struct bars *b, int64_t value)
{
    const double total = (double)b->r->total;
    const double whole = total != 0 ? total : b->sums.all;
    return whole != 0 ? 100 * (double)value / whole : 0;
}

/* Writes a bar in eighths of a column, at least one. */
static bool put_bar(struct bars *b, double mass)
{
    static const char *const parts[EIGHTHS] = {"",
                                               "\xe2\x96\x8f",
                                               "\xe2\x96\x8e",
                                               "\xe2\x96\x8d",
                                               "\xe2\x96\x8c",
                                               "\xe2\x96\x8b",
                                               "\xe2\x96\x8a",
                                               "\xe2\x96\x89"};
    const double share = b->sums.all > 0 ? mass / b->sums.all : 0;
    size_t eighths = (size_t)lround(share * BAR * EIGHTHS), width = 0;
    eighths = eighths ? eighths : 1;
    struct buf *out = b->r->out;
    bool ok = buf_putc(out, ' ');
    for (; ok && width < eighths / EIGHTHS; width++)
        ok = buf_puts(out, "\xe2\x96\x88");
    if (ok && eighths % EIGHTHS) {
        ok = buf_puts(out, parts[eighths % EIGHTHS]);
        width++;
    }
    return ok && report_put_right(out, "", 0, BAR + 1 - width);
}

/*
 * Writes the lines that join a node to the tree and its ancestors to their
 * later siblings.
 */
static bool put_branch(struct bars *b, const struct tree_line *line)
{
    struct buf *out = b->r->out;
    const uint32_t level = line->level < MAX_LEVEL ? line->level : MAX_LEVEL;
    bool ok = true;
    if (!level)
        return true;
    b->is_last[level - 1] = line->is_last;
    for (uint32_t i = 0; ok && i + 1 < level; i++)
        ok = buf_puts(out, b->is_last[i] ? "  " : "\xe2\x94\x82 ");
    return ok &&
           buf_puts(out, line->is_last ? "\xe2\x94\x94 " : "\xe2\x94\x9c ");
}

/* Writes a name, and how many boxes have it if there are several. */
static bool put_link(struct bars *b, uint32_t node, size_t times, bool first)
{
    struct buf *out = b->r->out;
    const struct prof_slice name =
        flame_name_text(&b->f.names, b->f.tree.nodes.v[node].name);
    b->name.n = 0;
    return (first || buf_puts(out, " \xe2\x80\xba ")) &&
           name_put_fitting(&b->name, name, LETTERS) &&
           utf8_put_line(out, (const char *)b->name.v, b->name.n) &&
           (times == 1 || buf_printf(out, " \xc3\x97%zu", times));
}

/* Writes a line and adds the nodes below it to b->waiting. */
static bool put_line(struct bars *b, const struct tree_line *line)
{
    const struct flame_node *nodes = b->f.tree.nodes.v;
    struct buf *out = b->r->out;
    uint32_t node = line->node, next;
    size_t times = 1;
    bool first = true;
    bool ok = buf_printf(out, "%6.1f%%", share_of(b, b->sums.cum[node])) &&
              put_bar(b, b->sums.mass[node]) && put_branch(b, line);
    for (; ok && (next = only_child(b, node)) != node; node = next) {
        /* The other children are below the limit: they are not shown. */
        b->hidden += b->sums.mass[node] - b->sums.mass[next] -
                     amount(flame_own(&b->f.tree, node));
        if (nodes[next].name == nodes[node].name) {
            times++;
            continue;
        }
        ok = put_link(b, node, times, first);
        first = false;
        times = 1;
    }
    ok = ok && put_link(b, node, times, first);
    const int64_t self = flame_own(&b->f.tree, node);
    if (ok && self && amount(self) >= b->limit)
        ok = buf_printf(out, "  self %.1f%%", share_of(b, self));
    return ok && buf_putc(out, '\n') &&
           add_siblings(b, node + 1, b->sums.end[node], line->level + 1) &&
           report_flush(b->r);
}

static bool put_all(struct bars *b)
{
    struct report *r = b->r;
    struct buf empty = {0};
    bool ok = r->opts->compact_labels || report_put_header(r);
    ok = ok && buf_printf(r->out, "Total: %s\n", report_value(r, r->total)) &&
         flame_put_empty(r, b->f.tree.total, b->f.tree.n_types, &empty) &&
         buf_put(r->out, empty.v, empty.n) &&
         (!empty.n || buf_putc(r->out, '\n'));
    buf_free(&empty);
    ok = ok && add_siblings(b, 0, (uint32_t)b->f.tree.nodes.n, 0);
    while (ok && b->waiting.n) {
        const struct tree_line line = b->waiting.v[--b->waiting.n];
        ok = put_line(b, &line);
    }
    return ok &&
           (b->hidden <= 0 || b->hidden < b->sums.all / 1000 ||
            buf_printf(r->out,
                       "%6.1f%% in boxes below %g%% of the total, which are "
                       "not shown (--nodefraction)\n",
                       100 * b->hidden / b->sums.all,
                       100 * b->limit / b->sums.all));
}

static bool print_flame_text(struct report *r, struct prof_err *err)
{
    struct bars b = {.r = r};
    const double limit = r->opts->limits.node_fraction;
    const struct flame_tree_opts opts = {
        .first_type = r->type,
        .n_types = 1,
        .limit = limit,
        .subtracted = r->opts->base.name,
    };
    bool ok = flame_make(&b.f, r, &opts, err) &&
              (flame_sum_up(&b.f.tree, &b.sums) || err_nomem(err));
    b.limit = limit * b.sums.all;
    ok = ok && (put_all(&b) || err_nomem(err));
    flame_free(&b.f);
    flame_sums_free(&b.sums);
    vec_free(&b.waiting);
    buf_free(&b.name);
    return ok;
}

const struct report_format report_flame_text = {
    .name = "flame",
    .variant = "text",
    .suffixes = "txt",
    .needs = REPORT_FRAMES | REPORT_TRIM,
    .node_fraction = 0.01,
    .ignores = REPORT_NO_MEAN | REPORT_NO_ORDER | REPORT_NO_COUNT |
               REPORT_NO_EDGES | REPORT_NO_SIGN | REPORT_NO_PATHS |
               REPORT_NO_LABELS,
    .print = print_flame_text,
    .name_offset = 27,
};
