/*
 * merge.h - adding profiles up, and the canonical form
 *
 *      struct merger *m = merge_new(MERGE_TYPES_SAME, err);
 *      merge_add(m, &a, err) && merge_add(m, &b, err) &&
 *          merge_finish(m, threads, &sum, NULL, err);
 *      merge_free(m);
 *
 * A merger sums samples that have the same stack and labels.  Its result is
 * canonical: it depends only on the multiset of samples and headers that were
 * added, not on their order, on how they were grouped into earlier merges, on
 * ids and the order of tables within each input, on the number of threads, or
 * on what was written to disk on the way.  Merging one canonical profile gives
 * it back.
 *
 * Three functions make a result, all of the same shape (see "Results"):
 *
 *   function          of                     samples
 *   merge_finish()    all that was added     in canonical order
 *   prof_canonical()  one profile            in canonical order
 *   prof_compact()    one profile            in the order that they have
 *
 * Identity: what is one entity in the sum
 *   function  name, system name, file, start line
 *   mapping   build id (or else file name), offset, size rounded up to 4 KiB;
 *             one with neither name also by its start, unless it covers all
 *             addresses
 *   location  mapping, address within it, lines with columns, is_folded
 *   sample    stack of locations, labels
 *
 * Mappings: address-space randomization is undone
 *   Addresses count from the start of their mapping, and the mapping of the
 *   result has the least start that an input with such samples has.  Addresses
 *   below the start of their mapping (0, or offsets in a file) are not
 *   addresses in the process and stay as they are; a mapping of such starts at
 *   the greatest start.  One with both is written twice where these differ.
 *
 * Header fields
 *   time_nanos                    earliest that is not 0
 *   duration_nanos                sum
 *   period                        greatest, of the least period type
 *   comments                      sorted set
 *   drop_frames, keep_frames      sorted union of top-level alternatives
 *   default_sample_type, doc_url  least that is not empty
 *   first mapping                 least of the inputs' first mappings
 *
 * Order of the result
 *   samples    by stack from the root, by rank of location (mapping, address,
 *              lines), then by labels
 *   locations  by how many frames are theirs, most first, then by rank
 *   functions  as locations need them
 *
 * Samples whose values are all 0, and entities that no sample needs, are not
 * in the result.  Sums are checked: an overflow is ERR_INPUT, names the sample
 * and does not depend on the order of addition.  What a sample says of its
 * mapping counts even if others cancel its values; only a file written in
 * between, which lacks the sample, cannot pass that on.
 *
 * Functions return false, or null, and set *err when memory is out
 * (ERR_SYSTEM) and where noted.
 */
#ifndef PROFUTILS_PROFILE_MERGE_H
#define PROFUTILS_PROFILE_MERGE_H

#include "profile/profile.h"

/* What to do about inputs whose sample types are not the same set. */
enum merge_types {
    MERGE_TYPES_SAME,      /* refuse, naming both sets */
    MERGE_TYPES_UNION,     /* a missing type counts as 0 */
    MERGE_TYPES_INTERSECT, /* only types that all have */
};

struct merger;

struct merger *merge_new(enum merge_types types, struct err *err);
void merge_free(struct merger *m); /* null is allowed */

/* --- inputs --------------------------------------------------------------- */

/*
 * Each adds all samples of one profile.
 *
 *   merge_add()       *p is not kept
 *   merge_subtract()  subtracts the values; only the difference has to fit 64
 *                     bits, not the opposite of a value
 *   merge_take()      *p may be used up: it is only good for prof_free() then;
 *                     an only input takes half the time and memory
 *
 * ERR_INPUT from types that do not match leaves the sum as it was.  After any
 * other failure the sum is broken: whatever else is done with it fails.
 */
bool merge_add(struct merger *m, const struct profile *p, struct err *err);
bool merge_subtract(struct merger *m, const struct profile *p, struct err *err);
bool merge_take(struct merger *m, struct profile *p, struct err *err);

/*
 * For inputs that are decoded one after another: returns an empty profile of
 * the merger to decode into.  It has the strings of earlier inputs, so that
 * only new ones are copied, and their memory.  It must be given back, before
 * anything else is done with *m, by one of
 *
 *   merge_add_input()   merge_take() of it
 *   merge_drop_input()  without adding it
 *
 * merge_fit_input() frees memory that its columns do not need and returns how
 * many bytes they have, without strings.
 */
struct profile *merge_input(struct merger *m, struct err *err);
bool merge_add_input(struct merger *m, struct err *err);
void merge_drop_input(struct merger *m);
uint64_t merge_fit_input(struct merger *m);

/*
 * Calls fn for inputs 0 .. n - 1 by ctx->threads, each with a merger of its own
 * whose inputs are added to the same sum, that of *m; `thread` is below that
 * number.  Inputs begin in order, and end in any.  Stops when fn returns
 * false.  Meanwhile nothing may be done with *m itself.
 *
 * Which inputs are refused for their types does not depend on their order only
 * where merge_is_settled(), or where nothing comes of the sum if any is.
 */
typedef bool merge_fn(void *arg, unsigned thread, struct merger *m, size_t i);
bool merge_parallel(struct merger *m, size_t n, merge_fn *fn, void *arg,
                    const struct ctx *ctx);

/* How many profiles were added. */
size_t merge_inputs(const struct merger *m);

/* Those of them whose call stacks were estimated (estimate.h). */
size_t merge_estimated(const struct merger *m);

/*
 * Whether an input that matches those so far matches them whatever is added
 * before it: types that all have in common may become fewer, and the period
 * type is unknown until an input has one.
 */
bool merge_is_settled(const struct merger *m);

/* --- memory --------------------------------------------------------------- */

/* Bytes of memory: of the sum, and of this merger beyond it. */
struct merge_size {
    uint64_t samples, entities, own;
};
struct merge_size merge_size(const struct merger *m);

/*
 * Writes the samples of the sum to temporary files (tempfile.h) and frees their
 * memory, unless they and the entities have at most `most` bytes.  The sum is
 * the same, but takes longer to finish, and the samples of the result stay in
 * files (struct prof_store).  merge_spilled() returns how many bytes there
 * are, or were, at most.
 */
bool merge_spill(struct merger *m, uint64_t most, struct err *err);
uint64_t merge_spilled(const struct merger *m);

/* --- results -------------------------------------------------------------- */

/*
 * Results are *out, which is initialised here and is to be freed whatever is
 * returned, and *layout (profile.h), to be freed as well:
 *
 *   layout given  *out is what the layout says: samples and frames stay where
 *                 they are, for who writes them once, as pb_encoder_new() does
 *   layout null   samples and frames are moved to where they belong
 *
 * The work is shared by up to so many threads.
 */

/* The sum.  The merger is used up: it can only be freed. */
bool merge_finish(struct merger *m, unsigned threads, struct profile *out,
                  struct prof_layout *layout, struct err *err);

/* A merge of *p alone; *p is used up and only good for prof_free(). */
bool prof_canonical(struct profile *p, unsigned threads, struct profile *out,
                    struct prof_layout *layout, struct err *err);

/*
 * The same, but samples keep their order, equal ones summed where the first
 * is; mappings keep their order, too, and so do locations with as many frames.
 * A canonical profile comes back as it is.  One without some of its samples is
 * in order still, but a merge may number its locations differently.
 */
bool prof_compact(struct profile *p, unsigned threads, struct profile *out,
                  struct prof_layout *layout, struct err *err);

#endif
