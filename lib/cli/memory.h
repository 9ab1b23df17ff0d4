/*
 * memory.h - merging under a limit of memory
 *
 * The limit is for all of the process.  Of what the program itself leaves, a
 * third is for sums, which go to disk (merge_spill()) when they have more; the
 * rest is for inputs as they are read, and for sums as they grow and are
 * finished.  The account is of what arrays can hold.  So that nothing that
 * it misses passes the limit the kernel is told of it, too: memory is out
 * then, and cli_error() says why.
 *
 * With several threads one sum is shared, and it is the one that goes to
 * disk: each worker adds what it has to it when that is more than its part.
 *
 * All that is zero is no limit, and every function does nothing.
 */
#ifndef PROFUTILS_CLI_MEMORY_H
#define PROFUTILS_CLI_MEMORY_H

#include <pthread.h>
#include <stdatomic.h>

#include "cli/cli.h"
#include "profile/merge/merge.h"

#define MEMORY_LEAST ((uint64_t)16 << 20)

struct memory {
    struct cli *cli; /* null: there is no limit */
    bool stays;      /* nothing goes to disk: the sum is needed whole */
    uint64_t room;   /* bytes of the limit that the program leaves */
    bool measured;   /* the system tells how many of them are in use */
    unsigned workers;
    struct merger *shared;
    pthread_mutex_t lock; /* of the shared sum and of err */
    atomic_bool failed;
    struct err err; /* the first failure, after which nothing is done */
};

/*
 * Sets the limit, for ever, and lowers cli->threads to what fits in it.
 * ERR_USAGE when it is below MEMORY_LEAST.
 */
bool memory_limit(struct memory *m, struct cli *cli, uint64_t limit,
                  struct err *err);

/* The sum that is for all, and the only one so far. */
void memory_share(struct memory *m, struct merger *sum);

/*
 * How many of so many workers there can be, if more than one each with a sum
 * of its own beside the one for all.  Said with -v.
 */
unsigned memory_workers(struct memory *m, unsigned wanted);

/*
 * Whether what was lent (merge_lend()) fits into the sum, which then still
 * leaves room for it to grow.  If not it is to be dropped, and lent again after
 * memory_make_room(), which brings the sum elsewhere.
 */
bool memory_fits(const struct memory *m, struct merger *sum);
void memory_make_room(struct memory *m, struct merger *sum);

/* Makes room if this is a large input; and if a sum has become too large. */
void memory_before(struct memory *m, struct merger *sum, const char *path);
void memory_after(struct memory *m, struct merger *sum);

/*
 * Says in *err, where memory was out over an input, about how much would do.
 * raw: the bytes that were to be decoded; 0: it did not come to that.
 */
void memory_explain(const struct memory *m, const char *path, size_t raw,
                    struct err *err);

/* Says with -v how much was on disk. */
void memory_tell(const struct memory *m);

#endif
