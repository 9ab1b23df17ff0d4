/* The result: what was numbered, and the samples, which are moved as a whole.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/merge/canon.h"

enum { FAR_AHEAD = 16, AHEAD = 8 }; /* locations */

static bool write_header(struct canon *c, struct profile *out, struct err *err)
{
    const struct profile *sum = c->sum;
    int64_t duration;
    if (!wide_fits(c->m->duration, &duration))
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

/* One side of a mapping, or what is known of one that has no locations. */
static bool write_mapping(const struct merge_mapping *k, enum merge_side side,
                          struct profile *out, uint32_t *index, struct err *err)
{
    const struct merge_seen *s = k->used.any ? &k->used : &k->first;
    uint64_t start = s->start[s->has_start[side] ? side : !side];
    struct prof_mapping m = {
        .id = out->n_mappings + 1,
        .start = start,
        .limit = start + s->size,
        .offset = k->offset,
        .filename = s->filename,
        .build_id = s->build_id,
        .has_functions = s->has_functions,
        .has_filenames = s->has_filenames,
        .has_line_numbers = s->has_line_numbers,
        .has_inline_frames = s->has_inline_frames,
    };
    return prof_add_mapping(out, &m, index, err);
}

/*
 * Mappings that locations of the result use, and the main one, by rank.  One
 * that has addresses above and below its start is there once if that was the
 * same for all, else twice.
 */
static bool write_mappings(struct canon *c, const struct canon_numbers *numbers,
                           struct profile *out, uint32_t *to, struct err *err)
{
    size_t n = c->m->mappings.n;
    memset(to, 0xff, MERGE_SIDES * n * sizeof *to);
    for (size_t i = 0; i < numbers->n_locations; i++) {
        uint32_t m = c->sum->locations[numbers->location[i]].mapping;
        if (m != PROF_NONE)
            to[m] = 0;
    }
    for (size_t i = 0; i < n; i++) {
        const struct merge_mapping *k = &c->m->mappings.v[c->by_mapping[i]];
        uint32_t *above = &to[merge_ref(c->by_mapping[i], MERGE_ABOVE)];
        uint32_t *below = &to[merge_ref(c->by_mapping[i], MERGE_BELOW)];
        if (c->by_mapping[i] == c->m->first && *below == PROF_NONE)
            *above = 0;
        if (*above != PROF_NONE &&
            !write_mapping(k, MERGE_ABOVE, out, above, err))
            return false;
        if (*below == PROF_NONE)
            continue;
        if (*above != PROF_NONE &&
            k->used.start[MERGE_ABOVE] == k->used.start[MERGE_BELOW])
            *below = *above;
        else if (!write_mapping(k, MERGE_BELOW, out, below, err))
            return false;
    }
    return true;
}

/* Where entities of the sum went, PROF_NONE for nowhere yet. */
struct written {
    uint32_t *mapping, *function;
};

static bool write_function(struct canon *c, struct profile *out,
                           struct written *w, uint32_t *function,
                           struct err *err)
{
    if (*function == PROF_NONE)
        return true;
    uint32_t *to = &w->function[*function];
    if (*to == PROF_NONE) {
        struct prof_function f = c->sum->functions[*function];
        f.id = out->n_functions + 1;
        if (!prof_add_function(out, &f, to, err))
            return false;
    }
    *function = *to;
    return true;
}

static bool write_location(struct canon *c, struct profile *out,
                           struct written *w, uint32_t location,
                           struct err *err)
{
    struct prof_location l = c->sum->locations[location];
    const struct prof_line *from = c->sum->lines + l.line_off;
    size_t n_lines = l.n_lines, line_off = out->n_lines;
    if (l.mapping != PROF_NONE) {
        bool moves = merge_ref_side(l.mapping) == MERGE_ABOVE;
        l.mapping = w->mapping[l.mapping];
        if (moves)
            l.address += out->mappings[l.mapping].start;
    }
    l.id = out->n_locations + 1;
    uint32_t index;
    if (!prof_add_location(out, &l, NULL, 0, &index, err))
        return false;
    for (size_t i = 0; i < n_lines; i++) {
        struct prof_line line = from[i];
        if (!write_function(c, out, w, &line.function, err) ||
            !prof_push_line(out, &line, err))
            return false;
    }
    out->locations[index].line_off = (uint32_t)line_off;
    out->locations[index].n_lines = (uint32_t)n_lines;
    return true;
}

/*
 * Locations come from all over the sum, and each would be waited for, and
 * then its line; so those to come are asked for before.
 */
static bool write_locations(struct canon *c,
                            const struct canon_numbers *numbers,
                            struct profile *out, struct written *w,
                            struct err *err)
{
    const struct profile *sum = c->sum;
    const uint32_t *location = numbers->location;
    size_t n = numbers->n_locations;
    for (size_t i = 0; i < n; i++) {
        if (n - i > FAR_AHEAD)
            __builtin_prefetch(&sum->locations[location[i + FAR_AHEAD]]);
        if (n - i > AHEAD && sum->n_lines) {
            size_t line = sum->locations[location[i + AHEAD]].line_off;
            __builtin_prefetch(sum->lines + line);
        }
        if (!write_location(c, out, w, location[i], err))
            return false;
    }
    return true;
}

static bool write_entities(struct canon *c, const struct canon_numbers *numbers,
                           struct profile *out, struct err *err)
{
    size_t nf = c->sum->n_functions;
    struct written w = {
        .mapping = mem_array(MERGE_SIDES * c->m->mappings.n, sizeof *w.mapping),
        .function = mem_array(nf, sizeof *w.function),
    };
    bool ok = w.mapping && w.function ? true : err_nomem(err);
    if (ok)
        memset(w.function, 0xff, nf * sizeof *w.function);
    ok = ok && write_mappings(c, numbers, out, w.mapping, err) &&
         write_locations(c, numbers, out, &w, err);
    free(w.mapping);
    free(w.function);
    return ok;
}

static bool write_labelsets(struct canon *c,
                            const struct canon_numbers *numbers,
                            struct profile *out, struct err *err)
{
    const struct profile *sum = c->sum;
    /* The first is the empty one, which is there. */
    for (size_t i = 1; i < numbers->n_labelsets; i++) {
        uint64_t at = sum->labelset_off[numbers->labelset[i]];
        uint64_t end = sum->labelset_off[numbers->labelset[i] + 1];
        uint32_t set; /* i: all are different */
        if (!prof_labelset(out, sum->labels + at, (size_t)(end - at), &set,
                           err))
            return false;
    }
    return true;
}

/* Values of the result's types, in place: there are not more of them. */
static bool select_columns(struct canon *c, struct err *err)
{
    struct profile *sum = c->sum;
    size_t nt = sum->n_types, n = c->n_columns;
    bool same = nt == n;
    for (size_t k = 0; k < n; k++)
        same = same && c->column[k] == k;
    if (same)
        return true;
    int64_t *row = mem_array(nt, sizeof *row);
    if (!row)
        return err_nomem(err);
    for (size_t s = 0; s < sum->n_samples; s++) {
        memcpy(row, sum->values + s * nt, nt * sizeof *row);
        for (size_t k = 0; k < n; k++)
            sum->values[s * n + k] = row[c->column[k]];
    }
    free(row);
    return true;
}

bool canon_write(struct canon *c, const struct canon_numbers *numbers,
                 struct profile *out, struct err *err)
{
    struct profile *sum = c->sum;
    struct strtab empty = out->strings;
    out->strings = sum->strings; /* the sum is not used again */
    sum->strings = empty;
    struct prof_counts counts = prof_count(sum);
    counts.samples = counts.frames = 0;
    counts.locations = numbers->n_locations;
    if (!write_header(c, out, err) || !prof_reserve(out, &counts, err) ||
        !write_entities(c, numbers, out, err) ||
        !write_labelsets(c, numbers, out, err) || !select_columns(c, err))
        return false;
    prof_take_samples(out, sum);
    return true;
}
