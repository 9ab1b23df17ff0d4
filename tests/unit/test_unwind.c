/*
 * Unwinding: binaries of a few bytes, made here, whose .eh_frame says where
 * registers are (DWARF 5, section 6.4; Linux Standard Base, chapter 10.6, for
 * its differences), and stacks of a few words.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scratch_dir.h"
#include "symbolize/unwind.h"
#include "unit.h"

enum {
    CODE = 0x1000, /* offset and address of the code */
    CODE_SIZE = 0x1000,
    FRAME = 0x2000,  /* of .eh_frame */
    BASE = 0x700000, /* where the code is mapped */
    STACK = 0x10000,
    WORDS = 64,
    FRAMES = 20,
    REMEMBER = 0x0a, /* DW_CFA_remember_state */
    EXPRESSION = 0x10,
    NOP = 0x96, /* DW_OP_nop */
};

/* --- binaries */

struct bytes {
    uint8_t v[8192];
    size_t n;
};

static void put(struct bytes *b, const void *from, size_t n)
{
    assert_true(n <= sizeof b->v - b->n);
    memcpy(b->v + b->n, from, n);
    b->n += n;
}

static void put32(struct bytes *b, uint32_t v)
{
    put(b, &v, sizeof v);
}

/* Pads an entry with DW_CFA_nop and sets its length. */
static void end_entry(struct bytes *b, size_t start)
{
    while ((b->n - start) % 8 != 4)
        put(b, "", 1);
    uint32_t length = (uint32_t)(b->n - start - 4);
    memcpy(b->v + start, &length, sizeof length);
}

/* What the functions of a machine have in common. */
struct cie {
    int machine;
    bool is_64;
    const char *augmentation; /* "zR", "zRS": a signal's */
    uint8_t data_align;       /* SLEB128 of one byte */
    uint8_t return_reg;
    const char *rules;
    size_t n_rules;
};

static size_t put_cie(struct bytes *b, const struct cie *c)
{
    size_t start = b->n;
    const uint8_t head[] = {0, 0, 0, 0, 0, 0, 0, 0, 1};
    const uint8_t tail[] = {1, c->data_align, c->return_reg, 1, 0x1b};
    put(b, head, sizeof head);
    put(b, c->augmentation, strlen(c->augmentation) + 1);
    put(b, tail, sizeof tail); /* 0x1b: addresses are relative, of 4 bytes */
    put(b, c->rules, c->n_rules);
    end_entry(b, start);
    return start;
}

static void put_fde(struct bytes *b, size_t cie, uint32_t address,
                    uint32_t size, const char *rules, size_t n)
{
    size_t start = b->n;
    put32(b, 0);
    put32(b, (uint32_t)(b->n - cie));
    put32(b, address - (uint32_t)(FRAME + b->n));
    put32(b, size);
    put(b, "", 1);
    put(b, rules, n);
    end_entry(b, start);
}

/* RULES("...") with its length, which counts NULs. */
#define RULES(s) s, sizeof(s) - 1

/* The fields of these have the same order, whatever the bits. */
#define HEADERS(bits)                                                          \
    Elf##bits##_Ehdr h = {{0},                                                 \
                          ET_DYN,                                              \
                          (uint16_t)c->machine,                                \
                          EV_CURRENT,                                          \
                          0,                                                   \
                          sizeof h,                                            \
                          0x200,                                               \
                          0,                                                   \
                          sizeof h,                                            \
                          sizeof(Elf##bits##_Phdr),                            \
                          1,                                                   \
                          sizeof(Elf##bits##_Shdr),                            \
                          3,                                                   \
                          2};                                                  \
    const uint8_t ident[] = {ELFCLASS##bits, ELFDATA2LSB, EV_CURRENT};         \
    memcpy(h.e_ident, ELFMAG, SELFMAG);                                        \
    memcpy(h.e_ident + EI_CLASS, ident, sizeof ident);                         \
    const Elf##bits##_Phdr ph = {.p_type = PT_LOAD,                            \
                                 .p_flags = PF_R | PF_X,                       \
                                 .p_offset = CODE,                             \
                                 .p_vaddr = CODE,                              \
                                 .p_filesz = CODE_SIZE,                        \
                                 .p_memsz = CODE_SIZE,                         \
                                 .p_align = 0x1000};                           \
    const Elf##bits##_Shdr sh[3] = {                                           \
        {0},                                                                   \
        {1, SHT_PROGBITS, SHF_ALLOC, FRAME, FRAME, frame->n, 0, 0, 8, 0},      \
        {11, SHT_STRTAB, 0, 0, 0x400, sizeof names, 0, 0, 0, 0}};              \
    memcpy(file, &h, sizeof h);                                                \
    memcpy(file + sizeof h, &ph, sizeof ph);                                   \
    memcpy(file + 0x200, sh, sizeof sh)

