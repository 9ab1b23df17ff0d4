/* process.h: programs that are fed, listened to and waited for */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/process.h"
#include "said.h"
#include "scratch_dir.h"
#include "unit.h"

enum { MAX = 1 << 24 };

static bool run_shell(const char *script, const void *in, size_t n_in,
                      struct buf *out, struct prof_err *err)
{
    const char *argv[] = {"sh", "-c", script, NULL};
    struct run job = {.argv = argv, .in = in, .n_in = n_in, .max_out = MAX};
    return run(&job, out, err);
}

static void test_network_is_not_asked(void **state)
{
    struct buf out = {0};
    struct prof_err err;
    assert_int_equal(setenv("DEBUGINFOD_URLS", "http://127.0.0.1/", 1), 0);
    assert_int_equal(setenv("DEBUGINFOD_URLS_", "kept", 1), 0);
    assert_true(run_shell("echo ${DEBUGINFOD_URLS-none} $DEBUGINFOD_URLS_",
                          NULL, 0, &out, &err));
    assert_true(buf_putc(&out, 0));
    assert_string_equal((char *)out.v, "none kept\n");
    assert_string_equal(getenv("DEBUGINFOD_URLS"), "http://127.0.0.1/");
    buf_free(&out);
}

static size_t n_open(void)
{
    size_t n = 0;
    DIR *dir = opendir("/proc/self/fd");
    assert_non_null(dir);
    while (readdir(dir))
        n++;
    (void)closedir(dir);
    return n;
}

static size_t n_before;

static int look(void **state)
{
    n_before = n_open();
    return 0;
}

/* After every test: no descriptor is left, and no child. */
static int look_again(void **state)
{
    bool clean = n_open() == n_before && waitpid(-1, NULL, WNOHANG) == -1 &&
                 errno == ECHILD;
    return clean ? 0 : -1;
}

static void test_feeds_more_than_a_pipe_holds(void **state)
{
    size_t n = 3000000;
    char *in = malloc(n);
    assert_non_null(in);
    for (size_t i = 0; i < n; i++)
        in[i] = (char)(i * 7 + i / 256);
    struct buf out = {0};
    struct prof_err err;
    assert_true(buf_puts(&out, "before"));
    assert_true(run_shell("cat", in, n, &out, &err));
    assert_int_equal(out.n, n + 6);
    assert_memory_equal(out.v + 6, in, n);
    buf_free(&out);
    free(in);
}

static void test_no_input_is_an_empty_one(void **state)
{
    struct buf out = {0};
    struct prof_err err;
    assert_true(run_shell("wc -c | tr -d ' '", NULL, 0, &out, &err));
    assert_int_equal(out.n, 2);
    assert_memory_equal(out.v, "0\n", 2);
    buf_free(&out);
}

static void test_arguments_are_not_for_a_shell(void **state)
{
    const char *argv[] = {"printf", "%s|", "$(id)", "a b", "'", "", NULL};
    struct run job = {.argv = argv, .max_out = MAX};
    struct buf out = {0};
    struct prof_err err;
    assert_true(run(&job, &out, &err));
    assert_int_equal(out.n, 13);
    assert_memory_equal(out.v, "$(id)|a b|'||", 13);
    buf_free(&out);
}

/* No SIGPIPE, neither then nor when the signal is let through again. */
static void test_a_program_need_not_read(void **state)
{
    size_t n = 1 << 20;
    char *in = calloc(n, 1);
    assert_non_null(in);
    struct buf out = {0};
    struct prof_err err;
    assert_true(run_shell("exec <&-; echo done", in, n, &out, &err));
    assert_int_equal(out.n, 5);
    sigset_t now;
    assert_int_equal(sigpending(&now), 0);
    assert_int_equal(sigismember(&now, SIGPIPE), 0);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &now), 0);
    assert_int_equal(sigismember(&now, SIGPIPE), 0);
    buf_free(&out);
    free(in);
}

/* The program itself dies of a broken pipe like any other. */
static void test_signals_are_those_of_the_caller(void **state)
{
    struct prof_err err;
    assert_false(run_shell("kill -PIPE $$; echo alive", NULL, 0, NULL, &err));
    assert_int_equal(err.kind, PROF_ERR_SYSTEM);
    assert_said(err.text,
                "sh was killed by signal 13 (Broken pipe): it gives no reason");
}

