/*
 * table.c - samples as a table, a row for each: --csv, --tsv and --jsonl
 *
 * CSV and TSV have the columns of private.h, then the stack.  A field
 * with several values, as the stack is one, separates them by semicolons; a
 * semicolon or backslash in a value is preceded by a backslash.  CSV is that
 * of RFC 4180 with the line ends of Unix.  In TSV backslashes, tabs and line
 * ends are \\, \t, \n and \r, because
 * https://www.iana.org/assignments/media-types/text/tab-separated-values has
 * no way to write them.
 *
 * A row of --jsonl is a JSON object on a line of its own, which refers to
 * nothing: values have the names of columns, frames are text.  Its grammar is
 * man/pbcat.jsonl.schema.json.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/sort.h"
#include "base/system.h"
#include "base/vec.h"
#include "profile/columns.h"
#include "report/data/private.h"
#include "report/escape.h"
#include "report/samples.h"

/* --- rows --- */

/* Appends a frame and a separator of one byte. */
typedef bool frame_fn(void *ctx, const void *name, size_t n, struct buf *to);

/*
 * Writes a row for each sample, in the order of the profile.  Piece k is the
 * text of node k.
 */
static bool put_rows(struct report *r, frame_fn *put_frame, sample_fn *put_row,
                     void *ctx, struct prof_err *err)
{
    struct nodes nodes;
    struct stacktext stacks = {.p = r->p, .cut = 1};
    struct buf name = {0};
    bool made = nodes_init(&nodes, r->p, false, err), ok = made;
    for (size_t k = 0; ok && k < nodes.n; k++) {
        name.n = 0;
        ok = node_name(&nodes, (uint32_t)k, &name) &&
             put_frame(ctx, name.v, name.n, &stacks.text) &&
             stacktext_piece(&stacks);
    }
    ok = ok && stacktext_use_nodes(&stacks, &nodes) &&
         report_samples(r, &stacks, put_row, ctx);
    buf_free(&name);
    stacktext_free(&stacks);
    nodes_free(&nodes);
    return ok || (made && err_nomem(err));
}

/* --- --csv and --tsv --- */

struct table {
    const struct profile *p;
    struct columns columns;
    uint32_t *label; /* labels by set, in the order of columns */
    char delimiter;
    /* Appends a field, quoted or escaped as needed. */
    bool (*put_field)(struct buf *out, const void *text, size_t n);
};

/* Appends one of several values of a field. */
static bool put_element(struct buf *out, const char *s, size_t n)
{
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        ok = ((s[i] != ';' && s[i] != '\\') || buf_putc(out, '\\')) &&
             buf_putc(out, s[i]);
    return ok;
}

/*
 * Appends a frame.  The stack of a CSV row is always quoted, so frames need not
 * be searched for characters that require it.
 */
static bool put_csv_frame(void *ctx, const void *name, size_t n, struct buf *to)
{
    const struct table *t = ctx;
    struct buf element = {0};
    bool ok = put_element(&element, name, n) &&
              (t->delimiter == ',' ? csv_put_quoted(to, element.v, element.n)
                                   : tsv_put(to, element.v, element.n)) &&
              buf_putc(to, ';');
    buf_free(&element);
    return ok;
}

static int column_order(const void *a, const void *b, void *ctx)
{
    const uint32_t *column = ctx;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const int c = ORDER(column[x], column[y]);
    return c ? c : ORDER(x, y);
}

/* Sorts the labels of each set by column. */
static bool sort_labels(struct table *t)
{
    const struct profile *p = t->p;
    t->label = mem_array(p->n_labels, sizeof *t->label);
    if (!t->label)
        return false;
    for (size_t i = 0; i < p->n_labels; i++)
        t->label[i] = (uint32_t)i;
    for (size_t set = 0; set < p->n_labelsets; set++) {
        size_t first = (size_t)p->labelset_off[set];
        size_t n = (size_t)p->labelset_off[set + 1] - first;
        system_sort(t->label + first, n, sizeof *t->label, column_order,
                    t->columns.label_column);
    }
    return true;
}

