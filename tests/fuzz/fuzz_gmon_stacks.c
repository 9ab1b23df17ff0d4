/*
 * gmon.out with functions: call stacks estimated by gprof's model.  There are
 * twelve functions, from where the first histogram or arc is, of a size that
 * the last byte chooses; no symbol table is needed.
 */
#include <stdio.h>
#include <string.h>

#include "formats/gmon/gmon.h"
#include "fuzz.h"
#include "gmon_options.h"
#include "profile/estimate/estimate.h"

enum { FUNCTIONS = 12 };

static bool make_owners(struct code_owners *o, const struct gmon *g,
                        unsigned choice, struct prof_err *err)
{
    uint64_t at = g->hists.n ? g->hists.v[0].low : g->arcs.v[0].self;
    uint64_t size = UINT64_C(1) << (choice / 8 % 8);
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        uint64_t end;
        char name[8];
        (void)snprintf(name, sizeof name, "f%u", i);
        if (__builtin_add_overflow(at, size, &end))
            break;
        if (!code_owners_add(o, at, end, name, i % 4 != 3, err))
            return false;
        at = end;
    }
    return true;
}

/*
 * The same time and calls as are in the file, however they are divided, but
 * for histograms without addresses, which are left out with a warning.
 */
static void check_totals(const struct profile *p, const struct gmon *g)
{
    uint64_t ticks = 0, calls = 0, samples = 0, arcs = 0;
    int t = prof_find_type(p, "samples"), c = prof_find_type(p, "calls");
    for (size_t i = 0; i < g->hists.n; i++) {
        const struct gmon_hist *h = &g->hists.v[i];
        for (uint32_t k = 0; h->low < h->high && k < h->n_bins; k++)
            ticks += g->bins.v[h->bin + k];
    }
    for (size_t i = 0; i < g->arcs.n; i++)
        arcs += g->arcs.v[i].count;
    for (size_t i = 0; i < g->entries.n; i++)
        arcs += g->entries.v[i].count;
    for (size_t s = 0; s < p->n_samples; s++) {
        const int64_t *v = p->values + s * p->n_types;
        samples += t < 0 ? 0 : (uint64_t)v[t];
        calls += c < 0 ? 0 : (uint64_t)v[c];
    }
    FUZZ_CHECK(t < 0 || ticks == samples);
    FUZZ_CHECK(c < 0 || calls == arcs);
}

static void convert(const struct gmon *g, unsigned choice)
{
    static const uint64_t max[] = {1, 2, 10, PROF_MAX_STACKS};
    const struct gmon_opts gmon_opts = {0};
    const struct prof_estimate_opts opts = {
        .max_stacks = max[choice % 4], .known = true, .notes = &fuzz_notes};
    struct code_owners owners = {0};
    const struct gmon_job job = {
        .g = g, .owners = &owners, .opts = &gmon_opts, .notes = &fuzz_notes};
    struct prof_err err = {0};
    struct profile *p = NULL;
    if (make_owners(&owners, g, choice, &err) &&
        (p = gmon_convert(&job, &err))) {
        fuzz_sound(p);
        check_totals(p, g);
        if (prof_estimate(p, &opts, &err)) {
            fuzz_sound(p);
            check_totals(p, g);
        } else {
            fuzz_refused(&err);
        }
    } else {
        fuzz_refused(&err);
    }
    code_owners_free(&owners);
    prof_delete(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    unsigned choice = fuzz_choice(data, n);
    const struct gmon_opts opts = {.lenient = choice & 4};
    struct gmon g;
    struct prof_err err = {0};
    if (!gmon_read(
            &g,
            &(struct import_input){.data = data, .n = n, .notes = &fuzz_notes},
            &opts, &err))
        fuzz_refused(&err);
    else if (g.hists.n || g.arcs.n)
        convert(&g, choice);
    gmon_free(&g);
    return 0;
}
