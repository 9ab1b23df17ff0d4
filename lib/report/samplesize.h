/*
 * samplesize.h - about how long the text of a sample is going to be
 *
 * Short ones are told from what the longest frame and label have; only where
 * that is not enough is it added up.
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_SAMPLESIZE_H
#define PROFUTILS_REPORT_SAMPLESIZE_H

#include "report/stacktext.h"

struct samplesize {
    const struct profile *p;
    const struct stacktext *stacks;
    size_t frame, label; /* the longest of each */
    size_t values;
};

struct samplesize samplesize_of(const struct profile *p,
                                const struct stacktext *stacks);

/* In bytes; what is more than SIZE_MAX is that. */
size_t samplesize(const struct samplesize *z, size_t sample);

#endif
