/*
 * merge.h - results of mergers (profile.h), in canonical form
 *
 * Two functions make a result, both of the same shape (see "Results"):
 * prof_merge_finish() of all profiles added, prof_canonical() of one.
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

#include "profile/model/build.h"

/* The end of messages about types that do not match. */
#define MERGE_ADVICE "; use pbmerge --types=union to merge them anyway"

/* --- results -------------------------------------------------------------- */

/*
 * Both functions fill *out and, unless it is null, *layout (columns.h).
 * The caller frees both, after a failure too.
 *
 *   layout not null  the result is *out as *layout describes it: samples and
 *                    frames are not moved; best for pb_encoder_init()
 *   layout null      the result is *out: samples and frames are moved
 *
 * If stacks of the inputs share frames, those of *out may, too.
 *
 * Up to `threads` threads share the work.
 */

/* Makes the sum of all inputs.  Then only prof_merge_free() is allowed. */
bool prof_merge_finish(struct prof_merger *m, unsigned threads,
                       struct profile *out, struct prof_layout *layout,
                       struct prof_err *err);

/* Merges *p alone, for which then only prof_free() is allowed. */
bool prof_canonical(struct profile *p, unsigned threads, struct profile *out,
                    struct prof_layout *layout, struct prof_err *err);

#endif