static bool put_csv_labels(const struct table *t,
                           struct sample_printer *printer, uint32_t set)
{
    const struct profile *p = t->p;
    struct buf *out = printer->report.out, *field = &printer->scratch.text;
    uint64_t k = p->labelset_off[set], end = p->labelset_off[set + 1];
    for (uint32_t column = 0; column < t->columns.n_labels; column++) {
        field->n = 0;
        for (uint64_t from = k;
             k < end && t->columns.label_column[t->label[k]] == column; k++) {
            const struct prof_label *l = &p->labels[t->label[k]];
            struct prof_slice text = prof_text(p, l->str);
            if ((k > from && !buf_putc(field, ';')) ||
                !(l->str ? put_element(field, text.s, text.n)
                         : buf_put_i64(field, l->num)))
                return false;
        }
        if (!t->put_field(out, field->v, field->n) ||
            !buf_putc(out, t->delimiter) || !stacktext_flow(&printer->stacks))
            return false;
    }
    return true;
}

static bool put_csv_row(struct sample_printer *printer, size_t s)
{
    const struct table *t = printer->ctx;
    const struct profile *p = t->p;
    struct buf *out = printer->report.out;
    const int64_t *value = p->values + s * p->n_types;
    const char *quote = t->delimiter == ',' && prof_depth(p, s) ? "\"" : "";
    for (size_t i = 0; i < p->n_types; i++)
        if (!buf_put_i64(out, value[i]) || !buf_putc(out, t->delimiter))
            return false;
    return put_csv_labels(t, printer, p->labelset[s]) && buf_puts(out, quote) &&
           stacktext_put(&printer->stacks, s, out) && buf_puts(out, quote) &&
           buf_putc(out, '\n');
}

static bool print_table(struct report *r, struct prof_err *err)
{
    bool tsv = !strcmp(r->format->name, "tsv");
    struct table t = {.p = r->p,
                      .delimiter = tsv ? '\t' : ',',
                      .put_field = tsv ? tsv_put : csv_put};
    const struct columns *c = &t.columns;
    bool ok = columns_init(&t.columns, r->p, true, err) &&
              (sort_labels(&t) || err_nomem(err));
    for (size_t i = 0; ok && i < c->n_types + c->n_labels; i++) {
        struct prof_slice name = strtab_slice(&c->names, c->name[i]);
        ok = (t.put_field(r->out, name.s, name.n) &&
              buf_putc(r->out, t.delimiter)) ||
             err_nomem(err);
    }
    ok = ok && (buf_puts(r->out, "stack\n") || err_nomem(err)) &&
         put_rows(r, put_csv_frame, put_csv_row, &t, err);
    columns_free(&t.columns);
    free(t.label);
    return ok;
}

const struct report_format report_csv = {
    .name = "csv",
    .help = "write samples as comma-separated values",
    .suffixes = "csv",
    .needs = REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM | REPORT_NO_VALUES,
    .ignores = REPORT_AS_IT_IS,
    .print = print_table,
};

const struct report_format report_tsv = {
    .name = "tsv",
    .help = "write samples as tab-separated values",
    .suffixes = "tsv",
    .needs = REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM | REPORT_NO_VALUES,
    .ignores = REPORT_AS_IT_IS,
    .print = print_table,
};

/* --- --jsonl --- */

struct jsonl {
    const struct profile *p;
    struct buf text;
    size_t *type;   /* by sample type: text[type[i] .. type[i + 1]) */
    size_t *string; /* by string id, if a label has it: its start, .. */
    size_t *end;    /* .. and its end */
    size_t n_replaced;
};

static bool make_string(struct jsonl *j, uint32_t id)
{
    const struct strtab *t = &j->p->strings;
    if (j->end[id])
        return true;
    j->string[id] = j->text.n;
    bool ok = json_put_string(&j->text, t, id, &j->n_replaced);
    j->end[id] = j->text.n;
    return ok;
}

