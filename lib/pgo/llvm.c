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
                         const struct pgo_instance *in)
{
    const struct prof_slice name = lines->names.v[in->name].name;
    const struct pgo_place *places = lines->places.v + in->first_place;
    const bool inlined = in->parent != PROF_NONE;
    bool ok = !inlined || buf_printf(to, "%*s%u: ", (int)in->depth - 1, "",
                                     (unsigned)in->offset);
    ok = ok && buf_put(to, name.s, name.n) && buf_putc(to, ':') &&
         buf_put_u64(to, in->total);
    if (!inlined)
        ok = ok && buf_putc(to, ':') && buf_put_u64(to, in->head);
    ok = ok && buf_putc(to, '\n');
    for (uint32_t i = 0; ok && i < in->n_places; i++)
        ok = buf_printf(to, "%*s%u: ", (int)in->depth, "",
                        (unsigned)places[i].offset) &&
             buf_put_u64(to, places[i].count) && buf_putc(to, '\n');
    return ok;
}

bool pgo_llvm_text(const struct profile *p, const struct prof_notes *notes,
                   struct sink *to, struct prof_err *err)
{
    struct pgo_lines lines = {0};
    struct buf text = {0};
    bool ok = pgo_lines_read(p, notes, &lines, err);
    const size_t n = lines.instances.n;
    for (size_t i = 0; ok && i < n; i++) {
        ok = put_instance(&text, &lines, &lines.instances.v[lines.order[i]]) ||
             err_nomem(err);
        if (ok && (text.n >= CHUNK || i + 1 == n)) {
            ok = sink_write(to, text.v, text.n, err);
            text.n = 0;
        }
    }
    buf_free(&text);
    pgo_lines_free(&lines);
    return ok;
}