static const char names[] = "\0.eh_frame\0.shstrtab";

/* Writes the binary "code" into the scratch directory. */
static void write_binary(const struct cie *c, struct bytes *frame)
{
    static uint8_t file[FRAME + sizeof frame->v];
    memset(file, 0, sizeof file);
    put32(frame, 0);
    if (c->is_64) {
        HEADERS(64);
    } else {
        HEADERS(32);
    }
    memcpy(file + 0x400, names, sizeof names);
    memcpy(file + FRAME, frame->v, frame->n);
    FILE *f = fopen("code", "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(file, sizeof file, 1, f), 1);
    assert_int_equal(fclose(f), 0);
}

/* --- processes */

struct process {
    struct unwind_sample s;
    uint64_t regs[33];
    uint8_t stack[8 * WORDS];
    uint64_t frames[FRAMES];
    size_t n;
    bool cut;
    bool mapped;
    const char *file;
};

static bool find(void *ctx, uint64_t address, struct unwind_mapping *m)
{
    const struct process *p = ctx;
    if (!p->mapped || address < BASE || address >= BASE + CODE_SIZE)
        return false;
    *m = (struct unwind_mapping){.start = BASE,
                                 .limit = BASE + CODE_SIZE,
                                 .offset = CODE,
                                 .file = p->file,
                                 .build_id = "",
                                 .key = 7};
    return true;
}

static void set_word(struct process *p, size_t i, uint64_t value)
{
    size_t size = p->s.machine == EM_386 ? 4 : 8;
    for (size_t k = 0; k < size; k++)
        p->stack[i * size + k] =
            (uint8_t)(value >> 8 * (p->s.is_big ? size - 1 - k : k));
}

struct word {
    size_t at;
    uint64_t value;
};

static void set_words(struct process *p, const struct word *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        set_word(p, words[i].at, words[i].value);
}

#define SET(p, ...)                                                            \
    set_words(p, (const struct word[]){__VA_ARGS__},                           \
              sizeof((const struct word[]){__VA_ARGS__}) /                     \
                  sizeof(struct word))

static void init(struct process *p, int machine, uint64_t mask)
{
    memset(p, 0, sizeof *p);
    p->file = "code";
    p->mapped = true;
    p->s = (struct unwind_sample){.machine = machine,
                                  .mask = mask,
                                  .regs = p->regs,
                                  .stack = p->stack,
                                  .n_stack = sizeof p->stack,
                                  .max_frames = FRAMES,
                                  .find = find,
                                  .ctx = p};
}

static void take(struct unwinder *u, struct process *p)
{
    struct unwind_stack stack;
    struct prof_err err;
    assert_true(unwind_stack(u, &p->s, &stack, &err));
    assert_in_range(stack.n, 0, FRAMES);
    if (stack.n)
        memcpy(p->frames, stack.frames, stack.n * sizeof *p->frames);
    p->n = stack.n;
    p->cut = stack.cut;
}

static struct unwinder *new_unwinder(const struct prof_notes *notes)
{
    struct prof_err err;
    struct unwinder *u = unwinder_new(NULL, notes, &err);
    assert_non_null(u);
    return u;
}

static void unwind(struct process *p)
{
    struct unwinder *u = new_unwinder(NULL);
    take(u, p);
    /* Again, with what is kept of the times before. */
    for (p->s.space = 0; p->s.space < 2; p->s.space++)
        for (int i = 0; i < 2; i++) {
            struct process again = *p;
            take(u, &again);
            assert_int_equal(again.n, p->n);
            assert_int_equal(again.cut, p->cut);
            assert_memory_equal(again.frames, p->frames, sizeof p->frames);
        }
    unwinder_free(u);
}

static void assert_frames(const struct process *p, const uint64_t *wanted,
                          size_t n)
{
    assert_int_equal(p->n, n);
    assert_memory_equal(p->frames, wanted, n * sizeof *wanted);
}

#define FRAMES_ARE(p, ...)                                                     \
    assert_frames(p, (const uint64_t[]){__VA_ARGS__},                          \
                  sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))
