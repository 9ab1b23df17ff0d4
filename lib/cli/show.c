/* show.c - opens a viewer on a picture */
#include "cli/show.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/private.h"
#include "cli/signals.h"
#include "io/output.h"
#include "io/process.h"
#include "io/tempfile.h"

enum { MAX_TRIES = 100 }; /* at a name that nobody has */

/* A name that nobody can foretell, and that is no option; or null. */
static char *invent_name(struct err *err)
{
    const char *dir = tempfile_directory();
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
        int fd =
            file_open_at(AT_FDCWD, *path, O_WRONLY | O_CREAT | O_EXCL, 0600);
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

/* The options are those of google-pprof. */
static bool view(const struct cli *cli, const char *path, struct err *err)
{
    const char *const argv[] = {"gv", "--scale=1", "--noantialias", path, NULL};
    struct run job = {.argv = argv, .notes = &cli->notes};
    return run(&job, NULL, err);
}

/* The process that waits for a byte, and then shows what is in the file. */
_Noreturn static void attend(struct cli *cli, const char *path, int gate,
                             pid_t parent)
{
    struct err err;
    char byte;
    ssize_t n = 0;
    if (spawn_die_with(parent))
        while ((n = read(gate, &byte, 1)) < 0 && errno == EINTR)
            ;
    if (n == 1 && !view(cli, path, &err))
        cli_error(cli, NULL, &err);
    _exit(cli->status);
}

static bool start(struct cli_show *s, struct err *err)
{
    int gate[2];
    pid_t self = getpid();
    if (!spawn_pipe(gate))
        return err_errno(err, errno, "cannot make a pipe");
    s->pid = fork();
    int why = errno;
    if (s->pid == 0) {
        (void)close(gate[1]);
        attend(s->cli, s->path, gate[0], self);
    }
    (void)close(gate[0]);
    s->gate = gate[1];
    return s->pid > 0 || err_errno(err, why, "cannot start a process");
}

bool cli_show_begin(struct cli_show *s, struct cli *cli)
{
    struct err err;
    *s = (struct cli_show){.cli = cli, .gate = -1};
    s->fd = create(&s->path, &err);
    if (s->fd >= 0 && start(s, &err))
        return true;
    cli_error(cli, NULL, &err);
    cli_show_end(s);
    return false;
}

/* Waits for the other process; what ended it by force ends this one too. */
static bool join(struct cli_show *s)
{
    int status = 0;
    pid_t got;
    (void)close(s->gate);
    s->gate = -1;
    while ((got = waitpid(s->pid, &status, 0)) < 0 && errno == EINTR)
        ;
    if (got < 0) {
        struct err err;
        err_errno(&err, errno, "cannot learn how gv ended");
        cli_error(s->cli, NULL, &err);
        (void)kill(s->pid, SIGKILL);
        s->pid = 0;
        return false;
    }
    s->pid = 0;
    if (WIFSIGNALED(status))
        (void)raise(WTERMSIG(status));
    bool ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (ok)
        s->cli->private->written = true;
    else
        cli_set_status(s->cli, ERR_SYSTEM);
    return ok;
}

bool cli_show(struct cli_show *s, const void *bytes, size_t n)
{
    struct err err;
    bool ok = fd_write(s->fd, bytes, n, &err);
    if (close(s->fd) != 0 && ok)
        ok = fd_write_failed(errno, &err);
    s->fd = -1;
    if (!cli_check_losses(s->cli))
        return false;
    if (ok && fd_write(s->gate, "", 1, &err))
        return join(s);
    cli_error(s->cli, NULL, &err);
    return false;
}

void cli_show_end(struct cli_show *s)
{
    if (!s->cli)
        return;
    if (s->pid > 0)
        (void)join(s);
    if (s->fd >= 0)
        (void)close(s->fd);
    if (s->path) {
        (void)unlink(s->path);
        signals_temp(NULL, AT_FDCWD, NULL);
    }
    free(s->path);
    s->cli = NULL;
}
