/*
 * private.h - declarations that the files of formats/gmon share
 *
 *   stage    file            contains
 *   all      gmon_convert.c  gmon_sum_new() etc.: programs and their sums
 *   read     gmon_read.c     gmon_read(); --format and the formats
 *            gmon_form.c     byte order and address size; what readers share
 *            gmon_gnu.c      GNU, LD_PROFILE
 *            gmon_bsd.c      4.4BSD, old BSD, OSF/1, Darwin
 *   sum      gmon_sum.c      gmon_add(), gmon_sort_and_add()
 *   convert  gmon_profile.c  gmon_convert(): samples and names
 *            gmon_header.c   value types, mappings, comments
 *            gmon_bins.c     addresses, amounts and functions of bins
 *
 * Ownership
 *   reader              the struct gmon of each form that it tries, until it
 *                       returns the best one
 *   struct gmon_writer  only its locmap
 */
#ifndef PROFUTILS_FORMATS_GMON_PRIVATE_H
#define PROFUTILS_FORMATS_GMON_PRIVATE_H

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/vec.h"
#include "formats/gmon/gmon.h"
#include "symbolize/owners.h"

/* --- numbers --- */

static inline uint32_t gmon_u32(const uint8_t *p, struct gmon_form form)
{
    return (uint32_t)bytes_number(p, 4, form.big_endian);
}

static inline uint64_t gmon_addr(const uint8_t *p, struct gmon_form form)
{
    return bytes_number(p, form.addr_size, form.big_endian);
}

/* The bytes of a file, and how to read them. */
struct gmon_input {
    const uint8_t *data;
    size_t n;
    const struct gmon_opts *opts;
    const struct prof_notes *notes;
};

/* --- forms (gmon_form.c) --- */

/* All forms, the most common first. */
enum { GMON_FORMS = 4 };
extern const struct gmon_form gmon_forms[GMON_FORMS];

/* Returns words for messages: "64-bit little-endian". */
const char *gmon_form_text(struct gmon_form form);

/* PROF_ERR_INPUT if --format does not allow the form, found at offset `at`. */
bool gmon_form_check(struct gmon_form form, size_t at,
                     const struct gmon_input *in, struct prof_err *err);

/*
 * A file read in one form.
 *   good     the file is valid in this form; if not, `err` is the reason
 *   reached  how well the form fits, in a unit of the reader; more is better
 *   at       offset of the end of what was read; not set by all readers
 *   n_equal  number of forms that fit as well as this one
 *   g        the content up to the damage
 */
struct gmon_try {
    struct gmon_form form;
    bool good;
    unsigned n_equal;
    size_t reached, at;
    struct prof_err err;
    struct gmon g;
};

/* Reads the file in t->form into *t.  Returns t->good. */
typedef bool gmon_try_fn(const struct gmon_input *in, struct gmon_try *t);

enum { GMON_LITTLE = 1, GMON_BIG = 2 };

/*
 * Tries every form that --format allows with these byte orders (or-ed).  Sets
 * *best to the form that fits best; if several fit equally well, to that of the
 * hint.  False, without an error, if --format allows none.
 */
bool gmon_choose_form(const struct gmon_input *in, unsigned orders,
                      gmon_try_fn *fn, struct gmon_try *best);

/*
 * Whether best->g is to be used: it is good or, with opts.lenient, the
 * beginning of a damaged file.  If not, *err is best->err and best->g is freed.
 */
bool gmon_accept(const struct gmon_input *in, struct gmon_try *best,
                 struct prof_err *err);

/* If several forms fit equally well and there is no hint, notes as a loss that
 * the form was guessed. */
void gmon_warn_of_choice(const struct gmon_input *in,
                         const struct gmon_try *best);

/* --- records (gmon_form.c) --- */

/* The counts of a histogram in the file: where they are, and their type. */
struct gmon_counts {
    const uint8_t *p;
    unsigned bits; /* 8, 16, 32 or 64 */
    bool is_signed, big_endian;
};

/* Returns a description of the unsigned counts at p: size and byte order are
 * those of --format, by default 16 bits and the byte order of the form. */
