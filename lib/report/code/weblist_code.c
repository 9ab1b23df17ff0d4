/* weblist_code.c - addresses, instructions and source lines of --weblist */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/sort.h"
#include "profile/columns.h"
#include "report/code/private.h"
#include "symbolize/objdump.h"
#include "symbolize/symbol.h"

/* How a string of the profile matches. */
enum weblist_wanted {
    WEBLIST_NAMED = 1, /* as the name of a function in the binary */
    WEBLIST_READ = 2,  /* as the name of a function that has no other */
};

/* Adds a string of *from to wl->names; sets *to to its id. */
static bool intern(struct weblist *wl, const struct strtab *from, uint32_t id,
                   uint32_t *to, struct prof_err *err)
{
    return strtab_add(&wl->names, strtab_str(from, id), strtab_len(from, id),
                      to) ||
           err_nomem(err);
}

/* --- the addresses of samples, and which of them match --- */

/* Values by location, and the locations in the order of samples. */
struct location_sums {
    struct weblist_value *value;
    bool *used;
    uint32_t *order;
    uint32_t n;
};

bool weblist_add(struct weblist_value *sum, struct weblist_value v,
                 struct prof_err *err)
{
    return (!__builtin_add_overflow(sum->flat, v.flat, &sum->flat) &&
            !__builtin_add_overflow(sum->cum, v.cum, &sum->cum)) ||
           err_input(err,
                     "the values of a source line or address exceed 64 bits");
}

/* Adds the value of a sample with the stack that was read last. */
static bool add_stack_value(const struct prof_stacks *stacks, int64_t v,
                            struct location_sums *sums, struct prof_err *err)
{
    for (size_t i = stacks->depth; i-- > 0;) {
        uint32_t l = stacks->stack[i];
        if (!sums->used[l])
            sums->order[sums->n++] = l;
        sums->used[l] = true;
        if (!weblist_add(&sums->value[l], (struct weblist_value){0, v}, err))
            return false;
    }
    return !stacks->depth || weblist_add(&sums->value[stacks->stack[0]],
                                         (struct weblist_value){v, 0}, err);
}

/* Adds the values of all samples. */
static bool add_values(const struct report *r, struct location_sums *sums,
                       struct prof_err *err)
{
    const struct profile *p = r->p;
    struct prof_stacks stacks;
    bool ok = prof_stacks_init(&stacks, p, err);
    for (size_t s = 0; ok && s < p->n_samples; s++) {
        const int64_t *values = p->values + s * p->n_types;
        int64_t v = values[r->type];
        prof_stacks_read(&stacks, s);
        if (r->opts->mean)
            v = graph_mean(v, values[0]);
        ok = add_stack_value(&stacks, v, sums, err);
    }
    prof_stacks_free(&stacks);
    return ok;
}

/* Marks the names of a function that matches. */
static void mark_names(struct weblist *wl, const struct prof_line *line)
{
    const struct profile *p = wl->code.r->p;
    if (line->function == PROF_NONE)
        return;
    const struct prof_function *f = &p->functions[line->function];
    wl->wanted[f->name] |= WEBLIST_NAMED;
    wl->wanted[f->system_name] |= WEBLIST_NAMED;
    if (!f->system_name || f->system_name == f->name)
        wl->wanted[f->name] |= WEBLIST_READ;
}

