/* stacks.c - stacks that share frames: reads, reorders and expands them */
#include "profile/model/build.h"

#include <stdlib.h>

#include "base/vec.h"

enum { NEAR = 32 }; /* reading so many samples takes no longer than a search */

bool prof_stacks_init(struct prof_stacks *r, const struct profile *p,
                      struct prof_err *err)
{
    *r = (struct prof_stacks){.p = p};
    if (!p->shared)
        return true;
    r->room = mem_array(p->deepest, sizeof *r->room);
    if (!r->room)
        return err_nomem(err);
    r->stack = r->end = r->room + p->deepest;
    return true;
}

void prof_stacks_free(struct prof_stacks *r)
{
    free(r->room);
    *r = (struct prof_stacks){0};
}

/*
 * Copies the first n frames of a stack, from the leaf on: those that a sample
 * does not have of its own are those of the nearest sample before it that has
 * them. So the less of a stack is wanted, the sooner the search ends.
 */
static void copy_frames(struct prof_stacks *r, size_t sample, size_t n)
{
    const struct profile *p = r->p;
    r->depth = prof_depth(p, sample);
    r->stack = r->end - r->depth;
    size_t missing = r->depth, enough = r->depth - n;
    for (; missing > enough; sample--) {
        size_t shared = p->shared[sample], k = missing - shared;
        if (shared >= missing)
            continue;
        memcpy(r->end - missing, p->frames + p->frame_off[sample + 1] - k,
               k * sizeof *r->end);
        missing = shared;
    }
}

const uint32_t *prof_stacks_search(struct prof_stacks *r, size_t sample,
                                   size_t n)
{
    copy_frames(r, sample, n);
    r->next = SIZE_MAX; /* the rest of the stack is not there */
    r->depth = 0;
    return r->stack;
}

void prof_stacks_seek(struct prof_stacks *r, size_t sample)
{
    const struct profile *p = r->p;
    if (sample > r->next && sample - r->next < NEAR) {
        size_t shared = prof_least_shared(p, r->next, sample);
        while (r->next <= sample)
            prof_stacks_read(r, r->next);
        r->shared = shared;
        return;
    }
    r->next = sample + 1;
    r->shared = 0;
    copy_frames(r, sample, prof_depth(p, sample));
}

void sample_list_read(const struct sample_list *list, size_t i,
                      struct prof_stacks *r)
{
    const struct profile *p = r->p;
    size_t s = list->v[i], depth = prof_depth(p, s), k = 0;
    if (p->shared) {
        k = list->shared[i] < r->depth ? list->shared[i] : r->depth;
        copy_frames(r, s, depth - k);
        r->next = s + 1;
    } else {
        const uint32_t *v = prof_own(p, s);
        k = prof_common(v, depth, r->stack, r->depth);
        r->stack = v;
        r->depth = depth;
    }
    r->shared = k;
}

/*
 * Sets shared[] to how many frames each sample of the result shares, and
 * returns how many frames there are without these; SIZE_MAX if they are too
 * many.  Sets *ahead to how much later a stack may end in the new frames than
 * in the old ones.
 */
static size_t count_shared(const struct profile *p,
                           const struct prof_layout *layout, uint32_t *shared,
                           size_t *ahead)
{
    size_t n_frames = 0;
    size_t next = 0; /* after the sample before */
    *ahead = 0;
    for (size_t i = 0; i < layout->n_order; i++) {
        size_t s = layout->order ? layout->order[i] : i;
        uint32_t least = 0;
        if (shared && i % PROF_RESTART && layout->shared)
            least = layout->shared[i];
        else if (shared && i % PROF_RESTART && s >= next)
            least = prof_least_shared(p, next, s);
        next = s + 1;
        if (shared)
            shared[i] = least;
        if (__builtin_add_overflow(n_frames, prof_depth(p, s) - least,
                                   &n_frames))
            return SIZE_MAX;
        if (n_frames > p->frame_off[s + 1] + *ahead)
            *ahead = n_frames - (size_t)p->frame_off[s + 1];
    }
    return n_frames;
}

