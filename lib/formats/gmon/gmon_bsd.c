/*
 * gmon_bsd.c - reads files of 4.4BSD, of the old BSD format, and of Darwin
 *
 * Numbers are those of the target; `a` is the size of an address, others are
 * sizes in bytes:
 *
 *   low a, high a, size of header and bins 4,
 *   4.4BSD also: version 4 (0x51879), rate 4, 12 spare bytes,
 *   the bins,
 *   arcs: from a, self a, count
 *
 * Bins are unsigned 16-bit counts, except that FreeBSD puts another type in
 * the first spare word (its bits, negative when signed).  Old headers have 12
 * or 20 bytes, 24 where they are padded to whole addresses (OSF/1).
 *
 * Some ports write bins of 32 bits, or 64-bit arcs with 32-bit counts, without
 * a mark in the file.  If the numbers look like those, --format is required.
 *
 * Darwin's files, of programs with more than one image, have a magic word that
 * gives byte order and address size, then chunks: type 4, size 4, content:
 *
 *   1 a histogram with the header of 4.4BSD
 *   2 arcs: from a, self a, count 4, in 12 or 24 bytes
 *   3 arcs with the order of the call 4, in 16 or 24 bytes
 *   4 images: number 4, then for each: load offset a, path
 *   5 images: number 4, then for each: address a, path
 *
 * Paths end with NUL.  A program of one image writes a 4.4BSD file.
 */
#include <stdio.h>
#include <stdlib.h>

#include "formats/gmon/private.h"

enum { BSD44_VERSION = 0x51879 };

/* What to read: a histogram or arcs in data[at .. end), and their layout. */
struct bsd {
    const struct gmon_input *in;
    struct gmon_form form;
    size_t at, end;
    size_t head;   /* size of the histogram's header in bytes */
    bool has_rate; /* the header has a rate: 4.4BSD */
    bool has_type; /* the header can have a type of counts: FreeBSD */
};

/*
 * With opts.lenient, reports the damage `why` and its `outcome` as a loss and
 * returns true.  Otherwise, or if `why` is not damage, fails with `why`.
 */
static bool forgive(const struct gmon_input *in, const struct prof_err *why,
                    const char *outcome, struct prof_err *err)
{
    if (!in->opts->lenient || why->kind != PROF_ERR_INPUT)
        return err_set(err, why->kind, "%s", why->text);
    note_loss(in->notes, "%s%s", why->text, outcome);
    return true;
}

/* Returns the size of the 4.4BSD header in bytes. */
static size_t head44(struct gmon_form form)
{
    return 2 * (size_t)form.addr_size + 24;
}

static bool read_bins(const struct bsd *b, struct gmon *g, struct gmon_hist h,
                      size_t n_bytes, struct prof_err *err)
{
    const struct gmon_input *in = b->in;
    size_t at = b->at + b->head;
    struct gmon_counts counts = gmon_counts_of(in, b->form, in->data + at);
    bool known = in->opts->bin_bits;
    if (!known && b->has_type) {
        const uint8_t *spare = in->data + at - 12;
        int32_t type = (int32_t)gmon_u32(spare, b->form);
        unsigned bits = type < 0 ? 0U - (unsigned)type : (unsigned)type;
        known = (bits == 8 || bits == 16 || bits == 32 || bits == 64) &&
                n_bytes % (bits / 8) == 0;
        if (known) {
            counts.bits = bits;
            counts.is_signed = type < 0;
        }
        if (known && bits != 16)
            note_info(in->notes, "histogram has %u-bit bins", bits);
    }
    if (n_bytes % (counts.bits / 8))
        return err_input(err,
                         "offset %zu: %zu bytes are not a multiple of the size "
                         "of %u-bit bins",
                         at, n_bytes, counts.bits);
    h.n_bins = (uint32_t)(n_bytes / (counts.bits / 8));
    /* The BSDs make one bin for four bytes.  16-bit bins of two bytes each are
     * probably halves of 32-bit bins. */
    if (!known && h.n_bins > 1 && h.low < h.high &&
        (h.high - h.low) / h.n_bins <= 2)
        return err_input(err,
                         "offset %zu: cannot tell the size of the bins; use "
                         "--format=bins32 or --format=bins16",
                         at);
    return gmon_add_hist(g, h, &counts, at, err);
}

/*
 * Reads header and bins; sets *used to the offset of their end.  With
 * opts.lenient, skips a truncated histogram and the rest of the file.
 */