/* Whether a function at the location matches.  Returns -1 on error. */
static int match_location(struct weblist *wl, const struct prof_location *l,
                          uint64_t address, struct prof_err *err)
{
    const struct profile *p = wl->code.r->p;
    const struct prof_line *line = p->lines + l->line_off;
    if (!l->n_lines)
        return 0;
    if (wl->code.is_address && address == wl->code.address) {
        line += l->n_lines - 1;
        mark_names(wl, line);
        return line->function != PROF_NONE;
    }
    uint32_t file =
        l->mapping == PROF_NONE ? 0 : p->mappings[l->mapping].filename;
    int in_file =
        l->mapping == PROF_NONE ? 0 : code_match_id(&wl->code, file, err);
    int found = 0;
    for (uint32_t i = 0; in_file >= 0 && i < l->n_lines; i++) {
        if (line[i].function == PROF_NONE)
            continue;
        const struct prof_function *f = &p->functions[line[i].function];
        const uint32_t id[] = {f->name, f->system_name, f->filename};
        int yes = i == 0 && in_file;
        for (size_t k = 0; !yes && k < sizeof id / sizeof *id; k++)
            yes = code_match_id(&wl->code, id[k], err);
        if (yes < 0)
            return -1;
        if (yes)
            mark_names(wl, &line[i]);
        found |= yes;
    }
    return in_file < 0 ? -1 : found;
}

static bool add_location_addr(struct weblist *wl, uint32_t location,
                              uint64_t *free, const struct location_sums *sums,
                              struct prof_err *err)
{
    const struct profile *p = wl->code.r->p;
    const struct prof_location *l = &p->locations[location];
    struct weblist_addr a = {.address = l->address,
                             .value = sums->value[location],
                             .location = location,
                             .turn = (uint32_t)wl->addrs.n};
    if (!a.address)
        a.address = (*free)++;
    for (uint32_t i = 0; i < l->n_lines; i++) {
        uint32_t f = p->lines[l->line_off + i].function;
        if (f != PROF_NONE)
            wl->pretty[p->functions[f].system_name] = p->functions[f].name;
    }
    int yes = match_location(wl, l, a.address, err);
    a.wanted = yes > 0;
    return yes >= 0 && (vec_push(&wl->addrs, a) || err_nomem(err));
}

static int addr_order(const void *a, const void *b)
{
    const struct weblist_addr *x = a, *y = b;
    const int c = ORDER(x->address, y->address);
    return c ? c : ORDER(x->turn, y->turn);
}

/* Merges entries of one address; keeps the first location that matches. */
static bool merge_equal_addrs(struct weblist *wl, struct prof_err *err)
{
    size_t n = 0;
    struct weblist_addr *v = wl->addrs.v;
    for (size_t i = 0; i < wl->addrs.n; i++) {
        struct weblist_addr *last = n ? &v[n - 1] : NULL;
        if (!last || last->address != v[i].address) {
            v[n++] = v[i];
            continue;
        }
        if (!weblist_add(&last->value, v[i].value, err))
            return false;
        if (!last->wanted && v[i].wanted)
            last->location = v[i].location;
        last->wanted |= v[i].wanted;
    }
    wl->addrs.n = n;
    return true;
}

static bool add_addrs(struct weblist *wl, struct location_sums *sums,
                      struct prof_err *err)
{
    const struct profile *p = wl->code.r->p;
    /* Give locations without an address one that is after all mappings. */
    uint64_t free = 1;
    for (size_t i = 0; i < p->n_mappings; i++)
        if (p->mappings[i].limit > free)
            free = p->mappings[i].limit;
    if (!add_values(wl->code.r, sums, err))
        return false;
    bool any = false;
    for (uint32_t i = 0; i < sums->n; i++) {
        if (!add_location_addr(wl, sums->order[i], &free, sums, err))
            return false;
        any |= wl->addrs.v[wl->addrs.n - 1].wanted;
    }
    if (!any)
        return err_set(err, PROF_ERR_ANSWER_NO, "no matches for '%s'",
                       wl->code.r->opts->pattern);
    vec_sort(&wl->addrs, addr_order);
    /* The empty string is not a name. */
    wl->wanted[0] = 0;
    return merge_equal_addrs(wl, err);
}

static bool collect_addrs(struct weblist *wl, struct prof_err *err)
{
    const struct profile *p = wl->code.r->p;
    struct location_sums sums = {
        .value = mem_zarray(p->n_locations, sizeof *sums.value),
        .used = mem_zarray(p->n_locations, sizeof *sums.used),
        .order = mem_array(p->n_locations, sizeof *sums.order)};
    wl->wanted = mem_zarray(p->strings.n, sizeof *wl->wanted);
    wl->pretty = mem_zarray(p->strings.n, sizeof *wl->pretty);
    bool ok =
        (sums.value && sums.used && sums.order && wl->wanted && wl->pretty) ||
        err_nomem(err);
    ok = ok && add_addrs(wl, &sums, err);
    free(sums.value);
    free(sums.used);
    free(sums.order);
    return ok;
}

