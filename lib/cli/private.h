/* private.h - what the files of lib/cli share */
#ifndef PROFUTILS_CLI_PRIVATE_H
#define PROFUTILS_CLI_PRIVATE_H

#include <pthread.h>

#include "base/buf.h"
#include "base/strtab.h"
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
    bool lists;                /* --files-from or --files0-from was given */
    bool stdin_claimed;        /* "-" is among the inputs, or a list */
    pthread_mutex_t lock;      /* of cli->status and the next two */
    int left_out;              /* worst err_kind of inputs skipped by -k */
    struct err lost;           /* first loss, as in struct cli_notes */
    bool written;              /* the output was written */
    struct progress *progress; /* hidden before a message; or null */
    struct repeats *repeats;   /* counts warnings; null: all are shown */
    struct losses *losses;     /* collects losses; or null */
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

/*
 * Parses the command line.  Returns -1 to go on; 0 if --help or --version was
 * printed; else the kind of *err.
 */
int cli_parse(struct cli *cli, int argc, char **argv, struct err *err);

/* Sets cli->notes to print notes with cli->subject as a prefix. */
void cli_tool_notes(struct cli *cli);

/* Raises cli->status if `kind` is worse.  Any thread may call this. */
void cli_set_status(struct cli *cli, enum err_kind kind);

/* Reports a loss that no notes_lossless() has reported; false: an error. */
bool cli_check_losses(struct cli *cli);

/* How to call an input: its path, or "(standard input)". */
const char *cli_input_name(const char *path);

/* An input that is being read, and the name of its current part. */
struct cli_walk {
    struct cli *cli;
    struct input *in;
    const char *path; /* "(standard input)" for "-" */
    struct buf name;
    const char *subject; /* the name, or without memory for it the path */
    struct cli_notes notes;
    bool all;
    bool held; /* a loss was returned first; the next result is in: */
    int got;
    struct input_part part;
};

/*
 * Which parts (input.h) cli_walk_next() returns:
 *
 *   part       flag               without the flag
 *   nested     CLI_WALK_ALL       an error
 *   irregular  CLI_WALK_ALL       skipped with a note, or under --strict an
 *                                 error
 *   damaged    CLI_WALK_SALVAGE   an error
 */
enum cli_walk_flags { CLI_WALK_ALL = 1, CLI_WALK_SALVAGE = 2 };

/*
 * Opens an input.  On failure it has been reported and *w is closed.  *w
 * must stay where it is until it is closed.
 */
bool cli_walk_open(struct cli_walk *w, struct cli *cli, const char *path,
                   unsigned flags);

/*
 * As input_next(), and w->subject is the part's name, on failure too.  After a
 * failure the walk may go on.
 */
int cli_walk_next(struct cli_walk *w, struct input_part *part, struct err *err);

/* Sets w->subject from the path, the entry (or null) and the member (or 0). */
bool cli_walk_name(struct cli_walk *w, const char *entry, size_t member,
                   struct err *err);

void cli_walk_close(struct cli_walk *w);

/* The members of a gzip file so far, concatenated. */
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
    struct progress *progress; /* counts finished inputs; or null */
    bool stop;                 /* set by fn: no further part */
    bool is_archive;           /* what the last input was */
    size_t n_failed;           /* parts and inputs that were reported */
    struct cli_walk walk;
    struct cli_members members;
};
bool cli_input_parts(struct cli_parts *p, struct cli *cli, const char *path);
/* Replaces *to by the profile, compressed at this level (-1: default). */
bool cli_pack(struct pack *packer, const struct profile *p, int level,
              struct buf *to, struct err *err);

/* Marks standard input as taken; an error the second time. */
bool cli_claim_stdin(struct cli *cli, struct err *err);

/* --- lines on standard error */

/*
 * cli_error() for an input or a part of one; says nothing if the reader of the
 * output went away.  True if -k is given: the caller continues without it.
 */
bool cli_input_error(struct cli *cli, const char *subject,
                     const struct err *err);

/*
 * Writes "tool: subject: label: text" and a newline in one piece, so that
 * lines of several threads do not mix.  Control characters and bytes that
 * are not UTF-8 become \xNN, all that is not ASCII where memory is out, and
 * the line is in pieces if it is long.  subject and label may be null.
 */
void diag_line(const char *tool, const char *subject, const char *label,
               const char *text);

/* A note, and how often notes that differ only in their numbers came again. */
struct repeat {
    char *text; /* as it came first; owned */
    enum note_level level;
    size_t again;
};

/*
 * The notes that come for each of many profiles, so that each is shown once.
 * Zero-initialise.
 */
struct repeats {
    struct strtab texts;     /* with each number as a '#' */
    VEC(struct repeat) list; /* by id, less one */
    struct buf text;
};

/* Counts the text; true if it is the first of its kind. */
bool repeats_is_first(struct repeats *r, enum note_level level,
                      const char *text);
void repeats_free(struct repeats *r);

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
bool cli_sum_add(struct cli_sum *sum, struct profile *p, struct err *err);

/*
 * The result in *p if `ok`, else nothing.  What fails is reported under
 * `subject`, which may be null; so is that nothing was added.
 */
bool cli_sum_finish(struct cli_sum *sum, struct cli *cli, bool ok,
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
    bool shown;           /* the line is on the terminal */
    int64_t began, wrote; /* milliseconds */
    uint64_t done, total; /* bytes of finished inputs, and of all; total 0:
                             unknown */
    size_t converted, skipped, empty;
};

/* *p must stay where it is until progress_end(). */
void progress_begin(struct progress *p, struct cli *cli);

/* After each part; `in` is the input that is being read. */
void progress_step(struct progress *p, const struct input *in);

/*
 * Ends the progress.  With `bulk`, and without -q, prints the summary if there
 * is a terminal, with -v, or if parts were skipped or failed.
 */
void progress_end(struct progress *p, bool bulk, size_t failed);

#endif
