/*
 * Which nodes and edges a picture keeps, the order of edges, and trees of
 * calls, for stacks small enough to be worked out by hand.
 *
 * A stack is written as letters from the root to the leaf, one function each.
 * All tests run again with stacks that share frames.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/model/build.h"
#include "report/graph/graph.h"
#include "stacks.h"
#include "unit.h"

enum { LETTERS = 26, DEEPEST = 8 };

static void make(struct profile *p)
{
    struct prof_err err;
    assert_true(prof_init(p, &err));
    assert_true(prof_add_type(p, "n", "count", &err));
    for (int i = 0; i < LETTERS; i++) {
        struct prof_function f = {0};
        struct prof_location l = {.mapping = PROF_NONE};
        const char name[] = {(char)('a' + i), 0};
        uint32_t fn;
        assert_true(prof_str(p, name, &f.name, &err));
        assert_true(prof_add_function(p, &f, &fn, &err));
        struct prof_line line = {.function = fn};
        assert_true(prof_add_location(p, &l, &line, 1, NULL, &err));
    }
}

static void add(struct profile *p, const char *path, int64_t value)
{
    struct prof_err err;
    uint32_t stack[DEEPEST];
    size_t n = strlen(path);
    for (size_t i = 0; i < n; i++)
        stack[n - 1 - i] = (uint32_t)(path[i] - 'a');
    assert_true(prof_add_sample(p, stack, n, &value, 0, &err));
}

/* A graph and what a report does with it. */
struct shown {
    struct graph g;
    struct graph_cut cut;
    struct edges edges;
};

static bool shares; /* stacks share frames */

static void show(struct shown *s, struct profile *p, bool tree,
                 const struct graph_limits *limits)
{
    struct prof_err err;
    const struct graph_opts opts = {.call_tree = tree, .threads = 1};
    if (shares && !p->shared)
        stacks_share(p, true);
    assert_true(graph_make(&s->g, p, &opts, &err));
    assert_true(graph_cut(&s->g, limits, &s->cut, &err));
    if (!limits->visual)
        assert_true(graph_link(&s->g, &s->cut, NULL, &err));
    assert_true(edges_init(&s->edges, &s->g, limits, &s->cut, &err));
}

static void done(struct shown *s)
{
    edges_free(&s->edges);
    graph_cut_free(&s->cut);
    graph_free(&s->g);
}

static char letter(const struct shown *s, uint32_t node)
{
    uint32_t place = graph_place(&s->g, node);
    return prof_cstr(s->g.p, s->g.nodes.v[place].name)[0];
}

/* The rows in order, one letter each. */
static void has_rows(const struct shown *s, const char *expected)
{
    char rows[LETTERS + 1] = {0};
    assert_true(s->cut.n <= LETTERS);
    for (size_t i = 0; i < s->cut.n; i++) {
        rows[i] = letter(s, s->cut.row[i].node);
        assert_int_equal(s->edges.row[s->cut.row[i].node], i);
    }
    assert_string_equal(rows, expected);
}

static void put(const struct shown *s, const struct graph_edge *e, char *text,
                size_t size)
{
    size_t n = strlen(text);
    (void)snprintf(text + n, size - n, "%c%s%c %d ", letter(s, e->from),
                   e->residual ? "." : "-", letter(s, e->to), (int)e->weight);
}

/* All edges in order: "a-b 3 " is a call, "a.b 3 " one past hidden nodes. */
static void has_edges(const struct shown *s, const char *expected)
{
    char text[200] = "";
    for (size_t i = 0; i < s->g.n_edges; i++)
        put(s, &s->g.edges[i], text, sizeof text);
    assert_string_equal(text, expected);
}

/* Those of one row. */
static void has_neighbours(const struct shown *s, size_t row, const char *in,
                           const char *out)
{
    const struct edges *e = &s->edges;
    uint32_t node = s->cut.row[row].node;
    char text[200] = "";
    for (uint32_t i = e->in_off[node]; i < e->in_off[node + 1]; i++)
        put(s, &s->g.edges[e->in[i]], text, sizeof text);
    assert_string_equal(text, in);
    *text = 0;
    for (uint32_t i = e->out_off[node]; i < e->out_off[node + 1]; i++)
        put(s, &s->g.edges[e->out[i]], text, sizeof text);
    assert_string_equal(text, out);
}

/*
 * m calls p calls q, which calls x and y alike.  m begins it all, q forks, x
 * and y end it: one bit each, times 100, or for x and y 50 and what they have
 * themselves.  p just passes on: none.
 */
static void test_forks(void **state)
{
    struct profile p;
    struct shown s;
    make(&p);
    add(&p, "mpqx", 50);
    add(&p, "mpqy", 50);
    struct graph_limits limits = {.visual = true};
    show(&s, &p, false, &limits);
    has_rows(&s, "mqxyp");
    has_edges(&s, "m-p 100 p-q 100 q-x 50 q-y 50 ");
    done(&s);
    limits.node_count = 4;
    show(&s, &p, false, &limits);
    has_rows(&s, "mqxy");
    assert_int_equal(s.cut.n_before, 5);
    has_edges(&s, "m.q 100 q-x 50 q-y 50 ");
    done(&s);
    prof_free(&p);
}

