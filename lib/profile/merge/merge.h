/*
 * merge.h - adding profiles up, and the canonical form
 *
 * A merger takes profiles one at a time and sums samples that have the same
 * stack and labels.  What merge_finish() gives is canonical: it depends only
 * on the multiset of samples (and headers) that went in, not on their order,
 * on how they were grouped into earlier merges, or on ids and string order
 * inside each input.  Merging one canonical profile gives it back.
 *
 * Identity
 *   function  name, system name, file, start line
 *   mapping   build id (or else file name), offset, and size rounded up to
 *             4 KiB: address-space randomization is undone by moving
 *             locations to the least start seen.  Addresses below the start
 *             of their mapping are none of the process: they stay, and their
 *             mapping starts at the greatest start seen.  A mapping with
 *             neither build id nor file name is itself at its start only,
 *             unless it covers everything.
 *   location  mapping, address within it, lines with columns, is_folded
 *   sample    stack of locations, labels
 *
 * Headers
 *   time_nanos earliest nonzero; duration_nanos sum; period greatest;
 *   comments sorted set; drop_frames and keep_frames sorted union of their
 *   top-level alternatives; default_sample_type and doc_url least nonempty;
 *   first mapping the least of the inputs' first mappings.
 *
 * Samples whose values are all zero, and whatever no sample needs, are left
 * out.  Sums are checked: an overflow is an error that names the sample, and
 * does not depend on the order of addition.  What a sample says of where its
 * mapping starts counts even if others cancel it; only a file written in
 * between, which has no such sample, cannot pass that on.
 *
 * Order of the result: samples by stack from the root, by rank of location
 * (mapping, address, lines), then by labels; locations by how many frames are
 * theirs, most first, then by rank; functions as locations need them.
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

/* An empty merger; null when memory is out.  merge_free() takes null. */
struct merger *merge_new(enum merge_types types, struct err *err);
void merge_free(struct merger *m);

/* An empty one that takes what matches the inputs of *m so far. */
struct merger *merge_new_like(const struct merger *m, struct err *err);

/* How many profiles were added. */
size_t merge_inputs_so_far(const struct merger *m);

/* Those of them whose call stacks were estimated (estimate.h). */
size_t merge_estimated(const struct merger *m);

/*
 * Whether an input that matches those so far matches them for good: whatever
 * is added before it, if that matches, too.  Types that all must have in
 * common become fewer, and what the period is of is not known before an input
 * says so.
 */
bool merge_is_settled(const struct merger *m);

/*
 * Adds all samples of *p, which is not kept.  ERR_INPUT from types that do not
 * match leaves the merger as it was.  After any other failure it may have a
 * part of them: whatever else is added, and merge_finish(), fails then, too,
 * for want of memory.
 */
bool merge_add(struct merger *m, const struct profile *p, struct err *err);

/*
 * The same, but subtracts the values.  Only the difference has to fit 64 bits,
 * not the opposite of a value.
 */
bool merge_subtract(struct merger *m, const struct profile *p, struct err *err);

/*
 * merge_add(), and *p may be used up: it is only good for prof_free() then.  An
 * only input is not copied, and takes less time and memory by half.
 */
bool merge_take(struct merger *m, struct profile *p, struct err *err);

/*
 * For inputs that are decoded one after another: an empty profile whose
 * strings are those of the sum, so that what the sum has is looked up once
 * and not copied, in memory that the input before has left.  Null when memory
 * is out.  It is the merger's, and must come back before anything else is
 * done with *m: by merge_add_lent(), which does what merge_take() does, or
 * by merge_drop_lent(), after which the sum is as it was.
 */
struct profile *merge_lend(struct merger *m, struct err *err);
bool merge_add_lent(struct merger *m, struct err *err);
void merge_drop_lent(struct merger *m);

/*
 * Gives back what the lent profile was given too much of memory, and tells how
 * many bytes are left, but for those of the strings.
 */
uint64_t merge_fit_lent(struct merger *m);

/*
 * Several threads may add to one sum, each by a merger of its own that is new:
 * merge_new_like(to).  What it is given goes there, but the samples go to *to
 * at once, under a lock that is held for the time of a hundred of them, so
 * that none is kept twice.  Until all these mergers have been joined to *to
 * nothing else may be done with it but merge_new_like().  Where the types of
 * inputs may differ each merger still has a sum of its own.  False when
 * memory is out.
 */
bool merge_share(struct merger *m, struct merger *to, struct err *err);

/*
 * Adds all that is in *from, of which nothing is on disk, to *m; *from is left
 * to be freed.
 */
bool merge_join(struct merger *m, struct merger *from, struct err *err);

/* The same, and *from is as merge_new_like(m) makes it. */
bool merge_drain(struct merger *m, struct merger *from, struct err *err);

/*
 * How many bytes of memory the merger has, all in all: of samples, and of
 * what they consist of.
 */
struct merge_size {
    uint64_t samples, entities;
};
struct merge_size merge_size(const struct merger *m);

/*
 * Puts the samples on disk (scratch.h) and gives their memory back.  Not while
 * a profile is lent.  The sum is the same, but takes longer to finish, and
 * the samples of the finished profile stay on disk, to be read from there:
 * see struct prof_store.  merge_spilled() tells how many bytes are there, or
 * were, at most.
 */
bool merge_spill(struct merger *m, struct err *err);
uint64_t merge_spilled(const struct merger *m);

/*
 * The sum as a canonical profile in *out, which is initialised here.  The
 * merger is used up by this: it can only be freed.
 */
bool merge_finish(struct merger *m, struct profile *out, struct err *err);

/*
 * The same by up to so many threads, and without moving samples, for those
 * who can take them in another order than that in which they stand, as
 * pb_encode_order() does: (*order)[0 .. n_samples), which the caller frees
 * whatever is returned.  Null: as they stand, for some were on disk.
 */
bool merge_finish_order(struct merger *m, unsigned threads, struct profile *out,
                        uint32_t **order, struct err *err);

/*
 * The same without replacing frames by what they are in the result, for those
 * who write it at once: *out has what *layout says, which the caller frees
 * whatever is returned.
 */
bool merge_finish_layout(struct merger *m, unsigned threads,
                         struct profile *out, struct prof_layout *layout,
                         struct err *err);

/* One profile to canonical form: a merge of it alone. */
bool prof_canonical(const struct profile *p, struct profile *out,
                    struct err *err);

/* The same by merge_take(). */
bool prof_canonical_take(struct profile *p, struct profile *out,
                         struct err *err);

/* By merge_take() and merge_finish_order(). */
bool prof_canonical_order(struct profile *p, unsigned threads,
                          struct profile *out, uint32_t **order,
                          struct err *err);

/*
 * What a merge of *p alone is, by so many threads, but with the samples in
 * the order that they have: equal ones are summed up where the first is.
 * Mappings keep their order, too, and so do locations that have as many
 * frames.  A canonical profile comes back as it is; where samples were taken
 * out of it the others are still in order, and only locations may be numbered
 * otherwise than a merge would.
 */
bool prof_compact(struct profile *p, unsigned threads, struct profile *out,
                  struct err *err);

/*
 * The same without going over the samples once more to move and renumber
 * them: *out has what *layout says, which the caller frees whatever is
 * returned.
 */
bool prof_compact_layout(struct profile *p, unsigned threads,
                         struct profile *out, struct prof_layout *layout,
                         struct err *err);

#endif
