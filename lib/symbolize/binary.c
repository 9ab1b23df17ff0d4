/* binary.c - debug information of binaries, its units, and a cache */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/sort.h"
#include "base/system.h"
#include "base/vec.h"
#include "io/gzip.h"
#include "symbolize/private.h"

/*
 * Whether all strings of the debug information end inside their sections.  The
 * file must be open in libdw, which decompresses it; libdw before 0.190 returns
 * unterminated strings.
 */
static bool debug_strings_end(Elf *elf)
{
    size_t names;
    if (eu.elf_getshdrstrndx(elf, &names) != 0)
        return false;
    for (Elf_Scn *scn = NULL; (scn = eu.elf_nextscn(elf, scn));) {
        GElf_Shdr sh;
        if (!eu.gelf_getshdr(scn, &sh))
            continue;
        const char *name = eu.elf_strptr(elf, names, sh.sh_name);
        const char *s = name ? strstr(name, "debug_") : NULL;
        if (!s || strstr(name, "_offsets") ||
            (strncmp(s, "debug_str", 9) != 0 &&
             strncmp(s, "debug_line_str", 14) != 0))
            continue;
        const Elf_Data *d = eu.elf_getdata(scn, NULL);
        if (d && d->d_buf && d->d_size &&
            ((const char *)d->d_buf)[d->d_size - 1])
            return false;
    }
    return true;
}

/*
 * Units in .dwo files.
 *
 * A skeleton in the binary has its line table and addresses, and the name of
 * the file with everything else (DWARF 5, 3.1.3; gcc -gsplit-dwarf).
 */

/* Returns the name of the .dwo file of a skeleton, relative to the directory of
 * the compilation; null: it is not split. */
static const char *split_name(Dwarf_Die *skeleton)
{
    const char *name = sym_entry_string(skeleton, DW_AT_dwo_name);
    return name ? name : sym_entry_string(skeleton, DW_AT_GNU_dwo_name);
}

/* Returns the path of `name` relative to `dir`, in *path; null: no memory. */
static const char *in_directory(struct buf *path, const char *dir,
                                const char *name)
{
    path->n = 0;
    bool ok = *name == '/' ? buf_puts(path, name)
                           : buf_printf(path, "%s/%s", dir, name);
    return ok && buf_putc(path, 0) ? (const char *)path->v : NULL;
}

/*
 * Clears *may if libdw must not open the file with this name, because it is not
 * a regular file: libdw would block on a FIFO, or read from a terminal.
 */
static bool look_at(struct buf *path, const char *dir, const char *name,
                    bool *may, struct prof_err *err)
{
    struct stat st;
    const char *file = in_directory(path, dir, name);
    if (!file)
        return err_nomem(err);
    if (stat(file, &st) == 0 && !S_ISREG(st.st_mode))
        *may = false;
    return true;
}

/* Calls look_at() for the paths libdw tries: in `dir` and in DW_AT_comp_dir. */
static bool look_at_all(Dwarf_Die *skeleton, const char *dir, bool *may,
                        struct prof_err *err)
{
    struct buf path = {0}, compiled = {0};
    const char *name = split_name(skeleton);
    const char *in = sym_entry_string(skeleton, DW_AT_comp_dir);
    *may = name != NULL;
    bool ok = !name || look_at(&path, dir, name, may, err);
    if (ok && name && in) {
        in = in_directory(&compiled, dir, in);
        ok = in ? look_at(&path, in, name, may, err) : err_nomem(err);
    }
    buf_free(&path);
    buf_free(&compiled);
    return ok;
}

/* --- units ---------------------------------------------------------------- */

enum { SPANS_MIN = 1 << 20 };

/* Returns the size of a unit, or 0.  A split unit is in a file of its own. */
static size_t size_of(Dwarf_Die *die)
{
    Dwarf_Off at = dw.dwarf_dieoffset(die) - dw.dwarf_cuoffset(die), next;
    size_t header;
    int r = dw.dwarf_next_unit(dw.dwarf_cu_getdwarf(die->cu), at, &next,
                               &header, NULL, NULL, NULL, NULL, NULL, NULL);
    return r == 0 && next > at && next - at < SIZE_MAX ? (size_t)(next - at)
                                                       : 0;
}