struct gmon_counts gmon_counts_of(const struct gmon_input *in,
                                  struct gmon_form form, const uint8_t *p);

/*
 * Adds a histogram with h.n_bins counts; the caller has checked that the file
 * is long enough.  PROF_ERR_INPUT for a negative count.  `at` is the offset of
 * the record.
 */
bool gmon_add_hist(struct gmon *g, struct gmon_hist h,
                   const struct gmon_counts *counts, size_t at,
                   struct prof_err *err);

/* Notes as a loss that the file consists of a header only. */
static inline void gmon_warn_of_header(const struct gmon_input *in)
{
    note_loss(in->notes, "no samples: the file ends after its header");
}

/* Returns the offset of the zeros that end the file, or in->n. */
size_t gmon_padding(const struct gmon_input *in);

/* Sets a PROF_ERR_INPUT: `what`, at offset `at`, needs `need` bytes, but only
 * `left` are left.  Returns false. */
static inline bool gmon_err_truncated(struct prof_err *err, size_t at,
                                      const char *what, uint64_t need,
                                      uint64_t left)
{
    return err_input(err,
                     "offset %zu: unexpected end of file: %s of %" PRIu64
                     " bytes, only %" PRIu64 " left",
                     at, what, need, left);
}

/* Sets a PROF_ERR_INPUT: all bytes from offset `at` on are 0. */
bool gmon_err_zeros(struct prof_err *err, size_t at);

/* Sets a PROF_ERR_INPUT: another gmon.out file begins at offset `at`. */
bool gmon_err_second_file(struct prof_err *err, size_t at);

/* Sets a PROF_ERR_INPUT: the low address of the histogram at offset `at`
 * exceeds its high address. */
bool gmon_err_bad_range(struct prof_err *err, size_t at,
                        const struct gmon_hist *h);

/*
 * The reader of a format
 *   text    name in messages
 *   lacks   for messages: what a file of another format lacks, such as a magic
 *           number; null: the format cannot be detected, and is read only if
 *           --format requests it
 *   begins  whether bytes begin like a file of the format; for old BSD and
 *           OSF/1: whether all bytes can be one file
 *   read    adds the records of a file to the empty *g, in any order;
 *           gmon_sort_and_add() sorts them.  Call it only if begins() is true
 */
struct gmon_reader {
    enum gmon_family family;
    const char *text, *lacks;
    gmon_begins_fn *begins;
    bool (*read)(struct gmon *g, const struct gmon_input *in,
                 struct prof_err *err);
};

/* The functions begins() of formats that can be detected, for tools that detect
 * gmon.out files without reading them. */
gmon_begins_fn gmon_is_gnu, gmon_is_ld_profile, gmon_is_bsd44, gmon_is_darwin;

extern const struct gmon_reader gmon_gnu, gmon_ld_profile; /* gmon_gnu.c */
extern const struct gmon_reader gmon_bsd44, gmon_old_bsd, gmon_osf1,
    gmon_darwin; /* gmon_bsd.c */

/* --- sums (gmon_sum.c) --- */

/* Sorts histograms, arcs, entries and blocks, and adds up those with equal
 * keys. */
bool gmon_sort_and_add(struct gmon *g, struct prof_err *err);

/* --- profiles --- */

/* The value types, in this order in every profile. */
enum {
    GMON_SAMPLES,
    GMON_AMOUNT, /* cpu, or the dimension that the files declare */
    GMON_CALLS,
    GMON_BLOCKS, /* only with opts.blocks */
    GMON_MAX_TYPES
};

/* The state while gmon_convert() makes a profile. */
struct gmon_writer {
    const struct gmon_job *job;
    const struct gmon *g; /* job->g */
    struct profile *p;
    struct prof_header header;
    uint32_t mapping; /* index of the executable's mapping */
    /* The least and greatest rate of histograms; 0: none is known. */
    uint32_t least, most;
    /*
     * Values of GMON_AMOUNT per unit of the dimension:
     *   time       1e9 per second
     *   other      the least common multiple of the rates
     *   no amount  0
     */
    uint64_t unit;
    struct prof_locmap locs; /* owned */
};

