/* list.c - --list: the source lines of functions, with their values */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/system.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "report/code/private.h"

/* Lines shown before and after lines that have values. */
enum { MARGIN = 5 };

struct list {
    struct report *r;
    struct graph g;
    struct code code;
    uint32_t *node; /* the nodes to show */
    size_t n;
};

static bool choose_list_nodes(struct list *l, struct prof_err *err)
{
    const struct nodes *t = &l->g.nodes;
    bool drop_negative = l->r->opts->limits.drop_negative;
    l->node = mem_array(t->n, sizeof *l->node);
    if (!l->node)
        return err_nomem(err);
    for (size_t k = 0; k < t->n; k++) {
        if (!graph_is_shown(&l->g.value[k], drop_negative))
            continue;
        int yes = code_match_id(&l->code, t->v[k].name, err);
        if (yes < 0)
            return false;
        if (yes)
            l->node[l->n++] = (uint32_t)k;
    }
    return l->n || err_set(err, PROF_ERR_ANSWER_NO, "no matches for '%s'",
                           l->r->opts->pattern);
}

/*
 * Returns the line of a node, or its function's first line if that is unknown.
 */
static int64_t line_of(const struct node *k)
{
    return k->line ? k->line : k->start_line;
}

/* Orders nodes by the names of function and file, then by line. */
static int list_order(const void *a, const void *b, void *ctx)
{
    const struct list *l = ctx;
    const struct node *x = &l->g.nodes.v[*(const uint32_t *)a];
    const struct node *y = &l->g.nodes.v[*(const uint32_t *)b];
    int c = x->name == y->name
                ? 0
                : strtab_cmp(&l->r->p->strings, x->name, y->name);
    if (!c && x->file != y->file)
        c = strtab_cmp(&l->g.nodes.files, x->file, y->file);
    if (!c)
        c = ORDER(line_of(x), line_of(y));
    return c;
}

/* Returns x + margin, limited to 64 bits. */
static int64_t add_margin(int64_t x, int64_t margin)
{
    int64_t sum;
    if (__builtin_add_overflow(x, margin, &sum))
        return margin < 0 ? INT64_MIN : INT64_MAX;
    return sum;
}

/* The nodes of a function in one file, and the lines to show. */
struct listed {
    const uint32_t *node; /* sorted by line */
    size_t n;
    int64_t first, last; /* lines to show, if the file has them */
};

/* Writes the lines of a file, or the reason why they are not shown. */
static bool put_source(struct list *l, const struct listed *f,
                       struct prof_slice name, struct prof_err *err)
{
    const struct source_file *file;
    /* The first line may exceed all others; then there is nothing to show. */
    if (f->first > f->last)
        return true;
    if (!sources_open(&l->code, name, &file, err))
        return false;
    if (file->why)
        return (buf_puts(l->r->out, " Error: ") &&
                utf8_put_line(l->r->out, file->why, strlen(file->why)) &&
                buf_putc(l->r->out, '\n')) ||
               err_nomem(err);
    const struct node *v = l->g.nodes.v;
    struct buf *out = l->r->out;
    size_t i = 0;
    struct prof_slice text;
    for (int64_t line = f->first;
         line <= f->last && source_line(file, line, &text); line++) {
        struct graph_value sum = {0};
        for (; i < f->n && line_of(&v[f->node[i]]) <= line; i++)
            if (line_of(&v[f->node[i]]) == line &&
                !listing_add(&sum, &l->g.value[f->node[i]], err))
                return false;
        if (!listing_values(l->r, &sum) || !report_put_int(out, line, 6) ||
            !buf_putc(out, ':') || !buf_put(out, text.s, text.n) ||
            !buf_putc(out, '\n'))
            return err_nomem(err);
    }
    return true;
}

/* Writes the part of one function in one file. */
static bool put_listed(struct list *l, struct listed f, struct prof_err *err)
{
    struct report *r = l->r;
    const struct node *v = l->g.nodes.v, *k = &v[f.node[0]];
    struct prof_slice name = strtab_slice(&l->g.nodes.files, k->file);
    struct graph_value sum;
    if (!listing_sum(&l->g, f.node, f.n, &sum, err))
        return false;
    if (!buf_puts(r->out, "ROUTINE ======================== ") ||
        !report_put_name(r, k->name, r->out) || !buf_puts(r->out, " in ") ||
        !utf8_put_line(r->out, name.s, name.n) || !buf_putc(r->out, '\n') ||
        !listing_head(r, &sum))
        return err_nomem(err);
    /*
     * Begin at the function's start, or if it is unknown above its first line.
     */
    f.first = INT64_MAX;
    for (size_t i = 0; i < f.n; i++) {
        k = &v[f.node[i]];
        int64_t begin =
            k->start_line ? k->start_line : add_margin(k->line, -MARGIN);
        f.first = begin < f.first ? begin : f.first;
    }
    f.first = f.first < 1 ? 1 : f.first;
    f.last = add_margin(line_of(&v[f.node[f.n - 1]]), MARGIN);
    return put_source(l, &f, name, err) && (report_flush(r) || err_nomem(err));
}

/* Writes one function, node[0 .. n), sorted by file, "" first. */
static bool put_function_sources(struct list *l, const uint32_t *node, size_t n,
                                 struct prof_err *err)
{
    const struct node *v = l->g.nodes.v;
    size_t i = 0, k;
    while (i < n && !v[node[i]].file)
        i++;
    if (i == n)
        return (buf_puts(l->r->out, "No source information for ") &&
                report_put_name(l->r, v[node[0]].name, l->r->out) &&
                buf_putc(l->r->out, '\n')) ||
               err_nomem(err);
    for (; i < n; i += k) {
        for (k = 1; i + k < n && v[node[i + k]].file == v[node[i]].file;)
            k++;
        if (!put_listed(l, (struct listed){.node = node + i, .n = k}, err))
            return false;
    }
    return true;
}

static bool print_list(struct report *r, struct prof_err *err)
{
    struct list l = {.r = r};
    struct graph_opts opts = report_graph_opts(r);
    opts.exact = true;
    bool ok = code_init(&l.code, r, "--list", err) &&
              graph_make(&l.g, r->p, &opts, err) && choose_list_nodes(&l, err);
    if (ok) {
        system_sort(l.node, l.n, sizeof *l.node, list_order, &l);
        ok = listing_total(r) || err_nomem(err);
    }
    const struct node *v = l.g.nodes.v;
    for (size_t i = 0, n; ok && i < l.n; i += n) {
        n = 1;
        while (i + n < l.n && v[l.node[i + n]].name == v[l.node[i]].name)
            n++;
        ok = put_function_sources(&l, l.node + i, n, err);
    }
    free(l.node);
    graph_free(&l.g);
    code_free(&l.code);
    return ok;
}

const struct report_format report_list = {
    .name = "list",
    .arg = "REGEX",
    .help = "print the source of functions that match REGEX",
    .common = true,
    .suffixes = "txt",
    .needs = REPORT_FRAMES | REPORT_LINES | REPORT_TRIM | REPORT_WHOLE,
    .reads_files = true,
    .ignores =
        REPORT_NO_ORDER | REPORT_NO_PATHS | REPORT_NO_DETAIL | REPORT_NO_LABELS,
    .print = print_list,
};
