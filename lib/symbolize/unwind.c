/* unwind.c - call stacks from registers and a copy of the stack */
#include "symbolize/unwind.h"

#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/map.h"
#include "symbolize/elfutils.h"
#include "symbolize/private.h"

/* --- machines ------------------------------------------------------------ */

enum {
    NONE = 0xff,         /* DWARF has no such register */
    PERF_REGS = 33,      /* most registers that perf may record */
    EXPR_MAX = 64,       /* values on the stack of an expression */
    GUESS_MAX = 0x4000,  /* bytes from the stack to the frame pointer */
    MODULES_OPEN = 128,  /* at once; each has up to three files */
    PLACES_BITS = 12,    /* log2 of the number of cached places */
    FRAME_MAX = 1 << 23, /* bytes: the default size of a whole stack */
    FRAMES_SPARE = 128,  /* frames that need no stack of their own */
};

/* Registers have DWARF's numbers; of_perf[i] is that of perf's register i. */
struct machine {
    int number; /* EM_ */
    uint8_t word, sp, fp, pc;
    uint8_t n; /* how many registers of perf there are */
    uint8_t of_perf[PERF_REGS];
};

/* arch/x86/include/uapi/asm/perf_regs.h, arch/arm64/... in Linux */
static const struct machine machines[] = {
    {EM_X86_64, 8, 7, 6, 16, 24, {0,  3,    2,    1,    4,    5,    6,    7,
                                  16, NONE, NONE, NONE, NONE, NONE, NONE, 8,
                                  9,  10,   11,   12,   13,   14,   15}},
    {EM_386, 4, 4, 5, 8, 9, {0, 3, 1, 2, 6, 7, 5, 4, 8}},
    {EM_AARCH64, 8, 31, 29, 32, 33, {0,  1,  2,  3,  4,  5,  6,  7,  8,
                                     9,  10, 11, 12, 13, 14, 15, 16, 17,
                                     18, 19, 20, 21, 22, 23, 24, 25, 26,
                                     27, 28, 29, 30, 31, 32}},
};

/* --- binaries ------------------------------------------------------------ */

enum module_state { MODULE_CLOSED, MODULE_OPEN, MODULE_MISSING };

struct module {
    uint32_t key;
    enum module_state state;
    struct sym_files files;
    struct cfi cfi;
    uint64_t used; /* turn of the last use */
};

/*
 * An entry of the cache of lookups: the row of an address in the mappings
 * `space`.  A new entry replaces an old one.  The row is valid if its module is
 * open and the row still has this vaddr.  The cache saves a search of the
 * mappings and of the modules, a fifth of the work for a long recording.
 */
struct known_place {
    uint64_t address, vaddr;
    uint32_t space, module, row;
};

struct unwinder {
    const char *path;
    const struct prof_notes *notes;
    VEC(struct module) modules;
    struct map index; /* of modules, by key */
    size_t n_open;
    uint64_t turn;
    VEC(uint64_t) frames; /* of the last stack */
    struct known_place places[1 << PLACES_BITS];
};

struct unwinder *unwinder_new(const char *path, const struct prof_notes *notes,
                              struct prof_err *err)
{
    struct unwinder *u = mem_new(sizeof *u, err);
    if (!u)
        return NULL;
    u->path = path;
    u->notes = notes;
    return u;
}

static void close_module(struct unwinder *u, struct module *m)
{
    if (m->state != MODULE_OPEN)
        return;
    if (m->cfi.gave_up)
        note_warn(u->notes,
                  "%s: its call frame information takes too long to read; "
                  "callers may be missing",
                  m->files.image.path);
    else if (m->cfi.damaged)
        note_warn(u->notes,
                  "%s: invalid call frame information; callers may be missing",
                  m->files.image.path);
    cfi_close(&m->cfi);
    sym_files_close(&m->files);
    m->state = MODULE_CLOSED;
    u->n_open--;
}

