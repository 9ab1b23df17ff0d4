/* canonical.c - a sum made canonical: the steps in order, and of these the
 * summing of equal samples
 */
#include <stdlib.h>
#include <string.h>

#include "profile/merge/private.h"

static uint32_t leaf_of(const struct canon *c, uint32_t sample)
{
    return prof_depth(c->p, sample) ? prof_stack(c->p, sample)[0] : PROF_NONE;
}

/* --- equal samples, next to each other ------------------------------------ */

/* Whether two samples have the same stack and labels. */
static bool is_same(const struct profile *p, uint32_t a, uint32_t b)
{
    size_t n = prof_depth(p, a);
    return n == prof_depth(p, b) && p->labelset[a] == p->labelset[b] &&
           (!n ||
            !memcmp(prof_stack(p, a), prof_stack(p, b), n * sizeof *p->frames));
}

/* Sums samples[0 .. n) in the first; the values of others become 0. */
static bool sum_neighbours(struct canon *c, const uint32_t *samples, size_t n,
                           struct prof_err *err)
{
    size_t nt = c->p->n_types;
    int64_t *to = c->p->values + samples[0] * nt;
    for (size_t k = 0; k < nt; k++) {
        struct wide sum = {0};
        for (size_t i = 0; i < n; i++) {
            int64_t *v = &c->p->values[samples[i] * nt + k];
            wide_add(&sum, *v);
            *v = 0;
        }
        if (!wide_fits(sum, &to[k]))
            return canon_overflow(c, leaf_of(c, samples[0]), (uint32_t)k, err);
    }
    return true;
}

/* Makes one of equal samples in order. */
static bool combine(struct canon *c, struct prof_err *err)
{
    size_t n = 0;
    for (size_t i = 0, j; i < c->n_samples; i = j) {
        uint32_t s = c->samples[i];
        for (j = i + 1; j < c->n_samples && is_same(c->p, s, c->samples[j]);)
            j++;
        if (j - i > 1 && !sum_neighbours(c, c->samples + i, j - i, err))
            return false;
        if (canon_is_live(c, s))
            c->samples[n++] = s;
    }
    c->n_samples = n;
    return true;
}
/* --- steps ---------------------------------------------------------------- */

/* Header sets become fields of the sum, so that their strings are used. */
static bool close_sets(struct sum *s, struct prof_err *err)
{
    struct profile *p = &s->p;
    if (!alternatives_join(&s->drop_frames, &p->strings, &p->drop_frames,
                           err) ||
        !alternatives_join(&s->keep_frames, &p->strings, &p->keep_frames, err))
        return false;
    str_set_sort(&s->comments, &p->strings);
    for (size_t i = 0; i < s->comments.ids.n; i++)
        if (!prof_add_comment_id(p, s->comments.ids.v[i], err))
            return false;
    return true;
}

static bool begin(struct canon *c, struct prof_err *err)
{
    c->column = mem_array(c->p->n_types, sizeof *c->column);
    if (!c->column)
        return err_nomem(err);
    c->n_columns = sum_result_columns(c->s, c->column);
    return close_sets(c->s, err);
}

/* Every carry must be taken back by another for the sum to be right. */
static bool check_carries(struct canon *c, struct prof_err *err)
{
    const struct sum_carry *v = c->s->carries.v;
    sum_net_carries(c->s);
    for (size_t i = 0; i < c->s->carries.n; i++)
        if (!c->s->type_dropped[v[i].type])
            return canon_overflow(c, leaf_of(c, v[i].sample), v[i].type, err);
    return true;
}

/* Lists the samples that are live. */
static bool list_live(struct canon *c, struct prof_err *err)
{
    if (!check_carries(c, err))
        return false;
    c->samples = mem_array(c->p->n_samples, sizeof *c->samples);
    if (!c->samples)
        return err_nomem(err);
    for (size_t s = 0; s < c->p->n_samples; s++)
        if (canon_is_live(c, s))
            c->samples[c->n_samples++] = (uint32_t)s;
    return true;
}

static bool in_order(struct canon *c, struct profile *out, struct prof_err *err)
{
    bool equal;
    return list_live(c, err) && canon_strings(c, err) && canon_ranks(c, err) &&
           canon_sort(c, c->samples, c->n_samples, &equal, err) &&
           (!equal || combine(c, err)) && canon_number(c, err) &&
           canon_write(c, out, err);
}

static bool from_disk(struct canon *c, struct profile *out,
                      struct prof_err *err)
{
    return sum_spill(c->s, err) && canon_strings(c, err) &&
           canon_ranks(c, err) && canon_from_disk(c, out, err);
}

/* Mappings stay as they came, but for the main one, which is first. */
static bool keep_mappings(struct canon *c, struct prof_err *err)
{
    size_t n = c->s->mappings.n, to = 0;
    c->by_mapping = mem_array(n, sizeof *c->by_mapping);
    if (!c->by_mapping)
        return err_nomem(err);
    if (c->s->first_mapping != PROF_NONE)
        c->by_mapping[to++] = c->s->first_mapping;
    for (size_t i = 0; i < n; i++)
        if (i != c->s->first_mapping)
            c->by_mapping[to++] = (uint32_t)i;
    return true;
}

static bool as_they_are(struct canon *c, struct profile *out,
                        struct prof_err *err)
{
    bool labelled = c->p->n_labelsets > 1;
    struct hashidx *index = &c->s->sample_index;
    bool ok = hashidx_reserve(index, c->p->n_samples)
                  ? sum_index_samples(c->s, err)
                  : err_nomem(err);
    hashidx_free(index);
    return ok && list_live(c, err) &&
           (!labelled || (canon_strings(c, err) && canon_labels(c, err))) &&
           keep_mappings(c, err) && canon_number(c, err) &&
           canon_write(c, out, err);
}

static void canon_free(struct canon *c)
{
    free(c->column);
    free(c->location_rank);
    free(c->function_rank);
    free(c->mapping_rank);
    free(c->labelset_rank);
    free(c->by_mapping);
    free(c->frames);
    free(c->location);
    free(c->labelset);
}

bool canon_finish(struct canon *c, struct profile *out,
                  struct prof_layout *layout, struct prof_err *err)
{
    struct prof_layout own;
    c->p = &c->s->p;
    c->threads = c->threads ? c->threads : 1;
    bool ok = prof_init(out, err) && (!c->s->broken || err_nomem(err)) &&
              begin(c, err) &&
              (c->in_place          ? as_they_are(c, out, err)
               : c->s->spill.runs.n ? from_disk(c, out, err)
                                    : in_order(c, out, err));
    own = (struct prof_layout){c->samples, c->n_samples, c->number,
                               c->p->n_locations};
    if (!c->samples) /* on disk, in order */
        own.n_order = out->n_samples;
    canon_free(c);
    if (layout) {
        *layout = own;
        return ok;
    }
    ok = ok && prof_settle(out, &own, err);
    prof_layout_free(&own);
    return ok;
}
