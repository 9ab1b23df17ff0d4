/* symtab.c - symbol tables, procedure linkage tables and labels */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/vec.h"
#include "io/input.h"
#include "symbolize/private.h"

/*
 * Compares two names of a table as strcmp() does.  If they agree in 4096 bytes,
 * compares their places instead: overlapping names would take too long.
 */
static int compare_names(const char *a, const char *b)
{
    enum { COMPARED = 4096 };
    int c = strncmp(a, b, COMPARED);
    if (c || strnlen(a, COMPARED) < COMPARED)
        return c;
    return (a > b) - (a < b);
}

/*
 * Bits of sym_symbol.rank: the symbol has a size; it has the version that new
 * programs are linked with; it is a function.  The lower bits are the binding.
 */
enum { SIZED = 16, CURRENT = 8, TYPED = 4 };

/*
 * The procedure linkage table: names for its entries.
 *
 * The n-th entry jumps through the n-th relocation of .rela.plt (.rel.plt),
 * which names the function.  Known for x86 (also .plt.sec) and AArch64,
 * whose entries are 16 bytes after a header of at most 32; entries of other
 * tables get no names.
 */

enum { ENTRY = 16, HEADER_MAX = 32 };

struct relocs {
    Elf_Data *data;
    struct sym_table table;
    size_t n;
    bool rela;
};

