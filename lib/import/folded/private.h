/*
 * private.h - the frames of folded stacks as locations
 *
 * A name is looked up in the profile's strings, and what it stands for is kept
 * by its id, so that a function and a location are made once for each distinct
 * name.
 */
#ifndef PROFUTILS_IMPORT_FOLDED_PRIVATE_H
#define PROFUTILS_IMPORT_FOLDED_PRIVATE_H

#include "base/slice.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "profile/profile.h"

/* What a name stands for. */
struct folded_frame {
    uint32_t name;     /* string id, with the annotation if there is one */
    uint32_t function; /* PROF_NONE where the name is empty */
    uint32_t location; /* of this frame alone; PROF_NONE: not made yet */
    bool inlined;      /* into the frame before it */
};

/* The places that annotations tell of. */
enum folded_place {
    FOLDED_PROGRAM, /* none of these */
    FOLDED_KERNEL,
    FOLDED_JIT,
    FOLDED_INTERPRETER,
    FOLDED_N_PLACES
};

struct folded_frames {
    struct profile *p;
    bool annotations;                 /* as in folded.h */
    VEC(struct folded_frame) of_name; /* by string id */
    VEC(uint32_t) locations;          /* what folded_frames_stack() gives */

    /* With annotations only. */
    uint32_t mapping[FOLDED_N_PLACES];
    struct strtab runs; /* frames inlined into one, as bytes; id: row + 1 */
    VEC(uint32_t) run_locations;
    VEC(uint32_t) run;
};

/* *p has been initialised and is only borrowed. */
bool folded_frames_init(struct folded_frames *f, struct profile *p,
                        bool annotations, struct err *err);
void folded_frames_free(struct folded_frames *f);

/* The frame of this name. */
bool folded_frames_find(struct folded_frames *f, struct slice name,
                        struct folded_frame *frame, struct err *err);

/* A frame of a stack, and where its name ends in the stack's text. */
struct folded_step {
    size_t end;
    struct folded_frame frame;
};

/*
 * Makes f->locations those of a stack, leaf first, as samples have them.
 * steps[0 .. n) are its frames from the root on.
 */
bool folded_frames_stack(struct folded_frames *f,
                         const struct folded_step *steps, size_t n,
                         struct err *err);

#endif