/* --- the frames of instructions, and their source lines --- */

/*
 * An instruction without a line gets the line of one that is at most this many
 * bytes before it.
 */
enum { NEAR = 32 };

/*
 * Makes a profile with a location for each instruction that is code, in order.
 */
static bool make_inst_profile(const struct weblist *wl, struct profile *to,
                              struct prof_err *err)
{
    const struct profile *p = wl->code.r->p;
    if (!prof_init(to, err))
        return false;
    for (size_t i = 0; i < p->n_mappings; i++) {
        struct prof_mapping m = p->mappings[i];
        if (!prof_copy_text(to, p, m.filename, &m.filename, err) ||
            !prof_copy_text(to, p, m.build_id, &m.build_id, err) ||
            !prof_add_mapping(to, &m, NULL, err))
            return false;
    }
    for (size_t i = 0; i < wl->insts.n; i++) {
        const struct weblist_inst *inst = &wl->insts.v[i];
        struct prof_location l = {.address = inst->address,
                                  .mapping = inst->mapping};
        if (inst->mapping != PROF_NONE &&
            !prof_add_location(to, &l, NULL, 0, NULL, err))
            return false;
    }
    return true;
}

static bool symbolize_insts(const struct weblist *wl, bool symtab_only,
                            struct profile *p, struct prof_err *err)
{
    const struct report_opts *o = wl->code.r->opts;
    struct sym_opts opts = {.cache = wl->code.cache,
                            .path = o->binary_path,
                            .binary = o->binary,
                            .threads = o->threads,
                            .symtab_only = symtab_only};
    /* code_binary() has already given the warnings. */
    return make_inst_profile(wl, p, err) && sym_profile(p, &opts, NULL, err);
}

static bool find_name(const struct strtab *names, struct prof_slice name,
                      uint32_t *id)
{
    return strtab_find(names, name.s, name.n, id);
}

/*
 * Sets the name to show for a function and whether it matches.  The profile
 * knows it by its name in the binary, or else by its demangled name.
 */
static bool add_function(struct weblist *wl, const struct profile *from,
                         const struct prof_function *f,
                         struct weblist_frame *frame, struct prof_err *err)
{
    const struct strtab *ours = &wl->code.r->p->strings,
                        *names = &from->strings;
    uint32_t name = f->name, known;
    frame->wanted = false;
    if (find_name(ours, prof_text(from, f->system_name), &known)) {
        frame->wanted = wl->wanted[known] & WEBLIST_NAMED;
        if (wl->pretty[known]) {
            names = ours;
            name = wl->pretty[known];
        }
    }
    if (find_name(ours, prof_text(from, f->name), &known))
        frame->wanted |= (wl->wanted[known] & WEBLIST_READ) != 0;
    return intern(wl, names, name, &frame->name, err);
}

static bool add_inst_frames(struct weblist *wl, const struct profile *from,
                            const struct prof_location *l,
                            struct weblist_inst *inst, struct prof_err *err)
{
    inst->frame = wl->frames.n;
    inst->n_frames = l->n_lines;
    for (uint32_t i = 0; i < l->n_lines; i++) {
        const struct prof_line *line = &from->lines[l->line_off + i];
        struct weblist_frame frame = {.line = line->line};
        const struct prof_function *f = line->function != PROF_NONE
                                            ? &from->functions[line->function]
                                            : NULL;
        if (f && (!add_function(wl, from, f, &frame, err) ||
                  !intern(wl, &from->strings, f->filename, &frame.file, err)))
            return false;
        if (!vec_push(&wl->frames, frame))
            return err_nomem(err);
    }
    return true;
}

