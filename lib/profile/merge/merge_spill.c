/* What a merger takes of memory, and putting its samples on disk. */
#include <stdlib.h>
#include <string.h>

#include "profile/merge/merger.h"

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

static uint64_t samples_size(const struct profile *p)
{
    return bytes_of(p->cap_frame_off, sizeof *p->frame_off) +
           bytes_of(p->cap_frames, sizeof *p->frames) +
           bytes_of(p->cap_values, sizeof *p->values) +
           bytes_of(p->cap_labelset, sizeof *p->labelset);
}

/* The rest of a profile, but for the few types, mappings and comments. */
static uint64_t entities_size(const struct profile *p)
{
    return strtab_size(&p->strings) +
           bytes_of(p->cap_functions, sizeof *p->functions) +
           bytes_of(p->cap_lines, sizeof *p->lines) +
           bytes_of(p->cap_locations, sizeof *p->locations) +
           bytes_of(p->cap_labels, sizeof *p->labels) +
           bytes_of(p->cap_labelset_off, sizeof *p->labelset_off) +
           bytes_of(p->n_labelset_slots, sizeof *p->labelset_slot);
}

struct merge_size merge_size(const struct merger *m)
{
    return (struct merge_size){
        .samples = samples_size(&m->sum) + index_size(&m->sample_index) +
                   bytes_of(m->carries.cap, sizeof *m->carries.v),
        .entities = entities_size(&m->sum) +
                    bytes_of(m->mappings.cap, sizeof *m->mappings.v) +
                    index_size(&m->mapping_index) +
                    index_size(&m->function_index) +
                    index_size(&m->location_index) + set_size(&m->comments) +
                    set_size(&m->drop) + set_size(&m->keep),
    };
}

uint64_t merge_fit_lent(struct merger *m)
{
    prof_fit(&m->lent);
    return samples_size(&m->lent) + entities_size(&m->lent) -
           strtab_size(&m->lent.strings);
}

uint64_t merge_spilled(const struct merger *m)
{
    return m->spill.most;
}

/* n samples more like this one, each with 2^62 or -2^62 of the type. */
static bool add_like(struct profile *p, uint32_t sample, uint32_t type,
                     uint64_t n, bool down, struct err *err)
{
    size_t depth = prof_depth(p, sample);
    if (n > PROF_NONE || n * depth > SIZE_MAX - p->n_frames)
        return err_nomem(err);
    struct prof_counts counts = {.samples = p->n_samples + (size_t)n,
                                 .frames = p->n_frames + (size_t)n * depth};
    if (!prof_reserve(p, &counts, err)) /* stacks stay where they are then */
        return false;
    for (; n; n--) {
        if (!prof_push_sample(p, prof_stack(p, sample), depth,
                              p->labelset[sample], err))
            return false;
        p->values[(p->n_samples - 1) * p->n_types + type] =
            down ? -(INT64_C(1) << 62) : INT64_C(1) << 62;
    }
    return true;
}

/*
 * A carry becomes samples: it stands for 2^64, which is four times what a
 * sample can have.  Most carries take back others.
 */
static bool write_carries(struct merger *m, struct err *err)
{
    const struct merge_carry *v = m->carries.v;
    merge_net_carries(m);
    for (size_t i = 0; i < m->carries.n; i++) {
        int64_t times = v[i].times;
        uint64_t by = times < 0 ? -(uint64_t)times : (uint64_t)times;
        if (!add_like(&m->sum, v[i].sample, v[i].type, 4 * by, times < 0, err))
            return false;
    }
    m->carries.n = 0;
    return true;
}

bool merge_spill(struct merger *m, struct err *err)
{
    struct profile *sum = &m->sum;
    if (!sum->n_samples)
        return true;
    if (!write_carries(m, err) || !spill_write(&m->spill, sum, err))
        return false;
    prof_free_samples(sum);
    m->asked = (struct merge_asked){0};
    hashidx_free(&m->sample_index);
    m->is_unindexed = false;
    return prof_reserve(sum, &(struct prof_counts){0}, err) &&
           (sum->frame_off[0] = 0, true);
}
