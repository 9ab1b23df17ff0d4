/*
 * firefox.c - --firefox: for https://profiler.firefox.com
 *
 * The "processed profile" format, in the one version below; the viewer takes
 * older versions than its own.  The types are published in
 *
 *   https://github.com/firefox-devtools/profiler/blob/main/src/types/profile.ts
 *
 * and what its versions changed in docs-developer/CHANGELOG-formats.md there.
 * Tables are objects of columns, which are arrays of one length; tables refer
 * to each other by row.
 *
 * Samples with times are shown by thread, with the values of one sample type.
 * Otherwise each sample type is a thread, because a thread has one weight for
 * each of its samples; they share their stacks.  Weights are milliseconds,
 * bytes, or numbers of samples.  Samples must have times: each begins where
 * the one before ends, or one millisecond after it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "profile/columns.h"
#include "report/data/private.h"
#include "report/escape.h"

enum {
    FIREFOX_VERSION = 70,      /* of the processed format, */
    FIREFOX_GECKO_VERSION = 36 /* and of what Firefox itself writes */
};

/* A function: all frames of one name and file. */
struct firefox_function {
    uint32_t name;   /* in strings */
    uint32_t source; /* in sources, or PROF_NONE */
};

struct firefox_frames {
    const struct nodes *nodes;
    struct strtab strings;
    VEC(uint32_t) sources; /* names of files, in strings */
    VEC(struct firefox_function) functions;
    uint32_t *function; /* by node: its row in `functions`; then that of
                           VIEWER_NO_STACK */
};

/* --- strings, sources, functions and frames --- */

struct frames_maker {
    struct firefox_frames *f;
    struct map functions; /* rows of f->functions */
    uint32_t *source_of;  /* by file: its source plus 1; 0 is not yet */
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
    return map_push(&m->functions, &m->f->functions, &fn, sizeof fn, function,
                    fn);
}

static bool firefox_frames_init(struct firefox_frames *f,
                                const struct nodes *nodes)
{
    memset(f, 0, sizeof *f);
    f->nodes = nodes;
    struct frames_maker m = {.f = f};
    f->function = mem_array(nodes->n + 1, sizeof *f->function);
    m.source_of = mem_zarray(nodes->files.n, sizeof *m.source_of);
    bool ok = f->function && m.source_of && strtab_init(&f->strings);
    for (size_t k = 0; ok && k < nodes->n; k++) {
        const struct node *node = &nodes->v[k];
        uint32_t file = viewer_has_place(node) ? node->file : 0;
        struct firefox_function fn;
        m.name.n = 0;
        ok = viewer_put_name(nodes, (uint32_t)k, &m.name) &&
             strtab_add(&f->strings, (const char *)m.name.v, m.name.n,
                        &fn.name) &&
             add_source(&m, file, &fn.source) &&
             add_firefox_function(&m, fn, &f->function[k]);
    }
    struct firefox_function none = {.source = PROF_NONE};
    ok = ok &&
         strtab_add(&f->strings, VIEWER_NO_STACK, strlen(VIEWER_NO_STACK),
                    &none.name) &&
         add_firefox_function(&m, none, &f->function[nodes->n]);
    map_free(&m.functions);
    free(m.source_of);
    buf_free(&m.name);
    return ok;
}

/*
 * Writes "name":[...] with n numbers, `size` bytes apart; PROF_NONE becomes
 * null.
 */
static bool put_column(struct report *r, const char *name, const void *numbers,
                       size_t size, size_t n)
{
    bool ok = buf_printf(r->out, "\"%s\":[", name);
    for (size_t i = 0; ok && i < n; i++) {
        uint32_t v;
        memcpy(&v, (const char *)numbers + i * size, sizeof v);
        ok = (!i || buf_putc(r->out, ',')) &&
             (v == PROF_NONE ? buf_puts(r->out, "null")
                             : buf_put_u64(r->out, v)) &&
             report_flush(r);
    }
    return ok && buf_puts(r->out, "],");
}

