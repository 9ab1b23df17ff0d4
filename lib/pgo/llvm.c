/*
 * llvm.c - LLVM's sample profile as text
 *
 * A function of the program begins with `NAME:TOTAL:HEAD`.  Lines that follow
 * are indented by a space more than their function: ` OFFSET: COUNT`, and after
 * these ` OFFSET: NAME:TOTAL` for a function that was inlined there.  The order
 * is that in which llvm-profdata prints what it has read.
 */
#include "pgo/private.h"

enum { CHUNK = 1 << 16 };

static bool put_instance(struct buf *to, const struct pgo_lines *lines,
                         const struct pgo_instance *in, unsigned depth)
{
    const struct prof_slice name = lines->names.v[in->name];
    const struct pgo_place *places = lines->places.v + in->first_place;
    const bool inlined = in->parent != PROF_NONE;
    bool ok = !inlined || buf_printf(to, "%*s%u: ", (int)depth - 1, "",
                                     (unsigned)in->offset);
    ok = ok && buf_put(to, name.s, name.n) && buf_putc(to, ':') &&
         buf_put_u64(to, in->total);
    if (!inlined)
        ok = ok && buf_putc(to, ':') &&
             buf_put_u64(to, pgo_head_count(lines, in));
    ok = ok && buf_putc(to, '\n');
    for (uint32_t i = 0; ok && i < in->n_places; i++)
        ok = buf_printf(to, "%*s%u: ", (int)depth, "",
                        (unsigned)places[i].offset) &&
             buf_put_u64(to, places[i].count) && buf_putc(to, '\n');
    return ok;
}

static bool put_instances(const struct pgo_lines *lines, struct sink *to,
                          struct prof_err *err)
{
    struct pgo_walk walk = {0};
    struct buf text = {0};
    const struct pgo_instance *in;
    bool ok = true, got = pgo_walk_begin(&walk, lines);
    while (ok && got && (got = pgo_walk_next(&walk, &in)) && in) {
        got = put_instance(&text, lines, in, walk.depth);
        if (got && text.n >= CHUNK) {
            ok = sink_write(to, text.v, text.n, err);
            text.n = 0;
        }
    }
    if (ok)
        ok = got ? sink_write(to, text.v, text.n, err) : err_nomem(err);
    pgo_walk_end(&walk);
    buf_free(&text);
    return ok;
}

bool pgo_llvm_text(const struct profile *p, const struct prof_notes *notes,
                   struct sink *to, struct prof_err *err)
{
    struct pgo_lines lines = {0};
    const bool ok =
        pgo_lines_read(p, notes, &lines, err) && put_instances(&lines, to, err);
    pgo_lines_free(&lines);
    return ok;
}
