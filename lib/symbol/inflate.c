#include "symbol/inflate.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "io/gz.h"

/* Deflate cannot do better: who claims more is not believed. */
enum { RATIO_MAX = 1032 };

/* Where variables are, macros, call frames, and indices of names. */
static bool is_needless(const char *name)
{
    static const char *const names[] = {
        ".debug_loc",      ".debug_loclists", ".debug_macro",
        ".debug_macinfo",  ".debug_frame",    ".debug_pubnames",
        ".debug_pubtypes", ".debug_names",    ".debug_aranges",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool inflate_section(struct sym_image *im, struct gz *gz, Elf_Scn *scn,
                            GElf_Shdr *sh)
{
    GElf_Chdr ch;
    Elf_Data *data = elf_getdata(scn, NULL);
    size_t head = gelf_fsize(im->elf, ELF_T_CHDR, 1, EV_CURRENT);
    if (!data || !data->d_buf || !gelf_getchdr(scn, &ch) ||
        ch.ch_type != ELFCOMPRESS_ZLIB || !head || data->d_size < head ||
        ch.ch_size / RATIO_MAX > data->d_size || !ch.ch_size)
        return true;
    uint8_t *plain = malloc(ch.ch_size);
    if (!plain || !vec_push(&im->inflated, plain)) {
        free(plain);
        return false;
    }
    if (!gz_inflate_zlib(gz, (const uint8_t *)data->d_buf + head,
                         data->d_size - head, plain, ch.ch_size))
        return true;
    sh->sh_flags &= ~(GElf_Xword)SHF_COMPRESSED;
    sh->sh_size = ch.ch_size;
    sh->sh_addralign = ch.ch_addralign;
    if (!gelf_update_shdr(scn, sh))
        return true;
    data->d_buf = plain;
    data->d_size = ch.ch_size;
    data->d_align = ch.ch_addralign;
    return true;
}

static bool inflate_all(struct sym_image *im, struct gz *gz)
{
    size_t names;
    if (elf_getshdrstrndx(im->elf, &names) != 0)
        return true;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(im->elf, scn));) {
        GElf_Shdr sh;
        if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_COMPRESSED))
            continue;
        const char *name = elf_strptr(im->elf, names, sh.sh_name);
        if (!name || strncmp(name, ".debug_", 7) != 0)
            continue;
        if (is_needless(name)) {
            sh.sh_type = SHT_NOBITS;
            (void)gelf_update_shdr(scn, &sh);
        } else if (!inflate_section(im, gz, scn, &sh)) {
            return false;
        }
    }
    return true;
}

bool sym_inflate(struct sym_image *im)
{
    struct gz *gz = gz_new();
    bool ok = gz && inflate_all(im, gz);
    gz_free(gz);
    return ok;
}