/* Writes the lines or columns of frames, null if they are 0 or unknown. */
static bool put_places(struct report *r, const struct nodes *t, bool columns)
{
    bool ok = buf_puts(r->out, columns ? "\"column\":[" : "\"line\":[");
    for (size_t i = 0; ok && i < t->n; i++) {
        const struct node *k = &t->v[i];
        int64_t v = columns ? k->column : k->line;
        ok = (viewer_has_place(k) && v ? buf_put_i64(r->out, v)
                                       : buf_puts(r->out, "null")) &&
             buf_putc(r->out, ',') && report_flush(r);
    }
    /* The last frame is VIEWER_NO_STACK. */
    return ok && buf_puts(r->out, "null],");
}

/*
 * Writes columns with the same value in each row; `names` is separated by
 * spaces.
 */
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

static bool firefox_put_frames(struct report *r, const struct firefox_frames *f,
                               size_t *n_replaced)
{
    size_t n = f->nodes->n + 1, m = f->functions.n, k = f->sources.n;
    const struct firefox_function *fn = f->functions.v;
    bool ok =
        buf_puts(r->out, "\"frameTable\":{") &&
        put_constant(r, "address lib", n, "-1") &&
        put_constant(r, "inlineDepth category subcategory", n, "0") &&
        put_constant(r, "nativeSymbol innerWindowID originalLocation", n,
                     "null") &&
        put_column(r, "func", f->function, sizeof *f->function, n) &&
        put_places(r, f->nodes, false) && put_places(r, f->nodes, true) &&
        buf_printf(r->out, "\"length\":%zu},\n\"funcTable\":{", n) &&
        put_column(r, "name", &fn->name, sizeof *fn, m) &&
        put_column(r, "source", &fn->source, sizeof *fn, m) &&
        put_constant(r, "isJS relevantForJS", m, "false") &&
        put_constant(r, "resource", m, "-1") &&
        put_constant(r, "lineNumber columnNumber originalLocation", m,
                     "null") &&
        buf_printf(r->out, "\"length\":%zu},\n\"sources\":{", m) &&
        put_column(r, "filename", f->sources.v, sizeof *f->sources.v, k) &&
        put_constant(r, "id sourceMapURL content", k, "null") &&
        put_constant(r, "startLine startColumn", k, "1") &&
        buf_printf(r->out, "\"length\":%zu},\n", k) &&
        buf_puts(r->out, "\"stringArray\":[");
    for (uint32_t i = 0; ok && i < f->strings.n; i++)
        ok = buf_puts(r->out, i ? ",\n" : "\n") &&
             json_put_string(r->out, &f->strings, i, n_replaced) &&
             report_flush(r);
    return ok && buf_puts(r->out, "]");
}

/* --- stacks --- */

/*
 * Numbers of stacks.  A stack is its innermost frame and the number of its
 * caller's stack, which is smaller.  Samples with equal stacks have one number,
 * and stacks share their common part from the root on, except frames that are
 * one location in one stack and several in another.  Frames are nodes, and
 * nodes->n for samples without frames.
 *
 * Numbers are in preorder: callees follow their caller.  A large profile has
 * many stacks, so the caller is stored as the number of stacks that end before
 * the next one begins, which is usually small.
 */
struct stacktable {
    VEC(uint32_t) frame;
    struct buf closed; /* by stack, LEB128: how many end before it */
    uint32_t *of;      /* by sample: its stack */
    size_t open;       /* while building: stacks not yet ended */
};

/* A stack, its depth in frames, and the kind of its innermost location. */
struct place {
    uint32_t stack, kind;
    size_t depth;
};

struct stacks_maker {
    struct stacktable *t;
    const struct nodes *nodes;
    uint32_t *kind; /* by location: equal if its frames are */
    struct prof_stacks stacks;
    /* The places of the locations of the last sample, from the root. */
    size_t depth;
    VEC(struct place) at;
};

