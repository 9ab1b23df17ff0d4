/* What objdump prints, GNU's and LLVM's, as instructions and their places. */
#include <string.h>

#include "symbolize/objdump.h"
#include "unit.h"

struct expected {
    uint64_t address;
    const char *text, *function, *file;
    uint32_t line;
};

static void assert_text(const struct sym_code *code, struct sym_text t,
                        const char *expected)
{
    assert_int_equal(t.n, strlen(expected));
    assert_memory_equal(sym_code_text(code, t), expected, t.n);
}

static void assert_code(const char *printed, const struct expected *e, size_t n)
{
    struct sym_code code = {0};
    struct prof_err err;
    assert_true(buf_puts(&code.printed, printed));
    assert_true(sym_code_parse(&code, &err));
    assert_int_equal(code.v.n, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(code.v.v[i].address, e[i].address);
        assert_text(&code, code.v.v[i].text, e[i].text);
        assert_text(&code, code.v.v[i].function, e[i].function);
        assert_text(&code, code.v.v[i].file, e[i].file);
        assert_int_equal(code.v.v[i].line, e[i].line);
    }
    sym_code_free(&code);
}

static void gnu_objdump(void **state)
{
    static const struct expected e[] = {
        {0x401106, "push   %rbp", "main", "/src/my prog/a.c", 3},
        {0x401107, "mov    %rsp,%rbp", "main", "/src/my prog/a.c", 3},
        {0x40110a, "mov    $0x0,%eax", "main", "/src/my prog/b:2.c", 40},
        {0x40110f, "ret", "f(int (*)())", "", 0},
        {0x401110, "nop", "<g>", "", 0},
        {UINT64_MAX, "hlt", "", "", 0},
    };
    assert_code("\n"
                "./a.out:     file format elf64-x86-64\n"
                "\n\n"
                "Disassembly of section .text:\n"
                "\n"
                "0000000000401106 <main>:\n"
                "main():\n"
                "/src/my prog/a.c:3\n"
                "  401106:\tpush   %rbp\n"
                "  401107:\tmov    %rsp,%rbp\n"
                "/src/my prog/b:2.c:40 (discriminator 2)\n"
                "  40110a:\tmov    $0x0,%eax\n"
                "\t...\n"
                "f(int (*)())():\n"
                "  40110f:\tret    \n"
                "0000000000401110 <g>:\n"
                "  401110:\tnop\n"
                "\t...\n"
                "ffffffffffffffff:\thlt",
                e, sizeof e / sizeof *e);
}

static void llvm_objdump(void **state)
{
    static const struct expected e[] = {
        {0x1140, "pushq\t%rbp", "main", "/src/a.c", 12},
        {0x1141, "movq\t%rsp, %rbp", "main", "/src/a.c", 13},
    };
    assert_code("\n/b/prog:\tfile format elf64-x86-64\n\n"
                "Disassembly of section .text:\n\n"
                "0000000000001140 <main>:\n"
                "; main():\n"
                "; /src/a.c:12\n"
                "    1140:     \tpushq\t%rbp\n"
                "; /src/a.c:13\n"
                "    1141:     \tmovq\t%rsp, %rbp\n",
                e, sizeof e / sizeof *e);
}

/* Numbers that are too large are none, and text without code is no code. */
static void odd_text(void **state)
{
    static const struct expected e[] = {
        {0x10, "nop", "", "", 0},
        {1, "nop", "", "/a", UINT32_MAX},
    };
    assert_code("", NULL, 0);
    assert_code(":\n::\n():\n;\n; \nadd\nadd:\n", NULL, 0);
    assert_code("00000000000000010: nop\n"
                "/a:4294967295\n"
                "/b:4294967296\n"
                "1: nop\n"
                "12345678123456781: nop\n",
                e, sizeof e / sizeof *e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gnu_objdump),
        cmocka_unit_test(llvm_objdump),
        cmocka_unit_test(odd_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
