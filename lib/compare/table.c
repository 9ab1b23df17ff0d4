/* table.c - prints a comparison for people: as text or Markdown */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "compare/private.h"

static const char *const measures[] = {"flat", "cum"};

/* A greater growth is shown as "more than" this. */
#define MOST_GROWTH 10.0

/* Appends a factor as "+12.3%" or "x12.3", or "..." if infinite or huge. */
static bool put_change(struct buf *out, double factor)
{
    char text[32];
    if (!isfinite(factor))
        snprintf(text, sizeof text, "...");
    else if (factor >= 10)
        snprintf(text, sizeof text, factor < 10000 ? "x%.1f" : "...", factor);
    else
        snprintf(text, sizeof text, "%+.1f%%", (factor - 1) * 100);
    return buf_printf(out, "%8s", text);
}

/* Appends the name as code, with all characters escaped that could end it. */
static bool put_code(struct buf *out, struct prof_slice name)
{
    struct buf line = {0};
    bool ok = utf8_put_line(&line, name.s, name.n) && buf_puts(out, "<code>");
    for (size_t i = 0; ok && i < line.n; i++) {
        const char c = (char)line.v[i];
        ok = c == '<'                         ? buf_puts(out, "&lt;")
             : c == '&'                       ? buf_puts(out, "&amp;")
             : ascii_is_one_of(c, "|`*_[~\\") ? buf_printf(out, "&#%d;", c)
                                              : buf_putc(out, c);
    }
    buf_free(&line);
    return ok && buf_puts(out, "</code>");
}

/* Appends the name of a run; as code in Markdown, where `after` ends lines. */
static bool put_run(struct buf *out, const char *name, const char *after)
{
    const struct prof_slice text = {name, strlen(name)};
    return *after ? put_code(out, text) : utf8_put_line(out, text.s, text.n);
}

static bool put_sides(const struct compare_result *r, const char *after,
                      struct buf *out)
{
    static const char *const names[] = {"Base", "New"};
    bool ok = true;
    for (int i = 0; ok && i < COMPARE_SIDES; i++) {
        const size_t n = r->n_runs[i];
        ok = buf_printf(out, "%s: %zu run%s, %.0f %s: ", names[i], n,
                        n == 1 ? "" : "s", r->sum[i],
                        !r->is_counted   ? r->unit
                        : r->sum[i] == 1 ? "sample"
                                         : "samples") &&
             put_run(out, r->first[i], after) &&
             (n == 1 || buf_puts(out, n == 2 ? ", " : " ... ")) &&
             (n == 1 || put_run(out, r->last[i], after)) &&
             buf_printf(out, "%s\n", after);
    }
    return ok;
}

static bool put_total(const struct compare_result *r, const char *after,
                      struct buf *out)
{
    const struct compare_total *t = &r->total;
    return !t->is_known ||
           (buf_printf(out, "%s of a run: %.1f before, %.1f after, ",
                       r->is_counted ? "Samples" : "Total", t->mean[0],
                       t->mean[1]) &&
            buf_printf(out, "%+.1f%% (%+.1f%% to %+.1f%%)%s\n",
                       (t->ratio - 1) * 100, (t->low - 1) * 100,
                       (t->high - 1) * 100, after));
}

static bool put_power(const struct compare_result *r, const char *after,
                      struct buf *out)
{
    const struct compare_power *middle = &r->powers[1];
    if (!r->is_judged)
        return buf_printf(
            out,
            "Not judged: how runs vary is not known; record at least %d runs "
            "of each side%s%s\n",
            COMPARE_LEAST_RUNS,
            r->is_counted ? ". Intervals are what sampling alone explains: the "
                            "true ones are wider"
                          : "",
            after);
    bool ok = buf_puts(out, "These runs show growth by: ");
    for (size_t i = 0; ok && i < COMPARE_POWERS; i++) {
        const bool is_huge = r->powers[i].growth > MOST_GROWTH;
        ok = buf_printf(out, "%s%s%.1f%% at a share of %.0f%%", i ? ", " : "",
                        is_huge ? "more than " : "",
                        (is_huge ? MOST_GROWTH : r->powers[i].growth) * 100,
                        r->powers[i].share * 100);
    }
    ok = ok && buf_printf(out, "%s\nGrowth by %g%% at a share of %.0f%% takes ",
                          after, middle->explains * 100, middle->share * 100);
    if (middle->runs)
        ok = ok && buf_printf(out, "%zu", middle->runs);
    else
        ok = ok && buf_printf(out, "more than %d", COMPARE_MOST_RUNS);
    return ok && buf_printf(out, " runs of each side%s\n", after);
}

