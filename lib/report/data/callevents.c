/* callevents.c - the sample types that --callgrind writes */
#include <stdlib.h>

#include "base/vec.h"
#include "report/data/private.h"

/*
 * Lists the type of the report, then the others.  Call counts are excluded, as
 * they are not written as an event.
 */
static bool list_events(struct call_events *e, const struct report *r,
                        struct prof_err *err)
{
    const struct profile *p = r->p;
    const int calls = report_calls_type(r);
    e->v = mem_zarray(p->n_types, sizeof *e->v);
    if (!e->v)
        return err_nomem(err);
    e->v[e->n++] = (struct call_event){
        .type = r->type, .units = r->units, .total = r->total};
    for (size_t t = 0; r->format->variant && t < p->n_types; t++)
        if (t != r->type && (calls < 0 || t != (size_t)calls))
            e->v[e->n++].type = t;
    return true;
}

/*
 * Makes e->any: the samples of the profile, with value 1 if any event has a
 * value, so that its graph has all nodes and calls.
 */
static bool make_any(struct call_events *e, const struct profile *p)
{
    e->any = *p;
    e->any.types = &e->any_type;
    e->any.n_types = 1;
    e->any.values = mem_zarray(p->n_samples, sizeof *e->any.values);
    for (size_t s = 0; e->any.values && s < p->n_samples; s++)
        for (size_t i = 0; i < e->n; i++)
            if (p->values[s * p->n_types + e->v[i].type])
                e->any.values[s] = 1;
    return e->any.values;
}

/* Sums the values of an event, and its calls. */
static bool make_event(struct call_event *e, struct report *r,
                       const struct graph_opts *like, struct prof_err *err)
{
    const struct graph_cut all = {0};
    struct graph_opts opts = *like;
    opts.type = e->type;
    if (!report_prepare_type(r, e->type, &e->total, &e->units, err) ||
        !graph_make(&e->g, r->p, &opts, err) ||
        !graph_link(&e->g, &all, NULL, err))
        return false;
    if (e->g.n_edges)
        qsort(e->g.edges, e->g.n_edges, sizeof *e->g.edges, graph_by_ends);
    return true;
}

const struct graph_edge *call_event_edge(const struct call_event *e,
                                         const struct graph_edge *edge)
{
    return e->g.n_edges ? bsearch(edge, e->g.edges, e->g.n_edges,
                                  sizeof *e->g.edges, graph_by_ends)
                        : NULL;
}

bool call_events_init(struct call_events *e, struct report *r, struct graph *g,
                      struct prof_err *err)
{
    struct graph_opts opts = report_graph_opts(r);
    opts.exact = true;
    if (!list_events(e, r, err))
        return false;
    if (e->n == 1) {
        opts.call_tree = r->opts->call_tree && !r->format->variant;
        return graph_make(g, r->p, &opts, err);
    }
    for (size_t i = 0; i < e->n; i++)
        if (!make_event(&e->v[i], r, &opts, err))
            return false;
    opts.type = 0;
    opts.mean = false;
    return (make_any(e, r->p) || err_nomem(err)) &&
           graph_make(g, &e->any, &opts, err);
}

void call_events_free(struct call_events *e)
{
    for (size_t i = 0; i < e->n; i++)
        graph_free(&e->v[i].g);
    free(e->v);
    free(e->any.values);
}
