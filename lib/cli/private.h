/* private.h - declarations that the files of lib/cli share */
#ifndef PROFUTILS_CLI_PRIVATE_H
#define PROFUTILS_CLI_PRIVATE_H

#include <pthread.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "base/wide.h"
#include "cli/cli.h"
#include "cli/convert.h"
#include "io/bundle.h"
#include "io/gzip.h"
#include "io/output.h"

/* A heading of --help. */
struct cli_heading {
    size_t before; /* index of the option below it */
    const char *text;
};

struct cli_private {
    const struct cli_spec *spec;
    VEC(struct cli_option) options; /* the tool's own, then the shared */
    VEC(bool) common;               /* by option: it has CLI_COMMON */
    size_t n_own;                   /* how many options are the tool's own */
    VEC(struct cli_heading) headings;
    VEC(const char *) inputs;  /* point to arguments, or into `names` */
    VEC(unsigned) groups;      /* by input: its group (cli.h) */
    VEC(uint8_t *) names;      /* content of --files-from files; owned */
    bool lists;                /* --files-from or --files0-from was given */
    bool stdin_claimed;        /* "-" was named as an input, or as a list */
    pthread_mutex_t lock;      /* protects cli->status, `skipped` and losses*/
    int skipped;               /* worst err_kind of inputs skipped by -k */
    struct cli_notes notes;    /* cli->notes */
    bool written;              /* the output was written */
    struct output *opened;     /* output that was opened before the sandbox */
    struct progress *progress; /* to be hidden before a message; or null */
    /* Called before a message; false: it is not shown.  Or null. */
    bool (*before)(void *ctx);
    void *before_ctx;
    struct repeats *repeats; /* counts warnings; null: all are shown */
    struct losses *losses;   /* collects losses; or null */
    bool spilled;            /* samples are in temporary files (--memory) */
};

/* Keys of shared options that have no letter. */
enum cli_key {
    KEY_IF_CHANGED = 0x10000,
    KEY_EACH,
    KEY_PASS,
    KEY_STRICT,
    KEY_FILES,
    KEY_FILES0,
    KEY_ENTRIES,
    KEY_MAX_SIZE,
    KEY_VERSION,
    KEY_HELP = 'h',
    KEY_BRIEF_HELP, /* -h; no option has this key */
};

/*
 * Parses the command line.  Returns
 *
 *   -1     success; the tool continues
 *   0      --help or --version was printed
 *   other  failure: the kind of *err
 */
int cli_parse(struct cli *cli, int argc, char **argv, struct prof_err *err);

/*
 * Print --help and --version to standard output.  A brief help has only the
 * common options, if the tool marks any of its own as common.  --version lists
 * libraries; it loads those that are loaded on demand, to get their versions,
 * only with -v.
 */
bool cli_print_help(const struct cli *cli, bool brief, struct prof_err *err);
bool cli_print_version(const struct cli *cli, struct prof_err *err);

/*
 * Implement pbfilter's --keep-types=PATTERN,... and --rename-type
 * (filter_types.c).  PROF_ERR_USAGE, which lists the types of the profile, if
 * one does not exist.
 */
bool filter_keep_types(struct profile *p, const char *patterns,
                       const struct prof_notes *notes, struct prof_err *err);
bool filter_rename_types(struct profile *p, const char *const *renamings,
                         size_t n, struct prof_err *err);

/* Under --strict, cli_keep_lost() keeps the first loss as an error, which
 * cli_pass_lost() passes on once, returning false. */
void cli_keep_lost(struct prof_err *lost, const char *text);
bool cli_pass_lost(struct prof_err *lost, struct prof_err *err);

/* Sets cli->status to `kind` if that is worse.  Any thread may call this. */
void cli_set_status(struct cli *cli, enum prof_err_kind kind);

/* Under --strict, reports a loss not yet reported, and returns false. */
bool cli_check_losses(struct cli *cli);

/*
 * Reports that the output failed, except that a reader that closed the pipe
 * (EPIPE) only sets the exit status.  Returns false.
 */
bool cli_output_failed(struct cli *cli, const struct prof_err *err);

/* Reads the decimal number that text begins with, and sets *end to what follows
 * it.  Returns false if there is none or it exceeds 64 bits. */
