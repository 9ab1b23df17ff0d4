/* objdump.c - runs objdump and reads the instructions that it prints */
#include "symbolize/objdump.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/slice.h"
#include "base/utf8.h"
#include "io/process.h"

/* Output of one function is far smaller than this. */
enum { MAX_PRINTED = 1 << 30 };
enum { SILENCE = 60 }; /* seconds */

/* The place printed before an instruction. */
struct place {
    struct prof_slice function, file;
    uint32_t number;
};

static struct prof_slice without_mark(struct prof_slice l)
{
    (void)slice_take_char(&l, ';');
    return slice_from(l, l.n && ascii_is_blank(*l.s));
}

/* Reads "/src/a.c:12 (discriminator 3)", which LLVM prefixes with "; ". */
static bool take_file(struct prof_slice line, struct place *at)
{
    const struct prof_slice l = without_mark(line);
    /* Find the last ':' before a digit. */
    size_t colon = l.n;
    while (colon > 0 && (l.s[colon - 1] != ':' || colon == l.n ||
                         !ascii_is_digit(l.s[colon])))
        colon--;
    if (!colon)
        return false;
    struct prof_slice digits = slice_from(l, colon);
    int64_t number;
    if (slice_take_int(&digits, &number) && number <= UINT32_MAX) {
        at->file = slice_to(l, colon - 1);
        at->number = (uint32_t)number;
    }
    return true;
}

/* Reads "main():", which LLVM prefixes with "; ". */
static bool take_function(struct prof_slice line, struct place *at)
{
    const struct prof_slice l = without_mark(line);
    if (l.n && ascii_is_blank(*l.s))
        return false;
    for (size_t i = l.n; i-- > 1;)
        if (slice_begins_with(slice_from(l, i), "():")) {
            at->function = slice_to(l, i);
            return true;
        }
    return false;
}

/* Reads "0000000000401136 <main>:", or any other line with a colon. */
static bool take_heading(struct prof_slice l, struct place *at)
{
    size_t i = 0, colon = l.n;
    while (colon > 0 && l.s[colon - 1] != ':')
        colon--;
    if (!colon)
        return false;
    l = slice_to(l, colon - 1);
    while (i < l.n && ascii_hex_value(l.s[i]) >= 0)
        i++;
    if (i < l.n && ascii_is_blank(l.s[i]))
        i++;
    at->function = slice_from(l, i);
    return true;
}

static struct sym_text text_in(const struct sym_code *code, struct prof_slice s)
{
    const char *begin = (const char *)code->printed.v;
    return (struct sym_text){s.n ? (size_t)(s.s - begin) : 0, s.n};
}

bool sym_code_parse(struct sym_code *code, struct prof_err *err)
{
    struct prof_slice rest = buf_slice(&code->printed);
    struct place at = {0};
    code->v.n = 0;
    while (rest.n) {
        const struct prof_slice line = slice_trim(slice_take_line(&rest));
        struct prof_slice l = line;
        struct sym_inst inst;
        /* "401136:  push %rbp" */
        if (slice_take_hex(&l, &inst.address) && slice_take_char(&l, ':') &&
            l.n && ascii_is_blank(*l.s)) {
            inst.text = text_in(code, slice_trim_left(l));
            inst.function = text_in(code, at.function);
            inst.file = text_in(code, at.file);
            inst.line = at.number;
            if (!vec_push(&code->v, inst))
                return err_nomem(err);
        } else if (!take_file(line, &at) && !take_function(line, &at) &&
                   !take_heading(line, &at)) {
            at = (struct place){0};
        }
    }
    return true;
}

/* Sets *found to whether PATH may have the program: an unreadable directory
 * may, and running the program then reports that. */
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
    /* Make a name that is neither an option nor @FILE, a list of options. */
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