static bool make_frames(struct weblist *wl, struct prof_err *err)
{
    struct profile lines = {0}, symbols = {0};
    bool ok = symbolize_insts(wl, false, &lines, err) &&
              symbolize_insts(wl, true, &symbols, err);
    for (size_t i = 0, k = 0; ok && i < wl->insts.n; i++) {
        struct weblist_inst *inst = &wl->insts.v[i];
        if (inst->mapping == PROF_NONE)
            continue;
        const struct prof_location *symbol = &symbols.locations[k];
        ok = add_inst_frames(wl, &lines, &lines.locations[k], inst, err);
        k++;
        /*
         * The outermost function may have different names in the symbol table
         * and in the debug information; the profile may have either.
         */
        struct weblist_frame *outer =
            ok && inst->n_frames ? &wl->frames.v[wl->frames.n - 1] : NULL;
        if (!outer || outer->wanted || !symbol->n_lines)
            continue;
        struct weblist_frame other = *outer;
        const uint32_t f = symbols.lines[symbol->line_off].function;
        ok = f == PROF_NONE ||
             add_function(wl, &symbols, &symbols.functions[f], &other, err);
        if (other.wanted)
            *outer = other;
    }
    prof_free(&lines);
    prof_free(&symbols);
    return ok;
}

/*
 * Sets *cleaned to the name of a file as it is shown: cleaned and without a
 * common prefix.
 */
static bool clean_file(struct weblist *wl, uint32_t file, uint32_t *cleaned,
                       struct prof_err *err)
{
    static const char *const before[] = {"/proc/self/cwd/", "./"};
    struct prof_slice name = strtab_slice(&wl->names, file);
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        (void)slice_take_prefix(&name, before[i]);
    struct buf path = {0};
    bool ok = path_clean(&path, name.s, name.n) &&
              strtab_add(&wl->names, (const char *)path.v, path.n, cleaned);
    buf_free(&path);
    return ok || err_nomem(err);
}

/* Adds the places of the instruction, from the frames of *from. */
static bool add_places(struct weblist *wl, size_t inst,
                       const struct weblist_inst *from, struct prof_err *err)
{
    for (size_t i = 0; i < from->n_frames; i++) {
        const struct weblist_frame *f = &wl->frames.v[from->frame + i];
        struct weblist_place place = {.line = f->line,
                                      .inst = inst,
                                      .frame = from->frame + i,
                                      .callees = from->frame};
        if (!f->wanted)
            continue;
        if (!clean_file(wl, f->file, &place.file, err))
            return false;
        if (!vec_push(&wl->places, place))
            return err_nomem(err);
    }
    return true;
}

static int place_order(const void *a, const void *b, void *names)
{
    const struct weblist_place *x = a, *y = b;
    if (x->file != y->file)
        return strtab_cmp(names, x->file, y->file);
    int c = ORDER(x->line, y->line);
    c = c ? c : ORDER(x->inst, y->inst);
    return c ? c : ORDER(x->frame, y->frame);
}

static bool make_places(struct weblist *wl, struct prof_err *err)
{
    /* An instruction without a line belongs to the line shortly before it. */
    const struct weblist_inst *last = NULL;
    for (size_t i = 0; i < wl->insts.n; i++) {
        const struct weblist_inst *inst = &wl->insts.v[i], *from = inst;
        bool is_code = inst->mapping != PROF_NONE;
        if (inst->begins)
            last = NULL;
        if (inst->n_frames && wl->frames.v[inst->frame].line)
            last = inst;
        else if (is_code && last && inst->address - last->address <= NEAR)
            from = last;
        if (!add_places(wl, i, from, err))
            return false;
    }
    vec_sort_by(&wl->places, place_order, &wl->names);
    return true;
}

/* --- the code around addresses --- */

enum {
    AROUND = 500, /* bytes of code shown before and after an address */
    RANGES = 25,  /* ranges shown, the heaviest ones; .. */
    MUCH = 200,   /* .. with WEBLIST_MUCH */
};

