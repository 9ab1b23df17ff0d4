/* Strings, mappings, functions and label sets of a sum. */
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "profile/merger.h"

enum { PAGE = 4096 };

bool merge_string(struct merger *m, struct merge_input *in, uint32_t id,
                  uint32_t *to, struct err *err)
{
    uint32_t *slot = &in->strings[id];
    if (*slot == PROF_NONE &&
        !strtab_add_hashed(&m->sum.strings, prof_cstr(in->p, id),
                           strtab_len(&in->p->strings, id),
                           strtab_hash(&in->p->strings, id), slot))
        return err_nomem(err);
    *to = *slot;
    return true;
}

static uint32_t hash32(const void *bytes, size_t n, uint64_t seed)
{
    uint64_t h = XXH3_64bits_withSeed(bytes, n, seed);
    return (uint32_t)(h ^ h >> 32);
}

/* Identity: see merge.h. */
static bool mapping_key(struct merger *m, struct merge_input *in,
                        const struct prof_mapping *from,
                        struct merge_mapping *key, struct err *err)
{
    uint64_t size = from->limit - from->start;
    memset(key, 0, sizeof *key);
    key->has_build = from->build_id != 0;
    if (!merge_string(m, in, from->build_id ? from->build_id : from->filename,
                      &key->name, err))
        return false;
    key->offset = from->offset;
    key->pages = size / PAGE + (size % PAGE != 0);
    if (!key->name)
        key->fixed = from->start;
    return true;
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
    uint64_t words[4] = {(uint64_t)key->name << 1 | key->has_build, key->offset,
                         key->pages, key->fixed};
    uint32_t hash = hash32(words, sizeof words, 0);
    if (!hashidx_room(&m->mapping_index))
        return err_nomem(err);
    size_t at = hashidx_start(&m->mapping_index, hash);
    while ((*index = hashidx_next(&m->mapping_index, hash, &at)) !=
           HASHIDX_NONE)
        if (same_mapping(&m->mappings.v[*index], key))
            return true;
    if (!vec_push(&m->mappings, *key))
        return err_nomem(err);
    *index = (uint32_t)m->mappings.n - 1;
    hashidx_put(&m->mapping_index, at, hash, *index);
    return true;
}

/* Adds what one side says of a mapping to what is known. */
static void see(const struct merger *m, struct merge_seen *to,
                const struct merge_seen *from)
{
    if (!from->any)
        return;
    if (!to->any) {
        *to = *from;
        return;
    }
    if (from->start < to->start)
        to->start = from->start;
    if (from->size > to->size)
        to->size = from->size;
    to->filename = merge_least(m, to->filename, from->filename);
    to->build_id = merge_least(m, to->build_id, from->build_id);
    to->has_functions = to->has_functions && from->has_functions;
    to->has_filenames = to->has_filenames && from->has_filenames;
    to->has_line_numbers = to->has_line_numbers && from->has_line_numbers;
    to->has_inline_frames = to->has_inline_frames && from->has_inline_frames;
}

/* What the input says of its mapping, in the sum's strings. */
static bool seen_of(struct merger *m, struct merge_input *in,
                    const struct prof_mapping *from, struct merge_seen *seen,
                    struct err *err)
{
    *seen = (struct merge_seen){
        .any = true,
        .start = from->start,
        .size = from->limit - from->start,
        .has_functions = from->has_functions,
        .has_filenames = from->has_filenames,
        .has_line_numbers = from->has_line_numbers,
        .has_inline_frames = from->has_inline_frames,
    };
    return merge_string(m, in, from->filename, &seen->filename, err) &&
           merge_string(m, in, from->build_id, &seen->build_id, err);
}

/* The same of another merger's mapping. */
static bool seen_again(struct merger *m, struct merge_input *in,
                       const struct merge_seen *from, struct merge_seen *seen,
                       struct err *err)
{
    *seen = *from;
    return merge_string(m, in, from->filename, &seen->filename, err) &&
           merge_string(m, in, from->build_id, &seen->build_id, err);
}

