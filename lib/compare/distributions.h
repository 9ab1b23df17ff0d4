/*
 * distributions.h - Student's t, and the spread of variances
 *
 * The incomplete beta function is summed as a continued fraction and the
 * derivatives of log gamma as asymptotic series: M. Abramowitz, I. A. Stegun,
 * Handbook of Mathematical Functions, 26.5.8, 6.3.18 and 6.4.12.  Results have
 * at least eight correct digits.
 */
#ifndef PROFUTILS_COMPARE_DISTRIBUTIONS_H
#define PROFUTILS_COMPARE_DISTRIBUTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* The probability that t with df > 0 degrees of freedom (INFINITY: a normal
 * variable) is above x. */
double student_above(double x, double df);

/* The x that t is above with probability p, 0 < p < 0.5. */
double student_quantile(double p, double df);

/*
 * Variances of samples vary more than chance explains if those of the
 * populations do.  A prior says how: the variance of a population is that of
 * `df` further observations with the variance `s2` (G. K. Smyth, Linear models
 * and empirical Bayes methods, 2004, section 6.2).
 */
struct variance_prior {
    double s2;
    double df; /* great if all populations have the same variance */
};

/*
 * From n > 1 ascending variances above 0, each of `df` degrees of freedom.  A
 * few populations may vary more than all others do: `df` is then so small that
 * the prior explains the greatest variances.
 */
struct variance_prior variance_prior_of(const double *s2, size_t n, double df);

#endif
