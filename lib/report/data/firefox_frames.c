#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "report/data/firefox.h"
#include "report/data/jsontext.h"
#include "report/data/viewer.h"

struct maker {
    struct firefox_frames *f;
    struct hashidx functions;
    uint32_t *source_of; /* by file: its source plus 1; 0 is not yet */
    struct buf name;
};

static bool add_source(struct maker *m, uint32_t file, uint32_t *source)
{
    const struct strtab *files = &m->f->nodes->files;
    *source = PROF_NONE;
    if (!file)
        return true;
    if (!m->source_of[file]) {
        uint32_t name;
        if (!strtab_add(&m->f->strings, strtab_str(files, file),
                        strtab_len(files, file), &name) ||
            !vec_push(&m->f->sources, name))
            return false;
        m->source_of[file] = (uint32_t)m->f->sources.n;
    }
    *source = m->source_of[file] - 1;
    return true;
}

static bool add_function(struct maker *m, struct firefox_function fn,
                         uint32_t *function)
{
    uint64_t seed = prof_seed(m->f->nodes->p);
    uint32_t hash = mix_fold(mix_pair(seed, fn.name, fn.source));
    if (!hashidx_room(&m->functions))
        return false;
    size_t at = hashidx_start(&m->functions, hash);
    while ((*function = hashidx_next(&m->functions, hash, &at)) !=
           HASHIDX_NONE) {
        const struct firefox_function *old = &m->f->functions.v[*function];
        if (old->name == fn.name && old->source == fn.source)
            return true;
    }
    *function = (uint32_t)m->f->functions.n;
    if (!vec_push(&m->f->functions, fn))
        return false;
    hashidx_put(&m->functions, at, hash, *function);
    return true;
}

static bool add_node(struct maker *m, uint32_t node)
{
    const struct node *k = &m->f->nodes->v[node];
    struct firefox_function fn;
    m->name.n = 0;
    return viewer_put_name(m->f->nodes, node, &m->name) &&
           strtab_add(&m->f->strings, (const char *)m->name.v, m->name.n,
                      &fn.name) &&
           add_source(m, viewer_has_place(k) ? k->file : 0, &fn.source) &&
           add_function(m, fn, &m->f->function[node]);
}

static bool add_no_stack(struct maker *m)
{
    struct firefox_function fn = {.source = PROF_NONE};
    return strtab_add(&m->f->strings, VIEWER_NO_STACK, strlen(VIEWER_NO_STACK),
                      &fn.name) &&
           add_function(m, fn, &m->f->function[m->f->nodes->n]);
}

bool firefox_frames_init(struct firefox_frames *f, const struct nodes *nodes)
{
    memset(f, 0, sizeof *f);
    f->nodes = nodes;
    struct maker m = {.f = f};
    f->function = mem_array(nodes->n + 1, sizeof *f->function);
    m.source_of = mem_zarray(nodes->files.n, sizeof *m.source_of);
    bool ok = f->function && m.source_of && strtab_init(&f->strings);
    for (size_t k = 0; ok && k < nodes->n; k++)
        ok = add_node(&m, (uint32_t)k);
    ok = ok && add_no_stack(&m);
    hashidx_free(&m.functions);
    free(m.source_of);
    buf_free(&m.name);
    return ok;
}

void firefox_frames_free(struct firefox_frames *f)
{
    strtab_free(&f->strings);
    vec_free(&f->sources);
    vec_free(&f->functions);
    free(f->function);
    memset(f, 0, sizeof *f);
}

/* A cell of a column. */
typedef bool cell_fn(const struct firefox_frames *f, size_t row,
                     struct buf *out);

/* "name":[...], */
static bool put_column(struct report *r, const struct firefox_frames *f,
                       const char *name, size_t n, cell_fn *put)
{
    bool ok = buf_printf(r->out, "\"%s\":[", name);
    for (size_t i = 0; ok && i < n; i++)
        ok = (!i || buf_putc(r->out, ',')) && put(f, i, r->out) &&
             report_flush(r);
    return ok && buf_puts(r->out, "],");
}

