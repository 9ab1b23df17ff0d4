/*
 * figures.c - reads what a compiler uses of a profile, in one form for all
 * compilers: units of code (calls or lines) with weights
 */
#include <stdlib.h>

#include "base/file.h"
#include "base/slice.h"
#include "base/sort.h"
#include "pgo/private.h"

/* Appends a name to a key by its bytes, because ids differ between profiles. */
static bool put_name(struct buf *key, struct prof_slice name)
{
    return buf_put(key, &name.n, sizeof name.n) && buf_put(key, name.s, name.n);
}

static bool add_unit(struct pgo_figures *f, struct map *rows,
                     const struct buf *key, struct pgo_unit unit,
                     struct prof_err *err)
{
    return (map_add(rows, key->v, key->n, &unit.row, NULL) &&
            vec_push(&f->units, unit)) ||
           err_nomem(err);
}

static bool add_edges(struct pgo_figures *f, struct map *rows, struct buf *key,
                      struct prof_err *err)
{
    const struct pgo_edges *edges = &f->edges;
    for (size_t i = 0; i < edges->v.n; i++) {
        const struct pgo_edge *e = &edges->v.v[i];
        key->n = 0;
        if (!put_name(key, edges->names.v[e->caller]) ||
            !put_name(key, edges->names.v[e->callee]) ||
            !buf_put(key, &e->offset, sizeof e->offset))
            return err_nomem(err);
        const struct pgo_unit unit = {e->weight, {e->caller, e->callee}, 0};
        if (!add_unit(f, rows, key, unit, err))
            return false;
    }
    return true;
}

static bool add_places(struct pgo_figures *f, struct map *rows, struct buf *key,
                       struct prof_err *err)
{
    const struct pgo_lines *lines = &f->lines;
    for (size_t i = 0; i < lines->places.n; i++) {
        const struct pgo_place *place = &lines->places.v[i];
        uint32_t at = place->instance, offset = place->at.offset;
        const uint32_t name = lines->instances.v[at].name;
        key->n = 0;
        for (; at != PROF_NONE; at = lines->instances.v[at].parent) {
            const struct pgo_instance *in = &lines->instances.v[at];
            if (!buf_put(key, &offset, sizeof offset) ||
                !put_name(key, lines->names.v[in->name].name))
                return err_nomem(err);
            offset = in->at.offset;
        }
        const struct pgo_unit unit = {(int64_t)place->count, {name, name}, 0};
        if (!add_unit(f, rows, key, unit, err))
            return false;
    }
    return true;
}

static int heaviest_first(const void *a, const void *b)
{
    const struct pgo_unit *x = a, *y = b;
    const int c = ORDER(y->weight, x->weight);
    return c ? c : ORDER(x->row, y->row);
}

bool pgo_figures_units(struct pgo_figures *f, struct map *rows,
                       struct prof_err *err)
{
    struct buf key = {0};
    f->units.n = 0;
    const bool ok = f->compiler == PGO_GO ? add_edges(f, rows, &key, err)
                                          : add_places(f, rows, &key, err);
    buf_free(&key);
    if (ok && f->compiler != PGO_GO)
        vec_sort(&f->units, heaviest_first);
    return ok;
}

size_t pgo_figures_hot(const struct pgo_figures *f)
{
    if (f->compiler == PGO_GO)
        return pgo_edges_hot(&f->edges, PGO_HOT_PERCENT);
    int64_t total = 0, sum = 0;
    size_t i;
    for (i = 0; i < f->units.n; i++)
        total += f->units.v[i].weight;
    for (i = 0; i < f->units.n; i++) {
        /* Units as heavy as the last hot one are hot too. */
        if (i && (double)sum >= (double)total * PGO_HOT_PERCENT / 100 &&
            f->units.v[i].weight < f->units.v[i - 1].weight)
            break;
        sum += f->units.v[i].weight;
    }
    return i;
}

/* --- reading --- */

/* Adds the value of sample i to f->total, and to f->named, f->lined and
 * f->started if all of its lines have names, line numbers and start lines. */
static bool add_sample(struct pgo_figures *f, size_t i, struct prof_err *err)
{
    const struct prof_sample s = prof_get_sample(f->p, i);
    const int64_t value = s.values[f->type];
    if (!pgo_add_value(&f->total, i, value, err))
        return false;
    size_t n = 0;
    const struct prof_line *line =
        s.n_frames ? prof_get_lines(f->p, s.frames[0], &n) : NULL;
    bool named = n > 0, lined = n > 0, started = n > 0;
    for (size_t k = 0; k < n; k++) {
        struct prof_function fn = {0};
        if (line[k].function != PROF_NONE)
            fn = prof_get_function(f->p, line[k].function);
        named &= pgo_linkage_name(f->p, &fn).n > 0;
        lined &= line[k].line != 0;
        started &= fn.start_line != 0;
    }
    f->named += named ? value : 0;
    f->lined += lined ? value : 0;
    f->started += started ? value : 0;
    return true;
}

static bool read_lines(struct pgo_figures *f, struct prof_err *err)
{
    if (!pgo_pick_samples(f->p, &f->type, err))
        return false;
    const size_t n = prof_count(f->p).samples;
    for (size_t i = 0; i < n; i++)
        if (!add_sample(f, i, err))
            return false;
    /* Ignore discriminators: only one of two profiles may have them. */
    const struct pgo_source from = {.p = f->p};
    f->is_fit = pgo_lines_read(&from, NULL, &f->lines, &f->why);
    if (!f->is_fit && f->why.kind != PROF_ERR_INPUT) {
        *err = f->why;
        return false;
    }
    return true;
}

