/*
 * private.h - how a merge works: translator, sum, canonical form
 *
 * A merger (merge.h) translates the ids of an input into the ids of the sum
 * (`struct translator`) and adds the samples to the sum (`struct sum`).
 * Finally, the steps of `struct canon` turn the sum into a canonical profile.
 *
 *   merge.c            mergers: inputs, threads, locks, memory
 *   translate.c        adds an input's strings, functions, mappings, locations
 *                      and label sets to the sum
 *   sum_header.c       header fields and value types
 *   alternatives.c     unions of regular expressions (alternatives.h)
 *   sum.c              samples
 *   spill.c            samples on disk, and the steps after the ranks for them
 *   canonical.c        the steps from sum to result; sums equal samples
 *   canonical_ranks.c  sorts strings, entities and samples
 *   canonical_write.c  numbers entities, writes the result
 *
 * merge.c calls canonical.c, which calls the files below it and spill.c.  The
 * files above it do not depend on it.
 */
#ifndef PROFUTILS_PROFILE_MERGE_PRIVATE_H
#define PROFUTILS_PROFILE_MERGE_PRIVATE_H

#include <pthread.h>

#include "base/hash.h"
#include "base/vec.h"
#include "base/wide.h"
#include "io/tempfile.h"
#include "profile/merge/alternatives.h"
#include "profile/merge/merge.h"

/* --- samples on disk: spill.c --------------------------------------------- */

/* Samples that were written together. */
struct spill_run {
    uint64_t at;      /* in the file */
    uint64_t n_bytes; /* once it is sorted */
    size_t n_samples, n_frames;
    size_t n_types; /* when it was written; the sum may have more by now */
};

/* Zero-initialise. */
struct spill {
    struct tempfile raw, sorted; /* files of unsorted and of sorted runs */
    VEC(struct spill_run) runs;  /* the first n_read in sorted, others in raw */
    size_t n_read;               /* runs that are sorted */
    uint64_t merging;            /* bytes that buffers may have */
    uint64_t most;               /* most bytes that were on disk at once */
};

/* Closes all files; keeps s->most. */
void spill_free(struct spill *s);

/* Writes all samples of *p as one more run. */
bool spill_write(struct spill *s, const struct profile *p, struct err *err);

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
    uint32_t filename, build_id; /* least that is not empty */
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
    uint64_t fixed;         /* the start, of one without a name */
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

/* For each column, the bytes already requested by pages_ahead(). */
struct sum_asked {
    size_t frame_off, frames, values, labelset;
};

/*
 * All that was added so far.
 *
 * Several threads add to one sum.  Two locks guard it; a thread that needs both
 * takes `entity_lock` first.
 *
 *   entity_lock   strings, functions, locations, label sets, mappings, header
 *                 fields; for reading when entities are looked up
 *   sample_lock   samples, their index, carries, types, what is on disk
 */
struct sum {
    pthread_rwlock_t entity_lock;
    pthread_mutex_t sample_lock;
    enum merge_types mode;
    /* Entities, and samples in order of arrival.  Its mappings stay empty. */
    struct profile p;
    VEC(struct merge_mapping) mappings;
    struct hashidx mapping_index, function_index, location_index;
    size_t n_inputs;
    size_t n_estimated; /* of them, with stacks that are estimated */
    bool has_header;    /* of a first input */
    bool broken;        /* an input was added in part */

    /* Samples taken over from a first input are not in the index before there
     * is a second one, and some may be equal. */
    struct hashidx sample_index;
    bool is_unindexed;
    VEC(struct sum_carry) carries;
    struct sum_asked asked;
    struct spill spill; /* samples that are not in p any more */

    uint32_t *type_order; /* least order of the inputs, by column */
    bool *type_dropped;   /* by column: not in every input, or spare */
    size_t n_spare;       /* the last columns: of no type so far */
    bool types_differ;    /* some input had another set */
    size_t types_cap;

    uint32_t first_mapping; /* least of the inputs' first, or PROF_NONE */
    struct wide duration;
    struct str_set comments, drop_frames, keep_frames;
};

