/*
 * report.h - prints a profile in one of the output formats
 *
 *      const struct report_format *f = report_find_format("text", NULL);
 *      struct report_opts opts = REPORT_DEFAULTS;
 *      ok = report_print(f, &profile, &opts, sink, &err);
 *
 * A format that pprof has too prints what pprof prints for the same profile
 * and options; pbcat(1) lists the exceptions.
 *
 * Each format is a `struct report_format` in a file of its own.  Its print(r,
 * err) appends to r->out with the functions of
 *
 *      out.h           values, names, times; the graph of the report
 *      samples.h       every sample with its stack, by several threads
 *      graph/nodes.h   the name of each frame of a location
 *      graph/graph.h   values by function and by call
 *      escape.h        strings of JSON and HTML
 *
 * lib/README.md lists the steps to add a format.
 */
#ifndef PROFUTILS_REPORT_REPORT_H
#define PROFUTILS_REPORT_REPORT_H

#include "base/buf.h"
#include "profile.h"
#include "report/graph/graph.h"

/* What is known about one of the two profiles of a difference. */
struct report_side {
    const char *name; /* names of its files; null: unknown */
    int64_t duration_nanos;
};

/* How the rows of a table are written. */
enum report_rows {
    REPORT_ROWS_TEXT,
    REPORT_ROWS_CSV,
    REPORT_ROWS_TSV,
    REPORT_ROWS_JSON,
    REPORT_ROWS_JSONL,
    REPORT_ROWS_MARKDOWN,
};

struct report_opts {
    enum report_rows rows;     /* for formats with has_rows */
    const char *sample_index;  /* null: the profile's default */
    const char *const *others; /* n_others further sample types to show, */
    size_t n_others;           /* .. in formats with shows_others */
    const char *by;   /* print --text for each value of this label; or null */
    bool outliers;    /* print where one such value differs from the others */
    const char *unit; /* "minimum", "auto" or a unit's name */
    double divide_by; /* greater than 0; divides all values */
    bool mean;        /* divide each value by the sample's value 0 */
    bool all_frames;  /* do not apply drop_frames */
    bool trim;        /* false: `limits` do not apply */
    bool call_tree;   /* a node for each call path, not for each function */
    bool relative_percentages; /* 100 % is what filters keep, not all */
    bool mappings;             /* append mappings to names of functions */
    bool compact_labels;       /* omit the lines about the profile */
    bool with_source;          /* embed sources into a page, */
    bool with_code;            /* .. and instructions */
    bool intel_syntax;         /* of disassembly; false: AT&T */
    bool fail_empty;           /* PROF_ERR_ANSWER_NO if there is no sample */
    const char *pattern;       /* the format's argument, a regular expression;
                                  or null */
    const char *source_path;   /* directories of sources, as in PATH; or null */
    const char *trim_path; /* prefixes to remove from file names, likewise */
    struct prof_filter *filter; /* not owned; or null */
    const char *binary;         /* file of the main binary; or null */
    const char *binary_path; /* directories of binaries, as in PATH; or null */
    const char *objdump;     /* the program; null: see symbolize/objdump.h */
    unsigned threads;        /* most threads to use */
    const struct prof_notes *notes; /* for warnings; or null */
    struct report_side base,
        minuend;          /* the profile is minuend - base, or no difference */
    const char *verdicts; /* compare_verdicts(), for a page; or null */
    size_t budget;        /* --markdown: most bytes of output */
    const char *command;  /* .. and the words of this command, to which it adds
                             options that print more; each word follows a
                             blank; or null */
    struct prof_detail detail;
    struct graph_limits limits; /* may have REPORT_USUAL_COUNT, _FRACTION */
};

/* Stand for the limits of the format: its .node_count and .node_fraction. */
#define REPORT_USUAL_COUNT SIZE_MAX
#define REPORT_USUAL_FRACTION (-1.0)
#define REPORT_USUAL_EDGES 0.001 /* the default of all formats */

#define REPORT_USUAL_BUDGET 8192
#define REPORT_LEAST_BUDGET 2048

/* pprof's defaults. */
#define REPORT_DEFAULTS                                                        \
    {                                                                          \
        .unit = "minimum", .divide_by = 1, .trim = true, .threads = 1,         \
        .detail = {.granularity = PROF_FUNCTIONS},                             \
        .budget = REPORT_USUAL_BUDGET,                                         \
        .limits = {.node_count = REPORT_USUAL_COUNT,                           \
                   .node_fraction = REPORT_USUAL_FRACTION,                     \
                   .edge_fraction = REPORT_USUAL_EDGES},                       \
    }

/*
 * How report_print() prepares the profile for a format, in pprof's order:
 *
 *   1. drop_frames   REPORT_FRAMES
 *   2. value type and its total, unless REPORT_NO_VALUES; after 3 with
 *      opts.relative_percentages
 *   3. opts.filter
 *   4. file names    REPORT_TRIM
 *   5. detail        REPORT_DETAIL, _LINES, _ADDRESSES, _INLINES, _NO_INLINES
 *   6. opts.mappings REPORT_DETAIL
 */
enum report_needs {
    REPORT_FRAMES = 1,      /* drop_frames are applied */
    REPORT_DETAIL = 2,      /* opts.detail is applied; */
    REPORT_LINES = 4,       /* .. with granularity PROF_LINES; */
    REPORT_ADDRESSES = 8,   /* .. with granularity PROF_ADDRESSES */
    REPORT_INLINES = 16,    /* inlined frames are kept, */
    REPORT_NO_INLINES = 32, /* or not, whatever opts.detail says */
    REPORT_TRIM = 64,       /* opts.trim_path and source_path apply */
    REPORT_NO_VALUES = 128, /* no value type is chosen, so that a profile
                               without any is not an error */
    REPORT_LABELS = 256,    /* units of numeric labels are computed */
    REPORT_WHOLE = 512,     /* opts.limits do not apply */
    REPORT_CLASSIC = 1024,  /* like google-pprof: type `samples` by default, one
                               row for a file */
};

