/*
 * gmon.h - reads, adds and converts gmon.out files, written by gcc -pg programs
 *
 * gmon_sum_new(), gmon_sum_add() and gmon_sum_finish() make one profile of any
 * number of gmon.out files of one or more programs.  The stages:
 *
 *   stage    function                from                   to
 *   read     gmon_read()             the bytes of a file    struct gmon
 *   sum      gmon_add()              struct gmon of each    one struct gmon for
 *                                    file                   each program
 *   convert  gmon_convert()          a sum, its executable  struct profile,
 *                                    and its symbols        measured data
 *   merge    prof_merge_take()       profiles of programs   struct profile
 *   stacks   prof_estimate()         measured data          call stacks
 *
 * Ownership
 *   struct gmon          owns its arrays and texts: gmon_free()
 *   struct profile       the caller's: prof_delete()
 *   struct gmon_opts, gmon_exe, gmon_program_id, gmon_job
 *                        own nothing
 *   bytes of a file      the caller's, until gmon_read() returns
 *
 * Structs are zero-initialised, or a function fills them.
 *
 * Formats
 *   GNU         "gmon", version 0 or 1, tagged records: glibc, OpenOCD,
 *               gprof -s
 *   4.4BSD      0x51879 in the header: the BSDs, Cygwin, mingw-w64, newlib
 *   old BSD     4.4BSD without version and rate; has no magic number
 *   OSF/1       old BSD, 64-bit, with a header of 24 bytes instead of 20
 *   LD_PROFILE  "gmon", version 0x1ffff: one shared library, by ld.so
 *   Darwin      0xbeefbabe or 0xbeefbabf, then chunks: several images
 *
 * Units
 *   amount      bin count / rate, in the dimension of the histogram (usually
 *               seconds)
 *   address     as in the executable file; for position-independent programs
 *               the C library subtracts the load address
 *   offset      bytes from the start of the decompressed file
 *
 * Errors
 *   PROF_ERR_INPUT   an invalid file (the message has the offset) or executable
 *   PROF_ERR_SYSTEM  everything else, unless noted otherwise
 *   a note      something unusual that can be read
 *
 * Sources
 *   GNU         https://sourceware.org/binutils/docs/gprof/File-Format.html,
 *               gmon_out.h of binutils, <sys/gmon_out.h> of glibc
 *   4.4BSD      <sys/gmon.h> of FreeBSD
 *   old BSD,    struct old_raw_phdr in gprof/gmon.h of binutils
 *   OSF/1
 *   LD_PROFILE  elf/dl-profile.c of glibc
 *   Darwin      <sys/gmon.h> of Darwin's Libc
 */
#ifndef PROFUTILS_FORMATS_GMON_H
#define PROFUTILS_FORMATS_GMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "formats/import.h"
#include "symbolize/owners.h"
#include "symbolize/symbol.h"

/* --- options --- */

enum gmon_family {
    GMON_ANY, /* in options: detect the family */
    GMON_GNU,
    GMON_BSD44,
    GMON_OLD_BSD, /* never detected, only set by options */
    GMON_OSF1,    /* likewise */
    GMON_LD_PROFILE,
    GMON_DARWIN,
};

enum gmon_order {
    GMON_ORDER_ANY,
    GMON_ORDER_LITTLE,
    GMON_ORDER_BIG,
};

/* Address size in bytes, and byte order, of a file. */
struct gmon_form {
    unsigned addr_size; /* 4 or 8; 0: unknown */
    bool big_endian;
};

/*
 * An executable
 *   path       to open it; not owned
 *   name       in the profile; not owned
 *   low, high  the range of loaded addresses; high is the end of the last page
 *              with code
 *   entry      where it starts
 *   etext      the end of its code; 0: unknown
 *   build_id   hexadecimal; "" if there is none
 */
struct gmon_exe {
    const char *path, *name;
    struct gmon_form form;
    uint64_t low, high, entry, etext;
    char build_id[2 * 64 + 1];
};

/*
 * The program of a gmon.out file.  `content` is a number that is equal for
 * copies of the same program.  The profile has the name of the copy that sorts
 * first.
 */
struct gmon_program_id {
    uint32_t content;
    const char *path;    /* the file to open */
    const char *name;    /* the name to write to the profile */
    const char *archive; /* the archive that contains it, or null */
    bool is_default;     /* use opts->program: the file has no other program */
};

/*
 * Zero-initialise, but for max_stacks.
 *
 *   The format, set by gmon_parse_format(); 0: detect
 *     family, addr_size (4, 8), order
 *     bin_bits (16, 32), bin_order   of the counts of histograms
 *     count_bits (32, 64)            of the call counts of 64-bit BSD files
 *   Reading
 *     hint      preferred form of those that fit equally well; addr_size 0:
 *               none
 *     lenient   keep the complete records of a damaged file
 *   The program
 *     program   its path; null: ./a.out if it fits, else unknown
 *     exe       set by gmon_find_program(); path null: no executable
 *     each_own  each file has its own program, set in `own`, or none
 *     own       with each_own: the program of the next file
 *     path, binaries, demangle, inlines   as in symbol.h
 *   The profile
 *     as_gprof     find functions by gprof's rule (symbolize/owners.h)
 *     no_symbols   do not look up names of addresses
 *     flat         write the measured data, without estimated stacks
 *     blocks       include basic-block counts
 *     left_out     calls between functions to leave out, n_left_out of them:
 *                  "FROM/TO", linkage names or names as the profile shows them
 *     max_stacks   as for prof_estimate()
 *     subject      if not null and there are several programs, *subject is the
 *                  name of the program that the current note is about
 */
