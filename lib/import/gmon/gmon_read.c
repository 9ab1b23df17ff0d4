/*
 * gmon_read.c - reading a gmon.out file: its format, byte order and address
 * size, and what the readers of all formats share
 */
#include <stdio.h>

#include "import/gmon/private.h"

const struct gmon_form gmon_forms[GMON_FORMS] = {
    {8, false}, {4, false}, {8, true}, {4, true}};

const char *gmon_form_text(struct gmon_form form)
{
    if (form.addr_size == 4)
        return form.big_endian ? "32-bit big-endian" : "32-bit little-endian";
    return form.big_endian ? "64-bit big-endian" : "64-bit little-endian";
}

static bool is_allowed(struct gmon_form form, const struct gmon_opts *opts)
{
    if (opts->addr_size && form.addr_size != opts->addr_size)
        return false;
    return opts->order == GMON_ORDER_ANY ||
           form.big_endian == (opts->order == GMON_ORDER_BIG);
}

bool gmon_form_check(struct gmon_form form, size_t at,
                     const struct gmon_input *in, struct err *err)
{
    if (is_allowed(form, in->opts))
        return true;
    return err_set(err, ERR_INPUT,
                   "offset %zu: the header is %s, not what --format says", at,
                   gmon_form_text(form));
}

static bool same_form(struct gmon_form a, struct gmon_form b)
{
    return a.addr_size == b.addr_size && a.big_endian == b.big_endian;
}

static bool has_order(struct gmon_form form, unsigned orders)
{
    return orders & (form.big_endian ? GMON_BIG : GMON_LITTLE);
}

/* Whether b explains the bytes better than a does (1), as well (0) or not. */
static int compare_tries(const struct gmon_try *a, const struct gmon_try *b)
{
    if (a->good != b->good)
        return b->good ? 1 : -1;
    return (b->reached > a->reached) - (b->reached < a->reached);
}

/* Keeps the better one of *best and *t; of equal ones that of the hint. */
static void keep_better(struct gmon_try *best, struct gmon_try *t,
                        struct gmon_form hint)
{
    int c = best->n_equal ? compare_tries(best, t) : 1;
    t->n_equal = c > 0 ? 1 : best->n_equal + (c == 0);
    if (c > 0 || (c == 0 && same_form(t->form, hint))) {
        gmon_free(&best->g);
        *best = *t;
    } else {
        best->n_equal = t->n_equal;
        gmon_free(&t->g);
    }
}

bool gmon_choose_form(const struct gmon_input *in, unsigned orders,
                      gmon_try_fn *fn, struct gmon_try *best)
{
    const struct gmon_opts *opts = in->opts;
    *best = (struct gmon_try){0};
    for (int i = 0; i < GMON_FORMS; i++) {
        struct gmon_try t = {.form = gmon_forms[i]};
        if (!has_order(t.form, orders) || !is_allowed(t.form, opts))
            continue;
        t.good = fn(in, &t);
        bool failed = !t.good && t.err.kind != ERR_INPUT;
        if (failed)
            best->n_equal = 0;
        keep_better(best, &t, opts->hint);
        if (failed)
            break;
    }
    return best->n_equal > 0;
}

bool gmon_accept(const struct gmon_input *in, struct gmon_try *best,
                 struct err *err)
{
    const struct gmon_opts *opts = in->opts;
    if (best->good)
        return true;
    /* A file that fails because of --format shows it by the form. */
    if (best->err.kind == ERR_INPUT && (opts->addr_size || opts->order)) {
        char text[ERR_TEXT_MAX];
        (void)snprintf(text, sizeof text, "%s", best->err.text);
        (void)err_set(&best->err, ERR_INPUT,
                      "%s (read as %s, as --format says)", text,
                      gmon_form_text(best->form));
    }
    if (best->err.kind == ERR_INPUT && best->reached && opts->lenient)
        return true;
    gmon_free(&best->g);
    return err_set(err, best->err.kind, "%s", best->err.text);
}

