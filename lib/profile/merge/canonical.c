/* canonical.c - makes a sum canonical: runs the steps, sums equal samples */
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "profile/merge/private.h"

/* Returns the leaf of a sample for a message. */
static uint32_t leaf_of(const struct canon *c, uint32_t sample)
{
    struct prof_stacks r;
    struct prof_err err;
    if (!prof_depth(c->p, sample) || !prof_stacks_init(&r, c->p, &err))
        return PROF_NONE;
    uint32_t leaf = *prof_stacks_first(&r, sample, 1);
    prof_stacks_free(&r);
    return leaf;
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

/* Whether sample i of the sorted ones has the stack and labels of the one
 * before it. */
static bool repeats(const struct canon *c, size_t i)
{
    const struct profile *p = c->p;
    uint32_t a = c->samples.v[i - 1], b = c->samples.v[i];
    size_t depth = prof_depth(p, b);
    if (p->labelset[a] != p->labelset[b] || prof_depth(p, a) != depth)
        return false;
    if (c->samples.shared)
        return c->samples.shared[i] == depth;
    return !depth || !memcmp(prof_stack(p, a), prof_stack(p, b),
                             depth * sizeof *p->frames);
}

/*
 * Combines neighbours that have the same stack and labels, in the first of
 * them. Sets *cancels if its values become 0; it stays in the list then.
 */
static bool combine(struct canon *c, bool *cancels, struct prof_err *err)
{
    struct sample_list *list = &c->samples;
    size_t n = 0;
    *cancels = false;
    for (size_t i = 0, j; i < list->n; i = j) {
        for (j = i + 1; j < list->n && repeats(c, j);)
            j++;
        if (j - i > 1 && !sum_neighbours(c, list->v + i, j - i, err))
            return false;
        *cancels = *cancels || !canon_is_live(c, list->v[i]);
        if (list->shared)
            list->shared[n] = list->shared[i];
        list->v[n++] = list->v[i];
    }
    list->n = n;
    return true;
}

/* --- steps ---------------------------------------------------------------- */

static bool begin(struct canon *c, struct prof_err *err)
{
    struct profile *p = c->p;
    struct sum *s = c->s;
    hashidx_free(&s->function_index);
    hashidx_free(&s->location_index);
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

/*
 * Lists the live samples, in order.  If stacks share frames and are to be
 * sorted, removes the others: a sample shares frames only with one of the list
 * then.
 */
static bool list_live(struct canon *c, struct prof_err *err)
{
    struct profile *p = c->p;
    struct sample_list *list = &c->samples;
    if (!list->v && !(list->v = mem_array(p->n_samples, sizeof *list->v)))
        return err_nomem(err);
    list->n = 0;
    for (size_t s = 0; s < p->n_samples; s++)
        if (canon_is_live(c, s))
            list->v[list->n++] = (uint32_t)s;
    if (!p->shared || c->in_place || list->n == p->n_samples)
        return true;
    const struct prof_layout live = {.order = list->v, .n_order = list->n};
    if (!prof_apply_layout(p, &live, err))
        return false;
    for (size_t i = 0; i < list->n; i++)
        list->v[i] = (uint32_t)i;
    return true;
}

/* Fails if a sum exceeds 64 bits: a carry that no other one cancels. */
static bool check_carries(struct canon *c, struct prof_err *err)
{
    const struct sum_carry *v = c->s->carries.v;
    sum_combine_carries(c->s);
    for (size_t i = 0; i < c->s->carries.n; i++)
        if (!c->s->type_dropped[v[i].type])
            return canon_overflow(c, leaf_of(c, v[i].sample), v[i].type, err);
    return true;
}

/* Removes samples from the sorted list whose values are 0 since combine(). */
static bool drop_cancelled(struct canon *c, struct prof_err *err)
{
    struct sample_list *list = &c->samples;
    const struct prof_layout sorted = {
        .order = list->v, .n_order = list->n, .shared = list->shared};
    if (!list->shared) {
        size_t n = 0;
        for (size_t i = 0; i < list->n; i++)
            if (canon_is_live(c, list->v[i]))
                list->v[n++] = list->v[i];
        list->n = n;
        return true;
    }
    /*
     * Others share frames with them, so put all in order first.  Samples may
     * then share more than the list says, which a layout allows.
     */
    if (!prof_apply_layout(c->p, &sorted, err) || !list_live(c, err))
        return false;
    memcpy(list->shared, c->p->shared, list->n * sizeof *list->shared);
    return true;
}

/* So many samples are counted in about a millisecond. */
enum { MANY = 1 << 15 };

/* Whether a step is worth a thread of its own. */
static bool is_apart(const struct canon *c)
{
    return c->threads > 1 && c->samples.n >= MANY;
}

static void count_listed(void *ctx, unsigned thread, size_t piece)
{
    struct canon *c = ctx;
    (void)thread;
    (void)piece;
    canon_count(c, c->in_place ? c->samples.v : NULL, c->samples.n);
}

/* Begins to count the frames of the listed samples; many in another thread. */
static struct parallel *begin_count(struct canon *c, struct prof_err *err)
{
    struct parallel *count = parallel_begin(is_apart(c), 1, count_listed, c);
    if (!count)
        err_nomem(err);
    return count;
}

/* Sets what each listed sample shares with the one before it. */
static bool share(struct canon *c, struct prof_err *err)
{
    struct sample_list *list = &c->samples;
    if (!c->p->shared || list->n == c->p->n_samples)
        return true;
    list->shared = mem_array(list->n, sizeof *list->shared);
    if (!list->shared)
        return err_nomem(err);
    for (size_t i = 0, next = 0; i < list->n; i++) {
        list->shared[i] = prof_least_shared(c->p, next, list->v[i]);
        next = (size_t)list->v[i] + 1;
    }
    return true;
}

/* Ranks all that samples are sorted by, while another thread counts. */
static bool rank(struct canon *c, struct prof_err *err)
{
    const unsigned threads = c->threads;
    c->threads -= is_apart(c);
    bool ok = canon_strings(c, err) && canon_ranks(c, err);
    c->threads = threads; /* that thread ends before the sort does */
    return ok;
}

/* What a thread needs to write entities while samples are sorted. */
struct entities {
    struct canon *c;
    struct profile *out;
    struct parallel *count; /* what they are numbered by; ends before */
    bool begun;             /* there was such a thread, and these are set: */
    bool ok;
    struct prof_err err;
};

static void write_counted(void *ctx, unsigned thread, size_t piece)
{
    struct entities *e = ctx;
    (void)thread;
    (void)piece;
    parallel_end(e->count);
    e->ok = canon_entities(e->c, e->out, &e->err);
}

/* Sorts the samples; ends the count and, of many samples, writes entities. */
static bool sort_beside(struct entities *e, struct prof_err *err)
{
    struct canon *c = e->c;
    struct parallel *write =
        is_apart(c) ? parallel_begin(1, 1, write_counted, e) : NULL;
    e->begun = write;
    bool ok = c->unsorted ? share(c, err) : canon_sort(c, &c->samples, err);
    parallel_end(write ? write : e->count);
    return ok;
}

/* Combines equal samples of the sorted list, and counts frames again. */
static bool settle_equal(struct canon *c, struct prof_err *err)
{
    bool cancels;
    if (!combine(c, &cancels, err) || (cancels && !drop_cancelled(c, err)))
        return false;
    canon_count(c, NULL, 0); /* equal ones count once */
    return true;
}

/* Sorts the samples, combines equal ones, counts frames, writes entities. */
static bool sort_samples(struct canon *c, struct profile *out,
                         struct prof_err *err)
{
    struct entities e = {.c = c, .out = out, .count = begin_count(c, err)};
    if (!e.count)
        return false;
    if (!rank(c, err)) {
        parallel_end(e.count);
        return false;
    }
    if (!sort_beside(&e, err))
        return false;
    if (c->samples.any_equal && !settle_equal(c, err))
        return false;
    /* The numbers of locations depend on the count. */
    if (!e.begun || c->samples.any_equal)
        return canon_entities(c, out, err);
    if (!e.ok)
        *err = e.err;
    return e.ok;
}

/* Sums equal samples at the first of them, and counts frames. */
static bool sum_equal(struct canon *c, struct prof_err *err)
{
    struct parallel *count = begin_count(c, err);
    if (!count)
        return false;
    bool any_equal, ok = sum_equal_samples(c->s, &any_equal, err);
    parallel_end(count);
    if (!ok || !any_equal)
        return ok;
    if (!list_live(c, err))
        return false;
    canon_count(c, c->samples.v, c->samples.n);
    return true;
}

/* Runs the steps of the column "compact" in private.h. */
static bool keep_order(struct canon *c, struct profile *out,
                       struct prof_err *err)
{
    struct sum *s = c->s;
    bool labelled = c->p->n_labelsets > 1;
    if (!list_live(c, err) || !sum_equal(c, err) || !check_carries(c, err) ||
        !share(c, err) ||
        (labelled && !(canon_strings(c, err) && prof_sort_labels(c->p, err))))
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

    return canon_entities(c, out, err) && canon_number_labelsets(c, err) &&
           canon_write(c, out, err);
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
        ok = check_carries(c, err) && list_live(c, err) &&
             sort_samples(c, out, err) && canon_number_labelsets(c, err) &&
             canon_write(c, out, err);
    /* Are these all samples, in order? */
    if ((c->in_place || c->unsorted) && c->samples.n == out->n_samples) {
        free(c->samples.v);
        free(c->samples.shared);
        c->samples = (struct sample_list){0};
    }
    struct prof_layout own = {.order = c->samples.v,
                              .n_order = c->samples.n,
                              .shared = c->samples.shared,
                              .number = c->number,
                              .n_number = c->p->n_locations};
    if (!c->samples.v) /* or samples are on disk, in order */
        own.n_order = out->n_samples;
    free(c->column);
    free(c->location_rank);
    free(c->function_rank);
    free(c->mapping_rank);
    free(c->labelset_rank);
    free(c->by_mapping);
    free(c->frames);
    free(c->location);
    free(c->function);
    free(c->labelset);
    if (layout) {
        *layout = own;
        return ok;
    }
    ok = ok && prof_apply_layout(out, &own, err);
    prof_layout_free(&own);
    return ok;
}
