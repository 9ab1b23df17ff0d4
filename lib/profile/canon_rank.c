/* Ranks: what comes before what, by content alone. */
#include <stdlib.h>
#include <string.h>

#include "base/radix.h"
#include "profile/canon.h"

/* --- strings ------------------------------------------------------------ */

struct name {
    uint64_t head; /* the first eight bytes, as a big-endian number */
    const char *s;
    uint32_t n, id;
};

static int by_text(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    if (x->head != y->head)
        return x->head < y->head ? -1 : 1;
    int c = memcmp(x->s, y->s, x->n < y->n ? x->n : y->n);
    return c ? c : (x->n > y->n) - (x->n < y->n);
}

static uint64_t head_of(const char *s, size_t n)
{
    uint64_t head = 0;
    for (size_t i = 0; i < 8; i++)
        head = head << 8 | (i < n ? (uint8_t)s[i] : 0);
    return head;
}

/* Calls fn on every string reference of the sum that is in use. */
static void each_string(struct canon *c, void (*fn)(uint32_t *map, uint32_t *),
                        uint32_t *map)
{
    struct profile *p = c->sum;
    struct merger *m = c->m;
    for (size_t i = 0; i < p->n_types; i++) {
        fn(map, &p->types[i].type);
        fn(map, &p->types[i].unit);
    }
    for (size_t i = 0; i < m->mappings.n; i++) {
        if (!c->mapping[i])
            continue;
        struct merge_mapping *k = &m->mappings.v[i];
        fn(map, &k->name);
        fn(map, &k->used.filename);
        fn(map, &k->used.build_id);
        fn(map, &k->first.filename);
        fn(map, &k->first.build_id);
    }
    for (size_t i = 0; i < p->n_functions; i++) {
        if (!c->function[i])
            continue;
        fn(map, &p->functions[i].name);
        fn(map, &p->functions[i].system_name);
        fn(map, &p->functions[i].filename);
    }
    for (size_t set = 0; set < p->n_labelsets; set++) {
        if (!c->labelset[set])
            continue;
        for (uint64_t i = p->labelset_off[set]; i < p->labelset_off[set + 1];
             i++) {
            fn(map, &p->labels[i].key);
            fn(map, &p->labels[i].str);
            fn(map, &p->labels[i].unit);
        }
    }
    for (size_t i = 0; i < p->n_comments; i++)
        fn(map, &p->comments[i]);
    fn(map, &p->period_type.type);
    fn(map, &p->period_type.unit);
    fn(map, &p->drop_frames);
    fn(map, &p->keep_frames);
    fn(map, &p->default_sample_type);
    fn(map, &p->doc_url);
}

static void use(uint32_t *map, uint32_t *id)
{
    map[*id] = 1;
}

static void renumber(uint32_t *map, uint32_t *id)
{
    *id = map[*id];
}

/* Sorts the strings in use, numbers them in map, and lists their ids. */
static bool sort_strings(const struct strtab *t, uint32_t *map, uint32_t *ids,
                         uint32_t *n_ids, struct err *err)
{
    struct name *v = mem_array(t->n, sizeof *v);
    size_t n = 0;
    if (!v)
        return err_nomem(err);
    for (uint32_t id = 0; id < t->n; id++)
        if (map[id])
            v[n++] = (struct name){head_of(t->str[id], t->len[id]), t->str[id],
                                   t->len[id], id};
    qsort(v, n, sizeof *v, by_text);
    for (uint32_t i = 0; i < n; i++) {
        ids[i] = v[i].id;
        map[v[i].id] = i;
    }
    *n_ids = (uint32_t)n;
    free(v);
    return true;
}

bool canon_strings(struct canon *c, struct err *err)
{
    struct strtab *t = &c->sum->strings;
    uint32_t *map = mem_zarray(t->n, sizeof *map);
    uint32_t *ids = mem_array(t->n, sizeof *ids);
    uint32_t n = 0, none = 0;
    bool ok = map && ids ? true : err_nomem(err);
    if (ok) {
        each_string(c, use, map);
        use(map, &none); /* "" is always there, and first */
        ok = sort_strings(t, map, ids, &n, err) &&
             (strtab_select(t, ids, n) || err_nomem(err));
    }
    if (ok)
        each_string(c, renumber, map);
    free(map);
    free(ids);
    return ok;
}

/* --- mappings, functions, locations ------------------------------------- */

