/*
 * private.h - forms, records and bins of gmon.out files: what the files of
 * import/gmon share
 */
#ifndef PROFUTILS_IMPORT_GMON_PRIVATE_H
#define PROFUTILS_IMPORT_GMON_PRIVATE_H

#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "base/vec.h"
#include "import/gmon/gmon.h"
#include "symbol/gprof_symbols.h"

/*
 * Numbers
 */

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

/* The bytes of a file, and how to read them. */
struct gmon_input {
    const uint8_t *data;
    size_t n;
    const struct gmon_opts *opts;
    const struct notes *notes;
};

/*
 * Forms (gmon_form.c)
 */

/* All there are, the likeliest first. */
enum { GMON_FORMS = 4 };
extern const struct gmon_form gmon_forms[GMON_FORMS];

/* "64-bit little-endian" etc. */
const char *gmon_form_text(struct gmon_form form);

/* ERR_INPUT if --format does not allow the form, which is at offset `at`. */
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
 * Tries every form of these byte orders (or-ed) that --format allows; the best
 * is *best, and *n_best how many are as good but for the hint.  False, with no
 * *err, when there is none to try.
 */
bool gmon_choose_form(const struct gmon_input *in, unsigned orders,
                      gmon_try_fn *fn, struct gmon_try *best, unsigned *n_best);

/* Notes the loss that there was a choice, unless a hint made it. */
void gmon_warn_of_choice(const struct gmon_input *in, struct gmon_form form,
                         unsigned n_best);

/*
 * Records (gmon_form.c)
 */

/* How the counts of a histogram are written, from p on. */
struct gmon_counts {
    const uint8_t *p;
    unsigned bits; /* 8, 16, 32 or 64 */
    bool is_signed, big_endian;
};

/* As --format says, else as everything in the file is. */
struct gmon_counts gmon_counts_of(const struct gmon_input *in,
                                  struct gmon_form form, const uint8_t *p);

/*
 * Adds a histogram with h.n_bins counts, which are there; a negative one is
 * ERR_INPUT.  `at` is where the record began.
 */
bool gmon_add_hist(struct gmon *g, struct gmon_hist h,
                   const struct gmon_counts *counts, size_t at,
                   struct err *err);

/* Notes the loss that the file is a header alone. */
void gmon_warn_of_header(const struct gmon_input *in);

/* Where the zero bytes at the end of the file begin. */
size_t gmon_padding(const struct gmon_input *in);

/* ERR_INPUT: "offset AT: the file is cut short: WHAT of NEED bytes, ..." */
static inline bool gmon_cut(struct err *err, size_t at, const char *what,
                            uint64_t need, uint64_t left)
{
    return err_set(err, ERR_INPUT,
                   "offset %zu: the file is cut short: %s of %" PRIu64
                   " bytes, %" PRIu64 " are left",
                   at, what, need, left);
}

/* ERR_INPUT: "offset AT: only zero bytes from here on" and advice. */
bool gmon_only_zeros(struct err *err, size_t at);

/* ERR_INPUT: "offset AT: another gmon.out begins here" and advice. */
bool gmon_another(struct err *err, size_t at);

/* ERR_INPUT: the histogram at `at` goes from low down to high. */
bool gmon_upside_down(struct err *err, size_t at, const struct gmon_hist *h);

/*
 * Readers.  *g is empty, and the data begins as the family does; what they add
 * is in any order.
 */
typedef bool gmon_read_fn(struct gmon *g, const struct gmon_input *in,
                          struct err *err);
gmon_read_fn gmon_read_gnu;        /* gmon_gnu.c */
gmon_read_fn gmon_read_ld_profile; /* gmon_gnu.c */
gmon_read_fn gmon_read_bsd44;      /* gmon_bsd.c */
gmon_read_fn gmon_read_old_bsd;    /* gmon_bsd.c: as --format says */
gmon_read_fn gmon_read_darwin;     /* gmon_darwin.c */

/* What they begin like; old BSD: whether it can be a whole file of it. */
gmon_begins_fn gmon_is_gnu, gmon_is_ld_profile, gmon_is_bsd44, gmon_is_old_bsd,
    gmon_is_darwin;

/*
 * The histogram and the arcs of BSD formats (gmon_bsd.c)
 */

/* A histogram at `at`, before `end`. */
struct gmon_bsd {
    const struct gmon_input *in;
    struct gmon_form form;
    size_t at, end;
    size_t head;   /* bytes of the header */
    bool has_rate; /* as 4.4BSD's header has */
    bool has_type; /* as FreeBSD's header can have */
};

/* The bytes of the 4.4BSD header. */
size_t gmon_bsd44_head(struct gmon_form form);

/*
 * Reads header and bins; *used is where they end.  With opts.lenient, a
 * histogram without all its bins is left out, and everything used.
 */
bool gmon_bsd_hist(const struct gmon_bsd *b, struct gmon *g, size_t *used,
                   struct err *err);

/*
 * Arcs from `at` to `end`, of `size` bytes each.  Their counts have the size
 * of an address; or 4 bytes if `narrow`, if --format says so, or if the upper
 * halves of 64-bit ones cannot be meant: where a C long has 32 bits and an
 * address 64 (mingw-w64), they are whatever the stack held.
 */
struct gmon_bsd_arcs {
    const struct gmon_input *in;
    struct gmon_form form;
    size_t at, end, size;
    bool narrow;
};

/*
 * Reads them.  Where an arc should be but another gmon.out begins, of the same
 * program or with the header of 4.4BSD, it is ERR_INPUT, or with opts.lenient
 * the end.
 */
bool gmon_bsd_read_arcs(struct gmon_bsd_arcs b, struct gmon *g,
                        struct err *err);

