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
 * It is made in one pass over the samples, sorted by stack.  The nodes from the
 * root to the current sample are open.  A node that is too light when it is
 * closed is removed at once, so that memory is in proportion to the result, not
 * to the number of paths.
 */

enum {
    /*
     * The most values in a tree: MANY, and MANY_EACH for each frame and each
     * value of the profile.
     */
    MANY = 4 << 20,
    MANY_EACH = 16,
};

/*
 * A chain of open nodes, to which later samples may still add: each is the only
 * child of the one before, and only the last has values of its own.  So all
 * have the same weight, and what many samples need is done once for a chain.
 */
struct chain {
    size_t depth;     /* of the last node, from 1; the root's is 0 */
    size_t at;        /* index of the last node; unused for the root */
    uint64_t n_small; /* nodes below the last one that were too light */
};

struct builder {
    struct flame_tree *t;
    const struct profile *p;
    bool *is_base;   /* by label set: its samples are of the base; null: no
                        difference */
    uint64_t *least; /* by type: the lightest to keep */
    struct sample_list samples;
    uint64_t most; /* values that a tree of several types may have */
    size_t n_ranks;
    uint32_t *times; /* by rank: open nodes; null: no functions are summed */
    VEC(struct chain) open; /* from the root, which is [0] */
    /*
     * For the last node of each chain: the magnitudes by type, the sums of
     * nodes that were too light, and the sums of closed nodes.
     */
    VEC(int64_t) sums;
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
                return err_set(err, PROF_ERR_INPUT,
                               "sample %zu: the sum of %s exceeds 64 bits "
                               "here",
                               s, prof_show(p, p->types[type].type).text);
            sum += v;
            b->t->has_negative[i] |= value < 0;
        }
        b->t->total[i] = (int64_t)sum;
    }
    return true;
}

/* Returns the number of values in b->sums per chain. */
static size_t open_size(const struct builder *b)
{
    return b->t->n_types + 2 * b->t->n_sums;
}

static int64_t *mass_of(struct builder *b, size_t k)
{
    return b->sums.v + k * open_size(b);
}

static int64_t *small_of(struct builder *b, size_t k)
{
    return mass_of(b, k) + b->t->n_types;
}

static int64_t *cum_of(struct builder *b, size_t k)
{
    return small_of(b, k) + b->t->n_sums;
}

static void add_to_sums(int64_t *to, const int64_t *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] += v[i];
}

/*
 * Adds a node without values for each of v[0 .. n), the last at `depth`, the
 * one before at depth + 1.  Returns false without memory.
 */
static bool push_nodes(struct flame_tree *t, const uint32_t *v, size_t n,
                       size_t depth)
{
    if (!vec_reserve(&t->nodes, n))
        return false;
    while (n--)
        t->nodes.v[t->nodes.n++] =
            (struct flame_node){.name = v[n], .depth = (uint32_t)depth++};
    return true;
}

/* Adds a row of zeros to t->self, and sets *row to its index. */
static bool push_row(struct flame_tree *t, uint32_t *row)
{
    if (!vec_reserve(&t->self, t->n_sums))
        return false;
    *row = (uint32_t)(t->self.n / t->n_sums);
    memset(t->self.v + t->self.n, 0, t->n_sums * sizeof *t->self.v);
    t->self.n += t->n_sums;
    return true;
}

/* Opens a chain that ends with the node that was added last, or the root. */
static bool push_chain(struct builder *b, size_t depth)
{
    const size_t n = open_size(b);
    const struct chain c = {.depth = depth, .at = b->t->nodes.n - 1};
    if (!vec_reserve(&b->sums, n) || !vec_push(&b->open, c))
        return false;
    memset(b->sums.v + b->sums.n, 0, n * sizeof *b->sums.v);
    b->sums.n += n;
    return true;
}

/*
 * Adds a node for the nodes below the last chain that were too light, which
 * then are none.
 */
static bool put_small(struct builder *b)
{
    static const uint32_t name = FLAME_SMALL;
    struct flame_tree *t = b->t;
    size_t last = b->open.n - 1;
    struct chain *c = &b->open.v[last];
    int64_t *small = small_of(b, last);
    if (!c->n_small)
        return true;
    if (!push_nodes(t, &name, 1, c->depth) ||
        !push_row(t, &t->nodes.v[t->nodes.n - 1].self) ||
        !vec_push(&t->small, c->n_small))
        return false;
    t->n_merged += c->n_small;
    c->n_small = 0;
    add_to_sums(t->self.v + t->self.n - t->n_sums, small, t->n_sums);
    memset(small, 0, t->n_sums * sizeof *small);
    return true;
}

/* Returns the index of a name in arrays by rank; not for FLAME_SMALL. */
static size_t rank_of(const struct builder *b, uint32_t name)
{
    return name == FLAME_NO_STACK ? b->n_ranks : name;
}

