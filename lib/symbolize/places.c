/* places.c - lists all source lines for which a binary has code */
#include <errno.h>

#include "base/bytes.h"
#include "base/slice.h"
#include "symbolize/binary.h"
#include "symbolize/private.h"

struct reader {
    struct profile *p;
    struct prof_locmap locations;
};

static bool add_address(struct reader *r, uint64_t address,
                        struct prof_err *err)
{
    uint32_t location;
    return prof_locmap_get(&r->locations, r->p, 0, address, &location, err);
}

/* Adds the addresses where lines begin, also of damaged tables as far as they
 * can be read. */
static bool add_lines(struct reader *r, struct sym_binary *b,
                      struct prof_err *err)
{
    for (size_t i = 0; i < b->units.units.n; i++) {
        Dwarf_Lines *lines;
        size_t n;
        errno = 0;
        if (dw.dwarf_getsrclines(&b->units.units.v[i].lines, &lines, &n) != 0) {
            if (!err_check_errno(err))
                return false;
            continue;
        }
        for (size_t k = 0; k < n; k++) {
            Dwarf_Line *line = dw.dwarf_onesrcline(lines, k);
            Dwarf_Addr address;
            bool is_end;
            if (line && dw.dwarf_lineendsequence(line, &is_end) == 0 &&
                !is_end && dw.dwarf_lineaddr(line, &address) == 0 && address &&
                !add_address(r, address, err))
                return false;
        }
    }
    return true;
}

static bool add_symbols(struct reader *r, const struct sym_files *files,
                        struct prof_err *err)
{
    struct sym_labels labels = {0};
    bool ok = sym_labels_read(&labels, files, err);
    for (size_t i = 0; ok && i < labels.n; i++)
        ok = !labels.v[i].address || add_address(r, labels.v[i].address, err);
    vec_free(&labels);
    return ok;
}

/* --- names that the Go runtime has of functions --- */

/*
 * Sets *names to the strings in a table of Go 1.18 and later, which stripping
 * leaves in place.  Its header has a magic number in 4 bytes, 2 zeros, a size
 * of instructions and one of pointers in a byte each, and as pointers: two
 * counts, an address, and the offset of the names and of what follows them
 * (runtime/symtab.go in https://go.dev/src/).
 */
static bool find_names(const Elf_Data *table, struct prof_slice *names)
{
    enum { MAGIC = 4, HEAD = 8, NAMES = 3, AFTER = 4, FIELDS = 5 };
    const uint8_t *v = table->d_buf;
    const size_t n = table->d_size;
    if (n < HEAD)
        return false;
    const size_t word = v[HEAD - 1];
    const bool big = v[0] == 0xff;
    const uint64_t magic = bytes_number(v, MAGIC, big);
    if ((magic != 0xfffffff0 && magic != 0xfffffff1) ||
        (word != 4 && word != 8) || n - HEAD < FIELDS * word)
        return false;
    const uint64_t from = bytes_number(v + HEAD + NAMES * word, word, big),
                   to = bytes_number(v + HEAD + AFTER * word, word, big);
    if (from > to || to > n)
        return false;
    *names = (struct prof_slice){(const char *)v + from, (size_t)(to - from)};
    return true;
}

static bool add_go_names(struct reader *r, const struct sym_image *im,
                         struct prof_err *err)
{
    static const char *const sections[] = {".gopclntab",
                                           ".data.rel.ro.gopclntab"};
    struct prof_namemap added = {0};
    struct prof_slice names = {"", 0};
    bool ok = true;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        GElf_Shdr sh;
        Elf_Scn *scn = sym_section(im->elf, sections[i], &sh);
        Elf_Data *table = scn ? eu.elf_rawdata(scn, NULL) : NULL;
        if (table && table->d_buf && find_names(table, &names))
            break;
    }
    while (ok && names.n) {
        const struct prof_slice name = slice_take_until(&names, '\0');
        uint32_t location;
        ok = !name.n || prof_namemap_get(&added, r->p, 0, name, &location, err);
    }
    prof_namemap_free(&added);
    return ok;
}

static bool read_places(struct reader *r, const char *binary,
                        const struct sym_opts *opts, struct prof_err *err)
{
    const struct sym_wanted wanted = {.source = SYM_FILE,
                                      .file = binary,
                                      .build_id = "",
                                      .path = opts->path,
                                      .named_only = true};
    struct sym_opts how = *opts;
    struct sym_binary *b;
    if (sym_cache_get(opts->cache, &wanted, &b, err) != SYM_FOUND)
        return err_prefix(err, "%s: ", binary);
    how.binary = binary;
    const struct prof_mapping all = {.id = 1};
    return prof_add_mapping(r->p, &all, NULL, err) && sym_binary_read(b, err) &&
           add_lines(r, b, err) && add_symbols(r, &b->files, err) &&
           sym_profile(r->p, &how, NULL, err) &&
           (prof_count(r->p).functions ||
            add_go_names(r, &b->files.image, err));
}

struct profile *sym_places(const char *binary, const struct sym_opts *opts,
                           struct prof_err *err)
{
    struct reader r = {.p = prof_new(err)};
    struct sym_opts own = *opts;
    own.cache = r.p ? sym_cache_new(err) : NULL;
    if (!own.cache || !read_places(&r, binary, &own, err)) {
        prof_delete(r.p);
        r.p = NULL;
    }
    prof_locmap_free(&r.locations);
    sym_cache_free(own.cache);
    return r.p;
}
