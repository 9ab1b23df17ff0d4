/*
 * Values and calls of random profiles whose locations have many lines, against
 * stacks that are written out frame by frame.
 *
 * Few functions make many locations, so that a function is in several of a
 * stack, a call is between lines of one location and between locations, and
 * frames that are not kept are anywhere.  Stacks have root frames of those
 * before, which they share or not.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/model/build.h"
#include "report/graph/graph.h"
#include "stacks.h"
#include "unit.h"

enum { FUNCTIONS = 7, LOCATIONS = 9, LINES = 8, DEPTH = 6, TRIES = 400 };

static uint64_t state = 1;

static uint32_t any(uint32_t below)
{
    state = state * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)((state >> 33) % below);
}

static void make(struct profile *p, size_t n_samples)
{
    struct prof_err err;
    assert_true(prof_init(p, &err));
    assert_true(prof_add_type(p, "n", "count", &err));
    assert_true(prof_add_type(p, "time", "ns", &err));
    for (int i = 0; i < FUNCTIONS; i++) {
        struct prof_function f = {0};
        uint32_t id;
        const char name[] = {(char)('a' + i), 0};
        assert_true(prof_str(p, name, &f.name, &err));
        assert_true(prof_add_function(p, &f, &id, &err));
    }
    for (int i = 0; i < LOCATIONS; i++) {
        struct prof_location l = {.mapping = PROF_NONE};
        struct prof_line lines[LINES] = {0};
        size_t n = 1 + any(2) * any(LINES);
        for (size_t k = 0; k < n; k++)
            lines[k].function = any(FUNCTIONS);
        assert_true(prof_add_location(p, &l, lines, n, NULL, &err));
    }
    uint32_t path[DEPTH] = {0}; /* from the root */
    for (size_t s = 0; s < n_samples; s++) {
        uint32_t stack[DEPTH];
        int64_t values[] = {any(3), (int64_t)any(100) - 20};
        /* Some samples are skipped, and sometimes many in a row. */
        if (!any(4) || s / 100 % 9 == 5)
            values[0] = values[1] = 0;
        size_t n = any(DEPTH + 1);
        for (size_t k = any(DEPTH + 1); k < n; k++)
            path[k] = any(LOCATIONS);
        for (size_t k = 0; k < n; k++)
            stack[k] = path[n - 1 - k];
        assert_true(prof_add_sample(p, stack, n, values, 0, &err));
    }
}

struct call {
    int64_t weight, div;
    bool seen, residual, outlined; /* once at least */
};

/* What is expected, by node. */
struct sums {
    int64_t flat[FUNCTIONS], cum[FUNCTIONS], div[FUNCTIONS];
    struct call call[FUNCTIONS][FUNCTIONS];
};

/* The frames of a stack from the root; inlined: into the one before. */
static size_t write_out(const struct graph *g, const struct prof_stacks *r,
                        uint32_t *frame, bool *inlined)
{
    const struct nodes *t = &g->nodes;
    size_t n = 0;
    for (size_t i = r->depth; i-- > 0;) {
        uint32_t l = r->stack[i];
        for (uint64_t k = t->off[l + 1]; k-- > t->off[l];) {
            inlined[n] = k + 1 < t->off[l + 1];
            frame[n++] = t->of[k];
        }
    }
    return n;
}

static void add_calls(struct sums *sums, const bool *kept,
                      const uint32_t *frame, const bool *inlined, size_t n,
                      const int64_t *v)
{
    bool done[FUNCTIONS][FUNCTIONS] = {0}, residual = false;
    uint32_t from = PROF_NONE;
    for (size_t i = 0; i < n; i++) {
        uint32_t to = frame[i];
        if (kept && !kept[to]) {
            residual = true;
            continue;
        }
        if (from != PROF_NONE && from != to && !done[from][to]) {
            struct call *c = &sums->call[from][to];
            done[from][to] = c->seen = true;
            c->weight += v[1];
            c->div += v[0];
            c->residual |= residual;
            c->outlined |= !inlined[i];
        }
        from = to;
        residual = false;
    }
}

static void sum_up(const struct graph *g, const bool *kept, struct sums *sums)
{
    uint32_t frame[DEPTH * LINES];
    bool inlined[DEPTH * LINES];
    struct prof_stacks r;
    struct prof_err err;
    assert_true(prof_stacks_init(&r, g->p, &err));
    memset(sums, 0, sizeof *sums);
    for (size_t s = 0; s < g->p->n_samples; s++) {
        const int64_t *v = g->p->values + 2 * s;
        prof_stacks_read(&r, s);
        size_t n = write_out(g, &r, frame, inlined);
        bool done[FUNCTIONS] = {0};
        if (!n || (!v[0] && !v[1]))
            continue;
        sums->flat[frame[n - 1]] += v[1];
        for (size_t i = 0; i < n; i++) {
            sums->cum[frame[i]] += done[frame[i]] ? 0 : v[1];
            sums->div[frame[i]] += done[frame[i]] ? 0 : v[0];
            done[frame[i]] = true;
        }
        add_calls(sums, kept, frame, inlined, n, v);
    }
    prof_stacks_free(&r);
}

static void check(const struct graph *g, const bool *kept)
{
    struct sums sums;
    size_t n = 0;
    sum_up(g, kept, &sums);
    for (size_t k = 0; k < g->n; k++) {
        assert_int_equal(g->value[k].flat, sums.flat[k]);
        assert_int_equal(g->value[k].cum, sums.cum[k]);
        assert_int_equal(g->value[k].cum_div, sums.div[k]);
        for (size_t i = 0; i < g->n; i++)
            n += sums.call[k][i].seen;
    }
    assert_int_equal(g->n_edges, n);
    for (size_t i = 0; i < n; i++) {
        const struct graph_edge *e = &g->edges[i];
        struct call *c = &sums.call[e->from][e->to];
        assert_true(c->seen);
        c->seen = false;
        assert_int_equal(e->weight, c->weight);
        assert_int_equal(e->weight_div, c->div);
        assert_int_equal(e->residual, c->residual);
        assert_int_equal(e->inlined, !c->outlined);
    }
}

static void try_form(const struct profile *p, size_t node_count,
                     unsigned threads)
{
    struct graph g;
    struct graph_cut cut = {0};
    struct prof_err err;
    const struct graph_limits limits = {.node_count = node_count};
    const struct graph_opts opts = {
        .type = 1, .mean = true, .threads = threads};
    assert_true(graph_make(&g, p, &opts, &err));
    assert_true(graph_cut(&g, &limits, &cut, &err));
    assert_true(graph_link(&g, &cut, NULL, &err));
    check(&g, cut.kept);
    graph_cut_free(&cut);
    graph_free(&g);
}

static void try(size_t n_samples, unsigned threads)
{
    struct profile p;
    struct prof_err err;
    make(&p, n_samples);
    const size_t node_count = any(FUNCTIONS);
    try_form(&p, node_count, threads);
    stacks_share(&p, true);
    try_form(&p, node_count, threads);
    assert_true(prof_unshare(&p, &err));
    stacks_share(&p, false);
    try_form(&p, node_count, threads);
    prof_free(&p);
}

static void test_few_samples(void **unused)
{
    (void)unused;
    for (int i = 0; i < TRIES; i++)
        try(any(20), 1);
}

/* As many as several threads share. */
static void test_many_samples(void **unused)
{
    (void)unused;
    for (int i = 0; i < 10; i++)
        try(100000, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_samples),
        cmocka_unit_test(test_many_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
