/* sandbox.h: what is left works, and the rest does not */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "io/sandbox.h"
#include "scratch_dir.h"
#include "unit.h"

/* In a process of its own, for what is given up is gone for good. */
static void in_child(bool (*fn)(bool programs), bool programs)
{
    int status;
    (void)fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(fn(programs) ? 0 : 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

/* Ends the child's work, naming what does not work there. */
#define WORKS(call)                                                            \
    do {                                                                       \
        errno = 0;                                                             \
        if (!(call)) {                                                         \
            (void)fprintf(stderr, "%s: %s\n", #call, strerror(errno));         \
            return false;                                                      \
        }                                                                      \
    } while (0)

static bool isolate(const char *changed, bool programs)
{
    const struct landlock_rule rules[] = {
        {"/", LANDLOCK_READ | LANDLOCK_EXEC},
        {"/no such file", LANDLOCK_READ},
        {"/dev/null", LANDLOCK_READ | LANDLOCK_WRITE},
        {changed, LANDLOCK_MAKE | LANDLOCK_MKDIR},
    };
    bool ok = landlock_begin(rules, 4) >= 0; /* 0: this kernel has none */
    (void)seccomp_begin(programs);
    return ok;
}

static void *allocate(void *arg)
{
    (void)arg;
    return malloc(100000);
}

static bool threads_work(void)
{
    pthread_t thread;
    void *got = NULL;
    WORKS(pthread_create(&thread, NULL, allocate, NULL) == 0);
    WORKS(pthread_join(thread, &got) == 0 && got);
    free(got);
    return true;
}

static bool signals_work(void)
{
    sigset_t set;
    const struct timespec now = {0};
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGUSR1);
    WORKS(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    WORKS(raise(SIGUSR1) == 0);
    WORKS(sigpending(&set) == 0);
    WORKS(sigtimedwait(&set, NULL, &now) == SIGUSR1);
    return true;
}

/* What output.c, tempfile.c and bundle.c do with a file. */
static bool files_work(int at)
{
    char bytes[4];
    struct stat st;
    int fd = openat(at, "a", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    WORKS(fd >= 0 && write(fd, "abcd", 4) == 4);
    WORKS(pread(fd, bytes, 4, 0) == 4 && pwrite(fd, bytes, 4, 4) == 4);
    WORKS(lseek(fd, 0, SEEK_SET) == 0 && fstat(fd, &st) == 0);
    WORKS(ftruncate(fd, 2) == 0 && fsync(fd) == 0 && syncfs(fd) == 0);
    WORKS(fcntl(fd, F_DUPFD_CLOEXEC, 10) >= 10 && dup2(fd, 20) == 20);
    void *map = mmap(NULL, 2, PROT_READ, MAP_SHARED, fd, 0);
    WORKS(map != MAP_FAILED && madvise(map, 2, MADV_DONTNEED) == 0);
    WORKS(munmap(map, 2) == 0 && close(fd) == 0);
    WORKS(renameat(at, "a", at, "b") == 0);
    WORKS(fstatat(at, "b", &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_size == 2);
    WORKS(unlinkat(at, "b", 0) == 0);
    WORKS(mkdirat(at, "sub", 0700) == 0);
    WORKS(unlinkat(at, "sub", AT_REMOVEDIR) == 0);
    return true;
}

static bool the_rest_works(void)
{
    struct rlimit limit;
    struct rusage usage;
    struct timespec t = {.tv_nsec = 1};
    struct pollfd none = {.fd = -1};
    char bytes[8], *path = realpath("/proc/self/exe", NULL);
    int end[2];
    WORKS(path && access(path, X_OK) == 0);
    free(path);
    WORKS(getentropy(bytes, sizeof bytes) == 0);
    WORKS(nanosleep(&t, NULL) == 0);
    WORKS(clock_gettime(CLOCK_MONOTONIC, &t) == 0 && time(NULL) > 0);
    WORKS(poll(&none, 1, 0) == 0 && pipe2(end, O_CLOEXEC) == 0);
    WORKS(getrlimit(RLIMIT_DATA, &limit) == 0);
    WORKS(getrusage(RUSAGE_SELF, &usage) == 0);
    WORKS(!isatty(end[0]) && errno == ENOTTY);
    WORKS(sysconf(_SC_NPROCESSORS_ONLN) > 0);
    WORKS(open("/dev/null", O_WRONLY | O_CLOEXEC) >= 0);
    return true;
}

static bool what_is_left_works(bool programs)
{
    int fd = open(scratch_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return isolate(scratch_dir, programs) && threads_work() && signals_work() &&
           files_work(fd) && the_rest_works();
}

static void test_what_is_left_works(void **state)
{
    assert_int_equal(scratch_dir_make(state), 0);
    in_child(what_is_left_works, false);
    in_child(what_is_left_works, true);
    assert_int_equal(scratch_dir_drop(state), 0);
}

static bool programs_run(bool programs)
{
    (void)programs;
    WORKS(isolate("/dev/null", true));
    WORKS(system("exit 3") == 3 << 8);
    return true;
}

static void test_programs_run_where_they_may(void **state)
{
    in_child(programs_run, true);
}

/* What the filter does, whatever numbers calls have here. */
static bool the_filter_holds(bool programs)
{
    if (!seccomp_begin(programs))
        return true; /* this kernel, or machine, has none */
    WORKS(socket(AF_UNIX, SOCK_STREAM, 0) < 0 && errno == ENOSYS);
    WORKS(syscall(SYS_ptrace, -1, 0, 0, 0) < 0 && errno == ENOSYS);
    WORKS(syscall(SYS_unshare, -1) < 0 && errno == ENOSYS);
    WORKS(syscall(SYS_mount, 0, 0, 0, 0, 0) < 0 && errno == ENOSYS);
    WORKS(syscall(SYS_keyctl, -1, 0, 0, 0, 0) < 0 && errno == ENOSYS);
    WORKS(syscall(435 /* clone3 */, 0, 0) < 0 && errno == ENOSYS);
    WORKS(chmod("/", 0755) < 0 && errno == ENOSYS);
    WORKS(fchmod(0, 0755) < 0 && errno == ENOSYS);
    WORKS(fcntl(0, F_SETOWN, getppid()) < 0 && errno == ENOSYS);
    WORKS(syscall(-1) < 0 && errno == ENOSYS);
    WORKS(kill(getpid(), 0) == 0);
    WORKS(programs || (kill(getppid(), 0) < 0 && errno == ENOSYS));
    pid_t pid = fork();
    int why = errno;
    if (pid == 0)
        _exit(0);
    WORKS(programs ? waitpid(pid, NULL, 0) == pid : pid < 0 && why == ENOSYS);
    return true;
}

static void test_the_filter_holds(void **state)
{
    in_child(the_filter_holds, false);
    in_child(the_filter_holds, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_left_works),
        cmocka_unit_test(test_programs_run_where_they_may),
        cmocka_unit_test(test_the_filter_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
