/*
 * gmon_options.h - what gmon_read() is told, chosen by a byte
 */
#ifndef PROFUTILS_TESTS_GMON_OPTIONS_H
#define PROFUTILS_TESTS_GMON_OPTIONS_H

#include "formats/gmon/gmon.h"

/*
 * Every family comes with every other option, though not all with each other.
 */
static inline struct gmon_opts gmon_options(unsigned choice)
{
    static const unsigned bin_bits[] = {0, 0, 8, 16, 32, 64};
    static const unsigned addr_size[] = {0, 0, 4, 8};
    static const unsigned count_bits[] = {0, 32, 64};
    unsigned rest = choice / (GMON_DARWIN + 1);
    return (struct gmon_opts){
        .family = (enum gmon_family)(choice % (GMON_DARWIN + 1)),
        .lenient = rest % 2,
        .addr_size = addr_size[rest / 2 % 4],
        .bin_order = (enum gmon_order)(rest % 3),
        .bin_bits = bin_bits[rest % 6],
        .count_bits = count_bits[rest / 3 % 3],
        .order = (enum gmon_order)(rest % 5 % 3),
        .hint = {addr_size[rest / 3 % 4], rest % 7 > 3},
    };
}

#endif
