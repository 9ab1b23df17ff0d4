/* labelset.c - label sets: makes them unique, sorts them, finds their units */
#include "profile/columns.h"

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/vec.h"

/* Compares labels by the id of the key; strings come before numbers. */
static int order(const struct prof_label *a, const struct prof_label *b)
{
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (b->str != 0) - (a->str != 0);
}

/*
 * A stable sort, fast for the few labels of a sample, which are mostly sorted.
 */
static void insertion_sort(struct prof_label *v, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct prof_label x = v[i];
        size_t j = i;
        for (; j && order(&v[j - 1], &x) > 0; j--)
            v[j] = v[j - 1];
        v[j] = x;
    }
}

/* A stable bottom-up merge sort, for the many labels of a hostile sample. */
static bool merge_sort(struct prof_label *v, size_t n, struct prof_err *err)
{
    struct prof_label *tmp = mem_array(n, sizeof *tmp);
    if (!tmp)
        return err_nomem(err);
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t lo = 0; lo < n; lo += 2 * width) {
            size_t mid = lo + width < n ? lo + width : n;
            size_t hi = mid + width < n ? mid + width : n;
            size_t a = lo, b = mid, k = lo;
            while (a < mid && b < hi)
                tmp[k++] = order(&v[a], &v[b]) <= 0 ? v[a++] : v[b++];
            while (a < mid)
                tmp[k++] = v[a++];
            while (b < hi)
                tmp[k++] = v[b++];
        }
        memcpy(v, tmp, n * sizeof *v);
    }
    free(tmp);
    return true;
}

static uint32_t hash_of(const struct profile *p, const struct prof_label *v,
                        size_t n)
{
    uint64_t h = prof_seed(p) ^ n;
    for (size_t i = 0; i < n; i++) {
        uint64_t words[3] = {(uint64_t)v[i].num,
                             (uint64_t)v[i].key << 32 | v[i].str, v[i].unit};
        h = XXH3_64bits_withSeed(words, sizeof words, h);
    }
    return hash_fold(h);
}

static bool same(const struct prof_label *a, const struct prof_label *b,
                 size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i].num != b[i].num || a[i].key != b[i].key ||
            a[i].str != b[i].str || a[i].unit != b[i].unit)
            return false;
    return true;
}

static const struct prof_label *set_at(const struct profile *p, uint32_t set,
                                       size_t *n)
{
    *n = (size_t)(p->labelset_off[set + 1] - p->labelset_off[set]);
    return p->labels + p->labelset_off[set];
}

/* Adds all sets to the index that it lacks: none, or all. */
static bool fill_index(struct profile *p)
{
    struct hashidx *index = &p->labelset_index;
    for (uint32_t set = (uint32_t)index->n + 1; set < p->n_labelsets; set++) {
        size_t n;
        const struct prof_label *v = set_at(p, set, &n);
        const uint32_t hash = hash_of(p, v, n);
        if (!hashidx_room(index))
            return false;
        size_t at = hashidx_start(index, hash);
        while (hashidx_next(index, hash, &at) != HASHIDX_NONE)
            ;
        hashidx_put(index, at, hash, set);
    }
    return true;
}

static bool sort_labels(struct prof_label *labels, size_t n,
                        struct prof_err *err)
{
    if (n > 16)
        return merge_sort(labels, n, err);
    insertion_sort(labels, n);
    return true;
}

bool prof_sort_labels(struct profile *p, struct prof_err *err)
{
    for (size_t set = 1; set < p->n_labelsets; set++) {
        const uint64_t *off = &p->labelset_off[set];
        if (!sort_labels(p->labels + off[0], (size_t)(off[1] - off[0]), err))
            return false;
    }
    hashidx_free(&p->labelset_index);
    return true;
}

