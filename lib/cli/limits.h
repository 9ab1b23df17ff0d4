/*
 * limits.h - limits of the process: memory for merging, and processors
 *
 * The limit is for all of the process.  Of what the program itself leaves, a
 * third is for the sum, whose samples go to disk (merge_spill()) when it has
 * more; the rest is for inputs as they are read, and for the sum as it grows
 * and is finished.  The account is of what arrays can hold.  The kernel is
 * given the limit too, for what the account misses: then memory is out, and
 * cli_error() says why.
 *
 * All that is zero is no limit, and every function does nothing.
 */
#ifndef PROFUTILS_CLI_LIMITS_H
#define PROFUTILS_CLI_LIMITS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "cli/cli.h"
#include "profile/merge/merge.h"

#define MEMORY_LEAST ((uint64_t)16 << 20)

struct memory {
    struct cli *cli; /* null: there is no limit */
    bool stays;      /* nothing goes to disk: the sum is needed whole */
    uint64_t room;   /* bytes of the limit that the program leaves */
    bool measured;   /* the system tells how many of them are in use */
    unsigned workers;
    pthread_mutex_t lock; /* of err */
    atomic_bool failed;
    struct err err; /* the first failure, after which nothing is done */
};

/*
 * Sets the limit, for ever, and lowers cli->threads to what fits in it.
 * ERR_USAGE when it is below MEMORY_LEAST.
 */
bool memory_limit(struct memory *m, struct cli *cli, uint64_t limit,
                  struct err *err);

/* How many of so many threads can read inputs at once.  Said with -v. */
unsigned memory_workers(struct memory *m, unsigned wanted);

/*
 * Whether an input that was decoded (merge_input()) fits beside the sum, which
 * then still can grow.  If not it is to be dropped, and decoded again after
 * memory_make_room(), which writes the sum's samples to disk.
 */
bool memory_fits(const struct memory *m, struct merger *sum);
void memory_make_room(struct memory *m, struct merger *sum);

/* Makes room before a large input, and where the sum has become too large. */
void memory_before(struct memory *m, struct merger *sum, const char *path);
void memory_after(struct memory *m, struct merger *sum);

/*
 * Says in *err, where memory was out over an input, about how much would do.
 * raw: the bytes that were to be decoded; 0: it did not come to that.
 */
void memory_explain(const struct memory *m, const char *path, size_t raw,
                    struct err *err);

/* Says with -v how much was on disk. */
void memory_tell(const struct memory *m, const struct merger *sum);

/* --- processors */

/*
 * How many processors this process may use.
 *
 * The least of
 *   - the processors of the machine;
 *   - those that the process may run on (taskset(1), cpusets of containers);
 *   - the processor time that its control group (v2) and those above it allow:
 *     the quota of cpu.max by its period, rounded up.
 *
 * Source: Documentation/admin-guide/cgroup-v2.rst of Linux.  cgroup v1 is not
 * looked at.
 */

/* 1 at least.  What cannot be found out is no limit. */
unsigned processors_available(void);

/*
 * The limit of control groups alone, 0 for none.  The system's files are
 * looked for under `root`, which is "" but in tests.
 */
uint64_t processors_in_cgroup(const char *root);

#endif
