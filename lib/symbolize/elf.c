/* elf.c - opens ELF files; their sections, segments and load addresses */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/file.h"
#include "base/system.h"
#include "base/vec.h"
#include "symbolize/private.h"

/*
 * Limit of segments to load.  Linux refuses programs with more than a few
 * dozen, and each mapping compares all of them with all.
 */
enum { SEGMENTS_MAX = 1024 };

/*
 * Files up to this size are read at once, because libelf and libdw make about
 * thirty reads of a small one.  Of larger files they need only a few pages.
 */
enum { SMALL_MAX = 128 * 1024 };

static bool fail_elf(struct prof_err *err)
{
    return err_check_errno(err) && err_input(err, "%s", eu.elf_errmsg(-1));
}

static bool read_segments(struct sym_image *im, struct prof_err *err)
{
    size_t n;
    if (eu.elf_getphdrnum(im->elf, &n) != 0)
        return fail_elf(err);
    im->segments =
        mem_array(n < SEGMENTS_MAX ? n : SEGMENTS_MAX, sizeof *im->segments);
    if (!im->segments)
        return err_nomem(err);
    for (size_t i = 0; i < n; i++) {
        GElf_Phdr ph;
        if (i > INT32_MAX || !eu.gelf_getphdr(im->elf, (int)i, &ph))
            return fail_elf(err);
        if (ph.p_type != PT_LOAD)
            continue;
        if (im->n_segments == SEGMENTS_MAX)
            return err_input(err, "more than %d loadable segments",
                             SEGMENTS_MAX);
        im->segments[im->n_segments++] =
            (struct sym_segment){ph.p_offset, ph.p_vaddr, ph.p_filesz,
                                 ph.p_memsz, (ph.p_flags & PF_X) != 0};
    }
    return true;
}

static void read_sections(struct sym_image *im)
{
    size_t names, n = 0, seen = 1; /* section 0 is unused */
    if (eu.elf_getshdrnum(im->elf, &n) != 0 ||
        eu.elf_getshdrstrndx(im->elf, &names) != 0) {
        im->damaged = true;
        return;
    }
    for (Elf_Scn *scn = NULL; (scn = eu.elf_nextscn(im->elf, scn));) {
        GElf_Shdr sh;
        const char *name = eu.gelf_getshdr(scn, &sh)
                               ? eu.elf_strptr(im->elf, names, sh.sh_name)
                               : NULL;
        if (!name)
            continue;
        seen++;
        if (sh.sh_type == SHT_NOBITS && (sh.sh_flags & SHF_EXECINSTR))
            im->debug_only = true;
        if (sh.sh_type == SHT_SYMTAB)
            im->has_symtab = true;
        if (sh.sh_type != SHT_NOBITS && (strcmp(name, ".debug_info") == 0 ||
                                         strcmp(name, ".zdebug_info") == 0))
            im->has_dwarf = true;
        /*
         * The file refers to debug information in other files (.dwo or shared).
         * libdw finds their directory by the file's descriptor, so the file
         * must not be read from memory.
         */
        if (strcmp(name, ".debug_addr") == 0 ||
            strcmp(name, SYM_SHARED_SECTION) == 0)
            im->has_others = true;
    }
    im->damaged = n > seen;
}

/* --- notes (https://gabi.xinuos.com/, NT_GNU_BUILD_ID) -------------------- */

/* Sets *id to the first build ID in the notes; false if there is none. */
static bool find_build_id(sym_build_id id, Elf_Data *notes)
{
    static const char owner[] = "GNU";
    GElf_Nhdr note;
    size_t name, content;
    if (!notes || !notes->d_buf)
        return false;
    for (size_t at = 0;
         (at = eu.gelf_getnote(notes, at, &note, &name, &content));) {
        const unsigned char *v = notes->d_buf;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_descsz &&
            note.n_namesz == sizeof owner &&
            memcmp(v + name, owner, sizeof owner) == 0) {
            sym_build_id_set(id, v + content, note.n_descsz);
            return true;
        }
    }
    return false;
}

