/* sample_order.c - sorts samples by their stacks
 *
 * Samples that are in order, as those of canonical profiles are, are recognised
 * first.  Others are sorted by a few frames at a time (sample_keys.c).
 */
#include <stdlib.h>

#include "profile/merge/private.h"

static bool next_frames(const void *ctx, struct radix_item *v, size_t n,
                        size_t *depth)
{
    return order_next(ctx, v, n, depth);
}

static int cmp_few(const void *ctx, uint32_t a, uint32_t b, size_t depth)
{
    return order_cmp(((const struct order_keys *)ctx)->o, a, b, &depth);
}

/* Sorts samples whose stacks share nothing. */
static bool sort_samples(const struct order_keys *p, struct sample_list *list,
                         struct radix_item *v, struct radix_item *spare)
{
    const struct longkey k = {next_frames, cmp_few, p, p->o->threads};
    for (size_t i = 0; i < list->n; i++)
        v[i].id = list->v[i];
    if (!longkey_sort(&k, v, spare, list->n, &list->any_equal))
        return false;
    for (size_t i = 0; i < list->n; i++)
        list->v[i] = v[i].id;
    return true;
}

/* Returns the depth of the deepest stack, if stacks share frames. */
static size_t deepest(const struct sample_order *o, size_t n)
{
    size_t most = 0;
    for (size_t s = 0; o->shared && s < n; s++) {
        size_t depth = order_depth(o, (uint32_t)s);
        most = depth > most ? depth : most;
    }
    return most;
}

/*
 * Returns whether the samples are sorted, as those of a canonical profile are.
 * If so, sets list->shared and any_equal.  If stacks share frames, there is
 * room for one before `end`.
 */
static bool is_sorted(const struct sample_order *o, struct sample_list *list,
                      uint32_t *end)
{
    const uint32_t *before = NULL;
    size_t depth = 0;
    list->any_equal = false;
    for (size_t i = 0; i < list->n; i++) {
        uint32_t s = list->v[i];
        const uint32_t *v = o->frames + o->frame_off[s];
        size_t n = order_depth(o, s), shared = order_shared(o, s),
               own = n - shared;
        if (i) {
            size_t k =
                sample_order_common(o->rank, before, depth - shared, v, own);
            int c = sample_order_stacks(o->rank, before, depth - shared - k, v,
                                        own - k);
            c = c ? c : order_cmp_labels(o, list->v[i - 1], s);
            if (c > 0)
                return false;
            list->any_equal = list->any_equal || !c;
            shared += k;
        }
        if (o->shared) {
            list->shared[i] = (uint32_t)shared;
            if (own)
                memcpy(end - n, v, own * sizeof *v);
            v = end - n;
        }
        before = v;
        depth = n;
    }
    return true;
}

bool sample_order_sort(const struct sample_order *o, struct sample_list *list,
                       struct prof_err *err)
{
    struct order_keys p = {.o = o};
    size_t n = list->n, most = deepest(o, n);
    uint32_t *room = mem_array(most, sizeof *room);
    if (o->shared && !list->shared)
        list->shared = mem_array(n, sizeof *list->shared);
    if (!room || (o->shared && !list->shared)) {
        free(room);
        return err_nomem(err);
    }
    bool is_done = is_sorted(o, list, room + most);
    free(room);
    if (is_done)
        return true;
    do
        p.bits++;
    while (p.bits < 32 && o->n_ranks >> p.bits);
    p.n = 64 / p.bits;
    struct radix_item *v = mem_array(n, 2 * sizeof *v);
    bool ok = v && (o->shared ? order_runs(&p, list, v, v + n)
                              : sort_samples(&p, list, v, v + n));
    free(v);
    return ok || err_nomem(err);
}
