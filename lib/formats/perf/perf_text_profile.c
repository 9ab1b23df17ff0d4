/*
 * perf_text_profile.c - profiles of the output of perf script
 *
 * The profile of a process gets what its samples refer to, so that it costs
 * what it has, not what the others have.
 */
#include "formats/perf/private.h"
#include "profile/model/text.h"

static bool put_sample(struct profile *to, const struct perf_text_sample *s,
                       const uint32_t *frames, uint32_t labels,
                       struct prof_err *err)
{
    int64_t *values = to->values + to->n_samples * to->n_types;
    values[2 * (size_t)s->event] = s->samples;
    values[2 * (size_t)s->event + 1] = s->period;
    return prof_push_zeroed(to, s->n ? frames : NULL, s->n, labels, err);
}

bool perf_text_add_samples(struct perf_text *text, struct prof_err *err)
{
    struct profile *p = &text->p;
    bool ok = perf_zero_values(p, text->samples.n, err);
    for (size_t i = 0; ok && i < text->samples.n; i++) {
        const struct perf_text_sample *s = &text->samples.v[i];
        ok = put_sample(p, s, text->frames.v + (s->n ? s->at : 0), s->labels,
                        err);
    }
    return ok;
}

/* --- one process -----------------------------------------------------------
 */

static int by_pid(const void *a, const void *b)
{
    const struct perf_text_sample *x = a, *y = b;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

bool perf_text_divide(struct perf_text *text, struct perf_parts *parts,
                      struct prof_err *err)
{
    if (text->samples.n)
        qsort(text->samples.v, text->samples.n, sizeof *text->samples.v,
              by_pid);
    for (size_t i = 0; i < text->samples.n; i++)
        if (!perf_add_row(parts, i, text->samples.v[i].pid, err))
            return false;
    return true;
}

/* Numbers of what the profile at hand has of the text, plus 1; 0: not yet. */
struct perf_text_copy {
    struct profile *to;
    uint32_t *location, *function, *mapping, *labels;
    VEC(uint32_t) frames, mappings;
    VEC(struct prof_line) lines;
    VEC(struct prof_label) set;
};

static void free_copy(struct perf_text_copy *c)
{
    if (!c)
        return;
    free(c->location);
    free(c->function);
    free(c->mapping);
    free(c->labels);
    vec_free(&c->frames);
    vec_free(&c->mappings);
    vec_free(&c->lines);
    vec_free(&c->set);
    free(c);
}

void perf_text_free(struct perf_text *text)
{
    free_copy(text->copy);
    prof_free(&text->p);
    vec_free(&text->samples);
    vec_free(&text->frames);
}

static bool start_copy(struct perf_text *text, struct prof_err *err)
{
    const struct profile *p = &text->p;
    struct perf_text_copy *c = text->copy;
    if (c)
        return true;
    if (!(c = text->copy = mem_zarray(1, sizeof *c)))
        return err_nomem(err);
    c->location = mem_zarray(p->n_locations + 1, sizeof *c->location);
    c->function = mem_zarray(p->n_functions + 1, sizeof *c->function);
    c->mapping = mem_zarray(p->n_mappings + 1, sizeof *c->mapping);
    c->labels = mem_zarray(p->n_labelsets + 1, sizeof *c->labels);
    return (c->location && c->function && c->mapping && c->labels) ||
           err_nomem(err);
}

static bool copy_header(const struct profile *p, struct profile *to,
                        struct prof_err *err)
{
    for (size_t i = 0; i < p->n_types; i++) {
        struct prof_value_type type;
        if (!prof_copy_text(to, p, p->types[i].type, &type.type, err) ||
            !prof_copy_text(to, p, p->types[i].unit, &type.unit, err) ||
            !prof_add_type_id(to, type, err))
            return false;
    }
    to->duration_nanos = p->duration_nanos;
    return prof_copy_text(to, p, p->default_sample_type,
                          &to->default_sample_type, err);
}

static bool copy_mapping(struct perf_text_copy *c, const struct profile *p,
                         uint32_t i, uint32_t *mapping, struct prof_err *err)
{
    *mapping = PROF_NONE;
    if (i == PROF_NONE)
        return true;
    if (!c->mapping[i]) {
        struct prof_mapping m = p->mappings[i];
        if (!prof_copy_text(c->to, p, m.filename, &m.filename, err) ||
            !prof_add_mapping(c->to, &m, mapping, err))
            return false;
        c->mapping[i] = *mapping + 1;
    }
    *mapping = c->mapping[i] - 1;
    return true;
}

/* Sets c->mappings to those of a sample that it does not have. */
static bool find_mappings(struct perf_text *text,
                          const struct perf_text_sample *s,
                          struct prof_err *err)
{
    struct perf_text_copy *c = text->copy;
    for (size_t i = 0; i < s->n; i++) {
        uint32_t from = text->frames.v[s->at + i];
        uint32_t mapping = text->p.locations[from].mapping;
        if (mapping == PROF_NONE || c->mapping[mapping])
            continue;
        c->mapping[mapping] = 1; /* any number, until it has one */
        if (!vec_push(&c->mappings, mapping))
            return err_nomem(err);
    }
    return true;
}

/* In the order of the text, as the first one is the main one. */
static bool copy_mappings(struct perf_text *text, const struct perf_part *part,
                          struct prof_err *err)
{
    struct perf_text_copy *c = text->copy;
    uint32_t ignored;
    c->mappings.n = 0;
    for (size_t i = 0; i < part->n; i++)
        if (!find_mappings(text, &text->samples.v[part->at + i], err))
            return false;
    perf_sort_rows(c->mappings.v, c->mappings.n);
    for (size_t i = 0; i < c->mappings.n; i++) {
        c->mapping[c->mappings.v[i]] = 0;
        if (!copy_mapping(c, &text->p, c->mappings.v[i], &ignored, err))
            return false;
    }
    return true;
}

static bool copy_function(struct perf_text_copy *c, const struct profile *p,
                          uint32_t i, uint32_t *function, struct prof_err *err)
{
    *function = PROF_NONE;
    if (i == PROF_NONE)
        return true;
    if (!c->function[i]) {
        struct prof_function f = {0};
        if (!prof_copy_text(c->to, p, p->functions[i].name, &f.name, err))
            return false;
        f.system_name = f.name;
        if (!prof_add_function(c->to, &f, function, err))
            return false;
        c->function[i] = *function + 1;
    }
    *function = c->function[i] - 1;
    return true;
}

static bool copy_location(struct perf_text_copy *c, const struct profile *p,
                          uint32_t i, struct prof_err *err)
{
    struct prof_location l = p->locations[i];
    uint32_t index;
    c->lines.n = 0;
    if (!copy_mapping(c, p, l.mapping, &l.mapping, err))
        return false;
    if (!vec_reserve(&c->lines, l.n_lines))
        return err_nomem(err);
    for (uint32_t k = 0; k < l.n_lines; k++) {
        struct prof_line *line = &c->lines.v[c->lines.n++];
        *line = p->lines[l.line_off + k];
        if (!copy_function(c, p, line->function, &line->function, err))
            return false;
    }
    if (!prof_add_location(c->to, &l, c->lines.v, c->lines.n, &index, err))
        return false;
    c->location[i] = index + 1;
    return true;
}

static bool copy_labels(struct perf_text_copy *c, const struct profile *p,
                        uint32_t i, uint32_t *set, struct prof_err *err)
{
    c->set.n = 0;
    for (uint64_t k = p->labelset_off[i];
         !c->labels[i] && k < p->labelset_off[i + 1]; k++) {
        struct prof_label l = p->labels[k];
        if (!prof_copy_text(c->to, p, l.key, &l.key, err) ||
            !prof_copy_text(c->to, p, l.str, &l.str, err) ||
            !prof_copy_text(c->to, p, l.unit, &l.unit, err))
            return false;
        if (!vec_push(&c->set, l))
            return err_nomem(err);
    }
    if (!c->labels[i]) {
        if (!prof_labelset(c->to, c->set.v, c->set.n, set, err))
            return false;
        c->labels[i] = *set + 1;
    }
    *set = c->labels[i] - 1;
    return true;
}

static bool copy_sample(struct perf_text *text,
                        const struct perf_text_sample *s, struct prof_err *err)
{
    struct perf_text_copy *c = text->copy;
    uint32_t set;
    c->frames.n = 0;
    if (!vec_reserve(&c->frames, s->n))
        return err_nomem(err);
    for (size_t i = 0; i < s->n; i++) {
        uint32_t from = text->frames.v[s->at + i];
        if (!c->location[from] && !copy_location(c, &text->p, from, err))
            return false;
        c->frames.v[c->frames.n++] = c->location[from] - 1;
    }
    return copy_labels(c, &text->p, s->labels, &set, err) &&
           put_sample(c->to, s, c->frames.v, set, err);
}

static void forget_location(struct perf_text_copy *c, const struct profile *p,
                            uint32_t i)
{
    const struct prof_location *l = &p->locations[i];
    c->location[i] = 0;
    if (l->mapping != PROF_NONE)
        c->mapping[l->mapping] = 0;
    for (uint32_t k = 0; k < l->n_lines; k++) {
        uint32_t function = p->lines[l->line_off + k].function;
        if (function != PROF_NONE)
            c->function[function] = 0;
    }
}

/* Clears what the sample has set in the maps, for the next profile. */
static void forget_sample(struct perf_text *text,
                          const struct perf_text_sample *s)
{
    struct perf_text_copy *c = text->copy;
    c->labels[s->labels] = 0;
    for (size_t i = 0; i < s->n; i++) {
        uint32_t location = text->frames.v[s->at + i];
        if (c->location[location])
            forget_location(c, &text->p, location);
    }
}

bool perf_text_take(struct perf_text *text, const struct perf_part *part,
                    struct profile *out, struct prof_err *err)
{
    const struct perf_text_sample *s = text->samples.v + part->at;
    bool ok = prof_init(out, err) && start_copy(text, err) &&
              copy_header(&text->p, out, err) &&
              perf_zero_values(out, part->n, err);
    if (!ok)
        return false;
    text->copy->to = out;
    ok = copy_mappings(text, part, err);
    for (size_t i = 0; ok && i < part->n; i++)
        ok = copy_sample(text, &s[i], err);
    for (size_t i = 0; ok && i < part->n; i++)
        forget_sample(text, &s[i]);
    return ok;
}
