/* --weblist: the frames of instructions, and the lines these lead to. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "profile/text.h"
#include "report/code/weblist.h"
#include "symbol/symbol.h"

/* How far behind an instruction with a line one without may have its. */
enum { NEAR = 32 };

/* A profile with a location for each instruction that is code, in order. */
static bool make_profile(const struct weblist *wl, struct profile *to,
                         struct err *err)
{
    const struct profile *p = wl->r->p;
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

static bool symbolize(const struct weblist *wl, bool symtab_only,
                      struct profile *p, struct err *err)
{
    const struct report_opts *o = wl->r->opts;
    struct sym_opts opts = {.cache = wl->binaries.cache,
                            .path = o->binary_path,
                            .binary = o->binary,
                            .threads = o->threads,
                            .symtab_only = symtab_only};
    /* What there was to say about binaries has been said. */
    return make_profile(wl, p, err) && sym_profile(p, &opts, NULL, err);
}

static bool find_name(const struct strtab *names, struct slice name,
                      uint32_t *id)
{
    return strtab_find(names, name.s, name.n, id);
}

/*
 * How a function is shown, and whether it is asked for: the profile knows it
 * by the name in the binary, or else by the one that people read.
 */
static bool take_function(struct weblist *wl, const struct profile *from,
                          const struct prof_function *f,
                          struct weblist_frame *frame, struct err *err)
{
    const struct strtab *ours = &wl->r->p->strings, *names = &from->strings;
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
    return weblist_name(wl, names, name, &frame->name, err);
}

static bool take_line(struct weblist *wl, const struct profile *from,
                      const struct prof_line *line, struct weblist_frame *to,
                      struct err *err)
{
    *to = (struct weblist_frame){.line = line->line};
    if (line->function == PROF_NONE)
        return true;
    const struct prof_function *f = &from->functions[line->function];
    return take_function(wl, from, f, to, err) &&
           weblist_name(wl, &from->strings, f->filename, &to->file, err);
}

/*
 * The function that is not inlined may have another name in the symbol table
 * than in the debug information: the profile may have either.
 */
static bool take_symbol(struct weblist *wl, const struct profile *symbols,
                        const struct prof_location *l,
                        struct weblist_frame *outer, struct err *err)
{
    if (outer->wanted || !l->n_lines)
        return true;
    struct weblist_frame other = *outer;
    uint32_t f = symbols->lines[l->line_off].function;
    if (f != PROF_NONE &&
        !take_function(wl, symbols, &symbols->functions[f], &other, err))
        return false;
    if (other.wanted)
        *outer = other;
    return true;
}

static bool take_lines(struct weblist *wl, const struct profile *from,
                       const struct prof_location *l, struct weblist_inst *inst,
                       struct err *err)
{
    inst->frame = wl->frames.n;
    inst->n_frames = l->n_lines;
    for (uint32_t i = 0; i < l->n_lines; i++) {
        struct weblist_frame frame;
        if (!take_line(wl, from, &from->lines[l->line_off + i], &frame, err))
            return false;
        if (!vec_push(&wl->frames, frame))
            return err_nomem(err);
    }
    return true;
}

bool weblist_frames(struct weblist *wl, struct err *err)
{
    struct profile lines = {0}, symbols = {0};
    bool ok =
        symbolize(wl, false, &lines, err) && symbolize(wl, true, &symbols, err);
    for (size_t i = 0, k = 0; ok && i < wl->insts.n; i++) {
        struct weblist_inst *inst = &wl->insts.v[i];
        if (inst->mapping == PROF_NONE)
            continue;
        ok = take_lines(wl, &lines, &lines.locations[k], inst, err) &&
             (!inst->n_frames ||
              take_symbol(wl, &symbols, &symbols.locations[k],
                          &wl->frames.v[wl->frames.n - 1], err));
        k++;
    }
    prof_free(&lines);
    prof_free(&symbols);
    return ok;
}

/* A file name as it is shown: cleaned, without what is in front of all. */
static bool clean_file(struct weblist *wl, uint32_t file, uint32_t *cleaned,
                       struct err *err)
{
    static const char *const before[] = {"/proc/self/cwd/", "./"};
    const char *s = strtab_str(&wl->names, file);
    size_t n = strtab_len(&wl->names, file);
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        size_t k = strlen(before[i]);
        if (n >= k && !memcmp(s, before[i], k)) {
            s += k;
            n -= k;
        }
    }
    struct buf path = {0};
    bool ok = path_clean(&path, s, n) &&
              strtab_add(&wl->names, (const char *)path.v, path.n, cleaned);
    buf_free(&path);
    return ok || err_nomem(err);
}

/* The lines that the instruction belongs to, by the frames of *from. */
static bool add_places(struct weblist *wl, size_t inst,
                       const struct weblist_inst *from, struct err *err)
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

static int by_place(const void *a, const void *b, void *names)
{
    const struct weblist_place *x = a, *y = b;
    if (x->file != y->file)
        return strtab_cmp(names, x->file, y->file);
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->inst != y->inst)
        return x->inst < y->inst ? -1 : 1;
    return (x->frame > y->frame) - (x->frame < y->frame);
}

bool weblist_places(struct weblist *wl, struct err *err)
{
    /* One without a line is taken to belong to what is shortly before it. */
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
    if (wl->places.n)
        qsort_r(wl->places.v, wl->places.n, sizeof *wl->places.v, by_place,
                &wl->names);
    return true;
}
