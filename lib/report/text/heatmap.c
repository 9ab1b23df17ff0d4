/*
 * heatmap.c - --heatmap: when the samples were taken
 *
 * A column is a span of time, and a row a part of each span, so that what
 * happens once in every span is a horizontal line and what happens once is a
 * spot (https://www.brendangregg.com/HeatMaps/subsecondoffset.html).
 *
 *      row 1   .  #      <- the second half of each column's time
 *      row 0   #  #
 *              0  1  2   <- columns
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/slice.h"
#include "base/vec.h"
#include "profile/columns.h"
#include "report/escape.h"
#include "report/out.h"

#define TIME_LABEL "timestamp_ns"

struct heatmap {
    struct report *r;
    int64_t *time;       /* by label set: its time, or NO_TIME */
    int64_t first, last; /* times of samples */
    uint64_t span;       /* of a column, in ns */
    size_t columns, rows;
    int64_t *cell; /* columns * rows sums of values, a column at a time */
    int64_t max;   /* of cells; at least 1 */
};

enum { NO_TIME = -1 };

/* Sets h->time from the labels of each label set. */
static bool find_times(struct heatmap *h, struct prof_err *err)
{
    const struct profile *p = h->r->p;
    h->time = mem_array(p->n_labelsets, sizeof *h->time);
    if (!h->time)
        return err_nomem(err);
    for (size_t set = 0; set < p->n_labelsets; set++) {
        h->time[set] = NO_TIME;
        for (uint64_t i = p->labelset_off[set]; i < p->labelset_off[set + 1];
             i++) {
            const struct prof_label *l = &p->labels[i];
            if (!l->str && l->num >= 0 &&
                slice_is(prof_text(p, l->key), TIME_LABEL))
                h->time[set] = l->num;
        }
    }
    return true;
}

/* Sets the times of the first and the last sample. */
static void find_range(struct heatmap *h)
{
    const struct profile *p = h->r->p;
    size_t n_without = 0;
    h->first = INT64_MAX;
    h->last = NO_TIME;
    for (size_t s = 0; s < p->n_samples; s++) {
        int64_t at = h->time[p->labelset[s]];
        n_without += at == NO_TIME;
        if (at != NO_TIME && at < h->first)
            h->first = at;
        if (at > h->last)
            h->last = at;
    }
    if (n_without && n_without == p->n_samples)
        note_loss(h->r->notes, "no sample has the label " TIME_LABEL
                               "; convert with perf2pb --labels=" TIME_LABEL);
    else if (n_without)
        note_loss(h->r->notes,
                  "%zu of %zu samples skipped: no label " TIME_LABEL, n_without,
                  p->n_samples);
}

/* Chooses the shortest standard span that needs at most `most` columns. */
static void choose_span(struct heatmap *h, size_t most)
{
    static const uint64_t longer[] = {60, 600, 3600, 36000}; /* seconds */
    const uint64_t second = 1000000000;
    const uint64_t range =
        h->last == NO_TIME ? 0 : (uint64_t)(h->last - h->first);
    h->span = 1000;
    while (h->span < 10 * second && range / h->span >= most)
        h->span *= 10;
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++)
        if (range / h->span >= most)
            h->span = longer[i] * second;
    while (range / h->span >= most)
        h->span *= 10;
    h->columns = (size_t)(range / h->span) + 1;
}

static bool add_up(struct heatmap *h, struct prof_err *err)
{
    const struct profile *p = h->r->p;
    h->max = 1;
    h->cell = mem_zarray(h->columns * h->rows, sizeof *h->cell);
    if (!h->cell)
        return err_nomem(err);
    for (size_t s = 0; s < p->n_samples; s++) {
        int64_t at = h->time[p->labelset[s]];
        if (at == NO_TIME)
            continue;
        uint64_t since = (uint64_t)(at - h->first);
        size_t row = (size_t)(since % h->span / (h->span / h->rows));
        int64_t *cell = &h->cell[since / h->span * h->rows + row];
        if (__builtin_add_overflow(
                *cell, p->values[s * p->n_types + h->r->type], cell))
            return err_input(
                err, "the sum of the values of samples exceeds 64 bits");
    }
    for (size_t i = 0; i < h->columns * h->rows; i++)
        if (h->cell[i] > h->max)
            h->max = h->cell[i];
    return true;
}

static bool put_span(struct buf *out, uint64_t ns)
{
    return report_put_measure(out, (int64_t)ns, "nanoseconds", "auto");
}

static bool put_seconds(struct buf *out, uint64_t ns)
{
    return buf_printf(out, "%" PRIu64 ".%09" PRIu64, ns / 1000000000,
                      ns % 1000000000);
}

