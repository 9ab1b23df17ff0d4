/*
 * inject.c - makes the n-th call of a kind fail
 *
 * A library for LD_PRELOAD, which stands before the C library in the program
 * and in all libraries that it uses.  The environment says what is to fail:
 *
 *   FAULT_CLASS   the kind of call, as listed in CLASSES; or one of
 *                   count      nothing fails; the first allocation of each
 *                              place in the program and its libraries is
 *                              reported, with its number, as "place N"
 *                   short      reads and writes do one byte at a time, after
 *                              65536 of them a 64th of what is asked for
 *                   interrupt  of what can be interrupted by a signal, every
 *                              other call is (EINTR), from the first on or,
 *                              if FAULT_NTH is 2, the second
 *   FAULT_NTH     which call of this kind, from 1, in all threads together
 *   FAULT_ON      1: those that follow fail as well
 *   FAULT_ERRNO   the number that errno is to be; EPIPE comes with SIGPIPE
 *   FAULT_STOP    1: stops there, for a debugger (SIGTRAP)
 *   FAULT_REPORT  a file that gets, appended, the line "fired FUNCTION FD"
 *                 when the call fails and, when the program ends, a line
 *                 "CLASS CALLS" for each kind; when it crashes instead, "crash
 *                 PATH": of the functions that had been called the last of no
 *                 C library is in that file, the program as it was called
 *
 * Only the first program fails, none that it starts: FAULT_CLASS is taken out
 * of its environment.  Calls are counted from main() on.  What the C library
 * does within itself, as in getaddrinfo(3), does not pass here, except that
 * it allocates.  Needs glibc, whose allocator has names of its own.
 *
 * A failing close() closes, as it does on Linux.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Name, and whether a signal can interrupt it.  "stdout_" is write() there. */
#define CLASSES(X)                                                             \
    X(alloc, false)                                                            \
    X(mmap, false)                                                             \
    X(read, true)                                                              \
    X(write, true)                                                             \
    X(stdout_, true)                                                           \
    X(stderr_, false)                                                          \
    X(open, true)                                                              \
    X(stat, false)                                                             \
    X(sync, true)                                                              \
    X(rename, false)                                                           \
    X(close, false)                                                            \
    X(truncate, true)                                                          \
    X(unlink, false)                                                           \
    X(thread, false)                                                           \
    X(spawn, false)                                                            \
    X(wait, true)                                                              \
    X(pipe, false)                                                             \
    X(dup, false)                                                              \
    X(random, false)                                                           \
    X(dir, false)                                                              \
    X(mkdir, false)                                                            \
    X(mode, false)                                                             \
    X(seek, false)                                                             \
    X(load, false)                                                             \
    X(limit, false)                                                            \
    X(isolate, false)

#define ID(name, interrupted) C_##name,
enum class { CLASSES(ID) N_CLASSES };
#define NAME(name, interrupted) #name,
static const char *const names[] = {CLASSES(NAME)};
#define INTERRUPTED(name, interrupted) interrupted,
static const bool can_be_interrupted[] = {CLASSES(INTERRUPTED)};

static enum { OFF, COUNT, FAIL, SHORT, INTERRUPT } mode;
static enum class wanted;
static unsigned nth;
static bool on, stop;
static int error;
static int report = -1; /* its descriptor, which may not be had later */
static atomic_uint calls[N_CLASSES];
static _Thread_local bool inside; /* of ourselves: nothing counts */
static _Thread_local unsigned turn[N_CLASSES];

/* The next function of this name: the C library's. */
static void *next(const char *name)
{
    bool was = inside;
    inside = true;
    void *f = dlsym(RTLD_NEXT, name);
    inside = was;
    return f;
}

