/*
 * speedscope.c - --speedscope: for https://www.speedscope.app
 *
 * The file format is https://www.speedscope.app/file-format-schema.json: one
 * table of frames, and "sampled" profiles, whose stacks have their root first:
 * one for each thread if samples have times, with the values of one sample
 * type, otherwise one for each sample type.  Weights are above 0 there.
 */
#include <inttypes.h>

#include "profile/columns.h"
#include "report/data/private.h"
#include "report/escape.h"
#include "report/samples.h"

struct speedscope {
    struct report *r;
    struct viewer v;
    struct stacktext stacks;
    /* The current profile: */
    const struct track *track;
    size_t first, n; /* samples above 0 */
    int64_t sum;     /* of their values */
};

static bool put_speedscope_frame(struct speedscope *w, uint32_t node,
                                 struct buf *name)
{
    struct buf *out = w->r->out;
    const struct node *k = &w->v.nodes.v[node];
    const struct strtab *files = &w->v.nodes.files;
    name->n = 0;
    bool ok = viewer_put_name(&w->v.nodes, node, name) &&
              buf_puts(out, "{\"name\":") &&
              json_put_text(out, name->v, name->n, &w->v.n_replaced);
    if (ok && viewer_has_place(k)) {
        if (k->file)
            ok = buf_puts(out, ",\"file\":") &&
                 json_put_string(out, files, k->file, &w->v.n_replaced);
        if (ok && k->line)
            ok = buf_printf(out, ",\"line\":%" PRId64, k->line);
        if (ok && k->column)
            ok = buf_printf(out, ",\"col\":%" PRId64, k->column);
    }
    return ok && buf_puts(out, "},\n");
}

static int64_t weight_of(const struct speedscope *w, size_t s)
{
    return w->r->p->values[s * w->r->p->n_types + w->track->type];
}

/* Writes the stack of a sample if its weight is above 0. */
static bool put_frames_of(const struct speedscope *w, struct stacktext *stacks,
                          size_t s, struct buf *out)
{
    return weight_of(w, s) <= 0 ||
           (buf_puts(out, s == w->first ? "\n[" : ",\n[") &&
            stacktext_put(stacks, s, out) &&
            (prof_depth(w->r->p, s) || buf_put_u64(out, w->v.nodes.n)) &&
            buf_putc(out, ']'));
}

static bool put_stack_frames(struct sample_printer *printer, size_t s)
{
    return put_frames_of(printer->ctx, &printer->stacks, s,
                         printer->report.out);
}

/*
 * Writes all stacks with several threads, or one by one those of a track, as
 * there may be many tracks, and those of few samples with many types:
 * report_samples() first reads the names of all types.
 */
static bool put_all_frames(struct speedscope *w)
{
    bool ok = true;
    if (!w->v.timeline.timed && w->r->p->n_types <= w->r->p->n_samples)
        return report_samples(w->r, &w->stacks, put_stack_frames, w);
    w->stacks.flow = w->r;
    for (size_t s = w->track->begin; ok && s < w->track->end; s++)
        ok = put_frames_of(w, &w->stacks, s, w->r->out);
    return ok;
}

static struct prof_shown type_name(const struct speedscope *w)
{
    return prof_show_type(w->r->p, w->r->p->types[w->track->type]);
}

/* Sums the values above 0, and warns of those below. */
static bool sum_weights(struct speedscope *w, struct prof_err *err)
{
    size_t n_below = 0;
    w->first = w->n = 0;
    w->sum = 0;
    for (size_t s = w->track->begin; s < w->track->end; s++) {
        int64_t v = weight_of(w, s);
        n_below += v < 0;
        if (v <= 0)
            continue;
        if (!w->n++)
            w->first = s;
        if (__builtin_add_overflow(w->sum, v, &w->sum))
            return err_input(err, "the values of sample type %s exceed 64 bits",
                             type_name(w).text);
    }
    note_count(w->r->notes, PROF_NOTE_LOSS, n_below,
               "%zu negative value{s} of sample type %s dropped: "
               "speedscope cannot show negative values",
               n_below, type_name(w).text);
    return true;
}

