/* profile.c - makes, grows, fills and moves the columns of a profile */
#include "profile/model/build.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/prefetch.h"
#include "base/vec.h"

/* Rows of more values exceed a page, so that pages of zeros can stay
 * unmapped. */
enum { LONG_ROW = 4096 / sizeof(int64_t) };

/* Returns whether a column of n elements may have k more. */
static bool may_grow(size_t n, size_t k, struct prof_err *err)
{
    return (n + k >= n && n + k < PROF_NONE) ||
           err_input(err,
                     "more than 4294967294 mappings, functions or locations");
}

/* Makes room for a total of n elements of a column. */
#define GROW(p, column, cap, n)                                                \
    vec_grow((void **)&(p)->column, &(p)->cap, (n), sizeof *(p)->column)

/* Makes room for k more; without a call if there is room, as nearly always. */
#define ROOM(p, column, count, cap, k)                                         \
    (((p)->cap < PROF_NONE && (k) <= (p)->cap - (p)->count) ||                 \
     (may_grow((p)->count, (k), err) &&                                        \
      (GROW(p, column, cap, (p)->count + (k)) || err_nomem(err))))

bool prof_init(struct profile *p, struct prof_err *err)
{
    memset(p, 0, sizeof *p);
    if (!strtab_init(&p->strings) || !GROW(p, frame_off, cap_frame_off, 1) ||
        !GROW(p, labelset_off, cap_labelset_off, 2))
        return err_nomem(err);
    p->frame_off[0] = 0;
    p->labelset_off[0] = p->labelset_off[1] = 0;
    p->n_labelsets = 1; /* the empty one */
    return true;
}

void prof_free(struct profile *p)
{
    prof_layout_free(&p->layout);
    strtab_free(&p->strings);
    free(p->types);
    free(p->mappings);
    free(p->functions);
    free(p->lines);
    free(p->locations);
    free(p->labels);
    free(p->labelset_off);
    hashidx_free(&p->labelset_index);
    prof_free_samples(p);
    free(p->comments);
    memset(p, 0, sizeof *p);
}

void prof_clear(struct profile *p)
{
    struct profile kept = *p;
    free(p->shared);
    memset(p, 0, sizeof *p);
    p->strings = kept.strings;
#define KEEP(column, cap) (p->column = kept.column, p->cap = kept.cap)
    KEEP(types, cap_types);
    KEEP(mappings, cap_mappings);
    KEEP(functions, cap_functions);
    KEEP(lines, cap_lines);
    KEEP(locations, cap_locations);
    KEEP(labels, cap_labels);
    KEEP(labelset_off, cap_labelset_off);
    KEEP(frame_off, cap_frame_off);
    KEEP(frames, cap_frames);
    KEEP(values, cap_values);
    KEEP(labelset, cap_labelset);
    KEEP(comments, cap_comments);
#undef KEEP
    hashidx_free(&kept.labelset_index);
    p->n_labelsets = 1;
}

struct prof_counts prof_count(const struct profile *p)
{
    return (struct prof_counts){
        .samples = p->layout.order ? p->layout.n_order : p->n_samples,
        .frames = p->n_frames,
        .locations = p->n_locations,
        .lines = p->n_lines,
        .functions = p->n_functions,
        .mappings = p->n_mappings,
        .types = p->n_types,
        .labelsets = p->n_labelsets,
        .comments = p->n_comments,
        .strings = p->strings.n,
    };
}

/* Returns n rows of nt values, all 0. */
static int64_t *zero_rows(size_t n, size_t nt)
{
    int64_t *v = n && nt > SIZE_MAX / n ? NULL : mem_zarray(n * nt, sizeof *v);
    if (v && nt > LONG_ROW)
        pages_scatter(v, n * nt * sizeof *v);
    return v;
}

/* Makes room for the values of so many samples, all 0, in a profile without
 * samples.  Long rows of them take no memory until they are written to. */
static bool zero_values(struct profile *p, size_t samples, struct prof_err *err)
{
    int64_t *v = zero_rows(samples, p->n_types);
    if (!v)
        return err_nomem(err);
    free(p->values);
    p->values = v;
    p->cap_values = p->zero_end = samples * p->n_types;
    p->zero_from = 0;
    return true;
}

