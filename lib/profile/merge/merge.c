/* merge.c - mergers: adding inputs to a sum, by one thread or several */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"
#include "profile/merge/private.h"

/* --- making and freeing a sum --------------------------------------------- */

static void close_sum(struct sum *s)
{
    map_free(&s->mapping_index);
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
    struct sum *s = mem_new(sizeof *s, err);
    if (!s)
        return NULL;
    s->mode = mode;
    s->first_mapping = PROF_NONE;
    (void)pthread_rwlock_init(&s->entity_lock, NULL);
    (void)pthread_mutex_init(&s->sample_lock, NULL);
    if (prof_init(&s->p, err))
        return s;
    sum_free(s);
    return NULL;
}

void sum_lock(struct sum *s)
{
    (void)pthread_rwlock_wrlock(&s->entity_lock);
    (void)pthread_mutex_lock(&s->sample_lock);
}

void sum_unlock(struct sum *s)
{
    (void)pthread_mutex_unlock(&s->sample_lock);
    (void)pthread_rwlock_unlock(&s->entity_lock);
}

bool sum_break(struct sum *s, const struct prof_err *err)
{
    if (!s->broken)
        s->failure = *err;
    s->broken = true;
    return false;
}

bool sum_failed(const struct sum *s, struct prof_err *err)
{
    *err = s->failure;
    return false;
}

/* --- mergers -------------------------------------------------------------- */

/*
 * A limit of memory applies to the whole process.  What the program itself
 * needs is subtracted; the rest, the room, is divided:
 *
 *   1/3  the sum; if it grows beyond that, its samples go to disk
 *   2/3  inputs while they are read, and the sum while it grows and is finished
 *
 * The sizes of arrays are counted.
 */
enum { PARTS = 3 };

#define PROGRAM_BYTES ((uint64_t)8 << 20)

struct prof_merger *prof_merge_new(const struct prof_merge_opts *opts,
                                   struct prof_err *err)
{
    static const struct prof_merge_opts defaults;
    struct prof_merger *m = mem_new(sizeof *m, err);
    opts = opts ? opts : &defaults;
    unsigned n = opts->threads ? opts->threads : 1;
    if (!m)
        return NULL;
    m->opts = *opts;
    (void)pthread_mutex_init(&m->lock, NULL);
    (void)pthread_cond_init(&m->freed, NULL);
    (void)pthread_mutex_init(&m->sums.lock, NULL);
    m->lanes = mem_zarray(n, sizeof *m->lanes);
    m->n_lanes = m->lanes ? n : 0;
    m->sum = sum_new(opts->types, err);
    if (!m->sum || !m->lanes) {
        err_nomem(err);
        prof_merge_free(m);
        return NULL;
    }
    m->sum->exact = opts->apart;
    m->sums.v[0].merger = m;
    m->sums.n = 1;
    if (m->opts.memory > PROGRAM_BYTES) {
        m->room = m->opts.memory - PROGRAM_BYTES;
        uint64_t used = system_private_bytes();
        m->measured = used && used < m->room;
    }
    return m;
}

/* Frees what is needed only to add inputs. */
static void close_inputs(struct prof_merger *m)
{
    for (unsigned i = 0; i < m->n_lanes; i++)
        lane_free(&m->lanes[i]);
    free(m->lanes);
    m->lanes = NULL;
    m->n_lanes = 0;
    if (m->sum)
        close_sum(m->sum);
}

void prof_merge_free(struct prof_merger *m)
{
    if (!m)
        return;
    type_sums_free(m);
    close_inputs(m);
    if (m->sum)
        sum_free(m->sum);
    (void)pthread_cond_destroy(&m->freed);
    (void)pthread_mutex_destroy(&m->lock);
    free(m);
}

/* --- memory --------------------------------------------------------------- */

/* Sizes in bytes. */
struct sum_size {
    uint64_t samples, entities;
};

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
    return bytes_of(s->ids.cap, sizeof *s->ids.v) + strtab_size(&s->index.keys);
}

/*
 * Returns the size of a profile, without its few types, mappings and comments.
 */
static struct sum_size profile_size(const struct profile *p)
{
    return (struct sum_size){
        .samples = bytes_of(p->cap_frame_off, sizeof *p->frame_off) +
                   bytes_of(p->cap_frames, sizeof *p->frames) +
                   bytes_of(p->cap_shared, sizeof *p->shared) +
                   bytes_of(p->cap_values, sizeof *p->values) +
                   bytes_of(p->cap_labelset, sizeof *p->labelset),
        .entities = strtab_size(&p->strings) +
                    bytes_of(p->cap_functions, sizeof *p->functions) +
                    bytes_of(p->cap_lines, sizeof *p->lines) +
                    bytes_of(p->cap_locations, sizeof *p->locations) +
                    bytes_of(p->cap_labels, sizeof *p->labels) +
                    bytes_of(p->cap_labelset_off, sizeof *p->labelset_off) +
                    index_size(&p->labelset_index),
    };
}

static struct sum_size size_of(const struct sum *s)
{
    struct sum_size size = profile_size(&s->p);
    size.samples += index_size(&s->sample_index) +
                    bytes_of(s->carries.cap, sizeof *s->carries.v);
    size.entities += bytes_of(s->mappings.cap, sizeof *s->mappings.v) +
                     strtab_size(&s->mapping_index.keys) +
                     index_size(&s->function_index) +
                     index_size(&s->location_index) + set_size(&s->comments) +
                     set_size(&s->drop_frames) + set_size(&s->keep_frames);
    return size;
}

