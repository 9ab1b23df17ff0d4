/*
 * profile.h - a profile in memory, as columns
 *
 * The model is that of pprof's profile.proto
 * (https://github.com/google/pprof/blob/main/proto/profile.proto), held in
 * flat arrays.  Entities (functions, mappings, locations, label sets) refer to
 * each other by index and to strings by id; nothing is allocated per sample.
 * Filters and reports are loops over these arrays, and work that depends on a
 * name is done once per string or function, never once per frame.
 *
 * Shapes
 *   column        elements                          what an element has
 *   types         n_types                           string ids of type, unit
 *   mappings      n_mappings; [0]: the main binary  see struct prof_mapping
 *   functions     n_functions                       see struct prof_function
 *   locations     n_locations   lines[line_off .. line_off + n_lines), the
 *                               innermost (most deeply inlined) first
 *   labelsets     n_labelsets   labels[labelset_off[i] .. labelset_off[i + 1])
 *                               by key id, string labels before numbers,
 *                               otherwise as given; set 0 is empty; equal sets
 *                               have equal ids
 *   samples       n_samples     frames[frame_off[s] .. frame_off[s + 1]):
 *                               location indices, leaf first
 *                               values[s * n_types ..]: one for each type
 *                               labelset[s]: its label set
 *
 * A frame is here an element of frames[]: the index of a location of a stack.
 * A line of a location, which reports call a frame, is a line.
 *
 * Units     addresses and sizes in bytes; time_nanos since 1970 and
 *           duration_nanos in nanoseconds; period in units of period_type.
 * Ids       An `id` field is the id of the entity in the file that it was read
 *           from (0: none), for printing only.  The index identifies it.
 * Ownership prof_init() makes an empty profile; prof_free() frees it with all
 *           its arrays.  Callers may read arrays and change them in place; a
 *           caller that replaces an array frees the old one.
 * Errors    Functions return false and set *err: ERR_SYSTEM when memory is
 *           out, ERR_INPUT for more than 2^32 - 2 entities and where noted.
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
 * The owner of sample columns that are not on the heap, for example in a mapped
 * file.  Such columns are read-only.
 */
struct prof_store {
    /* Releases the memory of pages that were read; a later read loads them
     * again.  Any thread may call this while others read. */
    void (*forget)(struct prof_store *store);
    /* Frees the four columns of samples, and the store. */
    void (*free)(struct prof_store *store);
};

/*
 * Another order of a profile's samples, and other numbers of its locations.
 *
 * A merge makes a profile and a layout, so that it need not move samples and
 * frames, which are most of a profile.  pb_encoder_init() writes the profile as
 * the layout describes it; prof_settle() applies the layout to the profile.
 *
 *   order   n_order indices: sample i is in the profile at order[i].  An index
 *           occurs at most once; samples whose index is missing do not count.
 *           null: all samples in the order of the profile
 *   number  n_number indices: a frame f stands for location number[f]
 *           null: for location f
 *
 * A zeroed layout changes nothing.  prof_layout_free() frees the arrays.
 */
struct prof_layout {
    const uint32_t *order;
    size_t n_order;
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
    struct prof_store *store; /* of these columns; null: the heap */

    uint32_t *comments; /* string ids, in file order */
    size_t n_comments, cap_comments;

    int64_t time_nanos, duration_nanos, period; /* 0: unknown */
    struct prof_value_type period_type;
    uint32_t drop_frames, keep_frames; /* string ids of regexps */
    uint32_t default_sample_type;      /* string id of a type's name */
    uint32_t doc_url;                  /* string id */
};

/* --- making and freeing --------------------------------------------------- */

/* An empty profile.  On failure *p is safe to prof_free(). */
bool prof_init(struct profile *p, struct err *err);
void prof_free(struct profile *p);

/* Removes everything but the strings; keeps the memory of the columns. */
void prof_clear(struct profile *p);

/* The number of elements of each column, now or expected. */
struct prof_counts {
    size_t samples, frames, locations, lines, functions, mappings;
};

struct prof_counts prof_count(const struct profile *p);

/*
 * Makes room for this many elements in total, so that adding them does not
 * reallocate.  It is not a limit.
 */
bool prof_reserve(struct profile *p, const struct prof_counts *counts,
                  struct err *err);

/* Frees memory that columns have beyond their elements. */
void prof_fit(struct profile *p);

/* --- strings -------------------------------------------------------------- */

/* The id of a NUL-terminated string, or of n bytes; interned. */
bool prof_str(struct profile *p, const char *s, uint32_t *id, struct err *err);
bool prof_strn(struct profile *p, const char *s, size_t n, uint32_t *id,
               struct err *err);

/* For tests only: strings of real profiles may contain NUL (see text.h). */
static inline const char *prof_cstr(const struct profile *p, uint32_t id)
{
    return strtab_str(&p->strings, id);
}

/* The seed for hash tables of this profile's ids and indices. */
static inline uint64_t prof_seed(const struct profile *p)
{
    return p->strings.seed;
}

/* --- adding entities ------------------------------------------------------ */

/*
 * Each function appends one entity as given, without looking for an equal
 * one, and stores its index in *index unless that is null.  Value types come
 * before samples: later ones are ERR_INPUT.
 *
 * Indices in the argument must be valid.  Only these are checked (ERR_INPUT):
 * frames and label set by prof_add_sample(), mapping and functions by
 * prof_add_location().
 */
bool prof_add_type(struct profile *p, const char *type, const char *unit,
                   struct err *err);
bool prof_add_type_id(struct profile *p, struct prof_value_type vt,
                      struct err *err);
