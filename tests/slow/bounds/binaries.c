/*
 * Programs: ELF of x86-64 whose text is at 0x1000 and has 16 bytes for each of
 * n functions, with symbols or DWARF 4; and what objdump would print of them.
 */
#include "hostile.h"

#include <elf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 0x1000, STEP = 16 };

/* The sections, in their order; NAMES are those of the sections. */
enum { NIL, CODE, SYMBOLS, STRINGS, NAMES, ABBREV, INFO, LINES, SECTIONS };

static struct bytes section[SECTIONS];

static void put_string(struct bytes *to, const char *s)
{
    put(to, s, strlen(s) + 1);
}

/* --- symbols */

static void symbol_named(const struct bytes *name, uint64_t at, uint64_t size)
{
    Elf64_Sym s = {.st_name = (Elf64_Word)section[STRINGS].n,
                   .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                   .st_shndx = CODE,
                   .st_value = at,
                   .st_size = size};

    put(&section[SYMBOLS], &s, sizeof(s));
    put(&section[STRINGS], name->v, name->n);
    fill(&section[STRINGS], 0, 1);
}

static void symbol(uint64_t i, uint64_t at, uint64_t size)
{
    char s[32];
    struct bytes name = {(uint8_t *)s, 0, 0};

    name.n = (size_t)snprintf(s, sizeof(s), "f%" PRIu64, i);
    symbol_named(&name, at, size);
}

static void begin(void)
{
    static const Elf64_Sym none;

    put(&section[SYMBOLS], &none, sizeof(none));
    fill(&section[STRINGS], 0, 1);
}

/* --- the file */

static Elf64_Shdr header_of(int i, Elf64_Off offset)
{
    static const char *const name[SECTIONS] = {
        "",          ".text",         ".symtab",     ".strtab",
        ".shstrtab", ".debug_abbrev", ".debug_info", ".debug_line"};
    Elf64_Shdr h = {.sh_name = (Elf64_Word)section[NAMES].n,
                    .sh_type = SHT_PROGBITS,
                    .sh_offset = offset,
                    .sh_addralign = 1};

    put_string(&section[NAMES], name[i]);
    switch (i) {
    case NIL:
        h.sh_type = SHT_NULL;
        break;
    case CODE:
        h.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
        h.sh_addr = TEXT;
        break;
    case SYMBOLS:
        h.sh_type = SHT_SYMTAB;
        h.sh_link = STRINGS;
        h.sh_info = 1;
        h.sh_entsize = sizeof(Elf64_Sym);
        break;
    case STRINGS:
    case NAMES:
        h.sh_type = SHT_STRTAB;
        break;
    default:
        break;
    }
    return h;
}

/* Puts the file together, with `more` empty sections behind its own. */
static void finish(uint64_t n, uint64_t more)
{
    Elf64_Shdr header[SECTIONS];
    Elf64_Ehdr e = {
        .e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_entry = TEXT,
        .e_phoff = sizeof(e),
        .e_ehsize = sizeof(e),
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = 1,
        .e_shentsize = sizeof(*header),
        .e_shstrndx = NAMES};
    Elf64_Phdr load = {.p_type = PT_LOAD,
                       .p_flags = PF_R | PF_X,
                       .p_offset = TEXT,
                       .p_vaddr = TEXT,
                       .p_filesz = STEP * n,
                       .p_memsz = STEP * n,
                       .p_align = 1};
    Elf64_Off at = TEXT;

    fill(&section[CODE], 0x90, STEP * n);
    for (int i = 0; i < SECTIONS; i++)
        header[i] = header_of(i, 0);
    for (int i = 1; i < SECTIONS; i++) {
        header[i].sh_offset = at;
        header[i].sh_size = section[i].n;
        at += section[i].n;
    }
    e.e_shoff = (at + 7) / 8 * 8;
    if (SECTIONS + more < SHN_LORESERVE)
        e.e_shnum = (Elf64_Half)(SECTIONS + more);
    else
        header[NIL].sh_size = SECTIONS + more;
    put(&out, &e, sizeof(e));
    put(&out, &load, sizeof(load));
    fill(&out, 0, TEXT - out.n);
    for (int i = 1; i < SECTIONS; i++)
        put(&out, section[i].v, section[i].n);
    fill(&out, 0, e.e_shoff - out.n);
    put(&out, header, sizeof(header));
    for (uint64_t i = 0; i < more; i++)
        put(&out, &header[ABBREV], sizeof(*header));
}

