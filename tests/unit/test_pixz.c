/* io/pixz.h: an index that is left out, and what only looks like one */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "io/pixz.h"
#include "slow_stream.h"

enum { ARCHIVE = 3 * 512 };

static struct buf bytes; /* the archive, and what is behind it */
static struct buf said;
static struct err err;

static void say(void *ctx, enum note_level level, const char *text)
{
    (void)ctx;
    assert_int_equal(level, NOTE_INFO);
    assert_true(buf_puts(&said, text));
}

static const struct notes notes = {.say = say, .ctx = NULL};

static int tear_down(void **state)
{
    (void)state;
    buf_free(&bytes);
    buf_free(&said);
    return 0;
}

static void put(const void *p, size_t n)
{
    assert_true(buf_put(&bytes, p, n));
}

static void put_magic(void)
{
    put("\xa6\x4c\x32\x2e\xd6\x14\xae\xdb", 8);
}

static void put_entry(const char *name, uint64_t offset)
{
    put(name, strlen(name) + 1);
    for (int i = 0; i < 8; i++)
        put(&(uint8_t){(uint8_t)(offset >> 8 * i)}, 1);
}

/* n bytes of 'x' in place of an archive. */
static void begin(size_t n)
{
    bytes.n = said.n = 0;
    for (size_t i = 0; i < n; i++)
        put("x", 1);
}

static void put_index(void)
{
    put_magic();
    put_entry("dir/a", 0);
    put_entry("dir/b", 512);
    put_entry("", 1024);
}

/* The first n bytes come, and the note. */
static void expect(size_t n, const char *note)
{
    static const size_t steps[] = {1, 7, 512, 100000};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct slow_stream slow = slow_stream_of(bytes.v, bytes.n, steps[i]);
        struct pixz_stream pixz = pixz_stream_of(&slow.stream, &notes);
        struct head_stream all = head_stream_of(&pixz.stream);
        said.n = 0;
        assert_true(head_fill_all(&all, 0, SIZE_MAX / 2, &err));
        assert_int_equal(all.head.n, n);
        if (n)
            assert_memory_equal(all.head.v, bytes.v, n);
        assert_int_equal(said.n, strlen(note));
        if (*note)
            assert_memory_equal(said.v, note, said.n);
        head_free(&all);
        pixz_free(&pixz);
    }
}

static void expect_all(void)
{
    expect(bytes.n, "");
}

static void test_index(void **state)
{
    (void)state;
    begin(ARCHIVE);
    put_index(); /* 8 + 2 * (6 + 8) + 1 + 8 bytes */
    expect(ARCHIVE, "the index of 45 bytes that pixz put behind the archive "
                    "is left out");
    begin(ARCHIVE);
    put_magic();
    put_entry("", 0);
    expect(ARCHIVE, "the index of 17 bytes that pixz put behind the archive "
                    "is left out");
    begin(ARCHIVE);
    expect_all();
}

static void test_large_index(void **state)
{
    (void)state;
    begin(ARCHIVE);
    put_magic();
    for (uint64_t i = 0; i < 20000; i++)
        put_entry("a/name/of/some/length", i * 512);
    put_entry("", (uint64_t)20000 * 512);
    expect(ARCHIVE, "the index of 600017 bytes that pixz put behind the "
                    "archive is left out");
}

static void test_more_behind(void **state)
{
    (void)state;
    begin(ARCHIVE);
    put_index();
    put("", 1);
    expect_all();
    /* In a file of the archive, say. */
    begin(ARCHIVE);
    put_index();
    for (int i = 0; i < 200000; i++)
        put("y", 1);
    expect_all();
}

static void test_cut(void **state)
{
    (void)state;
    begin(ARCHIVE);
    put_index();
    for (size_t n = bytes.n - 1; n > ARCHIVE; n--) {
        bytes.n = n;
        expect_all();
    }
}

static void test_no_index(void **state)
{
    (void)state;
    begin(ARCHIVE - 1); /* where no header can be */
    put_index();
    expect_all();
    begin(ARCHIVE);
    put_magic();
    put_entry("a", 100); /* nor there */
    put_entry("", 1024);
    expect_all();
    begin(ARCHIVE);
    put_magic();
    for (int i = 0; i < 70000; i++)
        put("n", 1);
    put_entry("ame", 0);
    put_entry("", 512);
    expect_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_index),       cmocka_unit_test(test_large_index),
        cmocka_unit_test(test_more_behind), cmocka_unit_test(test_cut),
        cmocka_unit_test(test_no_index),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