void unwinder_free(struct unwinder *u)
{
    if (!u)
        return;
    for (size_t i = 0; i < u->modules.n; i++)
        close_module(u, &u->modules.v[i]);
    vec_free(&u->modules);
    vec_free(&u->frames);
    map_free(&u->index);
    free(u);
}

/* Opens the binary of a mapping, if it can be found and used. */
static bool open_module(struct unwinder *u, struct module *m,
                        const struct unwind_mapping *from, struct prof_err *err)
{
    bool is_vdso = *from->build_id && strcmp(from->file, "[vdso]") == 0;
    m->state = MODULE_MISSING;
    if (!is_vdso && (!*from->file || sym_has_no_file(from->file) ||
                     sym_source_of(from->file, from->start) != SYM_FILE))
        return true;

    /* If too many are open, close the one that was not used for longest. */
    struct module *oldest = NULL;
    for (size_t i = 0; u->n_open >= MODULES_OPEN && i < u->modules.n; i++) {
        struct module *other = &u->modules.v[i];
        if (other->state == MODULE_OPEN &&
            (!oldest || other->used < oldest->used))
            oldest = other;
    }
    if (oldest)
        close_module(u, oldest);

    struct sym_wanted wanted = {.file = from->binary,
                                .build_id = from->build_id,
                                .path = u->path,
                                .named_only = true};
    struct prof_err why;
    enum sym_found found = SYM_NOT_FOUND;
    if (from->binary)
        found = sym_find(&m->files, &wanted, &why);
    if (found == SYM_NOT_FOUND) {
        wanted.file = from->file;
        wanted.named_only = false;
        wanted.notes = u->notes;
        found = sym_find(&m->files, &wanted, &why);
    }
    switch (found) {
    case SYM_FOUND:
        m->state = MODULE_OPEN;
        u->n_open++;
        return cfi_open(&m->cfi, &m->files, err);
    case SYM_NOT_FOUND:
        note_info(u->notes, "%s: cannot unwind through it: %s", from->file,
                  why.text);
        return true;
    default:
        *err = why;
        return false;
    }
}

/* Sets *module to the module of the mapping, which it opens if possible. */
static bool find_module(struct unwinder *u, const struct unwind_mapping *from,
                        struct module **module, struct prof_err *err)
{
    struct module new = {.key = from->key};
    uint32_t i;
    if (!map_push(&u->index, &u->modules, &from->key, sizeof from->key, &i,
                  new))
        return err_nomem(err);
    *module = &u->modules.v[i];
    (*module)->used = ++u->turn;
    return (*module)->state != MODULE_CLOSED ||
           open_module(u, *module, from, err);
}

/* --- frames -------------------------------------------------------------- */

struct state {
    struct unwinder *u;
    const struct unwind_sample *s;
    const struct machine *machine;
    uint64_t regs[CFI_REGS]; /* by DWARF number: the value of the register */
    uint64_t known;          /* a bit for each that has a value */
    uint64_t bottom;         /* address of s->stack */
    bool has_bottom;
    bool missed; /* this step needed a word that was not recorded */
    struct prof_err *err;
    bool failed;
};

static bool is_known(const struct state *st, unsigned reg)
{
    return st->known >> reg & 1;
}

static void set_reg(struct state *st, unsigned reg, uint64_t value)
{
    st->regs[reg] = st->machine->word == 4 ? (uint32_t)value : value;
    st->known |= (uint64_t)1 << reg;
}

/* Reads a word of the stack; not the last one, so that stacks equal perf's. */
static bool read_word(struct state *st, uint64_t address, unsigned size,
                      uint64_t *value)
{
    const uint64_t at = address - st->bottom, n = st->s->n_stack;
    if (!st->has_bottom)
        return false;
    if (at >= n || n - at <= size) {
        st->missed |= st->s->more && at < n + FRAME_MAX;
        return false;
    }
    *value = bytes_number(st->s->stack + at, size, st->s->is_big);
    return true;
}

/* --- expressions (DWARF 5, section 2.5) ---------------------------------- */

