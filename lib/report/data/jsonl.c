/*
 * --jsonl: a JSON object for each sample, on a line of its own
 *
 * Nothing refers to anything: values have the names of columns.h, frames are
 * text.  man/pbcat.jsonl.schema.json is the grammar of a line, pbcat(1) the
 * manual.
 */
#include <stdlib.h>

#include "report/data/columns.h"
#include "report/data/jsontext.h"
#include "report/rows.h"
#include "report/wide.h"

struct jsonl {
    const struct profile *p;
    struct buf text;
    size_t *type;   /* by sample type: text[type[i] .. type[i + 1]) */
    size_t *string; /* by string id, where labels have it: it begins there, */
    size_t *end;    /* and it ends */
    size_t n_replaced;
};

static void jsonl_free(struct jsonl *j)
{
    buf_free(&j->text);
    free(j->type);
    free(j->string);
    free(j->end);
}

/* {"value":{"cpu/nanoseconds":  and  ,"contentions/count":  and so on */
static bool make_types(struct jsonl *j, const struct columns *c)
{
    j->type = mem_array(c->n_types + 1, sizeof *j->type);
    bool ok = j->type;
    for (size_t i = 0; ok && i < c->n_types; i++) {
        uint32_t id = c->name[i];
        j->type[i] = j->text.n;
        ok = (!i || buf_putc(&j->text, ',')) &&
             json_put_text(&j->text, strtab_str(&c->names, id),
                           strtab_len(&c->names, id), &j->n_replaced) &&
             buf_putc(&j->text, ':');
    }
    if (ok)
        j->type[c->n_types] = j->text.n;
    return ok;
}

static bool make_string(struct jsonl *j, uint32_t id)
{
    const struct strtab *t = &j->p->strings;
    if (j->end[id])
        return true;
    j->string[id] = j->text.n;
    bool ok = json_put_text(&j->text, strtab_str(t, id), strtab_len(t, id),
                            &j->n_replaced);
    j->end[id] = j->text.n;
    return ok;
}

/* Strings are made into JSON once, not for each sample. */
static bool make_strings(struct jsonl *j)
{
    const struct profile *p = j->p;
    j->string = mem_array(p->strings.n, sizeof *j->string);
    j->end = mem_zarray(p->strings.n, sizeof *j->end);
    bool ok = j->string && j->end;
    for (size_t i = 0; ok && i < p->n_labels; i++) {
        const struct prof_label *l = &p->labels[i];
        ok = make_string(j, l->key) && make_string(j, l->str) &&
             make_string(j, l->unit);
    }
    return ok;
}

static bool put_string(const struct jsonl *j, uint32_t id, struct buf *out)
{
    return buf_put(out, j->text.v + j->string[id], j->end[id] - j->string[id]);
}

static bool put_frame(void *ctx, const void *name, size_t n, struct buf *to)
{
    struct jsonl *j = ctx;
    return json_put_text(to, name, n, &j->n_replaced) && buf_putc(to, ',');
}

static bool put_label(const struct jsonl *j, const struct prof_label *l,
                      struct buf *out)
{
    if (!buf_puts(out, "{\"key\":") || !put_string(j, l->key, out))
        return false;
    if (l->str)
        return buf_puts(out, ",\"str\":") && put_string(j, l->str, out) &&
               buf_putc(out, '}');
    return buf_puts(out, ",\"num\":") && buf_put_i64(out, l->num) &&
           buf_puts(out, ",\"num_unit\":") && put_string(j, l->unit, out) &&
           buf_putc(out, '}');
}

static bool put_labels(const struct jsonl *j, const struct row_thread *t,
                       uint32_t set, struct buf *out)
{
    const struct profile *p = j->p;
    uint64_t from = p->labelset_off[set], end = p->labelset_off[set + 1];
    bool ok = true;
    for (uint64_t i = from; ok && i < end; i++)
        ok = (i == from || buf_putc(out, ',')) &&
             put_label(j, &p->labels[i], out) && stacktext_flow(&t->stacks);
    return ok;
}

static bool put_row(void *ctx, struct row_thread *t, size_t s, struct buf *out)
{
    const struct jsonl *j = ctx;
    const struct profile *p = j->p;
    bool ok = buf_puts(out, "{\"value\":{");
    for (size_t i = 0; ok && i < p->n_types; i++)
        ok =
            buf_put(out, j->text.v + j->type[i], j->type[i + 1] - j->type[i]) &&
            buf_put_i64(out, p->values[s * p->n_types + i]) &&
            stacktext_flow(&t->stacks);
    return ok && buf_puts(out, "},\"label\":[") &&
           put_labels(j, t, p->labelset[s], out) &&
           buf_puts(out, "],\"stack\":[") &&
           stacktext_put(&t->stacks, s, out) && buf_puts(out, "]}\n");
}

static bool print(struct report *r, struct err *err)
{
    struct jsonl j = {.p = r->p};
    struct columns columns;
    const struct row_maker maker = {
        .put_frame = put_frame, .between = 1, .put_row = put_row, .ctx = &j};
    bool ok =
        columns_init(&columns, r->p, false, err) &&
        ((make_types(&j, &columns) && make_strings(&j)) || err_nomem(err)) &&
        rows_print(r, &maker, err);
    columns_free(&columns);
    if (ok) {
        json_warn_replaced(r, j.n_replaced);
        wide_warn(r, "jq and JavaScript round");
    }
    jsonl_free(&j);
    return ok;
}

const struct report_format report_jsonl = {
    .name = "jsonl",
    .help = "a line of JSON for each sample",
    .suffixes = "jsonl ndjson",
    .needs = REPORT_FRAMES | REPORT_DETAIL | REPORT_TRIM,
    .ignores = REPORT_AS_IT_IS,
    .print = print,
};