void gmon_warn_of_choice(const struct gmon_input *in,
                         const struct gmon_try *best)
{
    if (best->n_equal > 1 && !in->opts->hint.addr_size)
        note_loss(in->notes,
                  "could be read in %u ways, %s taken; --format says otherwise",
                  best->n_equal, gmon_form_text(best->form));
}

void gmon_warn_of_header(const struct gmon_input *in)
{
    note_loss(in->notes, "a header and nothing else: nothing was counted");
}

struct gmon_counts gmon_counts_of(const struct gmon_input *in,
                                  struct gmon_form form, const uint8_t *p)
{
    const struct gmon_opts *opts = in->opts;
    struct gmon_counts counts = {
        .p = p,
        .bits = opts->bin_bits ? opts->bin_bits : 16,
        .big_endian = opts->bin_order == GMON_ORDER_ANY
                          ? form.big_endian
                          : opts->bin_order == GMON_ORDER_BIG,
    };
    return counts;
}

/*
 * Room for n zeros.  Most bins of large histograms are zero, and pages of
 * zeros that nobody writes to cost little time and no memory.
 */
static bool room_for_bins(struct gmon_bins *bins, size_t n)
{
    if (bins->v) {
        if (!vec_reserve(bins, n))
            return false;
        memset(bins->v + bins->n, 0, n * sizeof *bins->v);
        return true;
    }
    bins->v = mem_zarray(n, sizeof *bins->v);
    bins->cap = bins->v ? n : 0;
    return bins->v;
}

/* How many bins are zero from here on, eight bytes of them at a time. */
static uint32_t skip_zeros(const uint8_t *p, uint32_t n, unsigned size)
{
    const uint32_t each = (uint32_t)sizeof(uint64_t) / size;
    uint32_t i = 0;
    for (uint64_t x = 0; n - i >= each; i += each) {
        memcpy(&x, p + (size_t)i * size, sizeof x);
        if (x)
            break;
    }
    return i;
}

/* Called with a constant size and order, so that each has a loop of its own. */
static inline void widen(uint64_t *to, const uint8_t *p, uint32_t n,
                         unsigned size, bool big)
{
    for (uint32_t i = skip_zeros(p, n, size); i < n;) {
        uint64_t count = gmon_uint(p + (size_t)i * size, size, big);
        i++;
        if (count)
            to[i - 1] = count;
        else
            i += skip_zeros(p + (size_t)i * size, n - i, size);
    }
}

static void read_counts(uint64_t *to, const struct gmon_counts *counts,
                        uint32_t n)
{
    unsigned size = counts->bits / 8;
    if (size == 2 && !counts->big_endian)
        widen(to, counts->p, n, 2, false);
    else if (size == 2)
        widen(to, counts->p, n, 2, true);
    else
        widen(to, counts->p, n, size, counts->big_endian);
}

bool gmon_add_hist(struct gmon *g, struct gmon_hist h,
                   const struct gmon_counts *counts, size_t at, struct err *err)
{
    h.bin = g->bins.n;
    /* One more, so that there is an array even of no bins. */
    if (!room_for_bins(&g->bins, (size_t)h.n_bins + 1) ||
        !vec_push(&g->hists, h))
        return err_nomem(err);
    uint64_t *to = g->bins.v + g->bins.n;
    read_counts(to, counts, h.n_bins);
    for (uint32_t i = 0; counts->is_signed && i < h.n_bins; i++)
        if (to[i] >> (counts->bits - 1))
            return err_set(err, ERR_INPUT,
                           "offset %zu: bin %" PRIu32
                           " of the histogram is negative",
                           at, i);
    g->bins.n += h.n_bins;
    return true;
}

bool gmon_upside_down(struct err *err, size_t at, const struct gmon_hist *h)
{
    return err_set(err, ERR_INPUT,
                   "offset %zu: the histogram goes from 0x%" PRIx64
                   " down to 0x%" PRIx64,
                   at, h->low, h->high);
}