/* A symbol of the name that was written to `out`, which is empty yet. */
static void take_symbol(uint64_t i)
{
    symbol_named(&out, TEXT + STEP * i, STEP);
    out.n = 0;
}

static void elf_symbols(uint64_t n)
{
    begin();
    for (uint64_t i = 0; i < n; i++)
        symbol(i, TEXT + STEP * i, STEP);
    finish(n, 0);
}

/* One function. */
static void elf_one(uint64_t n)
{
    begin();
    symbol(0, TEXT, STEP * n);
    finish(n, 0);
}

/* Names for one address. */
static void elf_same(uint64_t n)
{
    begin();
    for (uint64_t i = 0; i < n; i++)
        symbol(i, TEXT, STEP * n);
    finish(n, 0);
}

/* Each in the one before. */
static void elf_nested(uint64_t n)
{
    begin();
    for (uint64_t i = 0; i < n; i++)
        symbol(i, TEXT + STEP / 2 * i, STEP * (n - i));
    finish(n, 0);
}

/* Each reaches to the end of all. */
static void elf_overlapping(uint64_t n)
{
    begin();
    for (uint64_t i = 0; i < n; i++)
        symbol(i, TEXT + STEP * i, STEP * (n - i));
    finish(n, 0);
}

/* Local names that end in a number, which gprof goes on behind. */
static void elf_numbers(uint64_t n)
{
    begin();
    for (uint64_t i = 0; i < n; i++) {
        Elf64_Sym *s;

        text("f%" PRIu64 ".1", i);
        take_symbol(i);
        s = (Elf64_Sym *)(section[SYMBOLS].v + section[SYMBOLS].n) - 1;
        s->st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC);
    }
    finish(n, 0);
}

/* Names of one string: all of it, all but the first character, and so on. */
static void put_suffixes(uint64_t n, uint64_t step, uint64_t size)
{
    begin();
    for (uint64_t i = 0; i < n; i++) {
        Elf64_Sym s = {.st_name = (Elf64_Word)(1 + i),
                       .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                       .st_shndx = CODE,
                       .st_value = TEXT + step * i,
                       .st_size = size};

        put(&section[SYMBOLS], &s, sizeof(s));
    }
    fill(&section[STRINGS], '_', n);
    fill(&section[STRINGS], 0, 1);
    finish(n, 0);
}

static void elf_suffixes(uint64_t n)
{
    put_suffixes(n, STEP, STEP);
}

static void elf_suffixes_same(uint64_t n)
{
    put_suffixes(n, 0, STEP * n);
}

static void elf_sections(uint64_t n)
{
    begin();
    symbol(0, TEXT, STEP * n);
    finish(n, n);
}

/* --- mangled names; text() and put() write to `out`, which is empty yet */

/* What a mangled name begins with, and a source name that no other has. */
static void put_name(const char *before, uint64_t i)
{
    char name[32];
    int n = snprintf(name, sizeof(name), "f%" PRIu64, i);

    text("%s%d%s", before, n, name);
}

static void number_36(uint64_t v)
{
    if (v >= 36)
        number_36(v / 36);
    text("%c", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[v % 36]);
}

/* Parameters A<B, B> where B is the one before: 2^30 names in the last. */
static void names_doubling(uint64_t n)
{
    begin();
    for (uint64_t i = 0; i < n; i++) {
        put_name("_Z", i);
        text("1AIiE");
        for (uint64_t k = 0; k < 30; k++) {
            text("S_I");
            for (int twice = 0; twice < 2; twice++) {
                text("S");
                number_36(k);
                text("_");
            }
            text("E");
        }
        take_symbol(i);
    }
    finish(n, 0);
}

