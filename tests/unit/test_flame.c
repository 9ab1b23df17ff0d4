/*
 * Trees of stacks, their merged nodes, names and packages, worked out by hand.
 * Trees are made of stacks that share no frames, all that they can, or some.
 *
 * A stack is written from the root, a letter for each frame; "X" is a location
 * whose lines are y, inlined into x.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/flame/private.h"
#include "said.h"
#include "stacks.h"
#include "unit.h"

enum { LETTERS = 26, TEXT_MAX = 4096 };

static struct profile p;

static enum { SHARE_NONE, SHARE_ALL, SHARE_SOME } shares;

static int begin(void **state)
{
    struct prof_err err;
    uint32_t fn[LETTERS];
    assert_true(prof_init(&p, &err));
    assert_true(prof_add_type(&p, "n", "count", &err));
    assert_true(prof_add_type(&p, "time", "ns", &err));
    for (int i = 0; i < LETTERS; i++) {
        struct prof_function f = {0};
        struct prof_location l = {.mapping = PROF_NONE};
        const char name[] = {(char)('a' + i), 0};
        assert_true(prof_str(&p, name, &f.name, &err));
        assert_true(prof_add_function(&p, &f, &fn[i], &err));
        struct prof_line line = {.function = fn[i]};
        assert_true(prof_add_location(&p, &l, &line, 1, NULL, &err));
    }
    return 0;
}

static int end(void **state)
{
    prof_free(&p);
    return 0;
}

static void add_location(const char *inner, const char *outer)
{
    struct prof_err err;
    struct prof_location l = {.mapping = PROF_NONE};
    struct prof_line lines[] = {{.function = (uint32_t)(*inner - 'a')},
                                {.function = (uint32_t)(*outer - 'a')}};
    assert_true(prof_add_location(&p, &l, lines, 2, NULL, &err));
}

static void add(const char *stack, int64_t n, int64_t time, const char *base)
{
    struct prof_err err;
    uint32_t frames[64], set = 0, depth = (uint32_t)strlen(stack);
    int64_t values[] = {n, time};
    for (uint32_t i = 0; i < depth; i++)
        frames[depth - 1 - i] =
            stack[i] == 'X' ? LETTERS : (uint32_t)(stack[i] - 'a');
    if (base) {
        struct prof_label label = {0};
        assert_true(prof_str(&p, "pprof::base", &label.key, &err));
        assert_true(prof_str(&p, base, &label.str, &err));
        assert_true(prof_labelset(&p, &label, 1, &set, &err));
    }
    assert_true(prof_add_sample(&p, frames, depth, values, set, &err));
}

/* "a 1,10; .b 2,20; ": a dot for each level, values of the node itself. */
static void put_tree(const struct flame *f, char *text)
{
    const struct flame_tree *t = &f->tree;
    size_t at = 0, small = 0;
    for (size_t i = 0; i < t->nodes.n; i++) {
        const struct flame_node *node = &t->nodes.v[i];
        for (uint32_t k = 0; k < node->depth; k++)
            text[at++] = '.';
        struct prof_slice name = flame_name_text(&f->names, node->name);
        if (node->name == f->names.merged)
            at += (size_t)snprintf(text + at, TEXT_MAX - at, "(%d)",
                                   (int)t->small.v[small++]);
        else
            text[at++] = slice_is(name, "<no stack>") ? '-' : *name.s;
        for (size_t k = 0; k < t->n_sums; k++)
            at += (size_t)snprintf(text + at, TEXT_MAX - at, "%c%d",
                                   k ? ',' : ' ', (int)flame_self(t, i)[k]);
        at += (size_t)snprintf(text + at, TEXT_MAX - at, "; ");
    }
    text[at] = 0;
    assert_int_equal(small, t->small.n);
}

static bool make(struct flame *f, const struct flame_tree_opts *opts,
                 struct prof_err *err)
{
    const struct report_opts defaults = REPORT_DEFAULTS;
    struct report r = {.p = &p, .opts = &defaults, .type = opts->first_type};
    if (shares && !p.shared)
        stacks_share(&p, shares == SHARE_ALL);
    return flame_make(f, &r, opts, err);
}

