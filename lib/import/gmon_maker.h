/*
 * gmon_maker.h - stacks in the making; private to gmon_stacks.h's files
 */
#ifndef PROFUTILS_IMPORT_GMON_MAKER_H
#define PROFUTILS_IMPORT_GMON_MAKER_H

#include "import/gmon_credit.h"
#include "import/gmon_graph.h"
#include "import/gmon_paths.h"
#include "import/gmon_stacks.h"
#include "import/gmon_sweep.h"
#include "import/gmon_writer.h"

struct gmon_maker {
    struct gmon_writer w;
    const struct sym_owners *owners;
    struct gmon_frames *frames; /* as many as there are locations */
    struct gmon_parts parts;    /* of a source: parts.v[part ..] */
    struct gmon_graph graph;
    VEC(struct gmon_source) sources;
    VEC(size_t) source_part; /* the first of its parts; one more at the end */
    struct gmon_paths paths;
    uint32_t *entry; /* of a node of the graph: its location, or PROF_NONE */
    struct gmon_cuts cuts; /* stacks that are not of paths */
    uint64_t max_stacks;
    bool timed;              /* some part has an amount */
    double cut, missed, all; /* time (or samples) of cuts, of those that went
                                wrong, and of everything */
};

/* Puts down what the locations are that were added since the last time. */
bool gmon_mark_frames(struct gmon_maker *m, enum gmon_frame_kind kind,
                      uint32_t func, struct err *err);

/* The location of a function's entry, or of a cycle. */
bool gmon_entry(struct gmon_maker *m, uint32_t node, uint32_t *location,
                struct err *err);

/* m->graph from the arcs between functions; says how many are not. */
bool gmon_make_graph(struct gmon_maker *m, struct err *err);

/* Arcs as samples. */
bool gmon_write_arcs(struct gmon_maker *m, struct err *err);

/* Samples of all paths of all sources; m->cuts of the paths that are cut. */
bool gmon_write_stacks(struct gmon_maker *m, struct err *err);

/* Sweeps m->cuts, and makes samples of them. */
bool gmon_write_cuts(struct gmon_maker *m, struct err *err);

#endif
