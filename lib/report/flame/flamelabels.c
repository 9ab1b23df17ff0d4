/*
 * flamelabels.c - writes the labels of samples for the page of --flame
 *
 * The page sums values by label, and can show only the samples with some
 * label.  So it needs to know which part of a node's own values has which
 * labels.
 *
 * The data: the length of a header (u32, little-endian), the header as JSON,
 * and numbers as in flame.c, one column after the other:
 *
 *      size[sets]               how many labels sets from 1 on have: set 0 has
 *                               none
 *      label[all of these]      indexes in list
 *      count[nodes]             how many sets the samples have that end in it
 *      set[all of these]
 *      z value[sums][...]       of each of them but the last of a node, which
 *                               has what the others leave of the node's own
 *                               values.  The sums are the types, then those of
 *                               the base, if there is one
 *
 * If that is too much, or if nodes were merged, there are only totals:
 *
 *      z total[sums][labels]
 *
 * The header is an object of
 *
 *      keys      {"name", "unit", "many"} of each key: the unit of its numbers,
 *                and whether it has more than MOST_VALUES values, which are
 *                omitted
 *      list      {"key", "text", "number"} of each label: the key's index, the
 *                text that --tags prints, and of a number all its digits
 *      sets      how many sets from 1 on
 *      lacks     a sentence that says why there are only totals, or ""
 *
 * In a difference, the label that marks samples of the base is not a label
 * here.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "profile/columns.h"
#include "report/escape.h"
#include "report/flame/private.h"
#include "report/graph/graph.h"

/* More values, such as times, are too many to choose from. */
enum { MOST_VALUES = 1000 };

struct key {
    uint32_t name;     /* string id */
    uint32_t n_values; /* up to MOST_VALUES + 1 */
};

struct label {
    uint32_t key; /* row of keys */
    uint32_t str; /* string id; 0: a number */
    int64_t num;
    uint32_t number; /* index in the header; PROF_NONE: omitted */
};

struct flame_labels {
    struct profile *p;             /* not owned, */
    const struct flame_tree *tree; /* .. nor is this */
    uint32_t *unit;      /* by string id of a key: the unit of its numbers */
    struct map key_rows; /* string ids of keys: rows of `keys` */
    struct map label_rows;
    VEC(struct key) keys;
    VEC(struct label) labels;
    uint32_t *row_of;    /* by label of the profile: its row; PROF_NONE: none */
    struct map set_rows; /* row i is set i + 1 */
    VEC(uint32_t) set_labels, set_sizes;
    uint32_t *set_of;  /* by label set of the profile: its row in set_rows plus
                          1; 0: no labels to show */
    bool *is_used;     /* by label set: samples of the tree have it */
    size_t n_numbered; /* number of labels in the header */
    VEC(uint32_t) counts; /* by node: how many sets */
    VEC(uint32_t) sets;   /* those of all nodes, in turn */
    VEC(int64_t) values;  /* sums of each of these sets */
};

/* --- values --- */

/* Returns whether the sample is in the tree: it has a value of some type. */
static bool is_in_tree(const struct flame_labels *l, size_t s)
{
    const struct flame_tree *t = l->tree;
    const int64_t *v = l->p->values + s * l->p->n_types + t->first_type;
    for (size_t i = 0; i < t->n_types; i++)
        if (v[i])
            return true;
    return false;
}

/* --- labels and their sets --- */

/* Returns whether a label marks samples of the base. */
static bool marks_base(const struct flame_labels *l,
                       const struct prof_label *label)
{
    return l->tree->diff && label->str &&
           slice_is(prof_text(l->p, label->key), GRAPH_BASE_KEY) &&
           slice_is(prof_text(l->p, label->str), GRAPH_BASE_VALUE);
}

/*
 * Sets *row to the row of a label, or to PROF_NONE if its key has too many
 * values.
 */
