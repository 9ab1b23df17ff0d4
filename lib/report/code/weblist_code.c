/* --weblist: the code around addresses. */
#include <stdlib.h>
#include <string.h>

#include "report/code/weblist.h"
#include "symbol/objdump.h"

enum {
    AROUND = 500,       /* bytes of code shown before and behind an address */
    MAX_STRETCHES = 25, /* the heaviest ones, of more */
};

struct stretch {
    uint64_t begin, end; /* as the program ran */
    uint32_t mapping;
    int64_t flat; /* of the addresses asked for */
};

struct coder {
    struct weblist *wl;
    size_t *with_code; /* indices in wl->addrs */
    size_t n;
    bool *known; /* by mapping: there is a binary */
    VEC(struct stretch) stretches;
    struct sym_code code;
};

bool weblist_name(struct weblist *wl, const struct strtab *from, uint32_t id,
                  uint32_t *to, struct err *err)
{
    return strtab_add(&wl->names, strtab_str(from, id), strtab_len(from, id),
                      to) ||
           err_nomem(err);
}

/* A place without code: its frames are those of the profile. */
static bool add_bare(struct weblist *wl, const struct weblist_addr *a,
                     struct err *err)
{
    const struct profile *p = wl->r->p;
    const struct prof_location *l = &p->locations[a->location];
    struct weblist_inst inst = {.address = a->address,
                                .shown = a->address,
                                .length = 1,
                                .frame = wl->frames.n,
                                .mapping = PROF_NONE,
                                .begins = true};
    for (uint32_t i = 0; i < l->n_lines; i++) {
        const struct prof_line *line = &p->lines[l->line_off + i];
        struct weblist_frame frame = {0};
        if (line->function == PROF_NONE)
            continue;
        const struct prof_function *f = &p->functions[line->function];
        /* No file has more lines; what says so is wrong. */
        if (line->line > 0 && line->line <= UINT32_MAX)
            frame.line = line->line;
        frame.wanted = wl->wanted[f->name] & WEBLIST_NAMED;
        if (!weblist_name(wl, &p->strings, f->name, &frame.name, err) ||
            !weblist_name(wl, &p->strings, f->filename, &frame.file, err))
            return false;
        if (!vec_push(&wl->frames, frame))
            return err_nomem(err);
    }
    inst.n_frames = wl->frames.n - inst.frame;
    return vec_push(&wl->insts, inst) || err_nomem(err);
}

/* Whether there is a binary with code for the address. */
static bool has_code(struct coder *c, const struct weblist_addr *a, bool *yes,
                     struct err *err)
{
    struct weblist *wl = c->wl;
    const struct prof_location *l = &wl->r->p->locations[a->location];
    struct sym_binary *binary = NULL;
    uint64_t bias;
    *yes = false;
    if (!l->address || l->mapping == PROF_NONE ||
        !binaries_maps(&wl->r->p->mappings[l->mapping], l->address))
        return true;
    bool ok =
        c->known[l->mapping] || binaries_find(&wl->binaries, l->mapping,
                                              l->address, &binary, &bias, err);
    *yes = c->known[l->mapping] = c->known[l->mapping] || binary;
    return ok;
}

static bool sort_out(struct coder *c, struct err *err)
{
    struct weblist *wl = c->wl;
    c->with_code = mem_array(wl->addrs.n, sizeof *c->with_code);
    c->known = mem_zarray(wl->r->p->n_mappings, sizeof *c->known);
    if (!c->with_code || !c->known)
        return err_nomem(err);
    for (size_t i = 0; i < wl->addrs.n; i++) {
        const struct weblist_addr *a = &wl->addrs.v[i];
        bool yes;
        if (!a->wanted)
            continue;
        if (!has_code(c, a, &yes, err) || (!yes && !add_bare(wl, a, err)))
            return false;
        if (yes)
            c->with_code[c->n++] = i;
    }
    return true;
}

static const struct weblist_addr *addr_of(const struct coder *c, size_t i)
{
    return &c->wl->addrs.v[c->with_code[i]];
}

static uint32_t mapping_of(const struct coder *c, size_t i)
{
    return c->wl->r->p->locations[addr_of(c, i)->location].mapping;
}

/*
 * The stretch around with_code[*i] and those behind it that are so near that
 * theirs would touch it; *i moves past them.
 */
