/*
 * gmon_convert.h - a gmon.out and its executable as a profile
 *
 * What was measured: samples of one frame with time, and of callee and caller
 * with calls.  Symbols decide how: with them it is by function (gmon_flat.h),
 * and call stacks can be estimated from it (profile/estimate.h); without, or
 * of a program whose functions are not known, by address (gmon_profile.h).
 */
#ifndef PROFUTILS_IMPORT_GMON_CONVERT_H
#define PROFUTILS_IMPORT_GMON_CONVERT_H

#include "import/gmon/gmon.h"
#include "import/gmon/gmon_exe.h"
#include "symbol/symbol.h"

struct gmon_convert_opts {
    const char *path;           /* as in symbol.h; null: none */
    struct sym_cache *binaries; /* likewise */
    bool no_symbols;            /* addresses stay without names */
    bool blocks;                /* basic-block counts, too */
    enum sym_demangle demangle;
    bool inlines; /* show functions inlined where time was spent */
};

/*
 * The profile of *g, a gmon.out of *exe (null: of nothing known).  *p is
 * initialised here and to be freed in any case.
 */
bool gmon_convert(const struct gmon *g, const struct gmon_exe *exe,
                  const struct gmon_convert_opts *opts, struct profile *p,
                  const struct notes *notes, struct err *err);

#endif