/*
 * Sums (gmon_sum.c)
 */

/* Sorts histograms, arcs, entries and blocks, and adds up those alike. */
bool gmon_settle(struct gmon *g, struct err *err);

/*
 * Programs (gmon_exe.c)
 */

/*
 * Whether *g can be of *exe: the same form, and no histogram outside what is
 * loaded.  Otherwise why[0 .. n) says what does not fit.
 */
bool gmon_exe_fits(const struct gmon_exe *exe, const struct gmon *g, char *why,
                   size_t n);

struct gmon_program {
    struct gmon_exe exe; /* its path and name are those below */
    char *path, *name;
    char *archive; /* that the name is from, or null */
    struct gmon sum;
};

/* Zero-initialise. */
struct gmon_programs {
    VEC(struct gmon_program) v; /* in order of appearance */
    VEC(uint32_t) rows;         /* by content: row + 1, 0 for none */
};

/*
 * The program that *id is a copy of, added if it is new; good until the next
 * call.  Null and *err when it cannot be read or is not a program.
 */
struct gmon_program *gmon_programs_get(struct gmon_programs *programs,
                                       const struct gmon_program_id *id,
                                       struct err *err);

/*
 * When all are there: programs that neither a build ID nor the name tells
 * apart, of several archives, are called ARCHIVE/NAME.  ERR_INPUT if that does
 * not tell them apart either: in a profile they would be one.
 */
bool gmon_programs_settle(struct gmon_programs *programs, struct err *err);

void gmon_programs_free(struct gmon_programs *programs);

/*
 * Profiles
 */

/* The value types, in this order in every profile. */
enum {
    GMON_SAMPLES,
    GMON_AMOUNT, /* cpu, or the dimension that the files declare */
    GMON_CALLS,
    GMON_BLOCKS, /* only with opts.blocks */
    GMON_MAX_TYPES
};

/* A profile in the making. */
struct gmon_writer {
    const struct gmon_job *job;
    const struct gmon *g; /* the job's */
    struct profile *p;
    uint32_t mapping;
    uint32_t least, most; /* known rates of histograms; 0 if there is none */
    uint64_t unit; /* values per unit of the dimension: 1e9 for seconds; for
                      what is not time, the rates' common multiple; 0: no
                      amounts */
    struct locmap locs;
};

/*
 * gmon_header.c: gives the empty w->p its sample types, period, mapping and
 * comments, and warns of what is odd about the histograms.
 */
bool gmon_write_header(struct gmon_writer *w, struct err *err);

/* The same, after all locations: mappings of Darwin's images. */
bool gmon_split_mapping(struct gmon_writer *w, struct err *err);

/*
 * Bins (gmon_bins.c)
 *
 * C libraries and kernels count the program counter pc, by profil(2), in bin
 *
 *      floor(floor((pc - low) / 2) * s / 65536)
 *
 * where s is 65536 * 2 * bins / (high - low) in single precision, rounded down
 * and at most 65536 (glibc: gmon/gmon.c, sysdeps/posix/profil.c).  So bin i
 * begins at low + 2 * ceil(i * 65536 / s), where gprof's even division is off
 * by some bytes.  OpenOCD divides evenly, which shows in more than one bin for
 * two bytes, or in a count where profil(2) cannot put one.
 */

/* A bin that has a count. */
struct gmon_bin {
    const struct gmon_hist *hist;
    uint32_t index;
    uint64_t start, end; /* what it covers, perhaps nothing */
    uint64_t count;      /* fits 63 bits */
    int64_t amount;      /* 0 if there is no type for it, or no rate */
};

/* The last byte that it covers, or where it is. */
static inline uint64_t gmon_bin_last(const struct gmon_bin *bin)
{
    return bin->end > bin->start ? bin->end - 1 : bin->start;
}

/*
 * Calls fn for each bin with a count, as long as it returns true.  Bins without
 * addresses are a loss.  ERR_INPUT when a value exceeds 63 bits.
 *
 * Amounts are count / rate of each histogram on its own, in w->unit.  What is
 * left of a division is carried to the next bin, so that each value is less
 * than 1 off and a histogram's sum at most half.
 */
typedef bool gmon_bin_fn(void *ctx, const struct gmon_bin *bin,
                         struct err *err);
bool gmon_each_bin(const struct gmon_writer *w, gmon_bin_fn *fn, void *ctx,
                   struct err *err);

/* ERR_INPUT: "the value at ADDRESS is too large"; false. */
bool gmon_too_large(uint64_t address, struct err *err);

/*
 * What a function, or GPROF_NO_SYMBOL, has of the bins that end in it at this
 * address: their last byte there.  It lies in the function and, where
 * possible, in what the bin covers.
 */
struct gmon_part {
    uint32_t func;
    uint64_t address, count, amount;
};

struct gmon_parts {
    struct gmon_part *v;
    size_t n, cap;
};

/*
 * Divides all bins among functions: fills the empty *parts, in order of
 * function and address, no two alike.
 *
 * gprof's rule: addresses count in units of two bytes, a function owns those
 * from the unit its symbol is in, and bin i of n covers the whole units from
 * i / n to (i + 1) / n of the histogram's.  Time is divided in proportion to
 * units; counts of samples, which cannot be halved, go to the function that
 * has most of the bin.  The parts of several files then add up to those of
 * their sum, as far as time divides evenly: it does where a tick is 10 ms and
 * a bin 2, 4, 8 ... 256 bytes.
 *
 * Unlike gprof's, parts add up to the bin (by largest remainder), and a bin
 * without a whole unit goes to the owner of its last byte.
 */
bool gmon_divide_bins(struct gmon_parts *parts, const struct gmon_writer *w,
                      const struct gprof_symbols *owners, struct err *err);

#endif
