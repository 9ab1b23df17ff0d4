/*
 * gmon_convert.h - a gmon.out and its executable as a profile
 *
 * Symbols make the difference: with them, call stacks are estimated
 * (gmon_stacks.h) unless they are not wanted; without, or of a program whose
 * functions are not known, it is what was measured (gmon_profile.h).
 */
#ifndef PROFUTILS_IMPORT_GMON_CONVERT_H
#define PROFUTILS_IMPORT_GMON_CONVERT_H

#include "import/gmon.h"
#include "import/gmon_exe.h"
#include "symbol/symbol.h"

struct gmon_convert_opts {
    const char *path;           /* as in symbol.h; null: none */
    struct sym_cache *binaries; /* likewise */
    bool no_symbols;            /* addresses stay without names */
    bool flat;                  /* only what was measured */
    bool blocks;                /* basic-block counts, too */
    enum sym_demangle demangle;
    bool inlines;    /* show functions inlined where time was spent; by default
                        only where no stacks are estimated */
    bool no_inlines; /* never */
    uint64_t max_stacks;
};

/*
 * The profile of *g, a gmon.out of *exe (null: of nothing known).  *p is
 * initialised here and to be freed in any case.
 */
bool gmon_convert(const struct gmon *g, const struct gmon_exe *exe,
                  const struct gmon_convert_opts *opts, struct profile *p,
                  const struct notes *notes, struct err *err);

#endif
