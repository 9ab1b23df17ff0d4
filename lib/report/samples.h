/*
 * samples.h - reports that print every sample with its stack
 *
 * Such a report makes the text of stacks once (see stacktext.h) and gives a
 * function that prints one sample; the rest is done here, by several threads.
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_SAMPLES_H
#define PROFUTILS_REPORT_SAMPLES_H

#include "report/labels.h"
#include "report/out.h"
#include "report/stacktext.h"

/* What a thread prints samples with. */
struct sample_printer {
    struct report report; /* whose `out` and `label` are the thread's */
    struct stacktext stacks;
    struct labels_scratch scratch;
    void *ctx; /* of the report, which threads must not change */
};

/* Appends a sample to p->report.out; false when memory is out. */
typedef bool sample_fn(struct sample_printer *p, size_t sample);

/*
 * Prints all samples in their order.  *stacks has the text of all locations
 * and stays as it is.  False when memory is out or the text does not get
 * where it goes.
 */
bool report_samples(struct report *r, const struct stacktext *stacks,
                    sample_fn *fn, void *ctx);

#endif
