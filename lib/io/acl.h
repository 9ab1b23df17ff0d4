/*
 * acl.h - who may use a file beyond its nine bits (lib/io only)
 *
 * A file with a POSIX access control list names users and groups that have
 * rights of their own.  What stat() calls the group's bits is then the most
 * that any of them has: as the mode of a file without the list it would give
 * the group more than it had.  acl(5); the attribute and its bytes are those
 * of <linux/posix_acl_xattr.h>.
 */
#ifndef PROFUTILS_IO_ACL_H
#define PROFUTILS_IO_ACL_H

#include <stdbool.h>

/*
 * Gives the file `to` the list of the file `from`, or none if that has none:
 * a new file may have one from its directory.  Where file systems, or the
 * system, know of no lists there is nothing to do.  False: it could not be
 * done.
 */
bool acl_copy(int from, int to);

#endif