static bool read_hist(const struct bsd *b, struct gmon *g, size_t *used,
                      struct prof_err *err)
{
    const size_t a = b->form.addr_size, left = b->end - b->at;
    const uint8_t *p = b->in->data + b->at;
    if (left < b->head)
        return gmon_err_truncated(err, b->at, "header", b->head, left);
    struct gmon_hist h = {.low = gmon_addr(p, b->form),
                          .high = gmon_addr(p + a, b->form)};
    uint32_t size = gmon_u32(p + 2 * a, b->form);
    if (b->has_rate)
        h.rate = gmon_u32(p + 2 * a + 8, b->form);
    if (h.low > h.high)
        return gmon_err_bad_range(err, b->at, &h);
    if (size < b->head)
        return err_input(err,
                         "offset %zu: size %" PRIu32
                         " of header and bins is less than the header's %zu",
                         b->at + 2 * a, size, b->head);
    if (size > left) {
        struct prof_err cut;
        (void)gmon_err_truncated(&cut, b->at + b->head, "bins", size - b->head,
                                 left - b->head);
        *used = b->end;
        return forgive(b->in, &cut, "; skipped", err);
    }
    *used = b->at + size;
    return read_bins(b, g, h, size - b->head, err);
}

/*
 * Returns whether p is not an arc but the beginning of another file: a header
 * of 4.4BSD, or the same range and size as in this file's header.
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

/* A program makes fewer calls in a day than 2 to this power. */
enum { DAYS_CALLS = 46 };

/*
 * Reads arcs of `size` bytes each.  Their counts have the size of an address,
 * or 4 bytes if `narrow` or --format says so.  If another gmon.out file begins
 * in place of an arc, fails with PROF_ERR_INPUT or, with opts.lenient, ends
 * the arcs there.
 *
 * In mingw-w64 a C long has 32 bits and an address 64, so the upper halves of
 * counts are uninitialized.  Fails with PROF_ERR_INPUT if they seem to be.
 */
static bool read_arcs(const struct bsd *b, size_t size, bool narrow,
                      struct gmon *g, struct prof_err *err)
{
    const struct gmon_input *in = b->in;
    const size_t a = b->form.addr_size;
    const unsigned said = a == 8 ? in->opts->count_bits / 8 : 0;
    const unsigned width = said ? said : a == 4 || narrow ? 4 : 8;
    size_t end = b->at;
    while (end < b->end && !is_file(in, b->form, in->data + end, b->end - end))
        end += b->end - end < size ? b->end - end : size;
    if (end < b->end) {
        struct prof_err why;
        (void)gmon_err_second_file(&why, end);
        if (!in->opts->lenient)
            return err_input(err, "%s", why.text);
        note_loss(in->notes, "%s; the remaining bytes (%zu) are skipped",
                  why.text, b->end - end);
    }
    size_t n = (end - b->at) / size, left = (end - b->at) % size, n_upper = 0;
    if (left)
        note_loss(in->notes,
                  "offset %zu: unexpected end of file: arc of %zu bytes, only "
                  "%zu left; arc skipped",
                  end - left, size, left);
    uint64_t bits = 0;
    const uint8_t *p = in->data + b->at;
    for (size_t i = 0; i < n; i++, p += size) {
        struct gmon_arc arc = {
            gmon_addr(p, b->form), gmon_addr(p + a, b->form),
            bytes_number(p + 2 * a, width, b->form.big_endian)};
        bits |= arc.count;
        n_upper += arc.count >> 32 != 0;
        /* Skip arcs that are all zero. */
        if ((arc.from || arc.self || arc.count) && !vec_push(&g->arcs, arc))
            return err_nomem(err);
    }
    if (!said && (bits >> DAYS_CALLS || (n > 1 && n_upper == n)))
        return err_input(
            err,
            "offset %zu: implausible call counts; use --format=counts32 (for "
            "mingw-w64) or --format=counts64",
            b->at);
    return true;
}

/* Reads a file of one histogram and arcs. */
static bool read_file(const struct bsd *b, struct gmon *g, struct prof_err *err)
{
    struct bsd arcs = *b;
    g->form = b->form;
    (void)snprintf(g->dimension, sizeof g->dimension, "seconds");
    return read_hist(b, g, &arcs.at, err) &&
           read_arcs(&arcs, 3 * (size_t)b->form.addr_size, false, g, err);
}

/* Sets *form to the form that has the version of 4.4BSD at its place.  Returns
 * false if none has. */
