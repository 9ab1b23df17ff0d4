/*
 * profile.h - a profile in memory, as columns
 *
 * The model is that of pprof's profile.proto
 * (https://github.com/google/pprof/blob/main/proto/profile.proto) held in
 * flat arrays: entities refer to each other by index, strings by id in
 * p->strings, and nothing is allocated per sample.  Filters and reports are
 * loops over these arrays; work that depends on a name is done once per
 * string or function, never once per frame.
 *
 * Shapes
 *   types     n_types pairs of string ids; a sample has one value for each.
 *   mappings  the first is the main binary, as pprof takes it.
 *   lines     the lines of location l are lines[line_off .. line_off +
 *             n_lines), innermost (most deeply inlined) first.
 *   samples   sample s has frames[frame_off[s] .. frame_off[s + 1]),
 *             location indices, leaf first; values[s * n_types ..]; and one
 *             label set, labelset[s].
 *   labelsets set i is labels[labelset_off[i] .. labelset_off[i + 1]), in
 *             order of key id, string labels before numeric, otherwise as
 *             given; set 0 is the empty one.  Equal sets have equal ids.
 *
 * The `id` fields hold what the entity was called in the file it came from
 * (0 if it came from none).  They are for printing only: identity is the
 * index.
 *
 * Ownership: prof_init() makes an empty profile, prof_free() frees all that
 * hangs off it.  Arrays may be read freely and changed in place; whoever
 * replaces one frees the old one.  All counts fit their types: the add
 * functions fail (ERR_INPUT) rather than wrap at 2^32 - 2 entities.
 */
#ifndef PROFUTILS_PROFILE_PROFILE_H
#define PROFUTILS_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/strtab.h"

/* "No mapping", "no function". */
#define PROF_NONE UINT32_MAX

struct prof_value_type {
    uint32_t type, unit; /* string ids */
};

struct prof_mapping {
    uint64_t id;
    uint64_t start, limit, offset; /* limit is exclusive */
    uint32_t filename, build_id;   /* string ids */
    bool has_functions, has_filenames, has_line_numbers, has_inline_frames;
};

struct prof_function {
    uint64_t id;
    int64_t start_line;
    uint32_t name, system_name, filename; /* string ids */
};

struct prof_line {
    int64_t line, column; /* 0: unknown */
    uint32_t function;    /* index or PROF_NONE */
};

struct prof_location {
    uint64_t id;
    uint64_t address;
    uint32_t mapping; /* index or PROF_NONE */
    uint32_t line_off, n_lines;
    bool is_folded;
};

/* A label is a string label when str is not 0, else a number. */
struct prof_label {
    int64_t num;
    uint32_t key, str, unit; /* string ids; unit goes with num */
};

/*
 * Where samples are that are not in memory: their columns can be read like any
 * other, but not changed.  The owner tells what to do with them.
 */
struct prof_store {
    /* Memory that was read may go; it comes back when it is read again.
     * Any thread may call this while others read. */
    void (*forget)(struct prof_store *store);
    /* In place of free() of the four columns. */
    void (*free)(struct prof_store *store);
};

/*
 * How samples are to be written, for whom moving them or going over their
 * frames would take longer than to write them.  The owner frees the arrays.
 */
struct prof_layout {
    /* The samples, each once at most; null: all of them, as they stand. */
    const uint32_t *order;
    size_t n_order;
    /* What frames[] has is below n_number, and means the location
     * number[frame].  Null: itself. */
    const uint32_t *number;
    size_t n_number;
};

struct profile {
    struct strtab strings;

    struct prof_value_type *types;
    size_t n_types, cap_types;

    struct prof_mapping *mappings;
    size_t n_mappings, cap_mappings;
    struct prof_function *functions;
    size_t n_functions, cap_functions;
    struct prof_line *lines;
    size_t n_lines, cap_lines;
    struct prof_location *locations;
    size_t n_locations, cap_locations;

    struct prof_label *labels;
    size_t n_labels, cap_labels;
    uint64_t *labelset_off; /* n_labelsets + 1 */
    size_t n_labelsets, cap_labelset_off;
    uint32_t *labelset_slot; /* hash of the sets; private */
    size_t n_labelset_slots;

    size_t n_samples;
    uint64_t *frame_off; /* n_samples + 1 */
    size_t cap_frame_off;
    uint32_t *frames;
    size_t n_frames, cap_frames;
    int64_t *values; /* n_samples * n_types */
    size_t cap_values;
    uint32_t *labelset;
    size_t cap_labelset;
    struct prof_store *store; /* of these columns; null: memory */

    uint32_t *comments; /* string ids, in file order */
    size_t n_comments, cap_comments;

    int64_t time_nanos, duration_nanos, period; /* 0: unknown */
    struct prof_value_type period_type;
    uint32_t drop_frames, keep_frames; /* string ids of regexps */
    uint32_t default_sample_type;      /* string id of a type's name */
    uint32_t doc_url;                  /* string id */
};

/* An empty profile.  On failure *p is safe to prof_free(). */
bool prof_init(struct profile *p, struct err *err);
void prof_free(struct profile *p);

/*
 * Makes *p empty again but for its strings, and keeps the memory for what
 * comes next.
 */
void prof_clear(struct profile *p);

/* How much of each column there is, or is going to be. */
struct prof_counts {
    size_t samples, frames, locations, lines, functions, mappings;
};

struct prof_counts prof_count(const struct profile *p);

