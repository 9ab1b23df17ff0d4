#include "import/gmon/gmon_bsd.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/vec.h"

size_t gmon_bsd44_head(struct gmon_form form)
{
    return 2 * (size_t)form.addr_size + 24;
}

/*
 * FreeBSD's type, where the header has one and n_bytes are some of it; false
 * where it says nothing.
 */
static bool take_type(const struct gmon_bsd *b, size_t n_bytes,
                      struct gmon_counts *counts)
{
    const uint8_t *p = b->in->data + b->at + 2 * (size_t)b->form.addr_size + 12;
    int32_t type = (int32_t)gmon_u32(p, b->form);
    unsigned bits = type < 0 ? 0U - (unsigned)type : (unsigned)type;
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
        return false;
    if (n_bytes % (bits / 8))
        return false;
    counts->bits = bits;
    counts->is_signed = type < 0;
    if (bits != 16)
        note_info(b->in->notes, "histogram bins of %u bits", bits);
    return true;
}

/*
 * 32-bit bins read as pairs of 16-bit ones look like a histogram of at most
 * two bytes per bin where every second bin, the upper half, is zero.  Where
 * they are 16-bit ones nevertheless (of instructions that have four bytes
 * each), the counts are the same.
 */
static bool is_paired(const struct gmon_hist *h, const struct gmon_counts *c)
{
    bool any = false;
    if (h->n_bins < 2 || h->n_bins % 2 || (h->high - h->low) / h->n_bins > 2)
        return false;
    for (uint32_t i = 0; i < h->n_bins; i += 2) {
        const uint8_t *pair = c->p + 2 * (size_t)i;
        if (gmon_uint(pair, 4, c->big_endian) >> 16)
            return false;
        any = any || gmon_uint(pair, 4, c->big_endian);
    }
    return any;
}

static bool take_bins(const struct gmon_bsd *b, struct gmon *g,
                      struct gmon_hist h, size_t n_bytes, struct err *err)
{
    size_t at = b->at + b->head;
    struct gmon_counts counts =
        gmon_counts_of(b->in, b->form, b->in->data + at);
    bool guess = !b->in->opts->bin_bits;
    if (guess && b->has_type)
        guess = !take_type(b, n_bytes, &counts);
    if (n_bytes % (counts.bits / 8))
        return err_set(err, ERR_INPUT,
                       "offset %zu: %zu bytes are no whole number of %u-bit "
                       "bins",
                       at, n_bytes, counts.bits);
    h.n_bins = (uint32_t)(n_bytes / (counts.bits / 8));
    if (guess && is_paired(&h, &counts)) {
        note_loss(b->in->notes, "every second bin is zero: taken as 32-bit "
                                "bins; --bin-bits=16 says otherwise");
        counts.bits = 32;
        h.n_bins /= 2;
    }
    return gmon_push_hist(g, h, &counts, at, err);
}

bool gmon_bsd_hist(const struct gmon_bsd *b, struct gmon *g, size_t *used,
                   struct err *err)
{
    const size_t a = b->form.addr_size, left = b->end - b->at;
    const uint8_t *p = b->in->data + b->at;
    if (left < b->head)
        return gmon_cut(err, b->at, "header", b->head, left);
    struct gmon_hist h = {.low = gmon_addr(p, b->form),
                          .high = gmon_addr(p + a, b->form)};
    uint32_t size = gmon_u32(p + 2 * a, b->form);
    if (b->has_rate)
        h.rate = gmon_u32(p + 2 * a + 8, b->form);
    if (h.low > h.high)
        return err_set(err, ERR_INPUT,
                       "offset %zu: the histogram goes from 0x%" PRIx64
                       " down to 0x%" PRIx64,
                       b->at, h.low, h.high);
    if (size < b->head)
        return err_set(err, ERR_INPUT,
                       "offset %zu: size %" PRIu32
                       " of header and bins is less than the header's %zu",
                       b->at + 2 * a, size, b->head);
    if (size > left) {
        struct err cut;
        (void)gmon_cut(&cut, b->at + b->head, "bins", size - b->head,
                       left - b->head);
        *used = b->end;
        if (!b->in->opts->lenient)
            return err_set(err, ERR_INPUT, "%s", cut.text);
        note_loss(b->in->notes, "%s and left out", cut.text);
        return true;
    }
    *used = b->at + size;
    return take_bins(b, g, h, size - b->head, err);
}

