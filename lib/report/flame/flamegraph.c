/*
 * flamegraph.c - the tree of all stacks that a flame graph shows, with names
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/utf8.h"
#include "profile/labelset.h"
#include "profile/text.h"
#include "report/flame/private.h"
#include "report/graph/graph.h"

/*
 * --- the tree ---
 *
 * It is made in one pass over the samples in the order of their stacks.  The
 * nodes from the root to the present sample are open.  A node that is too
 * light when it is closed is removed before the next one comes, so that memory
 * is in proportion to the result, not to the number of paths.
 */

/* Names of nodes that are not ranks. */
#define SMALL UINT32_MAX          /* merged nodes */
#define NO_STACK (UINT32_MAX - 1) /* samples without frames */

enum {
    AHEAD = 8, /* samples from asking for a stack to reading it */
    LINE = 16, /* frames that come into a cache at once */
    /* A tree may have so many values, and for each frame and value: */
    MANY = 4 << 20,
    MANY_EACH = 16,
};

/* A node that more samples may come to. */
struct open_node {
    size_t at;        /* among nodes; of the root: unused */
    uint64_t n_small; /* nodes below it that were too light */
};

struct builder {
    struct flame_tree *t;
    const struct profile *p;
    bool *is_base;   /* by label set; null: no difference */
    uint64_t *least; /* by type: the lightest to keep */
    struct stackrank_samples samples;
    uint64_t most; /* values in all nodes of several types */
    /* From the root, which is [0], and for each of them: */
    VEC(struct open_node) open;
    VEC(int64_t) mass;  /* by type: magnitudes so far */
    VEC(int64_t) small; /* by sum: values of what was too light */
};

/* Tells label sets of the base, and whether any sample has one. */
static bool mark_base(struct builder *b)
{
    const struct profile *p = b->p;
    if (!prof_base_sets(p, &b->is_base))
        return false;
    for (size_t s = 0; b->is_base && s < p->n_samples && !b->t->diff; s++)
        b->t->diff = b->is_base[p->labelset[s]];
    return true;
}

/* The magnitudes of a type: when they do not overflow, no sum does. */
static bool sum_type(struct builder *b, size_t i, struct err *err)
{
    const struct profile *p = b->p;
    size_t type = b->t->first_type + i;
    uint64_t sum = 0;
    for (size_t s = 0; s < p->n_samples; s++) {
        uint64_t v = graph_abs(p->values[s * p->n_types + type]);
        if (v > INT64_MAX || sum > INT64_MAX - v)
            return err_set(err, ERR_INPUT,
                           "sample %zu: the sum of the values of %s up to "
                           "here is more than 9223372036854775807",
                           s, prof_show(p, p->types[type].type).text);
        sum += v;
        b->t->has_negative[i] |= p->values[s * p->n_types + type] < 0;
    }
    b->t->total[i] = (int64_t)sum;
    return true;
}

/* Totals, and what is too light to be kept. */
static bool weigh_types(struct builder *b, double limit, struct err *err)
{
    for (size_t i = 0; i < b->t->n_types; i++) {
        if (!sum_type(b, i, err))
            return false;
        double least = ceil((double)b->t->total[i] * limit);
        b->least[i] = least < 1 ? 1 : (uint64_t)least;
    }
    return true;
}

static int64_t *mass_of(struct builder *b, size_t k)
{
    return b->mass.v + k * b->t->n_types;
}

static int64_t *small_of(struct builder *b, size_t k)
{
    return b->small.v + k * b->t->n_sums;
}

static void add_to_sums(int64_t *to, const int64_t *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] += v[i];
}

/* A new node with no values; false when memory is out. */
static bool push_node(struct flame_tree *t, uint32_t name, size_t depth)
{
    struct flame_node node = {.name = name, .depth = (uint32_t)depth};
    if (!vec_reserve(&t->self, t->n_sums) || !vec_push(&t->nodes, node))
        return false;
    memset(t->self.v + t->self.n, 0, t->n_sums * sizeof *t->self.v);
    t->self.n += t->n_sums;
    return true;
}

