/*
 * Mappings of a sum.
 *
 * All mappings of an input get a place in the sum, for its locations to refer
 * to, but what the input says of them counts only where a sample uses them,
 * or of the first: see struct merge_mapping.
 */
#include <string.h>

#include "base/hash.h"
#include "profile/merge/merger.h"

enum { PAGE = 4096 };

/* Identity: see merge.h. */
static struct merge_mapping key_of(const struct merge_input *in,
                                   const struct prof_mapping *from)
{
    uint64_t size = from->limit - from->start;
    struct merge_mapping key;
    memset(&key, 0, sizeof key);
    key.has_build = from->build_id != 0;
    key.name =
        merge_string(in, from->build_id ? from->build_id : from->filename);
    key.offset = from->offset;
    key.pages = size / PAGE + (size % PAGE != 0);
    if (!key.name)
        key.fixed = from->start;
    return key;
}

static bool same_mapping(const struct merge_mapping *a,
                         const struct merge_mapping *b)
{
    return a->name == b->name && a->has_build == b->has_build &&
           a->offset == b->offset && a->pages == b->pages &&
           a->fixed == b->fixed;
}

static bool find_mapping(struct merger *m, const struct merge_mapping *key,
                         uint32_t *index, struct err *err)
{
    uint64_t name = (uint64_t)key->name << 1 | key->has_build;
    uint64_t seed = prof_seed(&m->sum);
    uint32_t hash = mix_fold(mix_pair(seed, mix_pair(seed, name, key->offset),
                                      mix_pair(seed, key->pages, key->fixed)));
    if (!hashidx_room(&m->mapping_index))
        return err_nomem(err);
    size_t at = hashidx_start(&m->mapping_index, hash);
    while ((*index = hashidx_next(&m->mapping_index, hash, &at)) !=
           HASHIDX_NONE)
        if (same_mapping(&m->mappings.v[*index], key))
            return true;
    if (m->mappings.n > UINT32_MAX / MERGE_SIDES - 1)
        return err_set(err, ERR_INPUT, "too many mappings");
    if (!vec_push(&m->mappings, *key))
        return err_nomem(err);
    *index = (uint32_t)m->mappings.n - 1;
    hashidx_put(&m->mapping_index, at, hash, *index);
    return true;
}

static void see_start(struct merge_seen *to, const struct merge_seen *from,
                      enum merge_side k)
{
    if (from->has_start[k] &&
        (!to->has_start[k] ||
         (k == MERGE_ABOVE ? from->start[k] < to->start[k]
                           : from->start[k] > to->start[k])))
        to->start[k] = from->start[k];
    to->has_start[k] = to->has_start[k] || from->has_start[k];
}

/* Adds what an input says of a mapping to what is known. */
static void see(const struct merger *m, struct merge_seen *to,
                const struct merge_seen *from)
{
    if (!from->any)
        return;
    if (!to->any) {
        *to = *from;
        return;
    }
    for (int k = 0; k < MERGE_SIDES; k++)
        see_start(to, from, k);
    if (from->size > to->size)
        to->size = from->size;
    to->filename = merge_least(m, to->filename, from->filename);
    to->build_id = merge_least(m, to->build_id, from->build_id);
    to->has_functions = to->has_functions && from->has_functions;
    to->has_filenames = to->has_filenames && from->has_filenames;
    to->has_line_numbers = to->has_line_numbers && from->has_line_numbers;
    to->has_inline_frames = to->has_inline_frames && from->has_inline_frames;
}

/* What the input says of a side of its mapping, in the sum's strings. */
static struct merge_seen seen_of(const struct merge_input *in,
                                 const struct prof_mapping *from,
                                 enum merge_side side)
{
    struct merge_seen seen = {
        .any = true,
        .size = from->limit - from->start,
        .filename = merge_string(in, from->filename),
        .build_id = merge_string(in, from->build_id),
        .has_functions = from->has_functions,
        .has_filenames = from->has_filenames,
        .has_line_numbers = from->has_line_numbers,
        .has_inline_frames = from->has_inline_frames,
    };
    seen.has_start[side] = true;
    seen.start[side] = from->start;
    return seen;
}

