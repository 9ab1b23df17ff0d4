/*
 * inputs.c - adds inputs to the sum of a merger, by one thread or several
 *
 * Each thread takes a lane: the memory that an input needs until it is in the
 * sum.  A lane keeps the strings of all its inputs, and the sum's ids of them,
 * so that a string that inputs have in common is looked up in the sum once.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/merge/private.h"

/* --- lanes ---------------------------------------------------------------- */

/* Returns a free lane.  Waits for one, and for the first input to be added. */
static struct lane *take_lane(struct prof_merger *m)
{
    struct lane *lane = NULL;
    (void)pthread_mutex_lock(&m->lock);
    for (;;) {
        for (unsigned i = 0; !lane && !m->waits_for_first && i < m->n_lanes;
             i++)
            if (!m->lanes[i].busy)
                lane = &m->lanes[i];
        if (lane)
            break;
        (void)pthread_cond_wait(&m->freed, &m->lock);
    }
    lane->busy = true;
    m->waits_for_first = !m->sum->has_header;
    if (++m->n_busy > m->most_busy)
        m->most_busy = m->n_busy;
    (void)pthread_mutex_unlock(&m->lock);
    return lane;
}

static void give_lane(struct prof_merger *m, struct lane *lane)
{
    (void)pthread_mutex_lock(&m->lock);
    lane->busy = false;
    m->n_busy--;
    m->waits_for_first = false;
    (void)pthread_cond_broadcast(&m->freed);
    (void)pthread_mutex_unlock(&m->lock);
}

void lane_free(struct lane *lane)
{
    prof_free(&lane->decoded);
    translator_free(&lane->t);
    pb_decoder_free(&lane->decoder);
    buf_free(&lane->room);
    vec_free(&lane->strings);
}

/* Empties *p to decode into; keeps its memory and strings. */
static bool clear_decoded(struct profile *p, struct prof_err *err)
{
    if (p->frame_off) {
        prof_clear(p);
        return true;
    }
    /* *p is new, or its samples were freed or taken over by the sum. */
    struct strtab strings = p->strings;
    memset(&p->strings, 0, sizeof p->strings);
    prof_free(p);
    bool ok = prof_init(p, err);
    if (strings.n) {
        strtab_free(&p->strings);
        p->strings = strings;
    }
    return ok;
}

/* --- one input ------------------------------------------------------------ */

/* Makes room for a total of k elements in an array. */
#define ROOM(array, k) vec_reserve((array), (k) - (array)->n)

/* Resets *t for input p. */
static bool begin_input(struct sum *s, struct translator *t,
                        const struct profile *p, struct prof_err *err)
{
    size_t n_use = MERGE_SIDES * p->n_mappings;
    t->sum = s;
    t->p = p;
    t->n_unused = 0;
    t->types_differ = t->period_differs = false;
    if (!ROOM(&t->column, p->n_types) || !ROOM(&t->use, n_use) ||
        !ROOM(&t->mappings, p->n_mappings) ||
        !ROOM(&t->functions, p->n_functions) ||
        !ROOM(&t->locations, p->n_locations) ||
        !ROOM(&t->labelsets, p->n_labelsets))
        return err_nomem(err);
    if (n_use)
        memset(t->use.v, MAPPING_ABSENT, n_use);
    if (p->n_types)
        memset(t->column.v, 0xff, p->n_types * sizeof *t->column.v);
    return true;
}

/*
 * Maps the input's strings to ids of the sum.  Looks up only those strings of
 * the lane that no earlier input had.
 */
