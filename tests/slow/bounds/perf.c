/* The output of perf script, and recordings of perf. */
#include "hostile.h"

/* --- the output of perf script */

static void script_begin(void)
{
    text("a 1/1 1.000001: 1 cycles:\n\t1 f (/a)\n\n");
}

/* Words of a first line that may be the period. */
static void script_numbers(uint64_t n)
{
    script_begin();
    for (uint64_t i = 0; i < n; i++)
        text("1 ");
    text("cycles:\n\t1 f (/a)\n\n");
}

static void script_deep(uint64_t n)
{
    text("a 1/1 1.000001: 1 cycles:\n");
    for (uint64_t i = 0; i < n; i++)
        text("\t%x f (/a)\n", (unsigned)i);
    text("\n");
}

static void script_inlined(uint64_t n)
{
    text("a 1/1 1.000001: 1 cycles:\n");
    for (uint64_t i = 0; i < n; i++)
        text("\t1 f%u (inlined)\n", (unsigned)i);
    text("\t1 f (/a)\n\n");
}

const struct class perf_classes[] = {
    {"script-numbers", script_numbers},
    {"script-deep", script_deep},
    {"script-inlined", script_inlined},
    {"", NULL},
};
