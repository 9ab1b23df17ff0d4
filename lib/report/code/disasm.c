/* disasm.c - --disasm: the instructions of functions, with their values */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/slice.h"
#include "base/sort.h"
#include "base/system.h"
#include "base/utf8.h"
#include "report/code/private.h"
#include "symbolize/objdump.h"
#include "symbolize/symbol.h"

/* A function of a binary that has samples. */
struct routine {
    uint64_t begin, end; /* addresses in the binary */
    uint64_t bias;       /* of addresses in the mapping */
    size_t path;         /* of the binary: offset in disasm.text */
    size_t name;         /* offset there of its names, one after the other */
    size_t n_names;
    bool is_asked;   /* it was requested by address: all names are shown */
    size_t first, n; /* nodes of disasm.node */
};

struct disasm {
    struct report *r;
    struct graph g;
    struct code code;
    struct sym_code insts;
    uint32_t *node; /* nodes with values, sorted by address */
    size_t n_nodes;
    bool *wanted; /* by string id: binaries that may match */
    VEC(struct routine) routines;
    struct buf text;
    bool found_address;
};

/* --- the functions that match --- */

static int address_order(const void *a, const void *b, void *ctx)
{
    const struct node *v = ((const struct disasm *)ctx)->g.nodes.v;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const int c = ORDER(v[x].address, v[y].address);
    return c ? c : ORDER(x, y);
}

static bool choose_disasm_nodes(struct disasm *d, struct prof_err *err)
{
    bool drop_negative = d->r->opts->limits.drop_negative;
    d->node = mem_array(d->g.nodes.n, sizeof *d->node);
    if (!d->node)
        return err_nomem(err);
    for (size_t k = 0; k < d->g.nodes.n; k++)
        if (graph_is_shown(&d->g.value[k], drop_negative))
            d->node[d->n_nodes++] = (uint32_t)k;
    system_sort(d->node, d->n_nodes, sizeof *d->node, address_order, d);
    return true;
}

/* Sets d->wanted: the binaries with a node that matches. */
static bool choose_binaries(struct disasm *d, struct prof_err *err)
{
    struct buf scratch = {0};
    int yes = 0;
    d->wanted = mem_zarray(d->r->p->strings.n, sizeof *d->wanted);
    if (!d->wanted)
        return err_nomem(err);
    for (size_t i = 0; yes >= 0 && i < d->n_nodes; i++) {
        uint32_t object = d->g.nodes.v[d->node[i]].object;
        if (!object || d->wanted[object])
            continue;
        yes = code_match_id(&d->code, d->g.nodes.v[d->node[i]].name, err);
        if (!yes) { /* try the name that reports print */
            scratch.n = 0;
            yes = node_name(&d->g.nodes, d->node[i], &scratch)
                      ? regex_match(d->code.re, (const char *)scratch.v,
                                    scratch.n, err)
                      : err_nomem(err) - 1;
        }
        d->wanted[object] = yes > 0;
    }
    buf_free(&scratch);
    return yes >= 0;
}