static void is_tree(double limit, size_t first_type, size_t n_types,
                    const char *wanted)
{
    struct prof_err err;
    struct flame f;
    char text[TEXT_MAX];
    const struct flame_tree_opts opts = {
        .first_type = first_type, .n_types = n_types, .limit = limit};
    assert_true(make(&f, &opts, &err));
    put_tree(&f, text);
    assert_string_equal(text, wanted);
    flame_free(&f);
}

static void all_stacks(void **state)
{
    add("acd", 1, 10, NULL);
    add("b", 2, 20, NULL);
    add("ab", 3, 30, NULL);
    add("ac", 4, 40, NULL);
    add("acd", 5, 50, NULL);
    is_tree(0, 0, 2, "a 0,0; .b 3,30; .c 4,40; ..d 6,60; b 2,20; ");
}

static void recursion(void **state)
{
    add("aaab", 1, 0, NULL);
    add("aa", 2, 0, NULL);
    add("aabaa", 4, 0, NULL);
    is_tree(0, 0, 1, "a 0; .a 2; ..a 0; ...b 1; ..b 0; ...a 0; ....a 4; ");
}

static void inlined_frames_are_frames(void **state)
{
    add_location("y", "x");
    add("aXb", 1, 2, NULL);
    add("aX", 3, 4, NULL);
    add("axyc", 5, 6, NULL);
    is_tree(0, 0, 2, "a 0,0; .x 0,0; ..y 3,4; ...b 1,2; ...c 5,6; ");
}

static void samples_without_frames(void **state)
{
    add("", 1, 0, NULL);
    add("a", 2, 2, NULL);
    add("", 3, 4, NULL);
    is_tree(0, 0, 2, "- 4,4; a 2,2; ");
}

static void one_type(void **state)
{
    add("ab", 1, 0, NULL);
    add("ac", 0, 5, NULL);
    add("ad", 0, 0, NULL);
    is_tree(0, 1, 1, "a 0; .c 5; ");
}

static void nothing(void **state)
{
    is_tree(0, 0, 2, "");
}

/* 5 % of 100 and of 1000: ab, acd and ace stay below in both types. */
static void light_ones_are_merged(void **state)
{
    add("ab", 4, 49, NULL);
    add("ac", 0, 300, NULL);
    add("acd", 1, 10, NULL);
    add("ace", 2, 20, NULL);
    add("acf", 5, 0, NULL);
    add("acg", 0, 50, NULL);
    add("z", 88, 571, NULL);
    is_tree(0.05, 0, 2,
            "a 0,0; .c 0,300; ..f 5,0; ..g 0,50; ..(2) 3,30; .(1) 4,49; "
            "z 88,571; ");
}

/* "a 1+3 b 2+2 ": of the first type, what ends in the name and what has it. */
static void put_functions(const struct flame *f, char *text)
{
    const struct flame_tree *t = &f->tree;
    size_t at = 0;
    for (size_t i = 0; i < f->names.n; i++) {
        const int64_t *flat = t->functions + i * 2 * t->n_sums;
        if (i != f->names.merged)
            at += (size_t)snprintf(text + at, TEXT_MAX - at, "%c %d+%d ",
                                   *flame_name_text(&f->names, i).s,
                                   (int)flat[0], (int)flat[t->n_sums]);
    }
    assert_in_range(at, 1, TEXT_MAX - 1);
}

static void add_ten_nodes(void)
{
    add("abcbd", 1, 0, NULL);
    add("abe", 2, 0, NULL);
    add("afb", 4, 0, NULL);
    add("ag", 93, 7, NULL);
    add("", 5, 0, NULL);
}

/* No share is given, but there are more nodes than may be. */
static void too_many_nodes_are_merged(void **state)
{
    struct prof_err err;
    struct flame f;
    char text[TEXT_MAX];
    struct flame_tree_opts opts = {.n_types = 2, .most = 7, .functions = true};
    add_ten_nodes();
    assert_true(make(&f, &opts, &err));
    assert_true(f.tree.limit > 0);
    assert_true(f.tree.n_merged > 0);
    put_functions(&f, text);
    assert_string_equal(text, "a 0+100 b 4+7 c 0+1 d 1+1 e 2+2 f 0+4 g 93+93 "
                              "< 5+5 ");
    flame_free(&f);
    end(state);
    begin(state);
    add_ten_nodes();
    opts.most = 0;
    assert_true(make(&f, &opts, &err));
    assert_null(f.tree.functions);
    assert_int_equal(f.tree.nodes.n, 10);
    flame_free(&f);
}

