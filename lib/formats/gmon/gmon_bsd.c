/*
 * gmon_bsd.c - files of 4.4BSD, of the old BSD format, and of Darwin
 *
 * In words of the target, `a` being the size of an address:
 *
 *   low a, high a, size of header and bins 4,
 *   4.4BSD also: version 4 (0x51879), rate 4, 12 spare bytes,
 *   the bins,
 *   arcs: from a, self a, count
 *
 * Bins are unsigned 16-bit counts, except that FreeBSD puts another type in
 * the first spare word (its bits, negative when signed), and that some ports
 * write 32 bits without saying so.  Old headers have 12 or 20 bytes, 24 where
 * they are padded to whole addresses (OSF/1).
 *
 * Darwin's files, of programs with more than one image, have a magic word that
 * says the form, then chunks of type 4, size 4 and so many bytes:
 *
 *   1 a histogram with the header of 4.4BSD
 *   2 arcs: from a, self a, count 4, in 12 or 24 bytes
 *   3 the same with the number of the call in order 4, in 16 or 24 bytes
 *   4 images: number 4, then of each what it was moved by a, and its path
 *   5 images: number 4, then of each its address a, and its path
 *
 * with paths ended by NUL.  A program of one image has a 4.4BSD file.
 */
#include <stdio.h>
#include <stdlib.h>

#include "formats/gmon/private.h"

enum { BSD44_VERSION = 0x51879 };

/* A histogram in data[at .. end). */
struct bsd {
    const struct gmon_input *in;
    struct gmon_form form;
    size_t at, end;
    size_t head;   /* size of the header in bytes */
    bool has_rate; /* the header has a rate: 4.4BSD */
    bool has_type; /* the header can have a type of counts: FreeBSD */
};

/*
 * Arcs in data[at .. end), of `size` bytes each.  Their counts have the size of
 * an address, but 4 bytes if
 *   - `narrow` is set
 *   - --format says so
 *   - the upper halves of 64-bit counts are implausible: in mingw-w64 a C long
 *     has 32 bits and an address 64, and the upper halves are uninitialized
 */
struct arcs {
    const struct gmon_input *in;
    struct gmon_form form;
    size_t at, end, size;
    bool narrow;
};

/* The size of the 4.4BSD header in bytes. */
static size_t head44(struct gmon_form form)
{
    return 2 * (size_t)form.addr_size + 24;
}

/*
 * FreeBSD's type, where the header has one and n_bytes are some of it; false
 * where it says nothing.
 */
