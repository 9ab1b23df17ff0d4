/*
 * gmon_flat.h - histograms and arcs by function
 *
 * What gmon_profile.h writes of a program whose functions are known, so that
 * call stacks can be estimated from it (profile/estimate.h):
 *
 *   bin    one part for each function that owns some of it (owners.h,
 *          gmon_credit.h): a sample of one frame
 *   arc    a sample of callee and caller, both at the entries of their
 *          functions, with calls and no time; an end in no function is at
 *          the address that the file has
 *   entry  the same of the callee alone
 *   block  as in gmon_profile.h, and so are the types
 *
 * Profiles of several files add up to that of all of them at once.  Where
 * amounts do not divide evenly, which takes a rate or a width of bins that
 * is unusual, parts of a bin may differ by 1.
 *
 * Frames are to be symbolized, and after that gmon_name_frames() gives them
 * the function by which gprof calls them: DWARF and gprof do not always
 * agree on whose an address is.
 */
#ifndef PROFUTILS_IMPORT_GMON_FLAT_H
#define PROFUTILS_IMPORT_GMON_FLAT_H

#include "base/vec.h"
#include "import/gmon/gmon_profile.h"
#include "profile/profile.h"
#include "symbol/owners.h"
#include "symbol/symbol.h"

/* What a location stands for. */
enum gmon_frame_kind {
    GMON_FRAME_LEAF,  /* of a bin, or the end of an arc in no function */
    GMON_FRAME_ENTRY, /* a function, at its entry */
    GMON_FRAME_OTHER, /* a basic block */
};

struct gmon_frame {
    enum gmon_frame_kind kind;
    uint32_t func; /* of the owners, or SYM_NO_OWNER */
};

/* Of the locations in order. */
struct gmon_frames {
    struct gmon_frame *v;
    size_t n, cap;
};

/*
 * Makes *p, initialised here, of a gmon.out whose functions the owners are,
 * and *frames.  ERR_INPUT when a value does not fit 63 bits.
 */
bool gmon_flat(const struct gmon_job *job, const struct sym_owners *owners,
               struct profile *p, struct gmon_frames *frames, struct err *err);
void gmon_frames_free(struct gmon_frames *frames);

/*
 * After symbolization: names the frames by their functions.  Bins keep lines
 * (and inlined frames, if they have any) that are of this function; entries
 * have no line.  Bins without an owner stay without a name.
 */
bool gmon_name_frames(struct profile *p, const struct gmon_frames *frames,
                      const struct sym_owners *owners,
                      enum sym_demangle demangle, struct err *err);

#endif
