#include "report/data/columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/vec.h"

/* What makes labels one column. */
struct kind {
    uint32_t key, unit;
    bool is_string;
    uint32_t column;
    size_t at, n; /* its name */
};

struct kinds {
    const struct profile *p;
    VEC(struct kind) v;
    struct hashidx index;
    struct buf text;
};

static void kinds_free(struct kinds *k)
{
    vec_free(&k->v);
    hashidx_free(&k->index);
    buf_free(&k->text);
}

static bool put_name(struct buf *to, const struct profile *p, uint32_t id)
{
    return buf_put(to, strtab_str(&p->strings, id),
                   strtab_len(&p->strings, id));
}

static bool name_kind(struct kinds *k, struct kind *kind)
{
    kind->at = k->text.n;
    if (!buf_puts(&k->text, "label:") || !put_name(&k->text, k->p, kind->key))
        return false;
    if (kind->unit &&
        (!buf_putc(&k->text, '/') || !put_name(&k->text, k->p, kind->unit)))
        return false;
    kind->n = k->text.n - kind->at;
    return true;
}

static uint32_t hash_of(const struct profile *p, const struct kind *k)
{
    uint64_t names = (uint64_t)k->key << 32 | k->unit;
    return mix_fold(mix_pair(prof_seed(p), names, k->is_string));
}

/* Where the label's kind is in k->v. */
static bool find_or_add(struct kinds *k, const struct prof_label *l,
                        uint32_t *which, struct err *err)
{
    struct kind kind = {.key = l->key, .is_string = l->str != 0};
    kind.unit = l->str ? 0 : l->unit;
    uint32_t hash = hash_of(k->p, &kind);
    if (!hashidx_room(&k->index))
        return err_nomem(err);
    size_t at = hashidx_start(&k->index, hash);
    while ((*which = hashidx_next(&k->index, hash, &at)) != HASHIDX_NONE) {
        const struct kind *old = &k->v.v[*which];
        if (old->key == kind.key && old->unit == kind.unit &&
            old->is_string == kind.is_string)
            return true;
    }
    if (k->v.n == COLUMNS_MAX_LABELS)
        return err_set(err, ERR_INPUT,
                       "labels are of more than %d kinds, too many for "
                       "columns; --jsonl has no columns",
                       COLUMNS_MAX_LABELS);
    *which = (uint32_t)k->v.n;
    if (!name_kind(k, &kind) || !vec_push(&k->v, kind))
        return err_nomem(err);
    hashidx_put(&k->index, at, hash, *which);
    return true;
}

/* By label set: whether a sample has it. */
static bool *used_sets(const struct profile *p)
{
    bool *used = mem_zarray(p->n_labelsets, sizeof *used);
    for (size_t s = 0; used && s < p->n_samples; s++)
        used[p->labelset[s]] = true;
    return used;
}

/* Sets label_column to places in k->v, for now. */
static bool collect(struct kinds *k, uint32_t *label_column, struct err *err)
{
    const struct profile *p = k->p;
    bool *used = used_sets(p), ok = used || err_nomem(err);
    for (size_t set = 0; ok && set < p->n_labelsets; set++) {
        uint64_t i = p->labelset_off[set], end = p->labelset_off[set + 1];
        for (; ok && used[set] && i < end; i++)
            ok = find_or_add(k, &p->labels[i], &label_column[i], err);
    }
    free(used);
    return ok;
}

static int by_name(const void *a, const void *b, void *ctx)
{
    const struct kinds *k = ctx;
    const struct kind *x = &k->v.v[*(const uint32_t *)a];
    const struct kind *y = &k->v.v[*(const uint32_t *)b];
    size_t n = x->n < y->n ? x->n : y->n;
    int c = memcmp(k->text.v + x->at, k->text.v + y->at, n);
    if (!c)
        c = (x->n > y->n) - (x->n < y->n);
    /* "a" in the unit "b", and a string of the key "a/b". */
    return c ? c : x->is_string - y->is_string;
}

static bool add_column(struct columns *c, size_t column, struct buf *name)
{
    uint32_t id;
    while (strtab_find(&c->names, (const char *)name->v, name->n, &id))
        if (!buf_printf(name, "#%zu", column + 1))
            return false;
    return strtab_add(&c->names, (const char *)name->v, name->n,
                      &c->name[column]);
}

static bool name_columns(struct columns *c, const struct kinds *k,
                         const uint32_t *order)
{
    const struct profile *p = k->p;
    struct buf name = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < c->n_types; i++) {
        name.n = 0;
        ok = put_name(&name, p, p->types[i].type) && buf_putc(&name, '/') &&
             put_name(&name, p, p->types[i].unit) && add_column(c, i, &name);
    }
    for (size_t i = 0; ok && i < k->v.n; i++) {
        const struct kind *kind = &k->v.v[order[i]];
        name.n = 0;
        ok = buf_put(&name, k->text.v + kind->at, kind->n) &&
             add_column(c, c->n_types + i, &name);
    }
    buf_free(&name);
    return ok;
}

/* Kinds in the order of their names; labels get the columns. */
static bool sort_kinds(struct columns *c, struct kinds *k)
{
    uint32_t *order = mem_array(k->v.n, sizeof *order);
    c->n_labels = k->v.n;
    c->name = mem_array(c->n_types + c->n_labels, sizeof *c->name);
    bool ok = order && c->name;
    for (size_t i = 0; ok && i < k->v.n; i++)
        order[i] = (uint32_t)i;
    if (ok && k->v.n)
        qsort_r(order, k->v.n, sizeof *order, by_name, k);
    for (size_t i = 0; ok && i < k->v.n; i++)
        k->v.v[order[i]].column = (uint32_t)i;
    for (size_t i = 0; ok && k->v.n && i < k->p->n_labels; i++)
        c->label_column[i] = k->v.v[c->label_column[i]].column;
    ok = ok && name_columns(c, k, order);
    free(order);
    return ok;
}

bool columns_init(struct columns *c, const struct profile *p, bool labels,
                  struct err *err)
{
    struct kinds k = {.p = p};
    memset(c, 0, sizeof *c);
    c->n_types = p->n_types;
    /* Labels that no sample has are of any kind. */
    c->label_column = mem_zarray(p->n_labels, sizeof *c->label_column);
    bool ok = (c->label_column && strtab_init(&c->names)) || err_nomem(err);
    ok = ok && (!labels || collect(&k, c->label_column, err)) &&
         (sort_kinds(c, &k) || err_nomem(err));
    kinds_free(&k);
    return ok;
}

void columns_free(struct columns *c)
{
    strtab_free(&c->names);
    free(c->name);
    free(c->label_column);
    memset(c, 0, sizeof *c);
}
