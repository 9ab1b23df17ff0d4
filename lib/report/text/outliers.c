/* outliers.c - --by --outliers: where a value differs from the others */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "profile/columns.h"
#include "report/text/private.h"

/*
 * The share of a function in the samples of each value has a median and a
 * spread: the median absolute deviation, which a few odd values do not change,
 * times 1.4826, which makes it the standard deviation of normally distributed
 * shares.  A share is not known better than the number of samples allows, so
 * the spread is at least the Poisson error of the samples that the median
 * leads to expect.
 */
#define MAD_TO_DEVIATION 1.4826
#define LEAST_SPREAD 0.001 /* if sample counts are unknown */
#define LEAST_DISTANCE 4.0 /* in spreads */

enum { LEAST_VALUES = 4 }; /* of the label */

/* A function in the samples of a value. */
struct cell {
    uint32_t function; /* string id in outliers.names */
    uint32_t value;    /* index in split.v */
    int64_t flat, cum;
};

struct outlier {
    struct cell cell;
    double share, others, distance; /* others: their median share */
};

struct outliers {
    struct report *r;
    struct split split;
    size_t n;            /* values to compare, the first of split */
    struct strtab names; /* of functions */
    VEC(struct cell) cells;
    int64_t *samples;     /* by value: sample count; 0: unknown */
    double *share, *sort; /* by value: a function's share; the same, sorted */
    VEC(struct outlier) found;
};

static double share_of(const struct outliers *o, const struct cell *cell)
{
    return (double)(o->r->opts->limits.cum_sort ? cell->cum : cell->flat) /
           (double)o->split.v[cell->value].sum;
}

/* Adds a cell for each function of the value. */
static bool add_cells(struct outliers *o, uint32_t value, struct prof_err *err)
{
    struct report *r = o->r;
    const struct graph_limits all = {0};
    struct graph g = {0};
    struct graph_cut cut = {0};
    bool ok = split_enter(&o->split, &o->split.v[value], err);
    const int type = prof_count_type(r->p, r->type);
    if (ok && (type < 0 || !prof_total(r->p, (size_t)type, &o->samples[value])))
        o->samples[value] = 0;
    const struct graph_opts opts = report_graph_opts(r);
    ok = ok && graph_make(&g, r->p, &opts, err) &&
         graph_rank(&g, &all, &cut, err);
    for (size_t i = 0; ok && i < cut.n; i++) {
        const struct graph_row *row = &cut.row[i];
        const struct graph_value *w = &g.value[row->node];
        struct cell cell = {.value = value, .flat = w->flat, .cum = w->cum};
        if (share_of(o, &cell) == 0)
            continue;
        ok = (strtab_add(&o->names, (const char *)cut.text.v + row->name,
                         row->name_n, &cell.function) &&
              vec_push(&o->cells, cell)) ||
             err_nomem(err);
    }
    graph_cut_free(&cut);
    graph_free(&g);
    split_leave(&o->split);
    return ok;
}

static int cell_order(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    const int c = ORDER(x->function, y->function);
    return c ? c : ORDER(x->value, y->value);
}

static double median(const double *sorted, size_t n)
{
    return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

/* Returns the median of the n values without x, which is one of them. */
static double median_without(const double *sorted, size_t n, double x)
{
    const size_t low = (n - 2) / 2, high = (n - 1) / 2;
    return (sorted[low + (x <= sorted[low])] +
            sorted[high + (x <= sorted[high])]) /
           2;
}

/*
 * Adds a cell to the outliers if its share is far enough from those of others.
 */
static bool compare(struct outliers *o, const struct cell *cell, double others,
                    double spread)
{
    const double share = o->share[cell->value];
    const double n = (double)o->samples[cell->value];
    const double least = n > 0 ? sqrt(fmax(others * n, 1)) / n : LEAST_SPREAD;
    const double distance = (share - others) / fmax(spread, least);
    if (!(fabs(distance) > LEAST_DISTANCE) ||
        fmax(fabs(share), fabs(others)) < o->r->opts->limits.node_fraction)
        return true;
    const struct outlier found = {*cell, share, others, distance};
    return vec_push(&o->found, found);
}

/* Compares the shares of a function, cells v[0 .. n), one for each value. */
static bool compare_function(struct outliers *o, const struct cell *v, size_t n)
{
    bool ok = true;
    for (size_t i = 0; i < n; i++)
        o->share[v[i].value] = share_of(o, &v[i]);
    if (n < o->n - o->n / 2) {
        /* Most values lack the function, so the median and the spread are 0. */
        for (size_t i = 0; ok && i < n; i++)
            ok = compare(o, &v[i], 0, 0);
    } else {
        memcpy(o->sort, o->share, o->n * sizeof *o->sort);
        sort_doubles(o->sort, o->n);
        double *deviation = o->sort + o->n, middle = median(o->sort, o->n);
        for (size_t i = 0; i < o->n; i++)
            deviation[i] = fabs(o->sort[i] - middle);
        sort_doubles(deviation, o->n);
        double spread = MAD_TO_DEVIATION * median(deviation, o->n);
        for (size_t i = 0, k = 0; ok && i < o->n; i++) {
            struct cell none = {v->function, (uint32_t)i, 0, 0};
            bool has = k < n && v[k].value == i;
            ok = compare(o, has ? &v[k] : &none,
                         median_without(o->sort, o->n, o->share[i]), spread);
            k += has;
        }
    }
    for (size_t i = 0; i < n; i++)
        o->share[v[i].value] = 0;
    return ok;
}

/* Orders outliers by distance, greatest first. */
static int outlier_order(const void *a, const void *b, void *ctx)
{
    const struct outlier *x = a, *y = b;
    const struct outliers *o = ctx;
    double v = fabs(x->distance), w = fabs(y->distance);
    int c = ORDER(w, v);
    c = c ? c : ORDER(x->cell.value, y->cell.value);
    return c ? c : strtab_cmp(&o->names, x->cell.function, y->cell.function);
}

static bool find_outliers(struct outliers *o, struct prof_err *err)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < o->n; i++)
        ok = !o->split.v[i].sum || add_cells(o, i, err);
    if (ok)
        vec_sort(&o->cells, cell_order);
    /* Join nodes of the same name: they are one function. */
    size_t n = 0;
    for (size_t i = 0; ok && i < o->cells.n; i++) {
        struct cell *to = &o->cells.v[n ? n - 1 : 0], *from = &o->cells.v[i];
        if (!n || cell_order(to, from) != 0) {
            o->cells.v[n++] = *from;
            continue;
        }
        to->flat += from->flat;
        /* The sum may exceed the total, and so 64 bits. */
        to->cum = (int64_t)((uint64_t)to->cum + (uint64_t)from->cum);
    }
    for (size_t i = 0, k; ok && i < n; i = k) {
        const struct cell *v = &o->cells.v[i];
        for (k = i + 1; k < n && o->cells.v[k].function == v->function;)
            k++;
        ok = compare_function(o, v, k - i) || err_nomem(err);
    }
    if (ok)
        vec_sort_by(&o->found, outlier_order, o);
    const size_t most = o->r->opts->limits.node_count;
    if (most && o->found.n > most)
        o->found.n = most;
    return ok;
}