/* Opens the relocations. r->n is 0 if there are none or they are unreadable. */
static bool open_relocs(const struct sym_image *im, struct relocs *r,
                        struct prof_err *err)
{
    GElf_Shdr sh;
    Elf *elf = im->elf;
    Elf_Scn *scn = sym_section(elf, ".rela.plt", &sh);
    memset(r, 0, sizeof *r);
    if (!scn)
        scn = sym_section(elf, ".rel.plt", &sh);
    if (!scn || (sh.sh_type != SHT_RELA && sh.sh_type != SHT_REL))
        return true;
    r->rela = sh.sh_type == SHT_RELA;
    size_t each =
        eu.gelf_fsize(elf, r->rela ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
    r->data = eu.elf_getdata(scn, NULL);
    if (!sym_table_open(&r->table, im, eu.elf_getscn(elf, sh.sh_link), err))
        return false;
    if (r->data && r->data->d_buf && each && r->table.n &&
        r->data->d_size / each <= INT32_MAX)
        r->n = r->data->d_size / each;
    return true;
}

/* Returns the name that relocation i refers to, or "". */
static const char *plt_name(const struct relocs *r, size_t i)
{
    uint64_t info;
    GElf_Rela rela;
    GElf_Rel rel;
    if (r->rela && eu.gelf_getrela(r->data, (int)i, &rela))
        info = rela.r_info;
    else if (!r->rela && eu.gelf_getrel(r->data, (int)i, &rel))
        info = rel.r_info;
    else
        return "";
    GElf_Sym sym;
    const char *name;
    if (!GELF_R_SYM(info) ||
        !sym_table_get(&r->table, GELF_R_SYM(info), &sym, &name))
        return "";
    return name;
}

static bool read_plt(struct sym_symtab *t, Elf *elf, const char *section,
                     const struct relocs *r, struct prof_err *err)
{
    GElf_Shdr sh;
    if (!sym_section(elf, section, &sh) || sh.sh_size / ENTRY < r->n ||
        sh.sh_size - r->n * ENTRY > HEADER_MAX ||
        sh.sh_size > UINT64_MAX - sh.sh_addr)
        return true;
    uint64_t at = sh.sh_addr + (sh.sh_size - r->n * ENTRY);
    if (!vec_reserve(t, r->n))
        return err_nomem(err);
    for (size_t i = 0; i < r->n; i++, at += ENTRY) {
        const char *name = plt_name(r, i);
        if (*name)
            t->v[t->n++] = (struct sym_symbol){at,    at + ENTRY, 0,    name,
                                               SIZED, true,       false};
    }
    return true;
}

enum { CONTENT_MAX = 256 * 1024 * 1024 };

static const char mini_section[] = ".gnu_debugdata";

/*
 * Opens the symbols that a stripped binary has in .gnu_debugdata, as Fedora and
 * related systems ship it: an ELF file, compressed with xz, whose .symtab has
 * the functions that .dynsym lacks ("Debugging with GDB", MiniDebugInfo).
 * Without the section mini->path stays null.  Warns if it is unreadable or
 * larger than 256 MiB.
 */
static bool open_minidebug(struct sym_image *mini, const struct sym_image *im,
                           const struct prof_notes *notes, struct prof_err *err)
{
    GElf_Shdr sh;
    struct buf content = {0};
    struct prof_err why;
    Elf_Scn *scn = sym_section(im->elf, mini_section, &sh);
    const Elf_Data *d = scn ? eu.elf_rawdata(scn, NULL) : NULL;
    if (!err_check_errno(err))
        return err_prefix(err, "%s: ", im->path);
    if (!d || !d->d_buf)
        return true;
    if (unxz(d->d_buf, d->d_size, CONTENT_MAX, &content, &why) &&
        sym_image_open_memory(mini, im->path, &content, &why))
        return true;
    buf_free(&content);
    if (err_is_nomem(&why)) {
        *err = why;
        return false;
    }
    note_warn(notes, "%s: cannot read the symbols in %s: %s", im->path,
              mini_section, why.text);
    return true;
}

/* --- symbols -------------------------------------------------------------- */

/* Nested symbols are rare, and never this deep. */
enum { NESTED_MAX = 64 };

/* By section: its end if it contains code, else 0. */
struct code {
    uint64_t *end;
    size_t n;
};

static bool find_code(Elf *elf, struct code *code, struct prof_err *err)
{
    memset(code, 0, sizeof *code);
    size_t n = 0;
    if (eu.elf_getshdrnum(elf, &n) != 0)
        return true;
    code->end = mem_zarray(n, sizeof *code->end);
    if (!code->end)
        return err_nomem(err);
    code->n = n;
    for (Elf_Scn *scn = NULL; (scn = eu.elf_nextscn(elf, scn));) {
        GElf_Shdr sh;
        size_t i = eu.elf_ndxscn(scn);
        if (i < n && eu.gelf_getshdr(scn, &sh) &&
            (sh.sh_flags & SHF_EXECINSTR) &&
            sh.sh_size <= UINT64_MAX - sh.sh_addr)
            code->end[i] = sh.sh_addr + sh.sh_size;
    }
    return true;
}

/*
 * Whether the symbol names code; if so, sets *s.  Its rank is higher if it has
 * a size, is a function and is visible to other files.
 */
static bool set_symbol(const GElf_Sym *sym, const char *name, int machine,
                       const struct code *code, struct sym_symbol *s)
{
    int type = GELF_ST_TYPE(sym->st_info), bind = GELF_ST_BIND(sym->st_info);
    /* "$x", "$d.12": where ARM and RISC-V code and data begin. */
    bool is_mark = name[0] == '$' && name[1] && (!name[2] || name[2] == '.');
    if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
        return false;
    uint64_t end = sym->st_shndx < code->n ? code->end[sym->st_shndx] : 0;
    uint64_t lo = sym->st_value;
    if (machine == EM_ARM && type == STT_FUNC)
        lo &= ~(uint64_t)1; /* bit 0 marks Thumb code */
    if (!*name || lo >= end || (type == STT_NOTYPE && is_mark))
        return false;
    if (sym->st_size && sym->st_size < end - lo)
        end = lo + sym->st_size;
    /* One '@' is an old version: "memcpy@GLIBC_2.2.5"; two are the current. */
    const char *at = strchr(name + 1, '@');
    int rank = (sym->st_size ? SIZED : 0) + (at && at[1] != '@' ? 0 : CURRENT) +
               (type != STT_NOTYPE ? TYPED : 0) +
               (bind == STB_GLOBAL ? 2
                : bind == STB_WEAK ? 1
                                   : 0);
    *s = (struct sym_symbol){lo, end, 0, name, rank, false, false};
    return true;
}

static bool read_symbol_table(struct sym_symtab *t, const struct sym_image *im,
                              unsigned type, struct prof_err *err)
{
    struct sym_table table;
    struct code code;
    if (!sym_table_open(&table, im, sym_section_of_type(im->elf, type), err))
        return false;
    t->damaged |= table.damaged;
    if (!table.n)
        return true;
    if (!find_code(im->elf, &code, err))
        return false;
    /* The versions of symbols in .dynsym, whose names lack them. */
    enum { OLD = 0x8000 };
    Elf_Scn *scn = type == SHT_DYNSYM
                       ? sym_section_of_type(im->elf, SHT_GNU_versym)
                       : NULL;
    const Elf_Data *d = scn ? eu.elf_getdata(scn, NULL) : NULL;
    size_t n_versions = d && d->d_buf ? d->d_size / sizeof(uint16_t) : 0;
    bool ok = vec_reserve(t, table.n);
    for (size_t i = 0; ok && i < table.n; i++) {
        GElf_Sym sym;
        const char *name;
        struct sym_symbol s;
        if (!sym_table_get(&table, i, &sym, &name) ||
            !set_symbol(&sym, name, im->machine, &code, &s))
            continue;
        uint16_t version = 0;
        if (i < n_versions)
            memcpy(&version, (const char *)d->d_buf + i * sizeof version,
                   sizeof version);
        if (version & OLD)
            s.rank &= ~CURRENT;
        t->v[t->n++] = s;
    }
    free(code.end);
    return ok || err_nomem(err);
}

/* Returns the number of leading underscores, up to a limit. */
static size_t count_underscores(const char *s)
{
    enum { COUNTED = 64 };
    size_t n = 0;
    while (n < COUNTED && s[n] == '_')
        n++;
    return n;
}

/* Returns the length of a name without its version. */
static size_t name_length(const char *name)
{
    enum { COMPARED = 4096 };
    const size_t n = strnlen(name, COMPARED);
    const char *at = n ? memchr(name + 1, '@', n - 1) : NULL;
    return at ? (size_t)(at - name) : n;
}

/*
 * Orders symbols by address, then as perf does, the preferred one first: malloc
 * before __libc_malloc, memmove before memcpy.  Of equal length, _Znwm is
 * before _Znam.
 */
static int symbol_order(const void *a, const void *b)
{
    const struct sym_symbol *x = a, *y = b;
    int c = ORDER(x->lo, y->lo);
    c = c ? c : ORDER(y->rank, x->rank);
    if (c)
        return c;
    const size_t i = count_underscores(x->name), k = count_underscores(y->name);
    const size_t m = name_length(x->name), n = name_length(y->name);
    c = ORDER(i, k);
    c = c ? c : ORDER(n, m);
    return c ? c : compare_names(y->name, x->name);
}

/* Sorts by address, nearly all of which differ; then those at one address. */
static bool sort_symbols(struct sym_symtab *t)
{
    struct sym_symbol *v = t->v;
    if (!vec_sort_rows(t))
        return false;
    for (size_t i = 0, j; i < t->n; i = j) {
        for (j = i + 1; j < t->n && v[j].lo == v[i].lo; j++)
            ;
        if (j - i > 1)
            qsort(v + i, j - i, sizeof *v, symbol_order);
    }
    return true;
}

/*
 * Returns the symbol to use of those at the address of *s: the first, unless
 * the names of others begin or end with the name of a later one, which is then
 * used: free rather than cfree or tc_free, fgetpos rather than fgetpos64.
 */
static const struct sym_symbol *choose(const struct sym_symtab *t,
                                       const struct sym_symbol *s)
{
    enum { COMPARED = 16 };
    const struct sym_symbol *best = s;
    size_t n = 1, most = 0;
    /* Count those that differ only in name. */
    while (n < COMPARED && s + n < t->v + t->n && s[n].lo == s->lo &&
           s[n].rank == s->rank &&
           count_underscores(s[n].name) == count_underscores(s->name))
        n++;
    for (size_t i = 0; n > 1 && i < n; i++) {
        size_t votes = 0;
        const char *part = s[i].name;
        const size_t k = name_length(part);
        for (size_t j = 0; j < i; j++) {
            const char *name = s[j].name;
            const size_t length = name_length(name);
            votes += length > k && (memcmp(name, part, k) == 0 ||
                                    memcmp(name + length - k, part, k) == 0);
        }
        if (votes > most) {
            most = votes;
            best = s + i;
        }
    }
    return best;
}

/* Keeps a symbol per address, drops labels in functions, sets missing ends. */
static void tidy(struct sym_symtab *t)
{
    size_t n = 0;
    uint64_t reach = 0;
    for (size_t i = 0; i < t->n; i++) {
        if (n && t->v[n - 1].lo == t->v[i].lo)
            continue;
        struct sym_symbol s = *choose(t, &t->v[i]);
        bool sized = s.rank & SIZED;
        if (!sized && s.lo < reach)
            continue;
        if (n && !(t->v[n - 1].rank & SIZED) && t->v[n - 1].hi > s.lo)
            t->v[n - 1].hi = s.lo;
        if (sized && s.hi > reach)
            reach = s.hi;
        t->v[n++] = s;
    }
    t->n = n;
}

/* Links each symbol to the one that encloses it. */
void sym_symtab_link(struct sym_symtab *t)
{
    for (size_t i = 0; i < t->n; i++) {
        size_t outer = i;
        while (outer && t->v[outer - 1].hi <= t->v[i].hi)
            outer = t->v[outer - 1].outer;
        t->v[i].outer = outer;
    }
}

/*
 * Reads the tables of the image, or the .symtab of its debug file if the image
 * has none; if that has none either, opens files->mini.  Reads as much of
 * damaged tables as possible.
 */
static bool load_symbols(struct sym_symtab *t, struct sym_files *files,
                         const struct prof_notes *notes, struct prof_err *err)
{
    t->loaded = true;
    const struct sym_image *im =
        files->image.has_symtab ? &files->image : &files->debug;
    t->complete = im->has_symtab;
    bool ok;
    if (im->has_symtab)
        ok = read_symbol_table(t, im, SHT_SYMTAB, err);
    else /* Each table of a stripped binary lacks symbols of the other. */
        ok = read_symbol_table(t, &files->image, SHT_DYNSYM, err) &&
             open_minidebug(&files->mini, &files->image, notes, err) &&
             (!files->mini.path ||
              read_symbol_table(t, &files->mini, SHT_SYMTAB, err));
    if (!ok)
        return false;
    im = &files->image;
    struct relocs r = {0};
    if ((im->machine == EM_X86_64 || im->machine == EM_386 ||
         im->machine == EM_AARCH64) &&
        !open_relocs(im, &r, err))
        return false;
    if (r.n && (!read_plt(t, im->elf, ".plt", &r, err) ||
                !read_plt(t, im->elf, ".plt.sec", &r, err)))
        return false;
    if (!sort_symbols(t))
        return err_nomem(err);
    tidy(t);
    sym_symtab_link(t);
    return true;
}

bool sym_binary_symbol(struct sym_binary *b, uint64_t vaddr,
                       const struct sym_symbol **s,
                       const struct prof_notes *notes, struct prof_err *err)
{
    struct sym_symtab *t = &b->symtab;
    *s = NULL;
    if (!t->loaded && !load_symbols(t, &b->files, notes, err))
        return false;
    size_t lo = sorted_upto(t->v, t->n, sizeof *t->v, vaddr);
    if (t->complete && lo < t->n && t->v[lo].lo == vaddr + 1)
        *s = &t->v[lo];
    for (int k = 0; lo && k < NESTED_MAX; k++) {
        const struct sym_symbol *at = &t->v[lo - 1];
        if (vaddr < at->hi) {
            *s = at;
            break;
        }
        lo = at->outer;
    }
    return true;
}

/* --- labels --------------------------------------------------------------- */

static int label_order(const void *a, const void *b)
{
    const struct sym_label *x = a, *y = b;
    const int c = ORDER(x->address, y->address);
    return c ? c : compare_names(x->name, y->name);
}

bool sym_labels_read(struct sym_labels *l, const struct sym_files *files,
                     struct prof_err *err)
{
    memset(l, 0, sizeof *l);
    const struct sym_image *im = &files->image;
    if (!im->has_symtab && files->debug.has_symtab)
        im = &files->debug;
    const unsigned type = im->has_symtab ? SHT_SYMTAB : SHT_DYNSYM;
    struct sym_table table;
    errno = 0;
    if (!sym_table_open(&table, im, sym_section_of_type(im->elf, type), err))
        return false;
    if (!vec_reserve(l, table.n))
        return err_nomem(err);
    for (size_t i = 0; i < table.n; i++) {
        GElf_Sym sym;
        const char *name;
        uint64_t end;
        /* Skip what nm does not show, and what has no address. */
        if (!sym_table_get(&table, i, &sym, &name) || !*name ||
            sym.st_shndx == SHN_UNDEF ||
            GELF_ST_TYPE(sym.st_info) == STT_SECTION ||
            GELF_ST_TYPE(sym.st_info) == STT_FILE)
            continue;
        if (type == SHT_SYMTAB ||
            __builtin_add_overflow(sym.st_value, sym.st_size, &end))
            end = UINT64_MAX;
        l->v[l->n++] = (struct sym_label){sym.st_value, end, name};
    }
    vec_sort(l, label_order);
    return true;
}

enum { LEAST_PAGE = 4096 };

bool sym_is_kernel(const char *symbol, uint64_t address, uint64_t recorded,
                   struct prof_err *err)
{
    return !recorded || (recorded - address) % LEAST_PAGE == 0 ||
           err_input(err,
                     "different kernel: %s is at %#" PRIx64
                     ", not a multiple of %" PRIu64
                     " bytes from its recorded address %#" PRIx64,
                     symbol, address, (uint64_t)LEAST_PAGE, recorded);
}

bool sym_kernel_start(const struct sym_files *files, const char *symbol,
                      uint64_t address, uint64_t *start, struct prof_err *err)
{
    struct sym_labels labels;
    const uint64_t first = sym_first_code(&files->image);
    uint64_t linked = 0;
    bool found = false;
    if (!sym_labels_read(&labels, files, err))
        return false;
    for (size_t i = 0; i < labels.n && first != UINT64_MAX; i++)
        if (strcmp(labels.v[i].name, symbol) == 0) {
            linked = labels.v[i].address;
            found = true;
        }
    vec_free(&labels);
    *start = (address ? address - linked : 0) + first;
    return found ? sym_is_kernel(symbol, linked, address, err)
                 : err_input(err, "it has no symbol %s", symbol);
}

bool sym_has_flow_variable(const struct sym_files *files, bool *has,
                           struct prof_err *err)
{
    const struct sym_image *im = files->image.has_symtab || !files->debug.path
                                     ? &files->image
                                     : &files->debug;
    struct sym_table table;
    *has = false;
    errno = 0;
    if (!sym_table_open(&table, im, sym_section_of_type(im->elf, SHT_SYMTAB),
                        err))
        return false;
    for (size_t i = 0; !*has && i < table.n; i++) {
        GElf_Sym sym;
        const char *name;
        *has = sym_table_get(&table, i, &sym, &name) &&
               strcmp(name, "__llvm_fs_discriminator__") == 0;
    }
    return true;
}
