/*
 * report.h - a profile as something to read
 *
 * Every output format is a file of its own in this directory and one
 * `struct report_format`.  report_print() does what the formats have in
 * common (see enum report_needs), then has the format write its text:
 *
 *      const struct report_format *f = report_find_format("text", NULL);
 *      struct report_opts opts = REPORT_DEFAULTS;
 *      struct buf text = {0};
 *      ok = report_print(f, &profile, &opts, &notes, &text, &err);
 *
 * Formats that pprof has too print what pprof prints for the same profile
 * and options, which man/pbcat.1 describes, with the exceptions listed there.
 */
#ifndef PROFUTILS_REPORT_REPORT_H
#define PROFUTILS_REPORT_REPORT_H

#include "base/buf.h"
#include "profile/aggregate.h"
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
    bool all_frames;           /* leave drop_frames out of account */
    bool trim;                 /* false: limits do not limit */
    bool call_tree;            /* a node for each way that leads to it */
    bool relative_percentages; /* of what filters leave */
    bool compact_labels;       /* short names where there is little room */
    bool intel_syntax;         /* of disassembly; false: AT&T */
    bool fail_empty;           /* ERR_ANSWER_NO if there is no sample */
    const char *pattern;       /* regular expression of the format, or null */
    const char *source_path;   /* where sources are, as in PATH; or null */
    const char *trim_path;     /* what file names lose, as in PATH; or null */
    struct filter *filter;     /* not owned; or null */
    const char *binary;        /* the main mapping's, wherever it is; or null */
    const char *binary_path;   /* where binaries are, as in PATH; or null */
    const char *objdump;       /* the program; null: see symbol/objdump.h */
    unsigned threads;          /* that may work on it */
    struct report_side base, minuend; /* if the profile is less a base */
    struct prof_detail detail;
    struct graph_limits limits; /* two may be REPORT_USUAL_... */
};

/* As many nodes as the format shows if nobody says how many. */
#define REPORT_USUAL_COUNT SIZE_MAX

/* The share of the total below which the format hides nodes, likewise. */
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
 * What is done to the profile before a format sees it, in the order of
 * pprof: frames, opts.filter, values (before the filter, unless
 * opts.relative_percentages), file names, detail.
 */
enum report_needs {
    REPORT_FRAMES = 1,       /* drop_frames are applied */
    REPORT_DETAIL = 2,       /* opts.detail is applied */
    REPORT_ADDRESSES = 4,    /* the same, but always down to addresses */
    REPORT_TRIM = 8,         /* opts.trim_path and source_path apply */
    REPORT_VALUES = 16,      /* there is a value type, and it is chosen */
    REPORT_LABELS = 512,     /* units of numeric labels are known */
    REPORT_CLASSIC = 1024,   /* as google-pprof: samples rather than times,
                                one row for a file */
    REPORT_WHOLE = 32,       /* nothing is trimmed, whatever opts.trim says */
    REPORT_LINES = 64,       /* opts.detail, but always down to lines */
    REPORT_INLINES = 128,    /* inlined frames are kept, */
    REPORT_NO_INLINES = 256, /* or not, whatever opts.detail says */
};

/*
 * Options on values that a format does not honour, as it shows values as they
 * are in the profile: it prints what it prints without them.  Whoever takes
 * the options warns.
 */
enum report_ignores {
    REPORT_NO_MEAN = 1,
    REPORT_NO_DIVISION = 2,
    REPORT_NO_UNIT = 4,
    REPORT_AS_IT_IS = 7,
};

struct report; /* see report/format.h */

struct report_format {
    const char *name;     /* of the option: "text" */
    const char *variant;  /* "classic" of --text=classic; or null */
    const char *suffixes; /* of its files: "dot gv"; null: it has none */
    bool only_asked;      /* no suffix chooses it */
    unsigned needs;       /* enum report_needs, or-ed */
    unsigned ignores;     /* enum report_ignores, or-ed */
    bool binary;          /* not for terminals */
    bool viewed;          /* PostScript to be shown, not written */
    bool reads;           /* files that the profile names */
    bool programs;        /* are started */
    size_t node_count;    /* what REPORT_USUAL_COUNT means; 0: all */
    double node_fraction; /* what REPORT_USUAL_FRACTION means; 0: 0.005 */
    size_t name_column;   /* where names begin in a table; 0: it is none */
    /* Appends the report to r->out. */
    bool (*print)(struct report *r, struct err *err);
    /*
     * In place of print, for formats that show the message as it is in the
     * file: appends what data[0 .. n) says to *out.
     */
    bool (*print_bytes)(const uint8_t *data, size_t n, struct buf *out,
                        struct err *err);
};

/* The format of that name and variant (null: none), or null. */
const struct report_format *report_find_format(const char *name,
                                               const char *variant);

/*
 * The format that the name of a file suggests, or null: the one that has the
 * longest of its suffixes ("a.speedscope.json"), of several the first in the
 * table of report.c.  Upper case is as good.
 */
const struct report_format *report_format_of_file(const char *path);

/* Whether the path ends in a suffix of the format. */
bool report_has_suffix(const struct report_format *f, const char *path);

/*
 * Appends the report on *p, which is changed as the format needs it, to
 * *out.  A long one goes to the sink piece by piece, unless that is null, and
 * *out is what is left of it.  Only for formats with `print`.
 */
bool report_print(const struct report_format *f, struct profile *p,
                  const struct report_opts *opts, const struct notes *notes,
                  struct buf *out, struct sink *to, struct err *err);

#endif
