/* by.c - --by: the rows of --text for each value of a label */
#include <string.h>

#include "profile/columns.h"
#include "report/text/private.h"

/* Writes the line above a block: "host=web1: 12.50s, 41.67% of 30s". */
static bool put_heading(struct report *r, const struct split *s,
                        const struct split_value *v)
{
    const struct prof_slice name = split_name(s, v);
    return report_put_name(r, s->key, r->out) && buf_putc(r->out, '=') &&
           report_put_right(r->out, name.s, name.n, 0) &&
           buf_printf(r->out, ": %s, ", report_value(r, v->sum)) &&
           report_put_share(r->out, v->sum, r->total) &&
           buf_printf(r->out, " of %s\n", report_value(r, r->total));
}

static bool put_text(struct report *r, struct split *s, struct prof_err *err)
{
    bool ok = report_put_intro(r) || err_nomem(err);
    for (size_t i = 0; ok && i < s->n; i++) {
        const struct split_value *v = &s->v[i];
        struct toptable t = {0};
        ok = (((!i && !r->out->n) || buf_putc(r->out, '\n')) &&
              put_heading(r, s, v)) ||
             err_nomem(err);
        ok = ok && split_enter(s, v, err) && toptable_make(r, &t, err) &&
             ((toptable_put(r, &t) && report_flush(r)) || err_nomem(err));
        toptable_free(r, &t);
        split_leave(s);
    }
    return ok;
}

/*
 * Writes the rows of data.  Those of a value follow the row that --tags writes
 * for it.
 */
static bool put_data(struct report *r, struct split *s, struct rows *rows,
                     struct prof_err *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < s->n; i++) {
        const struct split_value *v = &s->v[i];
        struct toptable t = {0};
        const struct row tag = {.kind = "tag",
                                .of = prof_text(r->p, s->key),
                                .name = split_name(s, v),
                                .cum = v->sum};
        ok = (rows_put(rows, &tag) || err_nomem(err)) &&
             split_enter(s, v, err) && toptable_make(r, &t, err) &&
             (toptable_put_data(rows, &t, tag.name) || err_nomem(err));
        toptable_free(r, &t);
        split_leave(s);
    }
    return ok;
}

bool print_by(struct report *r, struct prof_err *err)
{
    struct split s;
    struct rows rows;
    if (r->opts->rows == REPORT_ROWS_TEXT) {
        bool ok = split_init(&s, r, err) && put_text(r, &s, err);
        split_free(&s);
        return ok;
    }
    /* rows_begin() chooses the units, which all values share. */
    bool begun = rows_begin(&rows, r) || err_nomem(err);
    bool ok = begun && split_init(&s, r, err) && put_data(r, &s, &rows, err);
    if (begun)
        split_free(&s);
    return rows_end(&rows, ok) || (ok && err_nomem(err));
}