/*
 * gmon_header.c: adds sample types, period, mapping and comments to the empty
 * w->p.  Warns of unusual histograms.
 */
bool gmon_write_header(struct gmon_writer *w, struct prof_err *err);

/*
 * gmon_header.c: without an executable, adds a mapping for each Darwin image
 * and assigns the locations to them.  Call it after all locations have been
 * added.
 */
bool gmon_split_mapping(struct gmon_writer *w, struct prof_err *err);

/*
 * Bins (gmon_bins.c)
 *
 * C libraries and kernels count the program counter pc, by profil(2), in bin
 *
 *      floor(floor((pc - low) / 2) * s / 65536)
 *
 * where s is 65536 * 2 * bins / (high - low) in single precision, rounded down
 * and at most 65536 (glibc: gmon/gmon.c, sysdeps/posix/profil.c).  So bin i
 * begins at low + 2 * ceil(i * 65536 / s).  gprof divides the range evenly, and
 * so is wrong by some bytes.  OpenOCD does divide it evenly: a file of it is
 * recognized by more than one bin for two bytes, or by a count in a bin that
 * profil(2) never counts in.
 */

/* A bin with a count that is not 0. */
struct gmon_bin {
    const struct gmon_hist *hist;
    uint32_t index;
    uint64_t start, end; /* addresses that it covers; can be an empty range */
    uint64_t count;      /* fits 63 bits */
    int64_t amount;      /* 0 if the profile has no type for it, or no rate */
};

/* Returns the address of the last byte that the bin covers, or its start if it
 * covers none. */
static inline uint64_t gmon_bin_last(const struct gmon_bin *bin)
{
    return bin->end > bin->start ? bin->end - 1 : bin->start;
}

/*
 * Calls fn for each bin with a count, until it returns false.  A bin that
 * covers no address is noted as a loss.  PROF_ERR_INPUT when a value exceeds 63
 * bits.
 *
 * An amount is count / rate of its histogram, in 1 / w->unit of the dimension.
 * The remainder of a division is carried to the next bin, so that the error of
 * an amount is below 1, and that of a histogram's sum at most 1/2.
 */
typedef bool gmon_bin_fn(void *ctx, const struct gmon_bin *bin,
                         struct prof_err *err);
bool gmon_each_bin(const struct gmon_writer *w, gmon_bin_fn *fn, void *ctx,
                   struct prof_err *err);

/* Sets a PROF_ERR_INPUT: the value at this address exceeds 63 bits.  Returns
 * false. */
bool gmon_too_large(uint64_t address, struct prof_err *err);

/*
 * The part of a bin that belongs to the function `func`, or to CODE_NO_OWNER.
 * `address` is the last byte of the bin that is in the function; it is in the
 * function and, if possible, in the range of the bin.  Parts of bins with the
 * same address are added up.
 */
struct gmon_part {
    uint32_t func;
    uint64_t address, count, amount;
};

struct gmon_parts {
    VEC(struct gmon_part);
};

/*
 * Divides all bins among functions: fills the empty *parts, sorted by function
 * and address, which are unique.
 *
 * owners with sizes
 *   - Time is divided in proportion to the bytes of each function in the bin.
 *     Padding counts for what follows, or at the end of the bin for what
 *     precedes it.
 *   - A bin without code goes to the owner of its last byte.
 *
 * gprof's rules
 *   - Addresses are measured in units of two bytes.  A function owns the units
 *     from that of its symbol on.
 *   - Bin i of n covers the whole units from i / n to (i + 1) / n of the
 *     histogram's range.
 *   - Time is divided in proportion to units.
 *   - Unlike in gprof, a bin without a whole unit goes to the owner of its last
 *     byte.
 *
 * By both
 *   - The samples of a bin are not divided: they go to the function that owns
 *     most of the bin.
 *   - The time of the parts adds up to that of the bin (largest remainder).
 *
 * The parts of several files add up to those of their sum, if time divides
 * evenly: it does for ticks of 10 ms and bins of 2, 4, 8 ... 128 bytes.
 */
bool gmon_divide_bins(struct gmon_parts *parts, const struct gmon_writer *w,
                      const struct code_owners *owners, struct prof_err *err);

#endif
