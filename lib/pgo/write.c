/*
 * write.c - writes call edges for the Go compiler: as a profile, or as text
 *
 * Each edge becomes a sample with two locations: the call site, and the
 * function that it calls.  Only the offsets of calls in their functions
 * matter, so functions are written with start line 1: the profiles of two
 * builds are then the same if functions moved but calls did not.
 */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "pgo/pgo.h"

struct writer {
    const struct pgo_edges *edges;
    struct profile *p;
    int64_t *start;              /* by name: its start line */
    uint32_t *function, *callee; /* by name: its function, its location as a
                                    callee; or PROF_NONE */
    struct map site_rows;
    VEC(uint32_t) sites; /* by row of site_rows: the location */
};

/*
 * Sets the start lines of functions.  Go merges frames with equal lines into
 * one node, and drops calls from a node to itself.  A callee has line 0, so the
 * lines of call sites must be above it.  Functions with offsets below 0, which
 * the directive //line makes, therefore start after line 1.
 */
static void set_starts(struct writer *w)
{
    for (size_t i = 0; i < w->edges->v.n; i++) {
        const struct pgo_edge *e = &w->edges->v.v[i];
        if (e->offset < w->start[e->caller])
            w->start[e->caller] = e->offset;
    }
    /*
     * start = 1 - least offset, in unsigned arithmetic: the reader wraps too.
     */
    for (size_t i = 0; i < w->edges->names.n; i++)
        w->start[i] = (int64_t)(1 - (uint64_t)w->start[i]);
}

static bool add_location(struct writer *w, uint32_t name, int64_t number,
                         uint32_t *location, struct prof_err *err)
{
    const struct prof_slice s = w->edges->names.v[name];
    const struct prof_location l = {.mapping = PROF_NONE};
    struct prof_function f = {.start_line = w->start[name]};
    uint32_t *function = &w->function[name];
    if (*function == PROF_NONE && (!prof_strn(w->p, s.s, s.n, &f.name, err) ||
                                   !prof_add_function(w->p, &f, function, err)))
        return false;
    const struct prof_line line = {.function = *function, .line = number};
    return prof_add_location(w->p, &l, &line, 1, location, err);
}

static bool get_site(struct writer *w, const struct pgo_edge *e,
                     uint32_t *location, struct prof_err *err)
{
    const uint64_t key[] = {e->caller, (uint64_t)e->offset};
    const int64_t number =
        (int64_t)((uint64_t)w->start[e->caller] + (uint64_t)e->offset);
    uint32_t row;
    bool is_new;
    if (!map_add(&w->site_rows, key, sizeof key, &row, &is_new))
        return err_nomem(err);
    if (is_new && (!add_location(w, e->caller, number, location, err) ||
                   !(vec_push(&w->sites, *location) || err_nomem(err))))
        return false;
    *location = w->sites.v[row];
    return true;
}

static bool write_edges(struct writer *w, struct prof_err *err)
{
    const struct pgo_edges *edges = w->edges;
    const size_t n = edges->names.n;
    w->start = mem_zarray(n, sizeof *w->start);
    w->function = mem_none(n);
    w->callee = mem_none(n);
    if (!w->start || !w->function || !w->callee)
        return err_nomem(err);
    set_starts(w);

    struct prof_header header = prof_get_header(w->p);
    struct prof_value_type vt;
    header.time_nanos = edges->time_nanos;
    header.duration_nanos = edges->duration_nanos;
    prof_set_header(w->p, &header);
    if (!prof_strn(w->p, edges->type.s, edges->type.n, &vt.type, err) ||
        !prof_strn(w->p, edges->unit.s, edges->unit.n, &vt.unit, err) ||
        !prof_add_type_id(w->p, vt, err))
        return false;
    for (size_t i = 0; i < edges->v.n; i++) {
        const struct pgo_edge *e = &edges->v.v[i];
        uint32_t *callee = &w->callee[e->callee], site;
        if ((*callee == PROF_NONE &&
             !add_location(w, e->callee, 0, callee, err)) ||
            !get_site(w, e, &site, err))
            return false;
        const uint32_t frames[] = {*callee, site};
        if (!prof_add_sample(w->p, frames, 2, &e->weight, 0, err))
            return false;
    }
    return prof_merge_one(w->p, NULL, err);
}

struct profile *pgo_edges_profile(const struct pgo_edges *edges,
                                  struct prof_err *err)
{
    struct writer w = {.edges = edges, .p = prof_new(err)};
    if (w.p && !write_edges(&w, err)) {
        prof_delete(w.p);
        w.p = NULL;
    }
    free(w.start);
    free(w.function);
    free(w.callee);
    map_free(&w.site_rows);
    vec_free(&w.sites);
    return w.p;
}

static bool put_name(struct buf *to, struct prof_slice name,
                     struct prof_err *err)
{
    if (name.n && memchr(name.s, '\n', name.n))
        return err_input(err, "the name of a function has a newline, which "
                              "Go's text form cannot contain");
    return (buf_put(to, name.s, name.n) && buf_putc(to, '\n')) ||
           err_nomem(err);
}

bool pgo_edges_text(const struct pgo_edges *edges, struct sink *to,
                    struct prof_err *err)
{
    struct buf lines = {0};
    bool ok = buf_puts(&lines, "GO PREPROFILE V1\n") || err_nomem(err);
    for (size_t i = 0; ok && i < edges->v.n; i++) {
        const struct pgo_edge *e = &edges->v.v[i];
        ok = put_name(&lines, edges->names.v[e->caller], err) &&
             put_name(&lines, edges->names.v[e->callee], err) &&
             ((buf_put_i64(&lines, e->offset) && buf_putc(&lines, ' ') &&
               buf_put_i64(&lines, e->weight) && buf_putc(&lines, '\n')) ||
              err_nomem(err));
    }
    ok = ok && sink_write(to, lines.v, lines.n, err);
    buf_free(&lines);
    return ok;
}
