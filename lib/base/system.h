/*
 * system.h - functions that need more than POSIX
 *
 * All other code of lib and cmd, except the sandbox (io/sandbox.h), needs only
 * POSIX.1-2008 with XSI.  The build selects one of
 *
 *   system_linux.c  for Linux, with glibc or musl
 *   system_posix.c  for any other system: does it by POSIX, or fails
 *
 * "Optional" marks functions that do nothing, or fail, in system_posix.c.
 * Functions that return bool return false, with errno set, after a failure.
 */
#ifndef PROFUTILS_BASE_SYSTEM_H
#define PROFUTILS_BASE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets to[0 .. n), n at most 256, to unpredictable bytes. */
bool system_random(void *to, size_t n);

/* Returns random bits, which are the same in each call by this process. */
uint64_t system_seed(void);

/*
 * Sorts n elements of `size` bytes, as qsort_r() of glibc, in n log n time.  It
 * is not stable: where the order of elements matters, cmp must not return 0.
 */
void system_sort(void *v, size_t n, size_t size,
                 int (*cmp)(const void *a, const void *b, void *ctx),
                 void *ctx);

/* --- memory --------------------------------------------------------------- */

/*
 * Optional.  Tell the system how at[0 .. n), which must be whole pages, is
 * used:
 *
 *   system_large_pages()  provide memory in pages as large as possible; of the
 *                         heap also what follows
 *   system_scatter()      provide only the small pages that are written to
 *   system_populate()     provide all pages now
 *   system_discard()      take the pages back; their content is lost
 */
bool system_large_pages(void *at, size_t n);
bool system_populate(void *at, size_t n);
bool system_scatter(void *at, size_t n);
bool system_discard(void *at, size_t n);

/* Optional: returns the bytes of data and stack of the process; 0: unknown. */
uint64_t system_private_bytes(void);

/*
 * Optional: makes malloc() request memory from the system in steps of `step`
 * bytes, use one heap for all threads, and give back blocks of `large` bytes or
 * more when they are freed.  Only the first call must precede all threads.
 */
void system_malloc_steps(size_t step, size_t large);

/*
 * Optional: makes free() return blocks of at least `block` bytes to the system,
 * and malloc() request at most that much in advance.  New threads get stacks of
 * `stack` bytes.
 */
void system_malloc_trim(size_t block, size_t stack);

/* --- processes and terminals ---------------------------------------------- */

/* Returns the number of processors that this process may use; 1 if unknown. */
unsigned system_processors(void);

/*
 * Optional: returns the vdso, the shared library that the kernel maps into each
 * process: an ELF file in memory.  Null if there is none.
 */
const void *system_vdso(void);

/* Optional: from now on, this process is killed when its parent ends. */
void system_die_with_parent(void);

/* Makes a pipe of descriptors that exec() closes. */
bool system_pipe(int end[2]);

/* Discards a pending signal that this thread blocks, if there is one. */
void system_drop_signal(int sig);

/* Optional: returns how many columns the terminal fd has; 0: no terminal. */
unsigned system_columns(int fd);

/* --- files ---------------------------------------------------------------- */

/* Optional: opens a new file without a name in `dir`, or returns -1. */
int system_open_unnamed(const char *dir);

/* Sets `path` to a name by which this process can open the file of fd again. */
enum { SYSTEM_FD_PATH = 32 };
void system_fd_path(int fd, char path[SYSTEM_FD_PATH]);

/*
 * Optional: whether a file has a POSIX access control list.
 * system_has_acl_at() returns true if it cannot find out; `name` is relative to
 * the open directory `dir` or to AT_FDCWD, and a symbolic link is not followed.
 */
bool system_has_acl(int fd);
bool system_has_acl_at(int dir, const char *name);

/*
 * Optional: whether the file at `path` is on this device but has another inode:
 * a file that was there before, with these numbers, was replaced.  False if
 * that is unknown.
 */
bool system_is_other_file(const char *path, uint32_t major, uint32_t minor,
                          uint64_t inode);

/* Optional: starts to write n bytes at `from` to disk; does not wait. */
void system_start_sync(int fd, uint64_t from, uint64_t n);

/* Writes all cached data of the file system of fd to disk; waits for it. */
bool system_sync(int fd);

#endif