/*
 * Options that have no effect on a format, for example because it prints the
 * values of the profile unchanged.  pbcat warns if such an option is given.
 * What follows from .needs is not repeated in .ignores.
 */
enum report_ignores {
    REPORT_NO_MEAN = 1,
    REPORT_NO_DIVISION = 2,
    REPORT_NO_UNIT = 4,
    REPORT_NO_ORDER = 8,     /* opts.limits.cum_sort */
    REPORT_NO_COUNT = 16,    /* opts.limits.node_count */
    REPORT_NO_FRACTION = 32, /* opts.limits.node_fraction */
    REPORT_NO_EDGES = 64,    /* opts.limits.edge_fraction */
    REPORT_NO_LIMITS = 16 | 32 | 64,
    REPORT_NO_SIGN = 128,  /* opts.limits.drop_negative */
    REPORT_NO_PATHS = 256, /* opts.call_tree */
    REPORT_NO_PERCENT = 512,
    REPORT_NO_DETAIL = 1024,   /* opts.detail, except .no_inlines */
    REPORT_NO_INLINING = 2048, /* opts.detail.no_inlines */
    REPORT_NO_LABELS = 4096,   /* filters on labels, not samples */
    REPORT_NO_TYPE = 8192,
    REPORT_NO_FILES = 1 << 14, /* opts.trim_path and source_path */
    REPORT_NO_BINARY = 1 << 15,
    REPORT_NO_FILTER = 1 << 16,
    REPORT_NO_EMBEDDING = 1 << 17, /* opts.with_source, .with_code */
    REPORT_NO_ROWS = 8 | 16 | 32 | 64 | 128 | 256,
    REPORT_AS_IT_IS = 7 | REPORT_NO_ROWS | REPORT_NO_PERCENT,
    REPORT_NO_MAPPINGS = 1 << 18,
    REPORT_NO_OTHERS = 1 << 19, /* opts.others */
    REPORT_IGNORES_ALL = (1 << 20) - 1,
};

/* Columns of opts.others stand before the name: characters for each of them. */
enum { REPORT_OTHER_WIDTH = 36 };

struct report; /* see out.h */

struct report_format {
    /* The option that selects the format. */
    const char *name;    /* "text" */
    const char *variant; /* "classic" for --text=classic; or null */
    const char *arg;     /* as in struct cli_option; "[v]" if there are
                            variants, "[V]" for a value */
    const char *alias;   /* "top": another name of the option; or null */
    const char *help;    /* one line; null for a variant */
    bool common;         /* -h lists it, not only --help */

    /* Its files. */
    const char *suffixes; /* "dot gv"; null: none */
    bool needs_option;    /* a suffix alone does not select it */
    bool binary;          /* do not write it to a terminal */
    bool has_rows;        /* prints its rows as opts.rows says */
    bool shows_others;    /* has columns for opts.others */
    bool embeds_code;     /* opts.with_source applies, which reads files, and
                             .with_code, which starts programs */
    bool opens_viewer;    /* opens a viewer instead of writing PostScript */
    size_t name_offset;   /* column of the name in the rows of a table, from 0,
                             without opts.others; 0: not a table */

    /* What it needs of the profile and of the system. */
    unsigned needs;       /* enum report_needs, or-ed */
    unsigned ignores;     /* enum report_ignores, or-ed */
    bool reads_files;     /* opens files that the profile names (sandbox) */
    bool runs_programs;   /* starts other programs (sandbox) */
    size_t node_count;    /* for REPORT_USUAL_COUNT; 0: all */
    double node_fraction; /* for REPORT_USUAL_FRACTION; 0: 0.005 */

    /* Appends the report to r->out.  Exactly one of these two is not null. */
    bool (*print)(struct report *r, struct prof_err *err);
    /* For formats that show the message in data[0 .. n) as it is. */
    bool (*print_bytes)(struct buf *out, const uint8_t *data, size_t n,
                        struct prof_err *err);
};

/* Returns the options that have no effect: f->ignores, and those that follow
 * from f->needs. */
unsigned report_ignores(const struct report_format *f);

/* Returns format i, in the order of --help; null if there are fewer. */
const struct report_format *report_format_at(size_t i);

/* Returns the heading of --help above format i; null: it is below the heading
 * of an earlier one. */
const char *report_format_heading(size_t i);

/* Returns the format with this name and variant (null: none), or null. */
const struct report_format *report_find_format(const char *name,
                                               const char *variant);

/*
 * Returns the format for a file name, or null: the one with the longest suffix
 * that matches ("a.speedscope.json"), of several the first.  Ignores case.
 */
const struct report_format *report_format_of_file(const char *path);

/*
 * Returns the variant of a format for the suffix of a file name: --flame=svg of
 * --flame for "a.svg".  Returns the format itself if it is a variant, or has
 * the suffix, or if no variant has it.
 */
const struct report_format *
report_variant_of_file(const struct report_format *f, const char *path);

/* Whether the path ends in a suffix of the format. */
bool report_has_suffix(const struct report_format *f, const char *path);

/*
 * Writes the report on *p to the sink.  A long report is written in pieces, so
 * after a failure a part may have been written.  Changes *p: filters it, and
 * removes detail.  Only for formats with `print`.
 */
bool report_print(const struct report_format *f, struct profile *p,
                  const struct report_opts *opts, struct sink *sink,
                  struct prof_err *err);

#endif
