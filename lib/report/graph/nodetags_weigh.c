/* What tags weigh, one tag after the other. */
#include <stdlib.h>
#include <string.h>

#include "report/graph/nodetags.h"
#include "report/graph/tree.h"

/* The node of a row, as far as the tag has been weighed. */
struct place {
    struct tag_weight weight;
    size_t first; /* the first sample there */
    size_t seen;  /* the last one, plus 1; 0: none of this tag */
};

struct weighing {
    const struct nodetags *t;
    const struct graph *g;
    const bool *kept;    /* by node, or null */
    uint32_t *row_of;    /* by node; PROF_NONE: not shown */
    uint32_t *leaf;      /* in a tree, by sample; or null */
    struct place *place; /* by row */
    uint32_t *touched;   /* the n rows that have been reached */
    size_t n;
    uint64_t *met;         /* by location: the last stack that has it */
    uint64_t stack;        /* the one that is added, counted from 1 */
    uint64_t values, divs; /* magnitudes of all that is weighed */
    bool overflow;         /* they do not fit 63 bits */
};

static struct place *place_of(struct weighing *w, uint32_t row)
{
    struct place *at = &w->place[row];
    if (!at->seen) {
        w->touched[w->n++] = row;
        *at = (struct place){.first = SIZE_MAX};
    }
    return at;
}

/* A sample that this node is on the stack of. */
static void add_cum(struct weighing *w, uint32_t row, size_t sample,
                    const struct tag_use *use, int64_t value, int64_t div)
{
    struct place *at = place_of(w, row);
    if (at->seen == sample + 1)
        return;
    at->seen = sample + 1;
    if (sample < at->first) {
        at->first = sample;
        at->weight.value = use->value;
    }
    at->weight.w.cum += value;
    at->weight.w.cum_div += div;
}

static void add_flat(struct weighing *w, uint32_t row, int64_t value,
                     int64_t div)
{
    w->place[row].weight.w.flat += value;
    w->place[row].weight.w.flat_div += div;
}

/* The row of a node; PROF_NONE when it is not shown. */
static uint32_t row_of(const struct weighing *w, uint32_t node)
{
    return !w->kept || w->kept[node] ? w->row_of[node] : PROF_NONE;
}

/*
 * A location that the stack has had already has nothing new.  A leaf that is
 * not kept leaves its caller none of its own.
 */
static void add_stack(struct weighing *w, size_t sample,
                      const struct tag_use *use, int64_t value, int64_t div)
{
    const struct profile *p = w->t->p;
    const struct nodes *nodes = &w->g->nodes;
    const uint32_t *stack = prof_stack(p, sample);
    size_t depth = prof_depth(p, sample);
    w->stack++;
    for (size_t i = depth; i-- > 0;) {
        uint32_t l = stack[i];
        if (w->met[l] == w->stack)
            continue;
        w->met[l] = w->stack;
        for (uint64_t k = nodes->off[l + 1]; k-- > nodes->off[l];) {
            uint32_t row = row_of(w, nodes->of[k]);
            if (row != PROF_NONE)
                add_cum(w, row, sample, use, value, div);
        }
    }
    uint32_t leaf =
        depth ? row_of(w, nodes->of[nodes->off[*stack]]) : PROF_NONE;
    if (leaf != PROF_NONE)
        add_flat(w, leaf, value, div);
}

/* In a tree the way to a node is known. */
static void add_way(struct weighing *w, size_t sample,
                    const struct tag_use *use, int64_t value, int64_t div)
{
    uint32_t node = w->leaf[sample];
    for (uint32_t k = node; k != PROF_NONE; k = w->g->parent[k])
        if (w->row_of[k] != PROF_NONE)
            add_cum(w, w->row_of[k], sample, use, value, div);
    if (node != PROF_NONE && w->row_of[node] != PROF_NONE)
        add_flat(w, w->row_of[node], value, div);
}

/* Also adds its magnitude to *sum; false when that does not fit 63 bits. */
static bool multiply(int64_t *v, uint32_t times, uint64_t *sum)
{
    uint64_t size;
    if (__builtin_mul_overflow(graph_abs(*v), times, &size) ||
        __builtin_add_overflow(*sum, size, sum) || *sum > INT64_MAX)
        return false;
    *v *= times;
    return true;
}

