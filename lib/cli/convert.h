/*
 * convert.h - the work of a converter, from inputs to output
 *
 * All inputs become one profile, or with --each one profile apiece, as the
 * converter (import/import.h) makes them.
 *
 *   files      are always read, so that the importer can say what is wrong
 *   entries    of archives are read if they begin like an input; others are
 *              skipped and counted, or with --strict errors; an archive with
 *              no such entry is an error
 *
 * With `programs`, each input has a program of its own: the tool is told of it
 * before the input is added, and entries that may be programs are kept.
 *
 * This also writes the output, and to standard error the progress and the
 * summary of work in bulk.
 */
#ifndef PROFUTILS_CLI_CONVERT_H
#define PROFUTILS_CLI_CONVERT_H

#include "cli/cli.h"
#include "cli/find_program.h"
#include "import/import.h"

struct cli_conversion {
    const struct converter *converter;
    void *options;                 /* the converter's */
    struct find_program *programs; /* or null; then there is no set_program */
    void (*set_program)(void *options, const struct found_program *program);
};

/* All failures have been reported. */
void cli_convert(struct cli *cli, const struct cli_conversion *how);

#endif
