/*
 * callgrind.c - --callgrind: the format of Valgrind's callgrind
 *
 * KCachegrind and callgrind_annotate read it
 * (https://valgrind.org/docs/manual/cl-format.html).  Written as pprof writes
 * it, except where its readers would misread that; see DIFFERENCES in
 * man/pbcat.1.
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

#include "base/hash.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "profile/measure.h"
#include "report/graph/edges.h"
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

struct callnames {
    struct strtab texts;
    struct callnames_place *place; /* by place */
    uint32_t *fn;                  /* by node; PROF_NONE if it is nowhere */
    VEC(struct callnames_fn) fns;  /* in the order of rows */
    VEC(uint32_t) group;           /* how many functions it has */
    size_t n_changed;              /* texts that are not what they were */
};

/* How many functions have the name and file of this one. */
static uint32_t callnames_namesakes(const struct callnames *c, uint32_t fn)
{
    return c->group.v[c->fns.v[fn].group];
}

/* The id of a text as it is printed. */
static bool add_text(struct callnames *c, const char *s, size_t n,
                     struct buf *text, uint32_t *id)
{
    while (n && (unsigned char)*s <= ' ') {
        s++;
        n--;
    }
    text->n = 0;
    if (!(n ? buf_put(text, s, n) : buf_puts(text, "???")))
        return false;
    (void)utf8_blank_controls(text);
    return strtab_add(&c->texts, (const char *)text->v, text->n, id);
}

static bool same_text(const struct callnames *c, uint32_t id, const char *s,
                      size_t n)
{
    return !n || (strtab_len(&c->texts, id) == n &&
                  !memcmp(strtab_str(&c->texts, id), s, n));
}

/* A string of a table, each of which is looked at once. */
static bool add_string(struct callnames *c, const struct strtab *t,
                       uint32_t string, uint32_t *known, struct buf *text,
                       uint32_t *id)
{
    if (!known[string]) {
        const char *s = strtab_str(t, string);
        size_t n = strtab_len(t, string);
        if (!add_text(c, s, n, text, id))
            return false;
        c->n_changed += !same_text(c, *id, s, n);
        known[string] = *id + 1;
    }
    *id = known[string] - 1;
    return true;
}

/* The place's own name, or what tables show for it. */
static bool add_place_name(struct callnames *c, const struct graph *g,
                           const struct graph_cut *cut, uint32_t place,
                           uint32_t *known, struct buf *text)
{
    const struct node *k = &g->nodes.v[place];
    uint32_t *id = &c->place[place].name;
    if (k->name)
        return add_string(c, &g->p->strings, k->name, known, text, id);
    size_t at = cut->name_at[place];
    return add_text(c, (const char *)cut->text.v + at,
                    cut->name_at[place + 1] - at, text, id);
}

static bool add_texts(struct callnames *c, const struct graph *g,
                      const struct graph_cut *cut)
{
    const struct nodes *t = &g->nodes;
    struct buf text = {0};
    uint32_t *known = mem_zarray(g->p->strings.n, sizeof *known);
    uint32_t *known_files = mem_zarray(t->files.n, sizeof *known_files);
    bool ok = known && known_files;
    for (uint32_t i = 0; ok && i < t->n; i++) {
        const struct node *k = &t->v[i];
        struct callnames_place *p = &c->place[i];
        ok = add_string(c, &g->p->strings, k->object, known, &text,
                        &p->object) &&
             add_string(c, &t->files, k->file, known_files, &text, &p->file) &&
             add_place_name(c, g, cut, i, known, &text);
    }
    free(known);
    free(known_files);
    buf_free(&text);
    return ok;
}

static uint32_t hash_pair(const struct graph *g, uint64_t a, uint64_t b)
{
    return mix_fold(mix_pair(prof_seed(g->p), a, b));
}

static bool same_function(const struct graph *g, const struct callnames *c,
                          uint32_t a, uint32_t b)
{
    const struct callnames_place *x = &c->place[a], *y = &c->place[b];
    return x->name == y->name && x->file == y->file && x->object == y->object &&
           g->nodes.v[a].start_line == g->nodes.v[b].start_line;
}