#define REAL(name)                                                             \
    static __typeof__(name) *real;                                             \
    if (!real) {                                                               \
        void *f_ = next(#name);                                                \
        memcpy(&real, &f_, sizeof real);                                       \
    }

/* Not by way of open() and write(), which are ours. */
static void tell(const char *line)
{
    if (report >= 0)
        (void)!syscall(SYS_write, report, line, strlen(line));
}

static void fire(const char *function, int fd)
{
    char line[80];
    inside = true;
    (void)snprintf(line, sizeof line, "fired %s %d\n", function, fd);
    tell(line);
    inside = false;
    if (stop)
        (void)raise(SIGTRAP);
}

/* Whether this call is to fail, with errno set. */
static bool fails(enum class c, const char *function, int fd)
{
    if (mode == OFF || inside)
        return false;
    unsigned n = atomic_fetch_add(&calls[c], 1) + 1;
    if (mode == INTERRUPT && can_be_interrupted[c]) {
        errno = EINTR;
        return turn[c]++ % 2 == nth % 2;
    }
    if (mode != FAIL || c != wanted || (on ? n < nth : n != nth))
        return false;
    if (n == nth)
        fire(function, fd);
    if (error == EPIPE)
        (void)raise(SIGPIPE);
    errno = error;
    return true;
}

/* Whether this is the first time that something is allocated from there. */
static bool is_new_place(uintptr_t from)
{
    enum { PLACES = 1 << 14 }; /* more than there can be: some are skipped */
    static atomic_uintptr_t places[PLACES];
    size_t i = (from * 0x9e3779b97f4a7c15u) >> 50;
    for (size_t k = 0; k < 64; k++, i = (i + 1) % PLACES) {
        uintptr_t is = 0;
        if (atomic_compare_exchange_strong(&places[i], &is, from))
            return true;
        if (is == from)
            return false;
    }
    return false;
}

/* Whether this allocation, asked for from there, is to fail. */
static bool fails_to_allocate(const char *function, const void *from)
{
    char line[40];
    if (fails(C_alloc, function, -1))
        return true;
    if (mode == COUNT && !inside && is_new_place((uintptr_t)from)) {
        inside = true;
        (void)snprintf(line, sizeof line, "place %u\n", calls[C_alloc]);
        tell(line);
        inside = false;
    }
    return false;
}

static size_t piece(size_t n)
{
    enum { ONE_BY_ONE = 1 << 16 };
    static atomic_uint done;
    if (mode != SHORT || n < 2)
        return n;
    return atomic_fetch_add(&done, 1) < ONE_BY_ONE ? 1 : (n + 63) / 64;
}

/* Far from the numbers that the program uses. */
static void open_report(const char *path)
{
    enum { FAR = 500 };
    int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path,
                                 O_WRONLY | O_CREAT | O_APPEND, 0600)
                  : -1;
    if (fd < 0)
        return;
    report = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, FAR);
    (void)syscall(SYS_close, fd);
}

/* --- who is to blame for a crash */

enum { DEEP = 64 };

static const char *const c_library[] = {"/libc.so", "/inject.so", "/ld-linux"};
static void (*on_crash[NSIG])(int, siginfo_t *, void *);

static bool is_c_library(const char *path)
{
    for (size_t i = 0; i < sizeof c_library / sizeof *c_library; i++)
        if (strstr(path, c_library[i]))
            return true;
    return false;
}

/* What the program does about it comes after that. */
static void crashed(int sig, siginfo_t *info, void *context)
{
    void *at[DEEP];
    Dl_info of;
    inside = true;
    int n = backtrace(at, DEEP), i = 0;
    while (i < n && (!dladdr(at[i], &of) || is_c_library(of.dli_fname)))
        i++;
    tell("crash ");
    tell(i < n ? of.dli_fname : "?");
    tell("\n");
    inside = false;
    on_crash[sig](sig, info, context);
}

int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
    REAL(sigaction)
    struct sigaction ours;
    if (report < 0 || !act || !(act->sa_flags & SA_SIGINFO) ||
        (sig != SIGSEGV && sig != SIGABRT && sig != SIGBUS && sig != SIGFPE &&
         sig != SIGILL))
        return real(sig, act, old);
    ours = *act;
    on_crash[sig] = act->sa_sigaction;
    ours.sa_sigaction = crashed;
    return real(sig, &ours, old);
}

