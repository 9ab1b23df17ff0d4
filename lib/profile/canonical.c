/* A sum made canonical: the steps of canon.h in order. */
#include <stdlib.h>
#include <string.h>

#include "profile/canon.h"
#include "profile/sample_order.h"

/* Header sets become fields of the sum, so that their strings are kept. */
static bool close_sets(struct merger *m, struct err *err)
{
    struct profile *sum = &m->sum;
    if (!alternatives_join(&m->drop, &sum->strings, &sum->drop_frames, err) ||
        !alternatives_join(&m->keep, &sum->strings, &sum->keep_frames, err))
        return false;
    if (!str_set_sort(&m->comments, &sum->strings))
        return err_nomem(err);
    for (size_t i = 0; i < m->comments.ids.n; i++)
        if (!prof_add_comment_id(sum, m->comments.ids.v[i], err))
            return false;
    return true;
}

/* Frames of live samples become ranks of their locations. */
static void rank_frames(struct canon *c)
{
    for (size_t i = 0; i < c->n_samples; i++) {
        uint32_t s = c->samples[i];
        uint32_t *stack = c->sum->frames + c->sum->frame_off[s];
        for (size_t k = prof_depth(c->sum, s); k--;)
            stack[k] = c->location[stack[k]] - 1;
    }
}

static bool steps(struct canon *c, struct profile *out, struct err *err)
{
    c->column = mem_array(c->sum->n_types, sizeof *c->column);
    if (!c->column)
        return err_nomem(err);
    c->n_columns = merge_result_columns(c->m, c->column);
    if (!close_sets(c->m, err) || !canon_live(c, err) ||
        !canon_strings(c, err) || !canon_rank(c, err))
        return false;
    rank_frames(c);
    return sample_order(c->sum, c->labelset, c->samples, c->n_samples, err) &&
           (!c->m->is_unindexed || canon_combine(c, err)) &&
           canon_write(c, out, err);
}

bool merge_finish(struct merger *m, struct profile *out, struct err *err)
{
    struct canon c = {.m = m, .sum = &m->sum};
    bool ok = prof_init(out, err) && steps(&c, out, err);
    free(c.column);
    free(c.samples);
    free(c.location);
    free(c.function);
    free(c.mapping);
    free(c.labelset);
    free(c.by_location);
    free(c.by_function);
    free(c.by_mapping);
    return ok;
}

bool prof_canonical(const struct profile *p, struct profile *out,
                    struct err *err)
{
    memset(out, 0, sizeof *out);
    struct merger *m = merge_new(MERGE_TYPES_SAME, err);
    bool ok = m && merge_add(m, p, err) && merge_finish(m, out, err);
    merge_free(m);
    return ok;
}

bool prof_canonical_take(struct profile *p, struct profile *out,
                         struct err *err)
{
    memset(out, 0, sizeof *out);
    struct merger *m = merge_new(MERGE_TYPES_SAME, err);
    bool ok = m && merge_take(m, p, err) && merge_finish(m, out, err);
    merge_free(m);
    return ok;
}