struct expr {
    struct state *st;
    uint64_t cfa;
    uint64_t v[EXPR_MAX];
    size_t n;
};

static bool push(struct expr *e, uint64_t value)
{
    if (e->n == EXPR_MAX)
        return false;
    e->v[e->n++] = value;
    return true;
}

static bool push_reg(struct expr *e, uint64_t reg, uint64_t offset)
{
    return reg < CFI_REGS && is_known(e->st, (unsigned)reg) &&
           push(e, e->st->regs[reg] + offset);
}

/* Returns the result of an operation with two operands; clears *known if it is
 * none. */
static uint64_t calculate(unsigned atom, uint64_t a, uint64_t b, bool *known)
{
    int64_t sa = (int64_t)a, sb = (int64_t)b;
    switch (atom) {
    case DW_OP_and:
        return a & b;
    case DW_OP_or:
        return a | b;
    case DW_OP_xor:
        return a ^ b;
    case DW_OP_plus:
        return a + b;
    case DW_OP_minus:
        return a - b;
    case DW_OP_mul:
        return a * b;
    case DW_OP_shl:
        return b < 64 ? a << b : 0;
    case DW_OP_shr:
        return b < 64 ? a >> b : 0;
    case DW_OP_eq:
        return a == b;
    case DW_OP_ne:
        return a != b;
    case DW_OP_ge:
        return sa >= sb;
    case DW_OP_gt:
        return sa > sb;
    case DW_OP_le:
        return sa <= sb;
    case DW_OP_lt:
        return sa < sb;
    default:
        *known = false;
        return 0;
    }
}

/* Executes an operation; fails for those that no frame information uses. */
static bool execute(struct expr *e, const struct cfi_op *op)
{
    const unsigned word = e->st->machine->word;
    const size_t n = e->n;
    uint64_t *v = e->v;
    bool known = true;
    if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
        return push(e, op->atom - DW_OP_lit0);
    if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
        return push_reg(e, op->atom - DW_OP_breg0, op->number);
    if (op->atom >= DW_OP_const1u && op->atom <= DW_OP_consts)
        return push(e, op->number);
    switch (op->atom) {
    case DW_OP_bregx:
        return push_reg(e, op->number, op->number2);
    case DW_OP_call_frame_cfa:
        return push(e, e->cfa);
    case DW_OP_nop:
        return true;
    case DW_OP_dup:
        return n >= 1 && push(e, v[n - 1]);
    case DW_OP_drop:
        return n >= 1 && (e->n--, true);
    case DW_OP_over:
        return n >= 2 && push(e, v[n - 2]);
    case DW_OP_pick:
        return op->number < n && push(e, v[n - 1 - op->number]);
    case DW_OP_plus_uconst:
        return n >= 1 && (v[n - 1] += op->number, true);
    case DW_OP_deref:
        return n >= 1 && read_word(e->st, v[n - 1], word, &v[n - 1]);
    case DW_OP_deref_size:
        return n >= 1 && op->number >= 1 && op->number <= 8 &&
               read_word(e->st, v[n - 1], (unsigned)op->number, &v[n - 1]);
    default:
        if (n < 2)
            return false;
        v[n - 2] = calculate(op->atom, v[n - 2], v[n - 1], &known);
        e->n--;
        return known;
    }
}

static bool evaluate(struct state *st, const struct cfi *c,
                     const struct cfi_rule *r, uint64_t cfa, uint64_t *value)
{
    struct expr e = {.st = st, .cfa = cfa};
    const struct cfi_op *op = c->ops.v + r->value;
    for (size_t i = 0; i < r->n_ops; i++)
        if (!execute(&e, &op[i]))
            return false;
    if (!e.n)
        return false;
    *value = e.v[e.n - 1];
    return true;
}

/* --- callers ------------------------------------------------------------- */

