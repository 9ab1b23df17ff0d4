/*
 * wide.h - values that a double cannot hold
 *
 * JavaScript, and with it what reads the formats of speedscope and of the
 * Firefox Profiler, has doubles for numbers: integers of more than 53 bits are
 * rounded when they are read, unless their last bits are 0.
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_WIDE_H
#define PROFUTILS_REPORT_WIDE_H

#include "report/out.h"

/* How many values of samples are rounded. */
size_t wide_values(const struct profile *p);

/* Warns of them, if any; reader: "speedscope rounds". */
void wide_warn(const struct report *r, const char *reader);

#endif
