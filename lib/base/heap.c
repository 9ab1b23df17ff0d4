#include "base/heap.h"

#include "base/vec.h"

static bool is_before(const struct heap_item *a, const struct heap_item *b)
{
    return a->key > b->key || (a->key >= b->key && a->id < b->id);
}

bool heap_push(struct heap *h, double key, uint32_t id)
{
    struct heap_item x = {key, id};
    if (!vec_push(h, x))
        return false;
    size_t at = h->n - 1;
    while (at) {
        size_t up = (at - 1) / 2;
        if (!is_before(&x, &h->v[up]))
            break;
        h->v[at] = h->v[up];
        at = up;
    }
    h->v[at] = x;
    return true;
}

struct heap_item heap_pop(struct heap *h)
{
    struct heap_item first = h->v[0], x = h->v[--h->n];
    size_t at = 0, down;
    while ((down = 2 * at + 1) < h->n) {
        if (down + 1 < h->n && is_before(&h->v[down + 1], &h->v[down]))
            down++;
        if (!is_before(&h->v[down], &x))
            break;
        h->v[at] = h->v[down];
        at = down;
    }
    h->v[at] = x;
    return first;
}
