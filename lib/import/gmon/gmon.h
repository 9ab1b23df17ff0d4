/*
 * gmon.h - gmon.out files, which gcc -pg programs write: read, sum, convert
 *
 * Purpose: makes one profile of any number of gmon.out files of one or more
 * programs, in three steps:
 *
 *      gmon_read()     the bytes of a file -> struct gmon
 *      gmon_add()      several struct gmon -> their sum, in 64 bits
 *      gmon_convert()  a sum and its executable -> struct profile
 *
 * and gmon_converter does the three for all files and programs.
 *
 * Formats
 *   GNU         "gmon", version 0 or 1, tagged records: glibc, OpenOCD,
 *               gprof -s
 *   4.4BSD      0x51879 in the header: the BSDs, Cygwin, mingw-w64, newlib
 *   old BSD     the same without version and rate: nothing marks such a file
 *   OSF/1       old BSD, 64-bit, with a header of 24 bytes in place of 20
 *   LD_PROFILE  "gmon", version 0x1ffff: one shared library, by ld.so
 *   Darwin      0xbeefbabe or 0xbeefbabf, then chunks: several images
 *
 * Units: a histogram's counts divided by its rate are amounts of its
 * dimension, usually seconds.  Addresses are those of the executable file,
 * also of position-independent programs: the C library subtracts the load
 * address.
 *
 * Ownership: structs are zero-initialised, or filled by the function that
 * reads them, and then own what they point at unless it says otherwise.
 *
 * Errors: ERR_INPUT for what is wrong with a file (with its offset after
 * decompression) or an executable, ERR_SYSTEM otherwise.  What is odd but
 * readable is a note.
 *
 * Sources
 *   GNU         https://sourceware.org/binutils/docs/gprof/File-Format.html,
 *               gmon_out.h of binutils, <sys/gmon_out.h> of glibc
 *   BSD         <sys/gmon.h> of FreeBSD
 *   LD_PROFILE  elf/dl-profile.c of glibc
 *   Darwin      <sys/gmon.h> of Darwin's Libc
 */
#ifndef PROFUTILS_IMPORT_GMON_H
#define PROFUTILS_IMPORT_GMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "import/import.h"
#include "symbol/gprof_symbols.h"
#include "symbol/symbol.h"

/*
 * Options
 */

enum gmon_family {
    GMON_ANY, /* of options: what the bytes say */
    GMON_GNU,
    GMON_BSD44,
    GMON_OLD_BSD, /* only if the options say so; this too: */
    GMON_OSF1,
    GMON_LD_PROFILE,
    GMON_DARWIN,
};

enum gmon_order {
    GMON_ORDER_ANY,
    GMON_ORDER_LITTLE,
    GMON_ORDER_BIG,
};

/* How a file writes addresses and numbers. */
struct gmon_form {
    unsigned addr_size; /* 4 or 8; 0: unknown */
    bool big_endian;
};

/*
 * An executable
 *   path      where it can be read; not owned
 *   name      what it is called in the profile; not owned
 *   low, high the addresses that are loaded, to the end of the last page with
 *             code
 *   build_id  hexadecimal; "" if there is none
 */
struct gmon_exe {
    const char *path, *name;
    struct gmon_form form;
    uint64_t low, high;
    char build_id[2 * 64 + 1];
};

/*
 * The program of a file.  `content` is a small number, equal for copies of one
 * program, which is called by the least of their names.
 */
struct gmon_program_id {
    uint32_t content;
    const char *path;    /* where it can be read */
    const char *name;    /* what it is called */
    const char *archive; /* that holds it, or null */
    bool is_default;     /* the file has none of its own: it is opts->program */
};

/*
 * Zero-initialise, but for max_stacks.  Nothing is owned.
 *
 *   The format, by gmon_parse_format(); 0: what the file says or, where it
 *   does not, what makes most sense of it
 *     family, addr_size (4, 8), order
 *     bin_bits (16, 32), bin_order   of the counts of histograms
 *     count_bits (32, 64)            of the call counts of 64-bit BSD files
 *   Reading
 *     hint      decides where the bytes do not; addr_size 0: none
 *     lenient   keep the complete records of a damaged file
 *   The program
 *     program   its path; null: ./a.out if it fits, else unknown
 *     exe       what gmon_find_program() read; its path is null: nothing
 *     each_own  each file has its own program, or none
 *     own       the program of the next file, then
 *     path, binaries, demangle, inlines   as in symbol.h
 *   The profile
 *     no_symbols   addresses without names
 *     flat         measured data, without estimated stacks
 *     blocks       basic-block counts, too
 *     max_stacks   as in estimate.h
 *     subject      *subject is set to the name of the program that notes are
 *                  about, where there are several; null: nobody asks
 */
struct gmon_opts {
    enum gmon_family family;
    unsigned addr_size;
    enum gmon_order order;
    unsigned bin_bits;
    enum gmon_order bin_order;
    unsigned count_bits;

    struct gmon_form hint;
    bool lenient;

    const char *program;
    struct gmon_exe exe;
    bool each_own;
    struct gmon_program_id own;
    const char *path;
    struct sym_cache *binaries;
    enum sym_demangle demangle;
    bool inlines;

    bool no_symbols, flat, blocks;
    uint64_t max_stacks;
    const char **subject;
};

/*
 * The words of --format: FIRST(text, what, value) and others that are separated
 * from it.  `what` and `value` are gmon_parse_format()'s.
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
 * Sets what the words of `text`, separated by commas, say about the format:
 * "gnu,be,32".  ERR_USAGE if one is unknown.
 */
