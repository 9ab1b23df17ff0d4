/*
 * Call stacks by gprof's model.  The functions are made by hand, 16 bytes
 * each from 0x1000 on, and so are the graphs; what is expected is worked out
 * beside them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/sort.h"
#include "base/vec.h"
#include "base/wide.h"
#include "formats/gmon/gmon.h"
#include "profile/estimate/estimate.h"
#include "said.h"
#include "unit.h"

enum { LOW = 0x1000, SIZE = 16 };

struct made {
    struct code_owners owners;
    struct gmon g;
    struct profile p;
    struct prof_notes notes;
    char said[4096];
    char text[4096];
};

/* Notes, one a line. */
static void say(void *ctx, enum prof_note_level level, const char *text)
{
    char *said = ctx;
    size_t n = strlen(said);
    (void)snprintf(said + n, 4096 - n, "%s: %s\n",
                   level == PROF_NOTE_INFO ? "note" : "warning", text);
}

static const struct prof_notes *hear(struct made *m)
{
    m->said[0] = 0;
    m->notes = (struct prof_notes){.say = say, .ctx = m->said};
    return &m->notes;
}

/* Functions of these names, in order, each of a letter. */
static void make_functions(struct made *m, const char *names)
{
    struct prof_err err;
    memset(m, 0, sizeof *m);
    for (uint64_t at = LOW; *names; names++, at += SIZE) {
        const char name[2] = {*names, 0};
        assert_true(
            code_owners_add(&m->owners, at, at + SIZE, name, true, &err));
    }
}

static uint64_t address_of(const struct made *m, char name)
{
    for (uint32_t i = 0; i < m->owners.n; i++)
        if (*code_owner_name(&m->owners, i) == name)
            return m->owners.v[i].lo;
    return 8; /* of none */
}

/* n names, each a letter, and a number; false at the end of the text. */
static bool next_item(const char **text, char *names, size_t n, unsigned *count)
{
    const char *s = *text;
    char *end;
    for (size_t i = 0; i < n; i++) {
        s += strspn(s, " ");
        if (!*s)
            return false;
        names[i] = *s++;
    }
    *count = (unsigned)strtoul(s, &end, 10);
    assert_true(end > s);
    *text = end;
    return true;
}

static void put(struct buf *b, uint64_t x, unsigned bytes)
{
    for (; bytes; bytes--, x >>= 8)
        assert_true(buf_putc(b, (char)x));
}