struct gmon_opts {
    enum gmon_family family;
    unsigned addr_size;
    enum gmon_order order;
    unsigned bin_bits;
    enum gmon_order bin_order;
    unsigned count_bits;
    struct gmon_form hint;

    const char *program;
    struct gmon_exe exe;
    struct gmon_program_id own;
    const char *path;
    struct sym_cache *binaries;
    enum sym_demangle demangle;

    bool lenient, each_own, inlines, as_gprof, no_symbols, flat, blocks;
    uint64_t max_stacks;
    const char *const *left_out;
    size_t n_left_out;
    const char **subject;
};

/*
 * The words of --format, as an X macro: FIRST(text, what, value) for the first
 * word and OTHER(...) for the others.  A word sets the option `what` of struct
 * gmon_opts to `value`.
 */
#define GMON_FORMAT_TABLE(FIRST, OTHER)                                        \
    FIRST("gnu", FAMILY, GMON_GNU)                                             \
    OTHER("4.4bsd", FAMILY, GMON_BSD44)                                        \
    OTHER("oldbsd", FAMILY, GMON_OLD_BSD)                                      \
    OTHER("osf1", FAMILY, GMON_OSF1)                                           \
    OTHER("ld-profile", FAMILY, GMON_LD_PROFILE)                               \
    OTHER("darwin", FAMILY, GMON_DARWIN)                                       \
    OTHER("32", ADDR_SIZE, 4)                                                  \
    OTHER("64", ADDR_SIZE, 8)                                                  \
    OTHER("le", ORDER, GMON_ORDER_LITTLE)                                      \
    OTHER("be", ORDER, GMON_ORDER_BIG)                                         \
    OTHER("bins16", BIN_BITS, 16)                                              \
    OTHER("bins32", BIN_BITS, 32)                                              \
    OTHER("bins-le", BIN_ORDER, GMON_ORDER_LITTLE)                             \
    OTHER("bins-be", BIN_ORDER, GMON_ORDER_BIG)                                \
    OTHER("counts32", COUNT_BITS, 32)                                          \
    OTHER("counts64", COUNT_BITS, 64)

/* "gnu|4.4bsd|...", for the help. */
#define GMON_FORMAT_WORD(text, what, value) text
#define GMON_FORMAT_OTHER(text, what, value) "|" text
#define GMON_FORMAT_WORDS GMON_FORMAT_TABLE(GMON_FORMAT_WORD, GMON_FORMAT_OTHER)

/*
 * Sets the format from words separated by commas: "gnu,be,32".  PROF_ERR_USAGE
 * if a word is unknown.
 */
bool gmon_parse_format(struct gmon_opts *opts, const char *text,
                       struct prof_err *err);

/* Returns a noun for messages: "4.4BSD format". */
const char *gmon_family_text(enum gmon_family family);

/*
 * Returns a function that tells whether bytes begin like a file of the family:
 *
 *   GMON_ANY       of any family with a magic number
 *   GMON_OLD_BSD   the function needs all bytes of the file
 */
typedef bool gmon_begins_fn(const uint8_t *data, size_t n);
gmon_begins_fn *gmon_begins_of(enum gmon_family family);

/*
 * Whether the first n bytes of a file with bins of 16 bits are records of the
 * GNU format followed by 128 KiB of zeros: then the rest need not be read.
 */
gmon_begins_fn gmon_is_padded;

/* --- files --- */

/*
 * A histogram over the addresses [low, high).  Its counts are
 * bins[bin .. bin + n_bins) of the struct gmon.  `rate` is in samples per unit
 * of the dimension; 0: unknown.
 */
struct gmon_hist {
    uint64_t low, high;
    uint32_t n_bins, rate;
    size_t bin;
};

/*
 * A counter.  Its meaning depends on the array of struct gmon that it is in:
 *
 *   array    from           self                       count
 *   arcs     in the caller  in the callee              calls
 *   entries  0              in the callee              calls from outside of
 *                                                      the library
 *   blocks   0              address of a basic block   executions
 *
 *   files of      from                                  self
 *   LD_PROFILE    the return address in the caller      the callee's entry
 *   all others    the same, rounded down to a multiple  the return address of
 *                 of 4, 8 or 16 bytes                   its call of mcount
 */
struct gmon_arc {
    uint64_t from, self, count;
};

struct gmon_hists {
    VEC(struct gmon_hist);
};
struct gmon_bins {
    VEC(uint64_t);
};
struct gmon_arcs {
    VEC(struct gmon_arc);
};

