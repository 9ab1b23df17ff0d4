/*
 * firefox.c - --firefox: for https://profiler.firefox.com
 *
 * The "processed profile" format, in the one version below; the viewer takes
 * older versions than its own.  What it is made of is published in
 *
 *   https://github.com/firefox-devtools/profiler/blob/main/src/types/profile.ts
 *
 * and what its versions changed in docs-developer/CHANGELOG-formats.md there.
 * Tables are objects of columns, which are arrays of one length; tables refer
 * to each other by row.
 *
 * Each sample type is a thread, because a thread has one weight for each of
 * its samples; they share their stacks.  Weights are milliseconds, bytes, or
 * numbers of samples.  Samples must have times: each begins where the one
 * before ends, or one millisecond after it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/data/private.h"
#include "report/escape.h"

enum {
    FIREFOX_VERSION = 70,      /* of the processed format, */
    FIREFOX_GECKO_VERSION = 36 /* and of what Firefox itself writes */
};

/* A function is all frames of one name and file. */
struct firefox_function {
    uint32_t name;   /* in strings */
    uint32_t source; /* in sources, or PROF_NONE */
};

struct firefox_frames {
    const struct nodes *nodes;
    struct strtab strings;
    VEC(uint32_t) sources; /* names of files, in strings */
    VEC(struct firefox_function) functions;
    uint32_t *function; /* by node, then that of VIEWER_NO_STACK */
};

/* Tables of strings, sources, functions and frames. */

struct frames_maker {
    struct firefox_frames *f;
    struct strtab functions; /* function i is i + 1 there */
    uint32_t *source_of;     /* by file: its source plus 1; 0 is not yet */
    struct buf name;
};

static bool add_source(struct frames_maker *m, uint32_t file, uint32_t *source)
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

static bool add_firefox_function(struct frames_maker *m,
                                 struct firefox_function fn, uint32_t *function)
{
    if (!strtab_add(&m->functions, (const char *)&fn, sizeof fn, function))
        return false;
    --*function;
    return *function < m->f->functions.n || vec_push(&m->f->functions, fn);
}

static bool add_frame(struct frames_maker *m, uint32_t node)
{
    const struct node *k = &m->f->nodes->v[node];
    struct firefox_function fn;
    m->name.n = 0;
    return viewer_put_name(m->f->nodes, node, &m->name) &&
           strtab_add(&m->f->strings, (const char *)m->name.v, m->name.n,
                      &fn.name) &&
           add_source(m, viewer_has_place(k) ? k->file : 0, &fn.source) &&
           add_firefox_function(m, fn, &m->f->function[node]);
}

static bool add_no_stack(struct frames_maker *m)
{
    struct firefox_function fn = {.source = PROF_NONE};
    return strtab_add(&m->f->strings, VIEWER_NO_STACK, strlen(VIEWER_NO_STACK),
                      &fn.name) &&
           add_firefox_function(m, fn, &m->f->function[m->f->nodes->n]);
}

static bool firefox_frames_init(struct firefox_frames *f,
                                const struct nodes *nodes)
{
    memset(f, 0, sizeof *f);
    f->nodes = nodes;
    struct frames_maker m = {.f = f};
    f->function = mem_array(nodes->n + 1, sizeof *f->function);
    m.source_of = mem_zarray(nodes->files.n, sizeof *m.source_of);
    bool ok = f->function && m.source_of && strtab_init(&f->strings) &&
              strtab_init(&m.functions);
    for (size_t k = 0; ok && k < nodes->n; k++)
        ok = add_frame(&m, (uint32_t)k);
    ok = ok && add_no_stack(&m);
    strtab_free(&m.functions);
    free(m.source_of);
    buf_free(&m.name);
    return ok;
}

static void firefox_frames_free(struct firefox_frames *f)
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
static bool put_number_or_null(struct buf *out, int64_t v, int64_t unknown)
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
    return put_number_or_null(out, node_at(f, row)->line, 0);
}

static bool frame_column(const struct firefox_frames *f, size_t row,
                         struct buf *out)
{
    return put_number_or_null(out, node_at(f, row)->column, 0);
}

static bool function_name(const struct firefox_frames *f, size_t row,
                          struct buf *out)
{
    return buf_put_u64(out, f->functions.v[row].name);
}

static bool function_source(const struct firefox_frames *f, size_t row,
                            struct buf *out)
{
    return put_number_or_null(out, f->functions.v[row].source, PROF_NONE);
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
             json_put_string(r->out, t, i, n_replaced) && report_flush(r);
    return ok && buf_puts(r->out, "]");
}

