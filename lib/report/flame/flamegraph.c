/* flamegraph.c - makes the tree of all stacks that a flame graph shows */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/columns.h"
#include "report/flame/private.h"
#include "report/graph/graph.h"

/*
 * --- the tree ---
 *
 * It is made in one pass over the samples, sorted by stack, once it is known
 * which nodes are kept (flamelimit.c).  So memory is in proportion to the
 * result, not to the number of paths.
 */

enum {
    /*
     * The most values in a tree: MANY, and MANY_EACH for each frame and each
     * value of the profile.
     */
    MANY = 4 << 20,
    MANY_EACH = 16,
};

/* The light nodes below an open node, which become one. */
struct small {
    size_t depth; /* of the open node, from 1; 0: the root */
    uint64_t n;   /* nodes */
    uint32_t row; /* of flame_tree.self */
};

struct builder {
    struct flame_tree *t;
    const struct stackrank *ranks;
    const struct profile *p;
    struct flame_stacks stacks;
    uint64_t most;           /* values that a tree of several types may have */
    VEC(struct small) small; /* from the root */
};

/*
 * Sets the totals.  Fails if the magnitudes of a type exceed 63 bits; otherwise
 * no sum can overflow.
 */
static bool weigh_types(struct builder *b, struct prof_err *err)
{
    const struct profile *p = b->p;
    for (size_t i = 0; i < b->t->n_types; i++) {
        const size_t type = b->t->first_type + i;
        uint64_t sum = 0;
        for (size_t s = 0; s < p->n_samples; s++) {
            const int64_t value = p->values[s * p->n_types + type];
            const uint64_t v = graph_abs(value);
            if (v > INT64_MAX || sum > INT64_MAX - v)
                return err_input(
                    err, "sample %zu: the sum of %s exceeds 64 bits here", s,
                    prof_show(p, p->types[type].type).text);
            sum += v;
            b->t->has_negative[i] |= value < 0;
        }
        b->t->total[i] = (int64_t)sum;
    }
    return true;
}

/* Sorts the samples. */
static bool sort_stacks(struct builder *b, struct prof_err *err)
{
    const struct profile *p = b->p;
    struct flame_stacks *stacks = &b->stacks;
    struct sample_list *list = &stacks->list;
    if (!stackrank_samples(b->ranks, b->t->first_type, b->t->n_types, list,
                           err))
        return false;
    stacks->depth = mem_array(list->n, sizeof *stacks->depth);
    if (!list->shared)
        list->shared = mem_array(list->n, sizeof *list->shared);
    if (!stacks->depth || !list->shared)
        return err_nomem(err);
    for (size_t i = 0; i < list->n; i++) {
        const size_t s = list->v[i], before = i ? list->v[i - 1] : s;
        const size_t depth = prof_depth(p, s);
        if (i + STACK_AHEAD < list->n) {
            __builtin_prefetch(&p->frame_off[list->v[i + STACK_AHEAD]]);
            if (p->shared)
                __builtin_prefetch(&p->shared[list->v[i + STACK_AHEAD]]);
        }
        if (!i || !depth)
            list->shared[i] = i > 0;
        else if (!p->shared)
            list->shared[i] = (uint32_t)prof_common_stack(p, before, s);
        stacks->depth[i] = depth ? (uint32_t)depth : 1;
        stacks->n_nodes += stacks->depth[i] - list->shared[i];
    }
    return true;
}

/* Adds a sample to a row of t->self, which is made if *row is 0. */
static bool add_values(struct builder *b, size_t sample, uint32_t *row)
{
    struct flame_tree *t = b->t;
    if (!*row) {
        if (!vec_reserve(&t->self, t->n_sums))
            return false;
        *row = (uint32_t)(t->self.n / t->n_sums);
        memset(t->self.v + t->self.n, 0, t->n_sums * sizeof *t->self.v);
        t->self.n += t->n_sums;
    }
    flame_add_sample(t, b->p, sample, t->self.v + *row * t->n_sums);
    return true;
}

/* Adds a sample, and n light nodes, below the open node at `depth`. */
static bool add_light(struct builder *b, size_t sample, size_t depth, size_t n)
{
    const struct small none = {.depth = depth};
    if ((!b->small.n || b->small.v[b->small.n - 1].depth < depth) &&
        !vec_push(&b->small, none))
        return false;
    struct small *small = &b->small.v[b->small.n - 1];
    small->n += n;
    return add_values(b, sample, &small->row);
}

