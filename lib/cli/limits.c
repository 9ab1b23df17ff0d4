/* limits.c - limits of the process: memory and processors */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utf8.h"
#include "cli/limits.h"

#ifdef __GLIBC__
#endif

/*
 * What the program has however little it does: code, libraries, and their
 * data; and what a thread needs beyond its share of sums and inputs, most of
 * it for writing: two pieces of the output, and a compressor.
 */
#define PROGRAM ((uint64_t)8 << 20)
#define A_THREAD ((uint64_t)12 << 20)
/* What is little more for a small input, and much for a large one. */
#define AN_INPUT ((uint64_t)16 << 20)

enum {
    PARTS = 3, /* of the room: sums, their growth, inputs */
    /* Of an input, by bytes as they are in the file, and decompressed: */
    FILE_FACTOR = 12,
    RAW_FACTOR = 3,
    STACK = 1024 * 1024, /* of a thread */
    LARGE = 256 * 1024,  /* blocks that go back to the system when freed */
};

/* Private memory that the process has by now; 0: not known. */
static uint64_t private_bytes(void)
{
    char line[256];
    FILE *f = fopen("/proc/self/statm", "re");
    char *at = f ? fgets(line, sizeof line, f) : NULL;
    if (f)
        (void)fclose(f);
    /* The sixth number, in pages. */
    for (int i = 0; at && i < 5; i++)
        at = (at = strchr(at, ' ')) ? at + 1 : NULL;
    return at ? strtoull(at, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

/*
 * Memory that no file is behind stays below `bytes`.
 */
static void tell_kernel(uint64_t bytes)
{
    struct rlimit r;
#ifdef __GLIBC__
    pthread_attr_t attr;
    /* What is freed is free for everything else. */
    (void)mallopt(M_MMAP_THRESHOLD, LARGE);
    (void)mallopt(M_TRIM_THRESHOLD, LARGE);
    if (pthread_attr_init(&attr) == 0) {
        if (pthread_attr_setstacksize(&attr, STACK) == 0)
            (void)pthread_setattr_default_np(&attr);
        (void)pthread_attr_destroy(&attr);
    }
#endif
    if (getrlimit(RLIMIT_DATA, &r) != 0 || r.rlim_cur <= bytes)
        return;
    r.rlim_cur = (rlim_t)bytes;
    (void)setrlimit(RLIMIT_DATA, &r);
}

bool memory_limit(struct memory *m, struct cli *cli, uint64_t limit,
                  struct err *err)
{
    if (limit < MEMORY_LEAST)
        return err_set(err, ERR_USAGE, "--memory: at least %" PRIu64 "M",
                       MEMORY_LEAST >> 20);
    m->cli = cli;
    m->workers = 1;
    m->room = limit - PROGRAM;
    int failed = pthread_mutex_init(&m->lock, NULL);
    if (failed)
        return err_errno(err, failed, "cannot make a lock");
    uint64_t most = m->room / A_THREAD;
    if (most < cli->threads) {
        unsigned n = most ? (unsigned)most : 1;
        if (n < cli->threads)
            note_info(&cli->notes, "--memory: threads: %u, not %u", n,
                      cli->threads);
        cli->threads = n;
    }
    cli->memory = limit;
    uint64_t now = private_bytes();
    m->measured = now && now < m->room;
    /* Sanitizers have taken terabytes by now, that they never touch. */
    if (now < m->room)
        tell_kernel(m->room);
    return true;
}

/* Bytes that an input will take in memory, before it is in the sum. */
static uint64_t need_of(const char *path)
{
    struct stat st;
    if (strcmp(path, "-") == 0 || stat(path, &st) != 0 || st.st_size < 0)
        return 0;
    return (uint64_t)st.st_size * FILE_FACTOR;
}

unsigned memory_workers(struct memory *m, unsigned wanted)
{
    uint64_t most = 0;
    m->workers = wanted;
    if (!m->cli || wanted < 2)
        return wanted;
    for (size_t i = 0; i < m->cli->n_inputs; i++) {
        uint64_t need = need_of(m->cli->inputs[i]);
        if (need > most)
            most = need;
    }
    uint64_t n = most ? m->room / PARTS / most : wanted;
    if (n < wanted) {
        m->workers = n ? (unsigned)n : 1;
        note_info(&m->cli->notes,
                  "--memory: threads that read inputs: %u, not %u", m->workers,
                  wanted);
    }
    return m->workers;
}

/* Bytes that the sum may have. */
static uint64_t sum_room(const struct memory *m)
{
    return m->room / PARTS;
}

/* What is not samples, of all threads. */
static uint64_t entities_of(const struct memory *m, struct merge_size size)
{
    return size.entities + size.own * m->workers;
}

/* Entities that do not fit, with room for as many samples as a third. */
static bool refuse(uint64_t entities, struct err *err)
{
    uint64_t need = PROGRAM + entities / 3 * 4 * PARTS;
    return err_set(err, ERR_SYSTEM,
                   "--memory: the locations, functions and strings of the "
                   "inputs so far take %" PRIu64 "M, and more than %" PRIu64
                   "M would be needed in all",
                   (entities >> 20) + 1, need >> 20);
}

/* Writes the samples of the sum to disk if it has more than `most`. */
static void keep(struct memory *m, struct merger *sum, uint64_t most)
{
    struct err err;
    struct merge_size size = merge_size(sum);
    uint64_t entities = entities_of(m, size);
    if (m->stays || size.samples + entities <= most)
        return;
    if (entities <= sum_room(m) / 4 * 3
            ? merge_spill(sum, most < entities ? 0 : most - entities, &err)
            : refuse(entities, &err))
        return;
    (void)pthread_mutex_lock(&m->lock);
    if (!m->failed)
        m->err = err;
    m->failed = true;
    (void)pthread_mutex_unlock(&m->lock);
}

bool memory_fits(const struct memory *m, struct merger *sum)
{
    if (!m->cli)
        return true;
    uint64_t input = merge_fit_input(sum) * m->workers;
    struct merge_size size = merge_size(sum);
    if (size.samples <= input / 2)
        return true; /* as far as it can */
    if (size.samples + entities_of(m, size) + 2 * input > m->room / 2)
        return false;
    /* What grows does so by half, and the index to twice what it was. */
    uint64_t growth = size.samples / 2 + 2 * input;
    return !m->measured || private_bytes() + growth <= m->room;
}

void memory_make_room(struct memory *m, struct merger *sum)
{
    if (m->cli && !m->failed)
        keep(m, sum, 0);
}

void memory_before(struct memory *m, struct merger *sum, const char *path)
{
    if (m->cli && need_of(path) > m->room / PARTS)
        memory_make_room(m, sum);
}

void memory_after(struct memory *m, struct merger *sum)
{
    if (m->cli && !m->failed)
        keep(m, sum, sum_room(m));
}

void memory_explain(const struct memory *m, const char *path, size_t raw,
                    struct err *err)
{
    uint64_t need =
        AN_INPUT + (raw ? (uint64_t)raw * RAW_FACTOR : need_of(path));
    if (!m->cli || !err_is_nomem(err) || need + PROGRAM <= m->cli->memory)
        return;
    err_set(err, ERR_SYSTEM,
            "does not fit in --memory=%" PRIu64 "M: about %" PRIu64
            "M are needed",
            m->cli->memory >> 20, ((need + PROGRAM) >> 20) + 1);
}

void memory_tell(const struct memory *m, const struct merger *sum)
{
    uint64_t n = m->cli ? merge_spilled(sum) : 0;
    if (n)
        note_info(&m->cli->notes, "--memory: %" PRIu64 "M on disk at most",
                  (n >> 20) + 1);
}

#ifdef __linux__
enum { MAX_SET = 1 << 18 }; /* processors; more than any kernel is built for */

/*
 * Those in the affinity mask, 0: not known.  The kernel refuses sets that
 * are too small for all processors it could have.
 */
static unsigned affine(void)
{
    for (int room = 1024; room <= MAX_SET; room *= 2) {
        cpu_set_t *set = CPU_ALLOC(room);
        size_t size = CPU_ALLOC_SIZE(room);
        if (!set)
            return 0;
        int failed = sched_getaffinity(0, size, set) ? errno : 0;
        int n = failed ? 0 : CPU_COUNT_S(size, set);
        CPU_FREE(set);
        if (failed != EINVAL)
            return n > 0 ? (unsigned)n : 0;
    }
    return 0;
}
#else
static unsigned affine(void)
{
    return 0;
}
#endif

enum { MAX_TEXT = 2 * PATH_MAX };

/* The start of the file root/path as a string; false: it cannot be read. */
static bool read_text(const char *root, const char *path, char text[MAX_TEXT])
{
    char *full;
    if (asprintf(&full, "%s%s", root, path) < 0)
        return false;
    int fd = file_open(full, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    free(full);
    if (fd < 0)
        return false;
    ssize_t n = file_read(fd, text, MAX_TEXT - 1);
    (void)close(fd);
    text[n > 0 ? n : 0] = 0;
    return n > 0;
}

/* A number of microseconds, with *text moved behind it; false: it is none. */
static bool parse_number(const char **text, uint64_t *n)
{
    if (!ascii_is_digit(**text))
        return false;
    char *end;
    errno = 0;
    *n = strtoull(*text, &end, 10);
    *text = end;
    return errno == 0;
}

/* "QUOTA PERIOD", rounded up; 0: anything else, "max PERIOD" too. */
static uint64_t parse_limit(const char *text)
{
    uint64_t quota, period;
    if (!parse_number(&text, &quota) || *text++ != ' ' ||
        !parse_number(&text, &period) || (*text && *text != '\n') || !period)
        return 0;
    uint64_t n = quota / period + (quota % period != 0);
    return n ? n : 1;
}

uint64_t processors_in_cgroup(const char *root)
{
    static const char top[] = "/sys/fs/cgroup", file[] = "/cpu.max";
    char groups[MAX_TEXT], text[MAX_TEXT];
    char path[sizeof top + MAX_TEXT + sizeof file];
    uint64_t least = 0;
    if (!read_text(root, "/proc/self/cgroup", groups))
        return 0;
    const char *own = strncmp(groups, "0::/", 4) == 0 ? groups + 3 : NULL;
    if (!own && (own = strstr(groups, "\n0::/")))
        own += 4;
    size_t n = own ? strcspn(own, "\n") : 0;
    if (!own || memmem(own, n, "/..", 3))
        return 0;
    memcpy(path, top, sizeof top - 1);
    memcpy(path + sizeof top - 1, own, n);
    char *end = path + sizeof top - 1 + n;
    do {
        memcpy(end, file, sizeof file);
        uint64_t limit = read_text(root, path, text) ? parse_limit(text) : 0;
        if (limit && (!least || limit < least))
            least = limit;
        *end = 0;
    } while ((end = strrchr(path + sizeof top - 1, '/')));
    return least;
}

unsigned processors_available(void)
{
    unsigned n = affine();
    if (!n) {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        n = online < 1 || online > INT_MAX ? 1 : (unsigned)online;
    }
    if (n == 1)
        return 1;
    uint64_t limit = processors_in_cgroup("");
    return limit && limit < n ? (unsigned)limit : n;
}