/* --- the translator ------------------------------------------------------- */

/* Whether samples of the input use one side of one of its mappings. */
enum mapping_use {
    MAPPING_ABSENT, /* no location is there */
    MAPPING_UNUSED, /* none that a sample has so far */
    MAPPING_USED,
};

/* A sample on its way into the sum. */
struct translated {
    size_t sample;      /* of the input */
    size_t at, depth;   /* its stack in translator.stack */
    uint32_t labelset;  /* of the sum */
    uint32_t hash;      /* of stack and labels */
    uint32_t candidate; /* sample of the sum that may be equal */
};

/*
 * From the ids of one input to those of a sum.  The arrays keep their memory
 * from one input to the next.
 */
struct translator {
    struct sum *sum;
    const struct profile *p; /* the input */
    struct profile *owned;   /* the same if it may be used up; else null */
    bool minus;              /* values are subtracted */
    const uint32_t *string;  /* null: ids of strings are the sum's */
    VEC(uint32_t) strings;   /* `string` of an input with its own strings */
    VEC(uint32_t) mappings, functions, locations, labelsets;
    VEC(uint32_t) column; /* the sum's, by type of the input; or PROF_NONE */
    VEC(uint8_t) use;     /* enum mapping_use, by mapping and side */
    size_t n_unused;      /* of them that are MAPPING_UNUSED */
    VEC(uint32_t) stack;  /* of the batch of samples at hand */
    VEC(struct translated) batch;
    VEC(struct prof_line) lines;
    VEC(struct prof_label) labels;
};

/* What merge.h calls a merger: a thread's way into a sum. */
struct merger {
    struct sum *sum;
    struct translator t;
    struct profile decoded; /* merge_input() */
    /*
     * A merger that has the sum to itself decodes strings into the sum's
     * table, which is moved to `decoded` and back.  Otherwise `decoded` has
     * its own, which stays, and these are the sum's ids of its strings.
     */
    bool is_alone;
    VEC(uint32_t) strings;
};

/* The sum's id of an input's string. */
static inline uint32_t translate_string(const struct translator *t, uint32_t id)
{
    return t->string ? t->string[id] : id;
}

/* translate.c */
void translator_free(struct translator *t);

/* Adds strings [*n, from->n) to the sum; to[] has room for all, *n grows. */
bool translate_strings(struct sum *s, const struct strtab *from, uint32_t *to,
                       size_t *n, struct err *err);

/* Both under both locks of the sum. */
bool translate_mappings(struct translator *t, struct err *err);
/* Combines the header fields of those mappings that samples use. */
void translate_used_mappings(const struct translator *t);

/* Functions, locations and label sets. */
bool translate_entities(struct translator *t, struct err *err);

/* Notes what mappings a sample uses. */
void translate_note_use(struct translator *t, const uint32_t *stack,
                        size_t depth);

/* The order of mappings in a canonical profile. */
int merge_mapping_cmp(const struct sum *s, uint32_t a, uint32_t b);

/* sum_header.c */
/* The end of messages about types that do not match. */
#define MERGE_ADVICE "; use pbmerge --types=union to merge them anyway"

/*
 * Columns for the input's types, unless they or its period type do not match:
 * ERR_INPUT, and nothing has changed.
 */
bool sum_add_types(struct translator *t, struct err *err);
bool sum_add_header(struct translator *t, struct err *err);
/* The lesser of two strings of the sum that are not empty. */
uint32_t sum_lesser(const struct sum *s, uint32_t a, uint32_t b);
/* The columns of the result in order; returns how many. */
size_t sum_result_columns(const struct sum *s, uint32_t *column);

/* sum.c */
/* Adds all samples of the input. */
bool sum_add_samples(struct translator *t, struct err *err);
/* Adds one value; an overflow adds a carry. */
bool sum_add_value(struct sum *s, uint32_t sample, uint32_t column, int64_t v,
                   struct err *err);