static bool firefox_put_frames(struct report *r, const struct firefox_frames *f,
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

/* Stacks, threads and what describes them. */

struct firefox {
    struct report *r;
    struct nodes nodes;
    struct firefox_frames frames;
    struct stacktable stacks;
    struct columns columns;
    size_t n_replaced;
    /* Of the thread that is printed. */
    size_t type;
    enum viewer_unit unit;
};

static int64_t firefox_value(const struct firefox *w, size_t s)
{
    return w->r->p->values[s * w->r->p->n_types + w->type];
}

static bool is_time(const struct firefox *w)
{
    return w->unit != VIEWER_OTHER && w->unit != VIEWER_BYTES;
}

/* v nanoseconds, microseconds ... in milliseconds, with all digits. */
static bool put_ms(const struct firefox *w, uint64_t v, struct buf *out)
{
    if (w->unit == VIEWER_SECONDS)
        return buf_put_u64(out, v) && (!v || buf_puts(out, "000"));
    if (w->unit == VIEWER_MILLISECONDS)
        return buf_put_u64(out, v);
    bool nanos = w->unit == VIEWER_NANOSECONDS;
    unsigned per_ms = nanos ? 1000000 : 1000;
    if (!buf_put_u64(out, v / per_ms) || v % per_ms == 0)
        return v % per_ms == 0;
    return buf_printf(out, nanos ? ".%06u" : ".%03u", (unsigned)(v % per_ms));
}

static bool put_weight(const struct firefox *w, size_t s, struct buf *out)
{
    int64_t v = firefox_value(w, s);
    if (!is_time(w))
        return buf_put_i64(out, v);
    return (v >= 0 || buf_putc(out, '-')) && put_ms(w, graph_abs(v), out);
}

static bool put_stack_row(const struct firefox *w, size_t s, struct buf *out)
{
    return buf_put_u64(out, w->stacks.of[s]);
}

typedef bool cell_of_sample_fn(const struct firefox *w, size_t s,
                               struct buf *out);

/* A column of the samples that have a value. */
static bool put_sample_column(struct firefox *w, const char *name,
                              cell_of_sample_fn *put, size_t *n)
{
    struct buf *out = w->r->out;
    bool ok = buf_printf(out, "\"%s\":[", name);
    *n = 0;
    for (size_t s = 0; ok && s < w->r->p->n_samples; s++)
        if (firefox_value(w, s))
            ok = (!(*n)++ || buf_putc(out, ',')) && put(w, s, out) &&
                 report_flush(w->r);
    return ok && buf_puts(out, "],\n");
}

/* What each sample is later than the one before. */
static bool put_deltas(struct firefox *w)
{
    struct buf *out = w->r->out;
    int64_t last = 0;
    size_t n = 0;
    bool ok = buf_puts(out, "\"timeDeltas\":[");
    for (size_t s = 0; ok && s < w->r->p->n_samples; s++) {
        int64_t v = firefox_value(w, s);
        if (!v)
            continue;
        ok = (!n || buf_putc(out, ',')) &&
             (is_time(w) ? put_ms(w, graph_abs(last), out)
                         : buf_putc(out, n ? '1' : '0')) &&
             report_flush(w->r);
        last = v;
        n++;
    }
    return ok && buf_puts(out, "],\n");
}

static bool put_firefox_thread(struct firefox *w)
{
    struct buf *out = w->r->out;
    const struct strtab *names = &w->columns.names;
    uint32_t name = w->columns.name[w->type];
    size_t n;
    w->unit = viewer_unit(w->r->p, w->type);
    return buf_puts(out, w->type ? ",\n{\"name\":" : "\n{\"name\":") &&
           json_put_string(out, names, name, &w->n_replaced) &&
           buf_printf(out,
                      ",\"processType\":\"default\",\"processStartupTime\":0,"
                      "\"processShutdownTime\":null,\"registerTime\":0,"
                      "\"unregisterTime\":null,\"pausedRanges\":[],"
                      "\"isMainThread\":false,\"pid\":\"0\",\"tid\":%zu,"
                      "\"samples\":{\"weightType\":\"%s\",\n",
                      w->type,
                      is_time(w)                ? "tracing-ms"
                      : w->unit == VIEWER_BYTES ? "bytes"
                                                : "samples") &&
           put_sample_column(w, "stack", put_stack_row, &n) &&
           put_sample_column(w, "weight", put_weight, &n) && put_deltas(w) &&
           buf_printf(out, "\"length\":%zu},", n) &&
           buf_puts(out, "\"markers\":{\"data\":[],\"name\":[],"
                         "\"startTime\":[],\"endTime\":[],\"phase\":[],"
                         "\"category\":[],\"length\":0}}");
}

static bool put_threads(struct firefox *w)
{
    bool ok = buf_puts(w->r->out, "\"threads\":[");
    for (w->type = 0; ok && w->type < w->r->p->n_types; w->type++)
        ok = put_firefox_thread(w);
    return ok && buf_puts(w->r->out, "\n]}\n");
}

static bool put_offsets(struct firefox *w)
{
    struct stacktable_callers callers = {.t = &w->stacks};
    uint32_t caller;
    bool ok = true;
    for (size_t i = 0; ok && i < w->stacks.frame.n; i++)
        ok = stacktable_caller(&callers, &caller) &&
             (!i || buf_putc(w->r->out, ',')) &&
             buf_put_u64(w->r->out, caller == PROF_NONE ? 0 : i - caller) &&
             report_flush(w->r);
    vec_free(&callers.open);
    return ok;
}

static bool put_stacks(struct firefox *w)
{
    const struct stacktable *t = &w->stacks;
    struct buf *out = w->r->out;
    bool ok = buf_puts(out, "\"stackTable\":{\"frame\":[");
    for (size_t i = 0; ok && i < t->frame.n; i++)
        ok = (!i || buf_putc(out, ',')) && buf_put_u64(out, t->frame.v[i]) &&
             report_flush(w->r);
    return ok && buf_puts(out, "],\n\"prefixOffset\":[") && put_offsets(w) &&
           buf_printf(out, "],\n\"length\":%zu},\n", t->frame.n);
}

static bool put_shared(struct firefox *w)
{
    return buf_puts(w->r->out, "\"shared\":{\n") && put_stacks(w) &&
           firefox_put_frames(w->r, &w->frames, &w->n_replaced) &&
           buf_puts(w->r->out,
                    ",\n\"resourceTable\":{\"name\":[],\"host\":[],"
                    "\"type\":[],\"length\":0},"
                    "\"nativeSymbols\":{\"libIndex\":[],\"address\":[],"
                    "\"name\":[],\"functionSize\":[],\"length\":0},"
                    "\"sourceLocationTable\":{\"source\":[],\"line\":[],"
                    "\"column\":[],\"length\":0}},\n");
}

/* What it is a profile of: the main binary. */
static bool put_product(struct firefox *w)
{
    struct slice name = report_binary(w->r);
    return name.n ? json_put_text(w->r->out, name.s, name.n, &w->n_replaced)
                  : buf_puts(w->r->out, "\"pprof\"");
}

static bool put_meta(struct firefox *w)
{
    struct buf *out = w->r->out;
    const struct profile *p = w->r->p;
    bool ok = buf_puts(out, "{\"meta\":{\"product\":") && put_product(w) &&
              buf_printf(out,
                         ",\"importedFrom\":\"pbcat " PROFUTILS_VERSION "\","
                         "\"startTime\":%" PRId64 ",\"interval\":1,"
                         "\"processType\":0,\"stackwalk\":1,"
                         "\"version\":%d,\"preprocessedProfileVersion\":%d,",
                         p->time_nanos / 1000000, FIREFOX_GECKO_VERSION,
                         FIREFOX_VERSION) &&
              buf_puts(out, "\"categories\":[{\"name\":\"Other\","
                            "\"color\":\"grey\",\"subcategories\":"
                            "[\"Other\"]}],\"markerSchema\":[],"
                            "\"symbolicated\":true,"
                            "\"symbolicationNotSupported\":true,"
                            "\"usesOnlyOneStackType\":true,"
                            "\"sourceCodeIsNotOnSearchfox\":true,"
                            "\"keepProfileThreadOrder\":true,"
                            "\"initialVisibleThreads\":[");
    for (size_t i = 0; ok && i < p->n_types; i++)
        ok = buf_printf(out, i ? ",%zu" : "%zu", i);
    return ok && buf_printf(out,
                            "],\"initialSelectedThreads\":[%zu]},"
                            "\"libs\":[],\"pages\":[],\n",
                            w->r->type);
}

static bool print_firefox(struct report *r, struct err *err)
{
    struct firefox w = {.r = r};
    bool ok = viewer_nodes(&w.nodes, r->p, err) &&
              columns_init(&w.columns, r->p, false, err) &&
              stacktable_init(&w.stacks, &w.nodes, r->opts->threads, err) &&
              ((firefox_frames_init(&w.frames, &w.nodes) && put_meta(&w) &&
                put_shared(&w) && put_threads(&w)) ||
               err_nomem(err));
    firefox_frames_free(&w.frames);
    stacktable_free(&w.stacks);
    columns_free(&w.columns);
    nodes_free(&w.nodes);
    if (ok)
        viewer_report_lost(r, w.n_replaced, "firefox",
                           "the Firefox Profiler rounds");
    return ok;
}

const struct report_format report_firefox = {
    .name = "firefox",
    .help = "for profiler.firefox.com",
    .suffixes = "json",
    .needs = REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM,
    .ignores = REPORT_AS_IT_IS,
    .print = print_firefox,
};
