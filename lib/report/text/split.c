/* split.c - the samples of a report by the values of a label */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/sort.h"
#include "profile/columns.h"
#include "report/text/private.h"

/* --- the values --- */

/* The values of a label set: v[off[set] .. off[set + 1]), each once. */
struct set_values {
    uint64_t *off;
    VEC(uint32_t) v;
};

static bool add_value(struct split *s, struct map *known, uint32_t text,
                      uint32_t *row)
{
    const struct split_value value = {.text = text, .last_set = SIZE_MAX};
    return map_push(known, s, &text, sizeof text, row, value);
}

/* Lists the values of each label set; value 0 is none. */
static bool list_values(struct split *s, struct set_values *sets,
                        struct prof_err *err)
{
    const struct profile *p = s->whole;
    struct map known = {0};
    uint32_t row, text;
    sets->off = mem_array(p->n_labelsets + 1, sizeof *sets->off);
    bool ok = (sets->off && vec_reserve(&sets->v, 1) &&
               add_value(s, &known, 0, &row)) ||
              err_nomem(err);
    for (size_t set = 0; ok && set < p->n_labelsets; set++) {
        sets->off[set] = sets->v.n;
        for (uint64_t i = p->labelset_off[set];
             ok && i < p->labelset_off[set + 1]; i++) {
            if (p->labels[i].key != s->key)
                continue;
            ok = label_text(s->r, &p->labels[i], &text, err) &&
                 (add_value(s, &known, text, &row) || err_nomem(err));
            /* Different numbers can have the same text. */
            if (!ok || s->v[row].last_set == set)
                continue;
            s->v[row].last_set = set;
            ok = vec_push(&sets->v, row) || err_nomem(err);
        }
        if (ok && sets->v.n == sets->off[set])
            ok = vec_push(&sets->v, 0) || err_nomem(err);
    }
    if (ok)
        sets->off[p->n_labelsets] = sets->v.n;
    map_free(&known);
    return ok;
}

/*
 * Sums and lists the samples of each value.  No sum can overflow: the report
 * has already summed all magnitudes.
 */
static bool list_samples(struct split *s, const struct set_values *sets,
                         struct prof_err *err)
{
    const struct profile *p = s->whole;
    bool ok = true;
    for (size_t i = 0; ok && i < p->n_samples; i++) {
        const int64_t *values = p->values + i * p->n_types;
        uint64_t from = sets->off[p->labelset[i]];
        for (; ok && from < sets->off[p->labelset[i] + 1]; from++) {
            struct split_value *v = &s->v[sets->v.v[from]];
            v->has_value |= values[s->r->type] != 0;
            v->sum += values[s->r->type];
            v->div += s->r->opts->mean ? values[0] : 0;
            ok = vec_push(&v->samples, (uint32_t)i) || err_nomem(err);
        }
    }
    for (size_t i = 0; ok && i < s->n; i++)
        s->v[i].sum = graph_mean(s->v[i].sum, s->v[i].div);
    return ok;
}

/*
 * Orders values by weight, heaviest first, then by name.  Samples without the
 * label follow, then values whose samples are all 0.
 */
static int value_order(const void *a, const void *b, void *strings)
{
    const struct split_value *x = a, *y = b;
    uint64_t v = graph_abs(x->sum), w = graph_abs(y->sum);
    int c = ORDER(y->has_value, x->has_value);
    c = c ? c : ORDER(!x->text, !y->text);
    c = c ? c : ORDER(w, v);
    return c ? c : strtab_cmp(strings, x->text, y->text);
}

bool split_init(struct split *s, struct report *r, struct prof_err *err)
{
    struct profile *p = r->p;
    const size_t n_others = r->opts->n_others;
    struct set_values sets = {0};
    *s = (struct split){
        .r = r, .whole = p, .total = r->total, .units = r->units};
    s->others = mem_array(n_others, sizeof *s->others);
    s->locations.number = mem_zarray(p->n_locations, sizeof(uint32_t));
    s->locations.index = mem_array(p->n_locations, sizeof(uint32_t));
    s->functions.number = mem_zarray(p->n_functions, sizeof(uint32_t));
    s->functions.index = mem_array(p->n_functions, sizeof(uint32_t));
    bool ok = (s->others && s->locations.number && s->locations.index &&
               s->functions.number && s->functions.index) ||
              err_nomem(err);
    if (ok && n_others)
        memcpy(s->others, r->others, n_others * sizeof *s->others);
    ok = ok && prof_str(p, r->opts->by, &s->key, err) &&
         list_values(s, &sets, err) && list_samples(s, &sets, err);
    free(sets.off);
    vec_free(&sets.v);
    bool known = !p->n_samples;
    for (size_t i = 0; ok && i < s->n; i++)
        known |= s->v[i].text && s->v[i].samples.n;
    if (ok && !known)
        ok = err_set(err, PROF_ERR_USAGE,
                     "no sample has the label '%s'; --tags lists the labels",
                     r->opts->by);
    if (!ok)
        return false;
    /* Drop values whose samples are all 0, as a table does. */
    vec_sort_by(s, value_order, &p->strings);
    while (s->n && !s->v[s->n - 1].has_value) {
        s->n--;
        vec_free(&s->v[s->n].samples);
    }
    return true;
}