/* Nodes of one stack are not too many: no share would merge them. */
static void most_is_not_of_one_stack(void **state)
{
    const struct flame_tree_opts opts = {
        .n_types = 1, .most = 1, .functions = true};
    struct prof_err err;
    struct flame f;
    char text[TEXT_MAX];
    add("abcdef", 1, 0, NULL);
    add("abcxyz", 1, 0, NULL);
    assert_true(make(&f, &opts, &err));
    put_functions(&f, text);
    assert_string_equal(text, "a 0+2 b 0+2 c 0+2 d 0+1 e 0+1 f 1+1 x 0+1 "
                              "y 0+1 z 1+1 ");
    flame_free(&f);
}

/* How many nodes there are of 60 stacks, and with which limit. */
static size_t count_nodes(void **state, double *limit, size_t most)
{
    const struct flame_tree_opts opts = {
        .n_types = 2, .limit = *limit, .most = most};
    struct prof_err err;
    struct flame f;
    uint32_t seed = 1;
    end(state);
    begin(state);
    for (int i = 0; i < 60; i++) {
        char stack[8] = "";
        for (size_t k = 0; k < (size_t)i % 7; k++) {
            seed = seed * 1103515245 + 12345;
            stack[k] = (char)('a' + (seed >> 16) % 3);
        }
        add(stack, i * i + 1, i % 5, NULL);
    }
    assert_true(make(&f, &opts, &err));
    size_t n = f.tree.nodes.n;
    *limit = f.tree.limit;
    flame_free(&f);
    return n;
}

/* The first limit of a row, each four times as much as the one before. */
static void limit_is_the_least(void **state)
{
    enum { LAST_STACK = 2 * 6 }; /* its nodes, and one merged for each */
    for (size_t most = 1; most < 120; most++) {
        double limit = 0, before;
        count_nodes(state, &limit, most);
        assert_in_range(count_nodes(state, &limit, 0), 1, most + LAST_STACK);
        before = limit / 4 < 1 / (double)most ? 0 : limit / 4;
        if (limit > 0)
            assert_true(count_nodes(state, &before, 0) > most);
    }
}

/* What is merged counts all of its nodes, and may be all that a node has. */
static void subtrees_are_merged_whole(void **state)
{
    add("abcd", 1, 0, NULL);
    add("abce", 2, 0, NULL);
    add("ab", 1, 0, NULL);
    add("q", 1, 0, NULL);
    add("rs", 2, 0, NULL);
    add("a", 93, 0, NULL);
    is_tree(0.05, 0, 1, "a 93; .(4) 4; (3) 3; ");
}

/* Values that cancel each other out are no reason to hide them. */
static void negative_values_count(void **state)
{
    add("ab", 50, 0, NULL);
    add("ac", -50, 0, NULL);
    add("ad", -1, 0, NULL);
    is_tree(0.05, 0, 1, "a 0; .b 50; .c -50; .(1) -1; ");
}

static void difference(void **state)
{
    add("ab", 5, 50, NULL);
    add("ab", -3, -30, "true");
    add("ac", -2, -20, "true");
    add("ad", 1, 10, "false");
    is_tree(0, 0, 2, "a 0,0,0,0; .b 5,50,3,30; .c 0,0,2,20; .d 1,10,0,0; ");
}

static void no_base_no_difference(void **state)
{
    add("ab", 5, 50, "false");
    is_tree(0, 0, 1, "a 0; .b 5; ");
}

static void sums_that_overflow(void **state)
{
    struct prof_err err;
    struct flame f;
    const struct flame_tree_opts opts = {.n_types = 2};
    add("a", 1, INT64_MAX, NULL);
    add("b", 1, -1, NULL);
    assert_false(make(&f, &opts, &err));
    assert_int_equal(err.kind, PROF_ERR_INPUT);
    assert_said(err.text, "sample 1: the sum of time exceeds 64 bits here");
    flame_free(&f);
}