/* Templates in templates, about 8 KB for each name. */
static void names_deep(uint64_t n)
{
    uint64_t k = n / 100 + 1;

    begin();
    for (uint64_t i = 0; i < k; i++) {
        put_name("_Z", i);
        for (int d = 0; d < 1600; d++)
            text("1AI");
        text("i");
        fill(&out, 'E', 1600);
        take_symbol(i);
    }
    finish(n, 0);
}

/* Function pointers that return function pointers. */
static void names_pointers(uint64_t n)
{
    uint64_t k = n / 100 + 1;

    begin();
    for (uint64_t i = 0; i < k; i++) {
        put_name("_Z", i);
        for (int d = 0; d < 2000; d++)
            text("PF");
        text("v");
        for (int d = 0; d < 2000; d++)
            text("iE");
        take_symbol(i);
    }
    finish(n, 0);
}

/* A pack of arguments in a pack of arguments. */
static void names_packs(uint64_t n)
{
    begin();
    for (uint64_t i = 0; i < n; i++) {
        put_name("_Z", i);
        text("IJ");
        fill(&out, 'i', 40);
        text("EEv");
        for (int d = 0; d < 10; d++)
            text("DpT_");
        take_symbol(i);
    }
    finish(n, 0);
}

/* Rust, version 0: types that refer back to two of the ones before. */
static void names_rust(uint64_t n)
{
    begin();
    for (uint64_t i = 0; i < n; i++) {
        size_t from = out.n;
        uint64_t last;

        put_name("_RIC", i);
        last = out.n - from - 2;
        text("Tll");
        text("E");
        for (int k = 0; k < 30; k++) {
            uint64_t at = out.n - from - 2;
            text("T");
            for (int twice = 0; twice < 2; twice++) {
                /* In base 62, one less. */
                static const char digit[] =
                    "0123456789abcdefghijklmnopqrstuvwxyz"
                    "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
                text("B");
                if (last > 62)
                    text("%c", digit[(last - 1) / 62]);
                text("%c_", digit[(last - 1) % 62]);
            }
            text("E");
            last = at;
        }
        text("E");
        take_symbol(i);
    }
    finish(n, 0);
}

static void names_long(uint64_t n)
{
    begin();
    for (uint64_t i = 0; i < n / 100 + 1; i++) {
        text("_ZN8100");
        fill(&out, 'x', 8090);
        text("%010" PRIu64 "E1A1BS_S0_", i);
        take_symbol(i);
    }
    finish(n, 0);
}

/* --- DWARF 4 */

enum { UNIT = 1, FUNCTION, INLINED, ABSTRACT, PLAIN };

static const uint8_t abbreviations[] = {
    UNIT, 0x11, 1,    0x03,     0x08,    0x11, 0x01,  0x12,     0x07, 0x10,
    0x17, 0,    0,    FUNCTION, 0x2e,    1,    0x03,  0x08,     0x11, 0x01,
    0x12, 0x07, 0,    0,        INLINED, 0x1d, 1,     0x31,     0x13, 0x11,
    0x01, 0x12, 0x07, 0x59,     0x0f,    0,    0,     ABSTRACT, 0x2e, 0,
    0x03, 0x08, 0x20, 0x0b,     0,       0,    PLAIN, 0x2e,     0,    0x03,
    0x08, 0x11, 0x01, 0x12,     0x07,    0,    0,     0,
};

static struct bytes *const info = &section[INFO], *const lines =
                                                      &section[LINES];
static size_t unit_at, lines_at; /* of what is being made */

static void set_length(struct bytes *b, size_t at)
{
    uint32_t n = (uint32_t)(b->n - at - 4);

    memcpy(b->v + at, &n, sizeof(n));
}

