/*
 * callgrind.c - --callgrind: the format of Valgrind's callgrind
 *
 * KCachegrind and callgrind_annotate read it
 * (https://valgrind.org/docs/manual/cl-format.html).  Written as pprof writes
 * it, except where its readers would misread that; profutils-formats(5)
 * lists these differences.
 *
 * Readers know a function by its name and file (KCachegrind by its binary,
 * too).  Here a function is what has the same binary, file, name and first
 * line, and in a tree of calls also the same caller; nodes without a name are
 * functions of their own.  Where several functions of a file have one name,
 * " [2/5]" follows it, everywhere.
 *
 * Names have no control characters and do not begin with a space, which
 * readers would misread; an unknown name is "???", as in callgrind.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "profile/columns.h"
#include "report/data/private.h"
#include "report/graph/graph.h"
#include "report/out.h"

/* The texts of a place, as ids in callnames.texts. */
struct callnames_place {
    uint32_t object, file, name;
    uint32_t function; /* the first place of the same function */
};

struct callnames_fn {
    uint32_t place;
    uint32_t group;  /* of the functions with its file and name */
    uint32_t number; /* in the group, from 1 */
};

/* Calls of one function by another, of profiles that count them. */
struct call_pair {
    uint32_t from, to; /* functions; before they are numbered, nodes */
    uint32_t node;     /* of the callee */
    uint64_t calls;
    bool is_here;  /* the current node has such calls */
    bool has_cost; /* an edge has these calls */
    bool seen;     /* they were printed */
};

struct callnames {
    struct strtab texts;
    struct callnames_place *place; /* by place: the names written for it */
    uint32_t *fn; /* by node: row of fns; PROF_NONE: not written */
    VEC(struct callnames_fn) fns; /* rows of names_maker.functions */
    VEC(uint32_t) group;          /* by group: how many functions it has */
    VEC(struct call_pair) pairs;  /* sorted by caller, then callee */
    bool *has_value;  /* by row of fns: some node or call of it has a value */
    size_t n_changed; /* texts that were altered */
};

struct names_maker {
    struct callnames *c;
    const struct graph *g;
    const struct graph_cut *cut;
    uint32_t *string_text, *file_text; /* by string id: text + 1, or 0 */
    struct buf text;
    struct map functions; /* rows of callnames.fns */
    struct map groups;    /* rows of callnames.group */
};

/* Sets *id to the id of a text, cleaned for printing. */
static bool add_text(struct names_maker *m, struct prof_slice s, uint32_t *id)
{
    struct buf *text = &m->text;
    while (s.n && (unsigned char)*s.s <= ' ')
        s = slice_from(s, 1);
    text->n = 0;
    if (!(s.n ? buf_put(text, s.s, s.n) : buf_puts(text, "???")))
        return false;
    (void)utf8_blank_controls(text);
    return strtab_add(&m->c->texts, (const char *)text->v, text->n, id);
}

/*
 * Sets *id to the text of a string of a table; converts each string only once.
 */
static bool add_string(struct names_maker *m, const struct strtab *t,
                       uint32_t string, uint32_t *id)
{
    uint32_t *known = t == &m->g->p->strings ? m->string_text : m->file_text;
    if (!known[string]) {
        struct prof_slice s = strtab_slice(t, string);
        if (!add_text(m, s, id))
            return false;
        m->c->n_changed +=
            s.n && !slice_same(s, strtab_slice(&m->c->texts, *id));
        known[string] = *id + 1;
    }
    *id = known[string] - 1;
    return true;
}

