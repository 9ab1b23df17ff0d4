/*
 * Binaries: their call frame information, by which a stack is unwound that
 * refers to all of their code and to itself.
 */
#include <elf.h>
#include <string.h>

#include "fuzz.h"
#include "symbolize/binary.h"
#include "symbolize/unwind.h"

enum { ADDRESSES = 24, WORDS = 96, FRAMES = 64, STACK = 0x7f0000 };

/* The binary is mapped at the addresses of the linker. */
static bool find(void *ctx, uint64_t address, struct unwind_mapping *m)
{
    const struct sym_image *im = ctx;
    for (size_t i = 0; i < im->n_segments; i++) {
        const struct sym_segment *s = &im->segments[i];
        if (address < s->vaddr || address - s->vaddr >= s->filesz)
            continue;
        *m = (struct unwind_mapping){.start = s->vaddr,
                                     .limit = s->vaddr + s->filesz,
                                     .offset = s->offset,
                                     .file = fuzz_path(),
                                     .build_id = "",
                                     .key = 1};
        return true;
    }
    return false;
}

/* An address of code, of all of it in turns. */
static uint64_t code(const struct sym_image *im, size_t i)
{
    const struct sym_segment *s = &im->segments[i % im->n_segments];
    return s->vaddr + s->filesz / ADDRESSES * (i % ADDRESSES) + i % 7;
}

static void unwind(struct unwinder *u, struct sym_image *im, size_t i)
{
    const unsigned word = im->machine == EM_386 ? 4 : 8,
                   pc = im->machine == EM_AARCH64 ? 32 : 8;
    uint8_t stack[8 * WORDS];
    uint64_t regs[33];
    struct unwind_stack got;
    struct prof_err err = {0};
    for (size_t k = 0; k < sizeof stack; k++) {
        const size_t at = k / word;
        const uint64_t v =
            at % 3 == 2 ? STACK + word * (at + 2) : code(im, i + at);
        stack[k] = (uint8_t)(v >> 8 * (k % word));
    }
    for (size_t k = 0; k < 33; k++)
        regs[k] = k % 2 ? STACK : STACK + 64;
    regs[pc] = code(im, i);
    const struct unwind_sample s = {
        .machine = im->machine,
        .mask = pc == 8 ? 0x1ff : UINT64_C(0x1ffffffff),
        .regs = regs,
        .stack = stack,
        .n_stack = sizeof stack,
        .more = i % 2,
        .max_frames = FRAMES,
        .space = i % 3 != 0,
        .find = find,
        .ctx = im,
    };
    if (!unwind_stack(u, &s, &got, &err))
        fuzz_fail(__FILE__, __LINE__, "%s", err.text);
    FUZZ_CHECK(got.n <= FRAMES);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct sym_image im;
    struct prof_err err = {0};
    bool absent = false;
    fuzz_file(data, n);
    if (!sym_image_open(&im, fuzz_path(), false, &absent, &err)) {
        fuzz_refused(&err);
        return 0;
    }
    struct unwinder *u = unwinder_new(NULL, &fuzz_notes, &err);
    FUZZ_CHECK(u);
    for (size_t i = 0; im.n_segments && i < ADDRESSES; i++)
        unwind(u, &im, i);
    unwinder_free(u);
    sym_image_close(&im);
    return 0;
}
