#include "import/gmon_stacks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/gmon_maker.h"
#include "profile/text.h"

/* Beyond this part of the time the loss is worth a warning. */
static const double much = 0.01;

bool gmon_mark_frames(struct gmon_maker *m, enum gmon_frame_kind kind,
                      uint32_t func, struct err *err)
{
    const struct gmon_frame x = {kind, func};
    while (m->frames->n < m->w.p->n_locations)
        if (!vec_push(m->frames, x))
            return err_nomem(err);
    return true;
}

/* A location that has no address, but a name. */
static bool add_cycle(struct gmon_maker *m, uint32_t number, uint32_t *location,
                      struct err *err)
{
    char name[32];
    struct prof_function f = {0};
    struct prof_line line = {0};
    const struct prof_location l = {.mapping = PROF_NONE};
    (void)snprintf(name, sizeof name, "<cycle %" PRIu32 ">", number);
    return prof_str(m->w.p, name, &f.name, err) &&
           prof_add_function(m->w.p, &f, &line.function, err) &&
           prof_add_location(m->w.p, &l, &line, 1, location, err) &&
           gmon_mark_frames(m, GMON_FRAME_OTHER, SYM_NO_OWNER, err);
}

bool gmon_entry(struct gmon_maker *m, uint32_t node, uint32_t *location,
                struct err *err)
{
    uint32_t n = m->graph.n_funcs;
    *location = m->entry[node];
    if (*location != PROF_NONE)
        return true;
    bool ok;
    if (node < n) {
        const struct prof_location l = {.address = m->owners->v[node].lo,
                                        .mapping = m->w.mapping};
        ok = prof_add_location(m->w.p, &l, NULL, 0, location, err) &&
             gmon_mark_frames(m, GMON_FRAME_ENTRY, node, err);
    } else {
        ok = add_cycle(m, node - n + 1, location, err);
    }
    m->entry[node] = *location;
    return ok;
}

/* A source of all parts from the first on that are of one function. */
static bool add_source(struct gmon_maker *m, size_t first, size_t *end,
                       struct err *err)
{
    const struct gmon_part *part = m->parts.v;
    uint32_t func = part[first].func;
    uint64_t count = 0, amount = 0;
    size_t i = first;
    for (; i < m->parts.n && part[i].func == func; i++)
        if (__builtin_add_overflow(count, part[i].count, &count) ||
            __builtin_add_overflow(amount, part[i].amount, &amount))
            return gmon_too_large(part[i].address, err);
    struct gmon_source source = {func, (uint32_t)(i - first),
                                 amount ? amount : count};
    *end = i;
    m->all += (double)(m->timed ? amount : count);
    return (vec_push(&m->sources, source) &&
            vec_push(&m->source_part, first)) ||
           err_nomem(err);
}

static bool find_sources(struct gmon_maker *m, struct err *err)
{
    size_t i = 0;
    while (i < m->parts.n && !m->timed)
        m->timed = m->parts.v[i++].amount;
    i = 0;
    while (i < m->parts.n && m->parts.v[i].func != SYM_NO_OWNER)
        if (!add_source(m, i, &i, err))
            return false;
    return vec_push(&m->source_part, i) || err_nomem(err);
}

static bool prepare_entries(struct gmon_maker *m, struct err *err)
{
    uint32_t n = gmon_graph_nodes(&m->graph);
    m->entry = mem_array(n, sizeof *m->entry);
    for (uint32_t i = 0; m->entry && i < n; i++)
        m->entry[i] = PROF_NONE;
    return m->entry || err_nomem(err);
}

/* What the bound has cost, in a comment and to the person. */
static bool report_cut(const struct gmon_maker *m, struct err *err)
{
    char text[200];
    const char *what = m->timed
                           ? prof_plain(m->w.p, m->w.p->types[GMON_AMOUNT].type)
                           : "samples";
    if (!m->cuts.n || m->all <= 0)
        return true;
    double missed = m->missed < m->all ? m->missed : m->all;
    int n = snprintf(text, sizeof text,
                     "--max-stacks=%" PRIu64 " reached: %zu stacks with %.3g%% "
                     "of the %s stand for many each",
                     m->max_stacks, m->cuts.n, 100 * m->cut / m->all, what);
    if (missed > 0)
        (void)snprintf(text + n, sizeof text - (size_t)n,
                       "; callers of up to %.3g%% are wrong or missing",
                       100 * missed / m->all);
    if (missed / m->all > much)
        note_warn(m->w.notes, "%s", text);
    else
        note_info(m->w.notes, "%s", text);
    return prof_add_comment(m->w.p, text, err);
}

/* Best first, but so that the sweep can split at each caller of a node. */
static uint64_t max_paths(const struct gmon_maker *m)
{
    size_t links = m->graph.up_off[gmon_graph_nodes(&m->graph)];
    uint64_t half = m->max_stacks / 2;
    return m->max_stacks - (links < half ? links : half);
}

/* Otherwise there is nothing that callers could be estimated of. */
static bool is_estimate(const struct gmon *g)
{
    return g->hists.n && (g->arcs.n || g->entries.n);
}

static bool make(struct gmon_maker *m, struct err *err)
{
    static const char estimated[] =
        "call stacks are estimated from calls, by gprof's model";
    struct profile *p = m->w.p;
    bool ok = prof_init(p, err) && gmon_write_head(&m->w, err) &&
              (!is_estimate(m->w.g) || prof_add_comment(p, estimated, err)) &&
              gmon_credit(&m->parts, &m->w, m->owners, err) &&
              find_sources(m, err) && gmon_make_graph(m, err) &&
              prepare_entries(m, err) &&
              gmon_paths_make(&m->paths, &m->graph, m->sources.v, m->sources.n,
                              max_paths(m), err) &&
              gmon_write_stacks(m, err) && gmon_write_cuts(m, err);
    if (ok)
        note_info(m->w.notes, "%zu stacks of %zu functions, %" PRIu32 " cycles",
                  p->n_samples, m->sources.n, m->graph.n_cycles);
    return ok && report_cut(m, err) && gmon_write_blocks(&m->w, err) &&
           gmon_mark_frames(m, GMON_FRAME_OTHER, SYM_NO_OWNER, err) &&
           gmon_write_arcs(m, err);
}

bool gmon_stacks(const struct gmon_job *job, const struct sym_owners *owners,
                 uint64_t max_stacks, struct profile *p,
                 struct gmon_frames *frames, struct err *err)
{
    struct gmon_maker m = {.w = {.g = job->g,
                                 .exe = job->exe,
                                 .notes = job->notes,
                                 .p = p,
                                 .blocks = job->blocks},
                           .owners = owners,
                           .frames = frames,
                           .max_stacks = max_stacks};
    memset(frames, 0, sizeof *frames);
    bool ok = make(&m, err);
    locmap_free(&m.w.locs);
    vec_free(&m.parts);
    gmon_graph_free(&m.graph);
    vec_free(&m.sources);
    vec_free(&m.source_part);
    gmon_paths_free(&m.paths);
    gmon_cuts_free(&m.cuts);
    free(m.entry);
    return ok;
}

void gmon_frames_free(struct gmon_frames *frames)
{
    vec_free(frames);
}