static void test_missing_programs(void **state)
{
    const char *argv[] = {"no-such-program-here", NULL};
    struct run job = {.argv = argv, .max_out = MAX};
    struct prof_err err;
    assert_int_equal(setenv("PATH", "/usr/bin:/bin", 1), 0);
    assert_false(run(&job, NULL, &err));
    assert_int_equal(err.kind, PROF_ERR_SYSTEM);
    assert_said(err.text, "no-such-program-here: command not found in PATH");
    argv[0] = "/nowhere/dot";
    assert_false(run(&job, NULL, &err));
    assert_said(err.text, "/nowhere/dot: command not found");
    argv[0] = "/";
    assert_false(run(&job, NULL, &err));
    assert_said(err.text, "cannot run /: Permission denied");
    /* As where a directory of PATH is for others only. */
    assert_int_equal(setenv("PATH", "/nowhere:/etc", 1), 0);
    argv[0] = "passwd";
    assert_false(run(&job, NULL, &err));
    assert_said(err.text, "cannot run passwd: not installed, or not executable "
                          "for this user (Permission denied)");
    assert_int_equal(setenv("PATH", "/usr/bin:/bin", 1), 0);
}

static void test_failures_say_what_it_said(void **state)
{
    struct buf out = {0};
    struct prof_err err;
    assert_true(buf_puts(&out, "kept"));
    assert_false(run_shell("echo gone; echo 'bad\ntimes' >&2; exit 7", NULL, 0,
                           &out, &err));
    assert_int_equal(err.kind, PROF_ERR_SYSTEM);
    assert_said(err.text, "sh failed with exit status 7: bad times");
    assert_int_equal(out.n, 4);
    assert_false(run_shell("exit 1", NULL, 0, &out, &err));
    assert_said(err.text, "sh failed with exit status 1: it gives no reason");
    buf_free(&out);
}

/* The rest of what it says is read, too: it does not wait for us for ever. */
static void test_much_is_said(void **state)
{
    struct prof_err err;
    assert_false(run_shell("yes whatever | head -c 1000000 >&2; exit 3", NULL,
                           0, NULL, &err));
    /* 1000000 bytes are 111111 lines of 9 and "w"; 8192 were looked at. */
    assert_said(err.text, "sh failed with exit status 3: whatever wh "
                          "(and 110201 more lines)");
}

static void test_output_has_a_limit(void **state)
{
    const char *argv[] = {"sh", "-c", "printf 12345678", NULL};
    struct run job = {.argv = argv, .max_out = 8};
    struct buf out = {0};
    struct prof_err err;
    assert_true(run(&job, &out, &err));
    assert_int_equal(out.n, 8);
    job.max_out = 7;
    assert_false(run(&job, &out, &err));
    assert_said(err.text, "output of sh exceeds 7 bytes");
    assert_int_equal(out.n, 8);
    argv[2] = "exec cat /dev/zero";
    job.max_out = 1 << 20;
    assert_false(run(&job, &out, &err));
    assert_said(err.text, "output of sh exceeds 1048576 bytes");
    buf_free(&out);
}

static void take_note(void *ctx, enum prof_note_level level, const char *text)
{
    assert_int_equal(level, PROF_NOTE_WARN);
    assert_true(buf_puts(ctx, text) && buf_putc(ctx, ';'));
}

static void test_warnings_are_passed_on(void **state)
{
    struct buf said = {0};
    const struct prof_notes notes = {.say = take_note, .ctx = &said};
    const char *argv[] = {"sh", "-c", "echo one >&2; echo >&2; printf two >&2",
                          NULL};
    struct run job = {.argv = argv, .notes = &notes};
    struct prof_err err;
    assert_true(run(&job, NULL, &err));
    assert_int_equal(said.n, strlen("sh: one;sh: two;"));
    assert_memory_equal(said.v, "sh: one;sh: two;", said.n);
    buf_free(&said);
}

/* Each line once for all runs that share the remarks, and few in all. */
static void test_warnings_are_few(void **state)
{
    struct buf said = {0};
    const struct prof_notes notes = {.say = take_note, .ctx = &said};
    struct run_remarks remarks = {.more = 0};
    const char *argv[] = {
        "sh", "-c", "for i in a b a c d e f b g; do echo $i >&2; done", NULL};
    struct run job = {.argv = argv, .notes = &notes, .remarks = &remarks};
    static const char expected[] =
        "sh: a;sh: b;sh: c;sh: d;sh: e;sh: 4 more lines not shown;";
    struct prof_err err;
    assert_true(run(&job, NULL, &err));
    assert_true(run(&job, NULL, &err));
    run_remarks_end(&remarks);
    assert_int_equal(said.n, strlen(expected));
    assert_memory_equal(said.v, expected, said.n);
    buf_free(&said);
}

