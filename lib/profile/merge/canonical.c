/* A sum made canonical: the steps of canon.h in order. */
#include <stdlib.h>
#include <string.h>

#include "profile/merge/canon.h"
#include "profile/merge/sample_order.h"

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

bool canon_sort(const struct canon *c, uint32_t *samples, size_t n, bool *equal,
                struct err *err)
{
    const struct profile *p = c->sum;
    struct sample_order o = {
        .frame_off = p->frame_off,
        .frames = p->frames,
        .rank = c->location,
        .labelset = p->labelset,
        .set_rank = c->labelset,
        .n_ranks = (uint32_t)(p->n_locations > p->n_labelsets ? p->n_locations
                                                              : p->n_labelsets),
    };
    return sample_order_sort(&o, samples, n, c->threads, equal, err);
}

static bool begin(struct canon *c, struct err *err)
{
    c->column = mem_array(c->sum->n_types, sizeof *c->column);
    if (!c->column)
        return err_nomem(err);
    c->n_columns = merge_result_columns(c->m, c->column);
    return close_sets(c->m, err);
}

static bool steps(struct canon *c, struct canon_numbers *numbers,
                  struct profile *out, struct err *err)
{
    bool equal;
    if (!begin(c, err))
        return false;
    if (c->m->spill.runs.n)
        return merge_spill(c->m, err) && canon_strings(c, err) &&
               canon_rank(c, err) && canon_spilled(c, numbers, out, err);
    return canon_live(c, err) && canon_strings(c, err) && canon_rank(c, err) &&
           canon_sort(c, c->samples, c->n_samples, &equal, err) &&
           (!equal || canon_combine(c, err)) && canon_number(c, numbers, err) &&
           canon_write(c, numbers, out, err);
}

/* Mappings stay as they came, but for the main one, which is first. */
static bool place_mappings(struct canon *c, struct err *err)
{
    size_t n = c->m->mappings.n, to = 0;
    c->by_mapping = mem_array(n, sizeof *c->by_mapping);
    if (!c->by_mapping)
        return err_nomem(err);
    if (c->m->first != PROF_NONE)
        c->by_mapping[to++] = c->m->first;
    for (size_t i = 0; i < n; i++)
        if (i != c->m->first)
            c->by_mapping[to++] = (uint32_t)i;
    return true;
}

static bool steps_in_place(struct canon *c, struct canon_numbers *numbers,
                           struct profile *out, struct err *err)
{
    bool labelled = c->sum->n_labelsets > 1;
    return begin(c, err) && canon_equal(c, err) && canon_live(c, err) &&
           (!labelled || (canon_strings(c, err) && canon_labels(c, err))) &&
           place_mappings(c, err) && canon_number(c, numbers, err) &&
           canon_write(c, numbers, out, err);
}

/* *layout is for the caller to free. */
static bool run(struct canon *c, struct profile *out,
                struct prof_layout *layout, struct err *err)
{
    struct canon_numbers numbers = {0};
    c->sum = &c->m->sum;
    c->threads = c->threads ? c->threads : 1;
    merge_no_more(c->m);
    bool ok = prof_init(out, err) && (!c->m->broken || err_nomem(err)) &&
              (c->in_place ? steps_in_place(c, &numbers, out, err)
                           : steps(c, &numbers, out, err));
    *layout = (struct prof_layout){c->samples, c->n_samples, c->number,
                                   c->sum->n_locations};
    if (!c->samples) /* on disk, in order */
        layout->n_order = out->n_samples;
    free(c->column);
    free(c->location);
    free(c->function);
    free(c->mapping);
    free(c->labelset);
    free(c->by_mapping);
    free(c->frames);
    free(numbers.location);
    free(numbers.labelset);
    return ok;
}

bool merge_finish_layout(struct merger *m, unsigned threads,
                         struct profile *out, struct prof_layout *layout,
                         struct err *err)
{
    struct canon c = {.m = m, .threads = threads, .is_told = true};
    return run(&c, out, layout, err);
}

bool merge_finish_order(struct merger *m, unsigned threads, struct profile *out,
                        uint32_t **order, struct err *err)
{
    struct canon c = {.m = m, .threads = threads};
    struct prof_layout layout;
    bool ok = run(&c, out, &layout, err);
    *order = (uint32_t *)layout.order;
    return ok;
}

bool merge_finish(struct merger *m, struct profile *out, struct err *err)
{
    uint32_t *order;
    bool ok = merge_finish_order(m, 1, out, &order, err) &&
              (!order || prof_reorder(out, order, err));
    free(order);
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
    uint32_t *order;
    bool ok = prof_canonical_order(p, 1, out, &order, err) &&
              prof_reorder(out, order, err);
    free(order);
    return ok;
}

bool prof_canonical_order(struct profile *p, unsigned threads,
                          struct profile *out, uint32_t **order,
                          struct err *err)
{
    memset(out, 0, sizeof *out);
    *order = NULL;
    struct merger *m = merge_new(MERGE_TYPES_SAME, err);
    bool ok = m && merge_take(m, p, err) &&
              merge_finish_order(m, threads, out, order, err);
    merge_free(m);
    return ok;
}

bool prof_compact_layout(struct profile *p, unsigned threads,
                         struct profile *out, struct prof_layout *layout,
                         struct err *err)
{
    memset(out, 0, sizeof *out);
    *layout = (struct prof_layout){0};
    struct merger *m = merge_new(MERGE_TYPES_SAME, err);
    struct canon c = {
        .m = m, .threads = threads, .in_place = true, .is_told = true};
    bool ok = m && merge_take(m, p, err) && run(&c, out, layout, err);
    merge_free(m);
    return ok;
}

bool prof_compact(struct profile *p, unsigned threads, struct profile *out,
                  struct err *err)
{
    struct prof_layout layout;
    bool ok = prof_compact_layout(p, threads, out, &layout, err);
    if (ok)
        prof_settle(out, &layout);
    prof_layout_free(&layout);
    return ok;
}