/* Sets m->kind, and *n to the number of kinds. */
static bool find_kinds(struct stacks_maker *m, uint32_t *n)
{
    const struct nodes *t = m->nodes;
    struct strtab kinds;
    m->kind = mem_array(t->p->n_locations, sizeof *m->kind);
    bool ok = strtab_init(&kinds) && m->kind;
    for (size_t l = 0; ok && l < t->p->n_locations; l++) {
        const uint32_t *frame = t->of + t->off[l];
        size_t size = (size_t)(t->off[l + 1] - t->off[l]) * sizeof *frame;
        ok = strtab_add(&kinds, (const char *)frame, size, &m->kind[l]);
    }
    *n = kinds.n;
    strtab_free(&kinds);
    return ok;
}

/* Adds the stack of a frame called from *place, and moves *place to it. */
static bool add_stack(struct stacktable *t, uint32_t frame, struct place *place,
                      struct prof_err *err)
{
    if (t->frame.n >= PROF_NONE)
        return err_input(err, "more than %zu stacks", t->frame.n);
    size_t closed = t->open - place->depth;
    place->stack = (uint32_t)t->frame.n;
    t->open = ++place->depth;
    return (vec_push(&t->frame, frame) && buf_put_leb128(&t->closed, closed)) ||
           err_nomem(err);
}

/* Adds the stacks of the sample that m->stacks has read. */
static bool add_sample_stacks(struct stacks_maker *m, size_t sample,
                              struct prof_err *err)
{
    const struct nodes *nodes = m->nodes;
    const uint32_t *stack = m->stacks.stack;
    size_t depth = m->stacks.depth, k = m->stacks.shared;
    size_t most = depth < m->depth ? depth : m->depth;
    if (!vec_grow((void **)&m->at.v, &m->at.cap, depth, sizeof *m->at.v))
        return err_nomem(err);
    /* Locations that are not the same may still have the same frames. */
    while (k < most && m->kind[stack[depth - 1 - k]] == m->at.v[k].kind)
        k++;
    struct place at = {0};
    if (k)
        at = m->at.v[k - 1];
    for (; k < depth; k++) {
        uint32_t l = stack[depth - 1 - k];
        at.kind = m->kind[l];
        for (uint64_t i = nodes->off[l + 1]; i-- > nodes->off[l];)
            if (!add_stack(m->t, nodes->of[i], &at, err))
                return false;
        m->at.v[k] = at;
    }
    m->depth = depth;
    m->t->of[sample] = at.stack;
    return true;
}

/* Makes the stacks of all samples.  PROF_ERR_INPUT: there are too many. */
static bool stacktable_init(struct stacktable *t, const struct nodes *nodes,
                            unsigned threads, struct prof_err *err)
{
    const struct profile *p = nodes->p;
    struct stacks_maker m = {.t = t, .nodes = nodes};
    struct sample_order order = {.frame_off = p->frame_off,
                                 .frames = p->frames,
                                 .shared = p->shared,
                                 .threads = threads};
    memset(t, 0, sizeof *t);
    t->of = mem_array(p->n_samples, sizeof *t->of);
    uint32_t *samples = mem_array(p->n_samples, sizeof *samples);
    struct sample_list list = {.v = samples, .n = p->n_samples};
    bool ok =
        (t->of && samples && find_kinds(&m, &order.n_ranks)) || err_nomem(err);
    order.rank = m.kind;
    for (size_t s = 0; ok && s < p->n_samples; s++)
        samples[s] = (uint32_t)s;
    ok = ok && sample_order_sort(&order, &list, err) &&
         prof_stacks_init(&m.stacks, p, err);
    /* Samples are sorted by stack; those without frames come first. */
    struct place none = {0};
    for (size_t i = 0; ok && i < p->n_samples; i++) {
        uint32_t s = samples[i];
        sample_list_read(&list, i, &m.stacks);
        if (m.stacks.depth) {
            ok = add_sample_stacks(&m, s, err);
            continue;
        }
        if (!none.depth)
            ok = add_stack(t, (uint32_t)nodes->n, &none, err);
        t->of[s] = none.stack;
    }
    free(m.kind);
    prof_stacks_free(&m.stacks);
    vec_free(&m.at);
    free(list.shared);
    free(samples);
    return ok;
}