/* Adds nodes for the light nodes below open nodes from `depth` on. */
static bool put_small(struct builder *b, size_t depth)
{
    struct flame_tree *t = b->t;
    while (b->small.n && b->small.v[b->small.n - 1].depth >= depth) {
        const struct small s = b->small.v[--b->small.n];
        const struct flame_node node = {FLAME_SMALL, (uint32_t)s.depth, s.row};
        if (!vec_push(&t->nodes, node) || !vec_push(&t->small, s.n))
            return false;
        t->n_merged += s.n;
    }
    return true;
}

/*
 * Adds nodes without values for sample i of the list, from the frame at `from`,
 * counted from the root, to that before `to`.
 */
static bool add_nodes(struct builder *b, struct prof_stacks *r, size_t i,
                      size_t from, size_t to)
{
    static const uint32_t no_stack = FLAME_NO_STACK;
    struct flame_tree *t = b->t;
    const size_t s = b->stacks.list.v[i], depth = prof_depth(b->p, s);
    const uint32_t *v = &no_stack;
    if (!vec_reserve(&t->nodes, to - from))
        return false;
    if (depth)
        v = prof_stacks_first(r, s, depth - from) + depth - to;
    for (; from < to; from++)
        t->nodes.v[t->nodes.n++] =
            (struct flame_node){v[to - from - 1], (uint32_t)from, 0};
    return true;
}

/* Makes room for the nodes of the tree and their values, of which row 0, for
 * those without, is all 0. */
static bool make_room(struct flame_tree *t, const struct flame_stacks *stacks)
{
    size_t n = (size_t)stacks->n_small + 1;
    for (size_t i = 0; i < stacks->list.n; i++)
        n += stacks->deepest[i] == stacks->depth[i];
    if (!vec_reserve(&t->nodes, (size_t)stacks->n_kept) ||
        !vec_reserve(&t->small, (size_t)stacks->n_small) ||
        n > SIZE_MAX / t->n_sums || !vec_reserve(&t->self, n * t->n_sums))
        return false;
    t->self.n = t->n_sums;
    memset(t->self.v, 0, t->n_sums * sizeof *t->self.v);
    return true;
}

static bool add_samples(struct builder *b, struct prof_stacks *r)
{
    const struct flame_stacks *stacks = &b->stacks;
    const struct sample_list *list = &stacks->list;
    struct flame_tree *t = b->t;
    bool ok = make_room(t, stacks);
    size_t open = 0; /* depth of the nodes that are open */
    for (size_t i = 0; ok && i < list->n; i++) {
        const size_t shared = list->shared[i], depth = stacks->depth[i];
        const size_t deepest = stacks->deepest[i], s = list->v[i];
        stack_prefetch_next(b->p, list->v, i, list->n);
        ok = put_small(b, shared + 1);
        open = open < shared ? open : shared;
        /* If one of its own nodes is kept, so are all that it shares. */
        if (ok && deepest) {
            ok = add_nodes(b, r, i, shared, deepest);
            open = deepest;
        }
        if (!ok)
            break;
        /* The stack of a sample without a node is that of the one before. */
        if (depth == open) {
            ok = add_values(b, s, &t->nodes.v[t->nodes.n - 1].self);
            if (t->node_of)
                t->node_of[s] = (uint32_t)t->nodes.n - 1;
        } else {
            ok = add_light(b, s, open, depth - (open > shared ? open : shared));
        }
    }
    return ok && put_small(b, 0);
}

/* Returns whether so many rows of values are too many for several types. */
static bool is_wide(const struct builder *b, uint64_t rows)
{
    return b->t->n_types > 1 && rows > b->most / b->t->n_sums;
}

/* Sets t->is_wide, and fails, if n rows of values, one for each `what`, are too
 * many. */
static bool check_width(struct builder *b, uint64_t n, const char *what,
                        struct prof_err *err)
{
    struct flame_tree *t = b->t;
    t->is_wide = is_wide(b, n);
    return !t->is_wide ||
           err_input(err,
                     "too many values: %zu sample types for each %s; "
                     "choose one with --sample-index",
                     t->n_types, what);
}

static bool build_tree(struct builder *b, struct prof_err *err)
{
    struct flame_stacks *stacks = &b->stacks;
    struct prof_stacks r;
    if (!flame_keep(b->t, b->p, stacks))
        return err_nomem(err);
    if (stacks->n_kept > FLAME_NO_STACK)
        return err_input(err, "the stacks have more than %lu nodes",
                         (unsigned long)FLAME_NO_STACK);
    if (!check_width(b, stacks->n_kept, "stack", err) ||
        !prof_stacks_init(&r, b->p, err))
        return false;
    bool ok = add_samples(b, &r) || err_nomem(err);
    prof_stacks_free(&r);
    return ok;
}