bool cli_digits(const char *text, uint64_t *n, const char **end);

/* Returns the name of an input in messages: its path or "(standard input)". */
const char *cli_input_name(const char *path);

/* Calls stat(), or fstat() for "-", which is standard input. */
int cli_stat(const char *path, struct stat *st);

/* Sets *to to the profile, encoded and compressed (level -1: the default). */
bool cli_pack(struct pack *packer, const struct profile *p, int level,
              struct buf *to, struct prof_err *err);

/* Adds an input, whose name is not copied; false when memory is out. */
static inline bool cli_put_input(struct cli_private *priv, const char *name,
                                 unsigned group)
{
    return vec_push(&priv->inputs, name) && vec_push(&priv->groups, group);
}

/* Marks standard input as used.  PROF_ERR_USAGE if it is used already. */
bool cli_claim_stdin(struct cli *cli, struct prof_err *err);

/* --- lines on standard error */

/*
 * As cli_error(), for an input or a part of one; but prints nothing if the
 * error is that the reader closed the output (EPIPE).  True if -k is given: the
 * caller then skips the input and continues.
 */
bool cli_input_error(struct cli *cli, const char *subject,
                     const struct prof_err *err);

/*
 * Writes "tool: subject: label: text" and a newline with one write(), so that
 * lines of several threads do not mix.  subject and label may be null.
 *
 *   control characters, invalid UTF-8   become \xNN
 *   memory is out                       all bytes that are not ASCII become
 *                                       \xNN, and a long line is written in
 *                                       several pieces
 */
void diag_line(const char *tool, const char *subject, const char *label,
               const char *text);

/* A note, which later profiles may have again with other numbers. */
struct repeat {
    char *text; /* with the numbers of the first profile; owned */
    enum prof_note_level level;
    size_t first,
        last;     /* numbers of the first and last profile with the note */
    size_t again; /* how many profiles had it after the first */
    bool varies;  /* their numbers differ */
};

/*
 * Counts profiles with the same note, so that it is shown for the first of them
 * only.  Zero-initialise, and increment `profile` before each.
 */
struct repeats {
    struct strtab texts;     /* texts of notes without their numbers */
    VEC(struct repeat) list; /* list[i - 1] is for the text with id i */
    struct buf text;         /* scratch */
    size_t profile;          /* number of the current profile */
};

/*
 * Counts the text.  True if no profile before this one had it, apart from its
 * numbers.
 */
bool repeats_is_first(struct repeats *r, enum prof_note_level level,
                      const char *text);
/* Notes, for each note that came again, how many profiles had it. */
void repeats_report(const struct repeats *r, const struct prof_notes *notes);
void repeats_free(struct repeats *r);

/*
 * Texts of the losses of a conversion.  They become comments of its result,
 * with the prefix "incomplete: ".  The texts of the current part wait until it
 * was converted (keep) or skipped (drop).
 */
struct losses {
    VEC(char *) texts; /* owned */
    size_t n_kept;     /* the first ones are of converted parts; the others are
                          of the current part, and limited in number */
    size_t n_common;   /* the first ones are losses of all profiles of the
                          current part (conversion_divide()) */
    bool nomem;        /* a text is missing because memory was out */
};

void losses_wait(struct losses *l, const char *text); /* adds a copy */
void losses_drop(struct losses *l); /* frees those of the current part */
void losses_keep(struct losses *l); /* the current part was converted */
void losses_free(struct losses *l); /* frees all texts */

/*
 * Adds all texts as comments to *p, which is canonical before and after, and
 * frees them, except the common ones.
 */
bool losses_add(struct losses *l, struct profile *p, struct prof_err *err);

/* --- the output of --each */

/* Writes a profile for each part into an archive or directory. */
struct each {
    struct cli *cli;
    struct bundle *bundle;
    struct pack *packer;
    struct buf packed;      /* the current profile, compressed */
    struct map names;       /* names of outputs */
    struct strtab parts;    /* names of their parts */
    VEC(uint32_t) part_of;  /* by row in `names`: id in `parts` */
    struct buf name;        /* of the current output, NUL-terminated */
    bool stripped;          /* a note said that names lose a leading / */
    struct repeats repeats; /* warnings of all profiles */
};