struct code_range {
    uint64_t begin, end; /* addresses in the process */
    uint32_t mapping;
    int64_t flat;    /* sum of the values of the matching addresses, */
    size_t first, n; /* .. which are with_code[first .. first + n) */
};

struct coder {
    struct weblist *wl;
    enum weblist_code how;
    size_t *with_code; /* indices in wl->addrs */
    size_t n;
    bool *known; /* by mapping: there is a binary */
    VEC(struct code_range) ranges;
    struct sym_code code;
};

/* Adds an address without code, with the frames of the profile. */
static bool add_bare(struct weblist *wl, const struct weblist_addr *a,
                     struct prof_err *err)
{
    const struct profile *p = wl->code.r->p;
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
        /* A line above this cannot be valid. */
        if (line->line > 0 && line->line <= UINT32_MAX)
            frame.line = line->line;
        frame.wanted = wl->wanted[f->name] & WEBLIST_NAMED;
        if (!intern(wl, &p->strings, f->name, &frame.name, err) ||
            !intern(wl, &p->strings, f->filename, &frame.file, err))
            return false;
        if (!vec_push(&wl->frames, frame))
            return err_nomem(err);
    }
    inst.n_frames = wl->frames.n - inst.frame;
    return vec_push(&wl->insts, inst) || err_nomem(err);
}

/* Adds the addresses without code and lists those whose binary has code. */
static bool divide_addrs(struct coder *c, struct prof_err *err)
{
    struct weblist *wl = c->wl;
    const struct profile *p = wl->code.r->p;
    c->with_code = mem_array(wl->addrs.n, sizeof *c->with_code);
    c->known = mem_zarray(p->n_mappings, sizeof *c->known);
    if (!c->with_code || !c->known)
        return err_nomem(err);
    for (size_t i = 0; i < wl->addrs.n; i++) {
        const struct weblist_addr *a = &wl->addrs.v[i];
        const struct prof_location *l = &p->locations[a->location];
        if (!a->wanted)
            continue;
        const bool is_mapped =
            c->how != WEBLIST_LINES && l->address && l->mapping != PROF_NONE &&
            code_is_mapped(&p->mappings[l->mapping], l->address);
        if (is_mapped && !c->known[l->mapping]) {
            struct mapped_binary at;
            if (!code_binary(&wl->code, l->mapping, l->address, &at, err))
                return false;
            c->known[l->mapping] = at.files != NULL;
        }
        if (is_mapped && c->known[l->mapping])
            c->with_code[c->n++] = i;
        else if (!add_bare(wl, a, err))
            return false;
    }
    return true;
}

static const struct weblist_addr *addr_of(const struct coder *c, size_t i)
{
    return &c->wl->addrs.v[c->with_code[i]];
}

static uint32_t mapping_of(const struct coder *c, size_t i)
{
    return c->wl->code.r->p->locations[addr_of(c, i)->location].mapping;
}

/*
 * Returns the range around with_code[*i], joined with those of the following
 * addresses that would touch it.  Advances *i past these addresses.
 */
static struct code_range next_range(const struct coder *c, size_t *i)
{
    uint32_t mapping = mapping_of(c, *i);
    const struct prof_mapping *m = &c->wl->code.r->p->mappings[mapping];
    bool bounded = m->limit > m->start;
    uint64_t floor = bounded ? m->start : 0;
    uint64_t limit = bounded ? m->limit : UINT64_MAX;
    uint64_t first = addr_of(c, *i)->address, last = first;
    const size_t begin = *i;
    int64_t flat = 0;
    for (; *i < c->n && mapping_of(c, *i) == mapping &&
           addr_of(c, *i)->address - last <= 2 * (uint64_t)AROUND;
         ++*i) {
        last = addr_of(c, *i)->address;
        /* Used only to find the heaviest; it may wrap. */
        flat = (int64_t)((uint64_t)flat + (uint64_t)addr_of(c, *i)->value.flat);
    }
    return (struct code_range){first - floor > AROUND ? first - AROUND : floor,
                               limit - last > AROUND ? last + AROUND : limit,
                               mapping,
                               flat,
                               begin,
                               *i - begin};
}

