/*
 * measure.c - what a program took
 *
 *      measure SECONDS MIB COMMAND [ARGUMENT ...]
 *
 * Runs the command with its output thrown away and prints a line: its exit
 * status (or 128 and the signal), its processor time in milliseconds and its
 * greatest resident size in KiB.  It may use so much processor time and so
 * much address space.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void limit(int what, const char *text, rlim_t unit)
{
    rlim_t n = strtoull(text, NULL, 10) * unit;
    struct rlimit l = {n, n};

    if (setrlimit(what, &l) != 0)
        _exit(127);
}

static long ms(struct timeval t)
{
    return t.tv_sec * 1000 + t.tv_usec / 1000;
}

int main(int argc, char **argv)
{
    struct rusage used;
    int status, nowhere = open("/dev/null", O_RDWR);

    if (argc < 4 || nowhere < 0) {
        fputs("usage: measure SECONDS MIB COMMAND [ARGUMENT ...]\n", stderr);
        return 2;
    }

    pid_t pid = fork();

    if (pid == 0) {
        limit(RLIMIT_CPU, argv[1], 1);
        limit(RLIMIT_AS, argv[2], (rlim_t)1 << 20);
        if (dup2(nowhere, 1) < 0)
            _exit(127);
        execvp(argv[3], argv + 3);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &used) < 0)
        return 4;
    printf("%d %ld %ld\n",
           WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
           ms(used.ru_utime) + ms(used.ru_stime), used.ru_maxrss);
    return 0;
}
