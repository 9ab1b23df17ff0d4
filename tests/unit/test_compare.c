/*
 * The statistics of pbdiff, and its rules of names.  Expected numbers are those
 * of R 4.2: pt(), qt(), prop.test() without correction, limma::fitFDist(), and
 * uniroot() of the formula of Koopman's interval.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/distributions.h"
#include "compare/private.h"
#include "unit.h"

static void assert_near(double got, double wanted)
{
    if (fabs(got - wanted) > 1e-7 * fabs(wanted))
        fail_msg("%.12g, not %.12g", got, wanted);
}

static void test_student(void **state)
{
    assert_near(student_above(0, 3), 0.5);
    assert_near(student_above(2.5, 7), 0.0204961092929);
    assert_near(student_above(-1, 2.5), 0.797969486361);
    assert_near(student_above(12, 1), 0.0264646760596);
    assert_near(student_above(4, 1000), 3.40049596044e-05);
    assert_near(student_above(3, INFINITY), 0.001349898031630);
    assert_near(student_quantile(0.025, 4), 2.7764451052);
    assert_near(student_quantile(0.2, 10), 0.879057828551);
    assert_near(student_quantile(1e-6, 3), 103.29946778);
    assert_near(student_quantile(0.001, 50), 3.2614090558);
}

static void test_prior(void **state)
{
    static const double s2[] = {0.3335, 0.5642, 0.7530, 0.9369, 1.1293, 1.3405,
                                1.5824, 1.8729, 2.2432, 2.7593, 3.6047, 5.7684};
    struct variance_prior prior = variance_prior_of(s2, 12, 6);
    assert_near(prior.s2, 1.521083366);
    assert_near(prior.df, 8.793459724);

    /* Equal variances differ by less than chance. */
    static const double equal[] = {2, 2, 2, 2};
    assert_true(variance_prior_of(equal, 4, 4).df > 1000);

    /* One that varies 30 times as much as 39 others is not explained by a prior
     * that goes by most. */
    double odd[40];
    for (size_t i = 0; i < 39; i++)
        odd[i] = 0.4 + (double)i / 30;
    odd[39] = 30;
    assert_true(variance_prior_of(odd, 40, 4).df < 6);
}

/* --- names ---------------------------------------------------------------- */

static const char *const names[][2] = {
    {"f", "f"},
    {"f.constprop.0", "f"},
    {"f.isra.0.cold", "f"},
    {"f(int) [clone .constprop.0] [clone .cold]", "f(int)"},
    {"main::{lambda(int)#2}::operator()", "main::{lambda(int)}::operator()"},
    {"{unnamed type#1}::g", "{unnamed type}::g"},
    {"Array#2", "Array#2"},
    {"main::$_12::operator()", "main::$_::operator()"},
    {"A$$Lambda$733/0x0000000801234abc.run", "A$$Lambda$.run"},
    {"A$$Lambda/0x000000080.run", "A$$Lambda.run"},
    {"jdk.GeneratedMethodAccessor12.invoke",
     "jdk.GeneratedMethodAccessor.invoke"},
    {"com.sun.proxy.$Proxy7.get", "com.sun.proxy.$Proxy.get"},
    {"m.Map[go.shape.int,go.shape.[]uint8]", "m.Map[...]"},
    {"m.Map[go.shape.[]int].Get", "m.Map[...].Get"},
    {"a::b::h0123456789abcdef", "a::b"},
    {"a::b::h0123456789abcdeg", "a::b::h0123456789abcdeg"},
    {"x.org/m@v1.2.3-rc1/a.go", "x.org/m/a.go"},
    {"mail@version", "mail@version"},
    {"main.func1", "main.func1"},
};

static void test_names(void **state)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct buf to = {0};
        struct prof_slice name = {names[i][0], strlen(names[i][0])};
        assert_true(names_match(&to, name) && buf_putc(&to, 0));
        assert_string_equal((const char *)to.v, names[i][1]);
        buf_free(&to);
    }
}

/* --- verdicts ------------------------------------------------------------- */

enum { MOST_ROWS = 50, MOST_RUNS = 20 };

/* A comparison of flat rows. */
struct trial {
    struct counts counts[COMPARE_MEASURES];
    struct compare_row rows[MOST_ROWS];
    double totals[MOST_RUNS], values[MOST_ROWS * MOST_RUNS];
    struct compare_result result;
};

