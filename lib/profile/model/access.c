/* access.c - the functions of profile.h that make, walk and edit a profile */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "profile/model/build.h"

int prof_version(void)
{
    return PROF_VERSION;
}

struct profile *prof_new(struct prof_err *err)
{
    struct profile *p = malloc(sizeof *p);
    if (!p) {
        err_nomem(err);
        return NULL;
    }
    if (prof_init(p, err))
        return p;
    prof_delete(p);
    return NULL;
}

void prof_delete(struct profile *p)
{
    if (p)
        prof_free(p);
    free(p);
}

struct profile *prof_box(struct profile *p, bool ok, struct prof_err *err)
{
    struct profile *box = ok ? malloc(sizeof *box) : NULL;
    if (box)
        *box = *p;
    else
        prof_free(p);
    if (ok && !box)
        err_nomem(err);
    return box;
}

/* --- walking -------------------------------------------------------------- */

struct prof_header prof_get_header(const struct profile *p)
{
    return (struct prof_header){
        .time_nanos = p->time_nanos,
        .duration_nanos = p->duration_nanos,
        .period = p->period,
        .period_type = p->period_type,
        .drop_frames = p->drop_frames,
        .keep_frames = p->keep_frames,
        .default_sample_type = p->default_sample_type,
        .doc_url = p->doc_url,
    };
}

struct prof_value_type prof_get_type(const struct profile *p, size_t i)
{
    return p->types[i];
}

struct prof_mapping prof_get_mapping(const struct profile *p, size_t i)
{
    return p->mappings[i];
}

struct prof_function prof_get_function(const struct profile *p, size_t i)
{
    return p->functions[i];
}

struct prof_location prof_get_location(const struct profile *p, size_t i)
{
    return p->locations[i];
}

struct prof_sample prof_get_sample(const struct profile *p, size_t i)
{
    return (struct prof_sample){prof_stack(p, i), prof_depth(p, i),
                                p->n_types ? p->values + i * p->n_types : NULL,
                                p->labelset[i]};
}

uint32_t prof_get_comment(const struct profile *p, size_t i)
{
    return p->comments[i];
}

const struct prof_line *prof_get_lines(const struct profile *p, size_t location,
                                       size_t *n)
{
    const struct prof_location *l = &p->locations[location];
    *n = l->n_lines;
    return *n ? p->lines + l->line_off : NULL;
}

const struct prof_label *prof_get_labels(const struct profile *p,
                                         size_t labelset, size_t *n)
{
    uint64_t from = p->labelset_off[labelset];
    *n = (size_t)(p->labelset_off[labelset + 1] - from);
    return *n ? p->labels + from : NULL;
}

struct prof_slice prof_get_string(const struct profile *p, uint32_t id)
{
    return prof_text(p, id);
}

const char *prof_plain(const struct profile *p, uint32_t id)
{
    return strtab_plain(&p->strings, id);
}

/* --- editing -------------------------------------------------------------- */

void prof_set_header(struct profile *p, const struct prof_header *header)
{
    p->time_nanos = header->time_nanos;
    p->duration_nanos = header->duration_nanos;
    p->period = header->period;
    p->period_type = header->period_type;
    p->drop_frames = header->drop_frames;
    p->keep_frames = header->keep_frames;
    p->default_sample_type = header->default_sample_type;
    p->doc_url = header->doc_url;
}

void prof_set_type(struct profile *p, size_t i, struct prof_value_type vt)
{
    p->types[i] = vt;
}

void prof_set_mapping(struct profile *p, size_t i, const struct prof_mapping *m)
{
    p->mappings[i] = *m;
}

void prof_set_function(struct profile *p, size_t i,
                       const struct prof_function *f)
{
    p->functions[i] = *f;
}

void prof_set_location(struct profile *p, size_t i,
                       const struct prof_location *l)
{
    struct prof_location *to = &p->locations[i];
    uint32_t line_off = to->line_off, n_lines = to->n_lines;
    *to = *l;
    to->line_off = line_off;
    to->n_lines = n_lines;
}

bool prof_set_lines(struct profile *p, size_t location,
                    const struct prof_line *lines, size_t n,
                    struct prof_err *err)
{
    size_t from = p->n_lines;
    for (size_t i = 0; i < n; i++)
        if (!prof_push_line(p, &lines[i], err))
            return false;
    p->locations[location].line_off = (uint32_t)from;
    p->locations[location].n_lines = (uint32_t)n;
    return true;
}

void prof_set_labelset(struct profile *p, size_t sample, uint32_t labelset)
{
    p->labelset[sample] = labelset;
}

int64_t *prof_edit_values(struct profile *p, size_t sample)
{
    return p->n_types ? p->values + sample * p->n_types : NULL;
}

void prof_edit_stacks(struct profile *p, prof_stack_fn *fn, void *ctx)
{
    uint64_t from = 0, to = 0;
    assert(!p->shared);
    for (size_t s = 0; s < p->n_samples; s++) {
        uint64_t end = p->frame_off[s + 1];
        uint32_t *frames = p->frames + from;
        size_t n = fn(ctx, frames, (size_t)(end - from));
        if (to != from && n)
            memmove(p->frames + to, frames, n * sizeof *frames);
        to += n;
        p->frame_off[s + 1] = to;
        from = end;
    }
    p->n_frames = (size_t)to;
}
