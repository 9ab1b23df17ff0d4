#include "import/gmon/gmon_exe.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "import/gmon/gmon_form.h"

enum { PAGE = 4096 };

static void take_build_id(struct gmon_exe *exe, Elf *elf)
{
    const void *bits;
    ssize_t n = dwelf_elf_gnu_build_id(elf, &bits);
    if (n <= 0 || (size_t)n > sizeof exe->build_id / 2)
        return;
    for (ssize_t i = 0; i < n; i++)
        (void)snprintf(exe->build_id + 2 * i, 3, "%02x",
                       ((const unsigned char *)bits)[i]);
}

/* The end of what a segment loads, in whole pages. */
static uint64_t end_of(const GElf_Phdr *ph)
{
    const uint64_t rest = PAGE - 1;
    uint64_t end;
    if (__builtin_add_overflow(ph->p_vaddr, ph->p_memsz, &end) ||
        end > UINT64_MAX - rest)
        return UINT64_MAX & ~rest;
    return (end + rest) & ~rest;
}

static bool take_segments(struct gmon_exe *exe, Elf *elf, struct err *err)
{
    size_t n;
    GElf_Phdr ph;
    bool any = false;
    if (elf_getphdrnum(elf, &n) != 0)
        return err_set(err, ERR_INPUT, "%s", elf_errmsg(-1));
    exe->low = UINT64_MAX;
    exe->high = 0;
    for (size_t i = 0; i < n && gelf_getphdr(elf, (int)i, &ph); i++) {
        if (ph.p_type != PT_LOAD)
            continue;
        if (ph.p_vaddr < exe->low)
            exe->low = ph.p_vaddr;
        if (!(ph.p_flags & PF_X))
            continue;
        any = true;
        if (end_of(&ph) > exe->high)
            exe->high = end_of(&ph);
    }
    return any || err_set(err, ERR_INPUT, "no program: nothing to execute");
}

static bool take_elf(struct gmon_exe *exe, Elf *elf, struct err *err)
{
    GElf_Ehdr eh;
    if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &eh))
        return err_set(err, ERR_INPUT, "not an ELF file");
    exe->form.addr_size = eh.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
    exe->form.big_endian = eh.e_ident[EI_DATA] == ELFDATA2MSB;
    take_build_id(exe, elf);
    return take_segments(exe, elf, err);
}

bool gmon_exe_read(struct gmon_exe *exe, const char *path, struct err *err)
{
    memset(exe, 0, sizeof *exe);
    exe->path = exe->name = path;
    (void)elf_version(EV_CURRENT);
    /* Not to wait for somebody to write, should it be a pipe. */
    int fd = file_open(path, O_RDONLY | O_NONBLOCK);
    if (fd < 0)
        return err_set(err, ERR_SYSTEM, "%s", strerror(errno));
    struct stat st;
    if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode)) {
        (void)close(fd);
        return err_set(err, ERR_INPUT, "not a regular file");
    }
    errno = 0;
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    bool ok = take_elf(exe, elf, err);
    ok = err_check_errno(err) && ok;
    (void)elf_end(elf);
    (void)close(fd);
    return ok;
}

bool gmon_exe_fits(const struct gmon_exe *exe, const struct gmon *g, char *why,
                   size_t n)
{
    if (g->form.addr_size && (g->form.addr_size != exe->form.addr_size ||
                              g->form.big_endian != exe->form.big_endian)) {
        (void)snprintf(why, n, "it is %s", gmon_form_text(exe->form));
        (void)snprintf(why + strlen(why), n - strlen(why), ", the profile %s",
                       gmon_form_text(g->form));
        return false;
    }
    for (size_t i = 0; i < g->hists.n; i++) {
        const struct gmon_hist *h = &g->hists.v[i];
        if (h->low == h->high || (h->low >= exe->low && h->high <= exe->high))
            continue;
        (void)snprintf(why, n,
                       "it is loaded at 0x%" PRIx64 "-0x%" PRIx64
                       ", but a histogram is over 0x%" PRIx64 "-0x%" PRIx64,
                       exe->low, exe->high, h->low, h->high);
        return false;
    }
    return true;
}
