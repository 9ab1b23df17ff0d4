#include "symbol/image.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/vec.h"

/*
 * Segments to load.  Linux refuses a program with more than some dozens, and
 * for each mapping all of them are tried with all of them.
 */
enum { SEGMENTS_MAX = 1024 };

static bool fail_elf(struct err *err)
{
    return err_check_errno(err) &&
           err_set(err, ERR_INPUT, "%s", elf_errmsg(-1));
}

/* A name may be that of a FIFO or a device: these are not waited for. */
static bool open_regular(struct sym_image *im, const char *path, bool *absent,
                         struct err *err)
{
    im->fd = file_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (im->fd < 0) {
        *absent = errno == ENOENT || errno == ENOTDIR;
        return err_set(err, file_is_refused(errno) ? ERR_INPUT : ERR_SYSTEM,
                       "%s", strerror(errno));
    }
    struct stat st;
    if (fstat(im->fd, &st) != 0)
        return err_set(err, ERR_SYSTEM, "%s", strerror(errno));
    if (!S_ISREG(st.st_mode))
        return err_set(err, ERR_INPUT, "not a regular file");
    im->size = (uint64_t)st.st_size;
    return true;
}

static bool read_segments(struct sym_image *im, struct err *err)
{
    size_t n;
    if (elf_getphdrnum(im->elf, &n) != 0)
        return fail_elf(err);
    im->segments =
        mem_array(n < SEGMENTS_MAX ? n : SEGMENTS_MAX, sizeof *im->segments);
    if (!im->segments)
        return err_nomem(err);
    for (size_t i = 0; i < n; i++) {
        GElf_Phdr ph;
        if (i > INT32_MAX || !gelf_getphdr(im->elf, (int)i, &ph))
            return fail_elf(err);
        if (ph.p_type != PT_LOAD)
            continue;
        if (im->n_segments == SEGMENTS_MAX)
            return err_set(err, ERR_INPUT, "more than %d segments to load",
                           SEGMENTS_MAX);
        im->segments[im->n_segments++] =
            (struct sym_segment){ph.p_offset, ph.p_vaddr, ph.p_filesz,
                                 ph.p_memsz, (ph.p_flags & PF_X) != 0};
    }
    return true;
}

/* Which sections there are. */
static void look_at_sections(struct sym_image *im)
{
    size_t names, n = 0, seen = 1; /* the first one is none */
    if (elf_getshdrnum(im->elf, &n) != 0 ||
        elf_getshdrstrndx(im->elf, &names) != 0) {
        im->damaged = true;
        return;
    }
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(im->elf, scn));) {
        GElf_Shdr sh;
        const char *name = gelf_getshdr(scn, &sh)
                               ? elf_strptr(im->elf, names, sh.sh_name)
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
    }
    im->damaged = n > seen;
}

static void read_build_id(struct sym_image *im)
{
    const void *bytes = NULL;
    ssize_t n = dwelf_elf_gnu_build_id(im->elf, &bytes);
    if (n > 0)
        sym_build_id_set(im->build_id, bytes, (size_t)n);
}

static bool read_elf(struct sym_image *im, struct err *err)
{
    errno = 0;
    if (elf_version(EV_CURRENT) == EV_NONE)
        return fail_elf(err);
    im->elf = im->fd >= 0 ? elf_begin(im->fd, ELF_C_READ, NULL)
                          : elf_memory((char *)im->content.v, im->content.n);
    if (!im->elf)
        return fail_elf(err);
    GElf_Ehdr eh;
    if (elf_kind(im->elf) != ELF_K_ELF)
        return err_check_errno(err) &&
               err_set(err, ERR_INPUT, "not an ELF file");
    if (!gelf_getehdr(im->elf, &eh))
        return fail_elf(err);
    im->type = eh.e_type;
    im->machine = eh.e_machine;
    if (!read_segments(im, err))
        return false;
    look_at_sections(im);
    read_build_id(im);
    return err_check_errno(err);
}

bool sym_image_open_any(struct sym_image *im, const char *path, bool *absent,
                        struct err *err)
{
    memset(im, 0, sizeof *im);
    *absent = false;
    im->fd = -1;
    im->path = strdup(path);
    if (!im->path)
        return err_nomem(err);
    if (open_regular(im, path, absent, err) && read_elf(im, err))
        return true;
    sym_image_close(im);
    return false;
}

bool sym_image_open(struct sym_image *im, const char *path, bool *absent,
                    struct err *err)
{
    if (!sym_image_open_any(im, path, absent, err))
        return false;
    if (im->type == ET_EXEC || im->type == ET_DYN)
        return true;
    sym_image_close(im);
    return err_set(err, ERR_INPUT, "neither a program nor a library");
}

bool sym_image_open_memory(struct sym_image *im, const char *path,
                           struct buf *content, struct err *err)
{
    *im =
        (struct sym_image){.path = strdup(path), .fd = -1, .content = *content};
    im->size = content->n;
    if (!im->path)
        return err_nomem(err);
    bool ok = read_elf(im, err);
    if (!ok) {
        im->content = (struct buf){0};
        sym_image_close(im);
    } else {
        *content = (struct buf){0};
    }
    return ok;
}

void sym_image_close(struct sym_image *im)
{
    if (!im->path)
        return;
    elf_end(im->elf);
    buf_free(&im->content);
    if (im->fd >= 0)
        close(im->fd);
    free(im->segments);
    free(im->path);
    memset(im, 0, sizeof *im);
}

bool sym_image_dir(const struct sym_image *im, char **dir, struct err *err)
{
    errno = 0;
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
    static const char digits[] = "0123456789abcdef";
    if (n > SYM_BUILD_ID_MAX)
        n = SYM_BUILD_ID_MAX;
    for (size_t i = 0; i < n; i++) {
        id[2 * i] = digits[bytes[i] >> 4];
        id[2 * i + 1] = digits[bytes[i] & 15];
    }
    id[2 * n] = 0;
}

bool sym_same_build_id(const char *a, const char *b)
{
    return !*a || !*b || strcasecmp(a, b) == 0;
}
