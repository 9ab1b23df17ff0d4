/*
 * measure.c - what a program took
 *
 *      measure SECONDS MIB COMMAND [ARGUMENT ...]
 *
 * Runs the command and prints a line: its exit status (or 128 and the signal),
 * its processor time in milliseconds, its greatest resident size in KiB and
 * the KiB that it wrote to its standard output, which are thrown away.  It may
 * use so much processor time and so much address space.
 */
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

/* Reads to the end; how much there was. */
static unsigned long long drain(int fd)
{
    static char block[1 << 16];
    unsigned long long sum = 0;
    ssize_t n;

    while ((n = read(fd, block, sizeof(block))) > 0)
        sum += (unsigned long long)n;
    return sum;
}

int main(int argc, char **argv)
{
    struct rusage used;
    int status, ends[2];
    unsigned long long bytes;

    if (argc < 4 || pipe(ends) != 0) {
        fputs("usage: measure SECONDS MIB COMMAND [ARGUMENT ...]\n", stderr);
        return 2;
    }

    pid_t pid = fork();

    if (pid == 0) {
        limit(RLIMIT_CPU, argv[1], 1);
        limit(RLIMIT_AS, argv[2], (rlim_t)1 << 20);
        if (dup2(ends[1], 1) < 0)
            _exit(127);
        (void)close(ends[0]);
        (void)close(ends[1]);
        execvp(argv[3], argv + 3);
        _exit(127);
    }
    (void)close(ends[1]);
    bytes = drain(ends[0]);
    if (pid < 0 || wait4(pid, &status, 0, &used) < 0)
        return 4;
    printf("%d %ld %ld %llu\n",
           WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
           ms(used.ru_utime) + ms(used.ru_stime), used.ru_maxrss, bytes / 1024);
    return 0;
}
