/*
 * gmon_darwin.c - files of old Darwin, of programs with more than one image
 *
 * A magic word that says the form, then chunks of type 4, size 4 and so many
 * bytes (`a` is the size of an address):
 *
 *   1 a histogram with the header of 4.4BSD, see gmon_bsd.c
 *   2 arcs: from a, self a, count 4, in 12 or 24 bytes
 *   3 the same with the number of the call in order 4, in 16 or 24 bytes
 *   4 images: number 4, then of each what it was moved by a, and its path
 *   5 images: number 4, then of each its address a, and its path
 *
 * with paths ended by NUL.  A program of one image has a 4.4BSD file.
 */
#include <stdio.h>
#include <stdlib.h>

#include "import/gmon/private.h"

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

static bool read_hist(const struct reader *r, const struct chunk *c,
                      struct err *err)
{
    const struct gmon_bsd b = {
        .in = r->in,
        .form = r->g->form,
        .at = c->at,
        .end = c->end,
        .head = gmon_bsd44_head(r->g->form),
        .has_rate = true,
    };
    size_t used;
    if (!gmon_bsd_hist(&b, r->g, &used, err))
        return false;
    if (used < c->end)
        note_loss(r->in->notes,
                  "offset %zu: %zu bytes behind the bins of a chunk are left "
                  "out",
                  used, c->end - used);
    return true;
}

static bool read_arcs(const struct reader *r, const struct chunk *c,
                      size_t size, struct err *err)
{
    const struct gmon_bsd_arcs arcs = {.in = r->in,
                                       .form = r->g->form,
                                       .at = c->at,
                                       .end = c->end,
                                       .size = size,
                                       .narrow = true};
    return gmon_bsd_read_arcs(arcs, r->g, err);
}

/* Adds images up to where that fails. */
static bool add_images(const struct reader *r, const struct chunk *c,
                       struct err *err)
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
            return err_set(err, ERR_INPUT,
                           "offset %zu: image %" PRIu32 " of %" PRIu32
                           " ends behind its chunk",
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
                        struct err *err)
{
    struct gmon_images *images = &r->g->images;
    size_t n = images->n;
    if (add_images(r, c, err))
        return true;
    while (images->n > n)
        free(images->v[--images->n].path);
    return false;
}

static bool read_chunk(struct reader *r, const struct chunk *c, struct err *err)
{
    const size_t a = r->g->form.addr_size;
    size_t n = r->g->arcs.n;
    bool ok;
    switch (c->type) {
    case CHUNK_HIST:
        return read_hist(r, c, err);
    case CHUNK_ARCS:
        return read_arcs(r, c, 3 * a, err);
    case CHUNK_ORDERED_ARCS:
        ok = read_arcs(r, c, 2 * a + 8, err);
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
static bool next_chunk(struct reader *r, size_t *at, struct err *err)
{
    const struct gmon_input *in = r->in;
    size_t start = *at, left = in->n - start;
    struct err why;
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
            return err_set(err, ERR_INPUT, "%s", why.text);
        note_loss(in->notes, "%s", why.text);
        size = (uint32_t)left;
    }
    *at = c.end = c.at + size;
    if (read_chunk(r, &c, &why))
        return true;
    if (!in->opts->lenient || why.kind != ERR_INPUT)
        return err_set(err, why.kind, "%s", why.text);
    note_loss(in->notes, "%s; the chunk is left out", why.text);
    return true;
}

static void report_lost(const struct reader *r)
{
    if (r->lost_chunks)
        note_loss(r->in->notes,
                  "%" PRIu64 " chunks of unknown types are left out: %" PRIu64
                  " bytes",
                  r->lost_chunks, r->lost_bytes);
    if (r->lost_orders)
        note_info(r->in->notes,
                  "in which order calls first happened is left out of %" PRIu64
                  " arcs",
                  r->lost_orders);
}

bool gmon_read_darwin(struct gmon *g, const struct gmon_input *in,
                      struct err *err)
{
    struct reader r = {.in = in, .g = g};
    struct err why;
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
        if (!in->opts->lenient || why.kind != ERR_INPUT)
            return err_set(err, why.kind, "%s", why.text);
        note_loss(in->notes, "%s; what follows is left out", why.text);
        break;
    }
    report_lost(&r);
    return true;
}
