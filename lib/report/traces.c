/* --traces: every sample with its labels and its whole stack. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "profile/labelunit.h"
#include "profile/measure.h"
#include "report/format.h"
#include "report/labels.h"

#define SEPARATOR                                                              \
    "-----------+-------------------------------------------------------\n"

/* What stands before a frame that has no value: room for one. */
#define MARGIN "             "

struct traces {
    struct report *r;
    struct nodes nodes;
    struct buf text; /* the lines of all nodes where they are no leaves */
    uint64_t *line;  /* node k's is text[line[k] .. line[k + 1]) */
    uint32_t *unit;  /* by key's string id: string id of its numbers' unit */
    struct labels_scratch scratch;
};

static bool name_nodes(struct traces *t, struct err *err)
{
    t->line = mem_array(t->nodes.n + 1, sizeof *t->line);
    if (!t->line)
        return err_nomem(err);
    for (size_t k = 0; k < t->nodes.n; k++) {
        t->line[k] = t->text.n;
        if (!buf_puts(&t->text, MARGIN) ||
            !node_name(&t->nodes, (uint32_t)k, &t->text) ||
            !buf_putc(&t->text, '\n'))
            return err_nomem(err);
    }
    t->line[t->nodes.n] = t->text.n;
    return true;
}

/* "    thread:  main", for each string label. */
static bool put_string_label(void *ctx, const struct prof_label *v, size_t n,
                             struct buf *to)
{
    const struct traces *t = ctx;
    const struct strtab *s = &t->r->p->strings;
    if (!report_put_right(to, strtab_str(s, v->key), strtab_len(s, v->key),
                          10) ||
        !buf_puts(to, ": "))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!buf_putc(to, ' ') ||
            !buf_put(to, strtab_str(s, v[i].str), strtab_len(s, v[i].str)))
            return false;
    return buf_putc(to, '\n');
}

/* "     bytes:  4kB", for each number. */
static bool put_number_label(void *ctx, const struct prof_label *v, size_t n,
                             struct buf *to)
{
    struct traces *t = ctx;
    const struct strtab *s = &t->r->p->strings;
    const char *unit = strtab_str(s, t->unit[v->key]);
    size_t size = MEASURE_TEXT + strlen(unit);
    if (!report_put_right(to, strtab_str(s, v->key), strtab_len(s, v->key),
                          10) ||
        !buf_puts(to, ": "))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!buf_putc(to, ' ') || !buf_reserve(to, size))
            return false;
        char *text = (char *)to->v + to->n;
        to->n += strlen(measure_label(text, size, v[i].num, unit, "auto"));
    }
    return buf_putc(to, '\n');
}

/* The line of a frame; with the value, if not null, in its margin. */
static bool put_frame(struct traces *t, uint32_t node, const char *value,
                      bool inlined)
{
    struct buf *out = t->r->out;
    const uint8_t *line = t->text.v + t->line[node];
    size_t n = (size_t)(t->line[node + 1] - t->line[node]);
    if (!value && !inlined)
        return buf_put(out, line, n);
    size_t margin = value ? strlen(MARGIN) : 0;
    return (!value || (report_put_right(out, value, strlen(value), 10) &&
                       buf_puts(out, "   "))) &&
           buf_put(out, line + margin, n - margin - 1) &&
           (!inlined || buf_puts(out, " (inline)")) && buf_putc(out, '\n');
}

static bool put_stack(struct traces *t, size_t s)
{
    struct report *r = t->r;
    const uint32_t *stack = prof_stack(r->p, s);
    const int64_t *values = r->p->values + s * r->p->n_types;
    int64_t div = r->opts->mean ? values[0] : 0;
    const char *value = report_value(r, graph_mean(values[r->type], div));
    for (size_t i = 0; i < prof_depth(r->p, s); i++) {
        uint64_t k = t->nodes.off[stack[i]], end = t->nodes.off[stack[i] + 1];
        for (; k < end; k++) {
            if (!put_frame(t, t->nodes.of[k], value, k + 1 < end))
                return false;
            value = NULL;
        }
    }
    return true;
}

static bool put_sample(struct traces *t, size_t s)
{
    struct report *r = t->r;
    uint32_t set = r->p->labelset[s];
    return buf_puts(r->out, SEPARATOR) &&
           labels_put(r->p, set, true, put_string_label, t, "", &t->scratch,
                      r->out) &&
           labels_put(r->p, set, false, put_number_label, t, "", &t->scratch,
                      r->out) &&
           put_stack(t, s);
}

static bool put_all(struct traces *t)
{
    struct report *r = t->r;
    size_t before = r->out->n;
    if (!report_header(r) || (r->out->n == before && !buf_putc(r->out, '\n')))
        return false;
    for (size_t s = 0; s < r->p->n_samples; s++)
        if (prof_depth(r->p, s) && (!put_sample(t, s) || !report_pass_on(r)))
            return false;
    return buf_puts(r->out, SEPARATOR);
}

static bool print(struct report *r, struct err *err)
{
    struct traces t = {.r = r};
    bool ok = nodes_init(&t.nodes, r->p, err) && name_nodes(&t, err) &&
              prof_label_units(r->p, &t.unit, r->notes, err) &&
              (put_all(&t) || err_nomem(err));
    nodes_free(&t.nodes);
    buf_free(&t.text);
    free(t.line);
    free(t.unit);
    labels_scratch_free(&t.scratch);
    return ok;
}

const struct report_format report_traces = {
    .name = "traces",
    .needs = REPORT_FRAMES | REPORT_DETAIL | REPORT_VALUES,
    .print = print,
};