static void weigh_use(struct weighing *w, const struct tag_use *use)
{
    const struct profile *p = w->t->p;
    const size_t *first = w->t->set_sample + use->set;
    for (size_t i = first[0]; i < first[1]; i++) {
        size_t s = w->t->order[i];
        const int64_t *values = p->values + s * p->n_types;
        int64_t value = values[w->g->type], div = w->g->mean ? values[0] : 0;
        if (!value && !div)
            continue;
        w->overflow |= !multiply(&value, use->times, &w->values) ||
                       !multiply(&div, use->times, &w->divs);
        if (w->overflow)
            return;
        if (w->leaf)
            add_way(w, s, use, value, div);
        else
            add_stack(w, s, use, value, div);
    }
}

/* Tells fn what has been weighed, and makes ready for the next tag. */
static bool tell(struct weighing *w, uint32_t tag, uint64_t cutoff,
                 nodetags_fn *fn, void *ctx)
{
    bool ok = true;
    for (size_t i = 0; i < w->n; i++) {
        struct place *at = &w->place[w->touched[i]];
        const struct graph_weight *weight = &at->weight.w;
        if (graph_abs(weight->flat) >= cutoff ||
            graph_abs(weight->cum) >= cutoff)
            ok = ok && fn(ctx, tag, w->touched[i], &at->weight);
        at->seen = 0;
    }
    w->n = 0;
    return ok;
}

static uint32_t find_leaf(const struct weighing *w, const struct hashidx *index,
                          size_t sample)
{
    const struct nodes *nodes = &w->g->nodes;
    const uint32_t *stack = prof_stack(w->t->p, sample);
    uint32_t node = PROF_NONE;
    for (size_t i = prof_depth(w->t->p, sample); i-- > 0;)
        for (uint64_t k = nodes->off[stack[i] + 1];
             k-- > nodes->off[stack[i]];) {
            node = tree_find(w->g, index, node, nodes->of[k]);
            if (node == PROF_NONE)
                return PROF_NONE;
        }
    return node;
}

static bool find_leaves(struct weighing *w)
{
    size_t n = w->t->p->n_samples;
    struct hashidx index = {0};
    w->leaf = mem_array(n, sizeof *w->leaf);
    bool ok = w->leaf && tree_index(w->g, &index);
    for (size_t s = 0; ok && s < n; s++)
        w->leaf[s] = w->g->n ? find_leaf(w, &index, s) : PROF_NONE;
    hashidx_free(&index);
    return ok;
}

static bool make_ready(struct weighing *w, const struct graph_cut *cut)
{
    w->kept = w->g->parent ? NULL : cut->kept;
    w->row_of = mem_array(w->g->n, sizeof *w->row_of);
    w->place = mem_zarray(cut->n, sizeof *w->place);
    w->touched = mem_array(cut->n, sizeof *w->touched);
    w->met = mem_zarray(w->g->p->n_locations, sizeof *w->met);
    if (!w->row_of || !w->place || !w->touched || !w->met)
        return false;
    for (size_t k = 0; k < w->g->n; k++)
        w->row_of[k] = PROF_NONE;
    for (size_t i = 0; i < cut->n; i++)
        w->row_of[cut->row[i].node] = (uint32_t)i;
    return !w->g->parent || find_leaves(w);
}

bool nodetags_weigh(const struct nodetags *t, const struct graph *g,
                    const struct graph_cut *cut, nodetags_fn *fn, void *ctx,
                    struct err *err)
{
    struct weighing w = {.t = t, .g = g};
    bool ok = make_ready(&w, cut);
    for (uint32_t tag = 0; ok && !w.overflow && tag < t->n; tag++) {
        if (tag && t->v[tag].is_number && !t->v[tag - 1].is_number)
            w.values = w.divs = 0;
        size_t i = t->v[tag].first_use;
        for (; i < t->uses.n && t->uses.v[i].tag == tag; i++)
            weigh_use(&w, &t->uses.v[i]);
        ok = tell(&w, tag, (uint64_t)cut->node_cutoff, fn, ctx);
    }
    free(w.row_of);
    free(w.leaf);
    free(w.place);
    free(w.touched);
    free(w.met);
    if (ok && w.overflow)
        return err_set(err, ERR_INPUT,
                       "the numbers called bytes of a sample add up to more "
                       "than 9223372036854775807 with their values");
    return ok || err_nomem(err);
}