/* With or without its standard files open, and although it complains. */
static void test_silence_has_a_limit(void **state)
{
    static const char *const scripts[] = {
        "exec sleep 1000", "echo hello; exec sleep 1000",
        "exec sleep 1000 >&- 2>&-", "exec yes >&2"};
    const char *argv[] = {"sh", "-c", NULL, NULL};
    struct run job = {.argv = argv, .max_out = MAX, .silence = 1};
    struct buf out = {0};
    struct prof_err err;
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        argv[2] = scripts[i];
        assert_false(run(&job, &out, &err));
        assert_int_equal(err.kind, PROF_ERR_SYSTEM);
        assert_said(err.text,
                    "sh printed nothing for 1 s and was stopped; set another "
                    "limit with PROFUTILS_PROGRAM_TIMEOUT (0: no limit)");
        assert_int_equal(out.n, 0);
    }
    /* What goes on printing, or reading, may take longer than that. */
    job.silence = 5;
    argv[2] = "for i in 1 2 3 4; do echo $i; sleep 1.5; done";
    assert_true(run(&job, &out, &err));
    assert_int_equal(out.n, 8);
    buf_free(&out);
}

static void test_environment_sets_the_limit(void **state)
{
    const char *argv[] = {"sh", "-c", "exec sleep 1000", NULL};
    struct run job = {.argv = argv, .silence = 500};
    struct prof_err err;
    assert_int_equal(setenv(RUN_TIMEOUT, "1", 1), 0);
    assert_false(run(&job, NULL, &err));
    assert_says(err.text, "nothing for 1 s");
    assert_int_equal(setenv(RUN_TIMEOUT, "0", 1), 0);
    argv[2] = "sleep 1.5";
    job.silence = 1;
    assert_true(run(&job, NULL, &err));
    assert_int_equal(setenv(RUN_TIMEOUT, "1m", 1), 0);
    assert_false(run(&job, NULL, &err));
    assert_int_equal(err.kind, PROF_ERR_USAGE);
    assert_said(err.text, "invalid value '1m' for PROFUTILS_PROGRAM_TIMEOUT: "
                          "expected a number of seconds from 0 to 86400");
    assert_int_equal(unsetenv(RUN_TIMEOUT), 0);
}

/* Not even when its parent has no time to say goodbye. */
static void test_nothing_outlives_its_parent(void **state)
{
    char script[100], number[20];
    int status;
    assert_int_equal(scratch_dir_make(state), 0);
    (void)snprintf(script, sizeof script, "%s/fifo", scratch_dir);
    assert_int_equal(mkfifo(script, 0600), 0);
    (void)snprintf(script, sizeof script, "echo $$ >%s/fifo; exec sleep 1000",
                   scratch_dir);
    /* The orphan becomes ours. */
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    pid_t parent = fork();
    assert_true(parent >= 0);
    if (parent == 0) {
        struct prof_err err;
        _exit(run_shell(script, NULL, 0, NULL, &err));
    }
    *strrchr(script, ';') = 0;
    FILE *fifo = fopen(strchr(script, '>') + 1, "r");
    assert_non_null(fifo);
    assert_non_null(fgets(number, sizeof number, fifo));
    pid_t program = (pid_t)strtol(number, NULL, 10);
    assert_true(program > 0);
    (void)fclose(fifo);
    assert_int_equal(kill(parent, SIGKILL), 0);
    assert_int_equal(waitpid(parent, &status, 0), parent);
    assert_int_equal(waitpid(program, &status, 0), program);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
    assert_int_equal(unlink(strchr(script, '>') + 1), 0);
    assert_int_equal(scratch_dir_drop(state), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, look, look_again)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_network_is_not_asked),
        TEST(test_feeds_more_than_a_pipe_holds),
        TEST(test_no_input_is_an_empty_one),
        TEST(test_arguments_are_not_for_a_shell),
        TEST(test_a_program_need_not_read),
        TEST(test_signals_are_those_of_the_caller),
        TEST(test_missing_programs),
        TEST(test_failures_say_what_it_said),
        TEST(test_much_is_said),
        TEST(test_output_has_a_limit),
        TEST(test_warnings_are_passed_on),
        TEST(test_warnings_are_few),
        TEST(test_silence_has_a_limit),
        TEST(test_environment_sets_the_limit),
        TEST(test_nothing_outlives_its_parent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
