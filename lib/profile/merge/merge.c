/* merge.c - mergers: adding inputs to a sum, by one thread or several */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "profile/merge/private.h"

/* --- making and freeing a sum --------------------------------------------- */

static void close_sum(struct sum *s)
{
    hashidx_free(&s->mapping_index);
    hashidx_free(&s->function_index);
    hashidx_free(&s->location_index);
    hashidx_free(&s->sample_index);
}

static void sum_free(struct sum *s)
{
    close_sum(s);
    prof_free(&s->p);
    vec_free(&s->mappings);
    vec_free(&s->carries);
    free(s->type_order);
    free(s->type_dropped);
    str_set_free(&s->comments);
    str_set_free(&s->drop_frames);
    str_set_free(&s->keep_frames);
    spill_free(&s->spill);
    (void)pthread_rwlock_destroy(&s->entity_lock);
    (void)pthread_mutex_destroy(&s->sample_lock);
    free(s);
}

static struct sum *sum_new(enum prof_merge_types mode, struct prof_err *err)
{
    struct sum *s = calloc(1, sizeof *s);
    if (!s) {
        err_nomem(err);
        return NULL;
    }
    s->mode = mode;
    s->first_mapping = PROF_NONE;
    (void)pthread_rwlock_init(&s->entity_lock, NULL);
    (void)pthread_mutex_init(&s->sample_lock, NULL);
    if (prof_init(&s->p, err))
        return s;
    sum_free(s);
    return NULL;
}

static void sum_lock(struct sum *s)
{
    (void)pthread_rwlock_wrlock(&s->entity_lock);
    (void)pthread_mutex_lock(&s->sample_lock);
}

static void sum_unlock(struct sum *s)
{
    (void)pthread_mutex_unlock(&s->sample_lock);
    (void)pthread_rwlock_unlock(&s->entity_lock);
}

/* --- mergers -------------------------------------------------------------- */

struct prof_merger *prof_merge_new(enum prof_merge_types types,
                                   struct prof_err *err)
{
    struct prof_merger *m = calloc(1, sizeof *m);
    if (m && (m->sum = sum_new(types, err))) {
        m->is_alone = true;
        return m;
    }
    free(m);
    err_nomem(err);
    return NULL;
}

/* Frees what only adding needs. */
static void close_inputs(struct prof_merger *m)
{
    prof_free(&m->decoded);
    translator_free(&m->t);
    vec_free(&m->strings);
    close_sum(m->sum);
}

void prof_merge_free(struct prof_merger *m)
{
    if (!m)
        return;
    close_inputs(m);
    sum_free(m->sum);
    free(m);
}

/* --- one input ------------------------------------------------------------ */

/* Room for k elements of one of the arrays in all. */
#define ROOM(array, k) vec_reserve((array), (k) - (array)->n)