static bool put_verdicts(const struct compare_result *r, struct buf *out)
{
    bool any = false, ok = true;
    for (int v = 0; ok && v < COMPARE_VERDICTS; v++)
        if (r->n_verdicts[v]) {
            ok = buf_printf(out, "%s%zu %s", any ? ", " : "", r->n_verdicts[v],
                            compare_verdict_text(v, r->is_counted));
            any = true;
        }
    return ok && (any || buf_puts(out, "no rows")) && buf_putc(out, '\n');
}

static bool put_heading(const struct compare_result *r, const char *after,
                        struct buf *out)
{
    bool ok =
        put_sides(r, after, out) &&
        buf_printf(out, "Counted: %s/%s; rows from a share of %g%% on%s\n",
                   r->type, r->unit, r->opts.min_share * 100, after) &&
        put_total(r, after, out) && put_power(r, after, out);
    if (ok && r->is_judged && fabs(log(r->others)) > 0.02)
        ok = buf_printf(
            out,
            "The shares of most functions changed by %+.1f%%, because "
            "others changed: each is judged beside that%s\n",
            (r->others - 1) * 100, after);
    return ok;
}

/* Returns how many rows to show: at most `most`, or all if that is 0. */
static size_t shown(const struct compare_result *r, size_t most)
{
    return most && most < r->n_rows ? most : r->n_rows;
}

bool compare_print_text(const struct compare_result *r, size_t most,
                        struct buf *out)
{
    const size_t n = shown(r, most);
    bool ok = put_heading(r, "", out) && put_verdicts(r, out) &&
              buf_puts(out, "  before     after   points   change"
                            "              interval  verdict          "
                            "      name\n");
    for (size_t i = 0; ok && i < n; i++) {
        const struct compare_row *row = &r->rows[i];
        ok = buf_printf(out, "%7.2f%%  %7.2f%%  %+7.2f ", row->share[0] * 100,
                        row->share[1] * 100,
                        (row->share[1] - row->share[0]) * 100) &&
             put_change(out, row->share[1] / row->share[0]) &&
             buf_puts(out, "  ") && put_change(out, row->low) &&
             buf_puts(out, " to ") && put_change(out, row->high) &&
             buf_printf(out, "  %-16s %4s  ",
                        compare_verdict_text(row->verdict, r->is_counted),
                        measures[row->measure]) &&
             utf8_put_line(out, row->name.s, row->name.n) &&
             buf_putc(out, '\n');
    }
    return ok && (n == r->n_rows ||
                  buf_printf(out, "%zu more rows: -n 0\n", r->n_rows - n));
}

/* --- Markdown ------------------------------------------------------------- */

static bool put_markdown_rows(const struct compare_result *r, size_t from,
                              size_t to, struct buf *out)
{
    bool ok = buf_puts(out, "\n| function | | before | after | change | "
                            "interval | verdict |\n"
                            "| --- | --- | ---: | ---: | ---: | --- | --- |\n");
    for (size_t i = from; ok && i < to; i++) {
        const struct compare_row *row = &r->rows[i];
        ok = buf_puts(out, "| ") && put_code(out, row->name) &&
             buf_printf(out, " | %s | %.2f%% | %.2f%% | ",
                        measures[row->measure], row->share[0] * 100,
                        row->share[1] * 100) &&
             put_change(out, row->share[1] / row->share[0]) &&
             buf_puts(out, " | ") && put_change(out, row->low) &&
             buf_puts(out, " to ") && put_change(out, row->high) &&
             buf_printf(out, " | %s |\n",
                        compare_verdict_text(row->verdict, r->is_counted));
    }
    return ok;
}

bool compare_print_markdown(const struct compare_result *r, size_t most,
                            struct buf *out)
{
    enum { FIRST = 10 };
    const size_t n = shown(r, most);
    const size_t first = n < FIRST ? n : FIRST;
    const char *verdict = r->n_verdicts[COMPARE_SLOWER] ? "Regression"
                          : !r->is_judged               ? "Not judged"
                                                        : "No regression shown";
    bool ok = buf_printf(out, "**%s**: ", verdict) && put_verdicts(r, out) &&
              (!first || put_markdown_rows(r, 0, first, out));
    if (ok && n > first)
        ok = buf_printf(out, "\n<details><summary>%zu more rows</summary>\n",
                        n - first) &&
             put_markdown_rows(r, first, n, out) &&
             buf_puts(out, "\n</details>\n");
    if (ok && n < r->n_rows)
        ok =
            buf_printf(out, "\n%zu more rows are not listed.\n", r->n_rows - n);
    return ok && buf_putc(out, '\n') && put_heading(r, "  ", out);
}
