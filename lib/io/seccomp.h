/*
 * seccomp.h - system calls that the process gives up for good
 *
 * What is left is what reading, computing and writing need (the table in
 * seccomp_calls.c, with reasons).  All else is refused with ENOSYS, as by a
 * kernel that has no such call: there are no sockets, no other process can be
 * traced or signalled, and by its name no file changed except by making,
 * renaming and removing it.  Libraries know how to do without a call that an
 * older kernel lacks.
 *
 * The filter is made here, and not by libseccomp, which takes 0.6 ms where this
 * takes 0.1: half the time that a tool needs to read a small profile.  The
 * kernel tries a filter on each number there is, so this one halves the table
 * at each step.
 */
#ifndef PROFUTILS_IO_SECCOMP_H
#define PROFUTILS_IO_SECCOMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SECCOMP_CALLS = 512 }; /* numbers that are allowed are below */

/* What becomes of a call. */
enum seccomp_verdict {
    SECCOMP_REFUSE,
    SECCOMP_ALLOW,
    SECCOMP_THREAD,  /* clone(): a thread of this process */
    SECCOMP_PROCESS, /* clone(): that, or a process, in no namespace its own */
    SECCOMP_SELF,    /* kill() and the like: this process alone */
    SECCOMP_IOCTL,   /* what asks about a terminal */
    SECCOMP_PRCTL,   /* names of threads and memory, to end with a parent */
};

/* Fills verdict[]; with `programs`, for those and what starts them. */
void seccomp_calls(uint8_t verdict[SECCOMP_CALLS], bool programs);

/*
 * From now on, for this thread and all others, and all programs that they
 * start.  False where the kernel, or this machine's part here, has it not; and
 * with programs on 32-bit machines, whose kernel may be a 64-bit one with
 * programs of its own kind.
 */
bool seccomp_begin(bool programs);

#endif
