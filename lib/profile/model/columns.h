/*
 * columns.h - a profile in memory, as columns
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
 * Errors    Functions return false and set *err: PROF_ERR_SYSTEM when memory is
 *           out, PROF_ERR_INPUT for more than 2^32 - 2 entities and where
 * noted.
 */
#ifndef PROFUTILS_PROFILE_COLUMNS_H
#define PROFUTILS_PROFILE_COLUMNS_H

#include "base/err.h"
#include "base/strtab.h"
#include "profile.h"

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
    struct prof_store *store;   /* of these columns; null: the heap */
    size_t zero_from, zero_end; /* of values[] beyond the samples: all 0 */

    uint32_t *comments; /* string ids, in file order */
    size_t n_comments, cap_comments;

    int64_t time_nanos, duration_nanos, period; /* 0: unknown */
    struct prof_value_type period_type;
    uint32_t drop_frames, keep_frames; /* string ids of regexps */
    uint32_t default_sample_type;      /* string id of a type's name */
    uint32_t doc_url;                  /* string id */

    /* Of a result that is only to be written, else zeroed.  pb_encoder_init()
     * and prof_count() apply it; nothing else may be done with the samples. */
    struct prof_layout layout;
};

/* --- making and freeing --------------------------------------------------- */

/* An empty profile.  On failure *p is safe to prof_free(). */
bool prof_init(struct profile *p, struct prof_err *err);
void prof_free(struct profile *p);

/*
 * For functions of profile.h that return a profile: one from malloc() with the
 * columns of *p, which are then its own.  If not ok, or when memory is out,
 * frees *p and returns null.
 */
struct profile *prof_box(struct profile *p, bool ok, struct prof_err *err);

/* Removes everything but the strings; keeps the memory of the columns. */
void prof_clear(struct profile *p);

/* Frees memory that columns have beyond their elements. */
void prof_fit(struct profile *p);

/* --- strings -------------------------------------------------------------- */

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
 * Appends a line for a location that was added without lines.  The caller sets
 * the location's line_off to p->n_lines before the first of its lines, and its
 * n_lines.
 */
bool prof_push_line(struct profile *p, const struct prof_line *line,
                    struct prof_err *err);
/* As prof_add_sample() without checks; all values are 0, for the caller to
 * set. */
bool prof_push_sample(struct profile *p, const uint32_t *frames, size_t n,
                      uint32_t labelset, struct prof_err *err);
/*
 * Makes room for the values of so many samples, all 0, in a profile without
 * samples.  Of long rows, pages that have only zeros take no memory.  After
 * that, prof_push_zeroed() is prof_push_sample() for that many samples.
 */
bool prof_zero_values(struct profile *p, size_t samples, struct prof_err *err);
bool prof_push_zeroed(struct profile *p, const uint32_t *frames, size_t n,
                      uint32_t labelset, struct prof_err *err);

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
                 struct prof_err *err);

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

#endif
