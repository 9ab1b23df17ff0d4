/*
 * system.h - what the library asks of the system beyond POSIX
 *
 * POSIX is POSIX.1-2008 with XSI, and nothing else in lib and cmd needs more;
 * the sandbox (io/sandbox.h) is another such part.  The build selects one of
 *
 *   system_linux.c  Linux, with glibc or musl
 *   system_posix.c  any other system: by POSIX, or not at all
 *
 * "Optional" marks what system_posix.c does not do.  A failed function sets
 * errno.
 */
#ifndef PROFUTILS_BASE_SYSTEM_H
#define PROFUTILS_BASE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets to[0 .. n), n at most 256, to unpredictable bytes. */
bool system_random(void *to, size_t n);

/* Returns random bits of the process, the same in every call. */
uint64_t system_seed(void);

/*
 * Sorts n elements of `size` bytes in n log n time.  Equal elements are in any
 * order afterwards: cmp must distinguish all whose order matters.
 */
void system_sort(void *v, size_t n, size_t size,
                 int (*cmp)(const void *a, const void *b, void *ctx),
                 void *ctx);

/* --- memory --------------------------------------------------------------- */

/*
 * at[0 .. n) must be whole pages.  Optional: system_large_pages() has the
 * system provide as many at once as it can, system_scatter() only those that
 * are written to; system_populate() provides all of them now, system_discard()
 * gives them back and loses their content.
 */
bool system_large_pages(void *at, size_t n);
bool system_populate(void *at, size_t n);
bool system_scatter(void *at, size_t n);
bool system_discard(void *at, size_t n);

/* Optional: returns the bytes of private memory of the process; 0: unknown. */
uint64_t system_private_bytes(void);

/*
 * Optional: has malloc() take memory from the system `step` bytes at a time,
 * and all threads from one heap.  To be called before threads start.
 */
void system_malloc_steps(size_t step);

/*
 * Optional: returns freed blocks of at least `block` bytes to the system,
 * takes no more than that at a time, and gives new threads stacks of `stack`
 * bytes.
 */
void system_malloc_trim(size_t block, size_t stack);

/* --- processes and terminals ---------------------------------------------- */

/* Returns how many processors this process may run on; 1 if unknown. */
unsigned system_processors(void);

/*
 * Optional: returns the shared library that the kernel gives each process, as
 * an ELF file in memory; null if there is none.
 */
const void *system_vdso(void);

/* Optional: this process is killed when its parent ends. */
void system_die_with_parent(void);

/* Makes a pipe of descriptors that exec() closes. */
bool system_pipe(int end[2]);

/* Discards a pending signal that this thread blocks, if there is one. */
void system_drop_signal(int sig);

/* Returns the columns of the terminal fd; 0 if it is none. */
unsigned system_columns(int fd);

/* --- files ---------------------------------------------------------------- */

/* Optional: returns a new file in `dir` without a name; -1 on failure. */
int system_open_unnamed(const char *dir);

/* A path by which this process opens the open file fd. */
enum { SYSTEM_FD_PATH = 32 };
void system_fd_path(int fd, char path[SYSTEM_FD_PATH]);

/*
 * Whether a file has a POSIX access control list; true if that cannot be found
 * out.  `name` is relative to the directory `dir`, or AT_FDCWD; a symbolic link
 * is not followed.  Optional: false.
 */
bool system_has_acl(int fd);
bool system_has_acl_at(int dir, const char *name);

/*
 * Optional: whether the file at `path` is on this device and has another inode,
 * so that it is not the file that had them.  False if that is not known.
 */
bool system_is_other_file(const char *path, uint32_t major, uint32_t minor,
                          uint64_t inode);

/* Optional: begins to write bytes of a file to its disk. */
void system_start_sync(int fd, uint64_t from, uint64_t n);

/* Writes the file system of fd to its disk. */
bool system_sync(int fd);

#endif
