/*
 * pgo.h - makes profiles for compilers (PGO), and judges how well they fit
 *
 * The Go compiler reads only call edges: how often a call site called a
 * function.  pgo_edges_read() computes the same edges as the compiler:
 *
 *      struct pgo_edges edges = {0};
 *      struct profile *small = NULL;
 *      ok = pgo_edges_read(p, &edges, &err) && pgo_edges_fit(&edges, &err) &&
 *           pgo_edges_cut(&edges, 99, &err) &&
 *           (small = pgo_edges_profile(&edges, &err));
 *      pgo_edges_free(&edges);
 *
 * edges.c describes which calls are counted.
 */
#ifndef PROFUTILS_PGO_PGO_H
#define PROFUTILS_PGO_PGO_H

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "profile.h"
#include "symbolize/symbol.h"

/* --- Go --- */

/* Calls from one call site, a line of the caller, to a callee.  `offset` is
 * that line minus the line where the caller starts, so that it does not change
 * if the function moves in its file. */
struct pgo_edge {
    uint32_t caller, callee; /* indices of pgo_edges.names */
    int64_t offset;
    int64_t weight; /* above 0 */
};

/* Zero-initialise; pgo_edges_free() frees it. */
struct pgo_edges {
    VEC(struct pgo_edge) v;       /* the heaviest first, then by names */
    VEC(struct prof_slice) names; /* of the profile, not owned */
    struct prof_slice type, unit; /* of the weights; likewise not owned */
    int64_t total;                /* sum of all weights */
    /* The weights of three kinds of edges: both functions have names; the call
     * site has a line; the caller has a start line. */
    int64_t named, lined, started;
    bool any_weight, any_start; /* some sample has a weight other than 0; some
                                   function has a start line */
    uint32_t unstarted; /* a function without start line, or PROF_NONE */
    int64_t time_nanos, duration_nanos; /* of the profile; 0: unknown */
};

/*
 * Reads the edges of *p, which must outlive them.  PROF_ERR_INPUT if it has no
 * type of weights, or a weight below 0 or beyond 64 bits.
 */
bool pgo_edges_read(const struct profile *p, struct pgo_edges *edges,
                    struct prof_err *err);
void pgo_edges_free(struct pgo_edges *edges);

/* Whether the compiler accepts the edges: some function has a start line, or
 * there are no samples.  If not, *err names a function without one. */
bool pgo_edges_fit(const struct pgo_edges *edges, struct prof_err *err);

enum { PGO_HOT_PERCENT = 99 }; /* the compiler's -pgoinlinecdfthreshold */

/*
 * Returns how many edges the compiler treats as hot: the heaviest ones, up to
 * and including the one with which their sum exceeds `percent` of the total.
 */
size_t pgo_edges_hot(const struct pgo_edges *edges, double percent);

/*
 * Keeps only the hot edges.  The weight of the others goes to one or more dummy
 * edges, none heavier than the last hot edge, so that the total does not change
 * and the compiler treats the same edges as hot.
 */
bool pgo_edges_cut(struct pgo_edges *edges, double percent,
                   struct prof_err *err);

struct pgo_edges_opts {
    /* Regular expression of functions that calls are no reason to inline, or
     * null. */
    const char *no_inline;
    double percent; /* as of pgo_edges_cut(); 0: keep all edges */
};

/*
 * Changes the edges as the options say, and warns of what the compiler cannot
 * use.  *p is the profile of the edges.  Fails as pgo_edges_fit() does.
 */
bool pgo_edges_prepare(struct profile *p, struct pgo_edges *edges,
                       const struct pgo_edges_opts *opts,
                       const struct prof_notes *notes, struct prof_err *err);

/* Returns the edges as a canonical profile, which the caller frees: a sample
 * for each edge, only with data that the compiler reads.  Null: a failure. */
struct profile *pgo_edges_profile(const struct pgo_edges *edges,
                                  struct prof_err *err);

/* Writes the edges as `go tool preprofile` does: "GO PREPROFILE V1". */
bool pgo_edges_text(const struct pgo_edges *edges, struct sink *to,
                    struct prof_err *err);

struct pgo_rename {
    char *regex; /* owned */
    const char *text;
};

/* Zero-initialise; pgo_renames_free() frees it. */
struct pgo_renames {
    VEC(struct pgo_rename) v;
};

/* Adds a rule "REGEX=TEXT", whose text must outlive it.  PROF_ERR_USAGE if it
 * is not valid. */
bool pgo_add_rename(struct pgo_renames *rules, const char *rule,
                    struct prof_err *err);
void pgo_renames_free(struct pgo_renames *rules);

/* Renames functions: the part of a name that `regex` matches, or its first
 * group if it has one, is replaced by `text`.  Only the first rule that matches
 * a name applies.  Warns of rules that match none. */
