/* tags.c - --tags: for each label key the share of each of its values. */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "profile/columns.h"
#include "report/text/private.h"

/* A label's key with one of its values, as text. */
struct tag {
    uint32_t key, text; /* string ids */
    int64_t value;      /* sum over the samples that have it */
};

struct tags {
    struct profile *p;
    VEC(struct tag) v;
};

bool label_text(const struct report *r, const struct prof_label *l,
                uint32_t *id, struct prof_err *err)
{
    *id = l->str;
    if (l->str)
        return true;
    /* A number is shown in the unit of the options. */
    const char *from = prof_plain(r->p, r->label_unit[l->key]);
    struct buf text = {0};
    bool ok = (report_put_measure(&text, l->num, from, r->opts->unit) ||
               err_nomem(err)) &&
              prof_strn(r->p, (const char *)text.v, text.n, id, err);
    buf_free(&text);
    return ok;
}

/* Adds a tag for each label of each label set that samples have. */
static bool list_tags(const struct report *r, struct tags *t,
                      struct prof_err *err)
{
    const struct profile *p = r->p;
    int64_t *sum = mem_zarray(p->n_labelsets, sizeof *sum);
    bool *seen = mem_zarray(p->n_labelsets, sizeof *seen), fits = true;
    bool ok = (sum && seen) || err_nomem(err);
    for (size_t s = 0; ok && s < p->n_samples; s++) {
        uint32_t set = p->labelset[s];
        int64_t value = p->values[s * p->n_types + r->type];
        fits &= !__builtin_add_overflow(sum[set], value, &sum[set]);
        seen[set] = true;
    }
    if (ok && !fits)
        ok = err_input(
            err, "the values of samples with equal labels exceed 64 bits");
    for (size_t set = 0; ok && set < p->n_labelsets; set++) {
        uint64_t end = seen[set] ? p->labelset_off[set + 1] : 0;
        for (uint64_t i = p->labelset_off[set]; ok && i < end; i++) {
            const struct prof_label *l = &p->labels[i];
            struct tag tag = {l->key, 0, sum[set]};
            ok = label_text(r, l, &tag.text, err) &&
                 (vec_push(&t->v, tag) || err_nomem(err));
        }
    }
    free(sum);
    free(seen);
    return ok;
}

static int same_tags(const void *a, const void *b)
{
    const struct tag *x = a, *y = b;
    const int c = ORDER(x->key, y->key);
    return c ? c : ORDER(x->text, y->text);
}

/* Orders tags by key, then by weight, heaviest first, then by name. */
static int tag_order(const void *a, const void *b, void *strings)
{
    const struct tag *x = a, *y = b;
    if (x->key != y->key)
        return strtab_cmp(strings, x->key, y->key);
    uint64_t v = graph_abs(x->value), w = graph_abs(y->value);
    const int c = ORDER(w, v);
    return c ? c : strtab_cmp(strings, x->text, y->text);
}

static bool too_large(const struct profile *p, uint32_t key,
                      struct prof_err *err)
{
    return err_input(err,
                     "the values of samples with label '%s' exceed 64 bits",
                     prof_show(p, key).text);
}

/* Merges tags of the same key and text, and sorts them as they are shown. */
static bool merge_tags(struct tags *t, struct prof_err *err)
{
    size_t n = 0;
    if (!t->v.n)
        return true;
    vec_sort(&t->v, same_tags);
    for (size_t i = 1; i < t->v.n; i++) {
        struct tag *to = &t->v.v[n], *from = &t->v.v[i];
        if (same_tags(to, from) != 0)
            t->v.v[++n] = *from;
        else if (__builtin_add_overflow(to->value, from->value, &to->value))
            return too_large(t->p, from->key, err);
    }
    t->v.n = n + 1;
    vec_sort_by(&t->v, tag_order, &t->p->strings);
    return true;
}

/*
 * Appends the share of the total, " (10.00%)", unless the total is 0 or less.
 */
static bool put_share(const struct report *r, int64_t value, struct buf *to)
{
    char share[MEASURE_TEXT];
    return r->total <= 0 ||
           buf_printf(to, " (%s)",
                      measure_percent(share, sizeof share, value, r->total));
}

/* Sets *cell to "12.50s (10.00%)". */
static bool make_cell(struct report *r, int64_t value, struct buf *cell)
{
    cell->n = 0;
    return buf_puts(cell, report_value(r, value)) && put_share(r, value, cell);
}

/* Writes the tags v[0 .. n) of one key, in two columns below the key. */
static bool put_key(struct report *r, const struct tag *v, size_t n,
                    struct buf *cell, struct prof_err *err)
{
    size_t left, width = 0;
    int64_t total = 0;
    cell->n = 0;
    if (!report_put_name(r, v->key, cell))
        return err_nomem(err);
    left = utf8_count(cell->v, cell->n) + 2;
    for (size_t i = 0; i < n; i++) {
        if (!make_cell(r, v[i].value, cell))
            return err_nomem(err);
        size_t k = utf8_count(cell->v, cell->n);
        width = k > width ? k : width;
        if (__builtin_add_overflow(total, v[i].value, &total))
            return too_large(r->p, v->key, err);
    }
    bool ok = buf_putc(r->out, ' ') && report_put_name(r, v->key, r->out) &&
              buf_printf(r->out, ": Total %s of ", report_value(r, total)) &&
              buf_puts(r->out, report_value(r, r->total)) &&
              put_share(r, total, r->out) && buf_putc(r->out, '\n');
    for (size_t i = 0; ok && i < n; i++)
        ok = report_put_right(r->out, "", 0, left + 1) &&
             make_cell(r, v[i].value, cell) &&
             report_put_right(r->out, cell->v, cell->n, width) &&
             buf_puts(r->out, ": ") && report_put_name(r, v[i].text, r->out) &&
             buf_putc(r->out, '\n') && report_flush(r);
    return (ok && buf_putc(r->out, '\n')) || err_nomem(err);
}

static bool put_data_rows(struct report *r, const struct tags *t)
{
    struct rows rows;
    bool ok = rows_begin(&rows, r);
    for (size_t i = 0; ok && i < t->v.n; i++) {
        const struct tag *v = &t->v.v[i];
        ok = rows_put(&rows, &(struct row){.kind = "tag",
                                           .of = prof_text(r->p, v->key),
                                           .name = prof_text(r->p, v->text),
                                           .cum = v->value});
    }
    return rows_end(&rows, ok);
}

static bool print_tags(struct report *r, struct prof_err *err)
{
    struct tags t = {.p = r->p};
    struct buf cell = {0};
    bool ok = list_tags(r, &t, err) && merge_tags(&t, err);
    if (ok && r->opts->rows)
        ok = put_data_rows(r, &t) || err_nomem(err);
    for (size_t i = 0, n; ok && !r->opts->rows && i < t.v.n; i += n) {
        const struct tag *v = &t.v.v[i];
        for (n = 1; i + n < t.v.n && v[n].key == v->key;)
            n++;
        ok = put_key(r, v, n, &cell, err);
    }
    if (ok && r->opts->mean)
        note_warn(r->notes, "--tags: --mean divides only the total (as in "
                            "pprof); percentages are meaningless");
    vec_free(&t.v);
    buf_free(&cell);
    return ok;
}

const struct report_format report_tags = {
    .name = "tags",
    .has_rows = true,
    .help = "print values by label",
    .common = true,
    .suffixes = "txt",
    .needs = REPORT_FRAMES | REPORT_LABELS,
    .ignores = REPORT_NO_ROWS | REPORT_NO_DETAIL | REPORT_NO_INLINING,
    .print = print_tags,
};
