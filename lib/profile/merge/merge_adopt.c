/*
 * The samples of a first input: translated where they are, and taken over,
 * those of 0, too, which are left out in the end.
 *
 * They go without an index, which an only input never needs.  Where another
 * input follows they get one, and what equals an earlier one is added to it.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/merge/merger.h"

/* Whether the input's locations are those of the sum, one for one. */
static bool same_locations(const struct merge_input *in)
{
    for (size_t i = 0; i < in->locations.n; i++)
        if (in->locations.v[i] != i)
            return false;
    return true;
}

void merge_adopt(struct merger *m, struct merge_input *in)
{
    struct profile *p = in->given;
    bool same = same_locations(in);
    for (size_t s = 0; s < p->n_samples; s++) {
        uint32_t *stack = p->frames + p->frame_off[s];
        size_t depth = prof_depth(p, s);
        if (in->n_not_used && !prof_sample_is_zero(p, s))
            merge_note_use(in, stack, depth);
        for (size_t k = 0; !same && k < depth; k++)
            stack[k] = in->locations.v[stack[k]];
        p->labelset[s] = in->labelsets.v[p->labelset[s]];
    }
    prof_take_samples(&m->sum, p);
    m->is_unindexed = true;
}

bool merge_index_adopted(struct merger *m, struct err *err)
{
    struct profile *sum = &m->sum;
    size_t nt = sum->n_types;
    if (!m->is_unindexed)
        return true;
    for (size_t s = 0; s < sum->n_samples; s++) {
        const uint32_t *stack = prof_stack(sum, s);
        size_t depth = prof_depth(sum, s);
        if (prof_sample_is_zero(sum, s))
            continue;
        uint32_t hash =
            merge_sample_hash(prof_seed(sum), stack, depth, sum->labelset[s]);
        if (!hashidx_room(&m->sample_index))
            return err_nomem(err);
        size_t at;
        uint32_t found =
            merge_find_sample(m, hash, stack, depth, sum->labelset[s], &at);
        if (found == HASHIDX_NONE) {
            hashidx_put(&m->sample_index, at, hash, (uint32_t)s);
            continue;
        }
        for (size_t k = 0; k < nt; k++) {
            int64_t v = sum->values[s * nt + k];
            sum->values[s * nt + k] = 0;
            if (!merge_add_value(m, found, (uint32_t)k, v, err))
                return false;
        }
    }
    m->is_unindexed = false;
    return true;
}
