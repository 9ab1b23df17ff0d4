#include "io/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/file.h"

/* Not one of the standard three, which the other side is going to be. */
static int move_up(int fd)
{
    if (fd > STDERR_FILENO)
        return fd;
    int up = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int why = errno;
    (void)close(fd);
    errno = why;
    return up;
}

bool spawn_pipe(int end[2])
{
    if (pipe2(end, O_CLOEXEC) != 0) {
        end[0] = end[1] = -1;
        return false;
    }
    end[0] = move_up(end[0]);
    end[1] = move_up(end[1]);
    if (end[0] >= 0 && end[1] >= 0)
        return true;
    int why = errno;
    for (int i = 0; i < 2; i++)
        if (end[i] >= 0)
            (void)close(end[i]);
    end[0] = end[1] = -1;
    errno = why;
    return false;
}

/* --- in the new process, which may call little before exec ---------------- */

/* Handlers of ours would remove what is the parent's. */
static void forget_handlers(void)
{
    struct sigaction act;
    for (int sig = 1; sig < NSIG; sig++)
        if (sigaction(sig, NULL, &act) == 0 && act.sa_handler != SIG_DFL &&
            act.sa_handler != SIG_IGN)
            (void)signal(sig, SIG_DFL);
}

bool spawn_die_with(pid_t parent)
{
#ifdef PR_SET_PDEATHSIG
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    return getppid() == parent; /* it may have died before */
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

/*
 * objdump asks servers named there for what a binary lacks: what is in a
 * profile would decide what is sent to them.
 */
static void forget_servers(void)
{
    static const char servers[] = "DEBUGINFOD_URLS=";
    char **to = environ;
    for (char **from = environ; from && *from; from++)
        if (strncmp(*from, servers, sizeof servers - 1) != 0)
            *to++ = *from;
    if (to)
        *to = NULL;
}

_Noreturn static void become(const char *const *argv, const int fds[3],
                             const sigset_t *mask, pid_t parent, int report)
{
    forget_handlers();
    forget_servers();
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
 * What the new process says of exec: an errno, or nothing where it worked.  If
 * that cannot be learnt, it is not to go on.
 */
static int read_report(int fd, pid_t pid)
{
    int why = 0;
    ssize_t n = file_read(fd, &why, sizeof why);
    if (n < 0) {
        why = errno;
        (void)kill(pid, SIGKILL);
        return why;
    }
    return n == (ssize_t)sizeof why ? why : 0;
}

int spawn_program(pid_t *pid, const char *const *argv, const int fds[3],
                  const sigset_t *mask)
{
    int report[2];
    sigset_t all, was;
    pid_t parent = getpid();
    if (!spawn_pipe(report))
        return errno;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &was);
    *pid = fork();
    if (*pid == 0)
        become(argv, fds, mask, parent, report[1]);
    int why = *pid < 0 ? errno : 0;
    (void)pthread_sigmask(SIG_SETMASK, &was, NULL);
    (void)close(report[1]);
    if (!why && (why = read_report(report[0], *pid)) != 0)
        while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
            ;
    (void)close(report[0]);
    return why;
}
