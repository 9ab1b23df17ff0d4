/*
 * --folded: "root;caller;leaf value", one line per distinct stack, the input
 * of flamegraph.pl (https://github.com/brendangregg/FlameGraph)
 *
 * Samples are sorted by the names of their frames, so that equal stacks are
 * neighbours and each line begins with a part of the one before.
 */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "profile/sample_order.h"
#include "report/format.h"

/* What stands for a stack without frames. */
#define NO_STACK "<no stack>"

/* Frames are names here, as ranks in their order. */
struct folded {
    struct nodes nodes;
    struct strtab names;
    uint32_t *rank_of; /* by node */
    uint32_t *name_of; /* by rank: id in names */
    uint32_t *samples; /* in the order of their stacks */
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
 * Makes frames of the profile's stacks, as ranks, of which a location has one
 * for each of its lines.  In place, where that is no more.
 */
static bool rank_stacks(struct folded *f, struct profile *p)
{
    const uint64_t *off = f->nodes.off;
    uint32_t *rank = f->nodes.of; /* so far, it has nodes */
    size_t n = p->n_frames, k = 0;
    for (uint64_t i = 0; i < off[p->n_locations]; i++)
        rank[i] = f->rank_of[rank[i]];
    for (size_t i = 0; i < p->n_frames; i++) {
        uint32_t l = p->frames[i];
        if (__builtin_add_overflow(n, off[l + 1] - off[l] - 1, &n))
            return false;
    }
    uint32_t *to = n == p->n_frames ? p->frames : mem_array(n, sizeof *to);
    if (n && !to)
        return false;
    size_t i = 0;
    for (size_t s = 0; s < p->n_samples; s++) {
        for (; i < p->frame_off[s + 1]; i++) {
            uint32_t l = p->frames[i];
            for (uint64_t line = off[l]; line < off[l + 1]; line++)
                to[k++] = rank[line];
        }
        p->frame_off[s + 1] = k;
    }
    if (to != p->frames)
        free(p->frames);
    p->frames = to;
    p->n_frames = p->cap_frames = n;
    return true;
}

static bool sort_samples(struct folded *f, const struct profile *p,
                         struct err *err)
{
    f->samples = mem_array(p->n_samples, sizeof *f->samples);
    if (!f->samples)
        return err_nomem(err);
    for (size_t s = 0; s < p->n_samples; s++)
        f->samples[s] = (uint32_t)s;
    struct sample_order o = {
        .frame_off = p->frame_off, .frames = p->frames, .n_ranks = f->names.n};
    bool equal;
    return sample_order_sort(&o, f->samples, p->n_samples, 1, &equal, err);
}

/* The stack of the last sample. */
struct path {
    struct buf text;   /* frames from the root, with semicolons between */
    VEC(size_t) ends;  /* of the frames in the text */
    const uint32_t *v; /* the frames, leaf first */
};

/* How many frames the stack shares with the path, from the root. */
static size_t shared(const struct path *path, const uint32_t *stack,
                     size_t depth)
{
    size_t k = 0, n = depth < path->ends.n ? depth : path->ends.n;
    const uint32_t *a = stack + depth, *b = path->v + path->ends.n;
    while (k < n && *--a == *--b)
        k++;
    return k;
}

/* Makes this stack the path, of which the first k frames stay. */
static bool go_on(const struct folded *f, struct path *path,
                  const uint32_t *stack, size_t depth, size_t k)
{
    path->v = stack;
    path->ends.n = k;
    path->text.n = k ? path->ends.v[k - 1] : 0;
    for (; k < depth; k++) {
        uint32_t name = f->name_of[stack[depth - 1 - k]];
        if ((k && !buf_putc(&path->text, ';')) ||
            !buf_put(&path->text, strtab_str(&f->names, name),
                     strtab_len(&f->names, name)) ||
            !vec_push(&path->ends, path->text.n))
            return false;
    }
    return true;
}

/* A line for the path, if it has a value. */
static bool put_line(struct report *r, const struct path *path, int64_t value)
{
    if (!value)
        return true;
    bool named = path->ends.n ? buf_put(r->out, path->text.v, path->text.n)
                              : buf_puts(r->out, NO_STACK);
    return named && buf_putc(r->out, ' ') && buf_put_i64(r->out, value) &&
           buf_putc(r->out, '\n') && report_pass_on(r);
}

/*
 * Sums up neighbours with one stack.  No sum can overflow: all magnitudes
 * together were found to fit.
 */
static bool put_stacks(const struct folded *f, struct report *r)
{
    const struct profile *p = r->p;
    struct path path = {0};
    int64_t sum = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < p->n_samples; i++) {
        size_t s = f->samples[i], depth = prof_depth(p, s);
        const uint32_t *stack = prof_stack(p, s);
        size_t k = shared(&path, stack, depth);
        if (k != depth || k != path.ends.n) {
            ok = put_line(r, &path, sum) && go_on(f, &path, stack, depth, k);
            sum = 0;
        }
        sum += p->values[s * p->n_types + r->type];
    }
    ok = ok && put_line(r, &path, sum);
    buf_free(&path.text);
    vec_free(&path.ends);
    return ok;
}

static bool print(struct report *r, struct err *err)
{
    struct folded f = {0};
    bool ok =
        nodes_init(&f.nodes, r->p, err) && name_frames(&f, r->notes, err) &&
        rank_frames(&f, err) && (rank_stacks(&f, r->p) || err_nomem(err)) &&
        sort_samples(&f, r->p, err) && (put_stacks(&f, r) || err_nomem(err));
    folded_free(&f);
    return ok;
}

const struct report_format report_folded = {
    .name = "folded",
    .needs = REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM | REPORT_VALUES,
    .print = print,
};
