/*
 * dwarf.c - functions, lines and inlined frames from DWARF
 *
 * An address belongs to the DW_TAG_subprogram whose code contains it, and to
 * the nested DW_TAG_inlined_subroutine entries in it whose code contains it,
 * too.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/sort.h"
#include "base/vec.h"
#include "symbolize/private.h"

/* --- names of functions --------------------------------------------------- */

/* The functions seen so far; zero-initialise. */
struct entries {
    struct map known;           /* addresses of their entries */
    VEC(struct sym_name) names; /* by row in `known` */
    struct sym_owners owners;
};

static bool set_lines(struct sym_lookup *l, struct sym_query *q,
                      const struct prof_line *lines, size_t n,
                      struct prof_err *err)
{
    q->found = n != 0;
    return !n || prof_set_lines(l->names->p, q->location, lines, n, err);
}

/* Whether the unit of an entry is in a language that does not mangle names. */
static bool is_unmangled_language(Dwarf_Die *die)
{
    Dwarf_Die unit;
    if (!dw.dwarf_diecu(die, &unit, NULL, NULL))
        return false;
    switch (dw.dwarf_srclang(&unit)) {
    case DW_LANG_C:
    case DW_LANG_C89:
    case DW_LANG_C99:
    case DW_LANG_C11:
    case DW_LANG_Go:
        return true;
    default:
        return false;
    }
}

/*
 * Sets *raw to the mangled name of a function.  Compilers omit the linkage name
 * of functions that are local to a file; then the symbol table has it, if the
 * function was not inlined.
 */
static bool find_raw_name(struct sym_lookup *l, Dwarf_Die *die,
                          const char **raw, struct prof_err *err)
{
    *raw = sym_entry_string(die, DW_AT_linkage_name);
    if (!*raw)
        *raw = sym_entry_string(die, DW_AT_MIPS_linkage_name);
    if (*raw)
        return true;
    *raw = dw.dwarf_diename(die);
    if (dw.dwarf_tag(die) != DW_TAG_subprogram)
        return true;
    if (*raw && is_unmangled_language(die))
        return true;
    /* Use the start of the function: its cold part has its own symbol. */
    const struct sym_symbol *s;
    Dwarf_Addr base, lo, hi;
    if (dw.dwarf_ranges(die, 0, &base, &lo, &hi) <= 0)
        return true;
    if (!sym_binary_symbol(l->binary, lo, &s, l->notes, err))
        return false;
    if (s && !s->plt &&
        (!*raw || strncmp(s->name, "_Z", 2) == 0 ||
         strncmp(s->name, "_R", 2) == 0))
        *raw = s->name;
    return true;
}

/*
 * Sets *name to the names and start line of a DW_TAG_subprogram or an inlined
 * one, "" if it has none.  Reads each origin only once.  *name is valid until
 * the next call.
 */
static bool find_entry_name(struct entries *e, struct sym_lookup *l,
                            Dwarf_Die *die, const struct sym_name **name,
                            struct prof_err *err)
{
    Dwarf_Attribute a;
    Dwarf_Die origin = *die;
    if (dw.dwarf_tag(die) == DW_TAG_inlined_subroutine &&
        dw.dwarf_attr(die, DW_AT_abstract_origin, &a))
        (void)dw.dwarf_formref_die(&a, &origin);
    uint32_t row;
    bool is_new, is_set = false;
    if (!vec_reserve(&e->names, 1) ||
        !map_add(&e->known, &origin.addr, sizeof origin.addr, &row, &is_new))
        return err_nomem(err);
    *name = &e->names.v[row];
    if (!is_new)
        return true;
    /* Read its names and its line. */
    struct sym_name *new = &e->names.v[e->names.n++];
    const char *raw;
    int line = 0;
    *new = (struct sym_name){0};
    if (!find_raw_name(l, die, &raw, err) ||
        (raw && raw == dw.dwarf_diename(die) && !l->discriminators &&
         !sym_qualify(&e->owners, l->names, die, new, &is_set, err)) ||
        (raw && !is_set &&
         !sym_names_set(l->names, raw, strlen(raw), new, err)))
        return false;
    if (dw.dwarf_decl_line(die, &line) != 0 && l->discriminators &&
        !sym_lambda_line(&e->owners, die, &line, err))
        return false;
    if (line > 0)
        new->start_line = line;
    return true;
}

