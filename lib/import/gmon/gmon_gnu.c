/*
 * gmon_gnu.c - tagged files: the GNU format and LD_PROFILE
 *
 * `a` is the size of an address; nothing is aligned.  Both begin with 20
 * bytes: "gmon", version 4, and 12 spare bytes that may hold anything.
 *
 * GNU, version 0 or 1: records of a tag byte and a body, to the end
 *   0 histogram     low a, high a, bins 4, rate 4, dimension 15,
 *                   abbreviation 1, the bins
 *   1 arc           from a, self a, count 4
 *   2 basic blocks  version 0: blocks 4, text, then for each: count a,
 *                   address a, text, text, line 4; texts end in NUL
 *                   version 1: blocks 4, then for each: address a, count a;
 *                   glibc writes `blocks` in 8 bytes where a is 8
 *
 * LD_PROFILE, version 0x1ffff: SONAME.profile, by ld.so
 *   tag 4 (0), a histogram
 *   tag 4 (1), arcs 4, a table of them: from a, self a, count 4
 *
 * All processes that use the library map this file, and it does not grow: only
 * the first `arcs` entries of the table, which takes the rest of the file, are
 * used.  The histogram's range are addresses of the library's file.  Those of
 * arcs are relative to its low, and exact: self is a function's entry, from a
 * return address, or 0 where that is outside.
 */
#include "import/gmon/private.h"

/* Header and its version. */
enum {
    HEADER = 20,
    LD_PROFILE_VERSION = 0x1ffff,
};

static bool is_tagged(const uint8_t *data, size_t n)
{
    return n >= 4 && memcmp(data, "gmon", 4) == 0;
}

bool gmon_is_ld_profile(const uint8_t *data, size_t n)
{
    return is_tagged(data, n) && n >= 8 &&
           (gmon_uint(data + 4, 4, false) == LD_PROFILE_VERSION ||
            gmon_uint(data + 4, 4, true) == LD_PROFILE_VERSION);
}

bool gmon_is_gnu(const uint8_t *data, size_t n)
{
    return is_tagged(data, n) && !gmon_is_ld_profile(data, n);
}

/* A pass over a file. */
struct pass {
    const struct gmon_input *in;
    struct gmon_form form;
    struct gmon *to; /* filled; null: only look whether it makes sense */
    size_t at;       /* the record at hand; all before it are good */
    size_t reached;  /* how far the bytes make sense */
};

static bool check_header(const struct gmon_input *in, struct err *err)
{
    return in->n >= HEADER ||
           err_set(err, ERR_INPUT,
                   "the file is cut short: header of %d bytes, %zu are there",
                   HEADER, in->n);
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

static bool add_hist(const struct pass *w, struct gmon_hist h,
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
    return gmon_add_hist(g, h, counts, w->at, err);
}

/* Reads the histogram of the record at w->at, with its body at `body`. */
static bool read_hist(struct pass *w, size_t body, struct err *err)
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
        return gmon_upside_down(err, w->at, &h);
    struct gmon_counts counts = gmon_counts_of(w->in, w->form, p + head);
    uint64_t bytes = (uint64_t)h.n_bins * (counts.bits / 8);
    if (bytes > left - head)
        return gmon_cut(err, w->at, "histogram bins", bytes, left - head);
    if (w->to && !add_hist(w, h, text, &counts, err))
        return false;
    w->at = body + head + (size_t)bytes;
    return true;
}

/* Goes past a text; false when it has no end. */
static bool skip_text(const struct pass *w, size_t *at)
{
    size_t left = w->in->n - *at;
    const uint8_t *p = w->in->data + *at;
    const uint8_t *end = left ? memchr(p, 0, left) : NULL;
    if (end)
        *at += (size_t)(end - p) + 1;
    return end;
}

static bool read_old_block(struct pass *w, size_t *at, struct gmon_arc *block)
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

