/*
 * The calls that are left.  Numbers differ from machine to machine, and so
 * does which calls there are: those with 64-bit times or offsets of their own
 * are of 32-bit machines, those without "at" of older ones.
 */
#include <string.h>
#include <sys/syscall.h>

#include "io/seccomp.h"

struct call {
    uint16_t number;
    uint8_t verdict;
};

#define CALL(name)                                                             \
    {                                                                          \
        SYS_##name, SECCOMP_ALLOW                                              \
    }

static const struct call always[] = {
    /* bytes */
    CALL(read),
    CALL(write),
    CALL(readv),
    CALL(writev),
    CALL(pread64),
    CALL(pwrite64),
    CALL(lseek),
    CALL(close),
    CALL(fsync),
    CALL(fdatasync),
    CALL(syncfs),
    CALL(ftruncate),
    CALL(dup3),
    CALL(fcntl),
    CALL(pipe2),
    CALL(ppoll),
    {SYS_ioctl, SECCOMP_IOCTL},
    /* files: which of them, is for Landlock to say */
    CALL(openat),
    CALL(faccessat),
    CALL(readlinkat),
    CALL(getdents64),
    CALL(getcwd),
    CALL(mkdirat),
    CALL(unlinkat),
    CALL(renameat2),
    CALL(fchmod),
    CALL(fchown),
    CALL(fgetxattr), /* of what is open: access control lists */
    CALL(fsetxattr),
    CALL(fremovexattr),
    /* memory */
    CALL(brk),
    CALL(munmap),
    CALL(mprotect),
    CALL(mremap),
    CALL(madvise),
    CALL(membarrier),
    /* threads, of allocators too */
    {SYS_clone, SECCOMP_THREAD},
    CALL(futex),
    CALL(set_robust_list),
    CALL(set_tid_address),
    CALL(sched_yield),
    CALL(sched_getaffinity),
    CALL(getcpu),
    CALL(exit),
    CALL(exit_group),
    /* signals to itself */
    {SYS_kill, SECCOMP_SELF},
    {SYS_tgkill, SECCOMP_SELF},
    {SYS_tkill, SECCOMP_SELF}, /* the main thread, in musl */
    CALL(rt_sigaction),
    CALL(rt_sigprocmask),
    CALL(rt_sigpending),
    CALL(rt_sigtimedwait),
    CALL(rt_sigreturn),
    CALL(rt_sigsuspend),
    CALL(sigaltstack),
    CALL(restart_syscall),
    /* what one may know */
    CALL(getpid),
    CALL(getppid),
    CALL(gettid),
    CALL(getuid),
    CALL(geteuid),
    CALL(getgid),
    CALL(getegid),
    CALL(uname),
    CALL(sysinfo),
    CALL(getrusage),
    CALL(times),
    CALL(gettimeofday),
    CALL(clock_gettime),
    CALL(clock_getres),
    CALL(nanosleep),
    CALL(clock_nanosleep),
    CALL(prlimit64),
    {SYS_prctl, SECCOMP_PRCTL},
    CALL(getrandom),
#ifdef SYS_fadvise64
    CALL(fadvise64),
#endif
#ifdef SYS_sync_file_range
    CALL(sync_file_range),
#endif
#ifdef SYS_mmap
    CALL(mmap),
#endif
#ifdef SYS_fstat
    CALL(fstat),
#endif
#ifdef SYS_newfstatat
    CALL(newfstatat),
#endif
#ifdef SYS_statx
    CALL(statx),
#endif
#ifdef SYS_renameat
    CALL(renameat),
#endif
#ifdef SYS_getrlimit
    CALL(getrlimit),
#endif
#ifdef SYS_rseq
    CALL(rseq),
#endif
#ifdef SYS_faccessat2
    CALL(faccessat2),
#endif
#ifdef SYS_open /* older machines */
    CALL(open),
    CALL(stat),
    CALL(lstat),
    CALL(access),
    CALL(readlink),
    CALL(mkdir),
    CALL(rmdir),
    CALL(unlink),
    CALL(rename),
    CALL(pipe),
    CALL(dup2),
    CALL(poll),
#endif
#ifdef SYS_arch_prctl /* x86 */
    CALL(arch_prctl),
#endif
#ifdef SYS_time
    CALL(time),
#endif
#ifdef SYS_riscv_flush_icache
    CALL(riscv_flush_icache),
#endif
#ifdef SYS_mmap2 /* 32 bits */
    CALL(mmap2),
    CALL(_llseek),
    CALL(fcntl64),
    CALL(fstat64),
    CALL(stat64),
    CALL(lstat64),
    CALL(fstatat64),
    CALL(ftruncate64),
    CALL(ugetrlimit),
    CALL(sigreturn),
    CALL(getuid32),
    CALL(geteuid32),
    CALL(getgid32),
    CALL(getegid32),
    CALL(fchown32),
#endif
#ifdef SYS_clock_gettime64 /* 32 bits, times of 64 */
    CALL(clock_gettime64),
    CALL(clock_getres_time64),
    CALL(clock_nanosleep_time64),
    CALL(futex_time64),
    CALL(ppoll_time64),
    CALL(rt_sigtimedwait_time64),
#endif
#ifdef SYS_fadvise64_64
    CALL(fadvise64_64),
#endif
#ifdef SYS_arm_fadvise64_64
    CALL(arm_fadvise64_64),
    CALL(arm_sync_file_range),
#endif
};

/*
 * What starts them, and what shells and the libraries of dot use besides.
 * They can do no more than we could.
 */
static const struct call for_programs[] = {
    {SYS_clone, SECCOMP_PROCESS},
    CALL(execve),
    CALL(wait4),
    CALL(waitid),
    CALL(kill), /* Landlock says whom */
    CALL(tgkill),
    CALL(chdir),
    CALL(fchdir),
    CALL(umask),
    CALL(setpgid),
    CALL(getpgid),
    CALL(getsid),
    CALL(getgroups),
    CALL(getpriority),
    CALL(capget),
    CALL(dup),
    CALL(pselect6),
    CALL(statfs),
    CALL(fstatfs),
    CALL(flock),
    CALL(eventfd2),
    CALL(epoll_create1),
    CALL(epoll_ctl),
    CALL(epoll_pwait),
    CALL(sched_get_priority_max),
    CALL(sched_get_priority_min),
    CALL(msync),
    CALL(preadv),
    CALL(pwritev),
#ifdef SYS_sendfile
    CALL(sendfile),
#endif
#ifdef SYS_copy_file_range
    CALL(copy_file_range),
#endif
    CALL(memfd_create),
#ifdef SYS_close_range
    CALL(close_range),
#endif
#ifdef SYS_fork
    CALL(fork),
    CALL(vfork),
    CALL(getpgrp),
    CALL(epoll_wait),
    CALL(getdents),
#endif
#ifdef SYS_mmap2
    CALL(statfs64),
    CALL(fstatfs64),
    CALL(getgroups32),
    CALL(sendfile64),
#endif
};

static void take(uint8_t *verdict, const struct call *call, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (call[i].number < SECCOMP_CALLS)
            verdict[call[i].number] = call[i].verdict;
}

void seccomp_calls(uint8_t verdict[SECCOMP_CALLS], bool programs)
{
    memset(verdict, SECCOMP_REFUSE, SECCOMP_CALLS);
    take(verdict, always, sizeof always / sizeof *always);
    if (programs)
        take(verdict, for_programs, sizeof for_programs / sizeof *for_programs);
}
