/*
 * Values, choice and calls of a small graph, worked out by hand.
 *
 * Frames a to f, one location each, but `ab` is a inlined into b.  Stacks
 * are written leaf first.  All tests run again with stacks that share frames.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/model/build.h"
#include "report/graph/graph.h"
#include "stacks.h"
#include "unit.h"

enum { A, B, C, D, E, F, AB, N_LOCATIONS };

static void make(struct profile *p)
{
    struct prof_err err;
    uint32_t fn[AB];
    assert_true(prof_init(p, &err));
    assert_true(prof_add_type(p, "n", "count", &err));
    assert_true(prof_add_type(p, "time", "ns", &err));
    for (int i = A; i < AB; i++) {
        struct prof_function f = {0};
        struct prof_location l = {.mapping = PROF_NONE};
        const char name[] = {(char)('a' + i), 0};
        assert_true(prof_str(p, name, &f.name, &err));
        assert_true(prof_add_function(p, &f, &fn[i], &err));
        struct prof_line line = {.function = fn[i]};
        assert_true(prof_add_location(p, &l, &line, 1, NULL, &err));
    }
    struct prof_location l = {.mapping = PROF_NONE};
    struct prof_line lines[] = {{.function = fn[A]}, {.function = fn[B]}};
    assert_true(prof_add_location(p, &l, lines, 2, NULL, &err));
}

static void add(struct profile *p, int64_t n, int64_t time, size_t depth, ...)
{
    struct prof_err err;
    uint32_t stack[8];
    int64_t values[] = {n, time};
    va_list ap;
    va_start(ap, depth);
    for (size_t i = 0; i < depth; i++)
        stack[i] = (uint32_t)va_arg(ap, int);
    va_end(ap);
    assert_true(prof_add_sample(p, stack, depth, values, 0, &err));
}

/* The index of the node of that name. */
static uint32_t node(const struct graph *g, char name)
{
    for (uint32_t k = 0; k < g->nodes.n; k++)
        if (prof_cstr(g->p, g->nodes.v[k].name)[0] == name)
            return k;
    fail_msg("no node %c", name);
    return PROF_NONE;
}

static void has_weight(const struct graph *g, char name, int64_t flat,
                       int64_t cum)
{
    const struct graph_value *w = &g->value[node(g, name)];
    assert_int_equal(w->flat, flat);
    assert_int_equal(w->cum, cum);
}

static const struct graph_edge *edge(const struct graph *g, char from, char to)
{
    uint32_t f = node(g, from), t = node(g, to);
    for (size_t i = 0; i < g->n_edges; i++)
        if (g->edges[i].from == f && g->edges[i].to == t)
            return &g->edges[i];
    return NULL;
}

/* The names of the rows, one letter each. */
static void has_rows(const struct graph_cut *cut, const char *expected)
{
    assert_int_equal(cut->n, strlen(expected));
    for (size_t i = 0; i < cut->n; i++) {
        assert_int_equal(cut->row[i].name_n, 1);
        assert_int_equal(cut->text.v[cut->row[i].name], expected[i]);
    }
}

static bool shares; /* stacks share frames */

/* Of value 1. */
static bool make_graph(struct graph *g, struct profile *p, bool mean,
                       unsigned threads, struct prof_err *err)
{
    if (shares && !p->shared)
        stacks_share(p, true);
    const struct graph_opts opts = {
        .type = 1, .mean = mean, .threads = threads};
    return graph_make(g, p, &opts, err);
}

static void test_values(void **state)
{
    struct profile p;
    struct graph g;
    struct prof_err err;
    make(&p);
    add(&p, 1, 10, 3, A, B, C);
    add(&p, 1, 20, 4, A, B, A, C); /* a twice counts once */
    add(&p, 1, 30, 2, AB, C);      /* two frames at one location */
    add(&p, 1, 5, 0);              /* in the total only */
    add(&p, 1, 0, 1, D);
    assert_true(make_graph(&g, &p, false, 1, &err));
    assert_int_equal(g.total, 65);
    assert_int_equal(g.nodes.n, 6);
    has_weight(&g, 'a', 60, 60);
    has_weight(&g, 'b', 0, 60);
    has_weight(&g, 'c', 0, 60);
    has_weight(&g, 'd', 0, 0);
    graph_free(&g);
    prof_free(&p);
}