/*
 * Makes room for as much as this in all, so that columns need not grow step
 * by step.  A hint: more may be added, and nothing is there yet.
 */
bool prof_reserve(struct profile *p, const struct prof_counts *counts,
                  struct err *err);

/* Gives back what columns could hold and do not. */
void prof_fit(struct profile *p);

/* The id of a NUL-terminated string, or of n bytes; interned. */
bool prof_str(struct profile *p, const char *s, uint32_t *id, struct err *err);
bool prof_strn(struct profile *p, const char *s, size_t n, uint32_t *id,
               struct err *err);

/* For tests, which know that it has no NUL; all others use text.h. */
static inline const char *prof_cstr(const struct profile *p, uint32_t id)
{
    return strtab_str(&p->strings, id);
}

/* What hashes of tables about this profile begin with, see mix.h. */
static inline uint64_t prof_seed(const struct profile *p)
{
    return p->strings.seed;
}

/*
 * Builders.  Each appends one entity exactly as given, looks for no equal
 * one, and stores its index in *index where that is not null.  Sample types
 * come first: prof_add_type() fails once there are samples.  Indices in the
 * argument must be good (the importer's own), except that prof_add_sample()
 * checks frames and label set and prof_add_location() its mapping and
 * functions, ERR_INPUT.
 */
bool prof_add_type(struct profile *p, const char *type, const char *unit,
                   struct err *err);
/* The same for strings that are interned already. */
bool prof_add_type_id(struct profile *p, struct prof_value_type vt,
                      struct err *err);
bool prof_add_mapping(struct profile *p, const struct prof_mapping *m,
                      uint32_t *index, struct err *err);
bool prof_add_function(struct profile *p, const struct prof_function *f,
                       uint32_t *index, struct err *err);
/* line_off and n_lines of *l are ignored: lines[0 .. n) are copied. */
bool prof_add_location(struct profile *p, const struct prof_location *l,
                       const struct prof_line *lines, size_t n, uint32_t *index,
                       struct err *err);
/*
 * A line for a location that gets its lines later: the caller sets line_off
 * to what p->n_lines was before the first of them, and n_lines.
 */
bool prof_push_line(struct profile *p, const struct prof_line *line,
                    struct err *err);
/* frames leaf first; values has p->n_types elements. */
bool prof_add_sample(struct profile *p, const uint32_t *frames, size_t n,
                     const int64_t *values, uint32_t labelset, struct err *err);
/*
 * The same without checks, and with values of 0 that the caller fills in:
 * for those who have made sure of the frames.
 */
bool prof_push_sample(struct profile *p, const uint32_t *frames, size_t n,
                      uint32_t labelset, struct err *err);
/*
 * All samples of *from, which has none then and is only good for prof_free(),
 * in place of those of *to.  Their frames and label sets must be the same
 * things in both, and the types as many.
 */
void prof_take_samples(struct profile *to, struct profile *from);

/* No samples any more; their memory stays, or goes. */
void prof_drop_samples(struct profile *p);
void prof_free_samples(struct profile *p);

/*
 * So many samples and frames that a store has, in place of those of *p; the
 * caller sets the columns.
 */
void prof_lend_samples(struct profile *p, struct prof_store *store,
                       size_t n_samples, size_t n_frames);

/*
 * Puts sample order[i] in place i; order[0 .. n_samples) has each once.  On
 * failure *p is only good for prof_free().
 */
bool prof_reorder(struct profile *p, const uint32_t *order, struct err *err);

/*
 * In place: rows of n values become rows of `more`, for which there is room,
 * with 0 in those that are new.
 */
void prof_widen(int64_t *values, size_t rows, size_t n, size_t more);

/* Whether all values of sample s are 0, or there are none. */
static inline bool prof_sample_is_zero(const struct profile *p, size_t s)
{
    const int64_t *values = p->values + s * p->n_types;
    for (size_t i = 0; i < p->n_types; i++)
        if (values[i])
            return false;
    return true;
}

/*
 * Makes *p what the layout says, in place; order[] is there, and goes up.
 */
void prof_settle(struct profile *p, const struct prof_layout *layout);

void prof_layout_free(struct prof_layout *layout);

bool prof_add_comment(struct profile *p, const char *text, struct err *err);
/* The same for a string that is interned already. */
bool prof_add_comment_id(struct profile *p, uint32_t id, struct err *err);

/*
 * The label set that holds these n labels, made if new.  labels[] is put
 * into the order of a set.
 */
bool prof_labelset(struct profile *p, struct prof_label *labels, size_t n,
                   uint32_t *set, struct err *err);

/* The index of the value type with this name, or -1. */
int prof_find_type(const struct profile *p, const char *type);

/*
 * The value type that a report shows when none is asked for: the index of
 * default_sample_type, else of the last type, as pprof does; -1 if there is
 * no type.
 */
int prof_default_type(const struct profile *p);

/*
 * The value type that --sample-index asks for: a name, the same with inuse_
 * before it, or an index from 0; null or "" is the default type.  ERR_USAGE
 * when it is none of them, ERR_INPUT when the profile has no types.
 */
bool prof_pick_type(const struct profile *p, const char *asked, size_t *index,
                    struct err *err);

static inline size_t prof_depth(const struct profile *p, size_t sample)
{
    return (size_t)(p->frame_off[sample + 1] - p->frame_off[sample]);
}

static inline const uint32_t *prof_stack(const struct profile *p, size_t sample)
{
    return p->frames + p->frame_off[sample];
}

#endif