static bool read_type(const struct bsd *b, size_t n_bytes,
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
        note_info(b->in->notes, "histogram has %u-bit bins", bits);
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

static bool read_bins(const struct bsd *b, struct gmon *g, struct gmon_hist h,
                      size_t n_bytes, struct prof_err *err)
{
    size_t at = b->at + b->head;
    struct gmon_counts counts =
        gmon_counts_of(b->in, b->form, b->in->data + at);
    bool guess = !b->in->opts->bin_bits;
    if (guess && b->has_type)
        guess = !read_type(b, n_bytes, &counts);
    if (n_bytes % (counts.bits / 8))
        return err_set(err, PROF_ERR_INPUT,
                       "offset %zu: %zu bytes are not a multiple of the size "
                       "of %u-bit bins",
                       at, n_bytes, counts.bits);
    h.n_bins = (uint32_t)(n_bytes / (counts.bits / 8));
    if (guess && is_paired(&h, &counts)) {
        note_loss(b->in->notes, "every second bin is zero: read as 32-bit bins "
                                "(use --format=bins16 if they are not)");
        counts.bits = 32;
        h.n_bins /= 2;
    }
    return gmon_add_hist(g, h, &counts, at, err);
}

/*
 * Reads header and bins; *used is the offset of their end.  With opts.lenient,
 * a histogram that lacks bins is skipped, and so is the rest of the file.
 */
static bool read_hist(const struct bsd *b, struct gmon *g, size_t *used,
                      struct prof_err *err)
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
        return gmon_upside_down(err, b->at, &h);
    if (size < b->head)
        return err_set(err, PROF_ERR_INPUT,
                       "offset %zu: size %" PRIu32
                       " of header and bins is less than the header's %zu",
                       b->at + 2 * a, size, b->head);
    if (size > left) {
        struct prof_err cut;
        (void)gmon_cut(&cut, b->at + b->head, "bins", size - b->head,
                       left - b->head);
        *used = b->end;
        if (!b->in->opts->lenient)
            return err_set(err, PROF_ERR_INPUT, "%s", cut.text);
        note_loss(b->in->notes, "%s; skipped", cut.text);
        return true;
    }
    *used = b->at + size;
    return read_bins(b, g, h, size - b->head, err);
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

/* The bytes of a count of n arcs; the others of it, if any, are behind it. */
static unsigned count_size(const struct arcs *b, size_t n)
{
    const struct gmon_opts *opts = b->in->opts;
    if (b->form.addr_size == 4 || opts->count_bits)
        return b->form.addr_size == 4 ? 4 : opts->count_bits / 8;
    if (b->narrow)
        return 4;
    if (!halves_are_junk(b->in->data + b->at, n, b->form.big_endian))
        return 8;
    note_loss(b->in->notes,
              "the upper halves of the call counts are invalid: read as 32-bit "
              "counts (use --format=counts64 if they are not)");
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
    if (left < head44(form) || gmon_u32(p + 2 * a + 4, form) != BSD44_VERSION)
        return false;
    uint32_t size = gmon_u32(p + 2 * a, form);
    return gmon_addr(p, form) <= gmon_addr(p + a, form) &&
           size >= head44(form) && size <= left;
}

/* Ends the arcs where another file begins. */
static bool find_end(struct arcs *b, struct prof_err *err)
{
    size_t at = b->at;
    while (at < b->end &&
           !is_file(b->in, b->form, b->in->data + at, b->end - at))
        at += b->end - at < b->size ? b->end - at : b->size;
    if (at == b->end)
        return true;
    if (!b->in->opts->lenient)
        return gmon_another(err, at);
    struct prof_err why;
    (void)gmon_another(&why, at);
    note_loss(b->in->notes, "%s; the remaining %zu bytes are skipped", why.text,
              b->end - at);
    b->end = at;
    return true;
}

/*
 * Reads the arcs.  If another gmon.out file begins in place of an arc, with the
 * header of 4.4BSD or of the same program, that is PROF_ERR_INPUT or, with
 * opts.lenient, the end of the arcs.
 */
static bool read_arcs(struct arcs b, struct gmon *g, struct prof_err *err)
{
    const size_t a = b.form.addr_size;
    const uint8_t *p = b.in->data + b.at;
    if (!find_end(&b, err))
        return false;
    size_t n = (b.end - b.at) / b.size, left = (b.end - b.at) % b.size;
    if (left)
        note_loss(b.in->notes,
                  "offset %zu: unexpected end of file: arc of %zu bytes, only "
                  "%zu left; arc skipped",
                  b.end - left, b.size, left);
    unsigned width = count_size(&b, n);
    for (size_t i = 0; i < n; i++, p += b.size) {
        struct gmon_arc arc = {gmon_addr(p, b.form), gmon_addr(p + a, b.form),
                               gmon_uint(p + 2 * a, width, b.form.big_endian)};
        if (!vec_push(&g->arcs, arc))
            return err_nomem(err);
    }
    return true;
}

/* A file that is a histogram and arcs. */
static bool read_file(const struct bsd *b, struct gmon *g, struct prof_err *err)
{
    struct arcs arcs = {.in = b->in,
                        .form = b->form,
                        .end = b->end,
                        .size = 3 * (size_t)b->form.addr_size};
    g->form = b->form;
    (void)snprintf(g->dimension, sizeof g->dimension, "seconds");
    return read_hist(b, g, &arcs.at, err) && read_arcs(arcs, g, err);
}

/* The form of a 4.4BSD file, by where its version is; false: there is none. */
static bool find_version(const uint8_t *data, size_t n, struct gmon_form *form)
{
    for (int i = 0; i < GMON_FORMS; i++) {
        size_t at = 2 * (size_t)gmon_forms[i].addr_size + 4;
        if (at + 4 <= n &&
            gmon_u32(data + at, gmon_forms[i]) == BSD44_VERSION) {
            *form = gmon_forms[i];
            return true;
        }
    }
    return false;
}

bool gmon_is_bsd44(const uint8_t *data, size_t n)
{
    struct gmon_form form;
    return find_version(data, n, &form);
}

static bool read_bsd44(struct gmon *g, const struct gmon_input *in,
                       struct prof_err *err)
{
    struct gmon_form form;
    (void)find_version(in->data, in->n, &form);
    if (!gmon_form_check(form, 2 * (size_t)form.addr_size + 4, in, err))
        return false;
    const struct bsd b = {
        .in = in,
        .form = form,
        .end = in->n,
        .head = head44(form),
        .has_rate = true,
        .has_type = true,
    };
    if (in->n < b.head)
        return err_set(err, PROF_ERR_INPUT,
                       "unexpected end of file: the header has %zu bytes, the "
                       "file only %zu",
                       b.head, in->n);
    return read_file(&b, g, err);
}

/* Headers of the old format. */
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
static unsigned fit_form(const uint8_t *data, size_t n, struct gmon_form form,
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

static bool is_old_bsd(const uint8_t *data, size_t n)
{
    const unsigned all = FIT_READS + FIT_WIDTH + FIT_ARCS;
    for (int i = 0; i < GMON_FORMS; i++)
        for (unsigned variant = 0; variant < N_VARIANTS; variant++)
            if ((fit_form(data, n, gmon_forms[i], variant, 2) & all) == all)
                return true;
    return false;
}

/* Only looks whether the numbers of the header fit. */
static bool try_old_bsd(const struct gmon_input *in, struct gmon_try *t)
{
    unsigned bits = gmon_counts_of(in, t->form, NULL).bits;
    enum variant first = in->opts->family == GMON_OSF1 ? PADDED : PACKED;
    for (unsigned variant = first; variant < N_VARIANTS; variant++) {
        unsigned score = fit_form(in->data, in->n, t->form, variant, bits / 8);
        if (score > t->reached) {
            t->reached = score;
            t->variant = variant;
        }
    }
    if (t->reached >= FIT_READS)
        return true;
    if (in->n < head_of(t->form, PACKED))
        return gmon_cut(&t->err, 0, "header", head_of(t->form, PACKED), in->n);
    struct numbers x = numbers_of(in->data, t->form);
    if (t->reached)
        return gmon_cut(&t->err, 0, "header and bins", x.size, in->n);
    return err_set(
        &t->err, PROF_ERR_INPUT,
        "offset 0: not an old BSD header: read as %s, low is 0x%" PRIx64
        ", high 0x%" PRIx64 ", and header and bins have %" PRIu32 " bytes",
        gmon_form_text(t->form), x.low, x.high, x.size);
}

/* Tells where a padded header would do as well as the one that is taken. */
static void warn_of_padding(const struct gmon_input *in,
                            const struct gmon_try *best)
{
    unsigned bits = gmon_counts_of(in, best->form, NULL).bits;
    if (best->variant == PACKED && fit_form(in->data, in->n, best->form, PADDED,
                                            bits / 8) == best->reached)
        note_loss(in->notes, "the header could be OSF/1's with 24 bytes; if "
                             "so, use --format=osf1");
}

static bool read_old_bsd(struct gmon *g, const struct gmon_input *in,
                         struct prof_err *err)
{
    struct gmon_try best;
    if (gmon_is_bsd44(in->data, in->n))
        note_warn(
            in->notes,
            "the header has 4.4BSD's version (0x51879); is --format correct?");
    (void)gmon_choose_form(in, GMON_LITTLE | GMON_BIG, try_old_bsd, &best);
    if (!gmon_accept(in, &best, err))
        return false;
    gmon_warn_of_choice(in, &best);
    warn_of_padding(in, &best);
    const struct bsd b = {
        .in = in,
        .form = best.form,
        .end = in->n,
        .head = head_of(best.form, best.variant),
    };
    return read_file(&b, g, err);
}

/*
 * Darwin
 */

#define MAGIC_32 0xbeefbabeU
#define MAGIC_64 0xbeefbabfU

enum { MAGIC = 4, HEAD = 8 };

enum chunk_type {
    CHUNK_HIST = 1,
    CHUNK_ARCS = 2,
    CHUNK_ORDERED_ARCS = 3,
    CHUNK_SLIDES = 4,
    CHUNK_IMAGES = 5,
};

/* The form that the magic word says; false: it is none. */
static bool find_magic(const uint8_t *data, size_t n, struct gmon_form *form)
{
    for (int i = 0; n >= 4 && i < GMON_FORMS; i++) {
        *form = gmon_forms[i];
        if (gmon_u32(data, *form) ==
            (form->addr_size == 8 ? MAGIC_64 : MAGIC_32))
            return true;
    }
    return false;
}

bool gmon_is_darwin(const uint8_t *data, size_t n)
{
    struct gmon_form form;
    return find_magic(data, n, &form);
}

struct reader {
    const struct gmon_input *in;
    struct gmon *g;
    uint64_t lost_chunks, lost_bytes; /* of unknown types */
    uint64_t lost_orders;             /* numbers of calls in order */
};

/* A chunk's content. */
struct chunk {
    uint32_t type;
    size_t at, end;
};

static bool read_hist_chunk(const struct reader *r, const struct chunk *c,
                            struct prof_err *err)
{
    const struct bsd b = {
        .in = r->in,
        .form = r->g->form,
        .at = c->at,
        .end = c->end,
        .head = head44(r->g->form),
        .has_rate = true,
    };
    size_t used = 0;
    if (!read_hist(&b, r->g, &used, err))
        return false;
    if (used < c->end)
        note_loss(r->in->notes,
                  "offset %zu: %zu bytes after the bins of a chunk skipped",
                  used, c->end - used);
    return true;
}

static bool read_arc_chunk(const struct reader *r, const struct chunk *c,
                           size_t size, struct prof_err *err)
{
    const struct arcs arcs = {.in = r->in,
                              .form = r->g->form,
                              .at = c->at,
                              .end = c->end,
                              .size = size,
                              .narrow = true};
    return read_arcs(arcs, r->g, err);
}

/* Adds images up to where that fails. */
static bool add_images(const struct reader *r, const struct chunk *c,
                       struct prof_err *err)
{
    struct gmon *g = r->g;
    const unsigned a = g->form.addr_size;
    if (c->end - c->at < 4)
        return gmon_cut(err, c->at, "number of images", 4, c->end - c->at);
    uint32_t n = gmon_u32(r->in->data + c->at, g->form);
    size_t entry = c->at + 4;
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *p = r->in->data + entry, *nul = NULL;
        if (c->end - entry > a)
            nul = memchr(p + a, 0, c->end - entry - a);
        if (!nul)
            return err_set(err, PROF_ERR_INPUT,
                           "offset %zu: image %" PRIu32 " of %" PRIu32
                           " extends beyond its chunk",
                           entry, i + 1, n);
        struct gmon_image image = {gmon_addr(p, g->form),
                                   c->type == CHUNK_SLIDES,
                                   strdup((const char *)p + a)};
        if (!image.path || !vec_push(&g->images, image)) {
            free(image.path);
            return err_nomem(err);
        }
        entry += (size_t)(nul - p) + 1;
    }
    return true;
}

/* All of a chunk, or none. */
static bool read_images(const struct reader *r, const struct chunk *c,
                        struct prof_err *err)
{
    struct gmon_images *images = &r->g->images;
    size_t n = images->n;
    if (add_images(r, c, err))
        return true;
    while (images->n > n)
        free(images->v[--images->n].path);
    return false;
}

static bool read_chunk(struct reader *r, const struct chunk *c,
                       struct prof_err *err)
{
    const size_t a = r->g->form.addr_size;
    size_t n = r->g->arcs.n;
    bool ok;
    switch (c->type) {
    case CHUNK_HIST:
        return read_hist_chunk(r, c, err);
    case CHUNK_ARCS:
        return read_arc_chunk(r, c, 3 * a, err);
    case CHUNK_ORDERED_ARCS:
        ok = read_arc_chunk(r, c, 2 * a + 8, err);
        r->lost_orders += r->g->arcs.n - n;
        return ok;
    case CHUNK_SLIDES:
    case CHUNK_IMAGES:
        return read_images(r, c, err);
    default:
        r->lost_chunks++;
        r->lost_bytes += c->end - c->at;
        return true;
    }
}

/*
 * Reads the chunk at *at, which goes on to the next.  With opts.lenient, what
 * is there of one that is cut short, and nothing of one that makes no sense.
 */
static bool next_chunk(struct reader *r, size_t *at, struct prof_err *err)
{
    const struct gmon_input *in = r->in;
    size_t start = *at, left = in->n - start;
    struct prof_err why;
    *at = in->n;
    if (left < HEAD)
        return gmon_cut(err, start, "head of a chunk", HEAD, left);
    if (memcmp(in->data + start, in->data, MAGIC) == 0)
        return gmon_another(err, start);
    struct chunk c = {.type = gmon_u32(in->data + start, r->g->form),
                      .at = start + HEAD};
    uint32_t size = gmon_u32(in->data + start + 4, r->g->form);
    left -= HEAD;
    if (size > left) {
        (void)gmon_cut(&why, start, "chunk", size, left);
        if (!in->opts->lenient)
            return err_set(err, PROF_ERR_INPUT, "%s", why.text);
        note_loss(in->notes, "%s", why.text);
        size = (uint32_t)left;
    }
    *at = c.end = c.at + size;
    if (read_chunk(r, &c, &why))
        return true;
    if (!in->opts->lenient || why.kind != PROF_ERR_INPUT)
        return err_set(err, why.kind, "%s", why.text);
    note_loss(in->notes, "%s; chunk skipped", why.text);
    return true;
}

static void report_lost(const struct reader *r)
{
    if (r->lost_chunks)
        note_loss(r->in->notes,
                  "%" PRIu64 " chunks of unknown type skipped (%" PRIu64
                  " bytes)",
                  r->lost_chunks, r->lost_bytes);
    if (r->lost_orders)
        note_info(r->in->notes,
                  "the order of first calls is dropped from %" PRIu64 " arcs",
                  r->lost_orders);
}

static bool read_darwin(struct gmon *g, const struct gmon_input *in,
                        struct prof_err *err)
{
    struct reader r = {.in = in, .g = g};
    struct prof_err why;
    size_t end = gmon_padding(in);
    (void)find_magic(in->data, in->n, &g->form);
    if (!gmon_form_check(g->form, 0, in, err))
        return false;
    (void)snprintf(g->dimension, sizeof g->dimension, "seconds");
    if (in->n == MAGIC)
        gmon_warn_of_header(in);
    for (size_t at = MAGIC; at < in->n;) {
        bool ok =
            at < end ? next_chunk(&r, &at, &why) : gmon_only_zeros(&why, at);
        if (ok)
            continue;
        if (!in->opts->lenient || why.kind != PROF_ERR_INPUT)
            return err_set(err, why.kind, "%s", why.text);
        note_loss(in->notes, "%s; the rest of the file is skipped", why.text);
        break;
    }
    report_lost(&r);
    return true;
}

const struct gmon_reader gmon_bsd44 = {GMON_BSD44, "4.4BSD format",
                                       "version 0x51879 in its header",
                                       gmon_is_bsd44, read_bsd44};

const struct gmon_reader gmon_darwin = {GMON_DARWIN, "Darwin format",
                                        "0xbeefbabe or 0xbeefbabf",
                                        gmon_is_darwin, read_darwin};

const struct gmon_reader gmon_old_bsd = {GMON_OLD_BSD, "old BSD format", NULL,
                                         is_old_bsd, read_old_bsd};

const struct gmon_reader gmon_osf1 = {GMON_OSF1, "OSF/1 format", NULL,
                                      is_old_bsd, read_old_bsd};
