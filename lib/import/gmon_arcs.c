#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "import/gmon_maker.h"

/* Functions of the profiling itself, which gprof leaves out. */
static bool is_profiling(const char *name)
{
    static const char *const names[] = {
        "mcount",        "_mcount",    "__mcount", "__mcount_internal",
        "_gprof_mcount", "__mcleanup",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool is_in_graph(const struct sym_owners *o, uint32_t f)
{
    return f != SYM_NO_OWNER && !is_profiling(sym_owner_name(o, f));
}

/* Fills calls[]; how many, and how many of them are arcs. */
static size_t find_calls(const struct gmon_maker *m, struct gmon_call *calls,
                         size_t *n_arcs)
{
    size_t n = 0;
    const struct gmon_arcs *arcs = &m->w.g->arcs;
    const struct sym_owners *o = m->owners;
    for (size_t i = 0; i < arcs->n; i++) {
        const struct gmon_arc *arc = &arcs->v[i];
        struct gmon_call call = {sym_owners_find(o, arc->from),
                                 sym_owners_callee(o, arc->self), arc->count};
        if (is_in_graph(o, call.caller) && is_in_graph(o, call.callee))
            calls[n++] = call;
    }
    *n_arcs = n;
    for (size_t i = 0; i < m->w.g->entries.n; i++) {
        const struct gmon_arc *arc = &m->w.g->entries.v[i];
        struct gmon_call call = {GMON_OUTSIDE, sym_owners_callee(o, arc->self),
                                 arc->count};
        if (is_in_graph(o, call.callee))
            calls[n++] = call;
    }
    return n;
}

bool gmon_make_graph(struct gmon_maker *m, struct err *err)
{
    size_t n = m->w.g->arcs.n, found;
    struct gmon_call *calls = mem_array(n + m->w.g->entries.n, sizeof *calls);
    if (!calls)
        return err_nomem(err);
    size_t n_calls = find_calls(m, calls, &found);
    bool ok =
        gmon_graph_make(&m->graph, (uint32_t)m->owners->n, calls, n_calls, err);
    free(calls);
    if (found < n)
        note_info(m->w.notes,
                  "%zu of %zu arcs have an end in no function: kept as calls, "
                  "but no time goes by them",
                  n - found, n);
    return ok;
}

/* The location of one end of an arc. */
static bool add_end(struct gmon_maker *m, struct locmap *locs, uint64_t address,
                    uint32_t func, uint32_t *frame, struct err *err)
{
    uint32_t entry;
    return locmap_get(locs, m->w.p, m->w.mapping, address, frame, err) &&
           gmon_mark_frames(m, GMON_FRAME_ARC, func, err) &&
           (func == SYM_NO_OWNER || gmon_entry(m, func, &entry, err));
}

/* callers is null for calls from outside, of which there is one frame. */
static bool add_arc(struct gmon_maker *m, struct locmap *callers,
                    const struct gmon_arc *arc, struct err *err)
{
    const struct sym_owners *o = m->owners;
    int64_t values[GMON_MAX_TYPES] = {0};
    uint32_t frames[2];
    if (arc->count > INT64_MAX)
        return gmon_too_large(arc->self, err);
    values[GMON_CALLS] = (int64_t)arc->count;
    return add_end(m, &m->w.locs, arc->self, sym_owners_callee(o, arc->self),
                   &frames[0], err) &&
           (!callers ||
            add_end(m, callers, arc->from, sym_owners_find(o, arc->from),
                    &frames[1], err)) &&
           prof_add_sample(m->w.p, frames, callers ? 2 : 1, values, 0, err);
}

bool gmon_write_arcs(struct gmon_maker *m, struct err *err)
{
    bool ok = true;
    /* An address is of one function as a callee, and maybe not as a caller. */
    struct locmap callers = {0};
    locmap_free(&m->w.locs);
    for (size_t i = 0; ok && i < m->w.g->arcs.n; i++)
        ok = add_arc(m, &callers, &m->w.g->arcs.v[i], err);
    for (size_t i = 0; ok && i < m->w.g->entries.n; i++)
        ok = add_arc(m, NULL, &m->w.g->entries.v[i], err);
    locmap_free(&callers);
    return ok;
}
