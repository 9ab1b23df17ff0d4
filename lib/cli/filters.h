/*
 * filters.h - pprof's filters and bases as options, and pbfilter's work
 *
 * A tool puts the rows into its own table and offers each option to the
 * functions below before it looks itself:
 *
 *      static const struct cli_option options[] = {
 *          CLI_HEADING("Filters"),
 *          CLI_FILTER_OPTIONS,
 *          CLI_HEADING("Detail"),
 *          CLI_DETAIL_OPTIONS,
 *          {"fail-empty", FAIL_EMPTY, NULL, "status 1 if nothing is left"},
 *          {0},
 *      };
 *
 * As in pprof, an empty value means that the option is not given.  If an option
 * is repeated, the last value is used.
 */
#ifndef PROFUTILS_CLI_FILTERS_H
#define PROFUTILS_CLI_FILTERS_H

#include "base/vec.h"
#include "cli/cli.h"
#include "cli/privacy_options.h"

/* Keys of the options; above those that tools give to their own. */
enum cli_filter_key {
    CLI_FOCUS = 0x8000,
    CLI_IGNORE,
    CLI_HIDE,
    CLI_SHOW,
    CLI_SHOW_FROM,
    CLI_PRUNE_FROM,
    CLI_TAGFOCUS,
    CLI_TAGIGNORE,
    CLI_TAGSHOW,
    CLI_TAGHIDE,
    CLI_TAGROOT,
    CLI_TAGLEAF,
    CLI_DROP_FRAMES,
    CLI_KEEP_FRAMES,
    CLI_GRANULARITY,
    CLI_ADDRESSES,
    CLI_LINES = CLI_ADDRESSES + PROF_LINES,
    CLI_FUNCTIONS = CLI_ADDRESSES + PROF_FUNCTIONS,
    CLI_FILEFUNCTIONS = CLI_ADDRESSES + PROF_FILEFUNCTIONS,
    CLI_FILES = CLI_ADDRESSES + PROF_FILES,
    CLI_BINARIES = CLI_ADDRESSES + PROF_BINARIES,
    CLI_NO_INLINES,
    CLI_INLINES,
    CLI_SHOWCOLUMNS,
    CLI_INUSE_SPACE,
    CLI_INUSE_OBJECTS,
    CLI_ALLOC_SPACE,
    CLI_ALLOC_OBJECTS,
    CLI_CONTENTIONS,
    CLI_TOTAL_DELAY,
    CLI_MEAN_DELAY,
    CLI_SYMBOLIZE,
    CLI_MEAN,
    CLI_DIVIDE_BY,
    CLI_FAIL_EMPTY,
};

/* Rows for the strings of struct prof_filter_opts, except `unit`. */
/* clang-format off */
#define CLI_FILTER_OPTIONS                                                     \
    {"focus", CLI_FOCUS | CLI_COMMON, "REGEX",                                 \
     "keep stacks through REGEX: its callers and callees"},                    \
    {"ignore", CLI_IGNORE | CLI_COMMON, "REGEX",                               \
     "drop stacks through REGEX"},                                             \
    {"show", CLI_SHOW, "REGEX", "keep only frames that match REGEX"},          \
    {"hide", CLI_HIDE | CLI_COMMON, "REGEX", "drop frames that match REGEX"},  \
    {"show-from", CLI_SHOW_FROM | CLI_COMMON, "REGEX",                         \
     "start stacks at REGEX: it and what it calls"},                           \
    {"prune-from", CLI_PRUNE_FROM, "REGEX",                                    \
     "end stacks at REGEX: drop what it calls"},                               \
    {"tagfocus", CLI_TAGFOCUS, "EXPR",                                         \
     "keep samples with label [KEY=]REGEX or [KEY=]MIN:MAX"},                  \
    {"tagignore", CLI_TAGIGNORE, "EXPR",                                       \
     "drop samples with label [KEY=]REGEX or [KEY=]MIN:MAX"},                  \
    {"tagshow", CLI_TAGSHOW, "REGEX",                                          \
     "keep only labels whose key matches REGEX"},                              \
    {"taghide", CLI_TAGHIDE, "REGEX", "drop labels whose key matches REGEX"},  \
    {"tagroot", CLI_TAGROOT, "KEYS",                                           \
     "add the values of these labels as frames at the root"},                  \
    {"tagleaf", CLI_TAGLEAF, "KEYS",                                           \
     "add the values of these labels as frames at the leaf"},                  \
    {"drop-frames", CLI_DROP_FRAMES, "REGEX",                                  \
     "remove functions that match REGEX and what they call"},                  \
    {"keep-frames", CLI_KEEP_FRAMES, "REGEX",                                  \
     "do not remove these functions"}