/*
 * a calls b and x, both call c and d.  By bits times values and own values:
 * a 1.98 * 36, d 1.72 * 25 + 25, c 1.44 * 11 + 11, b .92 * 15, x .28 * 21.
 */
static void make_two_ways(struct profile *p)
{
    make(p);
    add(p, "abc", 10);
    add(p, "axc", 1);
    add(p, "abd", 5);
    add(p, "axd", 20);
}

static void test_redundant(void **state)
{
    struct profile p;
    struct shown s;
    make_two_ways(&p);
    struct graph_limits limits = {.visual = true, .node_count = 4};
    show(&s, &p, false, &limits);
    /* a.c 1 is there over b, too; a.d is heavier than what leads over b. */
    has_edges(&s, "a.d 20 a-b 15 b-c 10 b-d 5 ");
    assert_int_equal(s.edges.row[s.g.edges[0].from], 0);
    done(&s);
    /* A text shows them all. */
    limits = (struct graph_limits){.node_fraction = 0.0, .node_count = 4};
    show(&s, &p, false, &limits);
    has_rows(&s, "dcab");
    has_edges(&s, "a.d 20 a-b 15 b-c 10 b-d 5 a.c 1 ");
    has_neighbours(&s, 0, "a.d 20 b-d 5 ", "");
    has_neighbours(&s, 2, "", "a.d 20 a-b 15 a.c 1 ");
    has_neighbours(&s, 3, "a-b 15 ", "b-c 10 b-d 5 ");
    done(&s);
    prof_free(&p);
}

static void test_light_edges(void **state)
{
    struct profile p;
    struct shown s;
    make_two_ways(&p);
    /* A tenth of 36 is 3. */
    struct graph_limits limits = {.edge_fraction = 0.1};
    show(&s, &p, false, &limits);
    has_edges(&s, "a-x 21 x-d 20 a-b 15 b-c 10 b-d 5 ");
    assert_int_equal(s.edges.dropped, 1);
    done(&s);
    prof_free(&p);
}

static void test_equal_edges(void **state)
{
    struct profile p;
    struct shown s;
    make(&p);
    add(&p, "zb", 2);
    add(&p, "yc", 2);
    add(&p, "yb", 2);
    add(&p, "xa", -2);
    const struct graph_limits limits = {0};
    show(&s, &p, false, &limits);
    has_edges(&s, "x-a -2 y-b 2 y-c 2 z-b 2 ");
    done(&s);
    prof_free(&p);
}

/* A node that adds up to nothing is no row, but calls lead through it. */
static void test_no_value(void **state)
{
    struct profile p;
    struct shown s;
    make(&p);
    add(&p, "abc", 7);
    add(&p, "abd", -7);
    add(&p, "a", 1);
    const struct graph_limits limits = {0};
    for (int tree = 0; tree < 2; tree++) {
        show(&s, &p, tree, &limits);
        has_rows(&s, "cda");
        has_edges(&s, "b-c 7 b-d -7 a-b 0 ");
        assert_int_equal(s.edges.row[s.g.edges[2].to], PROF_NONE);
        done(&s);
    }
    prof_free(&p);
}

static void test_tree(void **state)
{
    struct profile p;
    struct shown s;
    make(&p);
    add(&p, "ac", 3);
    add(&p, "abc", 2);
    add(&p, "a", 1);
    add(&p, "ac", 4);
    struct graph_limits limits = {0};
    show(&s, &p, true, &limits);
    assert_int_equal(s.g.n, 4);
    has_rows(&s, "ccab"); /* 7 and 2 of their own, 1, 0 */
    has_edges(&s, "a-c 7 a-b 2 b-c 2 ");
    assert_int_equal(s.g.value[s.cut.row[2].node].cum, 10);
    done(&s);
    limits.node_count = 3;
    show(&s, &p, true, &limits);
    has_rows(&s, "cca");
    has_edges(&s, "a-c 7 a.c 2 ");
    done(&s);
    /* Without the root, what it called are roots. */
    limits.node_count = 2;
    show(&s, &p, true, &limits);
    has_rows(&s, "cc");
    has_edges(&s, "");
    done(&s);
    prof_free(&p);
}

/* A function below itself is another node. */
static void test_recursion(void **state)
{
    struct profile p;
    struct shown s;
    make(&p);
    add(&p, "aaa", 5);
    const struct graph_limits limits = {.cum_sort = true};
    show(&s, &p, true, &limits);
    assert_int_equal(s.g.n, 3);
    has_edges(&s, "a-a 5 a-a 5 ");
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(s.g.value[s.cut.row[i].node].cum, 5);
    done(&s);
    prof_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forks),       cmocka_unit_test(test_redundant),
        cmocka_unit_test(test_light_edges), cmocka_unit_test(test_equal_edges),
        cmocka_unit_test(test_no_value),    cmocka_unit_test(test_tree),
        cmocka_unit_test(test_recursion),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    shares = true;
    return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
