/*
 * LD_PROFILE: what ld.so counts of one shared library, SONAME.profile.  The
 * header is that of the GNU format with a version of its own; then follow
 * (a is the size of an address, nothing is aligned)
 *
 *   tag 4 (0), a histogram as in gmon_walk.h
 *   tag 4 (1), arcs 4, and a table of them: from a, self a, count 4
 *
 * The file is mapped by all processes that use the library and does not
 * grow: only the first `arcs` entries of the table, which takes the rest of
 * the file, are used.  The histogram's range are addresses as in the
 * library's file; those of arcs are relative to its low, and exact: self is
 * a function's entry, from a return address, or 0 where that is outside.
 *
 * Source: elf/dl-profile.c and sys/gmon_out.h of glibc.
 */
#include <inttypes.h>

#include "base/vec.h"
#include "import/gmon/gmon_walk.h"

enum tag {
    TAG_HIST = 0,
    TAG_ARCS = 1,
};

/* Where the record at w->at has its body. */
static bool take_tag(struct gmon_walk *w, enum tag tag, size_t *body,
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
static bool take_arc(struct gmon_walk *w, uint64_t low, uint64_t range,
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

static bool take_arcs(struct gmon_walk *w, uint64_t low, uint64_t range,
                      struct err *err)
{
    const size_t size = 2 * (size_t)w->form.addr_size + 4;
    size_t body, at = w->at;
    if (!take_tag(w, TAG_ARCS, &body, err))
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
        if (!take_arc(w, low, range, err))
            return false;
    }
    return true;
}

/* Behind the table are at most entries that are not used: zeros. */
static bool check_rest(const struct gmon_walk *w, struct err *err)
{
    enum { MARK = 8 }; /* "gmon" and the version */
    const uint8_t *data = w->in->data;
    const uint8_t *next = memmem(data + w->at, w->in->n - w->at, data, MARK);
    return !next || gmon_another(err, (size_t)(next - data));
}

static bool take_file(struct gmon_walk *w, struct err *err)
{
    size_t body;
    w->reached = w->at = GMON_GNU_HEADER;
    if (!take_tag(w, TAG_HIST, &body, err))
        return false;
    if (!gmon_walk_hist(w, body, err))
        return false;
    const uint8_t *p = w->in->data + body;
    uint64_t low = gmon_addr(p, w->form);
    uint64_t high = gmon_addr(p + w->form.addr_size, w->form);
    return take_arcs(w, low, high - low, err) && check_rest(w, err);
}

static void try_form(const struct gmon_input *in, struct gmon_try *t)
{
    struct gmon_walk w = {.in = in, .form = t->form};
    t->good = take_file(&w, &t->err);
    t->reached = w.reached;
}

bool gmon_read_ld_profile(struct gmon *g, const struct gmon_input *in,
                          struct err *err)
{
    struct gmon_try best;
    unsigned n_best, order;
    if (in->n < GMON_GNU_HEADER)
        return err_set(err, ERR_INPUT,
                       "the file is cut short: header of %d bytes, %zu are "
                       "there",
                       GMON_GNU_HEADER, in->n);
    order = gmon_uint(in->data + 4, 4, true) == GMON_LD_PROFILE_VERSION
                ? GMON_BIG
                : GMON_LITTLE;
    if (!gmon_choose(in, order, try_form, &best, &n_best))
        return err_set(err, ERR_INPUT,
                       "offset 4: the version is that of a %s-endian file, "
                       "not what --byte-order says",
                       order == GMON_BIG ? "big" : "little");
    if (!best.good && !in->opts->lenient) {
        if (err)
            *err = best.err;
        return false;
    }
    gmon_warn_of_choice(in, best.form, n_best);
    g->form = best.form;
    struct gmon_walk w = {.in = in, .form = best.form, .to = g};
    if (best.good)
        return take_file(&w, err);
    struct err cut;
    if (!take_file(&w, &cut) && cut.kind != ERR_INPUT)
        return err_set(err, cut.kind, "%s", cut.text);
    note_loss(in->notes, "%s; what follows is left out", cut.text);
    return true;
}
