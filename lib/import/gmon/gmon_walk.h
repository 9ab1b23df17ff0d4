/*
 * gmon_walk.h - one pass over a file of GNU or LD_PROFILE; private to their
 * readers
 */
#ifndef PROFUTILS_IMPORT_GMON_WALK_H
#define PROFUTILS_IMPORT_GMON_WALK_H

#include "import/gmon/gmon_form.h"

struct gmon_walk {
    const struct gmon_input *in;
    struct gmon_form form;
    struct gmon *to; /* filled; null: only look whether it makes sense */
    size_t at;       /* the record at hand; all before it are good */
    size_t reached;  /* how far the bytes make sense */
};

/*
 * Takes the histogram whose record is at w->at and its body, behind the tag,
 * at `body`, and goes on to what follows:
 *
 *   low a, high a, bins 4, rate 4, dimension 15, abbreviation 1, the bins
 *
 * where a is the size of an address and nothing is aligned.
 */
bool gmon_walk_hist(struct gmon_walk *w, size_t body, struct err *err);

/*
 * Basic blocks of the GNU format, likewise: in version 0
 *
 *   blocks 4, text, then for each: count a, address a, text, text, line 4
 *
 * with texts ended by NUL, which are not kept; in version 1
 *
 *   blocks 4, then for each: address a, count a
 *
 * or, if `wide`, blocks in 8 bytes: what glibc writes where a is 8.
 */
bool gmon_walk_blocks(struct gmon_walk *w, uint32_t version, bool wide,
                      struct err *err);

#endif
