/*
 * llvm.c - writes LLVM's sample profile as text
 *
 * A function of the program begins with `NAME:TOTAL:HEAD`.  Lines that follow
 * are indented by a space more than their function: ` OFFSET: COUNT`, and after
 * these ` OFFSET: NAME:TOTAL` for a function that was inlined there.  An offset
 * may be followed by `.DISCRIMINATOR`.  The order is that in which
 * llvm-profdata prints what it has read.
 */
#include "pgo/private.h"

enum { CHUNK = 1 << 16 };

/*
 * Returns the first of the three numbers that clang encodes in a discriminator.
 * It is assigned before instructions are copied (llvm/Support/Discriminator.h).
 * Bit 0 is set if the number is 0.  Otherwise its low five bits follow, and, if
 * the next bit is set, seven more.
 */
static uint32_t base_discriminator(const struct sym_discriminator *d)
{
    if (d->gcc) /* gcc's discriminators mean nothing to clang */
        return 0;
    if (d->by_flow)
        return d->value & 0xff;
    if (d->value & 1)
        return 0;
    const uint32_t low = d->value >> 1 & 0x1f;
    return d->value & 0x40 ? low | (d->value >> 2 & 0xfe0) : low;
}

static bool put_position(struct buf *to, unsigned depth, struct pgo_position at)
{
    return buf_printf(to, "%*s%u", (int)depth, "", (unsigned)at.offset) &&
           (!at.discriminator ||
            buf_printf(to, ".%u", (unsigned)at.discriminator)) &&
           buf_puts(to, ": ");
}

static bool put_instance(struct buf *to, const struct pgo_lines *lines,
                         const struct pgo_instance *in)
{
    const struct prof_slice name = lines->names.v[in->name].name;
    const struct pgo_place *places = lines->places.v + in->first_place;
    const bool inlined = in->parent != PROF_NONE;
    bool ok = !inlined || put_position(to, in->depth - 1, in->at);
    ok = ok && buf_put(to, name.s, name.n) && buf_putc(to, ':') &&
         buf_put_u64(to, in->total);
    if (!inlined)
        ok = ok && buf_putc(to, ':') && buf_put_u64(to, in->head);
    ok = ok && buf_putc(to, '\n');
    for (uint32_t i = 0; ok && i < in->n_places; i++)
        ok = put_position(to, in->depth, places[i].at) &&
             buf_put_u64(to, places[i].count) && buf_putc(to, '\n');
    return ok;
}

bool pgo_llvm_text(const struct pgo_source *from, struct sink *to,
                   struct prof_err *err)
{
    struct pgo_lines lines = {0};
    struct buf text = {0};
    bool ok = pgo_lines_read(from, base_discriminator, &lines, err);
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
