#include "cli/signals.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/err.h"

static const int deadly[] = {SIGHUP,  SIGINT,    SIGQUIT, SIGABRT, SIGUSR1,
                             SIGUSR2, SIGPIPE,   SIGALRM, SIGTERM, SIGXCPU,
                             SIGXFSZ, SIGVTALRM, SIGPROF};
enum { N_DEADLY = sizeof deadly / sizeof *deadly };

enum {
    NOWHERE = 64 * 1024,  /* addresses below belong to nothing */
    ALTERNATE = 64 * 1024 /* bytes of stack for where there is none left */
};

static const char *tool_name;
static uintptr_t stack_end, stack_size; /* of the first thread, at most */
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

/*
 * The default action follows.  The first process of a container has none, and
 * cannot go on, as its files are gone: it ends with the status by which shells
 * name the signal.
 */
static void remove_and_die(int sig)
{
    sigset_t set;
    remove_files();
    (void)signal(sig, SIG_DFL);
    (void)sigemptyset(&set);
    (void)sigaddset(&set, sig);
    (void)raise(sig);
    (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    _exit(128 + sig);
}

static void say(const char *text)
{
    (void)!write(STDERR_FILENO, text, strlen(text));
}

static void end_for(const char *text)
{
    remove_files();
    say(tool_name);
    say(text);
    _exit(ERR_SYSTEM);
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
    end_for(": a file was cut short while it was read\n");
}

/*
 * Some libraries go on without the memory that they did not get, or call
 * exit() or abort() then.
 */
static void end_for_library(void)
{
    end_for(": out of memory in a library, which gave up\n");
}

static void end_of_abort(int sig, siginfo_t *info, void *context)
{
    (void)context;
    if (errno == ENOMEM && info->si_code == SI_TKILL &&
        info->si_pid == getpid())
        end_for_library();
    else
        remove_and_die(sig);
}

/* A place that was never reached, or that there is no memory for. */
static bool is_in_stack(uintptr_t at)
{
    return at < stack_end && stack_end - at < stack_size;
}

static void end_of_memory(int sig, siginfo_t *info, void *context)
{
    (void)context;
    uintptr_t at = (uintptr_t)info->si_addr;
    if (info->si_code > 0 && is_in_stack(at))
        end_for(": the stack cannot grow (ulimit -s, ulimit -v)\n");
    else if (errno == ENOMEM && at < NOWHERE)
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

static void handle(int sig, const struct sigaction *action)
{
    struct sigaction old;
    if (sigaction(sig, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
        (void)sigaction(sig, action, NULL);
}

static void catch_with(int sig, void (*handler)(int, siginfo_t *, void *),
                       int flags)
{
    struct sigaction act = {.sa_sigaction = handler,
                            .sa_flags = SA_SIGINFO | flags};
    all_deadly(&act.sa_mask);
    handle(sig, &act);
}

/* What says that the stack is full needs one of its own. */
static void prepare_stack(void)
{
    static char alternate[ALTERNATE];
    const stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
    const uintptr_t most = (uintptr_t)1 << 30, step = 1 << 20;
    struct rlimit limit;
    stack_size = getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur > most
                     ? most
                     : (uintptr_t)limit.rlim_cur;
    stack_size += step; /* what is needed at once may go beyond */
    stack_end = (uintptr_t)__builtin_frame_address(0);
    (void)sigaltstack(&stack, NULL);
}

void signals_catch(const char *tool)
{
    struct sigaction act = {.sa_handler = remove_and_die};
    tool_name = tool;
    prepare_stack();
    /* Where it is ignored, nobody learns how a program ended that was run. */
    (void)signal(SIGCHLD, SIG_DFL);
    all_deadly(&act.sa_mask);
    catch_with(SIGABRT, end_of_abort, 0);
    for (size_t i = 0; i < N_DEADLY; i++)
        handle(deadly[i], &act);
    catch_with(SIGBUS, remove_and_end, 0);
    catch_with(SIGSEGV, end_of_memory, SA_ONSTACK);
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
