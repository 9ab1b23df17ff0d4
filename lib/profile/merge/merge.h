/*
 * merge.h - adds profiles and brings them into canonical form
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
 *   function          input                    order of samples
 *   merge_finish()    all profiles added       canonical
 *   prof_canonical()  one profile              canonical
 *   prof_compact()    one profile              unchanged
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
 * Overflow: a sum that does not fit 64 bits is ERR_INPUT and names the sample.
 * It does not depend on the order of addition.
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
    MERGE_TYPES_INTERSECT, /* keep only types that all inputs have */
};

/* The end of messages about types that do not match. */
#define MERGE_ADVICE "; use pbmerge --types=union to merge them anyway"

struct merger;

struct merger *merge_new(enum merge_types types, struct err *err);
void merge_free(struct merger *m); /* null is allowed */

/* --- inputs --------------------------------------------------------------- */

/*
 * Each adds all samples of one profile.
 *
 *   merge_add()       copies what it needs; *p is unchanged
 *   merge_subtract()  the same, but subtracts the values; only the difference
 *                     must fit 64 bits, not the negated value
 *   merge_take()      may move the samples of *p, which is then only good for
 *                     prof_free(); halves time and memory of a single input
 *
 * ERR_INPUT for types that do not match leaves the sum unchanged.  After any
 * other failure the sum is broken: every further use of it fails.
 */
bool merge_add(struct merger *m, const struct profile *p, struct err *err);
bool merge_subtract(struct merger *m, const struct profile *p, struct err *err);
bool merge_take(struct merger *m, struct profile *p, struct err *err);

/*
 * For inputs that are decoded one after another: merge_input() returns an empty
 * profile, owned by the merger, to decode into.  It reuses the memory of
 * earlier inputs and has their strings, so that only new strings are copied.
 * Before any other use of *m, end with one of
 *
 *   merge_add_input()   adds the profile, as merge_take()
 *   merge_drop_input()  discards it
 *
 * merge_refused() returns the profile that merge_add_input() has just refused
 * because its sample types do not match, or null if that was not why.  It can
 * be added to another merger; merge_drop_input() then discards it.
 *
 * merge_fit_input() frees unused memory of the profile's columns and returns
 * their size in bytes, without strings.
 */
struct profile *merge_input(struct merger *m, struct err *err);
bool merge_add_input(struct merger *m, struct err *err);
void merge_drop_input(struct merger *m);
const struct profile *merge_refused(struct merger *m);
uint64_t merge_fit_input(struct merger *m);

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
 * threads add them.  So call this only if merge_is_settled(m), or if the sum
 * is discarded when any input is refused.
 */
typedef bool merge_fn(void *arg, unsigned thread, struct merger *m, size_t i);
struct merge_work {
    merge_fn *fn;
    void *arg;
    size_t n;
    unsigned threads;
};
bool merge_parallel(struct merger *m, const struct merge_work *work,
                    struct err *err);

/* How many profiles were added. */
size_t merge_inputs(const struct merger *m);

/* Whether the last input was refused because of its sample types. */
bool merge_types_differ(const struct merger *m);

/* Writes the sample types of the sum to text[]: "cpu/nanoseconds, ...". */
void merge_describe(struct merger *m, char *text, size_t n);

/* How many of these have estimated call stacks (estimate/estimate.h). */
size_t merge_estimated(const struct merger *m);

/*
 * Whether later inputs are refused, or not, independently of their order.  They
 * are not before the first input; with MERGE_TYPES_SAME, before an input has a
 * period type; and with MERGE_TYPES_INTERSECT, as each input can reduce the
 * types in common.
 */
bool merge_is_settled(const struct merger *m);

/* --- memory --------------------------------------------------------------- */

/* Memory in bytes. */
struct merge_size {
    uint64_t samples, entities; /* of the sum */
    uint64_t own;               /* of this merger: strings of its inputs */
};
struct merge_size merge_size(const struct merger *m);

/*
 * Moves the samples of the sum from memory to temporary files (tempfile.h) if
 * samples and entities have more than `most` bytes.  The result is the same,
 * but merge_finish() takes longer, and the samples of the result are in a file
 * (struct prof_store).
 *
 * merge_spilled() returns the greatest number of bytes that were in temporary
 * files at any time.
 */
bool merge_spill(struct merger *m, uint64_t most, struct err *err);
uint64_t merge_spilled(const struct merger *m);

/* --- results -------------------------------------------------------------- */

/*
 * All three functions fill *out and, unless it is null, *layout (profile.h).
 * The caller frees both, after a failure too.
 *
 *   layout not null  the result is *out as *layout describes it: samples and
 *                    frames are not moved; best for pb_encoder_init()
 *   layout null      the result is *out: samples and frames are moved
 *
 * Up to `threads` threads share the work.
 */

/* The sum of all inputs.  The merger is then only good for merge_free(). */
bool merge_finish(struct merger *m, unsigned threads, struct profile *out,
                  struct prof_layout *layout, struct err *err);

/* Merges *p alone, which is then only good for prof_free(). */
bool prof_canonical(struct profile *p, unsigned threads, struct profile *out,
                    struct prof_layout *layout, struct err *err);

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
                  struct prof_layout *layout, struct err *err);

#endif
