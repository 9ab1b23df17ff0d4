/*
 * gmon_gnu.c - reads tagged files: the GNU format and LD_PROFILE
 *
 * `a` is the size of an address; nothing is aligned.  Both begin with 20
 * bytes: "gmon", version 4, and 12 spare bytes that may hold anything.
 *
 * GNU, version 0 or 1: records of a tag byte and a body, to the end
 *   0 histogram     low a, high a, bins 4, rate 4, dimension 15,
 *                   abbreviation 1, the bins
 *   1 arc           from a, self a, count 4
 *   2 basic blocks  blocks 4, then for each: address a, count a
 *
 * Two variants of basic blocks are not read, because compilers no longer count
 * blocks: those of version 0, which also have names, and those with `blocks` in
 * 8 bytes, as glibc would write them.
 *
 * LD_PROFILE, version 0x1ffff: SONAME.profile, by ld.so
 *   tag 4 (0), a histogram
 *   tag 4 (1), arcs 4, a table of them: from a, self a, count 4
 *
 * All processes that use the library map this file, and it does not grow: the
 * table takes the rest of the file, but only its first `arcs` entries are used.
 * The histogram's range consists of addresses of the library's file.  Addresses
 * of arcs are relative to the low of that range and exact: self is the entry of
 * a function; from is a return address, or 0 if it lies outside the library.
 */
#include "base/bytes.h"
#include "formats/gmon/private.h"

/* Size of the header in bytes, and the version of LD_PROFILE. */
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
           (bytes_number(data + 4, 4, false) == LD_PROFILE_VERSION ||
            bytes_number(data + 4, 4, true) == LD_PROFILE_VERSION);
}

bool gmon_is_gnu(const uint8_t *data, size_t n)
{
    return is_tagged(data, n) && !gmon_is_ld_profile(data, n);
}

static bool has_header(const struct gmon_input *in, struct prof_err *err)
{
    return in->n >= HEADER || err_input(err,
                                        "unexpected end of file: the header "
                                        "has %d bytes, the file only %zu",
                                        HEADER, in->n);
}

/* Returns whether p[0 .. n) is printable ASCII followed by NULs only. */
static bool is_text(const uint8_t *p, size_t n)
{
    size_t i = 0;
    while (i < n && p[i] >= ' ' && p[i] <= '~')
        i++;
    while (i < n && !p[i])
        i++;
    return i == n;
}

/* Reads the histogram of the record at t->at, whose body is at `body`. */
static bool read_hist(const struct gmon_input *in, struct gmon_try *t,
                      size_t body)
{
    const unsigned a = t->form.addr_size;
    const uint8_t *p = in->data + body;
    size_t head = 2 * (size_t)a + 24, left = in->n - body;
    if (left < head)
        return gmon_err_truncated(&t->err, t->at, "head of a histogram", head,
                                  left);
    const uint8_t *text = p + 2 * (size_t)a + 8;
    if (!is_text(text, GMON_DIMENSION - 1) || !is_text(text + 15, 1))
        return err_input(&t->err,
                         "offset %zu: the histogram's dimension is not text",
                         t->at);
    t->reached = body + head;
    struct gmon_hist h = {
        .low = gmon_addr(p, t->form),
        .high = gmon_addr(p + a, t->form),
        .n_bins = gmon_u32(p + 2 * (size_t)a, t->form),
        .rate = gmon_u32(p + 2 * (size_t)a + 4, t->form),
    };
    if (h.low > h.high)
        return gmon_err_bad_range(&t->err, t->at, &h);
    struct gmon_counts counts = gmon_counts_of(in, t->form, p + head);
    uint64_t bytes = (uint64_t)h.n_bins * (counts.bits / 8);
    if (bytes > left - head)
        return gmon_err_truncated(&t->err, t->at, "histogram bins", bytes,
                                  left - head);
    struct gmon *g = &t->g;
    char dimension[GMON_DIMENSION] = {0};
    memcpy(dimension, text, GMON_DIMENSION - 1);
    if (!g->hists.n)
        memcpy(g->dimension, dimension, sizeof dimension);
    if (strcmp(g->dimension, dimension) != 0)
        return err_input(&t->err,
                         "offset %zu: histogram counts '%s', but the previous "
                         "one counts '%s'",
                         t->at, dimension, g->dimension);
    if (!gmon_add_hist(g, h, &counts, t->at, &t->err))
        return false;
    t->at = body + head + (size_t)bytes;
    return true;
}

