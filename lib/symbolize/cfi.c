/*
 * cfi.c - call frame information of a binary
 *
 * Rows that were made are kept: samples have few different addresses, each of
 * them very often.
 */
#include <errno.h>
#include <string.h>

#include "symbolize/elfutils.h"
#include "symbolize/private.h"

enum { ROWS_MAX = 1 << 20 }; /* rows to keep */

/*
 * The limit of the bytes of instructions that are executed for a file, which
 * take about a second: work_spare plus work_byte for each byte of the sections,
 * at most work_max; and in addition work_each for each address.  Nearly all
 * functions have less than 100 bytes, but those of a hostile file may have
 * megabytes, which are executed for each address.
 */
static const uint64_t work_each = 256;
static const uint64_t work_spare = 1 << 22;
static const uint64_t work_byte = 2048;
static const uint64_t work_max = 1 << 28;

/* --- opening -------------------------------------------------------------- */

/* Sets the word size and byte order from the file's header. */
static bool read_ident(struct cfi_section *s, const struct sym_image *im)
{
    GElf_Ehdr eh;
    if (!eu.gelf_getehdr(im->elf, &eh))
        return false;
    s->word = eh.e_ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
    s->big = eh.e_ident[EI_DATA] == ELFDATA2MSB;
    return true;
}

/* Reads .eh_frame or .debug_frame, which Go's linker and some others write. */
static bool open_section(struct cfi_section *s, const struct sym_image *im,
                         const char *name, struct prof_err *err)
{
    GElf_Shdr sh;
    Elf_Scn *scn = im->path && !s->v ? sym_section(im->elf, name, &sh) : NULL;
    uint64_t total = 0;
    errno = 0;
    if (!scn || sh.sh_type == SHT_NOBITS || !read_ident(s, im) ||
        !sym_count_section(im, scn, name, &total))
        return true;
    if (sh.sh_flags & SHF_COMPRESSED && eu.elf_compress(scn, 0, 0) < 0)
        return err_check_errno(err);
    const Elf_Data *d = eu.elf_rawdata(scn, NULL);
    if (!d || !d->d_buf)
        return err_check_errno(err);
    s->v = d->d_buf;
    s->n = d->d_size;
    s->vaddr = sh.sh_addr;
    return cfi_section_read(s, err);
}

/* Sets *s to n bytes of a file at an offset; false if it lacks them. */
static bool set_bytes(struct cfi_section *s, const struct sym_image *im,
                      uint64_t offset, uint64_t n, uint64_t vaddr)
{
    const Elf_Data *d = offset <= INT64_MAX && n <= SIZE_MAX
                            ? eu.elf_getdata_rawchunk(im->elf, (int64_t)offset,
                                                      (size_t)n, ELF_T_BYTE)
                            : NULL;
    if (!d || !d->d_buf)
        return false;
    s->v = d->d_buf;
    s->n = d->d_size;
    s->vaddr = vaddr;
    return true;
}

/* Reads .eh_frame without section headers, as running programs find it. */
static bool open_segment(struct cfi_section *s, const struct sym_image *im,
                         struct prof_err *err)
{
    struct cfi_section header = {0};
    GElf_Phdr ph = {0};
    uint64_t vaddr;
    size_t n = 0;
    errno = 0;
    if (s->v || im->debug_only || !read_ident(s, im) ||
        eu.elf_getphdrnum(im->elf, &n) != 0)
        return err_check_errno(err);

    /* The program header of .eh_frame_hdr, which has the address. */
    size_t i = 0;
    while (i < n && eu.gelf_getphdr(im->elf, (int)i, &ph) &&
           ph.p_type != PT_GNU_EH_FRAME)
        i++;
    header.word = s->word;
    header.big = s->big;
    if (i == n || ph.p_type != PT_GNU_EH_FRAME ||
        !set_bytes(&header, im, ph.p_offset, ph.p_filesz, ph.p_vaddr) ||
        !cfi_header_read(&header, &vaddr))
        return err_check_errno(err);

    for (i = 0; i < im->n_segments; i++) {
        const struct sym_segment *g = &im->segments[i];
        const uint64_t at = vaddr - g->vaddr;
        if (vaddr < g->vaddr || at >= g->filesz ||
            !set_bytes(s, im, g->offset + at, g->filesz - at, vaddr))
            continue;
        s->in_segment = true;
        return cfi_section_read(s, err);
    }
    return err_check_errno(err);
}

