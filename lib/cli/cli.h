/*
 * cli.h - options, diagnostics, inputs and outputs of all tools
 *
 * A tool has a table of its own options.  Its main() calls cli_begin(), does
 * its work and calls cli_end().  cli_begin() parses the shared options into
 * `struct cli`:
 *
 *   -o FILE, --if-changed       CLI_OUTPUT
 *   -0 .. -9                    CLI_LEVEL   gzip level of the output
 *   -T N, --threads=N           CLI_THREADS
 *   -k, --keep-going            CLI_KEEP_GOING
 *   -r, --files-from, --files0-from, --entries, --max-size, --strict CLI_INPUTS
 *   --each, --pass              CLI_CONVERT: for converters only
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
#include "base/library.h"
#include "base/slice.h"
#include "io/input.h"
#include "profile.h"

/* PCRE2, for cli_spec.libraries. */
extern const struct library_about cli_regex_library;

enum cli_shared {
    CLI_OUTPUT = 1,
    CLI_LEVEL = 2,
    CLI_THREADS = 4,
    CLI_KEEP_GOING = 8,
    CLI_INPUTS = 16,
    CLI_CONVERT = 32,
    CLI_CONVERTER =
        CLI_OUTPUT | CLI_LEVEL | CLI_KEEP_GOING | CLI_INPUTS | CLI_CONVERT,
};

enum { CLI_MAX_THREADS = 1024 }; /* the maximum of -T */

/* Or-ed into the key of an option that -h lists too, if a tool has so many that
 * -h lists only common ones. */
enum { CLI_COMMON = 1 << 24 };