static bool read_blocks(const struct gmon_input *in, struct gmon_try *t)
{
    const size_t a = t->form.addr_size;
    const uint8_t *p = in->data + t->at + 1;
    size_t left = in->n - t->at - 1;
    if (left < 4)
        return gmon_err_truncated(&t->err, t->at, "number of basic blocks", 4,
                                  left);
    uint32_t n = gmon_u32(p, t->form);
    left -= 4;
    if (!bytes_number(in->data + 4, 4, false))
        return err_input(
            &t->err, "offset %zu: basic blocks of version 0 are not supported",
            t->at);
    if (n > left / (2 * a))
        return err_input(&t->err,
                         "offset %zu: unexpected end of file: %" PRIu32
                         " basic blocks of %zu bytes, only %zu left",
                         t->at, n, 2 * a, left);
    p += 4;
    for (uint32_t i = 0; i < n; i++, p += 2 * a) {
        struct gmon_arc block = {0, gmon_addr(p, t->form),
                                 gmon_addr(p + a, t->form)};
        if (!vec_push(&t->g.blocks, block))
            return err_nomem(&t->err);
    }
    t->at += 1 + 4 + 2 * a * n;
    return true;
}

enum tag {
    TAG_HIST = 0,
    TAG_ARC = 1,
    TAG_BLOCKS = 2,
};

static bool read_arc(const struct gmon_input *in, struct gmon_try *t)
{
    const unsigned a = t->form.addr_size;
    const uint8_t *p = in->data + t->at + 1;
    size_t body = 2 * (size_t)a + 4, left = in->n - t->at - 1;
    if (left < body)
        return gmon_err_truncated(&t->err, t->at, "an arc", body, left);
    struct gmon_arc arc = {gmon_addr(p, t->form), gmon_addr(p + a, t->form),
                           gmon_u32(p + 2 * (size_t)a, t->form)};
    if (!vec_push(&t->g.arcs, arc))
        return err_nomem(&t->err);
    t->at += 1 + body;
    return true;
}

/*
 * Returns the offset of the first record at or after `padding`, where only
 * zeros follow.  Returns 0 if the records do not have this form, and in->n if
 * they exceed the file.
 */
static size_t skip_records(const struct gmon_input *in, struct gmon_form form,
                           size_t padding)
{
    const size_t a = form.addr_size;
    size_t at = HEADER;
    while (at < padding) {
        const uint8_t *body = in->data + at + 1;
        const size_t left = in->n - at - 1;
        const uint8_t tag = in->data[at];
        const size_t size = tag == TAG_HIST  ? 2 * a + 24
                            : tag == TAG_ARC ? 2 * a + 4
                                             : 4;
        uint32_t n = 0;
        if (tag > TAG_BLOCKS)
            return 0;
        if (left < size)
            return in->n;
        if (tag == TAG_HIST &&
            gmon_addr(body, form) > gmon_addr(body + a, form))
            return 0;
        if (tag != TAG_ARC)
            n = gmon_u32(tag == TAG_HIST ? body + 2 * a : body, form);
        const size_t width = tag == TAG_HIST ? 2 : 2 * a;
        if (n > (left - size) / width)
            return in->n;
        at += 1 + size + n * width;
    }
    return at < in->n ? at : in->n;
}

bool gmon_is_padded(const uint8_t *data, size_t n)
{
    enum { MANY = 128 * 1024 };
    const struct gmon_input in = {data, n, NULL, NULL};
    const size_t padding = gmon_padding(&in);
    bool found = false;
    if (!gmon_is_gnu(data, n) || n < HEADER || n - padding < MANY)
        return false;
    for (int i = 0; i < GMON_FORMS; i++) {
        if (bytes_number(data + 4, 4, gmon_forms[i].big_endian) > 1)
            continue; /* The version has the other byte order. */
        const size_t at = skip_records(&in, gmon_forms[i], padding);
        if (at && n - at < MANY)
            return false;
        found = found || at;
    }
    return found;
}

