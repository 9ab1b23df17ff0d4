/*
 * The old BSD format: what 4.4BSD's was before it had a version and a rate,
 * see gmon_bsd.h.  A header of 12 or 20 bytes, 24 where it is padded to
 * whole addresses (OSF/1).
 *
 * Nothing marks it, so that it is read only when a person says that it is
 * one, in the form that makes most sense of the numbers.
 */
#include <inttypes.h>
#include <stdio.h>

#include "import/gmon/gmon_bsd.h"

/* Of the header. */
enum variant {
    PACKED,
    PADDED,
    N_VARIANTS,
};

/* How well the bytes go with a form: the greater the sum, the better. */
enum fit {
    FIT_NOT = 0,
    FIT_CUT = 1,    /* but for bins that are missing */
    FIT_EVEN = 1,   /* the bins divide the range evenly */
    FIT_FOUR = 2,   /* there are as many as a C library makes; not with EVEN */
    FIT_ARCS = 4,   /* what follows them are whole arcs */
    FIT_WIDTH = 8,  /* they have from 1 to 64 bytes */
    FIT_READS = 16, /* nothing speaks against it */
};

struct numbers {
    uint64_t low, high;
    uint32_t size; /* of header and bins */
};

static size_t head_of(struct gmon_form form, unsigned variant)
{
    return 2 * (size_t)form.addr_size + (variant == PADDED ? 8 : 4);
}

static struct numbers numbers_of(const uint8_t *data, struct gmon_form form)
{
    const size_t a = form.addr_size;
    return (struct numbers){gmon_addr(data, form), gmon_addr(data + a, form),
                            gmon_u32(data + 2 * a, form)};
}

/*
 * Bins of four bytes are the rule, and perhaps so many more that they fill up
 * a C long.
 */
static unsigned fit_bins(uint64_t n_bins, uint64_t range, struct gmon_form form)
{
    const uint64_t in_long = form.addr_size == 8 ? 4 : 2;
    uint64_t needed = range / 4, rounded;
    rounded = (needed + in_long - 1) / in_long * in_long;
    if (range % 4 == 0 && (n_bins == needed || n_bins == rounded))
        return FIT_FOUR;
    return n_bins && range % n_bins == 0 ? FIT_EVEN : 0;
}

/* `bin` is the size of a bin. */
static unsigned fit(const uint8_t *data, size_t n, struct gmon_form form,
                    unsigned variant, unsigned bin)
{
    const size_t head = head_of(form, variant);
    if (n < head || (variant == PADDED && form.addr_size == 4))
        return FIT_NOT;
    struct numbers x = numbers_of(data, form);
    if (x.low > x.high || x.size < head || (x.size - head) % bin)
        return FIT_NOT;
    uint64_t range = x.high - x.low, n_bins = (x.size - head) / bin;
    unsigned score = FIT_READS;
    if (n_bins && range / n_bins >= 1 && range / n_bins <= 64)
        score += FIT_WIDTH;
    unsigned bins = fit_bins(n_bins, range, form);
    if (x.size > n)
        return score & FIT_WIDTH ? FIT_CUT + bins : FIT_NOT;
    score += bins;
    if ((n - x.size) % (3 * (size_t)form.addr_size) == 0)
        score += FIT_ARCS;
    return score;
}

bool gmon_fits_old_bsd(const uint8_t *data, size_t n)
{
    const unsigned all = FIT_READS + FIT_WIDTH + FIT_ARCS;
    for (int i = 0; i < GMON_FORMS; i++)
        for (unsigned variant = 0; variant < N_VARIANTS; variant++)
            if ((fit(data, n, gmon_forms[i], variant, 2) & all) == all)
                return true;
    return false;
}

static void try_form(const struct gmon_input *in, struct gmon_try *t)
{
    unsigned bits = gmon_counts_of(in, t->form, NULL).bits;
    enum variant first = in->opts->family == GMON_OSF1 ? PADDED : PACKED;
    for (unsigned variant = first; variant < N_VARIANTS; variant++) {
        unsigned score = fit(in->data, in->n, t->form, variant, bits / 8);
        if (score > t->reached) {
            t->reached = score;
            t->variant = variant;
        }
    }
    t->good = t->reached >= FIT_READS;
    if (in->n < head_of(t->form, PACKED)) {
        (void)gmon_cut(&t->err, 0, "header", head_of(t->form, PACKED), in->n);
        return;
    }
    struct numbers x = numbers_of(in->data, t->form);
    if (t->reached && !t->good)
        (void)gmon_cut(&t->err, 0, "header and bins", x.size, in->n);
    else if (!t->good)
        (void)err_set(&t->err, ERR_INPUT,
                      "offset 0: no header of the old BSD format: as %s, low "
                      "is 0x%" PRIx64 ", high 0x%" PRIx64
                      ", and header and bins have %" PRIu32 " bytes",
                      gmon_form_text(t->form), x.low, x.high, x.size);
}

/* Tells where a padded header would do as well as the one that is taken. */
static void warn_of_padding(const struct gmon_input *in,
                            const struct gmon_try *best)
{
    unsigned bits = gmon_counts_of(in, best->form, NULL).bits;
    if (best->variant == PACKED &&
        fit(in->data, in->n, best->form, PADDED, bits / 8) == best->reached)
        note_loss(in->notes, "the header could be that of OSF/1, with 24 "
                             "bytes: --format=osf1 says so");
}

bool gmon_read_old_bsd(struct gmon *g, const struct gmon_input *in,
                       struct err *err)
{
    struct gmon_form marked;
    struct gmon_try best;
    unsigned n_best;
    size_t used;
    if (gmon_bsd44_form(in->data, in->n, &marked))
        note_warn(in->notes, "the header has 4.4BSD's version (0x51879): is "
                             "--format right?");
    (void)gmon_choose(in, GMON_LITTLE | GMON_BIG, try_form, &best, &n_best);
    if (!best.good && !(best.reached && in->opts->lenient)) {
        if (err)
            *err = best.err;
        return false;
    }
    gmon_warn_of_choice(in, best.form, n_best);
    warn_of_padding(in, &best);
    const struct gmon_bsd b = {
        .in = in,
        .form = best.form,
        .end = in->n,
        .head = head_of(best.form, best.variant),
    };
    g->form = best.form;
    (void)snprintf(g->dimension, sizeof g->dimension, "seconds");
    return gmon_bsd_hist(&b, g, &used, err) &&
           gmon_bsd_arcs(in, best.form, used, in->n,
                         3 * (size_t)best.form.addr_size, false, g, err);
}
