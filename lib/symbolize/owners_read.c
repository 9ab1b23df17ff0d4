/* owners_read.c - finds the functions of a symbol table and their addresses */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbolize/owners.h"
#include "symbolize/private.h"

/* The greatest alignment of functions, in bytes. */
enum { PADDING_MAX = 64 };

/* Limit of the bytes of names per byte of the files: names can overlap. */
enum { NAME_TIMES = 16 };

struct maker {
    struct code_owners *o;
    const struct sym_symtab *t;
    uint32_t *row_of; /* by symbol: its first row */
    uint64_t room;    /* limit: bytes of all names */
};

/* Adds a row for the part [lo, hi) of symbol i. */
static bool add_part(struct maker *m, size_t i, uint64_t lo, uint64_t hi,
                     struct prof_err *err)
{
    struct code_owners *o = m->o;
    const struct sym_symbol *s = &m->t->v[i];
    const bool is_first = lo == s->lo;
    if (lo >= hi)
        return true;
    if (o->names.n > m->room)
        return err_input(err,
                         "function names exceed %d bytes per byte of the file",
                         NAME_TIMES);
    if (!code_owners_add(o, lo, hi, is_first ? s->name : "", true, err))
        return false;
    struct code_owner *x = &o->v[o->n - 1];
    if (is_first) {
        m->row_of[i] = (uint32_t)(o->n - 1);
        if (s->plt) {
            o->names.n--;
            if (!buf_puts(&o->names, "@plt") || !buf_putc(&o->names, 0))
                return err_nomem(err);
        }
    }
    x->func = x->callee = m->row_of[i];
    if (o->n > 1 && lo - x[-1].hi < PADDING_MAX)
        x->lo = x[-1].hi;
    return true;
}

/* Adds all symbols.  Inner symbols own the addresses that they cover. */
static bool add_inner_symbols(struct maker *m, struct prof_err *err)
{
    const struct sym_symtab *t = m->t;
    for (size_t i = 0; i < t->n; i++) {
        uint64_t next = i + 1 < t->n ? t->v[i + 1].lo : UINT64_MAX;
        uint64_t at = t->v[i].lo;
        for (size_t k = i + 1; k && at < next; k = t->v[k - 1].outer) {
            uint64_t hi = t->v[k - 1].hi < next ? t->v[k - 1].hi : next;
            if (!add_part(m, k - 1, at, hi, err))
                return false;
            at = hi > at ? hi : at;
        }
    }
    return true;
}

bool sym_open_program(struct sym_binary *b, const char *file, const char *path,
                      bool *found, struct prof_err *err)
{
    const struct sym_wanted wanted = {
        .file = file, .build_id = "", .path = path, .named_only = true};
    struct prof_err why;
    enum sym_found result = sym_binary_find(b, &wanted, &why);
    *found = result == SYM_FOUND;
    if (result == SYM_FIND_FAILED)
        *err = why;
    return result != SYM_FIND_FAILED;
}

bool code_owners_read(struct code_owners *o, const char *file, const char *path,
                      const struct prof_notes *notes, struct prof_err *err)
{
    struct sym_binary b;
    const struct sym_symbol *any;
    bool found;
    memset(o, 0, sizeof *o);
    if (!sym_open_program(&b, file, path, &found, err))
        return false;
    if (!found)
        return true;
    errno = 0;
    bool ok = true;
    if (b.files.image.has_symtab || b.files.debug.has_symtab) {
        struct maker m = {.o = o, .t = &b.symtab};
        m.room = NAME_TIMES * (b.files.image.size + b.files.debug.size);
        o->has_sizes = true;
        ok = sym_binary_symbol(&b, 0, &any, notes, err);
        m.row_of = ok ? mem_array(m.t->n, sizeof *m.row_of) : NULL;
        ok = ok && (m.row_of || err_nomem(err)) &&
             (add_inner_symbols(&m, err) || err_prefix(err, "%s: ", file));
        free(m.row_of);
    }
    ok = err_check_errno(err) && ok;
    sym_binary_close(&b);
    return ok;
}