#define UNWINDS(p, ...) unwind(p), FRAMES_ARE(p, __VA_ARGS__)

/* --- x86-64: perf numbers bp 6, sp 7, ip 8; DWARF rbp 6, rsp 7, rip 16 */

/* CFA rsp + 8, rip at CFA - 8; 0x78 is -8 */
static const struct cie x86_64 = {
    EM_X86_64, true, "zR", 0x78, 16, RULES("\x0c\x07\x08\x90\x01")};

static void write_x86_64(void)
{
    struct bytes b = {.n = 0};
    size_t cie = put_cie(&b, &x86_64);
    /* push rbp after 1 byte; sub rsp, 24 after 5 */
    put_fde(&b, cie, CODE + 0x100, 0x100,
            RULES("\x41\x0e\x10\x86\x02\x44\x0e\x28"));
    /* the first function: nobody called it */
    put_fde(&b, cie, CODE + 0x200, 0x100, RULES("\x07\x10"));
    /* CFA rbp + 16, rbp at CFA - 16: a frame pointer */
    put_fde(&b, cie, CODE + 0x300, 0x100, RULES("\x0c\x06\x10\x86\x02"));
    /* a procedure linkage table: CFA rsp + 8 + ((rip & 15) >= 11) * 8 */
    put_fde(&b, cie, CODE + 0x400, 0xf0,
            RULES("\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22"));
    struct cie signal = x86_64;
    signal.augmentation = "zRS";
    cie = put_cie(&b, &signal);
    /* CFA at rsp + 16, rip at rsp + 24, in memory */
    put_fde(&b, cie, CODE + 0x4ff, 0x101,
            RULES("\x0f\x03\x77\x10\x06\x10\x10\x02\x77\x18"));
    write_binary(&x86_64, &b);
}

static void start_x86_64(struct process *p, uint64_t ip)
{
    init(p, EM_X86_64, 0x1c0); /* bp, sp, ip */
    p->regs[1] = STACK;
    p->regs[2] = ip;
}

static void test_x86_64(void **state)
{
    struct process p;
    write_x86_64();
    /* Before push rbp, after it, and after sub rsp, 24. */
    static const struct {
        uint64_t ip;
        size_t at;
    } c[] = {{0x100, 0}, {0x101, 1}, {0x104, 1}, {0x105, 4}};
    for (size_t i = 0; i < 4; i++) {
        start_x86_64(&p, BASE + c[i].ip);
        set_word(&p, c[i].at, BASE + 0x110);     /* into the same function */
        set_word(&p, c[i].at + 5, BASE + 0x220); /* 32 bytes up: the first */
        UNWINDS(&p, BASE + c[i].ip, BASE + 0x10f, BASE + 0x21f);
    }
    /* The address of a call at the end of a function is beyond it. */
    start_x86_64(&p, BASE + 0x100);
    SET(&p, {0, BASE + 0x200}, {5, BASE + 0x210});
    UNWINDS(&p, BASE + 0x100, BASE + 0x1ff, BASE + 0x20f);
    /* No more frames than asked for, and none without registers. */
    p.s.max_frames = 2;
    UNWINDS(&p, BASE + 0x100, BASE + 0x1ff);
    p.s.mask = 0xc0;
    unwind(&p);
    assert_int_equal(p.n, 0);
}

