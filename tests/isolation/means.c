/*
 * means.c - what the kernel has to isolate a process with
 *
 * Prints the ABI of Landlock, 0 for none, and whether there is seccomp: 1 or
 * 0; asked of the kernel in other words than the tools ask in.
 */
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    enum { GET_VERSION = 1, GET_ACTION_AVAIL = 2, RET_ERRNO = 0x00050000 };
    const unsigned action = RET_ERRNO;
    long abi =
        syscall(444 /* landlock_create_ruleset */, NULL, 0L, GET_VERSION);
    long got = syscall(SYS_seccomp, GET_ACTION_AVAIL, 0, &action);
    printf("%ld %d\n", abi > 0 ? abi : 0, got == 0);
    return 0;
}