/* --- functions of a unit by address --------------------------------------- */

#define NO_SCOPE UINT32_MAX

/* A place in a source file; file null, line 0: unknown. */
struct place {
    const char *file;
    int line, column;
    unsigned discriminator;
};

struct scope {
    Dwarf_Die die;
    uint32_t parent; /* the scope it is inlined in; NO_SCOPE: a root */
    uint32_t root;   /* the subprogram; for a root, itself */
    /* Most scopes have several addresses, so these are read once: */
    bool was_called;
    struct place call; /* where it is inlined, if was_called */
    uint32_t function; /* that of the profile with this file; or PROF_NONE */
    const char *file;
};

struct scopes {
    VEC(struct scope) scopes;
    VEC(uint32_t) found; /* by address: the innermost scope, or NO_SCOPE */
    VEC(uint32_t)
    next;         /* scratch of unclaimed(): to skip addresses that have
                     a scope */
    bool damaged; /* something could not be read */
};

/* Compilers nest a few dozen levels deep. */
enum { DEPTH_MAX = 1024 };

/* A level of the walk: the entry it is at, and the scope around it. */
struct level {
    Dwarf_Die die;
    uint32_t scope;
};

struct walk {
    struct scopes *s;
    const uint64_t *addr;
    size_t n;
    size_t budget; /* entries, ranges and addresses left to visit */
    bool all;      /* second pass: also search entries that rarely contain
                      functions */
    struct level level[DEPTH_MAX];
    size_t depth;
};

/*
 * Returns the first address from i on without a function, or n.  Halves the
 * paths that it follows (as union-find does), so that overlapping functions do
 * not visit the same addresses again and again.
 */
static size_t unclaimed(struct walk *w, size_t i)
{
    uint32_t *next = w->s->next.v;
    while (next[i] != i) {
        next[i] = next[next[i]];
        i = next[i];
    }
    return i;
}

/*
 * Assigns the addresses in the ranges of the entry to `scope`: for a root,
 * those without a function; otherwise those of its root.  Returns whether there
 * are any.
 */
static bool claim(struct walk *w, Dwarf_Die *die, uint32_t scope, uint32_t root)
{
    const struct scope *scopes = w->s->scopes.v;
    uint32_t *found = w->s->found.v;
    bool any = false;
    ptrdiff_t at = 0;
    Dwarf_Addr base, lo, hi;
    while (w->budget && (at = dw.dwarf_ranges(die, at, &base, &lo, &hi)) > 0) {
        w->budget--;
        if (!lo) /* the linker has dropped this code */
            continue;
        size_t i = sorted_upto(w->addr, w->n, sizeof *w->addr, lo - 1);
        if (scope == root) {
            i = unclaimed(w, i);
            for (; i < w->n && w->addr[i] < hi; i = unclaimed(w, i)) {
                found[i] = root;
                w->s->next.v[i] = (uint32_t)i + 1;
                any = true;
            }
            continue;
        }
        /*
         * Here addresses of other functions use the budget, too.  Code of an
         * inlined call belongs to the function that it is inlined in.
         */
        for (; w->budget && i < w->n && w->addr[i] < hi; i++, w->budget--)
            if (found[i] != NO_SCOPE && scopes[found[i]].root == root) {
                found[i] = scope;
                any = true;
            }
    }
    if (at < 0)
        w->s->damaged = true;
    return any;
}

/* Adds a scope for an entry if it has addresses, and sets *scope to it. */
static bool add_scope(struct walk *w, Dwarf_Die *die, uint32_t *scope,
                      bool *any, struct prof_err *err)
{
    bool inlined = dw.dwarf_tag(die) == DW_TAG_inlined_subroutine;
    size_t n = w->s->scopes.n;
    if (n >= NO_SCOPE)
        return err_input(err, "too many functions");
    uint32_t self = (uint32_t)n;
    struct scope new = {
        .die = *die, .parent = NO_SCOPE, .root = self, .function = PROF_NONE};
    if (inlined && *scope != NO_SCOPE) {
        new.parent = *scope;
        new.root = w->s->scopes.v[*scope].root;
    }
    if (!vec_push(&w->s->scopes, new))
        return err_nomem(err);
    *any = claim(w, die, self, new.root);
    if (*any)
        *scope = self;
    else
        w->s->scopes.n--;
    return true;
}

