/* All names of nodes, and their order. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "report/graph/node.h"

struct name_order {
    const uint8_t *text;
    const size_t *at;
};

static int compare(const struct name_order *o, uint32_t a, uint32_t b)
{
    size_t m = o->at[a + 1] - o->at[a], n = o->at[b + 1] - o->at[b];
    size_t k = m < n ? m : n;
    int c = k ? memcmp(o->text + o->at[a], o->text + o->at[b], k) : 0;
    return c ? c : (m > n) - (m < n);
}

static int by_name(const void *a, const void *b, void *order)
{
    return compare(order, *(const uint32_t *)a, *(const uint32_t *)b);
}

static bool rank_names(const struct name_order *o, size_t n, uint32_t *rank)
{
    uint32_t *sorted = mem_array(n, sizeof *sorted);
    if (!sorted)
        return false;
    for (size_t k = 0; k < n; k++)
        sorted[k] = (uint32_t)k;
    if (n)
        qsort_r(sorted, n, sizeof *sorted, by_name, (void *)o);
    uint32_t r = 0;
    for (size_t i = 0; i < n; i++) {
        r += i && compare(o, sorted[i - 1], sorted[i]) != 0;
        rank[sorted[i]] = r;
    }
    free(sorted);
    return true;
}

bool nodes_name(const struct nodes *t, struct buf *text, size_t **at,
                uint32_t **rank)
{
    *at = mem_array(t->n + 1, sizeof **at);
    *rank = mem_array(t->n, sizeof **rank);
    if (!*at || !*rank)
        return false;
    for (size_t k = 0; k < t->n; k++) {
        (*at)[k] = text->n;
        if (!node_name(t, (uint32_t)k, text))
            return false;
    }
    (*at)[t->n] = text->n;
    return rank_names(&(struct name_order){text->v, *at}, t->n, *rank);
}
