/* toptable.c - --text, --text=classic and --topproto: the heaviest nodes */
#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/utf8.h"
#include "profile/columns.h"
#include "report/text/private.h"

/* --- --text --- */

static bool put_data_rows(struct report *r, const struct toptable *t)
{
    struct rows rows;
    bool ok = rows_begin(&rows, r) &&
              toptable_put_data(&rows, t, (struct prof_slice){0});
    return rows_end(&rows, ok);
}

static bool print_text(struct report *r, struct prof_err *err)
{
    if (r->opts->by)
        return r->opts->outliers ? print_outliers(r, err) : print_by(r, err);
    struct toptable t;
    bool made = toptable_make(r, &t, err);
    bool ok = made && (r->opts->rows ? put_data_rows(r, &t)
                                     : report_put_legend(r, &t.g, &t.cut) &&
                                           toptable_put(r, &t));
    toptable_free(r, &t);
    return ok || (made && err_nomem(err));
}

const struct report_format report_text = {
    .name = "text",
    .arg = "[classic|gprof|errors]",
    .alias = "top",
    .help = "print the heaviest functions (default)",
    .common = true,
    .suffixes = "txt",
    .needs = REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM,
    .has_rows = true,
    .shows_others = true,
    .name_offset = 44,
    .ignores = REPORT_NO_PATHS,
    .print = print_text,
};

/*
 * --- --text=classic ---
 *
 * The table of the older pprof, written in Perl: the columns and units of
 * google-pprof --text (gperftools, docs/cpuprofile.html): flat, its share, the
 * running sum of shares, cum, its share, name; samples as a number, sizes in
 * MB, times in seconds.
 */

/* The unit of values in this table. */
struct classic_unit {
    const char *name;
    double divisor; /* 0: whole numbers */
    int decimals;
};

static struct classic_unit unit_of(const struct report *r)
{
    const char *unit;
    struct prof_slice type = prof_text(r->p, r->p->types[r->type].type);
    double bytes = measure_scale(1, r->units.from, "bytes", &unit);
    if (!strcmp(unit, "B"))
        return (struct classic_unit){"MB", 0x1p20 / bytes, 1};
    double nanos = measure_scale(1, r->units.from, "nanoseconds", &unit);
    if (!strcmp(unit, "ns"))
        return (struct classic_unit){"seconds", 1e9 / nanos, 3};
    return (struct classic_unit){
        slice_contains(type, "objects") ? "objects" : "samples", 0, 0};
}

static bool put_classic_value(struct report *r, const struct classic_unit *u,
                              int64_t value, size_t width)
{
    char text[MEASURE_TEXT];
    double x = (double)value * r->ratio;
    if (u->divisor > 0)
        (void)snprintf(text, sizeof text, "%.*f", u->decimals, x / u->divisor);
    else
        (void)snprintf(text, sizeof text, "%" PRId64,
                       r->ratio == 1 ? value : graph_truncate(x));
    return report_put_right(r->out, text, strlen(text), width);
}

static bool put_share(struct report *r, int64_t value)
{
    char text[MEASURE_TEXT] = "nan";
    if (r->total)
        (void)snprintf(text, sizeof text, "%.1f%%",
                       (double)value * 100 / (double)r->total);
    return buf_putc(r->out, ' ') &&
           report_put_right(r->out, text, strlen(text), 6);
}

static bool print_classic(struct report *r, struct prof_err *err)
{
    struct graph g;
    struct graph_cut cut = {0};
    bool made = report_make_graph(r, &g, &cut, err);
    /* Negative values, as in differences, come last. */
    for (size_t i = 0; made && i < cut.n; i++) {
        const struct graph_value *w = &g.value[cut.row[i].node];
        int64_t v = r->opts->limits.cum_sort ? graph_cum(w) : graph_flat(w);
        cut.row[i].key = (uint64_t)v ^ UINT64_C(1) << 63;
        cut.row[i].tie = 0;
    }
    if (made)
        graph_sort_rows(&cut);
    struct classic_unit u = unit_of(r);
    bool ok = made && (!r->total || (buf_puts(r->out, "Total: ") &&
                                     put_classic_value(r, &u, r->total, 0) &&
                                     buf_printf(r->out, " %s\n", u.name)));
    int64_t sum = 0;
    for (size_t i = 0; ok && i < cut.n; i++) {
        const struct graph_row *row = &cut.row[i];
        const struct graph_value *w = &g.value[row->node];
        int64_t flat = graph_flat(w), cum = graph_cum(w);
        /* Sums of means may overflow; they wrap. */
        sum = (int64_t)((uint64_t)sum + (uint64_t)flat);
        ok = put_classic_value(r, &u, flat, 8) && put_share(r, flat) &&
             put_share(r, sum) && buf_putc(r->out, ' ') &&
             put_classic_value(r, &u, cum, 8) && put_share(r, cum) &&
             buf_putc(r->out, ' ') &&
             utf8_put_line(r->out, cut.text.v + row->name, row->name_n) &&
             buf_putc(r->out, '\n');
    }
    graph_cut_free(&cut);
    graph_free(&g);
    return ok || (made && err_nomem(err));
}

