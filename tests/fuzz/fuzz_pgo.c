/*
 * Random valid profiles to what compilers read.  The profile of call edges has
 * the same edges; the hot ones alone have the same total, and none that was not
 * hot; and what is refused is refused in words.
 */
#include <string.h>

#include "fuzz.h"
#include "made.h"
#include "pgo/pgo.h"

enum { PERCENT = 60 };

/* The edges of *p as text, appended to *to. */
static void put_edges(const struct pgo_edges *edges, struct buf *to)
{
    struct buf_sink sink = buf_sink_of(to);
    struct prof_err err = {0};
    if (!pgo_edges_text(edges, &sink.sink, &err))
        fuzz_refused(&err);
}

static void same_again(const struct pgo_edges *edges)
{
    struct prof_err err = {0};
    struct buf before = {0}, after = {0};
    struct pgo_edges again = {0};
    struct profile *p = pgo_edges_profile(edges, &err);
    FUZZ_CHECK(p);
    fuzz_sound(p);
    FUZZ_CHECK(pgo_edges_read(p, &again, &err));
    FUZZ_CHECK(pgo_edges_fit(&again, &err));
    FUZZ_CHECK(again.total == edges->total);
    put_edges(edges, &before);
    put_edges(&again, &after);
    FUZZ_CHECK(before.n == after.n &&
               (!before.n || memcmp(before.v, after.v, before.n) == 0));
    buf_free(&before);
    buf_free(&after);
    pgo_edges_free(&again);
    prof_delete(p);
}

static void cut(struct pgo_edges *edges)
{
    struct prof_err err = {0};
    const int64_t total = edges->total;
    const size_t hot = pgo_edges_hot(edges, PERCENT);
    int64_t sum = 0;
    FUZZ_CHECK(pgo_edges_cut(edges, PERCENT, &err));
    FUZZ_CHECK(edges->total == total);
    FUZZ_CHECK(pgo_edges_hot(edges, PERCENT) == hot);
    for (size_t i = 0; i < edges->v.n; i++) {
        FUZZ_CHECK(edges->v.v[i].weight > 0);
        FUZZ_CHECK(!i || edges->v.v[i - 1].weight >= edges->v.v[i].weight);
        sum += edges->v.v[i].weight;
    }
    FUZZ_CHECK(sum == total);
    same_again(edges);
}

static void go(const struct profile *p)
{
    struct prof_err err = {0};
    struct pgo_edges edges = {0};
    if (!pgo_edges_read(p, &edges, &err)) {
        fuzz_refused(&err);
    } else {
        same_again(&edges);
        cut(&edges);
        if (!pgo_edges_fit(&edges, &err))
            fuzz_refused(&err);
    }
    pgo_edges_free(&edges);
}

/* Figures for a compiler, beside themselves. */
static void check(const struct profile *p, enum pgo_compiler compiler)
{
    struct prof_err err = {0};
    struct buf text = {0};
    struct buf_sink sink = buf_sink_of(&text);
    const struct pgo_check check = {.now = pgo_figures_new(p, compiler, &err),
                                    .before =
                                        pgo_figures_new(p, compiler, &err),
                                    .gcc = 2};
    if (!check.now || !pgo_check_text(&check, &sink.sink, &err))
        fuzz_refused(&err);
    else
        FUZZ_CHECK(text.n);
    pgo_figures_free(check.now);
    pgo_figures_free(check.before);
    buf_free(&text);
}

static void lines(const struct profile *p)
{
    struct prof_err err = {0};
    struct buf text = {0}, file = {0};
    struct buf_sink to_text = buf_sink_of(&text), to_file = buf_sink_of(&file);
    const int version = 2 + (int)(prof_count(p).samples & 1);
    struct sym_discriminators table = {0};
    const struct pgo_source from = {p, &table, &fuzz_notes};
    /* Of the innermost line of some locations, by clang and by gcc. */
    for (uint32_t i = 1; i < prof_count(p).locations; i += 2) {
        const struct sym_discriminator d = {SYM_PLACE(i, 0), i * 77,
                                            i % 4 == 1 ? 0 : i * 5, i % 8 == 1};
        FUZZ_CHECK(vec_push(&table.v, d));
    }
    const bool ok = pgo_llvm_text(&from, &to_text.sink, &err);
    if (!ok)
        fuzz_refused(&err);
    FUZZ_CHECK(pgo_gcc_file(&from, version, &to_file.sink, &err) == ok);
    FUZZ_CHECK(!ok || (text.n && file.n));
    vec_free(&table.v);
    buf_free(&text);
    buf_free(&file);
}

static void addresses(const struct profile *p)
{
    struct prof_err err = {0};
    struct buf text = {0};
    struct buf_sink to = buf_sink_of(&text);
    const struct sym_opts opts = {0};
    const struct pgo_binary from = {p, &opts, &fuzz_notes};
    if (!pgo_addresses_text(&from, PGO_AUTOFDO, &to.sink, &err))
        fuzz_refused(&err);
    else
        FUZZ_CHECK(text.n > 6);
    if (!pgo_addresses_text(&from, PGO_BOLT, &to.sink, &err))
        fuzz_refused(&err);
    buf_free(&text);
}

/* Go reads one type only, which the names of a world seldom are. */
static void name_type(struct profile *p)
{
    struct prof_value_type vt;
    struct prof_err err = {0};
    FUZZ_CHECK(prof_str(p, "samples", &vt.type, &err));
    FUZZ_CHECK(prof_str(p, "count", &vt.unit, &err));
    if (prof_count(p).types)
        prof_set_type(p, 0, vt);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const struct made_opts opts = {.positive = !(fuzz_choice(data, n) & 1),
                                   .small = !(fuzz_choice(data, n) & 2)};
    struct made_bytes b = made_bytes_of(data, n);
    struct profile world, p;
    made_world(&world, &b);
    made_profile(&p, &world, &opts, &b);
    name_type(&p);
    go(&p);
    lines(&p);
    check(&p, PGO_GO);
    check(&p, PGO_LLVM);
    check(&p, PGO_GCC);
    addresses(&p);
    prof_free(&p);
    prof_free(&world);
    return 0;
}
