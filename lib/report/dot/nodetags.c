/* nodetags.c - sums the values of labels (tags) at the nodes of a graph */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/sort.h"
#include "profile/columns.h"
#include "report/dot/private.h"

/* --- the tags, and which samples have them --- */

/* "key:value" is text[at .. at + n). */
struct entry {
    size_t at, n;
};

/* The state of the search for tags, one label set after the other. */
struct finding {
    struct nodetags *t;
    const char *unit;     /* the unit in which numbers are printed */
    uint32_t base, bytes; /* the keys "pprof::base" and "bytes"; 0: unused */
    VEC(struct entry) entries;
    struct buf text, joined;
    struct map keys;     /* of tags: labels, kind and name */
    uint32_t *labels_of; /* by set: tag.labels */
};

static int entry_order(const void *a, const void *b, void *text)
{
    const struct entry *x = a, *y = b;
    return slice_compare((struct prof_slice){(char *)text + x->at, x->n},
                         (struct prof_slice){(char *)text + y->at, y->n});
}

/* Joins the string labels of a set in f->joined; empty if it has none. */
static bool join_labels(struct finding *f, uint32_t set)
{
    const struct profile *p = f->t->p;
    f->text.n = f->joined.n = f->entries.n = 0;
    for (uint64_t i = p->labelset_off[set]; i < p->labelset_off[set + 1]; i++) {
        const struct prof_label *l = &p->labels[i];
        struct entry e = {.at = f->text.n};
        if (!l->str || (f->base && l->key == f->base))
            continue;
        if (!prof_put_text(&f->text, p, l->key) || !buf_putc(&f->text, ':') ||
            !prof_put_text(&f->text, p, l->str))
            return false;
        e.n = f->text.n - e.at;
        if (!vec_push(&f->entries, e))
            return false;
    }
    vec_sort_by(&f->entries, entry_order, f->text.v);
    for (size_t i = 0; i < f->entries.n; i++)
        if ((i && !buf_putc(&f->joined, '\n')) ||
            !buf_put(&f->joined, f->text.v + f->entries.v[i].at,
                     f->entries.v[i].n))
            return false;
    return true;
}

/* Sets *tag to the tag with that name, which it adds if it is new. */
static bool find_tag(struct finding *f, uint32_t labels, bool is_number,
                     struct prof_slice name, uint32_t *tag)
{
    bool is_new;
    f->text.n = 0;
    if (!buf_put(&f->text, &labels, sizeof labels) ||
        !buf_putc(&f->text, is_number) || !buf_put(&f->text, name.s, name.n) ||
        !map_add(&f->keys, f->text.v, f->text.n, tag, &is_new))
        return false;
    if (!is_new)
        return true;
    struct tag new = {.labels = labels, .is_number = is_number};
    return strtab_add(&f->t->text, name.s, name.n, &new.name) &&
           vec_push(f->t, new);
}

static bool find_labels(struct finding *f, uint32_t set)
{
    struct tag_use use = {.set = set, .times = 1};
    if (!join_labels(f, set))
        return false;
    f->labels_of[set] = 0;
    return !f->joined.n || (strtab_add(&f->t->text, (char *)f->joined.v,
                                       f->joined.n, &f->labels_of[set]) &&
                            find_tag(f, f->labels_of[set], false,
                                     buf_slice(&f->joined), &use.tag) &&
                            vec_push(&f->t->uses, use));
}

static bool find_numbers(struct finding *f, uint32_t set)
{
    const struct profile *p = f->t->p;
    const char *unit = prof_plain(p, f->t->unit);
    for (uint64_t i = p->labelset_off[set]; i < p->labelset_off[set + 1]; i++) {
        const struct prof_label *l = &p->labels[i];
        struct tag_use use = {.set = set, .times = 1, .value = l->num};
        if (l->str || l->key != f->bytes)
            continue;
        f->joined.n = 0;
        if (!report_put_measure(&f->joined, l->num, unit, f->unit) ||
            !find_tag(f, f->labels_of[set], true, buf_slice(&f->joined),
                      &use.tag))
            return false;
        /* Until the uses are sorted, first_use is the last one. */
        struct nodetags *t = f->t;
        size_t *last = &t->v[use.tag].first_use;
        if (*last < t->uses.n && t->uses.v[*last].tag == use.tag &&
            t->uses.v[*last].set == set) {
            t->uses.v[*last].times++;
            continue;
        }
        *last = t->uses.n;
        if (!vec_push(&t->uses, use))
            return false;
    }
    return true;
}

static bool find_tags(struct nodetags *t, const char *unit)
{
    const struct profile *p = t->p;
    struct finding f = {.t = t, .unit = unit};
    (void)strtab_find(&p->strings, GRAPH_BASE_KEY, strlen(GRAPH_BASE_KEY),
                      &f.base);
    (void)strtab_find(&p->strings, "bytes", 5, &f.bytes);
    f.labels_of = mem_array(p->n_labelsets, sizeof *f.labels_of);
    bool ok = f.labels_of;
    for (uint32_t set = 1; ok && set < p->n_labelsets; set++)
        ok = find_labels(&f, set);
    for (uint32_t set = 1; ok && f.bytes && set < p->n_labelsets; set++)
        ok = find_numbers(&f, set);
    free(f.labels_of);
    map_free(&f.keys);
    buf_free(&f.text);
    buf_free(&f.joined);
    vec_free(&f.entries);
    return ok;
}

