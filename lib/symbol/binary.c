#include "symbol/binary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "symbol/elfsec.h"
#include "symbol/shared.h"

/* Bytes of a file whose debug information takes a millisecond to open. */
enum { LARGE = 1 << 20 };

/*
 * Of no use here, and a fifth of the work: where variables are, macros,
 * indexes of names and addresses.
 */
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

/* libelf has read it since 0.189, if it was built to. */
static bool is_zstd(Elf_Scn *scn)
{
    enum { ZSTD = 2 }; /* ELFCOMPRESS_ZSTD, which older headers have not */
    GElf_Chdr ch;
    return gelf_getchdr(scn, &ch) && ch.ch_type == ZSTD;
}

/*
 * Reads the section, and decompresses it.  False only if the system failed:
 * what is damaged is left to libdw.
 */
static bool load(Elf_Scn *scn, const GElf_Shdr *sh, bool *zstd, struct err *err)
{
    errno = 0;
    bool ok = sh->sh_flags & SHF_COMPRESSED ? elf_compress(scn, 0, 0) >= 0
                                            : elf_rawdata(scn, NULL) != NULL;
    *zstd |= !ok && is_zstd(scn);
    return ok || err_check_errno(err);
}

/*
 * libdw decompresses all sections that it knows when it opens a file, and one
 * that it has no memory for is to it as if it were not there.  So those that
 * are needed are loaded before, and those that are not are hidden; the file
 * itself is not written to.  *zstd: not all could be, as that is unknown.
 */
static bool load_sections(Elf *elf, bool *zstd, struct err *err)
{
    size_t names;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return true;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr sh;
        if (!gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS)
            continue;
        const char *name = elf_strptr(elf, names, sh.sh_name);
        if (!name || strncmp(name, ".debug_", 7) != 0)
            continue;
        if (!is_unused(name)) {
            if (!load(scn, &sh, zstd, err))
                return false;
        } else if (sh.sh_flags & SHF_COMPRESSED) {
            sh.sh_type = SHT_NOBITS;
            (void)gelf_update_shdr(scn, &sh);
        }
    }
    return true;
}

/*
 * Opens the DWARF of the file.  Where it is no good *dwarf is null, and *b has
 * what is to be told.
 */
static bool open_file(struct sym_binary *b, const struct sym_image *im,
                      Dwarf **dwarf, struct err *err)
{
    bool zstd = false;
    if (!load_sections(im->elf, &zstd, err))
        return false;
    *dwarf = zstd ? NULL : dwarf_begin_elf(im->elf, DWARF_C_READ, NULL);
    if (*dwarf && sym_debug_strings_end(im->elf))
        return true;
    b->dwarf_path = im->path;
    b->dwarf_error = zstd     ? "it is compressed by zstd, which this libelf "
                                "does not decompress"
                     : *dwarf ? "a table of strings has no end"
                              : dwarf_errmsg(-1);
    (void)dwarf_end(*dwarf);
    *dwarf = NULL;
    return true;
}

static bool open_dwarf(struct sym_binary *b, struct err *err)
{
    const struct sym_image *im = sym_files_dwarf(&b->files);
    const struct sym_image *shared = &b->files.shared;
    if (!im)
        return true;
    if (shared->path && sym_shares(shared->elf)) {
        b->dwarf_path = shared->path;
        b->dwarf_error = "it is not whole itself";
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
        dwarf_setalt(b->dwarf, b->shared);
    return sym_units_read(&b->units, b->dwarf, im->size, err) ||
           err_prefix(err, "%s: ", im->path);
}

bool sym_binary_read(struct sym_binary *b, struct err *err)
{
    if (!b->dwarf_tried)
        b->dwarf_tried = open_dwarf(b, err);
    return b->dwarf_tried;
}

bool sym_binary_is_large(const struct sym_binary *b)
{
    const struct sym_image *im = sym_files_dwarf(&b->files);
    return !b->dwarf_tried && im && im->size >= LARGE;
}

bool sym_binary_dwarf(struct sym_binary *b, const struct notes *notes,
                      struct err *err)
{
    if (!sym_binary_read(b, err))
        return false;
    if (b->dwarf_error)
        note_warn(notes, "%s: debug information: %s", b->dwarf_path,
                  b->dwarf_error);
    b->dwarf_error = NULL;
    return true;
}

void sym_binary_close(struct sym_binary *b)
{
    sym_units_free(&b->units);
    sym_symtab_free(&b->symtab);
    if (b->dwarf)
        dwarf_end(b->dwarf);
    if (b->shared)
        dwarf_end(b->shared);
    sym_files_close(&b->files);
    memset(b, 0, sizeof *b);
}

/* Each may hold megabytes of debug information, and two open files. */
enum { MAX_KEPT = 16 };

struct kept {
    struct sym_binary binary;
    char *key;     /* file, build id and whether anywhere */
    uint64_t used; /* when that was last, in turns */
};

struct sym_cache {
    struct kept v[MAX_KEPT];
    size_t n;
    uint64_t turn;
    struct buf key; /* of what is looked for */
};

struct sym_cache *sym_cache_new(struct err *err)
{
    struct sym_cache *cache = calloc(1, sizeof *cache);
    if (!cache)
        (void)err_nomem(err);
    return cache;
}

static void drop(struct kept *k)
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
        drop(&cache->v[i]);
    buf_free(&cache->key);
    free(cache);
}

static struct kept *look(struct sym_cache *cache)
{
    for (size_t i = 0; i < cache->n; i++)
        if (strcmp(cache->v[i].key, (const char *)cache->key.v) == 0)
            return &cache->v[i];
    return NULL;
}

/* A place for one more: a free one, or that of the longest unused. */
static struct kept *make_room(struct sym_cache *cache)
{
    if (cache->n < MAX_KEPT)
        return &cache->v[cache->n++];
    struct kept *oldest = cache->v;
    for (size_t i = 1; i < MAX_KEPT; i++)
        if (cache->v[i].used < oldest->used)
            oldest = &cache->v[i];
    drop(oldest);
    return oldest;
}

enum sym_found sym_cache_find(struct sym_cache *cache, struct sym_binary **b,
                              const char *file, const char *build_id,
                              bool anywhere, const char *path,
                              const struct notes *notes, struct err *err)
{
    cache->key.n = 0;
    if (!buf_printf(&cache->key, "%d %s %s", anywhere, build_id, file) ||
        !buf_putc(&cache->key, 0)) {
        (void)err_nomem(err);
        return SYM_FIND_FAILED;
    }
    struct kept *k = look(cache);
    if (!k) {
        struct sym_files files;
        enum sym_found found =
            sym_find(&files, file, build_id, anywhere, path, notes, err);
        char *key =
            found == SYM_FOUND ? strdup((const char *)cache->key.v) : NULL;
        if (found == SYM_FOUND && !key) {
            sym_files_close(&files);
            (void)err_nomem(err);
            return SYM_FIND_FAILED;
        }
        if (found != SYM_FOUND)
            return found;
        k = make_room(cache);
        *k = (struct kept){.binary = {.files = files}, .key = key};
    }
    k->used = ++cache->turn;
    *b = &k->binary;
    return SYM_FOUND;
}
