/*
 * gmon_writer.h - a profile of a gmon.out in the making; private to its
 * writers
 */
#ifndef PROFUTILS_IMPORT_GMON_WRITER_H
#define PROFUTILS_IMPORT_GMON_WRITER_H

#include "import/gmon.h"
#include "import/gmon_exe.h"
#include "profile/locmap.h"
#include "profile/profile.h"

enum { GMON_MAX_TYPES = 4 };

struct gmon_writer {
    const struct gmon *g;
    const struct gmon_exe *exe; /* or null */
    const struct notes *notes;
    struct profile *p;
    uint32_t mapping;
    uint64_t unit; /* values per unit of the dimension: 1e9 for seconds;
                      for what is no time, the rates' common multiple */
    int samples, amount, calls, blocks; /* value types; -1: not there */
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

#endif