/* Converts the names of types and the strings of labels to JSON once. */
static bool make_strings(struct jsonl *j, const struct columns *c)
{
    const struct profile *p = j->p;
    j->type = mem_array(c->n_types + 1, sizeof *j->type);
    j->string = mem_array(p->strings.n, sizeof *j->string);
    j->end = mem_zarray(p->strings.n, sizeof *j->end);
    bool ok = j->type && j->string && j->end;
    /*
     * Each type is "cpu/nanoseconds": and, but for the first, a comma before
     * it.
     */
    for (size_t i = 0; ok && i < c->n_types; i++) {
        j->type[i] = j->text.n;
        ok = (!i || buf_putc(&j->text, ',')) &&
             json_put_string(&j->text, &c->names, c->name[i], &j->n_replaced) &&
             buf_putc(&j->text, ':');
    }
    if (ok)
        j->type[c->n_types] = j->text.n;
    for (size_t i = 0; ok && i < p->n_labels; i++) {
        const struct prof_label *l = &p->labels[i];
        ok = make_string(j, l->key) && make_string(j, l->str) &&
             make_string(j, l->unit);
    }
    return ok;
}

static bool put_jsonl_string(const struct jsonl *j, uint32_t id,
                             struct buf *out)
{
    return buf_put(out, j->text.v + j->string[id], j->end[id] - j->string[id]);
}

static bool put_jsonl_frame(void *ctx, const void *name, size_t n,
                            struct buf *to)
{
    struct jsonl *j = ctx;
    return json_put_text(to, name, n, &j->n_replaced) && buf_putc(to, ',');
}

static bool put_jsonl_labels(const struct jsonl *j,
                             const struct sample_printer *printer, uint32_t set)
{
    struct buf *out = printer->report.out;
    const struct profile *p = j->p;
    uint64_t from = p->labelset_off[set], end = p->labelset_off[set + 1];
    bool ok = true;
    for (uint64_t i = from; ok && i < end; i++) {
        const struct prof_label *l = &p->labels[i];
        ok = buf_puts(out, i == from ? "{\"key\":" : ",{\"key\":") &&
             put_jsonl_string(j, l->key, out);
        if (l->str)
            ok = ok && buf_puts(out, ",\"str\":") &&
                 put_jsonl_string(j, l->str, out);
        else
            ok = ok && buf_puts(out, ",\"num\":") && buf_put_i64(out, l->num) &&
                 buf_puts(out, ",\"num_unit\":") &&
                 put_jsonl_string(j, l->unit, out);
        ok = ok && buf_putc(out, '}') && stacktext_flow(&printer->stacks);
    }
    return ok;
}

static bool put_jsonl_row(struct sample_printer *printer, size_t s)
{
    const struct jsonl *j = printer->ctx;
    struct buf *out = printer->report.out;
    const struct profile *p = j->p;
    bool ok = buf_puts(out, "{\"value\":{");
    for (size_t i = 0; ok && i < p->n_types; i++)
        ok =
            buf_put(out, j->text.v + j->type[i], j->type[i + 1] - j->type[i]) &&
            buf_put_i64(out, p->values[s * p->n_types + i]) &&
            stacktext_flow(&printer->stacks);
    return ok && buf_puts(out, "},\"label\":[") &&
           put_jsonl_labels(j, printer, p->labelset[s]) &&
           buf_puts(out, "],\"stack\":[") &&
           stacktext_put(&printer->stacks, s, out) && buf_puts(out, "]}\n");
}

static bool print_jsonl(struct report *r, struct prof_err *err)
{
    struct jsonl j = {.p = r->p};
    struct columns columns;
    bool ok = columns_init(&columns, r->p, false, err) &&
              (make_strings(&j, &columns) || err_nomem(err)) &&
              put_rows(r, put_jsonl_frame, put_jsonl_row, &j, err);
    columns_free(&columns);
    if (ok)
        json_report_lost(r, j.n_replaced, "jq and JavaScript round");
    buf_free(&j.text);
    free(j.type);
    free(j.string);
    free(j.end);
    return ok;
}

const struct report_format report_jsonl = {
    .name = "jsonl",
    .help = "write samples as JSON, one per line",
    .suffixes = "jsonl ndjson",
    .needs = REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM | REPORT_NO_VALUES,
    .ignores = REPORT_AS_IT_IS,
    .print = print_jsonl,
};