/*
 * Adds the values of the last n nodes of the last chain to their functions.
 * Recursion counts once in `cum`: when the outermost node of the function is
 * closed.
 */
static void add_to_functions(struct builder *b, size_t n)
{
    const struct flame_tree *t = b->t;
    const size_t last = b->open.n - 1, n_sums = t->n_sums;
    const size_t at = b->open.v[last].at;
    const int64_t *self = flame_self(t, at);
    int64_t *cum = cum_of(b, last);
    add_to_sums(cum, self, n_sums);
    for (size_t i = 0; i < n; i++) {
        size_t rank = rank_of(b, t->nodes.v[at - i].name);
        int64_t *flat = t->functions + 2 * n_sums * rank;
        if (!i)
            add_to_sums(flat, self, n_sums);
        if (!--b->times[rank])
            add_to_sums(flat + n_sums, cum, n_sums);
    }
}

/* Closes nodes of the last chain, which is not the root: those deeper than
 * `keep`, at least one. */
static bool close_nodes(struct builder *b, size_t keep)
{
    struct flame_tree *t = b->t;
    const size_t last = b->open.n - 1;
    struct chain *c = &b->open.v[last], *above = c - 1;
    const size_t n = c->depth - (keep > above->depth ? keep : above->depth);
    const size_t first = c->at + 1 - n;
    if (t->functions)
        add_to_functions(b, n);
    if (flame_is_light(t, mass_of(b, last), b->least)) {
        /* All nodes below were light too, so these are the last nodes. */
        const uint32_t row = t->nodes.v[c->at].self;
        add_to_sums(small_of(b, last), flame_self(t, c->at), t->n_sums);
        c->n_small += n;
        t->nodes.n = first;
        t->self.n = row ? row * t->n_sums : t->self.n;
    } else if (!put_small(b)) {
        return false;
    }
    if (keep > above->depth) {
        c->depth = keep;
        c->at = first - 1;
        return true;
    }
    above->n_small += c->n_small;
    add_to_sums(mass_of(b, last - 1), mass_of(b, last), open_size(b));
    b->open.n--;
    b->sums.n -= open_size(b);
    return true;
}

/* Adds a chain of nodes: the frames of a stack that are deeper than `keep`. */
static bool add_chain(struct builder *b, const uint32_t *stack, size_t depth,
                      size_t keep, struct prof_err *err)
{
    struct flame_tree *t = b->t;
    const size_t n = depth - keep, n_nodes = t->nodes.n + n;
    if (n_nodes > FLAME_NO_STACK)
        return err_set(err, PROF_ERR_INPUT,
                       "the stacks have more than %lu nodes",
                       (unsigned long)FLAME_NO_STACK);
    t->is_wide = t->n_types > 1 && n_nodes > b->most / t->n_sums;
    if (t->is_wide)
        return err_set(err, PROF_ERR_INPUT,
                       "too many values: %zu sample types for each stack; "
                       "choose one with --sample-index",
                       t->n_types);
    for (size_t i = 0; t->functions && i < n; i++) {
        size_t rank = rank_of(b, stack[i]);
        b->times[rank]++;
        /* add_to_functions() will add to it. */
        __builtin_prefetch(t->functions + 2 * t->n_sums * rank);
    }
    return (push_nodes(t, stack, n, keep) && push_chain(b, depth)) ||
           err_nomem(err);
}

/* Adds the values of a sample to the last node of the last chain. */
static bool add_values(struct builder *b, size_t s)
{
    struct flame_tree *t = b->t;
    const int64_t *v = b->p->values + s * b->p->n_types + t->first_type;
    size_t last = b->open.n - 1;
    uint32_t *row = &t->nodes.v[b->open.v[last].at].self;
    if (!*row && !push_row(t, row))
        return false;
    int64_t *self = t->self.v + *row * t->n_sums;
    int64_t *mass = mass_of(b, last);
    bool base = t->diff && b->is_base[b->p->labelset[s]];
    if (t->node_of)
        t->node_of[s] = (uint32_t)b->open.v[last].at;
    for (size_t i = 0; i < t->n_types; i++) {
        mass[i] += (int64_t)graph_abs(v[i]);
        if (base)
            self[t->n_types + i] -= v[i];
        else
            self[i] += v[i];
    }
    return true;
}

