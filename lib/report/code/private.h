/*
 * private.h - what --list, --disasm and --weblist share
 */
#ifndef PROFUTILS_REPORT_CODE_PRIVATE_H
#define PROFUTILS_REPORT_CODE_PRIVATE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "profile/filter/regex.h"
#include "report/out.h"
#include "symbol/binary.h"

/*
 * Pattern: the functions that are asked for, as a regular expression.  For
 * --disasm and --weblist it may also be a number: then it is an address too,
 * of the program as it ran, and stands for the function there.  Numbers are
 * those of Go: decimal, 0x, 0o or 0 octal, 0b.
 */
struct pattern {
    struct regex *re;
    bool is_address;
    uint64_t address;
    const struct strtab *strings; /* not owned */
    uint8_t *verdict; /* by string id: 0 not asked, 1 no, 2 it matches */
};

/*
 * `option`, as "--list", is what errors call it by; it is not copied.  Strings
 * that are added to *strings later cannot be asked for by id.  On failure *p
 * is safe to free.
 */
bool pattern_init(struct pattern *p, const char *option, const char *text,
                  const struct strtab *strings, struct err *err);
void pattern_free(struct pattern *p);

/* Whether it matches as an expression: 1, 0 or -1 as regex_match(). */
static inline int pattern_match(struct pattern *p, const void *text, size_t n,
                                struct err *err)
{
    return regex_match(p->re, text, n, err);
}

/* The same for one of the strings, which is looked at only once. */
int pattern_match_id(struct pattern *p, uint32_t id, struct err *err);

/*
 * Binaries: the files of mappings.
 *
 * Found as pbsym finds them (symbol/symbol.h), by opts.binary_path and
 * opts.binary.  A binary that is missing, or has another build ID than the
 * profile knows, is a warning and its code is not shown.
 */
struct binaries {
    const struct report *r;
    struct sym_cache *cache;
    bool *missing; /* by mapping: that was said */
};

/* On failure *b is safe to free. */
bool binaries_init(struct binaries *b, const struct report *r, struct err *err);
void binaries_free(struct binaries *b);

/* A binary, and what to subtract from a mapping's addresses for its own. */
struct mapped_binary {
    const struct sym_files *files; /* good until the next call; null: none */
    uint64_t bias;
};

/* The binary of a mapping, of which `seen` is an address. */
bool binaries_find(struct binaries *b, uint32_t mapping, uint64_t seen,
                   struct mapped_binary *to, struct err *err);

/* Whether the address is in the mapping; in one without an end all are. */
bool binaries_maps(const struct prof_mapping *m, uint64_t address);

/*
 * Listing: a block for each function with a line that sums it up, then lines
 * with a flat and a cumulative value before the text.
 */

/*
 * Adds what a node weighs, values and divisors.  ERR_INPUT when that does not
 * fit 64 bits, which is possible where a function calls itself.
 */
bool listing_add(struct graph_value *sum, const struct graph_value *w,
                 struct err *err);

/* What n nodes weigh together. */
bool listing_sum(const struct graph *g, const uint32_t *node, size_t n,
                 struct graph_value *sum, struct err *err);

/* "Total: 1.20s". */
bool listing_total(struct report *r);

/* "      10ms      1.10s (flat, cum) 91.67% of Total". */
bool listing_head(struct report *r, const struct graph_value *sum);

/* "      10ms          . ", with a dot for nothing. */
bool listing_values(struct report *r, const struct graph_value *sum);

/*
 * Sources: the source files that a profile names, line by line.
 *
 * A file is looked for as pprof does it (openSourceFile() in
 * internal/report/source.go of https://github.com/google/pprof): when
 * prof_trim_path() has shortened its name, an absolute one must be there, and
 * any other is tried in each directory of the search path and in all
 * directories above that.
 *
 * Names come from profiles, so that nothing is trusted: only regular files of
 * at most SOURCES_MAX_FILE bytes are read, each of them once.  Lines are
 * whatever bytes are between newlines; a carriage return before the newline
 * is not part of one.
 */
enum { SOURCES_MAX_FILE = 64 << 20 };

