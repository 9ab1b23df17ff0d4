/*
 * merger.h - the inside of a merger, private to lib/profile
 *
 * The sum is kept in a profile of its own, `sum`, in order of arrival, with
 * an index by hash over each column.  Two things differ from a finished
 * profile: mappings carry the header fields that a merge of them would have,
 * and locations refer to a side of one (merge_ref()): addresses are relative to
 * their mapping's start, those below it as they are.
 */
#ifndef PROFUTILS_PROFILE_MERGER_H
#define PROFUTILS_PROFILE_MERGER_H

#include <pthread.h>

#include "base/hash.h"
#include "base/wide.h"
#include "profile/filter/alternatives.h"
#include "profile/merge/merge.h"
#include "profile/merge/spill.h"

/*
 * On which side of its mapping's start an address is.  Below it are such as
 * are no addresses in the process: 0 where the writer has none, and offsets
 * in the file.  They do not move, and a mapping of them only starts at the
 * greatest start seen, so that they stay below.
 */
enum merge_side { MERGE_ABOVE, MERGE_BELOW, MERGE_SIDES };

/* What the inputs say of a mapping, united. */
struct merge_seen {
    bool any;
    bool has_start[MERGE_SIDES];
    uint64_t start[MERGE_SIDES]; /* least, and greatest */
    uint64_t size;               /* greatest limit - start */
    uint32_t filename, build_id;
    bool has_functions, has_filenames, has_line_numbers, has_inline_frames;
};

/*
 * A mapping by identity.  What inputs say whose samples use it counts before
 * what those say that only name it first.
 */
struct merge_mapping {
    uint32_t name;  /* string id of the build id, else of the file name */
    bool has_build; /* name is a build id */
    uint64_t offset, pages; /* pages: size rounded up to 4 KiB */
    uint64_t fixed;         /* the start, for one without a name */
    struct merge_seen used, first;
};

/* A value that passed 2^63: how often, up less down. */
struct merge_carry {
    uint32_t sample, type;
    int64_t times;
};

/* Bytes of the sum's columns that memory was asked for: pages_ahead(). */
struct merge_asked {
    size_t frame_off, frames, values, labelset;
};

/* What is known of the use of one side of a mapping of the input at hand. */
enum merge_use {
    MERGE_NO_LOCATION, /* none is there */
    MERGE_NOT_USED,    /* none that a sample has so far */
    MERGE_USED,
};

/* A sample on its way into the sum. */
struct merge_arrival {
    size_t sample;      /* of the input */
    size_t at, depth;   /* its stack in merge_input.stack */
    uint32_t labelset;  /* of the sum */
    uint32_t hash;      /* of stack and labels */
    uint32_t candidate; /* sample of the sum that may be it */
};

/*
 * An input being added: from its ids to those of the sum.  The arrays stay
 * from one input to the next.
 */
struct merge_input {
    const struct profile *p;
    struct profile *given;     /* the same if it may be used up; else null */
    const struct merger *from; /* when p is its sum; else null */
    bool minus;                /* its values are subtracted */
    bool shares_strings;       /* p's ids of strings are the sum's */
    /* Of these n are known, the first ones of the input. */
    VEC(uint32_t) strings, mappings, functions, locations, labelsets;
    VEC(uint32_t) column; /* of the sum, by type of the input; or PROF_NONE */
    VEC(uint8_t) use;     /* enum merge_use, by mapping of the input and side */
    size_t n_not_used;    /* of them that are MERGE_NOT_USED */
    VEC(uint32_t) stack;  /* of the batch of samples at hand */
    VEC(struct merge_arrival) batch;
    VEC(struct prof_line) lines;
    VEC(struct prof_label) labels;
};

struct merger {
    enum merge_types mode;
    struct profile sum; /* its mappings stay empty: see `mappings` */
    size_t n_inputs;
    size_t n_estimated;      /* of them, with stacks that are estimated */
    bool broken;             /* an input was added in part */
    struct profile lent;     /* merge_lend(): has the strings while it is out */
    struct merge_input in;   /* at hand */
    struct merger *shared;   /* where samples go instead; see merge_share() */
    struct merge_input ours; /* from this merger to that one */
    pthread_mutex_t *lock;   /* of one that others share; else null */

    VEC(struct merge_mapping) mappings;
    struct hashidx mapping_index, function_index, location_index, sample_index;
    /*
     * The samples of a first input are taken as they are, equal ones too, and
     * are not in the index before there is a second one.
     */
    bool is_unindexed;
    VEC(struct merge_carry) carries;
    struct merge_asked asked;