static bool add_label(struct flame_labels *l, const struct prof_label *from,
                      uint32_t *row)
{
    struct label label = {.str = from->str, .num = from->str ? 0 : from->num};
    bool is_new;
    *row = PROF_NONE;
    if (marks_base(l, from))
        return true;
    if (!map_push(&l->key_rows, &l->keys, &from->key, sizeof from->key,
                  &label.key, (struct key){.name = from->key}))
        return false;
    struct key *key = &l->keys.v[label.key];
    if (key->n_values > MOST_VALUES)
        return true;
    const int64_t id[] = {label.key, label.str, label.num};
    if (!map_add(&l->label_rows, id, sizeof id, row, &is_new))
        return false;
    key->n_values += is_new;
    return !is_new || vec_push(&l->labels, label);
}

static bool list_labels(struct flame_labels *l)
{
    const struct profile *p = l->p;
    l->is_used = mem_zarray(p->n_labelsets, sizeof *l->is_used);
    l->row_of = mem_array(p->n_labels, sizeof *l->row_of);
    bool ok = l->is_used && l->row_of;
    for (size_t s = 0; ok && s < p->n_samples; s++)
        l->is_used[p->labelset[s]] |= is_in_tree(l, s);
    for (size_t set = 0; ok && set < p->n_labelsets; set++) {
        const uint64_t end = l->is_used[set] ? p->labelset_off[set + 1] : 0;
        for (uint64_t i = p->labelset_off[set]; ok && i < end; i++)
            ok = add_label(l, &p->labels[i], &l->row_of[i]);
    }
    /* Which keys have too many values is known only now. */
    for (size_t i = 0; ok && i < l->labels.n; i++) {
        struct label *label = &l->labels.v[i];
        const bool many = l->keys.v[label->key].n_values > MOST_VALUES;
        label->number = many ? PROF_NONE : (uint32_t)l->n_numbered++;
    }
    return ok;
}

/* Adds the set of those labels that are in the header. */
static bool add_set(struct flame_labels *l, size_t set)
{
    const struct profile *p = l->p;
    const size_t begin = l->set_labels.n;
    uint32_t row;
    bool is_new, ok = true;
    for (uint64_t i = p->labelset_off[set]; ok && i < p->labelset_off[set + 1];
         i++) {
        row = l->row_of[i];
        if (row != PROF_NONE && l->labels.v[row].number != PROF_NONE)
            ok = vec_push(&l->set_labels, l->labels.v[row].number);
    }
    const size_t n = l->set_labels.n - begin;
    if (!ok || !n)
        return ok;
    ok = map_add(&l->set_rows, l->set_labels.v + begin,
                 n * sizeof *l->set_labels.v, &row, &is_new);
    if (!ok)
        return false;
    l->set_of[set] = row + 1;
    if (is_new)
        return vec_push(&l->set_sizes, (uint32_t)n);
    l->set_labels.n = begin;
    return true;
}

static bool make_sets(struct flame_labels *l)
{
    l->set_of = mem_zarray(l->p->n_labelsets, sizeof *l->set_of);
    bool ok = l->set_of;
    for (size_t set = 0; ok && set < l->p->n_labelsets; set++)
        ok = !l->is_used[set] || add_set(l, set);
    return ok;
}

/* --- sets by node --- */

/*
 * Sets *order to the samples of the tree, sorted by node, and *first to the
 * index of the first one of each node.
 */
static bool sort_samples(const struct flame_labels *l, uint32_t **order,
                         size_t **first)
{
    const size_t n_nodes = l->tree->nodes.n;
    const uint32_t *node_of = l->tree->node_of;
    *order = mem_array(l->p->n_samples, sizeof **order);
    *first = mem_zarray(n_nodes + 2, sizeof **first);
    if (!*order || !*first)
        return false;
    for (size_t s = 0; s < l->p->n_samples; s++)
        if (node_of[s] != PROF_NONE)
            (*first)[node_of[s] + 2]++;
    for (size_t i = 2; i < n_nodes + 2; i++)
        (*first)[i] += (*first)[i - 1];
    for (size_t s = 0; s < l->p->n_samples; s++)
        if (node_of[s] != PROF_NONE)
            (*order)[(*first)[node_of[s] + 1]++] = (uint32_t)s;
    return true;
}

