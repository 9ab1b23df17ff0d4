/*
 * sandbox.h - drops rights of the process permanently
 *
 * Landlock (https://docs.kernel.org/userspace-api/landlock.html) takes away
 * rights to files, from root too and from all programs that are started.  What
 * is open stays open.  Refused, with EACCES or EPERM, unless a rule allows it,
 * and as far as the kernel's version of Landlock (ABI) goes:
 *
 *      1   opening files, making and removing them, starting programs
 *      2   moving files from one directory to another
 *      3   truncating
 *      4   TCP
 *      5   ioctl() on devices
 *      6   signals to other processes, abstract sockets of other processes
 *
 * seccomp(2) takes away system calls, with ENOSYS:
 *
 *      network, other IPC    sockets, SysV and POSIX queues, shared memory
 *      other processes       tracing, reading memory, pidfd, signals, limits,
 *                            priorities, processors
 *      programs              execve(), fork(), unless `programs`
 *      namespaces, mounts    unshare(), setns(), mount(), chroot(), ...
 *      the kernel            bpf, io_uring, perf, keyrings, modules, kexec, ...
 *      the system            clocks, host name, swap, quotas, accounting, ...
 *      metadata of files     chmod(), chown(), utime(), setxattr(), by name or
 *                            descriptor
 *      descriptors           ioctl() but a few, F_SETOWN, F_SETLEASE
 *      other numbers         those of another machine's programs, and calls
 *                            newer than the lists
 *
 * All other calls are allowed, so that another libc may use others.
 *
 * The build selects sandbox_linux.c or, for other systems, sandbox_posix.c,
 * which drops no right.
 */
#ifndef PROFUTILS_IO_SANDBOX_H
#define PROFUTILS_IO_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

/* What may be done with a file, or with all files below a directory. */
enum landlock_right {
    LANDLOCK_READ = 1,
    LANDLOCK_READ_FILE = 2, /* read a file that is not a directory */
    LANDLOCK_WRITE = 4,     /* write to an existing file of any type */
    LANDLOCK_MAKE = 8,      /* make, write, rename and remove regular files */
    LANDLOCK_MKDIR = 16,    /* make and remove directories */
    LANDLOCK_EXEC = 32,     /* start it */
};

/* A file or directory that does not exist needs no right. */
struct landlock_rule {
    const char *path;
    unsigned rights; /* of enum landlock_right */
};

/*
 * Enforces the rules on this thread and all that it starts.  Returns the ABI; 0
 * if the kernel has no Landlock, or not for us; -1 if a rule cannot be made.
 * After 0 and -1 nothing is refused.
 */
int landlock_begin(const struct landlock_rule *rules, size_t n);

/* Calls fn with the path of each library that the program has loaded. */
typedef void sandbox_library_fn(void *ctx, const char *path);
void sandbox_libraries(sandbox_library_fn *fn, void *ctx);

/*
 * Holds from now on, for all threads and all programs that they start.  With
 * `programs` these may be started, and signals sent (Landlock says to whom).
 * False: the kernel or the machine has no filter; with `programs` on 32-bit
 * machines, whose kernel may be a 64-bit one with programs of its own kind.
 */
bool seccomp_begin(bool programs);

#endif
