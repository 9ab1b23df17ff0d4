/*
 * cli.h - what every tool has in common: options, diagnostics, inputs
 *
 * A tool's main() is: a table of its own options, cli_begin(), the work,
 * cli_end().  The shared options are parsed here and land in `struct cli`:
 *
 *   -o FILE, --if-changed       CLI_OUTPUT
 *   -0 .. -9                    CLI_LEVEL   gzip level of the output
 *   -T N, --threads=N           CLI_THREADS
 *   -k, --keep-going            CLI_KEEP_GOING
 *   --files-from, --files0-from, --max-size, --strict  CLI_INPUTS
 *   --each                      CLI_CONVERT: for cli_convert() only
 *   -q, -v, -h, --help, --version  always
 *
 * Long options accept '_' in place of '-': --show_from is --show-from.  They
 * cannot be abbreviated.  "--" ends options; "-" is standard input.
 *
 * Diagnostics go to standard error as `tool: input: text`, with control
 * characters and invalid UTF-8 escaped as \xNN.  This module is the only
 * one in lib/ that prints; it is used from cmd/ only.
 */
#ifndef PROFUTILS_CLI_CLI_H
#define PROFUTILS_CLI_CLI_H

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "io/input.h"
#include "profile/merge/merge.h"
#include "profile/profile.h"

enum cli_shared {
    CLI_OUTPUT = 1,
    CLI_LEVEL = 2,
    CLI_THREADS = 4,
    CLI_KEEP_GOING = 8,
    CLI_INPUTS = 16,
    CLI_CONVERT = 32,
};

enum { CLI_MAX_THREADS = 1024 }; /* that -T may ask for */

/* One option of a tool; a table of them ends with a null name. */
struct cli_option {
    const char *name; /* long name, with dashes: "show-from" */
    int key;          /* its letter, or any number from 256 up */
    const char *arg;  /* "REGEX" in the help; null: takes no argument;
                         "auto|never": one of these words (cli_parse_word());
                         "a|b[,...]": several, separated by commas;
                         "[SIZE]" in brackets: an optional argument */
    const char *help; /* one line of at most 52 characters, lower case, no full
                         stop; null: not in --help, such as another name for
                         the option with the same key */
};

/* A row of the table that is a line of --help above the next options. */
#define CLI_HEADING(text)                                                      \
    {                                                                          \
        "", 0, NULL, text                                                      \
    }

struct cli_spec {
    const char *tool;     /* "pbmerge" */
    const char *synopsis; /* "[option ...] [file ...]" */
    const char *summary;  /* one sentence for --help */
    const char *examples; /* command lines, separated by newlines; or null */
    /* Sets *o to option i of those that precede `options`; false if there are
     * fewer. */
    bool (*option_at)(size_t i, struct cli_option *o); /* or null */
    const struct cli_option *options;
    unsigned shared; /* enum cli_shared, or-ed */
    /* Takes each of the tool's own options that is given, in order. */
    bool (*take)(void *ctx, int key, const char *value, struct err *err);
    void *ctx;
};

struct cli {
    const char *tool;
    bool quiet, verbose, keep_going, if_changed, each, strict;
    const char *output; /* null: standard output */
    int level;          /* -1: not given */
    unsigned threads;   /* default: processors.h; 1 without CLI_THREADS */
    uint64_t max_size;
    uint64_t memory; /* limit of cli_merge_inputs(); 0: none */
    char **inputs;   /* operands and listed files; "-" alone if none */
    size_t n_inputs;
    struct notes notes;  /* prints; set `subject` for a prefix */
    const char *subject; /* the input being read, or null */
    int status;          /* worst exit status so far, but see cli_end() */
    struct cli_private *private;
};

/*
 * Parses the command line.  Returns -1 to go on, else the status to exit
 * with (0 after --help or --version, 2 after a usage error, 4).
 */
int cli_begin(struct cli *cli, const struct cli_spec *spec, int argc,
              char **argv);

/* Prints *err after `subject` (null: none); the status becomes its kind. */
void cli_error(struct cli *cli, const char *subject, const struct err *err);

/* The name of the only input, for messages; null if there are several. */
const char *cli_only_input(const struct cli *cli);

/*
 * Notes about one input, for code in several threads, which cannot share
 * cli->notes because that uses cli->subject.  *notes must not be moved.  Under
 * --strict, notes_lossless() reports only losses noted by these notes.
 */
struct cli_notes {
    struct cli *cli;
    const char *subject; /* or null */
    struct notes notes;
    struct err lost; /* first loss under --strict; kind ERR_NONE: none */
};
void cli_notes_init(struct cli_notes *notes, struct cli *cli,
                    const char *subject);

/* slice_find_word() of an option's value: *i is which of the words it is. */
static inline bool cli_parse_word(const char *words, const char *value,
                                  size_t *i, struct err *err)
{
    return slice_find_word((struct slice){value, strlen(value)}, words, i, err);
}