/* One option of a tool; a table of them ends with a null name. */
struct cli_option {
    const char *name; /* long name, with dashes: "show-from" */
    int key;          /* its letter, or any number from 256 up; | CLI_COMMON */
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

enum cli_peer { CLI_NO_PEER, CLI_GPROF, CLI_PERF };

struct cli_spec {
    const char *tool;        /* "pbmerge" */
    const char *synopsis;    /* "[option ...] [file ...]" */
    const char *summary;     /* one sentence for --help */
    const char *examples;    /* command lines, separated by newlines; or null */
    enum cli_peer peer;      /* say what replaces its letters */
    const char *usual_input; /* the usual name of an input; or null */
    bool reads_usual;        /* without operands, and if standard input is a
                                terminal, read it if it exists */
    /* Sets *o to option i of those before `options`; false: there are fewer. */
    bool (*option_at)(size_t i, struct cli_option *o); /* or null */
    const struct cli_option *options;
    unsigned shared; /* enum cli_shared, or-ed */
    /* For --version: libraries that only some tools use, then null; or null. */
    const struct library_about *const *libraries;
    /* Called for each of the tool's own options that was given, in order. */
    bool (*take)(void *ctx, int key, const char *value, struct prof_err *err);
    void *ctx;
};

struct cli {
    const char *tool;
    bool quiet, verbose, keep_going, if_changed, each, strict;
    bool recursive; /* -r; cli_begin() replaces directories by their files */
    bool pass;      /* with `each`: copy entries that are not converted */
    const char *output;  /* null: standard output */
    const char *entries; /* pattern (fnmatch(3)) of entries; null: all */
    int level;           /* -1: not given */
    unsigned threads;    /* default: resources.h; 1 without CLI_THREADS */
    bool shares_stacks;  /* stacks of all profiles that are read may share
                            frames (profile/columns.h); the caller sets it */
    uint64_t max_size;   /* limit for decompressed inputs (io/input.h) */
    uint64_t max_held;   /* limit for parts in memory; 0: max_size */
    uint64_t memory;     /* limit of cli_merge_inputs(); 0: none */
    const char **inputs; /* operands and listed files; "-" alone if none */
    size_t n_inputs;
    /* By input: its group, which is what `group` was when the input was parsed.
     * A tool may change `group` when it takes an option, so that options apply
     * to the inputs after them. */
    const unsigned *groups;
    unsigned group;
    size_t n_before_dashes;  /* inputs before "--"; all if there is no "--" */
    struct prof_notes notes; /* prints notes, with `subject` as prefix */
    const char *subject;     /* name of the input being read, or null */
    int status;              /* worst exit status so far, but see cli_end() */
    struct cli_private *private;
};

/*
 * Parses the command line and reports errors.  Returns
 *
 *   -1     the tool continues
 *   other  the exit status: 0 after --help or --version, 2 after a usage error,
 *          4 after a system error
 */
int cli_begin(struct cli *cli, const struct cli_spec *spec, int argc,
              char **argv);

/* Prints *err with the prefix `subject` (null: none), and raises the exit
 * status to err->kind. */
void cli_error(struct cli *cli, const char *subject,
               const struct prof_err *err);

/* Returns the name of the only input, for messages; null: there are more. */
const char *cli_only_input(const struct cli *cli);

/*
 * Notes about one input, for code in several threads, which cannot share
 * cli->notes because that uses cli->subject.  *notes must not be moved.  Under
 * --strict, notes_lossless() reports only losses noted by these notes.
 */
struct cli_notes {
    struct cli *cli;
    const char *subject; /* null: cli->subject */
    struct prof_notes notes;
    struct prof_err lost; /* first loss under --strict, or PROF_ERR_NONE */
};
void cli_notes_init(struct cli_notes *notes, struct cli *cli,
                    const char *subject);

/* Sets *i to the index of the option's value among `words` (slice.h). */
static inline bool cli_parse_word(const char *words, const char *value,
                                  size_t *i, struct prof_err *err)
{
    return slice_find_word(slice_of(value), words, i, err);
}

/* The value of an option that, as in pprof, is not given if it is empty. */
static inline const char *cli_given(const char *value)
{
    return *value ? value : NULL;
}

/* Where the value of an option is stored as it is, or else its flag. */
struct cli_place {
    int key;
    const char **value;
    bool *flag; /* if `value` is null */
};

/* Stores the option in its place, one of n; false if the key has none. */
bool cli_store(const struct cli_place *places, size_t n, int key,
               const char *value);

/*
 * Values of options; PROF_ERR_USAGE says what is expected:
 *
 *   count     an integer from min to max
 *   size      bytes; with the suffix K, M, G or T times a power of 1024
 *   period    with the suffix ns, us, ms or s; or a frequency with the suffix
 *             Hz, which is inverted and rounded down
 *   divisor   a number greater than 0
 *   list      one or more words, which may not be empty, separated by commas
 *   regex     a regular expression, whose errors are thus found before any
 * input is read
 */
bool cli_parse_count(const char *text, uint64_t min, uint64_t max, uint64_t *n,
                     struct prof_err *err);
bool cli_parse_size(const char *text, uint64_t *bytes, struct prof_err *err);
bool cli_parse_period(const char *text, int64_t *nanoseconds,
                      struct prof_err *err);
bool cli_parse_divisor(const char *text, double *x, struct prof_err *err);
bool cli_is_list(const char *text);
bool cli_check_regex(const char *text, struct prof_err *err);

/*
 * Frees *cli and returns the exit status: PROF_ERR_PARTIAL if -k skipped
 * inputs, the output was written and nothing else failed.
 */
int cli_end(struct cli *cli);

/*
 * The functions below read profiles.  source.h says which members of a gzip
 * file are profiles.
 *
 * They report failures.  With -k the input is skipped; otherwise they return
 * false or null.
 */

/*
 * Returns the sum of all inputs, which the caller frees.  cli->threads threads
 * decode inputs directly into the sum; if there are fewer inputs than threads,
 * several threads decode one input.  The result does not depend on the number
 * of threads.
 *
 * A memory limit applies until the process ends, and lowers cli->threads to the
 * number that fits.
 */
enum { CLI_LEAST_MEMORY = 16 }; /* MiB; options refuse less */
struct cli_merging {
    enum prof_merge_types types;
    const char *only;        /* "TYPE/UNIT,...": skip inputs whose types are not
                                exactly these; "TYPE": of any unit; or null */
    uint64_t memory;         /* the limit; 0: none */
    struct cli_edits *edits; /* changes inputs first (edits.h); or null */
    bool to_change;          /* the caller changes the sum: keep all samples in
                                memory, never on disk */
};
struct profile *cli_merge_inputs(struct cli *cli,
                                 const struct cli_merging *how);

/*
 * Reads all inputs as one profile, which the caller frees.  A single profile is
 * unchanged (original ids and order); several are merged; none is
 * PROF_ERR_INPUT.
 */
struct profile *cli_read_profile(struct cli *cli);

/*
 * Calls fn for each profile of each input.  `name` is as source.subject;
 * cli->subject does not change.  fn may change *p; if it fails, it sets *err,
 *  which is reported.  Returns false after a failure, and if there are no
 * profiles.
 */
typedef bool cli_profile_fn(void *ctx, const char *name, struct profile *p,
                            const struct prof_notes *notes,
                            struct prof_err *err);
bool cli_each_profile(struct cli *cli, cli_profile_fn *fn, void *ctx);

/* Reads all profiles of one file ("-": standard input) as one, for --base. */
struct profile *cli_read_file(struct cli *cli, const char *path);

/*
 * Writes *p to -o or standard output, compressed with gzip (level 0:
 * uncompressed).  Refuses to write to a terminal.  Reports failures, except
 * that a reader that closed the pipe (EPIPE) only sets exit status 4.
 */
bool cli_write_profile(struct cli *cli, const struct profile *p);

/*
 * PROF_ERR_USAGE, which names `option`, if the output would overwrite `file`,
 * the file that the option reads; a null `file` is allowed.
 */
bool cli_keeps_file(const struct cli *cli, const char *option, const char *file,
                    struct prof_err *err);

/*
 * Calls put() to write a text to -o or standard output.  `binary`: it is not
 * text, so refuses to write it to a terminal.  Reports failures, those of put()
 * with the name of the only input as prefix.
 */
bool cli_write_text(struct cli *cli, bool binary,
                    bool (*put)(void *ctx, struct sink *to,
                                struct prof_err *err),
                    void *ctx);

/*
 * A sink that buffers the text of a report, so that nothing is written if the
 * report fails.  A report of more than `hold` bytes is written to standard
 * output while it is made.
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
    struct buf held;    /* buffered text */
    struct output *out; /* null before the first write */
    bool binary;        /* refuse a terminal */
    bool failed;        /* opening or writing failed, and was reported */
};
enum { CLI_TEXT_HOLD = 4 << 20 };

struct cli_text cli_text_of(struct cli *cli);

/* Writes the buffered text and commits the output.  Reports failures. */
bool cli_text_end(struct cli_text *t);

/* Frees *t.  Unless cli_text_end() was called, the old file stays. */
void cli_text_free(struct cli_text *t);

#endif