    uint32_t *type_order; /* least order of the inputs, by column */
    bool *type_dropped;   /* by column: not in every input, or spare */
    size_t n_spare;       /* the last columns: of no type so far */
    bool types_differ;    /* some input had another set */
    size_t types_cap;

    uint32_t first; /* least first mapping, or PROF_NONE */
    struct wide duration;
    struct str_set comments, drop, keep;
    struct spill spill; /* samples that are not in sum any more */
};

/* merge.c: gives back what only adding to the sum needs. */
void merge_no_more(struct merger *m);

/* merge_types.c: columns for the input's types, unless they or its period
 * type do not match: then nothing has changed. */
bool merge_columns(struct merger *m, struct merge_input *in, struct err *err);
/* The columns of the result in order; returns how many. */
size_t merge_result_columns(const struct merger *m, uint32_t *column);

/* merge_header.c */
/* The lesser of two strings of the sum, of which "" does not count. */
uint32_t merge_least(const struct merger *m, uint32_t a, uint32_t b);
/* What a message about types that do not match ends with. */
#define MERGE_ADVICE "; pbmerge --types=union merges them anyway"
/* Whether the period type is one that may be added; changes nothing. */
bool merge_period_fits(const struct merger *m, const struct merge_input *in,
                       struct err *err);
bool merge_header(struct merger *m, struct merge_input *in, struct err *err);

/* The sum's id of an input's string. */
static inline uint32_t merge_string(const struct merge_input *in, uint32_t id)
{
    return in->shares_strings ? id : in->strings.v[id];
}

void merge_input_free(struct merge_input *in);
/* merge.c: the entities of an input that are not known yet, of all kinds. */
bool merge_entities(struct merger *m, struct merge_input *in, struct err *err);

/* merge_share.c: waits for a sum that is shared; nothing for one that is not */
void merge_lock(const struct merger *m);
void merge_unlock(const struct merger *m);
/* Whether it is locked now; for one that is not shared, always. */
bool merge_try_lock(const struct merger *m);
/* Makes the input's locations and label sets those of the shared sum. */
bool merge_reach_shared(struct merger *m, struct merge_input *in,
                        struct err *err);
void merge_share_free(struct merger *m);

/*
 * merge_entities.c: fill the arrays of *in.  All entities of an input go into
 * the sum: nearly all inputs have only such as their samples need, and
 * merge_finish() looks at what is used in the end.
 */
bool merge_strings(struct merger *m, struct merge_input *in, struct err *err);
bool merge_functions(struct merger *m, struct merge_input *in, struct err *err);
bool merge_labelsets(struct merger *m, struct merge_input *in, struct err *err);
/* merge_locations.c */
bool merge_locations(struct merger *m, struct merge_input *in, struct err *err);

/* One side of a mapping, as a number, and back. */
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

/* That of a location of *p that has a mapping. */
static inline size_t merge_ref_of(const struct profile *p,
                                  const struct prof_location *l)
{
    return merge_ref(l->mapping, l->address < p->mappings[l->mapping].start
                                     ? MERGE_BELOW
                                     : MERGE_ABOVE);
}

/* merge_mappings.c */
bool merge_mappings(struct merger *m, struct merge_input *in, struct err *err);
/* What the input says of its first mapping, and of those that are in use. */
void merge_first_mapping(struct merger *m, const struct merge_input *in);
void merge_used_mappings(struct merger *m, const struct merge_input *in);
/* Notes what mappings a sample uses. */
void merge_note_use(struct merge_input *in, const uint32_t *stack,
                    size_t depth);

/* merge_samples.c */
bool merge_samples(struct merger *m, struct merge_input *in, struct err *err);
/* merge_adopt.c: the samples of the first input, as they are. */
void merge_adopt(struct merger *m, struct merge_input *in);
/* Puts such samples into the index, if there are any. */
bool merge_index_adopted(struct merger *m, struct err *err);

/* Of stack and labels; the seed is prof_seed() of the sum. */
uint32_t merge_sample_hash(uint64_t seed, const uint32_t *stack, size_t depth,
                           uint32_t labelset);
/*
 * The sample of the sum with this stack and these labels, or HASHIDX_NONE;
 * *at is then where the index has a place for it, if there is room.
 */
uint32_t merge_find_sample(const struct merger *m, uint32_t hash,
                           const uint32_t *stack, size_t depth,
                           uint32_t labelset, size_t *at);
/* Adds one value; what does not fit is kept as a carry. */
bool merge_add_value(struct merger *m, uint32_t sample, uint32_t column,
                     int64_t v, struct err *err);
/* Carries of one sample and type become one, and those of 0 go. */
void merge_net_carries(struct merger *m);

/* The order of mappings in a canonical profile. */
int merge_mapping_cmp(const struct merger *m, uint32_t a, uint32_t b);

#endif
