/* The time of bins, divided among functions. */
#include "import/gmon/gmon_credit.h"

#include <stdlib.h>

#include "base/sort.h"
#include "base/vec.h"
#include "base/wide.h"

enum { UNIT = 2, FIRST_MERGE = 1 << 20 };

/* A part of the bin at work. */
struct piece {
    uint32_t func;
    uint64_t address;
};

struct creditor {
    const struct gmon_writer *w;
    const struct sym_owners *owners;
    struct gmon_parts *parts;
    size_t merge_at; /* alike parts are added up when there are so many */
    VEC(struct piece) pieces;
    VEC(uint64_t) units; /* of the pieces; then counts and amounts */
    VEC(struct radix_item) spare;
};

static int by_place(const void *a, const void *b)
{
    const struct gmon_part *x = a, *y = b;
    if (x->func != y->func)
        return x->func < y->func ? -1 : 1;
    return (x->address > y->address) - (x->address < y->address);
}

static bool add(uint64_t *to, uint64_t n, uint64_t address, struct err *err)
{
    uint64_t sum;
    if (__builtin_add_overflow(*to, n, &sum) || sum > INT64_MAX)
        return gmon_too_large(address, err);
    *to = sum;
    return true;
}

static bool merge(struct gmon_parts *parts, struct err *err)
{
    size_t n = 0;
    if (parts->n)
        qsort(parts->v, parts->n, sizeof *parts->v, by_place);
    for (size_t i = 0; i < parts->n; i++) {
        const struct gmon_part *x = &parts->v[i];
        struct gmon_part *last = n ? &parts->v[n - 1] : NULL;
        if (!last || by_place(last, x) != 0)
            parts->v[n++] = *x;
        else if (!add(&last->count, x->count, x->address, err) ||
                 !add(&last->amount, x->amount, x->address, err))
            return false;
    }
    parts->n = n;
    return true;
}

/*
 * Parts of wide bins are mostly alike: merging them now and then keeps their
 * number below that of bins and functions.
 */
static bool add_part(struct creditor *c, const struct gmon_part *part,
                     struct err *err)
{
    if (!vec_push(c->parts, *part))
        return err_nomem(err);
    if (c->parts->n < c->merge_at)
        return true;
    if (!merge(c->parts, err))
        return false;
    if (c->parts->n > c->merge_at / 2)
        c->merge_at = 2 * c->parts->n;
    return true;
}

/* The piece over the units [lo, hi), whose last byte is the address unless
   that of what profil() puts into the bin is among them. */
static bool add_piece(struct creditor *c, const struct gmon_bin *bin,
                      uint32_t func, uint64_t lo, uint64_t hi, struct err *err)
{
    struct piece x = {func, UNIT * hi - 1};
    if (bin->end > UNIT * lo && bin->end < UNIT * hi && bin->end > bin->start)
        x.address = bin->end - 1;
    return (vec_push(&c->pieces, x) && vec_push(&c->units, hi - lo)) ||
           err_nomem(err);
}

static uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The unit after the last of function i. */
static uint64_t end_of(const struct sym_owners *o, size_t i)
{
    uint64_t hi = o->v[i].hi;
    return i + 1 < o->n ? hi / UNIT : hi / UNIT + hi % UNIT;
}

/* Pieces of all functions in the units [lo, hi), and of those between. */
static bool cut(struct creditor *c, const struct gmon_bin *bin, uint64_t lo,
                uint64_t hi, struct err *err)
{
    const struct sym_owners *o = c->owners;
    size_t i = sym_owners_after(o, UNIT * lo + 1);
    uint64_t at = lo;
    for (i -= i > 0; at < hi && i < o->n; i++) {
        uint64_t from = greater(at, o->v[i].lo / UNIT);
        uint64_t to = less(hi, end_of(o, i));
        if (from >= hi)
            break;
        if (to <= from)
            continue;
        if (from > at && !add_piece(c, bin, SYM_NO_OWNER, at, from, err))
            return false;
        if (!add_piece(c, bin, (uint32_t)i, from, to, err))
            return false;
        at = to;
    }
    return at >= hi || add_piece(c, bin, SYM_NO_OWNER, at, hi, err);
}

/* The units that the bin covers by gprof's reckoning, as pieces. */
static bool cut_bin(struct creditor *c, const struct gmon_bin *bin,
                    struct err *err)
{
    const struct gmon_hist *h = bin->hist;
    uint64_t units = (h->high - h->low) / UNIT, low = h->low / UNIT;
    double scale = (double)units / h->n_bins;
    uint64_t lo = (uint64_t)(scale * bin->index);
    uint64_t hi = less(units, (uint64_t)(scale * (bin->index + 1.0)));
    c->pieces.n = c->units.n = 0;
    if (lo < hi)
        return cut(c, bin, low + lo, low + hi, err);
    uint64_t last = gmon_bin_last(bin);
    struct piece x = {sym_owners_find(c->owners, last), last};
    return (vec_push(&c->pieces, x) && vec_push(&c->units, 1)) ||
           err_nomem(err);
}

/* All to the first of those that have most. */
static void give_whole(uint64_t total, const uint64_t *units, size_t n,
                       uint64_t *share)
{
    size_t most = 0;
    for (size_t i = 0; i < n; i++) {
        share[i] = 0;
        if (units[i] > units[most])
            most = i;
    }
    share[most] = total;
}

static bool take_bin(void *ctx, const struct gmon_bin *bin, struct err *err)
{
    struct creditor *c = ctx;
    if (!cut_bin(c, bin, err))
        return false;
    size_t n = c->pieces.n;
    if (!vec_reserve(&c->units, 2 * n) || !vec_reserve(&c->spare, 2 * n))
        return err_nomem(err);
    uint64_t *count = c->units.v + n, *amount = count + n;
    apportion((uint64_t)bin->amount, c->units.v, n, amount, c->spare.v);
    if (bin->amount)
        give_whole(bin->count, c->units.v, n, count);
    else
        apportion(bin->count, c->units.v, n, count, c->spare.v);
    for (size_t i = 0; i < n; i++) {
        struct gmon_part part = {c->pieces.v[i].func, c->pieces.v[i].address,
                                 count[i], amount[i]};
        if ((count[i] || amount[i]) && !add_part(c, &part, err))
            return false;
    }
    return true;
}

bool gmon_credit(struct gmon_parts *parts, const struct gmon_writer *w,
                 const struct sym_owners *owners, struct err *err)
{
    struct creditor c = {
        .w = w, .owners = owners, .parts = parts, .merge_at = FIRST_MERGE};
    bool ok = true;
    for (size_t i = 0; ok && i < w->g->hists.n; i++)
        ok = gmon_each_bin(w, &w->g->hists.v[i], take_bin, &c, err);
    vec_free(&c.pieces);
    vec_free(&c.units);
    vec_free(&c.spare);
    return ok && merge(parts, err);
}
