/* unwind.c - call stacks from registers and a copy of the stack */
#include "symbolize/unwind.h"

#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "symbolize/elfutils.h"
#include "symbolize/private.h"

/* --- machines ------------------------------------------------------------ */

enum {
    NONE = 0xff,         /* DWARF has no such register */
    PERF_REGS = 33,      /* registers of perf that have a DWARF number */
    EXPR_MAX = 64,       /* values on the stack of an expression */
    GUESS_MAX = 0x4000,  /* bytes from the stack to the frame pointer */
    MODULES_OPEN = 128,  /* at once; each has up to three files */
    PLACES_BITS = 12,    /* log2 of the number of cached places */
    FRAME_MAX = 1 << 23, /* bytes: the default size of a whole stack */
    FRAMES_SPARE = 128,  /* frames that need no stack of their own */
};

/* Registers have DWARF's numbers; of_perf[i]: that of perf's number i. */
struct machine {
    int number; /* EM_ */
    uint8_t word, sp, fp, pc;
    uint8_t of_perf[PERF_REGS];
};

/* arch/x86/include/uapi/asm/perf_regs.h, arch/arm64/... in Linux */
static const struct machine machines[] = {
    {EM_X86_64, 8, 7, 6, 16, {0,    3,    2,    1,    4,    5,    6,
                              7,    16,   NONE, NONE, NONE, NONE, NONE,
                              NONE, NONE, 8,    9,    10,   11,   12,
                              13,   14,   15,   NONE, NONE, NONE, NONE,
                              NONE, NONE, NONE, NONE, NONE}},
    {EM_386, 4, 4, 5, 8, {0,    3,    1,    2,    6,    7,    5,    4,    8,
                          NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
                          NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
                          NONE, NONE, NONE, NONE, NONE, NONE}},
    {EM_AARCH64, 8, 31, 29, 32, {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32}},
};

static const struct machine *find_machine(int number)
{
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        if (machines[i].number == number)
            return &machines[i];
    return NULL;
}

/* --- binaries ------------------------------------------------------------ */

enum module_state { MODULE_CLOSED, MODULE_OPEN, MODULE_MISSING };

struct module {
    uint32_t key;
    enum module_state state;
    struct sym_files files;
    struct cfi cfi;
    struct prof_mapping last; /* whose bias is known */
    bool has_last, has_bias;
    uint64_t bias;
    uint64_t used; /* turn of the last use */
};

/*
 * An entry of the cache of lookups: the row of an address in the mappings
 * `space`.  A new entry replaces an old one.  The row is valid if its module is
 * open and the row still has this vaddr.
 */
struct known_place {
    uint64_t address, vaddr;
    uint32_t space, module, row;
};

struct unwinder {
    const char *path;
    const struct prof_notes *notes;
    VEC(struct module) modules;
    struct hashidx index; /* of modules, by key */
    size_t n_open;
    uint64_t turn, seed;
    VEC(uint64_t) frames; /* of the last stack */
    struct known_place places[1 << PLACES_BITS];
};

struct unwinder *unwinder_new(const char *path, const struct prof_notes *notes,
                              struct prof_err *err)
{
    struct unwinder *u = calloc(1, sizeof *u);
    if (!u) {
        (void)err_nomem(err);
        return NULL;
    }
    u->path = path;
    u->notes = notes;
    u->seed = mix_seed();
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
    m->has_last = false;
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
    hashidx_free(&u->index);
    free(u);
}

static void close_oldest(struct unwinder *u)
{
    struct module *oldest = NULL;
    for (size_t i = 0; i < u->modules.n; i++) {
        struct module *m = &u->modules.v[i];
        if (m->state == MODULE_OPEN && (!oldest || m->used < oldest->used))
            oldest = m;
    }
    if (oldest)
        close_module(u, oldest);
}

static enum sym_found find_files(struct unwinder *u, struct module *m,
                                 const struct unwind_mapping *from,
                                 struct prof_err *why)
{
    struct sym_wanted wanted = {.file = from->binary,
                                .build_id = from->build_id,
                                .path = u->path,
                                .named_only = true};
    if (from->binary) {
        enum sym_found found = sym_find(&m->files, &wanted, why);
        if (found != SYM_NOT_FOUND)
            return found;
    }
    wanted.file = from->file;
    wanted.named_only = false;
    wanted.notes = u->notes;
    return sym_find(&m->files, &wanted, why);
}

