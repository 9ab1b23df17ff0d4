/*
 * cfi_read.c - entries of call frame information, and their instructions
 *
 * A section has entries of two kinds: a CIE, with what functions have in
 * common, and an FDE for each function, which refers to its CIE.  Both have
 * instructions, which are executed up to an address: DWARF 5, section 6.4.2;
 * for .eh_frame, Linux Standard Base, chapter 10.6.
 *
 * No number in a section makes this allocate memory or loop: registers that the
 * machine does not have are ignored, and remembered states have a limit.
 */
#include <dwarf.h>
#include <string.h>

#include "base/bytes.h"
#include "base/sort.h"
#include "symbolize/private.h"

enum {
    AUGMENTATION_MAX = 16, /* letters; compilers write up to 5 */
    STATES_MAX = 16,       /* remembered at once; compilers use 2 */
    OPS_MAX = 64,          /* in an expression; compilers use about ten */
    STATE_WORK = 64,       /* cost of copying a state, in instructions */
    OP_WORK = 256,         /* cost of keeping an operation, in instructions */
};

/* --- bytes ---------------------------------------------------------------- */

struct cursor {
    const struct cfi_section *s;
    const uint8_t *at, *end;
    bool bad; /* invalid data was read; reads now give 0 */
};

static const uint8_t *take_bytes(struct cursor *c, uint64_t n)
{
    const uint8_t *at = c->at;
    c->bad |= n > (uint64_t)(c->end - at);
    if (c->bad)
        return NULL;
    c->at += n;
    return at;
}

static uint64_t take_number(struct cursor *c, unsigned size)
{
    const uint8_t *v = take_bytes(c, size);
    return v ? bytes_number(v, size, c->s->big) : 0;
}

static int64_t take_signed(struct cursor *c, unsigned size)
{
    const uint64_t v = take_number(c, size),
                   sign = (uint64_t)1 << (8 * size - 1);
    return (int64_t)((v ^ sign) - sign);
}

/* Reads a LEB128 number of at most 10 bytes. */
static uint64_t take_leb(struct cursor *c, bool is_signed)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        const uint8_t *at = take_bytes(c, 1);
        if (!at)
            return 0;
        if (shift < 64)
            v |= (uint64_t)(*at & 0x7f) << shift;
        if (*at & 0x80)
            continue;
        if (is_signed && *at & 0x40 && shift + 7 < 64)
            v |= UINT64_MAX << (shift + 7);
        return v;
    }
    c->bad = true;
    return 0;
}

static uint64_t take_uleb(struct cursor *c)
{
    return take_leb(c, false);
}

/* Reads an encoded pointer (DW_EH_PE_); adds its base only if `relative`. */
static uint64_t take_pointer(struct cursor *c, unsigned encoding, bool relative)
{
    const uint64_t here = c->s->vaddr + (uint64_t)(c->at - c->s->v);
    uint64_t v = 0;
    switch (encoding & 0x0f) {
    case DW_EH_PE_absptr:
        v = take_number(c, c->s->word);
        break;
    case DW_EH_PE_uleb128:
    case DW_EH_PE_sleb128:
        v = take_leb(c, encoding & DW_EH_PE_signed);
        break;
    case DW_EH_PE_udata2:
    case DW_EH_PE_udata4:
    case DW_EH_PE_udata8:
        v = take_number(c, 1u << ((encoding & 0x0f) - 1));
        break;
    case DW_EH_PE_sdata2:
    case DW_EH_PE_sdata4:
    case DW_EH_PE_sdata8:
        v = (uint64_t)take_signed(c, 1u << ((encoding & 0x07) - 1));
        break;
    default:
        c->bad = true;
    }
    if (relative && (encoding & 0xf0) == DW_EH_PE_pcrel)
        v += here;
    else if (relative && encoding & 0xf0)
        c->bad = true;
    return c->s->word == 4 ? (uint32_t)v : v;
}

/* --- entries -------------------------------------------------------------- */

struct entry {
    struct cursor body; /* the fields after its id */
    size_t cie;         /* offset of its CIE */
    size_t next;        /* offset of the next entry */
    bool is_cie;
};

