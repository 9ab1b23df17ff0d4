/*
 * judge.c - decides which changes of shares the runs show
 *
 * The count of a function in a run of N samples would be binomial, with the
 * variance N p (1 - p), if runs differed by the chance of sampling alone.  They
 * differ by more, and the more samples they have, the more clearly.  So the
 * variance is
 *
 *      N p (1 - p) * (1 + extra * N p (1 - p)) * s2
 *
 * with one `extra` for all functions, and s2 for each: its own estimate, from
 * the spread of the runs of each side, drawn towards that of all functions as
 * far as they are alike (variance_prior).  This is a quasi-likelihood, as for
 * counts of few replicates: S. P. Lund et al., Detecting differential
 * expression using quasi-likelihood with shrunken dispersion estimates, 2012.
 * No function is trusted to vary less than sampling makes it vary.
 *
 * A ratio of shares is tested by the score statistic of its null hypothesis,
 * whose variance is that of shares with this ratio (P. A. R. Koopman,
 * Confidence intervals for the ratio of two binomial proportions, 1984).
 * Functions are many: Y. Benjamini, Y. Hochberg, Controlling the false
 * discovery rate, 1995.
 */
#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "compare/distributions.h"
#include "compare/private.h"

/* A row with fewer samples is not used to estimate how runs vary. */
#define FIT_COUNT 10
/* Relative differences below this are rounding errors. */
#define TINY 1e-12
/* Probability that an actual growth is missed. */
#define MISSED 0.2

/* The runs, and the shares of a row on each side. */
struct fit {
    const struct counts *counts;
    double df;                    /* number of runs minus one for each side */
    double weight[COMPARE_SIDES]; /* of the runs of a side */
    double share[COMPARE_SIDES];
    double excess; /* variance of a share, relative to that of sampling */
};

static size_t n_runs(const struct counts *c)
{
    return c->n_runs[COMPARE_BASE] + c->n_runs[COMPARE_NEW];
}

static const double *row_of(const struct counts *c, size_t row)
{
    return c->values + row * n_runs(c);
}

/* Returns the share in the runs of both sides together. */
static double pooled_share(const struct counts *c, const double *values)
{
    double sum = 0, total = 0;
    for (size_t i = 0; i < n_runs(c); i++) {
        sum += values[i];
        total += c->totals[i];
    }
    return sum / total;
}

/* Fits a row.  Weighs runs by the variance that they have with this `extra`. */
static struct fit fit_row(const struct counts *c, size_t row, double extra)
{
    struct fit fit = {.counts = c, .df = (double)n_runs(c) - COMPARE_SIDES};
    const double *values = row_of(c, row);
    const double pooled = pooled_share(c, values);
    const double unit = pooled * (1 - pooled);
    for (int side = 0, at = 0; side < COMPARE_SIDES; side++) {
        const int end = at + (int)c->n_runs[side];
        double weight = 0, sum = 0, spread = 0;
        for (int i = at; i < end; i++) {
            double w = c->totals[i] / (1 + extra * c->totals[i] * unit);
            weight += w;
            sum += w * values[i] / c->totals[i];
        }
        const double share = weight ? sum / weight : 0;
        for (int i = at; i < end; i++) {
            double w = c->totals[i] / (1 + extra * c->totals[i] * unit);
            double d = values[i] / c->totals[i] - share;
            spread += w * d * d;
        }
        fit.weight[side] = weight;
        fit.share[side] = share;
        fit.excess += spread;
        at = end;
    }
    fit.excess /= unit > 0 && fit.df ? unit * fit.df : 1;
    return fit;
}

/* --- how runs vary -------------------------------------------------------- */

static double mean_total(const struct counts *c)
{
    double sum = 0;
    for (size_t i = 0; i < n_runs(c); i++)
        sum += c->totals[i];
    return sum / (double)n_runs(c);
}

/* Returns the variance of a count due to sampling, in a run of mean size. */
static double sampling(const struct counts *c, size_t row)
{
    const double share = pooled_share(c, row_of(c, row));
    return mean_total(c) * share * (1 - share);
}

/*
 * Estimates `extra` by weighted least squares over all rows.  The variance
 * relative to that of sampling is least * (1 + extra * x), least >= 1; its own
 * variance is proportional to the square of that.  The prior and the rows then
 * refine `least`.
 */