static void test_edges(void **state)
{
    struct profile p;
    struct graph g;
    struct graph_cut cut;
    struct prof_err err;
    make(&p);
    add(&p, 1, 10, 3, A, B, C);
    add(&p, 1, 30, 2, AB, C);
    add(&p, 1, 7, 2, AB, D);
    add(&p, 1, 4, 5, B, C, C, B, C); /* c calls b twice, and itself */
    struct graph_limits limits = {0};
    assert_true(make_graph(&g, &p, false, 1, &err));
    assert_true(graph_cut(&g, &limits, &cut, &err));
    assert_null(cut.kept);
    assert_true(graph_link(&g, &cut, NULL, &err));
    assert_int_equal(g.n_edges, 4);
    assert_int_equal(edge(&g, 'b', 'a')->weight, 47);
    assert_false(edge(&g, 'b', 'a')->inlined);
    assert_int_equal(edge(&g, 'c', 'b')->weight, 44);
    assert_int_equal(edge(&g, 'd', 'b')->weight, 7);
    assert_int_equal(edge(&g, 'b', 'c')->weight, 4);
    assert_false(edge(&g, 'c', 'b')->residual);
    graph_cut_free(&cut);
    graph_free(&g);
    prof_free(&p);
}

static void test_inlined_and_residual(void **state)
{
    struct profile p;
    struct graph g;
    struct graph_cut cut;
    struct prof_err err;
    make(&p);
    add(&p, 1, 30, 3, AB, C, D);
    add(&p, 1, 60, 1, E);
    /* c and d have 30 of 90, b too; with a count of 2 only e and a stay. */
    struct graph_limits limits = {.node_count = 2};
    assert_true(make_graph(&g, &p, false, 1, &err));
    assert_true(graph_cut(&g, &limits, &cut, &err));
    has_rows(&cut, "ea");
    assert_int_equal(cut.n_before, 5);
    assert_int_equal(cut.dropped, 0);
    assert_true(graph_link(&g, &cut, NULL, &err));
    assert_int_equal(g.n_edges, 0);
    graph_cut_free(&cut);
    graph_free(&g);

    /* Sorted by cum: e, then the four of 30 by name. */
    limits = (struct graph_limits){.node_count = 4, .cum_sort = true};
    assert_true(make_graph(&g, &p, false, 1, &err));
    assert_true(graph_cut(&g, &limits, &cut, &err));
    has_rows(&cut, "eabc");
    assert_true(graph_link(&g, &cut, NULL, &err));
    assert_int_equal(g.n_edges, 2);
    assert_true(edge(&g, 'b', 'a')->inlined);
    assert_false(edge(&g, 'c', 'b')->inlined);
    graph_cut_free(&cut);

    /* Past b, which is not kept: c calls a, but over something. */
    cut = (struct graph_cut){.kept = calloc(g.nodes.n, 1)};
    assert_non_null(cut.kept);
    cut.kept[node(&g, 'a')] = cut.kept[node(&g, 'c')] = true;
    assert_true(graph_link(&g, &cut, NULL, &err));
    assert_int_equal(g.n_edges, 1);
    assert_true(edge(&g, 'c', 'a')->residual);
    assert_true(edge(&g, 'c', 'a')->inlined);

    /* Only what is asked for. */
    bool *to = calloc(g.nodes.n, 1);
    assert_non_null(to);
    assert_true(graph_link(&g, &cut, to, &err));
    assert_int_equal(g.n_edges, 0);
    free(to);
    graph_cut_free(&cut);
    graph_free(&g);
    prof_free(&p);
}

