/*
 * edges.c - call edges as the Go compiler counts them
 *
 * Since Go 1.22 the compiler counts only the calls in the last two locations
 * of a stack: the call between the two, and calls that were inlined in either.
 * A caller further up may have called once while many samples were taken in
 * its callees.  Go 1.21 counted the calls of the whole stack.
 *
 * The nodes of the compiler's graph are frames with the same address, function
 * name, start line and line; a frame without a function has the empty name.  A
 * sample counts once for each pair of nodes, however often it occurs in the
 * sample, and not at all for a node that calls itself.  Edges are the same if
 * the names of caller and callee and the offset of the caller's line are
 * equal.
 */
#include <stdlib.h>

#include "base/slice.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "pgo/private.h"

#define NO_NODE UINT32_MAX
#define WARN_SHARE 0.01

struct node {
    uint32_t name; /* index of pgo_edges.names */
    int64_t offset;
    bool has_line, has_start;
};

/* Two nodes that were next to each other in a stack. */
struct pair {
    uint32_t edge;
    size_t sample; /* the last one that was counted, plus 1 */
};

struct reader {
    const struct profile *p;
    struct pgo_edges *edges;
    size_t type; /* the sample type of the weights */
    struct map node_rows, pair_rows, edge_rows;
    VEC(struct node) nodes;
    VEC(struct pair) pairs;
    VEC(uint32_t) frames; /* the node of each line of each location */
    size_t *first; /* by location: its first node in `frames`; and an end */
};

static bool is_weight(const struct profile *p, size_t type)
{
    const struct prof_value_type vt = prof_get_type(p, type);
    const struct prof_slice name = prof_get_string(p, vt.type),
                            unit = prof_get_string(p, vt.unit);
    return (slice_is(name, "samples") && slice_is(unit, "count")) ||
           (slice_is(name, "cpu") && slice_is(unit, "nanoseconds"));
}

static bool no_type(const struct profile *p, struct prof_err *err)
{
    struct buf types = {0};
    const size_t n = prof_count(p).types;
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        const struct prof_value_type vt = prof_get_type(p, i);
        const struct prof_slice name = prof_get_string(p, vt.type),
                                unit = prof_get_string(p, vt.unit);
        ok = (!i || buf_puts(&types, ", ")) &&
             utf8_put_line(&types, name.s, name.n) && buf_putc(&types, '/') &&
             utf8_put_line(&types, unit.s, unit.n);
    }
    ok = ok && buf_putc(&types, '\0');
    if (!ok)
        err_nomem(err);
    else if (!n)
        err_input(err, "the profile has no sample types");
    else
        err_input(
            err,
            "no sample type samples/count or cpu/nanoseconds, which the Go "
            "compiler requires (found: %s); use a CPU profile, or 'pbfilter "
            "--rename-type'; for other compilers add --llvm or --gcc",
            (const char *)types.v);
    buf_free(&types);
    return false;
}

bool pgo_pick_type(const struct profile *p, size_t *type, struct prof_err *err)
{
    const size_t n = prof_count(p).types;
    for (*type = 0; *type < n; ++*type)
        if (is_weight(p, *type))
            return true;
    return no_type(p, err);
}

/*
 * Appends the node of a line to r->frames.  If `line` is null, the location has
 * no lines.
 */
static bool add_frame(struct reader *r, uint64_t address,
                      const struct prof_line *line, struct prof_err *err)
{
    struct prof_function f = {0};
    int64_t number = 0;
    if (line && line->function != PROF_NONE) {
        f = prof_get_function(r->p, line->function);
        number = line->line;
    }
    const uint64_t key[] = {address, (uint64_t)f.start_line, (uint64_t)number,
                            f.name};
    /* A file may have any line numbers: the difference wraps, as in Go. */
    const struct node node = {
        f.name, (int64_t)((uint64_t)number - (uint64_t)f.start_line),
        number != 0, f.start_line != 0};
    uint32_t row;
    return (map_push(&r->node_rows, &r->nodes, key, sizeof key, &row, node) &&
            vec_push(&r->frames, row)) ||
           err_nomem(err);
}

/*
 * Adds all strings, so that a name is its string id, and the nodes of each
 * location.
 */
