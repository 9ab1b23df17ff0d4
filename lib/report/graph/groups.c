/* groups.c - finds lines that are always together in a location */
/*
 * Groups are split while locations are looked at, one after the other: a part
 * of a group that is in a location, when the rest is not, becomes a new one.
 */
#include "report/graph/groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define NONE UINT32_MAX

struct group {
    uint32_t size; /* items */
    /* Of the location that is looked at: */
    uint32_t here; /* items in it */
    uint32_t part; /* the group that these become, or NONE */
};

struct splitting {
    const struct groups_items *items;
    uint32_t *of;        /* by item; those of the result */
    uint64_t *seen;      /* by item, later by group: a location, plus 1 */
    struct group *group; /* there are no more than items */
    uint32_t *touched;   /* groups that have items in the location */
    size_t n, n_touched;
};

/* Counts the items of a location by their groups. */
static void count(struct splitting *s, size_t l)
{
    const struct groups_items *t = s->items;
    for (uint64_t i = t->off[l]; i < t->off[l + 1]; i++) {
        uint32_t item = t->item[i], of = s->of[item];
        if (s->seen[item] == l + 1)
            continue;
        s->seen[item] = l + 1;
        if (!s->group[of].here++)
            s->touched[s->n_touched++] = of;
    }
}

/* Makes the part of a group that is in the location one of its own. */
static void split(struct splitting *s, uint32_t of)
{
    struct group *g = &s->group[of];
    g->part = (uint32_t)s->n;
    g->size -= g->here;
    s->group[s->n++] = (struct group){g->here, 0, NONE};
}

static void look_at(struct splitting *s, size_t l)
{
    const struct groups_items *t = s->items;
    s->n_touched = 0;
    count(s, l);
    for (size_t i = 0; i < s->n_touched; i++)
        if (s->group[s->touched[i]].here < s->group[s->touched[i]].size)
            split(s, s->touched[i]);
    for (uint64_t i = t->off[l]; i < t->off[l + 1]; i++) {
        uint32_t *of = &s->of[t->item[i]];
        if (s->group[*of].part != NONE)
            *of = s->group[*of].part;
    }
    for (size_t i = 0; i < s->n_touched; i++) {
        s->group[s->touched[i]].here = 0;
        s->group[s->touched[i]].part = NONE;
    }
}

static bool split_all(struct splitting *s)
{
    const struct groups_items *t = s->items;
    s->seen = mem_zarray(t->n, sizeof *s->seen);
    s->group = mem_array(t->n, sizeof *s->group);
    s->touched = mem_array(t->n, sizeof *s->touched);
    if (!s->seen || !s->group || !s->touched)
        return false;
    if (t->n)
        s->group[s->n++] = (struct group){(uint32_t)t->n, 0, NONE};
    for (size_t l = 0; l < t->n_locations; l++)
        look_at(s, l);
    return true;
}

/* The groups of each location. */
static bool list(struct groups *g, const struct splitting *s)
{
    const struct groups_items *t = s->items;
    uint64_t n = 0;
    g->n = s->n;
    g->off = mem_array(t->n_locations + 1, sizeof *g->off);
    g->v = mem_array((size_t)t->off[t->n_locations], sizeof *g->v);
    if (!g->off || !g->v)
        return false;
    if (t->n)
        memset(s->seen, 0, t->n * sizeof *s->seen);
    for (size_t l = 0; l < t->n_locations; l++) {
        g->off[l] = n;
        for (uint64_t i = t->off[l]; i < t->off[l + 1]; i++) {
            uint32_t of = g->of[t->item[i]];
            if (s->seen[of] == l + 1)
                continue;
            s->seen[of] = l + 1;
            g->v[n++] = of;
        }
    }
    g->off[t->n_locations] = n;
    return true;
}

bool groups_init(struct groups *g, const struct groups_items *items)
{
    memset(g, 0, sizeof *g);
    g->of = mem_zarray(items->n, sizeof *g->of);
    struct splitting s = {.items = items, .of = g->of};
    bool ok = g->of && split_all(&s) && list(g, &s);
    free(s.seen);
    free(s.group);
    free(s.touched);
    return ok;
}

void groups_free(struct groups *g)
{
    free(g->of);
    free(g->off);
    free(g->v);
    memset(g, 0, sizeof *g);
}
