/*
 * private.h - how a merge works: translator, sum, canonical form
 *
 * A merger (merge.h) translates the ids of an input into the ids of the sum
 * (`struct translator`) and adds the samples to the sum (`struct sum`).
 * Finally, the steps of `struct canon` turn the sum into a canonical profile.
 *
 *   merge.c            mergers: locks, limits of memory, results
 *   inputs.c           adds inputs, in several threads
 *   type_sums.c        sums of inputs whose types do not match
 *   translate.c        adds an input's strings, functions, mappings, locations
 *                      and label sets to the sum
 *   sum_header.c       header fields and value types
 *   alternatives.c     unions of regular expressions (alternatives.h)
 *   sum.c              samples
 *   spill.c            samples on disk, and the steps after the ranks for them
 *   canonical.c        the steps from sum to result; sums equal samples
 *   canonical_ranks.c  sorts strings, entities and samples
 *   canonical_write.c  numbers entities, writes the result
 *   sample_order.c     sorts samples, in canonical profiles and for reports
 *   sample_runs.c      .. whose stacks share frames
 *   sample_keys.c      .. compares samples, and packs frames in keys
 *
 * canonical.c and spill.c call each other.  merge.c calls canonical.c, which
 * calls the two files below it.  The files above canonical.c do not depend on
 * it.
 */
#ifndef PROFUTILS_PROFILE_MERGE_PRIVATE_H
#define PROFUTILS_PROFILE_MERGE_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/prefetch.h"
#include "base/sort.h"
#include "base/tempfile.h"
#include "base/vec.h"
#include "base/wide.h"
#include "profile/merge/alternatives.h"
#include "profile/merge/merge.h"
#include "profile/wire/pb.h"

/* --- samples on disk: spill.c --------------------------------------------- */

/* A run: samples that were written to disk together. */
struct spill_run {
    uint64_t at;      /* offset in the file */
    uint64_t n_bytes; /* size after sorting */
    size_t n_samples, n_frames;
    size_t n_types; /* value types when it was written; the sum can get more */
};

/* Zero-initialise. */
struct spill {
    struct tempfile raw, sorted; /* files of unsorted and of sorted runs */
    VEC(struct spill_run) runs;  /* the first n_read in sorted, others in raw */
    size_t n_read;               /* runs that are sorted */
    uint64_t merging;            /* limit: bytes of buffers while merging */
    uint64_t most;               /* greatest number of bytes on disk */
};

/* Closes all files; keeps s->most. */
void spill_free(struct spill *s);

/* Writes all samples of *p as one more run. */
bool spill_write(struct spill *s, const struct profile *p,
                 struct prof_err *err);

/* --- mappings ------------------------------------------------------------- */

/*
 * On which side of its mapping's start an address is.  An address below the
 * start is not an address in the process, but 0 (unknown to the writer) or an
 * offset in the file, and does not move with the mapping.
 *
 *   side         address in the sum      start of the mapping in the result
 *   MERGE_ABOVE  relative to the start   the least start of the inputs
 *   MERGE_BELOW  unchanged               the greatest start of the inputs, so
 *                                        that the address is still below it
 */
enum merge_side { MERGE_ABOVE, MERGE_BELOW, MERGE_SIDES };

/* Header fields of a mapping, combined over inputs. */
struct merge_seen {
    bool any;
    bool has_start[MERGE_SIDES];
    uint64_t start[MERGE_SIDES]; /* least, and greatest */
    uint64_t size;               /* greatest limit - start */
    uint32_t filename, build_id; /* string that sorts first and is not empty */
    bool has_functions, has_filenames, has_line_numbers, has_inline_frames;
};

/*
 * A mapping: its identity (merge.h), and its header fields combined over
 *
 *   used   the inputs with samples that use it
 *   first  the inputs that have it as their first mapping; only for a mapping
 *          that no sample uses
 */
struct merge_mapping {
    uint32_t name;  /* string id of the build id, else of the file name */
    bool has_build; /* name is a build id */
    uint64_t offset, pages; /* pages: size rounded up to 4 KiB */
    uint64_t fixed;         /* start of a mapping without a name */
    struct merge_seen used, first;
};

