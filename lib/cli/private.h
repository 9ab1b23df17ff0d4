/* private.h - what the files of lib/cli share */
#ifndef PROFUTILS_CLI_PRIVATE_H
#define PROFUTILS_CLI_PRIVATE_H

#include <pthread.h>

#include "base/buf.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "base/wide.h"
#include "cli/cli.h"
#include "cli/convert.h"
#include "io/bundle.h"
#include "io/gzip.h"
#include "io/output.h"

struct cli_heading {
    size_t before; /* this option */
    const char *text;
};

struct cli_private {
    const struct cli_spec *spec;
    VEC(struct cli_option) options; /* the tool's own, then the shared */
    VEC(bool) common;               /* of each of them: CLI_COMMON */
    size_t n_own;                   /* of them */
    VEC(struct cli_heading) headings;
    VEC(const char *) inputs;  /* arguments, or in names */
    VEC(unsigned) groups;      /* of inputs */
    VEC(uint8_t *) names;      /* lists of names; owned */
    bool lists;                /* --files-from or --files0-from was given */
    bool stdin_claimed;        /* "-" is among the inputs, or a list */
    pthread_mutex_t lock;      /* of cli->status and the next two */
    int skipped;               /* worst err_kind of inputs skipped by -k */
    struct prof_err lost;      /* first loss, as in struct cli_notes */
    bool written;              /* the output was written */
    struct output *opened;     /* before the sandbox; or null */
    struct progress *progress; /* hidden before a message; or null */
    /* Called before a message; false: it is not to be shown.  Or null. */
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
 * common options, if the tool says of any of its own that they are.  --version
 * names libraries that are loaded on demand; with -v it loads them for their
 * versions.
 */
bool cli_print_help(const struct cli *cli, bool brief, struct prof_err *err);
bool cli_print_version(const struct cli *cli, struct prof_err *err);

/*
 * The steps of pbfilter's --keep-types=PATTERN,... and --rename-type
 * (filter_types.c).  PROF_ERR_USAGE names the types of the profile.
 */
bool filter_keep_types(struct profile *p, const char *patterns,
                       const struct prof_notes *notes, struct prof_err *err);
bool filter_rename_types(struct profile *p, const char *const *renamings,
                         size_t n, struct prof_err *err);

/* Sets cli->notes to print notes with cli->subject as a prefix. */
void cli_tool_notes(struct cli *cli);

/* Raises cli->status if `kind` is worse.  Any thread may call this. */
void cli_set_status(struct cli *cli, enum prof_err_kind kind);

/* Reports a loss that notes_lossless() has not reported.  False if it is an
 * error. */
bool cli_check_losses(struct cli *cli);

/* Returns the name of an input in messages: its path or "(standard input)". */
const char *cli_input_name(const char *path);

/* Replaces *to by the profile, compressed at this level (-1: default). */
bool cli_pack(struct pack *packer, const struct profile *p, int level,
              struct buf *to, struct prof_err *err);

/* Marks standard input as used.  PROF_ERR_USAGE if it is used already. */
bool cli_claim_stdin(struct cli *cli, struct prof_err *err);

/* --- lines on standard error */

/*
 * As cli_error(), for an input or a part of one, but prints nothing if the
 * reader closed the output (EPIPE).  True if -k is given: the caller skips the
 * input and continues.
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

/* The first of several notes that differ only in their numbers. */
struct repeat {
    char *text; /* owned */
    enum prof_note_level level;
    size_t first, last; /* profiles that had it, as `profile` counts them */
    size_t again;       /* how many profiles had it after the first */
    bool varies;        /* not all with the same numbers */
};

/*
 * Counts profiles with the same note, so that it is shown for the first of them
 * only.  Zero-initialise, and increment `profile` before each.
 */
struct repeats {
    struct strtab texts;     /* keys of notes: texts without numbers */
    VEC(struct repeat) list; /* text with id i has list[i - 1] */
    struct buf text;
    size_t profile;
};

/*
 * Counts the text.  True if no profile before this one had it, apart from its
 * numbers.
 */
bool repeats_is_first(struct repeats *r, enum prof_note_level level,
                      const char *text);
/* Says how often notes of one profile came again with others. */
void repeats_report(const struct repeats *r, const struct prof_notes *notes);
void repeats_free(struct repeats *r);

/*
 * Texts of losses of a conversion.  They become comments of its result, after
 * "incomplete: ".  Texts of the current part are discarded if it is skipped.
 */
struct losses {
    VEC(char *) waiting; /* of the current part; limited in number; owned */
    VEC(char *) kept;    /* of the parts before; owned */
    size_t n_common;     /* of kept: losses of all profiles of the part */
    bool nomem;          /* a text is missing because memory was out */
};

/* Adds a copy of the text to those that wait. */
void losses_wait(struct losses *l, const char *text);
void losses_drop(struct losses *l);                /* those that wait */
void losses_keep(struct losses *l);                /* likewise */
void losses_forget(struct losses *l, size_t from); /* those kept, from there */

/*
 * Adds what is kept or waits to *p, which is canonical before and after, and
 * forgets it, except what is common.
 */
bool losses_add(struct losses *l, struct profile *p, struct prof_err *err);

/* --- the output of --each */

/* A profile for each part. */
struct each {
    struct cli *cli;
    struct bundle *bundle;
    struct pack *packer;
    struct buf packed;          /* the present profile */
    struct strtab names, parts; /* of profiles, and of what they are made of */
    VEC(uint32_t) part_of;      /* by id of names */
    struct buf name;            /* of the present profile, NUL-terminated */
    bool stripped;              /* a name was, which has been said */
    struct repeats repeats;     /* warnings of all profiles */
};

/* False: a failure was reported.  each_end() gives the output up if not ok. */
bool each_begin(struct each *e, struct cli *cli);
bool each_end(struct each *e, bool ok);

/*
 * Sets the name of the part's profile in the output; `more` is added to it if
 * the part has several profiles, else null.
 */
bool each_name(struct each *e, const struct input_part *part,
               const struct buf *more, struct prof_err *err);

/* A name belongs to the part of that name from now on. */
bool each_claim(struct each *e, const char *name, const char *part_name,
                struct prof_err *err);

/* Adds a file; after PROF_ERR_SYSTEM the output can only be given up. */
bool each_add(struct each *e, const struct bundle_file *file,
              struct prof_err *err);

/* --- reports (report_options.h) */

struct cli_report;
struct report_format;

/* The option that asks for a format. */
enum { REPORT_OPTION_TEXT = 40 }; /* for "--flame=svg" */
const char *report_option(const struct report_format *f,
                          char text[REPORT_OPTION_TEXT]);

/*
 * Completes the options: the format is known then, and opts.filter made.
 * PROF_ERR_USAGE when options do not go together; a warning for each option
 * that the format ignores.
 */
bool report_settle(struct cli_report *asked, const struct cli *cli,
                   struct prof_err *err);

/*
 * All inputs as one profile, less the bases: as cli_read_profile().  Only
 * sample types that all of them have are kept, as in pprof.
 */
struct profile *report_read(struct cli_report *asked, struct cli *cli);

/* --- parts that threads convert */

/* A note of one thread, which is shown in its turn. */
struct said {
    char *text, *subject; /* owned; subject: null if it is that of the part */
    enum prof_note_level level;
};

/* What is said of a part meanwhile. */
struct record {
    struct prof_notes notes;
    VEC(struct said) said;
    const char *subject; /* set by a reader: what notes are about; or null */
    bool strict, nomem;
    struct prof_err lost; /* as in struct cli_notes */
};

/* A part, and what came of it. */
struct batch_part {
    struct import_input in;
    struct found_program program;
    char *subject, *entry, *program_name; /* owned; the last two or null */
    char *name;                           /* in the output; owned */
    int64_t mtime;
    struct buf bytes; /* of in.data, unless that is good until the run */
    bool copied;      /* not converted: `bytes` are copied */
    bool unknown;     /* .. and no tool knows it */
    bool failed;      /* before, or in the conversion: */
    struct prof_err err;
    struct record record;
    struct buf packed; /* the profile */
};

struct batch_parts {
    VEC(struct batch_part) list;
    size_t bytes; /* in all of them */
};

/* A worker of a converter; null: *err is set. */
void *worker_new(const struct converter *v, void *ctx, struct prof_err *err);
void worker_free(const struct converter *v, void *worker);

struct batch_thread {
    void *worker; /* null: not needed yet */
    struct pack *packer;
};

/* While one list is converted by other threads, the next is filled. */
struct batch {
    struct cli *cli;
    const struct converter *converter;
    void *ctx;
    bool comments; /* losses become comments */
    bool programs; /* parts have a program */
    struct batch_parts filled, running;
    struct parallel *threads; /* that convert those running; or null */
    struct batch_thread *own; /* what each thread has */
};

bool batch_begin(struct batch *b, struct prof_err *err);
void batch_end(struct batch *b);

void batch_part_free(struct batch_part *part);
void batch_parts_free(struct batch_parts *parts);

/* Adds *part to those filled, to which it then belongs; frees it when memory is
 * out. */
bool batch_add(struct batch *b, const struct batch_part *part,
               struct prof_err *err);
bool batch_is_full(const struct batch *b);

/*
 * Waits for the parts that run, which become *done, and starts those that are
 * filled.  False: there were none of either.
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

/* Adds *p and frees it, now or by cli_sum_finish(); after a failure too. */
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
    bool in_first; /* the first input has it: its total there is */
    int64_t total;
    struct wide lost; /* sum of the values of samples that are dropped */
};