static int range_order(const void *a, const void *b)
{
    const struct code_range *x = a, *y = b;
    const int c = ORDER(y->flat, x->flat);
    return c ? c : ORDER(x->begin, y->begin);
}

static bool find_ranges(struct coder *c, struct prof_err *err)
{
    for (size_t i = 0; i < c->n;) {
        struct code_range s = next_range(c, &i);
        if (!vec_push(&c->ranges, s))
            return err_nomem(err);
    }
    vec_sort(&c->ranges, range_order);
    const size_t most = c->how == WEBLIST_MUCH ? MUCH : RANGES;
    if (c->ranges.n <= most)
        return true;
    note_warn(c->wl->code.r->notes,
              "code is shown only for the %zu heaviest of %zu places", most,
              c->ranges.n);
    for (size_t i = most; c->how == WEBLIST_MUCH && i < c->ranges.n; i++) {
        const struct code_range *s = &c->ranges.v[i];
        for (size_t k = s->first; k < s->first + s->n; k++)
            if (!add_bare(c->wl, addr_of(c, k), err))
                return false;
    }
    c->ranges.n = most;
    return true;
}

/* Adds the disassembly of a range; address = address in the binary + bias. */
static bool add_range_code(struct coder *c, const struct code_range *s,
                           uint64_t bias, struct prof_err *err)
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

static bool disassemble_range(struct coder *c, const struct code_range *s,
                              struct prof_err *err)
{
    struct weblist *wl = c->wl;
    const struct report_opts *o = wl->code.r->opts;
    struct mapped_binary at;
    if (!code_binary(&wl->code, s->mapping, s->begin, &at, err))
        return false;
    if (!at.files)
        return true;
    struct sym_disassembly job = {.program = o->objdump,
                                  .file = at.files->image.path,
                                  .begin = s->begin - at.bias,
                                  .end = s->end - at.bias,
                                  .intel_syntax = o->intel_syntax,
                                  .notes = wl->code.r->notes};
    return sym_disassemble(&job, &c->code, err) &&
           add_range_code(c, s, at.bias, err);
}

/* Gives each instruction the values of all addresses in it. */
static bool add_inst_values(struct weblist *wl, struct prof_err *err)
{
    for (size_t i = 0; i < wl->insts.n; i++) {
        struct weblist_inst *inst = &wl->insts.v[i];
        size_t k = sorted_below(wl->addrs.v, wl->addrs.n, sizeof *wl->addrs.v,
                                inst->address);
        for (; k < wl->addrs.n &&
               wl->addrs.v[k].address - inst->address < inst->length;
             k++)
            if (!weblist_add(&inst->value, wl->addrs.v[k].value, err))
                return false;
    }
    return true;
}

bool weblist_make(struct weblist *wl, struct report *r, enum weblist_code code,
                  struct prof_err *err)
{
    struct coder c = {.wl = wl, .how = code};
    memset(wl, 0, sizeof *wl);
    bool ok = (strtab_init(&wl->names) || err_nomem(err)) &&
              code_init(&wl->code, r, "--weblist", err) &&
              collect_addrs(wl, err) && divide_addrs(&c, err) &&
              find_ranges(&c, err);
    for (size_t i = 0; ok && i < c.ranges.n; i++)
        ok = disassemble_range(&c, &c.ranges.v[i], err);
    free(c.with_code);
    free(c.known);
    vec_free(&c.ranges);
    sym_code_free(&c.code);
    return ok && add_inst_values(wl, err) && make_frames(wl, err) &&
           make_places(wl, err);
}

void weblist_free(struct weblist *wl)
{
    vec_free(&wl->places);
    vec_free(&wl->frames);
    vec_free(&wl->insts);
    buf_free(&wl->text);
    vec_free(&wl->addrs);
    free(wl->wanted);
    free(wl->pretty);
    code_free(&wl->code);
    strtab_free(&wl->names);
}
