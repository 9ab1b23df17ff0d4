/* objdump.c - runs objdump and reads the instructions that it prints */
#include "symbolize/objdump.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utf8.h"
#include "io/process.h"

/* Code of one function, or a bit more, takes nowhere near that much. */
enum { MAX_PRINTED = 1 << 30 };
enum { SILENCE = 60 }; /* seconds */

/* A line of what was printed, without blanks around it. */
struct line {
    const char *s;
    size_t n;
};

/* What was said before an instruction. */
struct place {
    struct sym_text function, file;
    uint32_t number;
};

static size_t count_hex(const char *s, size_t n)
{
    size_t i = 0;
    while (i < n && ascii_hex_value(s[i]) >= 0)
        i++;
    return i;
}

/* "401136:  push %rbp" */
static bool take_inst(struct line l, struct sym_inst *inst, size_t *text)
{
    size_t digits = count_hex(l.s, l.n), i = digits;
    if (!digits || i + 1 >= l.n || l.s[i] != ':' || !ascii_is_blank(l.s[i + 1]))
        return false;
    while (++i < l.n && ascii_is_blank(l.s[i]))
        ;
    size_t zeros = 0;
    while (zeros < digits && l.s[zeros] == '0')
        zeros++;
    if (digits - zeros > 16)
        return false;
    inst->address = 0;
    for (size_t k = zeros; k < digits; k++)
        inst->address = inst->address << 4 | (uint64_t)ascii_hex_value(l.s[k]);
    *text = i;
    return true;
}

/* Leaves a ';' at the beginning out, and one blank. */
static struct line without_mark(struct line l)
{
    if (l.n && l.s[0] == ';') {
        l.s++;
        l.n--;
    }
    if (l.n && ascii_is_blank(l.s[0])) {
        l.s++;
        l.n--;
    }
    return l;
}

/* "/src/a.c:12 (discriminator 3)", with "; " before it from LLVM. */
static bool take_file(struct line all, const char *base, struct place *at)
{
    struct line l = without_mark(all);
    /* The last ':' with a digit behind it. */
    size_t colon = l.n;
    while (colon > 0 && (l.s[colon - 1] != ':' || colon == l.n ||
                         !ascii_is_digit(l.s[colon])))
        colon--;
    if (!colon--)
        return false;
    uint64_t number = 0;
    for (size_t i = colon + 1; i < l.n && ascii_is_digit(l.s[i]); i++)
        if (number <= UINT32_MAX)
            number = number * 10 + (uint64_t)(l.s[i] - '0');
    if (number <= UINT32_MAX) {
        at->file = (struct sym_text){(size_t)(l.s - base), colon};
        at->number = (uint32_t)number;
    }
    return true;
}

/* "main():", with "; " before it from LLVM. */
static bool take_function(struct line all, const char *base, struct place *at)
{
    struct line l = without_mark(all);
    if (l.n && ascii_is_blank(l.s[0]))
        return false;
    for (size_t i = l.n; i-- > 1;)
        if (l.n - i >= 3 && memcmp(l.s + i, "():", 3) == 0) {
            at->function = (struct sym_text){(size_t)(l.s - base), i};
            return true;
        }
    return false;
}

/* "0000000000401136 <main>:", and anything else that has a colon. */
static bool take_heading(struct line l, const char *base, struct place *at)
{
    size_t i = count_hex(l.s, l.n), colon = l.n;
    while (colon > 0 && l.s[colon - 1] != ':')
        colon--;
    if (!colon--)
        return false;
    if (i < colon && ascii_is_blank(l.s[i]))
        i++;
    at->function = (struct sym_text){(size_t)(l.s - base) + i, colon - i};
    return true;
}

bool sym_code_parse(struct sym_code *code, struct prof_err *err)
{
    const char *base = (const char *)code->printed.v, *s = base;
    const char *end = s + code->printed.n;
    struct place at = {0};
    code->v.n = 0;
    while (s < end) {
        const char *newline = memchr(s, '\n', (size_t)(end - s));
        struct line l = {s, (size_t)((newline ? newline : end) - s)};
        s = newline ? newline + 1 : end;
        while (l.n && ascii_is_blank(l.s[l.n - 1]))
            l.n--;
        while (l.n && ascii_is_blank(l.s[0])) {
            l.s++;
            l.n--;
        }
        struct sym_inst inst;
        size_t text;
        if (take_inst(l, &inst, &text)) {
            inst.text =
                (struct sym_text){(size_t)(l.s - base) + text, l.n - text};
            inst.function = at.function;
            inst.file = at.file;
            inst.line = at.number;
            if (!vec_push(&code->v, inst))
                return err_nomem(err);
        } else if (!take_file(l, base, &at) && !take_function(l, base, &at) &&
                   !take_heading(l, base, &at)) {
            at = (struct place){0};
        }
    }
    return true;
}

/* Where that cannot be found out it is; starting it will tell. */
static bool find_in_path(const char *program, bool *found, struct prof_err *err)
{
    const char *dir = getenv("PATH");
    struct buf name = {0};
    bool ok = true;
    *found = false;
    while (dir && ok && !*found) {
        size_t n = strcspn(dir, ":");
        name.n = 0;
        ok = buf_put(&name, dir, n) &&
             buf_printf(&name, "%s%s", n ? "/" : "./", program);
        *found = ok && (access((const char *)name.v, X_OK) == 0 ||
                        !file_is_refused(errno));
        dir = dir[n] ? dir + n + 1 : NULL;
    }
    buf_free(&name);
    return ok || err_nomem(err);
}

bool sym_disassemble(const struct sym_disassembly *d, struct sym_code *code,
                     struct prof_err *err)
{
    char from[40], to[40];
    (void)snprintf(from, sizeof from, "--start-address=%#" PRIx64, d->begin);
    (void)snprintf(to, sizeof to, "--stop-address=%#" PRIx64, d->end);
    const char *program = d->program;
    bool llvm = false;
    if (!program && !find_in_path("llvm-objdump", &llvm, err))
        return false;
    if (!program)
        program = llvm ? "llvm-objdump" : "objdump";
    struct buf name = {0};
    code->printed.n = code->v.n = 0;
    /* A name that is no option, nor @FILE, which has options in it. */
    if ((d->file[0] != '/' && !buf_puts(&name, "./")) ||
        !buf_puts(&name, d->file) || !buf_putc(&name, 0)) {
        buf_free(&name);
        return err_nomem(err);
    }
    const char *argv[] = {program,
                          "--disassemble",
                          "--demangle",
                          "--no-show-raw-insn",
                          "--line-numbers",
                          from,
                          to,
                          (const char *)name.v,
                          NULL,
                          NULL,
                          NULL};
    if (d->intel_syntax) {
        argv[8] = "-M";
        argv[9] = "intel";
    }
    struct run job = {.argv = argv,
                      .max_out = MAX_PRINTED,
                      .silence = SILENCE,
                      .notes = d->notes,
                      .remarks = &code->remarks};
    bool ok = run(&job, &code->printed, err) && sym_code_parse(code, err);
    buf_free(&name);
    return ok;
}

void sym_code_free(struct sym_code *code)
{
    run_remarks_end(&code->remarks);
    buf_free(&code->printed);
    vec_free(&code->v);
}