static double find_extra(const struct counts *c)
{
    double extra = 0;
    for (int round = 0; round < 20; round++) {
        double w = 0, wx = 0, wxx = 0, wy = 0, wxy = 0;
        for (size_t i = 0; i < c->n_rows; i++) {
            const double x = sampling(c, i);
            if (x < FIT_COUNT)
                continue;
            const double y = fit_row(c, i, 0).excess;
            const double weight = 1 / ((1 + extra * x) * (1 + extra * x));
            w += weight;
            wx += weight * x;
            wxx += weight * x * x;
            wy += weight * y;
            wxy += weight * x * y;
        }
        const double spread = w * wxx - wx * wx;
        if (!(spread > TINY * wxx * w))
            return 0;
        double slope = (w * wxy - wx * wy) / spread;
        double least = (wy - slope * wx) / w;
        if (least < 1) {
            least = 1;
            slope = (wxy - wx) / wxx;
        }
        extra = slope > 0 ? slope / least : 0;
    }
    return extra;
}

/* What all rows of one measure have in common. */
struct spread {
    double extra;
    double s2, df; /* prior of the remaining variance: its scale and
                      its degrees of freedom */
};

static bool find_spread(const struct counts *c, struct spread *spread,
                        struct prof_err *err)
{
    const double df = (double)n_runs(c) - COMPARE_SIDES;
    double *s2 = mem_array(c->n_rows + 1, sizeof *s2);
    size_t n = 0, kept = 0;
    if (!s2)
        return err_nomem(err);
    spread->extra = c->is_counted ? find_extra(c) : 0;
    for (size_t i = 0; i < c->n_rows; i++)
        if (sampling(c, i) >= FIT_COUNT || !c->is_counted) {
            double excess = fit_row(c, i, spread->extra).excess;
            if (excess > TINY)
                s2[n++] = excess;
        }
    /* A function and its only caller are the same evidence: keep one. */
    sort_doubles(s2, n);
    for (size_t i = 0; i < n; i++)
        if (!kept || s2[i] > s2[kept - 1] * (1 + 1e-9))
            s2[kept++] = s2[i];
    struct variance_prior prior = {1, 0};
    if (kept > 2)
        prior = variance_prior_of(s2, kept, df);
    /* Limit the prior to the degrees of freedom of all functions together. */
    const double most = df * (double)kept;
    spread->s2 = prior.s2;
    spread->df = prior.df < most ? prior.df : most;
    free(s2);
    return true;
}

/* Returns the variance of a row, moved towards the prior. */
static double moderate(const struct counts *c, const struct fit *fit,
                       const struct spread *spread, double x)
{
    double s2 = (spread->df * spread->s2 + fit->df * fit->excess) /
                (spread->df + fit->df);
    double least = c->is_counted ? 1 / (1 + spread->extra * x) : TINY;
    return s2 > least ? s2 : least;
}

/* --- one row -------------------------------------------------------------- */

/* The data that a row is judged by. */
struct test {
    struct fit fit;
    double s2, df;
};

/* Score statistic for a new share that is `ratio` times that of the base. */
static double score(const struct test *t, double ratio)
{
    const double *w = t->fit.weight, *share = t->fit.share;
    double base = (w[0] * share[0] + w[1] * share[1]) / (w[0] + ratio * w[1]);
    double new = base *ratio;
    if (base >= 1 || new >= 1) {
        base = ratio > 1 ? 1 / ratio : 1;
        new = base *ratio;
    }
    double variance =
        t->s2 * (new *(1 - new) / w[1] + ratio *ratio *base *(1 - base) / w[0]);
    double difference = share[1] - ratio * share[0];
    if (variance > 0)
        return difference / sqrt(variance);
    return difference > 0 ? INFINITY : difference < 0 ? -INFINITY : 0;
}

/* Returns the ratio for which score(), which falls as it grows, is x. */
static double find_ratio(const struct test *t, double x)
{
    double low = -16, high = 16;
    if (score(t, exp(low)) <= x)
        return 0;
    if (score(t, exp(high)) >= x)
        return INFINITY;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (score(t, exp(middle)) > x)
            low = middle;
        else
            high = middle;
    }
    return exp(low);
}

/* --- all rows ------------------------------------------------------------- */

struct judging {
    const struct compare_opts *opts;
    const struct counts *counts; /* by measure: its counts */
    struct compare_result *r;
    struct spread spread[COMPARE_MEASURES];
    struct test *tests; /* by row: its fit and variance */
    bool *grows;        /* by row: whether p is that of a growth */
};

/* Returns whether there are enough runs to see how they vary. */
static bool can_judge(const struct compare_opts *opts, const struct counts *c)
{
    const size_t *n = c->n_runs;
    if (!c->is_counted)
        return n[0] >= COMPARE_LEAST_RUNS && n[1] >= COMPARE_LEAST_RUNS;
    return opts->assume_poisson || n[0] + n[1] > COMPARE_SIDES;
}