/* Reads the header of an entry.  Returns false if there is none. */
static bool read_entry(const struct cfi_section *s, size_t at, struct entry *e)
{
    struct cursor c = {s, s->v + at, s->v + s->n, false};
    uint64_t length = take_number(&c, 4);
    const bool is_64 = length == UINT32_MAX;
    if (is_64)
        length = take_number(&c, 8);
    const uint8_t *start = take_bytes(&c, length);
    if (!start)
        return false;
    e->next = (size_t)(c.at - s->v);
    e->body = (struct cursor){s, start, c.at, false};
    if (!length) { /* ends the entries of an object file */
        e->is_cie = true;
        return true;
    }
    const unsigned size = is_64 && !s->is_eh ? 8 : 4;
    const uint64_t id = take_number(&e->body, size);
    const uint64_t none = s->is_eh ? 0 : is_64 ? UINT64_MAX : UINT32_MAX;
    e->is_cie = id == none || e->body.bad;
    e->cie = (size_t)(s->is_eh ? (uint64_t)(start - s->v) - id : id);
    return true;
}

struct cie {
    size_t at;             /* offset + 1; 0: not read */
    struct cursor program; /* its instructions; bad: the CIE is not usable */
    uint64_t code_align, return_reg;
    int64_t data_align;
    unsigned encoding; /* of addresses */
    bool has_data;     /* FDEs have augmentation data */
    bool signal;
};

static void read_augmentation(struct cursor *c, const uint8_t *letter,
                              struct cie *cie)
{
    for (; *letter && !c->bad; letter++)
        switch (*letter) {
        case 'R':
            cie->encoding = (unsigned)take_number(c, 1);
            break;
        case 'P':
            (void)take_pointer(c, (unsigned)take_number(c, 1) & 0x0f, false);
            break;
        case 'L':
            (void)take_number(c, 1);
            break;
        case 'S':
            cie->signal = true;
            break;
        default: /* 'B': pointers are signed; other letters are unknown */
            break;
        }
}

/* Reads the CIE at an offset, unless *cie already has it. */
static void read_cie(const struct cfi_section *s, size_t at, struct cie *cie)
{
    struct entry e;
    if (cie->at == at + 1)
        return;
    *cie = (struct cie){.at = at + 1, .program.bad = true};
    if (at >= s->n || !read_entry(s, at, &e) || !e.is_cie)
        return;
    struct cursor *c = &e.body;
    const uint64_t version = take_number(c, 1);
    if (version < 1 || version > 4)
        return;
    const size_t left = (size_t)(c->end - c->at);
    const uint8_t *letters = c->at;
    const uint8_t *nul =
        memchr(letters, 0, left < AUGMENTATION_MAX ? left : AUGMENTATION_MAX);
    if (!nul || (*letters && *letters != 'z'))
        return;
    (void)take_bytes(c, (uint64_t)(nul - letters) + 1);
    if (version >= 4 &&
        (take_number(c, 1) != s->word || take_number(c, 1) != 0))
        return;
    cie->code_align = take_uleb(c);
    cie->data_align = (int64_t)take_leb(c, true);
    cie->return_reg = version == 1 ? take_number(c, 1) : take_uleb(c);
    cie->has_data = *letters == 'z';
    if (cie->has_data) {
        const uint64_t n = take_uleb(c);
        struct cursor data = *c;
        if (take_bytes(c, n)) {
            data.end = c->at;
            read_augmentation(&data, letters + 1, cie);
        }
        c->bad |= data.bad;
    }
    cie->program = *c;
    cie->program.bad |= cie->return_reg >= CFI_REGS;
}

/* Reads the fields of an FDE before its instructions; false: invalid. */
static bool read_fde(struct entry *e, const struct cie *cie,
                     struct cfi_range *range)
{
    struct cursor *c = &e->body;
    range->lo = take_pointer(c, cie->encoding, true);
    const uint64_t size = take_pointer(c, cie->encoding, false);
    if (cie->has_data)
        (void)take_bytes(c, take_uleb(c));
    range->hi = range->lo + size;
    return !c->bad && !cie->program.bad && range->lo < range->hi;
}

bool cfi_section_read(struct cfi_section *s, struct prof_err *err)
{
    struct cie cie = {0};
    struct entry e;
    if (s->n > UINT32_MAX)
        s->n = UINT32_MAX;
    for (size_t at = 0; at < s->n && read_entry(s, at, &e); at = e.next) {
        struct cfi_range range = {.at = (uint32_t)at};
        if (s->in_segment && e.next - at == 4)
            break; /* the section ends here */
        if (e.is_cie)
            continue;
        read_cie(s, e.cie, &cie);
        if (!read_fde(&e, &cie, &range) || !range.lo)
            continue;
        if (!vec_push(&s->ranges, range))
            return err_nomem(err);
    }
    return vec_sort_rows(&s->ranges) || err_nomem(err);
}

