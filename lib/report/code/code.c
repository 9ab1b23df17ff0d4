/* code.c - the query, the binaries and the lines of a listing */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/vec.h"
#include "report/code/private.h"
#include "symbolize/symbol.h"

/* --- the query --- */

/* Reads a number as Go writes it: decimal; 0x, 0o or 0 octal, 0b. */
static bool parse_number(const char *text, uint64_t *number)
{
    const char letter = text[0] == '0' ? (char)(text[1] | ('a' - 'A')) : 0;
    unsigned base = text[0] == '0' ? 8 : 10;
    if (letter == 'x' || letter == 'o' || letter == 'b') {
        base = letter == 'x' ? 16 : letter == 'o' ? 8 : 2;
        text += 2;
    }
    *number = 0;
    for (const char *s = text; *s; s++) {
        int digit = ascii_hex_value(*s);
        if (digit < 0 || (unsigned)digit >= base ||
            __builtin_mul_overflow(*number, base, number) ||
            __builtin_add_overflow(*number, (uint64_t)digit, number))
            return false;
    }
    return *text;
}

bool code_init(struct code *c, struct report *r, const char *option,
               struct prof_err *err)
{
    const char *text = r->opts->pattern;
    *c = (struct code){.r = r};
    c->is_address = parse_number(text, &c->address);
    c->verdict = mem_zarray(r->p->strings.n, 1);
    c->missing = mem_zarray(r->p->n_mappings, sizeof *c->missing);
    if (!c->verdict || !c->missing)
        return err_nomem(err);
    return regex_new(&c->re, text, option, PROF_ERR_USAGE, err) &&
           (c->cache = sym_cache_new(err));
}

void code_free(struct code *c)
{
    regex_free(c->re);
    free(c->verdict);
    free(c->missing);
    sym_cache_free(c->cache);
    sources_free(c);
}

int code_match_id(struct code *c, uint32_t id, struct prof_err *err)
{
    const struct strtab *t = &c->r->p->strings;
    if (!c->verdict[id]) {
        int yes = regex_match(c->re, strtab_str(t, id), strtab_len(t, id), err);
        if (yes < 0)
            return -1;
        c->verdict[id] = (uint8_t)(1 + yes);
    }
    return c->verdict[id] == 2;
}

/* --- binaries --- */

static bool report_missing(struct code *c, uint32_t mapping, const char *why)
{
    const struct profile *p = c->r->p;
    const char *file = prof_plain(p, p->mappings[mapping].filename);
    c->missing[mapping] = true;
    if (sym_has_no_file(file))
        note_info(c->r->notes, "%s: binary not found; no code is shown", file);
    else
        note_warn(c->r->notes, "%s: code not shown: %s",
                  *file ? file : "a binary without a name", why);
    return true;
}

bool code_binary(struct code *c, uint32_t mapping, uint64_t seen,
                 struct mapped_binary *to, struct prof_err *err)
{
    const struct report_opts *o = c->r->opts;
    const struct profile *p = c->r->p;
    const struct prof_mapping *m = &p->mappings[mapping];
    bool is_named = !mapping && o->binary;
    const struct sym_wanted wanted = {
        .file = is_named ? o->binary : prof_plain(p, m->filename),
        .build_id = prof_plain(p, m->build_id),
        .path = o->binary_path,
        .named_only = is_named,
        .notes = c->r->notes};
    struct prof_err why;
    *to = (struct mapped_binary){0};
    if (c->missing[mapping])
        return true;
    switch (sym_cache_find(c->cache, &wanted, &to->files, &why)) {
    case SYM_FOUND:
        if (sym_bias(&to->files->image, m, seen, &to->bias))
            return true;
        to->files = NULL;
        return report_missing(c, mapping,
                              TEXT("the mapping belongs to another file"));
    case SYM_NOT_FOUND:
        return report_missing(c, mapping, why.text);
    default:
        *err = why;
        return false;
    }
}

/* --- listing --- */

bool listing_add(struct graph_value *sum, const struct graph_value *w,
                 struct prof_err *err)
{
    if (__builtin_add_overflow(sum->flat, w->flat, &sum->flat) ||
        __builtin_add_overflow(sum->cum, w->cum, &sum->cum) ||
        __builtin_add_overflow(sum->flat_div, w->flat_div, &sum->flat_div) ||
        __builtin_add_overflow(sum->cum_div, w->cum_div, &sum->cum_div))
        return err_input(err, "the values of a function exceed 64 bits");
    return true;
}

bool listing_sum(const struct graph *g, const uint32_t *node, size_t n,
                 struct graph_value *sum, struct prof_err *err)
{
    *sum = (struct graph_value){0};
    for (size_t i = 0; i < n; i++)
        if (!listing_add(sum, &g->value[node[i]], err))
            return false;
    return true;
}

bool listing_total(struct report *r)
{
    return buf_printf(r->out, "Total: %s\n", report_value(r, r->total));
}

static bool put_value_column(struct report *r, const char *text)
{
    return report_put_right(r->out, text, strlen(text), 10) &&
           buf_putc(r->out, ' ');
}

bool listing_head(struct report *r, const struct graph_value *sum)
{
    int64_t flat = graph_flat(sum), cum = graph_cum(sum);
    char text[MEASURE_TEXT];
    return put_value_column(r, report_value(r, flat)) &&
           put_value_column(r, report_value(r, cum)) &&
           buf_printf(r->out, "(flat, cum) %s of Total\n",
                      measure_percent(text, sizeof text, cum, r->total));
}

bool listing_values(struct report *r, const struct graph_value *sum)
{
    int64_t flat = graph_flat(sum), cum = graph_cum(sum);
    return put_value_column(r, flat ? report_value(r, flat) : ".") &&
           put_value_column(r, cum ? report_value(r, cum) : ".");
}
