/*
 * The names in symbolized profiles: which "--" is a mark between functions
 * and which is part of a C++ name, and the addresses behind names.
 */
#include <string.h>

#include "base/buf.h"
#include "check_profile.h"
#include "formats/import_formats.h"
#include "gperf_file.h"
#include "unit.h"

/*
 * Reads a profile of one address that has the text for a name; `wanted` has the
 * functions, the outermost first, each with a "|" behind it.
 */
static void assert_taken(const char *text, const char *wanted)
{
    static const struct import_options options;
    struct gperf_file f = {.size = 8};
    struct buf got = {0};
    struct profile p;
    struct prof_err err = {0};
    put_text(&f, "--- symbol\nbinary=a\n0x401000 ");
    put_text(&f, text);
    put_text(&f, "\n---\n--- profile\n");
    PUT(&f, 0, 3, 0, 1, 0, 1, 1, 0x401000);
    const struct import_input in = {
        .data = f.bytes.v, .n = f.bytes.n, .lookup = &import_lookup};
    if (!take_profile(&p, raw_read(&in, &options, &err))) {
        fail_msg("%s: %s", text, err.text);
        return;
    }
    for (size_t i = p.locations[0].n_lines; i--;) {
        const struct prof_line *line = &p.lines[p.locations[0].line_off + i];
        assert_true(buf_printf(
            &got, "%s|", prof_cstr(&p, p.functions[line->function].name)));
    }
    assert_true(buf_putc(&got, '\0'));
    assert_string_equal((char *)got.v, wanted);
    buf_free(&got);
    buf_free(&f.bytes);
    prof_free(&p);
}

static void test_chains(void **state)
{
    assert_taken("", "");
    assert_taken("main", "main|");
    assert_taken("outer--middle--inner", "outer|middle|inner|");
    assert_taken("a(int)--b<c>(d)--e", "a(int)|b<c>(d)|e|");
    /* Methods of Objective-C begin with a dash. */
    assert_taken("main---[Foo bar:]--+[Foo new]",
                 "main|-[Foo bar:]|+[Foo new]|");
    /* Of a mark without names at its sides nothing is made. */
    assert_taken("a--", "a|");
    assert_taken("--a", "--a|");
    assert_taken("a-b", "a-b|");
}

/* nm's addresses, of 8 or 16 digits. */
static void test_addresses(void **state)
{
    assert_taken("leaf(int)<0000000000401156>", "leaf(int)|");
    assert_taken("leaf(int)<08049156>", "leaf(int)|");
    assert_taken("a<0000000000401156>--b--a<0000000000401156>", "a|b|a|");
    /* What else is in angle brackets is the name's. */
    assert_taken("leaf<int>", "leaf<int>|");
    assert_taken("leaf<401156>", "leaf<401156>|");
    assert_taken("leaf<0000000000401156>(int)", "leaf<0000000000401156>(int)|");
    assert_taken("leaf<000000000040115g>", "leaf<000000000040115g>|");
    assert_taken("<0000000000401156>", "<0000000000401156>|");
}

static void test_operators(void **state)
{
    assert_taken("It::operator--()--inner", "It::operator--()|inner|");
    assert_taken("main--It::operator--() [clone .isra.0]<00000000000011d0>",
                 "main|It::operator--() [clone .isra.0]|");
    assert_taken("It::operator--(int)", "It::operator--(int)|");
    /* Without parameters: two dashes are the operator, three one of them. */
    assert_taken("operator--", "operator--|");
    assert_taken("operator----inner", "operator--|inner|");
    assert_taken("operator---inner", "operator-|inner|");
    assert_taken("operator-=--inner", "operator-=|inner|");
    assert_taken("operator->--inner", "operator->|inner|");
    assert_taken("operator->*--inner", "operator->*|inner|");
    assert_taken("S::operator->() const--inner",
                 "S::operator->() const|inner|");
    /* Brackets that are none. */
    assert_taken("operator<(A, B)--inner", "operator<(A, B)|inner|");
    assert_taken("operator<< <char>(A)--inner", "operator<< <char>(A)|inner|");
    assert_taken("operator<=>(A, B)--inner", "operator<=>(A, B)|inner|");
    assert_taken("S::operator()(int)--inner", "S::operator()(int)|inner|");
    /* Other words that begin or end so. */
    assert_taken("myoperator--inner", "myoperator|inner|");
    assert_taken("operators--inner", "operators|inner|");
}

static void test_brackets(void **state)
{
    assert_taken("decltype (--({parm#1})) f<int>(int)--inner",
                 "decltype (--({parm#1})) f<int>(int)|inner|");
    assert_taken("f<(&x)->y>--inner", "f<(&x)->y>|inner|");
    assert_taken("main::{lambda(int)#1}::operator()(int) const--inner",
                 "main::{lambda(int)#1}::operator()(int) const|inner|");
    /* Those that stay open, or never were, are none. */
    assert_taken("a<b--inner", "a<b|inner|");
    assert_taken("a<b--c<d--e<f--g<x--y>--h", "a<b|c<d|e<f|g<x--y>|h|");
    assert_taken("a>b--inner", "a>b|inner|");
    assert_taken("outer--f<((1)<<(2))>(int)--inner",
                 "outer|f<((1)<<(2))>(int)|inner|");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_brackets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
