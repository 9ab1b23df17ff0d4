/* distributions.c - Student's t distribution, and priors of variances */
#include "compare/distributions.h"

#include <float.h>
#include <math.h>

/* A continued fraction has converged if a factor differs from 1 by less. */
#define NEGLIGIBLE 1e-15
/* Degrees of freedom of the most certain prior, and of the weakest. */
#define MOST_DF 1e4
#define LEAST_DF 1

/* Continued fraction of the incomplete beta function (Lentz's method). */
static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
    double sum = d;
    for (int m = 1; m < 10000; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd =
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double factor = 1;
        for (int half = 0; half < 2; half++) {
            double k = half ? odd : even;
            d = 1 + k * d;
            c = 1 + k / c;
            d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
            c = fabs(c) < DBL_MIN ? DBL_MIN : c;
            factor = c * d;
            sum *= factor;
        }
        if (fabs(factor - 1) < NEGLIGIBLE)
            break;
    }
    return sum;
}

/* Returns the regularized incomplete beta function. */
static double beta_below(double a, double b, double x)
{
    if (x <= 0 || x >= 1)
        return x > 0;
    double front =
        exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_above(double x, double df)
{
    double tail = isinf(df) ? erfc(fabs(x) / sqrt(2)) / 2
                            : beta_below(df / 2, 0.5, df / (df + x * x)) / 2;
    return x < 0 ? 1 - tail : tail;
}

double student_quantile(double p, double df)
{
    double low = 0, high = 1;
    while (student_above(high, df) > p && high < 1e15)
        high *= 2;
    for (int i = 0; i < 200 && high - low > 1e-10 * high; i++) {
        double middle = (low + high) / 2;
        if (student_above(middle, df) > p)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* From this x on, the asymptotic series are precise enough. */
enum { ASYMPTOTIC = 10 };

static double digamma(double x)
{
    double shift = 0;
    while (x < ASYMPTOTIC) {
        shift -= 1 / x;
        x++;
    }
    double y = 1 / (x * x);
    return shift + log(x) - 0.5 / x -
           y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y / 240)));
}

static double trigamma(double x)
{
    double shift = 0;
    while (x < ASYMPTOTIC) {
        shift += 1 / (x * x);
        x++;
    }
    double y = 1 / (x * x);
    return shift + 1 / x + y / 2 +
           y / x * (1.0 / 6 - y * (1.0 / 30 - y * (1.0 / 42 - y / 30)));
}

/* Inverts trigamma(), which falls from infinity to 0, by bisection. */
static double trigamma_inverse(double y)
{
    double low = 1e-8, high = 1e8;
    for (int i = 0; i < 200 && high - low > 1e-12 * high; i++) {
        double middle = sqrt(low * high);
        if (trigamma(middle) > y)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Probability that a ratio of variances with these df exceeds x. */
static double variance_above(double x, double df1, double df2)
{
    return beta_below(df2 / 2, df1 / 2, df2 / (df2 + df1 * x));
}

/* Fits a prior to the logarithms' mean and spread, less what chance adds. */
static struct variance_prior by_moments(const double *s2, size_t n, double df)
{
    const double bias = digamma(df / 2) - log(df / 2);
    double mean = 0, spread = 0;
    for (size_t i = 0; i < n; i++)
        mean += (log(s2[i]) - bias) / (double)n;
    for (size_t i = 0; i < n; i++) {
        double e = log(s2[i]) - bias - mean;
        spread += e * e / (double)(n - 1);
    }
    spread -= trigamma(df / 2);
    if (spread <= 0)
        return (struct variance_prior){exp(mean), MOST_DF};
    double half = trigamma_inverse(spread);
    double most = 2 * half < MOST_DF ? 2 * half : MOST_DF;
    return (struct variance_prior){exp(mean + digamma(half) - log(half)), most};
}

/* Whether the prior expects about as many great variances as exist, or more. */
static bool explains(const struct variance_prior *prior, const double *s2,
                     size_t n, double df)
{
    for (size_t k = 1; k <= (n + 4) / 5; k++) {
        double expected =
            (double)n * variance_above(s2[n - k] / prior->s2, df, prior->df);
        if (expected < (double)k - 0.3 - 0.4 * sqrt((double)k))
            return false;
    }
    return true;
}

struct variance_prior variance_prior_of(const double *s2, size_t n, double df)
{
    struct variance_prior prior = by_moments(s2, n, df);
    while (prior.df > LEAST_DF && !explains(&prior, s2, n, df))
        prior.df *= 0.9;
    return prior;
}
