#include "cli/signals.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"

static const int deadly[] = {SIGHUP,  SIGINT,    SIGQUIT, SIGABRT, SIGUSR1,
                             SIGUSR2, SIGPIPE,   SIGALRM, SIGTERM, SIGXCPU,
                             SIGXFSZ, SIGVTALRM, SIGPROF};
enum { N_DEADLY = sizeof deadly / sizeof *deadly };

enum { NOWHERE = 64 * 1024 }; /* addresses below belong to nothing */

static const char *tool_name;
static bool ended; /* the tool itself has come to its end */
static char temp_name[PATH_MAX];
static int temp_dir; /* where it begins */
static char spool_dir[PATH_MAX];
static size_t spool_files;

/* Removes the files 0 .. spool_files - 1 and then their directory. */
static void remove_spool(void)
{
    char name[PATH_MAX + 24];
    size_t dir = strlen(spool_dir);
    memcpy(name, spool_dir, dir);
    name[dir] = '/';
    for (size_t i = 0; i < spool_files; i++) {
        char digits[24];
        size_t n = 0;
        for (size_t x = i; x || !n; x /= 10)
            digits[n++] = (char)('0' + x % 10);
        for (size_t k = 0; k < n; k++)
            name[dir + 1 + k] = digits[n - 1 - k];
        name[dir + 1 + n] = 0;
        (void)unlink(name);
    }
    (void)rmdir(spool_dir);
}

static void remove_files(void)
{
    if (temp_name[0])
        (void)unlinkat(temp_dir, temp_name, 0);
    if (spool_dir[0])
        remove_spool();
}

/* The default action follows once the handler returns. */
static void remove_and_die(int sig)
{
    remove_files();
    (void)signal(sig, SIG_DFL);
    (void)raise(sig);
}

static void say(const char *text)
{
    (void)!write(STDERR_FILENO, text, strlen(text));
}

/*
 * A file that a library has mapped is shorter now than it was then, and what
 * is asked for is not there any more.
 */
static void remove_and_end(int sig, siginfo_t *info, void *context)
{
    (void)context;
    if (info->si_code != BUS_ADRERR) {
        remove_and_die(sig);
        return;
    }
    remove_files();
    say(tool_name);
    say(": a file was cut short while it was read\n");
    _exit(ERR_SYSTEM);
}

/*
 * Some libraries go on without the memory that they did not get, or call
 * exit() then.
 */
static void end_for_library(void)
{
    remove_files();
    say(tool_name);
    say(": out of memory in a library, which gave up\n");
    _exit(ERR_SYSTEM);
}

static void end_of_null(int sig, siginfo_t *info, void *context)
{
    (void)context;
    if (errno == ENOMEM && (uintptr_t)info->si_addr < NOWHERE)
        end_for_library();
    else
        remove_and_die(sig);
}

static void end_early(void)
{
    if (!ended)
        end_for_library();
}

static void all_deadly(sigset_t *set)
{
    (void)sigemptyset(set);
    for (size_t i = 0; i < N_DEADLY; i++)
        (void)sigaddset(set, deadly[i]);
}

void signals_catch(const char *tool)
{
    struct sigaction act = {.sa_handler = remove_and_die};
    struct sigaction cut = {.sa_sigaction = remove_and_end,
                            .sa_flags = SA_SIGINFO};
    struct sigaction null = {.sa_sigaction = end_of_null,
                             .sa_flags = SA_SIGINFO};
    struct sigaction old;
    tool_name = tool;
    /* Where it is ignored, nobody learns how a program ended that was run. */
    (void)signal(SIGCHLD, SIG_DFL);
    all_deadly(&act.sa_mask);
    cut.sa_mask = null.sa_mask = act.sa_mask;
    for (size_t i = 0; i < N_DEADLY; i++)
        if (sigaction(deadly[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            (void)sigaction(deadly[i], &act, NULL);
    if (sigaction(SIGBUS, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
        (void)sigaction(SIGBUS, &cut, NULL);
    if (sigaction(SIGSEGV, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
        (void)sigaction(SIGSEGV, &null, NULL);
    (void)atexit(end_early);
}

void signals_end(void)
{
    ended = true;
}

static void keep(char to[PATH_MAX], const char *name)
{
    size_t n = name ? strlen(name) : 0;
    if (n >= PATH_MAX)
        n = 0; /* longer than the system takes: it cannot have been opened */
    if (n)
        memcpy(to, name, n);
    to[n] = 0;
}

void signals_temp(void *ctx, int dir, const char *temp)
{
    (void)ctx;
    sigset_t set, old;
    all_deadly(&set);
    (void)pthread_sigmask(SIG_BLOCK, &set, &old);
    keep(temp_name, temp);
    temp_dir = dir;
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void signals_spool(const char *dir, size_t n)
{
    sigset_t set, old;
    all_deadly(&set);
    (void)pthread_sigmask(SIG_BLOCK, &set, &old);
    keep(spool_dir, dir);
    spool_files = n;
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
}