bool gmon_parse_format(struct gmon_opts *opts, const char *text,
                       struct err *err);

/* "4.4BSD format" etc. */
const char *gmon_family_text(enum gmon_family family);

/*
 * The function that tells whether bytes begin like a file of the family or,
 * for ANY, of one that is marked: not old BSD, whose function needs the whole
 * file.
 */
typedef bool gmon_begins_fn(const uint8_t *data, size_t n);
gmon_begins_fn *gmon_begins_of(enum gmon_family family);

/*
 * Files
 */

/*
 * A histogram over the addresses [low, high).  Its counts are
 * bins[bin .. bin + n_bins) of the struct gmon.  Rate 0 is unknown.
 */
struct gmon_hist {
    uint64_t low, high;
    uint32_t n_bins, rate;
    size_t bin;
};

/*
 *   of arcs     `count` calls, from the function of the address `from` to
 *               that of `self`.  `self` is where the callee's call of mcount
 *               returns to, `from` where the callee returns to, rounded down
 *               to 4, 8 or 16 bytes.  LD_PROFILE's are exact: `self` is the
 *               callee's entry.
 *   of entries  the same with `from` 0: calls from outside of the library
 *   of blocks   the basic block at `self` ran `count` times; `from` is 0
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

/* Darwin: an image that the program had loaded. */
struct gmon_image {
    uint64_t at; /* its address; or, if `moved`, how far it was moved */
    bool moved;
    char *path;
};
struct gmon_images {
    struct gmon_image *v;
    size_t n, cap;
};

enum { GMON_DIMENSION = 16 }; /* 15 bytes and a NUL */

/*
 * The content of one file, or the sum of several.
 *
 *   name       of the first file that has a histogram, else of the first
 *   family     that file's
 *   form       addr_size is 0 if no record showed it
 *   dimension  of all histograms; "" if there are none
 *   hists      in order of (low, high, n_bins, rate), no two alike
 *   arcs, entries, blocks
 *              in order of (self, from), no two alike, none of zeros alone
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
 * Reads a file into *g, which is overwritten, and is to be freed in any case.
 * The whole file is read before anything is believed, because the GNU format
 * says neither how wide addresses are nor, in version 0, its byte order: of a
 * real file only one reading makes sense.
 *
 * ERR_INPUT says where the file is wrong, and how.  With opts.lenient, records
 * before that place are kept, and the rest is a loss.
 */
bool gmon_read(struct gmon *g, const struct import_input *in,
               const struct gmon_opts *opts, struct err *err);

/*
 * Adds *from, which was read from the file `name`, to *to: equal histograms
 * bin by bin, equal arcs, and others side by side.  Where *to is empty, all of
 * *from is moved to it.  ERR_INPUT when they cannot
 * be of one program (address size, byte order, images) or count different
 * things (dimension), or when a sum exceeds 64 bits; *to is then as before.
 */
bool gmon_add(struct gmon *to, struct gmon *from, const char *name,
              struct err *err);

void gmon_free(struct gmon *g);

/*
 * Executables and profiles
 */

/*
 * Reads the headers of an ELF file.  ERR_SYSTEM when it cannot be read,
 * ERR_INPUT when it is not an ELF file with code.  exe->name is the path.
 */
bool gmon_exe_read(struct gmon_exe *exe, const char *path, struct err *err);

/*
 * What a profile is made of.
 *   exe     null: unknown
 *   owners  the functions of its symbol table; null or none: unknown
 */
struct gmon_job {
    const struct gmon *g;
    const struct gmon_exe *exe;
    const struct gprof_symbols *owners;
    const struct gmon_opts *opts;
    const struct notes *notes;
};

/*
 * Makes *p, initialised here and to be freed in any case, of measured data.
 *
 *   sample type          of
 *   samples/count        bins, one frame each
 *   cpu/nanoseconds      bins; another dimension than time has its own name,
 *                        and the unit "count", or "/N" for parts of a whole
 *   calls/count          arcs, frames: callee, caller; entries: callee
 *   bb_executions/count  blocks, one frame each; only with opts.blocks
 *
 * Without owners, it is by address.
 *   bin    at the last byte that it covers.  The instruction that was
 *          interrupted begins in the bin; if no other does, its bytes reach
 *          the bin's last byte, while the first byte is often the end of the
 *          instruction before.
 *   arc    at the addresses in the file
 *
 * With owners, it is by function, so that stacks can be estimated
 * (profile/estimate/estimate.h).
 *   bin    a sample for each function that owns part of it
 *   arc    at the entries of the functions; an end in none is at the address
 *          in the file
 * Profiles of several files then add up to that of all of them at once, but
 * for amounts that do not divide evenly.
 *
 * Symbolizes *p unless exe is null or opts.no_symbols.  ERR_INPUT when a value
 * exceeds 63 bits.
 */
bool gmon_convert(const struct gmon_job *job, struct profile *p,
                  struct err *err);

/*
 * All files, of one or more programs, as one profile
 */

/*
 * Reads opts->program into opts->exe, or ./a.out, which may be missing or not
 * a program.  To be called before the conversion; on failure *err is about the
 * path that gmon_program_path() returns.
 */
bool gmon_find_program(struct gmon_opts *opts, const struct notes *notes,
                       struct err *err);
const char *gmon_program_path(const struct gmon_opts *opts);

/* With struct gmon_opts.  What it reads depends on opts.family. */
extern const struct converter gmon_converter;

#endif