static bool begin(struct judging *g, struct prof_err *err)
{
    struct compare_result *r = g->r;
    g->tests = mem_array(r->n_rows + 1, sizeof *g->tests);
    g->grows = mem_zarray(r->n_rows + 1, sizeof *g->grows);
    if (!g->tests || !g->grows)
        return err_nomem(err);
    size_t at = 0;
    for (int m = 0; m < COMPARE_MEASURES; m++) {
        const struct counts *c = &g->counts[m];
        struct spread *spread = &g->spread[m];
        const bool by_chance =
            c->is_counted && (!r->is_judged || g->opts->assume_poisson);
        *spread = (struct spread){0, 1, INFINITY};
        if (r->is_judged && !by_chance && !find_spread(c, spread, err))
            return false;
        for (size_t i = 0; i < c->n_rows; i++) {
            struct test *t = &g->tests[at++];
            t->fit = fit_row(c, i, spread->extra);
            t->df = by_chance ? INFINITY : t->fit.df + spread->df;
            t->s2 =
                by_chance ? 1 : moderate(c, &t->fit, spread, sampling(c, i));
        }
    }
    return true;
}

/* Sets p: a row must have changed both by itself and relative to the others. */
static void find_p(const struct judging *g, size_t row)
{
    const struct test *t = &g->tests[row];
    const double others = g->r->others, more = 1 + g->opts->max_growth;
    const double up = score(t, more * (others > 1 ? others : 1));
    const double down = score(t, (others < 1 ? others : 1) / more);
    const double p_up = student_above(up, t->df);
    const double p_down = student_above(-down, t->df);
    g->grows[row] = p_up < p_down;
    const double p = 2 * (g->grows[row] ? p_up : p_down);
    g->r->rows[row].p = p < 1 ? p : 1;
}

/* Returns the greatest p that counts as a change (Benjamini and Hochberg). */
static double find_threshold(const struct judging *g, double *p)
{
    const struct compare_result *r = g->r;
    size_t n = 0;
    for (size_t i = 0; i < r->n_rows; i++)
        p[n++] = r->rows[i].p;
    sort_doubles(p, n);
    for (size_t i = n; i > 0; i--)
        if (p[i - 1] <= g->opts->alpha * (double)i / (double)n)
            return g->opts->alpha * (double)i / (double)n;
    return n ? g->opts->alpha / (double)n : g->opts->alpha;
}

/* Returns the growth that would be shown to exceed the limit if the logarithm
 * of the ratio has this variance. */
static double detectable(const struct compare_opts *opts, double alpha,
                         double df, double variance)
{
    return (1 + opts->max_growth) * exp((student_quantile(alpha / 2, df) +
                                         student_quantile(MISSED, df)) *
                                        sqrt(variance)) -
           1;
}

static void set_row(const struct judging *g, size_t row, double threshold)
{
    struct compare_row *r = &g->r->rows[row];
    const struct test *t = &g->tests[row];
    const struct counts *c = &g->counts[r->measure];
    const double x = student_quantile(threshold / 2, t->df);
    /* Values that are not counts vary in a way that only runs show. */
    const bool is_known = g->r->is_judged || c->is_counted;
    r->low = is_known ? find_ratio(t, x) : 0;
    r->high = is_known ? find_ratio(t, -x) : INFINITY;
    const double nearest = r->low > 1 ? r->low : r->high < 1 ? r->high : 1;
    r->certain = (nearest - 1) * r->share[COMPARE_BASE];
    /* Without a base there is no ratio: rank by the share. */
    if (!(r->share[COMPARE_BASE] > 0))
        r->certain = r->share[COMPARE_NEW] / 2;
    const double share = pooled_share(
        c, c->values + n_runs(c) * (row - (r->measure == COMPARE_CUM
                                               ? g->counts[0].n_rows
                                               : 0)));
    r->detectable = detectable(
        g->opts, threshold, t->df,
        t->s2 * (1 - share) / share *
            (1 / t->fit.weight[COMPARE_BASE] + 1 / t->fit.weight[COMPARE_NEW]));
    r->dispersion = t->fit.df ? t->fit.excess : 1;
    r->verdict = !g->r->is_judged   ? COMPARE_UNJUDGED
                 : r->p > threshold ? COMPARE_UNCHANGED
                 : g->grows[row]    ? COMPARE_SLOWER
                                    : COMPARE_FASTER;
}

/* --- what the runs could have shown --------------------------------------- */

