/* hotlines.c - finds the heaviest line of each function */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "profile/columns.h"
#include "report/flame/private.h"

static bool is_hotter(const struct hot_line *a, const struct hot_line *b)
{
    if (a->flat != b->flat)
        return a->flat > b->flat;
    if (a->cum != b->cum)
        return a->cum > b->cum;
    return a->line < b->line;
}

/* Returns the sums by location, or null without memory. */
static struct hot_line *sum_locations(const struct profile *p, size_t type)
{
    struct hot_line *sums = mem_zarray(p->n_locations, sizeof *sums);
    struct prof_stacks r;
    struct prof_err err; /* only memory can be out */
    if (!sums || !prof_stacks_init(&r, p, &err)) {
        free(sums);
        return NULL;
    }
    for (size_t s = 0; s < p->n_samples; s++) {
        const double v = fabs((double)p->values[s * p->n_types + type]);
        prof_stacks_read(&r, s);
        if (!(v > 0) || !r.depth)
            continue;
        sums[r.stack[0]].flat += v;
        for (size_t i = 0; i < r.depth; i++)
            sums[r.stack[i]].cum += v;
    }
    prof_stacks_free(&r);
    return sums;
}

/*
 * Adds the values of a location to its lines, flat values only to the
 * innermost.
 */
static bool add_lines(struct hot_lines *to, const struct profile *p,
                      size_t location, const struct hot_line *sum)
{
    const struct prof_location *l = &p->locations[location];
    bool ok = true;
    for (uint32_t i = 0; ok && sum->cum > 0 && i < l->n_lines; i++) {
        const struct prof_line *line = &p->lines[l->line_off + i];
        if (line->function == PROF_NONE)
            continue;
        const struct prof_function *f = &p->functions[line->function];
        const struct hot_line none = {.name = f->name,
                                      .file = f->filename,
                                      .line = line->line ? line->line
                                                         : f->start_line};
        uint32_t row;
        ok = map_push(&to->rows, &to->v, &none, offsetof(struct hot_line, flat),
                      &row, none);
        if (!ok)
            break;
        to->v.v[row].cum += sum->cum;
        to->v.v[row].flat += i ? 0 : sum->flat;
    }
    return ok;
}

/* Keeps the heaviest line of each name. */
static bool keep_heaviest(struct hot_lines *hot, const struct profile *p,
                          const struct hot_lines *all)
{
    bool ok = true;
    for (size_t i = 0; ok && i < all->v.n; i++) {
        const struct hot_line *line = &all->v.v[i];
        const struct prof_slice name = prof_text(p, line->name);
        uint32_t row;
        if (!name.n)
            continue;
        ok = map_push(&hot->rows, &hot->v, name.s, name.n, &row, *line);
        if (ok && is_hotter(line, &hot->v.v[row]))
            hot->v.v[row] = *line;
    }
    return ok;
}

bool hot_lines_find(struct hot_lines *hot, const struct profile *p, size_t type)
{
    struct hot_lines all = {0}; /* by name, file and line */
    struct hot_line *locations = sum_locations(p, type);
    bool ok = locations;
    for (size_t l = 0; ok && l < p->n_locations; l++)
        ok = add_lines(&all, p, l, &locations[l]);
    ok = ok && keep_heaviest(hot, p, &all);
    free(locations);
    hot_lines_free(&all);
    return ok;
}

const struct hot_line *hot_lines_get(const struct hot_lines *hot,
                                     struct prof_slice name)
{
    uint32_t row;
    return name.n && map_find(&hot->rows, name.s, name.n, &row) ? &hot->v.v[row]
                                                                : NULL;
}

void hot_lines_free(struct hot_lines *hot)
{
    vec_free(&hot->v);
    map_free(&hot->rows);
}