/*
 * Writes a time since the first sample, in seconds, as perf2pb --time=+FROM,+TO
 * expects it: "+0", "+0.25".
 */
static bool put_since(struct buf *out, uint64_t ns)
{
    uint64_t fraction = ns % 1000000000;
    int digits = 9;
    if (!fraction)
        return buf_printf(out, "+%" PRIu64, ns / 1000000000);
    for (; fraction % 10 == 0; digits--)
        fraction /= 10;
    return buf_printf(out, "+%" PRIu64 ".%0*" PRIu64, ns / 1000000000, digits,
                      fraction);
}

/* Writes the spans of columns and rows, and the range for --time. */
static bool put_scale(struct heatmap *h, struct buf *out)
{
    if (h->last == NO_TIME)
        return buf_puts(out, "no samples have a time");
    return buf_printf(out, "%zu column%s of ", h->columns,
                      h->columns == 1 ? "" : "s") &&
           put_span(out, h->span) &&
           buf_printf(out, " from left to right, %zu rows of ", h->rows) &&
           put_span(out, h->span / h->rows) &&
           buf_puts(out, " from bottom to top; samples from ") &&
           put_seconds(out, (uint64_t)h->first) && buf_puts(out, " to ") &&
           put_seconds(out, (uint64_t)h->last) && buf_puts(out, " s");
}

/* --- as text -------------------------------------------------------------- */

enum { TEXT_COLUMNS = 100, TEXT_ROWS = 20, TEXT_MARGIN = 9, TICK = 10 };

static const char shades[] = " .:-=+*#%@";

/*
 * Writes the rows, the last part of each span first, and an axis with the
 * seconds since the first sample under every tenth column.
 */
static bool put_text(struct heatmap *h)
{
    struct report *r = h->r;
    struct buf *out = r->out, part = {0};
    const double steps = sizeof shades - 2; /* without the space, the NUL */
    bool ok = report_put_intro(r) && put_scale(h, out) && buf_putc(out, '\n');
    if (h->last == NO_TIME)
        return ok;
    ok = ok && buf_printf(out, "'%c' is up to %s in a cell\n",
                          shades[sizeof shades - 2], report_value(r, h->max));
    for (size_t row = h->rows; ok && row--;) {
        part.n = 0;
        ok = put_span(&part, h->span / h->rows * row) &&
             report_put_right(out, part.v, part.n, TEXT_MARGIN - 1) &&
             buf_puts(out, " |");
        for (size_t c = 0; ok && c < h->columns; c++) {
            const double value = (double)h->cell[c * h->rows + row];
            const double shade = ceil(value / (double)h->max * steps);
            ok = buf_putc(out, shades[value > 0 ? (int)shade : 0]);
        }
        ok = ok && buf_puts(out, "|\n");
    }
    buf_free(&part);
    const size_t start = out->n + TEXT_MARGIN + 1;
    for (size_t c = 0; ok && c < h->columns; c += TICK) {
        while (ok && out->n < start + c)
            ok = buf_putc(out, ' ');
        ok = ok && put_since(out, c * h->span);
    }
    return ok && buf_putc(out, '\n');
}

/* --- as a picture --------------------------------------------------------- */

enum { SVG_COLUMNS = 150, SVG_ROWS = 50, LEFT = 70, TOP = 60 };
enum { CELL_HEIGHT = 8, CELL_MAX = 24, WIDTH = 900 };

static size_t cell_width(const struct heatmap *h)
{
    size_t width = WIDTH / h->columns;
    return width < CELL_MAX ? width : CELL_MAX;
}

/* Begins the text at a tick of an axis. */
static bool open_tick(struct buf *out, size_t x, size_t y, const char *anchor)
{
    return buf_printf(out, "<text x=\"%zu\" y=\"%zu\" text-anchor=\"%s\">", x,
                      y, anchor);
}

/*
 * Writes a cell.  Its colour goes from white to dark red, in the dark theme
 * from dark to light red, so the greatest value has the most contrast.  Its
 * title has the range for --time, and the value.
 */
