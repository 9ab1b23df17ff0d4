#include "import/gmon/gmon_writer.h"

#include <inttypes.h>

#include "import/gmon/gmon_bins.h"

bool gmon_too_large(uint64_t address, struct err *err)
{
    return err_set(err, ERR_INPUT, "the value at 0x%" PRIx64 " is too large",
                   address);
}

/*
 * count * unit / rate; *rest is what the division left over, in parts of
 * rate, and goes into the next one.
 */
static bool amount_of(uint64_t count, uint64_t unit, uint32_t rate,
                      uint64_t *rest, int64_t *amount)
{
    uint64_t whole, part = count % rate * unit + *rest;
    *rest = part % rate;
    if (__builtin_mul_overflow(count / rate, unit, &whole) ||
        __builtin_add_overflow(whole, part / rate, &whole) || whole > INT64_MAX)
        return false;
    *amount = (int64_t)whole;
    return true;
}

/* A histogram of no addresses has nowhere to put its counts. */
static void warn_of_lost(const struct gmon_writer *w, const struct gmon_hist *h)
{
    uint64_t lost = 0;
    for (uint32_t i = 0; i < h->n_bins; i++)
        lost += w->g->bins.v[h->bin + i] != 0;
    if (lost)
        note_loss(w->notes,
                  "%" PRIu64
                  " bins of a histogram without addresses (0x%" PRIx64
                  "-0x%" PRIx64 ") are left out",
                  lost, h->low, h->high);
}

bool gmon_each_bin(const struct gmon_writer *w, const struct gmon_hist *h,
                   gmon_bin_fn *fn, void *ctx, struct err *err)
{
    const uint64_t *bins = w->g->bins.v + h->bin;
    uint64_t rest = h->rate / 2;
    if (h->low == h->high) {
        warn_of_lost(w, h);
        return true;
    }
    struct gmon_scale scale = gmon_scale_of(h, bins);
    for (uint32_t i = 0; i < h->n_bins; i++) {
        while (i < h->n_bins && !bins[i])
            i++;
        if (i == h->n_bins)
            break;
        struct gmon_bin bin = {h,
                               i,
                               gmon_bin_start(&scale, i),
                               gmon_bin_start(&scale, i + 1),
                               bins[i],
                               0};
        bool timed = w->unit && h->rate;
        if (bin.count > INT64_MAX ||
            (timed &&
             !amount_of(bin.count, w->unit, h->rate, &rest, &bin.amount)))
            return gmon_too_large(gmon_bin_last(&bin), err);
        if (!fn(ctx, &bin, err))
            return false;
    }
    return true;
}

bool gmon_write_blocks(struct gmon_writer *w, struct err *err)
{
    for (size_t i = 0; w->blocks && i < w->g->blocks.n; i++) {
        const struct gmon_arc *block = &w->g->blocks.v[i];
        int64_t values[GMON_MAX_TYPES] = {0};
        uint32_t frame;
        if (block->count > INT64_MAX)
            return gmon_too_large(block->self, err);
        values[GMON_BLOCKS] = (int64_t)block->count;
        if (!locmap_get(&w->locs, w->p, w->mapping, block->self, &frame, err) ||
            !prof_add_sample(w->p, &frame, 1, values, 0, err))
            return false;
    }
    return true;
}