static bool build_tree(struct builder *b, struct prof_err *err)
{
    const size_t n = b->samples.n;
    static const uint32_t no_stack = FLAME_NO_STACK;
    struct prof_stacks r;
    uint32_t none; /* the row of nodes without values, 0 */
    bool ok = prof_stacks_init(&r, b->p, err) &&
              ((push_row(b->t, &none) && push_chain(b, 0)) || err_nomem(err));
    for (size_t i = 0; ok && i < n; i++) {
        stack_prefetch_next(b->p, b->samples.v, i, n);
        sample_list_read(&b->samples, i, &r);
        const uint32_t *stack = r.stack;
        size_t depth = r.depth, keep = r.shared;
        /* Samples without frames come first; they share one node. */
        if (!depth) {
            stack = &no_stack;
            depth = 1;
            keep = i ? 1 : 0;
        }
        while (ok && b->open.v[b->open.n - 1].depth > keep)
            ok = close_nodes(b, keep) || err_nomem(err);
        if (ok && depth > keep)
            ok = add_chain(b, stack, depth, keep, err);
        ok = ok && (add_values(b, b->samples.v[i]) || err_nomem(err));
    }
    prof_stacks_free(&r);
    while (ok && b->open.n > 1)
        ok = close_nodes(b, 0) || err_nomem(err);
    return ok && (put_small(b) || err_nomem(err));
}

static bool add_functions(struct builder *b, struct prof_err *err)
{
    struct flame_tree *t = b->t;
    size_t n = b->n_ranks + 1;
    t->is_wide = t->n_types > 1 && n > b->most / t->n_sums;
    if (t->is_wide)
        return err_set(err, PROF_ERR_INPUT,
                       "too many values: %zu sample types for each function; "
                       "choose one with --sample-index",
                       t->n_types);
    t->functions = mem_zarray(n, 2 * t->n_sums * sizeof *t->functions);
    b->times = mem_zarray(n, sizeof *b->times);
    return (t->functions && b->times) || err_nomem(err);
}

static bool tree_init(struct flame_tree *t, const struct stackrank *f,
                      const struct flame_tree_opts *opts, struct prof_err *err)
{
    struct builder b = {.t = t, .p = f->nodes.p, .n_ranks = f->names.n};
    *t = (struct flame_tree){.n_types = opts->n_types,
                             .first_type = opts->first_type,
                             .limit = opts->limit,
                             .subtracted = opts->subtracted};
    t->total = mem_zarray(t->n_types, sizeof *t->total);
    t->has_negative = mem_zarray(t->n_types, sizeof *t->has_negative);
    b.least = mem_array(t->n_types, sizeof *b.least);
    if (opts->node_of)
        t->node_of = mem_none(b.p->n_samples);
    bool ok =
        (t->total && t->has_negative && b.least &&
         (t->node_of || !opts->node_of) && graph_base_sets(b.p, &b.is_base)) ||
        err_nomem(err);
    /* It is a difference if a sample has a label set of the base. */
    for (size_t s = 0; b.is_base && s < b.p->n_samples && !t->diff; s++)
        t->diff = b.is_base[b.p->labelset[s]];
    t->n_sums = t->diff ? 2 * t->n_types : t->n_types;
    uint64_t n_frames = prof_all_frames(b.p);
    b.most =
        MANY + MANY_EACH * (n_frames + (uint64_t)b.p->n_samples * b.p->n_types);
    ok = ok && weigh_types(&b, err) &&
         stackrank_samples(f, t->first_type, t->n_types, &b.samples, err);
    /*
     * A tree has at most one node per frame.  Raise the limit only if that is
     * too many and the values are not.
     */
    if (ok && opts->most && n_frames > opts->most &&
        (t->n_types == 1 || opts->most < b.most / t->n_sums))
        ok = flame_choose_limit(t, b.p, &b.samples, opts->most) ||
             err_nomem(err);
    if (ok)
        flame_set_least(t, t->limit, b.least);
    ok = ok && (!opts->functions || t->limit <= 0 || add_functions(&b, err)) &&
         build_tree(&b, err);
    if (!t->n_merged) {
        free(t->functions);
        t->functions = NULL;
    } else {
        free(t->node_of);
        t->node_of = NULL;
    }
    free(b.is_base);
    free(b.times);
    free(b.least);
    free(b.samples.v);
    free(b.samples.shared);
    vec_free(&b.open);
    vec_free(&b.sums);
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
    struct flame_function *functions =
        mem_array(r->p->n_functions, sizeof *functions);
    for (size_t i = 0; functions && i < r->p->n_functions; i++)
        functions[i] = (struct flame_function){r->p->functions[i].name,
                                               r->p->functions[i].filename};
    bool ok = (functions || err_nomem(err)) &&
              (binaries || prof_aggregate(r->p, detail, err)) &&
              stackrank_init(&f->stacks, r->p, &stacks, err) &&
              make_tree(f, r, opts, err);
    stackrank_drop_stacks(&f->stacks, r->p);
    ok = ok && (flame_name_nodes(f, functions) || err_nomem(err));
    free(functions);
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
        return err_set(err, PROF_ERR_INPUT,
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
    if (!sums->cum || !sums->end || !sums->mass)
        return false;
    for (uint32_t i = 0; ok && i < n; i++) {
        while (open.n > t->nodes.v[i].depth)
            sums->end[open.v[--open.n]] = i;
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
}