/* One more open node, or the root, without anything below it. */
static bool push_open(struct builder *b)
{
    const struct flame_tree *t = b->t;
    struct open_node o = {.at = t->nodes.n - 1};
    if (!vec_reserve(&b->mass, t->n_types) ||
        !vec_reserve(&b->small, t->n_sums) || !vec_push(&b->open, o))
        return false;
    memset(b->mass.v + b->mass.n, 0, t->n_types * sizeof *b->mass.v);
    memset(b->small.v + b->small.n, 0, t->n_sums * sizeof *b->small.v);
    b->mass.n += t->n_types;
    b->small.n += t->n_sums;
    return true;
}

/* A node for what was too light below the last open one. */
static bool put_small(struct builder *b)
{
    struct flame_tree *t = b->t;
    size_t last = b->open.n - 1;
    uint64_t n = b->open.v[last].n_small;
    if (!n)
        return true;
    if (!push_node(t, SMALL, last) || !vec_push(&t->small, n))
        return false;
    t->n_merged += n;
    add_to_sums(t->self.v + t->self.n - t->n_sums, small_of(b, last),
                t->n_sums);
    return true;
}

static bool is_light(struct builder *b, size_t k)
{
    const int64_t *mass = mass_of(b, k);
    for (size_t i = 0; i < b->t->n_types; i++)
        if ((uint64_t)mass[i] >= b->least[i])
            return false;
    return true;
}

/* Ends the last open node, which is not the root. */
static bool close_last(struct builder *b)
{
    struct flame_tree *t = b->t;
    size_t last = b->open.n - 1;
    struct open_node *o = &b->open.v[last];
    add_to_sums(mass_of(b, last - 1), mass_of(b, last), t->n_types);
    if (is_light(b, last)) {
        /* So was all below it: it is the last node there is. */
        int64_t *small = small_of(b, last - 1);
        add_to_sums(small, small_of(b, last), t->n_sums);
        add_to_sums(small, flame_self(t, o->at), t->n_sums);
        o[-1].n_small += o->n_small + 1;
        t->nodes.n = o->at;
        t->self.n = o->at * t->n_sums;
    } else if (!put_small(b)) {
        return false;
    }
    b->open.n--;
    b->mass.n -= t->n_types;
    b->small.n -= t->n_sums;
    return true;
}

static bool add_node(struct builder *b, uint32_t name, struct err *err)
{
    struct flame_tree *t = b->t;
    if (t->nodes.n >= NO_STACK)
        return err_set(err, ERR_INPUT, "the stacks have more than %lu nodes",
                       (unsigned long)NO_STACK);
    t->is_wide = t->n_types > 1 && t->nodes.n >= b->most / t->n_sums;
    if (t->is_wide)
        return err_set(err, ERR_INPUT,
                       "the stacks have too many values of %zu sample types",
                       t->n_types);
    return (push_node(t, name, b->open.n - 1) && push_open(b)) ||
           err_nomem(err);
}

/* Adds the values of a sample to the last open node. */
static void add_values(struct builder *b, size_t s)
{
    struct flame_tree *t = b->t;
    const int64_t *v = b->p->values + s * b->p->n_types + t->first_type;
    size_t last = b->open.n - 1;
    int64_t *self = t->self.v + b->open.v[last].at * t->n_sums;
    int64_t *mass = mass_of(b, last);
    bool base = t->diff && b->is_base[b->p->labelset[s]];
    for (size_t i = 0; i < t->n_types; i++) {
        mass[i] += (int64_t)graph_abs(v[i]);
        if (base)
            self[t->n_types + i] -= v[i];
        else
            self[i] += v[i];
    }
}

