/*
 * gmon_form.h - what the gmon.out readers share; private to them
 */
#ifndef PROFUTILS_IMPORT_GMON_FORM_H
#define PROFUTILS_IMPORT_GMON_FORM_H

#include "import/gmon.h"

/* The unsigned integer in the `size` bytes at p. */
static inline uint64_t gmon_uint(const uint8_t *p, unsigned size, bool big)
{
    uint64_t x = 0;
    for (unsigned i = 0; i < size; i++)
        x = x << 8 | p[big ? i : size - 1 - i];
    return x;
}

static inline uint32_t gmon_u32(const uint8_t *p, struct gmon_form form)
{
    return (uint32_t)gmon_uint(p, 4, form.big_endian);
}

static inline uint64_t gmon_addr(const uint8_t *p, struct gmon_form form)
{
    return gmon_uint(p, form.addr_size, form.big_endian);
}

/* "64-bit little-endian" and the like. */
const char *gmon_form_text(struct gmon_form form);

/* True when the options do not speak against this form. */
bool gmon_form_allowed(struct gmon_form form, const struct gmon_opts *opts);

/*
 * Adds a histogram with n_bins counts of `bits` bits each at p, negative
 * ones refused if they are `is_signed`; `at` is where the record began.
 */
bool gmon_push_hist(struct gmon *g, struct gmon_hist h, const uint8_t *p,
                    unsigned bits, bool is_signed, size_t at, struct err *err);

/* Puts hists, arcs and blocks in order and sums those that are alike. */
bool gmon_settle(struct gmon *g, struct err *err);

/*
 * The readers.  *g is empty, data is known to be of the family, and its
 * header to be there.  What they add need not be settled.
 */
bool gmon_read_gnu(struct gmon *g, const uint8_t *data, size_t n,
                   const struct gmon_opts *opts, const struct notes *notes,
                   struct err *err);
bool gmon_read_bsd44(struct gmon *g, const uint8_t *data, size_t n,
                     struct gmon_form form, const struct gmon_opts *opts,
                     const struct notes *notes, struct err *err);

enum {
    GMON_GNU_HEADER = 20,
    GMON_BSD44_VERSION = 0x51879,
};

#endif
