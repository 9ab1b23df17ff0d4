/*
 * Addresses of processes to addresses of the linker: each case is the
 * arithmetic of a loader that maps whole pages of a segment's file range at
 * its address plus the bias.
 */
#include <elf.h>

#include "symbolize/binary.h"
#include "unit.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* As GNU ld lays out: offsets are addresses, the code on pages of its own. */
static struct sym_segment bfd[] = {
    {0, 0, 0x628, 0x628, false},
    {0x1000, 0x1000, 0x7d1, 0x7d1, true},
    {0x2000, 0x2000, 0x1f4, 0x1f4, false},
    {0x2db8, 0x3db8, 0x270, 0x278, false},
};

/* As lld does: offsets run on, so that pages of the file are mapped twice. */
static struct sym_segment lld[] = {
    {0, 0, 0x600, 0x600, false},
    {0x600, 0x1600, 0x1c0, 0x1c0, true},
    {0x7c0, 0x27c0, 0x1b0, 0x1b0, false},
};

/* Code that begins in the middle of a page of 64 KiB. */
static struct sym_segment big_pages[] = {
    {0, 0, 0x11200, 0x11200, false},
    {0x11200, 0x21200, 0x5000, 0x5000, true},
};

/* One segment with headers and code, data 2 MiB further on. */
static struct sym_segment old[] = {
    {0, 0, 0x1a00, 0x1a00, true},
    {0x1db8, 0x201db8, 0x270, 0x278, false},
};

static struct sym_segment fixed[] = {
    {0, 0x400000, 0x5b0, 0x5b0, false},
    {0x1000, 0x401000, 0x6a5, 0x6a5, true},
    {0x2000, 0x402000, 0x1c0, 0x1c0, false},
};

/* A debug file: the code is there in name only, its offset that of nothing. */
static struct sym_segment left_out[] = {
    {0, 0, 0x318, 0x628, false},
    {0x318, 0x1000, 0, 0x7d1, true},
};

#define BASE UINT64_C(0x555555554000)

struct one {
    const char *what;
    struct sym_segment *segments;
    size_t n;
    int type;
    bool debug_only;
    uint64_t start, limit, offset, address;
    uint64_t vaddr;
};

static const struct one cases[] = {
    {"code of a PIE", bfd, COUNT(bfd), ET_DYN, false, BASE + 0x1000,
     BASE + 0x2000, 0x1000, BASE + 0x1136, 0x1136},
    {"all of a PIE as one", bfd, COUNT(bfd), ET_DYN, false, BASE, BASE + 0x5000,
     0, BASE + 0x1136, 0x1136},
    {"code, page shared with the headers", lld, COUNT(lld), ET_DYN, false,
     BASE + 0x1000, BASE + 0x2000, 0, BASE + 0x1610, 0x1610},
    {"the same as one mapping", lld, COUNT(lld), ET_DYN, false, BASE,
     BASE + 0x3000, 0, BASE + 0x1610, 0x1610},
    {"rounded to 64 KiB", big_pages, COUNT(big_pages), ET_DYN, false,
     BASE + 0x20000, BASE + 0x30000, 0x10000, BASE + 0x21234, 0x21234},
    {"one segment", old, COUNT(old), ET_DYN, false, BASE, BASE + 0x2000, 0,
     BASE + 0x1234, 0x1234},
    {"part of a segment", old, COUNT(old), ET_DYN, false, BASE + 0x1000,
     BASE + 0x2000, 0x1000, BASE + 0x1234, 0x1234},
    {"fixed", fixed, COUNT(fixed), ET_EXEC, false, 0x401000, 0x402000, 0x1000,
     0x401126, 0x401126},
    {"fixed, from 0x400000", fixed, COUNT(fixed), ET_EXEC, false, 0x400000,
     0x403000, 0, 0x401126, 0x401126},
    {"fixed, mapping without sense", fixed, COUNT(fixed), ET_EXEC, false,
     0x401126, 0x401127, 0, 0x401126, 0x401126},
    {"fixed, but run elsewhere", fixed, COUNT(fixed), ET_EXEC, false,
     BASE + 0x1000, BASE + 0x2000, 0x1000, BASE + 0x1126, 0x401126},
    {"gmon.out of a PIE", bfd, COUNT(bfd), ET_DYN, false, 0x1040, 0x17d4, 0,
     0x1136, 0x1136},
    {"gmon.out, fixed", fixed, COUNT(fixed), ET_EXEC, false, 0x401040, 0x4016a8,
     0, 0x401126, 0x401126},
    {"everything", bfd, COUNT(bfd), ET_DYN, false, 0, UINT64_MAX, 0, 0x1136,
     0x1136},
    {"no range", bfd, COUNT(bfd), ET_DYN, false, 0, 0, 0, 0x1136, 0x1136},
    {"debug file", left_out, COUNT(left_out), ET_DYN, true, BASE + 0x1000,
     BASE + 0x2000, 0x1000, BASE + 0x1136, 0x1136},
};

static void each_layout(void **state)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct one *c = &cases[i];
        struct sym_image im = {.type = c->type,
                               .segments = c->segments,
                               .n_segments = c->n,
                               .debug_only = c->debug_only};
        struct prof_mapping m = {
            .start = c->start, .limit = c->limit, .offset = c->offset};
        uint64_t bias;
        print_message("# %s\n", c->what);
        assert_true(sym_bias(&im, &m, c->address, &bias));
        assert_int_equal(c->address - bias, c->vaddr);
    }
}

static void offset_behind_the_file(void **state)
{
    struct sym_image im = {
        .type = ET_DYN, .segments = bfd, .n_segments = COUNT(bfd)};
    struct prof_mapping m = {
        .start = BASE, .limit = BASE + 0x1000, .offset = 0x900000};
    uint64_t bias;
    assert_false(sym_bias(&im, &m, BASE + 0x10, &bias));
}

/* Sums that wrap round must neither trap nor match. */
static void extreme_numbers(void **state)
{
    struct sym_segment wild[] = {
        {UINT64_MAX - 8, UINT64_MAX - 8, UINT64_MAX, UINT64_MAX, true},
    };
    struct sym_image im = {.type = ET_DYN, .segments = wild, .n_segments = 1};
    struct prof_mapping m = {
        .start = BASE, .limit = UINT64_MAX, .offset = 0x1000};
    uint64_t bias;
    assert_false(sym_bias(&im, &m, UINT64_MAX, &bias));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_layout),
        cmocka_unit_test(offset_behind_the_file),
        cmocka_unit_test(extreme_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
