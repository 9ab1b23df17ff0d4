/*
 * arcs.h - computes gprof's tables: time by function and by call
 *
 * A profile of gmon2pb has two kinds of samples: some have the time of a
 * function (the leaf), others the number of calls of a function (the leaf) by
 * another one (the next frame).  The numbers of gprof's tables
 * (https://sourceware.org/binutils/docs/gprof/Implementation.html) are computed
 * from these, without the stacks that gmon2pb estimates:
 *
 *   - The callers of a function share its time in proportion to their calls.
 *   - Functions that call each other form a cycle.  Calls within one, and those
 *     of a function to itself, pass on no time; callers from outside share the
 *     time of the cycle.
 */
#ifndef PROFUTILS_REPORT_ARCS_H
#define PROFUTILS_REPORT_ARCS_H

#include "base/vec.h"
#include "report/graph/nodes.h"

/* Times are values of the profile's type. */
struct arc {
    uint32_t from, to; /* nodes; from: PROF_NONE if the caller is unknown */
    uint64_t calls;
    double self, child; /* the part of the callee's that the caller gets */
};

struct arc_node {
    double self, child; /* its own time, and that of its callees */
    uint64_t calls;     /* calls of it by other functions */
    uint64_t own_calls; /* calls of it by itself */
    uint32_t cycle;     /* index in arcs.cycle plus 1; 0: none */
};

struct arc_cycle {
    double self, child;
    uint64_t calls;     /* from functions outside of the cycle */
    uint64_t own_calls; /* between its functions */
};

struct arcs {
    struct nodes nodes;
    struct arc_node *node; /* by node: its times and calls */
    /* Sorted by callee, then by caller; a call of itself is not here. */
    VEC(struct arc) list;
    size_t *in;        /* nodes.n + 1: node i is the callee of the arcs
                          list.v[in[i] .. in[i + 1]) */
    size_t *out;       /* nodes.n + 1: node i is the caller of the arcs
                          list.v[by_caller[k]], out[i] <= k < out[i + 1] */
    size_t *by_caller; /* indices of list.v */
    struct arc_cycle *cycle;
    size_t n_cycles;
    double total; /* sum of the functions' own times */
};

/*
 * Makes the arcs of *p, which must outlive *a and have no inlined functions.
 * `type` is the index of the type of times, `calls` that of call counts or -1.
 * PROF_ERR_INPUT if counts exceed 64 bits.  The caller frees *a, after a
 * failure too.
 */
bool arcs_init(struct arcs *a, const struct profile *p, size_t type, int calls,
               struct prof_err *err);
void arcs_free(struct arcs *a);

#endif
