/*
 * foldedtext.c - --folded: "root;caller;leaf value", a line per distinct stack
 *
 * The input of flamegraph.pl (https://github.com/brendangregg/FlameGraph).
 * Samples are sorted by the names of their frames, so that equal stacks are
 * neighbours and each line begins with a part of the one before.
 */
#include <stdlib.h>

#include "base/utf8.h"
#include "profile/columns.h"
#include "report/graph/stackrank.h"
#include "report/places.h"
#include "report/samples.h"

/* The text of a stack without frames. */
#define NO_STACK "<no stack>"

struct folded {
    struct report *r;
    struct stackrank stacks;
    struct stacktext text;
    struct sample_list samples;
};

/*
 * Replaces semicolons and newlines in a name, because they separate frames and
 * stacks.  Returns whether any was found.
 */
static bool make_safe(struct buf *name)
{
    bool changed = utf8_blank_controls(name);
    uint8_t *end = name->v + name->n, *at = name->v;
    while (at < end && (at = memchr(at, ';', (size_t)(end - at)))) {
        *at++ = ':';
        changed = true;
    }
    return changed;
}

/* Whether sample i in sorted order has the stack of the one before it. */
static bool is_run(const struct folded *f, size_t i)
{
    return f->samples.any_equal && i && i < f->samples.n &&
           stackrank_repeats(&f->stacks, &f->samples, i);
}

/*
 * Writes a line for each stack whose first sample is in the piece.  No sum can
 * overflow: the sum of all magnitudes fits.
 */
static bool put_folded_lines(void *ctx, unsigned thread, size_t i, size_t to,
                             struct buf *out)
{
    const struct folded *f = ctx;
    const struct profile *p = f->stacks.nodes.p;
    const uint32_t *sample = f->samples.v;
    struct stacktext text = stacktext_twin(&f->text);
    struct prof_stacks r;
    struct prof_err err; /* only memory can be out */
    bool ok = prof_stacks_init(&r, p, &err);
    if (thread == f->r->opts->threads)
        text.flow = f->r;
    while (i < to && is_run(f, i))
        i++;
    size_t shared = 0; /* frames in common with the last line */
    for (; ok && i < to; i++) {
        stack_prefetch_next(p, sample, i, f->samples.n);
        if (i + STACK_AHEAD / 2 < f->samples.n)
            stacktext_prefetch(&text, sample[i + STACK_AHEAD / 2]);
        sample_list_read(&f->samples, i, &r);
        shared = r.shared < shared ? r.shared : shared;
        int64_t sum = p->values[sample[i] * p->n_types + f->r->type];
        for (; is_run(f, i + 1); i++)
            sum += p->values[sample[i + 1] * p->n_types + f->r->type];
        if (!sum)
            continue;
        ok = (r.depth
                  ? stacktext_put_frames(&text, r.stack, r.depth, shared, out)
                  : buf_puts(out, NO_STACK)) &&
             buf_putc(out, ' ') && buf_put_i64(out, sum) && buf_putc(out, '\n');
        shared = SIZE_MAX;
    }
    prof_stacks_free(&r);
    stacktext_free(&text);
    return ok;
}

/*
 * Makes the text of each rank, which is a piece.  Frames are ranks, or nodes
 * that map to ranks.
 */
static bool make_frames(struct folded *f)
{
    struct stackrank *ranks = &f->stacks;
    bool ok = true;
    f->text =
        (struct stacktext){.p = ranks->nodes.p, .root_first = true, .cut = 1};
    for (uint32_t k = 0; ok && k < ranks->names.n; k++) {
        struct prof_slice name = strtab_slice(&ranks->names, ranks->name_of[k]);
        ok = buf_put(&f->text.text, name.s, name.n) &&
             buf_putc(&f->text.text, ';') && stacktext_piece(&f->text);
    }
    if (ranks->is_packed) {
        f->text.off = ranks->nodes.off;
        f->text.of = ranks->nodes.of;
    }
    strtab_free(&ranks->names);
    return ok;
}

/* --- the formats --- */

static bool print_folded(struct report *r, struct prof_err *err)
{
    struct folded f = {.r = r};
    const struct stackrank_opts opts = {.edit = make_safe,
                                        .threads = r->opts->threads};
    bool made = stackrank_init(&f.stacks, r->p, &opts, err) &&
                stackrank_samples(&f.stacks, r->type, 1, &f.samples, err);
    if (made && f.stacks.n_edited)
        note_count(r->notes, PROF_NOTE_INFO, f.stacks.n_edited,
                   "semicolons and control characters in %zu name{s} replaced "
                   "with colons and spaces",
                   f.stacks.n_edited);
    const struct pieces_job pieces = {.order = f.samples.v,
                                      .n = f.samples.n,
                                      .stacks = &f.text,
                                      .fn = put_folded_lines,
                                      .ctx = &f};
    bool ok = made && make_frames(&f) && report_pieces(r, &pieces);
    stacktext_free(&f.text);
    stackrank_free(&f.stacks);
    free(f.samples.v);
    free(f.samples.shared);
    return ok || (made && err_nomem(err));
}

static bool print_annotated(struct report *r, struct prof_err *err)
{
    return places_annotate(r->p, err) && print_folded(r, err);
}

const struct report_format report_folded = {
    .name = "folded",
    .arg = "[annotations]",
    .help = "write folded stacks, one per line",
    .common = true,
    .suffixes = "folded collapsed txt",
    .needs = REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM,
    .ignores = REPORT_AS_IT_IS | REPORT_NO_LABELS,
    .print = print_folded,
};

const struct report_format report_folded_annotated = {
    .name = "folded",
    .variant = "annotations",
    .suffixes = "folded collapsed txt",
    .needs = REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM,
    .ignores = REPORT_AS_IT_IS | REPORT_NO_LABELS,
    .print = print_annotated,
};
