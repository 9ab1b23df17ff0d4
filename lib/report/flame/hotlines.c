/* hotlines.c - finds the heaviest line of each function */
#include <math.h>
#include <stdlib.h>

#include "profile/columns.h"
#include "report/flame/private.h"

/* The magnitudes of the values of a location, or of a line of a function. */
struct line_sum {
    struct hot_line line;
    double flat, cum;
};

struct line_sums {
    VEC(struct line_sum) v;
    struct map rows; /* of v, by struct hot_line, which has no padding */
};

static bool is_hotter(const struct line_sum *a, const struct line_sum *b)
{
    if (a->flat != b->flat)
        return a->flat > b->flat;
    if (a->cum != b->cum)
        return a->cum > b->cum;
    return a->line.line < b->line.line;
}

/* Returns the sums by location, or null without memory. */
static struct line_sum *sum_locations(const struct profile *p, size_t type)
{
    struct line_sum *sums = mem_zarray(p->n_locations, sizeof *sums);
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
static bool add_lines(struct line_sums *to, const struct profile *p,
                      size_t location, const struct line_sum *sum)
{
    const struct prof_location *l = &p->locations[location];
    bool ok = true;
    for (uint32_t i = 0; ok && sum->cum > 0 && i < l->n_lines; i++) {
        const struct prof_line *line = &p->lines[l->line_off + i];
        if (line->function == PROF_NONE)
            continue;
        const struct prof_function *f = &p->functions[line->function];
        const struct line_sum none = {
            .line = {f->name, f->filename,
                     line->line ? line->line : f->start_line}};
        uint32_t row;
        ok = map_push(&to->rows, &to->v, &none.line, sizeof none.line, &row,
                      none);
        if (!ok)
            break;
        to->v.v[row].cum += sum->cum;
        to->v.v[row].flat += i ? 0 : sum->flat;
    }
    return ok;
}

/* Keeps the heaviest line of each name. */
static bool keep_heaviest(struct hot_lines *hot, const struct profile *p,
                          const struct line_sums *all)
{
    VEC(struct line_sum) best = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < all->v.n; i++) {
        const struct line_sum *sum = &all->v.v[i];
        uint32_t row;
        bool is_new;
        const struct prof_slice name = prof_text(p, sum->line.name);
        if (!name.n)
            continue;
        ok = map_add(&hot->rows, name.s, name.n, &row, &is_new);
        if (ok && is_new)
            ok = vec_push(&best, *sum);
        else if (ok && row < best.n && is_hotter(sum, &best.v[row]))
            best.v[row] = *sum;
    }
    for (size_t i = 0; ok && i < best.n; i++)
        ok = vec_push(&hot->v, best.v[i].line);
    vec_free(&best);
    return ok;
}

bool hot_lines_find(struct hot_lines *hot, const struct profile *p, size_t type)
{
    struct line_sums all = {0};
    struct line_sum *locations = sum_locations(p, type);
    bool ok = locations;
    for (size_t l = 0; ok && l < p->n_locations; l++)
        ok = add_lines(&all, p, l, &locations[l]);
    ok = ok && keep_heaviest(hot, p, &all);
    free(locations);
    vec_free(&all.v);
    map_free(&all.rows);
    return ok;
}

const struct hot_line *hot_lines_get(struct hot_lines *hot,
                                     struct prof_slice name)
{
    uint32_t row;
    bool is_new;
    /* A name that was not known before has a row without a line. */
    return name.n && map_add(&hot->rows, name.s, name.n, &row, &is_new) &&
                   row < hot->v.n
               ? &hot->v.v[row]
               : NULL;
}

void hot_lines_free(struct hot_lines *hot)
{
    vec_free(&hot->v);
    map_free(&hot->rows);
}