static bool open_module(struct unwinder *u, struct module *m,
                        const struct unwind_mapping *from, struct prof_err *err)
{
    struct prof_err why;
    bool is_vdso = *from->build_id && strcmp(from->file, "[vdso]") == 0;
    m->state = MODULE_MISSING;
    if (!is_vdso && (!*from->file || sym_has_no_file(from->file) ||
                     sym_source_of(from->file, from->start) != SYM_FILE))
        return true;
    if (u->n_open >= MODULES_OPEN)
        close_oldest(u);
    switch (find_files(u, m, from, &why)) {
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

/* Sets *module to that of the mapping, which is opened if it is found. */
static bool find_module(struct unwinder *u, const struct unwind_mapping *from,
                        struct module **module, struct prof_err *err)
{
    if (!hashidx_room(&u->index))
        return err_nomem(err);
    uint32_t i, hash = mix_fold(mix_pair(u->seed, from->key, u->seed));
    size_t at = hashidx_start(&u->index, hash);
    while ((i = hashidx_next(&u->index, hash, &at)) != HASHIDX_NONE)
        if (u->modules.v[i].key == from->key)
            break;
    if (i == HASHIDX_NONE) {
        struct module new = {.key = from->key};
        if (!vec_push(&u->modules, new))
            return err_nomem(err);
        i = (uint32_t)u->modules.n - 1;
        hashidx_put(&u->index, at, hash, i);
    }
    *module = &u->modules.v[i];
    (*module)->used = ++u->turn;
    return (*module)->state != MODULE_CLOSED ||
           open_module(u, *module, from, err);
}

/* Converts an address of the process to one of the linker; false: unknown. */
static bool find_vaddr(struct module *m, const struct unwind_mapping *from,
                       uint64_t address, uint64_t *vaddr)
{
    if (!m->has_last || m->last.start != from->start ||
        m->last.offset != from->offset) {
        m->last = (struct prof_mapping){
            .start = from->start, .limit = from->limit, .offset = from->offset};
        m->has_last = true;
        m->has_bias = sym_bias(&m->files.image, &m->last, address, &m->bias);
    }
    *vaddr = address - m->bias;
    return m->has_bias;
}

/* --- frames -------------------------------------------------------------- */

struct state {
    struct unwinder *u;
    const struct unwind_sample *s;
    const struct machine *machine;
    uint64_t regs[CFI_REGS]; /* by DWARF number */
    uint64_t known;          /* a bit for each that has a value */
    uint64_t bottom;         /* address of s->stack */
    bool has_bottom;
    bool missed; /* this step read a word above the recorded ones */
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

static uint64_t number_at(const uint8_t *at, unsigned size, bool big)
{
    uint64_t value = 0;
    if (size == 8)
        return big ? be64(at) : le64(at);
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)at[i] << 8 * (big ? size - 1 - i : i);
    return value;
}

/*
 * Reads a word of the recorded stack; as in perf, not the last one of it, so
 * that stacks are equal.
 */
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
    *value = number_at(st->s->stack + at, size, st->s->is_big);
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

static bool calculate(unsigned atom, uint64_t a, uint64_t b, uint64_t *to)
{
    int64_t sa = (int64_t)a, sb = (int64_t)b;
    switch (atom) {
    case DW_OP_and:
        *to = a & b;
        return true;
    case DW_OP_or:
        *to = a | b;
        return true;
    case DW_OP_xor:
        *to = a ^ b;
        return true;
    case DW_OP_plus:
        *to = a + b;
        return true;
    case DW_OP_minus:
        *to = a - b;
        return true;
    case DW_OP_mul:
        *to = a * b;
        return true;
    case DW_OP_shl:
        *to = b < 64 ? a << b : 0;
        return true;
    case DW_OP_shr:
        *to = b < 64 ? a >> b : 0;
        return true;
    case DW_OP_eq:
        *to = a == b;
        return true;
    case DW_OP_ne:
        *to = a != b;
        return true;
    case DW_OP_ge:
        *to = sa >= sb;
        return true;
    case DW_OP_gt:
        *to = sa > sb;
        return true;
    case DW_OP_le:
        *to = sa <= sb;
        return true;
    case DW_OP_lt:
        *to = sa < sb;
        return true;
    default:
        return false;
    }
}

/* An operation that works on the values on the stack only. */
static bool work_on_stack(struct expr *e, const struct cfi_op *op)
{
    size_t n = e->n;
    uint64_t *v = e->v;
    switch (op->atom) {
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
        return n >= 1 &&
               read_word(e->st, v[n - 1], e->st->machine->word, &v[n - 1]);
    case DW_OP_deref_size:
        return n >= 1 && op->number >= 1 && op->number <= 8 &&
               read_word(e->st, v[n - 1], (unsigned)op->number, &v[n - 1]);
    default:
        return n >= 2 &&
               (e->n--, calculate(op->atom, v[n - 2], v[n - 1], &v[n - 2]));
    }
}

/* False also for operations that call frame information does not use. */
static bool execute(struct expr *e, const struct cfi_op *op)
{
    if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
        return push(e, op->atom - DW_OP_lit0);
    if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
        return push_reg(e, op->atom - DW_OP_breg0, op->number);
    switch (op->atom) {
    case DW_OP_bregx:
        return push_reg(e, op->number, op->number2);
    case DW_OP_call_frame_cfa:
        return push(e, e->cfa);
    case DW_OP_const1u:
    case DW_OP_const1s:
    case DW_OP_const2u:
    case DW_OP_const2s:
    case DW_OP_const4u:
    case DW_OP_const4s:
    case DW_OP_const8u:
    case DW_OP_const8s:
    case DW_OP_constu:
    case DW_OP_consts:
        return push(e, op->number);
    case DW_OP_nop:
        return true;
    default:
        return work_on_stack(e, op);
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

/* Computes a rule from the registers of the callee; false: not known. */
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

/* The factors only spread addresses: collisions make lookups slow. */
static struct known_place *known_place(const struct state *st, uint64_t address)
{
    uint64_t hash =
        (address + st->s->space * 0xd6e8feb86659fd93) * 0x9e3779b97f4a7c15;
    return &st->u->places[hash >> (64 - PLACES_BITS)];
}

static void keep_place(const struct state *st, uint64_t address,
                       const struct module *m, const struct cfi_row *row)
{
    if (st->s->space)
        *known_place(st, address) =
            (struct known_place){.address = address,
                                 .vaddr = row->vaddr,
                                 .space = st->s->space,
                                 .module = (uint32_t)(m - st->u->modules.v),
                                 .row = (uint32_t)(row - m->cfi.rows.v)};
}

static bool find_known(const struct state *st, uint64_t address,
                       struct place *at)
{
    const struct known_place *k = known_place(st, address);
    if (!st->s->space || k->space != st->s->space || k->address != address)
        return false;
    struct module *m = &st->u->modules.v[k->module];
    if (m->state != MODULE_OPEN || k->row >= m->cfi.rows.n ||
        m->cfi.rows.v[k->row].vaddr != k->vaddr)
        return false;
    m->used = ++st->u->turn;
    at->cfi = &m->cfi;
    at->row = &m->cfi.rows.v[k->row];
    return true;
}

static bool find_place(struct state *st, uint64_t address, struct place *at)
{
    struct unwind_mapping from;
    struct module *m;
    uint64_t vaddr;
    *at = (struct place){0};
    if (!find_known(st, address, at)) {
        if (!st->s->find(st->s->ctx, address, &from))
            return true;
        if (!find_module(st->u, &from, &m, st->err))
            return false;
        if (m->state != MODULE_OPEN || !find_vaddr(m, &from, address, &vaddr))
            return true;
        at->cfi = &m->cfi;
        if (!cfi_find(&m->cfi, vaddr, &at->row, st->err))
            return false;
        keep_place(st, address, m, at->row);
    }
    if (!at->row->found)
        at->row = NULL;
    return true;
}

/* Steps to the caller by a row; false: this is the last frame. */
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
    /* From here on the registers are those of the caller. */
    set_reg(st, machine->sp, cfa);
    for (uint32_t i = 0; i < row->n; i++)
        if (known >> rules[i].reg & 1)
            set_reg(st, rules[i].reg, values[rules[i].reg]);
    st->known = known;
    set_reg(st, machine->pc, st->regs[row->return_reg]);
    st->missed = false;
    return st->regs[machine->pc] != pc || st->regs[machine->sp] != sp;
}

/*
 * Steps to the caller of code that has no frame: the return address is the
 * first word of the stack, if it is in a binary.  *done: it was.  False:
 * failure.
 */
static bool step_by_call(struct state *st, bool *done)
{
    const struct machine *m = st->machine;
    uint64_t address, sp = st->regs[m->sp];
    struct place at;
    *done = false;
    if (m->number == EM_AARCH64 || !read_word(st, sp, m->word, &address))
        return true;
    if (!find_place(st, address - 1, &at))
        return false;
    if (!at.cfi)
        return true;
    set_reg(st, m->pc, address);
    set_reg(st, m->sp, sp + m->word);
    *done = true;
    return true;
}

/*
 * Steps to the caller by the frame pointer, if it is a little above the stack
 * pointer and the word behind it is an address in a mapping.
 */
static bool step_by_pointer(struct state *st)
{
    const struct machine *m = st->machine;
    uint64_t fp = st->regs[m->fp], sp = st->regs[m->sp], next, address;
    struct unwind_mapping to;
    if (!is_known(st, m->fp) || !is_known(st, m->sp) || fp < sp ||
        fp - sp > GUESS_MAX || !read_word(st, fp, m->word, &next) ||
        !read_word(st, fp + m->word, m->word, &address) ||
        !st->s->find(st->s->ctx, address - 1, &to))
        return false;
    st->known = 0;
    set_reg(st, m->sp, fp + 2 * (uint64_t)m->word);
    set_reg(st, m->fp, next);
    set_reg(st, m->pc, address);
    return true;
}

/* Steps to the caller.  False: the last frame, or a failure (st->failed). */
static bool step(struct state *st, const struct place *at)
{
    bool done = false;
    if (at->row)
        return step_by_cfi(st, at);
    if (!at->cfi && is_known(st, st->machine->sp) && !step_by_call(st, &done)) {
        st->failed = true;
        return false;
    }
    return done || step_by_pointer(st);
}

/* Sets the recorded registers; false: the program counter is not known. */
static bool set_registers(struct state *st)
{
    const uint64_t *value = st->s->regs;
    for (unsigned i = 0; i < 64; i++) {
        if (!(st->s->mask >> i & 1))
            continue;
        unsigned reg = i < PERF_REGS ? st->machine->of_perf[i] : NONE;
        if (reg != NONE)
            set_reg(st, reg, *value);
        value++;
    }
    st->bottom = st->regs[st->machine->sp];
    st->has_bottom = is_known(st, st->machine->sp);
    return is_known(st, st->machine->pc);
}

/* Pointer authentication puts a signature above the address. */
static uint64_t plain_address(const struct state *st, uint64_t address)
{
    const uint64_t bits = ((uint64_t)1 << 48) - 1;
    return st->machine->number == EM_AARCH64 ? address & bits : address;
}

/*
 * How many frames there can be up to here: each has at least a return address
 * on the stack, but for a few.  So a loop ends, and deep recursions do not.
 */
static size_t max_frames(const struct state *st)
{
    const uint64_t used = st->regs[st->machine->sp] - st->bottom;
    const size_t n = used < st->s->n_stack ? (size_t)used : st->s->n_stack;
    const size_t most = FRAMES_SPARE + n / st->machine->word;
    return most < st->s->max_frames ? most : st->s->max_frames;
}

static bool walk(struct state *st)
{
    struct unwinder *u = st->u;
    bool is_exact = true;
    while (u->frames.n < max_frames(st) && st->regs[st->machine->pc]) {
        uint64_t pc = plain_address(st, st->regs[st->machine->pc]);
        uint64_t inside = is_exact ? pc : pc - 1;
        struct place at;
        if (!find_place(st, inside, &at))
            return false;
        bool is_signal = at.row && at.row->signal;
        if (!vec_push(&u->frames, is_signal ? pc : inside))
            return err_nomem(st->err);
        st->missed = false;
        if (!step(st, &at))
            return !st->failed;
        is_exact = is_signal;
    }
    st->missed = false;
    return true;
}

bool unwind_stack(struct unwinder *u, const struct unwind_sample *s,
                  struct unwind_stack *stack, struct prof_err *err)
{
    struct state st = {
        .u = u, .s = s, .machine = find_machine(s->machine), .err = err};
    u->frames.n = 0;
    if (st.machine && set_registers(&st) && !walk(&st))
        return false;
    *stack = (struct unwind_stack){u->frames.v, u->frames.n, st.missed};
    return true;
}
