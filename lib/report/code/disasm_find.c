/* --disasm: which functions of which binaries are asked for. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/code/disasm.h"
#include "symbol/labels.h"
#include "symbol/symbol.h"

static int by_address(const void *a, const void *b, void *ctx)
{
    const struct node *v = ((const struct disasm *)ctx)->g.nodes.v;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (v[x].address != v[y].address)
        return v[x].address < v[y].address ? -1 : 1;
    return (x > y) - (x < y);
}

static bool choose_nodes(struct disasm *d, struct err *err)
{
    bool drop_negative = d->r->opts->limits.drop_negative;
    d->node = mem_array(d->g.nodes.n, sizeof *d->node);
    if (!d->node)
        return err_nomem(err);
    for (size_t k = 0; k < d->g.nodes.n; k++)
        if (graph_is_shown(&d->g.weight[k], drop_negative))
            d->node[d->n_nodes++] = (uint32_t)k;
    if (d->n_nodes)
        qsort_r(d->node, d->n_nodes, sizeof *d->node, by_address, d);
    return true;
}

/* The name of a node matches, or what reports print of it; -1: error. */
static int match_node(struct disasm *d, uint32_t node, struct buf *scratch,
                      struct err *err)
{
    const struct nodes *t = &d->g.nodes;
    int yes = pattern_match_id(&d->pattern, t->v[node].name, err);
    if (yes)
        return yes;
    scratch->n = 0;
    if (!node_name(t, node, scratch))
        return err_nomem(err) - 1;
    return pattern_match(&d->pattern, scratch->v, scratch->n, err);
}

/* The binaries with a node that matches. */
static bool choose_binaries(struct disasm *d, struct err *err)
{
    struct buf scratch = {0};
    int yes = 0;
    d->wanted = mem_zarray(d->r->p->strings.n, sizeof *d->wanted);
    if (!d->wanted)
        return err_nomem(err);
    for (size_t i = 0; yes >= 0 && i < d->n_nodes; i++) {
        uint32_t object = d->g.nodes.v[d->node[i]].object;
        if (!object || d->wanted[object])
            continue;
        yes = match_node(d, d->node[i], &scratch, err);
        d->wanted[object] = yes > 0;
    }
    buf_free(&scratch);
    return yes >= 0;
}

