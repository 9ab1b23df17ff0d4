/*
 * pgo.h - what compilers read of a profile, and how good it is for them
 *
 * The Go compiler reads call edges alone: how often a call site called a
 * function.  pgo_edges_read() finds those that it finds:
 *
 *      struct pgo_edges edges = {0};
 *      struct profile *small = NULL;
 *      ok = pgo_edges_read(p, &edges, &err) && pgo_edges_fit(&edges, &err) &&
 *           pgo_edges_cut(&edges, 99, &err) &&
 *           (small = pgo_edges_profile(&edges, &err));
 *      pgo_edges_free(&edges);
 *
 * What it counts is described in edges.c.
 */
#ifndef PROFUTILS_PGO_PGO_H
#define PROFUTILS_PGO_PGO_H

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "profile.h"
#include "symbolize/symbol.h"

/* --- Go --- */

/* A call site is a line of the caller: offset is that line minus the line where
 * the function starts, so that it stays when the function moves. */
struct pgo_edge {
    uint32_t caller, callee; /* indices of pgo_edges.names */
    int64_t offset;
    int64_t weight; /* above 0 */
};

/* Zero-initialise; pgo_edges_free() frees it. */
struct pgo_edges {
    VEC(struct pgo_edge) v;       /* the heaviest first, then by names */
    VEC(struct prof_slice) names; /* of the profile, not owned */
    struct prof_slice type, unit; /* of the weights; likewise */
    int64_t total;                /* of all weights */
    /* The weight of edges whose functions have names, whose call sites have
     * lines, and whose callers have start lines. */
    int64_t named, lined, started;
    bool any_weight, any_start; /* samples with a value; with a start line */
    uint32_t unstarted;         /* a name without start line, or PROF_NONE */
    int64_t time_nanos, duration_nanos; /* of the profile; 0: unknown */
};

/*
 * The sample type that Go's compiler uses: the first that is samples/count or
 * cpu/nanoseconds.  PROF_ERR_INPUT, with the types that there are, if none is.
 */
bool pgo_pick_type(const struct profile *p, size_t *type, struct prof_err *err);

/*
 * Reads the edges of *p, which must outlive them.  PROF_ERR_INPUT if it has no
 * type of weights, or a weight below 0 or beyond 64 bits.
 */
bool pgo_edges_read(const struct profile *p, struct pgo_edges *edges,
                    struct prof_err *err);
void pgo_edges_free(struct pgo_edges *edges);

/*
 * By location, whether edges need a start line of it that is missing: for
 * sym_opts.only.  The caller frees it; null: no memory.
 */
bool *pgo_unstarted_locations(const struct profile *p, struct prof_err *err);

/* Whether the compiler takes them: some function has a start line, or there are
 * no samples.  Otherwise PROF_ERR_INPUT names a function without. */
bool pgo_edges_fit(const struct pgo_edges *edges, struct prof_err *err);

enum { PGO_HOT_PERCENT = 99 }; /* the compiler's -pgoinlinecdfthreshold */

/*
 * How many edges the compiler takes for hot: the heaviest that have more than
 * `percent` of the total together, with the one that exceeds it.
 */
size_t pgo_edges_hot(const struct pgo_edges *edges, double percent);

/*
 * Keeps the hot edges only.  Others take the place of the rest, so that the
 * total stays, and with it what is hot to the compiler: one, or, as none may be
 * heavier than the last edge that is kept, several.
 */
bool pgo_edges_cut(struct pgo_edges *edges, double percent,
                   struct prof_err *err);

/* The edges as a canonical profile, a sample for each, without what the
 * compiler does not read.  Null: *err says why. */
struct profile *pgo_edges_profile(const struct pgo_edges *edges,
                                  struct prof_err *err);

/* The edges as `go tool preprofile` writes them: "GO PREPROFILE V1". */
bool pgo_edges_text(const struct pgo_edges *edges, struct sink *to,
                    struct prof_err *err);

/* The part of a function's name that a rule's expression matches, or that its
 * first group does, becomes this text; only the first rule that matches. */
struct pgo_rename {
    const char *regex, *text;
};

/* Renames functions; warns of rules that match none. */
bool pgo_rename(struct profile *p, const struct pgo_rename *rules, size_t n,
                const struct prof_notes *notes, struct prof_err *err);

