/* unnamed.c - warns of code without function names, once for each report */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/vec.h"
#include "profile/columns.h"
#include "report/out.h"

static const double worth_a_warning = 0.01;

/* Why the leaf of a stack has no name. */
enum cause {
    NAMED,    /* or it is in no file, so there is no remedy */
    NO_NAME,  /* not looked up in its file, or not found */
    NO_SYMBOL /* the profiler itself calls it [unknown] */
};

static enum cause cause_of(const struct profile *p,
                           const struct prof_location *l)
{
    bool unknown = false;
    for (uint32_t i = 0; i < l->n_lines; i++) {
        uint32_t f = p->lines[l->line_off + i].function;
        struct prof_slice name = {0};
        if (f != PROF_NONE)
            name = prof_text(p, p->functions[f].name);
        if (name.n && !slice_is(name, "[unknown]"))
            return NAMED;
        unknown |= name.n != 0;
    }
    if (unknown)
        return NO_SYMBOL;
    return l->mapping != PROF_NONE && p->mappings[l->mapping].filename ? NO_NAME
                                                                       : NAMED;
}

/* The magnitudes of stacks by the cause of their leaf. */
struct sums {
    double all, of[NO_SYMBOL + 1];
    double *by_mapping; /* those of NO_NAME */
};

static bool sum_up(const struct report *r, const uint8_t *causes,
                   struct sums *sums, struct prof_err *err)
{
    const struct profile *p = r->p;
    struct prof_stacks stacks;
    if (!prof_stacks_init(&stacks, p, err))
        return false;
    for (size_t s = 0; s < p->n_samples; s++) {
        int64_t v = p->values[s * p->n_types + r->type];
        double value = v < 0 ? -(double)v : (double)v;
        sums->all += value;
        prof_stacks_read(&stacks, s);
        if (!stacks.depth)
            continue;
        uint32_t leaf = stacks.stack[0], m = p->locations[leaf].mapping;
        sums->of[causes[leaf]] += value;
        if (causes[leaf] == NO_NAME)
            sums->by_mapping[m] += value;
    }
    prof_stacks_free(&stacks);
    return true;
}

static void warn(const struct report *r, const struct sums *sums)
{
    const struct profile *p = r->p;
    const uint32_t type = p->types[r->type].type;
    const double none = sums->of[NO_NAME] / sums->all,
                 unknown = sums->of[NO_SYMBOL] / sums->all;
    if (none > worth_a_warning) {
        size_t most = 0, n;
        for (size_t m = 1; m < p->n_mappings; m++)
            if (sums->by_mapping[m] > sums->by_mapping[most])
                most = m;
        const struct prof_shown shown =
            prof_show(p, p->mappings[most].filename);
        const char *base = path_base(shown.text, strlen(shown.text), &n);
        note_warn(r->notes,
                  "no function names for %.3g%% of %s, mostly in %.*s: use "
                  "pbsym, which reports the files that lack symbols",
                  100 * none, prof_show(p, type).text, (int)n, base);
    }
    if (unknown > worth_a_warning)
        note_warn(r->notes,
                  "%.3g%% of %s is in [unknown], for which the profiler had no "
                  "symbols: install them where it runs (Debian: -dbgsym "
                  "packages)",
                  100 * unknown, prof_show(p, type).text);
}

bool report_warn_unnamed(const struct report *r, struct prof_err *err)
{
    const struct profile *p = r->p;
    uint8_t *causes = mem_array(p->n_locations, 1);
    struct sums sums = {.by_mapping =
                            mem_zarray(p->n_mappings, sizeof *sums.by_mapping)};
    bool ok = (causes && sums.by_mapping) || err_nomem(err), any = false;
    for (size_t i = 0; ok && i < p->n_locations; i++) {
        causes[i] = (uint8_t)cause_of(p, &p->locations[i]);
        any |= causes[i] != NAMED;
    }
    if (ok && any)
        ok = sum_up(r, causes, &sums, err);
    if (ok && sums.all > 0)
        warn(r, &sums);
    free(causes);
    free(sums.by_mapping);
    return ok;
}
