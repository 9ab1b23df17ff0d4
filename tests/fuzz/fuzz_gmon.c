/*
 * gmon.out of all families: read strictly and leniently, summed, and made a
 * profile of what was measured.
 */
#include <string.h>

#include "formats/gmon/gmon.h"
#include "fuzz.h"
#include "gmon_options.h"

static uint64_t total(const struct gmon *g)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < g->hists.n; i++)
        for (uint32_t k = 0; k < g->hists.v[i].n_bins; k++)
            sum += g->bins.v[g->hists.v[i].bin + k];
    for (size_t i = 0; i < g->arcs.n; i++)
        sum += g->arcs.v[i].count;
    for (size_t i = 0; i < g->entries.n; i++)
        sum += g->entries.v[i].count;
    for (size_t i = 0; i < g->blocks.n; i++)
        sum += g->blocks.v[i].count;
    return sum;
}

/* What is whole is read alike whether or not half a file would do. */
static void check_lenient(const struct gmon *strict, const uint8_t *data,
                          size_t n, struct gmon_opts opts)
{
    struct gmon g;
    struct prof_err err = {0};
    opts.lenient = true;
    if (!gmon_read(
            &g,
            &(struct import_input){.data = data, .n = n, .notes = &fuzz_notes},
            &opts, &err))
        fuzz_fail(__FILE__, __LINE__, "only strictly good: %s", err.text);
    FUZZ_CHECK(g.family == strict->family);
    FUZZ_CHECK(g.form.addr_size == strict->form.addr_size);
    FUZZ_CHECK(g.form.big_endian == strict->form.big_endian);
    FUZZ_CHECK(g.hists.n == strict->hists.n && g.arcs.n == strict->arcs.n);
    FUZZ_CHECK(total(&g) == total(strict));
    gmon_free(&g);
}

static void convert(const struct gmon *g)
{
    const struct gmon_opts opts = {0};
    struct prof_err err = {0};
    struct profile *p = gmon_convert(
        &(struct gmon_job){.g = g, .opts = &opts, .notes = &fuzz_notes}, &err);
    if (p)
        fuzz_sound(p);
    else
        fuzz_refused(&err);
    prof_delete(p);
}

/* Twice the same is twice as much of each, without wrapping. */
static void add_twice(struct gmon *g, struct gmon *copy)
{
    struct gmon sum = {0};
    struct prof_err err = {0};
    if (!gmon_add(&sum, copy, "one", &err))
        fuzz_fail(__FILE__, __LINE__, "cannot add to nothing: %s", err.text);
    FUZZ_CHECK(total(&sum) == total(g));
    if (gmon_add(&sum, g, "two", &err)) {
        FUZZ_CHECK(total(&sum) == 2 * total(g));
        FUZZ_CHECK(sum.hists.n == g->hists.n && sum.arcs.n == g->arcs.n);
        convert(&sum);
    } else {
        fuzz_refused(&err);
        FUZZ_CHECK(total(&sum) == total(g));
    }
    gmon_free(&sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const struct gmon_opts opts = gmon_options(fuzz_choice(data, n));
    const struct import_input in = {.data = data, .n = n, .notes = &fuzz_notes};
    struct gmon g, copy = {0};
    struct prof_err err = {0};
    if (gmon_read(&g, &in, &opts, &err)) {
        if (!opts.lenient)
            check_lenient(&g, data, n, opts);
        convert(&g);
        FUZZ_CHECK(gmon_read(&copy, &in, &opts, &err));
        add_twice(&g, &copy);
    } else {
        fuzz_refused(&err);
    }
    gmon_free(&copy);
    gmon_free(&g);
    return 0;
}
