/*
 * probe.c - tries from within a tool what it has given up
 *
 * A library for LD_PRELOAD.  When the tool reads its input for the first
 * time, so that it is about to believe what others have written, it makes one
 * attempt at each of the things below, as code would that had got in by a
 * mistake in a reader; then the tool goes on with its work.  Attempts change
 * nothing but files in PROBE_DIR, and do nothing with arguments that are no
 * good where they are let through.  The environment says:
 *
 *   PROBE_INPUT   the input: a file
 *   PROBE_REPORT  gets a line "NAME RESULT" for each attempt: "done", or the
 *                 name of errno
 *   PROBE_DIR     a directory that the tool was not told of, in which there
 *                 are the files secret, victim, moved and gone, and the empty
 *                 directory empty
 *   PROBE_EXEC    set: programs may be started, so that it is not tried
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static const char *dir;
static int report = -1;
static struct stat input;
static bool tried;

/* A file in PROBE_DIR; two at a time. */
static const char *at(const char *name)
{
    static char path[2][PATH_MAX];
    static unsigned turn;
    char *to = path[turn++ % 2];
    (void)snprintf(to, PATH_MAX, "%s/%s", dir, name);
    return to;
}

static long opened(int fd)
{
    if (fd >= 0)
        (void)close(fd);
    return fd;
}

/* --- files ---------------------------------------------------------------- */

static long read_secret(void)
{
    return opened(open(at("secret"), O_RDONLY));
}

static long list_directory(void)
{
    return opened(open(dir, O_RDONLY | O_DIRECTORY));
}

static long write_file(void)
{
    return opened(open(at("victim"), O_WRONLY));
}

static long create_file(void)
{
    return opened(open(at("planted"), O_WRONLY | O_CREAT | O_EXCL, 0600));
}

static long create_unnamed(void)
{
    return opened(open(dir, O_WRONLY | O_TMPFILE, 0600));
}

static long remove_file(void)
{
    return unlink(at("gone"));
}

static long rename_file(void)
{
    return rename(at("moved"), at("renamed"));
}

static long make_directory(void)
{
    return mkdir(at("made"), 0700);
}

static long remove_directory(void)
{
    return rmdir(at("empty"));
}

/* The memory of whoever started the tool. */
static long read_parent(void)
{
    char path[40];
    (void)snprintf(path, sizeof path, "/proc/%d/mem", (int)getppid());
    return opened(open(path, O_RDONLY));
}

static long truncate_file(void)
{
    return truncate(at("victim"), 0);
}

static long make_link(void)
{
    return link(at("victim"), at("linked"));
}

static long make_symlink(void)
{
    return symlink("victim", at("symlinked"));
}

static long make_fifo(void)
{
    return mkfifo(at("fifo"), 0600);
}

static long change_mode(void)
{
    return chmod(at("victim"), 0666);
}

static long change_owner(void)
{
    return chown(at("victim"), getuid(), getgid());
}

static long change_mode_of_open(void)
{
    return fchmod(report, 0600);
}

static long change_owner_of_open(void)
{
    return fchown(report, getuid(), getgid());
}

static long change_flags_of_open(void)
{
    return ioctl(report, FS_IOC_SETFLAGS, NULL);
}

static long lease_file(void)
{
    return fcntl(report, F_SETLEASE, F_UNLCK);
}

static long change_times(void)
{
    return utimensat(AT_FDCWD, at("victim"), NULL, 0);
}

static long change_attribute(void)
{
    return setxattr(at("victim"), "user.x", "x", 1, 0);
}

/* --- processes ------------------------------------------------------------ */

static long run_program(void)
{
    char *argv[] = {(char[]){"true"}, NULL};
    return execve("/bin/true", argv, NULL);
}

static long start_process(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    if (pid > 0)
        (void)waitpid(pid, NULL, 0);
    return pid;
}

static long signal_parent(void)
{
    return kill(getppid(), 0);
}

static long trace_parent(void)
{
    return ptrace(PTRACE_SEIZE, getppid(), NULL, (void *)-1L);
}

static long read_memory(void)
{
    return syscall(SYS_process_vm_readv, -1, NULL, 0L, NULL, 0L, 0L);
}