/*
 * In a sum, the `mapping` of a location is a merge_ref(): the index of the
 * mapping and the side combined in one number.
 */
static inline size_t merge_ref(size_t mapping, enum merge_side side)
{
    return MERGE_SIDES * mapping + side;
}

static inline size_t merge_ref_mapping(size_t ref)
{
    return ref / MERGE_SIDES;
}

static inline enum merge_side merge_ref_side(size_t ref)
{
    return ref % MERGE_SIDES == MERGE_BELOW ? MERGE_BELOW : MERGE_ABOVE;
}

/* --- the sum -------------------------------------------------------------- */

/* The overflows of one value: the true value is values[] + times * 2^64. */
struct sum_carry {
    uint32_t sample, type;
    int64_t times;
};

/*
 * The sum of the inputs so far.
 *
 * Several threads add to one sum.  Two locks guard it; a thread that needs both
 * takes `entity_lock` first.
 *
 *   entity_lock   strings, functions, locations, label sets, mappings, header
 *                 fields, type_order; for reading when entities are
 *                 looked up
 *   sample_lock   samples, their index, carries, what is on disk
 *   either        types, to be read; both, to be changed (not by the first
 *                 input, which is alone)
 */
struct sum {
    pthread_rwlock_t entity_lock;
    pthread_mutex_t sample_lock;
    enum prof_merge_types mode;
    /* Entities, and samples in order of arrival.  Its mappings stay empty.
     * p.shared is null from the second input on. */
    struct profile p;
    VEC(struct merge_mapping) mappings;
    struct map mapping_index;
    struct hashidx function_index, location_index;
    size_t n_inputs;
    size_t n_estimated;      /* inputs with estimated stacks */
    bool has_header;         /* the header of an input was added */
    bool broken;             /* an input was added in part: it is unusable */
    struct prof_err failure; /* the reason, which every later use returns */

    /* If is_unindexed, the samples are those of the first input, which were
     * moved here.  They are not in the index, and some may be equal. */
    struct hashidx sample_index;
    bool is_unindexed;
    VEC(struct sum_carry) carries;
    struct spill spill; /* samples that were moved from p to disk */

    uint32_t *type_order; /* by column: least position of the type in inputs */
    bool *type_dropped;   /* by column: some input lacks the type, or the column
                             is spare */
    size_t n_spare;       /* the last n_spare columns have no type yet */
    bool types_differ;    /* the inputs do not all have the same set */
    bool exact;           /* prof_merge_set_exact() */
    size_t types_cap;

    uint32_t first_mapping; /* least of the inputs' first, or PROF_NONE */
    struct wide duration;
    struct str_set comments, drop_frames, keep_frames;
};

/* --- the translator ------------------------------------------------------- */

/* Whether samples of the input use one side of one of its mappings. */
enum mapping_use {
    MAPPING_ABSENT, /* no location is on this side */
    MAPPING_UNUSED, /* some locations are, but no sample so far has them */
    MAPPING_USED,
};

/* A sample of an input, with the ids of the sum. */
struct translated {
    size_t at, depth;   /* its stack: offset and length in translator.stack */
    uint32_t labelset;  /* in the sum */
    uint32_t hash;      /* of stack and labels */
    uint32_t candidate; /* sample of the sum that may be equal */
};

/* By depth of a frame: what it is multiplied by in the hash of its stack. */
struct factors {
    uint64_t *v;
    size_t n, cap;
};

/*
 * Translates the ids of one input into those of a sum.  The arrays keep their
 * memory from one input to the next.
 */