/* The indices that are marked, to be sorted. */
static uint32_t *marked(const uint32_t *mark, size_t n, size_t *n_marked)
{
    uint32_t *v = mem_array(n, sizeof *v);
    *n_marked = 0;
    for (size_t i = 0; v && i < n; i++)
        if (mark[i])
            v[(*n_marked)++] = (uint32_t)i;
    return v;
}

static int number_cmp(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_mapping(const void *a, const void *b, void *ctx)
{
    const struct canon *c = ctx;
    uint32_t i, j;
    memcpy(&i, a, sizeof i);
    memcpy(&j, b, sizeof j);
    if (i == c->m->first || j == c->m->first)
        return (i != c->m->first) - (j != c->m->first);
    return merge_mapping_cmp(c->m, i, j);
}

static bool rank_mappings(struct canon *c, struct err *err)
{
    size_t n;
    c->by_mapping = marked(c->mapping, c->m->mappings.n, &n);
    if (!c->by_mapping)
        return err_nomem(err);
    qsort_r(c->by_mapping, n, sizeof *c->by_mapping, by_mapping, c);
    for (size_t i = 0; i < n; i++)
        c->mapping[c->by_mapping[i]] = (uint32_t)i + 1;
    c->n_by_mapping = n;
    return true;
}

static int by_function(const void *a, const void *b, void *ctx)
{
    const struct canon *c = ctx;
    uint32_t i, j;
    memcpy(&i, a, sizeof i);
    memcpy(&j, b, sizeof j);
    const struct prof_function *x = &c->sum->functions[i];
    const struct prof_function *y = &c->sum->functions[j];
    int d = number_cmp(x->name, y->name);
    d = d ? d : number_cmp(x->system_name, y->system_name);
    d = d ? d : number_cmp(x->filename, y->filename);
    return d ? d
             : (x->start_line > y->start_line) -
                   (x->start_line < y->start_line);
}

static bool rank_functions(struct canon *c, struct err *err)
{
    size_t n;
    c->by_function = marked(c->function, c->sum->n_functions, &n);
    if (!c->by_function)
        return err_nomem(err);
    qsort_r(c->by_function, n, sizeof *c->by_function, by_function, c);
    for (size_t i = 0; i < n; i++)
        c->function[c->by_function[i]] = (uint32_t)i + 1;
    return true;
}

static int line_cmp(const struct canon *c, const struct prof_line *a,
                    const struct prof_line *b)
{
    uint32_t x = a->function == PROF_NONE ? 0 : c->function[a->function];
    uint32_t y = b->function == PROF_NONE ? 0 : c->function[b->function];
    if (x != y)
        return x < y ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return (a->column > b->column) - (a->column < b->column);
}

/* Locations at one address: by their lines, then by is_folded. */
static int by_lines(const void *a, const void *b, void *ctx)
{
    const struct canon *c = ctx;
    const struct radix_item *x = a, *y = b;
    const struct prof_location *k = &c->sum->locations[x->id];
    const struct prof_location *l = &c->sum->locations[y->id];
    for (size_t i = 0; i < k->n_lines && i < l->n_lines; i++) {
        int d = line_cmp(c, &c->sum->lines[k->line_off + i],
                         &c->sum->lines[l->line_off + i]);
        if (d)
            return d;
    }
    if (k->n_lines != l->n_lines)
        return k->n_lines < l->n_lines ? -1 : 1;
    return (int)k->is_folded - (int)l->is_folded;
}

static uint32_t mapping_rank(const struct canon *c,
                             const struct prof_location *l)
{
    return l->mapping == PROF_NONE ? 0 : c->mapping[l->mapping];
}

/*
 * What decides most orders by lines: function and line of the first one.
 * Line numbers out of 32 bits count as the nearest that is in.
 */
static uint64_t first_line_key(const struct canon *c,
                               const struct prof_location *l)
{
    if (!l->n_lines)
        return 0;
    const struct prof_line *first = &c->sum->lines[l->line_off];
    uint64_t function =
        first->function == PROF_NONE ? 0 : c->function[first->function];
    int64_t line = first->line < 0            ? 0
                   : first->line > UINT32_MAX ? UINT32_MAX
                                              : first->line;
    return function << 32 | (uint64_t)line;
}

/* Whether the keys that were sorted by leave the order open. */
static bool undecided(const struct canon *c, uint32_t a, uint32_t b)
{
    const struct prof_location *k = &c->sum->locations[a];
    const struct prof_location *l = &c->sum->locations[b];
    return k->mapping == l->mapping && k->address == l->address &&
           first_line_key(c, k) == first_line_key(c, l);
}

/* Sorts locations by mapping, address and lines. */
static void sort_locations(struct canon *c, struct radix_item *v,
                           struct radix_item *spare, size_t n)
{
    const struct prof_location *l = c->sum->locations;
    for (size_t i = 0; i < n; i++)
        v[i].key = first_line_key(c, &l[v[i].id]);
    radix_sort(v, spare, n);
    for (size_t i = 0; i < n; i++)
        v[i].key = l[v[i].id].address;
    radix_sort(v, spare, n);
    for (size_t i = 0; i < n; i++)
        v[i].key = mapping_rank(c, &l[v[i].id]);
    radix_sort(v, spare, n);
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && undecided(c, v[i].id, v[j].id);)
            j++;
        if (j - i > 1)
            qsort_r(v + i, j - i, sizeof *v, by_lines, c);
    }
}

