/*
 * gmon_bsd.h - the histogram and the arcs of the BSD formats; private to
 * their readers
 *
 * In words of the target, a being the size of an address:
 *
 *   low a, high a, size of header and bins 4,
 *   in the 4.4BSD header also: version 4 (0x51879), rate 4, 12 spare bytes,
 *   the bins,
 *   arcs: from a, self a, count
 *
 * Bins are unsigned 16-bit counts, except that FreeBSD puts another type in
 * the first spare word (its bits, negative when signed) and that some ports
 * write 32 bits without saying so.
 */
#ifndef PROFUTILS_IMPORT_GMON_BSD_H
#define PROFUTILS_IMPORT_GMON_BSD_H

#include "import/gmon/gmon_form.h"

enum { GMON_BSD44_VERSION = 0x51879 };

/* The histogram at `at`, of what is there before `end`. */
struct gmon_bsd {
    const struct gmon_input *in;
    struct gmon_form form;
    size_t at, end;
    size_t head;   /* bytes of the header */
    bool has_rate; /* it is 4.4BSD's */
    bool has_type; /* and may have FreeBSD's type */
};

/* The bytes of the 4.4BSD header. */
size_t gmon_bsd44_head(struct gmon_form form);

/*
 * Takes header and bins; *used is where they end.  With opts.lenient, a
 * histogram without all its bins is left out, and everything used.
 */
bool gmon_bsd_hist(const struct gmon_bsd *b, struct gmon *g, size_t *used,
                   struct err *err);

/*
 * Takes the arcs that follow one another from `at` to `end`, each of `size`
 * bytes.  Their counts have a bytes, or 4 where opts.count_bits says so or
 * where the upper halves of 64-bit ones cannot be meant: where a C long has
 * 32 bits and an address 64 (mingw-w64, Darwin), they are whatever the stack
 * held.  `narrow` means that it is known to be so.
 *
 * Where an arc should be but another gmon.out begins, of the same program or
 * with the header of 4.4BSD, it is ERR_INPUT, or with opts.lenient the end.
 */
bool gmon_bsd_arcs(const struct gmon_input *in, struct gmon_form form,
                   size_t at, size_t end, size_t size, bool narrow,
                   struct gmon *g, struct err *err);

#endif
