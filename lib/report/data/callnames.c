#include "report/data/callnames.h"

#include <string.h>

#include "base/hash.h"
#include "base/utf8.h"

/* The id of a text as it is printed. */
static bool add_text(struct callnames *c, const char *s, size_t n,
                     struct buf *text, uint32_t *id)
{
    while (n && (unsigned char)*s <= ' ') {
        s++;
        n--;
    }
    text->n = 0;
    if (!(n ? buf_put(text, s, n) : buf_puts(text, "???")))
        return false;
    (void)utf8_blank_controls(text);
    return strtab_add(&c->texts, (const char *)text->v, text->n, id);
}

static bool same_text(const struct callnames *c, uint32_t id, const char *s,
                      size_t n)
{
    return !n || (strtab_len(&c->texts, id) == n &&
                  !memcmp(strtab_str(&c->texts, id), s, n));
}

/* A string of a table, each of which is looked at once. */
static bool add_string(struct callnames *c, const struct strtab *t,
                       uint32_t string, uint32_t *known, struct buf *text,
                       uint32_t *id)
{
    if (!known[string]) {
        const char *s = strtab_str(t, string);
        size_t n = strtab_len(t, string);
        if (!add_text(c, s, n, text, id))
            return false;
        c->n_changed += !same_text(c, *id, s, n);
        known[string] = *id + 1;
    }
    *id = known[string] - 1;
    return true;
}

/* The place's own name, or what tables show for it. */
static bool add_name(struct callnames *c, const struct graph *g,
                     const struct graph_cut *cut, uint32_t place,
                     uint32_t *known, struct buf *text)
{
    const struct node *k = &g->nodes.v[place];
    uint32_t *id = &c->place[place].name;
    if (k->name)
        return add_string(c, &g->p->strings, k->name, known, text, id);
    size_t at = cut->name_at[place];
    return add_text(c, (const char *)cut->text.v + at,
                    cut->name_at[place + 1] - at, text, id);
}

static bool add_texts(struct callnames *c, const struct graph *g,
                      const struct graph_cut *cut)
{
    const struct nodes *t = &g->nodes;
    struct buf text = {0};
    uint32_t *known = mem_zarray(g->p->strings.n, sizeof *known);
    uint32_t *known_files = mem_zarray(t->files.n, sizeof *known_files);
    bool ok = known && known_files;
    for (uint32_t i = 0; ok && i < t->n; i++) {
        const struct node *k = &t->v[i];
        struct callnames_place *p = &c->place[i];
        ok = add_string(c, &g->p->strings, k->object, known, &text,
                        &p->object) &&
             add_string(c, &t->files, k->file, known_files, &text, &p->file) &&
             add_name(c, g, cut, i, known, &text);
    }
    free(known);
    free(known_files);
    buf_free(&text);
    return ok;
}

static uint32_t hash_of(const struct graph *g, uint64_t a, uint64_t b)
{
    return mix_fold(mix_pair(prof_seed(g->p), a, b));
}

static bool same_function(const struct graph *g, const struct callnames *c,
                          uint32_t a, uint32_t b)
{
    const struct callnames_place *x = &c->place[a], *y = &c->place[b];
    return x->name == y->name && x->file == y->file && x->object == y->object &&
           g->nodes.v[a].start_line == g->nodes.v[b].start_line;
}

/* For each place the first one of its function. */
static bool find_functions(struct callnames *c, const struct graph *g)
{
    struct hashidx index = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < g->nodes.n; i++) {
        struct callnames_place *p = &c->place[i];
        uint32_t hash =
            hash_of(g, (uint64_t)p->name << 32 | p->file, p->object);
        ok = hashidx_room(&index);
        if (!ok)
            break;
        size_t at = hashidx_start(&index, hash);
        uint32_t k;
        while ((k = hashidx_next(&index, hash, &at)) != HASHIDX_NONE)
            if (same_function(g, c, k, i))
                break;
        p->function = k == HASHIDX_NONE ? i : k;
        if (k == HASHIDX_NONE)
            hashidx_put(&index, at, hash, i);
    }
    hashidx_free(&index);
    return ok;
}

