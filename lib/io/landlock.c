#include "io/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"

/*
 * The kernel's interface, of which the system's header may not be there or
 * know only a part.  The numbers are the same on all machines that we have
 * a filter for.
 */
enum {
    CREATE_RULESET = 444,
    ADD_RULE = 445,
    RESTRICT_SELF = 446,

    VERSION = 1, /* flag: asks for the ABI */
    PATH_BENEATH = 1,
    LAST_ABI = 7, /* that is known here */
};

struct ruleset_attr {
    uint64_t fs, net, scoped;
};

struct path_beneath {
    uint64_t allowed;
    int32_t fd;
} __attribute__((packed));

/* Bits of ruleset_attr.fs and path_beneath.allowed. */
enum {
    FS_EXECUTE = 1 << 0,
    FS_WRITE_FILE = 1 << 1,
    FS_READ_FILE = 1 << 2,
    FS_READ_DIR = 1 << 3,
    FS_REMOVE_DIR = 1 << 4,
    FS_REMOVE_FILE = 1 << 5,
    FS_MAKE_DIR = 1 << 7,
    FS_MAKE_REG = 1 << 8,
    FS_FIRST = (1 << 13) - 1, /* all that ABI 1 has */
    FS_REFER = 1 << 13,
    FS_TRUNCATE = 1 << 14,
    FS_IOCTL_DEV = 1 << 15,
    /* Those that make sense for what is no directory. */
    FS_OF_FILES =
        FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV,

    NET_TCP = 1 << 0 | 1 << 1,   /* bind and connect */
    SCOPE_ALL = 1 << 0 | 1 << 1, /* abstract sockets and signals */
};

static uint64_t handled(int abi)
{
    return FS_FIRST | (abi >= 2 ? FS_REFER : 0) | (abi >= 3 ? FS_TRUNCATE : 0) |
           (abi >= 5 ? FS_IOCTL_DEV : 0);
}

bool landlock_begin(struct landlock *l)
{
    long abi = syscall(CREATE_RULESET, NULL, (size_t)0, VERSION);
    if (abi < 1)
        return false;
    l->abi = abi > LAST_ABI ? LAST_ABI : (int)abi;
    const struct ruleset_attr attr = {
        .fs = handled(l->abi), .net = NET_TCP, .scoped = SCOPE_ALL};
    /* An older kernel knows the first members of it only. */
    size_t n = l->abi >= 6   ? sizeof attr
               : l->abi >= 4 ? sizeof attr - sizeof attr.scoped
                             : sizeof attr.fs;
    l->fd = (int)syscall(CREATE_RULESET, &attr, n, 0);
    return l->fd >= 0;
}

static uint64_t bits(unsigned rights)
{
    uint64_t fs = 0;
    if (rights & LANDLOCK_READ)
        fs |= FS_READ_FILE | FS_READ_DIR;
    if (rights & LANDLOCK_WRITE)
        fs |= FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV;
    if (rights & LANDLOCK_MAKE)
        fs |= FS_READ_FILE | FS_READ_DIR | FS_WRITE_FILE | FS_TRUNCATE |
              FS_MAKE_REG | FS_REMOVE_FILE;
    if (rights & LANDLOCK_MKDIR)
        fs |= FS_READ_DIR | FS_MAKE_DIR | FS_REMOVE_DIR;
    if (rights & LANDLOCK_EXEC)
        fs |= FS_READ_FILE | FS_EXECUTE;
    return fs;
}

bool landlock_allow(const struct landlock *l, const char *path, unsigned rights)
{
    struct stat st;
    struct path_beneath rule = {bits(rights) & handled(l->abi), -1};
    rule.fd = file_open(path, O_PATH);
    if (rule.fd < 0)
        return errno == ENOENT || errno == ENOTDIR || errno == EACCES ||
               errno == ELOOP || errno == ENAMETOOLONG;
    bool ok = fstat(rule.fd, &st) == 0;
    if (ok && !S_ISDIR(st.st_mode))
        rule.allowed &= FS_OF_FILES;
    /* What is on no disk, as a pipe, is not subject to any rule: EBADFD. */
    ok = ok && (syscall(ADD_RULE, l->fd, PATH_BENEATH, &rule, 0) == 0 ||
                errno == EBADFD);
    (void)close(rule.fd);
    return ok;
}

bool landlock_end(struct landlock *l, bool ok)
{
    ok = ok && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(RESTRICT_SELF, l->fd, 0) == 0;
    (void)close(l->fd);
    l->fd = -1;
    return ok;
}
