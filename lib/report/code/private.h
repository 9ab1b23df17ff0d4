/*
 * private.h - declarations that --list, --disasm and --weblist share
 *
 *      part        file             what it is
 *      query       code.c           the regular expression of the option
 *      binaries    code.c           the files of mappings
 *      listing     code.c           lines of text with two values
 *      sources     sources.c        source files, line by line
 *      weblist     weblist_code.c   the content of --weblist: machine code and
 *                                   the source lines that it was made from
 *
 * Functions that return bool and have no err return false when memory is out
 * or the sink failed.
 */
#ifndef PROFUTILS_REPORT_CODE_PRIVATE_H
#define PROFUTILS_REPORT_CODE_PRIVATE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "profile/columns.h"
#include "report/out.h"
#include "symbolize/binary.h"

struct code {
    struct report *r;

    /* The query. */
    struct regex *re;
    bool is_address;  /* the expression is a number as well: */
    uint64_t address; /* .. an address in the process */
    uint8_t *verdict; /* by string id: 0 not known, 1 no match, 2 a match */

    /* Binaries. */
    struct sym_cache *cache;
    bool *missing; /* by mapping: a warning says that it was not found */

    /* Sources. */
    char *search;                  /* directories, as in PATH */
    struct strtab names;           /* names of files; id i is files.v[i - 1] */
    VEC(struct source_file) files; /* opened so far */
};

/*
 * Compiles the query, r->opts->pattern.  Errors in it begin with `option`, such
 * as "--list", which is not copied.  The caller calls code_free(), after a
 * failure too.
 */
bool code_init(struct code *c, struct report *r, const char *option,
               struct prof_err *err);
void code_free(struct code *c);

/*
 * Query: a regular expression for the functions to show.  If it is a number as
 * Go writes it (decimal, 0x..., 0o... or 0..., 0b...), it is also an address,
 * and
 * --disasm and --weblist show the function at that address, too.
 *
 * code_match_id() matches the string with this id, and remembers the result.
 * Returns 1: it matches; 0: it does not; -1: *err is set.
 */
int code_match_id(struct code *c, uint32_t id, struct prof_err *err);

/*
 * Binaries are found as by pbsym (symbolize/symbol.h), with opts.binary_path
 * and opts.binary.
 */
struct mapped_binary {
    const struct sym_files *files; /* valid until the next call; null: none */
    uint64_t bias; /* address in the process minus address in the binary */
};

/*
 * Finds the binary of a mapping and sets *to.  `seen` is any address of a
 * sample in the mapping.  Warns once for each mapping whose binary is missing
 * or has another build ID.
 */
bool code_binary(struct code *c, uint32_t mapping, uint64_t seen,
                 struct mapped_binary *to, struct prof_err *err);

/* Whether the mapping contains the address; a mapping without an end contains
 * all. */
static inline bool code_is_mapped(const struct prof_mapping *m,
                                  uint64_t address)
{
    return m->limit <= m->start || (address >= m->start && address < m->limit);
}

/*
 * A listing has a line with the sum for each function, and then its lines of
 * code.  All begin with a flat and a cumulative value.
 */

/*
 * Adds the value of a node.  PROF_ERR_INPUT: the sum exceeds 64 bits, which is
 * possible because a function that calls itself counts more than once.
 */
bool listing_add(struct graph_value *sum, const struct graph_value *w,
                 struct prof_err *err);

/* Sets *sum to the sum of n nodes. */
bool listing_sum(const struct graph *g, const uint32_t *node, size_t n,
                 struct graph_value *sum, struct prof_err *err);

/* Appends "Total: 1.20s". */
bool listing_total(struct report *r);

/* Appends "      10ms      1.10s (flat, cum) 91.67% of Total". */
bool listing_head(struct report *r, const struct graph_value *sum);

/* Appends "      10ms          . "; a dot stands for 0. */
bool listing_values(struct report *r, const struct graph_value *sum);

/*
 * Source files are found as by pprof (openSourceFile() in
 * internal/report/source.go of https://github.com/google/pprof).  First
 * prof_trim_path() shortens the name.  Then
 *
 *      an absolute name    is opened
 *      any other           is tried in each directory of opts.source_path
 *                          (default: the current directory), and in all
 *                          directories above it
 *
 * Names come from profiles and are not trusted: only regular files of at most
 * SOURCES_MAX_FILE bytes are read, each of them once.  A line ends before
 * "\n" or "\r\n" and may have any other bytes.
 */
