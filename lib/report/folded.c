/*
 * --folded: "root;caller;leaf value", one line per distinct stack, the input
 * of flamegraph.pl (https://github.com/brendangregg/FlameGraph)
 *
 * Samples are sorted by the names of their frames, so that equal stacks are
 * neighbours and each line begins with a part of the one before.
 */
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/vec.h"
#include "profile/sample_order.h"
#include "report/pieces.h"

enum { FRAMES_AT_A_TIME = 1 << 19 };

/* What stands for a stack without frames. */
#define NO_STACK "<no stack>"

/* Frames are names here, as ranks in their order. */
struct folded {
    struct nodes nodes;
    struct strtab names;
    uint32_t *rank_of; /* by node */
    uint32_t *name_of; /* by rank: id in names */
    uint32_t *samples; /* in the order of their stacks: */
    size_t n_samples;
    struct sample_order order;
    bool equal; /* there are samples of one stack */
    size_t type;
};

static void folded_free(struct folded *f)
{
    nodes_free(&f->nodes);
    strtab_free(&f->names);
    free(f->rank_of);
    free(f->name_of);
    free(f->samples);
}

/* Semicolons part frames and newlines stacks: neither may be in a name. */
static bool make_safe(struct buf *name)
{
    bool changed = false;
    for (size_t i = 0; i < name->n; i++) {
        uint8_t c = name->v[i];
        if (c == ';' || c < 0x20) {
            name->v[i] = c == ';' ? ':' : ' ';
            changed = true;
        }
    }
    return changed;
}

/* Sets rank_of to ids in names, for now. */
static bool name_frames(struct folded *f, const struct notes *notes,
                        struct err *err)
{
    struct buf name = {0};
    size_t n = f->nodes.n, n_changed = 0;
    f->rank_of = mem_array(n, sizeof *f->rank_of);
    bool ok = f->rank_of && strtab_init(&f->names);
    for (size_t k = 0; ok && k < n; k++) {
        name.n = 0;
        ok = node_name(&f->nodes, (uint32_t)k, &name);
        if (!ok)
            break;
        n_changed += make_safe(&name);
        ok =
            strtab_add(&f->names, (const char *)name.v, name.n, &f->rank_of[k]);
    }
    buf_free(&name);
    if (n_changed)
        note_info(notes,
                  "%zu names have semicolons or control characters; they are "
                  "shown as colons and spaces",
                  n_changed);
    return ok || err_nomem(err);
}

static int name_order(const void *a, const void *b, void *names)
{
    return strtab_cmp(names, *(const uint32_t *)a, *(const uint32_t *)b);
}

static bool rank_frames(struct folded *f, struct err *err)
{
    uint32_t n = f->names.n, *rank = mem_array(n, sizeof *rank);
    f->name_of = mem_array(n, sizeof *f->name_of);
    bool ok = rank && f->name_of;
    for (uint32_t i = 0; ok && i < n; i++)
        f->name_of[i] = i;
    if (ok)
        qsort_r(f->name_of, n, sizeof *f->name_of, name_order, &f->names);
    for (uint32_t i = 0; ok && i < n; i++)
        rank[f->name_of[i]] = i;
    for (size_t k = 0; ok && k < f->nodes.n; k++)
        f->rank_of[k] = rank[f->rank_of[k]];
    free(rank);
    return ok || err_nomem(err);
}

/*
 * Frames in place of locations where one location may be several: from the
 * end, so that none is overwritten before it was read.
 */
static bool rank_lines(struct folded *f, struct profile *p)
{
    const uint64_t *off = f->nodes.off;
    size_t n = p->n_frames, i = n;
    for (size_t at = 0; at < p->n_frames; at++) {
        uint32_t l = p->frames[at];
        if (__builtin_add_overflow(n, off[l + 1] - off[l] - 1, &n))
            return false;
    }
    if (!vec_grow((void **)&p->frames, &p->cap_frames, n, sizeof *p->frames))
        return false;
    p->n_frames = n;
    for (size_t s = p->n_samples; s--;) {
        size_t begin = (size_t)p->frame_off[s];
        p->frame_off[s + 1] = n;
        while (i > begin) {
            uint32_t l = p->frames[--i];
            for (uint64_t line = off[l + 1]; line-- > off[l];)
                p->frames[--n] = f->nodes.of[line];
        }
    }
    return true;
}

struct ranking {
    struct profile *p;
    const uint32_t *rank; /* by location */
};

static void rank_piece(void *ctx, unsigned thread, size_t piece)
{
    const struct ranking *w = ctx;
    size_t i = piece * FRAMES_AT_A_TIME, end = i + FRAMES_AT_A_TIME;
    (void)thread;
    if (end > w->p->n_frames)
        end = w->p->n_frames;
    for (; i < end; i++)
        w->p->frames[i] = w->rank[w->p->frames[i]];
}

/*
 * Makes frames of the profile's stacks, as ranks.  Most profiles have as many
 * as locations, which then are replaced where they are.
 */