static size_t shared_frames(const struct profile *p, uint32_t a, uint32_t b)
{
    return nodes_shared(prof_stack(p, a), prof_depth(p, a), prof_stack(p, b),
                        prof_depth(p, b));
}

static void prefetch_stack(const struct builder *b, size_t i)
{
    if (i >= b->samples.n)
        return;
    const uint32_t *stack = prof_stack(b->p, b->samples.v[i]);
    for (size_t k = 0; k < prof_depth(b->p, b->samples.v[i]); k += LINE)
        __builtin_prefetch(&stack[k]);
}

/* The nodes of sample s, of whose stack `keep` frames are open. */
static bool open_stack(struct builder *b, size_t s, size_t keep,
                       struct err *err)
{
    const uint32_t *stack = prof_stack(b->p, s);
    size_t depth = prof_depth(b->p, s);
    bool ok = true;
    while (ok && b->open.n - 1 > keep)
        ok = close_last(b) || err_nomem(err);
    for (size_t k = keep; ok && k < depth; k++)
        ok = add_node(b, stack[depth - 1 - k], err);
    return ok;
}

static bool build_tree(struct builder *b, struct err *err)
{
    bool ok = push_open(b) || err_nomem(err);
    size_t i = 0;
    /* Those without frames come first. */
    while (i < b->samples.n && !prof_depth(b->p, b->samples.v[i]))
        i++;
    if (ok && i)
        ok = add_node(b, NO_STACK, err);
    for (size_t k = 0; ok && k < i; k++)
        add_values(b, b->samples.v[k]);
    for (size_t first = i; ok && i < b->samples.n; i++) {
        uint32_t s = b->samples.v[i];
        size_t keep =
            i > first ? shared_frames(b->p, b->samples.v[i - 1], s) : 0;
        prefetch_stack(b, i + AHEAD);
        ok = open_stack(b, s, keep, err);
        if (ok)
            add_values(b, s);
    }
    while (ok && b->open.n > 1)
        ok = close_last(b) || err_nomem(err);
    return ok && (put_small(b) || err_nomem(err));
}

static bool tree_init(struct flame_tree *t, const struct stackrank *f,
                      const struct flame_tree_opts *opts, struct err *err)
{
    struct builder b = {.t = t, .p = f->nodes.p};
    *t = (struct flame_tree){.n_types = opts->n_types,
                             .first_type = opts->first_type,
                             .subtracted = opts->subtracted};
    t->total = mem_zarray(t->n_types, sizeof *t->total);
    t->has_negative = mem_zarray(t->n_types, sizeof *t->has_negative);
    b.least = mem_array(t->n_types, sizeof *b.least);
    bool ok = (t->total && t->has_negative && b.least && mark_base(&b)) ||
              err_nomem(err);
    t->n_sums = t->diff ? 2 * t->n_types : t->n_types;
    b.most = MANY + MANY_EACH * ((uint64_t)b.p->n_frames +
                                 (uint64_t)b.p->n_samples * b.p->n_types);
    ok = ok && weigh_types(&b, opts->limit, err) &&
         stackrank_samples(f, t->first_type, t->n_types, &b.samples, err) &&
         build_tree(&b, err);
    free(b.is_base);
    free(b.least);
    free(b.samples.v);
    vec_free(&b.open);
    vec_free(&b.mass);
    vec_free(&b.small);
    return ok;
}

static void tree_free(struct flame_tree *t)
{
    vec_free(&t->nodes);
    vec_free(&t->self);
    vec_free(&t->small);
    free(t->total);
    free(t->has_negative);
}

/* --- names --- */

/*
 * Characters that are not seen or that put their neighbours into another
 * order, and those that XML has no place for.
 */
