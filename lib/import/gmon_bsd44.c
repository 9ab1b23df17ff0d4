/*
 * The 4.4BSD format, in words of the target (a is the size of an address):
 *
 *   low a, high a, size of header and bins 4, version 4 (0x51879), rate 4,
 *   12 spare bytes, the bins, then arcs to the end of the file:
 *   from a, self a, count a.
 *
 * Bins are unsigned 16-bit counts, except that FreeBSD puts another type in
 * the first spare word (its bits, negative when signed) and that some ports
 * write 32 bits without saying so (opts.bin_bits).  Where a C long has 32
 * bits and an address 64 (mingw-w64, Darwin's struct), the upper half of an
 * arc's count is whatever the stack held.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/vec.h"
#include "import/gmon_form.h"

struct bsd {
    const uint8_t *data;
    size_t n, head;
    struct gmon_form form;
    const struct gmon_opts *opts;
    const struct notes *notes;
};

/* The type of the bins; *is_signed for FreeBSD's negative types. */
static unsigned bin_bits(const struct bsd *b, size_t n_bytes, bool *is_signed)
{
    unsigned a = b->form.addr_size;
    int32_t type = (int32_t)gmon_u32(b->data + 2 * (size_t)a + 12, b->form);
    unsigned bits = type < 0 ? 0U - (unsigned)type : (unsigned)type;
    *is_signed = false;
    if (b->opts->bin_bits)
        return b->opts->bin_bits;
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
        return 16;
    if (n_bytes % (bits / 8))
        return 16;
    *is_signed = type < 0;
    if (bits != 16)
        note_info(b->notes, "histogram bins of %u bits", bits);
    return bits;
}

/*
 * 32-bit bins read as pairs of 16-bit ones look like a histogram of at most
 * two bytes per bin where every second bin is zero.
 */
static bool looks_paired(const struct bsd *b, const struct gmon_hist *h,
                         const uint64_t *bins)
{
    bool any = false;
    if (h->n_bins < 2 || h->n_bins % 2 || (h->high - h->low) / h->n_bins > 2)
        return false;
    for (uint32_t i = 0; i < h->n_bins; i += 2) {
        uint64_t upper = bins[b->form.big_endian ? i : i + 1];
        if (upper)
            return false;
        any = any || bins[i] || bins[i + 1];
    }
    return any;
}

/* Without all bins there is no complete record. */
static bool bins_cut(const struct bsd *b, uint32_t size, size_t *used,
                     struct err *err)
{
    struct err why;
    (void)err_set(&why, ERR_INPUT,
                  "offset %zu: the file is cut short: bins of %zu bytes, %zu "
                  "are left",
                  b->head, size - b->head, b->n - b->head);
    *used = b->n;
    if (b->opts->lenient)
        note_warn(b->notes, "%s and left out", why.text);
    else if (err)
        *err = why;
    return b->opts->lenient;
}

static bool read_hist(struct bsd *b, struct gmon *g, size_t *used,
                      struct err *err)
{
    const uint8_t *p = b->data;
    size_t a = b->form.addr_size;
    bool is_signed;
    struct gmon_hist h = {.low = gmon_addr(p, b->form),
                          .high = gmon_addr(p + a, b->form),
                          .rate = gmon_u32(p + 2 * a + 8, b->form)};
    uint32_t size = gmon_u32(p + 2 * a, b->form);
    if (h.low > h.high)
        return err_set(err, ERR_INPUT,
                       "offset 0: the histogram goes from 0x%" PRIx64
                       " down to 0x%" PRIx64,
                       h.low, h.high);
    if (size < b->head)
        return err_set(err, ERR_INPUT,
                       "offset %zu: size %" PRIu32
                       " of header and bins is less than the header's %zu",
                       2 * a, size, b->head);
    if (size > b->n)
        return bins_cut(b, size, used, err);
    size_t n_bytes = size - b->head;
    unsigned bits = bin_bits(b, n_bytes, &is_signed);
    if (n_bytes % (bits / 8))
        return err_set(err, ERR_INPUT,
                       "offset %zu: %zu bytes are no whole number of %u-bit "
                       "bins",
                       b->head, n_bytes, bits);
    h.n_bins = (uint32_t)(n_bytes / (bits / 8));
    if (!gmon_push_hist(g, h, p + b->head, bits, is_signed, b->head, err))
        return false;
    if (bits == 16 && !b->opts->bin_bits &&
        looks_paired(b, &h, g->bins.v + g->hists.v[0].bin))
        note_warn(b->notes, "every second bin is zero: if the bins have 32 "
                            "bits, say --bin-bits=32");
    *used = size;
    return true;
}

/*
 * True when the upper halves of the counts cannot be meant: more calls than
 * a computer makes in a day, or none of several counts without one.
 */
static bool halves_are_junk(const struct bsd *b, const uint8_t *p, size_t n)
{
    size_t n_upper = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t count = gmon_uint(p + i * 24 + 16, 8, b->form.big_endian);
        if (count >> 48)
            return true;
        n_upper += count >> 32 != 0;
    }
    return n > 1 && n_upper == n;
}

/* The half of a count that holds a 32-bit one at the same address. */
static uint64_t lower_half(uint64_t count, struct gmon_form form)
{
    return form.big_endian ? count >> 32 : count & UINT32_MAX;
}

static bool read_arcs(struct bsd *b, struct gmon *g, size_t at, struct err *err)
{
    const size_t a = b->form.addr_size, size = a == 8 ? 24 : 12;
    const uint8_t *p = b->data + at;
    size_t n = (b->n - at) / size, left = (b->n - at) % size;
    bool junk = false;
    if (left)
        note_warn(b->notes,
                  "offset %zu: the file is cut short: an arc of %zu bytes, "
                  "%zu are left and left out",
                  b->n - left, size, left);
    if (a == 8) {
        junk = halves_are_junk(b, p, n) && !b->opts->count_bits;
        if (junk)
            note_warn(b->notes, "the upper halves of the call counts are "
                                "junk: taken as 32-bit counts; "
                                "--count-bits=64 says otherwise");
        junk = junk || b->opts->count_bits == 32;
    }
    for (size_t i = 0; i < n; i++, p += size) {
        struct gmon_arc arc = {gmon_addr(p, b->form), gmon_addr(p + a, b->form),
                               gmon_addr(p + 2 * a, b->form)};
        if (junk)
            arc.count = lower_half(arc.count, b->form);
        if (!vec_push(&g->arcs, arc))
            return err_nomem(err);
    }
    return true;
}

bool gmon_read_bsd44(struct gmon *g, const uint8_t *data, size_t n,
                     struct gmon_form form, const struct gmon_opts *opts,
                     const struct notes *notes, struct err *err)
{
    struct bsd b = {data, n,    2 * (size_t)form.addr_size + 24,
                    form, opts, notes};
    size_t used = n;
    if (n < b.head)
        return err_set(err, ERR_INPUT,
                       "the file is cut short: header of %zu bytes, %zu are "
                       "there",
                       b.head, n);
    g->form = form;
    (void)snprintf(g->dimension, sizeof g->dimension, "seconds");
    return read_hist(&b, g, &used, err) && read_arcs(&b, g, used, err);
}