/* The nodes from this address on: an index in d->node. */
static size_t nodes_from(const struct disasm *d, uint64_t address)
{
    size_t lo = 0, hi = d->n_nodes;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (d->g.nodes.v[d->node[mid]].address < address)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/*
 * Whether the name matches, as it is in the binary or as people read it: with
 * parameters, without, without template arguments.  What matched is appended
 * to d->text.  -1: error.
 */
static int match_name(struct disasm *d, const char *name, struct err *err)
{
    static const enum sym_demangle ways[] = {
        SYM_DEMANGLE_FULL, SYM_DEMANGLE_TEMPLATES, SYM_DEMANGLE_DEFAULT};
    int yes = pattern_match(&d->pattern, name, strlen(name), err);
    if (yes > 0 && !buf_put(&d->text, name, strlen(name) + 1))
        yes = err_nomem(err) - 1;
    for (size_t i = 0; !yes && i < sizeof ways / sizeof *ways; i++) {
        char *s = sym_demangle(name, ways[i]);
        if (!s)
            break;
        yes = pattern_match(&d->pattern, s, strlen(s), err);
        if (yes > 0 && !buf_put(&d->text, s, strlen(s) + 1))
            yes = err_nomem(err) - 1;
        free(s);
    }
    return yes;
}

/* Sets the names of the routine to those of its n labels that are wanted. */
static bool take_names(struct disasm *d, const struct sym_label *label,
                       size_t n, bool all, struct routine *to, struct err *err)
{
    int yes = 0;
    to->name = d->text.n;
    to->n_names = 0;
    for (size_t i = 0; all && i < n; i++) {
        if (!buf_put(&d->text, label[i].name, strlen(label[i].name) + 1))
            return err_nomem(err);
        to->n_names++;
    }
    for (size_t i = 0; !all && !yes && i < n; i++)
        yes = match_name(d, label[i].name, err);
    to->n_names += yes > 0;
    return yes >= 0;
}

/* The functions of one mapping; to->bias and to->path are set. */
static bool choose_routines(struct disasm *d, const struct sym_labels *l,
                            const struct prof_mapping *m, struct routine to,
                            struct err *err)
{
    const struct pattern *p = &d->pattern;
    bool has_address = p->is_address && binaries_maps(m, p->address);
    uint64_t address = p->address - to.bias;
    for (size_t i = 0, n; i < l->n; i += n) {
        n = sym_labels_group(l, i, &to.end);
        to.begin = l->v[i].address;
        to.first = nodes_from(d, to.begin + to.bias);
        to.n = 0;
        for (size_t k = to.first; k < d->n_nodes; k++, to.n++) {
            uint64_t at = d->g.nodes.v[d->node[k]].address;
            if (!binaries_maps(m, at) || at - to.bias < to.begin ||
                at - to.bias >= to.end)
                break;
        }
        bool hit = has_address && address >= to.begin && address <= to.end;
        d->found_address |= hit;
        if (!to.n)
            continue;
        if (!take_names(d, &l->v[i], n, hit, &to, err))
            return false;
        if (to.n_names && !vec_push(&d->routines, to))
            return err_nomem(err);
    }
    return true;
}

/* An address of the mapping that was seen, if there is one. */
static bool find_seen(const struct disasm *d, const struct prof_mapping *m,
                      uint64_t *seen)
{
    size_t i = m->limit > m->start ? nodes_from(d, m->start) : 0;
    if (i == d->n_nodes)
        return false;
    *seen = d->g.nodes.v[d->node[i]].address;
    return binaries_maps(m, *seen);
}

static bool search_mapping(struct disasm *d, uint32_t mapping, struct err *err)
{
    const struct profile *p = d->r->p;
    const struct prof_mapping *m = &p->mappings[mapping];
    const struct pattern *pattern = &d->pattern;
    struct sym_binary *binary;
    struct routine to = {.path = d->text.n};
    uint64_t seen;
    bool has_address =
        pattern->is_address && binaries_maps(m, pattern->address);
    if ((!d->wanted[m->filename] && !has_address) || !find_seen(d, m, &seen))
        return true;
    if (!binaries_find(&d->binaries, mapping, seen, &binary, &to.bias, err))
        return false;
    if (!binary)
        return true;
    const char *path = binary->files.image.path;
    if (!binary->files.image.has_symtab && !binary->files.debug.has_symtab)
        note_warn(d->r->notes,
                  "%s: it has no symbol table; only functions that it exports "
                  "are found",
                  path);
    struct sym_labels labels;
    bool ok = sym_labels_read(&labels, &binary->files, err) &&
              (buf_put(&d->text, path, strlen(path) + 1) || err_nomem(err)) &&
              choose_routines(d, &labels, m, to, err);
    sym_labels_free(&labels);
    return ok;
}

static int by_name(const void *a, const void *b, void *text)
{
    const struct routine *x = a, *y = b;
    int c = strcmp((char *)text + x->name, (char *)text + y->name);
    return c ? c : (x->begin > y->begin) - (x->begin < y->begin);
}

static bool find_routines(struct disasm *d, struct err *err)
{
    for (size_t i = 0; i < d->r->p->n_mappings; i++)
        if (!search_mapping(d, (uint32_t)i, err))
            return false;
    if (d->routines.n) {
        qsort_r(d->routines.v, d->routines.n, sizeof *d->routines.v, by_name,
                d->text.v);
        return true;
    }
    if (!d->pattern.is_address)
        return err_set(err, ERR_ANSWER_NO, "no matches found for regexp %s",
                       d->r->opts->pattern);
    if (!d->found_address)
        return err_set(err, ERR_ANSWER_NO,
                       "no matches found for address 0x%" PRIx64,
                       d->pattern.address);
    return err_set(err, ERR_ANSWER_NO,
                   "the function at address 0x%" PRIx64 " has no samples",
                   d->pattern.address);
}

bool disasm_find(struct disasm *d, struct err *err)
{
    return choose_nodes(d, err) && choose_binaries(d, err) &&
           find_routines(d, err);
}