/* Adds a unit and its spans, if it has any. */
static bool add_unit(struct sym_units *u, Dwarf_Die *die, bool split,
                     struct prof_err *err)
{
    struct sym_unit unit = {*die, *die, size_of(die), split, false, NULL};
    const size_t n = u->units.n, spans = u->spans.n;
    ptrdiff_t at = 0;
    Dwarf_Addr base, lo, hi;
    if (n >= UINT32_MAX - 1)
        return err_input(err, "too many compilation units");
    while ((at = dw.dwarf_ranges(&unit.lines, at, &base, &lo, &hi)) > 0) {
        if (u->spans.n >= u->max_spans) {
            u->damaged = true;
            break;
        }
        /* Code that the linker has dropped has the address 0. */
        struct sym_span span = {lo, hi, (uint32_t)n};
        if (lo && lo < hi && !vec_push(&u->spans, span))
            return err_nomem(err);
    }
    if (at < 0)
        u->damaged = true;
    return u->spans.n == spans || vec_push(&u->units, unit) || err_nomem(err);
}

static bool units_read(struct sym_units *u, Dwarf *dwarf, uint64_t size,
                       struct prof_err *err)
{
    u->max_spans =
        SPANS_MIN + (size < SIZE_MAX / 2 ? (size_t)size : SIZE_MAX / 2);
    Dwarf_CU *cu = NULL;
    for (;;) {
        uint8_t type = 0;
        Dwarf_Die die;
        errno = 0;
        int r = dw.dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, NULL);
        if (!err_check_errno(err))
            return false;
        if (r != 0) {
            u->damaged |= r < 0;
            break;
        }
        if ((type == DW_UT_compile || type == DW_UT_skeleton) &&
            !add_unit(u, &die, type == DW_UT_skeleton, err))
            return false;
    }
    return vec_sort_rows(&u->spans) || err_nomem(err);
}

/* Whether the file shares debug information with others; libdw would open
 * whatever file the section names. */
static bool shares(Elf *elf)
{
    GElf_Shdr sh;
    return sym_section(elf, SYM_SHARED_SECTION, &sh) != NULL;
}

bool sym_unit_complete(struct sym_units *u, struct sym_unit *unit,
                       const char *dir, struct prof_err *err)
{
    Dwarf_Die *skeleton = &unit->lines, split = {0};
    bool may;
    unit->split = false;
    if (!look_at_all(skeleton, dir, &may, err))
        return false;
    if (may && dw.dwarf_cu_info(skeleton->cu, NULL, NULL, NULL, &split, NULL,
                                NULL, NULL) != 0)
        split.addr = NULL;
    /* When memory is out, libdw continues without a part of the data. */
    if (may && !err_check_errno(err))
        return false;
    unit->lost = !split.addr;
    if (unit->lost) {
        unit->lost_file = split_name(skeleton);
        return true;
    }
    Elf *elf = dw.dwarf_getelf(dw.dwarf_cu_getdwarf(split.cu));
    if (debug_strings_end(elf) && !shares(elf))
        unit->scopes = split;
    else
        u->damaged = true;
    unit->size = size_of(&unit->scopes);
    return true;
}

/* --- binaries ------------------------------------------------------------- */

/* Whether a section is unused; loading those would take a fifth of the time. */
static bool is_unused(const char *section)
{
    static const char *const unused[] = {
        ".debug_loc",          ".debug_loclists", ".debug_macro",
        ".debug_macinfo",      ".debug_aranges",  ".debug_pubnames",
        ".debug_pubtypes",     ".debug_names",    ".debug_frame",
        ".debug_gnu_pubnames",
    };
    for (size_t i = 0; i < sizeof unused / sizeof *unused; i++)
        if (strcmp(section, unused[i]) == 0)
            return true;
    return false;
}

/*
 * Decompresses a section of a file.  False, without any change, if it is
 * damaged or not compressed by zlib; then libelf decompresses it, in twice the
 * time.
 */
static bool inflate_section(struct sym_binary *b, Elf *elf, Elf_Scn *scn,
                            GElf_Shdr *sh)
{
    GElf_Chdr ch;
    const size_t header = eu.gelf_fsize(elf, ELF_T_CHDR, 1, EV_CURRENT);
    const Elf_Data *raw = eu.elf_rawdata(scn, NULL);
    Elf_Data *d = eu.elf_getdata(scn, NULL);
    if (!header || !raw || !d || raw->d_size < header ||
        !eu.gelf_getchdr(scn, &ch) || ch.ch_type != ELFCOMPRESS_ZLIB ||
        !ch.ch_size || (ch.ch_addralign & (ch.ch_addralign - 1)) ||
        !vec_reserve(&b->sections, 1))
        return false;
    const uint8_t *from = raw->d_buf;
    size_t size = (size_t)ch.ch_size;
    uint8_t *to = size == ch.ch_size ? mem_array(size, 1) : NULL;
    if (!to || !zlib_inflate(from + header, raw->d_size - header, to, size)) {
        free(to);
        return false;
    }
    b->sections.v[b->sections.n++] = to;
    pages_drop(from, raw->d_size);
    sh->sh_flags &= ~(GElf_Xword)SHF_COMPRESSED;
    d->d_buf = to;
    d->d_size = size;
    d->d_type = ELF_T_BYTE;
    return eu.gelf_update_shdr(scn, sh);
}