/* --- the profile --- */

struct firefox {
    struct report *r;
    struct viewer v;
    struct firefox_frames frames;
    struct stacktable stacks;
    const struct track *track; /* the current thread */
    enum viewer_unit unit;
};

static int64_t firefox_value(const struct firefox *w, size_t s)
{
    return w->r->p->values[s * w->r->p->n_types + w->track->type];
}

static bool is_time(const struct firefox *w)
{
    return w->unit != VIEWER_OTHER && w->unit != VIEWER_BYTES;
}

/* Writes v nanoseconds, microseconds ... in milliseconds, with all digits. */
static bool put_ms(enum viewer_unit unit, uint64_t v, struct buf *out)
{
    if (unit == VIEWER_SECONDS)
        return buf_put_u64(out, v) && (!v || buf_puts(out, "000"));
    if (unit == VIEWER_MILLISECONDS)
        return buf_put_u64(out, v);
    bool nanos = unit == VIEWER_NANOSECONDS;
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
    return (v >= 0 || buf_putc(out, '-')) && put_ms(w->unit, graph_abs(v), out);
}

static bool put_stack_row(const struct firefox *w, size_t s, struct buf *out)
{
    return buf_put_u64(out, w->stacks.of[s]);
}

typedef bool cell_of_sample_fn(const struct firefox *w, size_t s,
                               struct buf *out);

/*
 * Writes a column of the samples that have a value.  Sets *n to their number.
 */
static bool put_sample_column(struct firefox *w, const char *name,
                              cell_of_sample_fn *put, size_t *n)
{
    struct buf *out = w->r->out;
    bool ok = buf_printf(out, "\"%s\":[", name);
    *n = 0;
    for (size_t s = w->track->begin; ok && s < w->track->end; s++)
        if (firefox_value(w, s))
            ok = (!(*n)++ || buf_putc(out, ',')) && put(w, s, out) &&
                 report_flush(w->r);
    return ok && buf_puts(out, "],\n");
}

/* Writes the time between each sample and the one before. */
static bool put_deltas(struct firefox *w)
{
    struct buf *out = w->r->out;
    const bool timed = w->v.timeline.timed;
    const int64_t *time = w->v.timeline.time;
    int64_t last = 0, now = w->v.timeline.start;
    size_t n = 0;
    bool ok = buf_puts(out, "\"timeDeltas\":[");
    for (size_t s = w->track->begin; ok && s < w->track->end; s++) {
        int64_t v = firefox_value(w, s);
        if (!v)
            continue;
        ok = (!n || buf_putc(out, ',')) &&
             (timed ? put_ms(VIEWER_NANOSECONDS, (uint64_t)(time[s] - now), out)
              : is_time(w) ? put_ms(w->unit, graph_abs(last), out)
                           : buf_putc(out, n ? '1' : '0')) &&
             report_flush(w->r);
        last = v;
        now = timed ? time[s] : 0;
        n++;
    }
    return ok && buf_puts(out, "],\n");
}