/* The values of --granularity, in the order of enum prof_granularity. */
#define CLI_GRANULARITIES                                                      \
    "addresses|lines|functions|filefunctions|files|binaries"

/* Rows for struct prof_detail. */
#define CLI_DETAIL_OPTIONS                                                     \
    {"functions", CLI_FUNCTIONS, NULL, "one row or frame per function"},       \
    {"filefunctions", CLI_FILEFUNCTIONS, NULL,                                 \
     "one row or frame per function and file"},                                \
    {"files", CLI_FILES, NULL, "one row or frame per source file"},            \
    {"binaries", CLI_BINARIES, NULL, "one row or frame per binary"},           \
    {"lines", CLI_LINES | CLI_COMMON, NULL,                                    \
     "one row or frame per source line"},                                      \
    {"addresses", CLI_ADDRESSES, NULL, "one row or frame per address"},        \
    {"granularity", CLI_GRANULARITY, CLI_GRANULARITIES,                        \
     "choose what a row or frame is"},                                         \
    {"no-inlines", CLI_NO_INLINES, NULL,                                       \
     "keep only the outermost of inlined frames"},                             \
    {"inlines", CLI_INLINES, NULL, "keep inlined frames (default)"},           \
    {"noinlines", CLI_NO_INLINES, NULL, NULL},                                 \
    {"showcolumns", CLI_SHOWCOLUMNS, NULL, "keep the columns of source lines"}

/* Rows for the other members of struct cli_pprof. */
#define CLI_VALUE_OPTIONS                                                      \
    {"mean", CLI_MEAN, NULL,                                                   \
     "divide values by those of the first sample type"},                       \
    {"divide-by", CLI_DIVIDE_BY, "X", "divide values by X"}
#define CLI_FAIL_EMPTY_OPTION                                                  \
    {"fail-empty", CLI_FAIL_EMPTY, NULL,                                       \
     "exit with status 1 if no samples are left"}

/* Rows for options that pprof has for compatibility; not in --help. */
#define CLI_PPROF_OPTIONS                                                      \
    {"inuse-space", CLI_INUSE_SPACE, NULL, NULL},                              \
    {"inuse-objects", CLI_INUSE_OBJECTS, NULL, NULL},                          \
    {"alloc-space", CLI_ALLOC_SPACE, NULL, NULL},                              \
    {"alloc-objects", CLI_ALLOC_OBJECTS, NULL, NULL},                          \
    {"contentions", CLI_CONTENTIONS, NULL, NULL},                              \
    {"total-delay", CLI_TOTAL_DELAY, NULL, NULL},                              \
    {"mean-delay", CLI_MEAN_DELAY, NULL, NULL},                                \
    {"symbolize", CLI_SYMBOLIZE, "none", NULL}
/* clang-format on */

/* Stores the value of one of CLI_FILTER_OPTIONS; false: it is another key. */
bool cli_take_filter(struct prof_filter_opts *opts, int key, const char *value);

/* Whether stacks should be whole (prof_unshare()) for the filter, as it adds
 * frames to them or drops some at the leaf. */
