/* out.c - functions with which the output formats write reports */
#include "report/out.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/utf8.h"
#include "io/gzip.h"
#include "profile/columns.h"

enum { PIECE = 1 << 17, NANOS = 1000000000 };

/* --- the report and its sink --- */

static bool write_out(struct report *r, const struct buf *text)
{
    r->sink_failed =
        text->n && !sink_write(r->sink, text->v, text->n, &r->sink_err);
    return !r->sink_failed;
}

int report_calls_type(const struct report *r)
{
    const struct report_opts *o = r->opts;
    const bool changed =
        o->filter || o->base.name || o->mean || o->divide_by != 1;
    return changed ? -1 : prof_find_type(r->p, "calls");
}

bool report_flush(struct report *r)
{
    if (!r->sink || r->out->n < PIECE)
        return true;
    bool ok = write_out(r, r->out);
    r->out->n = 0;
    return ok;
}

bool report_put_piece(struct report *r, const struct buf *piece)
{
    if (!r->sink)
        return buf_put(r->out, piece->v, piece->n);
    bool ok = write_out(r, r->out) && write_out(r, piece);
    r->out->n = 0;
    return ok;
}

/* --- a profile --- */

static bool take_piece(void *ctx, struct buf *bytes, struct prof_err *err)
{
    return buf_put(ctx, bytes->v, bytes->n) || err_nomem(err);
}

bool report_put_profile(struct report *r, const struct profile *p,
                        struct prof_err *err)
{
    const struct pack_job how = {
        .level = -1, .take = take_piece, .take_ctx = r->out};
    struct pack *pack = pack_new(r->opts->threads);
    bool ok = pack ? pack_profile(pack, p, &how, err) : err_nomem(err);
    pack_free(pack);
    return ok;
}

/* --- the graph --- */

struct graph_opts report_graph_opts(const struct report *r)
{
    return (struct graph_opts){
        .type = r->type, .mean = r->opts->mean, .threads = r->opts->threads};
}

bool report_make_graph(const struct report *r, struct graph *g,
                       struct graph_cut *cut, struct prof_err *err)
{
    const struct graph_opts opts = report_graph_opts(r);
    return graph_make(g, r->p, &opts, err) &&
           graph_cut(g, &r->opts->limits, cut, err);
}

void report_choose_unit(struct report *r, const struct graph *g,
                        const struct graph_cut *cut, bool whole)
{
    if (strcmp(r->units.to, "minimum") != 0 || !cut->n)
        return;
    /* Find the least magnitude shown except 0. */
    uint64_t least = 0;
    for (size_t i = 0; i < cut->n; i++) {
        const struct graph_value *w = &g->value[cut->row[i].node];
        uint64_t v = graph_abs(graph_flat(w));
        if (!v)
            v = graph_abs(graph_cum(w));
        if (v && (!least || v < least))
            least = v;
    }
    int64_t max = r->total, min = least ? (int64_t)least : max, hundred;
    if (r->ratio != 1) {
        min = graph_truncate((double)min * r->ratio);
        max = graph_truncate((double)max * r->ratio);
    }
    const char *unit, *max_unit;
    (void)measure_scale(min, r->units.from, "minimum", &unit);
    (void)measure_scale(max, r->units.from, "minimum", &max_unit);
    if (!whole && strcmp(unit, max_unit) != 0 &&
        !__builtin_mul_overflow(min, 100, &hundred) && hundred < max)
        (void)measure_scale(hundred, r->units.from, "minimum", &unit);
    measure_init(&r->units, r->units.from, *unit ? unit : r->units.from);
}

/* --- values, names and padding --- */

/* Sets r->value_text, and returns its length. */
static size_t make_value(struct report *r, int64_t value)
{
    if (r->ratio != 1)
        value = graph_truncate((double)value * r->ratio);
    return measure_put(&r->units, value, r->value_text, r->value_text_size);
}

const char *report_value(struct report *r, int64_t value)
{
    (void)make_value(r, value);
    return r->value_text;
}

bool report_put_value(struct report *r, int64_t value, size_t width)
{
    size_t n = make_value(r, value);
    return report_put_right(r->out, r->value_text, n, width);
}

bool report_put_percent(struct report *r, int64_t value, int64_t total)
{
    char text[MEASURE_TEXT];
    return buf_putc(r->out, ' ') &&
           buf_puts(r->out, measure_percent(text, sizeof text, value, total));
}

bool report_put_measure(struct buf *out, int64_t value, const char *from,
                        const char *to)
{
    const size_t size = MEASURE_TEXT + strlen(from) + strlen(to);
    if (!buf_reserve(out, size))
        return false;
    char *text = (char *)out->v + out->n;
    out->n += strlen(measure_label(text, size, value, from, to));
    return true;
}

bool report_put_share(struct buf *out, int64_t value, int64_t total)
{
    char text[MEASURE_TEXT];
    measure_percent(text, sizeof text, value, total);
    return buf_puts(out, text + strspn(text, " "));
}

struct prof_slice report_binary(const struct report *r)
{
    const struct profile *p = r->p;
    struct prof_slice name = {"", 0};
    if (!p->n_mappings || !p->mappings[0].filename)
        return name;
    name = prof_text(p, p->mappings[0].filename);
    name.s = path_base(name.s, name.n, &name.n);
    return name;
}