static int use_order(const void *a, const void *b)
{
    const struct tag_use *x = a, *y = b;
    const int c = ORDER(x->tag, y->tag);
    return c ? c : ORDER(x->set, y->set);
}

/* Sorts the samples by label set; those of a set keep their order. */
static bool sort_samples(struct nodetags *t)
{
    const struct profile *p = t->p;
    size_t *first = mem_zarray(p->n_labelsets + 1, sizeof *first);
    t->set_sample = first;
    t->order = mem_array(p->n_samples, sizeof *t->order);
    if (!first || !t->order)
        return false;
    for (size_t s = 0; s < p->n_samples; s++)
        first[p->labelset[s] + 1]++;
    for (size_t i = 0; i < p->n_labelsets; i++)
        first[i + 1] += first[i];
    for (size_t s = 0; s < p->n_samples; s++)
        t->order[first[p->labelset[s]]++] = (uint32_t)s;
    memmove(first + 1, first, p->n_labelsets * sizeof *first);
    first[0] = 0;
    return true;
}

bool nodetags_init(struct nodetags *t, const struct profile *p,
                   const uint32_t *label_unit, const char *unit,
                   struct prof_err *err)
{
    uint32_t bytes;
    memset(t, 0, sizeof *t);
    t->p = p;
    if (!strtab_init(&t->text))
        return err_nomem(err);
    if (p->n_labelsets <= 1)
        return true;
    if (strtab_find(&p->strings, "bytes", 5, &bytes))
        t->unit = label_unit[bytes];
    if (!find_tags(t, unit))
        return err_nomem(err);
    if (!t->n)
        return true;
    vec_sort(&t->uses, use_order);
    for (size_t i = t->uses.n; i-- > 0;)
        t->v[t->uses.v[i].tag].first_use = i;
    return sort_samples(t) || err_nomem(err);
}

void nodetags_free(struct nodetags *t)
{
    strtab_free(&t->text);
    free(t->v);
    vec_free(&t->uses);
    free(t->order);
    free(t->set_sample);
    memset(t, 0, sizeof *t);
}

/* --- values, one tag after the other --- */

/* The sum of the current tag at the node of a row. */
struct row_sum {
    struct tag_sum at;
    size_t first; /* the first sample that was added */
    size_t seen;  /* the last sample that was added, plus 1; 0: none */
};

struct summing {
    const struct nodetags *t;
    const struct graph *g;
    struct prof_stacks stacks;
    const bool *kept;    /* by node: the cut keeps it; null: ignored */
    uint32_t *row_of;    /* by node: its row; PROF_NONE: not shown */
    uint32_t *leaf;      /* in a tree, by sample; or null */
    struct row_sum *sum; /* by row: the sum of the current tag */
    uint32_t *touched;   /* the n rows to which samples were added */
    size_t n;
    uint64_t *met;         /* by location: the last stack that contains it */
    uint64_t stack;        /* the current stack, counted from 1 */
    uint64_t values, divs; /* sums of the magnitudes of values and divisors */
    bool overflow;         /* the magnitudes exceed 63 bits */
};

/* A sample that has the tag, and its values times the uses of the tag. */
struct tag_sample {
    size_t sample;
    const struct tag_use *use;
    int64_t value, div;
};

/* Adds a sample whose stack has the node to the cumulative sum of its row. */
static void add_cum(struct summing *w, uint32_t row, const struct tag_sample *s)
{
    struct row_sum *at = &w->sum[row];
    if (!at->seen) {
        w->touched[w->n++] = row;
        *at = (struct row_sum){.first = SIZE_MAX};
    }
    if (at->seen == s->sample + 1)
        return;
    at->seen = s->sample + 1;
    if (s->sample < at->first) {
        at->first = s->sample;
        at->at.number = s->use->value;
    }
    at->at.sum.cum += s->value;
    at->at.sum.cum_div += s->div;
}

static void add_flat(struct summing *w, uint32_t row,
                     const struct tag_sample *s)
{
    w->sum[row].at.sum.flat += s->value;
    w->sum[row].at.sum.flat_div += s->div;
}

/* Returns the row of a node, or PROF_NONE if it is not shown. */
static uint32_t row_of(const struct summing *w, uint32_t node)
{
    return !w->kept || w->kept[node] ? w->row_of[node] : PROF_NONE;
}

/*
 * Adds the sample once to each node of its stack, even if a location repeats.
 * If the leaf is hidden, no node gets its flat value.
 */
