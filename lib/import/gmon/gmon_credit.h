/*
 * gmon_credit.h - the time of bins, divided among functions
 *
 * gprof's rule: addresses count in units of two bytes, a function owns those
 * from the unit its symbol is in, and bin i of n covers the whole units from
 * i / n to (i + 1) / n of the histogram's.  A bin is divided among the
 * functions in proportion to the units that it has of each.
 *
 * Time is divided, and counts of samples, which cannot be in halves, go to the
 * function that has most of the bin.  Of several files the parts then add up
 * to those of their sum, as far as time divides evenly: it does where a tick
 * is 10 ms and a bin 2, 4, 8 ... 256 bytes.  Elsewhere each part is less than
 * 1 off, as are counts where there is no time.
 *
 * Two things are different.  All of a bin is given out, by largest
 * remainder: gprof gives overlap / (units / bins), which is more or less
 * than the bin had where a bin is not a whole number of units wide.  And a
 * bin that has no whole unit goes to the owner of its last byte; gprof
 * forgets it.
 */
#ifndef PROFUTILS_IMPORT_GMON_CREDIT_H
#define PROFUTILS_IMPORT_GMON_CREDIT_H

#include "import/gmon/gmon_writer.h"
#include "symbol/owners.h"

/*
 * What a function, or SYM_NO_OWNER, has of the bins that end in it at this
 * address: their last byte there.  It lies in the function, and where
 * possible in what the bin covers by gmon_bins.h too.
 */
struct gmon_part {
    uint32_t func;
    uint64_t address, count, amount; /* amount is 0 where there is no time */
};

struct gmon_parts {
    struct gmon_part *v;
    size_t n, cap;
};

/*
 * Fills the empty *parts from all histograms of w->g, in order of function
 * and address, no two alike.  ERR_INPUT when a value does not fit 63 bits.
 */
bool gmon_credit(struct gmon_parts *parts, const struct gmon_writer *w,
                 const struct sym_owners *owners, struct err *err);

#endif
