/*
 * --folded: "root;caller;leaf value", one line per distinct stack, the input
 * of flamegraph.pl (https://github.com/brendangregg/FlameGraph)
 *
 * Samples are sorted by the names of their frames, so that equal stacks are
 * neighbours and each line begins with a part of the one before.
 */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/vec.h"
#include "report/pieces.h"
#include "report/stackrank.h"

/* What stands for a stack without frames. */
#define NO_STACK "<no stack>"

struct folded {
    struct stackrank stacks;
    uint32_t *samples; /* in the order of their stacks */
    size_t n_samples;
    bool equal; /* there are samples of one stack */
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
    return sample_order_sort(&f->stacks.order, f->samples, n, r->opts->threads,
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
    return f->equal && i + 1 < f->n_samples &&
           !sample_order_cmp(&f->stacks.order, f->samples[i],
                             f->samples[i + 1]);
}

/*
 * A line for each stack whose first sample is in the piece.  No sum can
 * overflow: all magnitudes together were found to fit.
 */
static bool put_some(void *ctx, unsigned thread, size_t i, size_t to,
                     struct buf *out)
{
    const struct folded *f = ctx;
    const struct profile *p = f->stacks.nodes.p;
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
    size_t n_changed = 0;
    bool ok = stackrank_init(&f.stacks, r->p, make_safe, &n_changed,
                             r->opts->threads, err) &&
              sort_samples(&f, r, err);
    if (ok && n_changed)
        note_info(r->notes,
                  "%zu names have semicolons or control characters; they are "
                  "shown as colons and spaces",
                  n_changed);
    ok = ok && (report_pieces(r, f.samples, f.n_samples, put_some, &f) ||
                err_nomem(err));
    stackrank_free(&f.stacks);
    free(f.samples);
    return ok;
}

const struct report_format report_folded = {
    .name = "folded",
    .suffixes = "folded collapsed txt",
    .needs = REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM | REPORT_VALUES,
    .ignores = REPORT_AS_IT_IS,
    .print = print,
};
