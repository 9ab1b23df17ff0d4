/* gprof_read.c - selects the symbols that gprof uses, and their ranges */
#include "symbolize/owners.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "symbolize/private.h"

struct candidate {
    uint64_t address, end; /* `end` is that of its section */
    const char *name;
    uint32_t order; /* its number in the file */
    bool is_func, is_local;
};

struct candidates {
    VEC(struct candidate);
    size_t room; /* limit of the bytes of their names */
};

/*
 * The strings of a symbol table.  A name can be the end of another one, so the
 * result for the text that begins at each character is stored.
 */
struct strings {
    const char *begin, *end;
    uint8_t *verdict; /* by character: the result for the text from there on */
};

enum { UNKNOWN, PLAIN, NOT_PLAIN };

/* Names of up to this length are checked without storing results. */
enum { SHORT = 256 };

/* Limit of the bytes of names per byte of the table; most share no bytes. */
enum { NAME_TIMES = 16 };

/* Returns what follows the number after the '.' at s; null: no number. */
static const char *after_number(const char *s)
{
    static const char *const words[] = {".clone.", ".constprop."};
    bool any = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i]);
        if (strncmp(s, words[i], n) == 0 && s[n]) {
            s += n - 1;
            break;
        }
    }
    for (s++; *s && !(any && *s == '.'); s++) {
        if (!ascii_is_digit(*s))
            return NULL;
        any = true;
    }
    return s;
}

/* Returns the next character to check; null: not the name of a function. */
static const char *next_character(const char *s)
{
    if (*s == '$')
        return NULL;
    while (*s == '.')
        if (!(s = after_number(s)))
            return NULL;
    return s + 1;
}

/* Whether gprof takes a local symbol for a function; see owners.h. */
static bool is_function_name(const char *name, const struct strings *t)
{
    if (!*name || strncmp(name, "__gnu_compiled", 14) == 0 ||
        strncmp(name, "___gnu_compiled", 15) == 0)
        return false;
    /* Skip the first letters, at most SHORT. */
    const char *from = name;
    const char *end = t->end - name > SHORT ? name + SHORT : t->end;
    while (from < end && *from && *from != '.' && *from != '$')
        from++;
    const char *s = from;
    while (s && s < t->end && *s && !t->verdict[s - t->begin])
        s = next_character(s);
    uint8_t verdict = s ? PLAIN : NOT_PLAIN;
    if (s && s < t->end && *s)
        verdict = t->verdict[s - t->begin];
    for (const char *past = s; from && from != past;
         from = next_character(from))
        t->verdict[from - t->begin] = verdict;
    return verdict == PLAIN;
}

/* Whether gprof uses it: a symbol of code; weak ones may be anywhere. */
static bool is_taken(const GElf_Sym *sym, const GElf_Shdr *section,
                     const char *name, const struct strings *t)
{
    int type = GELF_ST_TYPE(sym->st_info);
    bool code = section->sh_flags & SHF_EXECINSTR;
    if (type == STT_SECTION || type == STT_FILE || type == STT_GNU_IFUNC)
        return false;
    switch (GELF_ST_BIND(sym->st_info)) {
    case STB_GLOBAL:
        return code && *name;
    case STB_WEAK:
        return type != STT_OBJECT && *name;
    case STB_LOCAL:
        return code && is_function_name(name, t);
    default:
        return false;
    }
}

static bool find_candidates(struct candidates *c, const struct sym_image *im,
                            struct prof_err *err)
{
    struct sym_table table;
    if (!sym_table_open(&table, im, sym_section_of_type(im->elf, SHT_SYMTAB),
                        err))
        return false;
    if (!table.n)
        return true;
    size_t n = table.strings->d_size, all = n + table.symbols->d_size;
    c->room = all < SIZE_MAX / NAME_TIMES ? NAME_TIMES * all : SIZE_MAX;
    struct strings strings = {.begin = table.strings->d_buf};
    strings.end = strings.begin + n;
    strings.verdict = mem_zarray(n, sizeof *strings.verdict);
    bool ok = strings.verdict != NULL;
    for (size_t i = 1; ok && i < table.n; i++) {
        GElf_Sym sym;
        GElf_Shdr in;
        const char *name;
        if (!sym_table_get(&table, i, &sym, &name) ||
            sym.st_shndx == SHN_UNDEF || sym.st_shndx >= SHN_LORESERVE ||
            !eu.gelf_getshdr(eu.elf_getscn(im->elf, sym.st_shndx), &in) ||
            !is_taken(&sym, &in, name, &strings))
            continue;
        const bool is_func = GELF_ST_TYPE(sym.st_info) == STT_FUNC;
        if (im->machine == EM_ARM && is_func)
            sym.st_value &= ~(uint64_t)1; /* bit 0 marks Thumb code */
        const struct candidate x = {.address = sym.st_value,
                                    .end = in.sh_addr + in.sh_size,
                                    .name = name,
                                    .order = (uint32_t)i,
                                    .is_func = is_func,
                                    .is_local =
                                        GELF_ST_BIND(sym.st_info) == STB_LOCAL};
        ok = vec_push(c, x);
    }
    free(strings.verdict);
    return ok || err_nomem(err);
}

/* Orders symbols by address, those at one address as gprof compares them. */
static int candidate_order(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    int c = ORDER(x->address, y->address);
    c = c ? c : ORDER(y->is_func, x->is_func);
    c = c ? c : ORDER(x->is_local, y->is_local);
    return c ? c : ORDER(x->order, y->order);
}

/* Whether x replaces y, an earlier symbol at the same address. */
static bool is_preferred(const struct candidate *x, const struct candidate *y)
{
    if (x->is_local != y->is_local)
        return y->is_local;
    if (x->is_func != y->is_func)
        return x->is_func;
    /* Prefer fewer leading underscores, of which at most two count. */
    const char *s = x->name, *t = y->name;
    return *t == '_' && (*s != '_' || (t[1] == '_' && s[1] != '_'));
}

static bool choose_symbols(struct code_owners *o, struct candidates *c,
                           struct prof_err *err)
{
    for (size_t i = 0, k; i < c->n; i = k) {
        const struct candidate *best = &c->v[i];
        for (k = i + 1; k < c->n && c->v[k].address == best->address; k++)
            if (is_preferred(&c->v[k], best))
                best = &c->v[k];
        uint64_t end = k < c->n ? c->v[k].address : best->end;
        size_t n = strlen(best->name) + 1;
        if (end <= best->address)
            continue;
        if (n > c->room)
            return err_input(
                err,
                "function names are implausibly long (over %d bytes for each "
                "byte of the symbol table); is the file corrupt?",
                NAME_TIMES);
        c->room -= n;
        if (!code_owners_add(o, best->address, end, best->name, best->is_func,
                             err))
            return false;
    }
    return true;
}

bool code_owners_read_gprof(struct code_owners *o, const char *file,
                            const char *path, struct prof_err *err)
{
    struct candidates c = {0};
    struct sym_binary b;
    bool found;
    memset(o, 0, sizeof *o);
    if (!sym_open_program(&b, file, path, &found, err))
        return false;
    if (!found)
        return true;
    const struct sym_image *im = &b.files.image;
    if (!im->has_symtab && b.files.debug.path)
        im = &b.files.debug;
    errno = 0;
    bool ok = find_candidates(&c, im, err);
    ok = err_check_errno(err) && ok;
    vec_sort(&c, candidate_order);
    ok =
        ok && (choose_symbols(o, &c, err) || err_prefix(err, "%s: ", im->path));
    vec_free(&c);
    sym_binary_close(&b);
    return ok;
}