static bool put_profile(struct speedscope *w, size_t i)
{
    static const char *const unit[] = {
        [VIEWER_OTHER] = "none",
        [VIEWER_BYTES] = "bytes",
        [VIEWER_NANOSECONDS] = "nanoseconds",
        [VIEWER_MICROSECONDS] = "microseconds",
        [VIEWER_MILLISECONDS] = "milliseconds",
        [VIEWER_SECONDS] = "seconds",
    };
    struct buf *out = w->r->out;
    bool ok = buf_puts(out, i ? ",\n" : "\n") &&
              buf_puts(out, "{\"type\":\"sampled\",\"name\":") &&
              viewer_put_track(&w->v, w->track, out) &&
              buf_printf(out,
                         ",\"unit\":\"%s\",\"startValue\":0,"
                         "\"endValue\":%" PRId64 ",\"samples\":[",
                         unit[viewer_unit(w->r->p, w->track->type)], w->sum) &&
              put_all_frames(w) && buf_puts(out, "],\"weights\":[");
    for (size_t s = w->first; ok && s < w->track->end; s++)
        if (weight_of(w, s) > 0)
            ok = buf_puts(out, s == w->first ? "\n" : ",\n") &&
                 buf_put_i64(out, weight_of(w, s)) && report_flush(w->r);
    return ok && buf_puts(out, "]}");
}

/*
 * Writes the part that all profiles share, with the frames.  The name is that
 * of the main binary.
 */
static bool put_head(struct speedscope *w)
{
    struct buf *out = w->r->out, text = {0};
    struct prof_slice name = report_binary(w->r);
    bool ok = buf_puts(out, "{\"$schema\":\"https://www.speedscope.app/"
                            "file-format-schema.json\","
                            "\"exporter\":\"pbcat@" PROFUTILS_VERSION "\"");
    if (name.n)
        ok = ok && buf_puts(out, ",\"name\":") &&
             json_put_text(out, name.s, name.n, &w->v.n_replaced);
    ok = ok && buf_printf(out,
                          ",\"activeProfileIndex\":%zu,"
                          "\"shared\":{\"frames\":[\n",
                          w->v.timeline.timed ? 0 : w->r->type);
    for (size_t k = 0; ok && k < w->v.nodes.n; k++)
        ok = put_speedscope_frame(w, (uint32_t)k, &text) && report_flush(w->r);
    buf_free(&text);
    return ok && buf_puts(out, "{\"name\":\"" VIEWER_NO_STACK "\"}\n"
                               "]},\"profiles\":[");
}

static bool print_speedscope(struct report *r, struct prof_err *err)
{
    struct speedscope w = {.r = r,
                           .stacks = {.p = r->p, .root_first = true, .cut = 1}};
    struct buf *text = &w.stacks.text;
    bool ok = viewer_init(&w.v, r, err);
    /* Piece k is the number of node k; the number for no frame follows. */
    for (size_t k = 0; ok && k < w.v.nodes.n; k++)
        ok = (buf_put_u64(text, k) && buf_putc(text, ',') &&
              stacktext_piece(&w.stacks)) ||
             err_nomem(err);
    ok = ok && ((stacktext_use_nodes(&w.stacks, &w.v.nodes) && put_head(&w)) ||
                err_nomem(err));
    for (size_t i = 0; ok && i < w.v.timeline.tracks.n; i++) {
        w.track = &w.v.timeline.tracks.v[i];
        ok = sum_weights(&w, err) && (put_profile(&w, i) || err_nomem(err));
    }
    ok = ok && (buf_puts(r->out, "\n]}\n") || err_nomem(err));
    stacktext_free(&w.stacks);
    return viewer_end(&w.v, ok, "speedscope", "speedscope rounds");
}

const struct report_format report_speedscope = {
    .name = "speedscope",
    .help = "write a file for speedscope.app",
    .common = true,
    .suffixes = "speedscope.json json",
    .needs = REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM,
    .ignores = REPORT_AS_IT_IS | REPORT_NO_LABELS,
    .print = print_speedscope,
};
