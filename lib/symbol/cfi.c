/*
 * cfi.c - reads call frame information
 *
 * libdw executes the instructions for an address and hands out expressions.
 * Nearly all of these are one of three shapes, which become rules that are
 * applied at once.  The rows of addresses that were asked for are kept: samples
 * have few addresses and ask for each of them very often.
 */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "symbol/elfutils.h"
#include "symbol/private.h"

enum {
    ROWS_MAX = 1 << 20, /* that are kept */
    OPS_MAX = 256,      /* of an expression; compilers write about ten */
};

/*
 * libdw takes microseconds for an address, unless a file is made to keep it
 * busy: with a register of a very high number, for which it makes room in GB,
 * or with MB of instructions for each address.  A file that takes this long in
 * all, and so long for each address, is not asked again.
 */
static const uint64_t patience = 2000000000, patience_each = 1000000; /* ns */

/* --- opening -------------------------------------------------------------- */

/*
 * Opens .debug_frame, which Go's linker and some compilers write instead of
 * .eh_frame.  libdw decompresses all sections that it knows of when it opens a
 * file, so the others are hidden from it; the file itself is not written to.
 */
static bool open_debug_frame(struct cfi *c, const struct sym_image *im,
                             struct err *err)
{
    GElf_Shdr sh;
    if (!im->path || c->debug || !sym_section(im->elf, ".debug_frame", &sh) ||
        sh.sh_type == SHT_NOBITS)
        return true;
    size_t names;
    if (eu.elf_getshdrstrndx(im->elf, &names) != 0)
        return true;
    for (Elf_Scn *scn = NULL; (scn = eu.elf_nextscn(im->elf, scn));) {
        const char *name = eu.gelf_getshdr(scn, &sh)
                               ? eu.elf_strptr(im->elf, names, sh.sh_name)
                               : NULL;
        if (!name || strncmp(name, ".debug_", 7) != 0 ||
            strcmp(name, ".debug_frame") == 0)
            continue;
        sh.sh_type = SHT_NOBITS;
        (void)eu.gelf_update_shdr(scn, &sh);
    }
    c->dwarf = dw.dwarf_begin_elf(im->elf, DWARF_C_READ, NULL);
    c->debug = c->dwarf ? dw.dwarf_getcfi(c->dwarf) : NULL;
    if (!c->debug && c->dwarf) {
        (void)dw.dwarf_end(c->dwarf);
        c->dwarf = NULL;
    }
    return err_check_errno(err);
}

bool cfi_open(struct cfi *c, const struct sym_files *files, struct err *err)
{
    if (!libdw_load(err))
        return false;
    errno = 0;
    c->seed = mix_seed();
    c->elf = files->image.elf;
    c->machine = files->image.machine;
    c->frame_reg = files->image.machine == EM_X86_64 ? 6
                   : files->image.machine == EM_386  ? 5
                                                     : -1;
    c->eh = dw.dwarf_getcfi_elf(files->image.elf);
    return err_check_errno(err) && open_debug_frame(c, &files->image, err) &&
           open_debug_frame(c, &files->debug, err);
}

static void clear_rows(struct cfi *c)
{
    c->rows.n = c->rules.n = c->ops.n = 0;
    hashidx_clear(&c->index);
}

void cfi_close(struct cfi *c)
{
    if (c->eh)
        (void)dw.dwarf_cfi_end(c->eh);
    if (c->dwarf)
        (void)dw.dwarf_end(c->dwarf);
    vec_free(&c->rows);
    vec_free(&c->rules);
    vec_free(&c->ops);
    hashidx_free(&c->index);
    memset(c, 0, sizeof *c);
}

/* --- rules ---------------------------------------------------------------- */

static bool keep_ops(struct cfi *c, const Dwarf_Op *op, size_t n,
                     struct cfi_rule *r, struct err *err)
{
    if (n > OPS_MAX) {
        r->how = CFI_UNSUPPORTED;
        return true;
    }
    if (!vec_reserve(&c->ops, n))
        return err_nomem(err);
    r->value = c->ops.n;
    r->n_ops = (uint16_t)n;
    memcpy(c->ops.v + c->ops.n, op, n * sizeof *op);
    c->ops.n += n;
    return true;
}

