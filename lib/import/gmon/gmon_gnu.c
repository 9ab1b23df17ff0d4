/*
 * The GNU format: a header of 20 bytes ("gmon", version, 12 spare bytes that
 * may hold anything), then records of a tag byte and a body, to the end of
 * the file.  a is the size of an address, nothing is aligned:
 *
 *   0 histogram     see gmon_walk.h
 *   1 arc           from a, self a, count 4
 *   2 basic blocks  see gmon_walk.h
 */
#include <inttypes.h>

#include "base/vec.h"
#include "import/gmon/gmon_walk.h"

enum tag {
    TAG_HIST = 0,
    TAG_ARC = 1,
    TAG_BLOCKS = 2,
};

/* How numbers of basic blocks are written. */
enum variant {
    NARROW_BLOCKS,
    WIDE_BLOCKS,
};

struct records {
    struct gmon_walk walk;
    size_t padding; /* from here on all bytes are zero */
    uint32_t version;
    enum variant variant;
    uint64_t n_blocks; /* records of basic blocks */
};

static uint32_t version_of(const struct gmon_input *in)
{
    return gmon_uint(in->data + 4, 4, false) ? 1 : 0;
}

/* The byte orders in which the version is known, or-ed. */
static unsigned orders_of(const struct gmon_input *in)
{
    uint64_t little = gmon_uint(in->data + 4, 4, false);
    uint64_t big = gmon_uint(in->data + 4, 4, true);
    return (little <= 1 ? GMON_LITTLE : 0U) | (big <= 1 ? GMON_BIG : 0U);
}

static bool take_arc(struct gmon_walk *w, struct err *err)
{
    const unsigned a = w->form.addr_size;
    const uint8_t *p = w->in->data + w->at + 1;
    size_t body = 2 * (size_t)a + 4, left = w->in->n - w->at - 1;
    if (left < body)
        return gmon_cut(err, w->at, "an arc", body, left);
    struct gmon_arc arc = {gmon_addr(p, w->form), gmon_addr(p + a, w->form),
                           gmon_u32(p + 2 * (size_t)a, w->form)};
    if (w->to && !vec_push(&w->to->arcs, arc))
        return err_nomem(err);
    w->at += 1 + body;
    return true;
}

static bool take_record(struct records *r, struct err *err)
{
    struct gmon_walk *w = &r->walk;
    uint8_t tag = w->in->data[w->at];
    if (w->at >= r->padding)
        return gmon_only_zeros(err, w->at);
    if (tag == TAG_HIST)
        return gmon_walk_hist(w, w->at + 1, err);
    if (tag == TAG_ARC)
        return take_arc(w, err);
    if (gmon_begins(w->in->data + w->at, w->in->n - w->at))
        return gmon_another(err, w->at);
    if (tag != TAG_BLOCKS)
        return err_set(err, ERR_INPUT, "offset %zu: unknown record tag %u",
                       w->at, tag);
    r->n_blocks++;
    return gmon_walk_blocks(w, r->version, r->variant == WIDE_BLOCKS, err);
}

/* Reads up to `end`; on failure r->walk tells how far that went. */
static bool take_records(struct records *r, size_t end, struct err *err)
{
    const struct gmon_input *in = r->walk.in;
    r->walk.at = GMON_GNU_HEADER;
    r->version = version_of(in);
    r->n_blocks = 0;
    r->padding = gmon_padding(in);
    while (r->walk.at < end) {
        r->walk.reached = r->walk.at;
        if (!take_record(r, err))
            return false;
    }
    r->walk.reached = r->walk.at;
    return true;
}

/* glibc's number of basic blocks is tried where gprof's fails. */
static void try_form(const struct gmon_input *in, struct gmon_try *t)
{
    struct records r = {.walk = {.in = in, .form = t->form}};
    t->variant = NARROW_BLOCKS;
    t->good = take_records(&r, in->n, &t->err);
    t->reached = r.walk.reached;
    if (t->good || t->form.addr_size != 8 || !r.n_blocks || !r.version)
        return;
    r.variant = WIDE_BLOCKS;
    if (!take_records(&r, in->n, NULL))
        return;
    t->variant = WIDE_BLOCKS;
    t->good = true;
    t->reached = r.walk.reached;
}

static bool unknown_version(const struct gmon_input *in, unsigned orders,
                            struct err *err)
{
    const uint8_t *p = in->data + 4;
    if (orders)
        return err_set(err, ERR_INPUT,
                       "offset 4: the version (%02x %02x %02x %02x) is that "
                       "of a %s-endian file, not what --byte-order says",
                       p[0], p[1], p[2], p[3],
                       orders == GMON_BIG ? "big" : "little");
    return err_set(err, ERR_INPUT,
                   "offset 4: the version (%02x %02x %02x %02x) is not known",
                   p[0], p[1], p[2], p[3]);
}

bool gmon_read_gnu(struct gmon *g, const struct gmon_input *in, struct err *err)
{
    struct gmon_try best;
    unsigned n_best, orders;
    size_t end = in->n;
    if (in->n < GMON_GNU_HEADER)
        return err_set(err, ERR_INPUT,
                       "the file is cut short: header of %d bytes, %zu are "
                       "there",
                       GMON_GNU_HEADER, in->n);
    orders = orders_of(in);
    if (!gmon_choose(in, orders, try_form, &best, &n_best))
        return unknown_version(in, orders, err);
    struct records r = {.walk = {.in = in, .form = best.form},
                        .variant = best.variant};
    if (!best.good && !in->opts->lenient) {
        if (err)
            *err = best.err;
        return false;
    }
    if (!best.good) {
        (void)take_records(&r, in->n, NULL);
        end = r.walk.at;
        note_loss(in->notes, "%s; %zu bytes from there on are left out",
                  best.err.text, in->n - end);
    }
    if (end == GMON_GNU_HEADER) {
        if (best.good)
            gmon_warn_of_header(in);
        return true;
    }
    gmon_warn_of_choice(in, best.form, n_best);
    g->form = best.form;
    r.walk.to = g;
    if (!take_records(&r, end, err))
        return false;
    gmon_judge_bin_order(g, in);
    return true;
}
