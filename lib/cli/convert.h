/*
 * convert.h - the work of the tools that convert foreign files
 *
 * All inputs become one profile, or with --each one profile apiece.  A tool
 * says how one profile is made, in three steps that have no choice of mode:
 *
 *      start                a profile is begun, what was there is forgotten
 *      add, once or more    takes a part: a file, an entry, a gzip member
 *      finish               gives the profile of what was taken
 *
 * Merged, there is one start, an add for each part, and one finish; with
 * --each a start, an add and a finish for each part.  So a profile of --each
 * has the bytes that the part gives when it is converted alone.
 *
 * Of the entries of archives those are converted that `knows` knows; others
 * are skipped and counted, or with --strict errors.  Files that are operands
 * are always taken, so that add can say what is wrong with them.  An archive
 * with no known entry is an error.
 *
 * With `programs`, each profile has a program of its own: it is handed to
 * `set_program` before add, and entries that may be programs are kept.
 *
 * This also writes the output, and to standard error the progress and the
 * summary of work in bulk.
 */
#ifndef PROFUTILS_CLI_CONVERT_H
#define PROFUTILS_CLI_CONVERT_H

#include "cli/cli.h"
#include "cli/find_program.h"

struct cli_converter {
    const char *what;      /* "a gmon.out file" */
    bool narrow;           /* `what` is but one form of what the tool reads */
    cli_begins_fn *begins; /* how gzip members begin that are files */

    /* Whether a part is one for add, sound or not. */
    bool (*knows)(void *ctx, const struct input_part *part);

    /*
     * All fail with *err set.  cli->subject is the name of the part, except
     * in the one start and finish of a merge.  A part that add refuses is as
     * if it had not been there.
     */
    bool (*start)(void *ctx, struct err *err);
    bool (*add)(void *ctx, const char *name, const struct input_part *part,
                struct err *err);
    /* Canonical; *out is zeroed before and freed afterwards in any case. */
    bool (*finish)(void *ctx, struct profile *out, struct err *err);
    void *ctx;

    struct find_program *programs; /* or null; then there is no set_program */
    void (*set_program)(void *ctx, const struct found_program *program);
};

/* From inputs to output.  All failures have been reported. */
void cli_convert(struct cli *cli, const struct cli_converter *converter);

#endif