/* Adds the texts of all places: their binaries, files and names. */
static bool add_texts(struct names_maker *m)
{
    const struct nodes *t = &m->g->nodes;
    const struct strtab *strings = &m->g->p->strings;
    m->string_text = mem_zarray(strings->n, sizeof *m->string_text);
    m->file_text = mem_zarray(t->files.n, sizeof *m->file_text);
    bool ok = m->string_text && m->file_text;
    for (uint32_t i = 0; ok && i < t->n; i++) {
        const struct node *k = &t->v[i];
        struct callnames_place *p = &m->c->place[i];
        /* A place without a name gets the name that tables show. */
        struct prof_slice shown = graph_place_name(m->cut, i);
        ok = add_string(m, strings, k->object, &p->object) &&
             add_string(m, &t->files, k->file, &p->file) &&
             (k->name ? add_string(m, strings, k->name, &p->name)
                      : add_text(m, shown, &p->name));
    }
    return ok;
}

/* Sets, for each place, the first place of its function. */
static bool find_functions(struct names_maker *m)
{
    struct map functions = {0};
    uint32_t *first = mem_array(m->g->nodes.n, sizeof *first);
    bool ok = first, is_new;
    for (uint32_t i = 0; ok && i < m->g->nodes.n; i++) {
        struct callnames_place *p = &m->c->place[i];
        uint64_t line = (uint64_t)m->g->nodes.v[i].start_line;
        const uint32_t key[] = {p->name, p->file, p->object, (uint32_t)line,
                                (uint32_t)(line >> 32)};
        uint32_t function;
        ok = map_add(&functions, key, sizeof key, &function, &is_new);
        if (ok && is_new)
            first[function] = i;
        if (ok)
            p->function = first[function];
    }
    map_free(&functions);
    free(first);
    return ok;
}

/*
 * Sets the function of a node, once: that of its place and, in a tree, of its
 * caller.
 */
static bool number_node(struct names_maker *m, uint32_t node)
{
    struct callnames *c = m->c;
    if (c->fn[node] != PROF_NONE)
        return true;
    uint32_t caller = m->g->parent ? m->g->parent[node] : PROF_NONE;
    uint32_t place = c->place[graph_place(m->g, node)].function, group;
    const struct callnames_place *p = &c->place[place];
    const uint32_t function[] = {caller, place}, named[] = {p->name, p->file};
    bool is_new;
    if (!map_add(&m->functions, function, sizeof function, &c->fn[node],
                 &is_new))
        return false;
    if (!is_new)
        return true;
    if (!map_push(&m->groups, &c->group, named, sizeof named, &group, 0))
        return false;
    struct callnames_fn new = {place, group, ++c->group.v[group]};
    return vec_push(&c->fns, new);
}

static bool callnames_init(struct callnames *c, const struct graph *g,
                           const struct graph_cut *cut, const struct edges *e)
{
    struct names_maker m = {.c = c, .g = g, .cut = cut};
    c->place = mem_array(g->nodes.n, sizeof *c->place);
    c->fn = mem_none(g->n);
    bool ok = strtab_init(&c->texts) && c->place && c->fn && add_texts(&m) &&
              find_functions(&m);
    /*
     * Number the rows in order, then the nodes without a value that have calls.
     */
    for (size_t i = 0; ok && i < cut->n; i++)
        ok = number_node(&m, cut->row[i].node);
    for (uint32_t k = 0; ok && k < g->n; k++) {
        bool called = e->in_off[k] < e->in_off[k + 1];
        bool calls = e->out_off[k] < e->out_off[k + 1];
        if (e->row[k] == PROF_NONE && (called || calls))
            ok = number_node(&m, k);
    }
    /* Nodes of pairs may have no value and no edges. */
    for (size_t i = 0; ok && i < c->pairs.n; i++) {
        struct call_pair *pair = &c->pairs.v[i];
        ok = number_node(&m, pair->from) && number_node(&m, pair->to);
        pair->node = pair->to;
        pair->from = c->fn[pair->from];
        pair->to = c->fn[pair->to];
    }
    free(m.string_text);
    free(m.file_text);
    buf_free(&m.text);
    map_free(&m.functions);
    map_free(&m.groups);
    return ok;
}

/* --- calls --- */

/*
 * Reads call counts.  Such samples come from gmon2pb and have two frames: the
 * callee, then the caller.
 */