const struct report_format report_classic = {
    .name = "text",
    .variant = "classic",
    .suffixes = "txt",
    .needs = REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM | REPORT_CLASSIC,
    .node_fraction = DBL_MIN, /* none */
    .name_offset = 39,
    .ignores =
        REPORT_NO_UNIT | REPORT_NO_EDGES | REPORT_NO_PATHS | REPORT_NO_LABELS,
    .print = print_classic,
};

/*
 * --- --topproto ---
 *
 * A profile with a sample for each node of --text, with one frame and two
 * values: cum and flat, as whole numbers of the unit that --text shows, as
 * pprof makes it.
 */

struct top {
    struct report *r;
    struct graph g;
    struct profile out;
    struct map functions;
    bool lost; /* a value had a fraction */
};

/* Sets *index to the function of a node, which it adds if it is new. */
static bool add_function(struct top *t, const struct node *n, uint32_t *index,
                         struct prof_err *err)
{
    const struct strtab *names = &t->g.p->strings;
    const struct strtab *files = &t->g.nodes.files;
    struct {
        uint32_t name, file;
        int64_t start_line;
    } key = {n->name, n->file, n->start_line};
    struct prof_function f = {.start_line = n->start_line};
    bool is_new;
    if (!map_add(&t->functions, &key, sizeof key, index, &is_new))
        return err_nomem(err);
    if (!is_new)
        return true;
    return prof_strn(&t->out, strtab_str(names, n->name),
                     strtab_len(names, n->name), &f.name, err) &&
           prof_strn(&t->out, strtab_str(files, n->file),
                     strtab_len(files, n->file), &f.filename, err) &&
           prof_add_function(&t->out, &f, NULL, err);
}

/* Converts a value to the unit of the report; drops the fraction. */
static int64_t in_unit(struct top *t, int64_t value)
{
    const struct measure *units = &t->r->units;
    const char *unit;
    double x = measure_scale(value, units->from, units->to, &unit);
    int64_t whole = graph_truncate(x);
    t->lost |= (double)whole != x;
    return whole;
}

static bool print_topproto(struct report *r, struct prof_err *err)
{
    const struct profile *p = r->p;
    struct top t = {.r = r};
    struct graph_cut cut = {0};
    bool ok = report_make_graph(r, &t.g, &cut, err);
    if (ok)
        report_choose_unit(r, &t.g, &cut, false);

    /* Headers and value types. */
    const char *unit = r->units.to;
    struct prof_value_type *period = &t.out.period_type;
    ok = ok && prof_init(&t.out, err) &&
         prof_add_type(&t.out, "cum", unit, err) &&
         prof_add_type(&t.out, "flat", unit, err) &&
         prof_copy_text(&t.out, p, p->period_type.type, &period->type, err) &&
         prof_copy_text(&t.out, p, p->period_type.unit, &period->unit, err);
    t.out.time_nanos = p->time_nanos;
    t.out.duration_nanos = p->duration_nanos;
    t.out.period = p->period;

    /* A sample of one location for each node. */
    for (size_t i = 0; ok && i < cut.n; i++) {
        const struct node *n = &t.g.nodes.v[cut.row[i].node];
        const struct graph_value *w = &t.g.value[cut.row[i].node];
        int64_t values[] = {
            in_unit(&t, graph_cum(w)),
            in_unit(&t, graph_flat(w)),
        };
        struct prof_location l = {.address = n->address, .mapping = PROF_NONE};
        struct prof_line line = {.line = n->line, .column = n->column};
        uint32_t at;
        ok = add_function(&t, n, &line.function, err) &&
             prof_add_location(&t.out, &l, &line, 1, &at, err) &&
             prof_add_sample(&t.out, &at, 1, values, 0, err);
    }
    ok = ok && report_put_profile(r, &t.out, err);
    if (ok && t.lost)
        note_warn(r->notes,
                  "--topproto: values are truncated to whole %s (as in pprof); "
                  "use --unit=%s to keep them",
                  r->units.to, r->units.from);
    map_free(&t.functions);
    prof_free(&t.out);
    graph_cut_free(&cut);
    graph_free(&t.g);
    return ok;
}

const struct report_format report_topproto = {
    .name = "topproto",
    .help = "write the heaviest functions as a profile",
    .suffixes = "pb.gz pb",
    .needs_option = true,
    .needs = REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM,
    .binary = true,
    .ignores = REPORT_NO_DIVISION | REPORT_NO_EDGES | REPORT_NO_PATHS |
               REPORT_NO_PERCENT | REPORT_NO_LABELS,
    .print = print_topproto,
};
