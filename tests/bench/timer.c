/*
 * timer.c - time and memory of pipelines, side by side
 *
 *      timer RUNS NAME COMMAND [NAME COMMAND] ...
 *
 * Runs every command once to warm up, unless RUNS is 1, and then RUNS times, in
 * turns, so that whatever else the machine does falls on all alike.  A command
 * is words at blanks, without quoting; a word "|" joins two programs by a pipe.
 * No shell is between.  Standard input is empty, the last output is lost.
 *
 * Prints a line for each command, fields separated by tabs:
 *
 *      NAME  WALL  FASTEST  SLOWEST  PEAK  SUM  CPU
 *
 * WALL is the median of the wall times in milliseconds, CPU that of the
 * user's and the system's time of all programs.  PEAK and SUM are
 * medians in KiB of the programs' greatest resident sizes (ru_maxrss, which
 * takes in the children each waited for): that of the largest program of the
 * pipeline, and of all added up.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_STAGES = 16 };

struct measure {
    double wall, cpu; /* milliseconds */
    double peak, sum; /* KiB */
};

struct command {
    const char *name;
    char **words; /* each stage's words, ended by a null */
    char **stage[MAX_STAGES];
    size_t n_stages;
    struct measure *runs;
};

static void die(const char *what)
{
    fprintf(stderr, "timer: %s: %s\n", what, strerror(errno));
    exit(4);
}

static void *allocate(size_t n, size_t size)
{
    void *p = calloc(n, size);

    if (!p)
        die("memory");
    return p;
}

static void parse(struct command *c, const char *name, char *text)
{
    size_t n = 0;

    c->name = name;
    c->words = allocate(strlen(text) + 2, sizeof(*c->words));
    c->stage[c->n_stages++] = c->words;
    for (char *w = strtok(text, " \t\n"); w; w = strtok(NULL, " \t\n")) {
        if (strcmp(w, "|") != 0) {
            c->words[n++] = w;
            continue;
        }
        c->words[n++] = NULL;
        if (c->n_stages == MAX_STAGES) {
            errno = E2BIG;
            die(name);
        }
        c->stage[c->n_stages++] = c->words + n;
    }
}

static pid_t start(char **words, int in, int out, int unused)
{
    if (!words[0]) {
        errno = EINVAL;
        die("a program without a name");
    }

    pid_t pid = fork();

    if (pid < 0)
        die("fork");
    if (pid > 0)
        return pid;
    if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
        die("dup2");
    close(in);
    close(out);
    if (unused >= 0)
        close(unused);
    execvp(words[0], words);
    die(words[0]);
    return -1;
}

static double ms(struct timeval t)
{
    return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Waits for the n programs; a failing one ends it all. */
static struct measure reap(const struct command *c, size_t n)
{
    struct measure m = {0};
    struct rusage usage;
    int status;

    while (n-- > 0) {
        if (wait4(-1, &status, 0, &usage) < 0)
            die("wait4");
        if (status != 0) {
            fprintf(stderr, "timer: %s: a program failed\n", c->name);
            exit(1);
        }
        m.cpu += ms(usage.ru_utime) + ms(usage.ru_stime);
        double size = (double)usage.ru_maxrss;
        m.sum += size;
        if (m.peak < size)
            m.peak = size;
    }
    return m;
}

static struct measure run(const struct command *c)
{
    int in = open("/dev/null", O_RDONLY);
    double begin = now();

    for (size_t i = 0; i < c->n_stages; i++) {
        int ends[2] = {-1, -1};

        if (i + 1 == c->n_stages)
            ends[1] = open("/dev/null", O_WRONLY);
        else if (pipe(ends) < 0)
            die("pipe");
        if (in < 0 || ends[1] < 0)
            die("/dev/null");
        start(c->stage[i], in, ends[1], ends[0]);
        close(in);
        close(ends[1]);
        in = ends[0];
    }

    struct measure m = reap(c, c->n_stages);

    m.wall = now() - begin;
    return m;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(const double *sorted, size_t n)
{
    return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

static void report(const struct command *c, size_t n)
{
    double *wall = allocate(n, sizeof(*wall));
    double *cpu = allocate(n, sizeof(*cpu));
    double *peak = allocate(n, sizeof(*peak));
    double *sum = allocate(n, sizeof(*sum));

    for (size_t i = 0; i < n; i++) {
        wall[i] = c->runs[i].wall;
        cpu[i] = c->runs[i].cpu;
        peak[i] = c->runs[i].peak;
        sum[i] = c->runs[i].sum;
    }
    qsort(wall, n, sizeof(*wall), by_value);
    qsort(cpu, n, sizeof(*cpu), by_value);
    qsort(peak, n, sizeof(*peak), by_value);
    qsort(sum, n, sizeof(*sum), by_value);
    printf("%s\t%.2f\t%.2f\t%.2f\t%.0f\t%.0f\t%.2f\n", c->name, median(wall, n),
           wall[0], wall[n - 1], median(peak, n), median(sum, n),
           median(cpu, n));
    free(wall);
    free(cpu);
    free(peak);
    free(sum);
}

int main(int argc, char **argv)
{
    long n_runs = argc > 1 ? strtol(argv[1], NULL, 10) : 0;

    if (argc < 4 || argc % 2 != 0 || n_runs < 1 || n_runs > 10000) {
        fputs("usage: timer RUNS NAME COMMAND [NAME COMMAND] ...\n", stderr);
        return 2;
    }

    size_t n = (size_t)(argc - 2) / 2, runs = (size_t)n_runs;
    struct command *commands = allocate(n, sizeof(*commands));

    for (size_t i = 0; i < n; i++) {
        parse(&commands[i], argv[2 + 2 * i], argv[3 + 2 * i]);
        commands[i].runs = allocate(runs, sizeof(struct measure));
        if (runs > 1)
            run(&commands[i]);
    }
    for (size_t r = 0; r < runs; r++)
        for (size_t i = 0; i < n; i++)
            commands[i].runs[r] = run(&commands[i]);
    for (size_t i = 0; i < n; i++) {
        report(&commands[i], runs);
        free(commands[i].runs);
        free(commands[i].words);
    }
    free(commands);
    return 0;
}
