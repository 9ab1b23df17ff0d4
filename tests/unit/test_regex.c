/*
 * Regular expressions: RE2's syntax, its refusals, and its independence of
 * backtracking.  The verdicts are those of Go's regexp package.
 */
#include <stdio.h>
#include <string.h>

#include "profile/columns.h"
#include "said.h"
#include "unit.h"

static int verdict(const char *pattern, const char *text, size_t n)
{
    struct regex *re;
    struct prof_err err;
    if (!regex_new(&re, pattern, NULL, PROF_ERR_USAGE, &err))
        fail_msg("%s", err.text);
    int rc = regex_match(re, text, n, &err);
    regex_free(re);
    return rc;
}

struct match_case {
    const char *pattern, *text;
    int matches;
};

static const struct match_case cases[] = {
    {"", "", 1},
    {"oc", "malloc", 1},
    {"^oc", "malloc", 0},
    {"^(malloc|free)$", "malloc", 1},
    {"^(malloc|free)$", "mallocx", 0},
    {"Malloc", "malloc", 0},
    {"(?i)Malloc", "malloc", 1},
    {"a(?i:b)c", "aBc", 1},
    {"a(?i:b)c", "aBC", 0},
    {"a(?i)b(?-i)c", "aBc", 1},
    {"(?i-i)a", "A", 0},
    {"operator\\(\\)", "x::operator()", 1},
    /* the very end, not before a last newline; lines with (?m) */
    {"a$", "a\n", 0},
    {"(?m)a$", "a\nb", 1},
    {"(?m)^$", "a\n", 1},
    {"a.b", "a\nb", 0},
    {"(?s)a.b", "a\nb", 1},
    {"a\\z", "ba", 1},
    /* \s without \v, \v the character; ASCII words */
    {"\\s", "\v", 0},
    {"[\\s]", "\v", 0},
    {"\\S", "\v", 1},
    {"[^\\S]", "\t", 1},
    {"\\v", "\v", 1},
    {"\\v", "\n", 0},
    {"^\\w+$", "\u00e9", 0},
    {"\\bfoo\\b", "a foo b", 1},
    /* brackets */
    {"[]a]", "]", 1},
    {"[^]a]", "]", 0},
    {"[a-c-]", "-", 1},
    {"[[:alpha:]_]x", "_x", 1},
    {"[[:^alpha:]]", "a", 0},
    {"^[:alpha:]$", "l", 1},
    {"[^a]", "\n", 1},
    /* escapes */
    {"\\x41\\x{e9}\\101\\.\\_", "A\u00e9A._", 1},
    {"\\Qa.b*\\E+", "a.b**", 1},
    {"\\Qa.b", "axb", 0},
    {"\\p{Greek}\\pL\\P{Lu}", "\u03b1xx", 1},
    {"^\\p{^L}$", "a", 0},
    {"^\\p{Any}\\p{Old_Italic}[\\p{Han}]$", "a\U00010300\u4e00", 1},
    /* used with Greek, but of no script */
    {"\\p{Greek}", "\u0342", 0},
    /* repetition */
    {"^a{2,3}$", "aaaa", 0},
    {"^a{,2}$", "a{,2}", 1},
    {"a{02}", "a{02}", 1},
    {"^*a", "a", 1},
    {"x*?y", "xxy", 1},
    {"(?P<name>a)(?<other>b)", "ab", 1},
    {"(?U)a+b", "aab", 1},
};

static void matches_as_re2(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct match_case *c = &cases[i];
        int got = verdict(c->pattern, c->text, strlen(c->text));
        if (got != c->matches)
            fail_msg("%s on %s: %d", c->pattern, c->text, got);
    }
}

struct refusal {
    const char *pattern, *text;
};

