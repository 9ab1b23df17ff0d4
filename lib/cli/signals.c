/* signals.c - removes temporary files when the program ends early */
#include "cli/signals.h"

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"

/* Signals that end a program; the last five report a fault in it. */
static const int deadly[] = {SIGHUP,  SIGINT,    SIGQUIT, SIGUSR1, SIGUSR2,
                             SIGPIPE, SIGALRM,   SIGTERM, SIGXCPU, SIGXFSZ,
                             SIGPROF, SIGVTALRM, SIGABRT, SIGBUS,  SIGSEGV,
                             SIGILL,  SIGFPE};
enum { N_DEADLY = sizeof deadly / sizeof *deadly };

enum { STACK = 64 * 1024 }; /* for handlers, as the stack may have overflowed */

static const char *tool_name;
static char temp_name[PATH_MAX];
static int temp_dir; /* directory that temp_name is relative to */

static void remove_file(void)
{
    if (temp_name[0])
        (void)unlinkat(temp_dir, temp_name, 0);
}

static void write_text(const char *text)
{
    (void)!write(STDERR_FILENO, text, strlen(text));
}

/*
 * Removes the temporary file and ends the program by the signal's default
 * action.  The first process of a container is not killed by that, so exits
 * with the status that shells use for the signal.
 */
static void handle(int sig, siginfo_t *info, void *context)
{
    sigset_t set;
    (void)context;
    remove_file();
    if (sig == SIGBUS && info->si_code == BUS_ADRERR) {
        /* A mapped file was truncated. */
        write_text(tool_name);
        write_text(": ");
        write_text(TEXT("a file was truncated while it was read"));
        write_text("\n");
        _exit(PROF_ERR_SYSTEM);
    }
    (void)signal(sig, SIG_DFL);
    (void)sigemptyset(&set);
    (void)sigaddset(&set, sig);
    (void)raise(sig);
    (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    _exit(128 + sig);
}

static void all_deadly(sigset_t *set)
{
    (void)sigemptyset(set);
    for (size_t i = 0; i < N_DEADLY; i++)
        (void)sigaddset(set, deadly[i]);
}

void signals_catch(const char *tool)
{
    static char stack[STACK];
    const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction act = {.sa_sigaction = handle,
                            .sa_flags = SA_SIGINFO | SA_ONSTACK},
                     old;
    sigset_t before;
    tool_name = tool;
    (void)sigaltstack(&alternate, NULL);
    /* Some libraries call exit() if memory is out. */
    (void)atexit(remove_file);
    /* If SIGCHLD is ignored, waitpid() cannot return the status of programs. */
    (void)signal(SIGCHLD, SIG_DFL);
    all_deadly(&act.sa_mask);
    /* Block signals until those that were ignored are ignored again. */
    (void)pthread_sigmask(SIG_BLOCK, &act.sa_mask, &before);
    for (size_t i = 0; i < N_DEADLY; i++)
        if (sigaction(deadly[i], &act, &old) == 0 && old.sa_handler != SIG_DFL)
            (void)sigaction(deadly[i], &old, NULL);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void signals_temp(void *ctx, int dir, const char *temp)
{
    (void)ctx;
    sigset_t set, old;
    all_deadly(&set);
    (void)pthread_sigmask(SIG_BLOCK, &set, &old);
    size_t n = temp ? strlen(temp) : 0;
    if (n >= PATH_MAX)
        n = 0; /* the name is too long, so the file cannot be created */
    if (n)
        memcpy(temp_name, temp, n);
    temp_name[n] = 0;
    temp_dir = dir;
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
}