static bool put_firefox_thread(struct firefox *w, size_t i)
{
    struct buf *out = w->r->out;
    const struct track *track = &w->v.timeline.tracks.v[i];
    size_t n;
    w->track = track;
    w->unit = viewer_unit(w->r->p, track->type);
    return buf_puts(out, i ? ",\n{\"name\":" : "\n{\"name\":") &&
           viewer_put_track(&w->v, track, out) &&
           buf_printf(out,
                      ",\"processType\":\"default\",\"processStartupTime\":0,"
                      "\"processShutdownTime\":null,\"registerTime\":0,"
                      "\"unregisterTime\":null,\"pausedRanges\":[],"
                      "\"isMainThread\":%s,\"pid\":\"%" PRId64
                      "\",\"tid\":%" PRId64
                      ",\"samples\":{\"weightType\":\"%s\",\n",
                      w->v.timeline.timed && track->pid == track->tid ? "true"
                                                                      : "false",
                      track->pid, track->tid,
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

/*
 * Writes the frame of each stack, and how many rows before it its caller is (0
 * for roots).
 */
static bool put_stacks(struct firefox *w)
{
    const struct stacktable *t = &w->stacks;
    struct buf *out = w->r->out;
    VEC(uint32_t) open = {0};
    const uint8_t *next = t->closed.v;
    bool ok =
        buf_puts(out, "\"stackTable\":{") &&
        put_column(w->r, "frame", t->frame.v, sizeof *t->frame.v, t->frame.n) &&
        buf_puts(out, "\n\"prefixOffset\":[");
    for (uint32_t i = 0; ok && i < t->frame.n; i++) {
        size_t closed = 0;
        unsigned shift = 0;
        uint8_t byte;
        do {
            byte = *next++;
            closed |= (size_t)(byte & 0x7f) << shift;
            shift += 7;
        } while (byte & 0x80);
        open.n = closed < open.n ? open.n - closed : 0;
        uint32_t offset = open.n ? i - open.v[open.n - 1] : 0;
        ok = vec_push(&open, i) && (!i || buf_putc(out, ',')) &&
             buf_put_u64(out, offset) && report_flush(w->r);
    }
    vec_free(&open);
    return ok && buf_printf(out, "],\n\"length\":%zu},\n", t->frame.n);
}

/*
 * Writes the metadata.  The product is the main binary; each track or sample
 * type is a thread.
 */
static bool put_meta(struct firefox *w)
{
    struct buf *out = w->r->out;
    const struct profile *p = w->r->p;
    struct prof_slice name = report_binary(w->r);
    bool ok = buf_puts(out, "{\"meta\":{\"product\":") &&
              (name.n ? json_put_text(out, name.s, name.n, &w->v.n_replaced)
                      : buf_puts(out, "\"pprof\"")) &&
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
    for (size_t i = 0; ok && i < w->v.timeline.tracks.n; i++)
        ok = buf_printf(out, i ? ",%zu" : "%zu", i);
    return ok && buf_printf(out,
                            "],\"initialSelectedThreads\":[%zu]},"
                            "\"libs\":[],\"pages\":[],\n",
                            w->v.timeline.timed ? 0 : w->r->type);
}

static bool print_firefox(struct report *r, struct prof_err *err)
{
    struct firefox w = {.r = r};
    bool made = viewer_init(&w.v, r, err) &&
                stacktable_init(&w.stacks, &w.v.nodes, r->opts->threads, err);
    bool ok =
        made && firefox_frames_init(&w.frames, &w.v.nodes) && put_meta(&w) &&
        buf_puts(r->out, "\"shared\":{\n") && put_stacks(&w) &&
        firefox_put_frames(r, &w.frames, &w.v.n_replaced) &&
        buf_puts(r->out, ",\n\"resourceTable\":{\"name\":[],\"host\":[],"
                         "\"type\":[],\"length\":0},"
                         "\"nativeSymbols\":{\"libIndex\":[],\"address\":[],"
                         "\"name\":[],\"functionSize\":[],\"length\":0},"
                         "\"sourceLocationTable\":{\"source\":[],\"line\":[],"
                         "\"column\":[],\"length\":0}},\n"
                         "\"threads\":[");
    for (size_t i = 0; ok && i < w.v.timeline.tracks.n; i++)
        ok = put_firefox_thread(&w, i);
    ok = ok && buf_puts(r->out, "\n]}\n");
    if (made && !ok)
        (void)err_nomem(err);
    strtab_free(&w.frames.strings);
    vec_free(&w.frames.sources);
    vec_free(&w.frames.functions);
    free(w.frames.function);
    vec_free(&w.stacks.frame);
    buf_free(&w.stacks.closed);
    free(w.stacks.of);
    return viewer_end(&w.v, ok, "firefox", "the Firefox Profiler rounds");
}

const struct report_format report_firefox = {
    .name = "firefox",
    .help = "write a file for profiler.firefox.com",
    .suffixes = "json",
    .needs = REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM,
    .ignores = REPORT_AS_IT_IS | REPORT_NO_LABELS,
    .print = print_firefox,
};
