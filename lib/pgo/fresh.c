/* fresh.c - finds how much of a profile belongs to functions and lines that
 * still exist */
#include <stdlib.h>

#include "base/map.h"
#include "base/slice.h"
#include "base/sort.h"
#include "pgo/private.h"

struct reader {
    struct pgo_target *target;
    struct pgo_fresh *fresh;
    struct map rows; /* rows of fresh->stale, by name and reason */
};

/* Adds a weight to the sums for `found`.  If the code has changed, `name` is
 * the function that is gone or lacks the line. */
static bool add(struct reader *r, enum pgo_found found, struct prof_slice name,
                int64_t weight, struct prof_err *err)
{
    struct pgo_fresh *fresh = r->fresh;
    struct buf key = {0};
    uint32_t row;
    fresh->all += weight;
    if (found == PGO_ELSEWHERE)
        return true;
    fresh->of_target += weight;
    if (found == PGO_FRESH) {
        fresh->fresh += weight;
        return true;
    }
    const struct pgo_stale stale = {name, found == PGO_LINE_GONE, 0};
    const bool ok =
        buf_putc(&key, (char)('0' + found)) && buf_put(&key, name.s, name.n) &&
        map_push(&r->rows, &fresh->stale, key.v, key.n, &row, stale);
    buf_free(&key);
    if (!ok)
        return err_nomem(err);
    fresh->stale.v[row].weight += weight;
    return true;
}

/* Judges calls.  A call belongs to the target if its caller or its callee does.
 * It is fresh if the caller still has the line and the callee still exists. */
static bool judge_edges(struct reader *r, const struct pgo_edges *edges,
                        struct prof_err *err)
{
    for (size_t i = 0; i < edges->v.n; i++) {
        const struct pgo_edge *e = &edges->v.v[i];
        const struct prof_slice caller = edges->names.v[e->caller],
                                callee = edges->names.v[e->callee];
        enum pgo_found at, to;
        if (!pgo_target_find_go(r->target, caller, &e->offset, &at, err) ||
            !pgo_target_find_go(r->target, callee, NULL, &to, err))
            return false;
        const bool is_caller =
            at == PGO_GONE || at == PGO_LINE_GONE || to == PGO_ELSEWHERE;
        if (!add(r, is_caller ? at : to,
                 pgo_real_name(is_caller ? caller : callee), e->weight, err))
            return false;
    }
    return true;
}

/* The result for a location, and the name of the function that decided it. */
struct verdict {
    bool known;
    enum pgo_found found;
    struct prof_slice name;
};

/* Judges a location.  Each of its functions (several if calls were inlined)
 * that belongs to the target must still exist and have the line. */
static bool judge_location(struct reader *r, const struct profile *p,
                           uint32_t location, struct verdict *v,
                           struct prof_err *err)
{
    size_t n;
    const struct prof_line *line = prof_get_lines(p, location, &n);
    const uint32_t mapping = prof_get_location(p, location).mapping;
    *v = (struct verdict){true, PGO_ELSEWHERE, {"", 0}};
    /* Mappings of the program are the first one and others of its file. */
    if (pgo_target_is_binary(r->target) && mapping != PROF_NONE &&
        prof_get_mapping(p, mapping).filename !=
            prof_get_mapping(p, 0).filename)
        return true;
    while (n-- > 0) {
        if (line[n].function == PROF_NONE)
            continue;
        const struct prof_function f = prof_get_function(p, line[n].function);
        const int64_t offset = line[n].line - f.start_line;
        const bool has_offset = line[n].line && f.start_line;
        enum pgo_found found;
        if (!pgo_target_find(r->target, p, &f, has_offset ? &offset : NULL,
                             &found, err))
            return false;
        if (found == PGO_ELSEWHERE)
            continue;
        v->found = found;
        v->name = prof_get_string(p, f.name);
        if (found != PGO_FRESH)
            return true;
    }
    return true;
}

static bool judge_samples(struct reader *r, const struct pgo_figures *figures,
                          struct prof_err *err)
{
    const struct profile *p = figures->p;
    const struct prof_counts count = prof_count(p);
    struct verdict *verdicts = mem_zarray(count.locations, sizeof *verdicts);
    bool ok = verdicts || err_nomem(err);
    for (size_t i = 0; ok && i < count.samples; i++) {
        const struct prof_sample s = prof_get_sample(p, i);
        if (!s.n_frames)
            continue;
        struct verdict *v = &verdicts[s.frames[0]];
        ok = (v->known || judge_location(r, p, s.frames[0], v, err)) &&
             add(r, v->found, v->name, s.values[figures->type], err);
    }
    free(verdicts);
    return ok;
}

static int heaviest_first(const void *a, const void *b)
{
    const struct pgo_stale *x = a, *y = b;
    int c = ORDER(y->weight, x->weight);
    c = c ? c : slice_compare(x->name, y->name);
    return c ? c : x->has_function - y->has_function;
}

bool pgo_fresh_read(struct pgo_fresh *fresh, const struct pgo_figures *figures,
                    const char *path, const struct sym_opts *opts,
                    struct prof_err *err)
{
    struct reader r = {.target = pgo_target_new(figures, path, opts, err),
                       .fresh = fresh};
    if (!r.target)
        return false;
    const bool ok = figures->compiler == PGO_GO
                        ? judge_edges(&r, &figures->edges, err)
                        : judge_samples(&r, figures, err);
    if (ok)
        vec_sort(&fresh->stale, heaviest_first);
    map_free(&r.rows);
    pgo_target_free(r.target);
    return ok;
}

void pgo_fresh_free(struct pgo_fresh *fresh)
{
    vec_free(&fresh->stale);
}
