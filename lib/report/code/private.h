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
    uint64_t address; /* .. an address of the program as it ran */
    uint8_t *verdict; /* by string id: 0 not known, 1 no match, 2 a match */

    /* Binaries. */
    struct sym_cache *cache;
    bool *missing; /* by mapping: a warning says that it was not found */

    /* Sources. */
    char *search;                  /* directories, as in PATH */
    struct strtab names;           /* of files; name i is that of file i - 1 */
    VEC(struct source_file) files; /* opened so far */
};

/*
 * `option` is what errors in the expression call it, "--list"; it is not
 * copied.  code_free() is required after a failure too.
 */
bool code_init(struct code *c, struct report *r, const char *option,
               struct prof_err *err);
void code_free(struct code *c);

/*
 * Query: the functions to show, a regular expression.  An expression that is
 * a number as Go writes it (decimal; 0x, 0o or 0 octal, 0b) is an address too,
 * and --disasm and --weblist then also show the function there.
 *
 * Matches a string of the profile, each only once; as regex_match(), returns 1,
 * 0 or, with *err set, -1.
 */
int code_match_id(struct code *c, uint32_t id, struct prof_err *err);

/*
 * Binaries: found as pbsym finds them (symbolize/symbol.h), by opts.binary_path
 * and opts.binary.
 */
struct mapped_binary {
    const struct sym_files *files; /* valid until the next call; null: none */
    uint64_t bias; /* address in the process minus address in the binary */
};

/*
 * Finds the binary of a mapping; `seen` is any address of a sample in it. Warns
 * once for each mapping whose binary is missing or has another build ID.
 */
bool code_binary(struct code *c, uint32_t mapping, uint64_t seen,
                 struct mapped_binary *to, struct prof_err *err);

/* Whether the mapping has the address; one without an end has all. */
static inline bool code_is_mapped(const struct prof_mapping *m,
                                  uint64_t address)
{
    return m->limit <= m->start || (address >= m->start && address < m->limit);
}

/*
 * Listing: for each function a line with its sum, then lines of code, all
 * with a flat and a cumulative value in front.
 */

/*
 * Adds the value of a node.  PROF_ERR_INPUT: the sum exceeds 64 bits, which is
 * possible because a function that calls itself counts more than once.
 */
bool listing_add(struct graph_value *sum, const struct graph_value *w,
                 struct prof_err *err);

/* The sum of n nodes. */
bool listing_sum(const struct graph *g, const uint32_t *node, size_t n,
                 struct graph_value *sum, struct prof_err *err);

/* "Total: 1.20s". */
bool listing_total(struct report *r);

/* "      10ms      1.10s (flat, cum) 91.67% of Total". */
bool listing_head(struct report *r, const struct graph_value *sum);

/* "      10ms          . "; the dot stands for 0. */
bool listing_values(struct report *r, const struct graph_value *sum);

/*
 * Sources: files are looked for as pprof does it (openSourceFile() in
 * internal/report/source.go of https://github.com/google/pprof).  First
 * prof_trim_path() shortens the name.  Then
 *
 *      an absolute name    must exist
 *      any other           is tried in each directory of opts.source_path
 *                          (none: the current directory), and in all
 *                          directories above that
 *
 * Names come from profiles and are not trusted: only regular files of at most
 * SOURCES_MAX_FILE bytes are read, each of them once.  A line ends before
 * "\n" or "\r\n" and may have any other bytes.
 */
enum { SOURCES_MAX_FILE = 64 << 20 };

struct source_file {
    char *why;           /* reason why it cannot be shown, or null */
    bool failed;         /* the reason is a failure of the system */
    struct buf text;     /* the content */
    VEC(uint32_t) begin; /* offset of each line, then the end of the last */
};

/*
 * The file of a name that is not "", valid until the next call.  A file that
 * does not exist, may not be read or is not a text file has file->why set;
 * false: a failure of the system.
 */
bool sources_open(struct code *c, struct prof_slice name,
                  const struct source_file **file, struct prof_err *err);
void sources_free(struct code *c);

/* Line `number`, from 1, without its end; false: the file has fewer. */
bool source_line(const struct source_file *f, int64_t number,
                 struct prof_slice *line);

/*
 * Weblist: addresses of samples lead to the machine code around them, each
 * instruction leads to a source line for each of its frames, and lines lead to
 * functions.
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

/* An address of samples. */
struct weblist_addr {
    uint64_t address; /* as the program ran */
    struct weblist_value value;
    /* Locations may share an address.  The first in the order of samples,
     * among those that match if there are any: */
    uint32_t location;
    bool wanted;   /* the query matches one of them */
    uint32_t turn; /* private: rank in the order of samples */
};

/* An instruction, or an address without code. */
struct weblist_inst {
    uint64_t address; /* as the program ran */
    uint64_t shown;   /* the same in the binary */
    uint64_t length;  /* bytes up to the next */
    struct weblist_value value;
    size_t text, text_n;    /* offset and length in wl->text */
    size_t frame, n_frames; /* in wl->frames, innermost first */
    uint32_t mapping;       /* PROF_NONE: there is no code */
    bool begins;            /* first of a range of code */
};

struct weblist_frame {
    uint32_t name; /* to show */
    uint32_t file;
    int64_t line; /* 0: unknown */
    bool wanted;  /* the query matches its function */
};

/* A source line of an instruction. */
struct weblist_place {
    uint32_t file; /* without "./" and the like */
    int64_t line;
    size_t inst;    /* in wl->insts */
    size_t frame;   /* in wl->frames: the frame of this line */
    size_t callees; /* first of the frames inlined there, up to `frame` */
};

struct weblist {
    struct code code;
    struct strtab names;
    VEC(struct weblist_addr) addrs; /* by address, which are unique */
    /* By string id of the profile: */
    uint8_t *wanted;  /* .. enum weblist_wanted, or-ed */
    uint32_t *pretty; /* .. by system name: the name to show, or 0 */
    struct buf text;  /* of instructions */
    VEC(struct weblist_inst) insts; /* range by range */
    VEC(struct weblist_frame) frames;
    VEC(struct weblist_place) places; /* by file name, line, instruction */
};

/* Which addresses get their code. */
enum weblist_code {
    WEBLIST_USUAL, /* the heaviest few; others are not shown at all, as in pprof
                    */
    WEBLIST_MUCH,  /* more of them; others have their lines */
    WEBLIST_LINES, /* none: no binary is opened */
};

/*
 * Fills *wl.  PROF_ERR_ANSWER_NO: nothing matches.  weblist_free() is required
 * after a failure too.
 */
bool weblist_make(struct weblist *wl, struct report *r, enum weblist_code code,
                  struct prof_err *err);
void weblist_free(struct weblist *wl);

/* Adds v to *sum; PROF_ERR_INPUT: the sum exceeds 64 bits. */
bool weblist_add(struct weblist_value *sum, struct weblist_value v,
                 struct prof_err *err);

#endif