/* The register that a single operation adds a number to, or -1. */
static int base_of(const Dwarf_Op *op, uint64_t *offset)
{
    if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
        *offset = op->number;
        return op->atom - DW_OP_breg0;
    }
    *offset = op->number2;
    return op->atom == DW_OP_bregx && op->number < CFI_REGS ? (int)op->number
                                                            : -1;
}

/* The register that a single operation names, or -1. */
static int register_of(const Dwarf_Op *op)
{
    if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
        return op->atom - DW_OP_reg0;
    return op->atom == DW_OP_regx && op->number < CFI_REGS ? (int)op->number
                                                           : -1;
}

static bool set_cfa(struct cfi *c, Dwarf_Frame *frame, struct cfi_rule *r,
                    struct err *err)
{
    Dwarf_Op *op;
    size_t n;
    *r = (struct cfi_rule){.how = CFI_UNSUPPORTED};
    if (dw.dwarf_frame_cfa(frame, &op, &n) != 0 || !n)
        return true;
    int base = n == 1 ? base_of(op, &r->value) : -1;
    if (base >= 0) {
        r->how = CFI_REGISTER;
        r->from = (uint8_t)base;
        return true;
    }
    r->how = CFI_EXPR;
    return keep_ops(c, op, n, r, err);
}

/* Sets the rule of a register from its expression. */
static bool set_rule(struct cfi *c, const Dwarf_Op *op, size_t n,
                     struct cfi_rule *r, struct err *err)
{
    int from = n == 1 ? register_of(op) : -1;
    bool is_value = n && op[n - 1].atom == DW_OP_stack_value;
    if (from >= 0) {
        r->how = CFI_REGISTER;
        r->from = (uint8_t)from;
        return true;
    }
    if (is_value)
        n--;
    if (n && n <= 2 && op[0].atom == DW_OP_call_frame_cfa &&
        (n == 1 || op[1].atom == DW_OP_plus_uconst)) {
        r->how = is_value ? CFI_CFA : CFI_AT_CFA;
        r->value = n == 2 ? op[1].number : 0;
        return true;
    }
    r->how = is_value ? CFI_EXPR : CFI_AT_EXPR;
    return keep_ops(c, op, n, r, err);
}

/*
 * Whether the stack ends where this register is undefined.  Other registers
 * without a rule are undefined, too, but mostly have kept their values.
 */
static bool ends_stack(const struct cfi *c, const struct cfi_row *row, int reg)
{
    return reg == row->return_reg || reg == c->frame_reg;
}

/* Appends the rule of a register unless it keeps its value. */
static bool add_rule(struct cfi *c, const struct cfi_row *row,
                     Dwarf_Frame *frame, int reg, struct err *err)
{
    Dwarf_Op memory[3], *op;
    size_t n;
    struct cfi_rule r = {.reg = (uint8_t)reg, .how = CFI_UNDEFINED};
    if (dw.dwarf_frame_register(frame, reg, memory, &op, &n) != 0)
        r.how = CFI_UNSUPPORTED;
    else if (!n && (op != memory || !ends_stack(c, row, reg)))
        return true;
    else if (n && !set_rule(c, op, n, &r, err))
        return false;
    return vec_push(&c->rules, r) || err_nomem(err);
}

static bool make_row(struct cfi *c, Dwarf_Frame *frame, struct cfi_row *row,
                     struct err *err)
{
    Dwarf_Addr start, end;
    bool signal;
    int reg = dw.dwarf_frame_info(frame, &start, &end, &signal);
    if (reg < 0 || reg >= CFI_REGS)
        return true;
    row->found = true;
    row->signal = signal;
    row->return_reg = (uint8_t)reg;
    row->first = (uint32_t)c->rules.n;
    if (!set_cfa(c, frame, &row->cfa, err))
        return false;
    for (int i = 0; i < CFI_REGS; i++)
        if (!add_rule(c, row, frame, i, err))
            return false;
    row->n = (uint32_t)c->rules.n - row->first;
    return true;
}

/*
 * Procedure linkage tables: lld describes them on no machine, GNU ld not on
 * AArch64.  An entry jumps to the function or, before the first call, pushes
 * its number and jumps to the header of .plt, which pushes another word.
 */

