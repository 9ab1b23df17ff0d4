/*
 * merge_try.h - results of merges, for tests
 */
#ifndef PROFUTILS_TESTS_MERGE_TRY_H
#define PROFUTILS_TESTS_MERGE_TRY_H

#include "base/buf.h"
#include "profile/merge/merge.h"

/* prof_canonical() of *p, which stays as it is. */
bool canonical_copy(const struct profile *p, struct profile *out,
                    struct prof_err *err);

/* prof_merge_one() in the order of *p, which is moved.  With a layout, *out is
 * only to be written by it. */
bool merge_in_order(struct profile *p, unsigned threads, struct profile *out,
                    struct prof_layout *layout, struct prof_err *err);

/* Encodes *p by its layout, or null; aborts where that fails. */
struct buf layout_bytes(const struct profile *p,
                        const struct prof_layout *layout);

/*
 * Adds n profiles to *m by so many threads, by prof_merge_take() if `take`.
 */
bool add_parallel(struct prof_merger *m, unsigned threads, struct profile *p,
                  size_t n, bool take, struct prof_err *err);

#endif