/* The sum's mapping for another merger's, with all that is known of it. */
static bool join_mapping(struct merger *m, struct merge_input *in, uint32_t i,
                         uint32_t *index, struct err *err)
{
    const struct merge_mapping *from = &in->from->mappings.v[i];
    struct merge_mapping key = *from;
    struct merge_seen used, first;
    memset(&key.used, 0, sizeof key.used);
    memset(&key.first, 0, sizeof key.first);
    if (!merge_string(m, in, from->name, &key.name, err) ||
        !find_mapping(m, &key, index, err) ||
        !seen_again(m, in, &from->used, &used, err) ||
        !seen_again(m, in, &from->first, &first, err))
        return false;
    see(m, &m->mappings.v[*index].used, &used);
    see(m, &m->mappings.v[*index].first, &first);
    return true;
}

/* The sum's mapping for one that a sample of the input uses. */
bool merge_use_mapping(struct merger *m, struct merge_input *in, uint32_t i,
                       uint32_t *index, struct err *err)
{
    *index = PROF_NONE;
    if (i == PROF_NONE)
        return true;
    uint32_t *slot = &in->mappings[i];
    if (*slot == PROF_NONE) {
        if (in->from) {
            if (!join_mapping(m, in, i, slot, err))
                return false;
        } else {
            struct merge_mapping key;
            struct merge_seen seen;
            const struct prof_mapping *from = &in->p->mappings[i];
            if (!mapping_key(m, in, from, &key, err) ||
                !find_mapping(m, &key, slot, err) ||
                !seen_of(m, in, from, &seen, err))
                return false;
            see(m, &m->mappings.v[*slot].used, &seen);
        }
    }
    *index = *slot;
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

bool merge_first_mapping(struct merger *m, struct merge_input *in,
                         struct err *err)
{
    uint32_t index;
    if (in->from) {
        if (in->from->first == PROF_NONE)
            return true;
        if (!merge_use_mapping(m, in, in->from->first, &index, err))
            return false;
    } else {
        struct merge_mapping key;
        struct merge_seen seen;
        if (!in->p->n_mappings)
            return true;
        if (!mapping_key(m, in, &in->p->mappings[0], &key, err) ||
            !find_mapping(m, &key, &index, err) ||
            !seen_of(m, in, &in->p->mappings[0], &seen, err))
            return false;
        see(m, &m->mappings.v[index].first, &seen);
    }
    if (m->first == PROF_NONE || merge_mapping_cmp(m, index, m->first) < 0)
        m->first = index;
    return true;
}

bool merge_function(struct merger *m, struct merge_input *in, uint32_t i,
                    uint32_t *index, struct err *err)
{
    *index = PROF_NONE;
    if (i == PROF_NONE)
        return true;
    if (in->functions[i] != PROF_NONE) {
        *index = in->functions[i];
        return true;
    }
    struct prof_function f = in->p->functions[i];
    f.id = 0;
    if (!merge_string(m, in, f.name, &f.name, err) ||
        !merge_string(m, in, f.system_name, &f.system_name, err) ||
        !merge_string(m, in, f.filename, &f.filename, err))
        return false;
    uint64_t words[3] = {(uint64_t)f.name << 32 | f.system_name, f.filename,
                         (uint64_t)f.start_line};
    uint32_t hash = hash32(words, sizeof words, 0);
    if (!hashidx_room(&m->function_index))
        return err_nomem(err);
    size_t at = hashidx_start(&m->function_index, hash);
    while ((*index = hashidx_next(&m->function_index, hash, &at)) !=
           HASHIDX_NONE) {
        const struct prof_function *g = &m->sum.functions[*index];
        if (g->name == f.name && g->system_name == f.system_name &&
            g->filename == f.filename && g->start_line == f.start_line)
            break;
    }
    if (*index == HASHIDX_NONE) {
        if (!prof_add_function(&m->sum, &f, index, err))
            return false;
        hashidx_put(&m->function_index, at, hash, *index);
    }
    in->functions[i] = *index;
    return true;
}

bool merge_labelset(struct merger *m, struct merge_input *in, uint32_t set,
                    struct err *err)
{
    const struct profile *p = in->p;
    in->labels.n = 0;
    for (uint64_t i = p->labelset_off[set]; i < p->labelset_off[set + 1]; i++) {
        struct prof_label l = p->labels[i];
        if (!merge_string(m, in, l.key, &l.key, err) ||
            !merge_string(m, in, l.str, &l.str, err) ||
            !merge_string(m, in, l.unit, &l.unit, err))
            return false;
        if (!vec_push(&in->labels, l))
            return err_nomem(err);
    }
    return prof_labelset(&m->sum, in->labels.v, in->labels.n,
                         &in->labelsets[set], err);
}