/* Makes the tree, and meanwhile the sums of functions. */
static bool build(struct builder *b, struct prof_err *err)
{
    if (!check_width(b, b->ranks->names.n + (uint64_t)1, "function", err))
        return false;
    struct flame_functions *sums = flame_functions_begin(b->t, b->ranks);
    if (!sums)
        return err_nomem(err);
    bool ok = build_tree(b, err);
    return (flame_functions_end(sums, b->t) || (ok && err_nomem(err))) && ok;
}

static bool tree_init(struct flame_tree *t, const struct stackrank *f,
                      const struct flame_tree_opts *opts, struct prof_err *err)
{
    struct builder b = {.t = t, .p = f->nodes.p, .ranks = f};
    *t = (struct flame_tree){.n_types = opts->n_types,
                             .first_type = opts->first_type,
                             .limit = opts->limit,
                             .subtracted = opts->subtracted};
    t->total = mem_zarray(t->n_types, sizeof *t->total);
    t->has_negative = mem_zarray(t->n_types, sizeof *t->has_negative);
    if (opts->node_of)
        t->node_of = mem_none(b.p->n_samples);
    bool ok = (t->total && t->has_negative && (t->node_of || !opts->node_of) &&
               graph_base_sets(b.p, &t->is_base)) ||
              err_nomem(err);
    /* It is a difference if a sample has a label set of the base. */
    for (size_t s = 0; t->is_base && s < b.p->n_samples && !t->diff; s++)
        t->diff = t->is_base[b.p->labelset[s]];
    t->n_sums = t->diff ? 2 * t->n_types : t->n_types;
    b.most = MANY + MANY_EACH * (prof_all_frames(b.p) +
                                 (uint64_t)b.p->n_samples * b.p->n_types);
    ok = ok && weigh_types(&b, err) && sort_stacks(&b, err);
    /* Raise the limit only if the nodes are too many and the values are not. */
    if (ok && opts->most && b.stacks.n_nodes > opts->most &&
        !is_wide(&b, opts->most))
        ok =
            flame_choose_limit(t, b.p, &b.stacks, opts->most) || err_nomem(err);
    ok = ok && (opts->functions && t->limit > 0 ? build(&b, err)
                                                : build_tree(&b, err));
    if (!t->n_merged) {
        free(t->functions);
        t->functions = NULL;
    } else {
        free(t->node_of);
        t->node_of = NULL;
    }
    free(b.stacks.list.v);
    free(b.stacks.list.shared);
    free(b.stacks.depth);
    free(b.stacks.deepest);
    vec_free(&b.small);
    return ok;
}

static void tree_free(struct flame_tree *t)
{
    vec_free(&t->nodes);
    vec_free(&t->self);
    vec_free(&t->small);
    free(t->functions);
    free(t->node_of);
    free(t->total);
    free(t->has_negative);
    free(t->is_base);
    *t = (struct flame_tree){0};
}

/* --- all of it --- */

/* Notes how many nodes were merged, and their share of r->type. */
static void note_merged(struct report *r, const struct flame *f)
{
    const struct flame_tree *t = &f->tree;
    size_t type = r->type - t->first_type;
    double held = 0;
    if (!t->small.n)
        return;
    for (size_t i = 0; i < t->nodes.n; i++)
        for (size_t k = type; k < t->n_sums; k += t->n_types)
            if (t->nodes.v[i].name == f->names.merged)
                held += fabs((double)flame_self(t, i)[k]);
    note_info(r->notes,
              "nodes below %g%% of the total merged: %" PRIu64 " into %zu "
              "(%.2f%% of the total); %zu remain",
              t->limit * 100, t->n_merged, t->small.n,
              held * 100 / fmax(1, (double)t->total[type]),
              t->nodes.n - t->small.n);
}

/* Makes the tree, with one type if the values of all would be too many. */
static bool make_tree(struct flame *f, const struct report *r,
                      const struct flame_tree_opts *opts, struct prof_err *err)
{
    struct flame_tree_opts o = *opts;
    if (tree_init(&f->tree, &f->stacks, &o, err))
        return true;
    if (!f->tree.is_wide)
        return false;
    note_loss(r->notes, "only one sample type is shown: %s", err->text);
    o.first_type = r->type;
    o.n_types = 1;
    tree_free(&f->tree);
    return tree_init(&f->tree, &f->stacks, &o, err);
}

