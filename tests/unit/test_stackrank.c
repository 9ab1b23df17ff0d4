/*
 * Stacks as ranks of names, sorted: whether stacks share frames or not, the
 * same samples come in the same order, with the same stacks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random_profile.h"
#include "report/graph/stackrank.h"
#include "stacks.h"
#include "unit.h"

enum { N_WORDS = 12, DEEPEST = 9 };

/* Stacks of one content; three locations have several lines. */
static void make(struct profile *p, uint64_t content)
{
    static const char *const words[N_WORDS] = {
        "m", "c", "x", "b", "y", "a<b", "b<a<c", "n", "z<m", "k", "d", "e"};
    struct rng r = {content};
    struct prof_err err;
    uint32_t n = 1 + rng_below(&r, 40), n_words = 1 + rng_below(&r, N_WORDS);
    assert_true(prof_init(p, &err));
    for (uint32_t i = 0; i < n; i++) {
        char text[64] = "";
        size_t end = 0;
        for (uint32_t depth = rng_below(&r, DEEPEST); depth; depth--)
            end += (size_t)snprintf(text + end, sizeof text - end, "%s%s",
                                    words[rng_below(&r, n_words)],
                                    depth > 1 ? " " : "");
        stacks_add(p, text, (int64_t)rng_below(&r, 4));
    }
}

struct sorted {
    struct profile p;
    struct stackrank f;
    struct sample_list list;
};

static void sort(struct sorted *s)
{
    const struct stackrank_opts opts = {.threads = 1};
    struct prof_err err;
    assert_true(stackrank_init(&s->f, &s->p, &opts, &err));
    assert_true(stackrank_samples(&s->f, 0, 1, &s->list, &err));
    assert_true(!s->p.shared == !s->list.shared);
}

static void sorted_free(struct sorted *s)
{
    free(s->list.v);
    free(s->list.shared);
    stackrank_free(&s->f);
    prof_free(&s->p);
}

static bool same(const struct prof_stacks *a, const uint32_t *v, size_t depth)
{
    return a->depth == depth &&
           (!depth || !memcmp(a->stack, v, depth * sizeof *v));
}

/* Reads both from sample `from` on, and compares. */
static void compare(const struct sorted *a, const struct sorted *b, size_t from)
{
    struct prof_stacks x, y;
    struct prof_err err;
    uint32_t last[2 * DEEPEST * 3];
    size_t n = 0;
    assert_true(prof_stacks_init(&x, &a->p, &err));
    assert_true(prof_stacks_init(&y, &b->p, &err));
    for (size_t i = from; i < a->list.n; i++) {
        bool repeats = i > from && stackrank_repeats(&b->f, &b->list, i);
        assert_int_equal(a->list.v[i], b->list.v[i]);
        sample_list_read(&a->list, i, &x);
        sample_list_read(&b->list, i, &y);
        assert_true(same(&x, y.stack, y.depth));
        assert_int_equal(x.shared, y.shared);
        assert_int_equal(x.shared, prof_common(last, n, y.stack, y.depth));
        assert_true(i == from || repeats == same(&y, last, n));
        n = y.depth;
        assert_true(n <= sizeof last / sizeof *last);
        if (n)
            memcpy(last, y.stack, n * sizeof *last);
    }
    prof_stacks_free(&x);
    prof_stacks_free(&y);
}

static void both_forms_are_the_same(void **state)
{
    for (uint64_t content = 0; content < rng_rounds(2000); content++) {
        struct sorted a = {0}, b = {0};
        make(&a.p, content);
        make(&b.p, content);
        stacks_share(&b.p, content % 2);
        sort(&a);
        sort(&b);
        assert_int_equal(prof_all_frames(&a.p), prof_all_frames(&b.p));
        assert_int_equal(a.list.n, b.list.n);
        for (size_t from = 0; from < 3 && from < a.list.n; from++)
            compare(&a, &b, from);
        sorted_free(&a);
        sorted_free(&b);
    }
}

/* Samples without a value share what those around them need. */
static void without_values(void **state)
{
    struct sorted s = {0};
    struct prof_stacks r;
    struct prof_err err;
    assert_true(prof_init(&s.p, &err));
    stacks_add(&s.p, "d c b a", 1);
    stacks_add(&s.p, "c b a", 0);
    stacks_add(&s.p, "b a", 0);
    stacks_add(&s.p, "e c b a", 2);
    stacks_share(&s.p, true);
    sort(&s);
    assert_int_equal(s.list.n, 2);
    assert_true(prof_stacks_init(&r, &s.p, &err));
    sample_list_read(&s.list, 0, &r);
    sample_list_read(&s.list, 1, &r);
    assert_int_equal(r.shared, 3);
    const uint32_t ranks[] = {5, 3, 2, 1}; /* 0 is that of "" */
    assert_true(same(&r, ranks, 4));
    prof_stacks_free(&r);
    sorted_free(&s);
}

/* Lines are limited in proportion to all frames, also those that are shared. */
static void too_many_lines(void **state)
{
    for (int cut = 0; cut < 2; cut++)
        for (int share = 0; share < 2; share++) {
            struct sorted s = {0};
            struct prof_err err;
            uint32_t frames[1200], fn;
            struct prof_line lines[4000];
            struct prof_location l = {.mapping = PROF_NONE};
            struct prof_function f = {0};
            const int64_t value = 1;
            assert_true(prof_init(&s.p, &err));
            assert_true(prof_add_type(&s.p, "n", "count", &err));
            assert_true(prof_str(&s.p, "f", &f.name, &err));
            assert_true(prof_add_function(&s.p, &f, &fn, &err));
            for (size_t i = 0; i < 4000; i++)
                lines[i] = (struct prof_line){.function = fn};
            assert_true(prof_add_location(&s.p, &l, lines, 4000, NULL, &err));
            memset(frames, 0, sizeof frames);
            for (size_t n = 1190; n < 1200; n++)
                assert_true(prof_add_sample(&s.p, frames, n, &value, 0, &err));
            if (share)
                stacks_share(&s.p, true);
            const struct stackrank_opts opts = {.cut = cut, .threads = 1};
            assert_true(stackrank_init(&s.f, &s.p, &opts, &err));
            assert_null(s.p.shared);
            assert_int_equal(s.f.is_packed, !cut);
            assert_int_equal(s.f.n_cut, cut ? 10 : 0);
            if (cut) {
                uint64_t most = STACKRANK_LEAST +
                                STACKRANK_FRAMES * (11945 + UINT64_C(4000));
                assert_int_equal(s.f.depth, most / 10);
                assert_int_equal(s.f.deepest, 1199 * 4000);
            }
            sorted_free(&s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms_are_the_same),
        cmocka_unit_test(without_values),
        cmocka_unit_test(too_many_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