/* Returns the bytes of the sum's entities and of the strings of all threads. */
static uint64_t entity_bytes(const struct prof_merger *m,
                             const struct lane *lane, struct sum_size size)
{
    uint64_t own = strtab_size(&lane->decoded.strings) +
                   bytes_of(lane->strings.cap, sizeof *lane->strings.v);
    return size.entities + own * m->most_busy;
}

bool limit_sum(struct prof_merger *m, const struct lane *lane, struct sum *s,
               uint64_t most, struct prof_err *err)
{
    sum_lock(s);
    struct sum_size size = size_of(s);
    uint64_t entities = entity_bytes(m, lane, size);
    bool ok = true;
    if (s->broken)
        ok = sum_failed(s, err);
    else if (size.samples + entities <= most)
        ;
    else if (entities <= m->room / PARTS / 4 * 3)
        ok = size.samples + size.entities <=
                 (most > entities ? most - entities : 0) ||
             sum_spill(s, err);
    else /* suggest a limit that leaves samples a quarter of the sum's part */
        ok = err_options(err,
                         "--memory is too low: the locations, functions and "
                         "strings read so far take %" PRIu64 "M; use more "
                         "than %" PRIu64 "M",
                         (entities >> 20) + 1,
                         (PROGRAM_BYTES + entities / 3 * 4 * PARTS) >> 20);
    if (!ok) {
        err->kind = PROF_ERR_SYSTEM;
        err->about = PROF_ERR_ABOUT_OPTIONS;
        sum_break(s, err);
    }
    sum_unlock(s);
    return ok;
}

bool limit_fits(const struct prof_merger *m, struct lane *lane)
{
    prof_shrink(&lane->decoded);
    struct sum_size one = profile_size(&lane->decoded);
    uint64_t input =
        (one.samples + one.entities - strtab_size(&lane->decoded.strings)) *
        m->most_busy;
    sum_lock(m->sum);
    struct sum_size size = size_of(m->sum);
    sum_unlock(m->sum);
    if (size.samples <= input / 2)
        return true; /* too few samples for the disk to help */
    if (size.samples + entity_bytes(m, lane, size) + 2 * input > m->room / 2)
        return false;
    /* Arrays grow by half, and the index doubles. */
    uint64_t growth = size.samples / 2 + 2 * input;
    return !m->measured || system_private_bytes() + growth <= m->room;
}

/* --- what there is -------------------------------------------------------- */

struct prof_merge_state prof_merge_state(const struct prof_merger *m)
{
    struct sum *s = m->sum;
    sum_lock(s);
    struct sum_size size = size_of(s);
    /*
     * Settled: which later inputs are refused does not depend on their order.
     */
    const struct prof_value_type *period = &s->p.period_type;
    bool settled =
        s->n_inputs && (s->mode == PROF_TYPES_UNION ||
                        (s->mode == PROF_TYPES_SAME &&
                         (s->exact || period->type || period->unit)));
    struct prof_merge_state state = {
        .inputs = s->n_inputs,
        .skipped = m->sums.n_skipped,
        .estimated = s->n_estimated,
        .memory = size.samples + size.entities,
        .disk = s->spill.most,
        .settled = settled,
        .broken = s->broken,
    };
    sum_unlock(s);
    return state;
}

bool prof_merge_spill(struct prof_merger *m, uint64_t most,
                      struct prof_err *err)
{
    struct sum *s = m->sum;
    sum_lock(s);
    struct sum_size size = size_of(s);
    bool ok = size.samples + size.entities <= most || sum_spill(s, err) ||
              sum_break(s, err);
    sum_unlock(s);
    return ok;
}

/* --- results -------------------------------------------------------------- */

static bool finish(struct prof_merger *m, struct canon *c, struct profile *out,
                   struct prof_layout *layout, struct prof_err *err)
{
    *out = (struct profile){0};
    if (layout)
        *layout = (struct prof_layout){0};
    for (unsigned i = 0; !m->sum->broken && i < m->n_lanes; i++)
        if (!sum_add_batch(&m->lanes[i].t, err))
            return false;
    if (!type_sums_choose(m, err))
        return false;
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
    struct profile sum;
    struct canon c = {.threads = opts ? opts->threads : 1,
                      .unsorted = opts && opts->keep_order};
    bool to_write = opts && opts->to_write;
    bool ok = finish(m, &c, &sum, to_write ? &sum.layout : NULL, err);
    ok = ok && (to_write || prof_unshare(&sum, err));
    return prof_box(&sum, ok, err);
}

static bool finish_one(struct profile *p, struct canon *c, struct profile *out,
                       struct prof_layout *layout, struct prof_err *err)
{
    memset(out, 0, sizeof *out);
    if (layout)
        *layout = (struct prof_layout){0};
    struct prof_merger *m = prof_merge_new(NULL, err);
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

bool prof_merge_one(struct profile *p, const struct prof_result_opts *opts,
                    struct prof_err *err)
{
    struct profile out;
    struct canon c = {.threads = opts ? opts->threads : 1,
                      .in_place = opts && opts->keep_order};
    bool to_write = opts && opts->to_write;
    bool ok = finish_one(p, &c, &out, to_write ? &out.layout : NULL, err);
    prof_free(p);
    *p = out;
    return ok && (to_write || prof_unshare(p, err));
}