bool flame_make(struct flame *f, struct report *r,
                const struct flame_tree_opts *opts, struct prof_err *err)
{
    memset(f, 0, sizeof *f);
    const struct stackrank_opts stacks = {.cut = true,
                                          .threads = r->opts->threads};
    const struct prof_detail *detail = &r->opts->detail;
    /*
     * Copy the functions before the detail is reduced, but after binaries have
     * replaced them.
     */
    const bool binaries = detail->granularity == PROF_BINARIES;
    if (binaries && !prof_aggregate(r->p, detail, err))
        return false;
    f->functions = mem_array(r->p->n_functions, sizeof *f->functions);
    for (size_t i = 0; f->functions && i < r->p->n_functions; i++)
        f->functions[i] = (struct flame_function){r->p->functions[i].name,
                                                  r->p->functions[i].filename};
    bool ok = (f->functions || err_nomem(err)) &&
              (binaries || prof_aggregate(r->p, detail, err)) &&
              stackrank_init(&f->stacks, r->p, &stacks, err) &&
              make_tree(f, r, opts, err);
    stackrank_drop_stacks(&f->stacks, r->p);
    ok = ok &&
         ((flame_number_names(f) && (opts->unnamed || flame_name_nodes(f))) ||
          err_nomem(err));
    const struct stackrank *s = &f->stacks;
    if (ok && s->n_cut)
        note_count(r->notes, PROF_NOTE_LOSS, s->n_cut,
                   "%zu sample{s}: stack{s} truncated to the %" PRIu64 " "
                   "outermost frames (of up to %" PRIu64 ", including inlined "
                   "functions)",
                   s->n_cut, s->depth, s->deepest);
    if (ok)
        note_merged(r, f);
    return ok;
}

void flame_free(struct flame *f)
{
    stackrank_free(&f->stacks);
    tree_free(&f->tree);
    flame_names_free(&f->names);
    free(f->functions);
}

bool flame_put_empty(const struct report *r, const int64_t *total,
                     size_t n_types, struct buf *to)
{
    for (size_t i = 0; i < n_types; i++)
        if (total[i])
            return true;
    if (r->p->n_samples)
        return buf_puts(to, n_types > 1
                                ? TEXT("All values of all samples are 0.")
                                : TEXT("All values of this type are 0."));
    if (r->n_read)
        return buf_printf(to, TEXT("None of %zu samples passes the filters."),
                          r->n_read);
    return buf_puts(to, r->opts->base.name
                            ? TEXT("Nothing differs from the base.")
                            : "The profile has no samples.");
}

bool flame_put_title(struct report *r, struct buf *to)
{
    struct prof_slice binary = report_binary(r);
    return binary.n ? flame_put_visible(to, binary.s, binary.n)
                    : buf_puts(to, "profile");
}

bool flame_put_length(struct buf *out, size_t at, struct prof_err *err)
{
    const size_t n = out->n - at - 4;
    if (n > UINT32_MAX)
        return err_input(err,
                         "function names take %zu bytes, too many for a page; "
                         "use --flame=svg or a filter",
                         n);
    for (unsigned i = 0; i < 4; i++)
        out->v[at + i] = (uint8_t)(n >> 8 * i);
    return true;
}

int64_t flame_own(const struct flame_tree *t, size_t node)
{
    const int64_t *self = flame_self(t, node);
    return t->diff ? self[0] - self[t->n_types] : self[0];
}

/* Works from the last node to the first, as descendants follow their node. */
bool flame_sum_up(const struct flame_tree *t, struct flame_sums *sums)
{
    const size_t n = t->nodes.n;
    VEC(uint32_t) open = {0};
    bool ok = true;
    sums->cum = mem_array(n, sizeof *sums->cum);
    sums->end = mem_array(n, sizeof *sums->end);
    sums->mass = mem_array(n, sizeof *sums->mass);
    sums->parent = mem_none(n);
    if (!sums->cum || !sums->end || !sums->mass || !sums->parent)
        return false;
    for (uint32_t i = 0; ok && i < n; i++) {
        while (open.n > t->nodes.v[i].depth)
            sums->end[open.v[--open.n]] = i;
        if (open.n)
            sums->parent[i] = open.v[open.n - 1];
        ok = vec_push(&open, i);
    }
    while (open.n)
        sums->end[open.v[--open.n]] = (uint32_t)n;
    vec_free(&open);
    for (size_t i = n; ok && i--;) {
        sums->cum[i] = flame_own(t, i);
        sums->mass[i] = (double)graph_abs(sums->cum[i]);
        for (size_t k = i + 1; k < sums->end[i]; k = sums->end[k]) {
            sums->cum[i] += sums->cum[k];
            sums->mass[i] += sums->mass[k];
        }
    }
    for (size_t i = 0; ok && i < n; i = sums->end[i])
        sums->all += sums->mass[i];
    return ok;
}

void flame_sums_free(struct flame_sums *sums)
{
    free(sums->cum);
    free(sums->end);
    free(sums->mass);
    free(sums->parent);
}