static bool add_strings(struct lane *lane, struct prof_err *err)
{
    struct translator *t = &lane->t;
    struct strtab *to = &t->sum->p.strings;
    bool decoded = t->p == &lane->decoded;
    if (t->owned && !t->sum->has_header && to->n == 1) {
        /* A first input is not refused, so the sum can take its strings. */
        struct strtab empty = *to;
        *to = t->owned->strings;
        t->owned->strings = empty;
        t->string = NULL;
        return true;
    }
    const struct strtab *from = &t->p->strings;
    size_t none = 0, *known = decoded ? &lane->strings.n : &none;
    bool ok =
        decoded ? ROOM(&lane->strings, from->n) : ROOM(&t->strings, from->n);
    uint32_t *ids = decoded ? lane->strings.v : t->strings.v;
    t->string = ids;
    return ok ? translate_strings(t->sum, from, ids, known, err)
              : err_nomem(err);
}

/*
 * Adds the strings, types, header fields, mappings and label sets of an input.
 * One that is refused for its types does not change the result.
 */
static bool add_header(struct sum *s, struct lane *lane, struct prof_err *err)
{
    struct translator *t = &lane->t;
    if (s->broken)
        return sum_failed(s, err);
    if (!add_strings(lane, err) || !sum_add_types(t, err))
        return err->kind != PROF_ERR_INPUT && sum_break(s, err);
    bool ok = true;
    if (!s->has_header) {
        /* Reserve as much as the first input has. */
        struct prof_counts counts = prof_count(t->p);
        if (t->owned) /* samples are taken over */
            counts.samples = counts.frames = 0;
        counts.mappings = 0;
        ok = prof_reserve(&s->p, &counts, err) &&
             ((hashidx_reserve(&s->function_index, counts.functions) &&
               hashidx_reserve(&s->location_index, counts.locations)) ||
              err_nomem(err));
    }
    ok = ok && sum_add_header(t, err) && translate_mappings(t, err) &&
         translate_labelsets(t, err);
    if (!s->has_header)
        s->has_header = true; /* take_lane() reads it without this lock */
    return ok || sum_break(s, err);
}

static bool add_profile(struct sum *s, struct lane *lane,
                        const struct profile *p, struct prof_err *err)
{
    struct translator *t = &lane->t;
    if (!begin_input(s, t, p, err))
        return false;
    (void)pthread_rwlock_wrlock(&s->entity_lock);
    bool ok = add_header(s, lane, err);
    (void)pthread_rwlock_unlock(&s->entity_lock);
    if (!ok)
        return false;
    ok = translate_entities(t, err) && sum_add_samples(t, err);
    (void)pthread_rwlock_wrlock(&s->entity_lock);
    if (ok)
        translate_used_mappings(t);
    else
        sum_break(s, err);
    s->n_inputs += ok;
    (void)pthread_rwlock_unlock(&s->entity_lock);
    return ok;
}

/* Returns whether memory that an input of this size needed is worth keeping. */
static bool is_small(const struct profile *p)
{
    enum { MANY = 1 << 20 };
    return p->cap_frames < MANY && p->cap_locations < MANY / 8 &&
           p->cap_functions < MANY / 8 && p->labelset_index.n_slots < MANY / 8;
}

static bool add(struct sum *s, struct lane *lane, const struct profile *p,
                struct profile *owned, struct prof_err *err)
{
    bool small = is_small(p);
    lane->t.owned = owned;
    lane->t.is_lazy = small && p == &lane->decoded;
    bool ok = add_profile(s, lane, p, err);
    /* If a large input was refused, samples of an earlier one can be left;
     * otherwise sum_add_samples() has added them. */
    if (!small && !lane->t.batch.n)
        translator_free(&lane->t);
    return ok;
}

static bool add_one(struct prof_merger *m, const struct profile *p,
                    struct profile *owned, bool minus, struct prof_err *err)
{
    struct lane *lane = take_lane(m);
    lane->t.minus = minus;
    bool ok = add(m->sum, lane, p, owned, err) &&
              (!m->room || limit_sum(m, lane, m->sum, m->room / 3, err));
    lane->t.minus = false;
    give_lane(m, lane);
    return ok;
}

bool prof_merge_add(struct prof_merger *m, const struct profile *p,
                    struct prof_err *err)
{
    return add_one(m, p, NULL, false, err);
}