__attribute__((constructor)) static void begin(void)
{
    const char *class = getenv("FAULT_CLASS"), *n = getenv("FAULT_NTH");
    const char *e = getenv("FAULT_ERRNO"), *o = getenv("FAULT_ON");
    if (!class)
        return;
    nth = n ? (unsigned)strtoul(n, NULL, 10) : 1;
    error = e ? (int)strtol(e, NULL, 10) : EIO;
    on = o && *o == '1';
    stop = getenv("FAULT_STOP") != NULL;
    open_report(getenv("FAULT_REPORT"));
    mode = strcmp(class, "short") == 0       ? SHORT
           : strcmp(class, "interrupt") == 0 ? INTERRUPT
                                             : COUNT;
    for (enum class c = 0; c < N_CLASSES; c++)
        if (strcmp(class, names[c]) == 0) {
            wanted = c;
            mode = FAIL;
        }
    (void)unsetenv("FAULT_CLASS");
    /* It loads what it needs when it is called first. */
    inside = true;
    (void)backtrace(&(void *){NULL}, 1);
    inside = false;
}

__attribute__((destructor)) static void end(void)
{
    char line[80];
    if (mode == OFF)
        return;
    mode = OFF;
    for (enum class c = 0; c < N_CLASSES; c++) {
        (void)snprintf(line, sizeof line, "%s %u\n", names[c], calls[c]);
        tell(line);
    }
}

/* --- memory */

#define NO_MEMORY(name) fails_to_allocate(name, __builtin_return_address(0))

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t alignment, size_t n);

void *malloc(size_t n)
{
    return NO_MEMORY("malloc") ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return NO_MEMORY("calloc") ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    return NO_MEMORY("realloc") ? NULL : __libc_realloc(p, n);
}

void *reallocarray(void *p, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(p, bytes);
}

void *aligned_alloc(size_t alignment, size_t n)
{
    return NO_MEMORY("aligned_alloc") ? NULL : __libc_memalign(alignment, n);
}

int posix_memalign(void **p, size_t alignment, size_t n)
{
    if (NO_MEMORY("posix_memalign"))
        return errno;
    *p = __libc_memalign(alignment, n);
    return *p ? 0 : ENOMEM;
}

/*
 * --- what is passed on as it is
 *
 * F(CLASS, TYPE, FAILED, NAME, FD, PARAMETERS, ARGUMENTS) defines a function
 * that returns FAILED when it fails.
 */
