/* data.c - prints a comparison for programs: as JSON or JUnit's XML */
#include <math.h>
#include <string.h>

#include "compare/private.h"
#include "report/escape.h"

static const char *const measures[] = {"flat", "cum"};

/* Appends a number, or null if it is not finite. */
static bool put_number(struct buf *out, const char *key, double x)
{
    return isfinite(x) ? buf_printf(out, ",\"%s\":%.9g", key, x)
                       : buf_printf(out, ",\"%s\":null", key);
}

static bool put_json_text(struct buf *out, const char *key, const char *text)
{
    size_t replaced = 0;
    return buf_printf(out, ",\"%s\":", key) &&
           json_put_text(out, text, strlen(text), &replaced);
}

static bool put_json_side(const struct compare_result *r, int side,
                          struct buf *out)
{
    static const char *const names[] = {"base", "new"};
    return buf_printf(out, ",\n\"%s\":{\"runs\":%zu", names[side],
                      r->n_runs[side]) &&
           put_number(out, "sum", r->sum[side]) &&
           put_json_text(out, "first", r->first[side]) &&
           put_json_text(out, "last", r->last[side]) && buf_putc(out, '}');
}

static bool put_json_row(const struct compare_result *r,
                         const struct compare_row *row, struct buf *out)
{
    size_t replaced = 0;
    return buf_puts(out, "\n{\"name\":") &&
           json_put_text(out, row->name.s, row->name.n, &replaced) &&
           put_json_text(out, "measure", measures[row->measure]) &&
           put_json_text(out, "verdict",
                         compare_verdict_text(row->verdict, r->is_counted)) &&
           put_number(out, "before", row->share[0]) &&
           put_number(out, "after", row->share[1]) &&
           put_number(out, "before_count", row->count[0]) &&
           put_number(out, "after_count", row->count[1]) &&
           put_number(out, "ratio", row->share[1] / row->share[0]) &&
           put_number(out, "low", row->low) &&
           put_number(out, "high", row->high) &&
           put_number(out, "p", r->is_judged ? row->p : NAN) &&
           put_number(out, "dispersion", row->dispersion) &&
           put_number(out, "detectable", row->detectable) && buf_putc(out, '}');
}

bool compare_print_json(const struct compare_result *r, struct buf *out)
{
    const struct compare_total *t = &r->total;
    bool ok = buf_printf(out, "{\"regression\":%s,\"judged\":%s",
                         r->n_verdicts[COMPARE_SLOWER] ? "true" : "false",
                         r->is_judged ? "true" : "false") &&
              put_json_text(out, "type", r->type) &&
              put_json_text(out, "unit", r->unit) &&
              put_number(out, "alpha", r->opts.alpha) &&
              put_number(out, "max_growth", r->opts.max_growth) &&
              put_number(out, "min_share", r->opts.min_share) &&
              put_number(out, "others", r->others) &&
              put_json_side(r, 0, out) && put_json_side(r, 1, out) &&
              buf_printf(out, ",\n\"too_rare\":%zu,\n\"total\":",
                         r->n_verdicts[COMPARE_RARE]);
    if (t->is_known)
        ok = ok && buf_printf(out, "{\"before\":%.9g", t->mean[0]) &&
             put_number(out, "after", t->mean[1]) &&
             put_number(out, "ratio", t->ratio) &&
             put_number(out, "low", t->low) &&
             put_number(out, "high", t->high) && buf_putc(out, '}');
    else
        ok = ok && buf_puts(out, "null");
    ok = ok && buf_puts(out, ",\n\"power\":[");
    for (size_t i = 0; ok && r->is_judged && i < COMPARE_POWERS; i++) {
        const struct compare_power *power = &r->powers[i];
        ok = buf_printf(out, "%s{\"share\":%g", i ? "," : "", power->share) &&
             put_number(out, "growth", power->growth) &&
             put_number(out, "runs_for", power->explains) &&
             put_number(out, "runs", power->runs ? (double)power->runs : NAN) &&
             buf_putc(out, '}');
    }
    ok = ok && buf_puts(out, "],\n\"rows\":[");
    for (size_t i = 0; ok && i < r->n_rows; i++)
        ok = buf_puts(out, i ? "," : "") && put_json_row(r, &r->rows[i], out);
    return ok && buf_puts(out, "\n]}\n");
}

/* Prints a test case for each row; those with a regression have failed. */
bool compare_print_junit(const struct compare_result *r, struct buf *out)
{
    bool ok = buf_printf(out,
                         "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                         "<testsuite name=\"pbdiff\" tests=\"%zu\" "
                         "failures=\"%zu\" skipped=\"%zu\">\n",
                         r->n_rows, r->n_verdicts[COMPARE_SLOWER],
                         r->n_verdicts[COMPARE_UNJUDGED]);
    for (size_t i = 0; ok && i < r->n_rows; i++) {
        const struct compare_row *row = &r->rows[i];
        ok = buf_printf(out, "<testcase classname=\"%s\" name=\"",
                        measures[row->measure]) &&
             html_put(out, row->name.s, row->name.n) && buf_puts(out, "\">");
        if (ok && row->verdict == COMPARE_SLOWER)
            ok = buf_printf(out,
                            "<failure message=\"%.2f%% before, %.2f%% after, "
                            "grown by at least %.1f%%\"/>",
                            row->share[0] * 100, row->share[1] * 100,
                            (row->low - 1) * 100);
        else if (ok && row->verdict == COMPARE_UNJUDGED)
            ok = buf_puts(out, "<skipped message=\"too few runs\"/>");
        ok = ok && buf_puts(out, "</testcase>\n");
    }
    return ok && buf_puts(out, "</testsuite>\n");
}

/* Appends the verdicts of the rows of one measure. */
static bool put_verdicts(const struct compare_result *r, int measure,
                         struct buf *out)
{
    bool ok = true, any = false;
    for (size_t i = 0; ok && i < r->n_rows; i++) {
        const struct compare_row *row = &r->rows[i];
        size_t replaced = 0;
        const int way = row->verdict == COMPARE_SLOWER   ? 1
                        : row->verdict == COMPARE_FASTER ? 2
                                                         : 0;
        if (row->measure != (enum compare_measure)measure)
            continue;
        ok = (!any || buf_putc(out, ',')) &&
             json_put_text(out, row->name.s, row->name.n, &replaced) &&
             buf_printf(out, ":[%d,\"%s: %.2f%% before, %.2f%% after", way,
                        compare_verdict_text(row->verdict, r->is_counted),
                        row->share[0] * 100, row->share[1] * 100) &&
             (!isfinite(row->high) ||
              buf_printf(out, ", %+.1f%% to %+.1f%%", (row->low - 1) * 100,
                         (row->high - 1) * 100)) &&
             buf_puts(out, "\"]");
        any = true;
    }
    return ok;
}

char *compare_verdicts(const struct compare_result *r)
{
    struct buf out = {0};
    if (buf_puts(&out, "{\"change\":{") &&
        put_verdicts(r, COMPARE_FLAT, &out) &&
        buf_puts(&out, "},\"cumChange\":{") &&
        put_verdicts(r, COMPARE_CUM, &out) && buf_puts(&out, "}}") &&
        buf_putc(&out, 0))
        return (char *)out.v;
    buf_free(&out);
    return NULL;
}

char *compare_names(const struct compare_result *r, enum compare_side side)
{
    const size_t n = r->n_runs[side];
    return n == 1 ? strdup(r->first[side])
                  : str_printf("%s%s%s", r->first[side],
                               n == 2 ? ", " : " ... ", r->last[side]);
}