/* Makes "code" a file without section headers, with this .eh_frame_hdr. */
static void drop_sections(const uint8_t *header, size_t n)
{
    enum { HEADER = CODE + 0x800 };
    Elf64_Ehdr h;
    Elf64_Phdr ph[2];
    int fd = open("code", O_RDWR);
    assert_int_equal(pread(fd, &h, sizeof h, 0), sizeof h);
    assert_int_equal(pread(fd, ph, sizeof *ph, sizeof h), sizeof *ph);
    h.e_shoff = h.e_shnum = h.e_shstrndx = 0;
    h.e_phnum = 2;
    ph[0].p_filesz = ph[0].p_memsz = FRAME + 0x1000 - CODE;
    ph[1] = (Elf64_Phdr){.p_type = PT_GNU_EH_FRAME,
                         .p_flags = PF_R,
                         .p_offset = HEADER,
                         .p_vaddr = HEADER,
                         .p_filesz = n,
                         .p_memsz = n,
                         .p_align = 4};
    assert_int_equal(pwrite(fd, &h, sizeof h, 0), sizeof h);
    assert_int_equal(pwrite(fd, ph, sizeof ph, sizeof h), sizeof ph);
    assert_int_equal(pwrite(fd, header, n, HEADER), n);
    assert_int_equal(close(fd), 0);
}

/*
 * Without section headers, .eh_frame is where .eh_frame_hdr says: after a
 * version and three encodings.  It ends with an empty entry.
 */
static void test_no_sections(void **state)
{
    static const struct {
        uint8_t v[8];
        size_t n, frames;
    } c[] = {
        {{1, 0x1b, 0xff, 0xff, 0xfc, 0x07}, 8, 3}, /* from here: 0x1804 */
        {{1, 0x03, 0xff, 0xff, 0, 0x20}, 8, 3},    /* an address */
        {{2, 0x03, 0xff, 0xff, 0, 0x20}, 8, 1},    /* version 2 */
        {{1, 0xff, 0xff, 0xff, 0, 0x20}, 8, 1},    /* there is none */
        {{1, 0x03, 0xff, 0xff, 0, 0x20}, 7, 1},    /* cut */
        {{1, 0x03, 0xff, 0xff, 0, 0x30}, 8, 1},    /* in no segment */
        {{1, 0x03, 0xff, 0xff, 0xff, 0x2f}, 8, 1}, /* at the end of one */
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct bytes b = {.n = 0};
        struct process p;
        size_t cie = put_cie(&b, &x86_64);
        put_fde(&b, cie, CODE + 0x100, 0x100, RULES(""));
        put_fde(&b, cie, CODE + 0x200, 0x100, RULES("\x07\x10"));
        put32(&b, 0);
        put_fde(&b, cie, CODE + 0x108, 0x80, RULES("\x07\x10"));
        write_binary(&x86_64, &b);
        drop_sections(c[i].v, c[i].n);
        start_x86_64(&p, BASE + 0x110);
        SET(&p, {0, BASE + 0x120}, {1, BASE + 0x220});
        unwind(&p);
        assert_int_equal(p.n, c[i].frames);
        if (p.n == 3)
            FRAMES_ARE(&p, BASE + 0x110, BASE + 0x11f, BASE + 0x21f);
    }
}

/*
 * An offset changes no CFA that is an expression, but that of the next
 * register, as in libgcc; GNU as writes both.
 */