/* The same of another merger's mapping. */
static struct merge_seen seen_again(const struct merge_input *in,
                                    const struct merge_seen *from)
{
    struct merge_seen seen = *from;
    seen.filename = merge_string(in, from->filename);
    seen.build_id = merge_string(in, from->build_id);
    return seen;
}

/* The sum's mapping for another merger's, with all that is known of it. */
static bool join_mapping(struct merger *m, struct merge_input *in,
                         const struct merge_mapping *from, uint32_t *index,
                         struct err *err)
{
    struct merge_mapping key = *from;
    struct merge_seen used = seen_again(in, &from->used);
    struct merge_seen first = seen_again(in, &from->first);
    memset(&key.used, 0, sizeof key.used);
    memset(&key.first, 0, sizeof key.first);
    key.name = merge_string(in, from->name);
    if (!find_mapping(m, &key, index, err))
        return false;
    see(m, &m->mappings.v[*index].used, &used);
    see(m, &m->mappings.v[*index].first, &first);
    return true;
}

bool merge_mappings(struct merger *m, struct merge_input *in, struct err *err)
{
    size_t n = in->from ? in->from->mappings.n : in->p->n_mappings;
    for (size_t i; (i = in->mappings.n) < n; in->mappings.n++) {
        uint32_t *to = &in->mappings.v[i];
        if (in->from) {
            if (!join_mapping(m, in, &in->from->mappings.v[i], to, err))
                return false;
        } else {
            struct merge_mapping key = key_of(in, &in->p->mappings[i]);
            if (!find_mapping(m, &key, to, err))
                return false;
        }
    }
    return true;
}

int merge_mapping_cmp(const struct merger *m, uint32_t a, uint32_t b)
{
    const struct merge_mapping *x = &m->mappings.v[a], *y = &m->mappings.v[b];
    int c = strtab_cmp(&m->sum.strings, x->name, y->name);
    if (c)
        return c;
    if (x->has_build != y->has_build)
        return x->has_build ? 1 : -1;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    if (x->pages != y->pages)
        return x->pages < y->pages ? -1 : 1;
    return (x->fixed > y->fixed) - (x->fixed < y->fixed);
}

void merge_first_mapping(struct merger *m, const struct merge_input *in)
{
    uint32_t index;
    if (in->from) {
        if (in->from->first == PROF_NONE)
            return;
        index = in->mappings.v[in->from->first];
    } else {
        if (!in->p->n_mappings)
            return;
        index = in->mappings.v[0];
        struct merge_seen seen = seen_of(in, &in->p->mappings[0], MERGE_ABOVE);
        see(m, &m->mappings.v[index].first, &seen);
    }
    if (m->first == PROF_NONE || merge_mapping_cmp(m, index, m->first) < 0)
        m->first = index;
}

void merge_note_use(struct merge_input *in, const uint32_t *stack, size_t depth)
{
    for (size_t i = 0; i < depth; i++) {
        const struct prof_location *l = &in->p->locations[stack[i]];
        if (l->mapping == PROF_NONE)
            continue;
        uint8_t *use = &in->use.v[merge_ref_of(in->p, l)];
        if (*use != MERGE_NOT_USED)
            continue;
        *use = MERGE_USED;
        in->n_not_used--;
    }
}

void merge_used_mappings(struct merger *m, const struct merge_input *in)
{
    size_t n = in->from ? 0 : MERGE_SIDES * in->p->n_mappings;
    for (size_t i = 0; i < n; i++) {
        size_t k = merge_ref_mapping(i);
        if (in->use.v[i] != MERGE_USED)
            continue;
        struct merge_seen seen =
            seen_of(in, &in->p->mappings[k], merge_ref_side(i));
        see(m, &m->mappings.v[in->mappings.v[k]].used, &seen);
    }
}
