/*
 * The GNU format: a header of 20 bytes ("gmon", version, 12 spare bytes that
 * may hold anything), then records of a tag byte and a body, to the end of
 * the file.  a is the size of an address, nothing is aligned:
 *
 *   0 histogram    low a, high a, bins 4, rate 4, dimension 15,
 *                  abbreviation 1, then bins counts of 2 bytes
 *   1 arc          from a, self a, count 4
 *   2 basic blocks blocks 4, then for each: address a, count a
 */
#include <inttypes.h>
#include <string.h>

#include "base/vec.h"
#include "import/gmon_form.h"

enum tag {
    TAG_HIST = 0,
    TAG_ARC = 1,
    TAG_BLOCKS = 2,
};

/* One reading of the file, under the assumption of a form. */
struct walk {
    const uint8_t *data;
    size_t n;
    size_t padding; /* from here on all bytes are zero */
    struct gmon_form form;
    uint32_t version;
    struct gmon *to; /* filled; null: only look whether it makes sense */

    size_t at;        /* the record at hand; all before it are good */
    size_t reached;   /* how far the bytes make sense */
    uint64_t records; /* good ones */
};

static bool bad(const struct walk *w, struct err *err, const char *what)
{
    return err_set(err, ERR_INPUT, "offset %zu: %s", w->at, what);
}

static bool is_cut(const struct walk *w, struct err *err, const char *what,
                   uint64_t need, uint64_t left)
{
    return err_set(err, ERR_INPUT,
                   "offset %zu: the file is cut short: %s of %" PRIu64
                   " bytes, %" PRIu64 " are left",
                   w->at, what, need, left);
}

/* Printable ASCII, then only NULs. */
static bool is_text(const uint8_t *p, size_t n)
{
    size_t i = 0;
    while (i < n && p[i] >= ' ' && p[i] <= '~')
        i++;
    while (i < n && !p[i])
        i++;
    return i == n;
}

static bool keep_hist(struct walk *w, struct gmon_hist h, const uint8_t *text,
                      const uint8_t *bins, struct err *err)
{
    struct gmon *g = w->to;
    char dimension[GMON_DIMENSION] = {0};
    memcpy(dimension, text, GMON_DIMENSION - 1);
    if (!g->hists.n)
        memcpy(g->dimension, dimension, sizeof dimension);
    if (strcmp(g->dimension, dimension) != 0)
        return err_set(err, ERR_INPUT,
                       "offset %zu: a histogram of \"%s\" after one of \"%s\"",
                       w->at, dimension, g->dimension);
    return gmon_push_hist(g, h, bins, 16, false, w->at, err);
}

static bool take_hist(struct walk *w, struct err *err)
{
    const unsigned a = w->form.addr_size;
    const uint8_t *p = w->data + w->at + 1;
    size_t head = 2 * (size_t)a + 24, left = w->n - w->at - 1;
    if (w->at >= w->padding)
        return bad(w, err, "only zero bytes from here on: padding?");
    if (left < head)
        return is_cut(w, err, "head of a histogram", head, left);
    const uint8_t *text = p + 2 * (size_t)a + 8;
    if (!is_text(text, GMON_DIMENSION - 1) || !is_text(text + 15, 1))
        return bad(w, err, "the dimension of the histogram is no text");
    w->reached = w->at + 1 + head;
    struct gmon_hist h = {
        .low = gmon_addr(p, w->form),
        .high = gmon_addr(p + a, w->form),
        .n_bins = gmon_u32(p + 2 * (size_t)a, w->form),
        .rate = gmon_u32(p + 2 * (size_t)a + 4, w->form),
    };
    if (h.low > h.high)
        return err_set(err, ERR_INPUT,
                       "offset %zu: the histogram goes from 0x%" PRIx64
                       " down to 0x%" PRIx64,
                       w->at, h.low, h.high);
    if (h.n_bins > (left - head) / 2)
        return is_cut(w, err, "histogram bins", 2 * (uint64_t)h.n_bins,
                      left - head);
    if (w->to && !keep_hist(w, h, text, p + head, err))
        return false;
    w->at += 1 + head + 2 * (size_t)h.n_bins;
    return true;
}

static bool take_arc(struct walk *w, struct err *err)
{
    const unsigned a = w->form.addr_size;
    const uint8_t *p = w->data + w->at + 1;
    size_t body = 2 * (size_t)a + 4, left = w->n - w->at - 1;
    if (left < body)
        return is_cut(w, err, "an arc", body, left);
    if (w->to) {
        struct gmon_arc arc = {gmon_addr(p, w->form), gmon_addr(p + a, w->form),
                               gmon_u32(p + 2 * (size_t)a, w->form)};
        if (!vec_push(&w->to->arcs, arc))
            return err_nomem(err);
    }
    w->at += 1 + body;
    return true;
}

