/*
 * A canonical profile is in the order that merge.h tells of, and a compact
 * one in that of what it was made of, however many threads made it.  What is
 * compared is what names and numbers say, by rules written here once more.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_profile.h"
#include "merge_try.h"
#include "profile/merge/merge.h"
#include "profile/wire/pb.h"
#include "random_profile.h"
#include "stacks.h"
#include "unit.h"

enum {
    N_LOCATIONS = 6000,
    N_FUNCTIONS = 500,
    N_SETS = 40,
    MOST_THREADS = 5,
};

static void must(bool ok, const struct prof_err *err)
{
    if (!ok)
        fail_msg("%s", err->text);
}

static uint32_t text(struct profile *p, const char *prefix, uint64_t number)
{
    char s[60];
    struct prof_err err;
    uint32_t id;
    snprintf(s, sizeof s, "%s%u", prefix, (unsigned)number);
    must(prof_str(p, s, &id, &err), &err);
    return id;
}

/* A name longer than a word; some differ in how many NULs are at the end. */
static uint32_t name(struct profile *p, uint64_t number)
{
    char s[60] = {0};
    struct prof_err err;
    uint32_t id;
    int n = snprintf(s, sizeof s, "a/long/package/of/the/program.f%u",
                     (unsigned)number / 3);
    must(prof_strn(p, s, (size_t)n + number % 3, &id, &err), &err);
    return id;
}

/* Functions that share names, and parts of names longer than a word. */
static void add_functions(struct profile *p, struct rng *r)
{
    struct prof_err err;
    for (size_t i = 0; i < N_FUNCTIONS; i++) {
        struct prof_function f = {
            .name = name(p, rng_next(r) % 6),
            .filename = text(p, "file", rng_next(r) % 3),
            .start_line = (int64_t)(rng_next(r) % 5) - 2,
        };
        f.system_name =
            rng_next(r) % 2 ? f.name : text(p, "_Z", rng_next(r) % 3);
        must(prof_add_function(p, &f, NULL, &err), &err);
    }
}

/* Locations of few addresses, with up to three lines, or of no mapping. */
static void add_locations(struct profile *p, struct rng *r)
{
    struct prof_err err;
    for (uint64_t i = 0; i < 3; i++) {
        struct prof_mapping m = {.start = i * 0x10000 + 0x1000,
                                 .limit = i * 0x10000 + 0x9000,
                                 .filename = text(p, "/bin/", 9 - i)};
        must(prof_add_mapping(p, &m, NULL, &err), &err);
    }
    for (size_t i = 0; i < N_LOCATIONS; i++) {
        struct prof_line lines[3] = {0};
        struct prof_location l = {.is_folded = rng_next(r) % 2,
                                  .mapping = (uint32_t)(rng_next(r) % 4)};
        uint64_t start = l.mapping * 0x10000 + 0x1000;
        if (l.mapping == 3) {
            l.mapping = PROF_NONE;
            start = 0;
        }
        l.address = start + rng_next(r) % 6;
        size_t n = rng_next(r) % 4;
        for (size_t k = 0; k < n; k++) {
            uint64_t f = rng_next(r) % (N_FUNCTIONS + 20), few = f % 30;
            lines[k].function = (uint32_t)(rng_next(r) % 2 ? f : few);
            if (f >= N_FUNCTIONS)
                lines[k].function = PROF_NONE;
            lines[k].line = (int64_t)(rng_next(r) % 5) - 2;
            lines[k].column = (int64_t)(rng_next(r) % 3) - 1;
        }
        must(prof_add_location(p, &l, lines, n, NULL, &err), &err);
    }
}

static void add_sets(struct profile *p, struct rng *r)
{
    struct prof_err err;
    for (size_t i = 0; i < N_SETS; i++) {
        struct prof_label labels[2] = {0};
        uint32_t set;
        for (uint64_t k = 0; k < 2; k++) {
            labels[k].key = text(p, "key", rng_next(r) % 3);
            if (rng_next(r) % 2)
                labels[k].str = text(p, "value", rng_next(r) % 5);
            else
                labels[k].num = (int64_t)(rng_next(r) % 5) - 2;
        }
        must(prof_labelset(p, labels, rng_next(r) % 3, &set, &err), &err);
    }
}