struct translator {
    struct sum *sum;
    const struct profile *p; /* the input */
    struct profile *owned;   /* the input, if its samples may be moved */
    bool minus;              /* subtract the values */
    bool is_lazy;            /* the last batch waits for the next input */
    bool types_differ;       /* the input was refused for its sample types */
    bool period_differs;     /* .. or only for its period type */
    /* By id of the input: the id in the sum. */
    const uint32_t *string; /* null: the input has the string ids of the sum */
    VEC(uint32_t) strings;  /* memory of `string` */
    VEC(uint32_t) mappings, functions, locations, labelsets;
    VEC(uint32_t) column; /* by type of the input: column; PROF_NONE: dropped */
    VEC(uint8_t) use;     /* by mapping and side: enum mapping_use */
    size_t n_unused;      /* number of MAPPING_UNUSED in `use` */
    /* The current batch of samples: */
    VEC(uint32_t) stack;
    VEC(struct translated) batch;
    VEC(int64_t) values;        /* by sample of the batch and type */
    VEC(uint32_t) batch_column; /* what `column` and `minus` are for these */
    bool batch_minus;
    struct factors factors;
    VEC(struct prof_line) lines;
    VEC(struct prof_label) labels;
};

/* The state of one thread that adds inputs to a sum: inputs.c. */
struct lane {
    bool busy;
    struct translator t;
    struct pb_decoder decoder;
    struct buf room;        /* memory of a decompressed message */
    struct profile decoded; /* has the strings of all inputs of the lane */
    VEC(uint32_t) strings;  /* by string id of `decoded`: id in the sum */
};

enum {
    TYPE_SUMS = 64, /* limit: inputs of further sets of types are refused */
    TYPE_SUM_TEXT = 400, /* bytes of a list of types, which may be cut */
};

/* The sum of all inputs that have the same sample types and period type. */
struct type_sum {
    struct prof_merger *merger; /* [0].merger is the merger that owns all */
    char *name;  /* the name of an input that sorts first; or null */
    size_t like; /* index of the first sum with the same sample types */
};

/*
 * With opts.apart: v[0] is the sum of the inputs that match the first one; the
 * others are sums of inputs that do not.
 */
struct type_sums {
    pthread_mutex_t lock; /* protects all but v[0].merger */
    struct type_sum v[TYPE_SUMS];
    size_t n;
    size_t n_skipped;            /* inputs skipped because of opts.only */
    char skipped[TYPE_SUM_TEXT]; /* of their types, those that sort first */
    bool skipped_others;         /* others of them have other types */
};

struct prof_merger {
    struct prof_merge_opts opts;
    struct sum *sum;
    pthread_mutex_t lock; /* protects the following */
    pthread_cond_t freed; /* a lane became free */
    struct lane *lanes;
    unsigned n_lanes, n_busy;
    bool waits_for_first;  /* until the first input is added, which the others
                              have to match, only one lane works */
    atomic_uint most_busy; /* most lanes that were busy at the same time */
    struct type_sums sums;
    uint64_t room; /* limit: bytes of sums and inputs; 0: none */
    bool measured; /* the system reports how many bytes are in use */
};

/* merge.c */
/* Lock and unlock both locks. */
void sum_lock(struct sum *s);
void sum_unlock(struct sum *s);
/* Marks the sum, which the caller has locked, as broken because of *err.
 * Returns false. */
bool sum_break(struct sum *s, const struct prof_err *err);
/* Sets *err to the reason why the sum is broken.  Returns false. */
bool sum_failed(const struct sum *s, struct prof_err *err);
/* Writes the samples of *s to disk if it takes more than `most` bytes.  A
 * failure breaks it. */
bool limit_sum(struct prof_merger *m, const struct lane *lane, struct sum *s,
               uint64_t most, struct prof_err *err);
/* Whether a decoded input fits in memory with the sum and its growth. */
bool limit_fits(const struct prof_merger *m, struct lane *lane);

/* inputs.c */
void lane_free(struct lane *lane);

/* type_sums.c: all but the first and last may be called by several threads. */
void type_sums_free(struct prof_merger *m);
/* Whether the profile has the types of opts.only; counts it if not. */
bool type_sums_want(struct prof_merger *m, const struct profile *p);
/* Records that sum i has an input with this name. */
bool type_sums_name(struct prof_merger *m, size_t i, const char *name,
                    struct prof_err *err);
/* Adds lane->decoded, which was refused for its types, to the sum for these,
 * and sets *at to its index.  False if it was refused for another reason. */
