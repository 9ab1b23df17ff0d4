/*
 * cut.c - replaces cold edges by a few that keep the total, so that hot ones
 * stay hot
 */
#include "base/slice.h"
#include "pgo/pgo.h"

/*
 * The name of caller and callee in the edges that replace the cold ones.  No
 * function of Go has it.  '~' sorts after all letters, so that these edges
 * follow kept edges of the same weight.
 */
#define COLD "~cold"

size_t pgo_edges_hot(const struct pgo_edges *edges, double percent)
{
    int64_t sum = 0;
    for (size_t i = 0; i < edges->v.n; i++) {
        sum += edges->v.v[i].weight;
        /* Compute as the compiler does, so that both round alike. */
        if ((double)sum / (double)edges->total * 100 > percent)
            return i + 1;
    }
    return edges->v.n;
}

/* Appends edges whose weights are at most `most` and add up to `rest`. */
static bool put_cold(struct pgo_edges *edges, int64_t rest, int64_t most,
                     struct prof_err *err)
{
    struct pgo_edge edge = {.caller = (uint32_t)edges->names.n,
                            .callee = (uint32_t)edges->names.n};
    if (!vec_push(&edges->names, slice_of(COLD)))
        return err_nomem(err);
    for (; rest > 0; rest -= edge.weight, edge.offset++) {
        edge.weight = rest < most ? rest : most;
        if (!vec_push(&edges->v, edge))
            return err_nomem(err);
    }
    return true;
}

bool pgo_edges_cut(struct pgo_edges *edges, double percent,
                   struct prof_err *err)
{
    size_t n = pgo_edges_hot(edges, percent);
    if (n == edges->v.n)
        return true;
    int64_t most = edges->v.v[n - 1].weight;
    if (slice_compare(edges->names.v[edges->v.v[n - 1].caller],
                      slice_of(COLD)) >= 0) {
        /*
         * The replacements would sort before this edge: keep all edges of its
         * weight, and make the replacements lighter.
         */
        while (n < edges->v.n && edges->v.v[n].weight == most)
            n++;
        most = n < edges->v.n ? edges->v.v[n].weight : 0;
    }
    int64_t rest = 0;
    for (size_t i = n; i < edges->v.n; i++)
        rest += edges->v.v[i].weight;
    edges->v.n = n;
    return put_cold(edges, rest, most, err);
}