/* --- the report --- */

static bool put_text(struct report *r, const struct outliers *o)
{
    const struct split *s = &o->split;
    bool ok = report_put_intro(r);
    if (!o->found.n)
        return ok && buf_puts(r->out, "no outliers\n");
    ok = ok && buf_puts(r->out, "     share     others   distance  ") &&
         report_put_name(r, s->key, r->out) && buf_puts(r->out, ": function\n");
    for (size_t i = 0; ok && i < o->found.n; i++) {
        const struct outlier *found = &o->found.v[i];
        const struct prof_slice value = split_name(s, &s->v[found->cell.value]);
        const struct prof_slice function =
            strtab_slice(&o->names, found->cell.function);
        ok = buf_printf(r->out, "%9.2f%% %9.2f%% %+10.1f  ", 100 * found->share,
                        100 * found->others, found->distance) &&
             report_put_right(r->out, value.s, value.n, 0) &&
             buf_puts(r->out, ": ") &&
             report_put_right(r->out, function.s, function.n, 0) &&
             buf_putc(r->out, '\n') && report_flush(r);
    }
    return ok;
}

static bool put_data(struct report *r, const struct outliers *o)
{
    struct rows rows;
    const int64_t total = r->total;
    bool ok = rows_begin(&rows, r);
    for (size_t i = 0; ok && i < o->found.n; i++) {
        const struct outlier *found = &o->found.v[i];
        const struct split_value *v = &o->split.v[found->cell.value];
        const struct row row = {
            .kind = "outlier",
            .of = split_name(&o->split, v),
            .name = strtab_slice(&o->names, found->cell.function),
            .has_flat = true,
            .flat = found->cell.flat,
            .cum = found->cell.cum,
            .others_percent = 100 * found->others,
            .distance = found->distance};
        r->total = v->sum;
        ok = rows_put(&rows, &row);
    }
    r->total = total;
    return rows_end(&rows, ok);
}

bool print_outliers(struct report *r, struct prof_err *err)
{
    struct outliers o = {.r = r};
    bool ok = split_init(&o.split, r, err);
    /* Samples without the label come last; they are not compared. */
    o.n = o.split.n;
    if (ok && o.n && !o.split.v[o.n - 1].text)
        o.n--;
    if (ok && o.n < LEAST_VALUES)
        ok = err_input(err,
                       "--outliers needs at least %d values of the label '%s' "
                       "to compare; found %zu",
                       LEAST_VALUES, r->opts->by, o.n);
    if (ok) {
        o.samples = mem_zarray(o.n, sizeof *o.samples);
        o.share = mem_zarray(o.n, sizeof *o.share);
        o.sort = mem_array(o.n, 2 * sizeof *o.sort);
        ok = (strtab_init(&o.names) && o.samples && o.share && o.sort) ||
             err_nomem(err);
    }
    ok =
        ok && find_outliers(&o, err) &&
        ((r->opts->rows ? put_data(r, &o) : put_text(r, &o)) || err_nomem(err));
    split_free(&o.split);
    strtab_free(&o.names);
    vec_free(&o.cells);
    vec_free(&o.found);
    free(o.samples);
    free(o.share);
    free(o.sort);
    return ok;
}