bool cfi_open(struct cfi *c, const struct sym_files *files,
              struct prof_err *err)
{
    c->elf = files->image.elf;
    c->machine = files->image.machine;
    c->frame_reg = files->image.machine == EM_X86_64 ? 6
                   : files->image.machine == EM_386  ? 5
                                                     : -1;
    c->eh.is_eh = true;
    return open_section(&c->eh, &files->image, ".eh_frame", err) &&
           open_segment(&c->eh, &files->image, err) &&
           open_section(&c->debug, &files->image, ".debug_frame", err) &&
           open_section(&c->debug, &files->debug, ".debug_frame", err);
}

void cfi_close(struct cfi *c)
{
    vec_free(&c->eh.ranges);
    vec_free(&c->debug.ranges);
    vec_free(&c->rows);
    vec_free(&c->rules);
    vec_free(&c->ops);
    map_free(&c->known);
    memset(c, 0, sizeof *c);
}

/* --- rows ----------------------------------------------------------------- */

/*
 * Makes a row for an address in a procedure linkage table.  lld describes these
 * tables on no machine, GNU ld not on AArch64.  An entry jumps to the function
 * or, before the first call, pushes its number and jumps to the header of .plt,
 * which pushes another word.
 */
static bool make_plt_row(struct cfi *c, struct cfi_row *row,
                         struct prof_err *err)
{
    static const char *const tables[] = {".plt", ".plt.sec", ".plt.got",
                                         ".iplt"};
    enum { N_TABLES = sizeof tables / sizeof *tables };
    GElf_Shdr sh;
    size_t table = 0;
    while (table < N_TABLES &&
           (!sym_section(c->elf, tables[table], &sh) ||
            row->vaddr < sh.sh_addr || row->vaddr - sh.sh_addr >= sh.sh_size))
        table++;
    if (table == N_TABLES)
        return true;
    const uint64_t offset = row->vaddr - sh.sh_addr;
    const bool in_plt = table == 0;
    const int machine = c->machine;
    row->found = true;
    row->cfa.how = CFI_REGISTER;
    row->first = (uint32_t)c->rules.n;
    if (machine == EM_AARCH64) { /* the link register has the address */
        enum { LINK = 30, SP = 31, HEADER = 32, PUSHED = 16 };
        row->return_reg = LINK;
        row->cfa.from = SP;
        row->cfa.value = in_plt && offset && offset < HEADER ? PUSHED : 0;
        return true;
    }

    /* Count the words pushed since the call. */
    enum { ENTRY = 16, SECOND_PUSH = 6, LAST_JUMP = 11 };
    unsigned pushed = 0;
    if (in_plt && offset < ENTRY)
        pushed = offset < SECOND_PUSH ? 1 : 2;
    else if (in_plt)
        pushed = offset % ENTRY >= LAST_JUMP;

    const uint64_t word = machine == EM_386 ? 4 : 8;
    row->return_reg = machine == EM_386 ? 8 : 16;
    row->cfa.from = machine == EM_386 ? 4 : 7;
    row->cfa.value = word * (1 + pushed);
    const struct cfi_rule r = {
        .reg = row->return_reg, .how = CFI_AT_CFA, .value = -word};
    row->n = 1;
    return vec_push(&c->rules, r) || err_nomem(err);
}

bool cfi_find(struct cfi *c, uint64_t vaddr, const struct cfi_row **row,
              struct prof_err *err)
{
    if (c->rows.n >= ROWS_MAX) {
        c->rows.n = c->rules.n = c->ops.n = 0;
        map_free(&c->known);
    }
    uint32_t i;
    bool is_new;
    if (!vec_reserve(&c->rows, 1) ||
        !map_add(&c->known, &vaddr, sizeof vaddr, &i, &is_new))
        return err_nomem(err);
    *row = &c->rows.v[i];
    if (!is_new)
        return true;

    /* Make its row, which stays empty after a failure. */
    struct cfi_row new = {.vaddr = vaddr};
    c->rows.v[c->rows.n++] = new;
    const uint64_t most = work_spare + work_byte * (c->eh.n + c->debug.n);
    c->gave_up |=
        c->work > (most < work_max ? most : work_max) + c->asked++ * work_each;
    if (!c->gave_up && !cfi_section_row(c, &c->eh, &new, err))
        return false;
    if (!c->gave_up && !new.found && !cfi_section_row(c, &c->debug, &new, err))
        return false;
    if (!new.found && !make_plt_row(c, &new, err))
        return false;
    c->rows.v[i] = new;
    return true;
}