static void judge_trial(struct trial *t, size_t runs, size_t rows)
{
    struct compare_result *r = &t->result;
    struct prof_err err;
    *r = (struct compare_result){.opts = COMPARE_DEFAULTS,
                                 .is_counted = true,
                                 .others = 1,
                                 .rows = t->rows,
                                 .n_rows = rows};
    r->opts.assume_poisson = runs == 1;
    for (int m = 0; m < COMPARE_MEASURES; m++)
        t->counts[m] = (struct counts){.n_runs = {runs, runs},
                                       .totals = t->totals,
                                       .values = t->values,
                                       .n_rows = m == COMPARE_FLAT ? rows : 0,
                                       .is_counted = true};
    for (size_t i = 0; i < rows; i++) {
        struct compare_row *row = &t->rows[i];
        double sum[COMPARE_SIDES] = {0}, total[COMPARE_SIDES] = {0};
        *row = (struct compare_row){.name = {"f", 1}};
        for (size_t k = 0; k < 2 * runs; k++) {
            sum[k >= runs] += t->values[i * 2 * runs + k];
            total[k >= runs] += t->totals[k];
        }
        for (int side = 0; side < COMPARE_SIDES; side++) {
            row->count[side] = sum[side];
            row->share[side] = sum[side] / total[side];
        }
    }
    assert_true(judge(t->counts, r, &err));
}

static void test_one_run(void **state)
{
    struct trial t;
    t.totals[0] = t.totals[1] = 10000;
    t.values[0] = 100;
    t.values[1] = 150;
    judge_trial(&t, 1, 1);
    assert_int_equal(t.rows[0].verdict, COMPARE_SLOWER);
    assert_near(t.rows[0].p, 0.00146146145);
    assert_near(t.rows[0].low, 1.167272198);
    assert_near(t.rows[0].high, 1.92785843);
}

/* Numbers that are the same on every machine. */
static uint64_t random_state;

static double uniform(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return ((double)(random_state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * 3.14159265358979 * uniform());
}

/* A count with this mean, and `dispersion` times the variance of sampling. */
static double draw(double mean, double dispersion)
{
    double x = floor(mean + normal() * sqrt(mean * dispersion) + 0.5);
    return x > 0 ? x : 0;
}

/* Shares fall from 12 % on; function `changed` grows by a factor. */
static bool try_once(struct trial *t, size_t runs, double dispersion,
                     size_t changed, double factor)
{
    enum { ROWS = 40, SAMPLES = 5000 };
    memset(t->totals, 0, sizeof t->totals);
    double share = 0.12;
    for (size_t i = 0; i < ROWS; i++, share *= 0.9)
        for (size_t k = 0; k < 2 * runs; k++) {
            const bool grown = i == changed && k >= runs;
            const double mean = SAMPLES * share * (grown ? factor : 1);
            t->totals[k] += t->values[i * 2 * runs + k] =
                draw(mean, dispersion);
        }
    judge_trial(t, runs, ROWS);
    return t->result.n_verdicts[COMPARE_SLOWER] +
           t->result.n_verdicts[COMPARE_FASTER];
}

/* At most alpha of the comparisons of equal sides show a change. */
static void test_false_alarms(void **state)
{
    enum { TRIALS = 120 };
    static const double dispersions[] = {1, 2, 5, 20};
    static const size_t runs[] = {3, 5, 10};
    struct trial *t = malloc(sizeof *t);
    assert_non_null(t);
    random_state = 88172645463325252u;
    for (size_t d = 0; d < 4; d++)
        for (size_t n = 0; n < 3; n++) {
            size_t alarms = 0;
            for (size_t i = 0; i < TRIALS; i++)
                alarms += try_once(t, runs[n], dispersions[d], SIZE_MAX, 1);
            /* Three standard errors above 0.05. */
            if (alarms > TRIALS * 0.05 + 3 * sqrt(TRIALS * 0.05 * 0.95))
                fail_msg("dispersion %g, %zu runs: %zu alarms in %d",
                         dispersions[d], runs[n], alarms, TRIALS);
        }
    free(t);
}

/* A change by half of a share of 7 % is found, with as few as three runs. */
static void test_power(void **state)
{
    enum { TRIALS = 50, CHANGED = 5 };
    struct trial *t = malloc(sizeof *t);
    size_t found = 0;
    assert_non_null(t);
    random_state = 1234567;
    for (size_t i = 0; i < TRIALS; i++)
        found += try_once(t, 3, 2, CHANGED, 1.5);
    assert_true(found >= TRIALS * 9 / 10);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_student),      cmocka_unit_test(test_prior),
        cmocka_unit_test(test_names),        cmocka_unit_test(test_one_run),
        cmocka_unit_test(test_false_alarms), cmocka_unit_test(test_power),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