/* Reads the build ID from a section or, without any, a segment; "": none. */
static void read_build_id(sym_build_id id, Elf *elf)
{
    size_t n = 0;
    GElf_Shdr sh;
    GElf_Phdr ph;
    id[0] = 0;
    for (Elf_Scn *scn = NULL; (scn = eu.elf_nextscn(elf, scn)); n++)
        if (eu.gelf_getshdr(scn, &sh) && sh.sh_type == SHT_NOTE &&
            find_build_id(id, eu.elf_getdata(scn, NULL)))
            return;
    if (n || eu.elf_getphdrnum(elf, &n) != 0)
        return;
    for (size_t i = 0; i < n && eu.gelf_getphdr(elf, (int)i, &ph); i++)
        if (ph.p_type == PT_NOTE && ph.p_offset <= INT64_MAX &&
            find_build_id(id, eu.elf_getdata_rawchunk(
                                  elf, (int64_t)ph.p_offset, ph.p_filesz,
                                  ph.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR)))
            return;
}

/* Reads from memory if the content is loaded, otherwise from the file. */
static bool read_elf(struct sym_image *im, struct prof_err *err)
{
    errno = 0;
    im->elf = im->content.n
                  ? eu.elf_memory((char *)im->content.v, im->content.n)
                  : eu.elf_begin(im->fd, ELF_C_READ, NULL);
    if (!im->elf)
        return fail_elf(err);
    GElf_Ehdr eh;
    if (eu.elf_kind(im->elf) != ELF_K_ELF)
        return err_check_errno(err) && err_input(err, "not an ELF file");
    if (!eu.gelf_getehdr(im->elf, &eh))
        return fail_elf(err);
    im->type = eh.e_type;
    im->machine = eh.e_machine;
    if (!read_segments(im, err))
        return false;
    read_sections(im);
    read_build_id(im->build_id, im->elf);
    return err_check_errno(err);
}

/*
 * Reads a file, from memory if it is small.  libelf refuses an image in memory
 * whose section headers are truncated, but accepts such a file, so that is
 * tried next.
 */
static bool read_file(struct sym_image *im, struct prof_err *err)
{
    const size_t n = im->size <= SMALL_MAX ? (size_t)im->size : 0;
    if (n && !buf_reserve(&im->content, n))
        return err_nomem(err);
    /* If the file shrinks meanwhile, libelf reads it. */
    if (n && pread(im->fd, im->content.v, n, 0) == (ssize_t)n)
        im->content.n = n;
    if (im->content.n) {
        if (read_elf(im, err) && !im->damaged && !im->has_others)
            return true;
        /* Drop what was read; the file stays open. */
        if (im->elf)
            eu.elf_end(im->elf);
        buf_free(&im->content);
        free(im->segments);
        *im = (struct sym_image){
            .path = im->path, .fd = im->fd, .size = im->size};
    }
    return read_elf(im, err);
}

static bool load_libelf(struct prof_err *err)
{
    return libelf_load(err) &&
           (eu.elf_version(EV_CURRENT) != EV_NONE || fail_elf(err));
}

bool sym_image_open(struct sym_image *im, const char *path, bool any,
                    bool *absent, struct prof_err *err)
{
    struct stat st;
    bool ok;
    memset(im, 0, sizeof *im);
    *absent = false;
    im->fd = -1;
    im->path = strdup(path);
    if (!im->path)
        return err_nomem(err);
    /* Do not wait for a FIFO or a device of this name. */
    im->fd = file_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (im->fd < 0) {
        *absent = errno == ENOENT || errno == ENOTDIR;
        ok = err_set(err,
                     file_is_refused(errno) ? PROF_ERR_INPUT : PROF_ERR_SYSTEM,
                     "%s", strerror(errno));
    } else if (fstat(im->fd, &st) != 0) {
        ok = err_set(err, PROF_ERR_SYSTEM, "%s", strerror(errno));
    } else if (!S_ISREG(st.st_mode)) {
        ok = err_input(err, "not a regular file");
    } else {
        im->size = (uint64_t)st.st_size;
        ok = load_libelf(err) && read_file(im, err) &&
             (any || im->type == ET_EXEC || im->type == ET_DYN ||
              err_input(err, "not a program or library"));
    }
    if (!ok)
        sym_image_close(im);
    return ok;
}

