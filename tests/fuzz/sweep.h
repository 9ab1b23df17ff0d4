/*
 * sweep.h - inputs that differ from a good one in one number
 *
 * A place is where an input may have a number, by what the input is:
 *
 *   fixed  every offset, for numbers of 1, 2, 4 and 8 bytes in both orders
 *   text   every run of digits, those of "0x..." included
 *   wire   every varint of a profile.proto message: keys, values, elements of
 *          packed fields, and lengths.  The lengths of the messages around are
 *          made right again, so that nothing else is wrong
 *
 * At each place stand, one after the other, the numbers where something ends:
 * 0, 1, 2^31 - 1, 2^31, 2^32 - 1, 2^32, 2^63 - 1, 2^63, 2^64 - 1, and what a
 * form has besides: smaller ends, signs, fractions, NaN, too many digits.
 */
#ifndef PROFUTILS_TESTS_FUZZ_SWEEP_H
#define PROFUTILS_TESTS_FUZZ_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"

enum sweep_form { SWEEP_FIXED, SWEEP_TEXT, SWEEP_WIRE };

/* A number of an input: n bytes from `at` (fixed: the rest of the input). */
struct sweep_place {
    size_t at, n;
    /* wire: the length of the message around, an index, or SWEEP_TOP. */
    size_t around;
};

#define SWEEP_TOP ((size_t)-1)

/* The input is borrowed. */
struct sweep {
    enum sweep_form form;
    const uint8_t *data;
    size_t n;
    VEC(struct sweep_place) places;
    size_t n_cases;
};

/* Running out of memory ends the program. */
void sweep_init(struct sweep *s, enum sweep_form form, const uint8_t *data,
                size_t n);
void sweep_free(struct sweep *s);

/*
 * Case k of s->n_cases becomes what *out has.  False where it is the input
 * itself, or there is no room for so wide a number.
 */
bool sweep_make(const struct sweep *s, size_t k, struct buf *out);

/*
 * The command line of it: gives the cases to LLVMFuzzerTestOneInput().  See
 * replay.c.  What is returned is the exit status.
 */
int sweep_main(int argc, char **argv);

#endif
