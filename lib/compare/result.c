/* result.c - collects the rows of all runs and judges them */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/private.h"

void compare_result_free(struct compare_result *r)
{
    free(r->rows);
    r->rows = NULL;
}

const char *compare_verdict_text(enum compare_verdict v, bool is_counted)
{
    static const char *const texts[] = {"slower", "faster", "no change shown",
                                        "too rare to tell", "not judged"};
    if (!is_counted && v == COMPARE_SLOWER)
        return "more";
    if (!is_counted && v == COMPARE_FASTER)
        return "less";
    return texts[v];
}

/* Sorts the runs: the base first, and each side in the order of its inputs. */
static bool order_runs(const struct compare *c, uint32_t *order,
                       struct compare_result *r, struct prof_err *err)
{
    static const char *const names[] = {"base", "new"};
    size_t at = 0;
    for (int side = 0; side < COMPARE_SIDES; side++) {
        for (size_t i = 0; i < c->runs.n; i++) {
            const struct run *run = &c->runs.v[i];
            if (run->side != (enum compare_side)side)
                continue;
            order[at++] = (uint32_t)i;
            r->n_runs[side]++;
            r->sum[side] += (double)run->total;
            if (!r->first[side])
                r->first[side] = run->name;
            r->last[side] = run->name;
        }
        if (!r->n_runs[side])
            return err_input(err, "no run of the %s has samples", names[side]);
    }
    return true;
}

/* Returns sums by row and side: sums[row * COMPARE_SIDES + side]. */
static double *sum_rows(const struct compare *c, int measure)
{
    double *sums = mem_zarray(c->n_rows + 1, COMPARE_SIDES * sizeof *sums);
    for (size_t i = 0; sums && i < c->runs.n; i++) {
        const struct run *run = &c->runs.v[i];
        for (size_t k = 0; k < run->cells.n; k++)
            sums[run->cells.v[k].row * COMPARE_SIDES + run->side] +=
                (double)run->cells.v[k].values[measure];
    }
    return sums;
}

/* Returns whether the row is frequent enough to be judged. */
static bool is_frequent(const struct compare_result *r, const double *sums)
{
    const double all = sums[0] + sums[1];
    return all > 0 && (!r->is_counted || all >= COMPARE_LEAST_COUNT) &&
           (sums[0] >= r->opts.min_share * r->sum[0] ||
            sums[1] >= r->opts.min_share * r->sum[1]);
}

/* Makes a matrix of the rows that are judged, and appends them to r->rows. */
static bool make_counts(const struct compare *c, const uint32_t *order,
                        int measure, struct counts *counts,
                        struct compare_result *r, struct prof_err *err)
{
    double *sums = sum_rows(c, measure);
    uint32_t *chosen = mem_array(c->n_rows + 1, sizeof *chosen);
    const size_t n = c->runs.n;
    bool ok = sums && chosen;
    *counts = (struct counts){.is_counted = c->is_counted};
    for (size_t i = 0; ok && i < c->n_rows; i++) {
        const double *sum = sums + i * COMPARE_SIDES;
        chosen[i] = UINT32_MAX;
        if (!r->opts.measures[measure] || !is_frequent(r, sum)) {
            r->n_verdicts[COMPARE_RARE] +=
                sum[0] + sum[1] > 0 && r->opts.measures[measure];
            continue;
        }
        chosen[i] = (uint32_t)counts->n_rows++;
        r->rows[r->n_rows++] = (struct compare_row){
            .name = strtab_slice(&c->names.keys, (uint32_t)i + 1),
            .measure = measure,
            .count = {sum[0], sum[1]},
            .share = {sum[0] / r->sum[0], sum[1] / r->sum[1]}};
    }
    counts->totals = mem_zarray(n, sizeof *counts->totals);
    counts->values = mem_zarray(counts->n_rows + 1, n * sizeof *counts->values);
    ok = ok && counts->totals && counts->values;
    memcpy(counts->n_runs, r->n_runs, sizeof r->n_runs);
    for (size_t i = 0; ok && i < n; i++) {
        const struct run *run = &c->runs.v[order[i]];
        counts->totals[i] = (double)run->total;
        for (size_t k = 0; k < run->cells.n; k++) {
            const struct cell *cell = &run->cells.v[k];
            if (chosen[cell->row] != UINT32_MAX)
                counts->values[chosen[cell->row] * n + i] =
                    (double)cell->values[measure];
        }
    }
    free(sums);
    free(chosen);
    return ok || err_nomem(err);
}

/*
 * Sets r->others to the ratio by which the shares of unchanged functions
 * differ.  If one function takes more time, all others take a smaller share.
 * Most do not change, so this is the median of the ratios of flat shares.
 */
static bool find_others(const struct compare *c, struct compare_result *r,
                        struct prof_err *err)
{
    enum { ENOUGH = 3 };
    double *sums = sum_rows(c, COMPARE_FLAT);
    double *ratios = mem_array(c->n_rows + 1, sizeof *ratios);
    const bool ok = sums && ratios;
    size_t n = 0;
    for (size_t i = 0; ok && i < c->n_rows; i++) {
        const double *sum = sums + i * COMPARE_SIDES;
        if (is_frequent(r, sum) && sum[0] > 0 && sum[1] > 0)
            ratios[n++] = sum[1] / r->sum[1] / (sum[0] / r->sum[0]);
    }
    if (n >= ENOUGH) {
        sort_doubles(ratios, n);
        r->others =
            n % 2 ? ratios[n / 2] : sqrt(ratios[n / 2 - 1] * ratios[n / 2]);
    }
    free(sums);
    free(ratios);
    return ok || err_nomem(err);
}

bool compare_judge(struct compare *c, struct compare_result *r,
                   struct prof_err *err)
{
    struct counts counts[COMPARE_MEASURES] = {0};
    uint32_t *order = mem_array(c->runs.n + 1, sizeof *order);
    *r = (struct compare_result){.opts = c->opts,
                                 .type = c->type,
                                 .unit = c->unit,
                                 .is_counted = c->is_counted,
                                 .others = 1};
    r->rows = mem_array(2 * c->n_rows + 1, sizeof *r->rows);
    bool ok = (order && r->rows) || err_nomem(err);
    ok = ok && order_runs(c, order, r, err) && find_others(c, r, err);
    for (int m = 0; ok && m < COMPARE_MEASURES; m++)
        ok = make_counts(c, order, m, &counts[m], r, err);
    ok = ok && judge(counts, r, err);
    for (int m = 0; m < COMPARE_MEASURES; m++) {
        free(counts[m].totals);
        free(counts[m].values);
    }
    free(order);
    return ok;
}

bool compare_overlap(struct compare *c, double *overlap, struct prof_err *err)
{
    struct compare_result r = {.opts = c->opts};
    uint32_t *order = mem_array(c->runs.n + 1, sizeof *order);
    bool ok = (order || err_nomem(err)) && order_runs(c, order, &r, err);
    double *sums = ok ? sum_rows(c, COMPARE_FLAT) : NULL;
    *overlap = 0;
    for (size_t i = 0; sums && i < c->n_rows; i++)
        *overlap += fmin(sums[2 * i] / r.sum[0], sums[2 * i + 1] / r.sum[1]);
    ok = ok && (sums || err_nomem(err));
    free(sums);
    free(order);
    return ok;
}
