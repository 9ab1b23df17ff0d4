/* process.c - runs another program, feeds it and reads what it prints */
#include "io/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/slice.h"
#include "base/system.h"

/* --- in the new process, which may call little before exec ---------------- */

/* Above the signal numbers of all systems; sigaction() refuses invalid ones. */
enum { SIGNALS = 129 };

extern char **environ;

bool spawn_die_with(pid_t parent)
{
    system_die_with_parent();
    return getppid() == parent; /* the parent may have died before the call */
}

static bool connect_to(int fd, int theirs)
{
    if (theirs < 0)
        theirs =
            file_open("/dev/null", fd == STDIN_FILENO ? O_RDONLY : O_WRONLY);
    int got = -1;
    while (theirs >= 0 && (got = dup2(theirs, fd)) < 0 && errno == EINTR)
        ;
    bool ok = got == fd;
    if (theirs > STDERR_FILENO)
        (void)close(theirs);
    return ok;
}

_Noreturn static void become(const char *const *argv, const int fds[3],
                             const sigset_t *mask, pid_t parent, int report)
{
    /* Reset handlers, which would remove the parent's temporary files. */
    struct sigaction act;
    for (int sig = 1; sig < SIGNALS; sig++)
        if (sigaction(sig, NULL, &act) == 0 && act.sa_handler != SIG_DFL &&
            act.sa_handler != SIG_IGN)
            (void)signal(sig, SIG_DFL);

    /*
     * objdump would ask these servers for missing debug information, so that a
     * profile could decide what is sent to them.
     */
    static const char servers[] = "DEBUGINFOD_URLS=";
    char **to = environ;
    for (char **from = environ; from && *from; from++)
        if (strncmp(*from, servers, sizeof servers - 1) != 0)
            *to++ = *from;
    if (to)
        *to = NULL;

    errno = ESRCH;
    if (spawn_die_with(parent) && connect_to(STDIN_FILENO, fds[0]) &&
        connect_to(STDOUT_FILENO, fds[1]) &&
        connect_to(STDERR_FILENO, fds[2])) {
        (void)pthread_sigmask(SIG_SETMASK, mask, NULL);
        (void)execvp(argv[0], (char *const *)argv);
    }
    int why = errno;
    (void)!write(report, &why, sizeof why);
    _exit(127);
}

/* --- in the parent -------------------------------------------------------- */

/*
 * Starts argv, which ends with null; its program is searched for in PATH. fds[0
 * .. 2] become its standard files; -1 means /dev/null.  The others are above 2,
 * as tools keep the standard files open.  It gets the signal mask *mask and
 * ignores the signals that its parent ignores.
 * Returns 0, or an errno if it does not run; then there is no process to wait
 * for.
 */
static int spawn_program(pid_t *pid, const char *const *argv, const int fds[3],
                         const sigset_t *mask)
{
    int report[2];
    sigset_t all, was;
    pid_t parent = getpid();
    if (!system_pipe(report))
        return errno;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &was);
    *pid = fork();
    if (*pid == 0)
        become(argv, fds, mask, parent, report[1]);
    int why = *pid < 0 ? errno : 0;
    (void)pthread_sigmask(SIG_SETMASK, &was, NULL);
    (void)close(report[1]);
    if (!why) {
        /* The pipe has the errno of a failed exec, or nothing. */
        ssize_t n = file_read(report[0], &why, sizeof why);
        if (n < 0) {
            why = errno;
            (void)kill(*pid, SIGKILL);
        } else if (n != (ssize_t)sizeof why) {
            why = 0;
        }
    }
    if (*pid > 0 && why)
        while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
            ;
    (void)close(report[0]);
    return why;
}

/* --- a program with its input and output ---------------------------------- */

enum {
    BLOCK = 64 * 1024, /* bytes read at a time */
    MAX_SAID = 8192,   /* bytes of standard error that are kept */
    MILLI = 1000,
    NANOS = 1000000, /* nanoseconds in a millisecond */
    NAP = 16, /* longest time in milliseconds between checks for its end */
    MAX_LIMIT = 86400, /* seconds */
};

/* A running program; in, out and said are our ends of its pipes, or -1. */
struct child {
    const struct run *job;
    const char *name;
    pid_t pid;
    int in, out, said;
    size_t fed;
    struct buf *to; /* null: its output is not wanted */
    size_t printed;
    struct buf text; /* its standard error */
    size_t unread;   /* lines of standard error that were dropped */
    bool killed;     /* killed by us; *err says why */
    int64_t limit;   /* milliseconds without progress; 0: no limit */
    int64_t latest;  /* time of the latest progress */
};

static int64_t now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * MILLI + t.tv_nsec / NANOS;
}

/* Returns how many milliseconds to wait for progress; -1: without limit. */
static int patience(const struct child *c)
{
    if (!c->limit)
        return -1;
    int64_t left = c->latest + c->limit - now();
    return left > 0 ? (int)left : 0;
}

