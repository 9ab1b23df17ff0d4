/*
 * gmon.h - gmon.out, what `gcc -pg` programs leave behind
 *
 * A gmon.out holds histograms (how often the clock found the program counter
 * in each small range of the text, a bin) and arcs (how often a call went
 * from one place to a function).  There are several formats of it:
 *
 *   GNU         "gmon", version 0 or 1, tagged records: glibc, OpenOCD,
 *               gprof -s
 *   4.4BSD      0x51879 in the header: the BSDs, Cygwin, mingw-w64, newlib
 *               ports
 *   old BSD     the same before it had a version: nothing marks it
 *   LD_PROFILE  "gmon", version 0x1ffff: one shared library, by ld.so
 *   Darwin      0xbeefbabe or 0xbeefbabf, chunks: several images
 *
 * Three steps: gmon_read() makes a `struct gmon` of the bytes of one file,
 * gmon_add() sums several of them in 64 bits, gmon_profile() (gmon_profile.h)
 * or, of a program whose functions are known, gmon_flat() (gmon_flat.h) makes a
 * profile of the sum.  A further format is a further reader.
 *
 * Sources: the GNU gprof manual, "Profiling Data File Format"
 * (https://sourceware.org/binutils/docs/gprof/File-Format.html); gmon_out.h
 * of binutils and <sys/gmon_out.h> of glibc; <sys/gmon.h> of FreeBSD.
 */
#ifndef PROFUTILS_IMPORT_GMON_H
#define PROFUTILS_IMPORT_GMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum gmon_family {
    GMON_ANY, /* of options: to be found out */
    GMON_GNU,
    GMON_BSD44,
    GMON_OLD_BSD, /* only if a person says so; this too: */
    GMON_OSF1,    /* old BSD, 64-bit, with a header of 24 bytes */
    GMON_LD_PROFILE,
    GMON_DARWIN,
};

/* "4.4BSD format" and the like. */
const char *gmon_family_text(enum gmon_family family);

/* How words are written: known from the bytes, a person, or an ELF header. */
struct gmon_form {
    unsigned addr_size; /* 4 or 8; 0: not known */
    bool big_endian;
};

/*
 * One histogram over the addresses [low, high).  Its counts are
 * bins[bin .. bin + n_bins) of the struct gmon; which addresses a bin covers
 * is told by gmon_bins.h.  A count divided by rate is an amount of the
 * dimension; rate 0 is not known.
 */
struct gmon_hist {
    uint64_t low, high;
    uint32_t n_bins, rate;
    size_t bin;
};

/*
 * count calls of the function that `self` lies in (where its call of mcount
 * returns to, not its entry) from the one that `from` lies in (a return
 * address, rounded down to 4, 8 or 16 bytes); of LD_PROFILE both are exact.
 * In entries, from is 0 and the call came from outside of what is profiled.
 * In blocks, self is the address of a basic block that ran count times, and
 * from is 0.
 */
struct gmon_arc {
    uint64_t from, self, count;
};

struct gmon_hists {
    struct gmon_hist *v;
    size_t n, cap;
};
struct gmon_bins {
    uint64_t *v;
    size_t n, cap;
};
struct gmon_arcs {
    struct gmon_arc *v;
    size_t n, cap;
};

/* Of Darwin: an image that the program had loaded. */
struct gmon_image {
    uint64_t at; /* its address or, if `moved`, by how much it was moved */
    bool moved;
    char *path; /* malloc'ed */
};
struct gmon_images {
    struct gmon_image *v;
    size_t n, cap;
};

/* The dimension's text has 15 bytes at most. */
enum { GMON_DIMENSION = 16 };

/*
 * The content of one file, or the sum of several.  Zero-initialise.
 *   hists   in order of (low, high, n_bins, rate), no two alike
 *   arcs    in order of (self, from), no two alike, none of zeros alone;
 *           entries and blocks too
 */
struct gmon {
    char *name; /* of the first file, or the first that has a histogram;
                   malloc'ed; for errors */
    enum gmon_family family;        /* of that file */
    struct gmon_form form;          /* addr_size is 0 if no record showed it */
    char dimension[GMON_DIMENSION]; /* of all hists; "" if there are none */
    struct gmon_hists hists;
    struct gmon_bins bins;
    struct gmon_arcs arcs, entries, blocks;
    struct gmon_images images;
};

enum gmon_order {
    GMON_ORDER_ANY,
    GMON_ORDER_LITTLE,
    GMON_ORDER_BIG,
};

struct gmon_opts {
    enum gmon_family family;   /* ANY: to be found out, but for old BSD */
    unsigned addr_size;        /* 4 or 8; 0: to be found out */
    enum gmon_order order;     /* ANY: to be found out */
    enum gmon_order bin_order; /* of histogram bins; ANY: to be found out */
    struct gmon_form hint;     /* decides where the bytes do not; addr_size 0:
                                  there is none */
    unsigned bin_bits;         /* of histogram bins: 8, 16, 32, 64; 0: to be
                                  found out */
    unsigned count_bits;       /* of 64-bit BSD arcs: 32, 64; 0: found out */
    bool lenient;              /* keep the complete records of a bad file */
    const char *foreign;       /* what the bytes are instead; or null */
};

/*
 * Whether the bytes begin like a file that gmon_read() reads; old BSD files
 * do not.  gmon_begins_of() gives the function that tells it of one family
 * or, for ANY, that of all; the one of old BSD wants the whole file.
 */
typedef bool gmon_begins_fn(const uint8_t *data, size_t n);
gmon_begins_fn gmon_begins;
gmon_begins_fn *gmon_begins_of(enum gmon_family family);

/*
 * Reads one file into *g, which is overwritten, and is safe to gmon_free()
 * whatever is returned.  The whole file is walked before anything is
 * believed, because the GNU format says neither how wide addresses are nor,
 * in version 0, its byte order: only one reading makes sense of a real file.
 *
 * ERR_INPUT names the offset in the decompressed file and what is wrong
 * there.  With opts.lenient, records before that place are kept and the
 * rest is a warning.  Warnings also tell of odd but readable things.
 */
bool gmon_read(struct gmon *g, const uint8_t *data, size_t n,
               const struct gmon_opts *opts, const struct notes *notes,
               struct err *err);

/*
 * Adds *from, which was read from the file `name`, to *to: equal histograms
 * bin by bin, equal arcs, others side by side.  ERR_INPUT when they cannot
 * be of one program (address size, byte order) or count different things
 * (dimension), or a sum does not fit 64 bits; *to is then as it was.
 */
bool gmon_add(struct gmon *to, const struct gmon *from, const char *name,
              struct err *err);

/* The same, and *from may be emptied: the first file is not copied. */
bool gmon_take(struct gmon *to, struct gmon *from, const char *name,
               struct err *err);

void gmon_free(struct gmon *g);

#endif
