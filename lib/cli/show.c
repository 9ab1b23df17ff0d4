#include "cli/show.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/signals.h"
#include "io/fd.h"
#include "io/run.h"
#include "io/scratch.h"

enum { MAX_TRIES = 100 }; /* at a name that nobody has */

/* A name that nobody can foretell, and that is no option; or null. */
static char *invent_name(struct err *err)
{
    const char *dir = scratch_directory();
    unsigned long long x = 0;
    char *path;
    if (getentropy(&x, sizeof x) < 0)
        return err_errno(err, errno, "no random bytes"), NULL;
    int n = asprintf(&path, "%s%s/profutils.%016llx.ps",
                     *dir == '/' ? "" : "./", dir, x);
    return n < 0 ? (err_nomem(err), NULL) : path;
}

/* A new file, known to the signal handler before it is there; or -1. */
static int create(char **path, struct err *err)
{
    for (int i = 0; i < MAX_TRIES; i++) {
        *path = invent_name(err);
        if (!*path)
            return -1;
        signals_temp(NULL, AT_FDCWD, *path);
        int fd = open(*path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        int why = errno;
        if (fd >= 0)
            return fd;
        signals_temp(NULL, AT_FDCWD, NULL);
        err_errno(err, why, "cannot create the temporary file %s", *path);
        free(*path);
        *path = NULL;
        if (why != EEXIST)
            break;
    }
    return -1;
}

static bool fill(int fd, const void *bytes, size_t n, struct err *err)
{
    bool ok = fd_write(fd, bytes, n, err);
    return (close(fd) == 0 || fd_write_failed(errno, err)) && ok;
}

/* The options are those of google-pprof. */
static bool view(const struct cli *cli, const char *path, struct err *err)
{
    const char *const argv[] = {"gv", "--scale=1", "--noantialias", path, NULL};
    struct run job = {.argv = argv, .notes = &cli->notes};
    return run(&job, NULL, err);
}

bool cli_show(struct cli *cli, const void *bytes, size_t n)
{
    struct err err;
    char *path = NULL;
    int fd = create(&path, &err);
    bool ok = fd >= 0 && fill(fd, bytes, n, &err) && view(cli, path, &err);
    if (fd >= 0) {
        (void)unlink(path);
        signals_temp(NULL, AT_FDCWD, NULL);
    }
    free(path);
    if (!ok)
        cli_error(cli, NULL, &err);
    return ok;
}