static const struct refusal refusals[] = {
    {"a(b", "invalid regular expression 'a(b': unclosed '(' at offset 1"},
    {"a)b", "invalid regular expression 'a)b': unmatched ')' at offset 1"},
    {"x[a", "invalid regular expression 'x[a': unclosed '[' at offset 1"},
    {"[]", "invalid regular expression '[]': unclosed '[' at offset 0"},
    {"*a", "invalid regular expression '*a': missing operand of a repetition "
           "at offset 0"},
    {"(*COMMIT)a", "invalid regular expression '(*COMMIT)a': missing operand "
                   "of a repetition at offset 1"},
    {"a*+", "invalid regular expression 'a*+': repetition of a repetition at "
            "offset 2"},
    {"a{1001}", "invalid regular expression 'a{1001}': repeat count above 1000 "
                "at offset 1"},
    {"a{3,1}", "invalid regular expression 'a{3,1}': repeat count ends before "
               "it begins at offset 1"},
    {"(a)\\1", "invalid regular expression '(a)\\1': backreferences are not "
               "supported at offset 3"},
    {"a(?=b)", "invalid regular expression 'a(?=b)': unsupported group syntax "
               "at offset 1"},
    {"(?>a)", "invalid regular expression '(?>a)': unsupported group syntax at "
              "offset 0"},
    {"(?<=a)b", "invalid regular expression '(?<=a)b': missing group name "
                "(look-behind is not supported) at offset 0"},
    {"(?x) a", "invalid regular expression '(?x) a': unsupported group syntax "
               "at offset 0"},
    {"\\C", "invalid regular expression '\\C': unknown escape at offset 0"},
    {"a\\Z", "invalid regular expression 'a\\Z': unknown escape at offset 1"},
    {"\\h", "invalid regular expression '\\h': unknown escape at offset 0"},
    {"a\\", "invalid regular expression 'a\\': trailing backslash at offset 1"},
    {"[b-a]", "invalid regular expression '[b-a]': range ends before it begins "
              "at offset 1"},
    {"[a-\\d]",
     "invalid regular expression '[a-\\d]': unknown escape at offset 3"},
    {"[[:foo:]]", "invalid regular expression '[[:foo:]]': unknown character "
                  "class at offset 1"},
    {"\\xg", "invalid regular expression '\\xg': \\x must be followed by two "
             "hexadecimal digits or {digits} at offset 0"},
    {"\\x{110000}",
     "invalid regular expression '\\x{110000}': invalid character at offset 0"},
    {"\\p{Xan}", "invalid regular expression '\\p{Xan}': unknown character "
                 "property at offset 0"},
    {"a\\pl", "invalid regular expression 'a\\pl': unknown character property "
              "at offset 1"},
    {"\\p{lu}", "invalid regular expression '\\p{lu}': unknown character "
                "property at offset 0"},
    {"\\p{L_}", "invalid regular expression '\\p{L_}': unknown character "
                "property at offset 0"},
    {"\\p{Alphabetic}", "invalid regular expression '\\p{Alphabetic}': unknown "
                        "property after \\P or \\p"},
    {"ab\xff",
     "invalid regular expression 'ab\377': invalid UTF-8 at offset 2"},
};

static void refuses_what_re2_does(void **state)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct regex *re;
        struct prof_err err;
        if (regex_new(&re, refusals[i].pattern, NULL, PROF_ERR_USAGE, &err))
            fail_msg("%s was taken", refusals[i].pattern);
        assert_null(re);
        assert_int_equal(err.kind, PROF_ERR_USAGE);
        assert_said(err.text, refusals[i].text);
    }
}

static void bytes_that_are_not_utf8(void **state)
{
    /* Each counts as one U+FFFD. */
    assert_int_equal(verdict("^a.b$",
                             "a\xff"
                             "b",
                             3),
                     1);
    assert_int_equal(verdict("^a..b$",
                             "a\xe2\x82"
                             "b",
                             4),
                     1);
    assert_int_equal(verdict("^\\x{fffd}{3}$", "\xed\xa0\x80", 3), 1);
    assert_int_equal(verdict("b", "a\xff", 2), 0);
}

static void text_may_hold_nul(void **state)
{
    assert_int_equal(verdict("^a\\x00b$", "a\0b", 3), 1);
    assert_int_equal(verdict("b", "a\0b", 3), 1);
}

/* Patterns that make backtracking explode, which RE2 takes in its stride. */
static void nested_repetition_ends(void **state)
{
    char text[3001];
    memset(text, 'x', 3000);
    text[3000] = 'y';
    assert_int_equal(verdict("(x+x+)+y", text, 3000), 0);
    assert_int_equal(verdict("(x+x+)+y", text, 3001), 1);
    assert_int_equal(verdict("(x*)*$", text, 3001), 1);
    assert_int_equal(verdict("^(x|xx)+$", text, 3001), 0);
}

static void too_complex_is_an_error(void **state)
{
    struct regex *re;
    struct prof_err err;
    char text[3000];
    memset(text, 'a', sizeof text);
    text[2999] = 'b';
    assert_true(
        regex_new(&re, "((a?){30}){30}a{100}$", NULL, PROF_ERR_USAGE, &err));
    assert_int_equal(regex_match(re, text, sizeof text, &err), -1);
    assert_int_equal(err.kind, PROF_ERR_USAGE);
    assert_says(
        err.text,
        "regular expression '((a?){30}){30}a{100}$' is too complex to match "
        "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaa...': match limit exceeded");
    assert_memory_equal(err.text, "regular expression", 18);
    regex_free(re);
    assert_true(regex_new(&re, "((a?){30}){30}a{100}$", "drop_frames",
                          PROF_ERR_INPUT, &err));
    assert_int_equal(regex_match(re, text, sizeof text, &err), -1);
    assert_int_equal(err.kind, PROF_ERR_INPUT);
    assert_memory_equal(err.text, "drop_frames: regular", 20);
    regex_free(re);
}

