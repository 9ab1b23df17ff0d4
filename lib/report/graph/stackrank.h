/*
 * stackrank.h - replaces the frames of stacks by ranks of their names
 *
 * In reports on stacks, two frames are equal if they have the same printed
 * name. Here, the printed names are sorted bytewise and each frame is replaced
 * by the rank of its name.  Sorting samples by such stacks (columns.h, "order
 * of samples") then sorts them by printed names.
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
 * Memory: a location with many lines can occur many times in a stack.  There is
 * a limit for the number of all frames: STACKRANK_LEAST plus STACKRANK_FRAMES
 * for each location in a stack and each line of the profile.  If it is
 * exceeded, stacks are cut to their outermost frames (opts.cut), or else keep
 * their locations (is_packed), and their frames are computed when they are
 * needed.
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_STACKRANK_H
#define PROFUTILS_REPORT_STACKRANK_H

#include "base/prefetch.h"
#include "profile/columns.h"
#include "report/graph/nodes.h"

enum { STACKRANK_LEAST = 1 << 20, STACKRANK_FRAMES = 16 };

struct stackrank {
    struct nodes nodes; /* with ranks in place of nodes */
    struct strtab names;
    uint32_t *name_of;         /* by rank, names.n of them: id of the name */
    struct sample_order order; /* sorts by stack, not by labels */
    size_t n_edited;           /* number of names that opts.edit changed */
    uint64_t depth, deepest;   /* frames to which stacks were cut, and that the
                                  deepest had before */
    size_t n_cut;              /* number of stacks that were cut */
    bool is_packed;            /* stacks still have locations, not ranks */
};

/* May change a name before it is compared.  Returns whether it did. */
typedef bool stackrank_edit_fn(struct buf *name);

struct stackrank_opts {
    stackrank_edit_fn *edit; /* or null */
    bool cut;                /* cut stacks if there are too many frames */
    unsigned threads;
};

/*
 * Replaces the stacks of *p, which must outlive *f.  *f is to be freed in any
 * case.
 */
bool stackrank_init(struct stackrank *f, struct profile *p,
                    const struct stackrank_opts *opts, struct prof_err *err);
void stackrank_free(struct stackrank *f);

/*
 * Lists the samples that have a value in one of the n_types types from `type`
 * on, sorted by their stacks, which sample_list_read() reads.  The caller frees
 * to->v and to->shared, after a failure too.
 */
bool stackrank_samples(const struct stackrank *f, size_t type, size_t n_types,
                       struct sample_list *to, struct prof_err *err);

/*
 * Frees the stacks of the samples of *p, which must not be read any more, so
 * that what is made next can have the memory.  The samples of *f cannot be
 * listed then.
 */
void stackrank_drop_stacks(struct stackrank *f, struct profile *p);

enum {
    STACK_AHEAD = 8, /* prefetch a stack so many samples before it is read */
    STACK_FAR_AHEAD = 16, /* and its place so many before */
};

/* Prefetches the frames that a sample owns. */
ALWAYS_INLINE static inline void stack_prefetch(const struct profile *p,
                                                size_t sample)
{
    for (uint64_t i = p->frame_off[sample]; i < p->frame_off[sample + 1];
         i += CACHE_LINE / sizeof *p->frames)
        __builtin_prefetch(&p->frames[i]);
}

/*
 * Prefetches what follows sample order[i] of n: a stack, and, further ahead,
 * its place and its values.
 */
ALWAYS_INLINE static inline void stack_prefetch_next(const struct profile *p,
                                                     const uint32_t *order,
                                                     size_t i, size_t n)
{
    if (i + STACK_AHEAD < n)
        stack_prefetch(p, order[i + STACK_AHEAD]);
    if (i + STACK_FAR_AHEAD < n) {
        const size_t s = order[i + STACK_FAR_AHEAD];
        __builtin_prefetch(&p->frame_off[s]);
        if (p->shared)
            __builtin_prefetch(&p->shared[s]);
        __builtin_prefetch(&p->values[s * p->n_types]);
    }
}

/* Whether sample i of a sorted list, i > 0, has the stack of sample i - 1. */
bool stackrank_repeats(const struct stackrank *f,
                       const struct sample_list *list, size_t i);

#endif
