/*
 * Random valid profiles through merge: the bytes of the sum do not depend on
 * order, grouping, threads, on what went to disk in between, or on
 * how the inputs came; totals stay; and protobuf-c reads the same.
 */
#include <stdlib.h>
#include <string.h>

#include "../unit/merge_try.h"
#include "../unit/pb_oracle.h"
#include "cli/filters.h"
#include "fuzz.h"
#include "made.h"
#include "profile/columns.h"
#include "profile/merge/merge.h"
#include "profile/wire/pb.h"

enum { MOST = 4 };

/* The inputs, as columns and as bytes. */
struct merging {
    struct profile p[MOST];
    struct buf bytes[MOST];
    size_t n;
    unsigned threads;
    unsigned spills; /* a bit for each input that disk comes after; 0: none */
};

/* Null where *err is the inputs' fault. */
static struct prof_merger *check(bool ok, struct prof_merger *m,
                                 struct prof_err *err)
{
    if (ok)
        return m;
    fuzz_refused(err);
    prof_merge_free(m);
    return NULL;
}

static struct prof_merger *new_merger(struct prof_err *err)
{
    struct prof_merger *m = prof_merge_new(NULL, err);
    FUZZ_CHECK(m);
    return m;
}

/* The sum's bytes, none where the merger is null or overflows. */
static struct buf finish(struct prof_merger *m, unsigned threads)
{
    struct profile out = {0};
    struct buf b = {0};
    struct prof_layout layout = {0};
    struct prof_err err = {0};
    if (m && check(prof_merge_finish(m, threads, &out, &layout, &err), m, &err))
        b = layout_bytes(&out, &layout);
    else
        m = NULL;
    prof_layout_free(&layout);
    prof_free(&out);
    prof_merge_free(m);
    return b;
}

/* --- ways to one sum ------------------------------------------------------ */

static struct buf one_by_one(struct merging *g)
{
    struct prof_err err = {0};
    struct prof_merger *m = new_merger(&err);
    for (size_t i = 0; m && i < g->n; i++)
        m = check(prof_merge_add(m, &g->p[i], &err), m, &err);
    return finish(m, 1);
}

static struct buf backwards_and_spilled(struct merging *g)
{
    struct prof_err err = {0};
    struct prof_merger *m = new_merger(&err);
    for (size_t i = g->n; m && i--;) {
        m = check(prof_merge_add(m, &g->p[i], &err), m, &err);
        if (m && g->spills >> i & 1)
            FUZZ_CHECK(prof_merge_spill(m, 0, &err));
    }
    return finish(m, g->threads);
}

/* Bytes decoded among the strings of the sum. */
static struct buf decoded(struct merging *g)
{
    struct prof_err err = {0};
    struct prof_merger *m = new_merger(&err);
    for (size_t i = 0; m && i < g->n; i++) {
        const struct buf *b = &g->bytes[i];
        m = check(prof_merge_decode(m, b->v, b->n, NULL, &err), m, &err);
    }
    return finish(m, g->threads);
}

/* All but the first by two threads. */
static struct buf by_threads(struct merging *g)
{
    struct prof_err err = {0};
    struct prof_merger *m =
        prof_merge_new(&(struct prof_merge_opts){.threads = 2}, &err);
    bool ok = m && prof_merge_add(m, &g->p[0], &err) &&
              add_parallel(m, 2, g->p + 1, g->n - 1, false, &err);
    return finish(check(ok, m, &err), g->threads);
}

/* The first ones merged, written and read before the others come. */
static struct buf grouped(struct merging *g, size_t first)
{
    struct prof_err err = {0};
    struct profile p;
    struct prof_merger *m = new_merger(&err);
    for (size_t i = 0; m && i < first; i++)
        m = check(prof_merge_add(m, &g->p[i], &err), m, &err);
    struct buf group = finish(m, g->threads);
    if (!group.n)
        return group;
    m = new_merger(&err);
    FUZZ_CHECK(pb_decode(group.v, group.n, &p, &fuzz_notes, &err));
    for (size_t i = first; m && i < g->n; i++)
        m = check(prof_merge_add(m, &g->p[i], &err), m, &err);
    if (m)
        m = check(prof_merge_take(m, &p, &err), m, &err);
    prof_free(&p);
    buf_free(&group);
    return finish(m, 1);
}

/* Frees the second. */
static void same_bytes(const struct buf *a, struct buf b)
{
    FUZZ_CHECK(a->n == b.n);
    FUZZ_CHECK(!a->n || memcmp(a->v, b.v, a->n) == 0);
    buf_free(&b);
}

