/* rows.c - writes the rows of --text, --tree, --peek and --tags as data
 * (--format) */
#include "report/rows.h"

#include <string.h>

#include "base/utf8.h"
#include "profile/columns.h"
#include "report/escape.h"

/* Each type of opts.others adds two more columns, and so do outliers. */
enum { COLUMNS = 9 };

static const char *const columns[COLUMNS] = {
    "kind", "of",          "name", "flat",   "flat_percent",
    "cum",  "cum_percent", "unit", "inlined"};

/* Appends a text as a field of the format. */
static bool put_text(struct rows *rows, struct prof_slice text)
{
    struct buf *out = rows->r->out;
    bool ok;
    switch (rows->r->opts->rows) {
    case REPORT_ROWS_CSV:
        return csv_put(out, text.s, text.n);
    case REPORT_ROWS_TSV:
        return tsv_put(out, text.s, text.n);
    case REPORT_ROWS_MARKDOWN:
        rows->shown.n = 0;
        ok = utf8_put_line(&rows->shown, text.s, text.n);
        for (size_t i = 0; ok && i < rows->shown.n; i++)
            ok = (rows->shown.v[i] != '|' || buf_putc(out, '\\')) &&
                 buf_putc(out, (char)rows->shown.v[i]);
        return ok;
    default:
        return json_put_text(out, text.s, text.n, &rows->n_replaced);
    }
}

/* Appends a value: the integer, or the value in the chosen unit. */
static bool put_value(struct rows *rows, const struct measure *units,
                      int64_t value)
{
    const struct report *r = rows->r;
    const char *unit;
    if (r->ratio == 1 && !strcmp(units->to, units->from))
        return buf_put_i64(r->out, value);
    return buf_printf(r->out, "%.10g",
                      r->ratio *
                          measure_scale(value, units->from, units->to, &unit));
}

static bool put_percent(struct rows *rows, int64_t value)
{
    const int64_t total = rows->r->total;
    return buf_printf(rows->r->out, "%.4f",
                      total ? (double)value * 100 / (double)total : 0);
}

static size_t count_columns(const struct rows *rows)
{
    const struct report_opts *o = rows->r->opts;
    return COLUMNS + 2 * (o->outliers ? 1 : o->n_others);
}

static bool put_name(struct rows *rows, size_t i)
{
    const struct report *r = rows->r;
    if (i < COLUMNS)
        return put_text(rows, slice_of(columns[i]));
    if (r->opts->outliers)
        return put_text(rows,
                        slice_of(i == COLUMNS ? "others_percent" : "distance"));
    const struct report_other *other = &r->others[(i - COLUMNS) / 2];
    const bool is_value = (i - COLUMNS) % 2 == 0;
    struct buf name = {0};
    bool ok = prof_put_text(&name, r->p, r->p->types[other->type].type) &&
              buf_putc(&name, '/') &&
              buf_puts(&name, is_value ? other->units.to : "ratio") &&
              put_text(rows, buf_slice(&name));
    buf_free(&name);
    return ok;
}

static bool put_other(struct rows *rows, const struct row *row, size_t i,
                      bool *any)
{
    const size_t k = i / 2;
    *any = row->others;
    if (!*any)
        return true;
    if (i % 2 == 0)
        return put_value(rows, &rows->r->others[k].units, row->others[k]);
    *any = row->first != 0;
    return !*any || buf_printf(rows->r->out, "%.10g",
                               (double)row->others[k] / (double)row->first);
}

/* Appends field i of the row.  Sets *any to whether the row has it. */
static bool put_field(struct rows *rows, const struct row *row, size_t i,
                      bool *any)
{
    *any = true;
    if (i >= COLUMNS && rows->r->opts->outliers)
        return i == COLUMNS
                   ? buf_printf(rows->r->out, "%.4f", row->others_percent)
                   : buf_printf(rows->r->out, "%.2f", row->distance);
    if (i >= COLUMNS)
        return put_other(rows, row, i - COLUMNS, any);
    switch (i) {
    case 0:
        return put_text(rows, slice_of(row->kind));
    case 1:
        *any = row->of.s;
        return !*any || put_text(rows, row->of);
    case 2:
        return put_text(rows, row->name);
    case 3:
        *any = row->has_flat;
        return !*any || put_value(rows, &rows->r->units, row->flat);
    case 4:
        *any = row->has_flat;
        return !*any || put_percent(rows, row->flat);
    case 5:
        return put_value(rows, &rows->r->units, row->cum);
    case 6:
        return put_percent(rows, row->cum);
    case 7:
        return put_text(rows, rows->unit);
    default:
        *any = row->inlined;
        return !*any || put_text(rows, slice_of(row->inlined));
    }
}