#define F(class, type, failed, name, fd, parameters, arguments)                \
    type name parameters                                                       \
    {                                                                          \
        REAL(name)                                                             \
        return fails(class, #name, fd) ? failed : real arguments;              \
    }

F(C_mmap, void *, MAP_FAILED, mmap, fd,
  (void *at, size_t n, int prot, int flags, int fd, off_t offset),
  (at, n, prot, flags, fd, offset))
F(C_mmap, void *, MAP_FAILED, mmap64, fd,
  (void *at, size_t n, int prot, int flags, int fd, off64_t offset),
  (at, n, prot, flags, fd, offset))
F(C_mmap, int, -1, madvise, -1, (void *at, size_t n, int advice),
  (at, n, advice))

F(C_read, ssize_t, -1, read, fd, (int fd, void *to, size_t n),
  (fd, to, piece(n)))
F(C_read, ssize_t, -1, pread, fd, (int fd, void *to, size_t n, off_t at),
  (fd, to, piece(n), at))
F(C_read, ssize_t, -1, pread64, fd, (int fd, void *to, size_t n, off64_t at),
  (fd, to, piece(n), at))

#define WRITES(fd)                                                             \
    ((fd) == STDERR_FILENO   ? C_stderr_                                       \
     : (fd) == STDOUT_FILENO ? C_stdout_                                       \
                             : C_write)
F(WRITES(fd), ssize_t, -1, write, fd, (int fd, const void *from, size_t n),
  (fd, from, piece(n)))
F(C_write, ssize_t, -1, pwrite, fd,
  (int fd, const void *from, size_t n, off_t at), (fd, from, piece(n), at))
F(C_write, ssize_t, -1, pwrite64, fd,
  (int fd, const void *from, size_t n, off64_t at), (fd, from, piece(n), at))

F(C_open, FILE *, NULL, fopen, -1, (const char *path, const char *how),
  (path, how))
F(C_open, FILE *, NULL, fopen64, -1, (const char *path, const char *how),
  (path, how))

F(C_stat, int, -1, stat, -1, (const char *path, struct stat *st), (path, st))
F(C_stat, int, -1, stat64, -1, (const char *path, struct stat64 *st),
  (path, st))
F(C_stat, int, -1, fstat, fd, (int fd, struct stat *st), (fd, st))
F(C_stat, int, -1, fstat64, fd, (int fd, struct stat64 *st), (fd, st))
F(C_stat, int, -1, lstat, -1, (const char *path, struct stat *st), (path, st))
F(C_stat, int, -1, lstat64, -1, (const char *path, struct stat64 *st),
  (path, st))
F(C_stat, int, -1, fstatat, dir,
  (int dir, const char *path, struct stat *st, int flags),
  (dir, path, st, flags))
F(C_stat, int, -1, fstatat64, dir,
  (int dir, const char *path, struct stat64 *st, int flags),
  (dir, path, st, flags))
F(C_stat, int, -1, access, -1, (const char *path, int how), (path, how))
F(C_stat, char *, NULL, realpath, -1, (const char *path, char *to), (path, to))
F(C_stat, char *, NULL, getcwd, -1, (char *to, size_t n), (to, n))
F(C_stat, ssize_t, -1, readlink, -1, (const char *path, char *to, size_t n),
  (path, to, n))

F(C_sync, int, -1, fsync, fd, (int fd), (fd))
F(C_sync, int, -1, fdatasync, fd, (int fd), (fd))
F(C_sync, int, -1, syncfs, fd, (int fd), (fd))
F(C_sync, int, -1, sync_file_range, fd,
  (int fd, off64_t from, off64_t n, unsigned flags), (fd, from, n, flags))

F(C_rename, int, -1, rename, -1, (const char *from, const char *to), (from, to))
F(C_rename, int, -1, renameat, -1,
  (int from_dir, const char *from, int to_dir, const char *to),
  (from_dir, from, to_dir, to))
F(C_rename, int, -1, renameat2, -1,
  (int from_dir, const char *from, int to_dir, const char *to, unsigned flags),
  (from_dir, from, to_dir, to, flags))

F(C_truncate, int, -1, ftruncate, fd, (int fd, off_t n), (fd, n))
F(C_truncate, int, -1, ftruncate64, fd, (int fd, off64_t n), (fd, n))
F(C_unlink, int, -1, unlink, -1, (const char *path), (path))
F(C_unlink, int, -1, unlinkat, dir, (int dir, const char *path, int flags),
  (dir, path, flags))
F(C_unlink, int, -1, rmdir, -1, (const char *path), (path))

F(C_wait, pid_t, -1, waitpid, -1, (pid_t pid, int *status, int flags),
  (pid, status, flags))
F(C_wait, int, -1, poll, -1, (struct pollfd * fds, nfds_t n, int wait),
  (fds, n, wait))
F(C_pipe, int, -1, pipe, -1, (int fds[2]), (fds))
F(C_pipe, int, -1, pipe2, -1, (int fds[2], int flags), (fds, flags))
F(C_dup, int, -1, dup, fd, (int fd), (fd))
F(C_dup, int, -1, dup2, fd, (int fd, int to), (fd, to))
F(C_dup, int, -1, dup3, fd, (int fd, int to, int flags), (fd, to, flags))
F(C_random, int, -1, getentropy, -1, (void *to, size_t n), (to, n))
F(C_random, ssize_t, -1, getrandom, -1, (void *to, size_t n, unsigned flags),
  (to, n, flags))

F(C_dir, DIR *, NULL, opendir, -1, (const char *path), (path))
F(C_dir, DIR *, NULL, fdopendir, fd, (int fd), (fd))
F(C_dir, struct dirent *, NULL, readdir, -1, (DIR * dir), (dir))
F(C_dir, struct dirent64 *, NULL, readdir64, -1, (DIR * dir), (dir))
F(C_dir, int, -1, scandir64, -1,
  (const char *path, struct dirent64 ***list,
   int (*pick)(const struct dirent64 *),
   int (*order)(const struct dirent64 **, const struct dirent64 **)),
  (path, list, pick, order))
F(C_mkdir, int, -1, mkdir, -1, (const char *path, mode_t how), (path, how))
F(C_mkdir, int, -1, mkdirat, dir, (int dir, const char *path, mode_t how),
  (dir, path, how))
F(C_mode, int, -1, fchmod, fd, (int fd, mode_t how), (fd, how))
F(C_mode, int, -1, fchown, fd, (int fd, uid_t user, gid_t group),
  (fd, user, group))
F(C_seek, off_t, -1, lseek, fd, (int fd, off_t at, int from), (fd, at, from))
F(C_seek, off64_t, -1, lseek64, fd, (int fd, off64_t at, int from),
  (fd, at, from))
F(C_load, void *, NULL, dlopen, -1, (const char *path, int flags),
  (path, flags))
F(C_limit, int, -1, sched_getaffinity, -1,
  (pid_t pid, size_t n, cpu_set_t *set), (pid, n, set))
F(C_limit, int, -1, getrlimit, -1,
  (__rlimit_resource_t which, struct rlimit *limit), (which, limit))
F(C_limit, int, -1, getrlimit64, -1,
  (__rlimit_resource_t which, struct rlimit64 *limit), (which, limit))
F(C_limit, int, -1, setrlimit, -1,
  (__rlimit_resource_t which, const struct rlimit *limit), (which, limit))
F(C_limit, int, -1, setrlimit64, -1,
  (__rlimit_resource_t which, const struct rlimit64 *limit), (which, limit))

F(C_spawn, pid_t, -1, fork, -1, (void), ())
F(C_spawn, int, -1, execvp, -1, (const char *name, char *const argv[]),
  (name, argv))

/* --- those that return the error */

F(C_thread, int, error, pthread_create, -1,
  (pthread_t * thread, const pthread_attr_t *attr, void *(*work)(void *),
   void *arg),
  (thread, attr, work, arg))
F(C_spawn, int, error, posix_spawn, -1,
  (pid_t * pid, const char *path, const posix_spawn_file_actions_t *files,
   const posix_spawnattr_t *attr, char *const argv[], char *const envp[]),
  (pid, path, files, attr, argv, envp))
F(C_spawn, int, error, posix_spawnp, -1,
  (pid_t * pid, const char *path, const posix_spawn_file_actions_t *files,
   const posix_spawnattr_t *attr, char *const argv[], char *const envp[]),
  (pid, path, files, attr, argv, envp))

/* --- those that take what they take */

/* The permissions that come where a file may be made. */
#define MODE(flags, how)                                                       \
    mode_t how = 0;                                                            \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                                     \
        va_list ap;                                                            \
        va_start(ap, flags);                                                   \
        (how) = va_arg(ap, mode_t);                                            \
        va_end(ap);                                                            \
    }

