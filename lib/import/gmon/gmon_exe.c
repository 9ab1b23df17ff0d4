/* gmon_exe.c - the executables that gmon.out files are of */
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "import/gmon/private.h"

enum { PAGE = 4096 };

static void read_build_id(struct gmon_exe *exe, Elf *elf)
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

static bool read_segments(struct gmon_exe *exe, Elf *elf, struct err *err)
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

static bool read_elf(struct gmon_exe *exe, Elf *elf, struct err *err)
{
    GElf_Ehdr eh;
    if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &eh))
        return err_set(err, ERR_INPUT, "not an ELF file");
    exe->form.addr_size = eh.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
    exe->form.big_endian = eh.e_ident[EI_DATA] == ELFDATA2MSB;
    read_build_id(exe, elf);
    return read_segments(exe, elf, err);
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
    bool ok = read_elf(exe, elf, err);
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

static void free_program(struct gmon_program *p)
{
    free(p->path);
    free(p->name);
    free(p->archive);
    gmon_free(&p->sum);
}

/* Null strings are equal, and less than any other. */
static int text_cmp(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static bool copy_text(char **to, const char *text)
{
    char *copy = text ? strdup(text) : NULL;
    if (text && !copy)
        return false;
    free(*to);
    *to = copy;
    return true;
}

/* Calls the program by this name if it is less than what it has. */
static bool name_program(struct gmon_program *p,
                         const struct gmon_program_id *id)
{
    int c = p->name ? strcmp(id->name, p->name) : -1;
    if (c == 0)
        c = text_cmp(id->archive, p->archive);
    if (c >= 0)
        return true;
    bool ok =
        copy_text(&p->name, id->name) && copy_text(&p->archive, id->archive);
    p->exe.name = p->name;
    return ok;
}

static bool read_program(struct gmon_program *p,
                         const struct gmon_program_id *id, struct err *err)
{
    if (!copy_text(&p->path, id->path))
        return err_nomem(err);
    if (!gmon_exe_read(&p->exe, p->path, err))
        return err_prefix(err, "%s: ", id->name);
    return name_program(p, id) || err_nomem(err);
}

struct gmon_program *gmon_programs_get(struct gmon_programs *programs,
                                       const struct gmon_program_id *id,
                                       struct err *err)
{
    while (programs->rows.n <= id->content)
        if (!vec_push(&programs->rows, 0)) {
            err_nomem(err);
            return NULL;
        }
    uint32_t *row = &programs->rows.v[id->content];
    if (!*row) {
        struct gmon_program none = {0};
        if (!vec_push(&programs->v, none)) {
            err_nomem(err);
            return NULL;
        }
        struct gmon_program *last = &programs->v.v[programs->v.n - 1];
        if (!read_program(last, id, err)) {
            free_program(last);
            programs->v.n--;
            return NULL;
        }
        *row = (uint32_t)programs->v.n;
    }
    struct gmon_program *p = &programs->v.v[*row - 1];
    if (name_program(p, id))
        return p;
    err_nomem(err);
    return NULL;
}

/* ARCHIVE/NAME */
static bool qualify(struct gmon_program *p)
{
    char *name;
    if (!p->archive)
        return true;
    if (asprintf(&name, "%s/%s", p->archive, p->name) < 0)
        return false;
    free(p->name);
    p->exe.name = p->name = name;
    free(p->archive);
    p->archive = NULL;
    return true;
}

static int by_name(const void *a, const void *b)
{
    const struct gmon_program *x = *(struct gmon_program *const *)a;
    const struct gmon_program *y = *(struct gmon_program *const *)b;
    return strcmp(x->name, y->name);
}

/* Qualifies those whose neighbours have their name, or refuses them. */
static bool settle_names(struct gmon_program **v, size_t n, bool again,
                         struct err *err)
{
    if (n)
        qsort(v, n, sizeof(struct gmon_program *), by_name);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && by_name(&v[i], &v[end]) == 0;)
            end++;
        if (again && end > i + 1)
            return err_set(err, ERR_INPUT,
                           "two programs, neither with a build id, are both "
                           "called %s: a profile cannot keep them apart",
                           v[i]->name);
        for (size_t k = end; end > i + 1 && k-- > i;)
            if (!qualify(v[k]))
                return err_nomem(err);
    }
    return true;
}

bool gmon_programs_settle(struct gmon_programs *programs, struct err *err)
{
    struct gmon_program **v =
        mem_array(programs->v.n, sizeof(struct gmon_program *));
    size_t n = 0;
    for (size_t i = 0; v && i < programs->v.n; i++)
        if (!*programs->v.v[i].exe.build_id)
            v[n++] = &programs->v.v[i];
    bool ok = (v || err_nomem(err)) && settle_names(v, n, false, err) &&
              settle_names(v, n, true, err);
    free(v);
    return ok;
}

void gmon_programs_free(struct gmon_programs *programs)
{
    for (size_t i = 0; i < programs->v.n; i++)
        free_program(&programs->v.v[i]);
    vec_free(&programs->v);
    vec_free(&programs->rows);
}
