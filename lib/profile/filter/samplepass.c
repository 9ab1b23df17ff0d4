#include "profile/filter/samplepass.h"

#include <string.h>

struct sample_pass sample_pass_begin(struct profile *p)
{
    return (struct sample_pass){.p = p};
}

bool sample_pass_next(struct sample_pass *pass)
{
    struct profile *p = pass->p;
    if (pass->next == p->n_samples)
        return false;
    pass->sample = pass->next++;
    /* Where it ends is read before a sample that is kept overwrites it. */
    uint64_t end = p->frame_off[pass->next];
    pass->stack = p->frames + pass->next_frame;
    pass->depth = (size_t)(end - pass->next_frame);
    pass->next_frame = end;
    return true;
}

void sample_pass_keep(struct sample_pass *pass, const uint32_t *frames,
                      size_t n)
{
    struct profile *p = pass->p;
    size_t to = pass->kept++, nt = p->n_types;
    if (frames != p->frames + pass->kept_frame && n)
        memmove(p->frames + pass->kept_frame, frames, n * sizeof *frames);
    pass->kept_frame += n;
    p->frame_off[to + 1] = pass->kept_frame;
    if (to == pass->sample)
        return;
    if (nt)
        memcpy(p->values + to * nt, p->values + pass->sample * nt,
               nt * sizeof *p->values);
    p->labelset[to] = p->labelset[pass->sample];
}

void sample_pass_end(struct sample_pass *pass)
{
    pass->p->n_samples = pass->kept;
    pass->p->n_frames = (size_t)pass->kept_frame;
}
