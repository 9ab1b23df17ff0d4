#include "import/frames.h"

#include <stdlib.h>

#include "base/vec.h"

enum { STRIP_PASSES = 2, STRIP_TOLERANCE = 32 };

/* Takes out second frames: those at `strip`, or, for PROF_NONE, repeats. */
static size_t drop_second(struct profile *p, uint32_t strip)
{
    uint64_t to = 0, from = 0;
    for (size_t s = 0; s < p->n_samples; s++) {
        uint64_t end = p->frame_off[s + 1];
        bool drop = false;
        if (end - from > 1) {
            uint32_t leaf = p->frames[from], second = p->frames[from + 1];
            drop = strip == PROF_NONE ? p->locations[leaf].address ==
                                            p->locations[second].address + 1
                                      : second == strip;
        }
        for (uint64_t i = from; i < end; i++)
            if (!drop || i != from + 1)
                p->frames[to++] = p->frames[i];
        from = end;
        p->frame_off[s + 1] = to;
    }
    size_t n_dropped = p->n_frames - (size_t)to;
    p->n_frames = (size_t)to;
    return n_dropped;
}

size_t frames_drop_repeated_leaf(struct profile *p)
{
    return drop_second(p, PROF_NONE);
}

/* The location that is second in at least `least` samples, or PROF_NONE. */
static uint32_t common_second(const struct profile *p, size_t *count,
                              size_t least)
{
    for (size_t s = 0; s < p->n_samples; s++) {
        if (prof_depth(p, s) < 2)
            continue;
        uint32_t second = prof_stack(p, s)[1];
        if (++count[second] >= least)
            return second;
    }
    return PROF_NONE;
}

bool frames_strip_signal(struct profile *p, size_t *n, struct err *err)
{
    *n = 0;
    size_t least = p->n_samples - p->n_samples / STRIP_TOLERANCE;
    for (int pass = 0; pass < STRIP_PASSES; pass++) {
        size_t *count = mem_zarray(p->n_locations, sizeof *count);
        if (!count)
            return err_nomem(err);
        uint32_t second = common_second(p, count, least);
        free(count);
        if (second == PROF_NONE)
            break;
        *n += drop_second(p, second);
    }
    return true;
}