/*
 * Adds the label sets of the samples of one node.  `place` has, by set, its
 * last index in l->sets plus 1.
 */
static bool add_node(struct flame_labels *l, const uint32_t *samples, size_t n,
                     size_t *place)
{
    const size_t n_sums = l->tree->n_sums, begin = l->sets.n;
    for (size_t i = 0; i < n; i++) {
        const uint32_t set = l->set_of[l->p->labelset[samples[i]]];
        if (place[set] <= begin) {
            if (!vec_push(&l->sets, set) || !vec_reserve(&l->values, n_sums))
                return false;
            memset(l->values.v + l->values.n, 0, n_sums * sizeof *l->values.v);
            l->values.n += n_sums;
            place[set] = l->sets.n;
        }
        flame_add_sample(l->tree, l->p, samples[i],
                         l->values.v + (place[set] - 1) * n_sums);
    }
    return vec_push(&l->counts, (uint32_t)(l->sets.n - begin));
}

static bool add_nodes(struct flame_labels *l)
{
    uint32_t *order = NULL;
    size_t *first = NULL;
    size_t *place = mem_zarray(l->set_sizes.n + 1, sizeof *place);
    bool ok = place && sort_samples(l, &order, &first);
    for (size_t i = 0; ok && i < l->tree->nodes.n; i++)
        ok = add_node(l, order + first[i], first[i + 1] - first[i], place);
    free(order);
    free(first);
    free(place);
    return ok;
}

struct flame_labels *flame_labels_new(struct report *r, const struct flame *f,
                                      struct prof_err *err)
{
    struct flame_labels *l = mem_new(sizeof *l, err);
    if (!l)
        return NULL;
    l->p = r->p;
    l->tree = &f->tree;
    bool ok = prof_label_units(l->p, &l->unit, NULL, err) &&
              ((list_labels(l) && make_sets(l) &&
                (!f->tree.node_of || add_nodes(l))) ||
               err_nomem(err));
    if (ok)
        return l;
    flame_labels_free(l);
    return NULL;
}

void flame_labels_free(struct flame_labels *l)
{
    if (!l)
        return;
    free(l->unit);
    map_free(&l->key_rows);
    map_free(&l->label_rows);
    map_free(&l->set_rows);
    vec_free(&l->keys);
    vec_free(&l->labels);
    free(l->row_of);
    vec_free(&l->set_labels);
    vec_free(&l->set_sizes);
    free(l->set_of);
    free(l->is_used);
    vec_free(&l->counts);
    vec_free(&l->sets);
    vec_free(&l->values);
    free(l);
}

/* --- the data --- */

static bool put_text(struct buf *out, const struct profile *p, uint32_t id)
{
    return json_put_string(out, &p->strings, id, NULL);
}

static bool put_label(struct buf *out, const struct flame_labels *l,
                      const struct label *label)
{
    const uint32_t unit = l->unit[l->keys.v[label->key].name];
    const char *from = prof_plain(l->p, unit);
    bool ok = buf_printf(out, "{\"key\":%" PRIu32 ",\"text\":", label->key);
    if (label->str)
        return ok && put_text(out, l->p, label->str) && buf_putc(out, '}');
    struct buf text = {0};
    ok = ok && report_put_measure(&text, label->num, from, "minimum") &&
         json_put_text(out, text.v, text.n, NULL) &&
         buf_printf(out, ",\"number\":\"%" PRId64 "\"}", label->num);
    buf_free(&text);
    return ok;
}