bool type_sums_add(struct prof_merger *m, struct lane *lane, size_t *at,
                   struct prof_err *err);
/* Makes the sum with most inputs the sum of the merger; reports the inputs of
 * the others as skipped. */
bool type_sums_choose(struct prof_merger *m, struct prof_err *err);

/* Returns the id in the sum of a string of the input. */
static inline uint32_t translate_string(const struct translator *t, uint32_t id)
{
    return t->string ? t->string[id] : id;
}

/* translate.c */
void translator_free(struct translator *t);

/*
 * Adds strings [*n, from->n) to the sum, and sets to[i] to the id of string i.
 * to[] has from->n elements.  Advances *n.
 */
bool translate_strings(struct sum *s, const struct strtab *from, uint32_t *to,
                       size_t *n, struct prof_err *err);

/* The caller of these three holds the entity lock of the sum. */
bool translate_labelsets(struct translator *t, struct prof_err *err);
bool translate_mappings(struct translator *t, struct prof_err *err);
/* Combines the header fields of those mappings that samples use. */
void translate_used_mappings(const struct translator *t);

/* Adds functions and locations to the sum. */
bool translate_entities(struct translator *t, struct prof_err *err);

/* Records the mappings that a sample uses. */
void translate_note_use(struct translator *t, const uint32_t *stack,
                        size_t depth);

/* Compares mappings a and b of the sum by their order in canonical profiles. */
int merge_mapping_cmp(const struct sum *s, uint32_t a, uint32_t b);

/* sum_header.c */
/*
 * Adds columns for the input's types.  PROF_ERR_INPUT, without any change, if
 * they or its period type do not match.
 */
bool sum_add_types(struct translator *t, struct prof_err *err);
/* Combines the header fields of the input with those of the sum. */
bool sum_add_header(struct translator *t, struct prof_err *err);
/* Sets text[0 .. n) to the types of the input, or else of the sum:
 * "cpu/nanoseconds, samples/count". */
void sum_describe(const struct translator *t, bool input, char *text, size_t n);
/* Returns the lesser of strings a and b; the other if one is empty. */
uint32_t sum_lesser(const struct sum *s, uint32_t a, uint32_t b);
/* Sets column[] to the columns of the result, in order.  Returns how many. */
size_t sum_result_columns(const struct sum *s, uint32_t *column);

/* sum.c */
/* Adds the samples of the input; the last ones only to t->batch, if it is lazy.
 * sum_add_batch() then adds these. */
bool sum_add_batch(struct translator *t, struct prof_err *err);
bool sum_add_samples(struct translator *t, struct prof_err *err);
/* Combines the carries of each value, and removes those that become 0. */
void sum_combine_carries(struct sum *s);
/* Moves the values of each sample that equals an earlier one to that one.  For
 * a sum of one input, which is then only to be finished. */
bool sum_equal_samples(struct sum *s, bool *any_equal, struct prof_err *err);
/* Writes all samples to disk. */
bool sum_spill(struct sum *s, struct prof_err *err);

/* --- the order of samples ------------------------------------------------- */

/* How the frames of struct sample_order are packed in keys to sort by. */
struct order_keys {
    const struct sample_order *o;
    unsigned bits, n; /* bits of a frame; frames of a key */
};

static inline size_t order_shared(const struct sample_order *o, uint32_t s)
{
    return o->shared ? o->shared[s] : 0;
}

static inline size_t order_depth(const struct sample_order *o, uint32_t s)
{
    return (size_t)(o->frame_off[s + 1] - o->frame_off[s]) + order_shared(o, s);
}

/*
 * Returns the end of the whole stack, after the root: frames are read
 * backwards, from the first that the sample owns on.
 */
static inline size_t order_root(const struct sample_order *o, uint32_t s)
{
    return (size_t)o->frame_off[s + 1] + order_shared(o, s);
}

static inline uint32_t order_label(const struct sample_order *o, uint32_t s)
{
    if (!o->labelset)
        return 0;
    return o->set_rank ? o->set_rank[o->labelset[s]] : o->labelset[s];
}