static long open_process(void)
{
    return syscall(SYS_pidfd_open, getppid(), ~0U);
}

static long limit_parent(void)
{
    return prlimit(getppid(), RLIMIT_CPU, NULL, NULL);
}

static long signal_parent_by_file(void)
{
    return fcntl(report, F_SETOWN, getppid());
}

/* --- the network ---------------------------------------------------------- */

static long internet(void)
{
    return opened(socket(AF_INET, SOCK_STREAM, 0));
}

static long datagrams(void)
{
    return opened(socket(AF_INET6, SOCK_DGRAM, 0));
}

static long local_socket(void)
{
    return opened(socket(AF_UNIX, SOCK_STREAM, 0));
}

static long kernel_socket(void)
{
    return opened(socket(AF_NETLINK, SOCK_RAW, 0));
}

static long pair_of_sockets(void)
{
    int two[2];
    int got = socketpair(AF_UNIX, SOCK_STREAM, 0, two);
    if (got == 0) {
        (void)close(two[0]);
        (void)close(two[1]);
    }
    return got;
}

/* --- the kernel ----------------------------------------------------------- */

static long type_for_user(void)
{
    return ioctl(report, TIOCSTI, "x");
}

static long mount_something(void)
{
    return mount(NULL, NULL, NULL, 0, NULL);
}

static long own_namespaces(void)
{
    return unshare(-1);
}

static long other_namespace(void)
{
    return syscall(SYS_setns, -1, 0);
}

static long change_root(void)
{
    return chroot("");
}

static long load_bpf(void)
{
    return syscall(SYS_bpf, -1, NULL, 0);
}

static long load_module(void)
{
    return syscall(SYS_finit_module, -1, NULL, -1);
}

static long use_keyring(void)
{
    return syscall(SYS_keyctl, -1, 0L, 0L, 0L, 0L);
}

static long watch_events(void)
{
    return syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0L);
}

static long use_uring(void)
{
    return syscall(SYS_io_uring_setup, 0, NULL);
}

static long handle_faults(void)
{
    return syscall(SYS_userfaultfd, -1);
}

#ifdef __x86_64__
/* getppid() by the numbers of another machine that the kernel knows. */
static long other_machine(void)
{
    long got = 64;
    __asm__ volatile("int $0x80"
                     : "+a"(got)
                     :
                     : "memory", "r8", "r9", "r10", "r11");
    if (got >= 0 || got < -4095)
        return 0;
    errno = (int)-got;
    return -1;
}
#endif

#define ATTEMPT(name)                                                          \
    {                                                                          \
#name, name                                                            \
    }

static const struct attempt {
    const char *name;
    long (*try)(void);
} attempts[] = {
    ATTEMPT(read_secret),
    ATTEMPT(list_directory),
    ATTEMPT(write_file),
    ATTEMPT(create_file),
    ATTEMPT(create_unnamed),
    ATTEMPT(remove_file),
    ATTEMPT(rename_file),
    ATTEMPT(make_directory),
    ATTEMPT(remove_directory),
    ATTEMPT(read_parent),
    ATTEMPT(truncate_file),
    ATTEMPT(make_link),
    ATTEMPT(make_symlink),
    ATTEMPT(make_fifo),
    ATTEMPT(change_mode),
    ATTEMPT(change_owner),
    ATTEMPT(change_times),
    ATTEMPT(change_attribute),
    ATTEMPT(change_mode_of_open),
    ATTEMPT(change_owner_of_open),
    ATTEMPT(change_flags_of_open),
    ATTEMPT(lease_file),
    ATTEMPT(limit_parent),
    ATTEMPT(signal_parent_by_file),
    ATTEMPT(run_program),
    ATTEMPT(start_process),
    ATTEMPT(signal_parent),
    ATTEMPT(trace_parent),
    ATTEMPT(read_memory),
    ATTEMPT(open_process),
    ATTEMPT(internet),
    ATTEMPT(datagrams),
    ATTEMPT(local_socket),
    ATTEMPT(kernel_socket),
    ATTEMPT(pair_of_sockets),
    ATTEMPT(type_for_user),
    ATTEMPT(mount_something),
    ATTEMPT(own_namespaces),
    ATTEMPT(other_namespace),
    ATTEMPT(change_root),
    ATTEMPT(load_bpf),
    ATTEMPT(load_module),
    ATTEMPT(use_keyring),
    ATTEMPT(watch_events),
    ATTEMPT(use_uring),
    ATTEMPT(handle_faults),
#ifdef __x86_64__
    ATTEMPT(other_machine),
#endif
};

