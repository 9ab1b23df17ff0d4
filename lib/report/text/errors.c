/* errors.c - --text=errors: how sure the values of --text are */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "profile/columns.h"
#include "report/text/private.h"

/*
 * The weight of a sample, and the samples of each node.  A difference counts
 * the samples of both sides.
 */
struct errors {
    bool is_known;
    double n; /* all samples */
    double weight;
    struct graph samples;
};

static double magnitude(const struct profile *p, size_t type)
{
    double sum = 0;
    for (size_t i = 0; i < p->n_samples; i++)
        sum += fabs((double)p->values[i * p->n_types + type]);
    return sum;
}

/* Makes the graph of sample counts.  Counts of both sides become positive. */
static bool count_samples(struct errors *e, const struct report *r,
                          size_t counts, struct prof_err *err)
{
    struct profile *p = r->p;
    struct graph_opts opts = report_graph_opts(r);
    const double n = magnitude(p, counts);
    e->is_known = true;
    e->n = n;
    opts.type = counts;
    opts.mean = false;
    e->weight = n > 0 ? magnitude(p, r->type) / n : 0;
    for (size_t i = 0; i < p->n_samples; i++) {
        int64_t *count = &p->values[i * p->n_types + counts];
        if (*count < 0)
            *count = *count == INT64_MIN ? INT64_MAX : -*count;
    }
    return graph_make(&e->samples, p, &opts, err);
}

/* Writes two standard errors of the share of n samples, as a binomial count. */
static bool put_error(const struct errors *e, struct report *r, int64_t n)
{
    char text[MEASURE_TEXT] = "-";
    if (n && r->total) {
        const double x = (double)n;
        double error = 2 * sqrt(x * fmax(1 - x / e->n, 0)) * e->weight;
        (void)snprintf(text, sizeof text, "%.2f%%",
                       fabs(100 * error / (double)r->total));
    }
    return buf_putc(r->out, ' ') &&
           report_put_right(r->out, text, strlen(text), 8);
}

static bool put_rows(struct report *r, const struct toptable *t,
                     const struct errors *e)
{
    bool ok = buf_puts(r->out, "      flat  flat%      +-        cum   cum%"
                               "      +-\n");
    for (size_t i = 0; ok && i < t->cut.n; i++) {
        const struct graph_row *row = &t->cut.row[i];
        const struct graph_value *w = &t->g.value[row->node];
        const struct graph_value none = {0};
        const struct graph_value *n =
            e->is_known ? &e->samples.value[row->node] : &none;
        ok = report_put_value(r, w->flat, 10) &&
             report_put_percent(r, w->flat, r->total) &&
             put_error(e, r, n->flat) && buf_putc(r->out, ' ') &&
             report_put_value(r, w->cum, 10) &&
             report_put_percent(r, w->cum, r->total) &&
             put_error(e, r, n->cum) && buf_puts(r->out, "  ") &&
             utf8_put_line(r->out, t->cut.text.v + row->name, row->name_n) &&
             buf_putc(r->out, '\n');
    }
    return ok;
}

static bool print_errors(struct report *r, struct prof_err *err)
{
    struct toptable t = {0};
    struct errors e = {0};
    const int counts = prof_count_type(r->p, r->type);
    if (counts < 0)
        note_warn(
            r->opts->notes,
            "--text=errors shows no +- for this sample type: the number of "
            "samples is unknown; use pbdiff to compare runs");
    bool made = toptable_make(r, &t, err) &&
                (counts < 0 || count_samples(&e, r, (size_t)counts, err));
    bool ok = made && report_put_legend(r, &t.g, &t.cut) && put_rows(r, &t, &e);
    graph_free(&e.samples);
    toptable_free(r, &t);
    return ok || (made && err_nomem(err));
}

const struct report_format report_errors = {
    .name = "text",
    .variant = "errors",
    .suffixes = "txt",
    .needs = REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM,
    .name_offset = 55,
    .ignores =
        REPORT_NO_PATHS | REPORT_NO_MEAN | REPORT_NO_DIVISION | REPORT_NO_EDGES,
    .print = print_errors,
};
