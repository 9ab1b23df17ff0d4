/* estimate.c - estimates call stacks from leaf samples and call counts */
#include "profile/estimate/estimate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "profile/columns.h"
#include "profile/estimate/private.h"
#include "profile/merge/merge.h"

/* If more than this part of the time is affected, the loss is a warning. */
static const double much = 0.01;

static size_t find_column(const struct profile *p, const char *type)
{
    int i = prof_find_type(p, type);
    return i < 0 ? SIZE_MAX : (size_t)i;
}

static bool find_columns(struct estimate *e, struct prof_err *err)
{
    const struct profile *p = e->p;
    e->at.calls = find_column(p, "calls");
    e->at.samples = find_column(p, "samples");
    e->at.blocks = find_column(p, "bb_executions");
    e->values = mem_zarray(p->n_types, sizeof *e->values);
    if (e->at.calls == SIZE_MAX)
        return err_input(err, "cannot estimate call stacks: no call counts "
                              "('calls'); convert with gmon2pb --flat");
    if (prof_is_estimated(p))
        return err_input(err, "call stacks have already been estimated");
    return e->values || err_nomem(err);
}

/* Moves the samples out of the profile, which keeps everything else. */
static bool move_samples(struct estimate *e, struct prof_err *err)
{
    struct profile *p = e->p;
    /* A sample of times has at most one frame, a sample of calls one or two. */
    for (size_t s = 0; s < p->n_samples; s++)
        for (size_t i = 0; i < p->n_types; i++) {
            int64_t value = p->values[s * p->n_types + i];
            size_t depth = prof_depth(p, s), most = i == e->at.calls ? 2 : 1;
            if (value < 0)
                return err_input(
                    err, "cannot estimate call stacks of negative values; "
                         "estimate them before subtracting profiles");
            if (value && (depth > most || (!depth && most > 1)))
                return err_input(
                    err,
                    "cannot estimate call stacks: a sample of '%s' has %zu "
                    "frames; convert with gmon2pb --flat",
                    prof_show(p, p->types[i].type).text, depth);
        }
    prof_take_samples(&e->in, p);
    return prof_reserve(p, &(struct prof_counts){0}, err) &&
           (p->frame_off[0] = 0, true);
}

/* Returns whether the column counts something other than time. */
static bool is_count(const struct est_columns *at, size_t column)
{
    return column == at->calls || column == at->blocks;
}

/* Adds the time of a sample of one frame: a leaf for each type of time. */
static bool add_leaves(struct estimate *e, size_t s, struct prof_err *err)
{
    const int64_t *values = e->in.values + s * e->p->n_types;
    const size_t samples = e->at.samples;
    uint32_t location = prof_stack(&e->in, s)[0];
    struct est_leaf new = {.func = e->node_of[location],
                           .location = location,
                           .labelset = e->in.labelset[s],
                           .column = samples};
    new.count = samples == SIZE_MAX ? 0 : (uint64_t)values[samples];
    for (size_t i = 0; i < e->p->n_types; i++) {
        if (i == samples || is_count(&e->at, i) || !values[i])
            continue;
        new.column = i;
        new.amount = (uint64_t)values[i];
        if (!e->timed)
            e->what = i;
        e->timed = true;
        if (!vec_push(&e->leaves, new))
            return err_nomem(err);
        new.count = 0;
    }
    if (new.column != samples || !new.count)
        return true;
    return vec_push(&e->leaves, new) || err_nomem(err);
}

/* Adds the values that are not time, and those of samples without frames. */
static bool keep_counts(struct estimate *e, struct prof_err *err)
{
    size_t n_types = e->p->n_types;
    for (size_t s = 0; s < e->in.n_samples; s++) {
        const int64_t *values = e->in.values + s * n_types;
        size_t depth = prof_depth(&e->in, s);
        bool any = false;
        for (size_t i = 0; i < n_types; i++) {
            bool kept = !depth || is_count(&e->at, i);
            e->values[i] = kept ? values[i] : 0;
            any = any || e->values[i];
        }
        if (any && !prof_add_sample(e->p, prof_stack(&e->in, s), depth,
                                    e->values, e->in.labelset[s], err))
            return false;
    }
    return true;
}

static int by_function(const void *a, const void *b, void *ctx)
{
    const struct est_leaf *x = a, *y = b;
    const struct profile *p = ctx;
    const struct prof_location *l = &p->locations[x->location];
    const struct prof_location *k = &p->locations[y->location];
    int c = ORDER(x->func, y->func);
    c = c ? c : ORDER(l->address, k->address);
    c = c ? c : ORDER(x->location, y->location);
    c = c ? c : ORDER(x->labelset, y->labelset);
    return c ? c : ORDER(x->column, y->column);
}

/*
 * Makes a source of the leaves of each function.  Leaves without a function
 * come last.
 */
static bool find_sources(struct estimate *e, struct prof_err *err)
{
    const struct est_leaf *leaf = e->leaves.v;
    size_t i = 0;
    while (i < e->leaves.n && leaf[i].func != EST_NO_NODE) {
        struct est_source source = {.func = leaf[i].func, .first_leaf = i};
        uint64_t count = 0, amount = 0;
        for (; i < e->leaves.n && leaf[i].func == source.func; i++)
            if (__builtin_add_overflow(count, leaf[i].count, &count) ||
                __builtin_add_overflow(amount, leaf[i].amount, &amount))
                return err_input(err,
                                 "the values of a function exceed 64 bits");
        source.n_leaves = (uint32_t)(i - source.first_leaf);
        source.weight = amount ? amount : count;
        e->all += (double)(e->timed ? amount : count);
        if (!vec_push(&e->sources, source))
            return err_nomem(err);
    }
    e->n_placed = i;
    return true;
}