bool prof_reserve(struct profile *p, const struct prof_counts *counts,
                  struct prof_err *err)
{
    size_t n = counts->samples, nt = p->n_types;
    if (n >= PROF_NONE - 1 || (nt && n > SIZE_MAX / nt))
        return err_input(err, "too many samples: %zu", n);
    if (!p->n_samples && nt > LONG_ROW && n * nt > p->cap_values &&
        !zero_values(p, n, err))
        return false;
    return (GROW(p, frame_off, cap_frame_off, n + 1) &&
            GROW(p, values, cap_values, n * nt) &&
            GROW(p, labelset, cap_labelset, n) &&
            (!p->shared || GROW(p, shared, cap_shared, n)) &&
            GROW(p, frames, cap_frames, counts->frames) &&
            GROW(p, locations, cap_locations, counts->locations) &&
            GROW(p, lines, cap_lines, counts->lines) &&
            GROW(p, functions, cap_functions, counts->functions) &&
            GROW(p, mappings, cap_mappings, counts->mappings)) ||
           err_nomem(err);
}

/* Shrinks an array to n elements of *cap, if that frees much. */
static void fit(void **v, size_t *cap, size_t n, size_t size)
{
    enum { WORTH_IT = 256 * 1024 };
    if (n >= *cap || !n || (*cap - n) < WORTH_IT / size)
        return;
    void *p = realloc(*v, n * size);
    if (!p)
        return;
    *v = p;
    *cap = n;
}

#define FIT(p, column, cap, n)                                                 \
    fit((void **)&(p)->column, &(p)->cap, (n), sizeof *(p)->column)

void prof_shrink(struct profile *p)
{
    FIT(p, frame_off, cap_frame_off, p->n_samples + 1);
    FIT(p, values, cap_values, p->n_samples * p->n_types);
    FIT(p, labelset, cap_labelset, p->n_samples);
    FIT(p, shared, cap_shared, p->n_samples);
    FIT(p, frames, cap_frames, p->n_frames);
    FIT(p, locations, cap_locations, p->n_locations);
    FIT(p, lines, cap_lines, p->n_lines);
    FIT(p, functions, cap_functions, p->n_functions);
}

bool prof_strn(struct profile *p, const char *s, size_t n, uint32_t *id,
               struct prof_err *err)
{
    return strtab_add(&p->strings, s, n, id) || err_nomem(err);
}

bool prof_str(struct profile *p, const char *s, uint32_t *id,
              struct prof_err *err)
{
    return prof_strn(p, s, strlen(s), id, err);
}

bool prof_add_type_id(struct profile *p, struct prof_value_type vt,
                      struct prof_err *err)
{
    if (p->n_samples)
        return err_input(err, "value type added after samples");
    if (!ROOM(p, types, n_types, cap_types, 1))
        return false;
    p->types[p->n_types++] = vt;
    return true;
}

bool prof_add_type(struct profile *p, const char *type, const char *unit,
                   struct prof_err *err)
{
    struct prof_value_type vt;
    return prof_str(p, type, &vt.type, err) &&
           prof_str(p, unit, &vt.unit, err) && prof_add_type_id(p, vt, err);
}

bool prof_add_mapping(struct profile *p, const struct prof_mapping *m,
                      uint32_t *index, struct prof_err *err)
{
    if (!ROOM(p, mappings, n_mappings, cap_mappings, 1))
        return false;
    if (index)
        *index = (uint32_t)p->n_mappings;
    p->mappings[p->n_mappings++] = *m;
    return true;
}

bool prof_add_function(struct profile *p, const struct prof_function *f,
                       uint32_t *index, struct prof_err *err)
{
    if (!ROOM(p, functions, n_functions, cap_functions, 1))
        return false;
    if (index)
        *index = (uint32_t)p->n_functions;
    p->functions[p->n_functions++] = *f;
    return true;
}