bool prof_merge_subtract(struct prof_merger *m, const struct profile *p,
                         struct prof_err *err)
{
    return add_one(m, p, NULL, true, err);
}

/* --- inputs that are decoded ---------------------------------------------- */

/* Frees the memory of a large input, except its strings. */
static void trim_decoded(struct lane *lane)
{
    struct profile *p = &lane->decoded;
    struct strtab strings;
    if (is_small(p))
        return;
    strings = p->strings;
    memset(&p->strings, 0, sizeof p->strings);
    prof_free(p);
    p->strings = strings;
}

static bool decode_once(struct lane *lane, struct prof_slice message,
                        const struct prof_decode_opts *opts,
                        struct prof_err *err)
{
    if (clear_decoded(&lane->decoded, err) &&
        pb_decode_opts(&lane->decoder, message, opts, &lane->decoded, err))
        return true;
    trim_decoded(lane);
    return false;
}

/*
 * Decodes an input.  If memory does not suffice, writes the samples of the sum
 * to disk and decodes again; the message is discarded only after that.
 */
static bool decode(struct prof_merger *m, struct lane *lane,
                   struct prof_slice message,
                   const struct prof_decode_opts *opts, struct prof_err *err)
{
    struct prof_decode_opts how = *opts;
    how.discard &= !m->room;
    bool ok = decode_once(lane, message, &how, err);
    if (m->room && (ok ? !limit_fits(m, lane) : err_is_nomem(err))) {
        if (ok)
            how.notes = NULL;
        ok = limit_sum(m, lane, m->sum, 0, err) &&
             decode_once(lane, message, &how, err);
    }
    if (ok && m->room && opts->discard)
        pages_drop(message.s, message.n);
    return ok;
}

/* Adds the decoded profile to the sum, or to the sum of its types. */
static bool add_decoded(struct prof_merger *m, struct lane *lane,
                        const struct prof_decode_opts *opts,
                        struct prof_err *err)
{
    const char *name = opts->name ? opts->name : "";
    struct translator *t = &lane->t;
    struct sum *s = m->sum;
    size_t at = 0;
    bool wanted = type_sums_want(m, &lane->decoded);
    if (wanted && opts->edit && !opts->edit(opts->ctx, &lane->decoded, err))
        return false;
    bool ok = !wanted || add(s, lane, &lane->decoded, &lane->decoded, err);
    if (!ok && m->opts.apart && (t->types_differ || t->period_differs)) {
        ok = type_sums_add(m, lane, &at, err);
        s = ok ? m->sums.v[at].merger->sum : s;
    }
    if (ok && wanted && m->room)
        ok = limit_sum(m, lane, s, m->room / (at ? TYPE_SUMS : 1) / 3, err);
    return ok &&
           (!wanted || !m->opts.apart || type_sums_name(m, at, name, err));
}

bool prof_merge_decode(struct prof_merger *m, const void *data, size_t n,
                       const struct prof_decode_opts *opts,
                       struct prof_err *err)
{
    static const struct prof_decode_opts defaults;
    struct prof_slice message = {data, n};
    opts = opts ? opts : &defaults;
    if (opts->blocks && m->room) /* see pb_decode_opts() */
        return err_set(err, PROF_ERR_USAGE,
                       "blocks cannot be merged with a memory limit");
    struct lane *lane = take_lane(m);
    if (opts->edit) {
        /* The callback may replace the strings, so forget their ids. */
        prof_free(&lane->decoded);
        lane->strings.n = 0;
    }
    bool ok = pb_unpack(&message, opts, &lane->room, err) &&
              decode(m, lane, message, opts, err) &&
              add_decoded(m, lane, opts, err);
    trim_decoded(lane);
    buf_free(&lane->room);
    give_lane(m, lane);
    return ok;
}

bool prof_merge_take(struct prof_merger *m, struct profile *p,
                     struct prof_err *err)
{
    bool small = is_small(p);
    bool ok = add_one(m, p, p, false, err);
    if (ok && !small)
        prof_free(p);
    return ok;
}
