#include "symbol/dwarf.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/vec.h"
#include "symbol/entry.h"
#include "symbol/scopes.h"
#include "symbol/split.h"

struct reader {
    struct sym_lookup *l;
    struct sym_scopes scopes;
    struct sym_entries entries;
    VEC(uint64_t) addr;          /* of the unit at work */
    VEC(uint32_t) query;         /* which query each is */
    VEC(struct prof_line) lines; /* of the address at work */
    const char *dir;             /* of the unit at work, or null */
    size_t lost;                 /* addresses in units that are lost */
    const char *lost_file;       /* where the first of these was to be */
    struct buf path;             /* scratch */
};

/* A place in a source file; file null, line 0: unknown. */
struct place {
    const char *file;
    int line, column;
};

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
    struct sym_names *names = r->l->names;
    if (!file)
        return prof_str(names->p, "", id, err);
    if (!is_below(file, r->dir))
        return sym_names_string(names, file, strlen(file), id, err);
    r->path.n = 0;
    if (!buf_printf(&r->path, "%s/%s", r->dir, file))
        return err_nomem(err);
    return sym_names_string(names, (char *)r->path.v, r->path.n, id, err);
}

/* A function that has no name is one all the same: pprof wants one. */
static bool add_line(struct reader *r, const struct sym_name *name,
                     const struct place *at, struct err *err)
{
    struct prof_line line = {at->line, at->column, PROF_NONE};
    struct sym_names *names = r->l->names;
    uint32_t file;
    if (!file_id(r, at->file, &file, err))
        return false;
    if (!sym_names_function(names, name, file, &line.function, err))
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
        if (!sym_entry_name(&r->entries, r->l, &s->die, &name, err) ||
            !add_line(r, name, &at, err))
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

/* Has the functions of the unit where they are in a file of their own. */
static bool complete(struct reader *r, struct sym_unit *unit, struct err *err)
{
    struct sym_binary *b = r->l->binary;
    const struct sym_image *im = sym_files_dwarf(&b->files);
    char *dir;
    if (unit->split) {
        if (!sym_image_dir(im, &dir, err))
            return false;
        bool ok = sym_unit_complete(&b->units, unit, dir, err) ||
                  err_prefix(err, "%s: ", im->path);
        free(dir);
        if (!ok)
            return false;
    }
    if (unit->lost && !r->lost_file)
        r->lost_file = sym_split_name(&unit->lines);
    r->lost += unit->lost ? r->addr.n : 0;
    return true;
}

static bool resolve_unit(struct reader *r, uint32_t u, struct err *err)
{
    struct sym_unit *unit = &r->l->binary->units.units.v[u];
    r->dir = sym_entry_string(&unit->lines, DW_AT_comp_dir);
    if (!complete(r, unit, err) ||
        !sym_scopes_find(&r->scopes, &unit->scopes, unit->size, r->addr.v,
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
    const struct sym_units *units = &r->l->binary->units;
    size_t n = 0;
    for (size_t i = 0; i < r->l->n; i++) {
        uint32_t unit = sym_units_find(units, r->l->v[i].vaddr);
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

bool sym_dwarf_lookup(struct sym_lookup *l, struct err *err)
{
    struct sym_binary *b = l->binary;
    if (!sym_binary_dwarf(b, l->notes, err))
        return false;
    if (!b->dwarf)
        return true;
    struct reader r = {.l = l};
    struct pair *pair = mem_array(l->n, sizeof *pair);
    bool ok = pair ? resolve_all(&r, pair, err) : err_nomem(err);
    free(pair);
    const char *path = sym_files_dwarf(&b->files)->path;
    if (ok && (b->units.damaged || r.scopes.damaged))
        note_warn(l->notes, "%s: parts of the debug information are damaged",
                  path);
    if (ok && r.lost)
        note_warn(l->notes,
                  "%s: no %sstart lines of functions for %zu addresses: their "
                  "debug information is in files that are not there or do not "
                  "fit (%s)",
                  path, l->no_inlines ? "" : "inlined calls and no ", r.lost,
                  r.lost_file ? r.lost_file : "?");
    sym_scopes_free(&r.scopes);
    sym_entries_free(&r.entries);
    vec_free(&r.addr);
    vec_free(&r.query);
    vec_free(&r.lines);
    buf_free(&r.path);
    return ok;
}