/*
 * n samples of up to 60 frames, half of which are those that the sample
 * before had next to the root, so that stacks share beginnings.  Every tenth
 * takes back the one before if n is even, every tenth repeats it, every tenth
 * repeats one that others are between, and some are 0.
 */
static void make(struct profile *p, size_t n, uint64_t seed)
{
    struct rng rng = {seed};
    uint32_t stack[60], set = 0;
    size_t depth = 0;
    struct prof_err err;
    must(prof_init(p, &err) && prof_add_type(p, "n", "count", &err) &&
             prof_add_type(p, "t", "ns", &err),
         &err);
    add_functions(p, &rng);
    add_locations(p, &rng);
    add_sets(p, &rng);
    for (size_t i = 0; i < n; i++) {
        int64_t values[2] = {(int64_t)(i % 7), (int64_t)i + 1};
        unsigned kind = i % 10;
        if (kind == 5 && n % 2 == 0) {
            values[0] = -(int64_t)((i - 1) % 7);
            values[1] = -(int64_t)i;
        } else if (kind == 8) {
            depth = prof_depth(p, i - 5);
            set = p->labelset[i - 5];
            for (size_t k = 0; k < depth; k++)
                stack[60 - depth + k] = prof_stack(p, i - 5)[k];
        } else if (kind != 9) {
            size_t keep = depth / 2;
            depth = rng_next(&rng) % 61;
            keep = keep < depth ? keep : depth;
            for (size_t k = 0; k < depth; k++) /* from the root */
                if (k >= keep)
                    stack[59 - k] =
                        (uint32_t)(rng_next(&rng) % (k < 8 ? 9 : N_LOCATIONS));
            set = (uint32_t)(rng_next(&rng) % p->n_labelsets);
        }
        if (i % 97 == 0)
            values[0] = values[1] = 0;
        must(prof_add_sample(p, stack + 60 - depth, depth, values, set, &err),
             &err);
    }
}

/* Whether stacks share frames: not at all, most of what they can, all. */
enum form { ALONE, SHARES_MOST, SHARES_ALL, FORMS };

static void make_form(struct profile *p, size_t n, enum form form)
{
    make(p, n, n);
    if (form != ALONE)
        stacks_share(p, form == SHARES_ALL);
}

/* --- the rules --------------------------------------------------------------
 */