static void set_power(const struct judging *g, struct compare_power *power,
                      double share)
{
    const struct compare_result *r = g->r;
    const int measure =
        g->opts->measures[COMPARE_FLAT] ? COMPARE_FLAT : COMPARE_CUM;
    const struct counts *c = &g->counts[measure];
    const struct spread *spread = &g->spread[measure];
    const double unit = share * (1 - share);
    const double alpha = g->opts->alpha / (double)(r->n_rows ? r->n_rows : 1);
    const double least = 1 / (1 + spread->extra * mean_total(c) * unit);
    const double s2 = spread->s2 > least ? spread->s2 : least;
    double weight[COMPARE_SIDES] = {0}, all = 0;
    for (size_t i = 0; i < n_runs(c); i++) {
        double w = c->totals[i] / (1 + spread->extra * c->totals[i] * unit);
        weight[i >= c->n_runs[COMPARE_BASE]] += w;
        all += w / (double)n_runs(c);
    }
    power->share = share;
    power->explains = g->opts->max_growth > 0 ? 2 * g->opts->max_growth : 0.05;
    const double runs_df = (double)n_runs(c) - COMPARE_SIDES;
    const double relative = s2 * (1 - share) / share;
    power->growth = detectable(g->opts, alpha, runs_df + spread->df,
                               relative * (1 / weight[0] + 1 / weight[1]));
    /* Bisect: more runs detect a smaller growth. */
    size_t low = 1, high = COMPARE_MOST_RUNS + 1;
    while (low + 1 < high) {
        const size_t n = (low + high) / 2;
        const double df = 2.0 * (double)n - 2 + spread->df;
        if (detectable(g->opts, alpha, df, relative * 2 / (all * (double)n)) <=
            power->explains)
            high = n;
        else
            low = n;
    }
    power->runs = high <= COMPARE_MOST_RUNS ? high : 0;
}

/* Compares the totals of runs by the mean of their logarithms. */
static void set_total(const struct judging *g)
{
    const struct counts *c = &g->counts[0];
    struct compare_total *total = &g->r->total;
    double logs[COMPARE_SIDES] = {0}, spread = 0, inverse = 0;
    size_t at = 0;
    for (int side = 0; side < COMPARE_SIDES; side++) {
        const size_t n = c->n_runs[side];
        for (size_t i = at; i < at + n; i++) {
            logs[side] += log(c->totals[i]) / (double)n;
            total->mean[side] += c->totals[i] / (double)n;
        }
        for (size_t i = at; i < at + n; i++) {
            double d = log(c->totals[i]) - logs[side];
            spread += d * d;
        }
        inverse += 1 / (double)n;
        at += n;
    }
    total->is_known = c->n_runs[0] >= COMPARE_LEAST_RUNS &&
                      c->n_runs[1] >= COMPARE_LEAST_RUNS;
    total->ratio = exp(logs[COMPARE_NEW] - logs[COMPARE_BASE]);
    if (!total->is_known)
        return;
    const double df = (double)n_runs(c) - COMPARE_SIDES;
    const double x =
        student_quantile(g->opts->alpha / 2, df) * sqrt(spread / df * inverse);
    total->low = total->ratio * exp(-x);
    total->high = total->ratio * exp(x);
}

/* --- all of it ------------------------------------------------------------ */

/* Sorts by verdict, then by the change that is certain, then by the change. */
static int cmp_rows(const void *a, const void *b)
{
    const struct compare_row *x = a, *y = b;
    const double s = fabs(x->certain), t = fabs(y->certain);
    const double u = fabs(x->share[1] - x->share[0]),
                 v = fabs(y->share[1] - y->share[0]);
    int c = ORDER(x->verdict, y->verdict);
    c = c ? c : ORDER(t, s);
    c = c ? c : ORDER(v, u);
    c = c ? c : ORDER(x->measure, y->measure);
    return c ? c : slice_compare(x->name, y->name);
}

bool judge(const struct counts *counts, struct compare_result *r,
           struct prof_err *err)
{
    static const double shares[COMPARE_POWERS] = {0.2, 0.05, 0.01};
    struct judging g = {.opts = &r->opts, .counts = counts, .r = r};
    double *scratch = mem_array(r->n_rows + 1, sizeof *scratch);
    r->is_judged = can_judge(&r->opts, &counts[0]);
    bool ok = (scratch || err_nomem(err)) && begin(&g, err);
    if (ok) {
        for (size_t i = 0; i < r->n_rows; i++)
            find_p(&g, i);
        double threshold =
            r->is_judged ? find_threshold(&g, scratch) : r->opts.alpha;
        for (size_t i = 0; i < r->n_rows; i++)
            set_row(&g, i, threshold);
        for (size_t i = 0; i < COMPARE_POWERS && r->is_judged; i++)
            set_power(&g, &r->powers[i], shares[i]);
        set_total(&g);
        for (size_t i = 0; i < r->n_rows; i++) {
            const struct compare_row *row = &r->rows[i];
            r->n_verdicts[row->verdict]++;
            r->is_weak |= row->verdict == COMPARE_UNCHANGED &&
                          row->high > 1 + r->opts.max_growth &&
                          row->detectable > r->powers[0].explains;
        }
        r->is_weak |= !r->is_judged || !r->n_rows;
        qsort(r->rows, r->n_rows, sizeof *r->rows, cmp_rows);
    }
    free(g.tests);
    free(g.grows);
    free(scratch);
    return ok;
}