/* Columns that have the same in each row; names have spaces between. */
static bool put_constant(struct report *r, const char *names, size_t n,
                         const char *value)
{
    bool ok = true;
    while (ok && *names) {
        size_t len = strcspn(names, " ");
        ok = buf_printf(r->out, "\"%.*s\":[", (int)len, names);
        for (size_t i = 0; ok && i < n; i++)
            ok = (!i || buf_putc(r->out, ',')) && buf_puts(r->out, value) &&
                 report_flush(r);
        ok = ok && buf_puts(r->out, "],");
        names += len + (names[len] == ' ');
    }
    return ok;
}

static bool put_length(struct report *r, size_t n)
{
    return buf_printf(r->out, "\"length\":%zu}", n);
}

/* A number, or null if it is the one that stands for none. */
static bool put_known(struct buf *out, int64_t v, int64_t unknown)
{
    return v == unknown ? buf_puts(out, "null") : buf_put_i64(out, v);
}

static const struct node *node_at(const struct firefox_frames *f, size_t row)
{
    static const struct node no_stack;
    bool placed = row < f->nodes->n && viewer_has_place(&f->nodes->v[row]);
    return placed ? &f->nodes->v[row] : &no_stack;
}

static bool frame_function(const struct firefox_frames *f, size_t row,
                           struct buf *out)
{
    return buf_put_u64(out, f->function[row]);
}

static bool frame_line(const struct firefox_frames *f, size_t row,
                       struct buf *out)
{
    return put_known(out, node_at(f, row)->line, 0);
}

static bool frame_column(const struct firefox_frames *f, size_t row,
                         struct buf *out)
{
    return put_known(out, node_at(f, row)->column, 0);
}

static bool function_name(const struct firefox_frames *f, size_t row,
                          struct buf *out)
{
    return buf_put_u64(out, f->functions.v[row].name);
}

static bool function_source(const struct firefox_frames *f, size_t row,
                            struct buf *out)
{
    return put_known(out, f->functions.v[row].source, PROF_NONE);
}

static bool source_name(const struct firefox_frames *f, size_t row,
                        struct buf *out)
{
    return buf_put_u64(out, f->sources.v[row]);
}

static bool put_strings(struct report *r, const struct firefox_frames *f,
                        size_t *n_replaced)
{
    const struct strtab *t = &f->strings;
    bool ok = buf_puts(r->out, "\"stringArray\":[");
    for (uint32_t i = 0; ok && i < t->n; i++)
        ok = buf_puts(r->out, i ? ",\n" : "\n") &&
             json_put_text(r->out, strtab_str(t, i), strtab_len(t, i),
                           n_replaced) &&
             report_flush(r);
    return ok && buf_puts(r->out, "]");
}

bool firefox_put_frames(struct report *r, const struct firefox_frames *f,
                        size_t *n_replaced)
{
    size_t n = f->nodes->n + 1, m = f->functions.n, k = f->sources.n;
    return buf_puts(r->out, "\"frameTable\":{") &&
           put_constant(r, "address lib", n, "-1") &&
           put_constant(r, "inlineDepth category subcategory", n, "0") &&
           put_constant(r, "nativeSymbol innerWindowID originalLocation", n,
                        "null") &&
           put_column(r, f, "func", n, frame_function) &&
           put_column(r, f, "line", n, frame_line) &&
           put_column(r, f, "column", n, frame_column) && put_length(r, n) &&
           buf_puts(r->out, ",\n\"funcTable\":{") &&
           put_column(r, f, "name", m, function_name) &&
           put_column(r, f, "source", m, function_source) &&
           put_constant(r, "isJS relevantForJS", m, "false") &&
           put_constant(r, "resource", m, "-1") &&
           put_constant(r, "lineNumber columnNumber originalLocation", m,
                        "null") &&
           put_length(r, m) && buf_puts(r->out, ",\n\"sources\":{") &&
           put_column(r, f, "filename", k, source_name) &&
           put_constant(r, "id sourceMapURL content", k, "null") &&
           put_constant(r, "startLine startColumn", k, "1") &&
           put_length(r, k) && buf_puts(r->out, ",\n") &&
           put_strings(r, f, n_replaced);
}
