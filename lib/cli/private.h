/* private.h - what the files of lib/cli share */
#ifndef PROFUTILS_CLI_PRIVATE_H
#define PROFUTILS_CLI_PRIVATE_H

#include <pthread.h>

#include "base/buf.h"
#include "base/vec.h"
#include "cli/cli.h"
#include "io/gzip.h"
#include "profile/merge/merge.h"

struct cli_heading {
    size_t before; /* this option */
    const char *text;
};

struct cli_private {
    const struct cli_spec *spec;
    VEC(struct cli_option) options; /* the tool's own, then the shared */
    size_t n_own;                   /* of them */
    VEC(struct cli_heading) headings;
    VEC(char *) inputs;        /* owned */
    bool lists;                /* --files or --files0 was given */
    bool stdin_claimed;        /* "-" is among the inputs, or a list */
    pthread_mutex_t lock;      /* of cli->status and the next two */
    int left_out;              /* worst kind of what -k left out */
    struct err lost;           /* as in cli_notes, of cli->notes */
    bool written;              /* the output was */
    struct progress *progress; /* to be hidden by messages; or null */
    struct repeats *repeats;   /* told of warnings; null: all are shown */
    struct losses *losses;     /* told of losses; or null */
};

/* Keys of shared options that have no letter. */
enum cli_key {
    KEY_IF_CHANGED = 0x10000,
    KEY_EACH,
    KEY_STRICT,
    KEY_FILES,
    KEY_FILES0,
    KEY_MAX_SIZE,
    KEY_VERSION,
    KEY_HELP = 'h',
};

/* What became of the command line. */
enum cli_parsed { PARSED_RUN, PARSED_HELP, PARSED_VERSION, PARSED_BAD };

/* Fills priv->options. */
bool cli_all_options(struct cli *cli, struct err *err);

/* On PARSED_BAD *err says why; its kind may be other than ERR_USAGE. */
enum cli_parsed cli_parse(struct cli *cli, int argc, char **argv,
                          struct err *err);

/* Appends a copy of n bytes as one input's name. */
bool cli_add_input(struct cli *cli, const char *name, size_t n,
                   struct err *err);

/* Adds the names in a file, that each end with `end`. */
bool cli_add_list(struct cli *cli, const char *path, char end, struct err *err);

/* The texts of --help and --version on standard output. */
bool cli_help(const struct cli *cli, struct err *err);
bool cli_version(const struct cli *cli, struct err *err);

/* Sets cli->notes: they are printed after cli->subject. */
void cli_tool_notes(struct cli *cli);

/* Raises cli->status; any thread may. */
void cli_set_status(struct cli *cli, enum err_kind kind);

/* Reports a loss that nobody asked about yet; false if it is an error. */
bool cli_check_losses(struct cli *cli);

/* How to call an input: its path, or "(standard input)". */
const char *cli_input_name(const char *path);

/* One input being walked, and what its present part is called. */
struct cli_walk {
    struct cli *cli;
    struct input *in;
    const char *path; /* "(standard input)" for "-" */
    struct buf name;  /* NUL-terminated */
    struct cli_notes notes;
    bool all;
    bool held; /* a result that a loss was told of before: */
    int got;
    struct input_part part;
};

/*
 * CLI_WALK_ALL: the parts that are nested or irregular (input.h) come too;
 * otherwise the first kind is an error, the second left out with a note.
 * CLI_WALK_SALVAGE: damaged parts come, too.
 */
enum cli_walk_flags { CLI_WALK_ALL = 1, CLI_WALK_SALVAGE = 2 };

/*
 * Opens an input.  On failure it has been reported and *w is closed.  *w
 * must stay where it is until it is closed.
 */
bool cli_walk_open(struct cli_walk *w, struct cli *cli, const char *path,
                   unsigned flags);

/*
 * As input_next(), and w->name is the part's name, on failure too.  After a
 * failure the walk may go on.
 */
int cli_walk_next(struct cli_walk *w, struct input_part *part, struct err *err);

/* Calls the part by its file and, where they are not null and 0, by these. */
bool cli_walk_name(struct cli_walk *w, const char *entry, size_t member,
                   struct err *err);

/* Reports *err under w->name; true when -k says to go on. */
bool cli_walk_failed(struct cli_walk *w, const struct err *err);
void cli_walk_close(struct cli_walk *w);

/* The members of a gzip file so far, one behind the other. */
struct cli_members {
    struct buf bytes;
    VEC(size_t) ends; /* of each member, in bytes */
    bool each;        /* each begins like a file of its own */
};

/* cli_each_part() for one input at a time; zero *p before the first. */
struct cli_parts {
    cli_begins_fn *begins;
    cli_part_fn *fn;
    void *ctx;
    unsigned flags;            /* as for cli_walk_open() */
    struct progress *progress; /* told of inputs that are done; or null */
    bool stop;                 /* set by fn: no further part */
    bool is_archive;           /* what the last input was */
    size_t n_failed;           /* parts and inputs that were reported */
    struct cli_walk walk;
    struct cli_members members;
};
bool cli_input_parts(struct cli_parts *p, struct cli *cli, const char *path);
/* Reports what is wrong with an input as a whole; true when -k goes on. */
bool cli_input_failed(struct cli_parts *p, struct cli *cli, const char *path,
                      const struct err *err);
