/*
 * gmon_bins.c - computes addresses and amounts of histogram bins, and divides
 * bins among functions
 */

#include "base/sort.h"
#include "base/wide.h"
#include "formats/gmon/private.h"

enum { SCALE_ONE = 65536 };

struct scale {
    uint64_t low, range;
    uint32_t n_bins, s; /* if s is 0, bins divide the range evenly */
};

/* Returns where profil() begins bin i of scale s, in units of 2 bytes. */
static uint64_t profil_start(uint32_t s, uint64_t i)
{
    return (i * SCALE_ONE + s - 1) / s;
}

/* Returns how *h, whose counts are bins[0 .. n_bins), divides its range. */
static struct scale scale_of(const struct gmon_hist *h, const uint64_t *bins)
{
    struct scale scale = {h->low, h->high - h->low, h->n_bins, 0};
    uint64_t bytes = 2 * (uint64_t)h->n_bins;
    if (bytes > scale.range)
        return scale;
    if (bytes == scale.range)
        scale.s = SCALE_ONE;
    else
        scale.s = (uint32_t)((float)bytes / (float)scale.range * SCALE_ONE);
    uint32_t last = h->n_bins;
    while (last > 0 && !bins[last - 1])
        last--;
    /* profil() cannot have counted in a bin that begins after the range. */
    if (last > 0 && scale.s > 0 &&
        profil_start(scale.s, last - 1) > (scale.range - 1) / 2)
        scale.s = 0;
    return scale;
}

/*
 * Returns the first address of bin i, or the end of the range if there is no
 * such bin.  Bin i ends where bin i + 1 begins, and may be empty.
 */
static uint64_t bin_start(const struct scale *scale, uint32_t i)
{
    uint64_t at;
    if (i >= scale->n_bins)
        return scale->low + scale->range;
    if (scale->s)
        at = 2 * profil_start(scale->s, i);
    else /* i * range / n_bins in two parts that do not overflow */
        at = i * (scale->range / scale->n_bins) +
             i * (scale->range % scale->n_bins) / scale->n_bins;
    return scale->low + (at < scale->range ? at : scale->range);
}

bool gmon_too_large(uint64_t address, struct prof_err *err)
{
    return err_input(err, "the value at 0x%" PRIx64 " exceeds 64 bits",
                     address);
}

static bool each_bin_of(const struct gmon_writer *w, const struct gmon_hist *h,
                        gmon_bin_fn *fn, void *ctx, struct prof_err *err)
{
    const uint64_t *bins = w->g->bins.v + h->bin;
    uint64_t rest = h->rate / 2;
    if (h->low == h->high) { /* counts without an address are lost */
        uint64_t lost = 0;
        for (uint32_t i = 0; i < h->n_bins; i++)
            lost += bins[i] != 0;
        note_count(w->job->notes, PROF_NOTE_LOSS, lost,
                   "%" PRIu64 " bin{s} skipped: the histogram (0x%" PRIx64
                   "-0x%" PRIx64 ") covers no addresses",
                   lost, h->low, h->high);
        return true;
    }
    struct scale scale = scale_of(h, bins);
    for (uint32_t i = 0; i < h->n_bins; i++) {
        while (i < h->n_bins && !bins[i])
            i++;
        if (i == h->n_bins)
            break;
        struct gmon_bin bin = {
            h, i, bin_start(&scale, i), bin_start(&scale, i + 1), bins[i], 0};
        bool fits = bin.count <= INT64_MAX;
        if (w->unit && h->rate) {
            /* amount = count * unit / rate; the remainder is carried over to
             * the next bin. */
            uint64_t whole, part = bin.count % h->rate * w->unit + rest;
            rest = part % h->rate;
            fits =
                fits &&
                !__builtin_mul_overflow(bin.count / h->rate, w->unit, &whole) &&
                !__builtin_add_overflow(whole, part / h->rate, &whole) &&
                whole <= INT64_MAX;
            bin.amount = fits ? (int64_t)whole : 0;
        }
        if (!fits)
            return gmon_too_large(gmon_bin_last(&bin), err);
        if (!fn(ctx, &bin, err))
            return false;
    }
    return true;
}

bool gmon_each_bin(const struct gmon_writer *w, gmon_bin_fn *fn, void *ctx,
                   struct prof_err *err)
{
    for (size_t i = 0; i < w->g->hists.n; i++)
        if (!each_bin_of(w, &w->g->hists.v[i], fn, ctx, err))
            return false;
    return true;
}

enum { UNIT = 2, FIRST_MERGE = 1 << 20 };

/* A part of the bin that is being divided. */
struct piece {
    uint32_t func;
    uint64_t address;
};

struct divider {
    const struct code_owners *owners;
    struct gmon_parts *parts;
    const struct gmon_bin *bin; /* the one being divided */
    size_t merge_at; /* number of parts from which on equal ones are merged */
    VEC(struct piece) pieces;
    VEC(uint64_t) units; /* sizes of pieces; then counts and amounts */
    VEC(struct radix_item) spare;
};

static int by_place(const void *a, const void *b)
{
    const struct gmon_part *x = a, *y = b;
    const int c = ORDER(x->func, y->func);
    return c ? c : ORDER(x->address, y->address);
}

static bool add_value(uint64_t *to, uint64_t n, uint64_t address,
                      struct prof_err *err)
{
    uint64_t sum;
    if (__builtin_add_overflow(*to, n, &sum) || sum > INT64_MAX)
        return gmon_too_large(address, err);
    *to = sum;
    return true;
}

