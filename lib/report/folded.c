/*
 * --folded: "root;caller;leaf value", one line per distinct stack, the input
 * of flamegraph.pl (https://github.com/brendangregg/FlameGraph)
 */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "report/calltree.h"
#include "report/format.h"

/* What stands for a stack without frames. */
#define NO_STACK "<no stack>"

struct folded {
    struct nodes nodes;
    struct strtab names; /* frames of the call tree; id 0 is not used */
    uint32_t *frame_of;  /* by node */
    uint32_t *rank;      /* of frames, by name */
    struct calltree tree;
    uint32_t *child, *off; /* see calltree_children() */
};

static void folded_free(struct folded *f)
{
    nodes_free(&f->nodes);
    strtab_free(&f->names);
    vec_free(&f->tree);
    free(f->frame_of);
    free(f->rank);
    free(f->child);
    free(f->off);
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

static bool name_frames(struct folded *f, const struct notes *notes,
                        struct err *err)
{
    struct buf name = {0};
    size_t n = f->nodes.n, n_changed = 0;
    f->frame_of = mem_array(n, sizeof *f->frame_of);
    bool ok = f->frame_of && strtab_init(&f->names);
    for (size_t k = 0; ok && k < n; k++) {
        name.n = 0;
        ok = node_name(&f->nodes, (uint32_t)k, &name);
        if (!ok)
            break;
        n_changed += make_safe(&name);
        ok = strtab_add(&f->names, (const char *)name.v, name.n,
                        &f->frame_of[k]);
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
    uint32_t n = f->names.n, *order = mem_array(n, sizeof *order);
    f->rank = mem_array(n, sizeof *f->rank);
    bool ok = order && f->rank;
    for (uint32_t i = 0; ok && i < n; i++)
        order[i] = i;
    if (ok)
        qsort_r(order, n, sizeof *order, name_order, &f->names);
    for (uint32_t i = 0; ok && i < n; i++)
        f->rank[order[i]] = i;
    free(order);
    return ok || err_nomem(err);
}

/* The way from the root to where the walk is. */
struct path {
    struct buf text; /* frames, with semicolons between */
    struct step {
        uint32_t next; /* index in child[] of the next one to enter */
        uint32_t end;
        size_t text_n; /* of the text up to here */
    } * v;
    size_t n, cap;
};

static bool enter(const struct folded *f, struct path *path, uint32_t node)
{
    if (node) {
        uint32_t frame = f->tree.v[node].frame;
        if ((path->n > 1 && !buf_putc(&path->text, ';')) ||
            !buf_put(&path->text, strtab_str(&f->names, frame),
                     strtab_len(&f->names, frame)))
            return false;
    }
    struct step step = {f->off[node], f->off[node + 1], path->text.n};
    return vec_push(path, step);
}

static bool put_line(struct buf *out, const struct buf *text, int64_t value)
{
    bool named =
        text->n ? buf_put(out, text->v, text->n) : buf_puts(out, NO_STACK);
    return named && buf_putc(out, ' ') && buf_put_i64(out, value) &&
           buf_putc(out, '\n');
}

/* Walks the tree in order, a line for each node where stacks end. */
static bool put_tree(const struct folded *f, struct report *r)
{
    struct path path = {0};
    uint32_t node = 0;
    bool ok = enter(f, &path, node);
    while (ok && path.n) {
        struct step *top = &path.v[path.n - 1];
        if (node != PROF_NONE && f->tree.v[node].self)
            ok = put_line(r->out, &path.text, f->tree.v[node].self) &&
                 report_pass_on(r);
        if (top->next < top->end) {
            node = f->child[top->next++];
            ok = ok && enter(f, &path, node);
            continue;
        }
        path.n--;
        path.text.n = path.n ? path.v[path.n - 1].text_n : 0;
        node = PROF_NONE;
    }
    buf_free(&path.text);
    vec_free(&path);
    return ok;
}

static bool print(struct report *r, struct err *err)
{
    struct folded f = {0};
    bool ok =
        nodes_init(&f.nodes, r->p, err) && name_frames(&f, r->notes, err) &&
        rank_frames(&f, err) &&
        calltree_init(&f.tree, &f.nodes, r->type, f.frame_of, err) &&
        calltree_children(&f.tree, f.rank, f.names.n, &f.child, &f.off, err) &&
        (put_tree(&f, r) || err_nomem(err));
    folded_free(&f);
    return ok;
}

const struct report_format report_folded = {
    .name = "folded",
    .needs = REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM | REPORT_VALUES,
    .print = print,
};