bool prof_add_location(struct profile *p, const struct prof_location *l,
                       const struct prof_line *lines, size_t n, uint32_t *index,
                       struct prof_err *err)
{
    if (l->mapping != PROF_NONE && l->mapping >= p->n_mappings)
        return err_input(err, "location refers to an unknown mapping");
    for (size_t i = 0; i < n; i++)
        if (lines[i].function != PROF_NONE &&
            lines[i].function >= p->n_functions)
            return err_input(err, "line refers to an unknown function");
    if (!ROOM(p, locations, n_locations, cap_locations, 1) ||
        !ROOM(p, lines, n_lines, cap_lines, n))
        return false;
    if (index)
        *index = (uint32_t)p->n_locations;
    struct prof_location *to = &p->locations[p->n_locations++];
    *to = *l;
    to->line_off = (uint32_t)p->n_lines;
    to->n_lines = (uint32_t)n;
    if (n)
        memcpy(p->lines + p->n_lines, lines, n * sizeof *lines);
    p->n_lines += n;
    return true;
}

bool prof_push_line(struct profile *p, const struct prof_line *line,
                    struct prof_err *err)
{
    if (!ROOM(p, lines, n_lines, cap_lines, 1))
        return false;
    p->lines[p->n_lines++] = *line;
    return true;
}

bool prof_push_sample(struct profile *p, const uint32_t *frames, size_t n,
                      uint32_t labelset, struct prof_err *err)
{
    size_t s = p->n_samples, nt = p->n_types;
    if (p->shared && !prof_unshare(p, err))
        return false;
    if (s >= PROF_NONE - 1)
        return err_input(err, "more than 4294967294 samples");
    bool fits = s + 2 <= p->cap_frame_off && p->n_frames + n <= p->cap_frames &&
                (s + 1) * nt <= p->cap_values && s + 1 <= p->cap_labelset;
    /* Reserve at least one frame, so that empty stacks have an address too. */
    if (!fits && !(GROW(p, frame_off, cap_frame_off, s + 2) &&
                   GROW(p, frames, cap_frames, p->n_frames + (n ? n : 1)) &&
                   GROW(p, values, cap_values, (s + 1) * nt) &&
                   GROW(p, labelset, cap_labelset, s + 1)))
        return err_nomem(err);
    if (n)
        memcpy(p->frames + p->n_frames, frames, n * sizeof *frames);
    p->n_frames += n;
    p->frame_off[s + 1] = p->n_frames;
    p->labelset[s] = labelset;
    p->n_samples++;
    size_t from = s * nt, past = from + nt;
    if (past > from && (from < p->zero_from || past > p->zero_end))
        memset(p->values + from, 0, nt * sizeof *p->values);
    if (past > p->zero_from)
        p->zero_from = past;
    return true;
}

bool prof_add_sample(struct profile *p, const uint32_t *frames, size_t n,
                     const int64_t *values, uint32_t labelset,
                     struct prof_err *err)
{
    for (size_t i = 0; i < n; i++)
        if (frames[i] >= p->n_locations)
            return err_input(err, "sample refers to an unknown location");
    if (labelset >= p->n_labelsets)
        return err_input(err, "sample refers to an unknown label set");
    if (!prof_push_sample(p, frames, n, labelset, err))
        return false;
    if (p->n_types && values)
        memcpy(p->values + (p->n_samples - 1) * p->n_types, values,
               p->n_types * sizeof *values);
    return true;
}

bool prof_add_comment_id(struct profile *p, uint32_t id, struct prof_err *err)
{
    if (!ROOM(p, comments, n_comments, cap_comments, 1))
        return false;
    p->comments[p->n_comments++] = id;
    return true;
}

bool prof_add_comment(struct profile *p, const char *text, struct prof_err *err)
{
    uint32_t id;
    return prof_str(p, text, &id, err) && prof_add_comment_id(p, id, err);
}

bool prof_put_comment(struct profile *p, const char *s, struct prof_err *err)
{
    size_t i = 0, n = p->n_comments;
    uint32_t id;
    int order = -1;
    if (!prof_str(p, s, &id, err) ||
        !ROOM(p, comments, n_comments, cap_comments, 1))
        return false;
    while (i < n && (order = strtab_cmp(&p->strings, p->comments[i], id)) < 0)
        i++;
    if (i < n && !order)
        return true;
    memmove(p->comments + i + 1, p->comments + i, (n - i) * sizeof id);
    p->comments[i] = id;
    p->n_comments++;
    return true;
}