static bool add_locations(struct reader *r, struct prof_err *err)
{
    const struct prof_counts count = prof_count(r->p);
    r->first = mem_array(count.locations + 1, sizeof *r->first);
    if (!r->first || !vec_reserve(&r->edges->names, count.strings))
        return err_nomem(err);
    for (size_t i = 0; i < count.strings; i++)
        r->edges->names.v[i] = prof_get_string(r->p, (uint32_t)i);
    r->edges->names.n = count.strings;
    for (size_t i = 0; i < count.locations; i++) {
        const uint64_t address = prof_get_location(r->p, i).address;
        size_t n;
        const struct prof_line *lines = prof_get_lines(r->p, i, &n);
        r->first[i] = r->frames.n;
        if (!n && !add_frame(r, address, NULL, err))
            return false;
        for (size_t k = 0; k < n; k++)
            if (!add_frame(r, address, &lines[k], err))
                return false;
    }
    r->first[count.locations] = r->frames.n;
    return true;
}

/*
 * Adds the weight of a sample to the edge between two nodes, once for each
 * sample.
 */
static bool count_call(struct reader *r, uint32_t caller, uint32_t callee,
                       size_t sample, int64_t weight, struct prof_err *err)
{
    const struct node *from = &r->nodes.v[caller], *to = &r->nodes.v[callee];
    const uint32_t nodes[] = {caller, callee};
    const uint64_t key[] = {from->name, to->name, (uint64_t)from->offset};
    const struct pgo_edge edge = {from->name, to->name, from->offset, 0};
    struct pair new = {0};
    uint32_t row;
    bool is_new;
    if (!map_add(&r->pair_rows, nodes, sizeof nodes, &row, &is_new) ||
        (is_new && (!map_push(&r->edge_rows, &r->edges->v, key, sizeof key,
                              &new.edge, edge) ||
                    !vec_push(&r->pairs, new))))
        return err_nomem(err);
    struct pair *pair = &r->pairs.v[row];
    if (pair->sample == sample + 1)
        return true;
    pair->sample = sample + 1;
    struct pgo_edges *edges = r->edges;
    /* No other sum exceeds the total, so only the total is checked. */
    if (__builtin_add_overflow(edges->total, weight, &edges->total))
        return err_input(err, "the weights of all calls exceed 64 bits");
    edges->v.v[pair->edge].weight += weight;
    if (edges->names.v[from->name].n && edges->names.v[to->name].n)
        edges->named += weight;
    if (from->has_line)
        edges->lined += weight;
    if (from->has_start)
        edges->started += weight;
    return true;
}

static bool check_value(size_t sample, int64_t value, struct prof_err *err)
{
    return value >= 0 ||
           err_input(err,
                     "sample %zu: the value %lld is negative: compilers cannot "
                     "use a difference of profiles",
                     sample, (long long)value);
}

bool pgo_add_value(int64_t *all, size_t sample, int64_t value,
                   struct prof_err *err)
{
    return check_value(sample, value, err) &&
           (!__builtin_add_overflow(*all, value, all) ||
            err_input(err, "the values of all samples exceed 64 bits"));
}

static bool add_sample(struct reader *r, size_t i, struct prof_err *err)
{
    const struct prof_sample s = prof_get_sample(r->p, i);
    const int64_t weight = s.values[r->type];
    if (!check_value(i, weight, err))
        return false;
    if (!weight)
        return true;
    r->edges->any_weight = true;
    uint32_t caller = NO_NODE;
    size_t k =
        s.n_frames < PGO_LAST_LOCATIONS ? s.n_frames : PGO_LAST_LOCATIONS;
    while (k-- > 0) {
        const size_t *at = &r->first[s.frames[k]];
        for (size_t j = at[1]; j-- > at[0];) {
            const uint32_t node = r->frames.v[j];
            const struct node *n = &r->nodes.v[node];
            if (n->has_start)
                r->edges->any_start = true;
            else if (r->edges->names.v[n->name].n)
                r->edges->unstarted = n->name;
            if (caller != NO_NODE && caller != node &&
                !count_call(r, caller, node, i, weight, err))
                return false;
            caller = node;
        }
    }
    return true;
}

struct sorted {
    struct prof_slice caller, callee;
    struct pgo_edge edge;
};