/* Darwin: an image (executable or library) that the program had loaded. */
struct gmon_image {
    uint64_t at; /* its address; if `moved`, the distance it was moved by */
    bool moved;
    char *path;
};
struct gmon_images {
    VEC(struct gmon_image);
};

enum { GMON_DIMENSION = 16 }; /* 15 bytes and a NUL */

/*
 * The content of one file, or the sum of several.
 *
 *   name       of the first file that has a histogram, else of the first file
 *   family     of the same file
 *   form       addr_size is 0 if no record depends on it
 *   dimension  of all histograms; "" if there are none
 *   hists      sorted by (low, high, n_bins, rate), which are unique
 *   arcs, entries, blocks
 *              sorted by (self, from), which are unique; none has only zeros
 */
struct gmon {
    char *name;
    enum gmon_family family;
    struct gmon_form form;
    char dimension[GMON_DIMENSION];
    struct gmon_hists hists;
    struct gmon_bins bins;
    struct gmon_arcs arcs, entries, blocks;
    struct gmon_images images;
};

/*
 * Reads a file into *g, which is overwritten.  The caller frees it, after a
 * failure too.
 *
 * The GNU format does not record the address size nor, in version 0, the byte
 * order.  So the file is read in each possible form, and the reading that fits
 * best is used.  A real file is valid in one form only.
 *
 * PROF_ERR_INPUT: the file is damaged; the message has the offset.  With
 * opts.lenient, the records before the damage are kept, and what follows is
 * noted as a loss (note_loss()).
 */
bool gmon_read(struct gmon *g, const struct import_input *in,
               const struct gmon_opts *opts, struct prof_err *err);

/*
 * Adds *from, read from the file `name`, to *to: histograms with the same range
 * bin by bin, and arcs, entries and blocks with the same addresses.  If *to is
 * empty, the content of *from is moved to it.
 *
 * PROF_ERR_INPUT, with *to unchanged, if
 *   - they cannot be of one program: address size, byte order or images differ
 *   - they count different things: the dimensions differ
 *   - a sum exceeds 64 bits
 */
bool gmon_add(struct gmon *to, struct gmon *from, const char *name,
              struct prof_err *err);

void gmon_free(struct gmon *g);

/* --- executables and profiles --- */

/*
 * The input of gmon_convert(); owns nothing.
 *   exe     the executable; null: unknown
 *   owners  the functions of its symbol table; null or empty: unknown
 */
struct gmon_job {
    const struct gmon *g;
    const struct gmon_exe *exe;
    const struct code_owners *owners;
    const struct gmon_opts *opts;
    const struct prof_notes *notes;
};

/*
 * Makes a profile, which the caller owns, from measured data.
 *
 *   sample type          frames          from
 *   samples/count        one             bins
 *   cpu/nanoseconds      one             bins; for a dimension other than time:
 *                                        its name, with the unit "count", or
 *                                        "/N" for fractions
 *   calls/count          callee, caller  arcs
 *                        callee          entries
 *   bb_executions/count  one             blocks; only with opts.blocks
 *
 * Locations depend on owners:
 *
 *          without owners: by address    with owners: by function
 *   bin    the last byte that it covers  one for each function that owns a part
 *   arc    the addresses in the file     the entries of the functions; an
 *                                        address in no function is unchanged
 *
 * Without owners, the location of a bin is its last byte because the
 * interrupted instruction begins in the bin.  If no other instruction does,
 * that one covers the last byte, while the first byte often belongs to the
 * instruction before.
 *
 * With owners, stacks can be estimated (prof_estimate()), and
 * profiles of several files add up to the profile of their sum, except for
 * amounts that do not divide evenly.
 *
 * Symbolizes the profile unless exe is null or opts.no_symbols is set.
 * PROF_ERR_INPUT when a value exceeds 63 bits.
 */
struct profile *gmon_convert(const struct gmon_job *job, struct prof_err *err);

/* --- all files, of one or more programs, as one profile --- */

/*
 * Reads the headers of opts->program into opts->exe.  Call it before the
 * conversion.  If opts->program is null, tries ./a.out, which may be missing or
 * not a program.  gmon_program_path() returns the file that *err is about.
 */
bool gmon_find_program(struct gmon_opts *opts, const struct prof_notes *notes,
                       struct prof_err *err);
const char *gmon_program_path(const struct gmon_opts *opts);

/*
 * The sum of files.  *opts and *notes must outlive it.
 *
 *   gmon_sum_add()     adds a file; with opts->each_own, that of the program
 *                      opts->own.  After PROF_ERR_INPUT, the sum is as before
 *   gmon_sum_finish()  makes the profile, which the caller owns; the sum is
 *                      then only good for gmon_sum_free()
 */
struct gmon_sum;
struct gmon_sum *gmon_sum_new(const struct gmon_opts *opts,
                              const struct prof_notes *notes,
                              struct prof_err *err);
bool gmon_sum_add(struct gmon_sum *sum, const struct import_input *in,
                  struct prof_err *err);
struct profile *gmon_sum_finish(struct gmon_sum *sum, struct prof_err *err);
void gmon_sum_free(struct gmon_sum *sum); /* null is allowed */

#endif
