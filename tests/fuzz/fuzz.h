/*
 * fuzz.h - what the fuzz targets share
 *
 * A target is a file fuzz_NAME.c with LLVMFuzzerTestOneInput(), which gives
 * one input to one parser and asserts more than that nothing crashes: what is
 * accepted holds together, and what is refused is refused in words.  The same
 * function is called by libFuzzer (make fuzz), by AFL++ (make slow-afl), and
 * by replay.c for the inputs that are kept in seeds/NAME and cases/NAME (make
 * check).
 *
 * An input is a file of the format as it is.  Where a reader has options, its
 * last byte chooses them, so that a fuzzer finds the combinations and any real
 * file is an input.
 */
#ifndef PROFUTILS_TESTS_FUZZ_H
#define PROFUTILS_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "profile/model/build.h"

/* Of each target; 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Aborts, which is how all fuzzers are told, unless it holds. */
#define FUZZ_CHECK(holds)                                                      \
    ((holds) ? (void)0 : fuzz_fail(__FILE__, __LINE__, "%s", #holds))

_Noreturn void fuzz_fail(const char *file, int line, const char *fmt, ...)
    ERR_PRINTF(3, 4);

/* The last byte, 0 where there is none. */
static inline unsigned fuzz_choice(const uint8_t *data, size_t n)
{
    return n ? data[n - 1] : 0;
}

/* Looks at every character of what is noted. */
extern const struct prof_notes fuzz_notes;

/*
 * That *err says something, and that it is the input's fault: not memory, not
 * the system.
 */
void fuzz_refused(const struct prof_err *err);

/*
 * That *p holds together, can be encoded, and that what is decoded of that is
 * the same profile.
 */
void fuzz_sound(const struct profile *p);

/* That two profiles say the same in the same order; ids do not count. */
void fuzz_same(const struct profile *p, const struct profile *q);

/*
 * Reads a format of prof2pb (formats/import_formats.h), null: the one that the
 * bytes begin like, with options that the last byte chooses.
 */
void fuzz_format(const char *name, const uint8_t *data, size_t n);

/*
 * Reads DCPI profiles of any form, with options that the last byte chooses.
 * The bytes 0, 255, 0, 255 stand between two inputs: what comes of these does
 * not depend on their order.
 */
void fuzz_dcpi(const uint8_t *data, size_t n);

/* Reads a recording of perf or the output of perf script, with options that the
 * last byte chooses. */
void fuzz_perf(const uint8_t *data, size_t n);

/*
 * Line `number` (from 0) of the input as a string of its own, up to a NUL if
 * there is one; the last has all that is left.  Null if there are fewer.  To
 * be freed.
 */
char *fuzz_line(const uint8_t *data, size_t n, unsigned number, unsigned last);

/* Makes the bytes the content of a file that fuzz_path() is the name of. */
void fuzz_file(const uint8_t *data, size_t n);
const char *fuzz_path(void);

/* Appends all of a file that the command line names; errno is set if not. */
bool fuzz_read(const char *name, struct buf *bytes);

#endif
