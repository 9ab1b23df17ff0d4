/*
 * merge.h - adds profiles and brings them into canonical form
 *
 *      struct prof_merger *m = prof_merge_new(PROF_TYPES_SAME, err);
 *      prof_merge_add(m, &a, err) && prof_merge_add(m, &b, err) &&
 *          prof_merge_finish(m, threads, &sum, NULL, err);
 *      prof_merge_free(m);
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
 *   function             input               order of samples
 *   prof_merge_finish()  all profiles added  canonical
 *   prof_canonical()     one profile         canonical
 *   prof_compact()       one profile         unchanged
 *
 * Identity: entities are the same if they agree in
 *   function  name, system name, file, start line
 *   mapping   build id (or else file name), offset, size rounded up to 4 KiB;
 *             without build id and file name also the start, unless the
 *             mapping covers all addresses
 *   location  mapping, address within it, lines with columns, is_folded
 *   sample    stack of locations, labels
 *
 * Mappings: inputs may have the same mapping at different addresses (address
 * space randomization)
 *   address                    in the result     start of the result's mapping
 *   in or above its mapping    moves with it     least start of the inputs
 *   below its mapping's start  unchanged         greatest start of the inputs
 *
 *   Only inputs with samples at such addresses count.  An address below the
 *   start of its mapping is not an address in the process, but 0 or an offset
 *   in the file.  A mapping with addresses of both kinds is written twice if
 *   the two starts differ.
 *
 * Header fields
 *   time_nanos                    earliest that is not 0
 *   duration_nanos                sum
 *   period                        greatest of inputs with the least period type
 *   comments                      sorted set
 *   drop_frames, keep_frames      sorted union of top-level alternatives
 *   default_sample_type, doc_url  least that is not empty
 *   first mapping                 least of the inputs' first mappings
 *
 * Order of the result
 *   samples    by stack from the root, by rank of location (mapping, address,
 *              lines), then by labels
 *   locations  by number of frames that refer to them, most first, then by rank
 *   functions  in the order in which locations refer to them
 *
 * Removed: samples with only values of 0, and entities that no sample needs.
 * A removed sample still counts for the header fields of its mapping, if it
 * was in an input: this is the one case where merging intermediate results,
 * which lack such samples, can differ from merging all inputs at once.
 *
 * Overflow: a sum that does not fit 64 bits is PROF_ERR_INPUT and names the
 * sample. It does not depend on the order of addition.
 *
 * Functions return false, or null, and set *err when memory is out
 * (PROF_ERR_SYSTEM) and where noted.
 */
#ifndef PROFUTILS_PROFILE_MERGE_H
#define PROFUTILS_PROFILE_MERGE_H

#include "profile/model/columns.h"
#include "profile/model/text.h"

/* The end of messages about types that do not match. */
#define MERGE_ADVICE "; use pbmerge --types=union to merge them anyway"

/* --- inputs --------------------------------------------------------------- */

/*
 * Each adds all samples of one profile.
 *
 *   prof_merge_add()       copies what it needs; *p is unchanged
 *   prof_merge_subtract()  the same, but subtracts the values; only the
 *                          difference must fit 64 bits, not the negated value
 *   prof_merge_take()      may move the samples of *p, which is then only good
 *                          for prof_free(); halves time and memory of a single
 *                          input
 *
 * PROF_ERR_INPUT for types that do not match leaves the sum unchanged.  After
 * any other failure the sum is broken: every further use of it fails.
 */
bool prof_merge_add(struct prof_merger *m, const struct profile *p,
                    struct prof_err *err);
bool prof_merge_subtract(struct prof_merger *m, const struct profile *p,
                         struct prof_err *err);
bool prof_merge_take(struct prof_merger *m, struct profile *p,
                     struct prof_err *err);

/*
 * For inputs that are decoded one after another: prof_merge_input() returns an
 * empty profile, owned by the merger, to decode into.  It reuses the memory of
 * earlier inputs and has their strings, so that only new strings are copied.
 * Before any other use of *m, end with one of
 *
 *   prof_merge_add_input()   adds the profile, as prof_merge_take()
 *   prof_merge_drop_input()  discards it
 *
 * prof_merge_refused() returns the profile that prof_merge_add_input() has just
 * refused because its types do not match, or null if that was not why.
 * It can be added to another merger; prof_merge_drop_input() then discards it.
 *
 * prof_merge_fit_input() frees unused memory of the profile's columns and
 * returns their size in bytes, without strings.
 */
