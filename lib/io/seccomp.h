/*
 * seccomp.h - system calls that the process gives up for good (seccomp(2))
 *
 * Denied, with ENOSYS:
 *
 *      network, other IPC    sockets, SysV and POSIX queues, shared memory
 *      other processes       tracing, reading memory, pidfd, signals
 *      programs              execve(), fork(), unless `programs`
 *      namespaces, mounts    unshare(), setns(), mount(), chroot(), ...
 *      the kernel            bpf, io_uring, perf, keyrings, modules, kexec, ...
 *      metadata of files     chmod(), chown(), utime(), setxattr() by name
 *      other numbers         those of another machine's programs
 *
 * Everything else is allowed, so that a new libc may use new calls.  Which
 * files may be opened, made and removed is for landlock.h.
 */
#ifndef PROFUTILS_IO_SECCOMP_H
#define PROFUTILS_IO_SECCOMP_H

#include <stdbool.h>

/*
 * Holds from now on, for all threads and all programs that they start.  With
 * `programs` these may be started, and signals sent (Landlock says to whom).
 * False: the kernel or the machine has no filter; with `programs` on 32-bit
 * machines, whose kernel may be a 64-bit one with programs of its own kind.
 */
bool seccomp_begin(bool programs);

#endif