static void add_stack(struct summing *w, const struct tag_sample *s)
{
    const struct nodes *nodes = &w->g->nodes;
    const struct prof_stacks *r = &w->stacks;
    prof_stacks_read(&w->stacks, s->sample);
    w->stack++;
    for (size_t i = r->depth; i-- > 0;) {
        uint32_t l = r->stack[i];
        if (w->met[l] == w->stack)
            continue;
        w->met[l] = w->stack;
        for (uint64_t k = nodes->off[l + 1]; k-- > nodes->off[l];) {
            uint32_t row = row_of(w, nodes->of[k]);
            if (row != PROF_NONE)
                add_cum(w, row, s);
        }
    }
    uint32_t leaf =
        r->depth ? row_of(w, nodes->of[nodes->off[r->stack[0]]]) : PROF_NONE;
    if (leaf != PROF_NONE)
        add_flat(w, leaf, s);
}

/* Adds the sample to each node of its path in a call tree. */
static void add_path(struct summing *w, const struct tag_sample *s)
{
    uint32_t node = w->leaf[s->sample];
    for (uint32_t k = node; k != PROF_NONE; k = w->g->parent[k])
        if (w->row_of[k] != PROF_NONE)
            add_cum(w, w->row_of[k], s);
    if (node != PROF_NONE && w->row_of[node] != PROF_NONE)
        add_flat(w, w->row_of[node], s);
}

/*
 * Multiplies *v by `times` and adds its magnitude to *sum.  Returns false if
 * *sum exceeds 63 bits.
 */
static bool multiply(int64_t *v, uint32_t times, uint64_t *sum)
{
    uint64_t size;
    if (__builtin_mul_overflow(graph_abs(*v), times, &size) ||
        __builtin_add_overflow(*sum, size, sum) || *sum > INT64_MAX)
        return false;
    *v *= times;
    return true;
}

static void sum_use(struct summing *w, const struct tag_use *use)
{
    const struct profile *p = w->t->p;
    const size_t *first = w->t->set_sample + use->set;
    for (size_t i = first[0]; i < first[1]; i++) {
        struct tag_sample s = {.sample = w->t->order[i], .use = use};
        const int64_t *values = p->values + s.sample * p->n_types;
        s.value = values[w->g->opts.type];
        s.div = w->g->opts.mean ? values[0] : 0;
        if (!s.value && !s.div)
            continue;
        w->overflow |= !multiply(&s.value, use->times, &w->values) ||
                       !multiply(&s.div, use->times, &w->divs);
        if (w->overflow)
            return;
        if (w->leaf)
            add_path(w, &s);
        else
            add_stack(w, &s);
    }
}

/* Calls fn for the rows of a tag, and resets them for the next. */
static bool report_rows(struct summing *w, uint32_t tag, uint64_t cutoff,
                        const struct tag_visitor *visitor)
{
    bool ok = true;
    for (size_t i = 0; i < w->n; i++) {
        struct row_sum *at = &w->sum[w->touched[i]];
        const struct graph_value *sum = &at->at.sum;
        if (graph_abs(sum->flat) >= cutoff || graph_abs(sum->cum) >= cutoff)
            ok = ok && visitor->fn(visitor->ctx, tag, w->touched[i], &at->at);
        at->seen = 0;
    }
    w->n = 0;
    return ok;
}

static bool summing_init(struct summing *w, const struct graph_cut *cut)
{
    struct prof_err err; /* only memory can be out */
    if (!prof_stacks_init(&w->stacks, w->g->p, &err))
        return false;
    w->kept = w->g->parent ? NULL : cut->kept;
    w->row_of = mem_none(w->g->n);
    w->sum = mem_zarray(cut->n, sizeof *w->sum);
    w->touched = mem_array(cut->n, sizeof *w->touched);
    w->met = mem_zarray(w->g->p->n_locations, sizeof *w->met);
    if (!w->row_of || !w->sum || !w->touched || !w->met)
        return false;
    for (size_t i = 0; i < cut->n; i++)
        w->row_of[cut->row[i].node] = (uint32_t)i;
    if (!w->g->parent)
        return true;
    w->leaf = mem_array(w->g->p->n_samples, sizeof *w->leaf);
    return w->leaf && graph_leaves(w->g, w->leaf);
}

bool nodetags_sum(const struct nodetags *t, const struct graph *g,
                  const struct graph_cut *cut,
                  const struct tag_visitor *visitor, struct prof_err *err)
{
    struct summing w = {.t = t, .g = g};
    bool ok = summing_init(&w, cut);
    for (uint32_t tag = 0; ok && !w.overflow && tag < t->n; tag++) {
        if (tag && t->v[tag].is_number && !t->v[tag - 1].is_number)
            w.values = w.divs = 0;
        size_t i = t->v[tag].first_use;
        for (; i < t->uses.n && t->uses.v[i].tag == tag; i++)
            sum_use(&w, &t->uses.v[i]);
        ok = report_rows(&w, tag, (uint64_t)cut->node_cutoff, visitor);
    }
    prof_stacks_free(&w.stacks);
    free(w.row_of);
    free(w.leaf);
    free(w.sum);
    free(w.touched);
    free(w.met);
    if (ok && w.overflow)
        return err_input(err, "the values of label 'bytes' exceed 64 bits");
    return ok || err_nomem(err);
}
