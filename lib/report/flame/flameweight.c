#include "report/flame/flameweight.h"

#include <stdlib.h>

#include "report/graph/graph.h"

static void add(struct flame_weight *to, const struct flame_weight *w)
{
    to->width += w->width;
    to->now += w->now;
    to->old += w->old;
}

static struct flame_weight own(const struct flame_tree *t, size_t node)
{
    const int64_t *self = flame_self(t, node);
    struct flame_weight w = {.now = *self, .old = t->diff ? self[1] : 0};
    uint64_t a = graph_abs(w.now), b = graph_abs(w.old);
    w.width = (int64_t)(a > b ? a : b);
    return w;
}

/*
 * From the last node to the first, children before their parent: at[d] sums
 * over the nodes of depth d whose parent is still to come.
 */
static void sum_up(struct flame_weights *w, const struct flame_tree *t,
                   struct flame_weight *at)
{
    for (size_t i = t->nodes.n; i--;) {
        struct flame_weight *here = &at[t->nodes.v[i].depth];
        w->node[i] = own(t, i);
        add(&w->node[i], &here[1]);
        here[1] = (struct flame_weight){0};
        add(here, &w->node[i]);
    }
    w->all = at[0];
}

bool flame_weigh(struct flame_weights *w, const struct flame_tree *t)
{
    *w = (struct flame_weights){0};
    for (size_t i = 0; i < t->nodes.n; i++)
        if (w->depth <= t->nodes.v[i].depth)
            w->depth = (size_t)t->nodes.v[i].depth + 1;
    struct flame_weight *at = mem_zarray(w->depth + 1, sizeof *at);
    w->node = mem_array(t->nodes.n, sizeof *w->node);
    bool ok = at && w->node;
    if (ok)
        sum_up(w, t, at);
    free(at);
    return ok;
}

void flame_weights_free(struct flame_weights *w)
{
    free(w->node);
    *w = (struct flame_weights){0};
}