int prof_find_type(const struct profile *p, const char *type)
{
    uint32_t id;
    if (!strtab_find(&p->strings, type, strlen(type), &id))
        return -1;
    for (size_t i = 0; i < p->n_types; i++)
        if (p->types[i].type == id)
            return (int)i;
    return -1;
}

/* Returns whether values of the type are numbers of samples, not scaled. */
static bool is_count(const struct profile *p, size_t type)
{
    const struct prof_slice name = prof_text(p, p->types[type].type);
    return slice_is(prof_text(p, p->types[type].unit), "count") &&
           (slice_is(name, "samples") || slice_ends_with(name, "_sample"));
}

int prof_count_type(const struct profile *p, size_t type)
{
    if (is_count(p, type))
        return (int)type;
    return type && is_count(p, type - 1) ? (int)type - 1 : -1;
}

int prof_default_type(const struct profile *p)
{
    if (p->default_sample_type)
        for (size_t i = 0; i < p->n_types; i++)
            if (p->types[i].type == p->default_sample_type)
                return (int)i;
    return (int)p->n_types - 1;
}

void prof_drop_samples(struct profile *p)
{
    p->n_samples = p->n_frames = p->zero_end = 0;
    free(p->shared);
    p->shared = NULL;
    p->cap_shared = 0;
}

void prof_free_samples(struct profile *p)
{
    if (p->store) {
        p->store->free(p->store);
    } else {
        free(p->frame_off);
        free(p->frames);
        free(p->values);
        free(p->labelset);
    }
    free(p->shared);
    p->store = NULL;
    p->shared = NULL;
    p->frame_off = NULL;
    p->frames = NULL;
    p->values = NULL;
    p->labelset = NULL;
    p->n_samples = p->n_frames = 0;
    p->cap_frame_off = p->cap_frames = 0;
    p->cap_values = p->cap_labelset = p->cap_shared = p->zero_end = 0;
}

bool prof_move_stacks(struct profile *p, size_t n, uint64_t *frame_off,
                      uint32_t *frames, struct prof_err *err)
{
    int64_t *values = zero_rows(n, p->n_types);
    uint32_t *labelset = mem_zarray(n, sizeof *labelset);
    if (!values || !labelset) {
        free(values);
        free(labelset);
        return err_nomem(err);
    }
    prof_free_samples(p);
    p->n_samples = n;
    p->n_frames = p->cap_frames = (size_t)frame_off[n];
    p->frame_off = frame_off;
    p->cap_frame_off = n + 1;
    p->frames = frames;
    p->values = values;
    p->cap_values = n * p->n_types;
    p->labelset = labelset;
    p->cap_labelset = n;
    return true;
}

void prof_set_store(struct profile *p, struct prof_store *store,
                    size_t n_samples, size_t n_frames)
{
    prof_free_samples(p);
    p->store = store;
    p->n_samples = n_samples;
    p->n_frames = n_frames;
}

void prof_take_samples(struct profile *to, struct profile *from)
{
    prof_free_samples(to);
#define TAKE(column, cap)                                                      \
    (to->column = from->column, to->cap = from->cap, from->column = NULL)
    TAKE(frame_off, cap_frame_off);
    TAKE(frames, cap_frames);
    TAKE(values, cap_values);
    TAKE(labelset, cap_labelset);
    TAKE(shared, cap_shared);
#undef TAKE
    to->n_samples = from->n_samples;
    to->n_frames = from->n_frames;
    to->deepest = from->deepest;
    to->store = from->store;
    from->store = NULL;
    prof_free_samples(from);
}

void prof_add_value_columns(int64_t *values, size_t rows, size_t n, size_t more)
{
    for (size_t i = rows; n < more && i--;) {
        memmove(values + i * more, values + i * n, n * sizeof *values);
        memset(values + i * more + n, 0, (more - n) * sizeof *values);
    }
}

