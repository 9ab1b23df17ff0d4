/*
 * llvm.c - LLVM's sample profile as text
 *
 * A function of the program begins with `NAME:TOTAL:HEAD`.  Lines that follow
 * are indented by a space more than their function: ` OFFSET: COUNT`, and after
 * these ` OFFSET: NAME:TOTAL` for a function that was inlined there.  The order
 * is that in which llvm-profdata prints what it has read.
 *
 * HEAD is how often the function was called.  Samples do not tell; like
 * LLVM itself where it is missing, this takes the count of the first line.
 */
#include <string.h>

#include "pgo/private.h"

enum { CHUNK = 1 << 16 };

struct waiting {
    uint32_t instance;
    unsigned depth; /* 1: not inlined */
};

struct writer {
    const struct pgo_lines *lines;
    VEC(struct waiting) stack; /* the next one is last */
    struct buf text;
};

static bool push_children(struct writer *w, uint32_t first, uint32_t n,
                          unsigned depth)
{
    while (n-- > 0) {
        const struct waiting next = {w->lines->children[first + n], depth};
        if (!vec_push(&w->stack, next))
            return false;
    }
    return true;
}

static bool put_instance(struct writer *w, const struct pgo_instance *in,
                         unsigned depth)
{
    struct buf *to = &w->text;
    const struct prof_slice name = w->lines->names.v[in->name];
    const struct pgo_place *places = w->lines->places.v + in->first_place;
    const bool inlined = in->parent != PROF_NONE;
    bool ok = !inlined || buf_printf(to, "%*s%u: ", (int)depth - 1, "",
                                     (unsigned)in->offset);
    ok = ok && buf_put(to, name.s, name.n) && buf_putc(to, ':') &&
         buf_put_u64(to, in->total);
    if (!inlined)
        ok = ok && buf_putc(to, ':') &&
             buf_put_u64(to, in->n_places ? places[0].count : 0);
    ok = ok && buf_putc(to, '\n');
    for (uint32_t i = 0; ok && i < in->n_places; i++)
        ok = buf_printf(to, "%*s%u: ", (int)depth, "",
                        (unsigned)places[i].offset) &&
             buf_put_u64(to, places[i].count) && buf_putc(to, '\n');
    return ok;
}

static bool put_instances(struct writer *w, struct sink *to,
                          struct prof_err *err)
{
    if (!push_children(w, 0, w->lines->n_roots, 1))
        return err_nomem(err);
    while (w->stack.n) {
        const struct waiting next = w->stack.v[--w->stack.n];
        const struct pgo_instance *in = &w->lines->instances.v[next.instance];
        if (!put_instance(w, in, next.depth) ||
            !push_children(w, in->first_child, in->n_children, next.depth + 1))
            return err_nomem(err);
        if (w->text.n >= CHUNK) {
            if (!sink_write(to, w->text.v, w->text.n, err))
                return false;
            w->text.n = 0;
        }
    }
    return sink_write(to, w->text.v, w->text.n, err);
}

bool pgo_llvm_text(const struct profile *p, const struct prof_notes *notes,
                   struct sink *to, struct prof_err *err)
{
    struct pgo_lines lines = {0};
    struct writer w = {.lines = &lines};
    const bool ok =
        pgo_lines_read(p, notes, &lines, err) && put_instances(&w, to, err);
    vec_free(&w.stack);
    buf_free(&w.text);
    pgo_lines_free(&lines);
    return ok;
}
