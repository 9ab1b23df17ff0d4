/*
 * gmon_writer.h - a profile of a gmon.out in the making; private to its
 * writers
 */
#ifndef PROFUTILS_IMPORT_GMON_WRITER_H
#define PROFUTILS_IMPORT_GMON_WRITER_H

#include "import/gmon/gmon.h"
#include "import/gmon/gmon_exe.h"
#include "profile/profile.h"

/* The value types, in this order in every profile. */
enum {
    GMON_SAMPLES,
    GMON_AMOUNT, /* cpu, or another dimension that the files declare */
    GMON_CALLS,
    GMON_BLOCKS, /* only if they were asked for */
    GMON_MAX_TYPES
};

struct gmon_writer {
    const struct gmon *g;
    const struct gmon_exe *exe; /* or null */
    const struct notes *notes;
    struct profile *p;
    uint32_t mapping;
    uint64_t unit; /* values per unit of the dimension: 1e9 for seconds;
                      for what is no time, the rates' common multiple;
                      0: not known */
    bool blocks;   /* basic-block counts are written, too */
    struct locmap locs;
};

/*
 * Gives the empty w->p its sample types, period, mapping and comments, and
 * warns of what is odd about the histograms.
 */
bool gmon_write_head(struct gmon_writer *w, struct err *err);

/* Adds the one mapping, w->mapping. */
bool gmon_write_mapping(struct gmon_writer *w, struct err *err);

/*
 * When all locations are there: puts those of Darwin's images into mappings
 * of their own.
 */
bool gmon_split_mapping(struct gmon_writer *w, struct err *err);

/* A bin that has a count. */
struct gmon_bin {
    const struct gmon_hist *hist;
    uint32_t index;
    uint64_t start, end; /* what it covers by gmon_bins.h; perhaps nothing */
    uint64_t count;      /* fits 63 bits */
    int64_t amount;      /* 0 where there is no type for it, or no rate */
};

/* The last byte that it covers, or where it is. */
static inline uint64_t gmon_bin_last(const struct gmon_bin *bin)
{
    return bin->end > bin->start ? bin->end - 1 : bin->start;
}

typedef bool gmon_bin_fn(void *ctx, const struct gmon_bin *bin,
                         struct err *err);

/*
 * Calls fn for each bin of *h with a count, as long as it returns true.
 * Warns of bins without addresses, which are left out.  ERR_INPUT when a
 * value does not fit 63 bits.
 */
bool gmon_each_bin(const struct gmon_writer *w, const struct gmon_hist *h,
                   gmon_bin_fn *fn, void *ctx, struct err *err);

/* Basic-block counts as samples of one frame. */
bool gmon_write_blocks(struct gmon_writer *w, struct err *err);

/* ERR_INPUT: "the value at ADDRESS is too large"; false. */
bool gmon_too_large(uint64_t address, struct err *err);

#endif