static inline int order_cmp_labels(const struct sample_order *o, uint32_t a,
                                   uint32_t b)
{
    uint32_t x = order_label(o, a), y = order_label(o, b);
    return ORDER(x, y);
}

/*
 * Returns a sort key: the frames from `depth` on, as rank + 1; after the leaf a
 * 0, then the rank of the labels.  Frames before `from`, which the sample need
 * not own, are those of the key `before`.
 */
static inline uint64_t order_key(const struct order_keys *p, uint32_t s,
                                 size_t depth, size_t from, uint64_t before)
{
    const struct sample_order *o = p->o;
    size_t n = order_depth(o, s), end = depth + p->n;
    uint64_t key = from > depth ? before >> (end - from) * p->bits : 0;
    size_t root = order_root(o, s);
    for (size_t k = from; k < end; k++) {
        key <<= p->bits;
        if (k < n) {
            uint32_t frame = o->frames[root - 1 - k];
            key |= (o->rank ? o->rank[frame] : frame) + 1;
        } else if (k == n + 1) {
            key |= order_label(o, s);
        }
    }
    return key;
}

enum {
    /*
     * Samples to prefetch ahead.  On 1,000,000 stacks and 314 heap profiles, 12
     * took 3 % and 6 % less time than 8.
     */
    ORDER_AHEAD = 12,
    ORDER_FAR_AHEAD = 24, /* where the address of the stack is needed by then */
};

/* Prefetches what order_key() needs of the items after item i. */
ALWAYS_INLINE static inline void order_prefetch(const struct sample_order *o,
                                                const struct radix_item *v,
                                                size_t n, size_t i,
                                                size_t depth)
{
    if (i + ORDER_FAR_AHEAD < n) {
        uint32_t far = v[i + ORDER_FAR_AHEAD].id, near = v[i + ORDER_AHEAD].id;
        __builtin_prefetch(&o->frame_off[far]);
        if (o->shared)
            __builtin_prefetch(&o->shared[far]);
        /* May lie outside the stack, which a prefetch allows. */
        uintptr_t at = (uintptr_t)(o->frames + o->frame_off[near + 1]);
        at -= (depth + 1 - order_shared(o, near)) * sizeof *o->frames;
        __builtin_prefetch((const void *)at);
    }
}

/* sample_keys.c */
/*
 * Compares two samples whose first *depth frames are equal, and advances *depth
 * to the first frame in which they differ, or the end of a stack.
 */
int order_cmp(const struct sample_order *o, uint32_t a, uint32_t b,
              size_t *depth);

/*
 * Returns a depth, from `depth` up to `limit`, before which all n > 1 samples
 * have the same frames, and the greatest if less than `limit`.  Steps double,
 * so that a long common part of two samples is not compared to its end each
 * time that other samples differ earlier.
 */
size_t order_agree(const struct sample_order *o, const struct radix_item *v,
                   size_t n, size_t depth, size_t limit);

/* Skips the frames that all samples have in common, sets the keys to the frames
 * after these, and advances *depth.  False: all samples are equal. */
bool order_next(const struct order_keys *p, struct radix_item *v, size_t n,
                size_t *depth);

/* sample_runs.c: sorts samples whose stacks share frames; the caller provides
 * two arrays of list->n items.  False: memory is out. */
bool order_runs(const struct order_keys *p, struct sample_list *list,
                struct radix_item *v, struct radix_item *spare);

/* --- the canonical form --------------------------------------------------- */

/*
 * The steps from a sum to the result; compact: canon.in_place is set
 *
 *   step      canonical  compact  what is done
 *   live      yes        yes      lists samples with a value that is not 0
 *   equal                yes      equal samples are summed at the first of them
 *   strings   yes        labels   sorts strings, so that ids are ranks
 *   ranks     yes                 ranks mappings, functions, locations, label
 *                                 sets by content
 *   sort      yes                 sorts the listed samples by stack from the
 *                                 root, then by labels
 *   combine   yes                 sums equal samples, which are neighbours
 *   count     yes        yes      counts the frames that refer to a location,
 *                                 in a thread while the steps before run
 *   entities  yes        yes      numbers locations by their frames, from most
 *                                 to least, and functions; writes locations and
 *                                 mappings, in a thread during `sort`; again if
 *                                 samples were combined
 *   labels    yes        yes      numbers label sets by need
 *   write     yes        yes      writes header, functions and label sets;
 *                                 lines and samples become those of the result
 *
 * "labels": only where samples have labels, whose order depends on it.  With
 * `unsorted`, the canonical steps are done but for `sort` and `combine`.
 *
 * All entities of the sum are ranked, needed or not, which is simpler and does
 * not change the order.  Frames, which are most of a sum, are read once to be
 * counted, and otherwise only where the order depends on them.  They are not
 * rewritten: the layout of the result maps them to its locations.
 */
