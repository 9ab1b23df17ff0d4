/*
 * gmon_form.c - selects byte order and address size of a gmon.out file;
 * functions that the readers of all formats use
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/sort.h"
#include "formats/gmon/private.h"

void gmon_free(struct gmon *g)
{
    free(g->name);
    vec_free(&g->hists);
    vec_free(&g->bins);
    vec_free(&g->arcs);
    vec_free(&g->entries);
    vec_free(&g->blocks);
    for (size_t i = 0; i < g->images.n; i++)
        free(g->images.v[i].path);
    vec_free(&g->images);
    memset(g, 0, sizeof *g);
}

const struct gmon_form gmon_forms[GMON_FORMS] = {
    {8, false}, {4, false}, {8, true}, {4, true}};

const char *gmon_form_text(struct gmon_form form)
{
    if (form.addr_size == 4)
        return form.big_endian ? "32-bit big-endian" : "32-bit little-endian";
    return form.big_endian ? "64-bit big-endian" : "64-bit little-endian";
}

static bool is_allowed(struct gmon_form form, const struct gmon_opts *opts)
{
    if (opts->addr_size && form.addr_size != opts->addr_size)
        return false;
    return opts->order == GMON_ORDER_ANY ||
           form.big_endian == (opts->order == GMON_ORDER_BIG);
}

bool gmon_form_check(struct gmon_form form, size_t at,
                     const struct gmon_input *in, struct prof_err *err)
{
    if (is_allowed(form, in->opts))
        return true;
    return err_input(err,
                     "offset %zu: the header is %s, but --format specifies a "
                     "different format",
                     at, gmon_form_text(form));
}

bool gmon_choose_form(const struct gmon_input *in, unsigned orders,
                      gmon_try_fn *fn, struct gmon_try *best)
{
    const struct gmon_form hint = in->opts->hint;
    *best = (struct gmon_try){0};
    for (int i = 0; i < GMON_FORMS; i++) {
        struct gmon_try t = {.form = gmon_forms[i]};
        if (!(orders & (t.form.big_endian ? GMON_BIG : GMON_LITTLE)) ||
            !is_allowed(t.form, in->opts))
            continue;
        t.good = fn(in, &t);
        bool failed = !t.good && t.err.kind != PROF_ERR_INPUT;

        /* c > 0: t is better than *best; 0: both are equal. */
        int c = 1;
        if (!failed && best->n_equal && best->good != t.good)
            c = t.good ? 1 : -1;
        else if (!failed && best->n_equal)
            c = ORDER(t.reached, best->reached);

        /* Keep the better one; of equal ones that of the hint. */
        bool is_hint = t.form.addr_size == hint.addr_size &&
                       t.form.big_endian == hint.big_endian;
        t.n_equal = c > 0 ? 1 : best->n_equal + (c == 0);
        if (c > 0 || (c == 0 && is_hint)) {
            gmon_free(&best->g);
            *best = t;
        } else {
            best->n_equal = t.n_equal;
            gmon_free(&t.g);
        }
        if (failed)
            break;
    }
    return best->n_equal > 0;
}

bool gmon_accept(const struct gmon_input *in, struct gmon_try *best,
                 struct prof_err *err)
{
    const struct gmon_opts *opts = in->opts;
    if (best->good)
        return true;
    /* --format may have caused the error: add the form to the message. */
    if (best->err.kind == PROF_ERR_INPUT && (opts->addr_size || opts->order)) {
        char text[PROF_ERR_TEXT_MAX];
        (void)snprintf(text, sizeof text, "%s", best->err.text);
        (void)err_input(&best->err, "%s (read as %s because of --format)", text,
                        gmon_form_text(best->form));
    }
    if (best->err.kind == PROF_ERR_INPUT && best->reached && opts->lenient)
        return true;
    gmon_free(&best->g);
    return err_set(err, best->err.kind, "%s", best->err.text);
}

