/*
 * firefox.h - a profile for the Firefox Profiler
 *
 * Its "processed profile" format, in the one version below; the viewer takes
 * older versions than its own.  What it is made of is published in
 *
 *   https://github.com/firefox-devtools/profiler/blob/main/src/types/profile.ts
 *
 * and what its versions changed in docs-developer/CHANGELOG-formats.md there.
 * Tables are objects of columns, which are arrays of one length; tables refer
 * to each other by row.
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_FIREFOX_H
#define PROFUTILS_REPORT_FIREFOX_H

#include "base/vec.h"
#include "report/graph/node.h"
#include "report/out.h"

enum {
    FIREFOX_VERSION = 70,      /* of the processed format, */
    FIREFOX_GECKO_VERSION = 36 /* and of what Firefox itself writes */
};

/* A function is all frames of one name and file. */
struct firefox_function {
    uint32_t name;   /* in strings */
    uint32_t source; /* in sources, or PROF_NONE */
};

struct firefox_frames {
    const struct nodes *nodes;
    struct strtab strings;
    VEC(uint32_t) sources; /* names of files, in strings */
    VEC(struct firefox_function) functions;
    uint32_t *function; /* by node, then that of VIEWER_NO_STACK */
};

/* False when memory is out; to be freed in any case. */
bool firefox_frames_init(struct firefox_frames *f, const struct nodes *nodes);
void firefox_frames_free(struct firefox_frames *f);

/*
 * Appends the tables of strings, sources, functions and frames, as members of
 * an object, and counts bytes that are not UTF-8.
 */
bool firefox_put_frames(struct report *r, const struct firefox_frames *f,
                        size_t *n_replaced);

#endif
