#include "cli/signals.h"

#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static const int deadly[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE,
                             SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ};
enum { N_DEADLY = sizeof deadly / sizeof *deadly };

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

/* The default action follows once the handler returns. */
static void remove_and_die(int sig)
{
    if (temp_name[0])
        (void)unlinkat(temp_dir, temp_name, 0);
    if (spool_dir[0])
        remove_spool();
    (void)signal(sig, SIG_DFL);
    (void)raise(sig);
}

static void all_deadly(sigset_t *set)
{
    (void)sigemptyset(set);
    for (size_t i = 0; i < N_DEADLY; i++)
        (void)sigaddset(set, deadly[i]);
}

void signals_catch(void)
{
    struct sigaction act = {.sa_handler = remove_and_die}, old;
    /* Where it is ignored, nobody learns how a program ended that was run. */
    (void)signal(SIGCHLD, SIG_DFL);
    all_deadly(&act.sa_mask);
    for (size_t i = 0; i < N_DEADLY; i++)
        if (sigaction(deadly[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            (void)sigaction(deadly[i], &act, NULL);
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
