/* The unit that "minimum" stands for. */
#include <string.h>

#include "profile/measure.h"
#include "report/format.h"

int64_t report_whole(double x)
{
    if (x >= 0x1p63)
        return INT64_MAX;
    return x >= -0x1p63 ? (int64_t)x : INT64_MIN;
}

/* The least value shown that is not 0, without its sign; 0 if there is none. */
static int64_t least_value(const struct graph *g, const struct graph_cut *cut)
{
    uint64_t least = 0;
    for (size_t i = 0; i < cut->n; i++) {
        const struct graph_weight *w = &g->weight[cut->row[i].node];
        uint64_t v = graph_abs(graph_mean(w->flat, w->flat_div));
        if (!v)
            v = graph_abs(graph_mean(w->cum, w->cum_div));
        if (v && (!least || v < least))
            least = v;
    }
    return (int64_t)least;
}

static void choose(struct report *r, const struct graph *g,
                   const struct graph_cut *cut, bool whole)
{
    if (strcmp(r->units.to, "minimum") != 0 || !cut->n)
        return;
    int64_t max = r->total, min = least_value(g, cut), hundred;
    min = min ? min : max;
    if (r->ratio != 1) {
        min = report_whole((double)min * r->ratio);
        max = report_whole((double)max * r->ratio);
    }
    const char *unit, *max_unit;
    (void)measure_scale(min, r->units.from, "minimum", &unit);
    (void)measure_scale(max, r->units.from, "minimum", &max_unit);
    if (!whole && strcmp(unit, max_unit) != 0 &&
        !__builtin_mul_overflow(min, 100, &hundred) && hundred < max)
        (void)measure_scale(hundred, r->units.from, "minimum", &unit);
    measure_init(&r->units, r->units.from, *unit ? unit : r->units.from);
}

void report_choose_unit(struct report *r, const struct graph *g,
                        const struct graph_cut *cut)
{
    choose(r, g, cut, false);
}

void report_choose_whole_unit(struct report *r, const struct graph *g,
                              const struct graph_cut *cut)
{
    choose(r, g, cut, true);
}