/* Writes the line of column names. */
static bool put_names(struct rows *rows)
{
    struct buf *out = rows->r->out;
    const bool markdown = rows->r->opts->rows == REPORT_ROWS_MARKDOWN;
    const char *const between = markdown                                 ? " | "
                                : rows->r->opts->rows == REPORT_ROWS_CSV ? ","
                                                                         : "\t";
    bool ok = buf_puts(out, markdown ? "| " : "");
    for (size_t i = 0; ok && i < count_columns(rows); i++)
        ok = buf_puts(out, i ? between : "") && put_name(rows, i);
    ok = ok && buf_puts(out, markdown ? " |\n|" : "\n");
    for (size_t i = 0; ok && markdown && i < count_columns(rows); i++)
        ok = buf_puts(out,
                      (i >= 3 && i < 7) || i >= COLUMNS ? " ---: |" : " --- |");
    return ok && buf_puts(out, markdown ? "\n" : "");
}

bool rows_begin(struct rows *rows, struct report *r)
{
    struct prof_slice type = prof_text(r->p, r->p->types[r->type].type);
    *rows = (struct rows){.r = r};
    /* Use one unit for all values, and do not round unless requested. */
    if (!strcmp(r->units.to, "minimum") || !strcmp(r->units.to, "auto"))
        for (size_t i = 0; i <= r->opts->n_others; i++) {
            struct measure *units = i ? &r->others[i - 1].units : &r->units;
            measure_init(units, units->from, units->from);
        }
    rows->unit = slice_of(r->units.to);
    if (r->opts->rows == REPORT_ROWS_JSONL)
        return true;
    if (r->opts->rows != REPORT_ROWS_JSON)
        return put_names(rows);
    return buf_puts(r->out, "{\"type\":") && put_text(rows, type) &&
           buf_puts(r->out, ",\"unit\":") && put_text(rows, rows->unit) &&
           buf_puts(r->out, ",\"total\":") &&
           put_value(rows, &r->units, r->total) &&
           buf_puts(r->out, ",\"rows\":[");
}

bool rows_put(struct rows *rows, const struct row *row)
{
    struct buf *out = rows->r->out;
    const enum report_rows kind = rows->r->opts->rows;
    const bool json = kind == REPORT_ROWS_JSON || kind == REPORT_ROWS_JSONL;
    const bool markdown = kind == REPORT_ROWS_MARKDOWN;
    bool ok = !json || buf_puts(out, kind == REPORT_ROWS_JSONL ? "{"
                                     : rows->n                 ? ",\n{"
                                                               : "\n{");
    for (size_t i = 0; ok && i < count_columns(rows); i++) {
        bool any;
        if (json)
            ok = buf_puts(out, i ? "," : "") && put_name(rows, i) &&
                 buf_putc(out, ':');
        else
            ok = buf_puts(out, markdown                  ? "| "
                               : !i                      ? ""
                               : kind == REPORT_ROWS_CSV ? ","
                                                         : "\t");
        ok = ok && put_field(rows, row, i, &any) &&
             (any || !json || buf_puts(out, "null")) &&
             (!markdown || buf_putc(out, ' '));
    }
    rows->n++;
    ok = ok &&
         buf_puts(out, json       ? "}"
                       : markdown ? "|\n"
                                  : "\n") &&
         (kind != REPORT_ROWS_JSONL || buf_putc(out, '\n'));
    return ok && report_flush(rows->r);
}

bool rows_end(struct rows *rows, bool ok)
{
    struct report *r = rows->r;
    ok =
        ok && (r->opts->rows != REPORT_ROWS_JSON || buf_puts(r->out, "\n]}\n"));
    if (ok)
        json_report_lost(r, rows->n_replaced, NULL);
    buf_free(&rows->shown);
    return ok;
}
