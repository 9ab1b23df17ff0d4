/*
 * foldedtext.c - --folded: "root;caller;leaf value", a line per distinct stack
 *
 * The input of flamegraph.pl (https://github.com/brendangregg/FlameGraph).
 * Samples are sorted by the names of their frames, so that equal stacks are
 * neighbours and each line begins with a part of the one before.
 */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/vec.h"
#include "report/data/stackrank.h"
#include "report/pieces.h"

/* What stands for a stack without frames. */
#define NO_STACK "<no stack>"

struct folded {
    struct report *r;
    struct stackrank stacks;
    size_t longest; /* of the names */
    struct stackrank_samples samples;
    size_t type;
};

/* Semicolons part frames and newlines stacks: neither may be in a name. */
static bool make_safe(struct buf *name)
{
    bool changed = utf8_blank_controls(name);
    for (size_t i = 0; i < name->n; i++)
        if (name->v[i] == ';') {
            name->v[i] = ':';
            changed = true;
        }
    return changed;
}

/* The last line of a piece. */
struct line {
    const uint32_t *stack; /* leaf first */
    size_t depth, at;      /* it begins at out->v[at] */
    VEC(size_t) ends;      /* of the frames in it, from its begin */
};

/* How many frames the stack shares with the line, from the root. */
static size_t shared_frames(const struct line *line, const uint32_t *stack,
                            size_t depth)
{
    size_t k = 0, n = depth < line->depth ? depth : line->depth;
    while (k < n && stack[depth - 1 - k] == line->stack[line->depth - 1 - k])
        k++;
    return k;
}

/* Appends the stack, whose begin may be in the last line. */
static bool put_folded_stack(const struct folded *f, struct line *line,
                             const uint32_t *stack, size_t depth,
                             struct buf *out)
{
    size_t k = shared_frames(line, stack, depth), start = out->n;
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
        uint32_t name = f->stacks.name_of[stack[depth - 1 - k]];
        if ((k && !buf_putc(out, ';')) ||
            !buf_put(out, strtab_str(&f->stacks.names, name),
                     strtab_len(&f->stacks.names, name)))
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
    return f->samples.any_equal && i + 1 < f->samples.n &&
           !stackrank_cmp(&f->stacks, f->samples.v[i], f->samples.v[i + 1]);
}

/* A stack of any length, which goes out name by name if `flows`. */
static bool put_long_stack(const struct folded *f, size_t s, bool flows,
                           struct buf *out)
{
    struct stackrank_frames frames = stackrank_begin(&f->stacks, s);
    const struct strtab *t = &f->stacks.names;
    const char *between = "";
    uint32_t rank;
    bool ok = true;
    while (ok && stackrank_next(&frames, &rank)) {
        uint32_t name = f->stacks.name_of[rank];
        ok = buf_puts(out, between) &&
             buf_put(out, strtab_str(t, name), strtab_len(t, name)) &&
             (!flows || report_flush(f->r));
        between = ";";
    }
    return ok && (prof_depth(f->stacks.nodes.p, s) || buf_puts(out, NO_STACK));
}

/*
 * A line for each stack whose first sample is in the piece.  No sum can
 * overflow: all magnitudes together were found to fit.
 */
static bool put_folded_lines(void *ctx, unsigned thread, size_t i, size_t to,
                             struct buf *out)
{
    const struct folded *f = ctx;
    const struct profile *p = f->stacks.nodes.p;
    struct line line = {0};
    bool ok = true, flows = thread == f->r->opts->threads;
    for (; i && i < to && is_run(f, i - 1);)
        i++;
    for (; ok && i < to; i++) {
        size_t s = f->samples.v[i];
        int64_t sum = p->values[s * p->n_types + f->type];
        for (; is_run(f, i); i++)
            sum += p->values[f->samples.v[i + 1] * p->n_types + f->type];
        if (sum)
            ok = (flows || f->stacks.is_packed
                      ? put_long_stack(f, s, flows, out)
                      : put_folded_stack(f, &line, prof_stack(p, s),
                                         prof_depth(p, s), out)) &&
                 buf_putc(out, ' ') && buf_put_i64(out, sum) &&
                 buf_putc(out, '\n');
    }
    vec_free(&line.ends);
    return ok;
}

/* About the length of a line; what is long is not looked at further. */
static size_t line_size(const void *ctx, size_t s)
{
    const struct folded *f = ctx;
    struct stackrank_frames frames = stackrank_begin(&f->stacks, s);
    size_t depth = prof_depth(f->stacks.nodes.p, s), n = 0;
    uint32_t rank;
    if (!f->stacks.is_packed && depth < PIECES_LONG / (f->longest + 1))
        return depth * (f->longest + 1);
    while (n <= PIECES_LONG && stackrank_next(&frames, &rank))
        n += strtab_len(&f->stacks.names, f->stacks.name_of[rank]) + 1;
    return n;
}

static bool print_lines(struct folded *f)
{
    const struct pieces_job pieces = {.order = f->samples.v,
                                      .n = f->samples.n,
                                      .fn = put_folded_lines,
                                      .size = line_size,
                                      .ctx = f};
    for (uint32_t i = 0; i < f->stacks.names.n; i++) {
        size_t n = strtab_len(&f->stacks.names, i);
        f->longest = n > f->longest ? n : f->longest;
    }
    return report_pieces(f->r, &pieces);
}

static bool print_folded(struct report *r, struct err *err)
{
    struct folded f = {.r = r, .type = r->type};
    const struct stackrank_opts opts = {.edit = make_safe,
                                        .threads = r->opts->threads};
    bool ok = stackrank_init(&f.stacks, r->p, &opts, err) &&
              stackrank_samples(&f.stacks, r->type, 1, &f.samples, err);
    if (ok && f.stacks.n_edited)
        note_info(r->notes,
                  "%zu names have semicolons or control characters; they are "
                  "shown as colons and spaces",
                  f.stacks.n_edited);
    ok = ok && (print_lines(&f) || err_nomem(err));
    stackrank_free(&f.stacks);
    free(f.samples.v);
    return ok;
}

const struct report_format report_folded = {
    .name = "folded",
    .help = "one line per stack, for flamegraph.pl",
    .suffixes = "folded collapsed txt",
    .needs = REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM | REPORT_VALUES,
    .ignores = REPORT_AS_IT_IS,
    .print = print_folded,
};