/* The section of the table that has the address; *in_plt: it is .plt. */
static bool find_plt(const struct cfi *c, uint64_t vaddr, uint64_t *offset,
                     bool *in_plt)
{
    static const char *const names[] = {".plt", ".plt.sec", ".plt.got",
                                        ".iplt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        GElf_Shdr sh;
        if (!sym_section(c->elf, names[i], &sh) || vaddr < sh.sh_addr ||
            vaddr - sh.sh_addr >= sh.sh_size)
            continue;
        *offset = vaddr - sh.sh_addr;
        *in_plt = i == 0;
        return true;
    }
    return false;
}

/* How many words have been pushed since the call. */
static unsigned pushed_by_plt(uint64_t offset, bool in_plt)
{
    enum { ENTRY = 16, SECOND_PUSH = 6, LAST_JUMP = 11 };
    if (!in_plt)
        return 0;
    if (offset < ENTRY)
        return offset < SECOND_PUSH ? 1 : 2;
    return offset % ENTRY >= LAST_JUMP;
}

static bool make_plt_row(struct cfi *c, struct cfi_row *row, struct err *err)
{
    uint64_t offset;
    bool in_plt;
    if (!find_plt(c, row->vaddr, &offset, &in_plt))
        return true;
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
    const uint64_t word = machine == EM_386 ? 4 : 8;
    row->return_reg = machine == EM_386 ? 8 : 16;
    row->cfa.from = machine == EM_386 ? 4 : 7;
    row->cfa.value = word * (1 + pushed_by_plt(offset, in_plt));
    const struct cfi_rule r = {
        .reg = row->return_reg, .how = CFI_AT_CFA, .value = -word};
    row->n = 1;
    return vec_push(&c->rules, r) || err_nomem(err);
}

/* Returns the processor time of the thread in ns: files may be slow to read. */
static uint64_t now(void)
{
    struct timespec t;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) != 0)
        return 0;
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Asks libdw for the frame of an address; null: there is none. */
static Dwarf_Frame *ask(struct cfi *c, uint64_t vaddr)
{
    Dwarf_Frame *frame = NULL;
    c->gave_up |= c->nanos > patience + c->asked * patience_each;
    if (c->gave_up)
        return NULL;
    const uint64_t begin = now();
    if (!c->eh || dw.dwarf_cfi_addrframe(c->eh, vaddr, &frame) != 0)
        frame = NULL;
    if (!frame && c->debug &&
        dw.dwarf_cfi_addrframe(c->debug, vaddr, &frame) != 0)
        frame = NULL;
    c->nanos += now() - begin;
    c->asked++;
    return frame;
}

/* Reads the row of an address from libdw. */
static bool read_row(struct cfi *c, uint64_t vaddr, struct cfi_row *row,
                     struct err *err)
{
    *row = (struct cfi_row){.vaddr = vaddr};
    errno = 0;
    Dwarf_Frame *frame = ask(c, vaddr);
    if (!frame)
        return err_check_errno(err) && make_plt_row(c, row, err);
    bool ok = make_row(c, frame, row, err);
    free(frame);
    return ok;
}

bool cfi_find(struct cfi *c, uint64_t vaddr, const struct cfi_row **row,
              struct err *err)
{
    if (c->rows.n >= ROWS_MAX)
        clear_rows(c);
    if (!hashidx_room(&c->index))
        return err_nomem(err);
    uint32_t i, hash = mix_fold(mix_pair(c->seed, vaddr, c->seed));
    size_t at = hashidx_start(&c->index, hash);
    while ((i = hashidx_next(&c->index, hash, &at)) != HASHIDX_NONE) {
        *row = &c->rows.v[i];
        if ((*row)->vaddr == vaddr)
            return true;
    }
    struct cfi_row new;
    if (!read_row(c, vaddr, &new, err))
        return false;
    if (!vec_push(&c->rows, new))
        return err_nomem(err);
    hashidx_put(&c->index, at, hash, (uint32_t)c->rows.n - 1);
    *row = &c->rows.v[c->rows.n - 1];
    return true;
}