/*
 * Decompresses the debug sections that are used and hides the others (in memory
 * only) before libdw opens the file: libdw would load all, and ignore those
 * that memory does not suffice for.  Sets *zstd if libelf cannot decompress a
 * section because it lacks zstd, and b->dwarf_error if the sections are too
 * large.
 */
static bool load_sections(struct sym_binary *b, const struct sym_image *im,
                          bool *zstd, struct prof_err *err)
{
    Elf *elf = im->elf;
    uint64_t total = 0;
    size_t names;
    if (eu.elf_getshdrstrndx(elf, &names) != 0)
        return true;
    for (Elf_Scn *scn = NULL; (scn = eu.elf_nextscn(elf, scn));) {
        GElf_Shdr sh;
        if (!eu.gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS)
            continue;
        const char *name = eu.elf_strptr(elf, names, sh.sh_name);
        if (!name)
            continue;
        if (is_unused(name)) {
            sh.sh_type = SHT_NOBITS;
            (void)eu.gelf_update_shdr(scn, &sh);
            continue;
        }
        if (!sym_count_section(im, scn, name, &total)) {
            b->dwarf_path = im->path;
            b->dwarf_error =
                TEXT("implausibly large when decompressed, for the "
                     "size of the file");
            return true;
        }
        if (strncmp(name, ".debug_", 7) != 0)
            continue;
        if (im->fd >= 0 && sh.sh_flags & SHF_COMPRESSED &&
            inflate_section(b, elf, scn, &sh))
            continue;
        /* libdw reports damaged sections. */
        errno = 0;
        if (sh.sh_flags & SHF_COMPRESSED ? eu.elf_compress(scn, 0, 0) >= 0
                                         : eu.elf_rawdata(scn, NULL) != NULL)
            continue;
        /* libelf supports zstd since 0.189, if built with it. */
        enum { ZSTD = 2 }; /* ELFCOMPRESS_ZSTD, which older headers lack */
        GElf_Chdr ch;
        *zstd |= eu.gelf_getchdr(scn, &ch) && ch.ch_type == ZSTD;
        if (!err_check_errno(err))
            return false;
    }
    return true;
}

/*
 * libdw allocates each row of a line table, and libelf what it reads of a file.
 * Makes the heap grow in large pages if there are many rows: that saves a fifth
 * of the time to look up lines.
 */
static void enlarge_heap(Elf *elf)
{
    enum { MANY = 256 * 1024, STEP = 1024 * 1024, LARGE = 32 * STEP };
    GElf_Shdr sh;
    if (!sym_section(elf, ".debug_line", &sh) || sh.sh_size < MANY)
        return;
    system_malloc_steps(STEP, LARGE);
    free(mem_array(LARGE / 2, 1)); /* what is freed keeps large pages */
}

/* Opens *dwarf.  If it is unusable, *dwarf is null, b->dwarf_error says why. */
static bool open_file(struct sym_binary *b, const struct sym_image *im,
                      Dwarf **dwarf, struct prof_err *err)
{
    bool zstd = false;
    enlarge_heap(im->elf);
    if (!libdw_load(err) || !load_sections(b, im, &zstd, err))
        return false;
    if (b->dwarf_error)
        return true;
    *dwarf = zstd ? NULL : dw.dwarf_begin_elf(im->elf, DWARF_C_READ, NULL);
    if (*dwarf && debug_strings_end(im->elf))
        return true;
    b->dwarf_path = im->path;
    b->dwarf_error =
        zstd ? TEXT("compressed with zstd, which this libelf does not support")
        : *dwarf ? TEXT("unterminated string table")
                 : dw.dwarf_errmsg(-1);
    (void)dw.dwarf_end(*dwarf);
    *dwarf = NULL;
    return true;
}

static bool open_dwarf(struct sym_binary *b, struct prof_err *err)
{
    const struct sym_image *im = sym_files_dwarf(&b->files);
    const struct sym_image *shared = &b->files.shared;
    if (!im)
        return true;
    if (shared->path && shares(shared->elf)) {
        b->dwarf_path = shared->path;
        b->dwarf_error = TEXT("it depends on a third file; not supported");
        return true;
    }
    if (shared->path && !open_file(b, shared, &b->shared, err))
        return false;
    if (shared->path && !b->shared)
        return true;
    if (!open_file(b, im, &b->dwarf, err))
        return false;
    if (!b->dwarf)
        return true;
    if (b->shared)
        dw.dwarf_setalt(b->dwarf, b->shared);
    return units_read(&b->units, b->dwarf, im->size, err) ||
           err_prefix(err, "%s: ", im->path);
}