/* A table with a line of its own for each of n functions of `step` bytes. */
static void line_table(uint64_t at, uint64_t n, uint64_t step)
{
    static const uint8_t head[] = {1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1,
                                   1, 0, 0, 0,    1,  0,  0, 1, 0};
    static const uint8_t set_address[] = {0, 9, 2}, next[] = {3, 1, 1},
                         end[] = {0, 1, 1};

    lines_at = lines->n;
    put_word(lines, 0, 4);
    put_word(lines, 4, 2);
    put_word(lines, sizeof(head) + 11, 4);
    put(lines, head, sizeof(head));
    put_string(lines, "prog.c");
    fill(lines, 0, 4);
    put(lines, set_address, sizeof(set_address));
    put_word(lines, at, 8);
    for (uint64_t i = 0; i < n; i++) {
        put(lines, next, sizeof(next));
        fill(lines, 2, 1);
        put_varint(lines, step);
    }
    put(lines, end, sizeof(end));
    set_length(lines, lines_at);
}

static void range(uint64_t at, uint64_t size)
{
    put_word(info, at, 8);
    put_word(info, size, 8);
}

static void unit_begin(uint64_t at, uint64_t size)
{
    unit_at = info->n;
    put_word(info, 0, 4);
    put_word(info, 4, 2);
    put_word(info, 0, 4);
    put_word(info, 8, 1);
    fill(info, UNIT, 1);
    put_string(info, "prog.c");
    range(at, size);
    put_word(info, lines_at, 4);
}

static void unit_end(void)
{
    fill(info, 0, 1);
    set_length(info, unit_at);
}

static void function(int kind, uint64_t i, uint64_t at, uint64_t size)
{
    char name[32];

    (void)snprintf(name, sizeof(name), "f%" PRIu64, i);
    fill(info, kind, 1);
    put_string(info, name);
    range(at, size);
}

static void dwarf_finish(uint64_t n)
{
    begin();
    put(&section[ABBREV], abbreviations, sizeof(abbreviations));
    finish(n, 0);
}

static void dwarf_lines(uint64_t n)
{
    line_table(TEXT, n, STEP);
    unit_begin(TEXT, STEP * n);
    function(PLAIN, 0, TEXT, STEP * n);
    unit_end();
    dwarf_finish(n);
}

static void dwarf_functions(uint64_t n)
{
    line_table(TEXT, n, STEP);
    unit_begin(TEXT, STEP * n);
    for (uint64_t i = 0; i < n; i++)
        function(PLAIN, i, TEXT + STEP * i, STEP);
    unit_end();
    dwarf_finish(n);
}

/* Each reaches to the end of all, so that the first has all that there is. */
static void dwarf_overlapping(uint64_t n)
{
    line_table(TEXT, n, STEP);
    unit_begin(TEXT, STEP * n);
    for (uint64_t i = 0; i < n; i++)
        function(PLAIN, i, TEXT + STEP * i, STEP * (n - i));
    unit_end();
    dwarf_finish(n);
}

/* The same from the last to the first, so that each has what it begins with. */
static void dwarf_overlapping_back(uint64_t n)
{
    line_table(TEXT, n, STEP);
    unit_begin(TEXT, STEP * n);
    for (uint64_t i = n; i-- > 0;)
        function(PLAIN, i, TEXT + STEP * i, STEP * (n - i));
    unit_end();
    dwarf_finish(n);
}

static void dwarf_units(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        line_table(TEXT + STEP * i, 1, STEP);
        unit_begin(TEXT + STEP * i, STEP);
        function(PLAIN, i, TEXT + STEP * i, STEP);
        unit_end();
    }
    dwarf_finish(n);
}

/* Begins a unit that has a function to be inlined; where that is. */
static uint64_t inner_begin(uint64_t n)
{
    line_table(TEXT, n, STEP);
    unit_begin(TEXT, STEP * n);

    uint64_t abstract = info->n - unit_at;

    fill(info, ABSTRACT, 1);
    put_string(info, "inner");
    fill(info, 1, 1);
    return abstract;
}

