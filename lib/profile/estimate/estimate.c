/* Call stacks from leaf samples and call counts, as a whole. */
#include "profile/estimate/estimate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "profile/estimate/estimate_maker.h"
#include "profile/merge/merge.h"
#include "profile/text.h"

/* Beyond this part of the time the loss is worth a warning. */
static const double much = 0.01;

bool prof_is_estimated(const struct profile *p)
{
    for (size_t i = 0; i < p->n_comments; i++)
        if (slice_is(prof_text(p, p->comments[i]), PROF_ESTIMATED))
            return true;
    return false;
}

static size_t find_column(const struct profile *p, const char *type)
{
    int i = prof_find_type(p, type);
    return i < 0 ? SIZE_MAX : (size_t)i;
}

static bool find_columns(struct est_maker *m, struct err *err)
{
    const struct profile *p = m->p;
    m->at.calls = find_column(p, "calls");
    m->at.samples = find_column(p, "samples");
    m->at.blocks = find_column(p, "bb_executions");
    m->values = mem_zarray(p->n_types, sizeof *m->values);
    if (m->at.calls == SIZE_MAX)
        return err_set(err, ERR_INPUT,
                       "cannot estimate call stacks: no call counts "
                       "('calls'): convert with gmon2pb --flat");
    if (prof_is_estimated(p))
        return err_set(err, ERR_INPUT, "call stacks are estimated already");
    return m->values || err_nomem(err);
}

/* One sample: time of one frame, calls of one or two. */
static bool check_sample(const struct est_maker *m, size_t s, struct err *err)
{
    const struct profile *p = m->p;
    size_t depth = prof_depth(p, s);
    for (size_t i = 0; i < p->n_types; i++) {
        int64_t value = p->values[s * p->n_types + i];
        size_t most = i == m->at.calls ? 2 : 1;
        if (value < 0)
            return err_set(err, ERR_INPUT,
                           "cannot estimate call stacks of negative values: "
                           "estimate them before profiles are subtracted");
        if (value && (depth > most || (!depth && most > 1)))
            return err_set(err, ERR_INPUT,
                           "cannot estimate call stacks: a sample of '%s' has "
                           "%zu frames: convert with gmon2pb --flat",
                           prof_show(p, p->types[i].type).text, depth);
    }
    return true;
}

/* Takes the samples out of the profile, which keeps everything else. */
static bool take_input(struct est_maker *m, struct err *err)
{
    struct profile *p = m->p;
    for (size_t s = 0; s < p->n_samples; s++)
        if (!check_sample(m, s, err))
            return false;
    prof_take_samples(&m->in, p);
    if (!vec_grow((void **)&p->frame_off, &p->cap_frame_off, 1,
                  sizeof *p->frame_off))
        return err_nomem(err);
    p->frame_off[0] = 0;
    return true;
}

/* The time of a sample of one frame. */
static bool add_parts(struct est_maker *m, size_t s, struct err *err)
{
    const int64_t *values = m->in.values + s * m->p->n_types;
    const size_t samples = m->at.samples;
    uint32_t leaf = prof_stack(&m->in, s)[0];
    struct est_part part = {.node = m->node_of[leaf],
                            .location = leaf,
                            .labelset = m->in.labelset[s],
                            .column = samples};
    part.count = samples == SIZE_MAX ? 0 : (uint64_t)values[samples];
    for (size_t i = 0; i < m->p->n_types; i++) {
        if (i == samples || est_is_count(&m->at, i) || !values[i])
            continue;
        part.column = i;
        part.amount = (uint64_t)values[i];
        if (!m->timed)
            m->what = i;
        m->timed = true;
        if (!vec_push(&m->parts, part))
            return err_nomem(err);
        part.count = 0;
    }
    if (part.column != samples || !part.count)
        return true;
    return vec_push(&m->parts, part) || err_nomem(err);
}