static bool find_version(const uint8_t *data, size_t n, struct gmon_form *form)
{
    for (int i = 0; i < GMON_FORMS; i++) {
        size_t at = 2 * (size_t)gmon_forms[i].addr_size + 4;
        *form = gmon_forms[i];
        if (at + 4 <= n && gmon_u32(data + at, *form) == BSD44_VERSION)
            return true;
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
    struct bsd b = {.in = in, .end = in->n, .has_rate = true, .has_type = true};
    (void)find_version(in->data, in->n, &b.form);
    b.head = head44(b.form);
    if (!gmon_form_check(b.form, 2 * (size_t)b.form.addr_size + 4, in, err))
        return false;
    if (in->n < b.head)
        return err_input(err,
                         "unexpected end of file: the header has %zu bytes, "
                         "the file only %zu",
                         b.head, in->n);
    return read_file(&b, g, err);
}

/* --- the old BSD format --------------------------------------------------- */

static size_t old_head(struct gmon_form form, enum gmon_family family)
{
    return 2 * (size_t)form.addr_size +
           (family == GMON_OSF1 && form.addr_size == 8 ? 8 : 4);
}

/*
 * Returns how well the data fits a form of the old header, with bins of `bin`
 * bytes each:
 *
 *   3   a whole number of arcs follows the bins
 *   2   what follows the bins is not a whole number of arcs
 *   1   the bins are truncated
 *   0   the header is invalid, or a bin does not cover 1 to 64 bytes
 */
static unsigned rate_old(const uint8_t *data, size_t n, struct gmon_form form,
                         enum gmon_family family, unsigned bin)
{
    const size_t a = form.addr_size, head = old_head(form, family);
    if (n < head)
        return 0;
    uint64_t low = gmon_addr(data, form), high = gmon_addr(data + a, form);
    uint32_t size = gmon_u32(data + 2 * a, form);
    if (low > high || size < head + bin || (size - head) % bin)
        return 0;
    uint64_t width = (high - low) / ((size - head) / bin);
    if (width < 1 || width > 64)
        return 0;
    if (size > n)
        return 1;
    return (n - size) % (3 * a) ? 2 : 3;
}

static bool is_old(const uint8_t *data, size_t n, enum gmon_family family)
{
    for (int i = 0; i < GMON_FORMS; i++)
        if (rate_old(data, n, gmon_forms[i], family, 2) == 3)
            return true;
    return false;
}

static bool is_old_bsd(const uint8_t *data, size_t n)
{
    return is_old(data, n, GMON_OLD_BSD);
}

static bool is_osf1(const uint8_t *data, size_t n)
{
    return is_old(data, n, GMON_OSF1);
}

static bool try_old_bsd(const struct gmon_input *in, struct gmon_try *t)
{
    t->reached = rate_old(in->data, in->n, t->form, in->opts->family,
                          gmon_counts_of(in, t->form, NULL).bits / 8);
    return t->reached || err_input(&t->err, "not an old BSD header");
}

/* Reads a file in the form of --format or of the program, or else in the form
 * that fits best. */
static bool read_old_bsd(struct gmon *g, const struct gmon_input *in,
                         struct prof_err *err)
{
    const struct gmon_opts *opts = in->opts;
    const enum gmon_family family = opts->family;
    const bool said = opts->hint.addr_size || (opts->addr_size && opts->order);
    struct gmon_try best;
    if (gmon_is_bsd44(in->data, in->n))
        note_warn(
            in->notes,
            "the header has 4.4BSD's version (0x51879); is --format correct?");
    (void)gmon_choose_form(in, GMON_LITTLE | GMON_BIG, try_old_bsd, &best);
    if (!said && (best.n_equal != 1 || best.reached < 2))
        return err_input(err,
                         "offset 0: cannot tell the address size and byte "
                         "order; use for example --format=%s",
                         family == GMON_OSF1 ? "osf1,64,le" : "oldbsd,32,be");
    return read_file(&(struct bsd){.in = in,
                                   .form = best.form,
                                   .end = in->n,
                                   .head = old_head(best.form, family)},
                     g, err);
}

/* --- Darwin --------------------------------------------------------------- */

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

/*
 * Sets *form to the form that the magic word gives.  Returns false without one.
 */
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
    uint64_t lost_orders; /* arcs with a call order, which is dropped */
};

/*
 * Adds the images of a chunk in data[at .. end); adds none of them on failure.
 */
static bool read_images(const struct reader *r, bool moved, size_t at,
                        size_t end, struct prof_err *err)
{
    struct gmon *g = r->g;
    const unsigned a = g->form.addr_size;
    const size_t n_before = g->images.n;
    if (end - at < 4)
        return gmon_err_truncated(err, at, "number of images", 4, end - at);
    uint32_t n = gmon_u32(r->in->data + at, g->form);
    bool ok = true;
    at += 4;
    for (uint32_t i = 0; ok && i < n; i++) {
        const uint8_t *p = r->in->data + at, *nul = NULL;
        if (end - at > a)
            nul = memchr(p + a, 0, end - at - a);
        if (!nul) {
            ok = err_input(err,
                           "offset %zu: image %" PRIu32 " of %" PRIu32
                           " extends beyond its chunk",
                           at, i + 1, n);
            break;
        }
        struct gmon_image image = {gmon_addr(p, g->form), moved,
                                   strdup((const char *)p + a)};
        ok = image.path && vec_push(&g->images, image);
        if (!ok) {
            free(image.path);
            (void)err_nomem(err);
        }
        at += (size_t)(nul - p) + 1;
    }
    while (!ok && g->images.n > n_before)
        free(g->images.v[--g->images.n].path);
    return ok;
}