bool sym_binary_read(struct sym_binary *b, struct prof_err *err)
{
    if (!b->dwarf_tried)
        b->dwarf_tried = open_dwarf(b, err);
    return b->dwarf_tried;
}

void sym_binary_close(struct sym_binary *b)
{
    vec_free(&b->units.units);
    vec_free(&b->units.spans);
    vec_free(&b->symtab);
    if (b->dwarf)
        dw.dwarf_end(b->dwarf);
    if (b->shared)
        dw.dwarf_end(b->shared);
    sym_files_close(&b->files);
    vec_free_all(&b->sections);
    buf_free(&b->text);
    memset(b, 0, sizeof *b);
}

/*
 * Each binary may keep megabytes of debug information and two open files.  So
 * one with a large file is closed when another binary is opened, unless it was
 * the last used; the new one uses its memory again.
 */
enum { MAX_KEPT = 16 };
#define LARGE_FILE ((uint64_t)16 << 20)

struct kept {
    struct sym_binary binary;
    char *key;     /* source, search mode, build ID and file */
    uint64_t used; /* the turn of the last use */
};

struct sym_cache {
    struct kept v[MAX_KEPT];
    size_t n;
    uint64_t turn;
    struct buf key; /* scratch: the key of the binary to find */
};

struct sym_cache *sym_cache_new(struct prof_err *err)
{
    return mem_new(sizeof(struct sym_cache), err);
}

static void drop_kept(struct kept *k)
{
    sym_binary_close(&k->binary);
    free(k->key);
    k->key = NULL;
}

void sym_cache_free(struct sym_cache *cache)
{
    if (!cache)
        return;
    for (size_t i = 0; i < cache->n; i++)
        drop_kept(&cache->v[i]);
    buf_free(&cache->key);
    free(cache);
}

/*
 * Returns the place for a new binary: that of the least recently used large
 * one, but not of the last used binary, which may be in use; or a free one; or
 * that of the least recently used.  So the last two binaries of a cache are
 * valid, which do_tasks() of symbol.c relies on.
 */
static struct kept *make_place(struct sym_cache *cache)
{
    struct kept *oldest = cache->v, *large = NULL;
    for (struct kept *k = cache->v; k < cache->v + cache->n; k++) {
        const struct sym_files *files = &k->binary.files;
        if (k->used < oldest->used)
            oldest = k;
        if (k->used != cache->turn &&
            (files->image.size >= LARGE_FILE ||
             files->debug.size >= LARGE_FILE) &&
            (!large || k->used < large->used))
            large = k;
    }
    if (!large && cache->n < MAX_KEPT)
        return &cache->v[cache->n++];
    drop_kept(large ? large : oldest);
    return large ? large : oldest;
}

enum sym_found sym_binary_find(struct sym_binary *b,
                               const struct sym_wanted *wanted,
                               struct prof_err *err)
{
    if (wanted->source != SYM_FILE)
        return sym_listing_find(b, wanted, err);
    memset(b, 0, sizeof *b);
    return sym_find(&b->files, wanted, err);
}

enum sym_found sym_cache_get(struct sym_cache *cache,
                             const struct sym_wanted *wanted,
                             struct sym_binary **b, struct prof_err *err)
{
    cache->key.n = 0;
    if (!buf_printf(&cache->key, "%d %d %s %s", wanted->source,
                    !wanted->named_only, wanted->build_id, wanted->file) ||
        !buf_putc(&cache->key, 0)) {
        (void)err_nomem(err);
        return SYM_FIND_FAILED;
    }
    struct kept *k = NULL;
    for (size_t i = 0; !k && i < cache->n; i++)
        if (strcmp(cache->v[i].key, (const char *)cache->key.v) == 0)
            k = &cache->v[i];
    if (!k) {
        struct sym_binary new;
        enum sym_found found = sym_binary_find(&new, wanted, err);
        char *key =
            found == SYM_FOUND ? strdup((const char *)cache->key.v) : NULL;
        if (found == SYM_FOUND && !key) {
            sym_binary_close(&new);
            (void)err_nomem(err);
            return SYM_FIND_FAILED;
        }
        if (found != SYM_FOUND)
            return found;
        k = make_place(cache);
        *k = (struct kept){.binary = new, .key = key};
    }
    k->used = ++cache->turn;
    *b = &k->binary;
    return SYM_FOUND;
}

enum sym_found sym_cache_find(struct sym_cache *cache,
                              const struct sym_wanted *wanted,
                              const struct sym_files **files,
                              struct prof_err *err)
{
    struct sym_binary *b;
    enum sym_found found = sym_cache_get(cache, wanted, &b, err);
    *files = found == SYM_FOUND ? &b->files : NULL;
    return found;
}
