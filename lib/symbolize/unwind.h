/*
 * unwind.h - finds callers from registers and a copy of the stack
 *
 * `perf record --call-graph dwarf` records the registers of a thread and the
 * first bytes of its stack.  To find its callers, this reads the call frame
 * information of the binaries (.eh_frame, .debug_frame: DWARF 5, section 6.4,
 * https://dwarfstd.org/), which says for each address where the caller's
 * registers are.
 *
 * Where there is none (code of a JIT compiler, a missing binary), the next
 * frame is found by the frame pointer if that is plausible, as libunwind does.
 * A stack ends where that fails, and where it leaves the bytes that were
 * recorded, which is reported.
 *
 * Machines: x86-64, i386, AArch64.
 */
#ifndef PROFUTILS_SYMBOLIZE_UNWIND_H
#define PROFUTILS_SYMBOLIZE_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* A mapping of the recorded process. */
struct unwind_mapping {
    uint64_t start, limit, offset; /* limit is exclusive */
    const char *file, *build_id;   /* hexadecimal or ""; not owned */
    const char *binary;            /* file to try before `file`, or null; not
                                      owned */
    uint32_t key; /* equal only for mappings of the same file and build ID */
};

/* Numbers and bytes are those of the recording. */
struct unwind_sample {
    int machine;          /* EM_, of the code that ran */
    uint64_t mask;        /* registers that were recorded, a bit for each of
                             perf's numbers (asm/perf_regs.h) */
    const uint64_t *regs; /* one for each bit that is set, lowest first */
    const uint8_t *stack; /* n_stack bytes from the stack pointer up */
    size_t n_stack;
    bool is_big; /* the byte order of `stack` */
    bool more;   /* more bytes of the stack may follow, not recorded */
    size_t max_frames;
    uint32_t space; /* identifies the set of mappings, for a cache: samples with
                       the same number get the same results from `find`; 0: do
                       not use the cache */
    /* Finds the mapping that holds the address; false: there is none. */
    bool (*find)(void *ctx, uint64_t address, struct unwind_mapping *m);
    void *ctx;
};

/* Keeps binaries open, and what was read from them.  For one thread. */
struct unwinder;

/*
 * `path` has the directories in which to search binaries, as sym_opts.path; it
 * is not copied.  Binaries that cannot be used are notes.  Null: memory is out.
 */
struct unwinder *unwinder_new(const char *path, const struct prof_notes *notes,
                              struct prof_err *err);
void unwinder_free(struct unwinder *u); /* null is allowed */

struct unwind_stack {
    const uint64_t *frames; /* leaf first; valid until the next call */
    size_t n;
    bool cut; /* callers are missing: they are beyond the recorded bytes */
};

/*
 * Sets *stack to at most s->max_frames frames.  The frame of a caller is its
 * return address minus 1, which is inside the call.  The leaf, code that a
 * signal interrupted, and the code that a signal handler returns to have their
 * exact addresses.  stack->n is 0 if the registers lack the program counter.
 */
bool unwind_stack(struct unwinder *u, const struct unwind_sample *s,
                  struct unwind_stack *stack, struct prof_err *err);

#endif
