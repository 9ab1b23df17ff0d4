/* rawtext.c - --raw: the profile entity by entity, with the ids of its file */
#include <inttypes.h>

#include "base/prefetch.h"
#include "report/samples.h"

/* Writes the part before the samples, with the sample types. */
static bool put_raw_head(struct report *r)
{
    const struct profile *p = r->p;
    struct buf *out = r->out;
    bool ok = true;
    for (size_t i = 0; ok && i < p->n_comments; i++)
        ok = buf_puts(out, "Comment: ") &&
             report_put_lines(r, p->comments[i]) && buf_putc(out, '\n');
    if (p->doc_url)
        ok = ok && buf_puts(out, "Doc: ") &&
             report_put_name(r, p->doc_url, out) && buf_putc(out, '\n');
    ok = ok && buf_puts(out, "PeriodType: ") &&
         report_put_name(r, p->period_type.type, out) && buf_putc(out, ' ') &&
         report_put_name(r, p->period_type.unit, out) &&
         buf_printf(out, "\nPeriod: %" PRId64 "\n", p->period);
    if (p->time_nanos)
        ok = ok && buf_puts(out, "Time: ") &&
             report_put_time(out, p->time_nanos, true) && buf_putc(out, '\n');
    if (p->duration_nanos)
        ok = ok && buf_puts(out, "Duration: ") &&
             report_put_duration(out, p->duration_nanos, 4) &&
             buf_putc(out, '\n');
    ok = ok && buf_puts(out, "Samples:\n");
    for (size_t i = 0; ok && i < p->n_types; i++) {
        bool dflt = p->types[i].type == p->default_sample_type;
        ok = (!i || buf_putc(out, ' ')) &&
             report_put_name(r, p->types[i].type, out) && buf_putc(out, '/') &&
             report_put_name(r, p->types[i].unit, out) &&
             buf_puts(out, dflt ? "[dflt]" : "");
    }
    return ok && buf_putc(out, '\n');
}

/* Writes string labels: "thread:[main worker]". */
static bool put_string_label(void *ctx, const struct prof_label *v, size_t n,
                             struct buf *to)
{
    if (!report_put_name(ctx, v->key, to))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!buf_puts(to, i ? " " : ":[") ||
            !report_put_name(ctx, v[i].str, to))
            return false;
    return buf_putc(to, ']');
}

/*
 * Writes number labels: "bytes:[4096]", or "bytes:[4096 B]" if any has a unit.
 */
static bool put_number_label(void *ctx, const struct prof_label *v, size_t n,
                             struct buf *to)
{
    bool units = false;
    for (size_t i = 0; i < n; i++)
        units |= v[i].unit != 0;
    if (!report_put_name(ctx, v->key, to))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!buf_puts(to, i ? " " : ":[") || !buf_put_i64(to, v[i].num) ||
            (units &&
             (!buf_putc(to, ' ') || !report_put_name(ctx, v[i].unit, to))))
            return false;
    return buf_putc(to, ']');
}

static bool put_raw_labels(struct report *r, uint32_t set, bool strings,
                           struct labels_scratch *scratch)
{
    const struct profile *p = r->p;
    const struct labels_style style = {
        .strings = strings,
        .entry = strings ? put_string_label : put_number_label,
        .ctx = r,
        .between = " ",
    };
    uint64_t i = p->labelset_off[set], end = p->labelset_off[set + 1];
    while (i < end && strings != (p->labels[i].str != 0))
        i++;
    return i == end || (buf_puts(r->out, "                ") &&
                        labels_put(p, set, &style, scratch, r->out) &&
                        buf_putc(r->out, '\n'));
}

static bool put_raw_sample(struct sample_printer *printer, size_t s)
{
    struct report *r = &printer->report;
    const struct profile *p = r->p;
    for (size_t i = 0; i < p->n_types; i++)
        if (!buf_putc(r->out, ' ') ||
            !report_put_int(r->out, p->values[s * p->n_types + i], 10))
            return false;
    uint32_t set = p->labelset[s];
    return buf_puts(r->out, ": ") &&
           stacktext_put(&printer->stacks, s, r->out) &&
           buf_putc(r->out, '\n') &&
           (!set || (put_raw_labels(r, set, true, &printer->scratch) &&
                     put_raw_labels(r, set, false, &printer->scratch)));
}

static bool put_raw_line(struct report *r, const struct prof_line *line)
{
    struct buf *out = r->out;
    if (line->function == PROF_NONE)
        return buf_puts(out, "??\n");
    const struct prof_function *f = &r->p->functions[line->function];
    if (!report_put_name(r, f->name, r->out) || !buf_putc(out, ' ') ||
        !report_put_name(r, f->filename, r->out) || !buf_putc(out, ':') ||
        !buf_put_i64(out, line->line) || !buf_putc(out, ':') ||
        !buf_put_i64(out, line->column) || !buf_puts(out, " s=") ||
        !buf_put_i64(out, f->start_line))
        return false;
    if (f->name != f->system_name &&
        (!buf_putc(out, '(') || !report_put_name(r, f->system_name, r->out) ||
         !buf_putc(out, ')')))
        return false;
    return buf_putc(out, '\n');
}