/* Sets *below if the children may have functions, and *scope to their scope. */
static bool visit(struct walk *w, Dwarf_Die *die, uint32_t *scope, bool *below,
                  struct prof_err *err)
{
    *below = false;
    switch (dw.dwarf_tag(die)) {
    case DW_TAG_subprogram:
        if (!add_scope(w, die, scope, below, err))
            return false;
        *below |= w->all;
        return true;
    case DW_TAG_inlined_subroutine:
        return *scope == NO_SCOPE || add_scope(w, die, scope, below, err);
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
        *below = *scope != NO_SCOPE || w->all;
        return true;
    case DW_TAG_namespace:
    case DW_TAG_module:
        *below = true;
        return true;
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        *below = w->all;
        return true;
    default:
        return true;
    }
}

/* Descends to the children of an entry, if it has any. */
static void descend(struct walk *w, Dwarf_Die *die, uint32_t scope)
{
    struct level *next = &w->level[w->depth];
    if (w->depth == DEPTH_MAX) {
        w->s->damaged = true;
        return;
    }
    int r = dw.dwarf_child(die, &next->die);
    if (r < 0)
        w->s->damaged = true;
    if (r != 0)
        return;
    next->scope = scope;
    w->depth++;
}

static bool walk_unit(struct walk *w, const Dwarf_Die *unit, size_t size,
                      struct prof_err *err)
{
    Dwarf_Die die = *unit;
    w->budget = 4 * (size < SIZE_MAX / 64 ? size : SIZE_MAX / 64) + 65536;
    w->budget += 64 * (w->n < SIZE_MAX / 256 ? w->n : SIZE_MAX / 256);
    w->depth = 0;
    descend(w, &die, NO_SCOPE);
    while (w->depth && w->budget) {
        w->budget--;
        size_t at = w->depth - 1;
        uint32_t scope = w->level[at].scope;
        bool below;
        die = w->level[at].die;
        if (!visit(w, &die, &scope, &below, err))
            return false;
        if (below)
            descend(w, &die, scope);

        /* Move to the next entry of this level, or up. */
        struct level *l = &w->level[at];
        Dwarf_Die next;
        const int r = dw.dwarf_siblingof(&l->die, &next);
        if (r < 0)
            w->s->damaged = true;
        if (r == 0) {
            l->die = next;
        } else {
            memmove(l, l + 1, (w->depth - at - 1) * sizeof *l);
            w->depth--;
        }
    }
    if (!w->budget)
        w->s->damaged = true;
    return true;
}

/*
 * Sets s->found for n < 2^32 sorted addresses; if functions overlap, the first
 * one has them.  The size of the unit limits the work: it has no more entries
 * than bytes.
 */
static bool scopes_find(struct scopes *s, const struct sym_unit *unit,
                        const uint64_t *addr, size_t n, struct prof_err *err)
{
    s->scopes.n = s->found.n = 0;
    struct walk *w = mem_array(1, sizeof *w);
    if (!w || !vec_reserve(&s->found, n) || !vec_reserve(&s->next, n + 1)) {
        free(w);
        return err_nomem(err);
    }
    w->s = s;
    w->addr = addr;
    w->n = n;
    w->all = false;
    for (size_t i = 0; i < n; i++)
        s->found.v[i] = NO_SCOPE;
    for (size_t i = 0; i <= n; i++)
        s->next.v[i] = (uint32_t)i;
    s->found.n = n;
    bool ok = walk_unit(w, &unit->scopes, unit->size, err);
    for (size_t i = 0; i < n; i++)
        w->all |= s->found.v[i] == NO_SCOPE;
    if (ok && w->all)
        ok = walk_unit(w, &unit->scopes, unit->size, err);
    free(w);
    return ok;
}