void gmon_warn_of_choice(const struct gmon_input *in,
                         const struct gmon_try *best)
{
    if (best->n_equal > 1 && !in->opts->hint.addr_size)
        note_loss(in->notes,
                  "ambiguous: %u formats match; read as %s (use --format to "
                  "choose another)",
                  best->n_equal, gmon_form_text(best->form));
}

struct gmon_counts gmon_counts_of(const struct gmon_input *in,
                                  struct gmon_form form, const uint8_t *p)
{
    const struct gmon_opts *opts = in->opts;
    return (struct gmon_counts){
        .p = p,
        .bits = opts->bin_bits ? opts->bin_bits : 16,
        .big_endian = opts->bin_order == GMON_ORDER_ANY
                          ? form.big_endian
                          : opts->bin_order == GMON_ORDER_BIG,
    };
}

/* Returns how many leading bins are zero, rounded down to groups of 8 bytes. */
static uint32_t skip_zeros(const uint8_t *p, uint32_t n, unsigned size)
{
    const uint32_t each = (uint32_t)sizeof(uint64_t) / size;
    uint32_t i = 0;
    for (uint64_t x = 0; n - i >= each; i += each) {
        memcpy(&x, p + (size_t)i * size, sizeof x);
        if (x)
            break;
    }
    return i;
}

/* Copies n bins of `size` bytes to `to`.  Callers pass constants for size and
 * order, so that the compiler makes a loop for each. */
static inline void widen(uint64_t *to, const uint8_t *p, uint32_t n,
                         unsigned size, bool big)
{
    for (uint32_t i = skip_zeros(p, n, size); i < n;) {
        uint64_t count = bytes_number(p + (size_t)i * size, size, big);
        i++;
        if (count)
            to[i - 1] = count;
        else
            i += skip_zeros(p + (size_t)i * size, n - i, size);
    }
}

bool gmon_add_hist(struct gmon *g, struct gmon_hist h,
                   const struct gmon_counts *counts, size_t at,
                   struct prof_err *err)
{
    struct gmon_bins *bins = &g->bins;
    const size_t room = (size_t)h.n_bins + 1; /* not 0: `v` must be set */
    const unsigned size = counts->bits / 8;
    h.bin = bins->n;
    if (bins->v) {
        if (!vec_reserve(bins, room))
            return err_nomem(err);
        memset(bins->v + bins->n, 0, room * sizeof *bins->v);
    } else {
        /* Most bins of large histograms are zero: zero pages that are never
         * written to take little time and no memory. */
        bins->v = mem_zarray(room, sizeof *bins->v);
        bins->cap = bins->v ? room : 0;
    }
    if (!bins->v || !vec_push(&g->hists, h))
        return err_nomem(err);
    uint64_t *to = bins->v + bins->n;
    if (size == 2 && !counts->big_endian)
        widen(to, counts->p, h.n_bins, 2, false);
    else if (size == 2)
        widen(to, counts->p, h.n_bins, 2, true);
    else
        widen(to, counts->p, h.n_bins, size, counts->big_endian);
    for (uint32_t i = 0; counts->is_signed && i < h.n_bins; i++)
        if (to[i] >> (counts->bits - 1))
            return err_input(
                err, "offset %zu: bin %" PRIu32 " of the histogram is negative",
                at, i);
    bins->n += h.n_bins;
    return true;
}

bool gmon_err_bad_range(struct prof_err *err, size_t at,
                        const struct gmon_hist *h)
{
    return err_input(err,
                     "offset %zu: invalid histogram range: 0x%" PRIx64
                     " down to 0x%" PRIx64,
                     at, h->low, h->high);
}

size_t gmon_padding(const struct gmon_input *in)
{
    size_t at = in->n;
    while (at > 0 && !in->data[at - 1])
        at--;
    return at;
}

bool gmon_err_zeros(struct prof_err *err, size_t at)
{
    return err_input(err, "offset %zu: only zero bytes follow (padding?)", at);
}

bool gmon_err_second_file(struct prof_err *err, size_t at)
{
    return err_input(err,
                     "offset %zu: another gmon.out file begins here; pass each "
                     "as a separate file",
                     at);
}