static bool read_calls(struct callnames *c, const struct graph *g,
                       const struct report *r, struct prof_err *err)
{
    const struct profile *p = r->p;
    const struct nodes *t = &g->nodes;
    const int type = g->parent ? -1 : report_calls_type(r);
    struct prof_stacks stacks;
    bool ok = prof_stacks_init(&stacks, p, err);
    for (size_t s = 0; ok && type >= 0 && s < p->n_samples; s++) {
        const int64_t calls = p->values[s * p->n_types + (size_t)type];
        prof_stacks_read(&stacks, s);
        if (calls <= 0 || stacks.depth < 2)
            continue;
        struct call_pair pair = {.from = t->of[t->off[stacks.stack[1]]],
                                 .to = t->of[t->off[stacks.stack[0]]],
                                 .calls = (uint64_t)calls};
        ok = vec_push(&c->pairs, pair) || err_nomem(err);
    }
    prof_stacks_free(&stacks);
    return ok;
}

static int by_functions(const void *x, const void *y)
{
    const struct call_pair *a = x, *b = y;
    const int c = ORDER(a->from, b->from);
    return c ? c : ORDER(a->to, b->to);
}

/*
 * Returns the index of the first pair of the caller and callee, or where it
 * would be inserted.
 */
static size_t pair_at(const struct callnames *c, uint32_t from, uint32_t to)
{
    const struct call_pair key = {.from = from, .to = to};
    size_t lo = 0, hi = c->pairs.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (by_functions(&c->pairs.v[mid], &key) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static struct call_pair *find_pair(struct callnames *c, uint32_t from,
                                   uint32_t to)
{
    size_t i = pair_at(c, from, to);
    struct call_pair *pair = i < c->pairs.n ? &c->pairs.v[i] : NULL;
    return pair && pair->from == from && pair->to == to ? pair : NULL;
}

/* Joins pairs of the same functions, and sets whether an edge has each. */
static bool join_calls(struct callnames *c, const struct graph *g,
                       const struct edges *e, struct prof_err *err)
{
    size_t n = 0;
    struct call_pair *v = c->pairs.v;
    vec_sort(&c->pairs, by_functions);
    for (size_t i = 0; i < c->pairs.n; i++) {
        if (!n || by_functions(&v[n - 1], &v[i]) != 0)
            v[n++] = v[i];
        else if (__builtin_add_overflow(v[n - 1].calls, v[i].calls,
                                        &v[n - 1].calls))
            return err_input(err, "the calls of a function exceed 64 bits");
    }
    c->pairs.n = n;
    c->has_value = mem_zarray(c->fns.n, sizeof *c->has_value);
    if (!c->has_value)
        return err_nomem(err);
    for (uint32_t k = 0; k < g->n; k++)
        if (c->fn[k] != PROF_NONE && g->value[k].cum)
            c->has_value[c->fn[k]] = true;
    for (uint32_t k = 0; n && k < g->n; k++)
        for (uint32_t i = e->out_off[k]; i < e->out_off[k + 1]; i++) {
            const struct graph_edge *edge = &g->edges[e->out[i]];
            struct call_pair *pair =
                find_pair(c, c->fn[edge->from], c->fn[edge->to]);
            if (pair)
                pair->has_cost = true;
        }
    return true;
}

/* --- the text --- */

/* Whether a text was printed with its number, as bits. */
enum { FILE_SEEN = 1, OBJECT_SEEN = 2 };

struct callgrind {
    struct report *r;
    struct call_events events;
    struct graph g; /* of the event or, if there are several, of any */
    struct graph_cut cut;
    struct edges edges;
    struct callnames names;
    uint8_t *text_seen; /* by text: it was written as FILE_SEEN, OBJECT_SEEN */
    bool *fn_seen;      /* by row of names.fns: its name was written */
    size_t n_fractions; /* values that lost a fraction */
    size_t n_negative;
    /* By event. */
    int64_t *cost;      /* of the current node or call */
    int64_t *pair_cost; /* of the current node's calls, by pair */
    int64_t *total;     /* sum of the flat values of nodes */
};

static double scale(const struct call_event *e, int64_t value)
{
    const struct measure *m = &e->units;
    const char *unit;
    return measure_scale(value, m->from, m->to, &unit);
}

static bool is_whole(const struct call_event *e, int64_t value)
{
    double x = scale(e, value);
    return graph_abs(value) < UINT64_C(1) << 53 && x == floor(x);
}

/* Returns the graph with the values of an event. */
static const struct graph *graph_of(const struct callgrind *c, size_t event)
{
    return c->events.n > 1 ? &c->events.v[event].g : &c->g;
}

/*
 * Chooses the unit of an event.  Costs are whole numbers: without --unit,
 * chooses the unit that suits them if none would lose a fraction; otherwise
 * leaves them unchanged.
 */
static void choose_unit(const struct callgrind *c, size_t event)
{
    struct call_event *e = &c->events.v[event];
    struct measure *m = &e->units;
    const struct graph *g = graph_of(c, event);
    struct report as = *c->r;
    if (strcmp(m->to, "minimum") != 0 && strcmp(m->to, "auto") != 0)
        return;
    measure_init(m, m->from, "minimum");
    as.units = *m;
    as.total = e->total;
    report_choose_unit(&as, g, &c->cut, true);
    *m = as.units;
    bool fits = strcmp(m->to, "minimum") != 0;
    for (size_t k = 0; fits && k < g->n; k++)
        fits = is_whole(e, graph_flat(&g->value[k]));
    for (size_t i = 0; fits && i < g->n_edges; i++) {
        const struct graph_edge *edge = &g->edges[i];
        fits = is_whole(e, graph_mean(edge->weight, edge->weight_div));
    }
    if (!fits)
        measure_init(m, m->from, m->from);
}

/* Returns a cost in the chosen unit, without its fraction. */
static int64_t cost_of(struct callgrind *c, size_t event, int64_t value)
{
    const struct call_event *e = &c->events.v[event];
    int64_t cost = value;
    if (c->r->ratio != 1) {
        double x = (double)value * c->r->ratio;
        cost = graph_truncate(x);
        c->n_fractions += x != floor(x);
    }
    if (strcmp(e->units.from, e->units.to) != 0) {
        double x = scale(e, cost);
        cost = graph_truncate(x);
        c->n_fractions += x != floor(x);
    }
    c->n_negative += cost < 0;
    return cost;
}

/* Sets c->cost to the costs of a call. */
static void set_call_cost(struct callgrind *c, const struct graph_edge *edge)
{
    for (size_t i = 0; i < c->events.n; i++) {
        const struct graph_edge *e =
            c->events.n > 1 ? call_event_edge(&c->events.v[i], edge) : edge;
        c->cost[i] =
            e ? cost_of(c, i, graph_mean(e->weight, e->weight_div)) : 0;
    }
}

/* Writes costs: " 5 0 7". */
static bool put_costs(struct callgrind *c, const int64_t *cost)
{
    bool ok = true;
    for (size_t i = 0; ok && i < c->events.n; i++)
        ok = buf_printf(c->r->out, " %" PRId64, cost[i]);
    return ok && buf_putc(c->r->out, '\n');
}

/*
 * Writes the name of an event, " cpu(ms)", without blanks, which separate
 * events.
 */
static bool put_event(struct callgrind *c, const struct call_event *e)
{
    struct report *r = c->r;
    struct buf *out = r->out;
    const char *unit, *from = e->units.from, *to = e->units.to;
    (void)measure_scale(1, from, to, &unit);
    if (!buf_putc(out, ' '))
        return false;
    size_t at = out->n;
    uint32_t type = r->p->types[e->type].type;
    if ((r->opts->mean && !buf_puts(out, "mean_")) ||
        !(type ? prof_put_text(out, r->p, type) : buf_puts(out, "value")) ||
        !buf_printf(out, "(%s)", *unit ? unit : from))
        return false;
    for (; at < out->n; at++)
        if (out->v[at] <= ' ')
            out->v[at] = '_';
    return true;
}

/*
 * Writes a text with its number, "fl=(3) main.c", and later only the number,
 * "fl=(3)".
 */
static bool put_callgrind_text(struct callgrind *c, const char *what,
                               uint32_t id, uint8_t seen)
{
    struct buf *out = c->r->out;
    const struct strtab *t = &c->names.texts;
    if (!buf_printf(out, "%s=(%" PRIu32 ")", what, id + 1))
        return false;
    bool is_new = !(c->text_seen[id] & seen);
    c->text_seen[id] |= seen;
    return (!is_new || (buf_putc(out, ' ') &&
                        buf_put(out, strtab_str(t, id), strtab_len(t, id)))) &&
           buf_putc(out, '\n');
}

static bool put_callgrind_function(struct callgrind *c, const char *what,
                                   uint32_t fn)
{
    struct buf *out = c->r->out;
    const struct strtab *t = &c->names.texts;
    const struct callnames_fn *f = &c->names.fns.v[fn];
    if (!buf_printf(out, "%s=(%" PRIu32 ")", what, fn + 1))
        return false;
    if (c->fn_seen[fn])
        return buf_putc(out, '\n');
    c->fn_seen[fn] = true;
    uint32_t id = c->names.place[f->place].name;
    uint32_t of = c->names.group.v[f->group];
    return buf_putc(out, ' ') &&
           buf_put(out, strtab_str(t, id), strtab_len(t, id)) &&
           (of == 1 ||
            buf_printf(out, " [%" PRIu32 "/%" PRIu32 "]", f->number, of)) &&
           buf_putc(out, '\n');
}

static int64_t line_of(const struct node *k)
{
    return k->line > 0 ? k->line : 0;
}

/*
 * Writes a call.  Omits the binary and file of the callee if they are those of
 * the caller.  An unknown count is written as 1, because readers ignore calls
 * with count 0.
 */
static bool put_callgrind_call(struct callgrind *c, uint32_t from,
                               uint32_t to_node, uint64_t calls,
                               const int64_t *cost)
{
    struct buf *out = c->r->out;
    uint32_t to = graph_place(&c->g, to_node);
    const struct callnames_place *by =
        &c->names.place[graph_place(&c->g, from)];
    const struct callnames_place *p = &c->names.place[to];
    const struct node *k = &c->g.nodes.v[to];
    return (p->object == by->object ||
            put_callgrind_text(c, "cob", p->object, OBJECT_SEEN)) &&
           (p->file == by->file ||
            put_callgrind_text(c, "cfl", p->file, FILE_SEEN)) &&
           put_callgrind_function(c, "cfn", c->names.fn[to_node]) &&
           buf_printf(out,
                      "calls=%" PRIu64 " 0x%" PRIx64 " %" PRId64 "\n"
                      "* *",
                      calls, k->address, line_of(k)) &&
           put_costs(c, cost);
}

/*
 * Returns the costs of a pair by event.  They are 0 except while the calls of a
 * node are added.
 */
static int64_t *cost_of_pair(const struct callgrind *c,
                             const struct call_pair *pair)
{
    return c->pair_cost + (size_t)(pair - c->names.pairs.v) * c->events.n;
}

/*
 * Writes the calls of a node.  Calls of one function from several lines are
 * joined if their count is known.
 */
static bool put_edges(struct callgrind *c, uint32_t node)
{
    struct callnames *names = &c->names;
    const struct edges *e = &c->edges;
    const uint32_t fn = names->fn[node], end = e->out_off[node + 1];
    bool ok = true;
    for (uint32_t i = e->out_off[node]; names->pairs.n && i < end; i++) {
        const struct graph_edge *edge = &c->g.edges[e->out[i]];
        struct call_pair *pair = find_pair(names, fn, names->fn[edge->to]);
        if (!pair)
            continue;
        int64_t *sum = cost_of_pair(c, pair);
        set_call_cost(c, edge);
        for (size_t k = 0; k < c->events.n; k++)
            sum[k] = (int64_t)((uint64_t)sum[k] + (uint64_t)c->cost[k]);
        pair->is_here = true;
    }
    for (uint32_t i = e->out_off[node]; ok && i < end; i++) {
        const struct graph_edge *edge = &c->g.edges[e->out[i]];
        struct call_pair *pair =
            names->pairs.n ? find_pair(names, fn, names->fn[edge->to]) : NULL;
        if (!pair) {
            set_call_cost(c, edge);
            ok = put_callgrind_call(c, node, edge->to, 1, c->cost);
        } else if (pair->is_here) {
            int64_t *sum = cost_of_pair(c, pair);
            ok = put_callgrind_call(c, node, edge->to,
                                    pair->seen ? 1 : pair->calls, sum);
            pair->seen = true;
            pair->is_here = false;
            memset(sum, 0, c->events.n * sizeof *sum);
        }
    }
    /*
     * Write calls without a cost once, but not those of a function that has
     * one, as in a cycle: callgrind_annotate would use its inclusive cost.
     */
    for (size_t i = pair_at(names, fn, 0);
         ok && i < names->pairs.n && names->pairs.v[i].from == fn; i++) {
        struct call_pair *pair = &names->pairs.v[i];
        if (!pair->seen && !pair->has_cost &&
            (!names->has_value[pair->to] || pair->to == fn))
            ok = put_callgrind_call(c, node, pair->node, pair->calls,
                                    cost_of_pair(c, pair));
        pair->seen |= !pair->has_cost;
    }
    return ok;
}

/* Writes a node, with a heading if its function differs from the last one. */
static bool put_callgrind_node(struct callgrind *c, uint32_t node,
                               uint32_t last_fn)
{
    struct buf *out = c->r->out;
    uint32_t place = graph_place(&c->g, node), fn = c->names.fn[node];
    const struct callnames_place *p = &c->names.place[place];
    const struct node *k = &c->g.nodes.v[place];
    bool ok =
        fn == last_fn || (buf_putc(out, '\n') &&
                          put_callgrind_text(c, "ob", p->object, OBJECT_SEEN) &&
                          put_callgrind_text(c, "fl", p->file, FILE_SEEN) &&
                          put_callgrind_function(c, "fn", fn));
    for (size_t i = 0; i < c->events.n; i++) {
        c->cost[i] = cost_of(c, i, graph_flat(&graph_of(c, i)->value[node]));
        /* Sums of means may overflow; they wrap. */
        c->total[i] = (int64_t)((uint64_t)c->total[i] + (uint64_t)c->cost[i]);
    }
    ok = ok &&
         buf_printf(out, "0x%" PRIx64 " %" PRId64, k->address, line_of(k)) &&
         put_costs(c, c->cost);
    return ok && put_edges(c, node) && report_flush(c->r);
}

/* Writes the rows, then the nodes without a value that have calls. */
static bool put_nodes(struct callgrind *c)
{
    uint32_t last = PROF_NONE;
    bool ok = true;
    for (size_t i = 0; ok && i < c->cut.n; i++) {
        uint32_t node = c->cut.row[i].node;
        ok = put_callgrind_node(c, node, last);
        last = c->names.fn[node];
    }
    for (uint32_t k = 0; ok && k < c->g.n; k++) {
        if (c->edges.row[k] != PROF_NONE || c->names.fn[k] == PROF_NONE)
            continue;
        ok = put_callgrind_node(c, k, last);
        last = c->names.fn[k];
    }
    return ok && buf_puts(c->r->out, "\ntotals:") && put_costs(c, c->total);
}

/* Reports what differs from the profile. */
static void say_changes(const struct callgrind *c)
{
    const struct prof_notes *notes = c->r->notes;
    note_count(notes, PROF_NOTE_INFO, c->names.n_changed,
               "control characters and leading spaces removed from %zu "
               "name{s}",
               c->names.n_changed);
    note_count(notes, PROF_NOTE_WARN, c->n_fractions,
               "%zu cost{s} rounded towards 0", c->n_fractions);
    note_count(notes, PROF_NOTE_WARN, c->n_negative,
               "%zu negative cost{s}; KCachegrind reads negative costs as "
               "0",
               c->n_negative);
}

static bool print_callgrind(struct report *r, struct prof_err *err)
{
    const struct report_opts *o = r->opts;
    struct callgrind c = {.r = r};
    bool made = call_events_init(&c.events, r, &c.g, err) &&
                graph_cut(&c.g, &o->limits, &c.cut, err) &&
                graph_link(&c.g, &c.cut, NULL, err) &&
                edges_init(&c.edges, &c.g, &o->limits, &c.cut, err);
    made = made && read_calls(&c.names, &c.g, r, err);
    bool ok = made && callnames_init(&c.names, &c.g, &c.cut, &c.edges);
    if (ok)
        ok = made = join_calls(&c.names, &c.g, &c.edges, err);
    if (ok) {
        for (size_t i = 0; i < c.events.n; i++)
            choose_unit(&c, i);
        c.cost = mem_zarray(c.events.n, sizeof *c.cost);
        c.total = mem_zarray(c.events.n, sizeof *c.total);
        c.pair_cost =
            mem_zarray(c.names.pairs.n * c.events.n, sizeof *c.pair_cost);
        c.text_seen = mem_zarray(c.names.texts.n, sizeof *c.text_seen);
        c.fn_seen = mem_zarray(c.names.fns.n, sizeof *c.fn_seen);
    }
    ok = ok && c.cost && c.total && c.pair_cost && c.text_seen && c.fn_seen &&
         buf_puts(r->out, "# callgrind format\n"
                          "creator: pbcat\n"
                          "positions: instr line\n"
                          "events:");
    for (size_t i = 0; ok && i < c.events.n; i++)
        ok = put_event(&c, &c.events.v[i]);
    ok = ok && buf_putc(r->out, '\n') && put_nodes(&c);
    if (ok)
        say_changes(&c);
    strtab_free(&c.names.texts);
    free(c.names.place);
    free(c.names.fn);
    vec_free(&c.names.fns);
    vec_free(&c.names.group);
    vec_free(&c.names.pairs);
    free(c.names.has_value);
    free(c.text_seen);
    free(c.fn_seen);
    free(c.cost);
    free(c.total);
    free(c.pair_cost);
    edges_free(&c.edges);
    graph_cut_free(&c.cut);
    graph_free(&c.g);
    call_events_free(&c.events);
    return ok || (made && err_nomem(err));
}

const struct report_format report_callgrind = {
    .name = "callgrind",
    .arg = "[all]",
    .help = "write callgrind format for KCachegrind",
    .suffixes = "callgrind",
    .needs = REPORT_FRAMES | REPORT_ADDRESSES | REPORT_TRIM | REPORT_WHOLE,
    .ignores = REPORT_NO_PERCENT | REPORT_NO_DETAIL | REPORT_NO_LABELS,
    .print = print_callgrind,
};

const struct report_format report_callgrind_all = {
    .name = "callgrind",
    .variant = "all",
    .suffixes = "callgrind",
    .needs = REPORT_FRAMES | REPORT_ADDRESSES | REPORT_TRIM | REPORT_WHOLE,
    .ignores = REPORT_NO_PERCENT | REPORT_NO_DETAIL | REPORT_NO_LABELS |
               REPORT_NO_PATHS | REPORT_NO_SIGN,
    .print = print_callgrind,
};