/* --- lines and frames ----------------------------------------------------- */

struct reader {
    struct sym_lookup *l;
    struct scopes scopes;
    struct entries entries;
    VEC(uint64_t) addr;          /* addresses in the current unit */
    VEC(uint32_t) query;         /* the query of each address */
    VEC(struct prof_line) lines; /* of the current address */
    const char *dir;             /* of the current unit, or null */
    uint32_t gcc;                /* version of gcc; 0: another compiler */
    bool by_flow;                /* as in struct sym_discriminator */
    size_t lost;                 /* addresses whose .dwo file is missing */
    const char *lost_file;       /* the name of the first such file */
    struct buf path;             /* scratch */
};

/* Returns an unsigned attribute, or 0 if it is absent or exceeds `max`. */
static uint32_t number_of(Dwarf_Die *die, unsigned name, uint32_t max)
{
    Dwarf_Attribute a;
    Dwarf_Word value;
    if (!dw.dwarf_attr(die, name, &a) || dw.dwarf_formudata(&a, &value) != 0 ||
        value > max)
        return 0;
    return (uint32_t)value;
}

/* dwarf.h lacks it: https://gcc.gnu.org/wiki/TwoLevelLineTables. */
enum { GNU_DISCRIMINATOR = 0x2136 };

static struct place call_of(struct sym_unit *unit, Dwarf_Die *die)
{
    Dwarf_Files *files;
    size_t n;
    struct place at = {NULL, (int)number_of(die, DW_AT_call_line, INT32_MAX),
                       (int)number_of(die, DW_AT_call_column, INT32_MAX),
                       number_of(die, GNU_DISCRIMINATOR, UINT32_MAX)};
    const uint32_t file = number_of(die, DW_AT_call_file, INT32_MAX);
    if (dw.dwarf_getsrcfiles(&unit->lines, &files, &n) == 0 && file < n)
        at.file = dw.dwarf_filesrc(files, file, NULL, NULL);
    return at;
}

/* Sets *id to the function of this name in a file, which may be null.  One
 * without a name is added, too: pprof expects one. */
static bool function_in(struct reader *r, const struct sym_name *name,
                        const char *path, uint32_t *id, struct prof_err *err)
{
    struct sym_names *names = r->l->names;
    struct prof_slice file = {path, path ? strlen(path) : 0};
    /* File names lack the unit's directory, unless libdw prepended it. */
    const size_t n = r->dir ? strlen(r->dir) : 0;
    if (file.s && *file.s != '/' && r->dir && strcmp(r->dir, ".") != 0 &&
        !(strncmp(file.s, r->dir, n) == 0 && file.s[n] == '/')) {
        r->path.n = 0;
        if (!buf_printf(&r->path, "%s/%s", r->dir, file.s))
            return err_nomem(err);
        file = (struct prof_slice){(char *)r->path.v, r->path.n};
    }
    uint32_t file_id;
    return (file.s ? sym_names_string(names, file.s, file.n, &file_id, err)
                   : prof_str(names->p, "", &file_id, err)) &&
           sym_names_function(names, name, file_id, id, err);
}

static bool add_discriminator(struct reader *r, const struct sym_query *q,
                              uint32_t value, struct prof_err *err)
{
    struct sym_discriminators *table = r->l->discriminators;
    const struct sym_discriminator d = {SYM_PLACE(q->location, r->lines.n - 1),
                                        value, r->gcc, r->by_flow};
    return !table || !value || vec_push(&table->v, d) || err_nomem(err);
}

/* Adds the line of a scope. */
static bool add_line(struct reader *r, struct scope *s, const struct place *at,
                     const struct sym_query *q, struct prof_err *err)
{
    const struct sym_name *name = NULL;
    if (s->function == PROF_NONE || s->file != at->file) {
        if (!find_entry_name(&r->entries, r->l, &s->die, &name, err) ||
            !function_in(r, name, at->file, &s->function, err))
            return false;
        s->file = at->file;
    }
    const struct prof_line line = {at->line, at->column, s->function};
    return vec_push(&r->lines, line)
               ? add_discriminator(r, q, at->discriminator, err)
               : err_nomem(err);
}