/* These are tried with arguments that are no good. */
#define CALL(name)                                                             \
    {                                                                          \
#name, SYS_##name                                                      \
    }

static const struct call {
    const char *name;
    long number;
} calls[] = {
    CALL(fchmod),
    CALL(fchmodat),
    CALL(fchown),
    CALL(fchownat),
    CALL(setxattr),
    CALL(lsetxattr),
    CALL(fsetxattr),
    CALL(removexattr),
    CALL(lremovexattr),
    CALL(fremovexattr),
    CALL(mknodat),
    CALL(setpriority),
    CALL(ioprio_set),
    CALL(sched_setaffinity),
    CALL(sched_setparam),
    CALL(sched_setscheduler),
    CALL(sched_setattr),
    CALL(migrate_pages),
    CALL(move_pages),
    CALL(kcmp),
    CALL(rt_sigqueueinfo),
    CALL(rt_tgsigqueueinfo),
    CALL(connect),
    CALL(bind),
    CALL(listen),
    CALL(accept4),
    CALL(sendto),
    CALL(sendmsg),
    CALL(sendmmsg),
    CALL(recvmsg),
    CALL(recvmmsg),
    CALL(mq_open),
    CALL(mq_unlink),
    CALL(shmget),
    CALL(shmat),
    CALL(shmctl),
    CALL(shmdt),
    CALL(msgget),
    CALL(msgsnd),
    CALL(msgrcv),
    CALL(msgctl),
    CALL(semget),
    CALL(semctl),
    CALL(clock_settime),
    CALL(clock_adjtime),
    CALL(settimeofday),
    CALL(adjtimex),
    CALL(sethostname),
    CALL(setdomainname),
    CALL(swapon),
    CALL(swapoff),
    CALL(acct),
    CALL(quotactl),
    CALL(syslog),
    CALL(add_key),
    CALL(request_key),
    CALL(init_module),
    CALL(delete_module),
    CALL(kexec_load),
    CALL(reboot),
    CALL(umount2),
    CALL(pivot_root),
    CALL(fanotify_init),
    CALL(fanotify_mark),
    {"io_uring_enter", 426},
    {"open_tree", 428},
    {"move_mount", 429},
    {"fsopen", 430},
    {"mount_setattr", 442},
    {"quotactl_fd", 443},
    {"process_mrelease", 448},
    {"fchmodat2", 452},
    {"setxattrat", 463},
    {"removexattrat", 466},
    {"file_setattr", 469},
    {"a_call_of_tomorrow", 600},
};

static void tell(const char *name, long got)
{
    const char *result = got >= 0 ? "done" : strerrorname_np(errno);
    (void)dprintf(report, "%s %s\n", name, result ? result : "?");
}

static void try_all(void)
{
    bool no_exec = getenv("PROBE_EXEC") != NULL;
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
        if (no_exec && attempts[i].try == run_program)
            continue;
        errno = 0;
        tell(attempts[i].name, attempts[i].try());
    }
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        tell(calls[i].name,
             syscall(calls[i].number, -1L, -1L, -1L, -1L, -1L, -1L));
}

ssize_t read(int fd, void *to, size_t n)
{
    static ssize_t (*real)(int, void *, size_t);
    struct stat st;
    if (!real) {
        void *f = dlsym(RTLD_NEXT, "read");
        memcpy(&real, &f, sizeof real);
    }
    if (report >= 0 && !tried && fstat(fd, &st) == 0 &&
        st.st_dev == input.st_dev && st.st_ino == input.st_ino) {
        tried = true;
        try_all();
    }
    return real(fd, to, n);
}

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("PROBE_INPUT"), *to = getenv("PROBE_REPORT");
    dir = getenv("PROBE_DIR");
    if (!dir || !path || !to || stat(path, &input) != 0)
        return;
    report = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    (void)unsetenv("PROBE_REPORT"); /* programs that are started try nothing */
}
