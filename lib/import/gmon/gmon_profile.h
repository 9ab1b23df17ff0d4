/*
 * gmon_profile.h - histograms and arcs as a profile
 *
 *   bin    a sample of one frame at the last byte that the bin covers.  The
 *          program counter that was counted is the start of an instruction
 *          inside the bin; where only one starts there, its bytes reach the
 *          bin's last, while the first byte is often the end of the
 *          instruction before.
 *   arc    a sample of two frames, callee and caller, at the addresses that
 *          the file has, with calls and no time.
 *   entry  the same of one frame, the callee: who called is not known.
 *   block  a sample of one frame with the times it ran.
 *
 * Sample types, in this order whatever the files have: samples/count,
 * cpu/nanoseconds (or, where the files declare another dimension than time,
 * that dimension's name/count), calls/count and, if they are asked for,
 * bb_executions/count.  Where the dimension or all rates are not known, cpu
 * is 0 everywhere.
 *
 * Amounts are count / rate of each histogram on its own, in nanoseconds.
 * Where that is no whole number the rest is carried to the next bin, so that
 * each value is less than 1 ns off and a histogram's sum at most half of it.
 * What is no time is exact: where a rate is not 1, the values are in parts
 * of a whole, of which the unit has the number, as in "/100".
 *
 * One mapping goes from the least low to the greatest high, or if it begins
 * inside the program, over all that this loads; a shared library's begins at
 * 0.  Darwin's images have one each, from where they begin to the next.
 */
#ifndef PROFUTILS_IMPORT_GMON_PROFILE_H
#define PROFUTILS_IMPORT_GMON_PROFILE_H

#include "import/gmon/gmon.h"
#include "import/gmon/gmon_exe.h"
#include "profile/profile.h"

/* Which locations came of what, for what is done after symbolization. */
struct gmon_places {
    struct gmon_bins bins; /* of location i: the first byte of its bin */
    uint32_t arcs;         /* locations from this one on are those of arcs */
};

/* What to make a profile of. */
struct gmon_job {
    const struct gmon *g;
    const struct gmon_exe *exe; /* null: not known */
    const struct notes *notes;
    bool blocks; /* write basic-block counts, too */
};

/*
 * Makes *p, initialised here, and *places.  ERR_INPUT when a value does not
 * fit 63 bits.
 */
bool gmon_profile(const struct gmon_job *job, struct profile *p,
                  struct gmon_places *places, struct err *err);
void gmon_places_free(struct gmon_places *places);

/*
 * Moves the bins' locations that have no lines from the last byte of the bin
 * to the first or, when called again, back; true if there are any.  For a
 * second try at symbolization: the last byte can be padding behind the
 * function that the first is in.
 */
bool gmon_other_ends(struct profile *p, struct gmon_places *places);

/*
 * After symbolization: leaves locations of arcs with the name of the
 * function they are in.  The caller of an arc is rounded down by up to 15
 * bytes and the callee is a place in the function's prologue: their lines
 * and inlined frames would be those of code that has nothing to do with it.
 */
void gmon_arcs_by_function(struct profile *p, const struct gmon_places *places);

#endif
