/*
 * perf_maps.c - the mappings of address spaces: trees of ranges
 *
 * A process that forks shares its mappings with its child until one of them
 * changes, and a recording may have many of both.  So an address space is a
 * treap (a search tree by start whose nodes are also a heap by a random rank),
 * and trees share nodes: a fork costs nothing, a change copies the path to the
 * root, which has about 2 log n nodes.  That is also the depth of recursion.
 * See Seidel, Aragon: Randomized Search Trees (1996).
 */
#include "formats/perf/private.h"

struct perf_node {
    struct perf_map map;
    uint32_t left, right, refs, rank;
};

static uint32_t make_node(struct perf_trees *t, const struct perf_node *from)
{
    uint32_t i = t->free;
    if (i) {
        t->free = t->nodes.v[i].left;
    } else {
        struct perf_node none = {0};
        if ((!t->nodes.n && !vec_push(&t->nodes, none)) ||
            t->nodes.n >= UINT32_MAX || !vec_push(&t->nodes, none)) {
            t->nomem = true;
            return 0;
        }
        i = (uint32_t)t->nodes.n - 1;
    }
    t->nodes.v[i] = *from;
    t->nodes.v[i].refs = 1;
    return i;
}

uint32_t perf_tree_share(struct perf_trees *t, uint32_t root)
{
    if (root)
        t->nodes.v[root].refs++;
    return root;
}

void perf_tree_drop(struct perf_trees *t, uint32_t root)
{
    while (root && --t->nodes.v[root].refs == 0) {
        struct perf_node *node = &t->nodes.v[root];
        uint32_t right = node->right;
        perf_tree_drop(t, node->left);
        node = &t->nodes.v[root];
        node->left = t->free;
        t->free = root;
        root = right;
    }
}

/* Returns node i, or a copy if other trees share it, so that it can change. */
static uint32_t own(struct perf_trees *t, uint32_t i)
{
    if (!i || t->nodes.v[i].refs == 1)
        return i;
    struct perf_node node = t->nodes.v[i];
    uint32_t copy = make_node(t, &node);
    if (copy) {
        t->nodes.v[i].refs--;
        (void)perf_tree_share(t, node.left);
        (void)perf_tree_share(t, node.right);
    }
    return copy;
}

/* Splits a tree into ranges that start below `start` (*low) and others (*high).
 */
static void split(struct perf_trees *t, uint32_t root, uint64_t start,
                  uint32_t *low, uint32_t *high)
{
    *low = *high = 0;
    if (!root || !(root = own(t, root)))
        return;
    uint32_t a, b;
    if (t->nodes.v[root].map.start < start) {
        split(t, t->nodes.v[root].right, start, &a, &b);
        t->nodes.v[root].right = a;
        *low = root;
        *high = b;
    } else {
        split(t, t->nodes.v[root].left, start, &a, &b);
        t->nodes.v[root].left = b;
        *low = a;
        *high = root;
    }
}

/* Joins two trees; all ranges of `low` must be below those of `high`. */
static uint32_t join(struct perf_trees *t, uint32_t low, uint32_t high)
{
    if (!low || !high)
        return low ? low : high;
    if (t->nodes.v[low].rank > t->nodes.v[high].rank) {
        if (!(low = own(t, low)))
            return 0;
        uint32_t right = join(t, t->nodes.v[low].right, high);
        t->nodes.v[low].right = right;
        return low;
    }
    if (!(high = own(t, high)))
        return 0;
    uint32_t left = join(t, low, t->nodes.v[high].left);
    t->nodes.v[high].left = left;
    return high;
}

static uint32_t leaf(struct perf_trees *t, const struct perf_map *map)
{
    uint64_t hash = hash_pair(t->seed, ++t->made, map->start);
    return make_node(t,
                     &(struct perf_node){.map = *map, .rank = hash_fold(hash)});
}

/* Removes the last range of a tree; returns false if the tree is empty. */
static bool take_last(struct perf_trees *t, uint32_t *root,
                      struct perf_map *last)
{
    uint32_t i = *root, node;
    if (!i)
        return false;
    while (t->nodes.v[i].right)
        i = t->nodes.v[i].right;
    *last = t->nodes.v[i].map;
    split(t, *root, last->start, root, &node);
    perf_tree_drop(t, node);
    return true;
}

bool perf_tree_put(struct perf_trees *t, uint32_t *root,
                   const struct perf_map *map, struct prof_err *err)
{
    uint32_t low, middle, high;
    struct perf_map before = {0}, after = {0}, inside = {0};
    split(t, *root, map->start, &low, &high);
    split(t, high, map->end, &middle, &high);
    uint32_t last = low;
    while (last && t->nodes.v[last].right)
        last = t->nodes.v[last].right;
    if (last && t->nodes.v[last].map.end > map->start &&
        take_last(t, &low, &before)) {
        after = before;
        before.end = map->start;
        low = join(t, low, leaf(t, &before));
    }
    if (take_last(t, &middle, &inside) && inside.end > map->end)
        after = inside;
    perf_tree_drop(t, middle);
    low = join(t, low, leaf(t, map));
    if (after.end > map->end) {
        after.start = map->end;
        high = join(t, leaf(t, &after), high);
    }
    *root = join(t, low, high);
    return !t->nomem || err_nomem(err);
}

const struct perf_map *perf_tree_find(const struct perf_trees *t, uint32_t root,
                                      uint64_t address)
{
    const struct perf_map *found = NULL;
    while (root) {
        const struct perf_node *node = &t->nodes.v[root];
        if (address < node->map.start) {
            root = node->left;
        } else {
            found = &node->map;
            root = node->right;
        }
    }
    return found && address < found->end ? found : NULL;
}
