/*
 * simulate.c - runs of a program that does not exist, judged
 *
 *      simulate DISPERSION RUNS TIMES COUNTS
 *
 * Makes comparisons of RUNS runs before with RUNS after, of 50 functions and
 * 5,000 samples a run.  Counts of a function have DISPERSION times the variance
 * of sampling (negative binomial; 1: Poisson).  First 2 * TIMES comparisons
 * without a change, then TIMES for each change of a function that CHANGES and
 * PLANTED list.  Writes the counts to the file COUNTS, a line for each run, and
 * prints a line for each comparison:
 *
 *      function change any least p
 *
 *   function   that grew; -1: none
 *   change     the factor of its growth, less 1
 *   any        1 if any function has a verdict, as one row each
 *   least      the least p of all functions
 *   p          that of the function; 1 if it did not grow
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "compare/private.h"

enum { FUNCTIONS = 50, SAMPLES = 5000, MOST_RUNS = 2 * 100 };

/* The shares of the first functions, one of which grows. */
static const double PLANTED[] = {0.20, 0.05, 0.01};
static const double CHANGES[] = {0.02, 0.05, 0.10, 0.20, 0.50};
enum {
    N_PLANTED = sizeof PLANTED / sizeof *PLANTED,
    N_CHANGES = sizeof CHANGES / sizeof *CHANGES,
};

/* splitmix64: G. Steele et al., Fast splittable pseudorandom number generators,
 * 2014. */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/* Above 0, below 1. */
static double uniform(uint64_t *state)
{
    return ((double)(next(state) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *state)
{
    const double r = sqrt(-2 * log(uniform(state)));
    return r * cos(6.283185307179586 * uniform(state));
}

/* G. Marsaglia, W. W. Tsang, A simple method for generating gamma variables,
 * 2000. */
static double gamma_of(double shape, uint64_t *state)
{
    if (shape < 1)
        return gamma_of(shape + 1, state) * pow(uniform(state), 1 / shape);
    const double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        const double x = normal(state), v = pow(1 + c * x, 3);
        if (v > 0 && log(uniform(state)) < 0.5 * x * x + d - d * v + d * log(v))
            return d * v;
    }
}

static double poisson(double mean, uint64_t *state)
{
    enum { LARGE = 100 }; /* nearly normal */
    if (mean > LARGE)
        return fmax(0, round(mean + sqrt(mean) * normal(state)));
    double n = -1;
    for (double p = 1; p > exp(-mean); n++)
        p *= uniform(state);
    return n;
}

static double count(double mean, double dispersion, uint64_t *state)
{
    const double shape = mean / (dispersion - 1);
    return dispersion > 1
               ? poisson(gamma_of(shape, state) * mean / shape, state)
               : poisson(mean, state);
}

struct comparison {
    size_t runs; /* of each side */
    int function;
    double change;
    double values[FUNCTIONS * MOST_RUNS], totals[MOST_RUNS];
};

static void make(struct comparison *c, double dispersion, uint64_t *state)
{
    double share[FUNCTIONS], rest = 0;
    for (int i = N_PLANTED; i < FUNCTIONS; i++)
        rest += share[i] = pow(0.97, i);
    for (int i = 0; i < FUNCTIONS; i++)
        share[i] = i < N_PLANTED ? PLANTED[i] : share[i] / rest * 0.74;
    for (size_t run = 0; run < 2 * c->runs; run++) {
        c->totals[run] = 0;
        for (int i = 0; i < FUNCTIONS; i++) {
            double mean = share[i] * SAMPLES;
            if (run >= c->runs && i == c->function)
                mean *= 1 + c->change;
            const double n = count(mean, dispersion, state);
            c->values[(size_t)i * 2 * c->runs + run] = n;
            c->totals[run] += n;
        }
    }
}

static bool judge_and_print(struct comparison *c, struct prof_err *err)
{
    struct compare_row rows[FUNCTIONS] = {0};
    static const char names[FUNCTIONS + 1];
    struct compare_result r = {.opts = COMPARE_DEFAULTS,
                               .is_counted = true,
                               .others = 1,
                               .rows = rows,
                               .n_rows = FUNCTIONS};
    struct counts counts[COMPARE_MEASURES];
    for (int m = 0; m < COMPARE_MEASURES; m++)
        counts[m] = (struct counts){.n_runs = {c->runs, c->runs},
                                    .totals = c->totals,
                                    .values = c->values,
                                    .n_rows = m == COMPARE_FLAT ? FUNCTIONS : 0,
                                    .is_counted = true};
    double sum[COMPARE_SIDES] = {0};
    for (size_t i = 0; i < 2 * c->runs; i++)
        sum[i >= c->runs] += c->totals[i];
    for (size_t i = 0; i < FUNCTIONS; i++) {
        /* The length of its name says which one a sorted row is. */
        rows[i].name = (struct prof_slice){names, i};
        for (size_t k = 0; k < 2 * c->runs; k++)
            rows[i].count[k >= c->runs] += c->values[i * 2 * c->runs + k];
        for (int side = 0; side < COMPARE_SIDES; side++)
            rows[i].share[side] = rows[i].count[side] / sum[side];
    }
    if (!judge(counts, &r, err))
        return false;
    double least = 1, p = 1;
    for (size_t i = 0; i < FUNCTIONS; i++) {
        least = fmin(least, rows[i].p);
        if ((int)rows[i].name.n == c->function &&
            rows[i].share[COMPARE_NEW] > rows[i].share[COMPARE_BASE])
            p = rows[i].p;
    }
    printf("%d %g %d %.6g %.6g\n", c->function, c->change,
           r.n_verdicts[COMPARE_SLOWER] + r.n_verdicts[COMPARE_FASTER] > 0,
           least, p);
    return true;
}

static void put_counts(const struct comparison *c, FILE *to)
{
    for (size_t run = 0; run < 2 * c->runs; run++)
        for (size_t i = 0; i < FUNCTIONS; i++)
            fprintf(to, "%.0f%c", c->values[i * 2 * c->runs + run],
                    i + 1 < FUNCTIONS ? ' ' : '\n');
}

int main(int argc, char **argv)
{
    static struct comparison c;
    struct prof_err err = {0};
    const double dispersion = argc == 5 ? strtod(argv[1], NULL) : 0;
    const long times = argc == 5 ? strtol(argv[3], NULL, 10) : 0;
    c.runs = argc == 5 ? strtoul(argv[2], NULL, 10) : 0;
    FILE *to = argc == 5 ? fopen(argv[4], "w") : NULL;
    if (dispersion < 1 || c.runs < 1 || c.runs > MOST_RUNS / 2 || !to) {
        fputs("usage: simulate DISPERSION RUNS TIMES COUNTS\n", stderr);
        return 2;
    }
    uint64_t state = 1;
    bool ok = true;
    for (int kind = -1; ok && kind < N_PLANTED * N_CHANGES; kind++) {
        c.function = kind < 0 ? -1 : kind / N_CHANGES;
        c.change = kind < 0 ? 0 : CHANGES[kind % N_CHANGES];
        for (long i = 0; ok && i < (kind < 0 ? 2 : 1) * times; i++) {
            make(&c, dispersion, &state);
            put_counts(&c, to);
            ok = judge_and_print(&c, &err);
        }
    }
    if (!ok)
        fprintf(stderr, "simulate: %s\n", err.text);
    return fclose(to) == 0 && ok ? 0 : 4;
}
