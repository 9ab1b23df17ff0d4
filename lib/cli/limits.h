/*
 * limits.h - limits of the process: memory for merging, and processors
 *
 * The memory limit applies to the whole process.  What the program itself needs
 * is subtracted; the rest is divided:
 *
 *   1/3  the sum; if it grows beyond that, its samples go to disk
 *        (merge_spill())
 *   2/3  inputs while they are read, and the sum while it grows and is finished
 *
 * The sizes of arrays are counted, and the kernel enforces the limit on
 * everything else: memory is then out, and cli_error() explains why.
 *
 * Without a limit, *m is zeroed, and all functions do nothing.
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
    bool stays;      /* never write samples to disk */
    uint64_t room;   /* bytes: the limit less what the program itself needs */
    bool measured;   /* the system reports how many of them are in use */
    unsigned workers;
    pthread_mutex_t lock; /* of err */
    atomic_bool failed;
    struct err err; /* the first failure, after which nothing is done */
};

/*
 * Sets the limit (bytes), which cannot be undone, and lowers cli->threads to
 * what fits in it.  ERR_USAGE if it is below MEMORY_LEAST.
 */
bool memory_limit(struct memory *m, struct cli *cli, uint64_t limit,
                  struct err *err);

/* How many threads, at most `wanted`, can read inputs at once; noted (-v). */
unsigned memory_workers(struct memory *m, unsigned wanted);

/*
 * Whether an input that was decoded (merge_input()) fits in memory with the sum
 * and its growth.  If not, drop the input (merge_drop_input()), call
 * memory_make_room(), which writes the sum's samples to disk, and decode the
 * input again.
 */
bool memory_fits(const struct memory *m, struct merger *sum);
void memory_make_room(struct memory *m, struct merger *sum);

/* Makes room before a large input, and where the sum has become too large. */
void memory_before(struct memory *m, struct merger *sum, const char *path);
void memory_after(struct memory *m, struct merger *sum);

/*
 * If *err is that memory was out while reading an input, and the limit is too
 * low for the input, replaces *err by an estimate of the limit that would do.
 * raw: bytes of the message to decode; 0 if memory was out before.
 */
void memory_explain(const struct memory *m, const char *path, size_t raw,
                    struct err *err);

/* With -v, notes how much was on disk. */
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