static bool rank_locations(struct canon *c, struct err *err)
{
    size_t n;
    c->by_location = marked(c->location, c->sum->n_locations, &n);
    struct radix_item *v = mem_array(n, sizeof *v);
    struct radix_item *spare = mem_array(n, sizeof *spare);
    bool ok = c->by_location && v && spare;
    if (ok) {
        for (size_t i = 0; i < n; i++)
            v[i].id = c->by_location[i];
        sort_locations(c, v, spare, n);
        for (size_t i = 0; i < n; i++) {
            c->by_location[i] = v[i].id;
            c->location[v[i].id] = (uint32_t)i + 1;
        }
    }
    free(v);
    free(spare);
    return ok || err_nomem(err);
}

/* --- label sets ---------------------------------------------------------- */

struct label_place {
    struct prof_label label;
    uint64_t at; /* where it stood, which its key does not change */
};

static int by_key(const void *a, const void *b)
{
    const struct label_place *x = a, *y = b;
    int d = number_cmp(x->label.key, y->label.key);
    d = d ? d : (y->label.str != 0) - (x->label.str != 0);
    return d ? d : number_cmp(x->at, y->at);
}

/* Puts the labels of a set in the order of their new key ids. */
static bool order_labels(struct prof_label *v, size_t n, struct err *err)
{
    if (n < 2)
        return true;
    struct label_place *w = mem_array(n, sizeof *w);
    if (!w)
        return err_nomem(err);
    for (size_t i = 0; i < n; i++)
        w[i] = (struct label_place){v[i], i};
    qsort(w, n, sizeof *w, by_key);
    for (size_t i = 0; i < n; i++)
        v[i] = w[i].label;
    free(w);
    return true;
}

static int label_cmp(const struct prof_label *a, const struct prof_label *b)
{
    int d = number_cmp(a->key, b->key);
    d = d ? d : number_cmp(a->str, b->str);
    d = d ? d : (a->num > b->num) - (a->num < b->num);
    return d ? d : number_cmp(a->unit, b->unit);
}

static int by_labels(const void *a, const void *b, void *ctx)
{
    const struct profile *p = ctx;
    uint32_t i, j;
    memcpy(&i, a, sizeof i);
    memcpy(&j, b, sizeof j);
    uint64_t x = p->labelset_off[i], x_end = p->labelset_off[i + 1];
    uint64_t y = p->labelset_off[j], y_end = p->labelset_off[j + 1];
    for (; x < x_end && y < y_end; x++, y++) {
        int d = label_cmp(&p->labels[x], &p->labels[y]);
        if (d)
            return d;
    }
    return (x < x_end) - (y < y_end);
}

static bool rank_labelsets(struct canon *c, struct err *err)
{
    struct profile *p = c->sum;
    size_t n;
    uint32_t *v = marked(c->labelset, p->n_labelsets, &n);
    bool ok = v ? true : err_nomem(err);
    for (size_t i = 0; ok && i < n; i++) {
        uint64_t at = p->labelset_off[v[i]];
        ok = order_labels(p->labels + at,
                          (size_t)(p->labelset_off[v[i] + 1] - at), err);
    }
    if (ok && n)
        qsort_r(v, n, sizeof *v, by_labels, p);
    for (size_t i = 0; ok && i < n; i++)
        c->labelset[v[i]] = (uint32_t)i + 1;
    free(v);
    return ok;
}

bool canon_rank(struct canon *c, struct err *err)
{
    return rank_mappings(c, err) && rank_functions(c, err) &&
           rank_locations(c, err) && rank_labelsets(c, err);
}
