/*
 * json.c - --json: the whole profile for other programs
 *
 * The names are those of profile.proto; strings stand where the message has
 * indices of its string table, and positions in the arrays of this text where
 * it has ids.  man/pbcat.schema.json is the grammar; profutils-formats(5)
 * describes it.
 *
 * Numbers of 64 bits are strings of decimal digits: a JSON number of more
 * than 53 bits loses digits in jq and in JavaScript.  What is not UTF-8
 * becomes U+FFFD, which is noted.
 */
#include <stdatomic.h>

#include "report/data/private.h"
#include "report/escape.h"
#include "report/samples.h"

struct json {
    struct report *r;
    struct buf *out;
    size_t n_replaced; /* bytes that are not UTF-8 */
};

static bool put_json_string(struct json *j, uint32_t id)
{
    const struct strtab *t = &j->r->p->strings;
    return json_put_string(j->out, t, id, &j->n_replaced);
}

/* --- members of an object: ,"name": and the value ------------------------- */

static bool put_member_name(struct json *j, const char *name)
{
    char last = (char)j->out->v[j->out->n - 1];
    return (last == '{' || buf_putc(j->out, ',')) && buf_putc(j->out, '"') &&
           buf_puts(j->out, name) && buf_puts(j->out, "\":");
}

static bool member_str(struct json *j, const char *name, uint32_t id)
{
    return put_member_name(j, name) && put_json_string(j, id);
}

static bool member_i64(struct json *j, const char *name, int64_t v)
{
    return put_member_name(j, name) && buf_putc(j->out, '"') &&
           buf_put_i64(j->out, v) && buf_putc(j->out, '"');
}

static bool member_u64(struct json *j, const char *name, uint64_t v)
{
    return put_member_name(j, name) && buf_putc(j->out, '"') &&
           buf_put_u64(j->out, v) && buf_putc(j->out, '"');
}

static bool member_bool(struct json *j, const char *name, bool v)
{
    return put_member_name(j, name) && buf_puts(j->out, v ? "true" : "false");
}

/* Writes a position in another array, or null. */
static bool member_ref(struct json *j, const char *name, uint32_t index)
{
    return put_member_name(j, name) &&
           (index == PROF_NONE ? buf_puts(j->out, "null")
                               : buf_put_u64(j->out, index));
}

static bool put_json_type(struct json *j, const struct prof_value_type *t)
{
    return buf_putc(j->out, '{') && member_str(j, "type", t->type) &&
           member_str(j, "unit", t->unit) && buf_putc(j->out, '}');
}

static bool put_json_mapping(struct json *j, size_t i)
{
    const struct prof_mapping *m = &j->r->p->mappings[i];
    return buf_putc(j->out, '{') && member_u64(j, "id", m->id) &&
           member_u64(j, "memory_start", m->start) &&
           member_u64(j, "memory_limit", m->limit) &&
           member_u64(j, "file_offset", m->offset) &&
           member_str(j, "filename", m->filename) &&
           member_str(j, "build_id", m->build_id) &&
           member_bool(j, "has_functions", m->has_functions) &&
           member_bool(j, "has_filenames", m->has_filenames) &&
           member_bool(j, "has_line_numbers", m->has_line_numbers) &&
           member_bool(j, "has_inline_frames", m->has_inline_frames) &&
           buf_putc(j->out, '}');
}

static bool put_json_function(struct json *j, size_t i)
{
    const struct prof_function *f = &j->r->p->functions[i];
    return buf_putc(j->out, '{') && member_u64(j, "id", f->id) &&
           member_str(j, "name", f->name) &&
           member_str(j, "system_name", f->system_name) &&
           member_str(j, "filename", f->filename) &&
           member_i64(j, "start_line", f->start_line) && buf_putc(j->out, '}');
}

static bool put_json_location(struct json *j, size_t i)
{
    const struct prof_location *l = &j->r->p->locations[i];
    bool ok = buf_putc(j->out, '{') && member_u64(j, "id", l->id) &&
              member_ref(j, "mapping", l->mapping) &&
              member_u64(j, "address", l->address) &&
              put_member_name(j, "line") && buf_putc(j->out, '[');
    for (uint32_t k = 0; ok && k < l->n_lines; k++) {
        const struct prof_line *line = &j->r->p->lines[l->line_off + k];
        ok = (!k || buf_putc(j->out, ',')) && buf_putc(j->out, '{') &&
             member_ref(j, "function", line->function) &&
             member_i64(j, "line", line->line) &&
             member_i64(j, "column", line->column) && buf_putc(j->out, '}');
    }
    return ok && buf_putc(j->out, ']') &&
           member_bool(j, "is_folded", l->is_folded) && buf_putc(j->out, '}');
}

