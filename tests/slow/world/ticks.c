/*
 * ticks.c - a library to preload: SIGALRM comes 2000 times a second, and the
 * calls that it interrupts fail with EINTR
 */
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

static void handle(int sig)
{
    (void)sig;
}

__attribute__((constructor)) static void start(void)
{
    const struct itimerval often = {{0, 500}, {0, 500}};
    const struct sigaction act = {.sa_handler = handle};
    (void)sigaction(SIGALRM, &act, NULL);
    (void)setitimer(ITIMER_REAL, &often, NULL);
}