#define OPEN(name)                                                             \
    int name(const char *path, int flags, ...)                                 \
    {                                                                          \
        REAL(name)                                                             \
        MODE(flags, how)                                                       \
        return fails(C_open, #name, -1) ? -1 : real(path, flags, how);         \
    }
#define OPENAT(name)                                                           \
    int name(int dir, const char *path, int flags, ...)                        \
    {                                                                          \
        REAL(name)                                                             \
        MODE(flags, how)                                                       \
        return fails(C_open, #name, -1) ? -1 : real(dir, path, flags, how);    \
    }
#define FCNTL(name)                                                            \
    int name(int fd, int command, ...)                                         \
    {                                                                          \
        REAL(name)                                                             \
        va_list ap;                                                            \
        va_start(ap, command);                                                 \
        intptr_t arg = va_arg(ap, intptr_t);                                   \
        va_end(ap);                                                            \
        return fails(C_dup, #name, fd) ? -1 : real(fd, command, arg);          \
    }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
FCNTL(fcntl)
FCNTL(fcntl64)

/* Of those that have no function of their own: what gives up rights. */
long syscall(long number, ...)
{
    REAL(syscall)
    long arg[6];
    va_list ap;
    va_start(ap, number);
    for (size_t i = 0; i < sizeof arg / sizeof *arg; i++)
        arg[i] = va_arg(ap, long);
    va_end(ap);
    bool isolates =
        number == SYS_seccomp || number == SYS_landlock_create_ruleset ||
        number == SYS_landlock_add_rule || number == SYS_landlock_restrict_self;
    return isolates && fails(C_isolate, "syscall", -1)
               ? -1
               : real(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}

int prctl(int option, ...)
{
    REAL(prctl)
    unsigned long arg[4];
    va_list ap;
    va_start(ap, option);
    for (size_t i = 0; i < sizeof arg / sizeof *arg; i++)
        arg[i] = va_arg(ap, unsigned long);
    va_end(ap);
    return fails(C_isolate, "prctl", -1)
               ? -1
               : real(option, arg[0], arg[1], arg[2], arg[3]);
}

/* --- those that do more than fail */

int close(int fd)
{
    REAL(close)
    bool bad = fails(C_close, "close", fd);
    int why = errno;
    int result = real(fd);
    if (!bad)
        return result;
    errno = why;
    return -1;
}

/* The stream is to know of its error, as ferror() tells. */
char *fgets(char *to, int n, FILE *f)
{
    REAL(fgets)
    if (!fails(C_read, "fgets", -1))
        return real(to, n, f);
    f->_flags |= 0x20;
    return NULL;
}

/* --- as checked by _FORTIFY_SOURCE */

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);
ssize_t __read_chk(int fd, void *to, size_t n, size_t room);
ssize_t __pread64_chk(int fd, void *to, size_t n, off64_t at, size_t room);
ssize_t __readlink_chk(const char *path, char *to, size_t n, size_t room);
char *__realpath_chk(const char *path, char *to, size_t room);
char *__fgets_chk(char *to, size_t room, int n, FILE *f);
int __poll_chk(struct pollfd *fds, nfds_t n, int wait, size_t room);

int __open_2(const char *path, int flags)
{
    return open(path, flags);
}

int __open64_2(const char *path, int flags)
{
    return open64(path, flags);
}

int __openat_2(int dir, const char *path, int flags)
{
    return openat(dir, path, flags);
}

int __openat64_2(int dir, const char *path, int flags)
{
    return openat64(dir, path, flags);
}

ssize_t __read_chk(int fd, void *to, size_t n, size_t room)
{
    (void)room;
    return read(fd, to, n);
}

ssize_t __pread64_chk(int fd, void *to, size_t n, off64_t at, size_t room)
{
    (void)room;
    return pread64(fd, to, n, at);
}

ssize_t __readlink_chk(const char *path, char *to, size_t n, size_t room)
{
    (void)room;
    return readlink(path, to, n);
}

char *__realpath_chk(const char *path, char *to, size_t room)
{
    (void)room;
    return realpath(path, to);
}

char *__fgets_chk(char *to, size_t room, int n, FILE *f)
{
    (void)room;
    return fgets(to, n, f);
}

int __poll_chk(struct pollfd *fds, nfds_t n, int wait, size_t room)
{
    (void)room;
    return poll(fds, n, wait);
}
