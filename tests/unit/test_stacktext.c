/*
 * Stacks as text: what is copied from the sample before is what it says.
 *
 * Location 0 is "a.", 1 "b.", and so on; where a test says so, the last is
 * two pieces, "b." and "a.".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/samples.h"
#include "stacks.h"
#include "unit.h"

enum { N_LOCATIONS = 5, LONG = 40 };

static void make(struct profile *p)
{
    struct prof_err err;
    assert_true(prof_init(p, &err));
    for (int i = 0; i < N_LOCATIONS; i++) {
        struct prof_location l = {.mapping = PROF_NONE};
        assert_true(prof_add_location(p, &l, NULL, 0, NULL, &err));
    }
}

/* A sample whose stack is written as letters, leaf first. */
static void add(struct profile *p, const char *stack)
{
    struct prof_err err;
    uint32_t frames[8];
    size_t n = strlen(stack);
    for (size_t i = 0; i < n; i++)
        frames[i] = (uint32_t)(stack[i] - 'a');
    assert_true(prof_add_sample(p, frames, n, NULL, 0, &err));
}

static void piece(struct stacktext *t, const char *text)
{
    assert_true(buf_puts(&t->text, text) && stacktext_piece(t));
}

static void pieces(struct stacktext *t)
{
    for (int i = 0; i < N_LOCATIONS; i++)
        piece(t, (char[]){(char)('a' + i), '.', 0});
}

/* Each step-th sample, in brackets. */
static char *print(struct stacktext *t, bool forget, size_t step)
{
    struct buf out = {0};
    for (size_t s = 0; s < t->p->n_samples; s += step) {
        assert_true(buf_putc(&out, '[') && stacktext_put(t, s, &out) &&
                    buf_putc(&out, ']'));
        if (forget)
            t->next = 0;
    }
    assert_true(buf_putc(&out, 0));
    return (char *)out.v;
}

enum { SHARE_NOTHING, SHARE_SOME, SHARE_ALL };

/*
 * The text of each step-th sample is this, whether or not the stacks of *p
 * share frames.
 */
static void expect(struct stacktext *t, struct profile *p, size_t step,
                   const char *text)
{
    struct prof_err err;
    for (int share = SHARE_NOTHING; share <= SHARE_ALL; share++) {
        if (share)
            stacks_share(p, share == SHARE_ALL);
        for (int forget = 0; forget < 2; forget++) {
            t->next = 0;
            char *got = print(t, forget, step);
            assert_string_equal(got, text);
            free(got);
        }
        assert_true(prof_unshare(p, &err));
        prof_stacks_free(&t->stacks);
    }
}

static void test_shared_roots(void **state)
{
    struct profile p;
    make(&p);
    struct stacktext t = {.p = &p};
    pieces(&t);
    add(&p, "cba");
    add(&p, "dcba"); /* all of the last and more */
    add(&p, "ba");   /* part of the last */
    add(&p, "ba");   /* the same */
    add(&p, "");
    add(&p, "eba"); /* goes on behind one without frames */
    add(&p, "ab");  /* nothing in common */
    expect(&t, &p, 1, "[c.b.a.][d.c.b.a.][b.a.][b.a.][][e.b.a.][a.b.]");
    stacktext_free(&t);
    prof_free(&p);
}

/* What lies between two samples lowers what they share. */
static void test_left_out(void **state)
{
    struct profile p;
    make(&p);
    struct stacktext t = {.p = &p, .cut = 1};
    pieces(&t);
    add(&p, "cba");
    add(&p, "da");
    add(&p, "eba"); /* shares "a" with the one before the last */
    add(&p, "ceba");
    add(&p, "dceba"); /* shares "eba" with it */
    add(&p, "");
    add(&p, "cba");
    expect(&t, &p, 2, "[c.b.a][e.b.a][d.c.e.b.a][c.b.a]");
    expect(&t, &p, 4, "[c.b.a][d.c.e.b.a]");
    t.root_first = true;
    expect(&t, &p, 2, "[a.b.c][a.b.e][a.b.e.c.d][a.b.c]");
    stacktext_free(&t);
    prof_free(&p);
}

