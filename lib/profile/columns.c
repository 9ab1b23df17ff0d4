/* The columns of samples as wholes: given away, put in order. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "profile/profile.h"

void prof_take_samples(struct profile *to, struct profile *from)
{
    free(to->frame_off);
    free(to->frames);
    free(to->values);
    free(to->labelset);
    to->n_samples = from->n_samples;
    to->n_frames = from->n_frames;
    to->frame_off = from->frame_off;
    to->cap_frame_off = from->cap_frame_off;
    to->frames = from->frames;
    to->cap_frames = from->cap_frames;
    to->values = from->values;
    to->cap_values = from->cap_values;
    to->labelset = from->labelset;
    to->cap_labelset = from->cap_labelset;
    from->frame_off = NULL;
    from->frames = NULL;
    from->values = NULL;
    from->labelset = NULL;
    from->n_samples = from->n_frames = 0;
    from->cap_frame_off = from->cap_frames = 0;
    from->cap_values = from->cap_labelset = 0;
}

static bool reorder_values(struct profile *p, const uint32_t *order)
{
    size_t nt = p->n_types;
    int64_t *v = mem_array(p->n_samples * nt, sizeof *v);
    if (!v)
        return false;
    for (size_t i = 0; i < p->n_samples; i++)
        memcpy(v + i * nt, p->values + order[i] * nt, nt * sizeof *v);
    free(p->values);
    p->values = v;
    p->cap_values = p->n_samples * nt;
    return true;
}

static bool reorder_labelsets(struct profile *p, const uint32_t *order)
{
    uint32_t *v = mem_array(p->n_samples, sizeof *v);
    if (!v)
        return false;
    for (size_t i = 0; i < p->n_samples; i++)
        v[i] = p->labelset[order[i]];
    free(p->labelset);
    p->labelset = v;
    p->cap_labelset = p->n_samples;
    return true;
}

static bool reorder_stacks(struct profile *p, const uint32_t *order)
{
    uint32_t *v = mem_array(p->n_frames, sizeof *v);
    uint64_t *off = mem_array(p->n_samples + 1, sizeof *off), n = 0;
    if (!v || !off) {
        free(v);
        free(off);
        return false;
    }
    for (size_t i = 0; i < p->n_samples; i++) {
        size_t depth = prof_depth(p, order[i]);
        off[i] = n;
        if (depth)
            memcpy(v + n, prof_stack(p, order[i]), depth * sizeof *v);
        n += depth;
    }
    off[p->n_samples] = n;
    free(p->frames);
    free(p->frame_off);
    p->frames = v;
    p->cap_frames = p->n_frames;
    p->frame_off = off;
    p->cap_frame_off = p->n_samples + 1;
    return true;
}

bool prof_reorder(struct profile *p, const uint32_t *order, struct err *err)
{
    size_t i = 0;
    while (i < p->n_samples && order[i] == i)
        i++;
    return i == p->n_samples ||
           (reorder_values(p, order) && reorder_labelsets(p, order) &&
            reorder_stacks(p, order)) ||
           err_nomem(err);
}
