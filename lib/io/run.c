#include "io/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "io/spawn.h"

enum {
    BLOCK = 64 * 1024, /* read at once */
    MAX_SAID = 8192,   /* of what it says on standard error, the rest goes */
};

/* A program that runs.  Of each pipe the end that is ours, or -1. */
struct child {
    const struct run *job;
    const char *name;
    pid_t pid;
    int in, out, said;
    size_t fed;
    struct buf *to; /* null: not wanted */
    size_t printed;
    struct buf text; /* what it said */
    bool killed;     /* by us: *err says why */
};

static void close_end(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

/* end[0] is for reading; ours does not block. */
static bool make_pipe(int end[2], int ours)
{
    return spawn_pipe(end) && fcntl(end[ours], F_SETFL, O_NONBLOCK) == 0;
}

static bool start(struct child *c, const sigset_t *mask, struct err *err)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1}, said[2] = {-1, -1};
    bool ok = (!c->job->n_in || make_pipe(in, 1)) &&
              (!c->to || make_pipe(out, 0)) && make_pipe(said, 0);
    int theirs[3] = {in[0], out[1], said[1]};
    int why = ok ? spawn_program(&c->pid, c->job->argv, theirs, mask) : errno;
    c->in = in[1];
    c->out = out[0];
    c->said = said[0];
    for (size_t i = 0; i < 3; i++)
        close_end(&theirs[i]);
    if (!why)
        return true;
    close_end(&c->in);
    close_end(&c->out);
    close_end(&c->said);
    if (why == ENOENT && ok)
        return err_set(err, ERR_SYSTEM,
                       "%s is not installed: there is no such program%s",
                       c->name, strchr(c->name, '/') ? "" : " in PATH");
    if (why == EACCES && ok && !strchr(c->name, '/'))
        return err_set(err, ERR_SYSTEM,
                       "cannot run %s: it is not installed, or what PATH has "
                       "of it is not for this user (%s)",
                       c->name, strerror(why));
    return err_errno(err, why, "cannot run %s", c->name);
}

/* Ends it for a reason that *err says. */
static void give_up(struct child *c)
{
    c->killed = true;
    (void)kill(c->pid, SIGKILL);
    close_end(&c->in);
    close_end(&c->out);
    close_end(&c->said);
}

static void feed(struct child *c, struct err *err)
{
    const char *v = (const char *)c->job->in + c->fed;
    ssize_t n = write(c->in, v, c->job->n_in - c->fed);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n < 0 && errno != EPIPE) {
        err_errno(err, errno, "cannot write to %s", c->name);
        give_up(c);
        return;
    }
    /* When it reads no more, its exit status says whether that is well. */
    c->fed = n < 0 ? c->job->n_in : c->fed + (size_t)n;
    if (c->fed == c->job->n_in)
        close_end(&c->in);
}

/* Bytes read into *to, BLOCK at most; 0: at the end, not yet, or never. */
static size_t take(struct child *c, int *fd, struct buf *to, struct err *err)
{
    if (!buf_reserve(to, BLOCK)) {
        err_nomem(err);
        give_up(c);
        return 0;
    }
    ssize_t n = read(*fd, to->v + to->n, BLOCK);
    if (n < 0 && errno != EAGAIN && errno != EINTR) {
        err_errno(err, errno, "cannot read what %s prints", c->name);
        give_up(c);
    }
    if (n == 0)
        close_end(fd);
    return n > 0 ? (size_t)n : 0;
}

static void take_output(struct child *c, struct err *err)
{
    size_t n = take(c, &c->out, c->to, err);
    if (n > c->job->max_out - c->printed) {
        err_set(err, ERR_SYSTEM, "%s prints more than %zu bytes", c->name,
                c->job->max_out);
        give_up(c);
        return;
    }
    c->printed += n;
    c->to->n += n;
}

static void take_said(struct child *c, struct err *err)
{
    c->text.n += take(c, &c->said, &c->text, err);
    if (c->text.n > MAX_SAID)
        c->text.n = MAX_SAID;
}

/* Feeds and listens until it has closed what it prints to. */
static void attend(struct child *c, struct err *err)
{
    while (c->in >= 0 || c->out >= 0 || c->said >= 0) {
        struct pollfd fd[3] = {{.fd = c->in, .events = POLLOUT},
                               {.fd = c->out, .events = POLLIN},
                               {.fd = c->said, .events = POLLIN}};
        if (poll(fd, 3, -1) < 0) {
            if (errno == EINTR)
                continue;
            err_errno(err, errno, "cannot wait for %s", c->name);
            give_up(c);
            return;
        }
        if (fd[0].revents)
            feed(c, err);
        if (fd[1].revents && c->to && c->out >= 0)
            take_output(c, err);
        if (fd[2].revents && c->said >= 0)
            take_said(c, err);
    }
}

/* What it said, as one line. */
static const char *remark(struct buf *text)
{
    while (text->n && text->v[text->n - 1] <= ' ')
        text->n--;
    for (size_t i = 0; i < text->n; i++)
        if (text->v[i] < ' ')
            text->v[i] = ' ';
    return text->n && buf_putc(text, 0) ? (const char *)text->v
                                        : "it does not say why";
}

/* What it said although all is well. */
static void pass_on(const struct child *c)
{
    const char *line = (const char *)c->text.v, *end = line + c->text.n;
    while (line < end) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        int n = (int)((next ? next : end) - line);
        if (n)
            note_warn(c->job->notes, "%s: %.*s", c->name, n, line);
        line = next ? next + 1 : end;
    }
}

static bool finish(struct child *c, struct err *err)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(c->pid, &status, 0)) < 0 && errno == EINTR)
        ;
    if (c->killed)
        return false;
    if (pid < 0)
        return err_errno(err, errno, "cannot learn how %s ended", c->name);
    if (WIFSIGNALED(status))
        return err_set(err, ERR_SYSTEM, "%s died of signal %d (%s): %s",
                       c->name, WTERMSIG(status), strsignal(WTERMSIG(status)),
                       remark(&c->text));
    if (WEXITSTATUS(status))
        return err_set(err, ERR_SYSTEM, "%s failed with exit status %d: %s",
                       c->name, WEXITSTATUS(status), remark(&c->text));
    pass_on(c);
    return true;
}

/*
 * While a pipe is written to, SIGPIPE is nothing to die of.  It is held back,
 * and one that came is taken off before others can see it.
 */
static bool hold_sigpipe(sigset_t *was)
{
    sigset_t pipe, pending;
    (void)sigemptyset(&pipe);
    (void)sigaddset(&pipe, SIGPIPE);
    (void)pthread_sigmask(SIG_BLOCK, &pipe, was);
    return sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE);
}

static void release_sigpipe(bool pending, const sigset_t *was)
{
    const struct timespec now = {0};
    sigset_t pipe;
    (void)sigemptyset(&pipe);
    (void)sigaddset(&pipe, SIGPIPE);
    if (!pending)
        (void)sigtimedwait(&pipe, NULL, &now);
    (void)pthread_sigmask(SIG_SETMASK, was, NULL);
}

bool run(const struct run *job, struct buf *out, struct err *err)
{
    struct child c = {
        .job = job, .name = job->argv[0], .to = out, .in = -1, .out = -1};
    size_t before = out ? out->n : 0;
    sigset_t was;
    bool pending = hold_sigpipe(&was);
    bool ok = start(&c, &was, err);
    if (ok) {
        attend(&c, err);
        ok = finish(&c, err);
    }
    release_sigpipe(pending, &was);
    buf_free(&c.text);
    if (!ok && out)
        out->n = before;
    return ok;
}