/* Copies the samples of a store to the heap. */
static bool leave_store(struct profile *p)
{
    struct profile copy = {.n_types = p->n_types};
    struct prof_err err;
    struct prof_counts counts = {.samples = p->n_samples,
                                 .frames = p->n_frames};
    if (!prof_reserve(&copy, &counts, &err)) {
        prof_free_samples(&copy);
        return false;
    }
    memcpy(copy.frame_off, p->frame_off,
           (p->n_samples + 1) * sizeof *p->frame_off);
    if (p->n_frames)
        memcpy(copy.frames, p->frames, p->n_frames * sizeof *p->frames);
    if (p->n_samples && p->n_types)
        memcpy(copy.values, p->values,
               p->n_samples * p->n_types * sizeof *p->values);
    if (p->n_samples)
        memcpy(copy.labelset, p->labelset, p->n_samples * sizeof *p->labelset);
    copy.n_samples = p->n_samples;
    copy.n_frames = p->n_frames;
    prof_take_samples(p, &copy);
    return true;
}

/* Moves samples order[0 .. n), which ascend, to the front. */
static void settle_values(struct profile *p, const uint32_t *order, size_t n)
{
    size_t nt = p->n_types;
    for (size_t i = 0; i < n; i++) {
        size_t s = order[i];
        if (i != s && nt)
            memcpy(p->values + i * nt, p->values + s * nt,
                   nt * sizeof *p->values);
        p->labelset[i] = p->labelset[s];
    }
}

/* Puts the values and label sets of samples in another order. */
static bool order_values(struct profile *p, const uint32_t *order, size_t n)
{
    size_t nt = p->n_types;
    int64_t *v =
        nt > LONG_ROW ? zero_rows(n, nt) : mem_array(n * nt, sizeof *v);
    if (!v)
        return false;
    for (size_t i = 0; i < n; i++) {
        const int64_t *from = p->values + order[i] * nt;
        if (nt <= LONG_ROW)
            memcpy(v + i * nt, from, nt * sizeof *v);
        for (size_t k = 0; nt > LONG_ROW && k < nt; k++)
            if (from[k])
                v[i * nt + k] = from[k];
    }
    free(p->values);
    p->values = v;
    p->cap_values = n * nt;
    p->zero_end = 0;

    uint32_t *labelset = mem_array(n, sizeof *labelset);
    if (!labelset)
        return false;
    for (size_t i = 0; i < n; i++)
        labelset[i] = p->labelset[order[i]];
    free(p->labelset);
    p->labelset = labelset;
    p->cap_labelset = n;
    return true;
}

bool prof_apply_layout(struct profile *p, const struct prof_layout *layout,
                       struct prof_err *err)
{
    const uint32_t *order = layout->order;
    size_t n = layout->n_order, i = 1;
    if (p->store && !leave_store(p))
        return err_nomem(err);
    while (order && i < n && order[i - 1] < order[i])
        i++;
    bool ascends = i >= n;
    if (order &&
        !(ascends && !layout->shared ? prof_drop_stacks(p, layout, err)
                                     : prof_order_stacks(p, layout, err)))
        return false;
    if (order && ascends)
        settle_values(p, order, n);
    else if (order && !order_values(p, order, n))
        return err_nomem(err);
    for (i = 0; layout->number && i < p->n_frames; i++)
        p->frames[i] = layout->number[p->frames[i]];
    return true;
}

void prof_layout_free(struct prof_layout *layout)
{
    free((uint32_t *)layout->order);
    free((uint32_t *)layout->shared);
    free((uint32_t *)layout->number);
    *layout = (struct prof_layout){0};
}

/* --- entities by content -------------------------------------------------- */

bool prof_function_get(struct prof_functionmap *map, struct profile *p,
                       const struct prof_function *f, uint32_t *index,
                       struct prof_err *err)
{
    struct hashidx known = {map->slot, map->n, map->n_slots};
    if (!hashidx_room(&known))
        return err_nomem(err);
    map->slot = known.slot;
    map->n_slots = known.n_slots;
    uint64_t names = (uint64_t)f->system_name << 32 | f->name;
    uint32_t hash = hash_fold(hash_pair(p->strings.seed ^ f->filename, names,
                                        (uint64_t)f->start_line));
    size_t at = hashidx_start(&known, hash);
    while ((*index = hashidx_next(&known, hash, &at)) != HASHIDX_NONE) {
        const struct prof_function *g = &p->functions[*index];
        if (g->name == f->name && g->system_name == f->system_name &&
            g->filename == f->filename && g->start_line == f->start_line)
            return true;
    }
    if (!prof_add_function(p, f, index, err))
        return false;
    hashidx_put(&known, at, hash, *index);
    map->n = known.n;
    return true;
}