/* The reason is not cut off behind a long pattern. */
static void long_patterns_are_shortened(void **state)
{
    struct regex *re;
    struct prof_err err;
    char pattern[3001];
    memset(pattern, 'a', 3000);
    pattern[2999] = '(';
    pattern[3000] = 0;
    assert_false(regex_new(&re, pattern, NULL, PROF_ERR_USAGE, &err));
    assert_memory_equal(err.text, "invalid regular expression 'aaaa", 32);
    assert_string_equal(err.text + 28 + 80,
                        "...': unclosed '(' at offset 2999");
}

/*
 * Many texts each of which takes backtracking as long as it may: what one may
 * take is little, and what needs more is not for backtracking.
 */
static void many_hard_texts(void **state)
{
    struct regex *re;
    struct prof_err err;
    char text[49];
    memset(text, 'a', 48);
    text[48] = 'b';
    assert_true(regex_new(&re, "^(a+)+$", NULL, PROF_ERR_USAGE, &err));
    for (int i = 0; i < 3000; i++)
        assert_int_equal(regex_match(re, text, sizeof text, &err), 0);
    assert_int_equal(regex_match(re, text, sizeof text - 1, &err), 1);
    regex_free(re);
}

/* From each byte, the a* would look at all that follows. */
static void long_texts(void **state)
{
    static char text[500000];
    memset(text, 'a', sizeof text);
    assert_int_equal(verdict("a*f", text, sizeof text), 0);
    text[sizeof text - 1] = 'f';
    assert_int_equal(verdict("a*f", text, sizeof text), 1);
    assert_int_equal(verdict("(a|b|c)*d|a*f", text, sizeof text), 1);
}

/* Past the number of texts from which on a pattern is machine code. */
static void many_texts_get_the_same_verdict(void **state)
{
    struct regex *re;
    struct prof_err err;
    assert_true(regex_new(&re, "^f(o|ob)+[0-9]$", NULL, PROF_ERR_USAGE, &err));
    for (int i = 0; i < 10000; i++) {
        assert_int_equal(regex_match(re, "fooob7", 6, &err), 1);
        assert_int_equal(regex_match(re, "fooob", 5, &err), 0);
        assert_int_equal(regex_match(re, "fo\xff", 3, &err), 0);
    }
    regex_free(re);
}

/* What the first group matches: as Go's FindStringSubmatch(). */
static void test_groups(void **state)
{
    static const struct {
        const char *pattern, *text, *group; /* null: no match */
    } tries[] = {
        {"b+", "abbc", "bb"},
        {"a(b+)", "abbc", "bb"},
        {"a(?P<name>b+)(c)", "abbc", "bb"},
        {"a(?:b)(b|c)", "abbc", "b"},
        {"a(b+?)", "abbc", "b"},
        {"(?U)a(b+)", "abbc", "b"},
        {"(?U)a(b+?)", "abbc", "bb"},
        {"a(x)?b", "abbc", ""},
        {"(b*)", "abbc", ""},
        {"(?:(b)|(c))+", "abcc", "b"},
        {"(a|ab)(c|bcd)", "abcd", "a"},
        {"a(x)b", "abbc", NULL},
        {"^$", "a", NULL},
        {"", "", ""},
        /* Only regex_match() takes a text that is not UTF-8. */
        {"(a)|b", "a\xce", NULL},
    };
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        struct prof_err err;
        struct prof_slice group, text = {tries[i].text, strlen(tries[i].text)};
        int found = prof_regex_group(tries[i].pattern, text, &group, &err);
        assert_int_equal(found, tries[i].group != NULL);
        if (tries[i].group && (group.n != strlen(tries[i].group) ||
                               memcmp(group.s, tries[i].group, group.n) != 0))
            fail_msg("'%s' of '%s': '%.*s'", tries[i].pattern, tries[i].text,
                     (int)group.n, group.s);
    }
    struct prof_err err;
    struct prof_slice group, text = {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabc", 34};
    assert_int_equal(prof_regex_group("(a", text, &group, &err), -1);
    assert_string_equal(err.text,
                        "invalid regular expression '(a': unclosed '(' "
                        "at offset 0");
    /* No other matcher helps where groups are wanted. */
    assert_int_equal(prof_regex_group("^((a|a|a)+)+c", text, &group, &err), -1);
    assert_non_null(strstr(err.text, "is too complex to match"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups),
        cmocka_unit_test(matches_as_re2),
        cmocka_unit_test(refuses_what_re2_does),
        cmocka_unit_test(bytes_that_are_not_utf8),
        cmocka_unit_test(text_may_hold_nul),
        cmocka_unit_test(nested_repetition_ends),
        cmocka_unit_test(too_complex_is_an_error),
        cmocka_unit_test(long_patterns_are_shortened),
        cmocka_unit_test(many_hard_texts),
        cmocka_unit_test(long_texts),
        cmocka_unit_test(many_texts_get_the_same_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
