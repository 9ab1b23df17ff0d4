/* --disasm: the instructions of functions, with values beside them. */
#include "report/code/disasm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/utf8.h"
#include "report/code/listing.h"

/* Instructions up to so many bytes have their place in the source beside
 * them, longer ones above. */
enum { TEXT_WIDTH = 40, INDENT = 74 };

/* Bytes that belong to somebody else. */
struct span {
    const char *s;
    size_t n;
};

static bool same(struct span a, struct span b)
{
    return a.n == b.n && !memcmp(a.s, b.s, a.n);
}

/* Where an instruction comes from, as far as it is known. */
struct origin {
    struct span function, file;
    int64_t line;
};

static struct span base_of(struct span path)
{
    struct span base = path;
    if (path.n)
        base.s = path_base(path.s, path.n, &base.n);
    return base;
}

static struct span string_of(const struct strtab *t, uint32_t id)
{
    return (struct span){strtab_str(t, id), strtab_len(t, id)};
}

static struct origin origin_of(const struct sym_code *code,
                               const struct sym_inst *inst)
{
    struct span file = {sym_code_text(code, inst->file), inst->file.n};
    struct origin at = {{sym_code_text(code, inst->function), inst->function.n},
                        base_of(file),
                        inst->line};
    return at;
}

/* What the binary does not know, the profile may. */
static void complete(const struct disasm *d, const struct node *k,
                     struct origin *at)
{
    if (!at->file.n)
        at->file = base_of(string_of(&d->g.nodes.files, k->file));
    if (!at->line)
        at->line = k->line;
    if (!at->function.n)
        at->function = string_of(&d->r->p->strings, k->name);
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

/* What is known of the place is said when it changes. */
static bool put_inst(struct report *r, const struct graph_weight *sum,
                     uint64_t address, struct span text,
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

static bool put_code(struct disasm *d, const struct routine *f, struct err *err)
{
    const struct sym_code *code = &d->code;
    const uint32_t *node = d->node + f->first;
    struct origin last = {{"", 0}, {"", 0}, 0};
    for (size_t i = 0, k = 0; i < code->v.n; i++) {
        const struct sym_inst *inst = &code->v.v[i];
        uint64_t next = i + 1 < code->v.n ? inst[1].address : UINT64_MAX;
        struct origin at = origin_of(code, inst);
        struct graph_weight sum = {0};
        for (; k < f->n; k++) {
            const struct node *v = &d->g.nodes.v[node[k]];
            if (v->address - f->bias >= next)
                break;
            complete(d, v, &at);
            if (!listing_add(&sum, &d->g.weight[node[k]], err))
                return false;
        }
        bool known = at.function.n || at.file.n;
        bool changed = !same(at.function, last.function) ||
                       !same(at.file, last.file) || at.line != last.line;
        last = at;
        struct span text = {sym_code_text(code, inst->text), inst->text.n};
        if (!put_inst(d->r, &sum, inst->address, text,
                      known && changed ? &at : NULL))
            return err_nomem(err);
    }
    return true;
}

static bool put_names(struct disasm *d, const struct routine *f)
{
    static const char *const what[] = {"ROUTINE", "    AKA"};
    const char *name = (const char *)d->text.v + f->name;
    struct buf *out = d->r->out;
    for (size_t i = 0; i < f->n_names; i++, name += strlen(name) + 1)
        if (!buf_printf(out, "%s ======================== ", what[i > 0]) ||
            !utf8_put_line(out, name, strlen(name)) || !buf_putc(out, '\n'))
            return false;
    return true;
}

static bool put_routine(struct disasm *d, const struct routine *f,
                        struct err *err)
{
    struct report *r = d->r;
    struct graph_weight sum = {0};
    for (size_t i = 0; i < f->n; i++)
        if (!listing_add(&sum, &d->g.weight[d->node[f->first + i]], err))
            return false;
    struct sym_disassembly job = {.program = r->opts->objdump,
                                  .file = (const char *)d->text.v + f->path,
                                  .begin = f->begin,
                                  .end = f->end,
                                  .intel_syntax = r->opts->intel_syntax,
                                  .notes = r->notes};
    if (!sym_disassemble(&job, &d->code, err))
        return false;
    if (!put_names(d, f) || !listing_head(r, &sum))
        return err_nomem(err);
    return put_code(d, f, err) && (report_flush(r) || err_nomem(err));
}

static bool put_all(struct disasm *d, struct err *err)
{
    if (!listing_total(d->r))
        return err_nomem(err);
    for (size_t i = 0; i < d->routines.n; i++)
        if (!put_routine(d, &d->routines.v[i], err))
            return false;
    return true;
}

static bool print(struct report *r, struct err *err)
{
    const struct report_opts *o = r->opts;
    struct disasm d = {.r = r};
    bool ok =
        pattern_init(&d.pattern, "--disasm", o->pattern, &r->p->strings, err) &&
        binaries_init(&d.binaries, r, err) &&
        graph_weigh_exact(&d.g, r->p, r->type, o->mean, o->threads, err) &&
        disasm_find(&d, err) && put_all(&d, err);
    vec_free(&d.routines);
    buf_free(&d.text);
    free(d.wanted);
    free(d.node);
    sym_code_free(&d.code);
    graph_free(&d.g);
    binaries_free(&d.binaries);
    pattern_free(&d.pattern);
    return ok;
}

const struct report_format report_disasm = {
    .name = "disasm",
    .arg = "REGEX",
    .help = "instructions of functions that match REGEX",
    .suffixes = "txt",
    .needs = REPORT_FRAMES | REPORT_ADDRESSES | REPORT_NO_INLINES |
             REPORT_TRIM | REPORT_VALUES | REPORT_WHOLE,
    .reads_files = true,
    .runs_programs = true,
    .print = print,
};