/* Reads a chunk whose content is data[at .. end). */
static bool read_chunk(struct reader *r, uint32_t type, size_t at, size_t end,
                       struct prof_err *err)
{
    const size_t a = r->g->form.addr_size, n_arcs = r->g->arcs.n;
    const struct bsd b = {.in = r->in,
                          .form = r->g->form,
                          .at = at,
                          .end = end,
                          .head = head44(r->g->form),
                          .has_rate = true};
    bool ok = true;
    switch (type) {
    case CHUNK_HIST: {
        size_t used = end;
        ok = read_hist(&b, r->g, &used, err);
        if (ok && used < end)
            note_count(r->in->notes, PROF_NOTE_LOSS, end - used,
                       "offset %zu: %zu byte{s} after the bins of a chunk "
                       "skipped",
                       used, end - used);
        break;
    }
    case CHUNK_ARCS:
        ok = read_arcs(&b, 3 * a, true, r->g, err);
        break;
    case CHUNK_ORDERED_ARCS:
        ok = read_arcs(&b, 2 * a + 8, true, r->g, err);
        r->lost_orders += r->g->arcs.n - n_arcs;
        break;
    case CHUNK_SLIDES:
    case CHUNK_IMAGES:
        ok = read_images(r, type == CHUNK_SLIDES, at, end, err);
        break;
    default:
        r->lost_chunks++;
        r->lost_bytes += end - at;
        break;
    }
    return ok;
}

/*
 * Reads the chunk at *at and moves *at to the next one.  With opts.lenient,
 * reads what a truncated chunk has, and skips an invalid one.
 */
static bool next_chunk(struct reader *r, size_t *at, struct prof_err *err)
{
    const struct gmon_input *in = r->in;
    size_t start = *at, left = in->n - start;
    struct prof_err why;
    *at = in->n;
    if (left < HEAD)
        return gmon_err_truncated(err, start, "head of a chunk", HEAD, left);
    if (memcmp(in->data + start, in->data, MAGIC) == 0)
        return gmon_err_second_file(err, start);
    uint32_t type = gmon_u32(in->data + start, r->g->form);
    uint32_t size = gmon_u32(in->data + start + 4, r->g->form);
    left -= HEAD;
    if (size > left) {
        (void)gmon_err_truncated(&why, start, "chunk", size, left);
        if (!forgive(in, &why, "", err))
            return false;
        size = (uint32_t)left;
    }
    *at = start + HEAD + size;
    return read_chunk(r, type, start + HEAD, *at, &why) ||
           forgive(in, &why, "; chunk skipped", err);
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
    bool ok = true;
    for (size_t at = MAGIC; ok && at < in->n;)
        ok = at < end ? next_chunk(&r, &at, &why) : gmon_err_zeros(&why, at);
    if (!ok &&
        !forgive(in, &why, TEXT("; the rest of the file is skipped"), err))
        return false;
    note_count(in->notes, PROF_NOTE_LOSS, r.lost_chunks,
               "%" PRIu64 " chunk{s} of unknown type skipped (%" PRIu64 " "
               "bytes)",
               r.lost_chunks, r.lost_bytes);
    note_count(in->notes, PROF_NOTE_INFO, r.lost_orders,
               "call order of %" PRIu64 " arc{s} skipped", r.lost_orders);
    return true;
}

const struct gmon_reader gmon_bsd44 = {GMON_BSD44, "4.4BSD format",
                                       TEXT("version 0x51879 in its header"),
                                       gmon_is_bsd44, read_bsd44};

const struct gmon_reader gmon_darwin = {GMON_DARWIN, "Darwin format",
                                        TEXT("0xbeefbabe or 0xbeefbabf"),
                                        gmon_is_darwin, read_darwin};

const struct gmon_reader gmon_old_bsd = {GMON_OLD_BSD, "old BSD format", NULL,
                                         is_old_bsd, read_old_bsd};

const struct gmon_reader gmon_osf1 = {GMON_OSF1, "OSF/1 format", NULL, is_osf1,
                                      read_old_bsd};
