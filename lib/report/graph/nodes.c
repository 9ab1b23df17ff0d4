/* nodes.c - the nodes of a profile's locations, and their names */
#include "report/graph/nodes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/vec.h"
#include "profile/columns.h"

/*
 * Nodes by what is equal in them.  Without lines, most are a name and nothing
 * else, which needs no hash.
 */
struct finder {
    uint32_t *named;      /* by name: the node that is only this name, plus 1 */
    struct hashidx index; /* the other nodes */
};

static bool add_node(struct nodes *t, const struct node *k, uint32_t *node,
                     struct prof_err *err)
{
    if (t->n >= PROF_NONE - 1)
        return err_input(err, "more than 4294967294 nodes");
    *node = (uint32_t)t->n;
    return vec_push(t, *k) || err_nomem(err);
}

/*
 * Sets *node to the index of the node equal to *k, which it adds if it is new.
 */
static bool find_or_add_node(struct nodes *t, struct finder *f,
                             const struct node *k, uint32_t *node,
                             struct prof_err *err)
{
    struct hashidx *index = &f->index;
    if (k->name && !(k->address || k->line || k->column || k->start_line ||
                     k->file || k->object)) {
        uint32_t *named = &f->named[k->name];
        if (!*named && !add_node(t, k, node, err))
            return false;
        *named = *named ? *named : *node + 1;
        *node = *named - 1;
        return true;
    }
    if (!hashidx_room(index))
        return err_nomem(err);
    uint64_t w[6] = {k->address,
                     (uint64_t)k->line,
                     (uint64_t)k->column,
                     (uint64_t)k->start_line,
                     (uint64_t)k->name << 32 | k->file,
                     k->object};
    uint32_t hash =
        (uint32_t)XXH3_64bits_withSeed(w, sizeof w, prof_seed(t->p));
    size_t at = hashidx_start(index, hash);
    while ((*node = hashidx_next(index, hash, &at)) != HASHIDX_NONE) {
        const struct node *a = &t->v[*node];
        if (a->address == k->address && a->line == k->line &&
            a->column == k->column && a->start_line == k->start_line &&
            a->name == k->name && a->file == k->file && a->object == k->object)
            return true;
    }
    if (!add_node(t, k, node, err))
        return false;
    hashidx_put(index, at, hash, *node);
    return true;
}

/* Sets file_of, by function, to the id of its cleaned path in t->files. */
static bool clean_files(struct nodes *t, uint32_t *file_of,
                        struct prof_err *err)
{
    const struct profile *p = t->p;
    struct buf path = {0};
    /* By string id: the id in t->files plus 1, or 0 if not yet cleaned. */
    uint32_t *known = mem_zarray(p->strings.n, sizeof *known);
    bool ok = known;
    for (size_t f = 0; ok && f < p->n_functions; f++) {
        uint32_t id = p->functions[f].filename;
        struct prof_slice s = prof_text(p, id);
        if (!known[id]) {
            path.n = 0;
            ok = (!s.n || path_clean(&path, s.s, s.n)) &&
                 strtab_add(&t->files, s.n ? (const char *)path.v : "", path.n,
                            &known[id]);
            known[id]++;
        }
        file_of[f] = known[id] - 1;
    }
    free(known);
    buf_free(&path);
    return ok || err_nomem(err);
}

static struct node node_of(const struct nodes *t, const uint32_t *file_of,
                           const struct prof_location *l,
                           const struct prof_line *line)
{
    const struct profile *p = t->p;
    struct node k = {.address = l->address};
    uint32_t object =
        l->mapping == PROF_NONE ? 0 : p->mappings[l->mapping].filename;
    if (!line || line->function == PROF_NONE) {
        k.object = object;
        return k;
    }
    const struct prof_function *f = &p->functions[line->function];
    k.line = line->line;
    k.column = line->column;
    k.name = f->name;
    k.file = file_of[line->function];
    if (!f->name || t->exact) {
        k.object = object;
        k.start_line = f->start_line;
    }
    return k;
}

bool nodes_init(struct nodes *t, const struct profile *p, bool exact,
                struct prof_err *err)
{
    memset(t, 0, sizeof *t);
    t->p = p;
    t->exact = exact;
    t->off = mem_array(p->n_locations + 1, sizeof *t->off);
    if (!strtab_init(&t->files) || !t->off)
        return err_nomem(err);
    t->off[0] = 0;
    for (size_t l = 0; l < p->n_locations; l++) {
        uint32_t n = p->locations[l].n_lines;
        t->off[l + 1] = t->off[l] + (n ? n : 1);
    }
    t->of = mem_array((size_t)t->off[p->n_locations], sizeof *t->of);
    uint32_t *file_of = mem_array(p->n_functions, sizeof *file_of);
    struct finder f = {.named = mem_zarray(p->strings.n, sizeof *f.named)};
    (void)vec_reserve(t, p->n_functions); /* most likely as many */
    bool ok = (t->of && file_of && f.named) || err_nomem(err);
    ok = ok && clean_files(t, file_of, err);
    for (size_t l = 0; ok && l < p->n_locations; l++) {
        const struct prof_location *at = &p->locations[l];
        uint32_t *of = t->of + t->off[l];
        for (uint32_t i = 0; ok && (i < at->n_lines || !i); i++) {
            const struct prof_line *line =
                at->n_lines ? &p->lines[at->line_off + i] : NULL;
            struct node k = node_of(t, file_of, at, line);
            ok = find_or_add_node(t, &f, &k, &of[i], err);
        }
    }
    hashidx_free(&f.index);
    free(f.named);
    free(file_of);
    return ok;
}

void nodes_free(struct nodes *t)
{
    strtab_free(&t->files);
    free(t->v);
    free(t->off);
    free(t->of);
    memset(t, 0, sizeof *t);
}

static bool put_string(struct buf *to, const struct strtab *t, uint32_t id)
{
    return buf_put(to, strtab_str(t, id), strtab_len(t, id));
}

bool node_name(const struct nodes *t, uint32_t node, struct buf *to)
{
    const struct node *k = &t->v[node];
    const struct strtab *strings = &t->p->strings;
    if (k->address && !buf_printf(to, "%016" PRIx64, k->address))
        return false;
    if (k->name && ((k->address && !buf_putc(to, ' ')) ||
                    !put_string(to, strings, k->name)))
        return false;
    if (k->name && !k->line && !k->file)
        return true;
    if ((k->address || k->name) && !buf_putc(to, ' '))
        return false;
    if (k->line)
        return put_string(to, &t->files, k->file) &&
               buf_printf(to, ":%" PRId64, k->line) &&
               (!k->column || buf_printf(to, ":%" PRId64, k->column));
    if (k->file)
        return put_string(to, &t->files, k->file);
    if (!k->object)
        return buf_puts(to, "<unknown>");
    /* "[prog]", for a place known by its binary only. */
    struct prof_slice s = strtab_slice(strings, k->object);
    s.s = path_base(s.s, s.n, &s.n);
    return buf_putc(to, '[') && buf_put(to, s.s, s.n) && buf_putc(to, ']');
}
