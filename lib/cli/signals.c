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

/* The default action follows once the handler returns. */
static void remove_and_die(int sig)
{
    if (temp_name[0])
        (void)unlinkat(temp_dir, temp_name, 0);
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
    all_deadly(&act.sa_mask);
    for (size_t i = 0; i < N_DEADLY; i++)
        if (sigaction(deadly[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            (void)sigaction(deadly[i], &act, NULL);
}

void signals_temp(void *ctx, int dir, const char *temp)
{
    (void)ctx;
    sigset_t set, old;
    all_deadly(&set);
    (void)pthread_sigmask(SIG_BLOCK, &set, &old);
    size_t n = temp ? strlen(temp) : 0;
    if (n >= sizeof temp_name)
        n = 0; /* longer than the system takes: it cannot have been opened */
    if (n)
        memcpy(temp_name, temp, n);
    temp_name[n] = 0;
    temp_dir = dir;
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
}
