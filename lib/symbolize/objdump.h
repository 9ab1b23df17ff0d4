/*
 * objdump.h - machine instructions, by way of objdump
 *
 * objdump (of GNU binutils or of LLVM) takes code apart, names the functions
 * it comes from and says which line of source it belongs to.  What it prints
 * is read as pprof reads it (internal/binutils/disasm.go of
 * https://github.com/google/pprof), and that is what the fields hold.
 */
#ifndef PROFUTILS_SYMBOLIZE_OBJDUMP_H
#define PROFUTILS_SYMBOLIZE_OBJDUMP_H

#include "base/buf.h"
#include "base/vec.h"
#include "io/process.h"

/* A piece of sym_code.printed. */
struct sym_text {
    size_t at, n;
};

struct sym_inst {
    uint64_t address; /* as linked */
    struct sym_text text;
    struct sym_text function, file; /* n 0: unknown */
    uint32_t line;                  /* 0: unknown */
};

/* Zero-initialise. */
struct sym_code {
    struct buf printed;
    VEC(struct sym_inst) v; /* in the order in which objdump shows them */
    struct run_remarks remarks;
};

struct sym_disassembly {
    const char *program; /* null: llvm-objdump if it is in PATH, or objdump */
    const char *file;
    uint64_t begin, end; /* addresses as linked */
    bool intel_syntax;   /* for x86 */
    const struct prof_notes *notes;
};

/*
 * The instructions of a file that begin in [begin, end), in place of what is
 * in *code.  PROF_ERR_SYSTEM when objdump is missing, fails or prints nothing
 * for a minute.  What it says on standard error is noted, a line once for all
 * that *code is used for.
 */
bool sym_disassemble(const struct sym_disassembly *d, struct sym_code *code,
                     struct prof_err *err);
void sym_code_free(struct sym_code *code);

/* Reads what objdump has printed, in code->printed. */
bool sym_code_parse(struct sym_code *code, struct prof_err *err);

static inline const char *sym_code_text(const struct sym_code *code,
                                        struct sym_text t)
{
    return (const char *)code->printed.v + t.at;
}

#endif
