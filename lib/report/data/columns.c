/* columns.c - names of sample types and labels as columns of a table */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/system.h"
#include "profile/columns.h"
#include "report/data/private.h"

/* Labels of one column: same key and unit, and all strings or all numbers. */
struct label_kind {
    bool is_string;
    uint32_t column;
    size_t at, n; /* its name, in label_kinds.text */
};

struct label_kinds {
    const struct profile *p;
    VEC(struct label_kind) v;
    struct map rows; /* of v */
    struct buf text;
};

/* Sets *which to the label's kind, an index in k->v. */
static bool find_kind(struct label_kinds *k, const struct prof_label *l,
                      uint32_t *which, struct prof_err *err)
{
    const uint32_t id[] = {l->key, l->str ? 0 : l->unit, l->str != 0};
    bool is_new;
    if (!map_add(&k->rows, id, sizeof id, which, &is_new))
        return err_nomem(err);
    if (!is_new)
        return true;
    if (k->v.n == COLUMNS_MAX_LABELS)
        return err_input(
            err,
            "more than %d kinds of labels, too many for columns; use --jsonl",
            COLUMNS_MAX_LABELS);
    struct label_kind new = {.is_string = l->str != 0, .at = k->text.n};
    bool ok =
        buf_puts(&k->text, "label:") && prof_put_text(&k->text, k->p, l->key) &&
        (!id[1] ||
         (buf_putc(&k->text, '/') && prof_put_text(&k->text, k->p, id[1])));
    new.n = k->text.n - new.at;
    return (ok && vec_push(&k->v, new)) || err_nomem(err);
}

static int kind_order(const void *a, const void *b, void *ctx)
{
    const struct label_kinds *k = ctx;
    const struct label_kind *x = &k->v.v[*(const uint32_t *)a];
    const struct label_kind *y = &k->v.v[*(const uint32_t *)b];
    const char *text = (const char *)k->text.v;
    int c = slice_compare((struct prof_slice){text + x->at, x->n},
                          (struct prof_slice){text + y->at, y->n});
    /* A number "a" in unit "b" and a string of key "a/b" have the same name. */
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

static bool name_columns(struct columns *c, const struct label_kinds *k,
                         const uint32_t *order)
{
    const struct profile *p = k->p;
    struct buf name = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < c->n_types; i++) {
        name.n = 0;
        ok = prof_put_text(&name, p, p->types[i].type) &&
             buf_putc(&name, '/') &&
             prof_put_text(&name, p, p->types[i].unit) &&
             add_column(c, i, &name);
    }
    for (size_t i = 0; ok && i < k->v.n; i++) {
        const struct label_kind *kind = &k->v.v[order[i]];
        name.n = 0;
        ok = buf_put(&name, k->text.v + kind->at, kind->n) &&
             add_column(c, c->n_types + i, &name);
    }
    buf_free(&name);
    return ok;
}

/* Sorts the kinds by name and sets the column of each label. */
static bool sort_kinds(struct columns *c, struct label_kinds *k)
{
    uint32_t *order = mem_array(k->v.n, sizeof *order);
    c->n_labels = k->v.n;
    c->name = mem_array(c->n_types + c->n_labels, sizeof *c->name);
    bool ok = order && c->name;
    for (size_t i = 0; ok && i < k->v.n; i++)
        order[i] = (uint32_t)i;
    if (ok)
        system_sort(order, k->v.n, sizeof *order, kind_order, k);
    for (size_t i = 0; ok && i < k->v.n; i++)
        k->v.v[order[i]].column = (uint32_t)i;
    for (size_t i = 0; ok && k->v.n && i < k->p->n_labels; i++)
        c->label_column[i] = k->v.v[c->label_column[i]].column;
    ok = ok && name_columns(c, k, order);
    free(order);
    return ok;
}

bool columns_init(struct columns *c, const struct profile *p, bool labels,
                  struct prof_err *err)
{
    struct label_kinds k = {.p = p};
    memset(c, 0, sizeof *c);
    c->n_types = p->n_types;
    /* Labels that no sample has may have any kind. */
    c->label_column = mem_zarray(p->n_labels, sizeof *c->label_column);
    bool *used = mem_zarray(p->n_labelsets, sizeof *used);
    bool ok =
        (c->label_column && used && strtab_init(&c->names)) || err_nomem(err);
    for (size_t s = 0; ok && s < p->n_samples; s++)
        used[p->labelset[s]] = true;
    /* Until kinds are sorted, label_column has indices in k.v. */
    for (size_t set = 0; ok && labels && set < p->n_labelsets; set++) {
        uint64_t i = p->labelset_off[set], end = p->labelset_off[set + 1];
        for (; ok && used[set] && i < end; i++)
            ok = find_kind(&k, &p->labels[i], &c->label_column[i], err);
    }
    ok = ok && (sort_kinds(c, &k) || err_nomem(err));
    free(used);
    vec_free(&k.v);
    map_free(&k.rows);
    buf_free(&k.text);
    return ok;
}

void columns_free(struct columns *c)
{
    strtab_free(&c->names);
    free(c->name);
    free(c->label_column);
    memset(c, 0, sizeof *c);
}