bool pgo_rename(struct profile *p, const struct pgo_renames *rules,
                const struct prof_notes *notes, struct prof_err *err);

/* --- LLVM and GCC --- */

/* A profile, and data about it that profile.proto cannot hold. */
struct pgo_source {
    const struct profile *p;
    const struct sym_discriminators *discriminators; /* null: none */
    const struct prof_notes *notes;
};

/*
 * Writes a sample profile for clang as text: how many samples were taken at
 * each line of each function, and of each function that was inlined there.
 * PROF_ERR_INPUT if no sample has a function with name, line and start line, or
 * if a value is negative.  Warns if more than 1 % of the samples lack these.
 */
bool pgo_llvm_text(const struct pgo_source *from, struct sink *to,
                   struct prof_err *err);

/* The same for gcc's -fauto-profile, in version 2 or 3 of its format. */
bool pgo_gcc_file(const struct pgo_source *from, int version, struct sink *to,
                  struct prof_err *err);

/*
 * Sets *version to the version that the gcc of a build reads: CC in the
 * environment names it (default: gcc).  PROF_ERR_USAGE if it cannot be run,
 * tells no version, or reads neither.
 */
bool pgo_ask_gcc(int *version, const struct prof_notes *notes,
                 struct prof_err *err);

/* --- binaries, AutoFDO and BOLT --- */

/* A profile, and the binary of which to write the samples. */
struct pgo_binary {
    const struct profile *p;
    const struct sym_opts *opts; /* binary and path are read */
    const struct prof_notes *notes;
};

/*
 * Adds the functions and lines that the compiler needs and the profile lacks,
 * from binaries.  If opts->discriminators is set, for clang and gcc: those of
 * leaves.  Otherwise, for Go: start lines at the last two locations of stacks.
 * opts->binary is the file of the first mapping with its build ID or name;
 * opts->main and opts->only are not read.
 */
bool pgo_symbolize(struct profile *p, const struct sym_opts *opts,
                   const struct prof_notes *notes, struct prof_err *err);

enum pgo_by_address { PGO_AUTOFDO, PGO_BOLT };

/*
 * Writes how many samples were taken at each address of a binary, as
 * `create_gcov --profiler=text` and `perf2bolt --pa` read it.  The binary is
 * that of the first mapping, or else opts->binary, whose mapping is found by
 * its build ID or by its name.  PROF_ERR_INPUT if the profile has no mappings,
 * the binary is not found, or no sample was taken in it.
 */
bool pgo_addresses_text(const struct pgo_binary *from, enum pgo_by_address how,
                        struct sink *to, struct prof_err *err);

/* --- checks --- */

enum pgo_compiler { PGO_GO, PGO_LLVM, PGO_GCC };

/*
 * The edges or lines that a compiler reads from *p, which must outlive them.
 * Null: PROF_ERR_INPUT if *p has no sample type for them, or an invalid value.
 */
struct pgo_figures;
struct pgo_figures *pgo_figures_new(const struct profile *p,
                                    enum pgo_compiler compiler,
                                    struct prof_err *err);
void pgo_figures_free(struct pgo_figures *f); /* null is allowed */

/* Whether the compiler can use the profile; if not, *err says why. */
bool pgo_figures_fit(const struct pgo_figures *f, struct prof_err *err);

/* A function that the later build lacks, or of which it lacks a line. */
struct pgo_stale {
    struct prof_slice name; /* of the profile, not owned */
    bool has_function;
    int64_t weight;
};

/* Zero-initialise; pgo_fresh_free() frees it. */
struct pgo_fresh {
    int64_t all;                 /* weight of all calls or samples, */
    int64_t of_target;           /* of those in functions of the program, */
    int64_t fresh;               /* and of these, where the line still exists */
    VEC(struct pgo_stale) stale; /* the others, the heaviest first */
};

/*
 * Computes how much of the profile still applies to a later build: `path` is a
 * binary (opts->path says where to find its debug information), or a directory
 * of source files.  PROF_ERR_INPUT if it has no functions, or, for C and C++,
 * if the directory has none of the profile's source files.
 */
bool pgo_fresh_read(struct pgo_fresh *fresh, const struct pgo_figures *f,
                    const char *path, const struct sym_opts *opts,
                    struct prof_err *err);
void pgo_fresh_free(struct pgo_fresh *fresh);

/* What --check reports. */
struct pgo_check {
    struct pgo_figures *now;
    struct pgo_figures *before;    /* an earlier profile to compare; or null */
    const struct pgo_fresh *fresh; /* null: not asked for */
    const struct sym_discriminators *discriminators; /* null: none */
    int gcc;                                         /* version of the format */
    int64_t now_nanos;                               /* since 1970 */
};

/* Writes a line for each figure from which users judge whether the profile is
 * good for the compiler. */
bool pgo_check_text(const struct pgo_check *check, struct sink *to,
                    struct prof_err *err);

#endif
