/* output.h: files are made whole, or nothing is left behind */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "io/output.h"
#include "said.h"
#include "scratch_dir.h"
#include "unit.h"

static char told[256]; /* the name on_temp was told last */
static unsigned tellings;
static struct prof_err err;

/* Every test runs in the scratch directory and leaves it empty. */
static int set_up(void **state)
{
    (void)umask(022);
    return scratch_dir_enter(state);
}

static void on_temp(void *ctx, int at, const char *temp)
{
    assert_int_equal(at, AT_FDCWD);
    assert_ptr_equal(ctx, told);
    (void)snprintf(told, sizeof told, "%s", temp ? temp : "");
    tellings++;
}

static struct output_opts to(const char *path)
{
    return (struct output_opts){.path = path, .on_temp = on_temp, .ctx = told};
}

static bool write_to(const struct output_opts *opts, const char *text)
{
    struct output *out;
    if (!output_open(&out, opts, &err)) {
        assert_null(out);
        return false;
    }
    if (!sink_write(output_sink(out), text, strlen(text), &err)) {
        output_abort(out);
        return false;
    }
    return output_commit(out, &err);
}

static bool write_path(const char *path, const char *text)
{
    struct output_opts opts = to(path);
    return write_to(&opts, text);
}

static void assert_holds(const char *path, const char *text)
{
    char got[64] = "";
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    (void)!fread(got, 1, sizeof got - 1, f);
    assert_int_equal(fclose(f), 0);
    assert_string_equal(got, text);
}

static size_t files_here(void)
{
    size_t n = 0;
    DIR *d = opendir(".");
    assert_non_null(d);
    while (readdir(d))
        n++;
    assert_int_equal(closedir(d), 0);
    return n - 2;
}

static unsigned mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    return st.st_mode & 07777;
}

static void test_new_file(void **state)
{
    tellings = 0;
    assert_true(write_path("new", "hello\n"));
    assert_holds("new", "hello\n");
    assert_int_equal(mode_of("new"), 0644);
    assert_int_equal(files_here(), 1);
    assert_int_equal(tellings, 2);
    assert_string_equal(told, "");
    assert_int_equal(unlink("new"), 0);
}

static void test_old_file_stands_until_commit(void **state)
{
    struct output_opts opts = to("f");
    struct output *out;
    assert_true(write_path("f", "old"));
    assert_int_equal(chmod("f", 0640), 0);
    assert_true(output_open(&out, &opts, &err));
    assert_true(sink_write(output_sink(out), "new", 3, &err));
    assert_holds("f", "old");
    assert_int_equal(access(told, F_OK), 0);
    assert_int_equal(mode_of(told), 0640);
    assert_true(output_commit(out, &err));
    assert_holds("f", "new");
    assert_int_equal(mode_of("f"), 0640);
    assert_int_equal(files_here(), 1);
    assert_int_equal(unlink("f"), 0);
}

static void test_abort_leaves_nothing(void **state)
{
    struct output_opts opts = to("f");
    struct output *out;
    assert_true(write_path("f", "old"));
    assert_true(output_open(&out, &opts, &err));
    assert_true(sink_write(output_sink(out), "new", 3, &err));
    output_abort(out);
    assert_holds("f", "old");
    assert_int_equal(files_here(), 1);
    assert_string_equal(told, "");
    assert_int_equal(unlink("f"), 0);
}

/* More than is buffered, in pieces of every size. */
static void test_large_output(void **state)
{
    static uint8_t data[300000], back[sizeof data + 1];
    struct output_opts opts = to("large");
    struct output *out;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * i >> 7);
    assert_true(output_open(&out, &opts, &err));
    for (size_t at = 0, k = 1; at < sizeof data; at += k, k = k * 2 + 1) {
        k = k < sizeof data - at ? k : sizeof data - at;
        assert_true(sink_write(output_sink(out), data + at, k, &err));
    }
    assert_true(output_commit(out, &err));
    FILE *f = fopen("large", "rb");
    assert_non_null(f);
    assert_int_equal(fread(back, 1, sizeof back, f), sizeof data);
    assert_memory_equal(back, data, sizeof data);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(unlink("large"), 0);
}

