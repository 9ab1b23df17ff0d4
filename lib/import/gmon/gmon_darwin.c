/*
 * What old Darwin writes when a program has more than one image: a magic
 * word that tells the form, then chunks of type 4, size 4 and so many bytes
 * (a is the size of an address):
 *
 *   1 a histogram with the header of 4.4BSD, see gmon_bsd.h
 *   2 arcs: from a, self a, count 4, in 12 or 24 bytes
 *   3 the same with the number of the call in order 4, in 16 or 24 bytes
 *   4 images: number 4, then of each what it was moved by a, and its path
 *   5 images: number 4, then of each its address a, and its path
 *
 * with paths ended by NUL.  A program of one image has a 4.4BSD file.
 *
 * Source: <sys/gmon.h> of Darwin's Libc.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "import/gmon/gmon_bsd.h"

#define MAGIC_32 0xbeefbabeU
#define MAGIC_64 0xbeefbabfU

enum { MAGIC = 4, HEAD = 8 };

enum chunk {
    CHUNK_HIST = 1,
    CHUNK_ARCS = 2,
    CHUNK_ORDERED_ARCS = 3,
    CHUNK_SLIDES = 4,
    CHUNK_IMAGES = 5,
};

bool gmon_darwin_form(const uint8_t *data, size_t n, struct gmon_form *form)
{
    for (int i = 0; n >= 4 && i < GMON_FORMS; i++) {
        *form = gmon_forms[i];
        if (gmon_u32(data, *form) ==
            (form->addr_size == 8 ? MAGIC_64 : MAGIC_32))
            return true;
    }
    return false;
}

static bool take_hist(const struct gmon_input *in, struct gmon *g, size_t at,
                      size_t end, struct err *err)
{
    const struct gmon_bsd b = {
        .in = in,
        .form = g->form,
        .at = at,
        .end = end,
        .head = gmon_bsd44_head(g->form),
        .has_rate = true,
    };
    size_t used;
    if (!gmon_bsd_hist(&b, g, &used, err))
        return false;
    if (used < end)
        note_loss(in->notes,
                  "offset %zu: %zu bytes behind the bins of a chunk are left "
                  "out",
                  used, end - used);
    return true;
}

/* Adds images up to where that fails. */
static bool add_images(const struct gmon_input *in, struct gmon *g, size_t at,
                       size_t end, bool moved, struct err *err)
{
    const unsigned a = g->form.addr_size;
    if (end - at < 4)
        return gmon_cut(err, at, "number of images", 4, end - at);
    uint32_t n = gmon_u32(in->data + at, g->form);
    size_t entry = at + 4;
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *p = in->data + entry, *nul = NULL;
        if (end - entry > a)
            nul = memchr(p + a, 0, end - entry - a);
        if (!nul)
            return err_set(err, ERR_INPUT,
                           "offset %zu: image %" PRIu32 " of %" PRIu32
                           " ends behind its chunk",
                           entry, i + 1, n);
        struct gmon_image image = {gmon_addr(p, g->form), moved,
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
static bool take_images(const struct gmon_input *in, struct gmon *g, size_t at,
                        size_t end, bool moved, struct err *err)
{
    size_t n = g->images.n;
    if (add_images(in, g, at, end, moved, err))
        return true;
    while (g->images.n > n)
        free(g->images.v[--g->images.n].path);
    return false;
}

/* What of the file is not kept. */
struct lost {
    uint64_t chunks, bytes; /* of unknown types */
    uint64_t orders;        /* calls' numbers in order */
};

static bool take_chunk(const struct gmon_input *in, struct gmon *g,
                       uint32_t type, size_t at, size_t end, struct lost *lost,
                       struct err *err)
{
    const size_t a = g->form.addr_size;
    size_t n = g->arcs.n;
    bool ok;
    switch (type) {
    case CHUNK_HIST:
        return take_hist(in, g, at, end, err);
    case CHUNK_ARCS:
        return gmon_bsd_arcs(in, g->form, at, end, 3 * a, true, g, err);
    case CHUNK_ORDERED_ARCS:
        ok = gmon_bsd_arcs(in, g->form, at, end, 2 * a + 8, true, g, err);
        lost->orders += g->arcs.n - n;
        return ok;
    case CHUNK_SLIDES:
    case CHUNK_IMAGES:
        return take_images(in, g, at, end, type == CHUNK_SLIDES, err);
    default:
        lost->chunks++;
        lost->bytes += end - at;
        return true;
    }
}

/*
 * The chunk at *at, which goes on to the next.  With opts.lenient, of one
 * that is cut short what is there, and none that makes no sense.
 */
static bool next_chunk(const struct gmon_input *in, struct gmon *g, size_t *at,
                       struct lost *lost, struct err *err)
{
    size_t start = *at, left = in->n - start;
    struct err why;
    *at = in->n;
    if (left < HEAD)
        return gmon_cut(err, start, "head of a chunk", HEAD, left);
    if (memcmp(in->data + start, in->data, MAGIC) == 0)
        return gmon_another(err, start);
    uint32_t type = gmon_u32(in->data + start, g->form);
    uint32_t size = gmon_u32(in->data + start + 4, g->form);
    left -= HEAD;
    if (size > left) {
        (void)gmon_cut(&why, start, "chunk", size, left);
        if (!in->opts->lenient)
            return err_set(err, ERR_INPUT, "%s", why.text);
        note_loss(in->notes, "%s", why.text);
        size = (uint32_t)left;
    }
    start += HEAD;
    *at = start + size;
    if (take_chunk(in, g, type, start, *at, lost, &why))
        return true;
    if (!in->opts->lenient || why.kind != ERR_INPUT)
        return err_set(err, why.kind, "%s", why.text);
    note_loss(in->notes, "%s; the chunk is left out", why.text);
    return true;
}

static void tell_lost(const struct gmon_input *in, const struct lost *lost)
{
    if (lost->chunks)
        note_loss(in->notes,
                  "%" PRIu64 " chunks of unknown types are left out: %" PRIu64
                  " bytes",
                  lost->chunks, lost->bytes);
    if (lost->orders)
        note_info(in->notes,
                  "in which order calls first happened is left out of %" PRIu64
                  " arcs",
                  lost->orders);
}

bool gmon_read_darwin(struct gmon *g, const struct gmon_input *in,
                      struct err *err)
{
    struct lost lost = {0};
    struct err why;
    size_t end = gmon_padding(in);
    (void)gmon_darwin_form(in->data, in->n, &g->form);
    if (!gmon_form_check(g->form, 0, in, err))
        return false;
    (void)snprintf(g->dimension, sizeof g->dimension, "seconds");
    if (in->n == MAGIC)
        gmon_warn_of_header(in);
    for (size_t at = MAGIC; at < in->n;) {
        bool ok = at < end ? next_chunk(in, g, &at, &lost, &why)
                           : gmon_only_zeros(&why, at);
        if (ok)
            continue;
        if (!in->opts->lenient || why.kind != ERR_INPUT)
            return err_set(err, why.kind, "%s", why.text);
        note_loss(in->notes, "%s; what follows is left out", why.text);
        break;
    }
    tell_lost(in, &lost);
    return true;
}