/* A gmon.out of GNU with a histogram from LOW to `high`. */
static void put_bins(struct buf *f, uint64_t high, const uint16_t *bins,
                     uint32_t n)
{
    assert_true(buf_put(f, "gmon\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 21));
    put(f, LOW, 8);
    put(f, high, 8);
    put(f, n, 4);
    put(f, 100, 4);
    assert_true(buf_put(f, "seconds\0\0\0\0\0\0\0\0s", 16));
    for (uint32_t i = 0; i < n; i++)
        put(f, bins[i], 2);
}

/* ticks: "NAME COUNT ...", calls: "CALLER CALLEE COUNT ...". */
static void read_file(struct made *m, const char *ticks, const char *calls)
{
    struct buf f = {0};
    struct prof_err err;
    const struct gmon_opts opts = {0};
    uint16_t bins[4096] = {0};
    uint32_t n = (uint32_t)m->owners.n * SIZE / 4;
    char name[2];
    unsigned count;
    while (next_item(&ticks, name, 1, &count))
        bins[(address_of(m, *name) - LOW) / 4 + 1] = (uint16_t)count;
    put_bins(&f, LOW + 4 * n, bins, n);
    while (next_item(&calls, name, 2, &count)) {
        put(&f, 1, 1);
        put(&f, address_of(m, name[0]) + 8, 8);
        put(&f, address_of(m, name[1]) + 4, 8);
        put(&f, count, 4);
    }
    assert_true(gmon_read(&m->g, &(struct import_input){.data = f.v, .n = f.n},
                          &opts, &err));
    buf_free(&f);
}

static void print_name(struct made *m, size_t *n, uint32_t location)
{
    const struct prof_location *l = &m->p.locations[location];
    const char *name = "?";
    if (l->n_lines) {
        uint32_t f = m->p.lines[l->line_off].function;
        name = prof_cstr(&m->p, m->p.functions[f].name);
    }
    *n += (size_t)snprintf(m->text + *n, sizeof m->text - *n, "%s;", name);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A copy of the text with its lines in order. */
static char *sorted_lines(const char *text)
{
    const char *lines[256];
    struct buf b = {0}, sorted = {0};
    size_t n_lines = 0;
    assert_true(buf_puts(&b, text) && buf_putc(&b, 0));
    for (char *s = strtok((char *)b.v, "\n"); s; s = strtok(NULL, "\n")) {
        assert_true(n_lines < sizeof lines / sizeof *lines);
        lines[n_lines++] = s;
    }
    qsort(lines, n_lines, sizeof *lines, by_text);
    for (size_t i = 0; i < n_lines; i++)
        assert_true(buf_printf(&sorted, "%s\n", lines[i]));
    assert_true(buf_putc(&sorted, 0));
    buf_free(&b);
    return (char *)sorted.v;
}

/* The samples are these lines, in any order. */
static void assert_lines(const struct made *m, const char *expected)
{
    char *wanted = sorted_lines(expected);
    char *got = sorted_lines(m->text);
    assert_string_equal(got, wanted);
    free(wanted);
    free(got);
}

/* What was measured, in m->p. */
static void flat(struct made *m)
{
    struct prof_err err = {0};
    const struct gmon_opts opts = {0};
    const struct gmon_job job = {
        .g = &m->g, .owners = &m->owners, .opts = &opts, .notes = hear(m)};
    struct profile *p = gmon_convert(&job, &err);
    if (!p) {
        fail_msg("%s", err.text);
        return;
    }
    m->p = *p;
    free(p);
}

/* Samples as "leaf;caller;...: samples ms calls", one a line. */
static void print_samples(struct made *m)
{
    size_t n = 0;
    m->text[0] = 0;
    for (size_t s = 0; s < m->p.n_samples; s++) {
        const int64_t *v = &m->p.values[s * m->p.n_types];
        if (n > sizeof m->text / 2)
            break;
        for (size_t i = 0; i < prof_depth(&m->p, s); i++)
            print_name(m, &n, prof_stack(&m->p, s)[i]);
        n += (size_t)snprintf(m->text + n, sizeof m->text - n, " %d %g %d\n",
                              (int)v[0], (double)v[1] / 1e6, (int)v[2]);
    }
}

static void stacks(struct made *m, uint64_t max_stacks)
{
    struct prof_err err = {0};
    struct profile out;
    flat(m);
    const struct prof_estimate_opts opts = {
        .max_stacks = max_stacks, .known = true, .notes = hear(m)};
    if (!prof_estimate_stacks(&m->p, &opts, &out, &err))
        fail_msg("%s", err.text);
    prof_free(&m->p);
    m->p = out;
    print_samples(m);
}

static void free_made(struct made *m)
{
    prof_free(&m->p);
    gmon_free(&m->g);
    code_owners_free(&m->owners);
}

static void assert_stacks(const char *names, const char *ticks,
                          const char *calls, const char *expected)
{
    struct made m;
    make_functions(&m, names);
    read_file(&m, ticks, calls);
    stacks(&m, 1000);
    assert_lines(&m, expected);
    free_made(&m);
}

static void test_chain(void **state)
{
    assert_stacks("gfm", "g 2 m 1", "m f 1 f g 9",
                  "g;f;m; 2 20 0\n"
                  "m; 1 10 0\n"
                  "g;f; 0 0 9\n"
                  "f;m; 0 0 1\n");
}

/* 3 of 4 calls of g are a's. */
static void test_diamond(void **state)
{
    assert_stacks("gabm", "g 4", "m a 1 m b 7 a g 3 b g 1",
                  "g;a;m; 3 30 0\n"
                  "g;b;m; 1 10 0\n"
                  "g;a; 0 0 3\n"
                  "g;b; 0 0 1\n"
                  "a;m; 0 0 1\n"
                  "b;m; 0 0 7\n");
}

/* 10 ms of 1 : 2 are 3333333.3 and 6666666.7 ns; the one sample is b's. */
static void test_largest_remainder(void **state)
{
    assert_stacks("gab", "g 1", "a g 1 b g 2",
                  "g;b; 1 6.66667 0\n"
                  "g;a; 0 3.33333 0\n"
                  "g;a; 0 0 1\n"
                  "g;b; 0 0 2\n");
}

/* Calls to itself are calls, and pass no time: all of f's is m's. */
static void test_recursion(void **state)
{
    assert_stacks("fm", "f 7", "f f 50 m f 2",
                  "f;m; 7 70 0\n"
                  "f;f; 0 0 50\n"
                  "f;m; 0 0 2\n");
}

/*
 * a and b are a cycle that m calls twice and n once; x and y one that b
 * calls; y calls g.  Cycles are named by their members.
 */
static void test_two_cycles(void **state)
{
    assert_stacks("xygabmn", "a 3 y 6 g 9",
                  "m a 2 n b 1 a b 5 b a 4 b x 8 x y 3 y x 2 y g 1",
                  "y;<cycle of 2: x>;b;<cycle of 2: a>;m; 4 40 0\n"
                  "y;<cycle of 2: x>;b;<cycle of 2: a>;n; 2 20 0\n"
                  "g;y;<cycle of 2: x>;b;<cycle of 2: a>;m; 6 60 0\n"
                  "g;y;<cycle of 2: x>;b;<cycle of 2: a>;n; 3 30 0\n"
                  "a;<cycle of 2: a>;m; 2 20 0\n"
                  "a;<cycle of 2: a>;n; 1 10 0\n"
                  "x;y; 0 0 2\n"
                  "x;b; 0 0 8\n"
                  "y;x; 0 0 3\n"
                  "g;y; 0 0 1\n"
                  "a;b; 0 0 4\n"
                  "a;m; 0 0 2\n"
                  "b;a; 0 0 5\n"
                  "b;n; 0 0 1\n");
}

/* m calls both members: the cycle is called 3 + 1 times, by m alone. */
static void test_several_ways_into_a_cycle(void **state)
{
    assert_stacks("abmn", "a 4", "a b 1 b a 1 m a 2 m b 1 n b 1",
                  "a;<cycle of 2: a>;m; 3 30 0\n"
                  "a;<cycle of 2: a>;n; 1 10 0\n"
                  "a;b; 0 0 1\n"
                  "a;m; 0 0 2\n"
                  "b;a; 0 0 1\n"
                  "b;m; 0 0 1\n"
                  "b;n; 0 0 1\n");
}

static void test_cycle_that_nobody_calls(void **state)
{
    assert_stacks("abg", "b 1 g 2", "a b 1 b a 1 a g 1",
                  "b;<cycle of 2: a>; 1 10 0\n"
                  "g;a;<cycle of 2: a>; 2 20 0\n"
                  "a;b; 0 0 1\n"
                  "b;a; 0 0 1\n"
                  "g;a; 0 0 1\n");
}

/* Callers in no function ('-') and those of profiling take no time. */
static void test_callers_that_do_not_count(void **state)
{
    struct made m;
    struct prof_err err;
    make_functions(&m, "hgf");
    assert_true(code_owners_add(&m.owners, LOW + 3 * SIZE, LOW + 4 * SIZE,
                                "_mcount", true, &err));
    read_file(&m, "h 1 g 2 _ 4", "- g 5 f g 1 _ g 6 f _ 7");
    stacks(&m, 1000);
    assert_lines(&m, "h; 1 10 0\n"
                     "g;f; 2 20 0\n"
                     "_mcount; 4 40 0\n"
                     "g;?; 0 0 5\n"
                     "g;f; 0 0 1\n"
                     "g;_mcount; 0 0 6\n"
                     "_mcount;f; 0 0 7\n");
    assert_says(m.said, "note: 3 of 4 arcs lie outside known "
                        "functions; their counts are kept, but no ");
    free_made(&m);
}

/* Of 4 calls of g, one is f's and three come from outside. */
static void test_calls_from_outside(void **state)
{
    struct made m;
    make_functions(&m, "gf");
    read_file(&m, "g 8", "f g 1");
    struct gmon_arc outside = {0, LOW, 3};
    assert_true(vec_push(&m.g.entries, outside));
    stacks(&m, 1000);
    assert_lines(&m, "g; 6 60 0\n"
                     "g;f; 2 20 0\n"
                     "g;f; 0 0 1\n"
                     "g; 0 0 3\n");
    free_made(&m);
}

/*
 * One bin of 32 bytes, 5 ticks: 4 bytes are before the first function, 6 of
 * a, of which the first is the odd byte before its symbol, 16 of b, 6 of
 * what is behind it.  50 ms * 4 / 32 and so on are 6.25, 9.375, 25 and 9.375
 * ms; the ticks are b's, which has most of the bin.
 */
static void test_straddling(void **state)
{
    static const uint16_t five[] = {5};
    const struct gmon_opts opts = {0};
    struct buf f = {0};
    struct made m;
    struct prof_err err;
    memset(&m, 0, sizeof m);
    assert_true(code_owners_add(&m.owners, 0x1005, 0x100a, "a", true, &err));
    assert_true(code_owners_add(&m.owners, 0x100a, 0x101a, "b", true, &err));
    put_bins(&f, 0x1020, five, 1);
    assert_true(gmon_read(&m.g, &(struct import_input){.data = f.v, .n = f.n},
                          &opts, &err));
    buf_free(&f);
    stacks(&m, 1000);
    assert_said(m.text, "?; 0 6.25 0\n"
                        "a; 0 9.375 0\n"
                        "b; 5 25 0\n"
                        "?; 0 9.375 0\n");
    /* Each part is at its last byte. */
    assert_int_equal(m.p.locations[prof_stack(&m.p, 0)[0]].address, 0x1003);
    assert_int_equal(m.p.locations[prof_stack(&m.p, 1)[0]].address, 0x1009);
    assert_int_equal(m.p.locations[prof_stack(&m.p, 2)[0]].address, 0x1019);
    assert_int_equal(m.p.locations[prof_stack(&m.p, 3)[0]].address, 0x101f);
    free_made(&m);
}

/* Sums of a value over stacks that a name is on. */
static int64_t sum_of(const struct made *m, const char *name, size_t type)
{
    int64_t sum = 0;
    for (size_t s = 0; s < m->p.n_samples; s++)
        for (size_t i = 0; i < prof_depth(&m->p, s); i++) {
            const struct prof_location *l =
                &m->p.locations[prof_stack(&m->p, s)[i]];
            uint32_t f = m->p.lines[l->line_off].function;
            if (strcmp(prof_cstr(&m->p, m->p.functions[f].name), name) == 0) {
                sum += m->p.values[s * m->p.n_types + type];
                break;
            }
        }
    return sum;
}

/* The value of a type in the only sample of a leaf's address and a caller. */
static int64_t value_at(const struct made *m, uint64_t leaf, char caller,
                        size_t type)
{
    int64_t sum = 0;
    for (size_t s = 0; s < m->p.n_samples; s++) {
        const uint32_t *frames = prof_stack(&m->p, s);
        if (prof_depth(&m->p, s) == 2 &&
            m->p.locations[frames[0]].address == leaf &&
            m->p.locations[frames[1]].address == address_of(m, caller))
            sum += m->p.values[s * m->p.n_types + type];
    }
    return sum;
}

/*
 * For many tables of bins of g and of its callers a to j: the stacks of a bin
 * add up to it, those of a caller to its part of all by largest remainder, and
 * each is no less than the product rounded down.
 */
static void test_divided_bins(void **state)
{
    srand(1);
    for (int round = 0; round < 100; round++) {
        uint64_t bin[4], calls[10], share[10], all = 0, n_calls = 0;
        size_t k = 1 + (size_t)rand() % 10;
        char ticks[64] = "", arcs[256] = "";
        struct radix_item spare[20];
        struct made m;
        make_functions(&m, "gabcdefhij");
        (void)snprintf(ticks, sizeof ticks, "g %d", rand() % 1000);
        for (size_t i = 0; i < k; i++) {
            calls[i] = 1 + (uint64_t)rand() % 9;
            n_calls += calls[i];
            (void)snprintf(arcs + strlen(arcs), sizeof arcs - strlen(arcs),
                           "%c g %d ", "abcdefhij_"[i], (int)calls[i]);
        }
        if (k == 10)
            assert_true(code_owners_add(&m.owners, LOW + 10 * SIZE,
                                        LOW + 11 * SIZE, "_", true,
                                        &(struct prof_err){0}));
        read_file(&m, ticks, arcs);
        for (size_t i = 0; i < 4; i++)
            m.g.bins.v[i] = bin[i] = (uint64_t)rand() % (round % 2 ? 3 : 1000);
        stacks(&m, 1000);
        for (size_t type = 0; type < 2; type++) {
            const uint64_t unit = type ? 10000000 : 1;
            int64_t column[10] = {0};
            all = 0;
            for (size_t i = 0; i < 4; i++) {
                int64_t row = 0;
                for (size_t j = 0; j < k; j++) {
                    int64_t v =
                        value_at(&m, LOW + 4 * i + 3, "abcdefhij_"[j], type);
                    assert_true((uint64_t)v + 1 >=
                                bin[i] * unit * calls[j] / n_calls);
                    row += v;
                    column[j] += v;
                }
                assert_int_equal(row, bin[i] * unit);
                all += bin[i] * unit;
            }
            apportion(all, calls, k, share, spare);
            for (size_t j = 0; j < k; j++)
                assert_true(llabs(column[j] - (int64_t)share[j]) <= 1);
        }
        free_made(&m);
    }
}

/* Bins of 1 and 2 ticks, 2 : 1: every third tick goes to the second caller. */
static void test_divided_evenly(void **state)
{
    struct made m;
    make_functions(&m, "gab");
    read_file(&m, "g 1", "a g 2 b g 1");
    for (size_t i = 0; i < 4; i++)
        m.g.bins.v[i] = i % 2 ? 2 : 1;
    stacks(&m, 1000);
    for (uint64_t i = 0; i < 4; i += 2)
        assert_int_equal(value_at(&m, LOW + 4 * i + 3, 'b', 0) +
                             value_at(&m, LOW + 4 * i + 7, 'b', 0),
                         1);
    free_made(&m);
}

/*
 * Ten layers of two functions, each calling both of the next: 512 paths to
 * each of the last two, but 20 stacks are enough for sums that are right:
 * half of 10 s everywhere, all of it in z.
 */
static void test_bound(void **state)
{
    static const char names[] = "abcdefghijklmnopqrstz";
    for (uint64_t most = 20; most <= 2000; most *= 10) {
        char calls[1024] = "z a 1 z b 1";
        struct made m;
        size_t n = strlen(calls), n_stacks = 0;
        for (int i = 0; i < 18; i++)
            for (int k = 2 - i % 2; k < 4 - i % 2; k++)
                n += (size_t)snprintf(calls + n, sizeof calls - n, " %c %c 1",
                                      names[i], names[i + k]);
        make_functions(&m, names);
        read_file(&m, "s 500 t 500", calls);
        stacks(&m, most);
        for (size_t s = 0; s < m.p.n_samples; s++)
            n_stacks += m.p.values[s * 3 + 1] != 0;
        assert_true(n_stacks <= most);
        assert_int_equal(sum_of(&m, "z", 1), 10000000000);
        assert_int_equal(sum_of(&m, "z", 0), 1000);
        for (int i = 0; i < 20; i++) {
            const char name[2] = {names[i], 0};
            int64_t off = sum_of(&m, name, 1) - 5000000000;
            assert_true(off > -100 && off < 100); /* a ns a node or so */
        }
        char said[64];
        (void)snprintf(said, sizeof said,
                       "note: --max-stacks=%d reached: ", (int)most);
        bool cut = strstr(m.said, said);
        assert_int_equal(cut, most < 1024);
        assert_int_equal(m.p.n_comments, cut ? 5 : 4);
        free_made(&m);
    }
}

/* Too few for that: said, and nothing of the sum is lost. */
static void test_bound_too_low(void **state)
{
    struct made m;
    make_functions(&m, "gabcd");
    read_file(&m, "g 100", "a g 1 b g 1 c g 1 d g 1");
    stacks(&m, 2);
    assert_int_equal(sum_of(&m, "g", 1), 1000000000);
    assert_says(m.said, "warning: --max-stacks=2 reached: ");
    assert_says(m.said, "% are wrong or missing\n");
    free_made(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_diamond),
        cmocka_unit_test(test_largest_remainder),
        cmocka_unit_test(test_recursion),
        cmocka_unit_test(test_two_cycles),
        cmocka_unit_test(test_several_ways_into_a_cycle),
        cmocka_unit_test(test_cycle_that_nobody_calls),
        cmocka_unit_test(test_callers_that_do_not_count),
        cmocka_unit_test(test_calls_from_outside),
        cmocka_unit_test(test_straddling),
        cmocka_unit_test(test_divided_bins),
        cmocka_unit_test(test_divided_evenly),
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_bound_too_low),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