bool sym_image_open_memory(struct sym_image *im, const char *path,
                           struct buf *content, struct prof_err *err)
{
    *im =
        (struct sym_image){.path = strdup(path), .fd = -1, .content = *content};
    im->size = content->n;
    if (!im->path)
        return err_nomem(err);
    bool ok = load_libelf(err) && read_elf(im, err);
    if (!ok) {
        im->content = (struct buf){0};
        sym_image_close(im);
    } else {
        *content = (struct buf){0};
    }
    return ok;
}

bool sym_image_open_vdso(struct sym_image *im, struct prof_err *err)
{
    struct buf content = {0};
    const void *at = system_vdso();
    if (!at)
        return err_input(err, "the kernel provides no vdso");
    /* The file ends after its section headers. */
    size_t size;
    if (sizeof(void *) == 4) {
        Elf32_Ehdr h;
        memcpy(&h, at, sizeof h);
        size = h.e_shoff + (size_t)h.e_shnum * h.e_shentsize;
    } else {
        Elf64_Ehdr h;
        memcpy(&h, at, sizeof h);
        size = h.e_shoff + (size_t)h.e_shnum * h.e_shentsize;
    }
    bool ok = buf_put(&content, at, size)
                  ? sym_image_open_memory(im, "[vdso]", &content, err)
                  : err_nomem(err);
    buf_free(&content);
    return ok;
}

void sym_image_close(struct sym_image *im)
{
    if (!im->path)
        return;
    if (im->elf)
        eu.elf_end(im->elf);
    buf_free(&im->content);
    if (im->fd >= 0)
        close(im->fd);
    free(im->segments);
    free(im->path);
    memset(im, 0, sizeof *im);
}

bool sym_image_dir(const struct sym_image *im, char **dir, struct prof_err *err)
{
    *dir = realpath(im->path, NULL);
    if (!err_check_errno(err)) {
        free(*dir);
        return err_prefix(err, "%s: ", im->path);
    }
    char *slash = *dir ? strrchr(*dir, '/') : NULL;
    if (slash)
        *slash = 0;
    else if (!*dir)
        *dir = calloc(1, 1);
    return *dir || err_nomem(err);
}

void sym_build_id_set(sym_build_id id, const unsigned char *bytes, size_t n)
{
    bytes_to_hex(id, bytes, n < SYM_BUILD_ID_MAX ? n : SYM_BUILD_ID_MAX);
}

/* --- sections ------------------------------------------------------------- */

Elf_Scn *sym_section(Elf *elf, const char *name, GElf_Shdr *sh)
{
    size_t names;
    if (eu.elf_getshdrstrndx(elf, &names) != 0)
        return NULL;
    for (Elf_Scn *scn = NULL; (scn = eu.elf_nextscn(elf, scn));) {
        if (!eu.gelf_getshdr(scn, sh))
            continue;
        const char *s = eu.elf_strptr(elf, names, sh->sh_name);
        if (s && strcmp(s, name) == 0)
            return scn;
    }
    return NULL;
}

bool sym_count_section(const struct sym_image *im, Elf_Scn *scn,
                       const char *name, uint64_t *total)
{
    /* Debug information shrinks to about a third, rarely to a tenth. */
    enum { RATIO_MAX = 32, SPARE = 16 << 20, GNU_HEADER = 12 };
    GElf_Shdr sh;
    GElf_Chdr ch;
    if (!eu.gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS)
        return true;
    uint64_t size = sh.sh_size;
    if (sh.sh_flags & SHF_COMPRESSED && eu.gelf_getchdr(scn, &ch))
        size = ch.ch_size;
    if (strncmp(name, ".zdebug", 7) == 0 && sh.sh_offset <= INT64_MAX) {
        const Elf_Data *d = eu.elf_getdata_rawchunk(
            im->elf, (int64_t)sh.sh_offset, GNU_HEADER, ELF_T_BYTE);
        if (d && d->d_buf && memcmp(d->d_buf, "ZLIB", 4) == 0)
            size = be64((const uint8_t *)d->d_buf + 4);
    }
    if (size > UINT64_MAX - *total)
        return false;
    *total += size;
    return *total / RATIO_MAX <= im->size + SPARE / RATIO_MAX;
}

Elf_Scn *sym_section_of_type(Elf *elf, unsigned type)
{
    GElf_Shdr sh;
    for (Elf_Scn *scn = NULL; (scn = eu.elf_nextscn(elf, scn));)
        if (eu.gelf_getshdr(scn, &sh) && sh.sh_type == type)
            return scn;
    return NULL;
}

