/*
 * convert.h - what converters share: the parts of inputs, and the output
 *
 *      conversion_run(cli, &opts, &converter, ctx);
 *
 * calls the functions of a `struct converter`: for the sum of all inputs, or
 * with --each for one after the other, in cli->threads threads.  A tool whose
 * --each makes several profiles of an input has a loop of its own:
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
 *   file           converted; an error if it is not of the right format
 *   archive entry  converted if it is the tool's; others are skipped and
 *                  counted, or with --strict an error
 *   archive        an error if no entry is converted
 *
 * An output that is also an input is refused (PROF_ERR_USAGE).  Losses that are
 * noted meanwhile become comments of the profile.  Progress, and a summary if
 * there are many inputs, go to standard error.  All functions report failures;
 * cli_end() returns the exit status.
 */
#ifndef PROFUTILS_CLI_CONVERT_H
#define PROFUTILS_CLI_CONVERT_H

#include "cli/cli.h"
#include "cli/find_program.h"
#include "formats/import.h"

struct conversion_opts {
    const char *reads; /* in messages: "a gmon.out file" */
    /* Which members of a gzip file are parts (source.h); or null. */
    bool (*member_begins)(const uint8_t *data, size_t n);
    const struct input_streams *streams; /* or null */
    bool sparse; /* inputs may have many zero bytes in a row */
    /* Whether only zeros can follow, which are not read; or null. */
    bool (*is_padded)(const uint8_t *data, size_t n);
    bool are_profiles; /* inputs say themselves what they lack */
    /* Receives programs in archives; not owned.  Null: all are skipped. */
    struct find_program *programs;
};

/* What a worker converts. */
struct conversion_job {
    const struct import_input *in;
    const struct found_program *program; /* null: not asked for */
    unsigned threads;                    /* that the worker may use */
    const struct prof_notes *notes;
    const char **about; /* set it to what the next notes are about; null: in */
};

struct converter {
    size_t size; /* of a worker */
    /* Whether the part begins like an input of the tool. */
    bool (*is_ours)(void *ctx, const struct import_input *in,
                    const struct input_part *part);
    /* A worker, one for each thread, has a sum.  It is zeros before begin();
     * end(), or null, follows a failure too. */
    bool (*begin)(void *worker, void *ctx, struct prof_err *err);
    void (*end)(void *worker);
    /* Adds an input; notes are the same until finish(). */
    bool (*add)(void *worker, const struct conversion_job *job,
                struct prof_err *err);
    /* Ends the sum.  Its profile if ok, or null with *err set. */
    struct profile *(*finish)(void *worker, bool ok, struct prof_err *err);
};

void conversion_run(struct cli *cli, const struct conversion_opts *opts,
                    const struct converter *converter, void *ctx);

/* Opens the output of --each.  Null: a failure was reported. */
struct conversion;
struct conversion *conversion_begin(struct cli *cli,
                                    const struct conversion_opts *opts);

/* Sets *in to the next part, which is then accepted.  False: no more. */
bool conversion_next(struct conversion *c, struct import_input *in);

/*
 * Whether the part is to be converted.  If not, it was skipped, or a failure
 * was reported; is_ours: it begins like an input of the tool.
 */
bool conversion_accept(struct conversion *c, bool is_ours);

/*
 * For a part that is divided into several profiles: what was lost so far is
 * missing in each of them.
 */
void conversion_divide(struct conversion *c);

/*
 * Writes and frees a profile of the part.  `more` is added to the name of its
 * file.  False, with *err set, if that fails, or p is null.
 */
bool conversion_put(struct conversion *c, struct profile *p,
                    const struct buf *more, struct prof_err *err);

/* Ends an accepted part.  If !ok, reports *err. */
void conversion_done(struct conversion *c, bool ok, const struct prof_err *err);

/* Commits the output of --each, and frees *c; null is allowed. */
void conversion_end(struct conversion *c);

/*
 * --each of a tool that changes profiles.  A worker is as above; change()
 * leaves a profile in canonical form.
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
 * Go's pprof runs perf2pb for perf.data files by the name of perf_to_profile,
 * with other options: -i INPUT -o OUTPUT -f.  If argv[0] says so, *argc and
 * *argv become those of perf2pb, and OUTPUT standard output.  Returns 0, or the
 * exit status of a failure, which was reported.
 */
int cli_perf_to_profile(int *argc, char ***argv);

#endif
