/* translate.c - maps the entities of an input to those of a sum
 *
 * Functions and locations are looked up in groups: all of a group are
 * translated and hashed, and their slots of the index prefetched, before the
 * first is compared.  Nearly all are in the sum already, so a first pass looks
 * them up under a read lock, and a second one adds those that are missing,
 * under a write lock.
 */
#include <string.h>

#include "base/sort.h"
#include "profile/merge/private.h"

enum { GROUP = 16, PAGE = 4096 };

void translator_free(struct translator *t)
{
    vec_free(&t->strings);
    vec_free(&t->mappings);
    vec_free(&t->functions);
    vec_free(&t->locations);
    vec_free(&t->labelsets);
    vec_free(&t->column);
    vec_free(&t->use);
    vec_free(&t->stack);
    vec_free(&t->factors);
    vec_free(&t->lines);
    vec_free(&t->labels);
    vec_free(&t->batch);
    vec_free(&t->values);
    vec_free(&t->batch_column);
}

bool translate_strings(struct sum *s, const struct strtab *from, uint32_t *to,
                       size_t *n, struct prof_err *err)
{
    for (; *n < from->n; ++*n) {
        uint32_t id = (uint32_t)*n;
        if (!strtab_add_hashed(&s->p.strings, strtab_str(from, id),
                               strtab_len(from, id), strtab_hash(from, id),
                               &to[id]))
            return err_nomem(err);
    }
    return true;
}

/*
 * Lists the next entities of to[*i .. n) that are not known yet, at most GROUP.
 * Returns their number.
 */
static size_t next_group(const uint32_t *to, size_t n, size_t *i,
                         uint32_t group[GROUP])
{
    size_t k = 0;
    for (; *i < n && k < GROUP; ++*i)
        if (to[*i] == PROF_NONE)
            group[k++] = (uint32_t)*i;
    return k;
}

/*
 * Looks up the entities that are not known yet.  If `add`, adds those that the
 * sum lacks.
 */
typedef bool pass_fn(struct translator *t, bool add, struct prof_err *err);

/*
 * Entities of one kind: the index to look them up in, and the array of their
 * ids.
 */
struct kind {
    const struct hashidx *index;
    uint32_t *to;
    size_t n;
    pass_fn *pass;
};

/* Runs both passes.  The first is skipped if the index is empty. */
static bool two_passes(struct translator *t, const struct kind *k,
                       struct prof_err *err)
{
    struct sum *s = t->sum;
    size_t i = 0;
    if (k->n)
        memset(k->to, 0xff, k->n * sizeof *k->to);
    (void)pthread_rwlock_rdlock(&s->entity_lock);
    bool ok = !k->index->n || k->pass(t, false, err);
    (void)pthread_rwlock_unlock(&s->entity_lock);
    while (i < k->n && k->to[i] != PROF_NONE)
        i++;
    if (!ok || i == k->n)
        return ok;
    (void)pthread_rwlock_wrlock(&s->entity_lock);
    ok = k->pass(t, true, err);
    (void)pthread_rwlock_unlock(&s->entity_lock);
    return ok;
}

/* --- functions ------------------------------------------------------------ */

/* A function with ids of the sum. */
struct wanted_function {
    uint32_t hash;
    struct prof_function key;
};

static bool find_function(struct sum *s, const struct wanted_function *w,
                          bool add, uint32_t *index, struct prof_err *err)
{
    const struct prof_function *f = &w->key;
    if (add && !hashidx_room(&s->function_index))
        return err_nomem(err);
    size_t at = hashidx_start(&s->function_index, w->hash);
    while ((*index = hashidx_next(&s->function_index, w->hash, &at)) !=
           HASHIDX_NONE) {
        const struct prof_function *g = &s->p.functions[*index];
        if (g->name == f->name && g->system_name == f->system_name &&
            g->filename == f->filename && g->start_line == f->start_line)
            return true;
    }
    if (!add)
        return true;
    if (!prof_add_function(&s->p, f, index, err))
        return false;
    hashidx_put(&s->function_index, at, w->hash, *index);
    return true;
}