enum { AHEAD = 4 }; /* locations between two steps */

/*
 * Prefetches the names of locations after location l, in steps, as each needs
 * what the one before fetched.
 */
ALWAYS_INLINE static inline void prefetch_names(const struct profile *p,
                                                size_t l)
{
    const struct strtab *t = &p->strings;
    for (size_t step = 1; step <= 3 && l + step * AHEAD < p->n_locations;
         step++) {
        const struct prof_location *at = &p->locations[l + step * AHEAD];
        uint32_t f = at->n_lines ? p->lines[at->line_off].function : PROF_NONE;
        if (f == PROF_NONE)
            continue;
        const struct prof_function *function = &p->functions[f];
        if (step == 3) {
            __builtin_prefetch(function);
        } else if (step == 2) {
            __builtin_prefetch(&t->str[function->name]);
            __builtin_prefetch(&t->str[function->filename]);
            __builtin_prefetch(&t->len[function->name]);
            __builtin_prefetch(&t->len[function->filename]);
        } else {
            __builtin_prefetch(t->str[function->name]);
            __builtin_prefetch(t->str[function->filename]);
        }
    }
}

/* Writes a location: "    12: 0x4005d0 M=1 [F] " and its lines. */
static bool put_raw_location(struct report *r, const struct prof_location *l)
{
    /* Formatted by hand for speed, as there are many locations. */
    char text[16], *end = text + sizeof text, *at = end;
    uint64_t a = l->address;
    struct buf *out = r->out;
    do
        *--at = "0123456789abcdef"[a % 16];
    while (a /= 16);
    for (uint64_t width = 100000; width > 1 && l->id < width; width /= 10)
        if (!buf_putc(out, ' '))
            return false;
    bool ok = buf_put_u64(out, l->id) && buf_puts(out, ": 0x") &&
              buf_put(out, at, (size_t)(end - at)) && buf_putc(out, ' ');
    if (l->mapping != PROF_NONE)
        ok = ok && buf_puts(out, "M=") &&
             buf_put_u64(out, r->p->mappings[l->mapping].id) &&
             buf_putc(out, ' ');
    ok = ok && (!l->is_folded || buf_puts(out, "[F] "));
    for (uint32_t i = 0; ok && i < l->n_lines; i++)
        ok = (!i || buf_puts(out, "             ")) &&
             put_raw_line(r, &r->p->lines[l->line_off + i]);
    return ok && (l->n_lines || buf_putc(out, '\n'));
}

static bool print_raw(struct report *r, struct prof_err *err)
{
    const struct profile *p = r->p;
    struct buf *out = r->out;
    bool ok = put_raw_head(r);

    /* Stacks show the ids of locations. */
    struct stacktext stacks = {.p = p};
    (void)vec_reserve(&stacks.pieces, p->n_locations);
    for (size_t l = 0; ok && l < p->n_locations; l++)
        ok = buf_put_u64(&stacks.text, p->locations[l].id) &&
             buf_putc(&stacks.text, ' ') && stacktext_piece(&stacks);
    ok = ok && report_samples(r, &stacks, put_raw_sample, NULL);
    stacktext_free(&stacks);

    ok = ok && buf_puts(out, "Locations\n");
    for (size_t l = 0; ok && l < p->n_locations; l++) {
        prefetch_names(p, l);
        ok = put_raw_location(r, &p->locations[l]) && report_flush(r);
    }

    ok = ok && buf_puts(out, "Mappings\n");
    for (size_t i = 0; ok && i < p->n_mappings; i++) {
        const struct prof_mapping *m = &p->mappings[i];
        ok = buf_printf(
                 out, "%" PRIu64 ": 0x%" PRIx64 "/0x%" PRIx64 "/0x%" PRIx64 " ",
                 m->id, m->start, m->limit, m->offset) &&
             report_put_name(r, m->filename, out) && buf_putc(out, ' ') &&
             report_put_name(r, m->build_id, out) &&
             buf_printf(out, " %s%s%s%s\n", m->has_functions ? "[FN]" : "",
                        m->has_filenames ? "[FL]" : "",
                        m->has_line_numbers ? "[LN]" : "",
                        m->has_inline_frames ? "[IN]" : "");
    }
    return ok || err_nomem(err);
}

const struct report_format report_raw = {
    .name = "raw",
    .help = "print everything in the profile",
    .suffixes = "txt",
    .needs = REPORT_FRAMES | REPORT_ADDRESSES | REPORT_NO_VALUES,
    .ignores = REPORT_AS_IT_IS | REPORT_NO_DETAIL,
    .print = print_raw,
};