/* Sets all lines of one address, innermost first. */
static bool resolve(struct reader *r, struct sym_unit *unit, uint32_t scope,
                    struct sym_query *q, struct prof_err *err)
{
    /* The line table's entry for the address. */
    struct place at = {NULL, 0, 0, 0};
    Dwarf_Line *line = dw.dwarf_getsrc_die(&unit->lines, q->vaddr);
    if (line) {
        at.file = dw.dwarf_linesrc(line, NULL, NULL);
        if (dw.dwarf_lineno(line, &at.line) != 0 || at.line < 0)
            at.line = 0;
        if (dw.dwarf_linecol(line, &at.column) != 0 || at.column < 0)
            at.column = 0;
        if (dw.dwarf_linediscriminator(line, &at.discriminator) != 0)
            at.discriminator = 0;
    }

    /* Assembly has no function: use the symbol and the line table's line. */
    r->lines.n = 0;
    if (scope == NO_SCOPE && at.line) {
        const struct sym_symbol *s;
        struct sym_name name;
        struct prof_line of = {at.line, at.column, PROF_NONE};
        if (!sym_binary_symbol(r->l->binary, q->vaddr, &s, r->l->notes, err) ||
            (s && (!sym_names_symbol(r->l->names, s, &name, err) ||
                   !function_in(r, &name, at.file, &of.function, err))))
            return false;
        if (s && !vec_push(&r->lines, of))
            return err_nomem(err);
    }
    while (scope != NO_SCOPE) {
        struct scope *s = &r->scopes.scopes.v[scope];
        if (!add_line(r, s, &at, q, err))
            return false;
        scope = s->parent;
        if (scope != NO_SCOPE && !s->was_called) {
            s->call = call_of(unit, &s->die);
            s->was_called = true;
        }
        at = s->call;
        r->l->has_inlines = true;
    }
    size_t first = r->l->no_inlines && r->lines.n ? r->lines.n - 1 : 0;
    return set_lines(r->l, q, r->lines.v + first, r->lines.n - first, err);
}

/*
 * Returns the version of gcc that compiled a unit, 1 if unknown, or 0 for other
 * compilers.  The producer is like "GNU C++17 12.2.0 -O2 ...".
 */
static uint32_t gcc_version(Dwarf_Die *unit)
{
    static const char name[] = "GNU ";
    const char *s = sym_entry_string(unit, DW_AT_producer);
    if (!s || strncmp(s, name, sizeof name - 1) != 0)
        return 0;
    while ((s = strchr(s, ' '))) {
        char *end;
        const unsigned long version = strtoul(++s, &end, 10);
        if (end > s && *end == '.' && version && version < 1000)
            return (uint32_t)version;
    }
    return 1; /* gcc of unknown version */
}

static bool resolve_unit(struct reader *r, uint32_t u, struct prof_err *err)
{
    struct sym_binary *b = r->l->binary;
    struct sym_unit *unit = &b->units.units.v[u];
    r->dir = sym_entry_string(&unit->lines, DW_AT_comp_dir);
    /* The functions may be in a separate file. */
    if (unit->split) {
        const struct sym_image *im = sym_files_dwarf(&b->files);
        char *dir;
        if (!sym_image_dir(im, &dir, err))
            return false;
        bool ok = sym_unit_complete(&b->units, unit, dir, err) ||
                  err_prefix(err, "%s: ", im->path);
        free(dir);
        if (!ok)
            return false;
    }
    /* Only the file of the functions has the producer. */
    r->gcc = r->l->discriminators ? gcc_version(&unit->scopes) : 0;
    if (unit->lost && !r->lost_file)
        r->lost_file = unit->lost_file;
    r->lost += unit->lost ? r->addr.n : 0;
    if (!scopes_find(&r->scopes, unit, r->addr.v, r->addr.n, err))
        return false;
    for (size_t i = 0; i < r->addr.n; i++)
        if (!resolve(r, unit, r->scopes.found.v[i], &r->l->v[r->query.v[i]],
                     err))
            return false;
    return true;
}

enum { OVERLAP_MAX = 16 }; /* how many spans to look back */

