/*
 * disasm.h - the functions that --disasm shows
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_DISASM_H
#define PROFUTILS_REPORT_DISASM_H

#include "base/vec.h"
#include "report/code/binaries.h"
#include "report/code/pattern.h"
#include "symbol/objdump.h"

/* A function of a binary that has samples. */
struct routine {
    uint64_t begin, end; /* addresses in the binary */
    uint64_t bias;       /* of the mapping's */
    size_t path;         /* of the binary; these two are in disasm.text, .. */
    size_t name;         /* .. the names one after the other */
    size_t n_names;
    size_t first, n; /* nodes of disasm.node */
};

struct disasm {
    struct report *r;
    struct graph g;
    struct pattern pattern;
    struct binaries binaries;
    struct sym_code code;
    uint32_t *node; /* that have values, by address */
    size_t n_nodes;
    bool *wanted; /* by string id: of what binaries functions may match */
    VEC(struct routine) routines;
    struct buf text;
    bool found_address;
};

/*
 * Fills d->node and d->routines, in order of name: the functions that match
 * d->pattern and have nodes of d->g.  ERR_ANSWER_NO when there is none.
 */
bool disasm_find(struct disasm *d, struct err *err);

#endif