struct canon {
    struct sum *s;
    struct profile *p; /* &s->p */
    unsigned threads;
    bool in_place; /* samples and mappings keep their order: a profile that is
                      canonical stays as it is */
    bool unsorted; /* the same, but with other steps, as above */
    uint32_t *column; /* by type of the result: the column of the sum */
    size_t n_columns;
    struct sample_list samples; /* those with a value; the step `sort` sorts
                                   them */
    /* Ranks, by index in the sum; null: the order of the sum is kept. */
    uint32_t *location_rank, *function_rank, *mapping_rank, *labelset_rank;
    uint32_t *by_mapping; /* by rank of a mapping: its index in the sum */
    uint64_t *frames;     /* by location of the sum: number of its frames */
    uint32_t *number;     /* by location of the sum: its number in the result,
                             or PROF_NONE */
    uint32_t *location;   /* by number in the result: location of the sum */
    uint32_t *function;   /* by function of the sum: its number in the result,
                             or PROF_NONE */
    uint32_t *labelset;   /* by number in the result: label set of the sum */
    size_t n_locations, n_labelsets;
    uint32_t n_functions;
};

/* Whether a value of the sample, of a column of the result, is not 0. */
static inline bool canon_is_live(const struct canon *c, size_t sample)
{
    const int64_t *values = c->p->values + sample * c->p->n_types;
    for (size_t i = 0; i < c->n_columns; i++)
        if (values[c->column[i]])
            return true;
    return false;
}

/* canonical.c: does all steps.  The caller has set s, threads, and in_place or
 * unsorted.  merge.h describes the result. */
bool canon_finish(struct canon *c, struct profile *out,
                  struct prof_layout *layout, struct prof_err *err);

/* canonical_ranks.c: sorts strings bytewise, and removes unused ones. */
bool canon_strings(struct canon *c, struct prof_err *err);
/* Ranks all entities, after canon_strings(). */
bool canon_ranks(struct canon *c, struct prof_err *err);
/* Sorts samples of the sum by stack and labels. */
bool canon_sort(const struct canon *c, struct sample_list *list,
                struct prof_err *err);

/* canonical_write.c */
/*
 * Sets a PROF_ERR_INPUT: a sum of this type exceeds 64 bits.  The message names
 * the sample by its leaf, a location, or PROF_NONE for an empty stack.  Returns
 * false.
 */
bool canon_overflow(const struct canon *c, uint32_t leaf, uint32_t type,
                    struct prof_err *err);
/* Sets c->frames, which is null if memory is out: canon_entities() reports it.
 * The n live samples are listed, in the order of the sum, if values change
 * meanwhile; null: they are those with a value. */
void canon_count(struct canon *c, const uint32_t *live, size_t n);
/* Numbers locations by c->frames, and functions by these; writes mappings and
 * locations in place of those that *out has. */
bool canon_entities(struct canon *c, struct profile *out, struct prof_err *err);
/* Numbers label sets, and replaces those of live samples by their numbers. */
bool canon_number_labelsets(struct canon *c, struct prof_err *err);
/* Writes the rest of the result; moves the sum's strings, lines and samples to
 * it. */
bool canon_write(struct canon *c, struct profile *out, struct prof_err *err);

/* spill.c: does all steps after the ranks, if samples are on disk. */
bool canon_from_disk(struct canon *c, struct profile *out,
                     struct prof_err *err);

#endif
