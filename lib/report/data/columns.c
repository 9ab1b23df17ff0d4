/* columns.c - names of sample types and labels as columns of a table */
#include <stdlib.h>
#include <string.h>

#include "base/system.h"
#include "profile/model/text.h"
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
    struct strtab ids; /* kind i is i + 1 there */
    struct buf text;
};

static bool put_string(struct buf *to, const struct profile *p, uint32_t id)
{
    struct prof_slice text = prof_text(p, id);
    return buf_put(to, text.s, text.n);
}

/* Sets *which to the label's kind, an index in k->v. */
static bool find_kind(struct label_kinds *k, const struct prof_label *l,
                      uint32_t *which, struct prof_err *err)
{
    const uint32_t id[] = {l->key, l->str ? 0 : l->unit, l->str != 0};
    if (!strtab_add(&k->ids, (const char *)id, sizeof id, which))
        return err_nomem(err);
    if (--*which < k->v.n)
        return true;
    if (k->v.n == COLUMNS_MAX_LABELS)
        return err_set(
            err, PROF_ERR_INPUT,
            "more than %d kinds of labels, too many for columns; use --jsonl",
            COLUMNS_MAX_LABELS);
    struct label_kind new = {.is_string = l->str != 0, .at = k->text.n};
    bool ok = buf_puts(&k->text, "label:") &&
              put_string(&k->text, k->p, l->key) &&
              (!id[1] ||
               (buf_putc(&k->text, '/') && put_string(&k->text, k->p, id[1])));
    new.n = k->text.n - new.at;
    return (ok && vec_push(&k->v, new)) || err_nomem(err);
}

/* Sets label_column to indices in k->v, for now; of labels of samples only. */
static bool find_kinds(struct label_kinds *k, uint32_t *label_column,
                       struct prof_err *err)
{
    const struct profile *p = k->p;
    bool *used = mem_zarray(p->n_labelsets, sizeof *used);
    for (size_t s = 0; used && s < p->n_samples; s++)
        used[p->labelset[s]] = true;
    bool ok = (used && strtab_init(&k->ids)) || err_nomem(err);
    for (size_t set = 0; ok && set < p->n_labelsets; set++) {
        uint64_t i = p->labelset_off[set], end = p->labelset_off[set + 1];
        for (; ok && used[set] && i < end; i++)
            ok = find_kind(k, &p->labels[i], &label_column[i], err);
    }
    free(used);
    return ok;
}

static int kind_order(const void *a, const void *b, void *ctx)
{
    const struct label_kinds *k = ctx;
    const struct label_kind *x = &k->v.v[*(const uint32_t *)a];
    const struct label_kind *y = &k->v.v[*(const uint32_t *)b];
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

static bool name_columns(struct columns *c, const struct label_kinds *k,
                         const uint32_t *order)
{
    const struct profile *p = k->p;
    struct buf name = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < c->n_types; i++) {
        name.n = 0;
        ok = put_string(&name, p, p->types[i].type) && buf_putc(&name, '/') &&
             put_string(&name, p, p->types[i].unit) && add_column(c, i, &name);
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

/* Kinds in the order of their names; labels get the columns. */
static bool sort_kinds(struct columns *c, struct label_kinds *k)
{
    uint32_t *order = mem_array(k->v.n, sizeof *order);
    c->n_labels = k->v.n;
    c->name = mem_array(c->n_types + c->n_labels, sizeof *c->name);
    bool ok = order && c->name;
    for (size_t i = 0; ok && i < k->v.n; i++)
        order[i] = (uint32_t)i;
    if (ok && k->v.n)
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
    /* Labels that no sample has are of any kind. */
    c->label_column = mem_zarray(p->n_labels, sizeof *c->label_column);
    bool ok = (c->label_column && strtab_init(&c->names)) || err_nomem(err);
    ok = ok && (!labels || find_kinds(&k, c->label_column, err)) &&
         (sort_kinds(c, &k) || err_nomem(err));
    vec_free(&k.v);
    strtab_free(&k.ids);
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
