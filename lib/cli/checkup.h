/*
 * checkup.h - pbcat --check: what is wrong with each profile of the inputs
 */
#ifndef PROFUTILS_CLI_CHECKUP_H
#define PROFUTILS_CLI_CHECKUP_H

#include "cli/cli.h"
#include "io/input.h"

/*
 * Examines every part of every input by itself, and writes what was found, as
 * JSON if so asked.  Of each rule the first CLI_CHECKUP_MOST findings are
 * shown, or in JSON CLI_CHECKUP_MOST_JSON, or `all`.  The status becomes 3 for
 * errors and 1 for warnings.
 */
enum { CLI_CHECKUP_MOST = 3, CLI_CHECKUP_MOST_JSON = 10 };
void cli_checkup(struct cli *cli, bool json, bool all);

/* Whether the bytes are no profile.proto message, whole or broken. */
bool cli_is_other_kind(const struct input_part *part);

#endif