bool cfi_header_read(const struct cfi_section *s, uint64_t *vaddr)
{
    struct cursor c = {s, s->v, s->v + s->n, false};
    const bool known = take_number(&c, 1) == 1;
    const unsigned encoding = (unsigned)take_number(&c, 1);
    (void)take_bytes(&c, 2); /* encodings of the fields after the pointer */
    *vaddr = take_pointer(&c, encoding, true);
    return known && !c.bad;
}

/* --- expressions ---------------------------------------------------------- */

/* Reads an operation and its operands.  Sets c->bad if it is not supported. */
static void take_op(struct cursor *c, struct cfi_op *op)
{
    const unsigned atom = (unsigned)take_number(c, 1);
    *op = (struct cfi_op){.atom = (uint8_t)atom};
    if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
        op->number = take_leb(c, true);
    else if (atom >= DW_OP_const1u && atom <= DW_OP_const8s) {
        const unsigned size = 1u << (atom - DW_OP_const1u) / 2;
        op->number = (atom - DW_OP_const1u) % 2 ? (uint64_t)take_signed(c, size)
                                                : take_number(c, size);
    } else if (atom == DW_OP_constu || atom == DW_OP_plus_uconst)
        op->number = take_uleb(c);
    else if (atom == DW_OP_consts)
        op->number = take_leb(c, true);
    else if (atom == DW_OP_pick || atom == DW_OP_deref_size)
        op->number = take_number(c, 1);
    else if (atom == DW_OP_bregx) {
        op->number = take_uleb(c);
        op->number2 = take_leb(c, true);
    } else
        c->bad |= atom == DW_OP_addr || atom == DW_OP_bra ||
                  atom == DW_OP_skip || atom > DW_OP_call_frame_cfa ||
                  (atom >= DW_OP_regx && atom < DW_OP_nop);
}

/* --- instructions --------------------------------------------------------- */

struct rules {
    struct cfi_rule cfa, of[CFI_REGS];
    uint64_t offset; /* of the CFA; kept while an expression defines it */
};

/* The state of execution. */
struct run {
    struct cfi *cfi;
    const struct cie *cie;
    struct rules now, initial, saved[STATES_MAX];
    size_t n_saved;
    uint64_t at, vaddr; /* the rules hold from `at` on; `vaddr` is wanted */
};

static void set_rule(struct run *r, uint64_t reg, unsigned how, uint64_t value)
{
    if (reg < CFI_REGS)
        r->now.of[reg] = (struct cfi_rule){
            .reg = (uint8_t)reg, .how = (uint8_t)how, .value = value};
}

/* Reads a block with an expression; the rule refers to it by offset. */
static void set_expression(struct cursor *c, struct cfi_rule *rule,
                           unsigned how)
{
    const uint8_t *at = c->at;
    (void)take_bytes(c, take_uleb(c));
    if (rule)
        *rule = (struct cfi_rule){.reg = rule->reg,
                                  .how = (uint8_t)how,
                                  .value = (uint64_t)(at - c->s->v)};
}

static void set_cfa(struct run *r, uint64_t reg, uint64_t offset)
{
    r->now.cfa = (struct cfi_rule){.how = reg < CFI_REGS ? CFI_REGISTER
                                                         : CFI_UNSUPPORTED,
                                   .from = (uint8_t)reg,
                                   .value = offset};
    r->now.offset = offset;
}

static void set_cfa_offset(struct run *r, uint64_t offset)
{
    r->now.offset = offset;
    if (r->now.cfa.how != CFI_EXPR)
        r->now.cfa.value = offset;
}

static void restore(struct run *r, uint64_t reg)
{
    if (reg < CFI_REGS)
        r->now.of[reg] = r->initial.of[reg];
}

static void advance(struct run *r, uint64_t n)
{
    r->at += n * r->cie->code_align;
}