static bool put_header(struct buf *out, const struct flame_labels *l,
                       const char *lacks)
{
    const char *between = "";
    bool ok = buf_puts(out, "{\"keys\":[");
    for (size_t i = 0; ok && i < l->keys.n; i++) {
        const struct key *key = &l->keys.v[i];
        const bool many = key->n_values > MOST_VALUES;
        ok = buf_puts(out, i ? ",{\"name\":" : "{\"name\":") &&
             put_text(out, l->p, key->name) && buf_puts(out, ",\"unit\":") &&
             put_text(out, l->p, l->unit[key->name]) &&
             buf_printf(out, ",\"many\":%s}", many ? "true" : "false");
    }
    ok = ok && buf_puts(out, "],\"list\":[");
    for (size_t i = 0; ok && i < l->labels.n; i++) {
        if (l->labels.v[i].number == PROF_NONE)
            continue;
        ok = buf_puts(out, between) && put_label(out, l, &l->labels.v[i]);
        between = ",";
    }
    return ok && buf_printf(out, "],\"sets\":%zu,\"lacks\":\"%s\"}",
                            l->set_sizes.n, lacks);
}

static bool put_numbers(struct buf *out, const uint32_t *v, size_t n)
{
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        ok = buf_put_leb128(out, v[i]);
    return ok;
}

static bool put_nodes(struct buf *out, const struct flame_labels *l)
{
    const size_t n_sums = l->tree->n_sums;
    bool ok = put_numbers(out, l->set_sizes.v, l->set_sizes.n) &&
              put_numbers(out, l->set_labels.v, l->set_labels.n) &&
              put_numbers(out, l->counts.v, l->counts.n) &&
              put_numbers(out, l->sets.v, l->sets.n);
    for (size_t k = 0; k < n_sums; k++)
        for (size_t i = 0, at = 0; ok && i < l->counts.n; i++) {
            const size_t end = at + l->counts.v[i];
            for (; ok && at + 1 < end; at++)
                ok = buf_put_leb128(out,
                                    flame_zigzag(l->values.v[at * n_sums + k]));
            at = end;
        }
    return ok;
}

static bool put_totals(struct buf *out, const struct flame_labels *l)
{
    const struct profile *p = l->p;
    const size_t n_sums = l->tree->n_sums;
    int64_t *sums = mem_zarray(l->n_numbered, n_sums * sizeof *sums);
    bool ok = sums;
    for (size_t s = 0; ok && s < p->n_samples; s++) {
        const uint32_t set = p->labelset[s];
        const uint64_t end = is_in_tree(l, s) ? p->labelset_off[set + 1] : 0;
        for (uint64_t i = p->labelset_off[set]; i < end; i++) {
            const uint32_t row = l->row_of[i];
            if (row == PROF_NONE || l->labels.v[row].number == PROF_NONE)
                continue;
            flame_add_sample(l->tree, p, s,
                             sums + l->labels.v[row].number * n_sums);
        }
    }
    for (size_t k = 0; k < n_sums; k++)
        for (size_t i = 0; ok && i < l->n_numbered; i++)
            ok = buf_put_leb128(out, flame_zigzag(sums[i * n_sums + k]));
    free(sums);
    return ok;
}

bool flame_labels_put(const struct flame_labels *l, bool only_totals,
                      struct buf *out, struct prof_err *err)
{
    const char *lacks = "";
    const size_t at = out->n;
    if (!l->keys.n)
        return true;
    if (!l->tree->node_of)
        lacks =
            TEXT("This page cannot filter by labels, since boxes were merged.");
    else if (only_totals)
        lacks =
            TEXT("This page cannot filter by labels, which would make it 50% "
                 "larger.");
    if (!buf_put(out, "\0\0\0\0", 4) || !put_header(out, l, lacks))
        return err_nomem(err);
    return flame_put_length(out, at, err) &&
           ((*lacks ? put_totals(out, l) : put_nodes(out, l)) ||
            err_nomem(err));
}