/* Calls inlined in one another, each of a few bytes less if they shrink. */
static void inlined(uint64_t n, uint64_t depth, uint64_t shrink)
{
    uint64_t abstract = inner_begin(n);

    function(FUNCTION, 0, TEXT, STEP * n);
    for (uint64_t i = 0; i < depth; i++) {
        fill(info, INLINED, 1);
        put_word(info, abstract, 4);
        range(TEXT + shrink * i, STEP * n - shrink * i);
        put_varint(info, i + 1);
    }
    fill(info, 0, depth + 1);
    unit_end();
    dwarf_finish(n);
}

/* One chain as deep as there are functions; deep at the last address only. */
static void dwarf_inlined(uint64_t n)
{
    inlined(n, n, STEP);
}

/* The same, and all of it at each address. */
static void dwarf_inlined_all(uint64_t n)
{
    inlined(n, n, 0);
}

/* Calls inlined in one function that claim all code of another. */
static void dwarf_inlined_outside(uint64_t n)
{
    uint64_t abstract = inner_begin(n);

    function(PLAIN, 1, TEXT + STEP, STEP * (n - 1));
    function(FUNCTION, 0, TEXT, STEP);
    for (uint64_t i = 0; i < n; i++) {
        fill(info, INLINED, 1);
        put_word(info, abstract, 4);
        range(TEXT, STEP * n);
        put_varint(info, i + 1);
        fill(info, 0, 1);
    }
    fill(info, 0, 1);
    unit_end();
    dwarf_finish(n);
}

/* --- what objdump prints */

static void disassembly(uint64_t n)
{
    text("\nprog:     file format elf64-x86-64\n\n\n"
         "Disassembly of section .text:\n\n0000000000001000 <f0>:\n"
         "f0():\n");
    for (uint64_t i = 0; i < n; i++)
        text("/absent/prog.c:%" PRIu64 "\n    %" PRIx64 ":\tnop\n", i + 1,
             TEXT + STEP * i);
}

/* Calls inlined at each instruction. */
static void disassembly_names(uint64_t n)
{
    text("0000000000001000 <f0>:\n");
    for (uint64_t i = 0; i < n; i++)
        text("f%" PRIu64 "():\n/absent/prog.c:%" PRIu64 "\n", i, i + 1);
    text("    1000:\tnop\n");
}

static void disassembly_line(uint64_t n)
{
    text("0000000000001000 <f0>:\nf0():\n/absent/prog.c:1\n    1000:\tnop ");
    fill(&out, 'x', 100 * n);
    text("\n    1010:\tcall ");
    fill(&out, '<', 100 * n);
    text("\n");
}

/* --- sources */

static void source_lines(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        text("line %" PRIu64 ";\n", i + 1);
}

static void source_line(uint64_t n)
{
    text("first\n");
    fill(&out, '&', 100 * n);
    text("\nthird\n");
}

const struct class binary_classes[] = {
    {"elf-symbols", elf_symbols},
    {"elf-one", elf_one},
    {"elf-same", elf_same},
    {"elf-nested", elf_nested},
    {"elf-overlapping", elf_overlapping},
    {"elf-numbers", elf_numbers},
    {"elf-suffixes", elf_suffixes},
    {"elf-suffixes-same", elf_suffixes_same},
    {"elf-sections", elf_sections},
    {"mangled-doubling", names_doubling},
    {"mangled-deep", names_deep},
    {"mangled-pointers", names_pointers},
    {"mangled-packs", names_packs},
    {"mangled-rust", names_rust},
    {"mangled-long", names_long},
    {"dwarf-lines", dwarf_lines},
    {"dwarf-functions", dwarf_functions},
    {"dwarf-overlapping", dwarf_overlapping},
    {"dwarf-overlapping-back", dwarf_overlapping_back},
    {"dwarf-units", dwarf_units},
    {"dwarf-inlined", dwarf_inlined},
    {"dwarf-inlined-all", dwarf_inlined_all},
    {"dwarf-inlined-outside", dwarf_inlined_outside},
    {"objdump-lines", disassembly},
    {"objdump-names", disassembly_names},
    {"objdump-line", disassembly_line},
    {"source-lines", source_lines},
    {"source-line", source_line},
    {"", NULL},
};
