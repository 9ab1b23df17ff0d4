/*
 * callnames.h - what callgrind's format calls the nodes of a graph
 *
 * Readers of that format know a function by its name and file (KCachegrind
 * by its binary, too).  Here a function is what has the same binary, file,
 * name and first line, and in a tree of calls also the same caller; nodes
 * without a name are functions of their own.  Where several functions of a
 * file have one name, " [2/5]" is put behind it, and so wherever it is
 * mentioned.
 *
 * Names have no control characters and do not begin with a space, which
 * readers would take for something else; what is not known is called "???",
 * as callgrind does.
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_CALLNAMES_H
#define PROFUTILS_REPORT_CALLNAMES_H

#include "base/vec.h"
#include "report/graph/edges.h"

/* The texts of a place, as ids in callnames.texts. */
struct callnames_place {
    uint32_t object, file, name;
    uint32_t function; /* private: the first place of the same function */
};

struct callnames_fn {
    uint32_t place;
    uint32_t group;  /* private: of the functions with its file and name */
    uint32_t number; /* in the group, from 1 */
};

struct callnames {
    struct strtab texts;
    struct callnames_place *place; /* by place */
    uint32_t *fn;                  /* by node; PROF_NONE if it is nowhere */
    VEC(struct callnames_fn) fns;  /* in the order of rows */
    VEC(uint32_t) group;           /* private: how many functions it has */
    size_t n_changed;              /* texts that are not what they were */
};

/* Names of all nodes of the cut and of the edges.  Free it in any case. */
bool callnames_init(struct callnames *c, const struct graph *g,
                    const struct graph_cut *cut, const struct edges *edges,
                    struct err *err);
void callnames_free(struct callnames *c);

/* How many functions have the name and file of this one. */
static inline uint32_t callnames_namesakes(const struct callnames *c,
                                           uint32_t fn)
{
    return c->group.v[c->fns.v[fn].group];
}

#endif