/* 2 to this are more calls than a computer makes in a day. */
enum { DAYS_CALLS = 46 };

/*
 * True when the upper halves of the counts cannot be meant: one is of too
 * many calls, or none of several is 0.
 */
static bool halves_are_junk(const uint8_t *p, size_t n, bool big_endian)
{
    size_t n_upper = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t count = gmon_uint(p + i * 24 + 16, 8, big_endian);
        if (count >> DAYS_CALLS)
            return true;
        n_upper += count >> 32 != 0;
    }
    return n > 1 && n_upper == n;
}

/* The bytes of a count; the others of it, if any, are behind it. */
static unsigned count_size(const struct gmon_input *in, struct gmon_form form,
                           const uint8_t *p, size_t n, bool narrow)
{
    if (form.addr_size == 4 || in->opts->count_bits)
        return form.addr_size == 4 ? 4 : in->opts->count_bits / 8;
    if (narrow)
        return 4;
    if (!halves_are_junk(p, n, form.big_endian))
        return 8;
    note_loss(in->notes, "the upper halves of the call counts are junk: taken "
                         "as 32-bit counts; --count-bits=64 says otherwise");
    return 4;
}

/*
 * Whether another file begins at p, where an arc should: a header of 4.4BSD,
 * or the first numbers of this file once more.
 */
static bool is_file(const struct gmon_input *in, struct gmon_form form,
                    const uint8_t *p, size_t left)
{
    const size_t a = form.addr_size;
    if (left >= 2 * a + 4 && memcmp(p, in->data, 2 * a + 4) == 0)
        return true;
    if (left < gmon_bsd44_head(form) ||
        gmon_u32(p + 2 * a + 4, form) != GMON_BSD44_VERSION)
        return false;
    uint32_t size = gmon_u32(p + 2 * a, form);
    return gmon_addr(p, form) <= gmon_addr(p + a, form) &&
           size >= gmon_bsd44_head(form) && size <= left;
}

/* The end of the arcs, where another file may begin. */
static bool end_arcs(const struct gmon_input *in, struct gmon_form form,
                     size_t at, size_t size, size_t *end, struct err *err)
{
    while (at < *end && !is_file(in, form, in->data + at, *end - at))
        at += *end - at < size ? *end - at : size;
    if (at == *end)
        return true;
    if (!in->opts->lenient)
        return gmon_another(err, at);
    struct err why;
    (void)gmon_another(&why, at);
    note_loss(in->notes, "%s; %zu bytes from there on are left out", why.text,
              *end - at);
    *end = at;
    return true;
}

bool gmon_bsd_arcs(const struct gmon_input *in, struct gmon_form form,
                   size_t at, size_t end, size_t size, bool narrow,
                   struct gmon *g, struct err *err)
{
    const size_t a = form.addr_size;
    const uint8_t *p = in->data + at;
    if (!end_arcs(in, form, at, size, &end, err))
        return false;
    size_t n = (end - at) / size, left = (end - at) % size;
    if (left)
        note_loss(in->notes,
                  "offset %zu: the file is cut short: an arc of %zu bytes, "
                  "%zu are left and left out",
                  end - left, size, left);
    unsigned width = count_size(in, form, p, n, narrow);
    for (size_t i = 0; i < n; i++, p += size) {
        struct gmon_arc arc = {gmon_addr(p, form), gmon_addr(p + a, form),
                               gmon_uint(p + 2 * a, width, form.big_endian)};
        if (!vec_push(&g->arcs, arc))
            return err_nomem(err);
    }
    return true;
}
