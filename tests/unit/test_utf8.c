/* UTF-8: the edges of the ranges of table 3-7 in the Unicode Standard. */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "unit.h"

static void is_char(const char *s, uint32_t expected)
{
    uint32_t c = 0;
    size_t n = strlen(s);
    assert_int_equal(utf8_char((const uint8_t *)s, n, &c), n);
    assert_int_equal(c, expected);
    /* Cut anywhere it is no character; with more behind it stays one. */
    for (size_t k = 0; k < n; k++)
        assert_int_equal(utf8_char((const uint8_t *)s, k, NULL), 0);
    char more[8];
    (void)snprintf(more, sizeof more, "%sx", s);
    assert_int_equal(utf8_char((const uint8_t *)more, n + 1, NULL), n);
}

static void is_none(const char *s)
{
    assert_int_equal(utf8_char((const uint8_t *)s, strlen(s), NULL), 0);
}

static void test_valid(void **state)
{
    is_char("\x01", 1);
    is_char("\x7f", 0x7f);
    is_char("\xc2\x80", 0x80);
    is_char("\xdf\xbf", 0x7ff);
    is_char("\xe0\xa0\x80", 0x800);
    is_char("\xed\x9f\xbf", 0xd7ff);
    is_char("\xee\x80\x80", 0xe000);
    is_char("\xef\xbf\xbf", 0xffff);
    is_char("\xf0\x90\x80\x80", 0x10000);
    is_char("\xf4\x8f\xbf\xbf", 0x10ffff);
    assert_int_equal(utf8_char((const uint8_t *)"", 1, NULL), 1);
}

static void test_invalid(void **state)
{
    is_none("\x80");
    is_none("\xbf");
    is_none("\xc0\x80"); /* overlong */
    is_none("\xc1\xbf");
    is_none("\xe0\x9f\xbf");
    is_none("\xf0\x8f\xbf\xbf");
    is_none("\xed\xa0\x80"); /* surrogates */
    is_none("\xed\xbf\xbf");
    is_none("\xf4\x90\x80\x80"); /* above U+10FFFF */
    is_none("\xf5\x80\x80\x80");
    is_none("\xff");
    is_none("\xc2\x41");
    is_none("\xe2\x82\x41");
}

static void test_count(void **state)
{
    assert_int_equal(utf8_count("", 0), 0);
    assert_int_equal(utf8_count("a\xc2\xb5s", 4), 3);
    assert_int_equal(utf8_count("\xff\xe2\x82", 3), 3);
}

static void test_visible(void **state)
{
    const char s[] = "a\n\t\r\x1b[m\x7f\xc2\x9b\xc2\xa0\xff.";
    struct buf b = {0};
    assert_true(utf8_put_visible(&b, s, sizeof s));
    const char expected[] =
        "a\n\t\\x0d\\x1b[m\\x7f\\xc2\\x9b\xc2\xa0\\xff.\\x00";
    assert_int_equal(b.n, sizeof expected - 1);
    assert_memory_equal(b.v, expected, b.n);
    buf_free(&b);
}

static void test_direction(void **state)
{
    static const uint32_t obeyed[] = {0x61c,  0x200e, 0x200f, 0x2028, 0x2029,
                                      0x202a, 0x202e, 0x2066, 0x2069};
    for (size_t i = 0; i < sizeof obeyed / sizeof *obeyed; i++) {
        assert_false(utf8_is_shown(obeyed[i]));
        assert_true(utf8_is_shown(obeyed[i] == 0x202a ? 0x2027 : 0x206a));
    }
    assert_true(utf8_is_shown(0x200d)); /* joins letters and emoji */
    assert_true(utf8_is_shown(0x10ffff));
}

static void test_line(void **state)
{
    struct buf b = {0};
    assert_true(buf_puts(&b, "a\nb\nc"));
    assert_true(utf8_make_line(&b, 2));
    assert_true(utf8_make_line(&b, b.n));
    assert_int_equal(b.n, 8);
    assert_memory_equal(b.v, "a\nb\\x0ac", 8);
    buf_free(&b);
}

static void test_blank(void **state)
{
    struct buf b = {0};
    assert_true(buf_puts(&b, "\x01\t\x7f\xc2\x9b\xc2\xa0\xc2"));
    assert_true(utf8_blank_controls(&b));
    assert_int_equal(b.n, 7);
    assert_memory_equal(b.v, "    \xc2\xa0\xc2", 7);
    assert_false(utf8_blank_controls(&b));
    buf_free(&b);
}

/* Each byte at each place of a text that is else plain. */
static void test_plain(void **state)
{
    uint8_t text[20];
    for (size_t n = 0; n <= sizeof text; n++)
        for (size_t at = 0; at < n; at++)
            for (unsigned c = 0; c < 256; c++) {
                memset(text, c & 1 ? ' ' : '~', n);
                text[at] = (uint8_t)c;
                assert_int_equal(utf8_plain(text, n),
                                 c >= 0x20 && c < 0x7f ? n : at);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_valid),     cmocka_unit_test(test_invalid),
        cmocka_unit_test(test_count),     cmocka_unit_test(test_visible),
        cmocka_unit_test(test_direction), cmocka_unit_test(test_line),
        cmocka_unit_test(test_blank),     cmocka_unit_test(test_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
