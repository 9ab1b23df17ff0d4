/*
 * samplepass.h - going through all samples, keeping some, shortened
 *
 * Filters drop samples and frames in place, in one pass:
 *
 *      struct sample_pass pass = sample_pass_begin(p);
 *      while (sample_pass_next(&pass))
 *          if (wanted(pass.stack, pass.depth))
 *              sample_pass_keep(&pass, pass.stack, pass.depth);
 *      sample_pass_end(&pass);
 *
 * Until the end the samples of *p that lie behind are in disorder.
 */
#ifndef PROFUTILS_PROFILE_SAMPLEPASS_H
#define PROFUTILS_PROFILE_SAMPLEPASS_H

#include "profile/profile.h"

struct sample_pass {
    struct profile *p;
    size_t sample;   /* index of the one at hand */
    uint32_t *stack; /* its frames, leaf first; may be changed */
    size_t depth;
    size_t next, kept;               /* private, as what follows */
    uint64_t next_frame, kept_frame; /* where stacks are read and put */
};

struct sample_pass sample_pass_begin(struct profile *p);

/* The next sample; false when there is none. */
bool sample_pass_next(struct sample_pass *pass);

/* Keeps the sample at hand with n of its frames, which lie in its stack. */
void sample_pass_keep(struct sample_pass *pass, const uint32_t *frames,
                      size_t n);

void sample_pass_end(struct sample_pass *pass);

#endif