static int number(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int string(const struct profile *p, uint32_t a, uint32_t b)
{
    size_t m = strtab_len(&p->strings, a), n = strtab_len(&p->strings, b);
    int d = memcmp(prof_cstr(p, a), prof_cstr(p, b), m < n ? m : n);
    return d ? (d > 0) - (d < 0) : (m > n) - (m < n);
}

#define FIRST(d)                                                               \
    do {                                                                       \
        int d_ = (d);                                                          \
        if (d_)                                                                \
            return d_;                                                         \
    } while (0)

static int function_cmp(const struct profile *p, uint32_t a, uint32_t b)
{
    if (a == PROF_NONE || b == PROF_NONE)
        return (a != PROF_NONE) - (b != PROF_NONE);
    const struct prof_function *x = &p->functions[a], *y = &p->functions[b];
    FIRST(string(p, x->name, y->name));
    FIRST(string(p, x->system_name, y->system_name));
    FIRST(string(p, x->filename, y->filename));
    return number(x->start_line, y->start_line);
}

static int location_cmp(const struct profile *p, uint32_t a, uint32_t b)
{
    const struct prof_location *x = &p->locations[a], *y = &p->locations[b];
    /* Mappings are in order already, and none comes before all. */
    FIRST(number((uint32_t)(x->mapping + 1), (uint32_t)(y->mapping + 1)));
    FIRST(number((int64_t)x->address, (int64_t)y->address));
    for (size_t i = 0; i < x->n_lines && i < y->n_lines; i++) {
        const struct prof_line *k = &p->lines[x->line_off + i];
        const struct prof_line *l = &p->lines[y->line_off + i];
        FIRST(function_cmp(p, k->function, l->function));
        FIRST(number(k->line, l->line));
        FIRST(number(k->column, l->column));
    }
    FIRST(number(x->n_lines, y->n_lines));
    return x->is_folded - y->is_folded;
}

static int labels_cmp(const struct profile *p, uint32_t a, uint32_t b)
{
    uint64_t i = p->labelset_off[a], m = p->labelset_off[a + 1];
    uint64_t j = p->labelset_off[b], n = p->labelset_off[b + 1];
    for (; i < m && j < n; i++, j++) {
        const struct prof_label *x = &p->labels[i], *y = &p->labels[j];
        FIRST(string(p, x->key, y->key));
        FIRST(string(p, x->str, y->str));
        FIRST(number(x->num, y->num));
        FIRST(string(p, x->unit, y->unit));
    }
    return (i < m) - (j < n);
}

static int sample_cmp(const struct profile *p, size_t a, size_t b)
{
    size_t m = prof_depth(p, a), n = prof_depth(p, b);
    for (size_t k = 1; k <= m && k <= n; k++)
        FIRST(
            location_cmp(p, prof_stack(p, a)[m - k], prof_stack(p, b)[n - k]));
    FIRST(m < n ? -1 : m > n);
    return labels_cmp(p, p->labelset[a], p->labelset[b]);
}

/* Each is one that was there before, or the next. */
static void comes(uint32_t i, size_t *n)
{
    assert_true(i <= *n);
    *n += i == *n;
}

/*
 * Locations come by how many frames are theirs, equal ones in their order
 * where they are ranked.
 */
static void check_locations(const struct profile *p, bool ranked)
{
    size_t *frames = calloc(p->n_locations, sizeof *frames);
    assert_non_null(frames);
    for (size_t f = 0; f < p->n_frames; f++)
        frames[p->frames[f]]++;
    for (uint32_t l = 0; l < p->n_locations; l++) {
        assert_true(frames[l] > 0);
        if (l && frames[l - 1] == frames[l])
            assert_true(!ranked || location_cmp(p, l - 1, l) < 0);
        else if (l)
            assert_true(frames[l - 1] > frames[l]);
    }
    free(frames);
}

static void check_numbers(const struct profile *p, bool ranked)
{
    size_t n_functions = 0, n_sets = 1;
    check_locations(p, ranked);
    for (size_t l = 0; l < p->n_locations; l++)
        for (uint32_t i = 0; i < p->locations[l].n_lines; i++) {
            uint32_t f = p->lines[p->locations[l].line_off + i].function;
            if (f != PROF_NONE)
                comes(f, &n_functions);
        }
    for (size_t s = 0; s < p->n_samples; s++)
        comes(p->labelset[s], &n_sets);
    assert_int_equal(n_functions, p->n_functions);
    assert_int_equal(n_sets, p->n_labelsets);
}

static void check_sorted(const struct profile *p)
{
    for (size_t s = 1; s < p->n_samples; s++)
        if (sample_cmp(p, s - 1, s) >= 0)
            fail_msg("samples %zu and %zu", s - 1, s);
}

static void check_order(const struct profile *p)
{
    struct prof_err err;
    must(check_profile(p, &err), &err);
    assert_int_equal(p->n_mappings, 3);
    assert_string_equal(prof_cstr(p, p->mappings[0].filename), "/bin/9");
    assert_string_equal(prof_cstr(p, p->mappings[1].filename), "/bin/7");
    assert_string_equal(prof_cstr(p, p->mappings[2].filename), "/bin/8");
    check_numbers(p, true);
    check_sorted(p);
    for (size_t s = 0; s < p->n_samples; s++)
        assert_true(p->values[2 * s] || p->values[2 * s + 1]);
}

/* What all samples come to. */
static void total(const struct profile *p, int64_t sum[2])
{
    sum[0] = sum[1] = 0;
    for (size_t i = 0; i < 2 * p->n_samples; i++)
        sum[i % 2] += p->values[i];
}

static void assert_same(struct buf *a, const struct buf *b)
{
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->v, b->v, b->n);
    buf_free(a);
}