static void test_offset_after_expression(void **state)
{
    struct bytes b = {.n = 0};
    /* CFA rsp + 24 by an expression, offset 2^34; rsp + 2^34; rsp + 16 */
    put_fde(&b, put_cie(&b, &x86_64), CODE, 0x100,
            RULES("\x0f\x02\x77\x18\x0e\x80\x80\x80\x80\x40\x44"
                  "\x0d\x07\x44\x0e\x10"));
    write_binary(&x86_64, &b);
    for (uint64_t at = 0; at < 12; at++) {
        struct process p;
        start_x86_64(&p, BASE + at);
        set_word(&p, at < 4 ? 2 : 1, BASE + 0x230);
        unwind(&p);
        const uint64_t wanted[] = {BASE + at, BASE + 0x22f};
        assert_frames(&p, wanted, at >= 4 && at < 8 ? 1 : 2);
    }
}

static void count_invalid(void *ctx, enum prof_note_level level,
                          const char *text)
{
    size_t *n = ctx;
    assert_int_equal(level, PROF_NOTE_WARN);
    *n += strstr(text, "code: invalid call frame information") != NULL;
}

/* An instruction that is not valid is reported, once for a file. */
static void test_invalid(void **state)
{
    static const struct {
        const char *rules;
        size_t n, invalid;
    } c[] = {
        {RULES("\x2d"), 0}, /* DW_CFA_AARCH64_negate_ra_state */
        {RULES("\x3f"), 1}, /* no such instruction */
        {RULES("\x0b"), 1}, /* no state was remembered */
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct bytes b = {.n = 0};
        struct process p;
        size_t n = 0;
        const struct prof_notes notes = {.say = count_invalid, .ctx = &n};
        put_fde(&b, put_cie(&b, &x86_64), CODE, 0x100, c[i].rules, c[i].n);
        write_binary(&x86_64, &b);
        struct unwinder *u = new_unwinder(&notes);
        start_x86_64(&p, BASE + 0x10);
        take(u, &p);
        p.regs[2]++;
        take(u, &p);
        unwinder_free(u);
        assert_int_equal(n, c[i].invalid);
    }
}

/* Of all addresses of a function, how many have the caller that they should. */
static size_t count_joined(const void *rules, size_t n)
{
    struct bytes b = {.n = 0};
    struct process p;
    size_t cie = put_cie(&b, &x86_64), joined = 0;
    put_fde(&b, cie, CODE, 0xe00, rules, n);
    put_fde(&b, cie, CODE + 0xe00, 0x100, RULES("\x07\x10"));
    write_binary(&x86_64, &b);
    struct unwinder *u = new_unwinder(NULL);
    for (uint64_t ip = 0; ip < 0xe00; ip++) {
        start_x86_64(&p, BASE + ip);
        set_word(&p, 0, BASE + 0xe10);
        take(u, &p);
        assert_int_equal(p.frames[0], BASE + ip);
        joined += p.n == 2;
    }
    unwinder_free(u);
    return joined;
}

/*
 * No register takes memory for its number, nor does a remembered state for the
 * number of states; and of instructions, a file has a limit.
 */
static void test_hostile_rules(void **state)
{
    static const char nops[7000];
    struct bytes b = {.n = 0};
    uint8_t rules[32];
    assert_int_equal(count_joined(RULES("\x08\xff\xff\xff\x3f")), 0xe00);
    memset(rules, REMEMBER, sizeof rules);
    assert_int_equal(count_joined(rules, 16), 0xe00);
    assert_int_equal(count_joined(rules, 17), 0);
    assert_in_range(count_joined(nops, sizeof nops), 1, 0xdff);
    /* Nor are long expressions kept for every address. */
    memset(rules, NOP, sizeof rules);
    for (uint8_t reg = 0; reg < 33; reg++) {
        const uint8_t head[] = {EXPRESSION, reg, sizeof rules};
        if (reg == 6 || reg == 7 || reg == 16)
            continue;
        put(&b, head, sizeof head);
        put(&b, rules, sizeof rules);
    }
    assert_in_range(count_joined(b.v, b.n), 1, 0xdff);
}

