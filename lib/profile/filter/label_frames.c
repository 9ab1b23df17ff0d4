/* label_frames.c - adds labels to stacks as frames: tagroot, tagleaf */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "profile/columns.h"
#include "profile/filter/private.h"

struct growing {
    struct profile *p;
    const char *unit;
    VEC(uint32_t) keys; /* string ids, in the order of the new frames */
    size_t n_leaf; /* keys of frames at the leaf; the others are at the root */
    uint32_t *frames;       /* keys.n locations for each label set */
    uint8_t *known;         /* by label set: whether its frames are made */
    struct map names;       /* key and text of each new location */
    VEC(uint32_t) location; /* by row of names: the new location */
    bool leafed, rooted;
    uint64_t last_id; /* greatest of locations; new ids follow */
};

/* Adds the keys of a comma-separated list in reverse order. */
static bool add_keys(struct growing *g, const char *list, struct prof_err *err)
{
    size_t first = g->keys.n;
    for (const char *at = list ? list : ""; *at;) {
        size_t n = strcspn(at, ",");
        uint32_t id;
        if (n && (!prof_strn(g->p, at, n, &id, err)))
            return false;
        if (n && !vec_push(&g->keys, id))
            return err_nomem(err);
        at += n + (at[n] == ',');
    }
    /* Stacks begin with the leaf, lists with the outermost frame. */
    for (size_t i = first, j = g->keys.n; i + 1 < j; i++) {
        uint32_t id = g->keys.v[--j];
        g->keys.v[j] = g->keys.v[i];
        g->keys.v[i] = id;
    }
    return true;
}

/* The label set and key whose labels are joined to one name. */
struct label_text {
    uint32_t set, key;
    size_t n; /* labels so far */
    struct buf *b;
};

/* Appends the strings or the numbers, separated by commas. */
static bool put_labels(const struct growing *g, struct label_text *text,
                       bool numbers)
{
    uint32_t set = text->set, key = text->key;
    const struct profile *p = g->p;
    struct buf *b = text->b;
    bool with_unit = false;
    uint64_t from = p->labelset_off[set], to = p->labelset_off[set + 1];
    for (uint64_t i = from; i < to; i++)
        with_unit |= p->labels[i].key == key && p->labels[i].unit;
    for (uint64_t i = from; i < to; i++) {
        const struct prof_label *l = &p->labels[i];
        if (l->key != key || !l->str != numbers)
            continue;
        if (text->n++ && !buf_putc(b, ','))
            return false;
        if (!numbers) {
            if (!prof_put_text(b, p, l->str))
                return false;
            continue;
        }
        const char *unit = prof_plain(p, l->unit);
        const char *shown = with_unit ? g->unit : "";
        size_t room = MEASURE_TEXT + strlen(unit) + strlen(shown);
        if (!buf_reserve(b, room))
            return false;
        char *number = (char *)b->v + b->n;
        b->n += strlen(measure_label(number, room, l->num, unit, shown));
    }
    return true;
}

/* Sets the location of key k for samples with this label set. */
static bool frame_of(struct growing *g, uint32_t set, size_t k, struct buf *b,
                     struct prof_err *err)
{
    uint32_t key = g->keys.v[k], row;
    struct label_text text = {.set = set, .key = key, .b = b};
    bool is_new;
    b->n = 0;
    if (!buf_put(b, &key, sizeof key) || !put_labels(g, &text, false) ||
        !put_labels(g, &text, true) ||
        !map_add(&g->names, b->v, b->n, &row, &is_new))
        return err_nomem(err);
    if (text.n && k < g->n_leaf)
        g->leafed = true;
    if (text.n && k >= g->n_leaf)
        g->rooted = true;

    /* Add a function of that name, in a file that is named like the key. */
    struct prof_function f = {.filename = key};
    struct prof_location l = {.id = g->last_id + 1, .mapping = PROF_NONE};
    struct prof_line line = {0};
    uint32_t index;
    if (is_new) {
        g->last_id++;
        if (!prof_strn(g->p, (const char *)b->v + sizeof key, b->n - sizeof key,
                       &f.name, err) ||
            !prof_add_function(g->p, &f, &line.function, err) ||
            !prof_add_location(g->p, &l, &line, 1, &index, err))
            return false;
        if (!vec_push(&g->location, index))
            return err_nomem(err);
    }
    g->frames[set * g->keys.n + k] = g->location.v[row];
    return true;
}

/* Adds the new frames to both ends of each stack. */
static bool grow_stacks(struct growing *g, struct prof_err *err)
{
    struct profile *p = g->p;
    size_t n_keys = g->keys.n, n_root = n_keys - g->n_leaf, added;
    if (!prof_unshare(p, err))
        return false;
    if (__builtin_mul_overflow(p->n_samples, n_keys, &added) ||
        __builtin_add_overflow(added, p->n_frames, &added))
        return err_nomem(err);
    uint32_t *frames = mem_array(added, sizeof *frames), *to = frames;
    if (!frames)
        return err_nomem(err);
    uint64_t from = 0;
    for (size_t s = 0; s < p->n_samples; s++) {
        size_t depth = (size_t)(p->frame_off[s + 1] - from);
        const uint32_t *more = g->frames + p->labelset[s] * n_keys;
        memcpy(to, more, g->n_leaf * sizeof *to);
        to += g->n_leaf;
        if (depth)
            memcpy(to, p->frames + from, depth * sizeof *to);
        to += depth;
        memcpy(to, more + g->n_leaf, n_root * sizeof *to);
        to += n_root;
        from = p->frame_off[s + 1];
        p->frame_off[s + 1] = (uint64_t)(to - frames);
    }
    free(p->frames);
    p->frames = frames;
    p->n_frames = p->cap_frames = added;
    return true;
}

static bool grow(struct growing *g, struct prof_err *err)
{
    const struct profile *p = g->p;
    size_t n_sets = p->n_labelsets, n;
    if (__builtin_mul_overflow(n_sets, g->keys.n, &n))
        return err_nomem(err);
    g->frames = mem_array(n, sizeof *g->frames);
    g->known = mem_zarray(n_sets, 1);
    struct buf b = {0};
    bool ok = (g->frames && g->known) || err_nomem(err);
    /* Make the frames of all label sets that samples have. */
    for (size_t s = 0; ok && s < p->n_samples; s++) {
        uint32_t set = p->labelset[s];
        for (size_t k = 0; ok && !g->known[set] && k < g->keys.n; k++)
            ok = frame_of(g, set, k, &b, err);
        g->known[set] = 1;
    }
    buf_free(&b);
    return ok && grow_stacks(g, err);
}

bool prof_label_frames(struct profile *p, struct label_frames *f,
                       struct prof_err *err)
{
    struct growing g = {.p = p, .unit = f->unit};
    for (size_t i = 0; i < p->n_locations; i++)
        if (p->locations[i].id > g.last_id)
            g.last_id = p->locations[i].id;
    bool ok = add_keys(&g, f->leaf_keys, err);
    g.n_leaf = g.keys.n;
    ok = ok && add_keys(&g, f->root_keys, err) && (!g.keys.n || grow(&g, err));
    f->rooted = g.rooted;
    f->leafed = g.leafed;
    free(g.frames);
    free(g.known);
    map_free(&g.names);
    vec_free(&g.location);
    vec_free(&g.keys);
    return ok;
}