static void test_cut(void **state)
{
    struct profile p;
    struct graph g;
    struct graph_cut cut;
    struct prof_err err;
    make(&p);
    add(&p, 1, 50, 1, C);
    add(&p, 1, -30, 1, D);
    add(&p, 1, 30, 1, A);
    add(&p, 1, 50, 2, B, E);
    add(&p, 1, 7, 1, F);
    add(&p, 1, -7, 1, F); /* 0 in all: not shown */
    assert_true(make_graph(&g, &p, false, 1, &err));
    assert_int_equal(g.total, 174);
    struct graph_limits limits = {0};
    assert_true(graph_cut(&g, &limits, &cut, &err));
    has_rows(&cut, "bcade"); /* by magnitude, then by name */
    graph_cut_free(&cut);

    limits.drop_negative = true;
    assert_true(graph_cut(&g, &limits, &cut, &err));
    has_rows(&cut, "bcae");
    graph_cut_free(&cut);

    /* Of the 100 that flat values add up to, 0.31 hides a and d. */
    limits = (struct graph_limits){.node_fraction = 0.31, .edge_fraction = 0.2};
    assert_true(graph_cut(&g, &limits, &cut, &err));
    has_rows(&cut, "bce");
    assert_int_equal(cut.dropped, 2);
    assert_int_equal(cut.n_before, 3);
    assert_int_equal(cut.edge_cutoff, 20);
    assert_true(cut.kept[node(&g, 'b')]);
    assert_false(cut.kept[node(&g, 'f')]);
    graph_cut_free(&cut);
    graph_free(&g);
    prof_free(&p);
}

static void test_mean(void **state)
{
    struct profile p;
    struct graph g;
    struct prof_err err;
    make(&p);
    add(&p, 2, 10, 2, A, C);
    add(&p, 3, 17, 2, B, C);
    add(&p, 1, 0, 1, C); /* divides although it has no value */
    assert_true(make_graph(&g, &p, true, 1, &err));
    assert_int_equal(g.total, 27 / 6);
    const struct graph_value *c = &g.value[node(&g, 'c')];
    assert_int_equal(c->cum, 27);
    assert_int_equal(c->cum_div, 6);
    assert_int_equal(c->flat_div, 1);
    assert_int_equal(graph_mean(c->cum, c->cum_div), 4);
    assert_int_equal(graph_mean(17, 0), 17);
    assert_int_equal(graph_mean(INT64_MIN, -1), INT64_MIN);
    graph_free(&g);
    prof_free(&p);
}

static void test_overflow(void **state)
{
    struct profile p;
    struct graph g;
    struct prof_err err;
    make(&p);
    add(&p, 0, INT64_MAX, 1, A);
    assert_true(make_graph(&g, &p, false, 1, &err));
    assert_int_equal(g.total, INT64_MAX);
    graph_free(&g);
    assert_true(prof_unshare(&p, &err));
    add(&p, 0, -1, 1, B);
    assert_false(make_graph(&g, &p, false, 1, &err));
    assert_int_equal(err.kind, PROF_ERR_INPUT);
    graph_free(&g);
    assert_int_equal(graph_cutoff(INT64_MAX, 1), INT64_MAX);
    assert_int_equal(graph_cutoff(-200, 0.005), 1);
    prof_free(&p);
}

/* Each of the three calls of a weighs as much as the sample. */
static void test_overflow_of_calls(void **state)
{
    struct profile p;
    struct graph g;
    struct graph_cut cut;
    struct prof_err err;
    const struct graph_limits limits = {.visual = true};
    make(&p);
    add(&p, 1, INT64_MAX, 6, A, B, A, C, A, D);
    assert_true(make_graph(&g, &p, false, 1, &err));
    assert_true(graph_rank(&g, &limits, &cut, &err));
    assert_int_equal(edge(&g, 'b', 'a')->weight, INT64_MAX);
    assert_int_equal(edge(&g, 'c', 'a')->weight, INT64_MAX);
    assert_int_equal(edge(&g, 'd', 'a')->weight, INT64_MAX);
    assert_int_equal(cut.n, 4);
    graph_cut_free(&cut);
    graph_free(&g);
    prof_free(&p);
}

enum { MANY = 50000, DEEP = 6 };

