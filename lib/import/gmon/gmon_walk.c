#include "import/gmon/gmon_walk.h"

#include <inttypes.h>
#include <string.h>

#include "base/vec.h"

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

static bool keep_hist(const struct gmon_walk *w, struct gmon_hist h,
                      const uint8_t *text, const struct gmon_counts *counts,
                      struct err *err)
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
    return gmon_push_hist(g, h, counts, w->at, err);
}

bool gmon_walk_hist(struct gmon_walk *w, size_t body, struct err *err)
{
    const unsigned a = w->form.addr_size;
    const uint8_t *p = w->in->data + body;
    size_t head = 2 * (size_t)a + 24, left = w->in->n - body;
    if (left < head)
        return gmon_cut(err, w->at, "head of a histogram", head, left);
    const uint8_t *text = p + 2 * (size_t)a + 8;
    if (!is_text(text, GMON_DIMENSION - 1) || !is_text(text + 15, 1))
        return err_set(err, ERR_INPUT,
                       "offset %zu: the dimension of the histogram is no text",
                       w->at);
    w->reached = body + head;
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
    struct gmon_counts counts = gmon_counts_of(w->in, w->form, p + head);
    uint64_t bytes = (uint64_t)h.n_bins * (counts.bits / 8);
    if (bytes > left - head)
        return gmon_cut(err, w->at, "histogram bins", bytes, left - head);
    if (w->to && !keep_hist(w, h, text, &counts, err))
        return false;
    w->at = body + head + (size_t)bytes;
    return true;
}

/* Goes past a text; false when it has no end. */
static bool skip_text(const struct gmon_walk *w, size_t *at)
{
    size_t left = w->in->n - *at;
    const uint8_t *p = w->in->data + *at;
    const uint8_t *end = left ? memchr(p, 0, left) : NULL;
    if (end)
        *at += (size_t)(end - p) + 1;
    return end;
}

static bool old_block(struct gmon_walk *w, size_t *at, struct gmon_arc *block)
{
    const unsigned a = w->form.addr_size;
    const uint8_t *p = w->in->data + *at;
    if (w->in->n - *at < 2 * (size_t)a)
        return false;
    block->count = gmon_addr(p, w->form);
    block->self = gmon_addr(p + a, w->form);
    *at += 2 * (size_t)a;
    for (int i = 0; i < 2; i++)
        if (!skip_text(w, at))
            return false;
    if (w->in->n - *at < 4)
        return false;
    *at += 4;
    return true;
}

static bool old_blocks(struct gmon_walk *w, size_t at, uint32_t n,
                       struct err *err)
{
    bool whole = skip_text(w, &at);
    for (uint32_t i = 0; whole && i < n; i++) {
        struct gmon_arc block = {0};
        whole = old_block(w, &at, &block);
        if (whole && w->to && !vec_push(&w->to->blocks, block))
            return err_nomem(err);
    }
    if (!whole)
        return err_set(err, ERR_INPUT,
                       "offset %zu: the file is cut short: %" PRIu32
                       " basic blocks of version 0 end behind it",
                       w->at, n);
    if (w->to && n)
        note_info(w->in->notes,
                  "names and lines of %" PRIu32 " basic blocks are left out",
                  n);
    w->at = at;
    return true;
}

bool gmon_walk_blocks(struct gmon_walk *w, uint32_t version, bool wide,
                      struct err *err)
{
    const unsigned a = w->form.addr_size, size = wide ? 8 : 4;
    const uint8_t *p = w->in->data + w->at + 1;
    size_t left = w->in->n - w->at - 1;
    if (left < size)
        return gmon_cut(err, w->at, "number of basic blocks", size, left);
    uint64_t n = gmon_uint(p, size, w->form.big_endian);
    left -= size;
    if (version == 0)
        return old_blocks(w, w->at + 1 + size, (uint32_t)n, err);
    if (n > left / (2 * (size_t)a))
        return err_set(err, ERR_INPUT,
                       "offset %zu: the file is cut short: %" PRIu64
                       " basic blocks of %u bytes, %zu are left",
                       w->at, n, 2 * a, left);
    p += size;
    for (uint64_t i = 0; w->to && i < n; i++, p += 2 * (size_t)a) {
        struct gmon_arc block = {0, gmon_addr(p, w->form),
                                 gmon_addr(p + a, w->form)};
        if (!vec_push(&w->to->blocks, block))
            return err_nomem(err);
    }
    w->at += 1 + size + (size_t)n * 2 * a;
    return true;
}
