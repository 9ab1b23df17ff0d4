/*
 * contention_profile.c - where programs waited for locks, as text
 *
 *      --- contentionz 1 ---
 *      cycles/second = 3201000000
 *      sampling period = 100
 *      ms since reset = 16502830
 *      discarded samples = 0
 *        19490304       27 @ 0xbccc97 0xc61202 0x42ed5f
 *      --- Memory map: ---
 *        00400000-00fcb000: /usr/bin/server
 *
 * A sample has the processor cycles spent waiting, the number of waits, and the
 * stack.  The header is "--- contentionz" or "--- contention" (servers in C++),
 * "--- mutex:" or "--- contention:" (Go's runtime), or "--- Stacks:" in the
 * oldest files, where a sample is one contention and has no number.
 *
 * Sample types are contentions/count, times the sampling period, and
 * delay/nanoseconds, which is cycles times the period over cycles per
 * nanosecond, truncated to integers as in pprof.  If the file does not have
 * cycles/second, delays are kept in cycles, with a warning.  A period of 0,
 * which Go's runtime writes when sampling has ended, counts as 1.
 *
 * Unknown attributes are skipped, with a warning.  Addresses are
 * return addresses, the first one too.  Comments of Go name the frames
 * (go_comments.h).
 *
 * There is no published format.  As written by Go (runtime/pprof) and read by
 * google/pprof (profile/legacy_profile.go) and google-pprof.
 */

#include <inttypes.h>

#include "base/utf8.h"
#include "formats/go/go_comments.h"
#include "formats/textprof.h"

struct reading {
    struct go_text go;
    int64_t hertz;       /* cycles per second; 0: not known */
    int64_t multiplier;  /* the sampling period, or 1 */
    bool is_go;          /* whose runtime lists no mappings */
    bool may_lack_count; /* as in formats that only google-pprof reads */
    size_t n_slow;       /* lines about lock releases without a time */
};

static bool is_header(struct prof_slice line)
{
    return slice_begins_with(line, "--- contention") ||
           slice_begins_with(line, "--- mutex:") ||
           slice_begins_with(line, "--- Stacks:");
}

static bool contention_begins(const uint8_t *data, size_t n)
{
    return is_header(textprof_first_line(data, n));
}

static bool set_attribute(struct reading *r, const struct textprof_attribute *a,
                          struct prof_err *err)
{
    const struct textprof *t = &r->go.text;
    bool done;
    if (!textprof_common(t, a, &done, err))
        return false;
    if (done)
        return true;
    if (slice_is(a->name, "cycles/second"))
        return textprof_number(t, a->value, &r->hertz, err);
    if (slice_is(a->name, "format") || slice_is(a->name, "resolution"))
        return textprof_wrong(t, err,
                              "belongs to a Java profile; use --type=java");
    if (!slice_is(a->name, "discarded samples")) {
        textprof_note_line(t, TEXT("skipped: unknown attribute"));
        return true;
    }
    int64_t n = 0;
    if (!textprof_number(t, a->value, &n, err))
        return false;
    note_count(t->notes, PROF_NOTE_LOSS, (uint64_t)n,
               "line %zu: the program discarded %" PRId64 " sample{s}",
               t->number, n);
    return true;
}

/* Takes the numbers before "@", and the "@", off *s. */
static bool parse_numbers(const struct reading *r, struct prof_slice *s,
                          int64_t *delay, int64_t *count)
{
    *count = 1;
    if (!slice_take_int(s, delay) || !s->n || !ascii_is_blank(s->s[0]))
        return false;
    *s = slice_trim_left(*s);
    bool lacks_count = s->n && s->s[0] == '@';
    if (lacks_count ? !r->may_lack_count : !slice_take_int(s, count))
        return false;
    *s = slice_trim_left(*s);
    return slice_take_char(s, '@') && *delay >= 0 && *count >= 0;
}

/* Reads a line below the attributes: a sample or a comment. */
static bool read_contention(struct reading *r, struct prof_err *err)
{
    struct textprof *t = &r->go.text;
    struct prof_slice s = t->line;
    int64_t delay, count;
    if (s.s[0] == '#') {
        textprof_note_cut_comment(t);
        return go_text_comment(&r->go, err);
    }
    if (!parse_numbers(r, &s, &delay, &count)) {
        bool slow = slice_begins_with(t->line, "slow release");
        r->n_slow += slow;
        return slow || textprof_note_cut(t, false) ||
               textprof_wrong(t, err, "is not a contention profile sample");
    }
    bool fits = !__builtin_mul_overflow(count, r->multiplier, &count);
    if (r->hertz) {
        /* This order of operations gives the same digits as pprof. */
        double per_nanosecond = (double)r->hertz / 1e9;
        double x = (double)delay * (double)r->multiplier / per_nanosecond;
        fits = fits && x < 0x1p63;
        delay = fits ? (int64_t)x : 0;
    }
    if (!fits)
        return textprof_wrong(
            t, err, "exceeds 64 bits when scaled by period and cycles");
    const int64_t values[2] = {count, delay};
    if (!textprof_stack(t, s, TEXTPROF_RETURNS, err) ||
        !prof_add_sample(t->p, t->frames.v, t->frames.n, values, 0, err))
        return false;
    (void)textprof_note_cut(t, true);
    return true;
}

static bool read_text(struct reading *r, struct prof_err *err)
{
    struct textprof *t = &r->go.text;
    struct textprof_attribute a;

    /* Read the header. */
    if (!textprof_need_header(t, "contention", err))
        return false;
    if (!is_header(t->line))
        return textprof_wrong(t, err, "is not a contention profile header");
    r->is_go = slice_begins_with(t->line, "--- mutex:") ||
               slice_begins_with(t->line, "--- contention:");
    r->may_lack_count =
        !r->is_go && !slice_begins_with(t->line, "--- contentionz ");
    if (!prof_add_type(t->p, "contentions", "count", err) ||
        !prof_add_type(t->p, "delay", "nanoseconds", err) ||
        !textprof_period(t, 1, "contentions", "count", err))
        return false;

    /* Read attributes up to the first other line. */
    while (textprof_line(t) && textprof_attribute(t, &a))
        if (!textprof_note_cut(t, false) && !set_attribute(r, &a, err))
            return false;
    r->multiplier = prof_get_header(t->p).period;
    if (!r->multiplier) {
        note_loss(t->notes, "sampling period 0 is read as 1");
        r->multiplier = 1;
    }
    if (!r->hertz)
        note_loss(t->notes, "no cycles/second line: delays are not converted "
                            "and may not be in nanoseconds");

    /* Read samples. */
    bool more = t->line.n > 0;
    t->comments = r->is_go;
    for (; more && !textprof_at_maps(t) && !slice_begins_with(t->line, "---");
         more = textprof_line(t))
        if (!read_contention(r, err))
            return false;
    note_count(t->notes, PROF_NOTE_LOSS, r->n_slow,
               "%zu line{s} of slow releases skipped: no delay in {it|them}",
               r->n_slow);
    return true;
}

struct profile *contention_read(const struct import_input *in,
                                const struct import_options *options,
                                struct prof_err *err)
{
    struct reading r = {0};
    bool ok = go_text_begin(&r.go, in, err) && read_text(&r, err);
    return go_text_end(&r.go, ok, options, !r.is_go, err);
}

const struct import_format contention_format = {
    .name = "contention",
    IMPORT_READ_BY("prof2pb", "a contention profile (text)"),
    .writers = {"gperftools", "Go"},
    .begins = contention_begins,
    .next = IMPORT_ANYWHERE,
};
