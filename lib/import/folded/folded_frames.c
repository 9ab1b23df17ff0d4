/* folded_frames.c - the frames of folded stacks as locations */
#include "import/folded/private.h"

#include <string.h>

/* An annotation, and what it tells. */
static const struct annotation {
    const char *ending;
    enum folded_place place;
    bool inlined;
} annotations[] = {
    {"_[k]", FOLDED_KERNEL, false},      {"_[j]", FOLDED_JIT, false},
    {"_[1]", FOLDED_JIT, false},         {"_[i]", FOLDED_PROGRAM, true},
    {"_[0]", FOLDED_INTERPRETER, false},
};

/* A mapping for each place; those that no frame is in do not outlive merges. */
static bool add_places(struct folded_frames *f, struct err *err)
{
    static const char *const names[FOLDED_N_PLACES] = {"", "[kernel]", "[jit]",
                                                       "[interpreter]"};
    for (size_t i = 0; i < FOLDED_N_PLACES; i++) {
        struct prof_mapping m = {.has_functions = true};
        if (!prof_str(f->p, names[i], &m.filename, err) ||
            !prof_add_mapping(f->p, &m, &f->mapping[i], err))
            return false;
    }
    return true;
}

bool folded_frames_init(struct folded_frames *f, struct profile *p,
                        bool with_annotations, struct err *err)
{
    memset(f, 0, sizeof *f);
    f->p = p;
    f->annotations = with_annotations;
    for (size_t i = 0; i < FOLDED_N_PLACES; i++)
        f->mapping[i] = PROF_NONE;
    if (!f->annotations)
        return true;
    return strtab_init(&f->runs) ? add_places(f, err) : err_nomem(err);
}

void folded_frames_free(struct folded_frames *f)
{
    vec_free(&f->of_name);
    vec_free(&f->locations);
    strtab_free(&f->runs);
    vec_free(&f->run_locations);
    vec_free(&f->run);
}

/* Takes the annotation off the name; null if it has none. */
static const struct annotation *take_annotation(struct slice *name)
{
    for (size_t i = 0; i < sizeof annotations / sizeof *annotations; i++)
        if (slice_ends_with(*name, annotations[i].ending)) {
            name->n -= strlen(annotations[i].ending);
            return &annotations[i];
        }
    return NULL;
}

/* Makes the function and the location of a name that is new. */
static bool add_frame(struct folded_frames *f, struct slice name,
                      struct folded_frame *frame, struct err *err)
{
    const struct annotation *a = f->annotations ? take_annotation(&name) : NULL;
    struct prof_location at = {.mapping =
                                   f->mapping[a ? a->place : FOLDED_PROGRAM]};
    struct prof_line line = {.function = PROF_NONE};
    struct prof_function function = {0};
    if (name.n) {
        if (!prof_strn(f->p, name.s, name.n, &function.name, err))
            return false;
        function.system_name = function.name;
        if (!prof_add_function(f->p, &function, &line.function, err))
            return false;
    }
    frame->function = line.function;
    frame->inlined = a && a->inlined;
    return prof_add_location(f->p, &at, &line, name.n ? 1 : 0, &frame->location,
                             err);
}

bool folded_frames_find(struct folded_frames *f, struct slice name,
                        struct folded_frame *frame, struct err *err)
{
    static const struct folded_frame new = {.location = PROF_NONE};
    uint32_t id;
    if (!prof_strn(f->p, name.s, name.n, &id, err))
        return false;
    while (f->of_name.n <= id)
        if (!vec_push(&f->of_name, new))
            return err_nomem(err);
    *frame = f->of_name.v[id];
    if (frame->location != PROF_NONE)
        return true;
    frame->name = id;
    if (!add_frame(f, name, frame, err))
        return false;
    f->of_name.v[id] = *frame;
    return true;
}

/* A line for each function of the run, innermost first. */
static bool add_run(struct folded_frames *f, const struct folded_step *outer,
                    size_t n, uint32_t *location, struct err *err)
{
    struct profile *p = f->p;
    struct prof_location at = p->locations[outer->frame.location];
    if (!prof_add_location(p, &at, NULL, 0, location, err))
        return false;
    for (size_t i = n; i--;) {
        struct prof_line line = {.function = outer[i].frame.function};
        if (!prof_push_line(p, &line, err))
            return false;
    }
    p->locations[*location].n_lines = (uint32_t)n;
    return true;
}

/* The location of a frame, outer[0], and the n - 1 inlined into it. */
static bool find_run(struct folded_frames *f, const struct folded_step *outer,
                     size_t n, uint32_t *location, struct err *err)
{
    uint32_t id, known = f->runs.n;
    f->run.n = 0;
    for (size_t i = 0; i < n; i++)
        if (!vec_push(&f->run, outer[i].frame.name))
            return err_nomem(err);
    if (!strtab_add(&f->runs, (const char *)f->run.v, n * sizeof *f->run.v,
                    &id))
        return err_nomem(err);
    if (id < known) {
        *location = f->run_locations.v[id - 1];
        return true;
    }
    return add_run(f, outer, n, location, err) &&
           (vec_push(&f->run_locations, *location) || err_nomem(err));
}

bool folded_frames_stack(struct folded_frames *f,
                         const struct folded_step *steps, size_t n,
                         struct err *err)
{
    f->locations.n = 0;
    if (!vec_reserve(&f->locations, n))
        return err_nomem(err);
    for (size_t i = n; i--;) {
        size_t inner = i;
        while (steps[i].frame.inlined && i)
            i--;
        uint32_t location = steps[i].frame.location;
        if (i < inner && !find_run(f, steps + i, inner - i + 1, &location, err))
            return false;
        f->locations.v[f->locations.n++] = location;
    }
    return true;
}