/* Combines the carries of each value, and removes those of 0. */
void sum_net_carries(struct sum *s);
/*
 * Puts samples that were taken over into the index, if there are any.  One that
 * equals an earlier one is added to it; its own values become 0.
 */
bool sum_index_samples(struct sum *s, struct err *err);
/* Writes all samples to disk. */
bool sum_spill(struct sum *s, struct err *err);

/* --- the canonical form --------------------------------------------------- */

/*
 * The steps from a sum to the result, by function that makes it:
 *
 *   step      canonical  compact  what is done
 *   equal                yes      equal samples are summed at the first of them
 *   live      yes        yes      lists samples with a value that is not 0
 *   strings   yes        labels   sorts strings, so that ids are ranks
 *   ranks     yes                 ranks mappings, functions, locations, label
 *                                 sets by content
 *   sort      yes                 sorts the listed samples by stack from the
 *                                 root, then by labels
 *   combine   yes                 sums equal samples, which are neighbours
 *   number    yes        yes      numbers locations by how many frames refer to
 *                                 them, label sets by need
 *   write     yes        yes      writes entities and header; the result takes
 *                                 the samples over
 *
 * "labels": only where samples have labels, whose order depends on it.
 *
 * All entities of the sum are ranked, needed or not, which is simpler and
 * changes no order.  Frames, which are most of a sum, are read as far as the
 * order needs them, and once to be counted.  They are not rewritten: the layout
 * of the result says what they mean.
 */
struct canon {
    struct sum *s;
    struct profile *p; /* &s->p */
    unsigned threads;
    bool in_place;    /* samples keep their order */
    uint32_t *column; /* of the sum, by type of the result */
    size_t n_columns;
    uint32_t *samples; /* live ones, in the end in order */
    size_t n_samples;
    /* Ranks by index in the sum; null where it keeps its order. */
    uint32_t *location_rank, *function_rank, *mapping_rank, *labelset_rank;
    uint32_t *by_mapping; /* by rank: the index in the sum */
    uint64_t *frames;     /* by location, how many are its */
    /* Of the result: by location of the sum, its number there or PROF_NONE;
     * by number, the location and the label set of the sum. */
    uint32_t *number, *location, *labelset;
    size_t n_locations, n_labelsets;
};

static inline bool canon_is_live(const struct canon *c, size_t sample)
{
    const int64_t *values = c->p->values + sample * c->p->n_types;
    for (size_t i = 0; i < c->n_columns; i++)
        if (values[c->column[i]])
            return true;
    return false;
}

/* canonical.c: all steps; *c has the sum, threads and in_place.  The result is
 * as merge.h says. */
bool canon_finish(struct canon *c, struct profile *out,
                  struct prof_layout *layout, struct err *err);

/* canonical_ranks.c: strings to byte-wise order, unused ones removed. */
bool canon_strings(struct canon *c, struct err *err);
/* Ranks of all entities, after canon_strings(). */
bool canon_ranks(struct canon *c, struct err *err);
/* Sorts the labels of each set by key, after canon_strings(). */
bool canon_labels(struct canon *c, struct err *err);
/* Sorts samples[0 .. n) of the sum; *equal: some are. */
bool canon_sort(const struct canon *c, uint32_t *samples, size_t n, bool *equal,
                struct err *err);

/* canonical_write.c */
/*
 * Fails: the sum of this type does not fit.  The sample is named by its leaf,
 * PROF_NONE for one without a stack.
 */
bool canon_overflow(const struct canon *c, uint32_t leaf, uint32_t type,
                    struct err *err);
/* Numbers locations and label sets; those of live samples are replaced. */
bool canon_number(struct canon *c, struct err *err);
/* Sets c->location and c->number from c->frames; false: no memory. */
bool canon_number_locations(struct canon *c);
/* The result; takes the sum's strings and samples. */
bool canon_write(struct canon *c, struct profile *out, struct err *err);

/* spill.c: all steps after the ranks, where samples are on disk. */
bool canon_from_disk(struct canon *c, struct profile *out, struct err *err);

#endif