/* --- what holds of a sum -------------------------------------------------- */

/* The sum of a type's values by its name, modulo 2^64. */
static uint64_t total(const struct profile *p, const char *type)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < p->n_types; i++)
        for (size_t s = 0; s < p->n_samples; s++)
            if (strcmp(prof_cstr(p, p->types[i].type), type) == 0)
                sum += (uint64_t)p->values[s * p->n_types + i];
    return sum;
}

static void check_totals(const struct merging *g, const struct profile *sum)
{
    for (size_t i = 0; i < sum->n_types; i++) {
        const char *type = prof_cstr(sum, sum->types[i].type);
        uint64_t wanted = 0;
        for (size_t k = 0; k < g->n; k++)
            wanted += total(&g->p[k], type);
        FUZZ_CHECK(total(sum, type) == wanted);
    }
}

/* To a total of 0, everything is normalized to 0, as in pprof. */
static bool has_totals(const struct profile *p)
{
    for (size_t i = 0; i < p->n_types; i++)
        if (!total(p, prof_cstr(p, p->types[i].type)))
            return false;
    return true;
}

/* A profile less itself is nothing, normalized or not. */
static void check_difference(const struct profile *sum, unsigned threads)
{
    struct cli_bases bases = {.threads = threads,
                              .normalize = threads > 1 && has_totals(sum),
                              .to_write = true};
    struct profile a, b;
    struct prof_err err = {0};
    FUZZ_CHECK(canonical_copy(sum, &a, &err) && canonical_copy(sum, &b, &err));
    struct profile *p = prof_box(&a, true, &err);
    FUZZ_CHECK(p);
    if (cli_bases_subtract(&bases, &p, &b, &err))
        FUZZ_CHECK(prof_count(p).samples == 0);
    else
        fuzz_refused(&err);
    prof_delete(p);
    prof_free(&b);
}

static void check_sum(const struct merging *g, const struct buf *bytes)
{
    struct profile sum, again;
    struct prof_err err = {0};
    FUZZ_CHECK(pb_decide(bytes->v, bytes->n, 0) == PB_TAKEN);
    FUZZ_CHECK(pb_decode(bytes->v, bytes->n, &sum, &fuzz_notes, &err));
    check_totals(g, &sum);
    FUZZ_CHECK(canonical_copy(&sum, &again, &err));
    same_bytes(bytes, layout_bytes(&again, NULL));
    prof_free(&again);
    check_difference(&sum, g->threads);
    FUZZ_CHECK(merge_in_order(&sum, g->threads, &again, NULL, &err));
    same_bytes(bytes, layout_bytes(&again, NULL));
    prof_free(&again);
    prof_free(&sum);
}

/*
 * What a sample says of where its mapping starts counts even if others cancel
 * it, which a file in between cannot know: mappings move only where values
 * are not below 0.
 */
static struct made_opts choose_opts(struct made_bytes *b)
{
    uint32_t choice = made_below(b, 256);
    bool positive = choice & 1;
    return (struct made_opts){.positive = positive,
                              .small = choice & 2,
                              .moved = positive && choice & 4,
                              .turned = choice & 8};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct made_bytes b = made_bytes_of(data, n);
    struct made_opts opts = choose_opts(&b);
    struct merging g = {.n = 1 + made_below(&b, MOST),
                        .threads = made_below(&b, 8) == 1 ? 3 : 1,
                        .spills = made_below(&b, 64)};
    struct profile world;
    (void)setenv("CMOCKA_TEST_ABORT", "1", 0);
    made_world(&world, &b);
    for (size_t i = 0; i < g.n; i++) {
        made_profile(&g.p[i], &world, &opts, &b);
        g.bytes[i] = layout_bytes(&g.p[i], NULL);
    }
    struct buf sum = one_by_one(&g);
    same_bytes(&sum, backwards_and_spilled(&g));
    same_bytes(&sum, decoded(&g));
    same_bytes(&sum, by_threads(&g));
    for (size_t first = 1; sum.n && first <= g.n; first++) {
        struct buf other = grouped(&g, first);
        /* Some of the inputs may overflow where all of them do not. */
        FUZZ_CHECK(other.n || !opts.small);
        if (other.n)
            same_bytes(&sum, other);
    }
    if (sum.n)
        check_sum(&g, &sum);
    buf_free(&sum);
    for (size_t i = 0; i < g.n; i++) {
        buf_free(&g.bytes[i]);
        prof_free(&g.p[i]);
    }
    prof_free(&world);
    return 0;
}