static bool read_edges(struct pgo_figures *f, struct prof_err *err)
{
    if (!pgo_pick_type(f->p, &f->type, err) ||
        !pgo_edges_read(f->p, &f->edges, err))
        return false;
    f->total = f->edges.total;
    f->named = f->edges.named;
    f->lined = f->edges.lined;
    f->started = f->edges.started;
    f->is_fit = pgo_edges_fit(&f->edges, &f->why);
    return true;
}

struct pgo_figures *pgo_figures_new(const struct profile *p,
                                    enum pgo_compiler compiler,
                                    struct prof_err *err)
{
    struct pgo_figures *f = mem_new(sizeof *f, err);
    if (!f)
        return NULL;
    f->p = p;
    f->compiler = compiler;
    if (compiler == PGO_GO ? read_edges(f, err) : read_lines(f, err))
        return f;
    pgo_figures_free(f);
    return NULL;
}

bool pgo_figures_fit(const struct pgo_figures *f, struct prof_err *err)
{
    if (!f->is_fit)
        *err = f->why;
    return f->is_fit;
}

void pgo_figures_free(struct pgo_figures *f)
{
    if (!f)
        return;
    pgo_edges_free(&f->edges);
    pgo_lines_free(&f->lines);
    vec_free(&f->units);
    free(f);
}

/* --- builds --- */

struct builds_reader {
    const struct pgo_figures *f;
    struct pgo_builds *builds;
    struct map ids;
    bool *is_moved; /* by function: there are others with its name and file,
                       which start at another line */
};

struct function_name {
    int64_t start;
    bool is_moved;
};

/* Sets r->is_moved.  A function that was recorded with two builds is there
 * twice, with the same name and file, but may start at two lines. */
static bool find_moved(struct builds_reader *r, struct prof_err *err)
{
    const struct profile *p = r->f->p;
    const size_t n = prof_count(p).functions;
    struct map names = {0};
    struct function_name *rows = mem_zarray(n, sizeof *rows);
    uint32_t *row_of = mem_array(n, sizeof *row_of);
    r->is_moved = mem_zarray(n, sizeof *r->is_moved);
    bool ok = rows && row_of && r->is_moved;
    for (size_t i = 0; ok && i < n; i++) {
        const struct prof_function fn = prof_get_function(p, i);
        const uint32_t key[] = {fn.name, fn.system_name, fn.filename};
        bool is_new;
        if (!(ok = map_add(&names, key, sizeof key, &row_of[i], &is_new)))
            break;
        struct function_name *row = &rows[row_of[i]];
        if (is_new)
            row->start = fn.start_line;
        row->is_moved |= row->start != fn.start_line;
    }
    for (size_t i = 0; ok && i < n; i++)
        r->is_moved[i] = rows[row_of[i]].is_moved;
    map_free(&names);
    free(rows);
    free(row_of);
    return ok || err_nomem(err);
}

/* Returns the build ID (a string id) of the program in a stack, or 0. */
static uint32_t find_id(const struct profile *p, const struct prof_sample *s)
{
    const struct prof_slice program =
        path_after_slash(prof_get_string(p, prof_get_mapping(p, 0).filename));
    for (size_t k = 0; k < s->n_frames; k++) {
        const uint32_t i = prof_get_location(p, s->frames[k]).mapping;
        if (i == PROF_NONE)
            continue;
        const struct prof_mapping m = prof_get_mapping(p, i);
        if (!i || slice_same(path_after_slash(prof_get_string(p, m.filename)),
                             program))
            return m.build_id;
    }
    return 0;
}

static bool add_build(struct builds_reader *r, size_t i, struct prof_err *err)
{
    const struct profile *p = r->f->p;
    const struct prof_sample s = prof_get_sample(p, i);
    const int64_t value = s.values[r->f->type];
    if (!pgo_add_value(&r->builds->total, i, value, err))
        return false;
    const size_t most = r->f->compiler == PGO_GO ? PGO_LAST_LOCATIONS : 1;
    bool moved = false;
    for (size_t k = 0; k < most && k < s.n_frames; k++) {
        size_t n;
        const struct prof_line *line = prof_get_lines(p, s.frames[k], &n);
        while (n-- > 0)
            moved |=
                line[n].function != PROF_NONE && r->is_moved[line[n].function];
    }
    r->builds->moved += moved ? value : 0;
    const uint32_t id = prof_count(p).mappings ? find_id(p, &s) : 0;
    if (!id || !value)
        return true;
    const struct pgo_build build = {prof_get_string(p, id), 0};
    uint32_t row;
    if (!map_push(&r->ids, &r->builds->v, &id, sizeof id, &row, build))
        return err_nomem(err);
    r->builds->v.v[row].weight += value;
    return true;
}

static int most_first(const void *a, const void *b)
{
    const struct pgo_build *x = a, *y = b;
    const int c = ORDER(y->weight, x->weight);
    return c ? c : slice_compare(x->id, y->id);
}

bool pgo_builds_read(struct pgo_builds *builds, const struct pgo_figures *f,
                     struct prof_err *err)
{
    struct builds_reader r = {.f = f, .builds = builds};
    bool ok = find_moved(&r, err);
    const size_t n = prof_count(f->p).samples;
    for (size_t i = 0; ok && i < n; i++)
        ok = add_build(&r, i, err);
    if (ok)
        vec_sort(&builds->v, most_first);
    map_free(&r.ids);
    free(r.is_moved);
    return ok;
}