/* What is known of all inputs that are scaled; weighing_begin() starts. */
struct weighing {
    pthread_mutex_t lock; /* of what follows */
    bool has_first;
    struct strtab types;              /* "cpu/nanoseconds" */
    VEC(struct weighed_type) by_type; /* by id in `types` */
    size_t n_lost;                    /* samples */
};

bool weighing_begin(struct weighing *w, struct prof_err *err);
void weighing_end(struct weighing *w);

/* Multiplies the values of an input. */
bool weigh(struct weighing *w, struct profile *p, struct prof_ratio weight,
           struct prof_err *err);

/*
 * The same, and scales each type to its total in the first profile that comes
 * here.  PROF_ERR_INPUT when that lacks the type, unless `common` is set, or
 * one of the totals is 0.
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
    bool enabled;         /* there is a terminal to show it */
    bool shown;           /* the line is on the terminal */
    int64_t began, wrote; /* milliseconds */
    uint64_t done;        /* bytes of finished inputs */
    uint64_t total;       /* bytes of all inputs; 0: unknown */
    size_t waiting;       /* that threads convert, or will */
    size_t converted, passed, skipped, empty;
};

/* *p must not be moved before progress_end(). */
void progress_begin(struct progress *p, struct cli *cli);

/* Updates the line after each part; `in` is the current input. */
void progress_step(struct progress *p, const struct input *in);

/*
 * Ends the progress.  With `bulk`, and without -q, prints the summary if there
 * is a terminal, with -v, or if parts were skipped or failed.
 */
void progress_end(struct progress *p, bool bulk, size_t failed);

/*
 * False with PROF_ERR_USAGE if `output` is a file that is also the input ("-":
 * standard input), under this name or another.
 */
bool cli_keeps_input(const char *output, const char *input,
                     struct prof_err *err);

/*
 * Replaces each input that is a directory by the regular files below it, sorted
 * by path; symbolic links are not followed.  PROF_ERR_INPUT: there are none.
 */
bool cli_enter_directories(struct cli *cli, struct prof_err *err);

#endif