/* Reports what the limit of stacks has cost, as a comment and a note. */
static bool report_shared(const struct estimate *e, struct prof_err *err)
{
    char text[200];
    if (!e->shared.stacks || e->all <= 0)
        return true;
    size_t type = e->timed ? e->what : e->at.samples;
    double wrong = e->shared.wrong < e->all ? e->shared.wrong : e->all;
    int n = snprintf(
        text, sizeof text,
        TEXT("--max-stacks=%" PRIu64 " reached: %zu stacks (%.3g%% "
             "of the %.40s) each stand for several call paths"),
        e->max_stacks, e->shared.stacks, 100 * e->shared.value / e->all,
        prof_plain(e->p, e->p->types[type].type));
    if (wrong > 0)
        (void)snprintf(text + n, sizeof text - (size_t)n,
                       TEXT("; callers of up to %.3g%% are wrong or missing"),
                       100 * wrong / e->all);
    if (wrong / e->all > much)
        note_loss(e->notes, "%s", text);
    else
        note_info(e->notes, "%s", text);
    return prof_add_comment(e->p, text, err);
}

/*
 * Sets the flags of mappings by what their locations have, so that they do not
 * depend on how the samples were added.
 */
static void settle_flags(struct profile *p)
{
    for (size_t i = 0; i < p->n_mappings; i++) {
        struct prof_mapping *m = &p->mappings[i];
        m->has_functions = m->has_filenames = false;
        m->has_line_numbers = m->has_inline_frames = false;
    }
    for (size_t i = 0; i < p->n_locations; i++) {
        const struct prof_location *l = &p->locations[i];
        for (uint32_t k = 0; l->mapping != PROF_NONE && k < l->n_lines; k++) {
            struct prof_mapping *m = &p->mappings[l->mapping];
            const struct prof_line *line = &p->lines[l->line_off + k];
            m->has_functions = true;
            m->has_line_numbers |= line->line != 0;
            m->has_inline_frames |= k > 0;
            if (line->function != PROF_NONE)
                m->has_filenames |= p->functions[line->function].filename != 0;
        }
    }
}

/*
 * Returns whether there is anything to do.  On failure, returns false and sets
 * *ok to false.
 */
static bool is_possible(const struct estimate *e, bool known, bool *ok,
                        struct prof_err *err)
{
    const struct profile *p = e->p;
    bool calls = false, names = false;
    *ok = true;
    for (size_t s = 0; s < p->n_samples && !(calls && names); s++) {
        calls = calls || p->values[s * p->n_types + e->at.calls];
        for (size_t i = 0; i < prof_depth(p, s); i++)
            names = names || p->locations[prof_stack(p, s)[i]].n_lines;
    }
    if (calls && names)
        return true;
    if (known)
        return false;
    if (!calls)
        note_warn(e->notes, "no call counts: each stack has one frame");
    else
        *ok = err_input(err,
                        "cannot estimate call stacks: addresses have no "
                        "function names; run gmon2pb --flat with -e PROGRAM");
    return false;
}

/* Runs the stages of an estimate, which private.h describes. */
static bool make_stacks(struct estimate *e, struct prof_err *err)
{
    if (!move_samples(e, err) || !est_find_nodes(e, err))
        return false;
    for (size_t s = 0; s < e->in.n_samples; s++)
        if (prof_depth(&e->in, s) == 1 && !add_leaves(e, s, err))
            return false;
    vec_sort_by(&e->leaves, by_function, e->p);
    if (!find_sources(e, err) || !est_add_stacks(e, err))
        return false;
    note_info(e->notes,
              "estimated %zu stack%s (functions: %zu, cycles: %" PRIu32 ")",
              e->p->n_samples, e->p->n_samples == 1 ? "" : "s", e->sources.n,
              e->graph.n_cycles);
    return report_shared(e, err) && keep_counts(e, err) &&
           (!e->leaves.n || prof_add_comment(e->p, PROF_ESTIMATED, err));
}

bool prof_estimate_stacks(struct profile *p,
                          const struct prof_estimate_opts *opts,
                          struct profile *out, struct prof_err *err)
{
    struct profile flat = {0};
    struct estimate e = {
        .p = &flat, .notes = opts->notes, .max_stacks = opts->max_stacks};
    memset(out, 0, sizeof *out);
    bool ok = prof_canonical(p, 1, &flat, NULL, err) &&
              prof_unshare(&flat, err) && find_columns(&e, err);
    if (ok && is_possible(&e, opts->known, &ok, err))
        ok = make_stacks(&e, err);
    struct prof_layout layout = {0};
    ok = ok &&
         prof_canonical(&flat, 1, out, opts->to_write ? &layout : NULL, err);
    out->layout = layout;
    if (ok && e.leaves.n)
        settle_flags(out);
    prof_free_samples(&e.in);
    free(e.node_of);
    est_graph_free(&e.graph);
    vec_free(&e.leaves);
    vec_free(&e.sources);
    free(e.entry);
    free(e.values);
    prof_free(&flat);
    return ok;
}

bool prof_estimate(struct profile *p, const struct prof_estimate_opts *opts,
                   struct prof_err *err)
{
    struct profile out = {0};
    bool ok = prof_estimate_stacks(p, opts, &out, err);
    prof_free(ok ? p : &out);
    if (ok)
        *p = out;
    return ok;
}
