/*
 * --topproto: the nodes of --text as a profile
 *
 * A sample for each node, with one frame and two values: cum and flat, as
 * whole numbers of the unit that --text shows.  So it is what pprof makes.
 */
#include <string.h>

#include "io/gzip.h"
#include "pb/pb.h"
#include "profile/text.h"
#include "report/out.h"

/* Headers and value types. */
static bool begin(const struct report *r, struct profile *out, struct err *err)
{
    const struct profile *p = r->p;
    const char *unit = r->units.to;
    out->time_nanos = p->time_nanos;
    out->duration_nanos = p->duration_nanos;
    out->period = p->period;
    return prof_add_type(out, "cum", unit, err) &&
           prof_add_type(out, "flat", unit, err) &&
           prof_copy_text(out, p, p->period_type.type, &out->period_type.type,
                          err) &&
           prof_copy_text(out, p, p->period_type.unit, &out->period_type.unit,
                          err);
}

/* What is being made, and what of. */
struct top {
    struct report *r;
    const struct graph *g;
    struct profile out;
    struct strtab functions; /* what tells function i apart is string i + 1 */
    bool lost;               /* a value was no whole number of the unit */
};

/* The function of a node, made if it is new. */
static bool add_function(struct top *t, const struct node *n, uint32_t *index,
                         struct err *err)
{
    const struct strtab *names = &t->g->p->strings;
    const struct strtab *files = &t->g->nodes.files;
    struct {
        uint32_t name, file;
        int64_t start_line;
    } key = {n->name, n->file, n->start_line};
    struct prof_function f = {.start_line = n->start_line};
    uint32_t id;
    if (!strtab_add(&t->functions, (char *)&key, sizeof key, &id))
        return err_nomem(err);
    *index = id - 1;
    if (*index < t->out.n_functions)
        return true;
    return prof_strn(&t->out, strtab_str(names, n->name),
                     strtab_len(names, n->name), &f.name, err) &&
           prof_strn(&t->out, strtab_str(files, n->file),
                     strtab_len(files, n->file), &f.filename, err) &&
           prof_add_function(&t->out, &f, NULL, err);
}

/* The value in the unit, without its fraction. */
static int64_t in_unit(struct top *t, int64_t value)
{
    const struct measure *units = &t->r->units;
    const char *unit;
    double x = measure_scale(value, units->from, units->to, &unit);
    int64_t whole = graph_truncate(x);
    t->lost |= (double)whole != x;
    return whole;
}

static bool add_node(struct top *t, uint32_t node, struct err *err)
{
    const struct node *n = &t->g->nodes.v[node];
    const struct graph_value *w = &t->g->value[node];
    int64_t values[] = {
        in_unit(t, graph_mean(w->cum, w->cum_div)),
        in_unit(t, graph_mean(w->flat, w->flat_div)),
    };
    struct prof_location l = {.address = n->address, .mapping = PROF_NONE};
    struct prof_line line = {.line = n->line, .column = n->column};
    uint32_t at;
    return add_function(t, n, &line.function, err) &&
           prof_add_location(&t->out, &l, &line, 1, &at, err) &&
           prof_add_sample(&t->out, &at, 1, values, 0, err);
}

static bool pack(const struct profile *p, struct buf *to, struct err *err)
{
    struct buf raw = {0};
    struct buf_sink sink = buf_sink_of(&raw);
    struct gz *gz = gz_new();
    bool ok = gz || err_nomem(err);
    ok = ok && pb_encode(p, &sink.sink, err) &&
         gz_deflate(gz, raw.v, raw.n, gz_default_level(raw.n), to, err);
    gz_free(gz);
    buf_free(&raw);
    return ok;
}

static bool make(struct report *r, const struct graph *g,
                 const struct graph_cut *cut, struct err *err)
{
    struct top t = {.r = r, .g = g};
    bool ok = prof_init(&t.out, err) && begin(r, &t.out, err) &&
              (strtab_init(&t.functions) || err_nomem(err));
    for (size_t i = 0; ok && i < cut->n; i++)
        ok = add_node(&t, cut->row[i].node, err);
    ok = ok && pack(&t.out, r->out, err);
    if (ok && t.lost)
        note_warn(r->notes,
                  "--topproto: values are cut to whole %s, as pprof does; "
                  "--unit=%s keeps them",
                  r->units.to, r->units.from);
    strtab_free(&t.functions);
    prof_free(&t.out);
    return ok;
}

static bool print(struct report *r, struct err *err)
{
    struct graph g;
    struct graph_cut cut = {0};
    bool ok = report_make_graph(r, &g, &cut, err);
    if (ok) {
        report_choose_unit(r, &g, &cut);
        ok = make(r, &g, &cut, err);
    }
    graph_cut_free(&cut);
    graph_free(&g);
    return ok;
}

const struct report_format report_topproto = {
    .name = "topproto",
    .help = "the heaviest nodes, as a profile",
    .suffixes = "pb.gz pb",
    .needs_option = true,
    .needs = REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM | REPORT_VALUES,
    .ignores = REPORT_NO_DIVISION,
    .binary = true,
    .print = print,
};