static bool set_limit(struct child *c, struct prof_err *err)
{
    const char *text = getenv(RUN_TIMEOUT);
    unsigned long seconds = c->job->silence;
    if (seconds && text && *text) {
        char *end;
        errno = 0;
        seconds = strtoul(text, &end, 10);
        if (errno || *end || *text < '0' || *text > '9' || seconds > MAX_LIMIT)
            return err_set(err, PROF_ERR_USAGE,
                           "invalid value '%s' for %s: expected a number of "
                           "seconds from 0 to %d",
                           text, RUN_TIMEOUT, MAX_LIMIT);
    }
    c->limit = (int64_t)seconds * MILLI;
    c->latest = now();
    return true;
}

static void close_end(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

/* Makes a pipe.  Its end `ours` (0: for reading) does not block. */
static bool make_pipe(int end[2], int ours)
{
    return system_pipe(end) && fcntl(end[ours], F_SETFL, O_NONBLOCK) == 0;
}

static bool start_child(struct child *c, const sigset_t *mask,
                        struct prof_err *err)
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
        return err_set(err, PROF_ERR_SYSTEM, "%s: command not found%s", c->name,
                       strchr(c->name, '/') ? "" : " in PATH");
    if (why == EACCES && ok && !strchr(c->name, '/'))
        return err_set(err, PROF_ERR_SYSTEM,
                       "cannot run %s: not installed, or not executable for "
                       "this user (%s)",
                       c->name, strerror(why));
    return err_errno(err, why, "cannot run %s", c->name);
}

/* Kills the program and closes the pipes.  The caller has set *err. */
static void give_up(struct child *c)
{
    c->killed = true;
    (void)kill(c->pid, SIGKILL);
    close_end(&c->in);
    close_end(&c->out);
    close_end(&c->said);
}

/* Sets *err to say that the program makes no progress, and kills it. */
static void lose_patience(struct child *c, struct prof_err *err)
{
    err_set(err, PROF_ERR_SYSTEM,
            "%s printed nothing for %lld s and was stopped; set another limit "
            "with %s (0: no limit)",
            c->name, (long long)(c->limit / MILLI), RUN_TIMEOUT);
    give_up(c);
}

static void feed_input(struct child *c, struct prof_err *err)
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
    /* EPIPE is not an error: the exit status says if the program failed. */
    c->fed = n < 0 ? c->job->n_in : c->fed + (size_t)n;
    c->latest = now();
    if (c->fed == c->job->n_in)
        close_end(&c->in);
}

/* Reads into the room of *to.  Returns the number of bytes: 0 at the end, if
 * none are available yet, or after a failure. */
static size_t read_pipe(struct child *c, int *fd, struct buf *to,
                        struct prof_err *err)
{
    if (!buf_reserve(to, BLOCK)) {
        err_nomem(err);
        give_up(c);
        return 0;
    }
    ssize_t n = read(*fd, to->v + to->n, BLOCK);
    if (n < 0 && errno != EAGAIN && errno != EINTR) {
        err_errno(err, errno, "cannot read the output of %s", c->name);
        give_up(c);
    }
    if (n == 0)
        close_end(fd);
    return n > 0 ? (size_t)n : 0;
}

static void read_output(struct child *c, struct prof_err *err)
{
    size_t n = read_pipe(c, &c->out, c->to, err);
    if (n > c->job->max_out - c->printed) {
        err_set(err, PROF_ERR_SYSTEM, "output of %s exceeds %zu bytes", c->name,
                c->job->max_out);
        give_up(c);
        return;
    }
    c->printed += n;
    c->to->n += n;
    if (n)
        c->latest = now();
}

/* Writes its input and reads its output until it has closed all pipes. */
static void attend(struct child *c, struct prof_err *err)
{
    while (c->in >= 0 || c->out >= 0 || c->said >= 0) {
        struct pollfd fd[3] = {{.fd = c->in, .events = POLLOUT},
                               {.fd = c->out, .events = POLLIN},
                               {.fd = c->said, .events = POLLIN}};
        int wait = patience(c), n = wait ? poll(fd, 3, wait) : 0;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            err_errno(err, errno, "cannot wait for %s", c->name);
            give_up(c);
            return;
        }
        if (!n) {
            lose_patience(c, err);
            return;
        }
        if (fd[0].revents)
            feed_input(c, err);
        if (fd[1].revents && c->to && c->out >= 0)
            read_output(c, err);
        if (fd[2].revents && c->said >= 0)
            c->text.n += read_pipe(c, &c->said, &c->text, err);
        for (; c->text.n > MAX_SAID; c->text.n--)
            c->unread += c->text.v[c->text.n - 1] == '\n';
    }
}

/*
 * Moves the next line of *text to `line`, skipping empty lines and replacing
 * control characters.  Returns false if there is none.
 */
static bool next_line(struct prof_slice *text, struct buf *line)
{
    line->n = 0;
    while (text->n && !line->n) {
        const struct prof_slice next = slice_take_line(text);
        if (!buf_put(line, next.s, next.n))
            return false;
        while (line->n && line->v[line->n - 1] <= ' ')
            line->n--;
    }
    for (size_t i = 0; i < line->n; i++)
        if (line->v[i] < ' ')
            line->v[i] = ' ';
    return line->n && buf_putc(line, 0);
}