/* What is needed to number functions. */
struct numbering {
    struct callnames *c;
    const struct graph *g;
    struct hashidx by_caller; /* functions by place and, in a tree, caller */
    VEC(uint32_t) caller;     /* of functions */
    struct hashidx by_name;   /* groups */
    VEC(uint32_t) first;      /* the first function of each group */
};

static bool find_group(struct numbering *n, uint32_t place, uint32_t *group)
{
    struct callnames *c = n->c;
    const struct callnames_place *p = &c->place[place];
    uint32_t hash = hash_of(n->g, p->name, p->file);
    if (!hashidx_room(&n->by_name))
        return false;
    size_t at = hashidx_start(&n->by_name, hash);
    while ((*group = hashidx_next(&n->by_name, hash, &at)) != HASHIDX_NONE) {
        const struct callnames_place *q =
            &c->place[c->fns.v[n->first.v[*group]].place];
        if (q->name == p->name && q->file == p->file)
            return true;
    }
    *group = (uint32_t)n->first.n;
    hashidx_put(&n->by_name, at, hash, *group);
    return vec_push(&n->first, (uint32_t)c->fns.n) && vec_push(&c->group, 0);
}

static bool number_node(struct numbering *n, uint32_t node)
{
    struct callnames *c = n->c;
    uint32_t caller = n->g->parent ? n->g->parent[node] : PROF_NONE;
    uint32_t place = c->place[graph_place(n->g, node)].function, group;
    uint32_t hash = hash_of(n->g, caller, place), *fn = &c->fn[node];
    if (!hashidx_room(&n->by_caller))
        return false;
    size_t at = hashidx_start(&n->by_caller, hash);
    while ((*fn = hashidx_next(&n->by_caller, hash, &at)) != HASHIDX_NONE)
        if (n->caller.v[*fn] == caller && c->fns.v[*fn].place == place)
            return true;
    if (!find_group(n, place, &group))
        return false;
    *fn = (uint32_t)c->fns.n;
    hashidx_put(&n->by_caller, at, hash, *fn);
    struct callnames_fn new = {place, group, ++c->group.v[group]};
    return vec_push(&n->caller, caller) && vec_push(&c->fns, new);
}

/* In the order of rows; then nodes without value that have calls. */
static bool number_all(struct callnames *c, const struct graph *g,
                       const struct graph_cut *cut, const struct edges *e)
{
    struct numbering n = {.c = c, .g = g};
    bool ok = true;
    for (size_t i = 0; ok && i < cut->n; i++)
        ok = number_node(&n, cut->row[i].node);
    for (uint32_t k = 0; ok && k < g->n; k++) {
        bool called = e->in_off[k] < e->in_off[k + 1];
        bool calls = e->out_off[k] < e->out_off[k + 1];
        if (e->row[k] == PROF_NONE && (called || calls))
            ok = number_node(&n, k);
    }
    hashidx_free(&n.by_caller);
    hashidx_free(&n.by_name);
    vec_free(&n.caller);
    vec_free(&n.first);
    return ok;
}

bool callnames_init(struct callnames *c, const struct graph *g,
                    const struct graph_cut *cut, const struct edges *edges,
                    struct err *err)
{
    memset(c, 0, sizeof *c);
    c->place = mem_array(g->nodes.n, sizeof *c->place);
    c->fn = mem_array(g->n, sizeof *c->fn);
    if (!strtab_init(&c->texts) || !c->place || !c->fn)
        return err_nomem(err);
    for (size_t k = 0; k < g->n; k++)
        c->fn[k] = PROF_NONE;
    return (add_texts(c, g, cut) && find_functions(c, g) &&
            number_all(c, g, cut, edges)) ||
           err_nomem(err);
}

void callnames_free(struct callnames *c)
{
    strtab_free(&c->texts);
    free(c->place);
    free(c->fn);
    vec_free(&c->fns);
    vec_free(&c->group);
    memset(c, 0, sizeof *c);
}