/* Reads a symbol table.  Returns false if its contents are invalid. */
static bool read_table(Elf *elf, Elf_Scn *scn, struct sym_table *t)
{
    GElf_Shdr sh, strings;
    Elf_Scn *with =
        eu.gelf_getshdr(scn, &sh) ? eu.elf_getscn(elf, sh.sh_link) : NULL;
    if (!with || !eu.gelf_getshdr(with, &strings) ||
        strings.sh_type != SHT_STRTAB)
        return false;
    t->symbols = eu.elf_getdata(scn, NULL);
    t->strings = eu.elf_getdata(with, NULL);
    size_t each = eu.gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
    if (!t->symbols || !t->symbols->d_buf || !t->strings ||
        !t->strings->d_buf || !t->strings->d_size || !each)
        return false;
    const char *s = t->strings->d_buf;
    if (s[t->strings->d_size - 1])
        return false;
    t->n = t->symbols->d_size / each;
    if (t->n > INT32_MAX)
        t->n = INT32_MAX;
    return true;
}

bool sym_table_open(struct sym_table *t, const struct sym_image *im,
                    Elf_Scn *scn, struct prof_err *err)
{
    memset(t, 0, sizeof *t);
    t->damaged = scn && !read_table(im->elf, scn, t);
    return err_check_errno(err) || err_prefix(err, "%s: ", im->path);
}

bool sym_table_get(const struct sym_table *t, size_t i, GElf_Sym *sym,
                   const char **name)
{
    if (i >= t->n || !eu.gelf_getsym(t->symbols, (int)i, sym))
        return false;
    *name = sym->st_name < t->strings->d_size
                ? (const char *)t->strings->d_buf + sym->st_name
                : "";
    return true;
}

/*
 * Segments are mapped in whole pages, so a mapping may begin before its segment
 * by less than a page, which is 4 KiB to 64 KiB.
 */
enum { PAGE_MIN = 0x1000, PAGE_MAX = 0x10000 };

/* --- programs ------------------------------------------------------------- */

static bool read_range(struct sym_program *p, Elf *elf, struct prof_err *err)
{
    const uint64_t rest = PAGE_MIN - 1;
    size_t n;
    GElf_Phdr ph;
    bool any = false;
    if (eu.elf_getphdrnum(elf, &n) != 0)
        return err_input(err, "%s", eu.elf_errmsg(-1));
    p->low = UINT64_MAX;
    p->high = 0;
    for (size_t i = 0; i < n && eu.gelf_getphdr(elf, (int)i, &ph); i++) {
        if (ph.p_type != PT_LOAD)
            continue;
        if (ph.p_vaddr < p->low)
            p->low = ph.p_vaddr;
        if (!(ph.p_flags & PF_X))
            continue;
        any = true;
        /* The end of the segment, rounded up to whole pages. */
        uint64_t end;
        if (__builtin_add_overflow(ph.p_vaddr, ph.p_memsz, &end) ||
            end > UINT64_MAX - rest)
            end = UINT64_MAX - rest;
        end = (end + rest) & ~rest;
        if (end > p->high)
            p->high = end;
    }
    return any || err_input(err, "not a program: no executable code");
}

static bool read_program(struct sym_program *p, Elf *elf, struct prof_err *err)
{
    GElf_Ehdr eh;
    if (!elf || eu.elf_kind(elf) != ELF_K_ELF || !eu.gelf_getehdr(elf, &eh))
        return err_input(err, "not an ELF file");
    p->is_64 = eh.e_ident[EI_CLASS] == ELFCLASS64;
    p->big_endian = eh.e_ident[EI_DATA] == ELFDATA2MSB;
    p->entry = eh.e_entry;

    /* Programs that refer to the symbol, such as those of gcc -pg, have it. */
    struct sym_table t = {0};
    Elf_Scn *scn = sym_section_of_type(elf, SHT_SYMTAB);
    const bool has_table = scn && read_table(elf, scn, &t);
    for (size_t i = 0; has_table && i < t.n; i++) {
        GElf_Sym sym;
        const char *name;
        if (!sym_table_get(&t, i, &sym, &name) || strcmp(name, "etext") != 0)
            continue;
        p->etext = sym.st_value;
        break;
    }
    read_build_id(p->build_id, elf);
    return read_range(p, elf, err);
}