struct profile *prof_merge_input(struct prof_merger *m, struct prof_err *err);
bool prof_merge_add_input(struct prof_merger *m, struct prof_err *err);
void prof_merge_drop_input(struct prof_merger *m);
const struct profile *prof_merge_refused(struct prof_merger *m);
uint64_t prof_merge_fit_input(struct prof_merger *m);

/*
 * Calls fn for inputs 0 .. n - 1 in `threads` threads.  Each thread has a
 * merger, passed to fn, that adds to the sum of *m.
 *
 *   thread  below `threads` (below 1 if that is 0)
 *   order   calls begin in the order of inputs and end in any order
 *   result  false as soon as a call of fn returns false; later inputs are then
 *           not read
 *   *m      must not be used meanwhile, except through fn's merger
 *
 * Which inputs have types that do not match can depend on the order in which
 * threads add them.  So call this only if prof_merge_is_settled(m), or if the
 * sum is discarded when any input is refused.
 */
typedef bool prof_merge_fn(void *arg, unsigned thread, struct prof_merger *m,
                           size_t i);
struct prof_merge_work {
    prof_merge_fn *fn;
    void *arg;
    size_t n;
    unsigned threads;
};
bool prof_merge_parallel(struct prof_merger *m,
                         const struct prof_merge_work *work,
                         struct prof_err *err);

/* How many profiles were added. */
size_t prof_merge_inputs(const struct prof_merger *m);

/* Whether the last input was refused because of its types, or of its period
 * type alone (which only an exact merger can tell). */
bool prof_merge_types_differ(const struct prof_merger *m);
bool prof_merge_period_differs(const struct prof_merger *m);

/*
 * With PROF_TYPES_SAME, sets whether later inputs must have the period type of
 * the sum, or none if it has none.  From the first input on, what is refused
 * does not depend on the order of inputs.
 */
void prof_merge_set_exact(struct prof_merger *m, bool on);

/* The period type of the sum; "" without one. */
struct prof_shown prof_merge_show_period(const struct prof_merger *m);

/* Writes the sample types of the sum to text[]: "cpu/nanoseconds, ...". */
void prof_merge_describe(struct prof_merger *m, char *text, size_t n);

/* How many of these have estimated call stacks (estimate/estimate.h). */
size_t prof_merge_estimated(const struct prof_merger *m);

/*
 * Whether later inputs are refused, or not, independently of their order.  They
 * are not before the first input; with PROF_TYPES_SAME, before an input has a
 * period type; and with PROF_TYPES_INTERSECT, as each input can reduce the
 * types in common.
 */
bool prof_merge_is_settled(const struct prof_merger *m);

/* --- memory --------------------------------------------------------------- */

/* Memory in bytes. */
struct prof_merge_size {
    uint64_t samples, entities; /* of the sum */
    uint64_t own;               /* of this merger: strings of its inputs */
};
struct prof_merge_size prof_merge_size(const struct prof_merger *m);

/*
 * Moves the samples of the sum from memory to temporary files (tempfile.h) if
 * samples and entities have more than `most` bytes.  The result is the same,
 * but prof_merge_finish() takes longer, and the samples of the result are in a
 * file (struct prof_store).
 *
 * prof_merge_spilled() returns the greatest number of bytes that were in
 * temporary files at any time.
 */
bool prof_merge_spill(struct prof_merger *m, uint64_t most,
                      struct prof_err *err);
uint64_t prof_merge_spilled(const struct prof_merger *m);

/* --- results -------------------------------------------------------------- */

/*
 * All three functions fill *out and, unless it is null, *layout (columns.h).
 * The caller frees both, after a failure too.
 *
 *   layout not null  the result is *out as *layout describes it: samples and
 *                    frames are not moved; best for pb_encoder_init()
 *   layout null      the result is *out: samples and frames are moved
 *
 * Up to `threads` threads share the work.
 */

/* The sum of all inputs.  The merger is then only good for prof_merge_free().
 */
bool prof_merge_finish(struct prof_merger *m, unsigned threads,
                       struct profile *out, struct prof_layout *layout,
                       struct prof_err *err);

/* Merges *p alone, which is then only good for prof_free(). */
bool prof_canonical(struct profile *p, unsigned threads, struct profile *out,
                    struct prof_layout *layout, struct prof_err *err);

/*
 * The same, but keeps the order of
 *
 *   samples    equal samples are summed at the first of them
 *   mappings
 *   locations  only among those with the same number of frames
 *
 * A canonical profile is unchanged.  If samples were removed from one, those
 * that remain are in canonical order, but prof_canonical() may number their
 * locations differently.
 */
bool prof_compact(struct profile *p, unsigned threads, struct profile *out,
                  struct prof_layout *layout, struct prof_err *err);

#endif