/*
 * Values of options; ERR_USAGE says what is expected:
 *
 *   count     a whole number from min to max
 *   size      bytes, or with K, M, G or T a power of 1024
 *   period    with ns, us, ms, s; or with Hz a frequency, inverted and rounded
 *             down
 *   divisor   a number above 0
 */
bool cli_parse_count(const char *text, uint64_t min, uint64_t max, uint64_t *n,
                     struct err *err);
bool cli_parse_size(const char *text, uint64_t *bytes, struct err *err);
bool cli_parse_period(const char *text, int64_t *nanoseconds, struct err *err);
bool cli_parse_divisor(const char *text, double *x, struct err *err);

/*
 * Frees *cli and returns the exit status: ERR_PARTIAL if -k skipped inputs, the
 * output was written and nothing else failed.
 */
int cli_end(struct cli *cli);

/*
 * Every part of every input in order, as bytes.  `name` is how to call it in
 * messages: "file", "file(entry)", "file(member 2)", "file(entry, member
 * 2)"; standard input is "(standard input)".  cli->subject is that name
 * while fn runs.  When fn returns false it has set *err, which is reported.
 * With -k a failing part is reported and left out; otherwise the first
 * failure stops the walk and has been reported when this returns false.
 *
 * The members of a gzip file are parts of their own if each of them begins
 * like a file, as `cat a.gz b.gz` makes them; otherwise, and where `begins`
 * is null, they are pieces of one part.
 */
typedef bool cli_begins_fn(const uint8_t *data, size_t n);
typedef bool cli_part_fn(void *ctx, const char *name,
                         const struct input_part *part, struct err *err);
bool cli_each_part(struct cli *cli, cli_begins_fn *begins, cli_part_fn *fn,
                   void *ctx);

/*
 * Profiles are read in two ways: all inputs as one profile, below, and input
 * after input straight into a sum (merge.h), which saves making a profile of
 * each.  In both, gzip members that are each a profile come one by one,
 * otherwise together as one.  The first member decides: where it is a whole
 * profile, so must be all others.
 */

/*
 * The sum of all inputs, as merge_finish() gives it, by cli->threads threads;
 * where inputs are fewer, several threads decode one.  Which sample types match
 * does not depend on the number of threads.
 *
 * A limit of memory (bytes) is for the rest of the process and lowers
 * cli->threads to what fits in it.  ERR_USAGE if it is below 16 MB.
 *
 * False: a failure was reported, and there is no -k.
 */
struct cli_merging {
    enum merge_types types;
    uint64_t memory; /* the limit; 0: none */
    bool in_memory;  /* never write samples to disk */
};
bool cli_merge_inputs(struct cli *cli, const struct cli_merging *how,
                      struct profile *sum, struct prof_layout *layout);

/*
 * All inputs as one profile: the only one as it stands (original ids and
 * order), several merged.  None at all is ERR_INPUT.  *p is initialised here
 * and may be freed whatever is returned; failures have been reported.
 */
bool cli_read_profile(struct cli *cli, struct profile *p);

/*
 * Profile after profile, as they stand: those of one input are told apart as
 * by cli_read_profile().  `name` is as for cli_each_part(), and cli->subject
 * is left alone.  fn may take *p's content; when it returns false it has set
 * *err, which is reported, and with -k the others follow.  False: a failure was
 * reported, and there is no -k, or there was no profile at all.
 */
typedef bool cli_profile_fn(void *ctx, const char *name, struct profile *p,
                            const struct notes *notes, struct err *err);
bool cli_each_profile(struct cli *cli, cli_profile_fn *fn, void *ctx);

/* Reads all profiles of one file ("-": standard input) as one, for --base. */
bool cli_read_file(struct cli *cli, const char *path, struct profile *p);

/*
 * Writes *p, in the order of the layout (null: its own; pb_encoder_init()), as
 * gzip (level 0: raw) to -o or standard output; refuses a
 * terminal.  Failures have been reported when these return false; a reader
 * that went away is not worth a message, only status 4.
 */
bool cli_write_profile(struct cli *cli, const struct profile *p,
                       const struct prof_layout *layout);

/*
 * The text of a report on its way to the output: a sink that holds text back,
 * so that nothing of a report that fails is written.  Standard output gets a
 * report of more than `hold` bytes as it comes.
 *
 *      struct cli_text text = cli_text_of(&cli);
 *      ok = sink_write(&text.sink, ...) && ...;
 *      ok = ok && cli_text_end(&text);
 *      cli_text_free(&text);
 */
struct cli_text {
    struct sink sink; /* first */
    struct cli *cli;
    size_t hold;        /* bytes; at first CLI_TEXT_HOLD */
    struct buf held;    /* text that is not written yet */
    struct output *out; /* null before the first write */
    bool failed;        /* to open or to write, which has been reported */
};
enum { CLI_TEXT_HOLD = 4 << 20 };

struct cli_text cli_text_of(struct cli *cli);

/* Writes what is held; false: a failure has been reported. */
bool cli_text_end(struct cli_text *t);

/* Without cli_text_end(): drops what is held, and leaves the old file. */
void cli_text_free(struct cli_text *t);

#endif