static bool functions_pass(struct translator *t, bool add, struct prof_err *err)
{
    struct sum *s = t->sum;
    uint32_t *to = t->functions.v, group[GROUP];
    struct wanted_function w[GROUP];
    for (size_t i = 0, n; (n = next_group(to, t->p->n_functions, &i, group));) {
        for (size_t k = 0; k < n; k++) {
            struct prof_function *f = &w[k].key;
            *f = t->p->functions[group[k]];
            f->id = 0;
            f->name = translate_string(t, f->name);
            f->system_name = translate_string(t, f->system_name);
            f->filename = translate_string(t, f->filename);
            uint64_t seed = prof_seed(&s->p);
            uint64_t names = (uint64_t)f->name << 32 | f->system_name;
            w[k].hash =
                hash_fold(hash_pair(seed, hash_pair(seed, names, f->filename),
                                    (uint64_t)f->start_line));
            hashidx_prefetch(&s->function_index, w[k].hash);
        }
        for (size_t k = 0; k < n; k++)
            if (!find_function(s, &w[k], add, &to[group[k]], err))
                return false;
    }
    return true;
}

/* --- locations ------------------------------------------------------------ */

/* A location with ids of the sum. */
struct wanted {
    uint32_t hash;
    uint32_t candidate;       /* location of the sum that may be equal */
    size_t lines;             /* index of its first line in t->lines */
    struct prof_location key; /* without lines */
};

static bool same_lines(const struct prof_line *a, const struct prof_line *b,
                       size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i].function != b[i].function || a[i].line != b[i].line ||
            a[i].column != b[i].column)
            return false;
    return true;
}

static bool find_location(struct translator *t, const struct wanted *w,
                          bool add, uint32_t *index, struct prof_err *err)
{
    struct sum *s = t->sum;
    const struct prof_location *l = &w->key;
    const struct prof_line *lines = t->lines.v + w->lines;
    if (add && !hashidx_room(&s->location_index))
        return err_nomem(err);
    size_t at = hashidx_start(&s->location_index, w->hash);
    while ((*index = hashidx_next(&s->location_index, w->hash, &at)) !=
           HASHIDX_NONE) {
        const struct prof_location *k = &s->p.locations[*index];
        if (k->address == l->address && k->mapping == l->mapping &&
            k->is_folded == l->is_folded && k->n_lines == l->n_lines &&
            same_lines(s->p.lines + k->line_off, lines, l->n_lines))
            return true;
    }
    if (!add)
        return true;
    struct prof_location plain = *l;
    plain.mapping = PROF_NONE; /* s->p has no mappings: s->mappings has them */
    if (!prof_add_location(&s->p, &plain, lines, l->n_lines, index, err))
        return false;
    s->p.locations[*index].mapping = l->mapping;
    hashidx_put(&s->location_index, at, w->hash, *index);
    return true;
}

/* Returns a reference to the side of its mapping that a location is on. */
static size_t ref_of(const struct profile *p, const struct prof_location *l)
{
    return merge_ref(l->mapping, l->address < p->mappings[l->mapping].start
                                     ? MERGE_BELOW
                                     : MERGE_ABOVE);
}

/*
 * Sets *w to location `from` with ids of the sum.  Appends its lines to
 * t->lines, which must have room for them.
 */
static void want(struct translator *t, const struct prof_location *from,
                 struct wanted *w)
{
    uint64_t seed = prof_seed(&t->sum->p);
    w->lines = t->lines.n;
    w->key = (struct prof_location){.address = from->address,
                                    .mapping = PROF_NONE,
                                    .is_folded = from->is_folded,
                                    .n_lines = from->n_lines};
    if (from->mapping != PROF_NONE) {
        size_t ref = ref_of(t->p, from);
        enum merge_side side = merge_ref_side(ref);
        w->key.mapping =
            (uint32_t)merge_ref(t->mappings.v[from->mapping], side);
        if (side == MERGE_ABOVE)
            w->key.address -= t->p->mappings[from->mapping].start;
        if (t->use.v[ref] == MAPPING_ABSENT) {
            t->use.v[ref] = MAPPING_UNUSED;
            t->n_unused++;
        }
    }
    uint64_t hash = hash_pair(seed, w->key.address,
                              (uint64_t)w->key.mapping << 1 | w->key.is_folded);
    for (size_t k = 0; k < from->n_lines; k++) {
        struct prof_line line = t->p->lines[from->line_off + k];
        if (line.function != PROF_NONE)
            line.function = t->functions.v[line.function];
        t->lines.v[t->lines.n++] = line;
        hash = hash_pair(seed, hash, (uint64_t)line.line);
        hash = hash_pair(seed, hash ^ line.function, (uint64_t)line.column);
    }
    w->hash = hash_fold(hash);
}