size_t gmon_padding(const struct gmon_input *in)
{
    size_t at = in->n;
    while (at > 0 && !in->data[at - 1])
        at--;
    return at;
}

bool gmon_only_zeros(struct err *err, size_t at)
{
    return err_set(err, ERR_INPUT,
                   "offset %zu: only zero bytes from here on: padding? "
                   "--lenient leaves it out",
                   at);
}

bool gmon_another(struct err *err, size_t at)
{
    return err_set(err, ERR_INPUT,
                   "offset %zu: another gmon.out begins here: as files of "
                   "their own they are added up",
                   at);
}

/* The words of --format, and what each sets. */
static const struct word {
    const char *text;
    enum { FAMILY, ADDR_SIZE, ORDER, BIN_BITS, BIN_ORDER, COUNT_BITS } what;
    unsigned value;
} words[] = {
#define WORD(text, what, value) {text, what, value},
    GMON_FORMAT_TABLE(WORD, WORD)
#undef WORD
};
enum { N_WORDS = sizeof words / sizeof *words };

static void set_word(struct gmon_opts *opts, const struct word *w)
{
    switch (w->what) {
    case FAMILY:
        opts->family = (enum gmon_family)w->value;
        break;
    case ADDR_SIZE:
        opts->addr_size = w->value;
        break;
    case ORDER:
        opts->order = (enum gmon_order)w->value;
        break;
    case BIN_BITS:
        opts->bin_bits = w->value;
        break;
    case BIN_ORDER:
        opts->bin_order = (enum gmon_order)w->value;
        break;
    case COUNT_BITS:
        opts->count_bits = w->value;
        break;
    }
}

/* "invalid value 'TEXT': expected WORD, ... or WORD" */
static bool refuse_word(const char *text, size_t n, struct err *err)
{
    (void)err_set(err, ERR_USAGE, "%s or %s", words[N_WORDS - 2].text,
                  words[N_WORDS - 1].text);
    for (size_t i = N_WORDS - 2; i-- > 0;)
        (void)err_prefix(err, "%s, ", words[i].text);
    return err_prefix(err, "invalid value '%.*s': expected ", (int)n, text);
}

bool gmon_parse_format(struct gmon_opts *opts, const char *text,
                       struct err *err)
{
    for (size_t n;; text += n + 1) {
        size_t i = 0;
        n = strcspn(text, ",");
        while (i < N_WORDS &&
               (strncmp(words[i].text, text, n) != 0 || words[i].text[n] != 0))
            i++;
        if (i == N_WORDS)
            return refuse_word(text, n, err);
        set_word(opts, &words[i]);
        if (!text[n])
            return true;
    }
}

const char *gmon_family_text(enum gmon_family family)
{
    static const char *const texts[] = {
        [GMON_ANY] = "any format",
        [GMON_GNU] = "GNU format",
        [GMON_BSD44] = "4.4BSD format",
        [GMON_OLD_BSD] = "old BSD format",
        [GMON_OSF1] = "OSF/1 format",
        [GMON_LD_PROFILE] = "LD_PROFILE format",
        [GMON_DARWIN] = "Darwin format",
    };
    return texts[family];
}

/* The formats in the order in which they are looked for. */
static const struct format {
    enum gmon_family family;
    gmon_begins_fn *begins;
    gmon_read_fn *read;
    const char *lacks; /* what a file that does not begin so has not;
                          null: nothing marks one */
} formats[] = {
    {GMON_GNU, gmon_is_gnu, gmon_read_gnu, "\"gmon\" and a version of it"},
    {GMON_LD_PROFILE, gmon_is_ld_profile, gmon_read_ld_profile,
     "\"gmon\" and version 0x1ffff"},
    {GMON_BSD44, gmon_is_bsd44, gmon_read_bsd44,
     "version 0x51879 in its header"},
    {GMON_DARWIN, gmon_is_darwin, gmon_read_darwin, "0xbeefbabe or 0xbeefbabf"},
    {GMON_OLD_BSD, gmon_is_old_bsd, gmon_read_old_bsd, NULL},
    {GMON_OSF1, gmon_is_old_bsd, gmon_read_old_bsd, NULL},
};
enum { N_FORMATS = sizeof formats / sizeof *formats };