/*
 * The canonical form of the same samples, by way of an index or without one,
 * left where they are or moved.
 */
static void check(size_t n)
{
    struct profile p, one;
    struct prof_err err;
    int64_t want[2], got[2];
    make(&p, n, n);
    total(&p, want);
    must(canonical_copy(&p, &one, &err), &err);
    check_order(&one);
    total(&one, got);
    assert_true(got[0] == want[0] && got[1] == want[1]);
    struct buf b = layout_bytes(&one, NULL);
    prof_free(&p);
    prof_free(&one);
    for (unsigned k = 0; k < FORMS * (MOST_THREADS + 1); k++) {
        struct prof_layout layout;
        unsigned threads = k / FORMS;
        make_form(&p, n, k % FORMS);
        must(prof_canonical(&p, threads, &one, &layout, &err), &err);
        struct buf a = layout_bytes(&one, &layout);
        assert_same(&a, &b);
        must(prof_apply_layout(&one, &layout, &err) &&
                 check_profile(&one, &err),
             &err);
        assert_int_equal(one.shared != NULL, k % FORMS != ALONE);
        a = layout_bytes(&one, NULL);
        assert_same(&a, &b);
        prof_layout_free(&layout);
        /* Once more, of what is in order already. */
        struct profile again;
        must(prof_canonical(&one, threads, &again, &layout, &err), &err);
        a = layout_bytes(&again, &layout);
        assert_same(&a, &b);
        prof_layout_free(&layout);
        prof_free(&p);
        prof_free(&one);
        prof_free(&again);
    }
    buf_free(&b);
}

/*
 * The sums of equal samples that are not 0, in the order of the first of
 * each; n of them, two numbers each.
 */
static int64_t *sums(const struct profile *p, size_t *n)
{
    int64_t *v = calloc(p->n_samples, 2 * sizeof *v);
    uint32_t *first = calloc(p->n_samples, sizeof *first);
    size_t n_first = 0, left = 0;
    assert_true(v && first);
    for (size_t s = 0; s < p->n_samples; s++) {
        size_t i = 0;
        if (prof_sample_is_zero(p, s))
            continue;
        while (i < n_first && sample_cmp(p, first[i], s))
            i++;
        if (i == n_first)
            first[n_first++] = (uint32_t)s;
        v[2 * i] += p->values[2 * s];
        v[2 * i + 1] += p->values[2 * s + 1];
    }
    for (size_t i = 0; i < n_first; i++)
        if (v[2 * i] || v[2 * i + 1]) {
            memmove(v + 2 * left, v + 2 * i, 2 * sizeof *v);
            left++;
        }
    free(first);
    *n = left;
    return v;
}

/* Compact, as it is written by its layout; in pieces. */
static void check_layout(size_t n, unsigned threads, enum form form,
                         const struct profile *want)
{
    struct profile p, out;
    struct prof_layout layout;
    struct buf b = layout_bytes(want, NULL);
    struct prof_err err;
    make_form(&p, n, form);
    size_t was = p.n_samples;
    must(merge_in_order(&p, threads, &out, &layout, &err), &err);
    if (form == ALONE)
        assert_int_equal(out.n_samples, was); /* nothing was moved */
    assert_int_equal(layout.n_order, want->n_samples);
    struct buf got = layout_bytes(&out, &layout);
    assert_same(&got, &b);
    buf_free(&b);
    prof_layout_free(&layout);
    prof_free(&p);
    prof_free(&out);
}

