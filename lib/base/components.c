/* components.c - finds strongly connected components of a directed graph */
#include "base/components.h"

#include <stdlib.h>

#include "base/vec.h"

/* What the search knows about a node. */
struct visit {
    uint32_t order;  /* when it was reached, from 1; 0: not yet */
    uint32_t lowest; /* order of the first open node known to be reachable */
    size_t edge;     /* index in to[] of the next edge to follow */
};

struct search {
    const size_t *off;
    const uint32_t *to;
    uint32_t *component;
    struct visit *visit;
    uint32_t *path; /* nodes from the first to the current one */
    uint32_t *open; /* nodes reached but not yet in a component */
    uint32_t n_path, n_open, order, n_components;
};

#define NO_COMPONENT UINT32_MAX

static void enter_node(struct search *s, uint32_t node)
{
    s->order++;
    s->visit[node] = (struct visit){s->order, s->order, s->off[node]};
    s->path[s->n_path++] = node;
    s->open[s->n_open++] = node;
}

static void search_from(struct search *s, uint32_t first)
{
    enter_node(s, first);
    while (s->n_path) {
        uint32_t node = s->path[s->n_path - 1], member;
        struct visit *v = &s->visit[node];
        if (v->edge < s->off[node + 1]) {
            uint32_t next = s->to[v->edge++];
            if (!s->visit[next].order)
                enter_node(s, next);
            else if (s->component[next] == NO_COMPONENT &&
                     s->visit[next].order < v->lowest)
                v->lowest = s->visit[next].order;
            continue;
        }
        s->n_path--;
        if (v->lowest < v->order) {
            /* The node is in the component of the previous node on the path. */
            struct visit *parent = &s->visit[s->path[s->n_path - 1]];
            if (v->lowest < parent->lowest)
                parent->lowest = v->lowest;
            continue;
        }
        /* The node and all that were opened after it form a component. */
        do {
            member = s->open[--s->n_open];
            s->component[member] = s->n_components;
        } while (member != node);
        s->n_components++;
    }
}

bool components_find(uint32_t n, const size_t *off, const uint32_t *to,
                     uint32_t *component)
{
    struct search s = {.off = off, .to = to, .component = component};
    s.visit = mem_zarray(n, sizeof *s.visit);
    s.path = mem_array(n, sizeof *s.path);
    s.open = mem_array(n, sizeof *s.open);
    bool ok = s.visit && s.path && s.open;
    for (uint32_t i = 0; ok && i < n; i++)
        component[i] = NO_COMPONENT;
    for (uint32_t i = 0; ok && i < n; i++)
        if (!s.visit[i].order)
            search_from(&s, i);
    free(s.visit);
    free(s.path);
    free(s.open);
    return ok;
}