/* More samples than PROF_RESTART, and more than a reader reads one by one. */
static void test_many_samples(void **state)
{
    static const char *const stacks[] = {"cba", "dcba", "dcba", "ba", "eba"};
    static const char *const texts[] = {"[c.b.a]", "[d.c.b.a]", "[d.c.b.a]",
                                        "[b.a]", "[e.b.a]"};
    enum { N = 2 * PROF_RESTART + 50, KINDS = 5 };
    struct profile p;
    make(&p);
    struct stacktext t = {.p = &p, .cut = 1};
    pieces(&t);
    for (size_t s = 0; s < N; s++)
        add(&p, stacks[s % KINDS]);
    static const size_t steps[] = {1, 3, 7, 101, PROF_RESTART};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct buf want = {0};
        for (size_t s = 0; s < N; s += steps[i])
            assert_true(buf_puts(&want, texts[s % KINDS]));
        assert_true(buf_putc(&want, 0));
        expect(&t, &p, steps[i], (char *)want.v);
        buf_free(&want);
    }
    stacktext_free(&t);
    prof_free(&p);
}

static void test_cut(void **state)
{
    struct profile p;
    make(&p);
    struct stacktext t = {.p = &p, .cut = 1};
    pieces(&t);
    add(&p, "cba");
    add(&p, "dba");
    add(&p, "a");
    add(&p, "ea");
    expect(&t, &p, 1, "[c.b.a][d.b.a][a][e.a]");
    stacktext_free(&t);
    prof_free(&p);
}

static void test_many_pieces(void **state)
{
    static const uint64_t off[] = {0, 1, 2, 3, 4, 6};
    static const uint32_t of[] = {0, 1, 2, 3, 1, 0};
    struct profile p;
    make(&p);
    struct stacktext t = {.p = &p, .off = off, .of = of};
    pieces(&t);
    add(&p, "aec");
    add(&p, "bec");
    add(&p, "ce");
    expect(&t, &p, 1, "[a.b.a.c.][b.b.a.c.][c.b.a.]");
    stacktext_free(&t);
    prof_free(&p);
}

static void test_root_first(void **state)
{
    static const uint64_t off[] = {0, 1, 2, 3, 4, 6};
    static const uint32_t of[] = {0, 1, 2, 3, 1, 0};
    struct profile p;
    make(&p);
    struct stacktext t = {.p = &p, .root_first = true, .cut = 1};
    pieces(&t);
    add(&p, "cba");
    add(&p, "dcba"); /* goes on behind what was cut */
    add(&p, "ba");
    add(&p, "ba");
    add(&p, "");
    add(&p, "eba");
    add(&p, "ab");
    expect(&t, &p, 1, "[a.b.c][a.b.c.d][a.b][a.b][][a.b.e][b.a]");
    t.off = off;
    t.of = of;
    expect(&t, &p, 1, "[a.b.c][a.b.c.d][a.b][a.b][][a.b.a.b][b.a]");
    stacktext_free(&t);
    prof_free(&p);
}

/* Short pieces are copied in another way than long ones. */
static void test_lengths(void **state)
{
    for (size_t n = 0; n < LONG; n++) {
        char text[LONG + 1] = "", want[3 * LONG];
        memset(text, 'x', n);
        struct profile p;
        make(&p);
        struct stacktext t = {.p = &p};
        piece(&t, "1");
        piece(&t, text);
        piece(&t, "2");
        add(&p, "abc");
        add(&p, "cbc");
        (void)snprintf(want, sizeof want, "[1%s2][2%s2]", text, text);
        expect(&t, &p, 1, want);
        stacktext_free(&t);
        prof_free(&p);
    }
}

static void test_very_long(void **state)
{
    static const size_t lengths[] = {UINT16_MAX - 1, UINT16_MAX, UINT16_MAX + 1,
                                     1000000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const size_t n = lengths[i];
        char *text = malloc(n + 1), *want = malloc(2 * n + 40);
        assert_true(text && want);
        memset(text, 'x', n);
        text[n] = 0;
        struct profile p;
        make(&p);
        struct stacktext t = {.p = &p};
        piece(&t, "seven..");
        piece(&t, text);
        piece(&t, "eight...");
        add(&p, "abc");
        add(&p, "cbc");
        (void)sprintf(want, "[seven..%seight...][eight...%seight...]", text,
                      text);
        expect(&t, &p, 1, want);
        stacktext_free(&t);
        prof_free(&p);
        free(text);
        free(want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared_roots),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_many_pieces),
        cmocka_unit_test(test_root_first),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_very_long),
        cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_many_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
