/* traces.c - --traces: every sample with its stack; --comments */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "report/samples.h"

#define SEPARATOR                                                              \
    "-----------+-------------------------------------------------------\n"

/* The blanks before a frame without a value, as wide as a value. */
#define MARGIN "             "

enum { USUAL = 128 }; /* bytes of a location's text */

/*
 * Makes one piece of text per node, and another for the node inlined.  A piece
 * is the node's line without its margin, in which a value may stand, then the
 * margin of the next line.
 */
static bool make_location_texts(struct stacktext *stacks, struct nodes *nodes)
{
    struct buf *text = &stacks->text;
    uint32_t *piece_of[] = {mem_none(nodes->n), mem_none(nodes->n)};
    bool ok = piece_of[0] && piece_of[1];
    /*
     * Room for usual names.  Memory is not touched before it is needed; what is
     * needed may be much less, so it does not matter if there is not so much.
     */
    (void)vec_reserve(&stacks->pieces, nodes->n);
    (void)buf_reserve(text, nodes->n * USUAL);
    for (size_t l = 0; ok && l < nodes->p->n_locations; l++)
        for (uint64_t k = nodes->off[l]; ok && k < nodes->off[l + 1]; k++) {
            bool inlined = k + 1 < nodes->off[l + 1];
            uint32_t *piece = &piece_of[inlined][nodes->of[k]];
            if (*piece == PROF_NONE) {
                *piece = (uint32_t)stacks->pieces.n;
                size_t at = text->n;
                ok = stacks->pieces.n < PROF_NONE &&
                     node_name(nodes, nodes->of[k], text) &&
                     utf8_make_line(text, at) &&
                     buf_puts(text, inlined ? " (inline)\n" : "\n") &&
                     buf_puts(text, MARGIN) && stacktext_piece(stacks);
            }
            nodes->of[k] = *piece;
        }
    ok = ok && stacktext_use_nodes(stacks, nodes);
    free(nodes->v); /* their texts are made */
    nodes->v = NULL;
    stacks->cut = strlen(MARGIN);
    free(piece_of[0]);
    free(piece_of[1]);
    return ok;
}

/* Writes a string label: "    thread:  main". */
static bool put_string_label(void *ctx, const struct prof_label *v, size_t n,
                             struct buf *to)
{
    const struct sample_printer *t = ctx;
    const struct strtab *s = &t->report.p->strings;
    if (!report_put_right(to, strtab_str(s, v->key), strtab_len(s, v->key),
                          10) ||
        !buf_puts(to, ": "))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!buf_putc(to, ' ') || !report_put_name(&t->report, v[i].str, to))
            return false;
    return buf_putc(to, '\n');
}

/* Writes a number label: "     bytes:  4kB". */
static bool put_number_label(void *ctx, const struct prof_label *v, size_t n,
                             struct buf *to)
{
    struct sample_printer *t = ctx;
    const struct strtab *s = &t->report.p->strings;
    const char *unit = strtab_plain(s, t->report.label_unit[v->key]);
    if (!report_put_right(to, strtab_str(s, v->key), strtab_len(s, v->key),
                          10) ||
        !buf_puts(to, ": "))
        return false;
    for (size_t i = 0; i < n; i++) {
        const size_t at = to->n + 1;
        if (!buf_putc(to, ' ') ||
            !report_put_measure(to, v[i].num, unit, "auto") ||
            !utf8_make_line(to, at))
            return false;
    }
    return buf_putc(to, '\n');
}

/* Writes a sample, unless it has no stack. */
static bool put_trace(struct sample_printer *t, size_t s)
{
    struct report *r = &t->report;
    uint32_t set = r->p->labelset[s];
    const struct labels_style strings = {true, put_string_label, t, ""};
    const struct labels_style numbers = {false, put_number_label, t, ""};
    if (!prof_depth(r->p, s))
        return true;
    const int64_t *values = r->p->values + s * r->p->n_types;
    int64_t value = graph_mean(values[r->type], r->opts->mean ? values[0] : 0);
    return buf_puts(r->out, SEPARATOR) &&
           (!set || (labels_put(r->p, set, &strings, &t->scratch, r->out) &&
                     labels_put(r->p, set, &numbers, &t->scratch, r->out))) &&
           report_put_value(r, value, 10) && buf_puts(r->out, "   ") &&
           stacktext_put(&t->stacks, s, r->out);
}

static bool print_traces(struct report *r, struct prof_err *err)
{
    struct nodes nodes;
    struct stacktext stacks = {.p = r->p};
    bool ok = nodes_init(&nodes, r->p, false, err) &&
              ((make_location_texts(&stacks, &nodes) && report_put_header(r) &&
                (r->out->n || buf_putc(r->out, '\n')) &&
                report_samples(r, &stacks, put_trace, NULL) &&
                buf_puts(r->out, SEPARATOR)) ||
               err_nomem(err));
    nodes_free(&nodes);
    stacktext_free(&stacks);
    return ok;
}

const struct report_format report_traces = {
    .name = "traces",
    .help = "print every sample with its stack",
    .suffixes = "txt",
    .needs = REPORT_FRAMES | REPORT_DETAIL | REPORT_LABELS,
    .name_offset = 13,
    .ignores = REPORT_NO_ROWS,
    .print = print_traces,
};

/* --- --comments --- */

static bool print_comments(struct report *r, struct prof_err *err)
{
    for (size_t i = 0; i < r->p->n_comments; i++)
        if (!report_put_lines(r, r->p->comments[i]) || !buf_putc(r->out, '\n'))
            return err_nomem(err);
    return true;
}

const struct report_format report_comments = {
    .name = "comments",
    .help = "print the profile's comments",
    .suffixes = "txt",
    .needs = REPORT_NO_VALUES,
    .ignores = REPORT_IGNORES_ALL,
    .print = print_comments,
};