static void packages(void **state)
{
    static const char *const of[][3] = {
        /* name, file, package */
        {"github.com/google/pprof/profile.(*Profile).Merge", "merge.go",
         "github.com/google/pprof/profile"},
        {"net/http.HandlerFunc.ServeHTTP", "", "net/http"},
        {"runtime.mallocgc", "malloc.go", "runtime"},
        {"main.main.func1", "main.go", "main"},
        {"gopkg.in/yaml%2ev2.Unmarshal", "", "gopkg.in/yaml%2ev2"},
        {"slices.SortFunc[go.shape.[]int,go.shape.int]", "", "slices"},
        {"runtime.memmove", "memmove_amd64.s", "runtime"},
        {"java.util.HashMap.put", "", "java.util"},
        {"java/util/HashMap.put", "HashMap.java", "java/util"},
        {"System.Collections.Generic.List.Add", "List.cs", "System"},
        {"std::vector<int>::push_back(int&&)", "vector.h", "std"},
        {"google::protobuf::Message::Parse(char*)", "", "google"},
        {"void std::sort<int*>(int*, int*)", "", "std"},
        {"(anonymous namespace)::f(int)", "", ""},
        {"<alloc::vec::Vec<T> as core::ops::Drop>::drop", "", "alloc"},
        {"core::fmt::write", "mod.rs", "core"},
        {"_ZN4core3fmt5writeE", "", "core"},
        {"_ZNK6google8protobuf7Message5CheckEv", "", "google"},
        {"_ZNSt6vectorIiE9push_backEi", "", "std"},
        {"_ZSt4sortIPiEvT_S1_", "", "std"},
        {"_Z4leafv", "", ""},
        {"_ZN99999999999999999999x", "", ""},
        {"_ZN", "", ""},
        {"memcpy.part.0", "", ""},
        {"foo.constprop.0", "", ""},
        {"counter.1", "", ""},
        {"./lib/libz.so.1.2.11", "", ""},
        {"operator.add", "tool.py", ""},
        {"deposit", "bank.c", ""},
        {"[libc.so.6]", "", ""},
        {"::", "", ""},
        {".", "", ""},
        {"a.", "", ""},
        {"/", "", ""},
        {"", "", ""},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct prof_slice name = {of[i][0], strlen(of[i][0])},
                          file = {of[i][1], strlen(of[i][1])},
                          package = package_of(name, file);
        char text[64];
        assert_true(package.n < sizeof text);
        memcpy(text, package.s, package.n);
        text[package.n] = 0;
        if (strcmp(text, of[i][2]) != 0)
            fail_msg("%s: '%s', not '%s'", of[i][0], text, of[i][2]);
    }
}

static void visible(const char *text, size_t n, const char *wanted)
{
    struct buf b = {0};
    assert_true(flame_put_visible(&b, text, n) && buf_putc(&b, 0));
    assert_string_equal((const char *)b.v, wanted);
    buf_free(&b);
}

#define VISIBLE(text, wanted) visible(text, sizeof text - 1, wanted)

static void what_is_not_seen_is_written_out(void **state)
{
    VISIBLE("plain <b> & \"q\" \\ \xc3\xa9", "plain <b> & \"q\" \\ \xc3\xa9");
    VISIBLE("a\nb\tc\0d\x7f", "a\\x0ab\\x09c\\x00d\\x7f");
    VISIBLE("\xff\xc3(\xe2\x82", "\\xff\\xc3(\\xe2\\x82");
    VISIBLE("\xc2\x9b", "\\xc2\\x9b");
    VISIBLE("\xe2\x80\xae\xef\xbb\xbf\xef\xbf\xbf", "\\u202e\\ufeff\\uffff");
    VISIBLE("\xf0\x9f\x94\xa5", "\xf0\x9f\x94\xa5");
}

