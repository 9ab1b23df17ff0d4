/* canonical.c - makes a sum canonical: runs the steps, sums equal samples */
#include <stdlib.h>
#include <string.h>

#include "profile/merge/private.h"

static uint32_t leaf_of(const struct canon *c, uint32_t sample)
{
    return prof_depth(c->p, sample) ? prof_stack(c->p, sample)[0] : PROF_NONE;
}

/* --- equal samples, next to each other ------------------------------------ */

/*
 * Sums the values of samples[0 .. n) in the first; sets those of the others to
 * 0.
 */
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

/* Combines neighbouring samples that have the same stack and labels. */
static bool combine(struct canon *c, struct prof_err *err)
{
    const struct profile *p = c->p;
    size_t n = 0;
    for (size_t i = 0, j; i < c->samples.n; i = j) {
        uint32_t s = c->samples.v[i];
        for (j = i + 1; j < c->samples.n; j++)
            if (p->labelset[s] != p->labelset[c->samples.v[j]] ||
                !sum_has_stack(p, c->samples.v[j], prof_stack(p, s),
                               prof_depth(p, s)))
                break;
        if (j - i > 1 && !sum_neighbours(c, c->samples.v + i, j - i, err))
            return false;
        if (canon_is_live(c, s))
            c->samples.v[n++] = s;
    }
    c->samples.n = n;
    return true;
}

/* --- steps ---------------------------------------------------------------- */

static bool begin(struct canon *c, struct prof_err *err)
{
    struct profile *p = c->p;
    struct sum *s = c->s;
    c->column = mem_array(p->n_types, sizeof *c->column);
    if (!c->column)
        return err_nomem(err);
    c->n_columns = sum_result_columns(s, c->column);
    /*
     * Turn the sets of the header into fields, so that their strings count as
     * used.
     */
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

/* Lists the live samples in c->samples.v.  Fails if a sum exceeds 64 bits. */
static bool list_live(struct canon *c, struct prof_err *err)
{
    /* A carry that no other one cancels means that a sum exceeds 64 bits. */
    const struct sum_carry *v = c->s->carries.v;
    sum_combine_carries(c->s);
    for (size_t i = 0; i < c->s->carries.n; i++)
        if (!c->s->type_dropped[v[i].type])
            return canon_overflow(c, leaf_of(c, v[i].sample), v[i].type, err);

    c->samples.v = mem_array(c->p->n_samples, sizeof *c->samples.v);
    if (!c->samples.v)
        return err_nomem(err);
    for (size_t s = 0; s < c->p->n_samples; s++)
        if (canon_is_live(c, s))
            c->samples.v[c->samples.n++] = (uint32_t)s;
    return true;
}

/* Runs the steps of the column "compact" in private.h. */
static bool keep_order(struct canon *c, struct profile *out,
                       struct prof_err *err)
{
    struct sum *s = c->s;
    bool labelled = c->p->n_labelsets > 1;
    bool ok = hashidx_reserve(&s->sample_index, c->p->n_samples)
                  ? sum_index_samples(s, err)
                  : err_nomem(err);
    hashidx_free(&s->sample_index);
    if (!ok || !list_live(c, err) ||
        (labelled && !(canon_strings(c, err) && canon_labels(c, err))))
        return false;

    /* Keep the order of mappings, except that the main one comes first. */
    size_t n = s->mappings.n, to = 0;
    c->by_mapping = mem_array(n, sizeof *c->by_mapping);
    if (!c->by_mapping)
        return err_nomem(err);
    if (s->first_mapping != PROF_NONE)
        c->by_mapping[to++] = s->first_mapping;
    for (size_t i = 0; i < n; i++)
        if (i != s->first_mapping)
            c->by_mapping[to++] = (uint32_t)i;

    return canon_number(c, err) && canon_write(c, out, err);
}

bool canon_finish(struct canon *c, struct profile *out,
                  struct prof_layout *layout, struct prof_err *err)
{
    c->p = &c->s->p;
    c->threads = c->threads ? c->threads : 1;
    bool ok = prof_init(out, err) && (!c->s->broken || err_nomem(err)) &&
              begin(c, err);
    if (ok && c->in_place)
        ok = keep_order(c, out, err);
    else if (ok && c->s->spill.runs.n)
        ok = sum_spill(c->s, err) && canon_strings(c, err) &&
             canon_ranks(c, err) && canon_from_disk(c, out, err);
    else if (ok)
        ok = list_live(c, err) && canon_strings(c, err) &&
             canon_ranks(c, err) && canon_sort(c, &c->samples, err) &&
             (!c->samples.any_equal || combine(c, err)) &&
             canon_number(c, err) && canon_write(c, out, err);
    struct prof_layout own = {.order = c->samples.v,
                              .n_order = c->samples.n,
                              .shared = c->samples.shared,
                              .number = c->number,
                              .n_number = c->p->n_locations};
    if (!c->samples.v) /* samples are on disk, in order */
        own.n_order = out->n_samples;
    free(c->column);
    free(c->location_rank);
    free(c->function_rank);
    free(c->mapping_rank);
    free(c->labelset_rank);
    free(c->by_mapping);
    free(c->frames);
    free(c->location);
    free(c->labelset);
    if (layout) {
        *layout = own;
        return ok;
    }
    ok = ok && prof_apply_layout(out, &own, err);
    prof_layout_free(&own);
    return ok;
}
