/*
 * gmon_form.h - what the gmon.out readers share; private to them
 */
#ifndef PROFUTILS_IMPORT_GMON_FORM_H
#define PROFUTILS_IMPORT_GMON_FORM_H

#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "import/gmon/gmon.h"

/* One file's bytes, and what reading them goes by. */
struct gmon_input {
    const uint8_t *data;
    size_t n;
    const struct gmon_opts *opts;
    const struct notes *notes;
};

/* The unsigned integer in the `size` bytes at p: 1, 2, 4 or 8. */
static inline uint64_t gmon_uint(const uint8_t *p, unsigned size, bool big)
{
    uint16_t half;
    uint32_t word;
    uint64_t wide;
    switch (size) {
    case 8:
        memcpy(&wide, p, sizeof wide);
        return big ? be64toh(wide) : le64toh(wide);
    case 4:
        memcpy(&word, p, sizeof word);
        return big ? be32toh(word) : le32toh(word);
    case 2:
        memcpy(&half, p, sizeof half);
        return big ? be16toh(half) : le16toh(half);
    default:
        return *p;
    }
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
 * For a form that the bytes at `at` tell: ERR_INPUT unless it is allowed.
 */
bool gmon_form_check(struct gmon_form form, size_t at,
                     const struct gmon_input *in, struct err *err);

/* One reading of the whole file, under the assumption of a form. */
struct gmon_try {
    struct gmon_form form;
    unsigned variant; /* of the format, where it has any */
    bool good;
    size_t reached; /* the more, the better the bytes are explained */
    struct err err; /* unless good */
};

/* Finds out good, reached and err, perhaps variant, of t->form. */
typedef void gmon_try_fn(const struct gmon_input *in, struct gmon_try *t);

enum { GMON_LITTLE = 1, GMON_BIG = 2 };

/*
 * Tries every form of these byte orders (or-ed) that the options allow; the
 * best is *best, and *n_best how many are as good but for the hint.  An
 * error of the best says so if a form that is not allowed would do.  False,
 * with no *err, when there is none to try.
 */
bool gmon_choose(const struct gmon_input *in, unsigned orders, gmon_try_fn *fn,
                 struct gmon_try *best, unsigned *n_best);

/* Tells that the file is a header alone. */
void gmon_warn_of_header(const struct gmon_input *in);

/* Tells that there was a choice, unless a hint made it. */
void gmon_warn_of_choice(const struct gmon_input *in, struct gmon_form form,
                         unsigned n_best);

/* How the counts of a histogram are written, from p on. */
struct gmon_counts {
    const uint8_t *p;
    unsigned bits; /* 8, 16, 32 or 64 */
    bool is_signed, big_endian;
};

/* As the options say or, where they do not, as everything in the file is. */
struct gmon_counts gmon_counts_of(const struct gmon_input *in,
                                  struct gmon_form form, const uint8_t *p);

/*
 * Adds a histogram with h.n_bins counts, which are there; a negative one is
 * ERR_INPUT.  `at` is where the record began.
 */
bool gmon_push_hist(struct gmon *g, struct gmon_hist h,
                    const struct gmon_counts *counts, size_t at,
                    struct err *err);

/* "offset AT: the file is cut short: WHAT of NEED bytes, LEFT are left" */
static inline bool gmon_cut(struct err *err, size_t at, const char *what,
                            uint64_t need, uint64_t left)
{
    return err_set(err, ERR_INPUT,
                   "offset %zu: the file is cut short: %s of %" PRIu64
                   " bytes, %" PRIu64 " are left",
                   at, what, need, left);
}

/* Swaps the bytes of all 16-bit bins if they must have been read wrongly. */
void gmon_judge_bin_order(struct gmon *g, const struct gmon_input *in);

/* Where the zero bytes at the end of the file begin. */
size_t gmon_padding(const struct gmon_input *in);

/* ERR_INPUT: "offset AT: only zero bytes from here on" and advice. */
bool gmon_only_zeros(struct err *err, size_t at);

/* ERR_INPUT: "offset AT: another gmon.out begins here" and advice. */
bool gmon_another(struct err *err, size_t at);

/* Puts hists, arcs and blocks in order and sums those that are alike. */
bool gmon_settle(struct gmon *g, struct err *err);

/*
 * The readers.  *g is empty, data begins as the family does (or a person
 * says that it is one: old BSD).  What they add need not be settled.
 */
bool gmon_read_gnu(struct gmon *g, const struct gmon_input *in,
                   struct err *err);
bool gmon_read_ld_profile(struct gmon *g, const struct gmon_input *in,
                          struct err *err);
bool gmon_read_bsd44(struct gmon *g, const struct gmon_input *in,
                     struct err *err);
bool gmon_read_old_bsd(struct gmon *g, const struct gmon_input *in,
                       struct err *err);
bool gmon_read_darwin(struct gmon *g, const struct gmon_input *in,
                      struct err *err);

/* Whether the bytes are a whole file that could be of old BSD. */
bool gmon_fits_old_bsd(const uint8_t *data, size_t n);

/* The form of a 4.4BSD file, by where its version is; false: there is none. */
bool gmon_bsd44_form(const uint8_t *data, size_t n, struct gmon_form *form);

/* The form that the first word of a Darwin file tells; false: it is none. */
bool gmon_darwin_form(const uint8_t *data, size_t n, struct gmon_form *form);

/* Every form there is, the likeliest first. */
enum { GMON_FORMS = 4 };
extern const struct gmon_form gmon_forms[GMON_FORMS];

/* Header and its version of the tagged formats. */
enum {
    GMON_GNU_HEADER = 20,
    GMON_LD_PROFILE_VERSION = 0x1ffff,
};

#endif