bool prof_labelset(struct profile *p, struct prof_label *labels, size_t n,
                   uint32_t *set, struct prof_err *err)
{
    *set = 0;
    if (!n)
        return true;
    if (!sort_labels(labels, n, err))
        return false;
    struct hashidx *index = &p->labelset_index;
    if (!fill_index(p) || !hashidx_room(index))
        return err_nomem(err);
    const uint32_t hash = hash_of(p, labels, n);
    size_t at = hashidx_start(index, hash);
    while ((*set = hashidx_next(index, hash, &at)) != HASHIDX_NONE) {
        size_t k;
        const struct prof_label *v = set_at(p, *set, &k);
        if (k == n && same(v, labels, n))
            return true;
    }
    if (p->n_labelsets >= PROF_NONE - 1)
        return err_input(err, "more than 4294967294 label sets");
    if (!vec_grow((void **)&p->labels, &p->cap_labels, p->n_labels + n,
                  sizeof *p->labels) ||
        !vec_grow((void **)&p->labelset_off, &p->cap_labelset_off,
                  p->n_labelsets + 2, sizeof *p->labelset_off))
        return err_nomem(err);
    memcpy(p->labels + p->n_labels, labels, n * sizeof *labels);
    p->n_labels += n;
    *set = (uint32_t)p->n_labelsets++;
    p->labelset_off[*set + 1] = p->n_labels;
    hashidx_put(index, at, hash, *set);
    return true;
}

/*
 * What is known of a key: whether it has numbers, and whether a warning was
 * given.
 */
enum { HAS_NUMBERS = 1, TOLD = 2 };

static void see_set(const struct profile *p, uint32_t set, uint32_t *unit,
                    uint8_t *seen, const struct prof_notes *notes)
{
    for (uint64_t i = p->labelset_off[set]; i < p->labelset_off[set + 1]; i++) {
        const struct prof_label *l = &p->labels[i];
        if (l->str)
            continue;
        seen[l->key] |= HAS_NUMBERS;
        if (!l->unit || l->unit == unit[l->key])
            continue;
        if (!unit[l->key]) {
            unit[l->key] = l->unit;
        } else if (!(seen[l->key] & TOLD)) {
            seen[l->key] |= TOLD;
            note_warn(notes,
                      "label %s: numbers with unit %s and %s are mixed; the "
                      "first unit is used",
                      prof_show(p, l->key).text,
                      prof_show(p, unit[l->key]).text,
                      prof_show(p, l->unit).text);
        }
    }
}

bool prof_label_units(struct profile *p, uint32_t **unit,
                      const struct prof_notes *notes, struct prof_err *err)
{
    uint32_t bytes;
    *unit = NULL;
    if (!prof_str(p, "bytes", &bytes, err))
        return false;
    uint32_t n = p->strings.n;
    uint8_t *seen = mem_zarray(n, 1), *set_seen = mem_zarray(p->n_labelsets, 1);
    *unit = mem_zarray(n, sizeof **unit);
    bool ok = seen && set_seen && *unit;
    for (size_t s = 0; ok && s < p->n_samples; s++) {
        uint32_t set = p->labelset[s];
        if (!set_seen[set])
            see_set(p, set, *unit, seen, notes);
        set_seen[set] = 1;
    }
    for (uint32_t key = 0; ok && key < n; key++) {
        struct prof_slice name = prof_text(p, key);
        bool is_of_bytes =
            slice_is(name, "alignment") || slice_is(name, "request");
        if ((seen[key] & HAS_NUMBERS) && !(*unit)[key])
            (*unit)[key] = is_of_bytes ? bytes : key;
    }
    free(seen);
    free(set_seen);
    if (!ok)
        return err_nomem(err);
    /* Replace a unit that has a NUL by the text that shows it. */
    for (uint32_t key = 0; ok && key < n; key++)
        if ((*unit)[key] && !*prof_plain(p, (*unit)[key]))
            ok = prof_shown_id(p, (*unit)[key], &(*unit)[key], err);
    return ok;
}