/* Applies a rule to the callee's registers; false if the value is unknown. */
static bool apply(struct state *st, const struct cfi *c,
                  const struct cfi_rule *r, uint64_t cfa, uint64_t *value)
{
    switch (r->how) {
    case CFI_AT_CFA:
        return read_word(st, cfa + r->value, st->machine->word, value);
    case CFI_CFA:
        *value = cfa + r->value;
        return true;
    case CFI_REGISTER:
        *value = st->regs[r->from] + r->value;
        return is_known(st, r->from);
    case CFI_EXPR:
        return evaluate(st, c, r, cfa, value);
    case CFI_AT_EXPR:
        return evaluate(st, c, r, cfa, value) &&
               read_word(st, *value, st->machine->word, value);
    default:
        return false;
    }
}

/* The call frame information of an address. */
struct place {
    struct cfi *cfi;           /* null: no binary was found */
    const struct cfi_row *row; /* null: the binary has no information */
};

static bool find_place(struct state *st, uint64_t address, struct place *at)
{
    const struct unwind_sample *s = st->s;
    struct unwinder *u = st->u;
    /* The factors spread addresses; collisions only cost time. */
    const uint64_t hash =
        (address + s->space * 0xd6e8feb86659fd93) * 0x9e3779b97f4a7c15;
    struct known_place *known = &u->places[hash >> (64 - PLACES_BITS)];
    struct module *m = NULL;
    *at = (struct place){0};
    if (s->space && known->space == s->space && known->address == address)
        m = &u->modules.v[known->module];
    if (m && m->state == MODULE_OPEN && known->row < m->cfi.rows.n &&
        m->cfi.rows.v[known->row].vaddr == known->vaddr) {
        m->used = ++u->turn;
        at->cfi = &m->cfi;
        at->row = &m->cfi.rows.v[known->row];
    } else {
        struct unwind_mapping from;
        uint64_t bias;
        if (!s->find(s->ctx, address, &from))
            return true;
        if (!find_module(u, &from, &m, st->err))
            return false;
        const struct prof_mapping mapping = {
            .start = from.start, .limit = from.limit, .offset = from.offset};
        if (m->state != MODULE_OPEN ||
            !sym_bias(&m->files.image, &mapping, address, &bias))
            return true;
        at->cfi = &m->cfi;
        if (!cfi_find(&m->cfi, address - bias, &at->row, st->err))
            return false;
        if (s->space)
            *known = (struct known_place){
                .address = address,
                .vaddr = at->row->vaddr,
                .space = s->space,
                .module = (uint32_t)(m - u->modules.v),
                .row = (uint32_t)(at->row - m->cfi.rows.v)};
    }
    if (!at->row->found)
        at->row = NULL;
    return true;
}

/* Steps to the caller by a row.  Returns false at the last frame. */
static bool step_by_cfi(struct state *st, const struct place *at)
{
    const struct machine *machine = st->machine;
    const struct cfi_row *row = at->row;
    const struct cfi_rule *rules = at->cfi->rules.v + row->first;
    const uint64_t pc = st->regs[machine->pc], sp = st->regs[machine->sp];
    uint64_t cfa, values[CFI_REGS], known = st->known;
    if (!apply(st, at->cfi, &row->cfa, 0, &cfa))
        return false;
    known |= (uint64_t)1 << machine->sp;
    for (uint32_t i = 0; i < row->n; i++) {
        const uint64_t bit = (uint64_t)1 << rules[i].reg;
        if (rules[i].how == CFI_UNDEFINED) {
            st->missed = false;
            return false;
        }
        if (apply(st, at->cfi, &rules[i], cfa, &values[rules[i].reg]))
            known |= bit;
        else
            known &= ~bit;
    }
    if (!(known >> row->return_reg & 1))
        return false;
    /* From here on, registers are those of the caller. */
    set_reg(st, machine->sp, cfa);
    for (uint32_t i = 0; i < row->n; i++)
        if (known >> rules[i].reg & 1)
            set_reg(st, rules[i].reg, values[rules[i].reg]);
    st->known = known;
    set_reg(st, machine->pc, st->regs[row->return_reg]);
    st->missed = false;
    return st->regs[machine->pc] != pc || st->regs[machine->sp] != sp;
}

