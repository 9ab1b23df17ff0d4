/*
 * landlock.h - rights to files that the process gives up for good
 *
 * Landlock (https://docs.kernel.org/userspace-api/landlock.html) lets a
 * process, root or not, keep some rights and lose all others, with all that
 * it will ever start:
 *
 *      if (landlock_begin(&l)) {
 *          ok = landlock_allow(&l, "in.pb.gz", LANDLOCK_READ) && ...;
 *          ok = landlock_end(&l, ok);
 *      }
 *
 * What is open stays open.  Of what is not allowed, these are refused from
 * then on, with EACCES or EPERM, as far as this kernel knows of them (l.abi):
 *
 *      1   opening files, making and removing them, starting programs
 *      2   moving files from one directory to another
 *      3   truncating
 *      4   TCP
 *      5   ioctl() on devices
 *      6   signals to other processes, abstract sockets of other processes
 *
 * Other ways to change a file by its name, as chmod(), are left to seccomp.h.
 */
#ifndef PROFUTILS_IO_LANDLOCK_H
#define PROFUTILS_IO_LANDLOCK_H

#include <stdbool.h>

struct landlock {
    int fd;  /* of the rules so far */
    int abi; /* what the kernel knows, 1 or more */
};

/* What may be done with a file, or with all files below a directory. */
enum landlock_right {
    LANDLOCK_READ = 1,
    LANDLOCK_WRITE = 2, /* to one that is there, of any kind */
    LANDLOCK_MAKE = 4,  /* make, write, rename and remove regular files */
    LANDLOCK_MKDIR = 8, /* make and remove directories */
    LANDLOCK_EXEC = 16, /* start it */
};

/* False where the kernel has no Landlock, or not for us. */
bool landlock_begin(struct landlock *l);

/*
 * A path that leads nowhere is allowed nothing, which is no failure.  False
 * when the rule cannot be made: then the rules must not be enforced.
 */
bool landlock_allow(const struct landlock *l, const char *path,
                    unsigned rights);

/*
 * Enforces the rules on this thread and all that it starts; with `ok` false
 * drops them.  Whether they hold now.
 */
bool landlock_end(struct landlock *l, bool ok);

#endif
