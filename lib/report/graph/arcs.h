/*
 * arcs.h - functions, the calls between them, and time by gprof's model
 *
 * A profile of gmon2pb has samples of two kinds: with the time of a function
 * (the leaf), and with the number of calls of a function (the leaf) by another
 * (the next frame).  From these alone, without the stacks that gmon2pb
 * estimates, follow the numbers of gprof's tables
 * (https://sourceware.org/binutils/docs/gprof/Implementation.html):
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
    double self, child; /* the caller's share of the callee's */
};

struct arc_node {
    double self, child; /* its own time, and that of what it calls */
    uint64_t calls;     /* by other functions */
    uint64_t own_calls; /* by itself */
    uint32_t cycle;     /* index in arcs.cycle plus 1; 0: none */
};

struct arc_cycle {
    double self, child;
    uint64_t calls;     /* from outside */
    uint64_t own_calls; /* within */
};

struct arcs {
    struct nodes nodes;
    struct arc_node *node; /* nodes.n */
    /* By callee, then by caller; none to itself. */
    VEC(struct arc) list;
    size_t *in;  /* nodes.n + 1: calls of node i, list.v[in[i] .. in[i + 1]) */
    size_t *out; /* nodes.n + 1: its own, by_caller[out[i] .. out[i + 1]) */
    size_t *by_caller; /* indices of list.v */
    struct arc_cycle *cycle;
    size_t n_cycles;
    double total; /* of the functions' own time */
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