enum { SOURCES_MAX_FILE = 64 << 20 };

struct source_file {
    char *why;           /* the reason why it cannot be shown, or null */
    bool failed;         /* the reason is a failure of the system */
    struct buf text;     /* the content */
    VEC(uint32_t) begin; /* offset of each line, then the end of the last */
};

/*
 * Sets *file to the file with this name, which is not ""; it is valid until the
 * next call.  If it does not exist, cannot be read or is not a text file, sets
 * file->why.  False: the system failed.
 */
bool sources_open(struct code *c, struct prof_slice name,
                  const struct source_file **file, struct prof_err *err);
void sources_free(struct code *c);

/* Sets *line to line `number`, from 1, without its end; false: the file has
 * fewer lines. */
bool source_line(const struct source_file *f, int64_t number,
                 struct prof_slice *line);

/*
 * --weblist starts with the addresses of samples.  It disassembles the code
 * around them, finds the source lines of each instruction, one for each of its
 * frames, and from these the functions to show.
 *
 * The rules are pprof's (internal/report/source.go of
 * https://github.com/google/pprof), so that lines and numbers are the same:
 *
 *   - an instruction belongs to a line in each of its frames, inlined or not,
 *     whose function the query matches
 *   - cumulative values count each frame of a stack: recursive code counts
 *     more than once
 *
 * Names and files are string ids in wl->names.
 */
struct weblist_value {
    int64_t flat, cum;
};

/* An address that samples have. */
struct weblist_addr {
    uint64_t address; /* in the process */
    struct weblist_value value;
    /* Locations may share an address.  The first in the order of samples,
     * among those that match if there are any: */
    uint32_t location;
    bool wanted;   /* the query matches one of them */
    uint32_t turn; /* private: rank in the order of samples */
};

/* An instruction, or an address of samples whose code is not known. */
struct weblist_inst {
    uint64_t address; /* in the process */
    uint64_t shown;   /* the same address in the binary */
    uint64_t length;  /* bytes up to the next instruction */
    struct weblist_value value;
    size_t text, text_n;    /* offset and length in wl->text */
    size_t frame, n_frames; /* in wl->frames, innermost first */
    uint32_t mapping;       /* PROF_NONE: there is no code */
    bool begins;            /* it is the first of a range of code */
};

/* A source line of an instruction, and its function. */
struct weblist_frame {
    uint32_t name; /* the name to show */
    uint32_t file;
    int64_t line; /* 0: unknown */
    bool wanted;  /* the query matches its function */
};

/* A source line, and one instruction that belongs to it. */
struct weblist_place {
    uint32_t file; /* a cleaned name, without "./" and such */
    int64_t line;
    size_t inst;    /* index in wl->insts */
    size_t frame;   /* index in wl->frames: the frame of this line */
    size_t callees; /* frames[callees .. frame) are inlined there */
};

struct weblist {
    struct code code;
    struct strtab names;
    VEC(struct weblist_addr) addrs; /* sorted by address, which is unique */
    /* Indexed by string id of the profile: */
    uint8_t *wanted;  /* .. enum weblist_wanted, or-ed */
    uint32_t *pretty; /* .. by system name: the name to show, or 0 */
    struct buf text;  /* the text of instructions */
    VEC(struct weblist_inst) insts; /* range by range */
    VEC(struct weblist_frame) frames;
    VEC(struct weblist_place) places; /* sorted by file, line, instruction */
};

/* Which addresses are disassembled. */
enum weblist_code {
    WEBLIST_USUAL, /* the few heaviest, as by pprof; others are not shown */
    WEBLIST_MUCH,  /* more of them; others are shown by their lines only */
    WEBLIST_LINES, /* none: no binary is opened */
};

/*
 * Fills *wl.  PROF_ERR_ANSWER_NO: nothing matches.  The caller calls
 * weblist_free(), after a failure too.
 */
bool weblist_make(struct weblist *wl, struct report *r, enum weblist_code code,
                  struct prof_err *err);
void weblist_free(struct weblist *wl);

/* Adds v to *sum; PROF_ERR_INPUT: the sum exceeds 64 bits. */
bool weblist_add(struct weblist_value *sum, struct weblist_value v,
                 struct prof_err *err);

#endif