void cli_parts_free(struct cli_parts *p);

/* Encodes and compresses, over and over; zero-initialise. */
struct cli_packer {
    struct pack *pack;
    struct buf bytes;
};

/* *bytes is the profile as the level (-1: the default) has it. */
bool cli_pack(struct cli_packer *packer, const struct profile *p, int level,
              const struct buf **bytes, struct err *err);
void cli_packer_free(struct cli_packer *packer);

/* Marks standard input as taken; an error the second time. */
bool cli_claim_stdin(struct cli *cli, struct err *err);

/* --- lines on standard error */

/*
 * Writes "tool: subject: label: text" and a newline in one piece, so that
 * lines of several threads do not mix.  Control characters and bytes that
 * are not UTF-8 become \xNN, all that is not ASCII where memory is out, and
 * the line is in pieces if it is long.  subject and label may be null.
 */
void diag_line(const char *tool, const char *subject, const char *label,
               const char *text);

/* Bytes as they are; what cannot be written is lost. */
void diag_write(const void *bytes, size_t n);

/*
 * Counts notes that come again for each of many profiles, so that each is
 * shown once.  Texts that differ only in their numbers are the same note.
 */
struct repeats;

/* Null when memory is out; repeats_free() takes null. */
struct repeats *repeats_new(void);
void repeats_free(struct repeats *r);

/* Counts the text; true when it is the first of its kind. */
bool repeats_is_first(struct repeats *r, enum note_level level,
                      const char *text);

/* A text that came, null after the last. */
struct repeat {
    char *text; /* as it came first */
    enum note_level level;
    size_t again;
};
const struct repeat *repeats_at(const struct repeats *r, size_t i);

/*
 * Losses of a conversion, which become comments of its result: "incomplete: "
 * and the text of the note.  The texts of one part wait until it is known
 * whether the part is skipped.
 */
struct losses {
    VEC(char *) waiting; /* of the present part, a bounded number */
    VEC(char *) kept;
    bool nomem; /* a text is missing */
};

void losses_note(struct losses *l, const char *text);

/* What waits is kept, or forgotten. */
void losses_keep(struct losses *l);
void losses_drop(struct losses *l);

/*
 * Adds what is kept or waits to *p, which is canonical before and after, and
 * forgets it.
 */
bool losses_into(struct losses *l, struct profile *p, struct err *err);

void losses_free(struct losses *l);

/* --- the sum of the profiles that are read */

/*
 * One profile as it is, or the sum of several.  Zero-initialise;
 * cli_sum_finish() frees it.
 */
struct cli_sum {
    size_t n;
    struct profile only;
    struct merger *all;
};

/* Takes *p over as long as it is the only one; then adds it up. */
bool cli_sum_add(struct cli_sum *w, struct profile *p, struct err *err);

/*
 * The result in *p if `ok`, else nothing.  What fails is reported under
 * `subject`, which may be null; so is that nothing was added.
 */
bool cli_sum_finish(struct cli_sum *w, struct cli *cli, bool ok,
                    const char *subject, struct profile *p);

/* Reports that there is no profile in the input; false. */
bool cli_no_profile(struct cli *cli, const char *subject);

/* --- progress */

/*
 * A line on a terminal that shows how much of the input is converted,
 * rewritten at most ten times a second after the first second, and a summary
 * at the end:
 *
 *      prof2pb: 4321 profiles, 120 of 480 MB, 61.2 MB/s, 0:06 left
 *      prof2pb: 17210 profiles converted, 3 entries skipped (1 empty), 0
 *      failed: 480 MB in 7.8 s
 *
 * Bytes are those of the input files as they are, compressed or not.
 */
struct progress {
    struct cli *cli;
    bool enabled;         /* there is a terminal to show it */
    bool shown;           /* the cursor stands behind a line of ours */
    int64_t began, wrote; /* milliseconds */
    uint64_t done, total; /* bytes of inputs that are behind us, of all; total
                             0: not known */
    size_t converted, skipped, empty;
};

/* *p must stay where it is until progress_end(). */
void progress_begin(struct progress *p, struct cli *cli);

/* After each part; `in` is the input that is being read. */
void progress_step(struct progress *p, const struct input *in);

/* An input is behind us. */
void progress_next_input(struct progress *p, const struct input *in);

/* Takes the line away, for another to be written; null is allowed. */
void progress_hide(struct progress *p);

/*
 * Takes it away for good.  The summary, of `failed` parts, is printed if
 * `bulk` and there is something to say: on a terminal, with -v, or if not all
 * went in; never with -q.
 */
void progress_end(struct progress *p, bool bulk, size_t failed);

#endif