struct source_file {
    char *why;           /* it cannot be shown, in words; null: it can */
    bool failed;         /* that is the system's fault, and an error */
    struct buf text;     /* all of it */
    VEC(uint32_t) begin; /* of each line, and one more at the end */
};

struct sources {
    const char *trim;   /* not owned; null: none */
    char *search;       /* directories with colons between */
    struct strtab seen; /* names; file i - 1 is that of name i */
    VEC(struct source_file) files;
};

/*
 * Both are lists as in PATH, or null; without a search path it is the current
 * directory.  On failure *s is safe to free.
 */
bool sources_init(struct sources *s, const char *search, const char *trim,
                  struct err *err);
void sources_free(struct sources *s);

/*
 * The file of a name that is not "", good until the next call.  False when
 * the system fails; a file that is not there, not for us or no text is one
 * with file->why set.
 */
bool sources_open(struct sources *s, struct slice name,
                  const struct source_file **file, struct err *err);

/* The line of that number, from 1, without its end; false: there is none. */
bool source_line(const struct source_file *f, int64_t number,
                 struct slice *line);

/*
 * Weblist: code with the sources it was made from.
 *
 * Addresses of the samples lead to ranges of machine code around them, these
 * to the source lines of their instructions, and those to functions.
 *
 * What is shown follows pprof (internal/report/source.go of
 * https://github.com/google/pprof) rule by rule, so that its lines and numbers
 * are the same: an instruction belongs to a line in each of its frames, be
 * they inlined or not, whose function is asked for.  Cumulative values count
 * each frame of a stack; code that calls itself counts more than once.
 *
 * Strings are ids in wl->names.
 */

/* Of an address, an instruction, a line or a part of a function. */
struct weblist_value {
    int64_t flat, cum;
};

/* An address of the program as it ran that samples have. */
struct weblist_addr {
    uint64_t address;
    struct weblist_value value;
    uint32_t location; /* of the profile; the first of them that is .. */
    bool wanted;       /* .. asked for, in the order of samples */
    uint32_t turn;     /* private: its place in that order */
};

/* An instruction, or an address without code. */
struct weblist_inst {
    uint64_t address; /* as the program ran */
    uint64_t shown;   /* the same in the binary */
    uint64_t length;  /* bytes up to the next */
    struct weblist_value value;
    size_t text, text_n;    /* where in wl->text */
    size_t frame, n_frames; /* in wl->frames, innermost first */
    uint32_t mapping;       /* PROF_NONE: there is no code */
    bool begins;            /* a range of code */
};

struct weblist_frame {
    uint32_t name; /* as it is shown */
    uint32_t file;
    int64_t line; /* not negative; 0: unknown */
    bool wanted;
};

/* An instruction at a line of a file. */
struct weblist_place {
    uint32_t file; /* cleaned */
    int64_t line;
    size_t inst;
    size_t frame;   /* the one of this line, in wl->frames; those from .. */
    size_t callees; /* .. here up to it are what was inlined there */
};

enum weblist_wanted {
    WEBLIST_NAMED = 1, /* as a name that a binary may have */
    WEBLIST_READ = 2,  /* as one for people, of a function that has no other */
};

struct weblist {
    struct report *r;
    struct pattern pattern;
    struct binaries binaries;
    struct strtab names;
    VEC(struct weblist_addr) addrs; /* by address, no two alike */
    /* By string id of the profile, whether and as what it is asked for .. */
    uint8_t *wanted;  /* .. as enum weblist_wanted, or-ed */
    uint32_t *pretty; /* .. and the name to show instead, or 0 */
    struct buf text;
    VEC(struct weblist_inst) insts; /* range by range */
    VEC(struct weblist_frame) frames;
    VEC(struct weblist_place)
    places; /* by file name, then line, then as the
               instructions are */
};

bool weblist_collect(struct weblist *wl, struct err *err);
bool weblist_code(struct weblist *wl, struct err *err);
bool weblist_places(struct weblist *wl, struct err *err);

/* Adds v to *sum; ERR_INPUT when it does not fit 64 bits. */
bool weblist_add(struct weblist_value *sum, struct weblist_value v,
                 struct err *err);

#endif