/* Resolves all queries, unit by unit; those of a unit need not be adjacent.
 * There is room for a key of each: its unit and, in the lower half, its index.
 */
static bool resolve_all(struct reader *r, uint64_t *key, struct prof_err *err)
{
    const struct sym_span *spans = r->l->binary->units.spans.v;
    const size_t n_spans = r->l->binary->units.spans.n;
    size_t n = 0;
    for (size_t i = 0; i < r->l->n; i++) {
        const uint64_t vaddr = r->l->v[i].vaddr;
        size_t k = sorted_upto(spans, n_spans, sizeof *spans, vaddr);
        /* Only a defective file has spans that overlap. */
        for (int back = 0; back < OVERLAP_MAX && k-- > 0; back++)
            if (vaddr < spans[k].hi) {
                key[n++] = (uint64_t)spans[k].unit << 32 | i;
                break;
            }
    }
    if (!sort_rows(key, n, sizeof *key))
        return err_nomem(err);
    for (size_t i = 0; i < n;) {
        const uint32_t unit = (uint32_t)(key[i] >> 32);
        r->addr.n = r->query.n = 0;
        for (; i < n && key[i] >> 32 == unit; i++)
            if (!vec_push(&r->addr, r->l->v[(uint32_t)key[i]].vaddr) ||
                !vec_push(&r->query, (uint32_t)key[i]))
                return err_nomem(err);
        if (!resolve_unit(r, unit, err))
            return false;
    }
    return true;
}

/* Looks up all addresses, except those in damaged parts, which are noted. */
static bool look_up_dwarf(struct sym_lookup *l, struct prof_err *err)
{
    struct sym_binary *b = l->binary;
    if (!sym_binary_read(b, err))
        return false;
    if (b->dwarf_error)
        note_warn(l->notes, "%s: debug information: %s", b->dwarf_path,
                  b->dwarf_error);
    b->dwarf_error = NULL;
    if (!b->dwarf)
        return true;
    struct reader r = {.l = l};
    uint64_t *key = mem_array(l->n, sizeof *key);
    bool ok = key ? true : err_nomem(err);
    ok = ok &&
         (!l->discriminators ||
          sym_has_flow_variable(&b->files, &r.by_flow, err)) &&
         resolve_all(&r, key, err);
    free(key);
    const char *path = sym_files_dwarf(&b->files)->path;
    if (ok && (b->units.damaged || r.scopes.damaged))
        note_warn(l->notes, "%s: parts of the debug information are corrupt",
                  path);
    if (ok && r.lost)
        note_count(
            l->notes, PROF_NOTE_WARN, r.lost,
            "%s: %sstart lines of functions are missing for %zu address{es}: "
            "debug file %s is missing or does not match",
            path, l->no_inlines ? "" : "inlined calls and ", r.lost,
            r.lost_file ? r.lost_file : "?");
    vec_free(&r.scopes.scopes);
    vec_free(&r.scopes.found);
    vec_free(&r.scopes.next);
    map_free(&r.entries.known);
    vec_free(&r.entries.names);
    sym_owners_free(&r.entries.owners);
    vec_free(&r.addr);
    vec_free(&r.query);
    vec_free(&r.lines);
    buf_free(&r.path);
    return ok;
}

bool sym_look_up(struct sym_lookup *l, struct prof_err *err)
{
    if (!l->symtab_only && !look_up_dwarf(l, err))
        return false;
    /* Use the symbol's name where DWARF has none. */
    for (size_t i = 0; i < l->n; i++) {
        const struct sym_symbol *s;
        struct sym_query *q = &l->v[i];
        struct sym_name name;
        struct prof_line line = {0, 0, PROF_NONE};
        if (q->found || (l->keep_lines &&
                         prof_get_location(l->names->p, q->location).n_lines))
            continue;
        if (!sym_binary_symbol(l->binary, q->vaddr, &s, l->notes, err))
            return false;
        if (s &&
            (!sym_names_symbol(l->names, s, &name, err) ||
             !sym_names_function(l->names, &name, 0, &line.function, err) ||
             !set_lines(l, q, &line, 1, err)))
            return false;
    }
    return true;
}
