/*
 * Mappings may overlap, the first in the list wins, and a hostile file has
 * very many of them.  So the address space is cut into cells at every edge
 * of a mapping and each cell is given to its first mapping once; then an
 * address is a binary search.
 */
#include <stdlib.h>

#include "base/vec.h"
#include "import/gperftools/maps.h"

struct cells {
    uint64_t *edge;  /* n of them, ascending, distinct */
    uint32_t *owner; /* of [edge[i], edge[i + 1]): a mapping or PROF_NONE */
    size_t *next;    /* while painting: a free cell is at or after this one */
    size_t n;
};

enum ranges { WITHIN, BELOW };

/* The addresses of a mapping, or those of its file that come before it. */
static bool range(const struct prof_mapping *m, enum ranges which,
                  uint64_t *start, uint64_t *limit)
{
    *start = which == WITHIN ? m->start : m->start - m->offset;
    *limit = which == WITHIN ? m->limit : m->start;
    return *start < *limit;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The cell that holds the address, or n when it is below all. */
static size_t find_cell(const struct cells *c, uint64_t address)
{
    size_t lo = 0, hi = c->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (c->edge[mid] <= address)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo ? lo - 1 : c->n;
}

static size_t free_cell(struct cells *c, size_t i)
{
    while (c->next[i] != i) {
        c->next[i] = c->next[c->next[i]];
        i = c->next[i];
    }
    return i;
}

static void collect_edges(struct cells *c, const struct profile *p,
                          enum ranges which)
{
    uint64_t start, limit;
    size_t n = 0;
    for (size_t i = 0; i < p->n_mappings; i++) {
        if (range(&p->mappings[i], which, &start, &limit)) {
            c->edge[n++] = start;
            c->edge[n++] = limit;
        }
    }
    qsort(c->edge, n, sizeof *c->edge, by_value);
    for (size_t i = 0; i < n; i++)
        if (!c->n || c->edge[c->n - 1] != c->edge[i])
            c->edge[c->n++] = c->edge[i];
}

static void paint(struct cells *c, const struct profile *p, enum ranges which)
{
    uint64_t start, limit;
    for (size_t i = 0; i < c->n; i++) {
        c->owner[i] = PROF_NONE;
        c->next[i] = i;
    }
    for (size_t m = 0; m < p->n_mappings; m++) {
        if (!range(&p->mappings[m], which, &start, &limit))
            continue;
        size_t end = find_cell(c, limit);
        for (size_t i = free_cell(c, find_cell(c, start)); i < end;
             i = free_cell(c, i)) {
            c->owner[i] = (uint32_t)m;
            c->next[i] = i + 1;
        }
    }
}

static void free_cells(struct cells *c)
{
    free(c->edge);
    free(c->owner);
    free(c->next);
}

static bool make_cells(struct cells *c, const struct profile *p,
                       enum ranges which)
{
    size_t n = p->n_mappings * 2;
    *c = (struct cells){.edge = mem_array(n, sizeof *c->edge),
                        .owner = mem_array(n, sizeof *c->owner),
                        .next = mem_array(n, sizeof *c->next)};
    if (!c->edge || !c->owner || !c->next)
        return false;
    collect_edges(c, p, which);
    paint(c, p, which);
    return true;
}

static uint32_t lookup(const struct cells *c, uint64_t address)
{
    size_t i = find_cell(c, address);
    return i < c->n ? c->owner[i] : PROF_NONE;
}

/* Those that lie in a mapping, or below one; these are then extended. */
static bool locate(struct profile *p, enum ranges which)
{
    struct cells c;
    bool ok = make_cells(&c, p, which);
    for (size_t l = 0; ok && l < p->n_locations; l++) {
        struct prof_location *loc = &p->locations[l];
        if (loc->mapping != PROF_NONE || !loc->address)
            continue;
        loc->mapping = lookup(&c, loc->address);
        if (loc->mapping == PROF_NONE || which == WITHIN)
            continue;
        struct prof_mapping *m = &p->mappings[loc->mapping];
        m->start -= m->offset;
        m->offset = 0;
    }
    free_cells(&c);
    return ok;
}

bool maps_locate(struct profile *p, const struct notes *notes, struct err *err)
{
    size_t n_listed = p->n_mappings, n_left = 0;
    if (!locate(p, WITHIN) || !locate(p, BELOW))
        return err_nomem(err);
    for (size_t l = 0; l < p->n_locations; l++) {
        struct prof_location *loc = &p->locations[l];
        if (loc->mapping != PROF_NONE || !loc->address)
            continue;
        struct prof_mapping all = {.limit = UINT64_MAX};
        if (!n_left++ && !prof_add_mapping(p, &all, NULL, err))
            return false;
        loc->mapping = (uint32_t)(p->n_mappings - 1);
    }
    if (n_left && n_listed)
        note_warn(notes,
                  "%zu of %zu addresses are in no mapping of the list "
                  "(libraries that were unloaded before the end?)",
                  n_left, p->n_locations);
    return true;
}
