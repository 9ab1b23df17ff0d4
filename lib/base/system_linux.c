/* system_linux.c - functions of Linux beyond POSIX, with glibc or musl */
#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

bool system_random(void *to, size_t n)
{
    return getentropy(to, n) == 0;
}

uint64_t system_seed(void)
{
    uint64_t seed = 0;
    /* getauxval() returns the address of the random bytes as a number. */
    const void *random = (const void *)(uintptr_t)getauxval(AT_RANDOM);
    if (random)
        memcpy(&seed, random, sizeof seed);
    return seed;
}

void system_sort(void *v, size_t n, size_t size,
                 int (*cmp)(const void *a, const void *b, void *ctx), void *ctx)
{
    if (n > 1)
        qsort_r(v, n, size, cmp, ctx);
}

/* --- memory --------------------------------------------------------------- */

bool system_large_pages(void *at, size_t n)
{
    /*
     * Ask for large pages up to the end of the heap, not only of this block:
     * malloc() writes the size of the next block at once, and a range of 2 MiB
     * in which that has made a small page never becomes a large one.  What is
     * far below the end is not in the heap: `ulimit -s unlimited` makes mmap()
     * place its memory below it.
     */
    enum { FAR = 1 << 30 };
    const uintptr_t end = (uintptr_t)sbrk(0), last = (uintptr_t)at + n;
    if (last < end && end - last < FAR)
        n = end - (uintptr_t)at;
    return madvise(at, n, MADV_HUGEPAGE) == 0;
}

bool system_populate(void *at, size_t n)
{
#ifdef MADV_POPULATE_WRITE
    return madvise(at, n, MADV_POPULATE_WRITE) == 0;
#else
    (void)at;
    (void)n;
    errno = ENOSYS;
    return false;
#endif
}

bool system_scatter(void *at, size_t n)
{
    return madvise(at, n, MADV_NOHUGEPAGE) == 0;
}

bool system_discard(void *at, size_t n)
{
    return madvise(at, n, MADV_DONTNEED) == 0;
}

uint64_t system_private_bytes(void)
{
    char line[256];
    FILE *f = fopen("/proc/self/statm", "re");
    char *at = f ? fgets(line, sizeof line, f) : NULL;
    if (f)
        (void)fclose(f);
    /* Find the sixth number: pages of data and stack. */
    for (int i = 0; at && i < 5; i++)
        at = (at = strchr(at, ' ')) ? at + 1 : NULL;
    return at ? strtoull(at, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

/*
 * By default, glibc extends the heap of a thread page by page, with a system
 * call for each, and does not reuse what other threads have freed.
 */
void system_malloc_steps(size_t step, size_t large)
{
#ifdef __GLIBC__
    (void)mallopt(M_ARENA_MAX, 1);
    (void)mallopt(M_TOP_PAD, (int)step);
    (void)mallopt(M_MMAP_THRESHOLD, (int)large);
    (void)mallopt(M_TRIM_THRESHOLD, (int)large);
#else
    (void)step;
    (void)large;
#endif
}

void system_malloc_trim(size_t block, size_t stack)
{
#ifdef __GLIBC__
    pthread_attr_t attr;
    (void)mallopt(M_TOP_PAD, (int)block);
    (void)mallopt(M_MMAP_THRESHOLD, (int)block);
    (void)mallopt(M_TRIM_THRESHOLD, (int)block);
    (void)malloc_trim(0);
    if (pthread_attr_init(&attr) == 0) {
        if (pthread_attr_setstacksize(&attr, stack) == 0)
            (void)pthread_setattr_default_np(&attr);
        (void)pthread_attr_destroy(&attr);
    }
#else
    /* musl does both by default. */
    (void)block;
    (void)stack;
#endif
}

/* --- processes and terminals ---------------------------------------------- */

enum { MAX_SET = 1 << 18 }; /* processors, more than any kernel supports */

/*
 * Counts the processors in the affinity mask.  The kernel refuses sets that are
 * too small for all processors that it supports, so tries larger ones.
 */
unsigned system_processors(void)
{
    for (int room = 1024; room <= MAX_SET; room *= 2) {
        cpu_set_t *set = CPU_ALLOC(room);
        size_t size = CPU_ALLOC_SIZE(room);
        if (!set)
            break;
        int failed = sched_getaffinity(0, size, set) ? errno : 0;
        int n = failed ? 0 : CPU_COUNT_S(size, set);
        CPU_FREE(set);
        if (n > 0)
            return (unsigned)n;
        if (failed != EINVAL)
            break;
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online < 1 ? 1 : (unsigned)online;
}

const void *system_vdso(void)
{
    return (const void *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
}

void system_die_with_parent(void)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
}

bool system_pipe(int end[2])
{
    return pipe2(end, O_CLOEXEC) == 0;
}

void system_drop_signal(int sig)
{
    const struct timespec at_once = {0};
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, sig);
    (void)sigtimedwait(&set, NULL, &at_once);
}

unsigned system_columns(int fd)
{
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* --- files ---------------------------------------------------------------- */

int system_open_unnamed(const char *dir)
{
    int fd;
    do
        fd = open(dir, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
    while (fd < 0 && errno == EINTR);
    return fd;
}

void system_fd_path(int fd, char path[SYSTEM_FD_PATH])
{
    (void)snprintf(path, SYSTEM_FD_PATH, "/proc/self/fd/%d", fd);
}

static const char acl[] = "system.posix_acl_access";

bool system_has_acl(int fd)
{
    return fgetxattr(fd, acl, NULL, 0) > 0;
}

bool system_has_acl_at(int dir, const char *name)
{
    char at[SYSTEM_FD_PATH] = ".", *path;
    if (dir != AT_FDCWD)
        system_fd_path(dir, at);
    if (asprintf(&path, "%s/%s", *name == '/' ? "" : at, name) < 0)
        return true;
    ssize_t n = lgetxattr(path, acl, NULL, 0);
    bool none = n == 0 || (n < 0 && (errno == ENODATA || errno == ENOTSUP));
    free(path);
    return !none;
}

bool system_is_other_file(const char *path, uint32_t major, uint32_t minor,
                          uint64_t inode)
{
    /* File systems on which the inode of stat() may differ from perf's. */
    enum { OVERLAY = 0x794c7630, FUSE = 0x65735546 };
    struct stat st;
    struct statfs fs;
    return stat(path, &st) == 0 && major(st.st_dev) == major &&
           minor(st.st_dev) == minor && st.st_ino != inode &&
           statfs(path, &fs) == 0 && (uint32_t)fs.f_type != OVERLAY &&
           (uint32_t)fs.f_type != FUSE;
}

void system_start_sync(int fd, uint64_t from, uint64_t n)
{
    /* fsync() reports failures later. */
    (void)sync_file_range(fd, (off_t)from, (off_t)n, SYNC_FILE_RANGE_WRITE);
}

bool system_sync(int fd)
{
    int got;
    while ((got = syncfs(fd)) != 0 && errno == EINTR)
        ;
    return got == 0;
}