bool report_put_name(const struct report *r, uint32_t id, struct buf *to)
{
    const struct strtab *t = &r->p->strings;
    return utf8_put_line(to, strtab_str(t, id), strtab_len(t, id));
}

bool report_put_lines(struct report *r, uint32_t id)
{
    const struct strtab *t = &r->p->strings;
    return utf8_put_visible(r->out, strtab_str(t, id), strtab_len(t, id));
}

bool report_put_int(struct buf *out, int64_t value, size_t width)
{
    enum { LEAST = 6, MOST = 32 }; /* of all widths; a number takes up to 20 */
    const uint64_t v = graph_abs(value);
    size_t n = value < 0 ? LEAST : LEAST - 1; /* or less */
    for (uint64_t more = v / 100000; more; more /= 10)
        n++;
    n = n < width ? width : n;
    assert(width >= LEAST && n <= MOST);
    if (!buf_reserve(out, MOST))
        return false;
    /* In place: copying bytes that were just written waits for them. */
    char *to = (char *)out->v + out->n;
    memset(to, ' ', MOST);
    to = put_digits(to + n, v);
    if (value < 0)
        to[-1] = '-';
    out->n += n;
    return true;
}

bool report_put_right(struct buf *out, const void *text, size_t n, size_t width)
{
    if (utf8_plain(text, n) == n) {
        if (n < width) {
            if (!buf_reserve(out, width - n))
                return false;
            memset(out->v + out->n, ' ', width - n);
            out->n += width - n;
        }
        return buf_put(out, text, n);
    }
    struct buf line = {0};
    bool ok = utf8_put_line(&line, text, n);
    size_t k = ok ? utf8_count(line.v, line.n) : 0;
    for (; ok && k < width; k++)
        ok = buf_putc(out, ' ');
    ok = ok && buf_put(out, line.v, line.n);
    buf_free(&line);
    return ok;
}

/* --- times as Go's time package writes them --- */

/* Formats a fraction: ".5" for half of `one`, "" for 0. */
static int fraction(char *text, size_t n, uint64_t part, uint64_t one)
{
    if (!part)
        return snprintf(text, n, "%s", "");
    int digits = 0;
    for (uint64_t k = one; k > 1; k /= 10)
        digits++;
    for (; part % 10 == 0; part /= 10)
        digits--;
    return snprintf(text, n, ".%0*" PRIu64, digits, part);
}

bool report_put_time(struct buf *out, int64_t nanos, bool long_form)
{
    time_t seconds = (time_t)(nanos / NANOS);
    int64_t below = nanos % NANOS;
    if (below < 0) {
        below += NANOS;
        seconds--;
    }
    struct tm tm;
    char date[64], zone[64], part[16];
    if (!localtime_r(&seconds, &tm) ||
        !strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &tm))
        return false;
    if (!strftime(zone, sizeof zone, long_form ? "%z %Z" : "%Z", &tm))
        zone[0] = 0;
    (void)fraction(part, sizeof part, long_form ? (uint64_t)below : 0, NANOS);
    return buf_printf(out, "%s%s %s", date, part, zone);
}

bool report_put_duration(struct buf *out, int64_t nanos, size_t chars)
{
    const char *sign = nanos < 0 ? "-" : "";
    uint64_t u = graph_abs(nanos), s = u / NANOS;
    char text[96], part[16], hours[32] = "", minutes[16] = "";
    if (u < 1000) {
        (void)snprintf(text, sizeof text, "%s%" PRIu64 "ns", sign, u);
    } else if (u < NANOS) {
        uint64_t one = u < 1000000 ? 1000 : 1000000;
        (void)fraction(part, sizeof part, u % one, one);
        (void)snprintf(text, sizeof text, "%s%" PRIu64 "%s%s", sign, u / one,
                       part, one == 1000 ? "\xc2\xb5s" : "ms");
    } else {
        (void)fraction(part, sizeof part, u % NANOS, NANOS);
        if (s >= 3600)
            (void)snprintf(hours, sizeof hours, "%" PRIu64 "h", s / 3600);
        if (s >= 60)
            (void)snprintf(minutes, sizeof minutes, "%" PRIu64 "m",
                           s / 60 % 60);
        (void)snprintf(text, sizeof text, "%s%s%s%" PRIu64 "%ss", sign, hours,
                       minutes, s % 60, part);
    }
    size_t n = strlen(text), at = 0;
    for (; at < n && chars; chars--)
        at += utf8_char((const uint8_t *)text + at, n - at, NULL);
    return buf_put(out, text, at);
}

enum { DOUBLE_BITS = 53 };

void json_report_lost(const struct report *r, size_t n_replaced,
                      const char *reader)
{
    /*
     * Count the values that a double cannot represent: their first and last set
     * bits are too far apart.
     */
    size_t n_wide = 0, n = reader ? r->p->n_samples * r->p->n_types : 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t v = graph_abs(r->p->values[i]);
        n_wide += v >> DOUBLE_BITS && v >> __builtin_ctzll(v) >> DOUBLE_BITS;
    }
    note_count(r->notes, PROF_NOTE_WARN, n_replaced,
               "invalid UTF-8 in names replaced with U+FFFD (%zu byte{s}; "
               "--textproto shows the original bytes)",
               n_replaced);
    note_count(r->notes, PROF_NOTE_WARN, n_wide,
               "%zu value{s} above 53 bits written exactly, but %s such values",
               n_wide, reader);
}
