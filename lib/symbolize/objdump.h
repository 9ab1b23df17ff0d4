/*
 * objdump.h - disassembles code by running objdump
 *
 * objdump (of GNU binutils or of LLVM) prints instructions, and the function
 * and source line of each.  Its output is parsed as pprof parses it
 * (internal/binutils/disasm.go of https://github.com/google/pprof).
 */
#ifndef PROFUTILS_SYMBOLIZE_OBJDUMP_H
#define PROFUTILS_SYMBOLIZE_OBJDUMP_H

#include "base/buf.h"
#include "base/vec.h"
#include "io/process.h"

/* A part of sym_code.printed: n bytes from `at` on. */
struct sym_text {
    size_t at, n;
};

/* An instruction. */
struct sym_inst {
    uint64_t address; /* that the linker assigned */
    struct sym_text text;
    struct sym_text function, file; /* n 0: unknown */
    uint32_t line;                  /* 0: unknown */
};

/* Zero-initialise. */
struct sym_code {
    struct buf printed;         /* the output of objdump */
    VEC(struct sym_inst) v;     /* in the order of the output */
    struct run_remarks remarks; /* lines of standard error so far */
};

struct sym_disassembly {
    const char *program; /* null: llvm-objdump if it is in PATH, else objdump */
    const char *file;
    uint64_t begin, end; /* addresses that the linker assigned */
    bool intel_syntax;   /* for x86 */
    const struct prof_notes *notes;
};

/*
 * Replaces the instructions in *code by those of a file that begin in
 * [begin, end).  PROF_ERR_SYSTEM when objdump is missing, fails or prints
 * nothing for a minute.  Each distinct line that objdump writes to standard
 * error becomes a note once, even if *code is used for several calls.
 */
bool sym_disassemble(const struct sym_disassembly *d, struct sym_code *code,
                     struct prof_err *err);
void sym_code_free(struct sym_code *code);

/* Parses the output of objdump, code->printed, into code->v. */
bool sym_code_parse(struct sym_code *code, struct prof_err *err);

static inline const char *sym_code_text(const struct sym_code *code,
                                        struct sym_text t)
{
    return (const char *)code->printed.v + t.at;
}

#endif