static bool rank_stacks(struct folded *f, struct profile *p, unsigned threads)
{
    uint64_t n = f->nodes.off[p->n_locations];
    for (uint64_t i = 0; i < n; i++)
        f->nodes.of[i] = f->rank_of[f->nodes.of[i]];
    if (n != p->n_locations)
        return rank_lines(f, p);
    struct ranking w = {.p = p, .rank = f->nodes.of};
    parallel_run(threads, p->n_frames / FRAMES_AT_A_TIME + 1, rank_piece, &w);
    return true;
}

/* Lists the samples that have a value, in the order of their stacks. */
static bool sort_samples(struct folded *f, const struct report *r,
                         struct err *err)
{
    const struct profile *p = r->p;
    size_t n = 0;
    f->samples = mem_array(p->n_samples, sizeof *f->samples);
    if (!f->samples)
        return err_nomem(err);
    for (size_t s = 0; s < p->n_samples; s++)
        if (p->values[s * p->n_types + r->type])
            f->samples[n++] = (uint32_t)s;
    f->n_samples = n;
    f->order = (struct sample_order){
        .frame_off = p->frame_off, .frames = p->frames, .n_ranks = f->names.n};
    return sample_order_sort(&f->order, f->samples, n, r->opts->threads,
                             &f->equal, err);
}

/* The last line of a piece. */
struct line {
    const uint32_t *stack; /* leaf first */
    size_t depth, at;      /* it begins at out->v[at] */
    VEC(size_t) ends;      /* of the frames in it, from its begin */
};

/* How many frames the stack shares with the line, from the root. */
static size_t shared(const struct line *line, const uint32_t *stack,
                     size_t depth)
{
    size_t k = 0, n = depth < line->depth ? depth : line->depth;
    while (k < n && stack[depth - 1 - k] == line->stack[line->depth - 1 - k])
        k++;
    return k;
}

/* Appends the stack, whose begin may be in the last line. */
static bool put_stack(const struct folded *f, struct line *line,
                      const uint32_t *stack, size_t depth, struct buf *out)
{
    size_t k = shared(line, stack, depth), start = out->n;
    size_t *ends = line->ends.v, n = k ? ends[k - 1] : 0;
    if (!buf_reserve(out, n) ||
        !vec_grow((void **)&line->ends.v, &line->ends.cap, depth,
                  sizeof *line->ends.v))
        return false;
    ends = line->ends.v;
    if (n)
        memcpy(out->v + start, out->v + line->at, n);
    out->n += n;
    for (; k < depth; k++) {
        uint32_t name = f->name_of[stack[depth - 1 - k]];
        if ((k && !buf_putc(out, ';')) ||
            !buf_put(out, strtab_str(&f->names, name),
                     strtab_len(&f->names, name)))
            return false;
        ends[k] = out->n - start;
    }
    line->stack = stack;
    line->depth = depth;
    line->at = start;
    return depth || buf_puts(out, NO_STACK);
}

/* Samples i and i + 1, in their order, have one stack. */
static bool is_run(const struct folded *f, size_t i)
{
    return f->equal && i + 1 < f->n_samples &&
           !sample_order_cmp(&f->order, f->samples[i], f->samples[i + 1]);
}

/*
 * A line for each stack whose first sample is in the piece.  No sum can
 * overflow: all magnitudes together were found to fit.
 */
static bool put_some(void *ctx, unsigned thread, size_t i, size_t to,
                     struct buf *out)
{
    const struct folded *f = ctx;
    const struct profile *p = f->nodes.p;
    struct line line = {0};
    bool ok = true;
    (void)thread;
    for (; i && i < to && is_run(f, i - 1);)
        i++;
    for (; ok && i < to; i++) {
        size_t s = f->samples[i];
        int64_t sum = p->values[s * p->n_types + f->type];
        for (; is_run(f, i); i++)
            sum += p->values[f->samples[i + 1] * p->n_types + f->type];
        if (sum)
            ok = put_stack(f, &line, prof_stack(p, s), prof_depth(p, s), out) &&
                 buf_putc(out, ' ') && buf_put_i64(out, sum) &&
                 buf_putc(out, '\n');
    }
    vec_free(&line.ends);
    return ok;
}

static bool print(struct report *r, struct err *err)
{
    struct folded f = {.type = r->type};
    bool ok = nodes_init(&f.nodes, r->p, err) &&
              name_frames(&f, r->notes, err) && rank_frames(&f, err) &&
              (rank_stacks(&f, r->p, r->opts->threads) || err_nomem(err)) &&
              sort_samples(&f, r, err) &&
              (report_pieces(r, f.samples, f.n_samples, put_some, &f) ||
               err_nomem(err));
    folded_free(&f);
    return ok;
}

const struct report_format report_folded = {
    .name = "folded",
    .needs = REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM | REPORT_VALUES,
    .print = print,
};