static bool try_gnu(const struct gmon_input *in, struct gmon_try *t)
{
    size_t padding = gmon_padding(in);
    bool ok = true;
    t->at = HEADER;
    while (ok && t->at < in->n) {
        const uint8_t *p = in->data + t->at;
        const size_t left = in->n - t->at;
        t->reached = t->at;
        if (t->at >= padding)
            ok = gmon_err_zeros(&t->err, t->at);
        else if (*p == TAG_HIST)
            ok = read_hist(in, t, t->at + 1);
        else if (*p == TAG_ARC)
            ok = read_arc(in, t);
        else if (is_tagged(p, left) || gmon_is_bsd44(p, left) ||
                 gmon_is_darwin(p, left))
            ok = gmon_err_second_file(&t->err, t->at);
        else if (*p == TAG_BLOCKS)
            ok = read_blocks(in, t);
        else
            ok = err_input(&t->err, "offset %zu: unknown record tag %u", t->at,
                           *p);
    }
    if (ok)
        t->reached = t->at;
    return ok;
}

/*
 * Refuses big-endian files with little-endian bins, as OpenOCD writes them for
 * big-endian targets.  Of correct counts, most are small and one in 256 is a
 * multiple of 256: fails if there are enough counts and nearly all are
 * multiples.
 */
static bool check_bin_order(const struct gmon *g, const struct gmon_input *in,
                            struct prof_err *err)
{
    enum { ENOUGH = 4, NEARLY = 16 };
    size_t n_small = 0, n_round = 0;
    if (!g->form.big_endian || g->arcs.n || in->opts->bin_bits ||
        in->opts->bin_order != GMON_ORDER_ANY)
        return true;
    for (size_t i = 0; i < g->bins.n; i++) {
        n_small += g->bins.v[i] && g->bins.v[i] < 256;
        n_round += g->bins.v[i] && g->bins.v[i] % 256 == 0;
    }
    if (n_round < ENOUGH || n_round / NEARLY < n_small)
        return true;
    return err_input(err, "cannot tell the byte order of the bins; use "
                          "--format=bins-le (for OpenOCD) or --format=bins-be");
}

static bool read_gnu(struct gmon *g, const struct gmon_input *in,
                     struct prof_err *err)
{
    struct gmon_try best;
    if (!has_header(in, err))
        return false;
    const uint8_t *p = in->data + 4;
    /* Try the byte orders in which the version is 0 or 1. */
    unsigned orders = (bytes_number(p, 4, false) <= 1 ? GMON_LITTLE : 0U) |
                      (bytes_number(p, 4, true) <= 1 ? GMON_BIG : 0U);
    if (!orders)
        return err_input(err,
                         "offset 4: unsupported version (%02x %02x %02x %02x)",
                         p[0], p[1], p[2], p[3]);
    if (!gmon_choose_form(in, orders, try_gnu, &best))
        return err_input(err,
                         "offset 4: version (%02x %02x %02x %02x) is that of a "
                         "%s-endian file; --format specifies another",
                         p[0], p[1], p[2], p[3],
                         orders == GMON_BIG ? "big" : "little");
    if (!gmon_accept(in, &best, err))
        return false;
    if (!best.good)
        note_loss(in->notes, "%s; the rest of the file is skipped",
                  best.err.text);
    *g = best.g;
    if (best.at > HEADER) {
        gmon_warn_of_choice(in, &best);
        g->form = best.form;
        return check_bin_order(g, in, err);
    }
    if (best.good)
        gmon_warn_of_header(in);
    return true;
}