/* Return false if they report failure; each_end() drops output unless `ok`. */
bool each_begin(struct each *e, struct cli *cli);
bool each_end(struct each *e, bool ok);

/* Returns the length of the suffix if the name is like that of a profile. */
size_t each_suffix(struct prof_slice name);

/*
 * Sets e->name to the name for the profile of the part, without such a suffix.
 * If the part has several profiles, `more` is appended to it; else it is null.
 */
bool each_name(struct each *e, const struct input_part *part,
               const struct buf *more, struct prof_err *err);

/* Reserves an output name for a part; PROF_ERR_INPUT if it is already used. */
bool each_claim(struct each *e, const char *name, const char *part_name,
                struct prof_err *err);

/* Adds a file to the output.  After PROF_ERR_SYSTEM only each_end() with ok
 * false is allowed. */
bool each_add(struct each *e, const struct bundle_file *file,
              struct prof_err *err);

/* --- reports (report_options.h) */

struct cli_report;
struct report_format;

/* Sets text to the option that selects a format.  Returns text. */
enum { REPORT_OPTION_TEXT = 40 }; /* for "--flame=svg" */
const char *report_option(const struct report_format *f,
                          char text[REPORT_OPTION_TEXT]);

/*
 * Completes the options after parsing: chooses the format and makes
 * opts.filter. PROF_ERR_USAGE when options exclude each other.  Warns of
 * options that the format ignores.
 */
bool report_settle(struct cli_report *asked, const struct cli *cli,
                   struct prof_err *err);

/*
 * Reads all inputs as one profile, as cli_read_profile(), and subtracts the
 * bases.  As in pprof, only sample types that all of them have are kept.
 */
struct profile *report_read(struct cli_report *asked, struct cli *cli);

/* --- parts that threads convert */

/* A note that a thread has made, to be shown in the order of the inputs. */
struct said {
    char *text, *subject; /* owned; subject: null if it is that of the part */
    enum prof_note_level level;
};

/* Collects the notes about a part while it is converted. */
struct record {
    struct prof_notes notes;
    VEC(struct said) said;
    const char *subject; /* subject of next notes, set by a reader; or null */
    bool strict, nomem;
    struct prof_err lost; /* as in struct cli_notes */
};

/* A part to convert, and the result. */
struct batch_part {
    struct import_input in;
    struct found_program program;
    char *subject, *entry, *program_name; /* owned; the last two may be null */
    char *name;                           /* in the output; owned */
    int64_t mtime;
    struct buf bytes; /* copy of in.data, unless that stays valid */
    bool copied;      /* it is not converted: `bytes` go to the output */
    bool unknown;     /* .. and no tool reads its format */
    bool failed;      /* reading or converting it failed: */
    struct prof_err err;
    struct record record;
    struct buf packed; /* the result: the profile, compressed */
};

struct batch_parts {
    VEC(struct batch_part) list;
    size_t bytes; /* size of all parts */
};

/* Returns a new worker of a converter; null: *err is set. */
void *worker_new(const struct converter *v, void *ctx, struct prof_err *err);
void worker_free(const struct converter *v, void *worker);

struct batch_thread {
    void *worker; /* null: not needed yet */
    struct pack *packer;
};

/* Threads convert one list of parts while the caller fills the other. */
struct batch {
    struct cli *cli;
    const struct converter *converter;
    void *ctx;
    bool comments; /* losses become comments of profiles */
    bool programs; /* parts have a program */
    struct batch_parts filled, running;
    struct parallel *threads; /* the threads that convert `running`; or null */
    struct batch_thread *own; /* by thread: its worker and packer */
};

bool batch_begin(struct batch *b, struct prof_err *err);
void batch_end(struct batch *b);

void batch_part_free(struct batch_part *part);
void batch_parts_free(struct batch_parts *parts);

/* Moves *part to the list `filled`; frees it when memory is out. */
bool batch_add(struct batch *b, const struct batch_part *part,
               struct prof_err *err);
bool batch_is_full(const struct batch *b);

/*
 * Waits until the running parts are converted and moves them to *done; then
 * starts converting the filled ones.  False: there were none of either.
 */