bool prof_add_mapping(struct profile *p, const struct prof_mapping *m,
                      uint32_t *index, struct err *err);
bool prof_add_function(struct profile *p, const struct prof_function *f,
                       uint32_t *index, struct err *err);
/* Copies lines[0 .. n); ignores line_off and n_lines of *l. */
bool prof_add_location(struct profile *p, const struct prof_location *l,
                       const struct prof_line *lines, size_t n, uint32_t *index,
                       struct err *err);
/*
 * Appends a line for a location that was added without lines.  The caller sets
 * the location's line_off to p->n_lines before the first of its lines, and its
 * n_lines.
 */
bool prof_push_line(struct profile *p, const struct prof_line *line,
                    struct err *err);
/* frames leaf first; values has p->n_types elements. */
bool prof_add_sample(struct profile *p, const uint32_t *frames, size_t n,
                     const int64_t *values, uint32_t labelset, struct err *err);
/* The same without checks; all values are 0, for the caller to set. */
bool prof_push_sample(struct profile *p, const uint32_t *frames, size_t n,
                      uint32_t labelset, struct err *err);
/*
 * Makes room for the values of so many samples, all 0, in a profile without
 * samples.  Of long rows, pages that have only zeros take no memory.  After
 * that, prof_push_zeroed() is prof_push_sample() for that many samples.
 */
bool prof_zero_values(struct profile *p, size_t samples, struct err *err);
bool prof_push_zeroed(struct profile *p, const uint32_t *frames, size_t n,
                      uint32_t labelset, struct err *err);
bool prof_add_comment(struct profile *p, const char *text, struct err *err);
bool prof_add_comment_id(struct profile *p, uint32_t id, struct err *err);

/* The label set of these n labels, added if new.  Sorts labels[]. */
bool prof_labelset(struct profile *p, struct prof_label *labels, size_t n,
                   uint32_t *set, struct err *err);

/*
 * One location per address, for importers, which meet an address many times:
 * (mapping, address) -> location.  Zero-initialise; belongs to one profile.
 */
struct locmap {
    struct locmap_slot *slots;
    size_t n, n_slots; /* n_slots is a power of two, or 0 */
    uint64_t seed;
};

/*
 * The index of the location at `address` in `mapping` (or PROF_NONE), added
 * to *p without lines if new.
 */
bool locmap_get(struct locmap *map, struct profile *p, uint32_t mapping,
                uint64_t address, uint32_t *location, struct err *err);

/* Makes room for n addresses in all. */
bool locmap_reserve(struct locmap *map, size_t n, struct err *err);

void locmap_free(struct locmap *map);

/*
 * One function and one location per name, for importers of formats that have
 * names instead of addresses: name -> location.  Zero-initialise; belongs to
 * one profile, and to one mapping of it.
 */
struct namemap {
    uint32_t *row; /* by string id: the location's index + 1, or 0 */
    size_t n, cap;
};

/*
 * The index of the location with this name, added to *p in `mapping` (or
 * PROF_NONE) if new.  It has one line, with a function of this name (which is
 * its linkage name too), or, if the name is empty, none.
 */
bool namemap_get(struct namemap *map, struct profile *p, uint32_t mapping,
                 struct slice name, uint32_t *location, struct err *err);

void namemap_free(struct namemap *map);

/* --- samples as a whole --------------------------------------------------- */

/*
 * Replaces the samples of *to by those of *from, without copying; *from is then
 * only good for prof_free().  Both must have the same locations and label sets
 * at the same indices, and the same number of types.
 */
void prof_take_samples(struct profile *to, struct profile *from);

/* Removes all samples and keeps their memory. */
void prof_drop_samples(struct profile *p);

/* Removes all samples and frees their memory. */
void prof_free_samples(struct profile *p);

/*
 * Replaces the samples of *p by n_samples in a store, with n_frames frames in
 * total.  The caller then points the four columns into the store.
 */
void prof_set_store(struct profile *p, struct prof_store *store,
                    size_t n_samples, size_t n_frames);

/*
 * Applies a layout: removes and reorders samples, and renumbers frames.  The
 * layout must not be used with *p again.  Copies nothing if the order is
 * ascending and the samples are not in a store; samples in a store are copied
 * to the heap.  On failure *p is only good for prof_free().
 */
bool prof_settle(struct profile *p, const struct prof_layout *layout,
                 struct err *err);

void prof_layout_free(struct prof_layout *layout);

/*
 * Widens a table of values in place, from n to `more` columns.  values[] has
 * room for rows * more elements; the new ones become 0.
 */
void prof_widen(int64_t *values, size_t rows, size_t n, size_t more);

static inline size_t prof_depth(const struct profile *p, size_t sample)
{
    return (size_t)(p->frame_off[sample + 1] - p->frame_off[sample]);
}

static inline const uint32_t *prof_stack(const struct profile *p, size_t sample)
{
    return p->frames + p->frame_off[sample];
}

/* Whether all values of sample s are 0, or there are none. */
static inline bool prof_sample_is_zero(const struct profile *p, size_t s)
{
    const int64_t *values = p->values + s * p->n_types;
    for (size_t i = 0; i < p->n_types; i++)
        if (values[i])
            return false;
    return true;
}

/* --- value types ---------------------------------------------------------- */

/* The index of the value type with this name, or -1. */
int prof_find_type(const struct profile *p, const char *type);

/*
 * The index of the value type that a report shows by default, as in pprof: the
 * type named by default_sample_type, else the last one; -1 if there are none.
 */
int prof_default_type(const struct profile *p);

#endif
