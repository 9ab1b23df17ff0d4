#include "symbol/dwarf.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/vec.h"
#include "symbol/scopes.h"
#include "symbol/units.h"

/* The names of a function, found by its entry. */
struct known {
    const void *entry;
    struct sym_name name;
};

struct reader {
    struct sym_lookup *l;
    struct sym_units units;
    struct sym_scopes scopes;
    VEC(struct known) known; /* functions met */
    struct hashidx known_index;
    VEC(uint64_t) addr;          /* of the unit at work */
    VEC(uint32_t) query;         /* which query each is */
    VEC(struct prof_line) lines; /* of the address at work */
    const char *dir;             /* of the unit at work, or null */
    struct buf path;             /* scratch */
};

/* A place in a source file; file null, line 0: unknown. */
struct place {
    const char *file;
    int line, column;
};

static bool is_mangled(const char *name)
{
    return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

static const char *string_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute a;
    return dwarf_attr_integrate(die, name, &a) ? dwarf_formstring(&a) : NULL;
}

/*
 * The raw name of a function.  Compilers leave the linkage name out for
 * functions that other files do not see; then the symbol table has it, if
 * the function was not inlined.
 */
static bool raw_name(struct reader *r, Dwarf_Die *die, const char **raw,
                     struct err *err)
{
    *raw = string_of(die, DW_AT_linkage_name);
    if (!*raw)
        *raw = string_of(die, DW_AT_MIPS_linkage_name);
    if (*raw)
        return true;
    *raw = dwarf_diename(die);
    if (dwarf_tag(die) != DW_TAG_subprogram)
        return true;
    Dwarf_Die unit;
    int language =
        dwarf_diecu(die, &unit, NULL, NULL) ? dwarf_srclang(&unit) : -1;
    bool mangles = language == DW_LANG_C_plus_plus ||
                   language == DW_LANG_C_plus_plus_11 ||
                   language == DW_LANG_C_plus_plus_14 ||
                   language == DW_LANG_ObjC_plus_plus;
    if (*raw && !mangles)
        return true;
    /* Where the function begins: its cold part has a symbol of its own. */
    const struct sym_symbol *s;
    Dwarf_Addr base, lo, hi;
    if (dwarf_ranges(die, 0, &base, &lo, &hi) <= 0)
        return true;
    if (!sym_lookup_symbol(r->l, lo, &s, err))
        return false;
    if (s && !s->plt && (!*raw || is_mangled(s->name)))
        *raw = s->name;
    return true;
}

static bool read_name(struct reader *r, Dwarf_Die *die, struct sym_name *name,
                      struct err *err)
{
    const char *raw;
    int line;
    if (!raw_name(r, die, &raw, err) ||
        (raw && !sym_names_set(r->l->names, raw, strlen(raw), name, err)))
        return false;
    if (dwarf_decl_line(die, &line) == 0 && line > 0)
        name->start_line = line;
    return true;
}

/* The names of a function from its entry, each origin read only once. */
static bool name_of(struct reader *r, Dwarf_Die *die,
                    const struct sym_name **name, struct err *err)
{
    Dwarf_Attribute a;
    Dwarf_Die origin = *die;
    if (dwarf_tag(die) == DW_TAG_inlined_subroutine &&
        dwarf_attr(die, DW_AT_abstract_origin, &a))
        (void)dwarf_formref_die(&a, &origin);
    if (!hashidx_room(&r->known_index))
        return err_nomem(err);
    uint32_t row, hash = (uint32_t)((uintptr_t)origin.addr * 0x9e3779b1U);
    size_t at = hashidx_start(&r->known_index, hash);
    while ((row = hashidx_next(&r->known_index, hash, &at)) != HASHIDX_NONE) {
        *name = &r->known.v[row].name;
        if (r->known.v[row].entry == origin.addr)
            return true;
    }
    struct known new = {origin.addr, {0, 0, 0}};
    if (!read_name(r, die, &new.name, err))
        return false;
    if (!vec_push(&r->known, new))
        return err_nomem(err);
    hashidx_put(&r->known_index, at, hash, (uint32_t)r->known.n - 1);
    *name = &r->known.v[r->known.n - 1].name;
    return true;
}

