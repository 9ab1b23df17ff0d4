/*
 * convert.h - runs a converter: opens inputs, converts them, writes the output
 *
 * The converter (formats/import.h) makes one profile of all inputs or, with
 * --each, one profile of each input; cli_convert() writes it to the output.
 *
 *   input          what happens
 *   file           converted; an error if it is not of the right format
 *   archive entry  converted if it begins like an input (converter->begins);
 *                  others are skipped and counted, or with --strict an error
 *   archive        an error if no entry is converted
 *
 * If `programs` is set, each input has its own program.  cli_convert() finds it
 * (find_program.h) and passes it to set_program() before it adds the input.
 *
 * An output that is also an input is refused (PROF_ERR_USAGE).
 *
 * Progress, and a summary if there are many inputs, go to standard error.
 */
#ifndef PROFUTILS_CLI_CONVERT_H
#define PROFUTILS_CLI_CONVERT_H

#include "cli/cli.h"
#include "cli/find_program.h"
#include "formats/import.h"

struct cli_conversion {
    const struct converter *converter;
    void *options;                 /* the converter's */
    struct find_program *programs; /* not owned; null: one program for all */
    /* Called before each input if `programs` is not null. */
    void (*set_program)(void *options, const struct found_program *program);
};

/*
 * False with PROF_ERR_USAGE if `output` is a file that is also the input ("-":
 * standard input), under this name or another.
 */
bool cli_keeps_input(const char *output, const char *input,
                     struct prof_err *err);

/* Reports all failures; cli_end() returns the exit status. */
void cli_convert(struct cli *cli, const struct cli_conversion *how);

#endif
