/*
 * refuse.c - a program with a system call that is refused, as where a container
 * has a profile of those that are allowed
 *
 *      refuse ERRNO CALL COMMAND [ARG...]
 *      refuse                               prints the calls there are
 *
 * From its start on the call fails with ERRNO, a number.  Those without which
 * no program starts are not among them.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALL(name)                                                             \
    {                                                                          \
#name, SYS_##name                                                      \
    }

static const struct {
    const char *name;
    uint32_t number;
} calls[] = {
    CALL(landlock_create_ruleset),
    CALL(landlock_add_rule),
    CALL(landlock_restrict_self),
    CALL(seccomp),
    CALL(prctl),
    CALL(getrandom),
    CALL(statx),
    CALL(clone),
    CALL(clone3),
    CALL(prlimit64),
    CALL(sched_getaffinity),
    CALL(fsync),
    CALL(fchmod),
    CALL(fchown),
    CALL(fgetxattr),
    CALL(fsetxattr),
    CALL(fremovexattr),
    CALL(lseek),
    CALL(fcntl),
    CALL(ioctl),
    CALL(renameat),
    CALL(renameat2),
    CALL(unlinkat),
    CALL(mkdirat),
    CALL(ftruncate),
    CALL(pwrite64),
    CALL(syncfs),
    CALL(sync_file_range),
    CALL(fadvise64),
    CALL(rt_sigaction),
    CALL(rt_sigprocmask),
    CALL(sigaltstack),
    CALL(madvise),
    CALL(mremap),
    CALL(faccessat),
    CALL(faccessat2),
    CALL(readlinkat),
    CALL(getdents64),
    CALL(getcwd),
    CALL(sysinfo),
    CALL(uname),
    CALL(set_robust_list),
    CALL(rseq),
    CALL(membarrier),
    CALL(clock_gettime),
    CALL(getrusage),
    CALL(memfd_create),
    CALL(copy_file_range),
    CALL(close_range),
    CALL(fallocate),
};

enum { N_CALLS = sizeof calls / sizeof *calls };

static int refuse(uint32_t number, uint32_t why)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | why),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof code / sizeof *code, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                   prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0
               ? 0
               : -1;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < N_CALLS; i++)
        if (argc < 4)
            puts(calls[i].name);
        else if (strcmp(argv[2], calls[i].name) == 0 &&
                 refuse(calls[i].number,
                        (uint32_t)strtoul(argv[1], NULL, 10)) == 0)
            execvp(argv[3], argv + 3);
    if (argc < 4)
        return 0;
    perror(argv[2]);
    return 99;
}