bool cli_filter_unshares(const struct prof_filter_opts *opts);

/*
 * The same for CLI_DETAIL_OPTIONS.  If the value is invalid, sets *ok to false,
 * and *err.
 */
bool cli_take_detail(struct prof_detail *detail, int key, const char *value,
                     bool *ok, struct prof_err *err);

/*
 * The same for CLI_VALUE_OPTIONS, CLI_FAIL_EMPTY_OPTION and CLI_PPROF_OPTIONS,
 * by pprof's definitions:
 *
 *   --inuse-space ...   --sample-index=inuse_space ...
 *   --total-delay       --sample-index=delay
 *   --mean-delay        --sample-index=delay --mean
 *   --symbolize=none    no effect; other values are an error
 */
struct cli_pprof {
    const char **sample_index;
    bool *mean, *fail_empty;
    double *divide_by;
};
bool cli_take_pprof(const struct cli_pprof *pprof, int key, const char *value,
                    bool *ok, struct prof_err *err);

/* What pbfilter does with its inputs. */
struct cli_filtering {
    struct prof_filter_opts filter; /* threads and zero are set here */
    struct prof_detail detail;
    const char *sample_index, *trim_path; /* null: not given */
    const char *comment;                  /* to add; null: none */
    const char *keep_types;               /* patterns; null: not given */
    VEC(const char *) renamings;          /* each OLD=NEW[/UNIT] */
    struct cli_privacy privacy;
    double divide_by;    /* 0: not given */
    uint64_t max_stacks; /* of the estimate; 0: the default */
    bool mean;           /* divide the value by the first one */
    bool repair;         /* read profiles that are not valid, see inspect.h */
    bool fail_empty;     /* PROF_ERR_ANSWER_NO when no sample is left */
    bool estimate;       /* first estimate stacks: prof_estimate() */
};

/* Whether the text is OLD=NEW or OLD=NEW/UNIT. */
bool filter_is_renaming(const char *text);

/* Does the work of pbfilter: reads, filters and writes.  Reports failures. */
void cli_filter_inputs(struct cli *cli, struct cli_filtering *opts);

/* --- profiles that are subtracted: --base, --diff-base, --normalize,
 * --base-types */

/*
 *      struct cli_bases bases = {0};
 *      ... cli_bases_add() for each option ...
 *      base = cli_bases_sum(&bases, cli);
 *      ok = base && cli_bases_subtract(&bases, &p, base, &err);
 *      vec_free(&bases.paths);
 *
 * --diff-base and --base subtract the same.  With --diff-base, samples of the
 * base also get the label pprof::base=true, which tells reports that
 * percentages are of the base, not of the difference.
 */

struct cli_bases {
    VEC(const char *) paths; /* not owned; vec_free() frees the list */
    enum prof_merge_types types;
    const char *only; /* subtract only types that match (fnmatch(3)), as "TYPE"
                         or "TYPE/UNIT"; null: all */
    unsigned threads;
    bool diff;      /* the paths are those of --diff-base, not of --base */
    bool normalize; /* first scale the minuend to the total of the base */
    bool to_write;  /* the difference is written, and not used by a report, in
                       which the main binary must be that of the minuend */
};

/* Adds a base.  PROF_ERR_USAGE when --base and --diff-base are both given. */
bool cli_bases_add(struct cli_bases *b, const char *path, bool diff,
                   struct prof_err *err);

/* PROF_ERR_USAGE for options that lack a base, or exclude each other. */
bool cli_bases_check(const struct cli_bases *b, struct prof_err *err);

/* Returns the canonical sum of all bases, which the caller frees; null: a
 * failure was reported. */
struct profile *cli_bases_sum(const struct cli_bases *b, struct cli *cli);

/* Replaces *p by *p - *base; also changes *base. */
bool cli_bases_subtract(const struct cli_bases *b, struct profile **p,
                        struct profile *base, struct prof_err *err);

#endif
