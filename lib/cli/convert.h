/*
 * convert.h - the main loop of converters: reads parts, writes the output
 *
 *      conversion_run(cli, &opts, &converter, ctx);
 *
 * calls the functions of a `struct converter`.  It makes one profile, the sum
 * of all inputs; with --each a profile for each input, with cli->threads
 * threads. A tool whose --each makes several profiles from one input has its
 * own loop:
 *
 *      c = conversion_begin(cli, &opts);
 *      while (c && conversion_next(c, &in)) {
 *          if (!conversion_accept(c, in.format != NULL))
 *              continue;
 *          ... read the part ...
 *          conversion_divide(c);
 *          for each profile:
 *              ok = ok && conversion_put(c, profile, &name, &err);
 *          conversion_done(c, ok, &err);
 *      }
 *      conversion_end(c);
 *
 *   part           what happens
 *   file           converted; an error if the tool does not read its format
 *   archive entry  converted if the tool reads its format; others are skipped
 *                  and counted, or with --strict an error
 *   archive        an error if no entry is converted
 *
 * An output that is also an input is refused (PROF_ERR_USAGE).  Losses that
 * readers note become comments of the profile.  Progress, and a summary if
 * there are many inputs, go to standard error.  All functions report failures;
 * cli_end() returns the exit status.
 */
#ifndef PROFUTILS_CLI_CONVERT_H
#define PROFUTILS_CLI_CONVERT_H

#include "cli/cli.h"
#include "cli/find_program.h"
#include "formats/import.h"

struct conversion_opts {
    const char *reads; /* in messages: the input, "a gmon.out file" */
    /* Whether a gzip member begins like an input (source_opts.begins), which
     * decides whether members are separate parts; or null. */
    bool (*member_begins)(const uint8_t *data, size_t n);
    const struct input_streams *streams; /* or null */
    bool sparse; /* inputs may have many zero bytes in a row */
    /* Whether only zeros, which are not read, can follow; or null. */
    bool (*is_padded)(const uint8_t *data, size_t n);
    bool are_profiles; /* inputs are profiles: they have comments about their
                          losses, so none are added */
    /* Receives programs in archives; not owned.  Null: all are skipped. */
    struct find_program *programs;
};

/* An input that a worker converts. */
struct conversion_job {
    void *ctx; /* of conversion_run() */
    const struct import_input *in;
    const struct found_program *program; /* null: the tool needs none */
    unsigned threads;                    /* most threads that it may use */
    const struct prof_notes *notes;
    const char **about; /* add() may set it to the subject of the next notes;
                           null: the input */
};

/* The functions of a tool.  A worker is a struct of the tool, one for each
 * thread, which has a sum of inputs. */
struct converter {
    size_t size; /* of a worker, in bytes */
    /* Whether the tool reads the format of the part. */
    bool (*is_ours)(void *ctx, const struct import_input *in,
                    const struct input_part *part);
    /* Initialises a worker, which is filled with zeros.  Or null. */
    bool (*begin)(void *worker, void *ctx, struct prof_err *err);
    /* Frees what a worker owns; called after a failure too.  Or null. */
    void (*end)(void *worker);
    /* Adds an input to the sum.  job->notes is the same until finish(). */
    bool (*add)(void *worker, const struct conversion_job *job,
                struct prof_err *err);
    /* Empties the sum.  If ok, returns its profile, which the caller owns;
     * else, or after a failure, null with *err set. */
    struct profile *(*finish)(void *worker, bool ok, struct prof_err *err);
};

/* Converts all inputs and writes the output; ctx is passed to the functions. */
void conversion_run(struct cli *cli, const struct conversion_opts *opts,
                    const struct converter *converter, void *ctx);

/* Opens the inputs, and the output of --each.  Null: a failure was reported. */
struct conversion;
struct conversion *conversion_begin(struct cli *cli,
                                    const struct conversion_opts *opts);

/* Sets *in to the next part, for which conversion_accept() is called next.
 * False: there are no more. */
bool conversion_next(struct conversion *c, struct import_input *in);

/*
 * Whether the tool should convert the part; `is_ours` says whether it reads the
 * format of the part.  If not, the part was skipped, or a failure reported.
 */
bool conversion_accept(struct conversion *c, bool is_ours);

/*
 * Call it before the first profile of a part that is divided into several: the
 * losses noted so far become comments of each of them.
 */
void conversion_divide(struct conversion *c);

/*
 * Writes a profile of the part, and frees it.  `more` is appended to the name
 * of its file.  False, with *err set, after a failure, or if p is null.
 */
bool conversion_put(struct conversion *c, struct profile *p,
                    const struct buf *more, struct prof_err *err);

/* Ends an accepted part.  If !ok, reports *err. */
void conversion_done(struct conversion *c, bool ok, const struct prof_err *err);

/* Commits the output of --each, and frees *c; null is allowed. */
void conversion_end(struct conversion *c);

/*
 * Implements --each for tools that change profiles.  begin(), end() and workers
 * are as in struct converter; change() must leave *p in canonical form.
 */
struct changer {
    size_t size;
    bool (*begin)(void *worker, void *ctx, struct prof_err *err);
    void (*end)(void *worker);
    bool (*change)(void *worker, struct profile *p,
                   const struct conversion_job *job, struct prof_err *err);
};
void cli_change_each(struct cli *cli, const struct changer *changer, void *ctx);

/*
 * For perf.data files, Go's pprof runs a program perf_to_profile with the
 * options -i INPUT -o OUTPUT -f.  If argv[0] has this name, opens OUTPUT as
 * standard output and changes *argc and *argv to arguments of perf2pb.  Returns
 * 0, or the exit status of a failure, which was reported.
 */
int cli_perf_to_profile(int *argc, char ***argv);

#endif