/* What samples have besides time, or without a place, stays as it is. */
static bool keep_counts(struct est_maker *m, struct err *err)
{
    size_t n_types = m->p->n_types;
    for (size_t s = 0; s < m->in.n_samples; s++) {
        const int64_t *values = m->in.values + s * n_types;
        size_t depth = prof_depth(&m->in, s);
        bool any = false;
        for (size_t i = 0; i < n_types; i++) {
            bool kept = !depth || est_is_count(&m->at, i);
            m->values[i] = kept ? values[i] : 0;
            any = any || m->values[i];
        }
        if (any && !prof_add_sample(m->p, prof_stack(&m->in, s), depth,
                                    m->values, m->in.labelset[s], err))
            return false;
    }
    return true;
}

static int by_node(const void *a, const void *b, void *ctx)
{
    const struct est_part *x = a, *y = b;
    const struct profile *p = ctx;
    const struct prof_location *l = &p->locations[x->location];
    const struct prof_location *k = &p->locations[y->location];
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (l->address != k->address)
        return l->address < k->address ? -1 : 1;
    if (x->location != y->location)
        return x->location < y->location ? -1 : 1;
    if (x->labelset != y->labelset)
        return x->labelset < y->labelset ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

static bool find_parts(struct est_maker *m, struct err *err)
{
    for (size_t s = 0; s < m->in.n_samples; s++)
        if (prof_depth(&m->in, s) == 1 && !add_parts(m, s, err))
            return false;
    if (m->parts.n)
        qsort_r(m->parts.v, m->parts.n, sizeof *m->parts.v, by_node, m->p);
    return true;
}

/* A source of all parts from the first on that are of one function. */
static bool add_source(struct est_maker *m, size_t first, size_t *end,
                       struct err *err)
{
    const struct est_part *part = m->parts.v;
    uint32_t node = part[first].node;
    uint64_t count = 0, amount = 0;
    size_t i = first;
    for (; i < m->parts.n && part[i].node == node; i++)
        if (__builtin_add_overflow(count, part[i].count, &count) ||
            __builtin_add_overflow(amount, part[i].amount, &amount))
            return err_set(err, ERR_INPUT,
                           "the values of a function overflow 64 bits");
    struct est_source source = {node, (uint32_t)(i - first),
                                amount ? amount : count};
    *end = i;
    m->all += (double)(m->timed ? amount : count);
    return (vec_push(&m->sources, source) &&
            vec_push(&m->source_part, first)) ||
           err_nomem(err);
}

static bool find_sources(struct est_maker *m, struct err *err)
{
    size_t i = 0;
    while (i < m->parts.n && m->parts.v[i].node != EST_NO_NODE)
        if (!add_source(m, i, &i, err))
            return false;
    return vec_push(&m->source_part, i) || err_nomem(err);
}

static bool prepare_entries(struct est_maker *m, struct err *err)
{
    uint32_t n = est_graph_nodes(&m->graph);
    m->entry = mem_array(n, sizeof *m->entry);
    for (uint32_t i = 0; m->entry && i < m->graph.n_funcs; i++)
        m->entry[i] = m->nodes.v[i].location;
    return m->entry ? est_add_cycles(m, err) : err_nomem(err);
}

/* What the time is called. */
static const char *what(const struct est_maker *m)
{
    size_t type = m->timed ? m->what : m->at.samples;
    return prof_plain(m->p, m->p->types[type].type);
}

/* What the bound has cost, in a comment and to the person. */
static bool report_cut(const struct est_maker *m, struct err *err)
{
    char text[200];
    if (!m->cuts.n || m->all <= 0)
        return true;
    double missed = m->missed < m->all ? m->missed : m->all;
    int n = snprintf(text, sizeof text,
                     "--max-stacks=%" PRIu64 " reached: %zu stacks with %.3g%% "
                     "of the %.40s stand for many each",
                     m->max_stacks, m->cuts.n, 100 * m->cut / m->all, what(m));
    if (missed > 0)
        (void)snprintf(text + n, sizeof text - (size_t)n,
                       "; callers of up to %.3g%% are wrong or missing",
                       100 * missed / m->all);
    if (missed / m->all > much)
        note_loss(m->notes, "%s", text);
    else
        note_info(m->notes, "%s", text);
    return prof_add_comment(m->p, text, err);
}

/* Best first, but so that the sweep can split at each caller of a node. */
static uint64_t max_paths(const struct est_maker *m)
{
    size_t links = m->graph.up_off[est_graph_nodes(&m->graph)];
    uint64_t half = m->max_stacks / 2;
    return m->max_stacks - (links < half ? links : half);
}

static bool make(struct est_maker *m, struct err *err)
{
    bool ok = est_find_nodes(m, err) && find_parts(m, err) &&
              find_sources(m, err) && est_make_graph(m, err) &&
              prepare_entries(m, err) &&
              est_paths_make(&m->paths, &m->graph, m->sources.v, m->sources.n,
                             max_paths(m), err) &&
              est_write_stacks(m, err) && est_write_cuts(m, err);
    if (ok)
        note_info(m->notes, "%zu stacks of %zu functions, %" PRIu32 " cycles",
                  m->p->n_samples, m->sources.n, m->graph.n_cycles);
    return ok && report_cut(m, err) && keep_counts(m, err) &&
           (!m->parts.n || prof_add_comment(m->p, PROF_ESTIMATED, err));
}

/* What locations have, which is the same however the samples were added. */
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

static void maker_free(struct est_maker *m)
{
    prof_free_samples(&m->in);
    free(m->node_of);
    vec_free(&m->nodes);
    vec_free(&m->parts);
    est_graph_free(&m->graph);
    vec_free(&m->sources);
    vec_free(&m->source_part);
    est_paths_free(&m->paths);
    est_cuts_free(&m->cuts);
    free(m->entry);
    free(m->values);
}

/* What there is to make stacks from. */
struct contents {
    bool calls, names;
};

static struct contents find_contents(const struct est_maker *m)
{
    const struct profile *p = m->p;
    struct contents c = {0};
    for (size_t s = 0; s < p->n_samples && !(c.calls && c.names); s++) {
        c.calls = c.calls || p->values[s * p->n_types + m->at.calls];
        for (size_t i = 0; i < prof_depth(p, s); i++)
            c.names = c.names || p->locations[prof_stack(p, s)[i]].n_lines;
    }
    return c;
}

/* Whether there is anything to do; false also on failure, with *ok false. */
static bool is_possible(const struct est_maker *m, bool known, bool *ok,
                        struct err *err)
{
    const struct contents c = find_contents(m);
    *ok = true;
    if (c.calls && c.names)
        return true;
    if (known)
        return false;
    if (!c.calls)
        note_warn(m->notes, "no calls were counted: each stack has one frame");
    else
        *ok = err_set(err, ERR_INPUT,
                      "cannot estimate call stacks: addresses have no function "
                      "names: run gmon2pb --flat with -e PROGRAM");
    return false;
}

bool prof_estimate_stacks(struct profile *p,
                          const struct prof_estimate_opts *opts,
                          struct profile *out, struct err *err)
{
    struct profile flat = {0};
    struct est_maker m = {
        .p = &flat, .notes = opts->notes, .max_stacks = opts->max_stacks};
    memset(out, 0, sizeof *out);
    bool ok = prof_canonical_take(p, &flat, err) && find_columns(&m, err);
    if (ok && is_possible(&m, opts->known, &ok, err))
        ok = take_input(&m, err) && make(&m, err);
    ok = ok && prof_canonical_take(&flat, out, err);
    if (ok && m.parts.n)
        settle_flags(out);
    maker_free(&m);
    prof_free(&flat);
    return ok;
}