/* More samples than one thread is given at a time, next to no order. */
static void make_many(struct profile *p)
{
    struct prof_err err;
    uint32_t x = 1;
    make(p);
    for (size_t s = 0; s < MANY; s++) {
        uint32_t stack[DEEP], depth = s % (DEEP + 1);
        for (uint32_t i = 0; i < depth; i++) {
            x = x * 1664525 + 1013904223;
            stack[i] = (x >> 16) % N_LOCATIONS;
        }
        int64_t values[] = {(int64_t)(s % 3), (int64_t)(x % 5) - 1};
        assert_true(prof_add_sample(p, stack, depth, values, 0, &err));
    }
}

/* The frames of a sample from the root on, as functions; how many. */
static size_t frames_of(const struct profile *p, size_t s, uint32_t *fn,
                        bool *inlined)
{
    size_t n = 0;
    for (size_t i = prof_depth(p, s); i--;) {
        uint32_t l = prof_stack(p, s)[i];
        inlined[n] = false;
        fn[n++] = l == AB ? B : l;
        if (l == AB) {
            inlined[n] = true;
            fn[n++] = A;
        }
    }
    return n;
}

/* The same sums, frame by frame. */
struct plain {
    struct graph_value weight[AB];
    struct graph_edge edge[AB][AB];
};

static void add_plain(const struct profile *p, struct plain *to)
{
    memset(to, 0, sizeof *to);
    for (size_t s = 0; s < p->n_samples; s++) {
        uint32_t fn[2 * DEEP];
        bool inlined[2 * DEEP], seen[AB] = {0}, called[AB][AB] = {{0}};
        int64_t d = p->values[s * 2], v = p->values[s * 2 + 1];
        size_t n = v || d ? frames_of(p, s, fn, inlined) : 0;
        for (size_t i = 0; i < n; i++) {
            to->weight[fn[i]].flat += i + 1 == n ? v : 0;
            to->weight[fn[i]].flat_div += i + 1 == n ? d : 0;
            to->weight[fn[i]].cum += seen[fn[i]] ? 0 : v;
            to->weight[fn[i]].cum_div += seen[fn[i]] ? 0 : d;
            seen[fn[i]] = true;
            if (!i || fn[i] == fn[i - 1] || called[fn[i - 1]][fn[i]])
                continue;
            called[fn[i - 1]][fn[i]] = true;
            struct graph_edge *e = &to->edge[fn[i - 1]][fn[i]];
            e->inlined = inlined[i] && (e->inlined || !e->times);
            e->times++;
            e->weight += v;
            e->weight_div += d;
        }
    }
}

static void test_threads(void **state)
{
    struct profile p;
    struct plain expected;
    make_many(&p);
    add_plain(&p, &expected);
    for (unsigned threads = 1; threads <= 5; threads++) {
        struct graph g;
        struct graph_cut cut = {0};
        struct prof_err err;
        size_t n = 0;
        assert_true(make_graph(&g, &p, true, threads, &err));
        assert_true(graph_link(&g, &cut, NULL, &err));
        for (int a = A; a < AB; a++) {
            const struct graph_value *w = &g.value[node(&g, (char)('a' + a))];
            assert_memory_equal(w, &expected.weight[a], sizeof *w);
        }
        for (int a = A; a < AB; a++)
            for (int b = A; b < AB; b++) {
                const struct graph_edge *x = &expected.edge[a][b];
                const struct graph_edge *e =
                    edge(&g, (char)('a' + a), (char)('a' + b));
                assert_int_equal(e != NULL, x->times != 0);
                if (!e)
                    continue;
                n++;
                assert_int_equal(e->weight, x->weight);
                assert_int_equal(e->weight_div, x->weight_div);
                assert_int_equal(e->inlined, x->inlined);
                assert_false(e->residual);
            }
        assert_int_equal(g.n_edges, n);
        graph_free(&g);
    }
    prof_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_inlined_and_residual),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_mean),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_overflow_of_calls),
        cmocka_unit_test(test_threads),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    shares = true;
    return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