/* What is kept of one process is not used for another. */
static void test_spaces(void **state)
{
    struct process p;
    write_x86_64();
    struct unwinder *u = new_unwinder(NULL);
    for (uint32_t i = 0; i < 4; i++) {
        start_x86_64(&p, BASE + 0x100);
        SET(&p, {0, BASE + 0x110}, {5, BASE + 0x220});
        p.s.space = 1 + i % 2;
        p.mapped = i % 2 == 0;
        take(u, &p);
        const uint64_t wanted[] = {BASE + 0x100, BASE + 0x10f, BASE + 0x21f};
        assert_frames(&p, wanted, i % 2 ? 1 : 3);
    }
    unwinder_free(u);
}

static void test_frame_pointer(void **state)
{
    struct process p;
    write_x86_64();
    start_x86_64(&p, BASE + 0x380);
    p.regs[0] = STACK + 8 * 6;
    SET(&p, {6, STACK + 8 * 10}, {7, BASE + 0x390}, {10, 0},
        {11, BASE + 0x250});
    UNWINDS(&p, BASE + 0x380, BASE + 0x38f, BASE + 0x24f);
    /* The saved one is that of the push, found after CFA rsp + 40. */
    start_x86_64(&p, BASE + 0x150);
    SET(&p, {3, STACK + 8 * 6}, {4, BASE + 0x390}, {7, BASE + 0x250});
    UNWINDS(&p, BASE + 0x150, BASE + 0x38f, BASE + 0x24f);
}

static void test_expressions(void **state)
{
    struct process p;
    write_x86_64();
    for (unsigned at = 0; at < 16; at++) {
        start_x86_64(&p, BASE + 0x400 + at);
        set_word(&p, at >= 11, BASE + 0x220);
        UNWINDS(&p, BASE + 0x400 + at, BASE + 0x21f);
    }
}

/* What was interrupted is exact, as is what a handler returns to. */
static void test_signal(void **state)
{
    struct process p;
    write_x86_64();
    start_x86_64(&p, BASE + 0x100);
    set_word(&p, 0, BASE + 0x500);  /* stack pointer there: 1 word up */
    set_word(&p, 3, STACK + 8 * 9); /* of the interrupted code */
    SET(&p, {4, BASE + 0x100}, {9, BASE + 0x220});
    UNWINDS(&p, BASE + 0x100, BASE + 0x500, BASE + 0x100, BASE + 0x21f);
}

/* The stack that was recorded ends; perf does not read the last word. */
static void test_end_of_stack(void **state)
{
    struct process p;
    write_x86_64();
    start_x86_64(&p, BASE + 0x100);
    SET(&p, {0, BASE + 0x110}, {5, BASE + 0x220});
    p.s.n_stack = 56;
    UNWINDS(&p, BASE + 0x100, BASE + 0x10f, BASE + 0x21f);
    /* Callers are missing only if there is more of the stack. */
    p.s.more = true;
    unwind(&p);
    assert_false(p.cut);
    p.s.n_stack = 48;
    UNWINDS(&p, BASE + 0x100, BASE + 0x10f);
    assert_true(p.cut);
    p.s.more = false;
    UNWINDS(&p, BASE + 0x100, BASE + 0x10f);
    assert_false(p.cut);
    p.s.n_stack = 0;
    UNWINDS(&p, BASE + 0x100);
    /* Far away, and around the end of the address space. */
    p.s.n_stack = sizeof p.stack;
    p.regs[1] = UINT64_MAX - 4;
    UNWINDS(&p, BASE + 0x100, BASE + 0x10f, BASE + 0x21f);
}

/* Without a binary: by frame pointers that are plausible. */
static void test_guess(void **state)
{
    struct process p;
    start_x86_64(&p, BASE + 0x100);
    p.file = "missing";
    p.regs[0] = STACK + 8 * 2;
    SET(&p, {2, STACK + 8 * 5}, {3, BASE + 0x50});
    set_word(&p, 5, STACK); /* below the stack pointer: the last */
    set_word(&p, 6, BASE + 0x60);
    UNWINDS(&p, BASE + 0x100, BASE + 0x4f, BASE + 0x5f);
    set_word(&p, 6, 0x1234); /* in no mapping */
    UNWINDS(&p, BASE + 0x100, BASE + 0x4f);
    p.regs[0] = STACK - 8;
    UNWINDS(&p, BASE + 0x100);
    /* A jump to nowhere: the caller's address is on the stack. */
    write_x86_64();
    start_x86_64(&p, 0x10);
    set_word(&p, 0, BASE + 0x210);
    UNWINDS(&p, 0x10, BASE + 0x20f);
}

