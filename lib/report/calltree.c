#include "report/calltree.h"

#include <stdlib.h>
#include <string.h>

#include "base/hashidx.h"
#include "base/vec.h"

static uint32_t hash_of(uint32_t parent, uint32_t frame)
{
    uint64_t h = ((uint64_t)parent << 32 | frame) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 32);
}

/* From node *at to its child of that frame, made if new. */
static bool step(struct calltree *tree, struct hashidx *index, uint32_t frame,
                 uint32_t *at, struct err *err)
{
    if (!hashidx_room(index))
        return err_nomem(err);
    uint32_t parent = *at, hash = hash_of(parent, frame);
    size_t slot = hashidx_start(index, hash);
    while ((*at = hashidx_next(index, hash, &slot)) != HASHIDX_NONE)
        if (tree->v[*at].parent == parent && tree->v[*at].frame == frame)
            return true;
    struct calltree_node k = {.parent = parent, .frame = frame};
    if (tree->n >= PROF_NONE - 1)
        return err_set(err, ERR_INPUT, "more than 4294967294 call paths");
    *at = (uint32_t)tree->n;
    if (!vec_push(tree, k))
        return err_nomem(err);
    hashidx_put(index, slot, hash, *at);
    return true;
}

/* Where the stack of the last sample led, location by location. */
struct trail {
    uint32_t *at; /* the tree node after so many locations from the root */
    size_t cap;
};

/* Locations that both samples have in common, from the root. */
static size_t common(const struct profile *p, size_t s)
{
    if (!s)
        return 0;
    size_t n = prof_depth(p, s), m = prof_depth(p, s - 1), k = 0;
    const uint32_t *a = prof_stack(p, s), *b = prof_stack(p, s - 1);
    while (k < n && k < m && a[n - 1 - k] == b[m - 1 - k])
        k++;
    return k;
}

static bool add_sample(struct calltree *tree, const struct nodes *t,
                       const uint32_t *frame_of, struct hashidx *index,
                       struct trail *trail, size_t s, int64_t value,
                       struct err *err)
{
    const uint32_t *stack = prof_stack(t->p, s);
    size_t depth = prof_depth(t->p, s), k = common(t->p, s);
    if (!vec_grow((void **)&trail->at, &trail->cap, depth + 1,
                  sizeof *trail->at))
        return err_nomem(err);
    trail->at[0] = 0;
    uint32_t at = trail->at[k];
    for (; k < depth; k++) {
        uint32_t location = stack[depth - 1 - k];
        for (uint64_t i = t->off[location + 1]; i-- > t->off[location];)
            if (!step(tree, index, frame_of[t->of[i]], &at, err))
                return false;
        trail->at[k + 1] = at;
    }
    tree->v[at].self += value;
    return true;
}

bool calltree_init(struct calltree *tree, const struct nodes *t, size_t type,
                   const uint32_t *frame_of, struct err *err)
{
    const struct profile *p = t->p;
    memset(tree, 0, sizeof *tree);
    if (!vec_push(tree, ((struct calltree_node){0})))
        return err_nomem(err);
    struct hashidx index = {0};
    struct trail trail = {0};
    bool ok = true;
    for (size_t s = 0; ok && s < p->n_samples; s++)
        ok = add_sample(tree, t, frame_of, &index, &trail, s,
                        p->values[s * p->n_types + type], err);
    hashidx_free(&index);
    free(trail.at);
    return ok;
}

/*
 * One pass of a counting sort: the n nodes of from[], in order of key[], to
 * to[].  off has n_keys + 1 elements and then says where each key begins.
 */
static void sort_pass(const uint32_t *from, size_t n, const uint32_t *key,
                      size_t n_keys, uint32_t *off, uint32_t *to)
{
    memset(off, 0, (n_keys + 1) * sizeof *off);
    for (size_t i = 0; i < n; i++)
        off[key[from[i]] + 1]++;
    for (size_t k = 0; k < n_keys; k++)
        off[k + 1] += off[k];
    for (size_t i = 0; i < n; i++)
        to[off[key[from[i]]]++] = from[i];
    for (size_t k = n_keys; k > 0; k--)
        off[k] = off[k - 1];
    off[0] = 0;
}

bool calltree_children(const struct calltree *tree, const uint32_t *rank,
                       size_t n_frames, uint32_t **child, uint32_t **off,
                       struct err *err)
{
    size_t n = tree->n;
    uint32_t *key = mem_array(n, sizeof *key);
    uint32_t *order = mem_array(n, sizeof *order);
    uint32_t *count = mem_array(n_frames + 1, sizeof *count);
    *child = mem_array(n, sizeof **child);
    *off = mem_array(n + 1, sizeof **off);
    bool ok = key && order && count && *child && *off;
    if (ok) {
        for (size_t i = 1; i < n; i++) {
            (*child)[i - 1] = (uint32_t)i;
            key[i] = rank[tree->v[i].frame];
        }
        sort_pass(*child, n - 1, key, n_frames, count, order);
        for (size_t i = 1; i < n; i++)
            key[i] = tree->v[i].parent;
        sort_pass(order, n - 1, key, n, *off, *child);
    }
    free(key);
    free(order);
    free(count);
    return ok || err_nomem(err);
}
