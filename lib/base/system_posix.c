/* system_posix.c - the functions of system.h in POSIX.1-2008 with XSI */
#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Functions that do nothing ignore their parameters. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* POSIX has no source of random bytes, but every system has this device. */
bool system_random(void *to, size_t n)
{
    FILE *f = fopen("/dev/urandom", "r");
    if (!f)
        return false;
    bool ok = fread(to, 1, n, f) == n;
    int why = errno;
    (void)fclose(f);
    errno = why;
    return ok;
}

static pthread_once_t seeded = PTHREAD_ONCE_INIT;
static uint64_t seed;

static void make_seed(void)
{
    struct timespec t = {0};
    if (system_random(&seed, sizeof seed))
        return;
    (void)clock_gettime(CLOCK_REALTIME, &t);
    seed = (uint64_t)t.tv_sec * 1000000007 ^ (uint64_t)t.tv_nsec << 32 ^
           (uint64_t)getpid() << 16 ^ (uint64_t)(uintptr_t)&t;
}

uint64_t system_seed(void)
{
    (void)pthread_once(&seeded, make_seed);
    return seed;
}

/* --- heapsort: in place, n log n in the worst case ------------------------ */

struct sorted {
    char *v;
    size_t size;
    int (*cmp)(const void *a, const void *b, void *ctx);
    void *ctx;
};

static char *element(const struct sorted *s, size_t i)
{
    return s->v + i * s->size;
}

static void swap(const struct sorted *s, size_t i, size_t k)
{
    char *a = element(s, i), *b = element(s, k);
    for (size_t left = s->size; left--; a++, b++) {
        char c = *a;
        *a = *b;
        *b = c;
    }
}

/* Moves element i down the heap until neither of its children is greater. */
static void sift(const struct sorted *s, size_t i, size_t n)
{
    size_t below;
    while ((below = 2 * i + 1) < n) {
        if (below + 1 < n &&
            s->cmp(element(s, below), element(s, below + 1), s->ctx) < 0)
            below++;
        if (s->cmp(element(s, i), element(s, below), s->ctx) >= 0)
            return;
        swap(s, i, below);
        i = below;
    }
}

void system_sort(void *v, size_t n, size_t size,
                 int (*cmp)(const void *a, const void *b, void *ctx), void *ctx)
{
    const struct sorted s = {v, size, cmp, ctx};
    for (size_t i = n / 2; i--;)
        sift(&s, i, n);
    for (; n > 1; n--) {
        swap(&s, 0, n - 1);
        sift(&s, 0, n - 1);
    }
}

/* --- memory --------------------------------------------------------------- */

static bool unsupported(void)
{
    errno = ENOSYS;
    return false;
}

bool system_large_pages(void *at, size_t n)
{
    return unsupported();
}

bool system_populate(void *at, size_t n)
{
    return unsupported();
}

bool system_scatter(void *at, size_t n)
{
    return unsupported();
}

bool system_discard(void *at, size_t n)
{
    return unsupported();
}

uint64_t system_private_bytes(void)
{
    return 0;
}

void system_malloc_steps(size_t step, size_t large)
{
}

void system_malloc_trim(size_t block, size_t stack)
{
}

/* --- processes and terminals ---------------------------------------------- */

unsigned system_processors(void)
{
#ifdef _SC_NPROCESSORS_ONLN /* in most systems, but not in POSIX */
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online < 1 ? 1 : (unsigned)online;
#else
    return 1;
#endif
}

const void *system_vdso(void)
{
    return NULL;
}

void system_die_with_parent(void)
{
}

bool system_pipe(int end[2])
{
    if (pipe(end) != 0)
        return false;
    for (int i = 0; i < 2; i++)
        (void)fcntl(end[i], F_SETFD, FD_CLOEXEC);
    return true;
}

void system_drop_signal(int sig)
{
    sigset_t set;
    int got;
    if (sigpending(&set) != 0 || !sigismember(&set, sig))
        return;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, sig);
    (void)sigwait(&set, &got);
}

unsigned system_columns(int fd)
{
    return 0;
}

/* --- files ---------------------------------------------------------------- */

int system_open_unnamed(const char *dir)
{
    (void)unsupported();
    return -1;
}

/* POSIX does not have these paths, but systems that do use this directory. */
void system_fd_path(int fd, char path[SYSTEM_FD_PATH])
{
    (void)snprintf(path, SYSTEM_FD_PATH, "/dev/fd/%d", fd);
}

bool system_has_acl(int fd)
{
    return false;
}

bool system_has_acl_at(int dir, const char *name)
{
    return false;
}

bool system_is_other_file(const char *path, uint32_t major, uint32_t minor,
                          uint64_t inode)
{
    return false;
}

void system_start_sync(int fd, uint64_t from, uint64_t n)
{
}

/* sync() may return before everything is written, so also syncs fd. */
bool system_sync(int fd)
{
    sync();
    return fsync(fd) == 0 || errno == EINVAL;
}