static bool put_json_labels(struct json *j, const struct stacktext *stacks,
                            uint32_t set)
{
    const struct profile *p = j->r->p;
    uint64_t first = p->labelset_off[set], end = p->labelset_off[set + 1];
    bool ok = true;
    for (uint64_t i = first; ok && i < end; i++) {
        const struct prof_label *l = &p->labels[i];
        ok = (i == first || buf_putc(j->out, ',')) && buf_putc(j->out, '{') &&
             member_str(j, "key", l->key) &&
             (l->str ? member_str(j, "str", l->str)
                     : member_i64(j, "num", l->num) &&
                           member_str(j, "num_unit", l->unit)) &&
             buf_putc(j->out, '}') && stacktext_flow(stacks);
    }
    return ok;
}

static bool put_json_sample(struct sample_printer *printer, size_t s)
{
    struct json json = {.r = &printer->report, .out = printer->report.out};
    const struct profile *p = json.r->p;
    struct buf *out = json.out;
    atomic_size_t *n_replaced = printer->ctx;
    bool ok = buf_puts(out, s ? ",\n{\"location\":[" : "\n{\"location\":[") &&
              stacktext_put(&printer->stacks, s, out) &&
              buf_puts(out, "],\"value\":[");
    for (size_t i = 0; ok && i < p->n_types; i++)
        ok = buf_puts(out, i ? ",\"" : "\"") &&
             buf_put_i64(out, p->values[s * p->n_types + i]) &&
             buf_putc(out, '"') && stacktext_flow(&printer->stacks);
    ok = ok && buf_puts(out, "],\"label\":[") &&
         put_json_labels(&json, &printer->stacks, p->labelset[s]) &&
         buf_puts(out, "]}");
    if (json.n_replaced)
        atomic_fetch_add(n_replaced, json.n_replaced);
    return ok;
}

/* Writes the samples; each location in a stack is its position. */
static bool member_samples(struct json *j)
{
    const struct profile *p = j->r->p;
    struct stacktext stacks = {.p = p, .cut = 1};
    atomic_size_t n_replaced = 0;
    bool ok = put_member_name(j, "sample") && buf_putc(j->out, '[');
    for (size_t l = 0; ok && l < p->n_locations; l++)
        ok = buf_put_u64(&stacks.text, l) && buf_putc(&stacks.text, ',') &&
             stacktext_piece(&stacks);
    ok = ok && report_samples(j->r, &stacks, put_json_sample, &n_replaced) &&
         buf_puts(j->out, p->n_samples ? "\n]" : "]");
    stacktext_free(&stacks);
    j->n_replaced += n_replaced;
    return ok;
}

static bool put_sample_type(struct json *j, size_t i)
{
    return put_json_type(j, &j->r->p->types[i]);
}

static bool put_json_comment(struct json *j, size_t i)
{
    return put_json_string(j, j->r->p->comments[i]);
}

/* Writes a member that is an array, with a line for each element. */
static bool member_array(struct json *j, const char *name, size_t n,
                         bool (*put)(struct json *j, size_t i))
{
    bool ok = put_member_name(j, name) && buf_putc(j->out, '[');
    for (size_t i = 0; ok && i < n; i++)
        ok = buf_puts(j->out, i ? ",\n" : "\n") && put(j, i) &&
             report_flush(j->r);
    return ok && buf_puts(j->out, n ? "\n]" : "]");
}

static bool print_json(struct report *r, struct prof_err *err)
{
    const struct profile *p = r->p;
    struct json json = {.r = r, .out = r->out}, *j = &json;
    bool ok = buf_putc(j->out, '{') &&
              member_array(j, "sample_type", p->n_types, put_sample_type) &&
              member_samples(j) &&
              member_array(j, "mapping", p->n_mappings, put_json_mapping) &&
              member_array(j, "location", p->n_locations, put_json_location) &&
              member_array(j, "function", p->n_functions, put_json_function) &&
              member_str(j, "drop_frames", p->drop_frames) &&
              member_str(j, "keep_frames", p->keep_frames) &&
              member_i64(j, "time_nanos", p->time_nanos) &&
              member_i64(j, "duration_nanos", p->duration_nanos) &&
              put_member_name(j, "period_type") &&
              put_json_type(j, &p->period_type) &&
              member_i64(j, "period", p->period) &&
              member_array(j, "comment", p->n_comments, put_json_comment) &&
              member_str(j, "default_sample_type", p->default_sample_type) &&
              member_str(j, "doc_url", p->doc_url) && buf_puts(j->out, "}\n");
    if (ok)
        json_report_lost(r, j->n_replaced, NULL);
    return ok || err_nomem(err);
}

const struct report_format report_json = {
    .name = "json",
    .help = "write the whole profile as JSON",
    .common = true,
    .suffixes = "json",
    .needs = REPORT_NO_VALUES,
    .ignores = REPORT_AS_IT_IS | REPORT_NO_DETAIL | REPORT_NO_INLINING,
    .print = print_json,
};
