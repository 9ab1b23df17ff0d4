/*
 * gmon_bins.h - which addresses a histogram bin covers
 *
 * The C libraries and kernels that count with profil(2)'s arithmetic put the
 * program counter pc into the bin
 *
 *      floor(floor((pc - low) / 2) * s / 65536)
 *
 * where s is 65536 * 2 * bins / (high - low) in single precision, cut to an
 * integer, and at most 65536 (glibc: gmon/gmon.c, sysdeps/posix/profil.c).
 * Bin i hence begins at low + 2 * ceil(i * 65536 / s): an exact inverse,
 * where gprof's even division drifts by some bytes.
 *
 * Producers that divide the range evenly (OpenOCD) show themselves by more
 * than one bin per two bytes, or by a count where profil() cannot put one.
 */
#ifndef PROFUTILS_IMPORT_GMON_BINS_H
#define PROFUTILS_IMPORT_GMON_BINS_H

#include "import/gmon/gmon.h"

struct gmon_scale {
    uint64_t low, range;
    uint32_t n_bins, s; /* s is 0: the range is divided evenly */
};

/* How *h, of which bins[0 .. n_bins) are the counts, divides its range. */
struct gmon_scale gmon_scale_of(const struct gmon_hist *h,
                                const uint64_t *bins);

/*
 * The first address of bin i; of bin n_bins, or of one past what the range
 * holds: the end of the range.  Bin i covers the addresses from its own to
 * before the next one's start, perhaps none.
 */
uint64_t gmon_bin_start(const struct gmon_scale *scale, uint32_t i);

#endif
