/* signals.h: a program that is killed takes its temporary file along */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/signals.h"
#include "io/output.h"

static char dir[] = "/tmp/test_signals.XXXXXX";

static int set_up(void **state)
{
    (void)state;
    const struct rlimit none = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &none);
    return mkdtemp(dir) && chdir(dir) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return chdir("/") == 0 && rmdir(dir) == 0 ? 0 : -1;
}

/* The child: a file half written, and a signal. */
static void write_and_raise(int sig)
{
    struct output_opts opts = {.path = "out", .on_temp = signals_temp};
    struct output *out;
    struct err err;
    static char data[200000];
    signals_catch();
    if (!output_open(&out, &opts, &err) ||
        !sink_write(output_sink(out), data, sizeof data, &err))
        _exit(1);
    (void)raise(sig);
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

static const int deadly[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE,
                             SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ};
enum { N_DEADLY = sizeof deadly / sizeof *deadly };

/* It dies of the signal; tear_down() finds the directory empty. */
static void test_default(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_DEADLY; i++) {
        int status = child(deadly[i], SIG_DFL);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), deadly[i]);
        assert_int_equal(rmdir(dir), 0);
        assert_int_equal(mkdir(dir, 0700) | chdir(dir), 0);
    }
}

/* As under nohup(1): what was ignored stays ignored. */
static void test_ignored(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_DEADLY; i++) {
        int status = child(deadly[i], SIG_IGN);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
        assert_int_equal(unlink("out"), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_default),
        cmocka_unit_test(test_ignored),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
