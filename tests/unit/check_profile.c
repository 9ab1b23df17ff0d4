/* check_profile.c - whether the references within a profile are good */
#include "check_profile.h"

#include <inttypes.h>

static bool string(const struct profile *p, uint32_t id, const char *what,
                   size_t i, struct prof_err *err)
{
    return id < p->strings.n ||
           err_set(err, PROF_ERR_INPUT,
                   "%s %zu refers to string %" PRIu32 " of %" PRIu32, what, i,
                   id, p->strings.n);
}

static bool index_of(uint32_t index, size_t n, const char *what, size_t i,
                     const char *to, struct prof_err *err)
{
    return index < n || err_set(err, PROF_ERR_INPUT,
                                "%s %zu refers to %s %" PRIu32 " of %zu", what,
                                i, to, index, n);
}

/* off[0 .. n] rises from 0 to the length of what it divides. */
static bool offsets(const uint64_t *off, size_t n, size_t length,
                    const char *what, struct prof_err *err)
{
    if (off[0] || off[n] != length)
        return err_set(err, PROF_ERR_INPUT,
                       "%ss divide %" PRIu64 " .. %" PRIu64 " of %zu", what,
                       off[0], off[n], length);
    for (size_t i = 0; i < n; i++)
        if (off[i] > off[i + 1])
            return err_set(err, PROF_ERR_INPUT,
                           "%s %zu ends at %" PRIu64 ", before its start"
                           " %" PRIu64,
                           what, i, off[i + 1], off[i]);
    return true;
}

static bool check_headers(const struct profile *p, struct prof_err *err)
{
    if (!p->strings.n || p->strings.len[0])
        return err_set(err, PROF_ERR_INPUT, "string 0 is not the empty one");
    if (p->n_samples && !p->n_types)
        return err_set(err, PROF_ERR_INPUT, "%zu samples, but no value type",
                       p->n_samples);
    for (size_t i = 0; i < p->n_types; i++)
        if (!string(p, p->types[i].type, "value type", i, err) ||
            !string(p, p->types[i].unit, "unit of value type", i, err))
            return false;
    for (size_t i = 0; i < p->n_comments; i++)
        if (!string(p, p->comments[i], "comment", i, err))
            return false;
    const uint32_t ids[] = {p->period_type.type, p->period_type.unit,
                            p->drop_frames,      p->keep_frames,
                            p->doc_url,          p->default_sample_type};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (!string(p, ids[i], "header", i, err))
            return false;
    return true;
}

static bool check_names(const struct profile *p, struct prof_err *err)
{
    for (size_t i = 0; i < p->n_mappings; i++)
        if (!string(p, p->mappings[i].filename, "mapping", i, err) ||
            !string(p, p->mappings[i].build_id, "mapping", i, err))
            return false;
    for (size_t i = 0; i < p->n_functions; i++) {
        const struct prof_function *f = &p->functions[i];
        if (!string(p, f->name, "function", i, err) ||
            !string(p, f->system_name, "function", i, err) ||
            !string(p, f->filename, "function", i, err))
            return false;
    }
    return true;
}

static bool check_locations(const struct profile *p, struct prof_err *err)
{
    for (size_t i = 0; i < p->n_locations; i++) {
        const struct prof_location *l = &p->locations[i];
        if (l->mapping != PROF_NONE &&
            !index_of(l->mapping, p->n_mappings, "location", i, "mapping", err))
            return false;
        if (l->n_lines > p->n_lines || l->line_off > p->n_lines - l->n_lines)
            return err_set(err, PROF_ERR_INPUT,
                           "location %zu has lines %" PRIu32 " + %" PRIu32
                           " of %zu",
                           i, l->line_off, l->n_lines, p->n_lines);
    }
    for (size_t i = 0; i < p->n_lines; i++)
        if (p->lines[i].function != PROF_NONE &&
            !index_of(p->lines[i].function, p->n_functions, "line", i,
                      "function", err))
            return false;
    return true;
}

/* Key by id, string labels before numbers. */
static bool in_order(const struct prof_label *a, const struct prof_label *b)
{
    return a->key < b->key || (a->key == b->key && (a->str || !b->str));
}

static bool check_labels(const struct profile *p, struct prof_err *err)
{
    if (!p->n_labelsets || p->labelset_off[1])
        return err_set(err, PROF_ERR_INPUT, "label set 0 is not the empty one");
    if (!offsets(p->labelset_off, p->n_labelsets, p->n_labels, "label set",
                 err))
        return false;
    for (size_t i = 0; i < p->n_labels; i++) {
        const struct prof_label *l = &p->labels[i];
        if (!string(p, l->key, "label", i, err) ||
            !string(p, l->str, "label", i, err) ||
            !string(p, l->unit, "label", i, err))
            return false;
    }
    for (size_t set = 0; set < p->n_labelsets; set++)
        for (uint64_t i = p->labelset_off[set] + 1;
             i < p->labelset_off[set + 1]; i++)
            if (!in_order(&p->labels[i - 1], &p->labels[i]))
                return err_set(err, PROF_ERR_INPUT,
                               "label set %zu is not in order", set);
    return true;
}

/* What stacks share are frames of the sample before, where there is one. */
static bool check_shared(const struct profile *p, struct prof_err *err)
{
    if (p->shared && p->cap_shared < p->n_samples)
        return err_set(err, PROF_ERR_INPUT,
                       "room for what %zu samples share, of %zu", p->cap_shared,
                       p->n_samples);
    for (size_t s = 0; p->shared && s < p->n_samples; s++) {
        size_t most = s % PROF_RESTART ? prof_depth(p, s - 1) : 0;
        if (p->shared[s] > most)
            return err_set(err, PROF_ERR_INPUT,
                           "sample %zu shares %" PRIu32 " frames of %zu", s,
                           p->shared[s], most);
        if (prof_depth(p, s) > p->deepest)
            return err_set(err, PROF_ERR_INPUT,
                           "sample %zu has %zu frames, the deepest %zu", s,
                           prof_depth(p, s), p->deepest);
    }
    return true;
}

static bool check_samples(const struct profile *p, struct prof_err *err)
{
    if (!offsets(p->frame_off, p->n_samples, p->n_frames, "sample", err) ||
        !check_shared(p, err))
        return false;
    for (size_t s = 0; s < p->n_samples; s++) {
        const uint32_t *frames = prof_own(p, s);
        if (!index_of(p->labelset[s], p->n_labelsets, "sample", s, "label set",
                      err))
            return false;
        for (size_t i = 0; i < prof_depth(p, s) - prof_shared(p, s); i++)
            if (!index_of(frames[i], p->n_locations, "sample", s, "location",
                          err))
                return false;
    }
    return true;
}

bool check_profile(const struct profile *p, struct prof_err *err)
{
    return check_headers(p, err) && check_names(p, err) &&
           check_locations(p, err) && check_labels(p, err) &&
           check_samples(p, err);
}
