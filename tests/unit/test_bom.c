/* bom_remove(), and utf8_put() of every character there is */
#include <string.h>

#include "base/utf8.h"
#include "said.h"
#include "unit.h"

static struct prof_err err;
static struct buf room, said;

static void say(void *ctx, enum prof_note_level level, const char *text)
{
    (void)ctx;
    assert_int_equal(level, PROF_NOTE_INFO);
    assert_true(buf_puts(&said, text));
}

static const struct prof_notes notes = {.say = say, .ctx = NULL};

static int tear_down(void **state)
{
    buf_free(&room);
    buf_free(&said);
    return 0;
}

static void put_unit(struct buf *b, unsigned u, bool big)
{
    assert_true(buf_putc(b, (char)(big ? u >> 8 : u)));
    assert_true(buf_putc(b, (char)(big ? u : u >> 8)));
}

/* What comes of the n bytes. */
static void expect(const void *bytes, size_t n, const char *text,
                   const char *note)
{
    const uint8_t *data = bytes;
    said.n = 0;
    assert_true(bom_remove(&data, &n, &room, &notes, &err));
    assert_int_equal(n, strlen(text));
    if (n)
        assert_memory_equal(data, text, n);
    assert_int_equal(said.n, strlen(note));
    if (said.n)
        assert_memory_equal(said.v, note, said.n);
}

#define EXPECT(bytes, text, note) expect(bytes, sizeof(bytes) - 1, text, note)

static void expect_same(const char *bytes, size_t n)
{
    const uint8_t *data = (const uint8_t *)bytes;
    size_t left = n;
    said.n = 0;
    assert_true(bom_remove(&data, &left, &room, &notes, &err));
    assert_ptr_equal(data, bytes);
    assert_int_equal(left, n);
    assert_int_equal(said.n, 0);
}

#define EXPECT_SAME(bytes) expect_same(bytes, sizeof(bytes) - 1)

static void test_marks(void **state)
{
    EXPECT("\xef\xbb\xbf"
           "a\r\n",
           "a\r\n", "byte order mark skipped");
    EXPECT("\xff\xfe"
           "a\0\r\0\n\0",
           "a\r\n", "converted from UTF-16");
    EXPECT("\xfe\xff"
           "\0a\0\r\0\n",
           "a\r\n", "converted from UTF-16");
    /* U+00FC, U+20AC, U+1F600, and U+FEFF that is no mark */
    EXPECT("\xff\xfe\xfc\0\xac\x20\x3d\xd8\x00\xde\xff\xfe",
           "\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbb\xbf",
           "converted from UTF-16");
    EXPECT("\xff\xfe", "", "converted from UTF-16");
    EXPECT("\xef\xbb\xbf", "", "byte order mark skipped");
}

static void test_none(void **state)
{
    EXPECT_SAME("");
    EXPECT_SAME("\xff");
    EXPECT_SAME("\xef\xbb");
    EXPECT_SAME("text, then \xef\xbb\xbf");
    /* No text: control characters, the last that is looked at among them. */
    EXPECT_SAME("\xef\xbb\xbf"
                "a\1");
    EXPECT_SAME("\xef\xbb\xbf"
                "a\x7f");
    EXPECT_SAME("\xff\xfe"
                "a\0\0\0");
    EXPECT_SAME("\xfe\xff"
                "\0a\0\x1f");
    /* The bytes of a mark, but the text has one for each character. */
    EXPECT_SAME("\xff\xfe"
                "a;b 1\n");
    EXPECT_SAME("\xfe\xff"
                "a;b 1\n");
}

static void test_long_text(void **state)
{
    struct buf b = {0};
    put_unit(&b, 0xfeff, true);
    for (int i = 0; i < 255; i++)
        put_unit(&b, 'a', true);
    put_unit(&b, 1, true); /* the 256th */
    expect_same((const char *)b.v, b.n);
    b.n -= 2;
    put_unit(&b, 'a', true);
    put_unit(&b, 1, true);
    size_t n = b.n;
    const uint8_t *data = b.v;
    assert_true(bom_remove(&data, &n, &room, NULL, &err));
    assert_int_equal(n, 257);
    buf_free(&b);
}

/* Each character, as utf8_char() reads it. */
static void test_all_characters(void **state)
{
    for (int big = 0; big < 2; big++) {
        struct buf b = {0};
        put_unit(&b, 0xfeff, big);
        for (int i = 0; i < 256; i++)
            put_unit(&b, ' ', big);
        for (uint32_t c = 0; c <= 0x10ffff; c += c == 0xd7ff ? 0x801 : 1) {
            if (c >= 0x10000)
                put_unit(&b, 0xd800 + ((c - 0x10000) >> 10), big);
            put_unit(&b, c < 0x10000 ? c : 0xdc00 + (c & 0x3ff), big);
        }
        const uint8_t *data = b.v;
        size_t n = b.n, at = 256;
        assert_true(bom_remove(&data, &n, &room, NULL, &err));
        for (uint32_t c = 0; c <= 0x10ffff; c += c == 0xd7ff ? 0x801 : 1) {
            uint32_t got;
            size_t k = utf8_char(data + at, n - at, &got);
            if (!k || got != c)
                fail_msg("U+%04X", c);
            at += k;
        }
        assert_int_equal(at, n);
        buf_free(&b);
    }
}

static void expect_bad(const char *bytes, size_t n, const char *text,
                       const char *before)
{
    const uint8_t *data = (const uint8_t *)bytes;
    err.kind = PROF_ERR_NONE;
    said.n = 0;
    assert_false(bom_remove(&data, &n, &room, &notes, &err));
    assert_int_equal(err.kind, PROF_ERR_INPUT);
    assert_said(err.text, text);
    assert_int_equal(n, strlen(before));
    assert_memory_equal(data, before, n);
    assert_int_equal(said.n, 0);
}

#define EXPECT_BAD(bytes, text, before)                                        \
    expect_bad(bytes, sizeof(bytes) - 1, text, before)

static void test_not_well_formed(void **state)
{
    /* an odd byte; a first half, then the end, another, no half; a second */
    EXPECT_BAD("\xff\xfe"
               "a\0b",
               "offset 4: invalid UTF-16: unpaired surrogate", "a");
    EXPECT_BAD("\xff\xfe"
               "a\0\x3d\xd8",
               "offset 4: invalid UTF-16: unpaired surrogate", "a");
    EXPECT_BAD("\xff\xfe"
               "a\0\x3d\xd8\x3d\xd8",
               "offset 4: invalid UTF-16: unpaired surrogate", "a");
    EXPECT_BAD("\xff\xfe"
               "ab\x3d\xd8"
               "c\0",
               "offset 4: invalid UTF-16: unpaired surrogate", "\xe6\x89\xa1");
    EXPECT_BAD("\xfe\xff"
               "\0a\0b\xde\x00",
               "offset 6: invalid UTF-16: unpaired surrogate", "ab");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_long_text),
        cmocka_unit_test(test_all_characters),
        cmocka_unit_test(test_not_well_formed),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