/* Reads a tag of 4 bytes; fails if it is not `tag`. */
static bool read_tag(const struct gmon_input *in, struct gmon_try *t,
                     unsigned tag)
{
    size_t left = in->n - t->at;
    if (left < 4)
        return gmon_err_truncated(&t->err, t->at, "record tag", 4, left);
    uint32_t found = gmon_u32(in->data + t->at, t->form);
    if (found != tag)
        return err_input(&t->err,
                         "offset %zu: record tag %" PRIu32 ", expected %u",
                         t->at, found, tag);
    t->reached = t->at + 4;
    return true;
}

/* Reads the arcs of a library whose code is `range` bytes from `low` on. */
static bool read_table(const struct gmon_input *in, struct gmon_try *t,
                       uint64_t low, uint64_t range)
{
    const unsigned a = t->form.addr_size;
    const size_t size = 2 * (size_t)a + 4, at = t->at;
    if (!read_tag(in, t, TAG_ARC))
        return false;
    if (in->n - at < 8)
        return gmon_err_truncated(&t->err, at, "number of arcs", 4,
                                  in->n - at - 4);
    uint32_t n = gmon_u32(in->data + at + 4, t->form);
    t->at = at + 8;
    for (uint32_t i = 0; i < n; i++, t->at += size) {
        const uint8_t *p = in->data + t->at;
        size_t left = in->n - t->at;
        t->reached = t->at;
        if (left < size)
            return err_input(&t->err,
                             "offset %zu: unexpected end of file: arc %" PRIu32
                             " of %" PRIu32 " has %zu bytes, only %zu left",
                             t->at, i + 1, n, size, left);
        struct gmon_arc arc = {gmon_addr(p, t->form), gmon_addr(p + a, t->form),
                               gmon_u32(p + 2 * (size_t)a, t->form)};
        if (arc.from >= range || arc.self >= range)
            return err_input(&t->err,
                             "offset %zu: arc from 0x%" PRIx64 " to 0x%" PRIx64
                             " lies outside the library (0x%" PRIx64 " bytes)",
                             t->at, arc.from, arc.self, range);
        struct gmon_arcs *to = arc.from ? &t->g.arcs : &t->g.entries;
        arc.from += arc.from ? low : 0;
        arc.self += low;
        if (!vec_push(to, arc))
            return err_nomem(&t->err);
    }
    return true;
}

static bool try_ld_profile(const struct gmon_input *in, struct gmon_try *t)
{
    t->reached = t->at = HEADER;
    if (!read_tag(in, t, TAG_HIST) || !read_hist(in, t, t->at + 4))
        return false;
    const struct gmon_hist *h = &t->g.hists.v[0];
    if (!read_table(in, t, h->low, h->high - h->low))
        return false;
    /* Only unused entries, which are zeros, may follow the used ones. */
    enum { MARK = 8 }; /* "gmon" and the version */
    const uint8_t *next =
        bytes_find(in->data + t->at, in->n - t->at, in->data, MARK);
    return !next || gmon_err_second_file(&t->err, (size_t)(next - in->data));
}

static bool read_ld_profile(struct gmon *g, const struct gmon_input *in,
                            struct prof_err *err)
{
    struct gmon_try best;
    if (!has_header(in, err))
        return false;
    unsigned order = bytes_number(in->data + 4, 4, true) == LD_PROFILE_VERSION
                         ? GMON_BIG
                         : GMON_LITTLE;
    if (!gmon_choose_form(in, order, try_ld_profile, &best))
        return err_input(err,
                         "offset 4: this is a %s-endian file, but --format "
                         "specifies the other byte order",
                         order == GMON_BIG ? "big" : "little");
    if (!gmon_accept(in, &best, err))
        return false;
    gmon_warn_of_choice(in, &best);
    if (!best.good)
        note_loss(in->notes, "%s; the rest of the file is skipped",
                  best.err.text);
    *g = best.g;
    g->form = best.form;
    return true;
}

const struct gmon_reader gmon_gnu = {GMON_GNU, "GNU format",
                                     TEXT("'gmon' signature and version"),
                                     gmon_is_gnu, read_gnu};

const struct gmon_reader gmon_ld_profile = {
    GMON_LD_PROFILE, "LD_PROFILE format",
    TEXT("'gmon' signature and version 0x1ffff"), gmon_is_ld_profile,
    read_ld_profile};
