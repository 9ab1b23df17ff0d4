/* spool.h: contents put aside, once each, and nothing left of them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/signals.h"
#include "io/spool.h"
#include "scratch_dir.h"

static int set_up(void **state)
{
    return scratch_dir_enter(state) == 0 ? setenv("TMPDIR", scratch_dir, 1)
                                         : -1;
}

static void assert_holds(const char *path, const char *text)
{
    char got[64] = "";
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(got, 1, sizeof got - 1, f);
    (void)fclose(f);
    assert_int_equal(n, strlen(text));
    assert_memory_equal(got, text, n);
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void once_each(void **state)
{
    (void)state;
    static const char *const text[] = {"one", "two", "one", "", "two", ""};
    static const uint32_t number[] = {0, 1, 0, 2, 1, 2};
    struct spool s = {0};
    struct err err;
    struct stat st;
    for (size_t i = 0; i < 6; i++) {
        uint32_t got;
        assert_true(spool_add(&s, text[i], strlen(text[i]), &got, &err));
        assert_int_equal(got, number[i]);
        assert_holds(spool_path(&s, got), text[i]);
    }
    assert_int_equal(s.n_files, 3);
    assert_int_equal(stat(s.dir, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_int_equal(stat(spool_path(&s, 0), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    spool_free(&s);
    scratch_dir_assert_empty();
}

/* Longer than what is compared at a time, different at the very end. */
static void long_ones(void **state)
{
    (void)state;
    enum { N = 200000 };
    static char data[N + 1];
    struct spool s = {0};
    struct err err;
    uint32_t a, b, c, d;
    assert_true(spool_add(&s, data, N, &a, &err));
    data[N - 1] = 1;
    assert_true(spool_add(&s, data, N, &b, &err));
    assert_true(spool_add(&s, data, N + 1, &c, &err));
    data[N - 1] = 0;
    assert_true(spool_add(&s, data, N, &d, &err));
    assert_int_equal(a, d);
    assert_true(a != b && b != c && a != c);
    spool_free(&s);
}

/* Files that are there anyway are read, not copied, and stay. */
static void files(void **state)
{
    (void)state;
    struct spool s = {0};
    struct err err;
    uint32_t number;
    write_file("a", "one");
    write_file("b", "one");
    write_file("c", "two");
    assert_true(spool_take(&s, "a", &number, &err));
    assert_int_equal(number, 0);
    assert_string_equal(spool_path(&s, 0), "a");
    assert_null(s.dir);
    assert_true(spool_take(&s, "b", &number, &err));
    assert_int_equal(number, 0);
    assert_true(spool_add(&s, "one", 3, &number, &err));
    assert_int_equal(number, 0);
    assert_true(spool_add(&s, "two", 3, &number, &err));
    assert_int_equal(number, 1);
    assert_true(spool_take(&s, "./c", &number, &err));
    assert_int_equal(number, 1);
    assert_true(spool_take(&s, "a", &number, &err));
    assert_int_equal(number, 0);
    assert_int_equal(s.n_files, 1);
    assert_false(spool_take(&s, "none", &number, &err));
    assert_int_equal(err.kind, ERR_SYSTEM);
    spool_free(&s);
    assert_int_equal(unlink("a") | unlink("b") | unlink("c"), 0);
    scratch_dir_assert_empty();
}

static void no_place(void **state)
{
    (void)state;
    struct spool s = {0};
    struct err err;
    uint32_t number;
    assert_int_equal(setenv("TMPDIR", "/nowhere", 1), 0);
    assert_false(spool_add(&s, "x", 1, &number, &err));
    assert_int_equal(err.kind, ERR_SYSTEM);
    assert_string_equal(err.text, "cannot make a temporary directory in "
                                  "/nowhere: No such file or directory");
    spool_free(&s);
    assert_int_equal(setenv("TMPDIR", scratch_dir, 1), 0);
}

/* A killed program leaves nothing: twelve files, so two digits too. */
static void killed(void **state)
{
    (void)state;
    int status;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct spool s = {.on_files = signals_spool};
        struct err err;
        uint32_t number;
        signals_catch("test");
        for (int i = 0; i < 12; i++)
            if (!spool_add(&s, &i, sizeof i, &number, &err))
                _exit(1);
        (void)raise(SIGTERM);
        _exit(2);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGTERM);
    scratch_dir_assert_empty();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(once_each), cmocka_unit_test(long_ones),
        cmocka_unit_test(files),     cmocka_unit_test(no_place),
        cmocka_unit_test(killed),
    };
    return cmocka_run_group_tests(tests, set_up, scratch_dir_drop);
}
