/*
 * --firefox: for https://profiler.firefox.com
 *
 * Each sample type is a thread, because a thread has one weight for each of
 * its samples; they share their stacks.  Weights are milliseconds, bytes, or
 * numbers of samples.  Samples must have times: each begins where the one
 * before ends, or one millisecond after it.
 */
#include "report/data/firefox.h"

#include <inttypes.h>

#include "report/data/columns.h"
#include "report/data/jsontext.h"
#include "report/data/stacktable.h"
#include "report/data/viewer.h"

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

static int64_t value_of(const struct firefox *w, size_t s)
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
    int64_t v = value_of(w, s);
    if (!is_time(w))
        return buf_put_i64(out, v);
    return (v >= 0 || buf_putc(out, '-')) && put_ms(w, graph_abs(v), out);
}

static bool put_stack(const struct firefox *w, size_t s, struct buf *out)
{
    return buf_put_u64(out, w->stacks.of[s]);
}

typedef bool sample_fn(const struct firefox *w, size_t s, struct buf *out);

/* A column of the samples that have a value. */
static bool put_samples(struct firefox *w, const char *name, sample_fn *put,
                        size_t *n)
{
    struct buf *out = w->r->out;
    bool ok = buf_printf(out, "\"%s\":[", name);
    *n = 0;
    for (size_t s = 0; ok && s < w->r->p->n_samples; s++)
        if (value_of(w, s))
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
        int64_t v = value_of(w, s);
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

static bool put_thread(struct firefox *w)
{
    struct buf *out = w->r->out;
    const struct strtab *names = &w->columns.names;
    uint32_t name = w->columns.name[w->type];
    size_t n;
    w->unit = viewer_unit(w->r->p, w->type);
    return buf_puts(out, w->type ? ",\n{\"name\":" : "\n{\"name\":") &&
           json_put_text(out, strtab_str(names, name), strtab_len(names, name),
                         &w->n_replaced) &&
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
           put_samples(w, "stack", put_stack, &n) &&
           put_samples(w, "weight", put_weight, &n) && put_deltas(w) &&
           buf_printf(out, "\"length\":%zu},", n) &&
           buf_puts(out, "\"markers\":{\"data\":[],\"name\":[],"
                         "\"startTime\":[],\"endTime\":[],\"phase\":[],"
                         "\"category\":[],\"length\":0}}");
}

static bool put_threads(struct firefox *w)
{
    bool ok = buf_puts(w->r->out, "\"threads\":[");
    for (w->type = 0; ok && w->type < w->r->p->n_types; w->type++)
        ok = put_thread(w);
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

static bool print(struct report *r, struct err *err)
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
        viewer_tell_lost(r, w.n_replaced, "firefox",
                         "the Firefox Profiler rounds");
    return ok;
}

const struct report_format report_firefox = {
    .name = "firefox",
    .help = "for profiler.firefox.com",
    .suffixes = "json",
    .needs = REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM | REPORT_VALUES,
    .ignores = REPORT_AS_IT_IS,
    .print = print,
};