static bool locations_pass(struct translator *t, bool add, struct prof_err *err)
{
    struct sum *s = t->sum;
    uint32_t *to = t->locations.v, group[GROUP];
    struct wanted w[GROUP];
    for (size_t i = 0, n; (n = next_group(to, t->p->n_locations, &i, group));) {
        size_t lines = 0;
        t->lines.n = 0;
        for (size_t k = 0; k < n; k++)
            lines += t->p->locations[group[k]].n_lines;
        if (!vec_reserve(&t->lines, lines + 1))
            return err_nomem(err);
        for (size_t k = 0; k < n; k++) {
            want(t, &t->p->locations[group[k]], &w[k]);
            hashidx_prefetch(&s->location_index, w[k].hash);
        }
        for (size_t k = 0; k < n; k++) {
            w[k].candidate = hashidx_peek(&s->location_index, w[k].hash);
            if (w[k].candidate != HASHIDX_NONE)
                __builtin_prefetch(&s->p.locations[w[k].candidate]);
        }
        for (size_t k = 0; k < n; k++)
            if (w[k].candidate != HASHIDX_NONE)
                __builtin_prefetch(s->p.lines +
                                   s->p.locations[w[k].candidate].line_off);
        for (size_t k = 0; k < n; k++)
            if (!find_location(t, &w[k], add, &to[group[k]], err))
                return false;
    }
    return true;
}

/* --- label sets ----------------------------------------------------------- */

bool translate_labelsets(struct translator *t, struct prof_err *err)
{
    const struct profile *p = t->p;
    bool ok = true;
    t->labelsets.v[0] = 0;
    for (size_t set = 1; ok && set < p->n_labelsets; set++) {
        uint64_t i = p->labelset_off[set], end = p->labelset_off[set + 1];
        for (t->labels.n = 0; ok && i < end; i++) {
            struct prof_label l = p->labels[i];
            l.key = translate_string(t, l.key);
            l.str = translate_string(t, l.str);
            l.unit = translate_string(t, l.unit);
            ok = vec_push(&t->labels, l) || err_nomem(err);
        }
        ok = ok && prof_labelset(&t->sum->p, t->labels.v, t->labels.n,
                                 &t->labelsets.v[set], err);
    }
    return ok;
}

bool translate_entities(struct translator *t, struct prof_err *err)
{
    const struct kind functions = {&t->sum->function_index, t->functions.v,
                                   t->p->n_functions, functions_pass};
    const struct kind locations = {&t->sum->location_index, t->locations.v,
                                   t->p->n_locations, locations_pass};
    return two_passes(t, &functions, err) && two_passes(t, &locations, err);
}

/* --- mappings --------------------------------------------------------------
 *
 * All mappings of an input get an index in the sum, for its locations to refer
 * to.  Their other fields matter only for those that a sample uses and for the
 * first: see struct merge_mapping.
 */

/* Returns the identity of a mapping: see merge.h. */
static struct merge_mapping key_of(const struct translator *t,
                                   const struct prof_mapping *from)
{
    uint64_t size = from->limit - from->start;
    struct merge_mapping key;
    memset(&key, 0, sizeof key);
    key.has_build = from->build_id != 0;
    key.name =
        translate_string(t, from->build_id ? from->build_id : from->filename);
    key.offset = from->offset;
    key.pages = size / PAGE + (size % PAGE != 0);
    if (!key.name)
        key.fixed = from->start;
    return key;
}

static bool find_mapping(struct sum *s, const struct merge_mapping *key,
                         uint32_t *index, struct prof_err *err)
{
    const uint64_t identity[] = {(uint64_t)key->name << 1 | key->has_build,
                                 key->offset, key->pages, key->fixed};
    bool is_new;
    if (!map_add(&s->mapping_index, identity, sizeof identity, index, &is_new))
        return err_nomem(err);
    if (!is_new)
        return true;
    if (s->mappings.n > UINT32_MAX / MERGE_SIDES - 1)
        return err_input(err, "too many mappings");
    return vec_push(&s->mappings, *key) || err_nomem(err);
}