/* Test vectors of RFC 4648, section 10. */
static void base64(void **state)
{
    static const char *const of[] = {"",         "Zg==",     "Zm8=",    "Zm9v",
                                     "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
    for (size_t n = 0; n < 7; n++) {
        struct buf b = {0};
        assert_true(buf_put_base64(&b, (const uint8_t *)"foobar", n));
        assert_true(buf_putc(&b, 0));
        assert_string_equal((const char *)b.v, of[n]);
        buf_free(&b);
    }
}

/* Whether the picture has a box of this name in this colour ("rrggbb"), or for
 * the dark theme "rrggbb" style="--dark:#rrggbb". */
static void is_box(const char *picture, const char *name, const char *colour)
{
    char begin[32];
    (void)snprintf(begin, sizeof begin, "<title>%s\n", name);
    const char *at = strstr(picture, begin);
    const char *fill = at ? strstr(at, "fill=\"#") : NULL;
    if (!fill) {
        fail_msg("no box of %s", name);
        return;
    }
    fill += strlen("fill=\"#");
    if (strncmp(fill, colour, strlen(colour)) != 0)
        fail_msg("%s: %.32s, not %s", name, fill, colour);
}

static char *print_picture(void)
{
    struct buf text = {0};
    struct buf_sink sink = buf_sink_of(&text);
    struct report_opts opts = REPORT_DEFAULTS;
    struct prof_err err;
    opts.sample_index = "n";
    assert_true(report_print(report_find_format("flame", "svg"), &p, &opts,
                             &sink.sink, &err));
    assert_true(buf_putc(&text, 0));
    return (char *)text.v;
}

/*
 * FNV-1a of "a" is 0xe40c292c and of "b" 0xe70c2de5 (test vectors of its
 * authors): 16 and 13 tens of degrees, shades 0 and 2.
 */
static void colours_of_names(void **state)
{
    add("a", 1, 0, NULL);
    add("b", 2, 0, NULL);
    /* Enough names without a package for colours to be by name. */
    add("c", 1, 0, NULL);
    add("d", 1, 0, NULL);
    char *picture = print_picture();
    is_box(picture, "all", "dcdfe4\" style=\"--dark:#3a3e46");
    /* The heaviest has the first hue; of equal ones the first the next. */
    /* hsl(210 46% 79.4%), hsl(210 34% 28%) */
    is_box(picture, "b", "b2cae3\" style=\"--dark:#2f4760");
    is_box(picture, "a", "ddbfa2"); /* hsl(30 46% 75%) */
    free(picture);
}

static void colours_of_changes(void **state)
{
    add("a", 5, 0, NULL);
    add("b", -5, 0, "true");
    add("c", 5, 0, NULL);
    add("c", -5, 0, "true");
    char *picture = print_picture();
    is_box(picture, "all", "e9e9ec");
    is_box(picture, "a", "eb5c4a\" style=\"--dark:#b2382a");
    is_box(picture, "b", "548ef0\" style=\"--dark:#2860be");
    is_box(picture, "c", "e9e9ec");
    free(picture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_stacks, begin, end),
        cmocka_unit_test_setup_teardown(recursion, begin, end),
        cmocka_unit_test_setup_teardown(inlined_frames_are_frames, begin, end),
        cmocka_unit_test_setup_teardown(samples_without_frames, begin, end),
        cmocka_unit_test_setup_teardown(one_type, begin, end),
        cmocka_unit_test_setup_teardown(nothing, begin, end),
        cmocka_unit_test_setup_teardown(light_ones_are_merged, begin, end),
        cmocka_unit_test_setup_teardown(too_many_nodes_are_merged, begin, end),
        cmocka_unit_test_setup_teardown(most_is_not_of_one_stack, begin, end),
        cmocka_unit_test_setup_teardown(limit_is_the_least, begin, end),
        cmocka_unit_test_setup_teardown(subtrees_are_merged_whole, begin, end),
        cmocka_unit_test_setup_teardown(negative_values_count, begin, end),
        cmocka_unit_test_setup_teardown(difference, begin, end),
        cmocka_unit_test_setup_teardown(no_base_no_difference, begin, end),
        cmocka_unit_test_setup_teardown(sums_that_overflow, begin, end),
        cmocka_unit_test(packages),
        cmocka_unit_test(what_is_not_seen_is_written_out),
        cmocka_unit_test(base64),
        cmocka_unit_test_setup_teardown(colours_of_names, begin, end),
        cmocka_unit_test_setup_teardown(colours_of_changes, begin, end),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    shares = SHARE_ALL;
    failed += cmocka_run_group_tests(tests, NULL, NULL);
    shares = SHARE_SOME;
    return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
