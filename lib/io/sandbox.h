/*
 * sandbox.h - drops rights of the process permanently
 *
 * Landlock (https://docs.kernel.org/userspace-api/landlock.html) removes rights
 * to files, even from root, and from all programs that the process starts.
 * Open files stay open.  Unless a rule allows it, the kernel refuses with
 * EACCES or EPERM, depending on its version of Landlock (ABI):
 *
 *      1   opening files, making and removing them, starting programs
 *      2   moving files from one directory to another
 *      3   truncating
 *      4   TCP
 *      5   ioctl() on devices
 *      6   signals to other processes, abstract sockets of other processes
 *
 * seccomp(2) makes these system calls fail with ENOSYS:
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
 * All other calls are allowed, because each C library uses others.
 *
 * The build selects sandbox_linux.c or, for other systems, sandbox_posix.c,
 * which drops no right.
 */
#ifndef PROFUTILS_IO_SANDBOX_H
#define PROFUTILS_IO_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

/* What a rule allows for a file, or for all files below a directory. */
enum landlock_right {
    LANDLOCK_READ = 1,
    LANDLOCK_READ_FILE = 2, /* read a file that is not a directory */
    LANDLOCK_WRITE = 4,     /* write to an existing file of any type */
    LANDLOCK_MAKE = 8,      /* make, write, rename and remove regular files */
    LANDLOCK_MKDIR = 16,    /* make and remove directories */
    LANDLOCK_EXEC = 32,     /* start it as a program */
};

/* A rule whose path does not exist has no effect. */
struct landlock_rule {
    const char *path;
    unsigned rights; /* of enum landlock_right */
};

/*
 * Restricts this thread, and all threads and programs that it starts, to what
 * the rules allow.  Returns the ABI; 0 if the kernel has no Landlock or does
 * not let this process use it; -1 if a rule cannot be made.  After 0 and -1
 * nothing is refused.
 */
int landlock_begin(const struct landlock_rule *rules, size_t n);

/* Calls fn with the path of each library that the program has loaded. */
typedef void sandbox_library_fn(void *ctx, const char *path);
void sandbox_libraries(sandbox_library_fn *fn, void *ctx);

/*
 * Refuses the system calls from now on, in all threads and in all programs that
 * they start.  With `programs`, the process may start programs and send signals
 * (to processes that Landlock allows).  False, with nothing refused: the kernel
 * or the machine has no such filter; or `programs` is set on a 32-bit machine,
 * whose kernel may be a 64-bit one, which also runs 64-bit programs.
 */
bool seccomp_begin(bool programs);

#endif
