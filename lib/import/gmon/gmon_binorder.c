/*
 * OpenOCD writes the headers of a big-endian target in its byte order, and
 * the bins little-endian.  Counts are small more often than not, and a
 * multiple of 256 once in 256 times: bins of which nearly all are multiples
 * of 256 and nearly none is below were read the wrong way round.
 */
#include "import/gmon/gmon_form.h"

enum {
    ENOUGH = 4,  /* bins that say so, to go by them */
    NEARLY = 16, /* for each that says otherwise */
};

static uint64_t swapped(uint64_t bin)
{
    return (bin >> 8 | bin << 8) & 0xffff;
}

void gmon_judge_bin_order(struct gmon *g, const struct gmon_input *in)
{
    size_t n_small = 0, n_round = 0;
    if (!g->form.big_endian || g->arcs.n || in->opts->bin_bits ||
        in->opts->bin_order != GMON_ORDER_ANY)
        return;
    for (size_t i = 0; i < g->bins.n; i++) {
        n_small += g->bins.v[i] && g->bins.v[i] < 256;
        n_round += g->bins.v[i] && g->bins.v[i] % 256 == 0;
    }
    if (!n_round || n_round / NEARLY < n_small)
        return;
    if (n_round < ENOUGH) {
        note_warn(in->notes, "the counts are multiples of 256: if the bins "
                             "are little-endian, say --bin-order=little");
        return;
    }
    note_loss(in->notes, "the counts are multiples of 256: bins taken as "
                         "little-endian; --bin-order=big says otherwise");
    for (size_t i = 0; i < g->bins.n; i++)
        g->bins.v[i] = swapped(g->bins.v[i]);
}
