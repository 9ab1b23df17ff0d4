/* Which tags there are, and which samples have them. */
#include "report/graph/nodetags.h"

#include <stdlib.h>
#include <string.h>

#include "profile/labelset.h"
#include "profile/measure.h"
#include "profile/text.h"

/* "key:value" is text[at .. at + n). */
struct entry {
    size_t at, n;
};

/* What is made of one label set after the other. */
struct finding {
    struct nodetags *t;
    const char *unit;     /* to print numbers in */
    uint32_t base, bytes; /* keys; 0: nobody uses them */
    VEC(struct entry) entries;
    struct buf text, joined;
    struct strtab keys;  /* what tells tags apart */
    uint32_t *labels_of; /* by set: tag.labels */
};

static int entry_order(const void *a, const void *b, void *text)
{
    const struct entry *x = a, *y = b;
    size_t n = x->n < y->n ? x->n : y->n;
    int c = memcmp((char *)text + x->at, (char *)text + y->at, n);
    return c ? c : (x->n > y->n) - (x->n < y->n);
}

static bool put_str(struct buf *to, const struct profile *p, uint32_t id)
{
    return prof_put_text(to, p, id);
}

/* The string labels of a set as one text; empty if it has none. */
static bool join_labels(struct finding *f, uint32_t set)
{
    const struct profile *p = f->t->p;
    f->text.n = f->joined.n = f->entries.n = 0;
    for (uint64_t i = p->labelset_off[set]; i < p->labelset_off[set + 1]; i++) {
        const struct prof_label *l = &p->labels[i];
        struct entry e = {.at = f->text.n};
        if (!l->str || (f->base && l->key == f->base))
            continue;
        if (!put_str(&f->text, p, l->key) || !buf_putc(&f->text, ':') ||
            !put_str(&f->text, p, l->str))
            return false;
        e.n = f->text.n - e.at;
        if (!vec_push(&f->entries, e))
            return false;
    }
    if (f->entries.n)
        qsort_r(f->entries.v, f->entries.n, sizeof *f->entries.v, entry_order,
                f->text.v);
    for (size_t i = 0; i < f->entries.n; i++)
        if ((i && !buf_putc(&f->joined, '\n')) ||
            !buf_put(&f->joined, f->text.v + f->entries.v[i].at,
                     f->entries.v[i].n))
            return false;
    return true;
}

/* The tag with that name, added if new; names are told apart by `keys`. */
static bool find_tag(struct finding *f, uint32_t labels, bool is_number,
                     const char *name, size_t n, uint32_t *tag)
{
    uint32_t id;
    f->text.n = 0;
    if (!buf_put(&f->text, &labels, sizeof labels) ||
        !buf_putc(&f->text, is_number) || !buf_put(&f->text, name, n) ||
        !strtab_add(&f->keys, (char *)f->text.v, f->text.n, &id))
        return false;
    *tag = id - 1; /* as the empty key is none */
    if (*tag < f->t->n)
        return true;
    struct tag new = {.labels = labels, .is_number = is_number};
    return strtab_add(&f->t->text, name, n, &new.name) && vec_push(f->t, new);
}

static bool find_labels(struct finding *f, uint32_t set)
{
    struct tag_use use = {.set = set, .times = 1};
    if (!join_labels(f, set))
        return false;
    f->labels_of[set] = 0;
    return !f->joined.n ||
           (strtab_add(&f->t->text, (char *)f->joined.v, f->joined.n,
                       &f->labels_of[set]) &&
            find_tag(f, f->labels_of[set], false, (char *)f->joined.v,
                     f->joined.n, &use.tag) &&
            vec_push(&f->t->uses, use));
}

/*
 * One more number of a set.  Until all uses are there and sorted, first_use is
 * the last one.
 */
static bool add_use(struct nodetags *t, struct tag_use use)
{
    size_t last = t->v[use.tag].first_use;
    if (last < t->uses.n && t->uses.v[last].tag == use.tag &&
        t->uses.v[last].set == use.set) {
        t->uses.v[last].times++;
        return true;
    }
    t->v[use.tag].first_use = t->uses.n;
    return vec_push(&t->uses, use);
}

static bool find_numbers(struct finding *f, uint32_t set)
{
    const struct profile *p = f->t->p;
    const char *unit = prof_plain(p, f->t->unit);
    size_t size = MEASURE_TEXT + strlen(unit);
    for (uint64_t i = p->labelset_off[set]; i < p->labelset_off[set + 1]; i++) {
        const struct prof_label *l = &p->labels[i];
        struct tag_use use = {.set = set, .times = 1, .value = l->num};
        if (l->str || l->key != f->bytes)
            continue;
        f->joined.n = 0;
        if (!buf_reserve(&f->joined, size))
            return false;
        char *name =
            measure_label((char *)f->joined.v, size, l->num, unit, f->unit);
        if (!find_tag(f, f->labels_of[set], true, name, strlen(name),
                      &use.tag) ||
            !add_use(f->t, use))
            return false;
    }
    return true;
}

static bool find_all(struct finding *f)
{
    const struct profile *p = f->t->p;
    bool ok = true;
    for (uint32_t set = 1; ok && set < p->n_labelsets; set++)
        ok = find_labels(f, set);
    for (uint32_t set = 1; ok && f->bytes && set < p->n_labelsets; set++)
        ok = find_numbers(f, set);
    return ok;
}

static bool find_tags(struct nodetags *t, const char *unit)
{
    const struct profile *p = t->p;
    struct finding f = {.t = t, .unit = unit};
    (void)strtab_find(&p->strings, PROF_BASE_KEY, strlen(PROF_BASE_KEY),
                      &f.base);
    (void)strtab_find(&p->strings, "bytes", 5, &f.bytes);
    f.labels_of = mem_array(p->n_labelsets, sizeof *f.labels_of);
    bool ok = f.labels_of && strtab_init(&f.keys) && find_all(&f);
    free(f.labels_of);
    strtab_free(&f.keys);
    buf_free(&f.text);
    buf_free(&f.joined);
    vec_free(&f.entries);
    return ok;
}

static int use_order(const void *a, const void *b)
{
    const struct tag_use *x = a, *y = b;
    if (x->tag != y->tag)
        return x->tag < y->tag ? -1 : 1;
    return (x->set > y->set) - (x->set < y->set);
}

static void sort_uses(struct nodetags *t)
{
    qsort(t->uses.v, t->uses.n, sizeof *t->uses.v, use_order);
    for (size_t i = t->uses.n; i-- > 0;)
        t->v[t->uses.v[i].tag].first_use = i;
}

/* Samples by label set, in their order. */
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
                   struct err *err)
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
    sort_uses(t);
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

/* A newline between labels is `\n` to Graphviz, and sorted as such. */
static int rank(char c)
{
    return c == '\n' ? '\\' : (uint8_t)c;
}

int nodetags_cmp(const struct nodetags *t, uint32_t a, uint32_t b)
{
    const char *v = strtab_str(&t->text, a), *w = strtab_str(&t->text, b);
    size_t n = strtab_len(&t->text, a), m = strtab_len(&t->text, b);
    for (size_t i = 0; i < n && i < m; i++)
        if (rank(v[i]) != rank(w[i]))
            return rank(v[i]) < rank(w[i]) ? -1 : 1;
    return (n > m) - (n < m);
}
