/*
 * labels.h - the labels of a sample, key by key
 *
 * pprof prints a sample's labels in one line or row per key, string labels
 * apart from numbers, each kind sorted as text.  Two formats share that and
 * differ in what an entry looks like.  Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_LABELS_H
#define PROFUTILS_REPORT_LABELS_H

#include "report/out.h"

/* Labels v[0 .. n) of one key: all strings, or all numbers. */
typedef bool labels_entry_fn(void *ctx, const struct prof_label *v, size_t n,
                             struct buf *to);

/* Room that is used again from sample to sample; zero-initialise. */
struct labels_scratch {
    struct buf text;
    struct labels_span {
        size_t at, n;
    } * span;
    size_t cap_span;
    struct report *flow; /* null, or handed on between entries */
};

void labels_scratch_free(struct labels_scratch *s);

/*
 * Appends the entries that `entry` makes of the string labels of a set, or of
 * its numbers, to *to in the order of their text, with `between` in between.
 * False when memory is out.
 */
bool labels_put(const struct profile *p, uint32_t set, bool strings,
                labels_entry_fn *entry, void *ctx, const char *between,
                struct labels_scratch *scratch, struct buf *to);

#endif