/* Executes an instruction on the CFA or the address; false for others. */
static bool execute_cfa(struct run *r, struct cursor *c, unsigned code)
{
    const uint64_t align = (uint64_t)r->cie->data_align;
    uint64_t reg;
    switch (code) {
    case DW_CFA_set_loc:
        r->at = take_pointer(c, r->cie->encoding, true);
        return true;
    case DW_CFA_advance_loc1:
    case DW_CFA_advance_loc2:
    case DW_CFA_advance_loc4:
        advance(r, take_number(c, 1u << (code - DW_CFA_advance_loc1)));
        return true;
    case DW_CFA_MIPS_advance_loc8:
        advance(r, take_number(c, 8));
        return true;
    case DW_CFA_def_cfa:
    case DW_CFA_def_cfa_sf:
        reg = take_uleb(c);
        set_cfa(r, reg,
                code == DW_CFA_def_cfa ? take_uleb(c)
                                       : take_leb(c, true) * align);
        return true;
    case DW_CFA_def_cfa_register:
        set_cfa(r, take_uleb(c), r->now.offset);
        return true;
    case DW_CFA_def_cfa_offset:
        set_cfa_offset(r, take_uleb(c));
        return true;
    case DW_CFA_def_cfa_offset_sf:
        set_cfa_offset(r, take_leb(c, true) * align);
        return true;
    case DW_CFA_def_cfa_expression:
        set_expression(c, &r->now.cfa, CFI_EXPR);
        return true;
    default:
        return false;
    }
}

static void execute_register(struct run *r, struct cursor *c, unsigned code)
{
    const uint64_t align = (uint64_t)r->cie->data_align, reg = take_uleb(c);
    switch (code) {
    case DW_CFA_offset_extended:
        set_rule(r, reg, CFI_AT_CFA, take_uleb(c) * align);
        break;
    case DW_CFA_offset_extended_sf:
        set_rule(r, reg, CFI_AT_CFA, take_leb(c, true) * align);
        break;
    case DW_CFA_GNU_negative_offset_extended:
        set_rule(r, reg, CFI_AT_CFA, -(take_uleb(c) * align));
        break;
    case DW_CFA_val_offset:
        set_rule(r, reg, CFI_CFA, take_uleb(c) * align);
        break;
    case DW_CFA_val_offset_sf:
        set_rule(r, reg, CFI_CFA, take_leb(c, true) * align);
        break;
    case DW_CFA_restore_extended:
        restore(r, reg);
        break;
    case DW_CFA_undefined:
        set_rule(r, reg, CFI_UNDEFINED, 0);
        break;
    case DW_CFA_same_value:
        set_rule(r, reg, CFI_SAME, 0);
        break;
    case DW_CFA_register: {
        const uint64_t from = take_uleb(c);
        set_rule(r, reg, from < CFI_REGS ? CFI_REGISTER : CFI_UNSUPPORTED, 0);
        if (reg < CFI_REGS && from < CFI_REGS)
            r->now.of[reg].from = (uint8_t)from;
        break;
    }
    case DW_CFA_expression:
    case DW_CFA_val_expression:
        set_rule(r, reg, CFI_UNSUPPORTED, 0);
        set_expression(c, reg < CFI_REGS ? &r->now.of[reg] : NULL,
                       code == DW_CFA_expression ? CFI_AT_EXPR : CFI_EXPR);
        break;
    default:
        c->bad = true;
    }
}

static void execute_one(struct run *r, struct cursor *c)
{
    const unsigned code = (unsigned)take_number(c, 1), low = code & 0x3f;
    switch (code & 0xc0) {
    case DW_CFA_advance_loc:
        advance(r, low);
        return;
    case DW_CFA_offset:
        set_rule(r, low, CFI_AT_CFA,
                 take_uleb(c) * (uint64_t)r->cie->data_align);
        return;
    case DW_CFA_restore:
        restore(r, low);
        return;
    default:
        break;
    }
    switch (code) {
    case DW_CFA_nop:
    case DW_CFA_GNU_window_save: /* AArch64: return addresses are signed */
        return;
    case DW_CFA_remember_state:
        r->cfi->work += STATE_WORK;
        c->bad |= r->n_saved == STATES_MAX;
        if (!c->bad)
            r->saved[r->n_saved++] = r->now;
        return;
    case DW_CFA_restore_state:
        r->cfi->work += STATE_WORK;
        c->bad |= !r->n_saved;
        if (!c->bad)
            r->now = r->saved[--r->n_saved];
        return;
    case DW_CFA_GNU_args_size:
        (void)take_uleb(c);
        return;
    default:
        if (!execute_cfa(r, c, code))
            execute_register(r, c, code);
    }
}