static bool merge_parts(struct gmon_parts *parts, struct prof_err *err)
{
    size_t n = 0;
    vec_sort(parts, by_place);
    for (size_t i = 0; i < parts->n; i++) {
        const struct gmon_part *x = &parts->v[i];
        struct gmon_part *last = n ? &parts->v[n - 1] : NULL;
        if (!last || by_place(last, x) != 0)
            parts->v[n++] = *x;
        else if (!add_value(&last->count, x->count, x->address, err) ||
                 !add_value(&last->amount, x->amount, x->address, err))
            return false;
    }
    parts->n = n;
    return true;
}

/* Adds a piece of the units [lo, hi).  Its address is its last byte or, if the
 * bin as profil() defines it ends inside the piece, the bin's last byte. */
static bool add_piece(struct divider *c, uint32_t func, uint64_t lo,
                      uint64_t hi)
{
    const struct gmon_bin *bin = c->bin;
    struct piece x = {func, UNIT * hi - 1};
    if (bin->end > UNIT * lo && bin->end < UNIT * hi && bin->end > bin->start)
        x.address = bin->end - 1;
    return vec_push(&c->pieces, x) && vec_push(&c->units, hi - lo);
}

static uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Assigns the whole bin to the owner of its last byte. */
static bool keep_whole(struct divider *c)
{
    uint64_t last = gmon_bin_last(c->bin);
    struct piece x = {code_owners_find(c->owners, last), last};
    return vec_push(&c->pieces, x) && vec_push(&c->units, 1);
}

/* Divides the units that gprof assigns to the bin into pieces, one for each
 * function and each gap between functions. */
static bool cut_units(struct divider *c)
{
    const struct code_owners *o = c->owners;
    const struct gmon_bin *bin = c->bin;
    const struct gmon_hist *h = bin->hist;
    uint64_t units = (h->high - h->low) / UNIT, low = h->low / UNIT;
    double scale = (double)units / h->n_bins;
    uint64_t at = low + (uint64_t)(scale * bin->index);
    uint64_t limit = low + less(units, (uint64_t)(scale * (bin->index + 1.0)));
    c->pieces.n = c->units.n = 0;
    if (at >= limit)
        return keep_whole(c);
    size_t i = code_owners_after(o, UNIT * at + 1);
    for (i -= i > 0; at < limit && i < o->n; i++) {
        uint64_t from = greater(at, o->v[i].lo / UNIT), end = o->v[i].hi;
        uint64_t to = less(limit, end / UNIT + (i + 1 < o->n ? 0 : end % UNIT));
        if (from >= limit)
            break;
        if (to <= from)
            continue;
        if (from > at && !add_piece(c, CODE_NO_OWNER, at, from))
            return false;
        if (!add_piece(c, o->v[i].func, from, to))
            return false;
        at = to;
    }
    return at >= limit || add_piece(c, CODE_NO_OWNER, at, limit);
}

/*
 * Divides the bin into pieces of the functions that have code in it, in bytes.
 * Bytes before a function, in the gap since the previous one, count for that
 * function; bytes after the last function count for the last one.
 */
static bool cut_bytes(struct divider *c)
{
    const struct code_owners *o = c->owners;
    const struct gmon_bin *bin = c->bin;
    uint64_t at = bin->start;
    size_t i = code_owners_after(o, bin->start);
    c->pieces.n = c->units.n = 0;
    for (i -= i > 0; i < o->n && o->v[i].lo < bin->end; i++) {
        uint64_t from = greater(bin->start, o->v[i].code);
        uint64_t to = less(bin->end, o->v[i].hi);
        struct piece x = {o->v[i].func, to - 1};
        if (from >= to)
            continue;
        if (!vec_push(&c->pieces, x) || !vec_push(&c->units, to - at))
            return false;
        at = to;
    }
    if (!c->pieces.n)
        return keep_whole(c);
    c->units.v[c->units.n - 1] += bin->end - at;
    return true;
}

static bool divide_bin(void *ctx, const struct gmon_bin *bin,
                       struct prof_err *err)
{
    struct divider *c = ctx;
    c->bin = bin;
    if (!(c->owners->has_sizes ? cut_bytes(c) : cut_units(c)))
        return err_nomem(err);
    size_t n = c->pieces.n;
    if (!vec_reserve(&c->units, 2 * n) || !vec_reserve(&c->spare, 2 * n))
        return err_nomem(err);
    uint64_t *count = c->units.v + n, *amount = count + n;
    apportion((uint64_t)bin->amount, c->units.v, n, amount, c->spare.v);
    if (bin->amount) { /* all samples go to the first largest piece */
        size_t most = 0;
        for (size_t i = 0; i < n; i++)
            most = c->units.v[i] > c->units.v[most] ? i : most;
        memset(count, 0, n * sizeof *count);
        count[most] = bin->count;
    } else {
        apportion(bin->count, c->units.v, n, count, c->spare.v);
    }
    for (size_t i = 0; i < n; i++) {
        struct gmon_part part = {c->pieces.v[i].func, c->pieces.v[i].address,
                                 count[i], amount[i]};
        if ((count[i] || amount[i]) && !vec_push(c->parts, part))
            return err_nomem(err);
    }
    /* Wide bins give many equal parts: merging them now and then limits their
     * number to about that of bins and functions. */
    if (c->parts->n < c->merge_at)
        return true;
    if (!merge_parts(c->parts, err))
        return false;
    if (c->parts->n > c->merge_at / 2)
        c->merge_at = 2 * c->parts->n;
    return true;
}

bool gmon_divide_bins(struct gmon_parts *parts, const struct gmon_writer *w,
                      const struct code_owners *owners, struct prof_err *err)
{
    struct divider c = {
        .owners = owners, .parts = parts, .merge_at = FIRST_MERGE};
    bool ok = gmon_each_bin(w, divide_bin, &c, err);
    vec_free(&c.pieces);
    vec_free(&c.units);
    vec_free(&c.spare);
    return ok && merge_parts(parts, err);
}