static struct stretch next_stretch(const struct coder *c, size_t *i)
{
    uint32_t mapping = mapping_of(c, *i);
    const struct prof_mapping *m = &c->wl->r->p->mappings[mapping];
    bool bounded = m->limit > m->start;
    uint64_t floor = bounded ? m->start : 0;
    uint64_t limit = bounded ? m->limit : UINT64_MAX;
    uint64_t first = addr_of(c, *i)->address, last = first;
    int64_t flat = 0;
    for (; *i < c->n && mapping_of(c, *i) == mapping &&
           addr_of(c, *i)->address - last <= 2 * (uint64_t)AROUND;
         ++*i) {
        last = addr_of(c, *i)->address;
        /* Only to tell which are the heaviest. */
        flat = (int64_t)((uint64_t)flat + (uint64_t)addr_of(c, *i)->flat);
    }
    return (struct stretch){first - floor > AROUND ? first - AROUND : floor,
                            limit - last > AROUND ? last + AROUND : limit,
                            mapping, flat};
}

static int by_weight(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;
    if (x->flat != y->flat)
        return x->flat > y->flat ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static bool find_stretches(struct coder *c, struct err *err)
{
    for (size_t i = 0; i < c->n;) {
        struct stretch s = next_stretch(c, &i);
        if (!vec_push(&c->stretches, s))
            return err_nomem(err);
    }
    if (c->stretches.n)
        qsort(c->stretches.v, c->stretches.n, sizeof *c->stretches.v,
              by_weight);
    if (c->stretches.n > MAX_STRETCHES) {
        note_warn(c->wl->r->notes,
                  "code is shown for the %d heaviest of %zu places only",
                  MAX_STRETCHES, c->stretches.n);
        c->stretches.n = MAX_STRETCHES;
    }
    return true;
}

/* What was printed of a stretch, whose addresses are off by the bias. */
static bool add_code(struct coder *c, const struct stretch *s, uint64_t bias,
                     struct err *err)
{
    struct weblist *wl = c->wl;
    const struct sym_inst *v = c->code.v.v;
    uint64_t last = 0;
    bool begins = true;
    for (size_t i = 0; i < c->code.v.n; i++) {
        struct weblist_inst inst = {.address = v[i].address + bias,
                                    .shown = v[i].address,
                                    .length = 1,
                                    .text = wl->text.n,
                                    .text_n = v[i].text.n,
                                    .mapping = s->mapping,
                                    .begins = begins};
        /* Sections may overlap; objdump then shows code twice. */
        if (inst.address <= last)
            continue;
        last = inst.address;
        if (i + 1 < c->code.v.n && v[i + 1].address > v[i].address)
            inst.length = v[i + 1].address - v[i].address;
        if (!buf_put(&wl->text, sym_code_text(&c->code, v[i].text),
                     v[i].text.n) ||
            !vec_push(&wl->insts, inst))
            return err_nomem(err);
        begins = false;
    }
    return true;
}

static bool take_apart(struct coder *c, const struct stretch *s,
                       struct err *err)
{
    struct weblist *wl = c->wl;
    const struct report_opts *o = wl->r->opts;
    struct sym_binary *binary;
    uint64_t bias;
    if (!binaries_find(&wl->binaries, s->mapping, s->begin, &binary, &bias,
                       err))
        return false;
    if (!binary)
        return true;
    struct sym_disassembly job = {.program = o->objdump,
                                  .file = binary->files.image.path,
                                  .begin = s->begin - bias,
                                  .end = s->end - bias,
                                  .intel_syntax = o->intel_syntax,
                                  .notes = wl->r->notes};
    return sym_disassemble(&job, &c->code, err) && add_code(c, s, bias, err);
}

/* The first address that is not before this one: an index. */
static size_t find_addr(const struct weblist *wl, uint64_t address)
{
    size_t lo = 0, hi = wl->addrs.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (wl->addrs.v[mid].address < address)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* An instruction has the values of all addresses in it. */
static bool add_values(struct weblist *wl, struct err *err)
{
    for (size_t i = 0; i < wl->insts.n; i++) {
        struct weblist_inst *inst = &wl->insts.v[i];
        size_t k = find_addr(wl, inst->address);
        for (; k < wl->addrs.n &&
               wl->addrs.v[k].address - inst->address < inst->length;
             k++)
            if (!weblist_add(&inst->flat, wl->addrs.v[k].flat, err) ||
                !weblist_add(&inst->cum, wl->addrs.v[k].cum, err))
                return false;
    }
    return true;
}

bool weblist_code(struct weblist *wl, struct err *err)
{
    struct coder c = {.wl = wl};
    bool ok = sort_out(&c, err) && find_stretches(&c, err);
    for (size_t i = 0; ok && i < c.stretches.n; i++)
        ok = take_apart(&c, &c.stretches.v[i], err);
    free(c.with_code);
    free(c.known);
    vec_free(&c.stretches);
    sym_code_free(&c.code);
    return ok && add_values(wl, err) && weblist_frames(wl, err);
}