/* Calls of functions whose names match are no reason to inline these.  *p is
 * that of the edges; warns if none matches. */
bool pgo_edges_no_inline(struct profile *p, struct pgo_edges *edges,
                         const char *regex, const struct prof_notes *notes,
                         struct prof_err *err);

/* --- LLVM and GCC --- */

/* Samples, and what profile.proto has no place for. */
struct pgo_source {
    const struct profile *p;
    const struct sym_discriminators *discriminators; /* null: none */
    const struct prof_notes *notes;
};

/*
 * Writes a sample profile for clang: how many samples were taken at each line
 * of each function, and of each that was inlined there.  PROF_ERR_INPUT if no
 * sample has a function with name, line and start line, or a value is below 0.
 * A warning says how many have none, if these are more than 1 %.
 */
bool pgo_llvm_text(const struct pgo_source *from, struct sink *to,
                   struct prof_err *err);

/* The same for gcc's -fauto-profile, in version 2 or 3 of its format. */
bool pgo_gcc_file(const struct pgo_source *from, int version, struct sink *to,
                  struct prof_err *err);

/* By location, whether a sample was taken there: for sym_opts.only.  The caller
 * frees it; null: no memory. */
bool *pgo_leaf_locations(const struct profile *p, struct prof_err *err);

/* --- binaries, AutoFDO and BOLT --- */

struct pgo_binary {
    const struct profile *p;
    const struct sym_opts *opts; /* binary and path are read */
    const struct prof_notes *notes;
};

/*
 * Finds the first mapping of from->opts->binary by its build ID or by its name,
 * for sym_opts.main, and names its other pieces in *p, which is from->p, alike.
 * PROF_ERR_INPUT if the binary is not found, or all mappings have other build
 * IDs.
 */
bool pgo_name_binary(struct profile *p, const struct pgo_binary *from,
                     uint32_t *mapping, struct prof_err *err);

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
 * What a compiler reads of *p, which must outlive it.  Null: PROF_ERR_INPUT if
 * it has no type of weights, or a weight that is not valid.
 */
struct pgo_figures;
struct pgo_figures *pgo_figures_new(const struct profile *p,
                                    enum pgo_compiler compiler,
                                    struct prof_err *err);
enum pgo_compiler pgo_figures_compiler(const struct pgo_figures *f);
void pgo_figures_free(struct pgo_figures *f); /* null is allowed */

/* Whether the compiler has a use for it; otherwise *err says why not. */
bool pgo_figures_fit(const struct pgo_figures *f, struct prof_err *err);

/*
 * A later build: a binary, or a directory with its source files.  For binaries
 * opts.path is read.  PROF_ERR_INPUT if it has no functions, or, of C and C++,
 * if none of the profile's source files is in the directory.
 */
struct pgo_against {
    const char *path;
    enum pgo_compiler compiler;
    const struct profile *p;
    const struct sym_opts *opts;
};

struct pgo_target;
struct pgo_target *pgo_target_new(const struct pgo_against *against,
                                  struct prof_err *err);
void pgo_target_free(struct pgo_target *t); /* null is allowed */

/* A function that the later build does not have, or not all lines of. */
struct pgo_stale {
    struct prof_slice name; /* of the profile, not owned */
    bool has_function;
    int64_t weight;
};

/* Zero-initialise; pgo_fresh_free() frees it. */
struct pgo_fresh {
    int64_t all;                 /* calls or samples, */
    int64_t of_target;           /* those in functions of the program, */
    int64_t fresh;               /* and those that still exist */
    VEC(struct pgo_stale) stale; /* the others, the heaviest first */
};

bool pgo_fresh_read(struct pgo_fresh *fresh, const struct pgo_figures *f,
                    struct pgo_target *target, struct prof_err *err);
void pgo_fresh_free(struct pgo_fresh *fresh);

/* What --check reports. */
struct pgo_check {
    struct pgo_figures *now;
    struct pgo_figures *before;    /* to be compared with; null: none */
    const struct pgo_fresh *fresh; /* null: not asked for */
    const struct sym_discriminators *discriminators; /* null: none */
    int gcc;                                         /* version of the format */
    int64_t now_nanos;                               /* since 1970 */
};

/* A line for each figure, which lets people judge whether a profile fits. */
bool pgo_check_text(const struct pgo_check *check, struct sink *to,
                    struct prof_err *err);

#endif