static bool put_svg_cell(struct heatmap *h, size_t column, size_t row)
{
    struct buf *out = h->r->out;
    const int64_t value = h->cell[column * h->rows + row];
    if (value <= 0)
        return true;
    const double part = (double)value / (double)h->max;
    const uint64_t length = h->span / h->rows;
    const uint64_t from = (uint64_t)h->first + column * h->span + row * length;
    return buf_printf(out,
                      "<rect x=\"%zu\" y=\"%zu\" width=\"%zu\" height=\"%d\" "
                      "fill=\"#%02x%02x%02x\" "
                      "style=\"--dark:#%02x%02x%02x\"><title>",
                      LEFT + column * cell_width(h),
                      TOP + (h->rows - 1 - row) * CELL_HEIGHT, cell_width(h),
                      CELL_HEIGHT, (unsigned)(255 - 105 * part),
                      (unsigned)(225 * (1 - part)),
                      (unsigned)(200 * (1 - part)), (unsigned)(70 + 185 * part),
                      (unsigned)(34 + 128 * part),
                      (unsigned)(30 + 108 * part)) &&
           put_seconds(out, from) && buf_putc(out, ',') &&
           put_seconds(out, from + length - 1) && buf_puts(out, ": ") &&
           html_put(out, report_value(h->r, value),
                    strlen(report_value(h->r, value))) &&
           buf_puts(out, "</title></rect>\n");
}

static bool put_svg(struct heatmap *h)
{
    struct report *r = h->r;
    struct buf *out = r->out;
    const size_t width = h->columns * cell_width(h);
    const size_t height = h->rows * CELL_HEIGHT;
    const struct prof_slice binary = report_binary(r);
    const struct prof_slice type = prof_text(r->p, r->p->types[r->type].type);
    bool ok =
        buf_printf(out,
                   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
                   "height=\"%zu\" font-family=\"sans-serif\" "
                   "font-size=\"12\" fill=\"#1c1e21\">\n" REPORT_SVG_GROUND
                   "<text x=\"%d\" y=\"24\" font-size=\"17\">",
                   LEFT + WIDTH + 20, TOP + height + 40, LEFT) &&
        html_put(out, binary.s, binary.n) &&
        buf_puts(out, binary.n ? ": " : "") && html_put(out, type.s, type.n) &&
        buf_printf(out, "</text>\n<text x=\"%d\" y=\"44\">", LEFT) &&
        put_scale(h, out) &&
        buf_printf(out,
                   "</text>\n<rect x=\"%d\" y=\"%d\" width=\"%zu\" "
                   "height=\"%zu\" fill=\"none\" stroke=\"#c0c4c9\" "
                   "style=\"--dark:none\"/>\n",
                   LEFT, TOP, width, height);
    for (size_t row = 0; ok && row < h->rows; row += TICK)
        ok = open_tick(out, LEFT - 6, TOP + (h->rows - row) * CELL_HEIGHT,
                       "end") &&
             put_span(out, h->span / h->rows * row) &&
             buf_puts(out, "</text>\n");
    for (size_t c = 0; ok && c < h->columns; c += TICK)
        ok = open_tick(out, LEFT + c * cell_width(h), TOP + height + 18,
                       "start") &&
             put_since(out, c * h->span) && buf_puts(out, "</text>\n");
    for (size_t c = 0; ok && c < h->columns; c++)
        for (size_t row = 0; ok && row < h->rows; row++)
            ok = put_svg_cell(h, c, row) && report_flush(r);
    return ok && buf_puts(out, "</svg>\n");
}

/* --- the formats ---------------------------------------------------------- */

static bool print_heatmap(struct report *r, struct prof_err *err)
{
    const bool svg = r->format->variant;
    struct heatmap h = {.r = r, .rows = svg ? SVG_ROWS : TEXT_ROWS};
    bool ok = find_times(&h, err);
    if (ok) {
        find_range(&h);
        choose_span(&h, svg ? SVG_COLUMNS : TEXT_COLUMNS);
    }
    ok = ok && add_up(&h, err) &&
         ((svg ? put_svg(&h) : put_text(&h)) || err_nomem(err));
    free(h.time);
    free(h.cell);
    return ok;
}

#define HEATMAP_IGNORES                                                        \
    (REPORT_NO_MEAN | REPORT_NO_ROWS | REPORT_NO_DETAIL | REPORT_NO_INLINING)

const struct report_format report_heatmap = {
    .name = "heatmap",
    .arg = "[svg]",
    .help = "print when samples were taken (timestamp_ns)",
    .suffixes = "txt",
    .needs_option = true,
    .needs = REPORT_FRAMES,
    .ignores = HEATMAP_IGNORES,
    .print = print_heatmap,
};

const struct report_format report_heatmap_svg = {
    .name = "heatmap",
    .variant = "svg",
    .suffixes = "svg",
    .needs_option = true,
    .needs = REPORT_FRAMES,
    .ignores = HEATMAP_IGNORES | REPORT_NO_PERCENT,
    .print = print_heatmap,
};