static const struct format *format_of(enum gmon_family family)
{
    for (size_t i = 0; i < N_FORMATS; i++)
        if (formats[i].family == family)
            return &formats[i];
    return NULL;
}

/* The format that marks the bytes. */
static const struct format *find_format(const uint8_t *data, size_t n)
{
    for (size_t i = 0; i < N_FORMATS; i++)
        if (formats[i].lacks && formats[i].begins(data, n))
            return &formats[i];
    return NULL;
}

static bool is_marked(const uint8_t *data, size_t n)
{
    return find_format(data, n);
}

const struct import_format gmon_format = {
    .name = "gmon",
    IMPORT_READ_BY("gmon2pb", "a gmon.out file"),
    .begins = is_marked,
};

gmon_begins_fn *gmon_begins_of(enum gmon_family family)
{
    return family == GMON_ANY ? is_marked : format_of(family)->begins;
}

static bool refuse_unknown(const struct import_input *in, struct err *err)
{
    const uint8_t *data = in->data;
    size_t n = in->n;
    char bytes[3 * 8 + 1] = "";
    if (!n)
        return err_set(err, ERR_INPUT,
                       "the file is empty: a program writes its gmon.out "
                       "when it returns from main or calls exit");
    if (gmon_is_old_bsd(data, n))
        return err_set(err, ERR_INPUT,
                       "offset 0: not a gmon.out that says so, but perhaps "
                       "one of the old BSD format: --format=oldbsd reads it");
    if (in->foreign)
        return err_set(err, ERR_INPUT, "this is %s, not a gmon.out",
                       in->foreign->words);
    for (size_t i = 0; i < n && i < 8; i++)
        (void)snprintf(bytes + 3 * i, 4, " %02x", data[i]);
    return err_set(err, ERR_INPUT, "offset 0: not a gmon.out: begins with%s",
                   bytes);
}

/* The format that the options or else the bytes say. */
static const struct format *choose_format(const struct import_input *in,
                                          enum gmon_family wanted,
                                          struct err *err)
{
    const struct format *found = find_format(in->data, in->n);
    if (!in->n || (!found && wanted == GMON_ANY)) {
        (void)refuse_unknown(in, err);
        return NULL;
    }
    if (wanted == GMON_ANY)
        return found;
    const struct format *format = format_of(wanted);
    if (!format->lacks || format == found)
        return format;
    if (found)
        (void)err_set(
            err, ERR_INPUT, "not of the %s that --format says but of the %s",
            gmon_family_text(wanted), gmon_family_text(found->family));
    else
        (void)err_set(err, ERR_INPUT,
                      "not of the %s that --format says: it has no %s",
                      gmon_family_text(wanted), format->lacks);
    return NULL;
}

bool gmon_read(struct gmon *g, const struct import_input *in,
               const struct gmon_opts *opts, struct err *err)
{
    const struct gmon_input input = {in->data, in->n, opts, in->notes};
    memset(g, 0, sizeof *g);
    const struct format *format = choose_format(in, opts->family, err);
    if (!format)
        return false;
    if (!format->read(g, &input, err) || !gmon_settle(g, err))
        return false;
    g->family = format->family;
    if (g->form.addr_size)
        note_info(in->notes, "%s, %s: histograms: %zu, arcs: %zu",
                  gmon_family_text(g->family), gmon_form_text(g->form),
                  g->hists.n, g->arcs.n + g->entries.n);
    return true;
}