/* The line table's entry for the address. */
static struct place place_of(struct sym_unit *unit, uint64_t vaddr)
{
    struct place at = {NULL, 0, 0};
    Dwarf_Line *line = dwarf_getsrc_die(&unit->lines, vaddr);
    if (!line)
        return at;
    at.file = dwarf_linesrc(line, NULL, NULL);
    if (dwarf_lineno(line, &at.line) != 0 || at.line < 0)
        at.line = 0;
    if (dwarf_linecol(line, &at.column) != 0 || at.column < 0)
        at.column = 0;
    return at;
}

static int number_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute a;
    Dwarf_Word value;
    if (!dwarf_attr(die, name, &a) || dwarf_formudata(&a, &value) != 0 ||
        value > INT32_MAX)
        return 0;
    return (int)value;
}

/* Where an inlined function was called. */
static struct place call_of(struct sym_unit *unit, Dwarf_Die *die)
{
    Dwarf_Files *files;
    size_t n;
    struct place at = {NULL, number_of(die, DW_AT_call_line),
                       number_of(die, DW_AT_call_column)};
    int file = number_of(die, DW_AT_call_file);
    if (dwarf_getsrcfiles(&unit->lines, &files, &n) == 0 && (size_t)file < n)
        at.file = dwarf_filesrc(files, (size_t)file, NULL, NULL);
    return at;
}

/*
 * True when a file name is to be read from the unit's directory, and libdw
 * has not put that in front already.
 */
static bool is_below(const char *file, const char *dir)
{
    if (*file == '/' || !dir || strcmp(dir, ".") == 0)
        return false;
    size_t n = strlen(dir);
    return strncmp(file, dir, n) != 0 || file[n] != '/';
}

/* The id of a file name, or of "" when it is null. */
static bool file_id(struct reader *r, const char *file, uint32_t *id,
                    struct err *err)
{
    if (!file || !is_below(file, r->dir))
        return prof_str(r->l->names->p, file ? file : "", id, err);
    r->path.n = 0;
    if (!buf_printf(&r->path, "%s/%s", r->dir, file))
        return err_nomem(err);
    return prof_strn(r->l->names->p, (char *)r->path.v, r->path.n, id, err);
}

static bool add_line(struct reader *r, const struct sym_name *name,
                     const struct place *at, struct err *err)
{
    struct prof_line line = {at->line, at->column, PROF_NONE};
    struct sym_names *names = r->l->names;
    uint32_t file;
    if (!file_id(r, at->file, &file, err))
        return false;
    if (name->name &&
        !sym_names_function(names, name, file, &line.function, err))
        return false;
    return vec_push(&r->lines, line) || err_nomem(err);
}

/* Code without a function, from assembly: the symbol's name, our line. */
static bool add_symbol_line(struct reader *r, const struct place *at,
                            uint64_t vaddr, struct err *err)
{
    const struct sym_symbol *s;
    struct sym_name name;
    if (!at->line)
        return true;
    if (!sym_lookup_symbol(r->l, vaddr, &s, err))
        return false;
    return !s || (sym_names_symbol(r->l->names, s, &name, err) &&
                  add_line(r, &name, at, err));
}

