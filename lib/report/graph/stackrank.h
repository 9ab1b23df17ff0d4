/*
 * stackrank.h - stacks as arrays of ranks of names
 *
 * For reports on stacks, frames are the same if they are printed the same.
 * Here, the printed names are sorted bytewise and each frame is replaced by the
 * rank of its name.  Samples in the order of such stacks (columns.h) are
 * in the order of the printed names.
 *
 *      struct stackrank f = {0};
 *      struct stackrank_opts opts = {.threads = 1};
 *      ok = stackrank_init(&f, p, &opts, &err) &&
 *           stackrank_samples(&f, type, 1, &samples, &err);
 *      stackrank_free(&f);
 *
 * This replaces the frames of the profile's samples, so that only the values,
 * labels and strings of *p are valid afterwards.  It also replaces nodes.of:
 * frame i of location l has rank nodes.of[nodes.off[l] + i].
 *
 * Memory: a location with many lines can occur many times in a stack.  If there
 * are more frames than STACKRANK_LEAST plus STACKRANK_FRAMES for each location
 * in a stack and each line of the profile, then stacks are cut to their
 * outermost frames (opts.cut), or keep their locations, and frames are computed
 * one by one.
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_STACKRANK_H
#define PROFUTILS_REPORT_STACKRANK_H

#include "profile/columns.h"
#include "report/graph/nodes.h"

enum { STACKRANK_LEAST = 1 << 20, STACKRANK_FRAMES = 16 };

struct stackrank {
    struct nodes nodes; /* with ranks in place of nodes */
    struct strtab names;
    uint32_t *name_of;         /* by rank, of which there are names.n: its id */
    struct sample_order order; /* labels do not count */
    size_t n_edited;           /* names of nodes that edit changed */
    uint64_t depth, deepest;   /* frames that stacks are cut to, and had */
    size_t n_cut;              /* stacks that were */
    bool is_packed;            /* stacks are those of the profile */
};

/* Changes a name before it is compared; true if it did. */
typedef bool stackrank_edit_fn(struct buf *name);

struct stackrank_opts {
    stackrank_edit_fn *edit; /* or null */
    bool cut;                /* stacks, where all frames would be too many */
    unsigned threads;
};

/*
 * Replaces the stacks of *p, which must outlive *f.  *f is to be freed in any
 * case.
 */
bool stackrank_init(struct stackrank *f, struct profile *p,
                    const struct stackrank_opts *opts, struct prof_err *err);
void stackrank_free(struct stackrank *f);

/* Samples in the order of their stacks. */
struct stackrank_samples {
    uint32_t *v; /* the caller frees it, on failure too */
    size_t n;
    bool any_equal; /* false: no two have one stack */
};

/* Those that have a value in one of the types type .. + n_types. */
bool stackrank_samples(const struct stackrank *f, size_t type, size_t n_types,
                       struct stackrank_samples *to, struct prof_err *err);

enum {
    STACK_AHEAD = 8, /* samples from asking for a stack to reading it */
    STACK_LINE = 16, /* locations that come into a cache at once */
};

/*
 * Asks for the stack of a sample that is going to be read.  Always inlined: gcc
 * would find that a function of its own has no effect.
 */
__attribute__((always_inline)) static inline void
stack_ask(const struct profile *p, size_t sample)
{
    for (uint64_t i = p->frame_off[sample]; i < p->frame_off[sample + 1];
         i += STACK_LINE)
        __builtin_prefetch(&p->frames[i]);
}

/* Whether two samples have the same stack. */
bool stackrank_equal(const struct stackrank *f, uint32_t a, uint32_t b);

#endif