bool sym_program_read(struct sym_program *p, int fd, struct prof_err *err)
{
    *p = (struct sym_program){0};
    if (!libelf_load(err))
        return false;
    (void)eu.elf_version(EV_CURRENT);
    errno = 0;
    Elf *elf = eu.elf_begin(fd, ELF_C_READ, NULL);
    bool ok = read_program(p, elf, err);
    ok = err_check_errno(err) && ok;
    (void)eu.elf_end(elf);
    return ok;
}

/* --- load addresses ------------------------------------------------------- */

static bool is_inside(const struct sym_segment *s, uint64_t vaddr)
{
    return vaddr >= s->vaddr && vaddr - s->vaddr < s->memsz;
}

static bool in_code(const struct sym_image *im, uint64_t vaddr)
{
    for (size_t i = 0; i < im->n_segments; i++)
        if (im->segments[i].exec && is_inside(&im->segments[i], vaddr))
            return true;
    return false;
}

/* Whether the mapping lies within the addresses that the linker assigned. */
static bool is_linked_there(const struct sym_image *im,
                            const struct prof_mapping *m)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (size_t i = 0; i < im->n_segments; i++) {
        const struct sym_segment *s = &im->segments[i];
        if (s->vaddr < low)
            low = s->vaddr;
        if (s->memsz > UINT64_MAX - PAGE_MIN - s->vaddr)
            return false;
        if (s->vaddr + s->memsz > high)
            high = s->vaddr + s->memsz;
    }
    high = (high + PAGE_MIN - 1) & ~(uint64_t)(PAGE_MIN - 1);
    return m->start >= low && m->start < high && m->limit <= high;
}

/*
 * Rates how well a segment explains the mapping; 0: not at all.  Neighbouring
 * segments share a page of the file, so several may be possible.  The rating
 * is highest if the address is in code.
 */
static int rate_segment(const struct sym_image *im, const struct sym_segment *s,
                        const struct prof_mapping *m, uint64_t address)
{
    bool within = m->offset >= s->offset && m->offset - s->offset < s->filesz;
    bool before = m->offset < s->offset && s->offset - m->offset < PAGE_MAX;
    if (!s->filesz || (!within && !before))
        return 0;
    uint64_t bias = m->start - (m->offset - s->offset + s->vaddr);
    int points = 1;
    if (in_code(im, address - bias))
        points += 8;
    if ((s->offset & ~(uint64_t)(PAGE_MIN - 1)) == m->offset)
        points += 4;
    if (s->exec && is_inside(s, address - bias))
        points += 2;
    return points;
}

uint64_t sym_first_code(const struct sym_image *im)
{
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < im->n_segments; i++)
        if (im->segments[i].exec && im->segments[i].vaddr < first)
            first = im->segments[i].vaddr;
    return first;
}

bool sym_bias(const struct sym_image *im, const struct prof_mapping *m,
              uint64_t address, uint64_t *bias)
{
    const uint64_t first = sym_first_code(im);
    *bias = 0;
    if (m->start >> 63 && m->start == m->offset && first >> 63 &&
        first != UINT64_MAX) {
        *bias = m->start - first;
        return true;
    }
    if ((m->start == 0 && m->offset == 0) || !im->n_segments ||
        is_linked_there(im, m))
        return true;
    if (im->type == ET_EXEC && in_code(im, address))
        return true;
    /*
     * A separate debug file lacks the sections that it omits, and so their file
     * offsets.  Linkers mostly use the offset of the address.
     */
    if (im->debug_only) {
        *bias = m->start - m->offset;
        if (im->n_segments)
            *bias -= im->segments[0].vaddr & ~(uint64_t)(PAGE_MIN - 1);
        return in_code(im, address - *bias);
    }
    int best = 0;
    for (size_t i = 0; i < im->n_segments; i++) {
        const struct sym_segment *s = &im->segments[i];
        int points = rate_segment(im, s, m, address);
        if (points > best) {
            best = points;
            *bias = m->start - (m->offset - s->offset + s->vaddr);
        }
    }
    return best > 0;
}