void prof_functionmap_free(struct prof_functionmap *map)
{
    free(map->slot);
    memset(map, 0, sizeof *map);
}

enum { FIRST_SLOTS = 256 };

struct prof_locmap_slot {
    uint64_t address;
    uint32_t mapping;
    uint32_t location; /* index + 1; 0: the slot is free */
};

ALWAYS_INLINE static inline struct prof_locmap_slot *
find_address(uint64_t seed, struct prof_locmap_slot *slots, size_t n_slots,
             uint32_t mapping, uint64_t address)
{
    size_t mask = n_slots - 1;
    size_t i = (size_t)hash_pair(seed, address, mapping) & mask;
    while (slots[i].location &&
           (slots[i].address != address || slots[i].mapping != mapping))
        i = (i + 1) & mask;
    return &slots[i];
}

static bool resize_locmap(struct prof_locmap *map, size_t n_slots)
{
    struct prof_locmap_slot *slots = mem_zarray(n_slots, sizeof *slots);
    if (!slots)
        return false;
    if (!map->n_slots)
        map->seed = hash_seed();
    for (size_t i = 0; i < map->n_slots; i++) {
        const struct prof_locmap_slot *s = &map->slots[i];
        if (s->location)
            *find_address(map->seed, slots, n_slots, s->mapping, s->address) =
                *s;
    }
    free(map->slots);
    map->slots = slots;
    map->n_slots = n_slots;
    return true;
}

/* Adds the location of prof_locmap_get(), which is new.  Apart from it, so that
 * nothing is saved on the stack for one that is found. */
__attribute__((noinline)) static bool
add_address(struct prof_locmap *map, struct profile *p, uint32_t mapping,
            uint64_t address, uint32_t *location, struct prof_err *err)
{
    const struct prof_location l = {.address = address, .mapping = mapping};
    if (map->n >= map->n_slots / 2 &&
        !resize_locmap(map, map->n_slots ? 2 * map->n_slots : FIRST_SLOTS))
        return err_nomem(err);
    if (!prof_add_location(p, &l, NULL, 0, location, err))
        return false;
    *find_address(map->seed, map->slots, map->n_slots, mapping, address) =
        (struct prof_locmap_slot){address, mapping, *location + 1};
    map->n++;
    return true;
}

bool prof_locmap_get(struct prof_locmap *map, struct profile *p,
                     uint32_t mapping, uint64_t address, uint32_t *location,
                     struct prof_err *err)
{
    const struct prof_locmap_slot *s = NULL;
    if (map->n)
        s = find_address(map->seed, map->slots, map->n_slots, mapping, address);
    if (!s || !s->location)
        return add_address(map, p, mapping, address, location, err);
    *location = s->location - 1;
    return true;
}

void prof_locmap_free(struct prof_locmap *map)
{
    free(map->slots);
    memset(map, 0, sizeof *map);
}

bool prof_namemap_get(struct prof_namemap *map, struct profile *p,
                      uint32_t mapping, struct prof_slice name,
                      uint32_t *location, struct prof_err *err)
{
    uint32_t id;
    if (!prof_strn(p, name.s, name.n, &id, err))
        return false;
    if (id >= map->n) {
        size_t n = (size_t)id + 1;
        if (!vec_grow((void **)&map->row, &map->cap, n, sizeof *map->row))
            return err_nomem(err);
        memset(map->row + map->n, 0, (n - map->n) * sizeof *map->row);
        map->n = n;
    }
    if (map->row[id]) {
        *location = map->row[id] - 1;
        return true;
    }
    /* Add a location, with a line unless the name is "". */
    struct prof_location l = {.mapping = mapping};
    struct prof_line line = {.function = PROF_NONE};
    struct prof_function f = {.name = id, .system_name = id};
    if ((id && !prof_add_function(p, &f, &line.function, err)) ||
        !prof_add_location(p, &l, &line, id != 0, location, err))
        return false;
    map->row[id] = *location + 1;
    return true;
}

void prof_namemap_free(struct prof_namemap *map)
{
    free(map->row);
    memset(map, 0, sizeof *map);
}