void split_free(struct split *s)
{
    for (size_t i = 0; i < s->n; i++)
        vec_free(&s->v[i].samples);
    free(s->v);
    free(s->others);
    free(s->locations.number);
    free(s->locations.index);
    free(s->functions.number);
    free(s->functions.index);
    vec_free(&s->frames);
    vec_free(&s->lines);
}

struct prof_slice split_name(const struct split *s, const struct split_value *v)
{
    static const char none[] = "(none)";
    return v->text ? prof_text(s->whole, v->text)
                   : (struct prof_slice){none, sizeof none - 1};
}

/* --- the profile of one value --- */

/* Sets *to to the number of an index.  Returns whether it is new. */
static bool number_index(struct split_numbers *t, uint32_t index, uint32_t *to)
{
    uint32_t k = t->number[index];
    bool is_new = k >= t->n || t->index[k] != index;
    if (is_new) {
        k = (uint32_t)t->n++;
        t->number[index] = k;
        t->index[k] = index;
    }
    *to = k;
    return is_new;
}

/*
 * Sets *to to the location in s->part, where it is added with its functions if
 * it is new.
 */
static bool copy_location(struct split *s, uint32_t location, uint32_t *to,
                          struct prof_err *err)
{
    const struct profile *p = s->whole;
    const struct prof_location *l = &p->locations[location];
    if (!number_index(&s->locations, location, to))
        return true;
    bool ok = vec_reserve(&s->lines, l->n_lines) || err_nomem(err);
    for (uint32_t i = 0; ok && i < l->n_lines; i++) {
        struct prof_line *line = &s->lines.v[i];
        *line = p->lines[l->line_off + i];
        uint32_t f = line->function;
        if (f != PROF_NONE && number_index(&s->functions, f, &line->function))
            ok = prof_add_function(&s->part, &p->functions[f], NULL, err);
    }
    return ok &&
           prof_add_location(&s->part, l, s->lines.v, l->n_lines, NULL, err);
}

/*
 * Makes s->part from only what the samples use, so that time does not grow with
 * the number of values times the size of the profile.
 */
static bool make_part(struct split *s, const struct split_value *v,
                      struct prof_err *err)
{
    const struct profile *p = s->whole;
    s->part = (struct profile){.strings = p->strings,
                               .types = p->types,
                               .n_types = p->n_types,
                               .mappings = p->mappings,
                               .n_mappings = p->n_mappings,
                               .labels = p->labels,
                               .labelset_off = p->labelset_off,
                               .n_labelsets = p->n_labelsets};
    s->locations.n = s->functions.n = 0;
    const struct prof_counts counts = {.samples = v->samples.n};
    struct prof_stacks r = {0};
    bool ok =
        prof_reserve(&s->part, &counts, err) && prof_stacks_init(&r, p, err);
    if (ok)
        s->part.frame_off[0] = 0;
    for (size_t i = 0; ok && i < v->samples.n; i++) {
        size_t sample = v->samples.v[i];
        prof_stacks_read(&r, sample);
        ok = vec_reserve(&s->frames, r.depth) || err_nomem(err);
        for (size_t k = 0; ok && k < r.depth; k++)
            ok = copy_location(s, r.stack[k], &s->frames.v[k], err);
        ok = ok && prof_add_sample(&s->part, s->frames.v, r.depth,
                                   p->values + sample * p->n_types,
                                   p->labelset[sample], err);
    }
    prof_stacks_free(&r);
    return ok;
}

bool split_enter(struct split *s, const struct split_value *v,
                 struct prof_err *err)
{
    struct report *r = s->r;
    bool ok = make_part(s, v, err) &&
              graph_total(&s->part, r->type, r->opts->mean, &r->total, err);
    for (size_t i = 0; ok && i < r->opts->n_others; i++)
        ok = graph_total(&s->part, r->others[i].type, r->opts->mean,
                         &r->others[i].total, err);
    r->p = &s->part;
    return ok;
}

void split_leave(struct split *s)
{
    struct report *r = s->r;
    r->p = s->whole;
    r->total = s->total;
    r->units = s->units;
    if (r->opts->n_others)
        memcpy(r->others, s->others, r->opts->n_others * sizeof *s->others);
    free(s->part.functions);
    free(s->part.lines);
    free(s->part.locations);
    free(s->part.frame_off);
    free(s->part.frames);
    free(s->part.values);
    free(s->part.labelset);
    s->part = (struct profile){0};
}
