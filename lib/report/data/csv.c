/*
 * --csv and --tsv: a table with a row for each sample
 *
 * Columns are those of columns.h, and the stack behind them.  A field with
 * several values, as the stack is one, has them with semicolons between, and
 * in them a backslash before each semicolon and backslash.  CSV is that of
 * RFC 4180 but for the ends of lines, which are those of Unix; in TSV
 * backslashes, tabs and ends of lines are \\, \t, \n and \r
 * (https://www.iana.org/assignments/media-types/text/tab-separated-values
 * leaves no other way to have them).
 */
#include <stdlib.h>
#include <string.h>

#include "profile/text.h"
#include "report/data/columns.h"
#include "report/rows.h"

struct table {
    const struct profile *p;
    struct columns columns;
    char delimiter;
    /* Appends a field, whatever is in it. */
    bool (*put_field)(struct buf *out, const void *text, size_t n);
};

/* Quotes are doubled. */
static bool put_quoted(struct buf *out, const void *text, size_t n)
{
    const char *s = text, *end = s + n, *quote;
    bool ok = true;
    for (; ok && n && (quote = memchr(s, '"', (size_t)(end - s))); s = quote)
        ok = buf_put(out, s, (size_t)(++quote - s)) && buf_putc(out, '"');
    return ok && buf_put(out, s, (size_t)(end - s));
}

static bool put_csv(struct buf *out, const void *text, size_t n)
{
    const char *s = text;
    bool plain = true;
    for (size_t i = 0; plain && i < n; i++)
        plain = s[i] != '"' && s[i] != ',' && s[i] != '\n' && s[i] != '\r';
    if (plain)
        return buf_put(out, s, n);
    return buf_putc(out, '"') && put_quoted(out, s, n) && buf_putc(out, '"');
}

static bool put_tsv(struct buf *out, const void *text, size_t n)
{
    static const char special[] = "\\\t\n\r", letter[] = "\\tnr";
    const char *s = text;
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        const char *at = s[i] ? strchr(special, s[i]) : NULL;
        ok = at ? buf_putc(out, '\\') && buf_putc(out, letter[at - special])
                : buf_putc(out, s[i]);
    }
    return ok;
}

/* One of several values of a field. */
static bool put_element(struct buf *out, const char *s, size_t n)
{
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        ok = ((s[i] != ';' && s[i] != '\\') || buf_putc(out, '\\')) &&
             buf_putc(out, s[i]);
    return ok;
}

/* The stack of a CSV row is in quotes, so that it need not be looked at. */
static bool put_frame(void *ctx, const void *name, size_t n, struct buf *to)
{
    const struct table *t = ctx;
    struct buf element = {0};
    bool ok = put_element(&element, name, n) &&
              (t->delimiter == ',' ? put_quoted(to, element.v, element.n)
                                   : put_tsv(to, element.v, element.n)) &&
              buf_putc(to, ';');
    buf_free(&element);
    return ok;
}

static bool put_stack(const struct table *t, struct row_thread *mine, size_t s,
                      struct buf *out)
{
    if (!prof_depth(t->p, s))
        return true;
    if (t->delimiter != ',')
        return stacktext_put(&mine->stacks, s, out);
    return buf_putc(out, '"') && stacktext_put(&mine->stacks, s, out) &&
           buf_putc(out, '"');
}

static int by_column(const void *a, const void *b)
{
    const struct row_label *x = a, *y = b;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    return (x->label > y->label) - (x->label < y->label);
}

static bool sort_labels(const struct table *t, struct row_thread *mine,
                        uint32_t set)
{
    const struct profile *p = t->p;
    uint64_t i = p->labelset_off[set], end = p->labelset_off[set + 1];
    mine->labels.n = 0;
    for (; i < end; i++) {
        struct row_label l = {t->columns.label_column[i], &p->labels[i]};
        if (!vec_push(&mine->labels, l))
            return false;
    }
    if (mine->labels.n > 1)
        qsort(mine->labels.v, mine->labels.n, sizeof *mine->labels.v,
              by_column);
    return true;
}

static bool put_label(const struct profile *p, const struct prof_label *l,
                      struct buf *out)
{
    if (!l->str)
        return buf_put_i64(out, l->num);
    struct slice text = prof_text(p, l->str);
    return put_element(out, text.s, text.n);
}

static bool put_labels(const struct table *t, struct row_thread *mine,
                       uint32_t set, struct buf *out)
{
    if (!sort_labels(t, mine, set))
        return false;
    size_t k = 0, n = mine->labels.n;
    const struct row_label *v = mine->labels.v;
    for (uint32_t column = 0; column < t->columns.n_labels; column++) {
        size_t from = k;
        mine->field.n = 0;
        for (; k < n && v[k].column == column; k++)
            if ((k > from && !buf_putc(&mine->field, ';')) ||
                !put_label(t->p, v[k].label, &mine->field))
                return false;
        if (!t->put_field(out, mine->field.v, mine->field.n) ||
            !buf_putc(out, t->delimiter) || !stacktext_flow(&mine->stacks))
            return false;
    }
    return true;
}

static bool put_row(void *ctx, struct row_thread *mine, size_t s,
                    struct buf *out)
{
    const struct table *t = ctx;
    const struct profile *p = t->p;
    const int64_t *value = p->values + s * p->n_types;
    for (size_t i = 0; i < p->n_types; i++)
        if (!buf_put_i64(out, value[i]) || !buf_putc(out, t->delimiter))
            return false;
    return put_labels(t, mine, p->labelset[s], out) &&
           put_stack(t, mine, s, out) && buf_putc(out, '\n');
}

static bool put_header(const struct table *t, struct buf *out)
{
    const struct columns *c = &t->columns;
    for (size_t i = 0; i < c->n_types + c->n_labels; i++) {
        uint32_t id = c->name[i];
        if (!t->put_field(out, strtab_str(&c->names, id),
                          strtab_len(&c->names, id)) ||
            !buf_putc(out, t->delimiter))
            return false;
    }
    return buf_puts(out, "stack\n");
}

static bool print_table(struct report *r, struct table *t, struct err *err)
{
    const struct row_maker maker = {
        .put_frame = put_frame, .between = 1, .put_row = put_row, .ctx = t};
    bool ok = columns_init(&t->columns, r->p, true, err) &&
              (put_header(t, r->out) || err_nomem(err)) &&
              rows_print(r, &maker, err);
    columns_free(&t->columns);
    return ok;
}

static bool print_csv(struct report *r, struct err *err)
{
    struct table t = {.p = r->p, .delimiter = ',', .put_field = put_csv};
    return print_table(r, &t, err);
}

static bool print_tsv(struct report *r, struct err *err)
{
    struct table t = {.p = r->p, .delimiter = '\t', .put_field = put_tsv};
    return print_table(r, &t, err);
}

const struct report_format report_csv = {
    .name = "csv",
    .help = "a table of samples, with commas",
    .suffixes = "csv",
    .needs = REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM,
    .ignores = REPORT_AS_IT_IS,
    .print = print_csv,
};

const struct report_format report_tsv = {
    .name = "tsv",
    .help = "the same, with tabs",
    .suffixes = "tsv",
    .needs = REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM,
    .ignores = REPORT_AS_IT_IS,
    .print = print_tsv,
};