static bool take_blocks(struct walk *w, struct err *err)
{
    const unsigned a = w->form.addr_size;
    const uint8_t *p = w->data + w->at + 1;
    size_t left = w->n - w->at - 1;
    if (w->version == 0)
        return bad(w, err, "basic-block records of version 0 are not read");
    if (left < 4)
        return is_cut(w, err, "number of basic blocks", 4, left);
    uint32_t n = gmon_u32(p, w->form);
    if (n > (left - 4) / (2 * (size_t)a))
        return is_cut(w, err, "basic blocks", (uint64_t)n * 2 * a, left - 4);
    p += 4;
    for (uint32_t i = 0; w->to && i < n; i++, p += 2 * (size_t)a) {
        struct gmon_arc block = {0, gmon_addr(p, w->form),
                                 gmon_addr(p + a, w->form)};
        if (!vec_push(&w->to->blocks, block))
            return err_nomem(err);
    }
    w->at += 5 + (size_t)n * 2 * a;
    return true;
}

/* Reads up to w->n; on failure w tells how far that went. */
static bool walk(struct walk *w, struct err *err)
{
    w->at = GMON_GNU_HEADER;
    while (w->at < w->n) {
        w->reached = w->at;
        uint8_t tag = w->data[w->at];
        bool ok;
        if (tag == TAG_HIST)
            ok = take_hist(w, err);
        else if (tag == TAG_ARC)
            ok = take_arc(w, err);
        else if (tag == TAG_BLOCKS)
            ok = take_blocks(w, err);
        else
            ok = err_set(err, ERR_INPUT, "offset %zu: unknown record tag %u",
                         w->at, tag);
        if (!ok)
            return false;
        w->records++;
    }
    return true;
}

/* Both orders that the version word allows, or the one; 0: none. */
static unsigned orders(const uint8_t *data, bool big[2], uint32_t *version)
{
    uint32_t little = (uint32_t)gmon_uint(data + 4, 4, false);
    *version = little ? 1 : 0;
    big[0] = little != 1;
    big[1] = true;
    if (little == 0) {
        big[0] = false;
        return 2;
    }
    return little == 1 || little == 0x01000000;
}

struct reading {
    struct walk walk;
    bool good;
    struct err err;
};

/* True when b explains the bytes better than a. */
static bool better(const struct reading *a, const struct reading *b,
                   struct gmon_form hint)
{
    if (a->good != b->good)
        return b->good;
    if (!a->good && a->walk.reached != b->walk.reached)
        return b->walk.reached > a->walk.reached;
    const struct gmon_form *f = &a->walk.form, *g = &b->walk.form;
    bool a_hinted =
        f->addr_size == hint.addr_size && f->big_endian == hint.big_endian;
    bool b_hinted =
        g->addr_size == hint.addr_size && g->big_endian == hint.big_endian;
    return b_hinted && !a_hinted;
}

/*
 * Tries every form that the version and the options allow; *best is the one
 * that fits.  False when none is allowed.
 */
static bool find_form(const uint8_t *data, size_t n,
                      const struct gmon_opts *opts, struct reading *best,
                      unsigned *n_good, struct err *err)
{
    bool big[2], any = false;
    uint32_t version;
    size_t padding = n;
    while (padding > 0 && !data[padding - 1])
        padding--;
    *n_good = 0;
    for (unsigned i = 0, k = orders(data, big, &version); i < 2 * k; i++) {
        struct reading r = {
            .walk = {.data = data,
                     .n = n,
                     .padding = padding,
                     .form = {i % 2 ? 4 : 8, big[i / 2]},
                     .version = version},
        };
        if (!gmon_form_allowed(r.walk.form, opts))
            continue;
        r.good = walk(&r.walk, &r.err);
        *n_good += r.good;
        if (!any || better(best, &r, opts->hint))
            *best = r;
        any = true;
    }
    if (!any)
        return err_set(err, ERR_INPUT,
                       "offset 4: the version (%02x %02x %02x %02x) is not "
                       "known%s",
                       data[4], data[5], data[6], data[7],
                       opts->order ? " in this byte order" : "");
    return true;
}

bool gmon_read_gnu(struct gmon *g, const uint8_t *data, size_t n,
                   const struct gmon_opts *opts, const struct notes *notes,
                   struct err *err)
{
    struct reading best = {0};
    unsigned n_good;
    if (!find_form(data, n, opts, &best, &n_good, err))
        return false;
    struct walk *w = &best.walk;
    if (!best.good && !opts->lenient) {
        if (err)
            *err = best.err;
        return false;
    }
    if (!best.good) {
        note_warn(notes, "%s; %zu bytes from there on are left out",
                  best.err.text, n - w->at);
        w->n = w->at;
    }
    if (!w->records) {
        if (best.good)
            note_warn(notes, "a header and nothing else: nothing was counted");
        return true;
    }
    if (n_good > 1 && !opts->hint.addr_size)
        note_warn(notes,
                  "could be read in %u ways, %s taken; "
                  "--addr-size and --byte-order say otherwise",
                  n_good, gmon_form_text(w->form));
    g->form = w->form;
    w->to = g;
    return walk(w, err);
}