static int compare_edges(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;
    int c = ORDER(y->edge.weight, x->edge.weight);
    c = c ? c : slice_compare(x->caller, y->caller);
    c = c ? c : slice_compare(x->callee, y->callee);
    return c ? c : ORDER(x->edge.offset, y->edge.offset);
}

static bool sort_edges(struct pgo_edges *edges, struct prof_err *err)
{
    const size_t n = edges->v.n;
    struct sorted *v = mem_array(n, sizeof *v);
    if (!v)
        return err_nomem(err);
    for (size_t i = 0; i < n; i++) {
        const struct pgo_edge *e = &edges->v.v[i];
        v[i] = (struct sorted){edges->names.v[e->caller],
                               edges->names.v[e->callee], *e};
    }
    qsort(v, n, sizeof *v, compare_edges);
    for (size_t i = 0; i < n; i++)
        edges->v.v[i] = v[i].edge;
    free(v);
    return true;
}

static bool read_edges(struct reader *r, struct prof_err *err)
{
    if (!pgo_pick_type(r->p, &r->type, err) || !add_locations(r, err))
        return false;
    const size_t n = prof_count(r->p).samples;
    for (size_t i = 0; i < n; i++)
        if (!add_sample(r, i, err))
            return false;
    return sort_edges(r->edges, err);
}

bool pgo_edges_read(const struct profile *p, struct pgo_edges *edges,
                    struct prof_err *err)
{
    struct reader r = {.p = p, .edges = edges};
    edges->unstarted = PROF_NONE;
    const bool ok = read_edges(&r, err);
    if (ok) {
        const struct prof_value_type vt = prof_get_type(p, r.type);
        const struct prof_header header = prof_get_header(p);
        edges->type = prof_get_string(p, vt.type);
        edges->unit = prof_get_string(p, vt.unit);
        edges->time_nanos = header.time_nanos;
        edges->duration_nanos = header.duration_nanos;
    }
    map_free(&r.node_rows);
    map_free(&r.pair_rows);
    map_free(&r.edge_rows);
    vec_free(&r.nodes);
    vec_free(&r.pairs);
    vec_free(&r.frames);
    free(r.first);
    return ok;
}

void pgo_edges_free(struct pgo_edges *edges)
{
    vec_free(&edges->v);
    vec_free(&edges->names);
}

bool pgo_edges_fit(const struct pgo_edges *edges, struct prof_err *err)
{
    struct buf name = {0};
    if (!edges->any_weight || edges->any_start)
        return true;
    if (edges->unstarted == PROF_NONE)
        return err_input(
            err, "the samples have no functions: pass -e BINARY to add them");
    const struct prof_slice s = edges->names.v[edges->unstarted];
    if (!utf8_put_line(&name, s.s, s.n) || !buf_putc(&name, '\0'))
        err_nomem(err);
    else
        err_input(err,
                  "no function has a start line, which the Go compiler needs "
                  "('%s' has none): use a profile that the Go runtime (1.20 or "
                  "newer) wrote, or pass -e BINARY to add them",
                  (const char *)name.v);
    buf_free(&name);
    return false;
}

bool pgo_edges_prepare(struct profile *p, struct pgo_edges *edges,
                       const struct pgo_edges_opts *opts,
                       const struct prof_notes *notes, struct prof_err *err)
{
    if (!pgo_edges_fit(edges, err) ||
        (opts->no_inline &&
         !pgo_edges_no_inline(p, edges, opts->no_inline, notes, err)) ||
        (opts->percent > 0 && !pgo_edges_cut(edges, opts->percent, err)))
        return false;
    /* Report the calls that the compiler cannot place, unless there are no
     * others. */
    const double share =
        edges->total ? 1 - (double)edges->started / (double)edges->total : 0;
    if (share > 0 && share < 1)
        note_at(notes, share > WARN_SHARE ? PROF_NOTE_WARN : PROF_NOTE_INFO,
                "%.2f%% of the calls have a caller without a start line, so "
                "that the Go compiler cannot place them: pass -e BINARY to add "
                "start lines",
                100 * share);
    if (!edges->v.n)
        note_warn(notes, "no calls: compilers cannot use this profile");
    return true;
}