bool batch_advance(struct batch *b, struct batch_parts *done);

/* --- the sum of the profiles that are read */

/*
 * A single profile, unchanged, or the sum of several.  Zero-initialise;
 * cli_sum_finish() frees it.
 */
struct cli_sum {
    size_t n;                /* profiles added */
    struct profile *only;    /* if n is 1 */
    struct prof_merger *all; /* if n is greater */
};

/* Adds *p to the sum and takes it over, after a failure too. */
bool cli_sum_add(struct cli_sum *sum, struct profile *p, struct prof_err *err);

/*
 * Frees *sum and, if `ok`, returns the result; null after a failure, such as a
 * sum of no profiles, which is reported under `subject` (or null).
 */
struct profile *cli_sum_finish(struct cli_sum *sum, struct cli *cli, bool ok,
                               const char *subject);

/* Reports that the input has no profile.  Returns false. */
bool cli_no_profile(struct cli *cli, const char *subject);

/* --- weights of inputs (weights.c) */

/* A sample type of the inputs. */
struct weighed_type {
    bool in_first;    /* the first input has the type */
    int64_t total;    /* .. with this total */
    struct wide lost; /* sum of the values of samples that were dropped */
};

/* What is known about all scaled inputs; weighing_begin() initialises it. */
struct weighing {
    pthread_mutex_t lock;             /* protects the following */
    bool has_first;                   /* the first input was seen */
    struct strtab types;              /* "cpu/nanoseconds" */
    VEC(struct weighed_type) by_type; /* by id in `types`: totals, losses */
    size_t n_lost;                    /* number of dropped samples */
};

bool weighing_begin(struct weighing *w, struct prof_err *err);
/* Also after weighing_begin() has failed. */
void weighing_end(struct weighing *w);

/* Multiplies the values of an input. */
bool weigh(struct weighing *w, struct profile *p, struct prof_ratio weight,
           struct prof_err *err);

/*
 * The same, and scales each type to its total in the profile of the first call.
 * PROF_ERR_INPUT if that lacks the type (unless `common` is set), or if one of
 * the two totals is 0.
 */
bool weigh_equally(struct weighing *w, struct profile *p,
                   struct prof_ratio weight, bool common, struct prof_err *err);

/* Notes the samples that are dropped, and their sum. */
void weighing_report(const struct weighing *w, const struct prof_notes *notes);

/* --- progress */

/*
 * A line on a terminal that shows how much of the input is converted,
 * rewritten at most ten times a second after the first second, and a summary
 * at the end:
 *
 *      prof2pb: 4321 profiles, 120 of 480 MB, 61.2 MB/s, 0:06 left
 *      prof2pb: 17210 profiles converted, 3 entries skipped (1 empty),
 *               0 failed: 480 MB in 7.8 s
 *
 * (The summary is one line.)  Sizes are those of the input files, before
 * decompression.
 */
struct progress {
    struct cli *cli;
    bool enabled;         /* the line can be shown: a terminal, no -q */
    bool shown;           /* the line is on the terminal */
    int64_t began, wrote; /* milliseconds */
    uint64_t done;        /* bytes of finished inputs */
    uint64_t total;       /* bytes of all inputs; 0: unknown */
    size_t waiting;       /* parts that threads convert now or later */
    size_t converted, passed, skipped, empty;
};

/* *p must not be moved before progress_end(). */
void progress_begin(struct progress *p, struct cli *cli);

/* Updates the line after each part; `in` is the current input. */
void progress_step(struct progress *p, const struct input *in);

/*
 * Removes the line.  With `bulk`, and without -q, prints the summary if the
 * line was enabled, with -v, or if parts were skipped or failed.
 */
void progress_end(struct progress *p, bool bulk, size_t failed);

/*
 * PROF_ERR_USAGE if `output` is the same file as `input` ("-": standard input),
 * even under another name.
 */
bool cli_keeps_input(const char *output, const char *input,
                     struct prof_err *err);

/*
 * Replaces each input that is a directory by the regular files below it, sorted
 * by path; symbolic links are not followed.  PROF_ERR_INPUT: there are none.
 */
bool cli_enter_directories(struct cli *cli, struct prof_err *err);

#endif