static void test_if_changed(void **state)
{
    struct stat before, after;
    struct output_opts opts = to("f");
    opts.if_changed = true;
    assert_true(write_to(&opts, "same"));
    assert_int_equal(stat("f", &before), 0);
    assert_true(write_to(&opts, "same"));
    assert_int_equal(stat("f", &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(before.st_ctim.tv_nsec, after.st_ctim.tv_nsec);
    assert_int_equal(files_here(), 1);
    assert_true(write_to(&opts, "sane")); /* as long, but another */
    assert_holds("f", "sane");
    assert_true(write_to(&opts, "sane!"));
    assert_holds("f", "sane!");
    assert_true(write_to(&opts, ""));
    assert_holds("f", "");
    assert_int_equal(unlink("f"), 0);
}

/*
 * The mode of a file with an access control list has the list's mask, here
 * rw-, in place of the group's permissions, here none.
 */
static void test_acl_mask_is_no_group(void **state)
{
    static const uint8_t acl[] = {
        2,    0, 0, 0,                         /* version */
        1,    0, 6, 0, 0xff, 0xff, 0xff, 0xff, /* the owner */
        2,    0, 6, 0, 0x39, 0x30, 0,    0,    /* user 12345 */
        4,    0, 0, 0, 0xff, 0xff, 0xff, 0xff, /* the group */
        0x10, 0, 6, 0, 0xff, 0xff, 0xff, 0xff, /* the mask */
        0x20, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, /* others */
    };
    struct stat st;
    assert_true(write_path("out", "old"));
    if (setxattr("out", "system.posix_acl_access", acl, sizeof acl, 0) != 0) {
        print_message("this file system has no access control lists\n");
        assert_int_equal(unlink("out"), 0);
        skip();
    }
    assert_int_equal(stat("out", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0660);
    assert_true(write_path("out", "new"));
    assert_int_equal(stat("out", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(unlink("out"), 0);
}

static void test_links_are_followed(void **state)
{
    assert_int_equal(mkdir("d", 0755), 0);
    assert_int_equal(symlink("d/b", "a"), 0);
    assert_int_equal(symlink("c", "d/b"), 0);
    assert_true(write_path("a", "one")); /* d/c is not there yet */
    assert_holds("d/c", "one");
    assert_true(write_path("a", "two"));
    assert_holds("d/c", "two");
    char text[8] = "";
    assert_int_equal(readlink("a", text, sizeof text), 3);
    assert_int_equal(readlink("d/b", text, sizeof text), 1);
    assert_int_equal(files_here(), 2);
    assert_int_equal(unlink("a") | unlink("d/b") | unlink("d/c"), 0);
    assert_int_equal(rmdir("d"), 0);
}

static void test_link_to_itself(void **state)
{
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_false(write_path("loop", "x"));
    assert_int_equal(err.kind, PROF_ERR_SYSTEM);
    assert_says(err.text, "Too many levels of symbolic links");
    assert_int_equal(unlink("loop"), 0);
}

static void test_where_nothing_can_be(void **state)
{
    assert_false(write_path("/nowhere/f", "x"));
    assert_int_equal(err.kind, PROF_ERR_SYSTEM);
    assert_said(err.text, "cannot create a temporary file in the same "
                          "directory: No such file or directory");
    assert_false(write_path(".", "x"));
    assert_int_equal(err.kind, PROF_ERR_SYSTEM);
    assert_said(err.text, "cannot write: Is a directory");
    assert_int_equal(files_here(), 0);
}

static void test_fifo_is_written_to(void **state)
{
    char got[8] = "";
    assert_int_equal(mkfifo("fifo", 0600), 0);
    int fd = open("fifo", O_RDWR);
    assert_true(fd >= 0);
    assert_true(write_path("fifo", "hello"));
    assert_int_equal(read(fd, got, sizeof got), 5);
    assert_string_equal(got, "hello");
    assert_int_equal(close(fd), 0);
    assert_int_equal(mode_of("fifo"), 0600);
    assert_int_equal(files_here(), 1);
    assert_int_equal(unlink("fifo"), 0);
}

static void test_full_device(void **state)
{
    assert_false(write_path("/dev/full", "hello"));
    assert_int_equal(err.kind, PROF_ERR_SYSTEM);
    assert_said(err.text, "cannot write: No space left on device");
    assert_false(output_is_epipe(&err));
}

/* Runs with standard output replaced by fd; gives it back. */
static bool with_stdout(int fd, const struct output_opts *opts)
{
    (void)fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    assert_true(saved >= 0 && dup2(fd, STDOUT_FILENO) == STDOUT_FILENO);
    bool ok = write_to(opts, "hello");
    assert_int_equal(dup2(saved, STDOUT_FILENO), STDOUT_FILENO);
    assert_int_equal(close(saved), 0);
    return ok;
}

static void test_reader_gone(void **state)
{
    int fds[2];
    struct output_opts opts = to(NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(fds), 0);
    assert_true(with_stdout(fds[1], &opts));
    assert_int_equal(close(fds[0]), 0);
    assert_false(with_stdout(fds[1], &opts));
    assert_true(output_is_epipe(&err));
    assert_int_equal(err.kind, PROF_ERR_SYSTEM);
    assert_int_equal(close(fds[1]), 0);
}

/* `tool -o log >> log` must not lose what is in the log. */
static void test_file_that_stdout_is(void **state)
{
    struct output_opts opts = to("log");
    assert_true(write_path("log", "old,"));
    int fd = open("log", O_WRONLY | O_APPEND);
    assert_true(fd >= 0);
    assert_true(with_stdout(fd, &opts));
    assert_int_equal(close(fd), 0);
    assert_holds("log", "old,hello");
    assert_int_equal(unlink("log"), 0);
}

/* Bytes that come, by the sink and in buffers that may be kept. */
static void give_some(struct output *out)
{
    static const size_t sizes[] = {3, 100000, 5, 65536, 65535, 200000, 0, 7};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct buf b = {0};
        while (b.n < sizes[i])
            assert_true(buf_putc(&b, (char)('a' + i)));
        assert_true(output_write_owned(out, &b, &err));
        buf_free(&b);
        assert_true(sink_write(output_sink(out), "|", 1, &err));
    }
}

/* With `whole` nothing is written before the commit, and then everything. */
static void test_whole(void **state)
{
    struct output *out;
    struct output_opts opts = to("file");
    assert_true(output_open(&out, &opts, &err));
    give_some(out);
    assert_true(output_commit(out, &err));
    FILE *want = fopen("file", "r"), *got = fopen("log", "w+");
    assert_non_null(want);
    assert_non_null(got);
    opts.path = NULL;
    opts.whole = true;
    for (int round = 0; round < 2; round++) {
        struct stat st;
        (void)fflush(stdout);
        int saved = dup(STDOUT_FILENO);
        assert_int_equal(dup2(fileno(got), STDOUT_FILENO), STDOUT_FILENO);
        bool opened = output_open(&out, &opts, &err);
        if (opened)
            give_some(out);
        bool empty = fstat(fileno(got), &st) == 0 && st.st_size == 0;
        bool done = round ? output_commit(out, &err) : true;
        if (!round)
            output_abort(out);
        assert_int_equal(dup2(saved, STDOUT_FILENO), STDOUT_FILENO);
        assert_int_equal(close(saved), 0);
        assert_true(opened && empty && done);
    }
    rewind(want);
    rewind(got);
    int c;
    do
        assert_int_equal(c = getc(got), getc(want));
    while (c != EOF);
    assert_int_equal(fclose(want) | fclose(got), 0);
    assert_int_equal(unlink("file") | unlink("log"), 0);
}

static void test_terminal(void **state)
{
    int fd = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(fd >= 0);
    assert_int_equal(grantpt(fd) | unlockpt(fd), 0);
    int tty = open(ptsname(fd), O_RDWR | O_NOCTTY);
    assert_true(tty >= 0);
    struct output_opts opts = to(NULL);
    assert_true(with_stdout(tty, &opts));
    opts.binary = true;
    assert_false(with_stdout(tty, &opts));
    assert_int_equal(err.kind, PROF_ERR_USAGE);
    opts.path = ptsname(fd);
    assert_false(write_to(&opts, "hello"));
    assert_int_equal(err.kind, PROF_ERR_USAGE);
    assert_int_equal(close(tty) | close(fd), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new_file),
        cmocka_unit_test(test_old_file_stands_until_commit),
        cmocka_unit_test(test_abort_leaves_nothing),
        cmocka_unit_test(test_large_output),
        cmocka_unit_test(test_if_changed),
        cmocka_unit_test(test_acl_mask_is_no_group),
        cmocka_unit_test(test_links_are_followed),
        cmocka_unit_test(test_link_to_itself),
        cmocka_unit_test(test_where_nothing_can_be),
        cmocka_unit_test(test_fifo_is_written_to),
        cmocka_unit_test(test_full_device),
        cmocka_unit_test(test_reader_gone),
        cmocka_unit_test(test_file_that_stdout_is),
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_terminal),
    };
    return cmocka_run_group_tests(tests, set_up, scratch_dir_drop);
}