/* Stores all stacks again, with shared frames if shared is not null. */
static bool rewrite_stacks(struct profile *p, const struct prof_layout *layout,
                           uint32_t *shared, struct prof_err *err)
{
    size_t n = layout->n_order, ahead;
    size_t n_frames = count_shared(p, layout, shared, &ahead);
    uint64_t *off = mem_array(n + 1, sizeof *off);
    uint32_t *v = mem_array(n_frames, sizeof *v);
    struct prof_stacks r = {0};
    if (!off || !v || !prof_stacks_init(&r, p, err)) {
        free(off);
        free(v);
        free(shared);
        return err_nomem(err);
    }
    off[0] = 0;
    for (size_t i = 0; i < n; i++) {
        size_t s = layout->order ? layout->order[i] : i;
        size_t own = prof_depth(p, s) - (shared ? shared[i] : 0);
        if (own)
            memcpy(v + off[i], prof_stacks_first(&r, s, own), own * sizeof *v);
        off[i + 1] = off[i] + own;
    }
    prof_stacks_free(&r);
    free(p->frames);
    free(p->frame_off);
    free(p->shared);
    p->frames = v;
    p->n_frames = p->cap_frames = n_frames;
    p->frame_off = off;
    p->cap_frame_off = n + 1;
    p->shared = shared;
    p->cap_shared = shared ? n : 0;
    p->n_samples = n;
    return true;
}

bool prof_order_stacks(struct profile *p, const struct prof_layout *layout,
                       struct prof_err *err)
{
    if (!p->shared)
        return rewrite_stacks(p, layout, NULL, err);
    uint32_t *shared = mem_array(layout->n_order, sizeof *shared);
    return shared ? rewrite_stacks(p, layout, shared, err) : err_nomem(err);
}

/*
 * Drops samples in place.  A sample at a multiple of PROF_RESTART stores frames
 * that it shared, so new stacks may get ahead of old ones.  All are moved by
 * that much first, so that none is overwritten before it is read.
 */
bool prof_drop_stacks(struct profile *p, const struct prof_layout *layout,
                      struct prof_err *err)
{
    size_t n = layout->n_order, next = 0, ahead;
    uint32_t *shared = p->shared ? mem_array(n, sizeof *shared) : NULL;
    if (p->shared && !shared)
        return err_nomem(err);
    size_t n_frames = count_shared(p, layout, shared, &ahead);
    struct profile old = *p;
    struct prof_stacks r;
    if (!prof_stacks_init(&r, &old, err) || n_frames == SIZE_MAX ||
        !vec_grow((void **)&p->frames, &p->cap_frames, p->n_frames + ahead,
                  sizeof *p->frames)) {
        prof_stacks_free(&r);
        free(shared);
        return err_nomem(err);
    }
    old.frames = p->frames + ahead;
    if (ahead)
        memmove(old.frames, p->frames, p->n_frames * sizeof *p->frames);
    for (size_t i = 0; i < n; i++) {
        /* The ends that this overwrites are those of samples already read, or
         * stay as they are. */
        size_t s = layout->order[i], restart = s - s % PROF_RESTART;
        next = next < restart ? restart : next;
        do
            prof_stacks_read(&r, next);
        while (next++ < s);
        size_t own = r.depth - (shared ? shared[i] : 0);
        uint32_t *to = p->frames + p->frame_off[i];
        if (own && to != r.stack)
            memmove(to, r.stack, own * sizeof *to);
        p->frame_off[i + 1] = p->frame_off[i] + own;
    }
    prof_stacks_free(&r);
    free(p->shared);
    p->shared = shared;
    p->cap_shared = shared ? n : 0;
    p->n_samples = n;
    p->n_frames = n_frames;
    return true;
}

bool prof_unshare(struct profile *p, struct prof_err *err)
{
    const struct prof_layout all = {.n_order = p->n_samples};
    return !p->shared || rewrite_stacks(p, &all, NULL, err);
}