static bool is_hidden(uint32_t c)
{
    return (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
           (c >= 0x2066 && c <= 0x2069) || c == 0xfeff || c >> 1 == 0x7fff;
}

bool flame_put_visible(struct buf *to, const void *s, size_t n)
{
    const uint8_t *at = s;
    bool ok = true;
    for (size_t i = 0; ok && i < n;) {
        uint32_t c;
        size_t k = utf8_char(at + i, n - i, &c);
        if (k && c >= 0x20 && (c < 0x7f || c >= 0xa0) && !is_hidden(c))
            ok = buf_put(to, at + i, k);
        else if (k > 1 && c >= 0x100)
            ok = buf_printf(to, "\\u%04x", (unsigned)c);
        else
            for (size_t j = 0; ok && (j < k || !j); j++)
                ok = buf_printf(to, "\\x%02x", at[i + j]);
        i += k ? k : 1;
    }
    return ok;
}

/* A function as it was before detail was removed. */
struct flame_function {
    uint32_t name, file; /* string ids in the profile */
};

struct namer {
    struct flame_names *names;
    struct flame_tree *tree;
    const struct stackrank *stacks;
    const struct flame_function *functions;
    uint32_t *number; /* by rank, then of NO_STACK and of SMALL */
    bool *seen;       /* by number: its file and package are known */
    struct buf path, text;
};

/* The place of a node's name in `number`. */
static uint32_t *number_of(const struct namer *g, uint32_t name)
{
    if (name >= NO_STACK)
        name = g->stacks->names.n + (name == SMALL);
    return &g->number[name];
}

/* Numbers the names that nodes have, PROF_NONE for the others. */
static bool number_names(struct namer *g)
{
    size_t n = g->stacks->names.n + 2, n_nodes = g->tree->nodes.n;
    struct flame_node *node = g->tree->nodes.v;
    g->number = mem_zarray(n, sizeof *g->number);
    if (!g->number)
        return false;
    for (size_t i = 0; i < n_nodes; i++)
        *number_of(g, node[i].name) = 1;
    for (size_t k = 0; k < n; k++)
        g->number[k] = g->number[k] ? (uint32_t)g->names->n++ : PROF_NONE;
    for (size_t i = 0; i < n_nodes; i++)
        node[i].name = *number_of(g, node[i].name);
    g->names->merged = *number_of(g, SMALL);
    return true;
}

static bool write_names(struct namer *g)
{
    struct flame_names *names = g->names;
    const struct stackrank *f = g->stacks;
    names->end = mem_array(names->n, sizeof *names->end);
    bool ok = names->end;
    for (size_t k = 0, i = 0; ok && i < names->n; k++) {
        if (g->number[k] == PROF_NONE)
            continue;
        if (k < f->names.n)
            ok = flame_put_visible(&names->text,
                                   strtab_str(&f->names, f->name_of[k]),
                                   strtab_len(&f->names, f->name_of[k]));
        else
            ok = buf_puts(&names->text,
                          k == f->names.n ? "<no stack>" : "(too small)");
        names->end[i++] = names->text.n;
    }
    return ok;
}

static bool add_visible(struct namer *g, struct strtab *to, struct slice text,
                        uint32_t *id)
{
    g->text.n = 0;
    return flame_put_visible(&g->text, text.s, text.n) &&
           strtab_add(to, (const char *)g->text.v, g->text.n, id);
}

static struct slice directory_of(struct slice file)
{
    while (file.n && file.s[file.n - 1] != '/')
        file.n--;
    if (file.n > 1)
        file.n--;
    return file;
}

static struct slice last_element(struct slice path)
{
    size_t n;
    const char *s = path_base(path.s, path.n, &n);
    return (struct slice){s, n};
}

/* Sets file and package of a name; function: null if unknown. */
static bool add_source(struct namer *g, uint32_t number,
                       const struct flame_function *function, uint32_t binary)
{
    const struct profile *p = g->stacks->nodes.p;
    struct slice file = {"", 0}, package = {"", 0};
    if (function && function->file) {
        struct slice raw = prof_text(p, function->file);
        g->path.n = 0;
        if (!path_clean(&g->path, raw.s, raw.n))
            return false;
        file = (struct slice){(const char *)g->path.v, g->path.n};
    }
    if (function)
        package = package_of(prof_text(p, function->name), file);
    if (!package.n && binary)
        package = last_element(prof_text(p, binary));
    if (!package.n)
        package = directory_of(file);
    return add_visible(g, &g->names->files, file, &g->names->file[number]) &&
           add_visible(g, &g->names->packages, package,
                       &g->names->package[number]);
}

/* The frames of a location, for names that have had none. */
static bool add_location_sources(struct namer *g, size_t l)
{
    const struct nodes *nodes = &g->stacks->nodes;
    const struct profile *p = nodes->p;
    const struct prof_location *at = &p->locations[l];
    uint32_t binary =
        at->mapping == PROF_NONE ? 0 : p->mappings[at->mapping].filename;
    for (uint64_t i = nodes->off[l]; i < nodes->off[l + 1]; i++) {
        uint32_t number = g->number[nodes->of[i]];
        if (number == PROF_NONE || g->seen[number])
            continue;
        const struct flame_function *function = NULL;
        if (at->n_lines) {
            size_t line = at->line_off + (size_t)(i - nodes->off[l]);
            uint32_t id = p->lines[line].function;
            function = id == PROF_NONE ? NULL : &g->functions[id];
        }
        g->seen[number] = true;
        if (!add_source(g, number, function, binary))
            return false;
    }
    return true;
}

static bool find_sources(struct namer *g)
{
    struct flame_names *names = g->names;
    g->seen = mem_zarray(names->n, sizeof *g->seen);
    names->file = mem_zarray(names->n, sizeof *names->file);
    names->package = mem_zarray(names->n, sizeof *names->package);
    bool ok = g->seen && names->file && names->package &&
              strtab_init(&names->files) && strtab_init(&names->packages);
    for (size_t l = 0; ok && l < g->stacks->nodes.p->n_locations; l++)
        ok = add_location_sources(g, l);
    return ok;
}

/* Whether at most three quarters of the names are of one group. */
static bool is_varied(const uint32_t *group, size_t n, uint32_t n_groups,
                      uint32_t *count)
{
    size_t most = 0;
    memset(count, 0, n_groups * sizeof *count);
    for (size_t i = 0; i < n; i++)
        if (++count[group[i]] > most)
            most = count[group[i]];
    return most <= n - n / 4;
}

static bool choose_colours(struct flame_names *names)
{
    uint32_t files = names->files.n, packages = names->packages.n;
    uint32_t *count =
        mem_array(files > packages ? files : packages, sizeof *count);
    if (!count)
        return false;
    names->by = FLAME_BY_NAME;
    if (is_varied(names->package, names->n, packages, count))
        names->by = FLAME_BY_PACKAGE;
    else if (is_varied(names->file, names->n, files, count))
        names->by = FLAME_BY_FILE;
    free(count);
    return true;
}

/* Replaces ranks in the tree by numbers of names. */
static bool name_nodes(struct flame *f, const struct flame_function *functions)
{
    struct namer g = {.names = &f->names,
                      .tree = &f->tree,
                      .stacks = &f->stacks,
                      .functions = functions};
    bool ok = number_names(&g) && write_names(&g) && find_sources(&g) &&
              choose_colours(&f->names);
    buf_free(&g.path);
    buf_free(&g.text);
    free(g.number);
    free(g.seen);
    return ok;
}

static void names_free(struct flame_names *names)
{
    buf_free(&names->text);
    free(names->end);
    free(names->file);
    free(names->package);
    strtab_free(&names->files);
    strtab_free(&names->packages);
}

/* --- all of it --- */

static struct flame_function *copy_functions(const struct profile *p)
{
    struct flame_function *kept = mem_array(p->n_functions, sizeof *kept);
    for (size_t i = 0; kept && i < p->n_functions; i++)
        kept[i] = (struct flame_function){p->functions[i].name,
                                          p->functions[i].filename};
    return kept;
}

/* Reports how many nodes were merged, and their share of r->type. */
static void note_merged(struct report *r, const struct flame *f, double limit)
{
    const struct flame_tree *t = &f->tree;
    size_t type = r->type - t->first_type;
    double held = 0;
    if (!t->small.n)
        return;
    for (size_t i = 0; i < t->nodes.n; i++)
        for (size_t k = type; k < t->n_sums; k += t->n_types)
            if (t->nodes.v[i].name == f->names.merged)
                held += fabs((double)flame_self(t, i)[k]);
    note_info(r->notes,
              "%" PRIu64 " nodes below %g%% of the total are merged into %zu, "
              "which hold %.2f%% of it; %zu nodes remain",
              t->n_merged, limit * 100, t->small.n,
              held * 100 / fmax(1, (double)t->total[type]),
              t->nodes.n - t->small.n);
}

/* Reports stacks that are too deep to show. */
static void note_cut(const struct report *r, const struct stackrank *f)
{
    if (f->n_cut)
        note_loss(r->notes,
                  "%zu sample%s: stacks truncated to the %" PRIu64
                  " outermost frames (of up to %" PRIu64
                  ", including inlined functions)",
                  f->n_cut, f->n_cut == 1 ? "" : "s", f->depth, f->deepest);
}

/* Falls back to one type if all would be too many values. */
static bool make_tree(struct flame *f, const struct report *r,
                      const struct flame_tree_opts *opts, struct err *err)
{
    struct flame_tree_opts one = *opts;
    if (tree_init(&f->tree, &f->stacks, opts, err))
        return true;
    if (!f->tree.is_wide)
        return false;
    note_loss(r->notes,
              "only the default sample type (or that of --sample-index) is "
              "shown: the stacks have too many values of %zu types",
              opts->n_types);
    tree_free(&f->tree);
    one.first_type = r->type;
    one.n_types = 1;
    return tree_init(&f->tree, &f->stacks, &one, err);
}

bool flame_make(struct flame *f, struct report *r,
                const struct flame_tree_opts *opts, struct err *err)
{
    memset(f, 0, sizeof *f);
    const struct stackrank_opts stacks = {.cut = true,
                                          .threads = r->opts->threads};
    struct flame_function *functions = copy_functions(r->p);
    prof_aggregate(r->p, &r->opts->detail);
    bool ok = (functions || err_nomem(err)) &&
              stackrank_init(&f->stacks, r->p, &stacks, err) &&
              make_tree(f, r, opts, err) &&
              (name_nodes(f, functions) || err_nomem(err));
    free(functions);
    if (ok)
        note_cut(r, &f->stacks);
    if (ok)
        note_merged(r, f, opts->limit);
    return ok;
}

void flame_free(struct flame *f)
{
    stackrank_free(&f->stacks);
    tree_free(&f->tree);
    names_free(&f->names);
}

bool flame_put_empty(const struct report *r, const struct flame *f,
                     struct buf *to)
{
    for (size_t i = 0; i < f->tree.n_types; i++)
        if (f->tree.total[i])
            return true;
    if (r->p->n_samples)
        return buf_puts(to, f->tree.n_types > 1
                                ? "All values of all samples are 0."
                                : "All values of this type are 0.");
    if (r->n_read)
        return buf_printf(to, "None of %zu samples passes the filters.",
                          r->n_read);
    return buf_puts(to, r->opts->base.name ? "Nothing differs from the base."
                                           : "The profile has no samples.");
}

bool flame_put_title(struct report *r, struct buf *to)
{
    struct slice binary = report_binary(r);
    return binary.n ? flame_put_visible(to, binary.s, binary.n)
                    : buf_puts(to, "profile");
}