/* Returns the index in d->node of the first node at `address` or after it. */
static size_t nodes_from(const struct disasm *d, uint64_t address)
{
    size_t lo = 0, hi = d->n_nodes;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (d->g.nodes.v[d->node[mid]].address < address)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/*
 * Whether the name matches, mangled or demangled: with parameters, without, or
 * without template arguments.  Appends the form that matched to d->text.
 * Returns -1 on error.
 */
static int match_name(struct disasm *d, const char *name, struct prof_err *err)
{
    static const enum sym_demangle ways[] = {
        SYM_DEMANGLE_FULL, SYM_DEMANGLE_TEMPLATES, SYM_DEMANGLE_DEFAULT};
    int yes = regex_match(d->code.re, name, strlen(name), err);
    if (yes > 0 && !buf_put(&d->text, name, strlen(name) + 1))
        yes = err_nomem(err) - 1;
    for (size_t i = 0; !yes && i < sizeof ways / sizeof *ways; i++) {
        char *s = sym_demangle(name, ways[i]);
        if (!s)
            break;
        yes = regex_match(d->code.re, s, strlen(s), err);
        if (yes > 0 && !buf_put(&d->text, s, strlen(s) + 1))
            yes = err_nomem(err) - 1;
        free(s);
    }
    return yes;
}

/*
 * Sets the names of the routine: those of its n labels that match, or all if it
 * was requested by address.
 */
static bool set_routine_names(struct disasm *d, const struct sym_label *label,
                              size_t n, struct routine *to,
                              struct prof_err *err)
{
    int yes = 0;
    to->name = d->text.n;
    to->n_names = to->is_asked ? n : 0;
    for (size_t i = 0; to->is_asked && i < n; i++)
        if (!buf_put(&d->text, label[i].name, strlen(label[i].name) + 1))
            return err_nomem(err);
    for (size_t i = 0; !to->is_asked && !yes && i < n; i++)
        yes = match_name(d, label[i].name, err);
    to->n_names += yes > 0;
    return yes >= 0;
}

/* Adds the matching functions of one mapping; to->bias and to->path are set. */
static bool choose_routines(struct disasm *d, const struct sym_labels *l,
                            const struct prof_mapping *m, struct routine to,
                            struct prof_err *err)
{
    const struct code *c = &d->code;
    bool has_address = c->is_address && code_is_mapped(m, c->address);
    uint64_t address = c->address - to.bias;
    for (size_t i = 0, n; i < l->n; i += n) {
        /*
         * Labels at one address share their code, which ends at the next label
         * or at the greatest reach of them.
         */
        const struct sym_label *label = &l->v[i];
        uint64_t reach = 0;
        for (n = 0; i + n < l->n && label[n].address == label->address; n++)
            if (label[n].reach > reach)
                reach = label[n].reach;
        /* As in pprof, the byte before the next label is omitted. */
        to.end = i + n < l->n ? label[n].address - 1 : UINT64_MAX;
        if (to.end > reach)
            to.end = reach;
        to.begin = label->address;
        to.first = nodes_from(d, to.begin + to.bias);
        to.n = 0;
        for (size_t k = to.first; k < d->n_nodes; k++, to.n++) {
            uint64_t at = d->g.nodes.v[d->node[k]].address;
            if (!code_is_mapped(m, at) || at - to.bias < to.begin ||
                at - to.bias >= to.end)
                break;
        }
        to.is_asked = has_address && address >= to.begin && address <= to.end;
        d->found_address |= to.is_asked;
        if (!to.n)
            continue;
        if (!set_routine_names(d, label, n, &to, err))
            return false;
        if (to.n_names && !vec_push(&d->routines, to))
            return err_nomem(err);
    }
    return true;
}

static bool search_mapping(struct disasm *d, uint32_t mapping,
                           struct prof_err *err)
{
    const struct profile *p = d->r->p;
    const struct prof_mapping *m = &p->mappings[mapping];
    const struct code *c = &d->code;
    struct mapped_binary found;
    struct routine to = {.path = d->text.n};
    bool has_address = c->is_address && code_is_mapped(m, c->address);
    if (!d->wanted[m->filename] && !has_address)
        return true;
    /* Use an address of the mapping that has samples, if there is one. */
    const size_t first = m->limit > m->start ? nodes_from(d, m->start) : 0;
    if (first == d->n_nodes)
        return true;
    const uint64_t seen = d->g.nodes.v[d->node[first]].address;
    if (!code_is_mapped(m, seen))
        return true;
    if (!code_binary(&d->code, mapping, seen, &found, err))
        return false;
    if (!found.files)
        return true;
    const struct sym_files *files = found.files;
    const char *path = files->image.path;
    to.bias = found.bias;
    if (!files->image.has_symtab && !files->debug.has_symtab)
        note_warn(d->r->notes,
                  "%s: no symbol table; only exported functions can be found",
                  path);
    struct sym_labels labels;
    bool ok = sym_labels_read(&labels, files, err) &&
              (buf_put(&d->text, path, strlen(path) + 1) || err_nomem(err)) &&
              choose_routines(d, &labels, m, to, err);
    vec_free(&labels);
    return ok;
}

static int routine_order(const void *a, const void *b, void *text)
{
    const struct routine *x = a, *y = b;
    int c = strcmp((char *)text + x->name, (char *)text + y->name);
    return c ? c : ORDER(x->begin, y->begin);
}

static bool find_routines(struct disasm *d, struct prof_err *err)
{
    for (size_t i = 0; i < d->r->p->n_mappings; i++)
        if (!search_mapping(d, (uint32_t)i, err))
            return false;
    if (d->routines.n) {
        vec_sort_by(&d->routines, routine_order, d->text.v);
        return true;
    }
    if (!d->code.is_address)
        return err_set(err, PROF_ERR_ANSWER_NO, "no matches for '%s'",
                       d->r->opts->pattern);
    if (!d->found_address)
        return err_set(err, PROF_ERR_ANSWER_NO,
                       "no matches found for address 0x%" PRIx64,
                       d->code.address);
    return err_set(err, PROF_ERR_ANSWER_NO,
                   "no samples in the function at address 0x%" PRIx64,
                   d->code.address);
}

/* --- the text --- */

/*
 * An instruction shorter than TEXT_WIDTH bytes is followed by its place in the
 * source; a longer one is preceded by it.
 */
enum { TEXT_WIDTH = 40, INDENT = 74 };

/* The source of an instruction; unknown fields are empty or 0. */
struct origin {
    struct prof_slice function, file;
    int64_t line;
};

static struct prof_slice base_of(struct prof_slice path)
{
    struct prof_slice base = path;
    if (path.n)
        base.s = path_base(path.s, path.n, &base.n);
    return base;
}

static bool put_origin(struct report *r, const struct origin *at)
{
    return buf_putc(r->out, ';') &&
           (!at->function.n ||
            (utf8_put_line(r->out, at->function.s, at->function.n) &&
             buf_putc(r->out, ' '))) &&
           utf8_put_line(r->out, at->file.s, at->file.n) &&
           (!at->file.n || !at->line ||
            buf_printf(r->out, ":%" PRId64, at->line)) &&
           buf_putc(r->out, '\n');
}

/*
 * Writes an instruction.  `at` is its source, or null if it is the same as for
 * the instruction before.
 */
static bool put_disasm_inst(struct report *r, const struct graph_value *sum,
                            uint64_t address, struct prof_slice text,
                            const struct origin *at)
{
    bool beside = at && text.n < TEXT_WIDTH;
    if (at && !beside &&
        (!report_put_right(r->out, "", 0, INDENT) || !put_origin(r, at)))
        return false;
    if (!listing_values(r, sum) ||
        !buf_printf(r->out, "%10" PRIx64 ": ", address) ||
        !buf_put(r->out, text.s, text.n))
        return false;
    if (!beside)
        return buf_putc(r->out, '\n');
    size_t chars = utf8_count(text.s, text.n);
    return report_put_right(r->out, "", 0, TEXT_WIDTH - chars) &&
           put_origin(r, at);
}

static bool put_routine_code(struct disasm *d, const struct routine *f,
                             struct prof_err *err)
{
    const struct sym_code *code = &d->insts;
    const uint32_t *node = d->node + f->first;
    struct origin last = {{"", 0}, {"", 0}, 0};
    for (size_t i = 0, k = 0; i < code->v.n; i++) {
        const struct sym_inst *inst = &code->v.v[i];
        uint64_t next = i + 1 < code->v.n ? inst[1].address : UINT64_MAX;
        struct prof_slice file = {sym_code_text(code, inst->file),
                                  inst->file.n};
        struct origin at = {
            {sym_code_text(code, inst->function), inst->function.n},
            base_of(file),
            inst->line};
        struct graph_value sum = {0};
        for (; k < f->n; k++) {
            const struct node *v = &d->g.nodes.v[node[k]];
            if (v->address - f->bias >= next)
                break;
            /* Use the profile's data where objdump has none. */
            if (!at.file.n)
                at.file = base_of(strtab_slice(&d->g.nodes.files, v->file));
            if (!at.line)
                at.line = v->line;
            if (!at.function.n)
                at.function = strtab_slice(&d->r->p->strings, v->name);
            if (!listing_add(&sum, &d->g.value[node[k]], err))
                return false;
        }
        bool known = at.function.n || at.file.n;
        bool changed = !slice_same(at.function, last.function) ||
                       !slice_same(at.file, last.file) || at.line != last.line;
        last = at;
        struct prof_slice text = {sym_code_text(code, inst->text),
                                  inst->text.n};
        if (!put_disasm_inst(d->r, &sum, inst->address, text,
                             known && changed ? &at : NULL))
            return err_nomem(err);
    }
    return true;
}

static bool put_disasm_routine(struct disasm *d, const struct routine *f,
                               struct prof_err *err)
{
    static const char *const what[] = {"ROUTINE", "    AKA"};
    struct report *r = d->r;
    struct graph_value sum;
    if (!listing_sum(&d->g, d->node + f->first, f->n, &sum, err))
        return false;
    struct sym_disassembly job = {.program = r->opts->objdump,
                                  .file = (const char *)d->text.v + f->path,
                                  .begin = f->begin,
                                  .end = f->end,
                                  .intel_syntax = r->opts->intel_syntax,
                                  .notes = r->notes};
    if (!sym_disassemble(&job, &d->insts, err))
        return false;
    const char *name = (const char *)d->text.v + f->name;
    for (size_t i = 0; i < f->n_names; i++, name += strlen(name) + 1)
        if (!buf_printf(r->out, "%s ======================== ", what[i > 0]) ||
            !utf8_put_line(r->out, name, strlen(name)) ||
            !buf_putc(r->out, '\n'))
            return err_nomem(err);
    if (!listing_head(r, &sum))
        return err_nomem(err);
    return put_routine_code(d, f, err) && (report_flush(r) || err_nomem(err));
}

static bool print_disasm(struct report *r, struct prof_err *err)
{
    struct disasm d = {.r = r};
    struct graph_opts opts = report_graph_opts(r);
    opts.exact = true;
    bool ok = code_init(&d.code, r, "--disasm", err) &&
              graph_make(&d.g, r->p, &opts, err) &&
              choose_disasm_nodes(&d, err) && choose_binaries(&d, err) &&
              find_routines(&d, err) && (listing_total(r) || err_nomem(err));
    for (size_t i = 0; ok && i < d.routines.n; i++)
        ok = put_disasm_routine(&d, &d.routines.v[i], err);
    vec_free(&d.routines);
    buf_free(&d.text);
    free(d.wanted);
    free(d.node);
    sym_code_free(&d.insts);
    graph_free(&d.g);
    code_free(&d.code);
    return ok;
}

const struct report_format report_disasm = {
    .name = "disasm",
    .arg = "REGEX",
    .help = "print instructions of functions that match REGEX",
    .suffixes = "txt",
    .needs = REPORT_FRAMES | REPORT_ADDRESSES | REPORT_NO_INLINES |
             REPORT_TRIM | REPORT_WHOLE,
    .reads_files = true,
    .runs_programs = true,
    .ignores = REPORT_NO_ORDER | REPORT_NO_PATHS | REPORT_NO_DETAIL |
               REPORT_NO_INLINING | REPORT_NO_LABELS,
    .print = print_disasm,
};
