/*
 * gperf.c - CPU profiles of gperftools, as libprofiler writes them
 *
 * A file is words of the writer's pointer size and byte order (a header,
 * records, an end marker), then the list of mappings as text (maps.h):
 *
 *      0, words after this one (3 or more), version, period in
 *      microseconds, 0, ...
 *      count, depth, PC of the leaf, return addresses of its callers ...
 *      0, 1, 0
 *
 * Version 0 is native code; version 1, Java, has lines that name its frames
 * in the place of the mappings (javaloc.h).  Size and order show in the
 * first two words.
 *
 * A process that forks without exec leaves several such profiles in one file,
 * one after the other; they are added up, with a warning: the child has a
 * copy of all samples that were in memory at the fork.  A file that stops
 * early gives what it holds: a record that is cut is left out, and said to be.
 *
 * Samples are samples/count and cpu/nanoseconds (count times period).
 * Callers' addresses are one less than the return address, which puts them
 * inside the call.  A second frame that is the leaf again is taken out.
 *
 * Published: https://gperftools.github.io/gperftools/cpuprofile-fileformat.html
 */
#include "import/gperftools/gperf.h"

#include <string.h>

#include "base/vec.h"
#include "import/dropframes.h"
#include "import/frames.h"
#include "import/gperftools/gperf_glue.h"
#include "import/gperftools/gperf_words.h"
#include "import/gperftools/maps.h"
#include "import/java/javaloc.h"

struct reading {
    const struct import_options *opts;
    const struct notes *notes;
    struct gperf_words words;
    VEC(struct profile) parts;
};

static bool gperf_sniff(const uint8_t *data, size_t n)
{
    struct gperf_words w = {.data = data, .n = n};
    return gperf_find_header(&w);
}

static bool gperf_begins(const uint8_t *data, size_t n)
{
    struct gperf_words w = {.data = data, .n = n};
    return gperf_find_header(&w) && gperf_read_header(&w, NULL, NULL);
}

bool gperf_is_rewritten(const uint8_t *data, size_t n)
{
    struct gperf_words w = {.data = data, .n = n};
    return gperf_find_header(&w) && gperf_read_header(&w, NULL, NULL) &&
           w.version == GPERF_NATIVE && w.period == 1 && !gperf_at_records(&w);
}

static bool begin_profile(struct profile *p, int64_t period, struct err *err)
{
    p->period = period;
    if (!prof_add_type(p, "samples", "count", err))
        return false;
    if (period && (!prof_add_type(p, "cpu", "nanoseconds", err) ||
                   !prof_str(p, "cpu", &p->period_type.type, err) ||
                   !prof_str(p, "nanoseconds", &p->period_type.unit, err)))
        return false;
    return dropframes_set(p, err);
}

static bool clean_stacks(struct reading *r, struct profile *p, struct err *err)
{
    size_t n = 0;
    if (r->opts->strip_signal_frames && !frames_strip_signal(p, &n, err))
        return false;
    if (n)
        note_info(r->notes, "%zu second frames taken for a signal handler's",
                  n);
    n = frames_drop_repeated_leaf(p);
    if (n)
        note_info(r->notes, "%zu second frames repeated the leaf", n);
    return true;
}

/*
 * The text behind the records goes to the first NUL, which no text has and
 * with which the header of another profile begins.  What else may follow
 * begins at a line.  w->at is moved behind the text.
 */
static size_t text_length(struct gperf_words *w)
{
    const char *text = (const char *)w->data + w->at;
    size_t left = w->n - w->at;
    const char *nul = memchr(text, 0, left);
    if (!nul)
        return left;
    size_t n = (size_t)(nul - text);
    struct gperf_words next = *w;
    next.at += n;
    if (!gperf_at_header(&next))
        while (n && text[n - 1] != '\n')
            n--;
    return n;
}

static bool read_text(struct reading *r, struct profile *p, struct err *err)
{
    struct gperf_words *w = &r->words;
    const char *text = (const char *)w->data + w->at;
    size_t n = text_length(w);
    w->at += n;
    if (w->version == GPERF_JAVA)
        return javaloc_read(text, n, p, r->notes, err);
    if (!w->ended && !w->rewritten)
        note_loss(r->notes, "no end marker and no map list: the program did "
                            "not come to its end, or runs on");
    else if (!n && !w->rewritten)
        note_loss(r->notes, "no map list");
    if (!maps_read(text, n, p, r->notes, err) || !maps_locate(p, r->notes, err))
        return false;
    return !r->opts->binary ||
           maps_name_main(p, r->opts->binary, r->notes, err);
}

/* The profile at w->at, which is moved behind it. */
static bool read_one(struct reading *r, struct profile *p, struct err *err)
{
    struct gperf_words *w = &r->words;
    if (gperf_at_header(w) && !gperf_read_header(w, r->notes, err))
        return false;
    if (!begin_profile(p, gperf_period(w), err) ||
        !gperf_read_records(w, p, r->notes, err))
        return false;
    if (w->version == GPERF_NATIVE && !clean_stacks(r, p, err))
        return false;
    return read_text(r, p, err);
}

/* True when one more profile follows; of a cut header nothing is known. */
static bool goes_on(const struct gperf_words *w)
{
    if (gperf_at_header(w))
        return !gperf_header_is_cut(w);
    return !w->zero_ends && gperf_at_records(w);
}

/*
 * The profiles from w->at on.  One without a header is the rest of what a
 * parent had begun to write before the fork: its child ended it first.
 */
static bool read_all(struct reading *r, struct err *err)
{
    const struct gperf_words *w = &r->words;
    do {
        struct profile p;
        bool ok = prof_init(&p, err) && read_one(r, &p, err);
        if (ok && !vec_push(&r->parts, p))
            ok = err_nomem(err);
        if (!ok) {
            prof_free(&p);
            return false;
        }
    } while (!r->opts->first_only && goes_on(w));
    if (w->at == w->n)
        return true;
    if (r->opts->first_only)
        note_info(r->notes,
                  "offset %zu: what follows the first profile is "
                  "left out, as asked",
                  w->at);
    else
        note_loss(r->notes,
                  "offset %zu: the %zu bytes from here are neither text nor "
                  "a profile, and are left out",
                  w->at, w->n - w->at);
    return true;
}

static bool gperf_read(const struct import_input *in,
                       const struct import_options *options,
                       struct profile *out, struct err *err)
{
    struct reading r = {.opts = options, .notes = in->notes};
    r.words = (struct gperf_words){.data = in->data,
                                   .n = in->n,
                                   .asked_period = options->period,
                                   .rewritten = options->rewritten,
                                   .zero_ends = options->zero_ends};
    memset(out, 0, sizeof *out);
    if (!gperf_find_header(&r.words))
        return err_set(err, ERR_INPUT, "offset 0: no header of a CPU profile");
    bool ok = read_all(&r, err);
    if (ok && r.parts.n > 1) {
        ok = gperf_glue(r.parts.v, r.parts.n, options->no_inherited, out,
                        in->notes, err);
    } else if (ok) {
        *out = r.parts.v[0];
        r.parts.n = 0;
    }
    for (size_t i = 0; i < r.parts.n; i++)
        prof_free(&r.parts.v[i]);
    vec_free(&r.parts);
    return ok;
}

const struct import_format cpu_format = {
    .name = "cpu",
    IMPORT_READ_BY("prof2pb", "a CPU profile of gperftools"),
    .begins = gperf_sniff,
    .is_sound = gperf_begins,
    .read = gperf_read,
};