/* Compact, and then canonical, as bytes. */
static struct buf compacted(size_t n, unsigned threads, enum form form,
                            struct profile *out)
{
    struct profile p, sorted;
    struct prof_err err;
    make_form(&p, n, form);
    must(merge_in_order(&p, threads, out, NULL, &err) &&
             prof_unshare(out, &err) && check_profile(out, &err),
         &err);
    prof_free(&p);
    check_layout(n, threads, form, out);
    must(canonical_copy(out, &sorted, &err), &err);
    struct buf b = layout_bytes(&sorted, NULL);
    prof_free(&sorted);
    return b;
}

static void check_compact(size_t n)
{
    struct profile p, one;
    struct prof_err err;
    make(&p, n, n);
    must(canonical_copy(&p, &one, &err), &err);
    struct buf want = layout_bytes(&one, NULL), first = {0};
    prof_free(&p);
    prof_free(&one);
    for (unsigned k = 0; k < FORMS * (MOST_THREADS + 1); k++) {
        struct buf b = compacted(n, k / FORMS, k % FORMS, &one);
        assert_same(&b, &want);
        check_numbers(&one, false);
        b = layout_bytes(&one, NULL);
        if (!k) {
            first = b;
            for (uint32_t i = 0; i < 3; i++) /* as they came */
                assert_int_equal(prof_cstr(&one, one.mappings[i].filename)[5],
                                 '9' - i);
        } else {
            assert_same(&b, &first);
        }
        prof_free(&one);
    }
    buf_free(&want);
    buf_free(&first);
}

static void compact(void **state)
{
    for (size_t n = 1000; n < 1005; n++) {
        struct profile p, one;
        struct prof_err err;
        size_t n_sums;
        check_compact(n);
        make_form(&p, n, ALONE);
        int64_t *v = sums(&p, &n_sums);
        stacks_share(&p, true);
        must(merge_in_order(&p, 1, &one, NULL, &err), &err);
        assert_int_equal(one.n_samples, n_sums);
        assert_memory_equal(one.values, v, 2 * n_sums * sizeof *v);
        free(v);
        prof_free(&p);
        prof_free(&one);
    }
}

/* Several stretches of frames, and of samples by hash. */
static void compact_large(void **state)
{
    check_compact(60000);
}

/* A canonical profile of n samples or so, read back from its bytes. */
static struct buf read_canonical(size_t n, struct profile *p)
{
    struct profile raw, one;
    struct prof_err err;
    make(&raw, n, n);
    must(canonical_copy(&raw, &one, &err), &err);
    struct buf b = layout_bytes(&one, NULL);
    must(pb_decode(b.v, b.n, p, NULL, &err), &err);
    prof_free(&raw);
    prof_free(&one);
    return b;
}

/* What is canonical stays so, and the samples that are left of it in order. */
static void compact_canonical(void **state)
{
    for (size_t n = 1000; n < 1005; n++) {
        struct profile p, out;
        struct prof_err err;
        struct buf want = read_canonical(n, &p);
        must(merge_in_order(&p, 2, &out, NULL, &err), &err);
        struct buf got = layout_bytes(&out, NULL);
        assert_same(&got, &want);
        buf_free(&want);
        prof_free(&p);
        prof_free(&out);
        want = read_canonical(n, &p);
        for (size_t s = 0; s < 2 * p.n_samples; s++)
            if (s / 2 % 3 == n % 3)
                p.values[s] = 0; /* left out */
        size_t all = p.n_samples;
        must(merge_in_order(&p, 2, &out, NULL, &err), &err);
        assert_in_range(out.n_samples, all / 2, all - all / 4);
        check_sorted(&out);
        buf_free(&want);
        prof_free(&p);
        prof_free(&out);
    }
}

static void small(void **state)
{
    for (size_t n = 1000; n < 1010; n++)
        check(n);
}

/* Enough for the work to be cut into pieces: 1.2 million frames. */
static void large(void **state)
{
    check(40000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small),         cmocka_unit_test(compact),
        cmocka_unit_test(compact_large), cmocka_unit_test(compact_canonical),
        cmocka_unit_test(large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
