/* The result: entities in the order in which ordered samples need them. */
#include <stdlib.h>
#include <string.h>

#include "profile/canon.h"

static bool write_header(struct canon *c, struct profile *out, struct err *err)
{
    const struct profile *sum = c->sum;
    int64_t duration = (int64_t)c->m->duration;
    if (duration != c->m->duration)
        return err_set(err, ERR_INPUT, "the sum of durations overflows");
    for (size_t i = 0; i < c->n_columns; i++)
        if (!prof_add_type_id(out, sum->types[c->column[i]], err))
            return false;
    for (size_t i = 0; i < sum->n_comments; i++)
        if (!prof_add_comment_id(out, sum->comments[i], err))
            return false;
    out->time_nanos = sum->time_nanos;
    out->duration_nanos = duration;
    out->period = sum->period;
    out->period_type = sum->period_type;
    out->drop_frames = sum->drop_frames;
    out->keep_frames = sum->keep_frames;
    out->doc_url = sum->doc_url;
    out->default_sample_type = sum->default_sample_type;
    return true;
}

static bool write_mappings(struct canon *c, struct profile *out,
                           struct err *err)
{
    for (size_t i = 0; i < c->n_by_mapping; i++) {
        const struct merge_mapping *k = &c->m->mappings.v[c->by_mapping[i]];
        const struct merge_seen *s = k->used.any ? &k->used : &k->first;
        struct prof_mapping m = {
            .id = i + 1,
            .start = s->start,
            .limit = s->start + s->size,
            .offset = k->offset,
            .filename = s->filename,
            .build_id = s->build_id,
            .has_functions = s->has_functions,
            .has_filenames = s->has_filenames,
            .has_line_numbers = s->has_line_numbers,
            .has_inline_frames = s->has_inline_frames,
        };
        if (!prof_add_mapping(out, &m, NULL, err))
            return false;
    }
    return true;
}

/* Where entities went: by rank, PROF_NONE for not yet. */
struct written {
    uint32_t *location, *function;
    VEC(struct prof_line) lines;
};

static bool write_function(struct canon *c, struct profile *out,
                           struct written *w, uint32_t *function,
                           struct err *err)
{
    if (*function == PROF_NONE)
        return true;
    uint32_t *to = &w->function[c->function[*function] - 1];
    if (*to == PROF_NONE) {
        struct prof_function f = c->sum->functions[*function];
        f.id = out->n_functions + 1;
        if (!prof_add_function(out, &f, to, err))
            return false;
    }
    *function = *to;
    return true;
}

/* The result's location for the one of this rank. */
static bool write_location(struct canon *c, struct profile *out,
                           struct written *w, uint32_t rank, struct err *err)
{
    struct prof_location l = c->sum->locations[c->by_location[rank]];
    const struct prof_line *from = c->sum->lines + l.line_off;
    w->lines.n = 0;
    for (size_t i = 0; i < l.n_lines; i++) {
        struct prof_line line = from[i];
        if (!write_function(c, out, w, &line.function, err))
            return false;
        if (!vec_push(&w->lines, line))
            return err_nomem(err);
    }
    if (l.mapping != PROF_NONE) {
        l.mapping = c->mapping[l.mapping] - 1;
        l.address += out->mappings[l.mapping].start;
    }
    l.id = out->n_locations + 1;
    return prof_add_location(out, &l, w->lines.v, w->lines.n,
                             &w->location[rank], err);
}

/* Writes sample s, from the root so that callers are numbered first. */
static bool write_sample(struct canon *c, struct profile *out,
                         struct written *w, uint32_t s, struct err *err)
{
    const struct profile *sum = c->sum;
    uint32_t *stack = c->sum->frames + sum->frame_off[s], set;
    for (size_t i = prof_depth(sum, s); i--;) {
        uint32_t rank = stack[i];
        if (w->location[rank] == PROF_NONE &&
            !write_location(c, out, w, rank, err))
            return false;
        stack[i] = w->location[rank];
    }
    uint64_t at = sum->labelset_off[sum->labelset[s]];
    if (!prof_labelset(out, sum->labels + at,
                       (size_t)(sum->labelset_off[sum->labelset[s] + 1] - at),
                       &set, err) ||
        !prof_push_sample(out, stack, prof_depth(sum, s), set, err))
        return false;
    int64_t *to = out->values + (out->n_samples - 1) * out->n_types;
    for (size_t i = 0; i < c->n_columns; i++)
        to[i] = sum->values[s * sum->n_types + c->column[i]];
    return true;
}

static bool write_samples(struct canon *c, struct profile *out, struct err *err)
{
    struct written w = {0};
    size_t nl = c->sum->n_locations, nf = c->sum->n_functions;
    w.location = mem_array(nl, sizeof *w.location);
    w.function = mem_array(nf, sizeof *w.function);
    bool ok = w.location && w.function ? true : err_nomem(err);
    if (ok) {
        memset(w.location, 0xff, nl * sizeof *w.location);
        memset(w.function, 0xff, nf * sizeof *w.function);
    }
    for (size_t i = 0; ok && i < c->n_samples; i++)
        ok = write_sample(c, out, &w, c->samples[i], err);
    free(w.location);
    free(w.function);
    vec_free(&w.lines);
    return ok;
}

bool canon_write(struct canon *c, struct profile *out, struct err *err)
{
    struct strtab empty = out->strings;
    out->strings = c->sum->strings; /* the sum is not used again */
    c->sum->strings = empty;
    struct prof_counts counts = prof_count(c->sum);
    counts.samples = c->n_samples;
    counts.mappings = c->n_by_mapping;
    return write_header(c, out, err) && prof_reserve(out, &counts, err) &&
           write_mappings(c, out, err) && write_samples(c, out, err);
}