/* All lines of one address, innermost first. */
static bool resolve(struct reader *r, struct sym_unit *unit, uint32_t scope,
                    struct sym_query *q, struct err *err)
{
    struct place at = place_of(unit, q->vaddr);
    r->lines.n = 0;
    if (scope == SYM_NO_SCOPE && !add_symbol_line(r, &at, q->vaddr, err))
        return false;
    while (scope != SYM_NO_SCOPE) {
        struct sym_scope *s = &r->scopes.scopes.v[scope];
        const struct sym_name *name = NULL;
        if (!name_of(r, &s->die, &name, err) || !add_line(r, name, &at, err))
            return false;
        scope = s->parent;
        if (scope != SYM_NO_SCOPE)
            at = call_of(unit, &s->die);
        r->l->has_inlines = true;
    }
    size_t first = r->l->no_inlines && r->lines.n ? r->lines.n - 1 : 0;
    for (size_t i = first; i < r->lines.n; i++)
        if (!sym_lookup_add(r->l, q, &r->lines.v[i], err))
            return false;
    return true;
}

static bool resolve_unit(struct reader *r, uint32_t u, struct err *err)
{
    struct sym_unit *unit = &r->units.units.v[u];
    r->dir = string_of(&unit->lines, DW_AT_comp_dir);
    if (!sym_scopes_find(&r->scopes, &unit->scopes, unit->size, r->addr.v,
                         r->addr.n, err))
        return false;
    for (size_t i = 0; i < r->addr.n; i++)
        if (!resolve(r, unit, r->scopes.found.v[i], &r->l->v[r->query.v[i]],
                     err))
            return false;
    return true;
}

struct pair {
    uint32_t unit, query;
};

static int by_unit(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->unit != y->unit)
        return x->unit < y->unit ? -1 : 1;
    return (x->query > y->query) - (x->query < y->query);
}

/* Unit by unit; the queries of a unit need not be neighbours. */
static bool resolve_all(struct reader *r, struct pair *pair, struct err *err)
{
    size_t n = 0;
    for (size_t i = 0; i < r->l->n; i++) {
        uint32_t unit = sym_units_find(&r->units, r->l->v[i].vaddr);
        if (unit != UINT32_MAX)
            pair[n++] = (struct pair){unit, (uint32_t)i};
    }
    if (n)
        qsort(pair, n, sizeof *pair, by_unit);
    for (size_t i = 0; i < n;) {
        uint32_t unit = pair[i].unit;
        r->addr.n = r->query.n = 0;
        for (; i < n && pair[i].unit == unit; i++)
            if (!vec_push(&r->addr, r->l->v[pair[i].query].vaddr) ||
                !vec_push(&r->query, pair[i].query))
                return err_nomem(err);
        if (!resolve_unit(r, unit, err))
            return false;
    }
    return true;
}

static bool read_dwarf(struct reader *r, Dwarf *dwarf, struct err *err)
{
    struct pair *pair = mem_array(r->l->n, sizeof *pair);
    bool ok = pair ? sym_units_read(&r->units, dwarf, err) : err_nomem(err);
    ok = ok && resolve_all(r, pair, err);
    free(pair);
    return ok;
}

bool sym_dwarf_lookup(struct sym_lookup *l, struct err *err)
{
    const struct sym_image *im = &l->files->image;
    if (!im->has_dwarf && l->files->debug.has_dwarf)
        im = &l->files->debug;
    if (!im->has_dwarf)
        return true;
    Dwarf *dwarf = dwarf_begin_elf(im->elf, DWARF_C_READ, NULL);
    if (!dwarf) {
        note_warn(l->notes, "%s: debug information: %s", im->path,
                  dwarf_errmsg(-1));
        return true;
    }
    struct reader r = {.l = l};
    bool ok = read_dwarf(&r, dwarf, err);
    if (ok && (r.units.damaged || r.scopes.damaged))
        note_warn(l->notes, "%s: parts of the debug information are damaged",
                  im->path);
    sym_units_free(&r.units);
    sym_scopes_free(&r.scopes);
    vec_free(&r.known);
    hashidx_free(&r.known_index);
    vec_free(&r.addr);
    vec_free(&r.query);
    vec_free(&r.lines);
    buf_free(&r.path);
    dwarf_end(dwarf);
    return ok;
}