/* For each place the first one of its function. */
static bool find_functions(struct callnames *c, const struct graph *g)
{
    struct hashidx index = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < g->nodes.n; i++) {
        struct callnames_place *p = &c->place[i];
        uint32_t hash =
            hash_pair(g, (uint64_t)p->name << 32 | p->file, p->object);
        ok = hashidx_room(&index);
        if (!ok)
            break;
        size_t at = hashidx_start(&index, hash);
        uint32_t k;
        while ((k = hashidx_next(&index, hash, &at)) != HASHIDX_NONE)
            if (same_function(g, c, k, i))
                break;
        p->function = k == HASHIDX_NONE ? i : k;
        if (k == HASHIDX_NONE)
            hashidx_put(&index, at, hash, i);
    }
    hashidx_free(&index);
    return ok;
}

/* What is needed to number functions. */
struct numbering {
    struct callnames *c;
    const struct graph *g;
    struct hashidx by_caller; /* functions by place and, in a tree, caller */
    VEC(uint32_t) caller;     /* of functions */
    struct hashidx by_name;   /* groups */
    VEC(uint32_t) first;      /* the first function of each group */
};

static bool find_group(struct numbering *n, uint32_t place, uint32_t *group)
{
    struct callnames *c = n->c;
    const struct callnames_place *p = &c->place[place];
    uint32_t hash = hash_pair(n->g, p->name, p->file);
    if (!hashidx_room(&n->by_name))
        return false;
    size_t at = hashidx_start(&n->by_name, hash);
    while ((*group = hashidx_next(&n->by_name, hash, &at)) != HASHIDX_NONE) {
        const struct callnames_place *q =
            &c->place[c->fns.v[n->first.v[*group]].place];
        if (q->name == p->name && q->file == p->file)
            return true;
    }
    *group = (uint32_t)n->first.n;
    hashidx_put(&n->by_name, at, hash, *group);
    return vec_push(&n->first, (uint32_t)c->fns.n) && vec_push(&c->group, 0);
}

static bool number_node(struct numbering *n, uint32_t node)
{
    struct callnames *c = n->c;
    uint32_t caller = n->g->parent ? n->g->parent[node] : PROF_NONE;
    uint32_t place = c->place[graph_place(n->g, node)].function, group;
    uint32_t hash = hash_pair(n->g, caller, place), *fn = &c->fn[node];
    if (!hashidx_room(&n->by_caller))
        return false;
    size_t at = hashidx_start(&n->by_caller, hash);
    while ((*fn = hashidx_next(&n->by_caller, hash, &at)) != HASHIDX_NONE)
        if (n->caller.v[*fn] == caller && c->fns.v[*fn].place == place)
            return true;
    if (!find_group(n, place, &group))
        return false;
    *fn = (uint32_t)c->fns.n;
    hashidx_put(&n->by_caller, at, hash, *fn);
    struct callnames_fn new = {place, group, ++c->group.v[group]};
    return vec_push(&n->caller, caller) && vec_push(&c->fns, new);
}

/* In the order of rows; then nodes without value that have calls. */
static bool number_nodes(struct callnames *c, const struct graph *g,
                         const struct graph_cut *cut, const struct edges *e)
{
    struct numbering n = {.c = c, .g = g};
    bool ok = true;
    for (size_t i = 0; ok && i < cut->n; i++)
        ok = number_node(&n, cut->row[i].node);
    for (uint32_t k = 0; ok && k < g->n; k++) {
        bool called = e->in_off[k] < e->in_off[k + 1];
        bool calls = e->out_off[k] < e->out_off[k + 1];
        if (e->row[k] == PROF_NONE && (called || calls))
            ok = number_node(&n, k);
    }
    hashidx_free(&n.by_caller);
    hashidx_free(&n.by_name);
    vec_free(&n.caller);
    vec_free(&n.first);
    return ok;
}

static bool callnames_init(struct callnames *c, const struct graph *g,
                           const struct graph_cut *cut,
                           const struct edges *edges, struct err *err)
{
    memset(c, 0, sizeof *c);
    c->place = mem_array(g->nodes.n, sizeof *c->place);
    c->fn = mem_array(g->n, sizeof *c->fn);
    if (!strtab_init(&c->texts) || !c->place || !c->fn)
        return err_nomem(err);
    for (size_t k = 0; k < g->n; k++)
        c->fn[k] = PROF_NONE;
    return (add_texts(c, g, cut) && find_functions(c, g) &&
            number_nodes(c, g, cut, edges)) ||
           err_nomem(err);
}

static void callnames_free(struct callnames *c)
{
    strtab_free(&c->texts);
    free(c->place);
    free(c->fn);
    vec_free(&c->fns);
    vec_free(&c->group);
    memset(c, 0, sizeof *c);
}

