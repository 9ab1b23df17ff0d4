/*
 * build.h - makes and changes the columns of a profile (profile/columns.h)
 *
 * A caller that replaces an array frees the old one.  Functions with *err
 * return false and set it: PROF_ERR_SYSTEM when memory is out, PROF_ERR_INPUT
 * for more than 2^32 - 2 entities.
 */
#ifndef PROFUTILS_PROFILE_MODEL_BUILD_H
#define PROFUTILS_PROFILE_MODEL_BUILD_H

#include "profile/columns.h"

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

/* --- making and freeing --------------------------------------------------- */

/*
 * Returns a new profile, from malloc(), that takes over the columns of *p: for
 * functions of profile.h that return a profile.  If not ok, or when memory is
 * out, frees *p and returns null.
 */
struct profile *prof_box(struct profile *p, bool ok, struct prof_err *err);

/* Removes everything but the strings; keeps the memory of the columns. */
void prof_clear(struct profile *p);

/* Frees the memory of columns that is beyond their elements. */
void prof_shrink(struct profile *p);

/*
 * Puts the stacks of samples in the order of a layout, and stores them again,
 * with n_samples; values and label sets stay.  On failure *p is unchanged.
 */
bool prof_order_stacks(struct profile *p, const struct prof_layout *layout,
                       struct prof_err *err);
/* The same in place, for an order that ascends; layout->shared is null. */
bool prof_drop_stacks(struct profile *p, const struct prof_layout *layout,
                      struct prof_err *err);

/* --- strings -------------------------------------------------------------- */

/* Returns a string; only for tests, because real ones may contain NUL. */
static inline const char *prof_cstr(const struct profile *p, uint32_t id)
{
    return strtab_str(&p->strings, id);
}

/* Whether string a of *p is string b of *q. */
bool prof_same_text(const struct profile *p, uint32_t a,
                    const struct profile *q, uint32_t b);

/* The comment of profiles whose stacks are estimated; and whether a profile has
 * it. */
#define PROF_ESTIMATED                                                         \
    "call stacks are estimated from call counts (gprof's model)"
bool prof_is_estimated(const struct profile *p);

/* --- adding entities ------------------------------------------------------ */

/*
 * Appends a line for a location that was added without lines.  The caller sets
 * the location's line_off to p->n_lines before the first of its lines, and its
 * n_lines.
 */
bool prof_push_line(struct profile *p, const struct prof_line *line,
                    struct prof_err *err);
/* As prof_add_sample(), but without checks, and with values of 0, which the
 * caller may then set. */
bool prof_push_sample(struct profile *p, const uint32_t *frames, size_t n,
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

/* Frees the arrays of a layout. */
void prof_layout_free(struct prof_layout *layout);

/*
 * Widens a table of values in place, from n to `more` columns.  values[] must
 * have room for rows * more elements; new elements become 0.
 */
void prof_add_value_columns(int64_t *values, size_t rows, size_t n,
                            size_t more);

#endif