/* Nothing of the input is known yet. */
static bool begin_input(struct prof_merger *m, const struct profile *p,
                        struct prof_err *err)
{
    struct translator *t = &m->t;
    size_t n_use = MERGE_SIDES * p->n_mappings;
    t->sum = m->sum;
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

/* The sum's ids of the input's strings. */
static bool add_strings(struct prof_merger *m, struct prof_err *err)
{
    struct translator *t = &m->t;
    const struct strtab *from = &t->p->strings;
    bool decoded = t->p == &m->decoded;
    t->string = NULL;
    if (decoded && m->is_alone)
        return true;
    size_t n = 0;
    if (decoded) {
        if (!ROOM(&m->strings, from->n))
            return err_nomem(err);
        t->string = m->strings.v;
        return translate_strings(t->sum, from, m->strings.v, &m->strings.n,
                                 err);
    }
    if (!ROOM(&t->strings, from->n))
        return err_nomem(err);
    t->string = t->strings.v;
    return translate_strings(t->sum, from, t->strings.v, &n, err);
}

/* Room in an empty sum for as much as its first input has. */
static bool reserve_first(const struct translator *t, struct prof_err *err)
{
    struct sum *s = t->sum;
    struct prof_counts counts = prof_count(t->p);
    if (t->owned) /* they are taken over */
        counts.samples = counts.frames = 0;
    counts.mappings = 0;
    return prof_reserve(&s->p, &counts, err) &&
           ((hashidx_reserve(&s->function_index, counts.functions) &&
             hashidx_reserve(&s->location_index, counts.locations)) ||
            err_nomem(err));
}

/*
 * Strings, types, header fields and mappings.  What is refused for its types
 * leaves no trace.
 */
static bool add_header(struct prof_merger *m, struct prof_err *err)
{
    struct sum *s = m->sum;
    struct translator *t = &m->t;
    if (s->broken)
        return err_nomem(err);
    if (!add_strings(m, err) || !sum_add_types(t, err)) {
        s->broken = err->kind != PROF_ERR_INPUT;
        return false;
    }
    bool ok = (s->has_header || reserve_first(t, err)) &&
              sum_add_header(t, err) && translate_mappings(t, err);
    s->has_header = true;
    s->broken = !ok;
    return ok;
}

static bool add_profile(struct prof_merger *m, const struct profile *p,
                        struct prof_err *err)
{
    struct sum *s = m->sum;
    struct translator *t = &m->t;
    if (!begin_input(m, p, err))
        return false;
    sum_lock(s);
    bool ok = add_header(m, err);
    sum_unlock(s);
    if (!ok)
        return false;
    ok = translate_entities(t, err) && sum_add_samples(t, err);
    sum_lock(s);
    if (ok)
        translate_used_mappings(t);
    s->n_inputs += ok;
    s->broken = s->broken || !ok;
    sum_unlock(s);
    return ok;
}

/* Memory that an input of this size has needed is worth keeping. */
static bool is_small(const struct profile *p)
{
    enum { MANY = 1 << 20 };
    return p->cap_frames < MANY && p->cap_locations < MANY / 8 &&
           p->cap_functions < MANY / 8 && p->n_labelset_slots < MANY / 8;
}

static bool add(struct prof_merger *m, const struct profile *p,
                struct profile *owned, struct prof_err *err)
{
    bool small = is_small(p);
    m->t.owned = owned;
    bool ok = add_profile(m, p, err);
    if (!small)
        translator_free(&m->t);
    return ok;
}

bool prof_merge_add(struct prof_merger *m, const struct profile *p,
                    struct prof_err *err)
{
    return add(m, p, NULL, err);
}

bool prof_merge_subtract(struct prof_merger *m, const struct profile *p,
                         struct prof_err *err)
{
    m->t.minus = true;
    bool ok = add(m, p, NULL, err);
    m->t.minus = false;
    return ok;
}

bool prof_merge_take(struct prof_merger *m, struct profile *p,
                     struct prof_err *err)
{
    if (m->is_alone && !m->sum->has_header && m->sum->p.strings.n == 1) {
        prof_free(&m->decoded);
        strtab_free(&m->sum->p.strings); /* "", which both have */
        m->decoded = *p;
        memset(p, 0, sizeof *p);
        return prof_merge_add_input(m, err);
    }
    return add(m, p, p, err);
}

/* --- memory --------------------------------------------------------------- */

static uint64_t bytes_of(size_t n, size_t size)
{
    return (uint64_t)n * size;
}

static uint64_t index_size(const struct hashidx *h)
{
    return bytes_of(h->n_slots, sizeof *h->slot);
}

static uint64_t set_size(const struct str_set *s)
{
    return bytes_of(s->ids.cap, sizeof *s->ids.v) + index_size(&s->index);
}

/* All but the few types, mappings and comments. */
static struct prof_merge_size profile_size(const struct profile *p)
{
    return (struct prof_merge_size){
        .samples = bytes_of(p->cap_frame_off, sizeof *p->frame_off) +
                   bytes_of(p->cap_frames, sizeof *p->frames) +
                   bytes_of(p->cap_values, sizeof *p->values) +
                   bytes_of(p->cap_labelset, sizeof *p->labelset),
        .entities = strtab_size(&p->strings) +
                    bytes_of(p->cap_functions, sizeof *p->functions) +
                    bytes_of(p->cap_lines, sizeof *p->lines) +
                    bytes_of(p->cap_locations, sizeof *p->locations) +
                    bytes_of(p->cap_labels, sizeof *p->labels) +
                    bytes_of(p->cap_labelset_off, sizeof *p->labelset_off) +
                    bytes_of(p->n_labelset_slots, sizeof *p->labelset_slot),
    };
}

static struct prof_merge_size sum_size(const struct sum *s)
{
    struct prof_merge_size size = profile_size(&s->p);
    size.samples += index_size(&s->sample_index) +
                    bytes_of(s->carries.cap, sizeof *s->carries.v);
    size.entities += bytes_of(s->mappings.cap, sizeof *s->mappings.v) +
                     index_size(&s->mapping_index) +
                     index_size(&s->function_index) +
                     index_size(&s->location_index) + set_size(&s->comments) +
                     set_size(&s->drop_frames) + set_size(&s->keep_frames);
    return size;
}

/* --- inputs that are decoded ---------------------------------------------- */

static void move_strings(struct strtab *to, struct strtab *from)
{
    *to = *from;
    memset(from, 0, sizeof *from);
}

/* The sum's strings, if this merger has them to itself, to `decoded`. */
static void borrow_strings(struct prof_merger *m)
{
    if (!m->is_alone)
        return;
    strtab_free(&m->decoded.strings);
    move_strings(&m->decoded.strings, &m->sum->p.strings);
}

static void return_strings(struct prof_merger *m)
{
    if (m->is_alone)
        move_strings(&m->sum->p.strings, &m->decoded.strings);
}

/* Frees a large input's memory; strings that are its own stay. */
static void trim_decoded(struct prof_merger *m)
{
    struct profile *p = &m->decoded;
    if (is_small(p))
        return;
    struct strtab strings;
    move_strings(&strings, &p->strings);
    prof_free(p);
    p->strings = strings;
}

struct profile *prof_merge_input(struct prof_merger *m, struct prof_err *err)
{
    struct profile *p = &m->decoded;
    if (p->frame_off) {
        prof_clear(p);
    } else {
        /* The sum may have taken over the samples, and nothing else. */
        struct strtab strings;
        move_strings(&strings, &p->strings);
        prof_free(p);
        bool ok = prof_init(p, err);
        if (strings.n) {
            strtab_free(&p->strings);
            p->strings = strings;
        }
        if (!ok) {
            prof_free(p);
            m->strings.n = 0;
            return NULL;
        }
    }
    borrow_strings(m);
    return p;
}

void prof_merge_drop_input(struct prof_merger *m)
{
    return_strings(m);
    trim_decoded(m);
}

bool prof_merge_add_input(struct prof_merger *m, struct prof_err *err)
{
    return_strings(m);
    bool ok = add(m, &m->decoded, &m->decoded, err);
    if (!prof_merge_types_differ(m))
        trim_decoded(m);
    return ok;
}

const struct profile *prof_merge_refused(struct prof_merger *m)
{
    if (!prof_merge_types_differ(m))
        return NULL;
    borrow_strings(m);
    return &m->decoded;
}

uint64_t prof_merge_fit_input(struct prof_merger *m)
{
    prof_fit(&m->decoded);
    struct prof_merge_size size = profile_size(&m->decoded);
    return size.samples + size.entities - strtab_size(&m->decoded.strings);
}

/* --- threads -------------------------------------------------------------- */

struct team {
    const struct prof_merge_work *work;
    struct prof_merger *of; /* by thread */
    atomic_bool stopped;
};

static void add_one(void *ctx, unsigned thread, size_t i)
{
    struct team *team = ctx;
    const struct prof_merge_work *work = team->work;
    if (!team->stopped && !work->fn(work->arg, thread, &team->of[thread], i))
        team->stopped = true;
}

bool prof_merge_parallel(struct prof_merger *m,
                         const struct prof_merge_work *work,
                         struct prof_err *err)
{
    struct team team = {.work = work};
    unsigned threads = work->threads;
    if (threads < 2) {
        size_t i = 0;
        while (i < work->n && work->fn(work->arg, 0, m, i))
            i++;
        return i == work->n;
    }
    team.of = mem_zarray(threads, sizeof *team.of);
    if (!team.of)
        return err_nomem(err);
    for (unsigned i = 0; i < threads; i++)
        team.of[i].sum = m->sum;
    parallel_run(threads, work->n, add_one, &team);
    for (unsigned i = 0; i < threads; i++) {
        prof_free(&team.of[i].decoded);
        translator_free(&team.of[i].t);
        vec_free(&team.of[i].strings);
    }
    free(team.of);
    return !team.stopped;
}

/* --- what there is -------------------------------------------------------- */

bool prof_merge_types_differ(const struct prof_merger *m)
{
    return m->t.types_differ || m->t.period_differs;
}

bool prof_merge_period_differs(const struct prof_merger *m)
{
    return m->t.period_differs;
}

void prof_merge_set_exact(struct prof_merger *m, bool on)
{
    m->sum->exact = on;
}

struct prof_shown prof_merge_show_period(const struct prof_merger *m)
{
    const struct profile *p = &m->sum->p;
    const struct prof_value_type *vt = &p->period_type;
    if (!vt->type && !vt->unit)
        return (struct prof_shown){""};
    return prof_show_type(p, *vt);
}

void prof_merge_describe(struct prof_merger *m, char *text, size_t n)
{
    m->t.sum = m->sum;
    sum_describe(&m->t, false, text, n);
}

size_t prof_merge_inputs(const struct prof_merger *m)
{
    return m->sum->n_inputs;
}

size_t prof_merge_estimated(const struct prof_merger *m)
{
    return m->sum->n_estimated;
}

bool prof_merge_is_settled(const struct prof_merger *m)
{
    const struct sum *s = m->sum;
    const struct prof_value_type *period = &s->p.period_type;
    return s->n_inputs && (s->mode == PROF_TYPES_UNION ||
                           (s->mode == PROF_TYPES_SAME &&
                            (s->exact || period->type || period->unit)));
}

struct prof_merge_size prof_merge_size(const struct prof_merger *m)
{
    sum_lock(m->sum);
    struct prof_merge_size size = sum_size(m->sum);
    sum_unlock(m->sum);
    size.own = strtab_size(&m->decoded.strings) +
               m->strings.cap * sizeof *m->strings.v;
    return size;
}

bool prof_merge_spill(struct prof_merger *m, uint64_t most,
                      struct prof_err *err)
{
    struct sum *s = m->sum;
    sum_lock(s);
    struct prof_merge_size size = sum_size(s);
    bool ok = size.samples + size.entities <= most || sum_spill(s, err);
    s->broken = s->broken || !ok;
    sum_unlock(s);
    return ok;
}

uint64_t prof_merge_spilled(const struct prof_merger *m)
{
    return m->sum->spill.most;
}

/* --- results -------------------------------------------------------------- */

static bool finish(struct prof_merger *m, struct canon *c, struct profile *out,
                   struct prof_layout *layout, struct prof_err *err)
{
    close_inputs(m);
    c->s = m->sum;
    return canon_finish(c, out, layout, err);
}

bool prof_merge_finish(struct prof_merger *m, unsigned threads,
                       struct profile *out, struct prof_layout *layout,
                       struct prof_err *err)
{
    struct canon c = {.threads = threads};
    return finish(m, &c, out, layout, err);
}

struct profile *prof_merge_result(struct prof_merger *m,
                                  const struct prof_result_opts *opts,
                                  struct prof_err *err)
{
    struct profile sum = {0};
    struct prof_layout layout = {0};
    bool to_write = opts && opts->to_write;
    bool ok = prof_merge_finish(m, opts ? opts->threads : 1, &sum,
                                to_write ? &layout : NULL, err);
    sum.layout = layout;
    return prof_box(&sum, ok, err);
}

static bool finish_one(struct profile *p, struct canon *c, struct profile *out,
                       struct prof_layout *layout, struct prof_err *err)
{
    memset(out, 0, sizeof *out);
    if (layout)
        *layout = (struct prof_layout){0};
    struct prof_merger *m = prof_merge_new(PROF_TYPES_SAME, err);
    bool ok = m && prof_merge_take(m, p, err) && finish(m, c, out, layout, err);
    prof_merge_free(m);
    return ok;
}

bool prof_canonical(struct profile *p, unsigned threads, struct profile *out,
                    struct prof_layout *layout, struct prof_err *err)
{
    struct canon c = {.threads = threads};
    return finish_one(p, &c, out, layout, err);
}

bool prof_compact(struct profile *p, unsigned threads, struct profile *out,
                  struct prof_layout *layout, struct prof_err *err)
{
    struct canon c = {.threads = threads, .in_place = true};
    return finish_one(p, &c, out, layout, err);
}

struct profile *prof_merge_one(struct profile *p,
                               const struct prof_result_opts *opts,
                               struct prof_err *err)
{
    struct profile out;
    struct prof_layout layout = {0};
    struct canon c = {.threads = opts ? opts->threads : 1,
                      .in_place = opts && opts->keep_order};
    bool to_write = opts && opts->to_write;
    bool ok = finish_one(p, &c, &out, to_write ? &layout : NULL, err);
    prof_delete(p);
    out.layout = layout;
    return prof_box(&out, ok, err);
}
