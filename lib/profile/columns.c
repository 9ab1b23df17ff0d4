/* The columns of samples as wholes: given away, put in order. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "profile/filter/samplepass.h"
#include "profile/profile.h"

void prof_drop_samples(struct profile *p)
{
    p->n_samples = p->n_frames = 0;
}

void prof_free_samples(struct profile *p)
{
    if (p->store) {
        p->store->free(p->store);
    } else {
        free(p->frame_off);
        free(p->frames);
        free(p->values);
        free(p->labelset);
    }
    p->store = NULL;
    p->frame_off = NULL;
    p->frames = NULL;
    p->values = NULL;
    p->labelset = NULL;
    p->n_samples = p->n_frames = 0;
    p->cap_frame_off = p->cap_frames = 0;
    p->cap_values = p->cap_labelset = 0;
}

void prof_lend_samples(struct profile *p, struct prof_store *store,
                       size_t n_samples, size_t n_frames)
{
    prof_free_samples(p);
    p->store = store;
    p->n_samples = n_samples;
    p->n_frames = n_frames;
}

void prof_take_samples(struct profile *to, struct profile *from)
{
    prof_free_samples(to);
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
    to->store = from->store;
    from->store = NULL;
    from->frame_off = NULL;
    from->frames = NULL;
    from->values = NULL;
    from->labelset = NULL;
    prof_free_samples(from);
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

void prof_widen(int64_t *values, size_t rows, size_t n, size_t more)
{
    for (size_t i = rows; n < more && i--;) {
        memmove(values + i * more, values + i * n, n * sizeof *values);
        memset(values + i * more + n, 0, (more - n) * sizeof *values);
    }
}

void prof_settle(struct profile *p, const struct prof_layout *layout)
{
    struct sample_pass pass = sample_pass_begin(p);
    for (size_t i = 0; i < layout->n_order; i++) {
        do
            (void)sample_pass_next(&pass);
        while (pass.sample != layout->order[i]);
        for (size_t k = 0; layout->number && k < pass.depth; k++)
            pass.stack[k] = layout->number[pass.stack[k]];
        sample_pass_keep(&pass, pass.stack, pass.depth);
    }
    sample_pass_end(&pass);
}

void prof_layout_free(struct prof_layout *layout)
{
    free((uint32_t *)layout->order);
    free((uint32_t *)layout->number);
    *layout = (struct prof_layout){0};
}
