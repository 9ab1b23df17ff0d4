/* signals.h: a program that is killed takes its temporary file along */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/signals.h"
#include "io/output.h"
#include "scratch_dir.h"
#include "unit.h"

static bool is_first; /* process of its name space */

/* The first process is not ended by the default action of a signal. */
int raise(int sig)
{
    return is_first ? 0 : pthread_kill(pthread_self(), sig);
}

static int set_up(void **state)
{
    const struct rlimit none = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &none);
    return scratch_dir_enter(state);
}

/* The child: a file half written, and a signal. */
static void write_and_raise(int sig)
{
    struct output_opts opts = {.path = "out", .on_temp = signals_temp};
    struct output *out;
    struct prof_err err;
    static char data[200000];
    signals_catch("test");
    if (!output_open(&out, &opts, &err) ||
        !sink_write(output_sink(out), data, sizeof data, &err))
        _exit(1);
    (void)kill(getpid(), sig);
    _exit(output_commit(out, &err) ? 0 : 2);
}

static int child(int sig, void (*action)(int))
{
    int status;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)signal(sig, action);
        write_and_raise(sig);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static const int deadly[] = {SIGHUP,  SIGINT,    SIGQUIT, SIGUSR1, SIGUSR2,
                             SIGPIPE, SIGALRM,   SIGTERM, SIGXCPU, SIGXFSZ,
                             SIGPROF, SIGVTALRM, SIGABRT, SIGBUS,  SIGSEGV,
                             SIGILL,  SIGFPE};
enum { N_DEADLY = sizeof deadly / sizeof *deadly };

/* It dies of the signal; scratch_dir_drop() finds the directory empty. */
static void test_default(void **state)
{
    for (size_t i = 0; i < N_DEADLY; i++) {
        int status = child(deadly[i], SIG_DFL);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), deadly[i]);
        scratch_dir_assert_empty();
    }
}

/* As in a container: it ends all the same, and takes the file along. */
static void test_first_process(void **state)
{
    is_first = true;
    for (size_t i = 0; i < N_DEADLY; i++) {
        int status = child(deadly[i], SIG_DFL);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 128 + deadly[i]);
        scratch_dir_assert_empty();
    }
    is_first = false;
}

/* As under nohup(1): what was ignored stays ignored. */
static void test_ignored(void **state)
{
    for (size_t i = 0; i < N_DEADLY; i++) {
        int status = child(deadly[i], SIG_IGN);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
        assert_int_equal(unlink("out"), 0);
    }
}

/* Sanitizers may be the ones that wait for `sig`. */
static void start_writing(int sig)
{
    static const struct output_opts opts = {.path = "out",
                                            .on_temp = signals_temp};
    static struct output *out;
    struct prof_err err;
    (void)signal(sig, SIG_DFL);
    signals_catch("test");
    if (!output_open(&out, &opts, &err))
        _exit(1);
}

/* The child: an output half written, and a mapped file that shrinks. */
static void write_and_cut(void)
{
    start_writing(SIGBUS);
    FILE *file = tmpfile();
    if (!file || ftruncate(fileno(file), 4096) != 0)
        _exit(1);
    const volatile char *map =
        mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);
    _exit(map != MAP_FAILED && ftruncate(fileno(file), 0) == 0 ? map[0] : 2);
}

/* The child ends with status 4, says so, and takes its file along. */
static void ends_and_says(void (*work)(void), const char *wanted)
{
    char said[200];
    size_t n = strlen(wanted);
    int status, err[2];
    assert_int_equal(pipe(err), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)dup2(err[1], STDERR_FILENO);
        work();
    }
    (void)close(err[1]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 4);
    assert_int_equal(read(err[0], said, sizeof said), n);
    assert_memory_equal(said, wanted, n);
    (void)close(err[0]);
    scratch_dir_assert_empty();
}

static void test_a_mapped_file_is_cut(void **state)
{
    ends_and_says(write_and_cut,
                  "test: a file was truncated while it was read\n");
}

/* Step by step, as sanitizers write to the far end of what is large. */
static int __attribute__((noinline)) fill_stack(int n)
{
    volatile char room[1 << 16];
    for (size_t i = 0; i < sizeof room; i += 4096)
        room[i] = (char)n;
    int rest = n ? fill_stack(n - 1) : 1;
    return room[(size_t)rest % sizeof room];
}

static void write_and_fill_stack(void)
{
    struct rlimit limit;
    start_writing(SIGSEGV);
    if (getrlimit(RLIMIT_STACK, &limit) != 0)
        _exit(1);
    limit.rlim_cur = 128 << 10;
    _exit(setrlimit(RLIMIT_STACK, &limit) == 0 ? fill_stack(256) : 1);
}

/* A crash is one, but leaves nothing either. */
static void test_the_stack_cannot_grow(void **state)
{
    int status;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        write_and_fill_stack();
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGSEGV);
    scratch_dir_assert_empty();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_default),
        cmocka_unit_test(test_first_process),
        cmocka_unit_test(test_ignored),
        cmocka_unit_test(test_a_mapped_file_is_cut),
        cmocka_unit_test(test_the_stack_cannot_grow),
    };
    return cmocka_run_group_tests(tests, set_up, scratch_dir_drop);
}
