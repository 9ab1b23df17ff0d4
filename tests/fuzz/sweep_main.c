/*
 * The cases run in a child, which counts them in memory that is shared: when
 * one ends it, its number is there, and the next child goes on behind it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz.h"
#include "sweep.h"

enum {
    CASE_SECONDS = 10,
    FAILED_MAX = 20, /* of one input; then it is given up */
};

/* Sanitizers map more than any limit. */
#if defined __SANITIZE_ADDRESS__
#define SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

struct job {
    struct sweep sweep;
    const char *name; /* of the input */
    const char *into; /* a directory for cases that are not tried, or null */
    size_t every, first;
    unsigned long gib; /* how much memory it may ask for */
};

struct progress {
    size_t at, tried;
};

static _Noreturn void die(const char *what)
{
    (void)fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(4);
}

static void write_case(const char *dir, const char *name, size_t k,
                       const struct buf *bytes)
{
    const char *base = strrchr(name, '/');
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s.%zu", dir, base ? base + 1 : name,
                   k);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes->v, 1, bytes->n, f) != bytes->n || fclose(f) != 0)
        die(path);
}

/* Of its own size, so that a sanitizer sees its end. */
static void try_case(const struct buf *bytes)
{
    struct itimerval limit = {.it_value = {.tv_sec = CASE_SECONDS}};
    uint8_t *data = malloc(bytes->n ? bytes->n : 1);
    if (!data || setitimer(ITIMER_PROF, &limit, NULL) != 0)
        die("sweep");
    if (bytes->n)
        memcpy(data, bytes->v, bytes->n);
    (void)LLVMFuzzerTestOneInput(data, bytes->n);
    free(data);
}

static void run_from(const struct job *job, struct progress *p)
{
    rlim_t most = (rlim_t)job->gib << 30;
    struct rlimit limit = {most, most};
    struct buf bytes = {0};
    if (!SANITIZED && setrlimit(RLIMIT_AS, &limit) != 0)
        die("sweep");
    for (; p->at < job->sweep.n_cases; p->at += job->every) {
        if (!sweep_make(&job->sweep, p->at, &bytes))
            continue;
        p->tried++;
        if (job->into)
            write_case(job->into, job->name, p->at, &bytes);
        else
            try_case(&bytes);
    }
    buf_free(&bytes);
}

/* False where it ended before the last case. */
static bool run_child(const struct job *job, struct progress *p)
{
    int status;
    (void)fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        run_from(job, p);
        exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        die("sweep");
    if (status == 0)
        return true;
    printf("# %s: case %zu: %s %d\n", job->name, p->at,
           WIFSIGNALED(status) ? "signal" : "status",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return false;
}

/* True if all cases of the input ended as they should; adds to *total. */
static bool run_all(const struct job *job, size_t *total)
{
    struct progress *p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    size_t failed = 0;
    if (p == MAP_FAILED)
        die("sweep");
    p->at = job->first;
    while (failed < FAILED_MAX && !run_child(job, p)) {
        failed++;
        p->at += job->every;
    }
    printf("%s - %s: %zu cases", failed ? "not ok" : "ok", job->name, p->tried);
    if (failed)
        printf(", %s%zu failed", failed == FAILED_MAX ? "at least " : "",
               failed);
    putchar('\n');
    *total += p->tried;
    (void)munmap(p, sizeof *p);
    return failed == 0;
}

static bool parse_form(const char *s, enum sweep_form *form, size_t *n)
{
    static const char *const names[] = {"fixed", "text", "wire"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        *n = strlen(names[i]);
        *form = (enum sweep_form)i;
        if (strncmp(s, names[i], *n) == 0)
            return true;
    }
    return false;
}

/* FORM[:EVERY[:FIRST]]. */
static bool parse_job(const char *s, struct job *job, enum sweep_form *form)
{
    size_t n;
    char *end;
    job->every = 1;
    if (!parse_form(s, form, &n))
        return false;
    if (s[n] == ':') {
        job->every = strtoul(s + n + 1, &end, 10);
        n = (size_t)(end - s);
    }
    if (s[n] == ':') {
        job->first = strtoul(s + n + 1, &end, 10);
        n = (size_t)(end - s);
    }
    return job->every && !s[n];
}

static const char *value_of(const char *arg, const char *option)
{
    size_t n = strlen(option);
    return strncmp(arg, option, n) == 0 ? arg + n : NULL;
}

int sweep_main(int argc, char **argv)
{
    struct job job = {.gib = 1};
    enum sweep_form form;
    const char *how = value_of(argv[1], "--sweep=");
    const char *gib = NULL;
    int arg = 2;
    size_t total = 0;
    bool ok = true;
    if (arg < argc && (job.into = value_of(argv[arg], "--into=")))
        arg++;
    if (arg < argc && (gib = value_of(argv[arg], "--memory="))) {
        job.gib = strtoul(gib, NULL, 10);
        arg++;
    }
    if (!how || !parse_job(how, &job, &form) || arg == argc) {
        (void)fputs(
            "usage: --sweep=FORM[:EVERY[:FIRST]] [--into=DIR] [--memory=GIB] "
            "FILE...\n",
            stderr);
        return 2;
    }
    printf("1..%d\n", argc - arg);
    for (; arg < argc; arg++) {
        struct buf bytes = {0};
        if (!fuzz_read(argv[arg], &bytes))
            die(argv[arg]);
        job.name = argv[arg];
        sweep_init(&job.sweep, form, bytes.v, bytes.n);
        ok = run_all(&job, &total) && ok;
        sweep_free(&job.sweep);
        buf_free(&bytes);
    }
    printf("# %zu cases\n", total);
    return ok ? 0 : 1;
}