/* Steps to the caller of code without call frame information.  Returns false at
 * the last frame or on failure (st->failed). */
static bool step_by_guess(struct state *st, bool in_binary)
{
    const struct machine *m = st->machine;
    const uint64_t fp = st->regs[m->fp], sp = st->regs[m->sp];
    uint64_t next, address;
    if (!is_known(st, m->sp))
        return false;

    /*
     * Code outside binaries may have no frame: then the return address is the
     * first word of the stack, and lies in a binary.
     */
    if (!in_binary && m->number != EM_AARCH64 &&
        read_word(st, sp, m->word, &address)) {
        struct place at;
        if (!find_place(st, address - 1, &at)) {
            st->failed = true;
            return false;
        }
        if (at.cfi) {
            set_reg(st, m->pc, address);
            set_reg(st, m->sp, sp + m->word);
            return true;
        }
    }

    /*
     * Otherwise use the frame pointer, if it is a little above the stack
     * pointer and the word after it is an address in a mapping.
     */
    struct unwind_mapping to;
    if (!is_known(st, m->fp) || fp < sp || fp - sp > GUESS_MAX ||
        !read_word(st, fp, m->word, &next) ||
        !read_word(st, fp + m->word, m->word, &address) ||
        !st->s->find(st->s->ctx, address - 1, &to))
        return false;
    st->known = 0;
    set_reg(st, m->sp, fp + 2 * (uint64_t)m->word);
    set_reg(st, m->fp, next);
    set_reg(st, m->pc, address);
    return true;
}

static bool walk(struct state *st)
{
    struct unwinder *u = st->u;
    const struct machine *machine = st->machine;
    /* Pointer authentication puts a signature above the address. */
    const uint64_t address_bits =
        machine->number == EM_AARCH64 ? ((uint64_t)1 << 48) - 1 : UINT64_MAX;
    bool is_exact = true;
    while (st->regs[machine->pc]) {
        /*
         * All but a few frames have at least a return address on the stack.
         * The limit ends loops, but not deep recursions.
         */
        const uint64_t used = st->regs[machine->sp] - st->bottom;
        const size_t n = used < st->s->n_stack ? (size_t)used : st->s->n_stack;
        if (u->frames.n >= FRAMES_SPARE + n / machine->word ||
            u->frames.n >= st->s->max_frames)
            break;
        const uint64_t pc = st->regs[machine->pc] & address_bits;
        const uint64_t inside = is_exact ? pc : pc - 1;
        struct place at;
        if (!find_place(st, inside, &at))
            return false;
        const bool is_signal = at.row && at.row->signal;
        if (!vec_push(&u->frames, is_signal ? pc : inside))
            return err_nomem(st->err);
        st->missed = false;
        if (!(at.row ? step_by_cfi(st, &at)
                     : step_by_guess(st, at.cfi != NULL)))
            return !st->failed;
        is_exact = is_signal;
    }
    st->missed = false;
    return true;
}

bool unwind_stack(struct unwinder *u, const struct unwind_sample *s,
                  struct unwind_stack *stack, struct prof_err *err)
{
    struct state st = {.u = u, .s = s, .err = err};
    u->frames.n = 0;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        if (machines[i].number == s->machine)
            st.machine = &machines[i];
    *stack = (struct unwind_stack){0};
    if (!st.machine)
        return true;
    const uint64_t *value = s->regs;
    for (unsigned i = 0; i < 64; i++) {
        if (!(s->mask >> i & 1))
            continue;
        unsigned reg = i < st.machine->n ? st.machine->of_perf[i] : NONE;
        if (reg != NONE)
            set_reg(&st, reg, *value);
        value++;
    }
    st.bottom = st.regs[st.machine->sp];
    st.has_bottom = is_known(&st, st.machine->sp);
    if (is_known(&st, st.machine->pc) && !walk(&st))
        return false;
    *stack = (struct unwind_stack){u->frames.v, u->frames.n, st.missed};
    return true;
}
