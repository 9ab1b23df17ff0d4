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

/* Returns the probability that Student's t with df > 0 degrees of freedom
 * (INFINITY: a normal variable) exceeds x. */
double student_above(double x, double df);

/* Returns the x that t exceeds with probability p, 0 < p < 0.5. */
double student_quantile(double p, double df);

/*
 * Variances of samples differ more than by chance if the populations differ in
 * variance.  The prior describes how much: to estimate the variance of a
 * population, `df` observations with the variance `s2` are added to its own
 * (G. K. Smyth, Linear models and empirical Bayes methods, 2004, section 6.2).
 */
struct variance_prior {
    double s2;
    double df; /* large if all populations have about the same variance */
};

/*
 * Estimates the prior from n > 1 variances, ascending and greater than 0, each
 * with `df` degrees of freedom.  If a few populations vary more than all
 * others, the `df` of the prior is small enough to explain the greatest
 * variances.
 */
struct variance_prior variance_prior_of(const double *s2, size_t n, double df);

#endif
