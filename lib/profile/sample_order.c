/*
 * Sorting samples by stack from the root.
 *
 * Stacks share long prefixes, so they are not compared whole: samples are
 * sorted by two frames at a time, held as one 64-bit key, and each run of
 * equal keys goes on two frames deeper.  What is left to do is kept on a
 * list, never on the call stack, and every step is a radix sort, so that no
 * input makes it quadratic.
 */
#include <stdlib.h>

#include "base/radix.h"
#include "base/vec.h"
#include "profile/sample_order.h"

enum { FEW = 12 };

struct range {
    size_t at, n, depth;
};

struct sorter {
    const struct profile *p;
    const uint32_t *label_rank; /* by label set; or null */
    struct radix_item *items, *spare;
    VEC(struct range) todo;
};

/* Frame `depth` from the root, plus one; 0 when the stack is shorter. */
static uint32_t frame_at(const struct profile *p, uint32_t s, size_t depth)
{
    size_t n = prof_depth(p, s);
    return depth < n ? prof_stack(p, s)[n - 1 - depth] + 1 : 0;
}

static uint64_t key_at(const struct profile *p, uint32_t s, size_t depth)
{
    return (uint64_t)frame_at(p, s, depth) << 32 | frame_at(p, s, depth + 1);
}

/* The order of two samples whose stacks agree before `depth`. */
static bool before(const struct sorter *o, uint32_t a, uint32_t b, size_t depth)
{
    const struct profile *p = o->p;
    for (;; depth++) {
        uint32_t x = frame_at(p, a, depth), y = frame_at(p, b, depth);
        if (x != y)
            return x < y;
        if (!x)
            return o->label_rank && o->label_rank[p->labelset[a]] <
                                        o->label_rank[p->labelset[b]];
    }
}

static void sort_few(const struct sorter *o, struct range r)
{
    struct radix_item *v = o->items + r.at;
    for (size_t i = 1; i < r.n; i++) {
        struct radix_item x = v[i];
        size_t j = i;
        for (; j && before(o, x.id, v[j - 1].id, r.depth); j--)
            v[j] = v[j - 1];
        v[j] = x;
    }
}

/* Samples with one stack: by their labels. */
static void sort_by_labels(const struct sorter *o, struct radix_item *v,
                           size_t n)
{
    for (size_t i = 0; i < n; i++)
        v[i].key = o->label_rank[o->p->labelset[v[i].id]];
    radix_sort(v, o->spare, n);
}

/* Sorts a range by two frames and lists the runs that agree in them. */
static bool sort_range(struct sorter *o, struct range r)
{
    struct radix_item *v = o->items + r.at;
    for (size_t i = 0; i < r.n; i++)
        v[i].key = key_at(o->p, v[i].id, r.depth);
    radix_sort(v, o->spare, r.n);
    for (size_t i = 0, j; i < r.n; i = j) {
        for (j = i + 1; j < r.n && v[j].key == v[i].key;)
            j++;
        if (j - i == 1)
            continue;
        if (!(uint32_t)v[i].key) { /* both stacks end here */
            if (o->label_rank)
                sort_by_labels(o, v + i, j - i);
            continue;
        }
        struct range deeper = {r.at + i, j - i, r.depth + 2};
        if (!vec_push(&o->todo, deeper))
            return false;
    }
    return true;
}

/* As the samples of a canonical profile are, and of a part of one. */
static bool is_sorted(const struct sorter *o, const uint32_t *samples, size_t n)
{
    size_t i = 1;
    while (i < n && !before(o, samples[i], samples[i - 1], 0))
        i++;
    return i >= n;
}

bool sample_order(const struct profile *p, const uint32_t *label_rank,
                  uint32_t *samples, size_t n, struct err *err)
{
    struct sorter o = {.p = p, .label_rank = label_rank};
    struct range all = {0, n, 0};
    if (is_sorted(&o, samples, n))
        return true;
    o.items = mem_array(n, sizeof *o.items);
    o.spare = mem_array(n, sizeof *o.spare);
    bool ok = o.items && o.spare && vec_push(&o.todo, all);
    for (size_t i = 0; ok && i < n; i++)
        o.items[i].id = samples[i];
    while (ok && o.todo.n) {
        struct range r = o.todo.v[--o.todo.n];
        if (r.n <= FEW)
            sort_few(&o, r);
        else
            ok = sort_range(&o, r);
    }
    for (size_t i = 0; ok && i < n; i++)
        samples[i] = o.items[i].id;
    free(o.items);
    free(o.spare);
    vec_free(&o.todo);
    return ok || err_nomem(err);
}
