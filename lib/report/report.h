/*
 * report.h - prints a profile in one of the output formats
 *
 *      const struct report_format *f = report_find_format("text", NULL);
 *      struct report_opts opts = REPORT_DEFAULTS;
 *      struct buf text = {0};
 *      ok = report_print(f, &profile, &opts, &text, &err);
 *
 * A format that pprof has too prints what pprof prints for the same profile
 * and options; pbcat(1) lists the exceptions.
 *
 * Adding a format:
 *  1. Write lib/report/FOLDER/NAME.c with a `struct report_format report_NAME`:
 *     the name and help of its option, the suffixes of its files, what it
 *     needs (enum report_needs) and its print(r, err).  print() appends to
 *     r->out with the functions of
 *         out.h           values, names, times; the rows of --text
 *         samples.h       every sample with its stack, by several threads
 *         graph/nodes.h   the name of each frame of a location
 *         graph/graph.h   values by function and by call
 *         data/escape.h   strings of JSON and HTML
 *     Short examples are --text in text/toptable.c and --comments and --traces
 *     in text/traces.c.
 *  2. Add ROW(NAME) to the table in formats.c.
 *  3. Describe the option in man/pbcat.1, and its suffixes if it has its own.
 * The option, --help, the completions of shells and the tests that run every
 * format take it from the struct.  tests/cli/formats.bats and names.bats and
 * test_formats fail where something lacks it, and say what.
 */
#ifndef PROFUTILS_REPORT_REPORT_H
#define PROFUTILS_REPORT_REPORT_H

#include "base/buf.h"
#include "profile/detail.h"
#include "profile/filter/filter.h"
#include "profile/profile.h"
#include "report/graph/graph.h"

/* What one side of a difference was read from. */
struct report_side {
    const char *name; /* of its files; null: not known */
    int64_t duration_nanos;
};

struct report_opts {
    const char *sample_index;  /* null: the profile's default */
    const char *unit;          /* "minimum", "auto" or a unit's name */
    double divide_by;          /* above 0 */
    bool mean;                 /* divide by value 0 */
    bool all_frames;           /* do not apply drop_frames */
    bool trim;                 /* false: `limits` do not apply */
    bool call_tree;            /* a node for each path of calls to it */
    bool relative_percentages; /* of what filters leave */
    bool compact_labels;       /* no lines about the profile */
    bool intel_syntax;         /* of disassembly; false: AT&T */
    bool fail_empty;           /* ERR_ANSWER_NO if there is no sample */
    const char *pattern;       /* regular expression of the format, or null */
    const char *source_path;   /* directories of sources, as in PATH; or null */
    const char *trim_path;     /* prefixes that file names lose, likewise */
    struct filter *filter;     /* not owned; or null */
    const char *binary;        /* file of the main mapping; or null */
    const char *binary_path; /* directories of binaries, as in PATH; or null */
    const char *objdump;     /* the program; null: see symbol/objdump.h */
    unsigned threads;        /* that may work on it */
    const struct notes *notes; /* gets warnings; or null */
    struct sink *sink;         /* gets a long report in pieces; or null */
    struct report_side base, minuend; /* if a base was subtracted */
    struct prof_detail detail;
    struct graph_limits limits; /* may have REPORT_USUAL_... */
};

/* The format's own limits: .node_count and .node_fraction of report_format. */
#define REPORT_USUAL_COUNT SIZE_MAX
#define REPORT_USUAL_FRACTION (-1.0)

/* pprof's defaults. */
#define REPORT_DEFAULTS                                                        \
    {                                                                          \
        .unit = "minimum", .divide_by = 1, .trim = true, .threads = 1,         \
        .detail = {.granularity = PROF_FUNCTIONS},                             \
        .limits = {.node_count = REPORT_USUAL_COUNT,                           \
                   .node_fraction = REPORT_USUAL_FRACTION,                     \
                   .edge_fraction = 0.001},                                    \
    }

/*
 * What report_print() does before a format prints.  The order is pprof's:
 * frames, opts.filter, values (before the filter, unless
 * opts.relative_percentages), file names, detail.
 */
enum report_needs {
    REPORT_FRAMES = 1,      /* drop_frames are applied */
    REPORT_DETAIL = 2,      /* opts.detail is applied; */
    REPORT_LINES = 4,       /* the same, but always down to lines; */
    REPORT_ADDRESSES = 8,   /* the same, but always down to addresses */
    REPORT_INLINES = 16,    /* inlined frames are kept, */
    REPORT_NO_INLINES = 32, /* or not, whatever opts.detail says */
    REPORT_TRIM = 64,       /* opts.trim_path and source_path apply */
    REPORT_VALUES = 128,    /* a value type is chosen, or there is an error */
    REPORT_LABELS = 256,    /* units of numeric labels are known */
    REPORT_WHOLE = 512,     /* opts.limits do not apply */
    REPORT_CLASSIC = 1024,  /* as google-pprof: samples rather than times, one
                               row for a file */
};

/*
 * Options that have no effect on a format because it prints values as they are
 * in the profile.  pbcat warns of them.
 */
enum report_ignores {
    REPORT_NO_MEAN = 1,
    REPORT_NO_DIVISION = 2,
    REPORT_NO_UNIT = 4,
    REPORT_AS_IT_IS = 7,
};

struct report; /* see out.h */

struct report_format {
    /* The option. */
    const char *name;    /* "text" */
    const char *variant; /* "classic" of --text=classic; or null */
    const char *arg;     /* as in struct cli_option; "[V]" if there are
                            variants */
    const char *alias;   /* "top": another option for the same; or null */
    const char *help;    /* one line; null for a variant */

    /* Its files. */
    const char *suffixes; /* "dot gv"; null: none */
    bool needs_option;    /* a suffix alone does not choose it */
    bool binary;          /* not for terminals */
    bool opens_viewer;    /* shows PostScript instead of writing it */
    size_t name_offset;   /* characters before the name in the row of a table;
                             0: no table */

    /* What it needs of the profile and of the system. */
    unsigned needs;   /* enum report_needs, or-ed */
    unsigned ignores; /* enum report_ignores, or-ed */
    bool reads_files; /* that the profile names */
    bool runs_programs;
    size_t node_count;    /* for REPORT_USUAL_COUNT; 0: all */
    double node_fraction; /* for REPORT_USUAL_FRACTION; 0: 0.005 */

    /* Appends the report to r->out.  Exactly one of these two is not null. */
    bool (*print)(struct report *r, struct err *err);
    /* For formats that show the message in data[0 .. n) as it is. */
    bool (*print_bytes)(const uint8_t *data, size_t n, struct buf *out,
                        struct err *err);
};

/* All formats in the order of --help; null behind the last. */
const struct report_format *report_format_at(size_t i);

/* The format of that name and variant (null: none), or null. */
const struct report_format *report_find_format(const char *name,
                                               const char *variant);

/*
 * The format that the name of a file suggests, or null: the one with the
 * longest matching suffix ("a.speedscope.json"), of several the first.  Case
 * does not matter.
 */
const struct report_format *report_format_of_file(const char *path);

/* Whether the path ends in a suffix of the format. */
bool report_has_suffix(const struct report_format *f, const char *path);

/*
 * Appends the report on *p to *out, or only what follows the pieces that went
 * to opts->sink.  Changes *p as the format needs it.  Only for formats with
 * `print`.
 */
bool report_print(const struct report_format *f, struct profile *p,
                  const struct report_opts *opts, struct buf *out,
                  struct err *err);

#endif