static bool read_old_blocks(struct pass *w, size_t at, uint32_t n,
                            struct err *err)
{
    bool whole = skip_text(w, &at);
    for (uint32_t i = 0; whole && i < n; i++) {
        struct gmon_arc block = {0};
        whole = read_old_block(w, &at, &block);
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

/* Reads the basic blocks at w->at; `wide`: their number has 8 bytes. */
static bool read_blocks(struct pass *w, uint32_t version, bool wide,
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
        return read_old_blocks(w, w->at + 1 + size, (uint32_t)n, err);
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
    struct pass walk;
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

static bool read_arc(struct pass *w, struct err *err)
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

/* Whether there is another file where a record should be. */
static bool begins_file(const uint8_t *data, size_t n)
{
    return is_tagged(data, n) || gmon_is_bsd44(data, n) ||
           gmon_is_darwin(data, n);
}

static bool read_record(struct records *r, struct err *err)
{
    struct pass *w = &r->walk;
    uint8_t tag = w->in->data[w->at];
    if (w->at >= r->padding)
        return gmon_only_zeros(err, w->at);
    if (tag == TAG_HIST)
        return read_hist(w, w->at + 1, err);
    if (tag == TAG_ARC)
        return read_arc(w, err);
    if (begins_file(w->in->data + w->at, w->in->n - w->at))
        return gmon_another(err, w->at);
    if (tag != TAG_BLOCKS)
        return err_set(err, ERR_INPUT, "offset %zu: unknown record tag %u",
                       w->at, tag);
    r->n_blocks++;
    return read_blocks(w, r->version, r->variant == WIDE_BLOCKS, err);
}

/* Reads up to `end`; on failure r->walk tells how far that went. */
static bool read_records(struct records *r, size_t end, struct err *err)
{
    const struct gmon_input *in = r->walk.in;
    r->walk.at = HEADER;
    r->version = version_of(in);
    r->n_blocks = 0;
    r->padding = gmon_padding(in);
    while (r->walk.at < end) {
        r->walk.reached = r->walk.at;
        if (!read_record(r, err))
            return false;
    }
    r->walk.reached = r->walk.at;
    return true;
}

/* glibc's number of basic blocks is tried where gprof's fails. */
static void try_gnu(const struct gmon_input *in, struct gmon_try *t)
{
    struct records r = {.walk = {.in = in, .form = t->form}};
    t->variant = NARROW_BLOCKS;
    t->good = read_records(&r, in->n, &t->err);
    t->reached = r.walk.reached;
    if (t->good || t->form.addr_size != 8 || !r.n_blocks || !r.version)
        return;
    r.variant = WIDE_BLOCKS;
    if (!read_records(&r, in->n, NULL))
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
                       "of a %s-endian file, not what --format says",
                       p[0], p[1], p[2], p[3],
                       orders == GMON_BIG ? "big" : "little");
    return err_set(err, ERR_INPUT,
                   "offset 4: the version (%02x %02x %02x %02x) is not known",
                   p[0], p[1], p[2], p[3]);
}

/*
 * OpenOCD writes the headers of a big-endian target in its byte order, and
 * the bins little-endian.  Counts are small more often than not, and a
 * multiple of 256 once in 256 times: bins of which nearly all are multiples
 * of 256 and nearly none is below were read the wrong way round.
 */
enum {
    ENOUGH = 4,  /* bins that say so, to go by them */
    NEARLY = 16, /* for each that says otherwise */
};

static uint64_t swapped(uint64_t bin)
{
    return (bin >> 8 | bin << 8) & 0xffff;
}

static void fix_bin_order(struct gmon *g, const struct gmon_input *in)
{
    size_t n_small = 0, n_round = 0;
    if (!g->form.big_endian || g->arcs.n || in->opts->bin_bits ||
        in->opts->bin_order != GMON_ORDER_ANY)
        return;
    for (size_t i = 0; i < g->bins.n; i++) {
        n_small += g->bins.v[i] && g->bins.v[i] < 256;
        n_round += g->bins.v[i] && g->bins.v[i] % 256 == 0;
    }
    if (!n_round || n_round / NEARLY < n_small)
        return;
    if (n_round < ENOUGH) {
        note_warn(in->notes, "the counts are multiples of 256: if the bins "
                             "are little-endian, say --format=bins-le");
        return;
    }
    note_loss(in->notes, "the counts are multiples of 256: bins taken as "
                         "little-endian; --format=bins-be says otherwise");
    for (size_t i = 0; i < g->bins.n; i++)
        g->bins.v[i] = swapped(g->bins.v[i]);
}

bool gmon_read_gnu(struct gmon *g, const struct gmon_input *in, struct err *err)
{
    struct gmon_try best;
    unsigned n_best, orders;
    size_t end = in->n;
    if (!check_header(in, err))
        return false;
    orders = orders_of(in);
    if (!gmon_choose_form(in, orders, try_gnu, &best, &n_best))
        return unknown_version(in, orders, err);
    struct records r = {.walk = {.in = in, .form = best.form},
                        .variant = best.variant};
    if (!best.good && !in->opts->lenient)
        return err_set(err, best.err.kind, "%s", best.err.text);
    if (!best.good) {
        (void)read_records(&r, in->n, NULL);
        end = r.walk.at;
        note_loss(in->notes, "%s; %zu bytes from there on are left out",
                  best.err.text, in->n - end);
    }
    if (end == HEADER) {
        if (best.good)
            gmon_warn_of_header(in);
        return true;
    }
    gmon_warn_of_choice(in, best.form, n_best);
    g->form = best.form;
    r.walk.to = g;
    if (!read_records(&r, end, err))
        return false;
    fix_bin_order(g, in);
    return true;
}

/* Where the record at w->at has its body. */
static bool read_tag(struct pass *w, unsigned tag, size_t *body,
                     struct err *err)
{
    size_t left = w->in->n - w->at;
    if (left < 4)
        return gmon_cut(err, w->at, "record tag", 4, left);
    uint32_t found = gmon_u32(w->in->data + w->at, w->form);
    if (found != tag)
        return err_set(err, ERR_INPUT,
                       "offset %zu: record tag %" PRIu32 " where %u is due",
                       w->at, found, tag);
    *body = w->at + 4;
    w->reached = *body;
    return true;
}

/* One arc of a library of `range` bytes from low. */
static bool read_table_arc(struct pass *w, uint64_t low, uint64_t range,
                           struct err *err)
{
    const unsigned a = w->form.addr_size;
    const uint8_t *p = w->in->data + w->at;
    struct gmon_arc arc = {gmon_addr(p, w->form), gmon_addr(p + a, w->form),
                           gmon_u32(p + 2 * (size_t)a, w->form)};
    bool entered = !arc.from;
    if (arc.from >= range || arc.self >= range)
        return err_set(err, ERR_INPUT,
                       "offset %zu: an arc from 0x%" PRIx64 " to 0x%" PRIx64
                       " in a library of 0x%" PRIx64 " bytes",
                       w->at, arc.from, arc.self, range);
    arc.from += entered ? 0 : low;
    arc.self += low;
    if (w->to && !(entered ? vec_push(&w->to->entries, arc)
                           : vec_push(&w->to->arcs, arc)))
        return err_nomem(err);
    return true;
}

static bool read_table(struct pass *w, uint64_t low, uint64_t range,
                       struct err *err)
{
    const size_t size = 2 * (size_t)w->form.addr_size + 4;
    size_t body, at = w->at;
    if (!read_tag(w, TAG_ARC, &body, err))
        return false;
    if (w->in->n - body < 4)
        return gmon_cut(err, at, "number of arcs", 4, w->in->n - body);
    uint32_t n = gmon_u32(w->in->data + body, w->form);
    w->at = body + 4;
    for (uint32_t i = 0; i < n; i++, w->at += size) {
        size_t left = w->in->n - w->at;
        w->reached = w->at;
        if (left < size)
            return err_set(err, ERR_INPUT,
                           "offset %zu: the file is cut short: arc %" PRIu32
                           " of %" PRIu32 " has %zu bytes, %zu are left",
                           w->at, i + 1, n, size, left);
        if (!read_table_arc(w, low, range, err))
            return false;
    }
    return true;
}

/* Behind the table are at most entries that are not used: zeros. */
static bool check_end(const struct pass *w, struct err *err)
{
    enum { MARK = 8 }; /* "gmon" and the version */
    const uint8_t *data = w->in->data;
    const uint8_t *next = memmem(data + w->at, w->in->n - w->at, data, MARK);
    return !next || gmon_another(err, (size_t)(next - data));
}

static bool read_library(struct pass *w, struct err *err)
{
    size_t body;
    w->reached = w->at = HEADER;
    if (!read_tag(w, TAG_HIST, &body, err))
        return false;
    if (!read_hist(w, body, err))
        return false;
    const uint8_t *p = w->in->data + body;
    uint64_t low = gmon_addr(p, w->form);
    uint64_t high = gmon_addr(p + w->form.addr_size, w->form);
    return read_table(w, low, high - low, err) && check_end(w, err);
}

static void try_ld_profile(const struct gmon_input *in, struct gmon_try *t)
{
    struct pass w = {.in = in, .form = t->form};
    t->good = read_library(&w, &t->err);
    t->reached = w.reached;
}

bool gmon_read_ld_profile(struct gmon *g, const struct gmon_input *in,
                          struct err *err)
{
    struct gmon_try best;
    unsigned n_best, order;
    if (!check_header(in, err))
        return false;
    order = gmon_uint(in->data + 4, 4, true) == LD_PROFILE_VERSION
                ? GMON_BIG
                : GMON_LITTLE;
    if (!gmon_choose_form(in, order, try_ld_profile, &best, &n_best))
        return err_set(err, ERR_INPUT,
                       "offset 4: the version is that of a %s-endian file, "
                       "not what --format says",
                       order == GMON_BIG ? "big" : "little");
    if (!best.good && !in->opts->lenient)
        return err_set(err, best.err.kind, "%s", best.err.text);
    gmon_warn_of_choice(in, best.form, n_best);
    g->form = best.form;
    struct pass w = {.in = in, .form = best.form, .to = g};
    if (best.good)
        return read_library(&w, err);
    struct err cut;
    if (!read_library(&w, &cut) && cut.kind != ERR_INPUT)
        return err_set(err, cut.kind, "%s", cut.text);
    note_loss(in->notes, "%s; what follows is left out", cut.text);
    return true;
}