/* The text. */

/* Whether a text was printed with its number, as bits. */
enum { FILE_SEEN = 1, OBJECT_SEEN = 2 };

struct callgrind {
    struct report *r;
    struct graph g;
    struct graph_cut cut;
    struct edges edges;
    struct callnames names;
    uint8_t *text_seen; /* by text */
    bool *fn_seen;
    bool is_scaled;     /* to another unit */
    size_t n_fractions; /* values that lost one */
    size_t n_negative;
    int64_t total; /* of what was measured in nodes */
};

static double scale(const struct callgrind *c, int64_t value)
{
    const struct measure *m = &c->r->units;
    const char *unit;
    return measure_scale(value, m->from, m->to, &unit);
}

static bool is_whole(const struct callgrind *c, int64_t value)
{
    double x = scale(c, value);
    return graph_abs(value) < UINT64_C(1) << 53 && x == floor(x);
}

/* Whether the unit that suits them can be had without loss. */
static bool all_whole(const struct callgrind *c)
{
    for (size_t k = 0; k < c->g.n; k++) {
        const struct graph_weight *w = &c->g.weight[k];
        if (!is_whole(c, graph_mean(w->flat, w->flat_div)))
            return false;
    }
    for (size_t i = 0; i < c->g.n_edges; i++) {
        const struct graph_edge *e = &c->g.edges[i];
        if (!is_whole(c, graph_mean(e->weight, e->weight_div)))
            return false;
    }
    return true;
}

/* Costs are whole numbers, so that a unit is of use if it leaves them so. */
static void choose_unit(struct callgrind *c)
{
    struct measure *m = &c->r->units;
    if (strcmp(m->to, "minimum") != 0 && strcmp(m->to, "auto") != 0)
        return;
    measure_init(m, m->from, "minimum");
    report_choose_integer_unit(c->r, &c->g, &c->cut);
    if (!strcmp(m->to, "minimum") || !all_whole(c))
        measure_init(m, m->from, m->from);
}

/* A cost in the unit that was chosen. */
static int64_t cost_of(struct callgrind *c, int64_t value)
{
    int64_t cost = value;
    if (c->r->ratio != 1) {
        double x = (double)value * c->r->ratio;
        cost = graph_truncate(x);
        c->n_fractions += x != floor(x);
    }
    if (c->is_scaled) {
        double x = scale(c, cost);
        cost = graph_truncate(x);
        c->n_fractions += x != floor(x);
    }
    c->n_negative += cost < 0;
    return cost;
}

/* "cpu(ms)": a word, as blanks would part two of them. */
static bool put_event(struct callgrind *c)
{
    struct report *r = c->r;
    struct buf *out = r->out;
    const char *unit, *from = r->units.from, *to = r->units.to;
    (void)measure_scale(1, from, to, &unit);
    size_t at = out->n;
    uint32_t type = r->p->types[r->type].type;
    if ((r->opts->mean && !buf_puts(out, "mean_")) ||
        !(type ? report_put_str(r, type) : buf_puts(out, "value")) ||
        !buf_printf(out, "(%s)", *unit ? unit : from))
        return false;
    for (; at < out->n; at++)
        if (out->v[at] <= ' ')
            out->v[at] = '_';
    return buf_putc(out, '\n');
}

static bool put_callgrind_header(struct callgrind *c)
{
    struct buf *out = c->r->out;
    return buf_puts(out, "# callgrind format\n"
                         "creator: pbcat\n"
                         "positions: instr line\n"
                         "events: ") &&
           put_event(c);
}

/* "fl=(3) main.c", and "fl=(3)" from then on. */
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
    uint32_t of = callnames_namesakes(&c->names, fn);
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

/* Binary and file of the callee only where they are not the caller's. */
static bool put_callgrind_call(struct callgrind *c, const struct graph_edge *e)
{
    struct buf *out = c->r->out;
    uint32_t to = graph_place(&c->g, e->to);
    const struct callnames_place *by =
        &c->names.place[graph_place(&c->g, e->from)];
    const struct callnames_place *p = &c->names.place[to];
    const struct node *k = &c->g.nodes.v[to];
    int64_t cost = cost_of(c, graph_mean(e->weight, e->weight_div));
    return (p->object == by->object ||
            put_callgrind_text(c, "cob", p->object, OBJECT_SEEN)) &&
           (p->file == by->file ||
            put_callgrind_text(c, "cfl", p->file, FILE_SEEN)) &&
           put_callgrind_function(c, "cfn", c->names.fn[e->to]) &&
           /* How often is not known; a call of 0 times is taken for none. */
           buf_printf(out,
                      "calls=1 0x%" PRIx64 " %" PRId64 "\n"
                      "* * %" PRId64 "\n",
                      k->address, line_of(k), cost);
}