/* Combines what an input says of a mapping with what is known of it. */
static void see(const struct sum *s, struct merge_seen *to,
                const struct merge_seen *from)
{
    if (!from->any)
        return;
    if (!to->any) {
        *to = *from;
        return;
    }
    for (int k = 0; k < MERGE_SIDES; k++) {
        bool better = k == MERGE_ABOVE ? from->start[k] < to->start[k]
                                       : from->start[k] > to->start[k];
        if (from->has_start[k] && (!to->has_start[k] || better))
            to->start[k] = from->start[k];
        to->has_start[k] = to->has_start[k] || from->has_start[k];
    }
    if (from->size > to->size)
        to->size = from->size;
    to->filename = sum_lesser(s, to->filename, from->filename);
    to->build_id = sum_lesser(s, to->build_id, from->build_id);
    to->has_functions = to->has_functions && from->has_functions;
    to->has_filenames = to->has_filenames && from->has_filenames;
    to->has_line_numbers = to->has_line_numbers && from->has_line_numbers;
    to->has_inline_frames = to->has_inline_frames && from->has_inline_frames;
}

/* Returns what the input says of one side of a mapping, with ids of the sum. */
static struct merge_seen seen_of(const struct translator *t,
                                 const struct prof_mapping *from,
                                 enum merge_side side)
{
    struct merge_seen seen = {
        .any = true,
        .size = from->limit - from->start,
        .filename = translate_string(t, from->filename),
        .build_id = translate_string(t, from->build_id),
        .has_functions = from->has_functions,
        .has_filenames = from->has_filenames,
        .has_line_numbers = from->has_line_numbers,
        .has_inline_frames = from->has_inline_frames,
    };
    seen.has_start[side] = true;
    seen.start[side] = from->start;
    return seen;
}

bool translate_mappings(struct translator *t, struct prof_err *err)
{
    struct sum *s = t->sum;
    const struct profile *p = t->p;
    for (size_t i = 0; i < p->n_mappings; i++) {
        struct merge_mapping key = key_of(t, &p->mappings[i]);
        if (!find_mapping(s, &key, &t->mappings.v[i], err))
            return false;
    }
    if (!p->n_mappings)
        return true;
    uint32_t first = t->mappings.v[0];
    struct merge_seen seen = seen_of(t, &p->mappings[0], MERGE_ABOVE);
    see(s, &s->mappings.v[first].first, &seen);
    if (s->first_mapping == PROF_NONE ||
        merge_mapping_cmp(s, first, s->first_mapping) < 0)
        s->first_mapping = first;
    return true;
}

int merge_mapping_cmp(const struct sum *s, uint32_t a, uint32_t b)
{
    const struct merge_mapping *x = &s->mappings.v[a], *y = &s->mappings.v[b];
    int c = strtab_cmp(&s->p.strings, x->name, y->name);
    c = c ? c : ORDER(x->has_build, y->has_build);
    c = c ? c : ORDER(x->offset, y->offset);
    c = c ? c : ORDER(x->pages, y->pages);
    return c ? c : ORDER(x->fixed, y->fixed);
}

void translate_note_use(struct translator *t, const uint32_t *stack,
                        size_t depth)
{
    for (size_t i = 0; i < depth; i++) {
        const struct prof_location *l = &t->p->locations[stack[i]];
        if (l->mapping == PROF_NONE)
            continue;
        uint8_t *use = &t->use.v[ref_of(t->p, l)];
        if (*use != MAPPING_UNUSED)
            continue;
        *use = MAPPING_USED;
        t->n_unused--;
    }
}

void translate_used_mappings(const struct translator *t)
{
    for (size_t i = 0; i < MERGE_SIDES * t->p->n_mappings; i++) {
        size_t k = merge_ref_mapping(i);
        if (t->use.v[i] != MAPPING_USED)
            continue;
        struct merge_seen seen =
            seen_of(t, &t->p->mappings[k], merge_ref_side(i));
        see(t->sum, &t->sum->mappings.v[t->mappings.v[k]].used, &seen);
    }
}