/* --- i386: perf numbers bp 6, sp 7, ip 8; DWARF esp 4, ebp 5, eip 8 */

static void test_i386(void **state)
{
    /* CFA esp + 4, eip at CFA - 4 */
    static const struct cie i386 = {
        EM_386, false, "zR", 0x7c, 8, RULES("\x0c\x04\x04\x88\x01")};
    struct bytes b = {.n = 0};
    struct process p;
    size_t cie = put_cie(&b, &i386);
    put_fde(&b, cie, CODE + 0x100, 0x100,
            RULES("\x41\x0e\x08\x85\x02\x42\x0d\x05"));
    put_fde(&b, cie, CODE + 0x200, 0x100, RULES("\x07\x08"));
    write_binary(&i386, &b);
    init(&p, EM_386, 0x1c0);
    p.regs[0] = STACK + 4 * 3; /* after push ebp; mov esp, ebp */
    p.regs[1] = STACK;
    p.regs[2] = BASE + 0x110;
    SET(&p, {3, STACK + 4 * 8}, {4, BASE + 0x120}, {9, BASE + 0x230});
    UNWINDS(&p, BASE + 0x110, BASE + 0x11f, BASE + 0x22f);
}

/* --- AArch64: perf numbers and DWARF's are equal, but for pc 32 */

static void test_aarch64(void **state)
{
    /* CFA sp + 0; the return address is in x30 */
    static const struct cie arm = {EM_AARCH64, true, "zR",
                                   0x78,       30,   RULES("\x0c\x1f\x00")};
    struct bytes b = {.n = 0};
    struct process p;
    size_t cie = put_cie(&b, &arm);
    /* stp x29, x30, [sp, -32]! */
    put_fde(&b, cie, CODE + 0x100, 0x100,
            RULES("\x44\x0e\x20\x9d\x04\x9e\x03"));
    put_fde(&b, cie, CODE + 0x200, 0x100, RULES("\x07\x1e"));
    write_binary(&arm, &b);
    init(&p, EM_AARCH64, UINT64_C(0x1ffffffff));
    p.regs[29] = STACK + 8 * 2;
    p.regs[30] = BASE + 0x120; /* a leaf, before stp */
    p.regs[31] = STACK;
    p.regs[32] = BASE + 0x100;
    set_word(&p, 0, STACK + 8 * 8);
    /* The address is signed, in the bits above. */
    set_word(&p, 1, BASE + 0x220 + (UINT64_C(0x3a) << 48));
    UNWINDS(&p, BASE + 0x100, BASE + 0x11f, BASE + 0x21f);
    /* Numbers on the stack in the other order. */
    p.s.is_big = true;
    set_word(&p, 1, BASE + 0x224);
    UNWINDS(&p, BASE + 0x100, BASE + 0x11f, BASE + 0x223);
    /* A machine that nobody knows. */
    p.s.machine = EM_SPARC;
    unwind(&p);
    assert_int_equal(p.n, 0);
}

static int drop(void **state)
{
    return unlink("code") != 0 ? -1 : scratch_dir_drop(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hostile_rules),
        cmocka_unit_test(test_x86_64),
        cmocka_unit_test(test_no_sections),
        cmocka_unit_test(test_invalid),
        cmocka_unit_test(test_offset_after_expression),
        cmocka_unit_test(test_spaces),
        cmocka_unit_test(test_frame_pointer),
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_signal),
        cmocka_unit_test(test_end_of_stack),
        cmocka_unit_test(test_guess),
        cmocka_unit_test(test_i386),
        cmocka_unit_test(test_aarch64),
    };
    return cmocka_run_group_tests(tests, scratch_dir_enter, drop);
}