/* With a heading if the function is not the last one's. */
static bool put_callgrind_node(struct callgrind *c, uint32_t node,
                               uint32_t last_fn)
{
    struct buf *out = c->r->out;
    uint32_t place = graph_place(&c->g, node), fn = c->names.fn[node];
    const struct callnames_place *p = &c->names.place[place];
    const struct node *k = &c->g.nodes.v[place];
    const struct graph_weight *w = &c->g.weight[node];
    const struct edges *e = &c->edges;
    bool ok =
        fn == last_fn || (buf_putc(out, '\n') &&
                          put_callgrind_text(c, "ob", p->object, OBJECT_SEEN) &&
                          put_callgrind_text(c, "fl", p->file, FILE_SEEN) &&
                          put_callgrind_function(c, "fn", fn));
    int64_t cost = cost_of(c, graph_mean(w->flat, w->flat_div));
    /* Means, unlike what they are made of, may add up to anything. */
    c->total = (int64_t)((uint64_t)c->total + (uint64_t)cost);
    ok = ok && buf_printf(out, "0x%" PRIx64 " %" PRId64 " %" PRId64 "\n",
                          k->address, line_of(k), cost);
    for (uint32_t i = e->out_off[node]; ok && i < e->out_off[node + 1]; i++)
        ok = put_callgrind_call(c, &c->g.edges[e->out[i]]);
    return ok && report_flush(c->r);
}

/* Rows, and then nodes without value that have calls. */
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
    return ok && buf_printf(c->r->out, "\ntotals: %" PRId64 "\n", c->total);
}

/* What a reader of the file will not see as it is in the profile. */
static void say_changes(const struct callgrind *c)
{
    const struct notes *notes = c->r->notes;
    if (c->names.n_changed)
        note_info(notes,
                  "%zu names have control characters or begin with a space; "
                  "they are shown without",
                  c->names.n_changed);
    if (c->n_fractions)
        note_warn(notes, "%zu cost%s rounded towards 0", c->n_fractions,
                  c->n_fractions > 1 ? "s" : "");
    if (c->n_negative)
        note_warn(notes, "%zu cost%s below 0, which KCachegrind reads as 0",
                  c->n_negative, c->n_negative > 1 ? "s" : "");
}

static bool put_callgrind(struct callgrind *c)
{
    struct measure *m = &c->r->units;
    choose_unit(c);
    c->is_scaled = strcmp(m->from, m->to) != 0;
    c->text_seen = mem_zarray(c->names.texts.n, sizeof *c->text_seen);
    c->fn_seen = mem_zarray(c->names.fns.n, sizeof *c->fn_seen);
    bool ok =
        c->text_seen && c->fn_seen && put_callgrind_header(c) && put_nodes(c);
    if (ok)
        say_changes(c);
    free(c->text_seen);
    free(c->fn_seen);
    return ok;
}

static bool print_callgrind(struct report *r, struct err *err)
{
    const struct report_opts *o = r->opts;
    struct callgrind c = {.r = r};
    bool ok = (o->call_tree ? graph_weigh_tree(&c.g, r->p, r->type, o->mean,
                                               true, o->threads, err)
                            : graph_weigh_exact(&c.g, r->p, r->type, o->mean,
                                                o->threads, err)) &&
              graph_cut(&c.g, &o->limits, &c.cut, err) &&
              graph_link(&c.g, &c.cut, NULL, o->threads, err) &&
              edges_init(&c.edges, &c.g, &o->limits, &c.cut, err) &&
              callnames_init(&c.names, &c.g, &c.cut, &c.edges, err) &&
              (put_callgrind(&c) || err_nomem(err));
    callnames_free(&c.names);
    edges_free(&c.edges);
    graph_cut_free(&c.cut);
    graph_free(&c.g);
    return ok;
}

const struct report_format report_callgrind = {
    .name = "callgrind",
    .help = "calls between functions, for KCachegrind",
    .suffixes = "callgrind",
    .needs = REPORT_FRAMES | REPORT_ADDRESSES | REPORT_TRIM | REPORT_VALUES |
             REPORT_WHOLE,
    .print = print_callgrind,
};