/* Executes instructions up to r->vaddr; false if they are invalid. */
static bool execute(struct run *r, struct cursor c)
{
    const uint8_t *start = c.at;
    while (c.at < c.end && !c.bad) {
        execute_one(r, &c);
        if (r->at > r->vaddr)
            break;
    }
    r->cfi->work += (uint64_t)(c.at - start);
    return !c.bad;
}

/* --- rows ----------------------------------------------------------------- */

/* Replaces the offset of an expression by its operations, in c->ops. */
static bool keep_ops(struct cfi *c, const struct cfi_section *s, bool is_cfa,
                     struct cfi_rule *rule, struct prof_err *err)
{
    struct cursor at = {s, s->v + rule->value, s->v + s->n, false};
    const size_t n = (size_t)take_uleb(&at), first = c->ops.n;
    struct cfi_op op = {.atom = DW_OP_call_frame_cfa};
    /* The expression of a register begins with the CFA. */
    if (!is_cfa && !vec_push(&c->ops, op))
        return err_nomem(err);
    at.end = at.at + n;
    while (at.at < at.end && !at.bad && c->ops.n - first < OPS_MAX) {
        take_op(&at, &op);
        if (!vec_push(&c->ops, op))
            return err_nomem(err);
    }
    c->work += OP_WORK * (c->ops.n - first);
    if (at.bad || at.at < at.end) {
        rule->how = CFI_UNSUPPORTED;
        c->ops.n = first;
        return true;
    }
    rule->value = first;
    rule->n_ops = (uint16_t)(c->ops.n - first);
    return true;
}

static bool is_expression(const struct cfi_rule *rule)
{
    return rule->how == CFI_EXPR || rule->how == CFI_AT_EXPR;
}

static bool set_row(const struct run *r, const struct cfi_section *s,
                    struct cfi_row *row, struct prof_err *err)
{
    struct cfi *c = r->cfi;
    row->found = true;
    row->signal = r->cie->signal;
    row->return_reg = (uint8_t)r->cie->return_reg;
    row->first = (uint32_t)c->rules.n;
    row->cfa = r->now.cfa;
    if (row->cfa.how == CFI_DEFAULT)
        row->cfa.how = CFI_UNSUPPORTED;
    if (is_expression(&row->cfa) && !keep_ops(c, s, true, &row->cfa, err))
        return false;
    /*
     * Keep the rules of registers whose value changes.  Most undefined
     * registers keep their value, too; but if the return address or the frame
     * pointer is undefined, the stack ends.  On x86, the return address is
     * undefined unless it has a rule.
     */
    for (int i = 0; i < CFI_REGS; i++) {
        struct cfi_rule rule = r->now.of[i];
        const bool is_return = i == row->return_reg;
        if (rule.how == CFI_DEFAULT && is_return && c->frame_reg >= 0)
            rule = (struct cfi_rule){.reg = (uint8_t)i, .how = CFI_UNDEFINED};
        if (rule.how == CFI_DEFAULT || rule.how == CFI_SAME ||
            (rule.how == CFI_UNDEFINED && !is_return && i != c->frame_reg))
            continue;
        if (is_expression(&rule) && !keep_ops(c, s, false, &rule, err))
            return false;
        if (!vec_push(&c->rules, rule))
            return err_nomem(err);
    }
    row->n = (uint32_t)c->rules.n - row->first;
    return true;
}

bool cfi_section_row(struct cfi *c, const struct cfi_section *s,
                     struct cfi_row *row, struct prof_err *err)
{
    const size_t n =
        sorted_upto(s->ranges.v, s->ranges.n, sizeof *s->ranges.v, row->vaddr);
    const struct cfi_range *range = n ? &s->ranges.v[n - 1] : NULL;
    struct cie cie = {0};
    struct cfi_range same;
    struct entry e;
    struct run r;
    if (!range || row->vaddr >= range->hi || !read_entry(s, range->at, &e))
        return true;
    read_cie(s, e.cie, &cie);
    if (!read_fde(&e, &cie, &same))
        return true;
    r.cfi = c;
    r.cie = &cie;
    r.n_saved = 0;
    r.at = range->lo;
    r.vaddr = row->vaddr;
    memset(&r.now, 0, sizeof r.now);
    r.initial = r.now;
    bool ok = execute(&r, cie.program);
    r.initial = r.now;
    ok = ok && execute(&r, e.body);
    c->damaged |= !ok;
    return !ok || set_row(&r, s, row, err);
}