/* Adds a line if it is new, and returns whether it was added.  remarks->more
 * counts new lines beyond RUN_REMARKS. */
static bool is_remark(struct run_remarks *remarks, const char *line)
{
    for (size_t i = 0; i < remarks->lines.n; i++)
        if (strcmp(remarks->lines.v[i], line) == 0)
            return false;
    if (remarks->lines.n == RUN_REMARKS) {
        remarks->more++;
        return false;
    }
    char *copy = strdup(line);
    if (copy && vec_push(&remarks->lines, copy))
        return true;
    free(copy);
    return false;
}

void run_remarks_end(struct run_remarks *remarks)
{
    note_count(remarks->notes, PROF_NOTE_WARN, remarks->more,
               "%s: %zu more line{s} not shown", remarks->name, remarks->more);
    vec_free_all(&remarks->lines);
    *remarks = (struct run_remarks){.name = NULL};
}

/* Joins distinct lines of standard error in *out, as a reason of failure. */
static const char *remark(struct child *c, struct buf *out)
{
    struct run_remarks seen = {.more = c->unread};
    struct buf line = {0};
    struct prof_slice text = buf_slice(&c->text);
    while (next_line(&text, &line))
        if (is_remark(&seen, (const char *)line.v))
            (void)buf_printf(out, "%s%s", out->n ? " " : "",
                             (const char *)line.v);
    if (seen.more)
        (void)buf_printf(out, TEXT(" (and %zu more lines)"), seen.more);
    vec_free_all(&seen.lines);
    buf_free(&line);
    return out->n && buf_putc(out, 0) ? (const char *)out->v
                                      : TEXT("it gives no reason");
}

/* Reports the standard error of a program that succeeded as warnings. */
static void pass_on(const struct child *c)
{
    struct run_remarks own = {.more = 0};
    struct run_remarks *all = c->job->remarks ? c->job->remarks : &own;
    struct buf line = {0};
    struct prof_slice text = buf_slice(&c->text);
    all->name = c->name;
    all->notes = c->job->notes;
    all->more += c->unread;
    while (next_line(&text, &line))
        if (is_remark(all, (const char *)line.v))
            note_warn(c->job->notes, "%s: %s", c->name, (const char *)line.v);
    buf_free(&line);
    run_remarks_end(&own);
}

/*
 * Waits until the program has ended.  poll() cannot wait for that, so with a
 * time limit checks again and again.  Returns its process ID, or -1 with errno.
 */
static pid_t wait_for(struct child *c, int *status, struct prof_err *err)
{
    for (int nap = 1;; nap += nap < NAP ? nap : 0) {
        bool limited = c->limit && !c->killed;
        pid_t pid = waitpid(c->pid, status, limited ? WNOHANG : 0);
        if (pid > 0 || (pid < 0 && errno != EINTR))
            return pid;
        if (limited && !patience(c))
            lose_patience(c, err);
        else if (!pid)
            (void)poll(NULL, 0, nap);
    }
}

static bool end_child(struct child *c, struct prof_err *err)
{
    int status;
    struct buf why = {0};
    pid_t pid = wait_for(c, &status, err);
    if (c->killed)
        return false;
    if (pid < 0)
        return err_errno(err, errno, "cannot get the exit status of %s",
                         c->name);
    bool ok = !WIFSIGNALED(status) && !WEXITSTATUS(status);
    if (ok)
        pass_on(c);
    else if (WIFSIGNALED(status))
        err_set(err, PROF_ERR_SYSTEM, "%s was killed by signal %d (%s): %s",
                c->name, WTERMSIG(status), strsignal(WTERMSIG(status)),
                remark(c, &why));
    else
        err_set(err, PROF_ERR_SYSTEM, "%s failed with exit status %d: %s",
                c->name, WEXITSTATUS(status), remark(c, &why));
    buf_free(&why);
    return ok;
}

bool run(const struct run *job, struct buf *out, struct prof_err *err)
{
    struct child c = {
        .job = job, .name = job->argv[0], .to = out, .in = -1, .out = -1};
    size_t before = out ? out->n : 0;
    sigset_t was, pipe, pending;
    if (!set_limit(&c, err))
        return false;

    /* SIGPIPE must not kill the tool while it writes to the program. */
    (void)sigemptyset(&pipe);
    (void)sigaddset(&pipe, SIGPIPE);
    (void)pthread_sigmask(SIG_BLOCK, &pipe, &was);
    bool came = sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE);
    bool ok = start_child(&c, &was, err);
    if (ok) {
        attend(&c, err);
        ok = end_child(&c, err);
    }
    /* Drops a SIGPIPE that these writes caused before it is unblocked. */
    if (!came)
        system_drop_signal(SIGPIPE);
    (void)pthread_sigmask(SIG_SETMASK, &was, NULL);
    buf_free(&c.text);
    if (!ok && out)
        out->n = before;
    return ok;
}
